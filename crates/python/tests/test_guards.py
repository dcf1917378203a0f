"""Python models and methods with mistakes are refused, and the mistakes are reported."""

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest

import mbsbench


def bead(**other: Any) -> mbsbench.Mechanics:
    """A point of unit mass on a circle of radius one in the plane."""
    usual: dict[str, Any] = {
        "mass": lambda q: np.eye(2),
        "forces": lambda t, q, v: [0.0, -9.81],
        "q": [1.0, 0.0],
        "constraints": lambda t, q: [0.5 * (q @ q - 1.0)],
        "jacobian": lambda t, q: [q],
    }
    return mbsbench.Mechanics("guarded-bead", **(usual | other))


def experiment(model: Any, method: Any = "rk4", **other: Any) -> dict[str, Any]:
    usual = {"id": "mine/guarded", "title": "Guarded", "model": model, "span": [0, 0.3], "method": method}
    return usual | {"step": 0.001, "measures": ["steps_accepted"]} | other


CONTROLS = [(name, {"step": 1e-3}) for name in ("rk4", "hht-i3", "hem4")] + [("radau5", {"tolerance": 1e-8})]

REFUSED = {
    "positions off the circle": (
        {"q": [1.5, 0.0]},
        r"row 0 of `constraints` is 6.25e-1; accepted: a magnitude of at most 2.*e-8.*nearest.*\[1",
    ),
    "velocity along the normal": (
        {"v": [5.0, 0.0]},
        r"row 0 of ∂Φ/∂q v \+ ∂Φ/∂t is 5e0; accepted: a magnitude of at most 5.*e-8.*nearest",
    ),
    "velocity of a moving constraint": (
        {"constraints": lambda t, q: [0.5 * (q @ q - (1 + t) ** 2)]},
        "∂Φ/∂t is -(1e0|9.99|1.00)",
    ),
    "wrong Jacobian that is right at the start": (
        {"jacobian": lambda t, q: [[1.0, 0.0]]},
        "`jacobian` is not ∂Φ/∂q at .*differences give",
    ),
    "Jacobian of another sign": (
        {"jacobian": lambda t, q: [-q]},
        r"row 0, column 0 is -1e0, and differences give (1e0|9.99|1.00)",
    ),
    "negative mass": ({"mass": lambda q: -np.eye(2)}, "the kinetic energy ½ vᵀ M v = -5"),
    "negative mass along the circle": (
        {"mass": lambda q: np.diag([1.0, -2.0])},
        "v = -1.000e0 for .*, which the constraints allow",
    ),
    "mass that is not symmetric": (
        {"mass": lambda q: [[2.0, 0.1], [0.0, 2.0]]},
        "row 1, column 0 is 0e0, and row 0, column 1 is 1e-1",
    ),
    "mass that is symmetric at the start only": ({"mass": lambda q: [[2.0, q[1]], [0.0, 2.0]]}, "is not symmetric"),
    "mass that is not a number": (
        {"mass": lambda q: np.full((2, 2), np.nan)},
        "`mass` returned nan in row 0, column 0 at t = 0",
    ),
    "forces that are infinite": (
        {"forces": lambda t, q, v: [0.0, -np.inf]},
        "`forces` returned -inf in component 1 at t = 0",
    ),
    "energy that is not a number": ({"energy": lambda t, y: np.nan}, "`energy` returned nan"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_system_is_refused_before_the_first_step(what: str) -> None:
    other, said = REFUSED[what]
    for method, control in CONTROLS:
        with pytest.raises(mbsbench.InputError, match=said) as raised:
            mbsbench.solve(bead(**other), 0.3, method=method, **control)
        assert "guarded-bead" in str(raised.value)
    with pytest.raises(mbsbench.InputError, match=said):
        mbsbench.run(experiment(bead(**other)), progress=False)


@pytest.mark.parametrize(("q", "v"), [([2.0, 0.0], [0.0, 0.0]), ([1.0, 0.0], [1.0, 0.0])])
@pytest.mark.parametrize("method", ["dop853", "hem4", "generalized-alpha", "radau5"])
def test_no_method_starts_off_the_constraints(method: str, q: list[float], v: list[float]) -> None:
    control = {"step": 1e-3} if method in ("hem4", "generalized-alpha") else {"tolerance": 1e-8}
    for jacobian in (lambda t, q: [q], None):
        with pytest.raises(mbsbench.InputError, match="nearest"):
            mbsbench.solve(bead(q=q, v=v, jacobian=jacobian), 1.0, method=method, **control)


@pytest.mark.parametrize("method", ["mebdf", "ode15s", "radau5", "dop853"])
@pytest.mark.parametrize("span", [1e-4, 1.0])
def test_no_right_hand_side_is_evaluated_after_the_span(method: str, span: float) -> None:
    times = []

    def rhs(t: float, y: Any) -> Any:
        times.append(t)
        return 2 * y

    solution = mbsbench.solve(mbsbench.Ode("span", rhs, [1.0]), span, method=method, tolerance=1e-6)
    assert max(times) <= span and min(times) >= 0.0
    assert solution.y[-1][0] == pytest.approx(np.exp(2 * span), rel=1e-3)


def test_the_start_of_a_call_is_checked_at_its_own_time() -> None:
    moving = bead(
        constraints=lambda t, q: [0.5 * (q @ q - (1 + t) ** 2)],
        jacobian=None,
        q=[2.0, 0.0],
        v=[1.0, 0.0],
    )
    assert mbsbench.solve(moving, (1.0, 1.1), method="hht-i3", step=1e-3).success
    with pytest.raises(mbsbench.InputError, match="initial positions"):
        mbsbench.solve(moving, 0.1, method="hht-i3", step=1e-3)
    with pytest.raises(mbsbench.InputError, match="initial positions"):
        mbsbench.solve(bead(), 0.1, method="rk4", step=1e-3, start=[0.0, 2.0, 0.0, 0.0])
    assert mbsbench.solve(bead(), 0.1, method="rk4", step=1e-3, start=[0.0, -1.0, 0.0, 0.0]).success


def test_a_file_that_names_a_refused_model_does_not_run_it(tmp_path: Any) -> None:
    bead(q=[1.5, 0.0]).register()
    file = tmp_path / "own.yaml"
    file.write_text(
        "id: mine/own\ntitle: Own\nmodel: guarded-bead\nspan: [0, 1]\n"
        "method: hht-i3\nstep: 0.01\nmeasures: [steps_accepted]\n"
    )
    mbsbench.command("run", file, "--out", tmp_path / "results", "--cache", tmp_path / "store", accept=(0, 1))
    runs = (tmp_path / "results" / "mine" / "own" / "runs.csv").read_text()
    assert "not-applicable" in runs and "initial positions" in runs


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"jacobian": None},
        # Right on the circle only, which is enough.
        {"constraints": lambda t, q: [np.hypot(*q) - 1.0], "jacobian": lambda t, q: [q]},
        # A mass that the constraint excludes may be anything.
        {"mass": lambda q: np.diag([0.0, 1.0])},
        # Lengths of a micrometre, in constraints of any unit.
        {
            "q": [1e-6, 0.0],
            "forces": lambda t, q, v: [0.0, 0.0],
            "constraints": lambda t, q: [0.5e12 * (q @ q - 1e-12)],
            "jacobian": lambda t, q: [1e12 * q],
        },
        {"q": [0.6, -0.8], "v": [8.0, 6.0]},
        {
            "q": [np.sqrt(0.5), np.sqrt(0.5)],
            "mass": lambda q: 1e-9 * np.eye(2),
            "forces": lambda t, q, v: [0.0, -9.81e-9],
        },
    ],
)
def test_a_right_system_is_accepted(other: dict[str, Any]) -> None:
    assert mbsbench.solve(bead(**other), 0.01, method="hht-i3", step=1e-3).success


