"""Random mechanisms in YAML and URDF: trees, loops and collisions, in the plane and in space."""

import json
import math
from dataclasses import dataclass, field

BOTH = ["acceleration-level", "minimal"]


@dataclass
class Machine:
    """A mechanism with the observables to compare."""

    span: float
    content: dict = field(default_factory=dict)
    urdf: str = ""
    seen: list = field(default_factory=list)
    drawn: list = field(default_factory=lambda: BOTH)  # formulations that all methods accept
    max_step: float = 5e-3  # a step that no event within fits into, for references

    def text(self):
        parts = ",\n".join(f"  {name}: {json.dumps(part)}" for name, part in self.content.items())
        return self.urdf or f"{{\n{parts}\n}}\n"


def rounded(value):
    return float(f"{value:.4g}")


def log(rng, low, high):
    return rounded(10 ** rng.uniform(math.log10(low), math.log10(high)))


def components(bodies, spatial):
    return [f"{body}_{axis}" for body in bodies for axis in ("xyz" if spatial else "xy")]


def tree(rng, moved, spatial, kinds):
    """Bodies on the ground or on each other, with springs, dampers, drives and loads; each body is a rod along x."""
    count = rng.randint(1, 5)
    lengths = [rounded(rng.uniform(0.3, 1.2)) for _ in range(count)]
    zero = [0, 0] if spatial else [0]
    bodies, joints, forces, ground = {}, {}, {}, {}
    kept = []
    for at, length in enumerate(lengths):
        shape = {"rod": {"length": length, "radius": rounded(rng.uniform(0.02, 0.1))}}
        ends = {"l": [-length / 2, *zero], "r": [length / 2, *zero]}
        bodies[f"b{at}"] = {"mass": log(rng, 0.2, 5), "shape": shape, "markers": ends}
        before = at - 1 if at == 0 or rng.random() < 0.7 else rng.randrange(at)
        parent = "ground" if at == 0 or rng.random() < 0.15 else f"b{before}.r"
        kind = rng.choice(kinds)
        joint = {"between": [parent, f"b{at}.l"]}
        kept.append((parent, kind, 0.0))
        if kind in ("revolute", "cylindrical", "prismatic") and spatial:
            joint["axis"] = [rounded(rng.uniform(-1, 1)) for _ in range(3)]
        if kind in ("revolute", "cylindrical"):
            angle = rounded(rng.uniform(-1.5, 1.5))
            joint["angle"] = angle + moved
            kept[-1] = (parent, kind, angle)
        if kind == "revolute":
            joint["rate"] = rounded(rng.uniform(-3, 3))
        if kind in ("prismatic", "cylindrical"):
            joint["distance"] = rounded(rng.uniform(0, 0.3)) + moved
        if kind == "prismatic":
            joint["speed"] = rounded(rng.uniform(-1, 1))
        joints[f"j{at}"] = {kind: joint}
        if kind == "revolute" and rng.random() < 0.3:
            stiffness, damping = log(rng, 1, 1e3), rng.choice([0, log(rng, 0.01, 1)])
            forces[f"t{at}"] = {"torsion-spring": {"joint": f"j{at}", "stiffness": stiffness, "damping": damping}}
        elif kind == "revolute" and rng.random() < 0.2:
            law = f"{rounded(rng.uniform(-5, 5))}*sin({log(rng, 1, 30)}*t) - {log(rng, 0.01, 1)}*rate"
            forces[f"d{at}"] = {"motor": {"joint": f"j{at}", "torque": law}}
        if kind == "prismatic" or rng.random() < 0.3:
            anchor = [rounded(rng.uniform(-2, 2)) for _ in range(3 if spatial else 2)]
            ground[f"g{at}"] = anchor
            forces[f"s{at}"] = {"spring": {"between": [f"ground.g{at}", f"b{at}.r"], "stiffness": log(rng, 10, 3e3),
                                           "damping": rng.choice([0, log(rng, 0.1, 10)])}}
    if rng.random() < 0.3:
        at = rng.randrange(count)
        push = [f"{rounded(rng.uniform(-10, 10))}*cos({log(rng, 1, 20)}*t)"] + [0] * (2 if spatial else 1)
        forces["push"] = {"force": {"on": f"b{at}.r", "force": push}}
    content = {"motion": "spatial" if spatial else "planar",
               "gravity": [0, 0, -9.81] if spatial else [0, -9.81],
               "ground": ground, "bodies": bodies, "joints": joints, "forces": forces}
    seen = components(bodies, spatial)
    drawn = BOTH[:1] if any("spherical" in joint for joint in joints.values()) else BOTH
    return Machine(rounded(rng.uniform(0.3, 1.5)), content, seen=seen, drawn=drawn), lengths, kept


