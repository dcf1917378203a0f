"""Models as functions."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import mbsbench

NAMES = sorted(mbsbench.models())


def made(name: str) -> mbsbench.Model | None:
    """Returns a model with its defaults, or None if it needs a file."""
    try:
        return mbsbench.model(name)
    except mbsbench.InputError:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_every_model_has_a_start_where_its_rhs_is_finite_and_its_jacobian_is_that_of_differences(name: str) -> None:
    m = made(name)
    if m is None or not m.has_rhs or m.mass_matrix() is not None:
        pytest.skip("given in another form")
    y = m.initial()
    assert y.shape == (m.dimension,) and len(m.classes) == m.dimension
    f = m.rhs(0.0, y)
    assert np.isfinite(f).all()
    assert np.array_equal(m.rhs(0.0, y.tolist()), f), "lists do as well, and evaluations leave nothing behind"
    if not m.has_jacobian or m.dimension > 200:
        return
    jacobian = m.jacobian(0.0, y)
    direction = np.random.default_rng(1).standard_normal(m.dimension) * np.where(y == 0, 1e-6, np.abs(y))
    found = jacobian @ direction
    best = np.inf
    for h in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        by_difference = (m.rhs(0.0, y + h * direction) - m.rhs(0.0, y - h * direction)) / (2 * h)
        scale = np.abs(jacobian) @ np.abs(direction) + np.abs(f) + 1e-12
        best = min(best, float(np.max(np.abs(by_difference - found) / scale)))
    assert best < 1e-5


@settings(max_examples=50, deadline=None)
@given(st.floats(-3, 3), st.floats(-10, 10))
def test_the_pendulum_is_that_of_its_formula(theta: float, omega: float) -> None:
    m = mbsbench.model("pendulum")
    expected = [omega, -1.5 * 9.81 * np.sin(theta)]
    assert np.allclose(m.rhs(0.0, np.array([theta, omega])), expected, rtol=1e-14, atol=1e-14)


def test_a_mechanical_system_satisfies_its_equations() -> None:
    m = mbsbench.model("squeezer")
    assert m.form == "mechanics" and (m.coordinates, m.velocities, m.constraint_count) == (7, 7, 6)
    y = m.initial()
    q, v = y[:7], y[7:]
    a, multipliers = mbsbench.accelerations(m, 0.0, q, v)
    assert np.allclose(m.rhs(0.0, y), np.concatenate([v, a]), rtol=1e-9)
    residual = m.mass(q) @ a - m.forces(0.0, q, v) - m.constraint_jacobian(0.0, q).T @ multipliers
    assert np.abs(residual).max() < 1e-9 * np.abs(m.forces(0.0, q, v)).max()
    assert np.abs(m.constraints(0.0, q)).max() < 1e-12


def test_parameters_have_values_units_and_ranges() -> None:
    m = mbsbench.model("pendulum", length=2.0, formulation={"sliding-mode": {"sigma": 5.0}})
    parameters = m.parameters
    assert parameters["length"].value == 2.0 and parameters["length"].unit == "m"
    assert parameters["length"].minimum == 0 and parameters["length"].exclusive
    assert parameters["formulation.sliding-mode.sigma"].value == 5.0
    assert parameters["angle"].unit == "deg" and parameters["formulation.sliding-mode.sigma"].unit == "1/s"
    assert mbsbench.model("slider-crank").parameters["crank-angle"].unit == "rad"
    assert "minimal" in mbsbench.model("pendulum").parameters["formulation"].choices
    assert {name: unit for name, unit, _ in m.observables}["energy"] == "J"


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [("pendulun", {}, "pendulum"), ("pendulum", {"long": 1}, "unknown"), ("pendulum", {"mass": -1}, "above zero")],
)
def test_what_cannot_be_made_is_refused_with_what_would_be(name: str, parameters: dict, said: str) -> None:
    with pytest.raises(mbsbench.InputError, match=said):
        mbsbench.model(name, **parameters)


def test_wrong_arrays_are_told() -> None:
    m = mbsbench.model("pendulum")
    with pytest.raises(ValueError, match="`y` has 3 components; accepted: 2"):
        m.rhs(0.0, np.zeros(3))
    with pytest.raises(ValueError, match="`out` has 1 components"):
        m.rhs(0.0, np.zeros(2), out=np.zeros(1))
    out = np.zeros(2)
    assert m.rhs(0.0, [0.1, 0.0], out=out) is out and out[1] < 0
    # What does not lie one after the other in memory is copied.
    assert np.array_equal(m.rhs(0.0, np.array([0.1, 9.0, 0.0, 9.0])[::2]), out)


@pytest.mark.parametrize("name", NAMES)
def test_right_hand_sides_are_bitwise_those_of_the_program(name: str) -> None:
    """A step of Euler's formula, computed in Rust, is y + h f(t, y)."""
    m = made(name)
    if m is None or not m.has_rhs or m.mass_matrix() is not None or m.form == "events":
        pytest.skip("given in another form")
    h = 2.0**-30
    euler = mbsbench.Coefficients.runge_kutta("euler", [[]], [1])
    solution = mbsbench.solve(m, h, method=euler, step=h)
    if solution.status == "not-applicable" or not np.array_equal(solution.t, [0.0, h]):
        pytest.skip(solution.message)
    expected = m.initial() + h * m.rhs(0.0, m.initial())
    if solution.statistics["projections"]:
        # It is moved onto surfaces after the step, as far as h² and rounding.
        assert np.allclose(solution.y[-1], expected, rtol=1e-12, atol=1e-15)
    else:
        assert np.array_equal(solution.y[-1], expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_bitwise_the_problem_that_a_step_is_given(name: str) -> None:
    """The same holds for models with events or contacts."""
    m = made(name)
    if m is None or not m.has_rhs or m.mass_matrix() is not None:
        pytest.skip("given in another form")
    same = []

    class Probe:
        name, order = "probe", 1

        def step(self, problem, t, y, h):
            same.append(np.array_equal(problem.rhs(t, y), m.rhs(t, y)))
            return y

    solution = mbsbench.solve(m, 1e-9, method=Probe, step=1e-9, events="ignored")
    assert same and all(same), solution.message


def test_a_method_that_does_not_locate_events_refuses_a_model_that_jumps() -> None:
    refused = mbsbench.solve("thermostat", 1.0, method="rk4", step=0.1)
    assert refused.status == "not-applicable" and "jumps" in refused.message
    assert mbsbench.solve("thermostat", 1.0, method="rk4", step=0.1, events="ignored").success
    with pytest.raises(mbsbench.InputError, match="located"):
        mbsbench.solve("thermostat", 1.0, method="rk4", step=0.1, events="forgotten")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "end", "first"),
    [("pendulum", 2.0, 0.3), ("squeezer", 0.03, 2e-3), ("slider-crank", 0.5, 0.02)],
)
def test_scipy_takes_a_model_as_it_is_and_the_same_steps(name: str, end: float, first: float) -> None:
    """The first step is chosen so that no growth limit acts: in SciPy a step grows by at most ten, in DOP853 by six.

    Sums are formed in another order. For the squeezer, with rates of 1e6 and steps of 1e-3, rounding changes error
    estimates by 1e-13, that is 1e-7 of the tolerance, and therefore steps by 1e-8.
    """
    m = mbsbench.model(name)
    theirs = solve_ivp(m.rhs, (0.0, end), m.initial(), method="DOP853", rtol=1e-6, atol=1e-6, first_step=first)
    ours = mbsbench.solve(m, end, method="dop853", tolerance=1e-6, first_step=first)
    assert theirs.success and ours.success
    assert np.allclose(theirs.t, ours.t, rtol=1e-8, atol=0.0)
    at = mbsbench.solve(m, end, method="dop853", tolerance=1e-6, first_step=first, at=theirs.t).y
    assert np.allclose(theirs.y.T, at, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("name", "end"), [("pendulum", 2.0), ("squeezer", 0.03), ("slider-crank", 0.5)])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10])
