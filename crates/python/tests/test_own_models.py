"""Models that are Python functions."""

import numpy as np
import pytest

import mbsbench


def oscillator(**further) -> mbsbench.Ode:
    return mbsbench.Ode(
        "oscillator",
        lambda t, y: [y[1], -4.0 * y[0]],
        [1.0, 0.0],
        energy=lambda t, y: float(y[1] ** 2 / 2 + 2 * y[0] ** 2),
        **further,
    )


def bead(jacobian: bool) -> mbsbench.Mechanics:
    """A point of unit mass on a circle of radius one in the plane, gravity 10."""
    return mbsbench.Mechanics(
        "bead",
        mass=lambda q: np.eye(2),
        forces=lambda t, q, v: [0.0, -10.0],
        q=[1.0, 0.0],
        constraints=lambda t, q: [0.5 * (q[0] ** 2 + q[1] ** 2 - 1)],
        jacobian=(lambda t, q: [[q[0], q[1]]]) if jacobian else None,
        energy=lambda t, y: float((y[2] ** 2 + y[3] ** 2) / 2 + 10 * y[1]),
    )


@pytest.mark.parametrize("method", ["dopri5", "radau5", "ode15s", "dop853", "cvode-bdf"])
def test_equations_of_python_are_solved_by_all_kinds_of_methods(method: str) -> None:
    solution = mbsbench.solve(oscillator(), 1.0, method=method, tolerance=1e-9)
    if solution.status == "unavailable":
        pytest.skip(solution.message)
    assert solution.success, solution.message
    assert np.allclose(solution.y[-1], [np.cos(2), -2 * np.sin(2)], atol=1e-6)


@pytest.mark.parametrize("jacobian", [True, False])
@pytest.mark.parametrize(
    "method",
    ["dopri5", "radau5", "hht-i3", "generalized-alpha", "lie-generalized-alpha", "trapezoidal"],
)
def test_mechanics_of_python_are_solved_on_all_levels(method: str, jacobian: bool) -> None:
    # The pendulum of length one from the horizontal, by its angle.
    angle = mbsbench.Ode("angle", lambda t, y: [y[1], -10 * np.sin(y[0])], [np.pi / 2, 0.0])
    exact = mbsbench.solve(angle, 0.5, method="dop853", tolerance=1e-12).y[-1][0]
    to_tolerance = method in ("dopri5", "radau5")
    control = {"tolerance": 1e-8} if to_tolerance else {"step": 1e-3}
    solution = mbsbench.solve(bead(jacobian), 0.5, method=method, **control)
    assert solution.success, solution.message
    x, y = solution.y[-1][:2]
    assert abs(np.arctan2(x, -y) - exact) < (1e-5 if to_tolerance and jacobian else 1e-4)


def test_observables_have_energy_and_constraint() -> None:
    m = mbsbench.model(bead(True))
    seen = m.observe(0.0, m.initial())
    assert seen["energy"] == 0.0 and seen["constraint"] == 0.0 and seen["q0"] == 1.0
    a, multipliers = mbsbench.accelerations(m, 0.0, [1.0, 0.0], [0.0, 0.0])
    assert np.allclose(a, [0.0, -10.0]) and np.allclose(multipliers, [0.0])


def test_an_own_model_stands_in_experiments_beside_built_in_ones() -> None:
    results = mbsbench.run(
        {
            "id": "mine/own",
            "title": "Own",
            "model": oscillator(),
            "span": [0, 1],
            "method": ["rk4", "gbs"],
            "step": ["2^-4", "2^-5"],
            "measures": ["rhs_evaluations"],
        },
        progress=False,
    )
    assert (results.runs["status"] == "ok").all()


def test_a_mistake_in_a_function_is_a_failure_with_its_traceback() -> None:
    wrong = mbsbench.Ode("wrong", lambda t, y: [1 / 0], [1.0])
    solution = mbsbench.solve(wrong, 1.0, method="rk4", step=0.1)
    assert solution.status == "solver-failed" and "division by zero" in solution.message
    short = mbsbench.Ode("short", lambda t, y: [1.0], [1.0, 2.0])
    message = mbsbench.solve(short, 1.0, method="rk4", step=0.1).message
    assert "`rhs` returned shape (1,); accepted: real numbers, shape (2,)" in message


def test_a_span_may_run_backwards() -> None:
    there = mbsbench.solve(bead(True), 0.5, method="dop853-projected", tolerance=1e-10)
    for method, control in [("radau5", {"tolerance": 1e-10}), ("hem4", {"step": 1e-3})]:
        back = mbsbench.solve(bead(True), (0.5, 0.0), method, at=[0.5, 0.2, 0.0], start=there.y[-1], **control)
        assert back.success, back.message
        assert np.allclose(back.y[-1], [1, 0, 0, 0], atol=1e-6)
        assert back.t.tolist() == [0.5, 0.2, 0.0]
    with pytest.raises(mbsbench.InputError, match="decreasing times"):
        mbsbench.solve(bead(True), (0.5, 0.0), tolerance=1e-6, at=[0.2, 0.5])


def test_jumps_are_warned_about_unless_they_are_break_points() -> None:
    pulse = mbsbench.Ode("pulse", lambda t, y: [1.0 if 1 <= t < 2 else 0.0], [0.0])
    for method in ["ode15s", "ode45", "ode23s", "dopri5"]:
        warned = mbsbench.solve(pulse, 100.0, method, tolerance=1e-6)
        assert warned.success and "`breaks`" in warned.message and "`max_step`" in warned.message
        exact = mbsbench.solve(pulse, 100.0, method, tolerance=1e-6, breaks=[1, 2])
        assert exact.message == "" and abs(exact.y[-1][0] - 1) < 1e-9


def test_chattering_ends_within_seconds() -> None:
    def rhs(t, y):
        return [-2 if y[0] > y[1] else 2, -3 if y[1] > y[0] else 1.5]

    solution = mbsbench.solve(mbsbench.Ode("sliding", rhs, [1.5, 1.0]), 1.0, method="ode15s", tolerance=1e-3)
    assert solution.status == "chattering" and abs(solution.t_reached - 1 / 7) < 1e-3


def pendulum(**further) -> mbsbench.Mechanics:
    mass, forces = lambda q: np.diag([2.0, 2.0]), lambda t, q, v: [0.0, -20.0]
    constraints = lambda t, q: [q @ q - 1.0]
    return mbsbench.Mechanics("rod", mass, forces, [1.0, 0.0], constraints=constraints, **further)


def test_shake_needs_a_constant_mass_and_forces_without_velocities() -> None:
    refused = mbsbench.solve(pendulum(), 0.5, method="shake", step=1e-3)
    assert refused.status == "not-applicable" and "constant mass" in refused.message
    solved = mbsbench.solve(pendulum(constant_mass=True, velocity_forces=False), 0.5, method="shake", step=1e-3)
    rattle = mbsbench.solve(pendulum(), 0.5, method="rattle", step=1e-3)
    assert solved.success and np.allclose(solved.y[-1], rattle.y[-1], atol=1e-4)
    with pytest.raises(mbsbench.InputError, match="`mass` is not constant"):
        wrong = mbsbench.Mechanics("w", lambda q: [[2 + q[0]]], lambda t, q, v: [0.0], [1.0], constant_mass=True)
        mbsbench.solve(wrong, 0.1, step=0.01)
    with pytest.raises(mbsbench.InputError, match="`velocity_forces` is False"):
        wrong = mbsbench.Mechanics("w", lambda q: [[2.0]], lambda t, q, v: -v, [1.0], velocity_forces=False)
        mbsbench.solve(wrong, 0.1, step=0.01)
