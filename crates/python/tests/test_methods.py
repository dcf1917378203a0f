"""Methods that are Python classes."""

import _thread
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import mbsbench
from formulas import GeneralizedAlpha, Heun, Rk4

COUNTERS = ["steps_accepted", "steps_rejected", "rhs_evaluations"]


def test_rk4_of_python_is_bitwise_the_registered_one() -> None:
    for name, end, step in [("pendulum", 1.0, 2.0**-8), ("squeezer", 0.01, 1e-5)]:
        mine = mbsbench.solve(name, end, method=Rk4, step=step)
        theirs = mbsbench.solve(name, end, method="rk4", step=step)
        assert mine.success and np.array_equal(mine.t, theirs.t)
        assert np.array_equal(mine.y, theirs.y)
        assert [mine.statistics[name] for name in COUNTERS] == [theirs.statistics[name] for name in COUNTERS]


def test_a_step_is_bitwise_that_of_the_same_coefficients() -> None:
    """In Heun's formula two terms are summed, so the order of summation does not matter."""
    heun = mbsbench.Coefficients.runge_kutta("heun-file", [[], [1]], ["1/2", "1/2"], embedded=[1, 0])
    mine = mbsbench.solve("pendulum", 1.0, method=PlainHeun, step=2.0**-7)
    theirs = mbsbench.solve("pendulum", 1.0, method=heun, step=2.0**-7)
    assert mine.success and theirs.success
    assert np.array_equal(mine.y, theirs.y)
    assert mine.statistics["rhs_evaluations"] == theirs.statistics["rhs_evaluations"] > 0


class PlainHeun:
    name, order, evaluations = "python-plain-heun", 2, 2

    def step(self, problem, t, y, h):
        k1 = problem.rhs(t, y)
        return y + h / 2 * (k1 + problem.rhs(t + h, y + h * k1))


def test_observers_see_states_inside_a_step_of_the_order_of_the_method() -> None:
    at = np.linspace(0.0, 1.0, 8)
    inside = mbsbench.solve("pendulum", 1.0, method=Rk4, step=2.0**-6, at=at)
    exact = mbsbench.solve("pendulum", 1.0, method="dop853", tolerance=1e-13, at=at)
    assert np.array_equal(inside.t, at)
    assert np.abs(inside.y - exact.y).max() < 1e-6


def test_an_estimate_controls_the_step() -> None:
    errors = []
    exact = mbsbench.solve("pendulum", 1.0, method="dop853", tolerance=1e-13).y[-1]
    for tolerance in [1e-3, 1e-5, 1e-7]:
        solution = mbsbench.solve("pendulum", 1.0, method=Heun, tolerance=tolerance)
        assert solution.success
        errors.append(np.abs(solution.y[-1] - exact).max())
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_generalized_alpha_agrees_with_the_registered_one() -> None:
    step = 1e-3
    spec = {"generalized-alpha": {"rho-inf": 0.8, "newton": {"tolerance": 1e-13}}}
    pendulum = mbsbench.model("pendulum", formulation="acceleration-level")
    mine = mbsbench.solve(pendulum, 0.1, method=GeneralizedAlpha, step=step)
    theirs = mbsbench.solve(pendulum, 0.1, method=spec, step=step)
    assert mine.success, mine.message
    assert theirs.success, theirs.message
    assert np.abs(mine.y[-1] - theirs.y[-1]).max() < 1e-12


class Raises:
    name, order = "raises", 1

    def step(self, problem, t, y, h):
        raise ZeroDivisionError("on purpose")


class WrongShape:
    name, order = "wrong-shape", 1

    def step(self, problem, t, y, h):
        return y[:-1]


class Text:
    name, order = "text", 1

    def step(self, problem, t, y, h):
        return "nonsense"


class NotANumber:
    name, order = "not-a-number", 1

    def step(self, problem, t, y, h):
        return y * np.nan


class Writes:
    name, order = "writes", 1

    def step(self, problem, t, y, h):
        y += h * problem.rhs(t, y)
        return y


class Endless:
    name, order = "endless", 1

    def step(self, problem, t, y, h):
        k = 0
        while True:
            k += 1
            problem.rhs(t, y + k * 1e-9)


class Keeps:
    """Stores the arguments and results of a step, and checks that they are unchanged."""

    name, order, remembers = "keeps", 1, True

    def __init__(self):
        self.kept = []

    def step(self, problem, t, y, h):
        f = problem.rhs(t, y)
        new = y + h * f
        for array, copy in self.kept:
            assert np.array_equal(array, copy)
        self.kept += [(array, array.copy()) for array in (y, f, new)]
        return new