def planar_tree(rng, moved):
    return tree(rng, moved, False, ["revolute"] * 4 + ["prismatic"])[0]


def spatial_tree(rng, moved):
    return tree(rng, moved, True, ["revolute"] * 4 + ["prismatic", "cylindrical", "spherical", "universal"])[0]


def planar_loop(rng, moved):
    """A tree of hinged rods, one of which is closed by a hinge on the ground or by a rod of no mass."""
    machine, lengths, kept = tree(rng, moved, False, ["revolute"])
    ends = {}
    for at, (parent, _, angle) in enumerate(kept):
        x, y, before = ends.get(parent, (0.0, 0.0, 0.0))
        turned = before + angle
        ends[f"b{at}.r"] = (x + lengths[at] * math.cos(turned), y + lengths[at] * math.sin(turned), turned)
    last = len(lengths) - 1
    chain, parent = 1, kept[last][0]
    while parent != "ground":
        chain, parent = chain + 1, kept[int(parent[1])][0]
    x, y, _ = ends[f"b{last}.r"]
    if chain >= 3 and rng.random() < 0.6:
        machine.content["ground"]["close"] = [x, y]
        machine.content["joints"]["close"] = {"revolute": {"between": ["ground.close", f"b{last}.r"]}}
    elif chain >= 2:
        machine.content["ground"]["close"] = [rounded(x + rng.uniform(0.3, 1)), rounded(y + rng.uniform(-1, 1))]
        machine.content["joints"]["close"] = {"distance": {"between": ["ground.close", f"b{last}.r"]}}
    return machine


def spatial_loop(rng, moved):
    """A tree of hinged rods in space with a rod of no mass from its end to the ground."""
    machine, lengths, _ = tree(rng, moved, True, ["revolute"])
    if len(lengths) > 1:
        machine.content["ground"]["close"] = [rounded(rng.uniform(1, 3)), rounded(rng.uniform(-2, 2)), 1.0]
        joint = {"distance": {"between": ["ground.close", f"b{len(lengths) - 1}.r"]}}
        machine.content["joints"]["close"] = joint
    return machine


def driven(rng, moved):
    """A planar tree with a prescribed rotation of its first hinge."""
    machine, _, _ = tree(rng, moved, False, ["revolute"])
    first = machine.content["joints"]["j0"]["revolute"]
    law = f"{first['angle']!r} + {first['rate']!r}*t + {rounded(rng.uniform(-1, 1))}*(1 - cos({log(rng, 1, 15)}*t))"
    machine.content["joints"]["drive"] = {"rotation": {"between": first["between"], "law": law}}
    return machine


def touch(rng, mass):
    law = {"stiffness": rounded(log(rng, 1e4, 1e8) * mass)}
    if rng.random() < 0.3:
        law["damping"] = rounded(rng.uniform(0.01, 0.5))
    if rng.random() < 0.2:
        law["friction"] = rounded(rng.uniform(0.05, 0.5))
        law["slip-speed"] = 0.05
    return law


def collision(rng, moved):
    """Balls in a row, of which the first is fast, without gravity."""
    count, radius, speed = rng.randint(2, 3), log(rng, 0.01, 0.2), log(rng, 1, 100)
    bodies, forces, x = {}, {}, 0.0
    for at in range(count):
        mass = log(rng, 0.3, 3)
        bodies[f"b{at}"] = {"mass": mass, "shape": {"disk": {"radius": radius}},
                            "position": [rounded(x) + (moved if at == 0 else 0.0), 0.0]}
        x += 2 * radius + rounded(rng.uniform(0.2, 3.0))
    bodies["b0"]["velocity"] = [speed, 0]
    for at in range(count - 1):
        law = touch(rng, 1.0)
        law.pop("friction", 0), law.pop("slip-speed", 0)
        forces[f"c{at}"] = {"ball-contact": {"between": [f"b{at}", f"b{at + 1}"], "radii": [radius, radius],
                                            "touch": law}}
    span = rounded(x / speed * rng.uniform(0.7, 1.5))
    content = {"gravity": [0, 0], "bodies": bodies, "forces": forces}
    return Machine(span, content, seen=components(bodies, False), max_step=rounded(0.05 * radius / speed))