def robertson(t: float, y: Any) -> list[float]:
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [b - a, a - b - c, c]


def robertson_jacobian(t: float, y: Any) -> list[list[float]]:
    by = [1e4 * y[2], 1e4 * y[1], 6e7 * y[1]]
    return [[-0.04, by[0], by[1]], [0.04, -by[0] - by[2], -by[1]], [0, by[2], 0]]


def test_a_kink_is_not_a_wrong_jacobian() -> None:
    dry = mbsbench.Ode(
        "dry",
        lambda t, y: [y[1], -np.sign(y[1]) - abs(y[0])],
        [0.0, 0.0],
        jacobian=lambda t, y: [[0, 1], [-np.sign(y[0]), 0]],
    )
    assert mbsbench.solve(dry, 0.1, method="rk4", step=0.01).success
    stiff = mbsbench.Ode("robertson", robertson, [1.0, 0.0, 0.0], jacobian=robertson_jacobian)
    assert mbsbench.solve(stiff, 100.0, method="radau5", tolerance=1e-8).success
    wrong = mbsbench.Ode(
        "wrong-jacobian", lambda t, y: [y[1], -4 * y[0]], [1.0, 0.0], jacobian=lambda t, y: [[0, 1], [4, 0]]
    )
    with pytest.raises(mbsbench.InputError, match="row 1, column 0 is 4e0, and differences give -(4e0|4.00|3.99)"):
        mbsbench.solve(wrong, 0.1, method="radau5", tolerance=1e-6)