@pytest.mark.parametrize(
    ("method", "status", "said"),
    [
        (Raises, "solver-failed", "on purpose"),
        (WrongShape, "solver-failed", "`step` returned shape (1,); accepted: real numbers, shape (2,)"),
        (Text, "solver-failed", "`step` returned str; accepted: real numbers"),
        (NotANumber, "non-finite", "not finite"),
        (Writes, "solver-failed", "read-only"),
        (Endless, "budget-exhausted", "rhs_evaluations"),
        (Keeps, "ok", ""),
    ],
)
def test_what_goes_wrong_in_a_step_is_a_failure_of_its_run(method: type, status: str, said: str) -> None:
    solution = mbsbench.solve("pendulum", 0.1, method=method, step=1e-2, max_evaluations=1000)
    assert solution.status == status, solution.message
    assert said in solution.message
    if status == "solver-failed" and method is Raises:
        assert "test_methods.py" in solution.message, "with its traceback"


def test_the_other_runs_finish(tmp_path: Path) -> None:
    results = mbsbench.run(
        {
            "id": "mine/nonsense",
            "title": "Some do not work",
            "model": "pendulum",
            "span": [0, 0.1],
            "method": [Raises, WrongShape, NotANumber, Endless, PlainHeun, "rk4"],
            "step": 0.01,
            "settings": {"max_rhs_evaluations": 2000},
            "measures": ["steps_accepted"],
        },
        progress=False,
    )
    status = dict(zip(results.runs["method"], results.runs["status"]))
    assert status == {
        "raises": "solver-failed",
        "wrong-shape": "solver-failed",
        "not-a-number": "non-finite",
        "endless": "budget-exhausted",
        "python-plain-heun": "ok",
        "rk4": "ok",
    }


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"name": "x"}, "order"),
        ({"order": 1}, "name"),
        ({"name": "rk4", "order": 4}, "already"),
        ({"name": "Bad Name", "order": 4}, "accepted"),
        ({"name": "x", "order": 0}, "1 or greater"),
        ({"name": "x", "order": 1, "needs": "luck"}, "mechanics"),
    ],
)
def test_a_class_that_is_no_method_is_told_why(attributes: dict, said: str) -> None:
    cls = type("Broken", (), attributes | {"step": lambda self, problem, t, y, h: y})
    with pytest.raises((TypeError, ValueError), match=said):
        mbsbench.register(cls)


def test_a_problem_is_good_for_its_step_only() -> None:
    kept = []

    class Thief:
        name, order = "thief", 1

        def step(self, problem, t, y, h):
            kept.append(problem)
            return y

    mbsbench.solve("pendulum", 0.1, method=Thief, step=0.1)
    with pytest.raises(RuntimeError, match="while `step` runs"):
        kept[0].rhs(0.0, [0.0, 0.0])


def test_results_of_the_project_do_not_take_classes_of_python(project: Path) -> None:
    with pytest.raises(mbsbench.InputError, match="choose another `out`"):
        mbsbench.run(
            {
                "id": "mine/no",
                "title": "No",
                "model": "pendulum",
                "span": [0, 0.1],
                "method": PlainHeun,
                "step": 0.1,
                "measures": ["steps_accepted"],
            },
            out=project / "results",
            progress=False,
        )


class Sleeps:
    name, order = "sleeps", 1

    def step(self, problem, t, y, h):
        while True:
            time.sleep(0.01)


def test_ctrl_c_ends_what_no_budget_can_and_keeps_what_is_finished(tmp_path: Path) -> None:
    experiment = {
        "id": "mine/endless",
        "title": "For ever",
        "model": "pendulum",
        "span": [0, 0.1],
        "method": ["rk4", Sleeps],
        "step": 0.01,
        "measures": ["steps_accepted"],
    }
    # A shell that puts the tests into its background has the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.5, _thread.interrupt_main)
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        mbsbench.run(experiment, progress=False, cache=tmp_path / "store")
    assert time.monotonic() - began < 10
    assert list((tmp_path / "store").rglob("*")), "the run of rk4 is kept"

    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mbsbench.solve("pendulum", 0.1, method=Sleeps, step=0.01)


def test_a_method_is_examined_and_analysed() -> None:
    said = mbsbench.examine(PlainHeun)
    assert "python-plain-heun" in said and "order" in said
    results = mbsbench.run(
        {
            "id": "mine/linear",
            "title": "Linear",
            "model": "pendulum",
            "span": [0, 1],
            "method": [PlainHeun, mbsbench.Coefficients.runge_kutta("h", [[], [1]], ["1/2", "1/2"])],
            "step": 0.5,
            "measures": ["linear_analysis"],
        },
        progress=False,
    )
    linear = results.runs.select_dtypes("number").drop(columns=["t_reached", "step"], errors="ignore")
    assert len(linear.columns)
    assert np.allclose(linear.iloc[0].astype(float), linear.iloc[1].astype(float), equal_nan=True)


def test_comparison_gives_ranks_and_figures() -> None:
    found = mbsbench.compare(PlainHeun, models=["pendulum"])
    assert set(found.table["model"]) and (found.table["result"] == "reached").any()
    assert found.figures and all(picture.svg.startswith("<") for picture in found.figures.values())
    assert "python-plain-heun" in found.summary
