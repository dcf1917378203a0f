"""Measures Exudyn's generalized-alpha method on a mechanism. The last line printed has the microseconds and Newton
iterations of a step.

    python scripts/exudyn_steps.py "chain 32" | "chain 2" | "ring 200" | slider-crank

Chains of more than two rods hang from (0, 0). Their total length is 1 m and their total mass 1 kg; they use steps of
0.5 ms and sparse matrices. Chains of two rods (1 m, 1 kg each) and the slider crank (crank 1 m, rod 2 m, 1 kg each) use
steps of 1 ms and dense matrices. The difference of a long and a short solution excludes the time before the first step.
"""

import sys
import time
from math import atan2, cos, pi, sin, sqrt, tan

import exudyn as exu
from exudyn.itemInterface import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    ObjectGround,
    PrismaticJoint2D,
    RevoluteJoint2D,
    Rigid2D,
    RigidBody2D,
)

GRAVITY = [0, -9.81, 0]


def rod(system, length, mass, centre, angle=0.0):
    """A slender rod, with markers at its ends."""
    node = system.AddNode(Rigid2D(referenceCoordinates=[*centre, angle]))
    body = system.AddObject(
        RigidBody2D(physicsMass=mass, physicsInertia=mass * length**2 / 12, nodeNumber=node)
    )
    at_mass = system.AddMarker(MarkerBodyMass(bodyNumber=body))
    system.AddLoad(LoadMassProportional(markerNumber=at_mass, loadVector=GRAVITY))
    ends = [MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0]) for x in (-length / 2, length / 2)]
    return [system.AddMarker(end) for end in ends]


def chain(system, count, length, mass):
    """Rods pinned end to end, horizontal at the start."""
    ground = system.AddObject(ObjectGround())
    pin = system.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for number in range(count):
        start, end = rod(system, length, mass, [length * (number + 0.5), 0])
        system.AddObject(RevoluteJoint2D(markerNumbers=[pin, start]))
        pin = end


def ring(system, count):
    """Rods of 0.1 m and 0.1 kg, pinned end to end on a circle. The middle of the first rod is pinned to the ground."""
    radius = 0.05 / tan(pi / count)
    first = last = None
    for number in range(1, count + 1):
        angle = 2 * pi * number / count
        centre = [radius * cos(angle), radius * sin(angle)]
        start, end = rod(system, 0.1, 0.1, centre, angle + pi / 2)
        if last is None:
            first = start
            ground = system.AddObject(ObjectGround())
            hook = system.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[*centre, 0]))
            body = system.GetMarker(start)["bodyNumber"]
            middle = system.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[0, 0, 0]))
            system.AddObject(RevoluteJoint2D(markerNumbers=[hook, middle]))
        else:
            system.AddObject(RevoluteJoint2D(markerNumbers=[last, start]))
        last = end
    system.AddObject(RevoluteJoint2D(markerNumbers=[last, first]))


def slider_crank(system):
    """Slider crank with the crank at 1 rad and the slider at the end of the rod on the x axis."""
    x, y = cos(1.0), sin(1.0)
    reach = sqrt(4 - y**2)
    ground = system.AddObject(ObjectGround())
    pin = system.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    rail = system.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    start, end = rod(system, 1.0, 1.0, [x / 2, y / 2], 1.0)
    system.AddObject(RevoluteJoint2D(markerNumbers=[pin, start]))
    start, slider = rod(system, 2.0, 1.0, [x + reach / 2, y / 2], atan2(-y, reach))
    system.AddObject(RevoluteJoint2D(markerNumbers=[end, start]))
    system.AddObject(PrismaticJoint2D(markerNumbers=[slider, rail], axisMarker0=[1, 0, 0], normalMarker1=[0, 1, 0],
                                      constrainRotation=False))


def solve(mechanism, steps):
    """Returns the CPU time in seconds and the iterations of this number of steps."""
    system = exu.SystemContainer().AddSystem()
    kind, _, count = mechanism.partition(" ")
    count = int(count or 0)
    if kind == "slider-crank":
        slider_crank(system)
    elif kind == "ring":
        ring(system, count)
    elif count == 2:
        chain(system, 2, 1.0, 1.0)
    else:
        chain(system, count, 1.0 / count, 1.0 / count)
    system.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = steps
    integration.endTime = steps * (5e-4 if count > 2 else 1e-3)
    integration.generalizedAlpha.spectralRadius = 0.8
    integration.newton.useModifiedNewton = False
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse if count > 2 else exu.LinearSolverType.EXUdense
    solver = exu.MainSolverImplicitSecondOrder()
    begin = time.process_time()
    solver.SolveSystem(system, settings)
    return time.process_time() - begin, solver.it.newtonStepsCount


def main():
    mechanism = sys.argv[1]
    few, many = (20, 120) if " " in mechanism and mechanism != "chain 2" else (50, 1050)
    best = float("inf")
    for _ in range(3):
        (short, before), (long, after) = solve(mechanism, few), solve(mechanism, many)
        best = min(best, long - short)
    print(1e6 * best / (many - few), (after - before) / (many - few))


main()