def test_a_mass_that_is_singular_on_purpose_is_left_to_the_methods() -> None:
    massless = bead(mass=lambda q: np.diag([1.0, 0.0]), constraints=None, jacobian=None)
    assert mbsbench.solve(massless, 0.1, method="rk4", step=0.01).status == "singular-matrix"


class Failing:
    """A function that raises an exception after some calls, and counts them."""

    def __init__(self, function: Any, after: int) -> None:
        self.function, self.after, self.calls = function, after, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls > self.after:
            raise ZeroDivisionError("on purpose")
        return self.function(*arguments)


@pytest.mark.parametrize("name", ["mass", "forces", "constraints", "jacobian"])
@pytest.mark.parametrize(("method", "control"), CONTROLS)
def test_an_exception_is_the_failure_of_the_run_and_is_reported_once(
    name: str, method: str, control: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    functions = {
        "mass": lambda q: np.eye(2),
        "forces": lambda t, q, v: [0.0, -9.81],
        "constraints": lambda t, q: [0.5 * (q @ q - 1.0)],
        "jacobian": lambda t, q: [q],
    }
    failing = Failing(functions[name], 150)
    solution = mbsbench.solve(bead(**{name: failing}), 0.3, method=method, **control)
    assert solution.status == "solver-failed", solution.message
    assert all(word in solution.message for word in ("ZeroDivisionError", "on purpose", "test_guards.py"))
    # The watch for jumps in time ignores exceptions in evaluations of its own, and the run meets them at its next one.
    assert failing.calls <= 152, "it is not called again"
    assert not capfd.readouterr().err

    failing = Failing(functions[name], 150)
    runs = mbsbench.run(experiment(bead(**{name: failing})), progress=False).runs
    assert runs["status"][0] == "solver-failed" and "on purpose" in runs["message"][0]


def test_an_exception_in_the_energy_is_the_failure_of_the_run() -> None:
    failing = Failing(lambda t, y: 0.0, 20)
    measures = [{"final": {"of": "energy"}}]
    runs = mbsbench.run(experiment(bead(energy=failing), measures=measures), progress=False).runs
    assert runs["status"][0] == "solver-failed" and "on purpose" in runs["message"][0]
    model = mbsbench.model(bead(energy=Failing(lambda t, y: 0.0, 0)))
    with pytest.raises(mbsbench.ProblemError, match="on purpose"):
        model.observe(0.0, model.initial())


def test_an_exception_of_a_model_reaches_the_caller() -> None:
    model = mbsbench.model(bead(mass=Failing(lambda q: np.eye(2), 0)))
    for _ in range(2):
        with pytest.raises(mbsbench.ProblemError, match="on purpose"):
            model.mass([1.0, 0.0])
    assert model.constraints(0.0, [1.0, 0.0]) == [0.0]


def test_a_number_that_is_not_finite_is_reported_with_its_function() -> None:
    root = mbsbench.Ode("root", lambda t, y: [np.sqrt(0.5 - t) if t < 0.5 else np.nan], [0.0])
    for method, control in [("rk4", {"step": 0.01}), ("dopri5", {"tolerance": 1e-6}), ("radau5", {"tolerance": 1e-6})]:
        solution = mbsbench.solve(root, 1.0, method=method, **control)
        assert solution.status == "non-finite", solution.message
        assert "`rhs` returned nan in component 0 at t = 0.5" in solution.message
    with pytest.raises(mbsbench.InputError, match="`rhs` returned inf in component 0 at t = 0"):
        mbsbench.solve(mbsbench.Ode("infinite", lambda t, y: [np.inf], [0.0]), 1.0, method="rk4", step=0.1)
    with pytest.raises(mbsbench.InputError, match="the initial state has inf in component 0"):
        mbsbench.solve(mbsbench.Ode("infinite", lambda t, y: y, [np.inf]), 1.0, method="rk4", step=0.1)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (lambda y: y[:1], r"`rhs` returned shape \(1,\); accepted: real numbers, shape \(2,\)"),
        (lambda y: [y], r"`rhs` returned shape \(1, 2\); accepted: real numbers, shape \(2,\)"),
        (lambda y: 1.0, r"`rhs` returned shape \(\); accepted"),
        (lambda y: "text", "`rhs` returned str; accepted"),
        (lambda y: None, "`rhs` returned NoneType; accepted"),
        (lambda y: [[1.0], [1.0, 2.0]], "`rhs` returned list; accepted"),
        (
            lambda y: y * (1 + 0j),
            r"`rhs` returned complex numbers \(complex128, shape \(2,\)\); accepted: real numbers",
        ),
        (lambda y: [1.0, 2j], "`rhs` returned complex numbers"),
        (lambda y: list(y * 1j), "`rhs` returned complex numbers"),
    ],
)
def test_a_result_of_another_shape_or_type_is_reported_with_both(returned: Any, said: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shaped = mbsbench.Ode("shaped", lambda t, y: returned(y), [1.0, 2.0])
        solution = mbsbench.solve(shaped, 1.0, method="rk4", step=0.1)
    assert solution.status == "solver-failed"
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(solution.message)


def test_numbers_of_any_real_type_are_accepted() -> None:
    from fractions import Fraction

    arrays = [np.array([1], dtype=kind) for kind in (np.int8, np.float32)]
    for rate in ([1], (1.0,), *arrays, [np.float64(1)], [Fraction(1)], [True]):
        ones = mbsbench.Ode("ones", lambda t, y, rate=rate: rate, [0.0])
        solution = mbsbench.solve(ones, 1.0, method="rk4", step=0.5)
        assert solution.success and abs(solution.y[-1][0] - 1.0) < 1e-14, rate


def test_complex_numbers_are_refused_everywhere() -> None:
    one = np.array([1.0 + 0j, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "complex" in mbsbench.solve(bead(mass=lambda q: 1j * np.eye(2)), 0.1, method="hht-i3", step=0.01).message
        assert "complex" in mbsbench.solve(bead(jacobian=lambda t, q: [q * 1j]), 0.1, method="rk4", step=0.01).message
        complex_energy = bead(energy=lambda t, y: np.complex128(1j))
        assert "complex" in mbsbench.solve(complex_energy, 0.1, method="rk4", step=0.01).message
        for call in (
            lambda: bead(q=one),
            lambda: mbsbench.Ode("o", lambda t, y: y, one),
            lambda: mbsbench.solve("pendulum", 1.0, method="rk4", step=0.1, start=one),
        ):
            with pytest.raises(mbsbench.InputError, match="complex128"):
                call()
        with pytest.raises(TypeError, match="complex128.*accepted: a vector of real numbers"):
            mbsbench.model("pendulum").rhs(0.0, one)


def test_memory_of_another_type_is_refused_by_name() -> None:
    m = mbsbench.model("pendulum")
    for out, said in [
        (
            np.zeros(2, dtype=np.float32),
            r"`out` has dtype float32 and shape \(2,\); accepted: an array of dtype float64 with shape \(2,\)",
        ),
        (np.zeros((1, 2)), r"`out` has dtype float64 and shape \(1, 2\)"),
        ([0.0, 0.0], "`out` is of type list"),
    ]:
        with pytest.raises(TypeError, match=said):
            m.rhs(0.0, [0.1, 0.0], out=out)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not contiguous"):
        m.rhs(0.0, [0.1, 0.0], out=np.zeros(4)[::2])


class Complex:
    name, order = "complex", 1

    def step(self, problem, t, y, h):
        return y + h * problem.rhs(t, y) * (1 + 0.5j)


class PairWithoutOrder:
    name, order = "pair-without-order", 1

    def step(self, problem, t, y, h):
        return y + h * problem.rhs(t, y), h * y


class ComplexEstimate:
    name, order, error_order = "complex-estimate", 1, 2

    def step(self, problem, t, y, h):
        return y + h * problem.rhs(t, y), 1j * y


class AcceptedRaises:
    name, order, remembers = "accepted-raises", 1, True

    def step(self, problem, t, y, h):
        return y + h * problem.rhs(t, y)

    def accepted(self):
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Complex, "`step` returned complex numbers (complex128, shape (2,)); accepted: real numbers, shape (2,)"),
        (PairWithoutOrder, "has no `error_order`"),
        (ComplexEstimate, "the estimate of `step` returned complex numbers"),
        (AcceptedRaises, "on purpose"),
    ],
)
def test_unusable_results_of_a_step_are_refused(method: type, said: str) -> None:
    control = {"tolerance": 1e-3} if method is ComplexEstimate else {"step": 0.1}
    for end in (0.1, 1.0):
        solution = mbsbench.solve("pendulum", end, method=method, **control)
        assert solution.status == "solver-failed" and said in solution.message, solution.message