def test_scipy_needs_as_many_evaluations(name: str, end: float, tolerance: float) -> None:
    """The same holds if growth limits act, because the first step is much too small."""
    m = mbsbench.model(name)
    first = 1e-5 * end
    theirs = solve_ivp(
        m.rhs, (0.0, end), m.initial(), method="DOP853", rtol=tolerance, atol=tolerance, first_step=first
    )
    ours = mbsbench.solve(m, end, method="dop853", tolerance=tolerance, first_step=first)
    assert abs(theirs.nfev - ours.statistics["rhs_evaluations"]) <= 0.1 * theirs.nfev


def test_other_threads_may_evaluate_too() -> None:
    from concurrent.futures import ThreadPoolExecutor

    m = mbsbench.model("rod-chain", rods=40)
    y = m.initial()
    expected = m.rhs(0.0, y)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: m.rhs(0.0, y), range(32)):
            assert np.array_equal(found, expected)


def test_event_functions_are_there_where_a_model_has_them() -> None:
    assert mbsbench.model("pendulum").event_functions(0.0, mbsbench.model("pendulum").initial()) is None
    m = mbsbench.model("bouncing-pair") if "bouncing-pair" in NAMES else mbsbench.model("two-bouncing-balls")
    values = m.event_functions(0.0, m.initial())
    assert values is not None and np.isfinite(values).all()