def drop(rng, moved):
    """A ball, or a pendulum with a ball at its end, that falls on a plane."""
    radius, mass, height = log(rng, 0.02, 0.2), log(rng, 0.3, 3), rounded(rng.uniform(0.3, 3))
    if rng.random() < 0.5:
        body = {"mass": mass, "shape": {"disk": {"radius": radius}}, "position": [0, height + radius + moved],
                "velocity": [rounded(rng.uniform(-2, 2)), rounded(rng.uniform(-3, 3))]}
        content = {"bodies": {"b0": body}}
        between, seen = ["ground", "b0"], ["b0_x", "b0_y"]
    else:
        length = rounded(rng.uniform(0.5, 1.5))
        ends = {"l": [-length / 2, 0], "r": [length / 2, 0]}
        content = {"ground": {"floor": [0, rounded(-length * rng.uniform(0.3, 0.9))]},
                   "bodies": {"b0": {"mass": mass, "shape": {"rod": {"length": length}}, "markers": ends}},
                   "joints": {"j": {"revolute": {"between": ["ground", "b0.l"],
                                                 "angle": rounded(rng.uniform(-0.2, 0.5)) + moved}}}}
        between, seen = ["ground.floor", "b0.r"], ["b0_x", "b0_y"]
    content["forces"] = {"floor": {"plane-contact": {"between": between, "radius": radius, "touch": touch(rng, mass)}}}
    return Machine(rounded(rng.uniform(0.5, 1.5)), {"gravity": [0, -9.81], **content}, seen=seen, max_step=1e-3)


def urdf(rng, moved):
    """A tree of links with continuous and prismatic joints, damping, and a mass on each link."""
    count, parts, names = rng.randint(1, 6), [], []
    for at in range(count):
        parent = "base" if at == 0 else f"link{at - 1 if rng.random() < 0.7 else rng.randrange(at)}"
        kind = rng.choice(["continuous"] * 4 + ["prismatic"])
        axis = " ".join(str(rounded(rng.uniform(-1, 1))) for _ in range(3))
        place = " ".join(str(rounded(rng.uniform(-0.5, 0.5))) for _ in range(3))
        turn = " ".join(repr(rounded(rng.uniform(-1, 1)) + moved) for _ in range(3))
        centre = " ".join(str(rounded(rng.uniform(-0.3, 0.3))) for _ in range(3))
        mass, size = log(rng, 0.2, 5), rng.uniform(0.05, 0.3)
        moments = " ".join(f'i{axis}{axis}="{rounded(mass * size * size * rng.uniform(0.8, 1.2))}"' for axis in "xyz")
        damping = rng.choice([0, log(rng, 0.01, 2)])
        limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind == "prismatic" else ""
        parts.append(
            f'  <link name="link{at}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>'
            f'<inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
            f'  <joint name="joint{at}" type="{kind}"><parent link="{parent}"/><child link="link{at}"/>'
            f'<origin xyz="{place}" rpy="{turn}"/><axis xyz="{axis}"/><dynamics damping="{damping}"/>{limit}</joint>\n')
        names.append(f"link{at}")
    text = '<?xml version="1.0"?>\n<robot name="r">\n  <link name="base"/>\n' + "".join(parts) + "</robot>\n"
    return Machine(rounded(rng.uniform(0.2, 0.8)), urdf=text, seen=components(names, True))


KINDS = [
    ("planar tree", planar_tree), ("planar loop", planar_loop), ("spatial tree", spatial_tree),
    ("spatial loop", spatial_loop), ("driven", driven), ("collision", collision), ("drop", drop), ("URDF", urdf),
]