def test_an_exception_of_a_model_ends_the_step_that_asked() -> None:
    asked = []

    class Asks:
        name, order, needs = "asks", 1, "mechanics"

        def step(self, problem, t, y, h):
            with contextlib.suppress(ValueError):
                problem.mass(y[:2])
                asked.append(t)
            return y

    solution = mbsbench.solve(bead(mass=Failing(lambda q: np.eye(2), 10)), 1.0, method=Asks, step=0.01)
    assert solution.status == "solver-failed" and "on purpose" in solution.message
    assert len(asked) < 10


def test_an_inconsistent_start_is_assembled_on_request() -> None:
    model = mbsbench.model(bead(q=[2.0, 0.0], v=[1.0, 3.0], start="assembled"))
    assert np.allclose(model.initial(), [1.0, 0.0, 0.0, 3.0], atol=1e-10)
    # A heavy direction changes little: the nearest point of the circle in the metric diag(1, 100).
    heavy = mbsbench.model(bead(q=[1.1, 0.8], mass=lambda q: np.diag([1.0, 100.0]), start="assembled"))
    x, y = heavy.initial()[:2]
    assert abs(x * x + y * y - 1.0) < 1e-10 and abs(y - 0.8) < 0.01 < 1.1 - x
    # The velocity in the same metric: the change is along M⁻¹ Jᵀ.
    moving = mbsbench.model(bead(q=[0.6, 0.8], v=[1.0, 1.0], mass=lambda q: np.diag([1.0, 4.0]), start="assembled"))
    change = moving.initial()[2:] - 1.0
    assert np.allclose(change, -1.4 / (0.36 + 0.16) * np.array([0.6, 0.2]), atol=1e-9)
    solution = mbsbench.solve(bead(q=[2.0, 0.0], start="assembled"), 0.1, method="dop853", tolerance=1e-8)
    assert solution.success, solution.message
    with pytest.raises(mbsbench.InputError, match="no positions near the initial ones satisfy"):
        mbsbench.model(bead(constraints=lambda t, q: [q @ q + 1.0], jacobian=None, start="assembled"))
    with pytest.raises(mbsbench.InputError, match="`start` is 'nearest'; accepted"):
        bead(start="nearest")