ROD = {
    "gravity": [0, -9.81],
    "bodies": {"rod": {"mass": 2, "shape": {"rod": {"length": 1}}, "markers": {"top": [-0.5, 0]}}},
    "joints": {"hinge": {"revolute": {"between": ["ground", "rod.top"], "angle": 0.5}}},
}

URDF = """<robot name="rod">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1666666666666667" iyy="0.1666666666666667" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def test_a_mechanism_can_be_a_dict_or_a_file(tmp_path: Path) -> None:
    """The angular acceleration of a rod on a hinge is -(3/2) g/L sin of its angle from the vertical."""
    m = mbsbench.model(ROD, formulation="minimal")
    angle, _ = m.initial()
    assert angle == 0.5 and m.form == "mechanics" and m.mass([0.3])[0, 0] == pytest.approx(2 / 3, rel=1e-14)
    # The rod points along x at angle zero.
    assert m.rhs(0.0, [angle, 0.0])[1] == pytest.approx(-1.5 * 9.81 * np.cos(0.5), rel=1e-13)
    file = tmp_path / "rod.yaml"
    file.write_text(json.dumps(ROD))
    for given in (file, str(file), {"mechanism": ROD}):
        same = mbsbench.model(given, formulation="minimal", joints={"hinge": {"revolute": {"angle": 0.2}}})
        assert np.array_equal(same.initial(), [0.2, 0.0]), given


def test_a_robot_is_a_file_with_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rod.urdf").write_text(URDF)
    monkeypatch.chdir(tmp_path)
    m = mbsbench.model("rod.urdf", joints={"hinge": {"revolute": {"angle": 0.4}}})
    assert m.initial().tolist() == [0.4, 0.0]
    assert m.rhs(0.0, m.initial())[1] == pytest.approx(-1.5 * 9.81 * np.sin(0.4), rel=1e-9)
    solution = mbsbench.solve("rod.urdf", 1.0, method="dop853", tolerance=1e-8)
    assert solution.success and np.abs(solution.y).max() < 1e-12, "it hangs"


def test_equations_can_be_a_dict_or_a_file(tmp_path: Path) -> None:
    decay = {"parameters": {"k": 2}, "states": {"x": 1, "z": 0.5}, "rates": {"x": "-k*x", "z": "x"}}
    file = tmp_path / "decay.yml"
    file.write_text(json.dumps(decay))
    for given in (decay, file):
        m = mbsbench.model(given, parameters={"k": 3})
        assert m.initial().tolist() == [1.0, 0.5] and m.rhs(0.0, [2.0, 0.0]).tolist() == [-6.0, 2.0]
        assert m.jacobian(0.0, [2.0, 0.0]).tolist() == [[-3.0, 0.0], [1.0, 0.0]]


def test_mistakes_in_files_and_dicts_have_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "arm.yaml"
    file.write_text("gravity: [0, -9.81]\nbodies:\n  rod: { mess: 2 }\n")
    with pytest.raises(mbsbench.InputError, match=r"arm\.yaml:3:\d+.*unknown"):
        mbsbench.model(file)
    (tmp_path / "arm.urdf").write_text("<robot>\n  <link/>\n</robot>")
    with pytest.raises(mbsbench.InputError, match=r"arm\.urdf:[12]:\d+"):
        mbsbench.model(tmp_path / "arm.urdf")
    with pytest.raises(mbsbench.InputError, match=r"model:\d+:\d+.*unknown"):
        mbsbench.model({**ROD, "bodys": {}})
    (tmp_path / "run.yaml").write_text("id: mine/run\nmodel: pendulum\n")
    with pytest.raises(mbsbench.InputError, match="is an experiment; accepted"):
        mbsbench.model(tmp_path / "run.yaml")
    with pytest.raises(FileNotFoundError):
        mbsbench.model("missing.urdf")


def test_the_package_is_none_of_the_programs_business(project: Path) -> None:
    """Nothing else in the workspace depends on this crate."""
    tree = subprocess.run(
        ["cargo", "tree", "--offline", "--workspace", "--invert", "mbsbench-python", "--depth", "1"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert tree.count("mbsbench-") == 1, tree
