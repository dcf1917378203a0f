"""Runs of Python methods and models are kept only while their dependencies are unchanged."""

import importlib
import logging
import random
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbsbench
from mbsbench._source import Unknown, digest

LOG = "mbsbench-tests"


def experiment(model: Any, method: Any) -> dict[str, Any]:
    usual = {"id": "mine/kept", "title": "Kept", "model": model, "span": [0, 1], "method": method, "step": 0.01}
    return usual | {"measures": [{"final": {"of": "theta" if model == "pendulum" else "y0"}}]}


def final(model: Any, method: Any, store: Path) -> float:
    runs = mbsbench.run(experiment(model, method), progress=False, cache=store).runs
    return float(runs[runs.columns[[str(name).startswith("final") for name in runs.columns]][0]][0])


def test_runs_are_kept_with_a_version_and_only_then(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Counting:
        name, order = "counting", 1
        version: str | None = None

        def step(self, problem, t, y, h):
            logging.getLogger("mbsbench-tests").warning("step")
            return y

    for version, expected in [(None, 200), ("1", 100), ("2", 100)]:
        caplog.clear()
        Counting.version = version
        found = [mbsbench.run(experiment("pendulum", Counting), progress=False, cache=tmp_path) for _ in range(2)]
        assert found[0].runs["run"][0] == found[1].runs["run"][0]
        assert len([record for record in caplog.records if record.name == LOG]) == expected, version


def modules(folder: Path, factor: str) -> ModuleType:
    """A class beside a module that it calls."""
    (folder / "kept_helper.py").write_text(f"def euler(p, t, y, h):\n    return y + {factor} * h * p.rhs(t, y)\n")
    (folder / "kept_method.py").write_text(
        "import kept_helper\n\n\nclass X:\n    name, order, version = 'kept-x', 1, '1'\n\n"
        "    def step(self, problem, t, y, h):\n        return kept_helper.euler(problem, t, y, h)\n"
    )
    for name in ("kept_method", "kept_helper"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    sys.dont_write_bytecode = True
    return importlib.import_module("kept_method")


def test_a_method_is_run_again_after_a_change_of_a_module_that_it_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    whole = final("pendulum", modules(tmp_path, "1.0").X, tmp_path / "store")
    half = final("pendulum", modules(tmp_path, "0.5").X, tmp_path / "store")
    again = final("pendulum", modules(tmp_path, "1.0").X, tmp_path / "store")
    assert whole == again != half
    monkeypatch.setattr(sys.modules["kept_helper"], "euler", lambda p, t, y, h: y)
    start = mbsbench.model("pendulum").initial()[0]
    assert final("pendulum", sys.modules["kept_method"].X, tmp_path / "store") == start


def test_a_model_is_run_again_after_a_change_of_its_start_or_functions(tmp_path: Path) -> None:
    def growth(start: float, rate: float) -> mbsbench.Ode:
        return mbsbench.Ode("kept-growth", lambda t, y: rate * y, [start], version="1")

    def ended(start: float, rate: float) -> float:
        return final(growth(start, rate), "rk4", tmp_path)

    assert ended(1.0, 0.0) == 1.0
    assert ended(2.0, 0.0) == 2.0
    assert ended(1.0, 1.0) == pytest.approx(np.e)


FACTOR = 1.0
WEIGHTS = np.array([0.5, 0.5])
SETTINGS = {"newton": [1, 2]}


class Tableau:
    def __init__(self) -> None:
        self.c = [0.0, 1.0]


TABLEAU = Tableau()


def shared(x: float) -> float:
    return FACTOR * x


class Base:
    rho = 0.8

    def inherited(self) -> float:
        return self.rho


class Reaching(Base):
    def step(self, problem, t, y, h):
        def inner(x):
            return shared(x) + np.linalg.norm(WEIGHTS) + TABLEAU.c[0] + SETTINGS["newton"][0]

        return inner(y) + self.inherited()


def test_a_digest_changes_with_all_that_a_class_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    here = sys.modules[__name__]
    usual = digest("reaching", Reaching)
    assert digest("reaching", Reaching) == usual
    changes: list[tuple[Any, str, Any]] = [
        (here, "FACTOR", 2.0),
        (here, "WEIGHTS", np.array([0.5, 0.25])),
        (here, "SETTINGS", {"newton": [1, 3]}),
        (TABLEAU, "c", [0.0, 0.5]),
        (here, "shared", lambda x: x),
        (Base, "rho", 0.9),
        (Base, "inherited", lambda self: 1.0),
    ]
    found = {usual}
    for owner, name, value in changes:
        with monkeypatch.context() as change:
            change.setattr(owner, name, value)
            found.add(digest("reaching", Reaching))
    assert len(found) == len(changes) + 1
    assert digest("reaching", Reaching) == usual


class Throws:
    def step(self, problem, t, y, h):
        return y + h * random.random()


class Evaluates:
    def step(self, problem, t, y, h):
        return eval("y")


class Draws:
    def step(self, problem, t, y, h):
        return y + np.random.default_rng().random(2)


class Reads:
    def step(self, problem, t, y, h):
        return y + np.loadtxt("table.csv")


class Sets:
    def step(self, problem, t, y, h):
        global FACTOR
        FACTOR = t
        return y


class Logs:
    log = logging.getLogger("mbsbench-tests")

    def step(self, problem, t, y, h):
        return y


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Throws, "`throws.step` uses the module `random`"),
        (Evaluates, "calls `eval`"),
        (Draws, "numpy.random"),
        (Reads, "`reads.step → np.loadtxt` reads a file"),
        (Sets, "changes the global `FACTOR`"),
        (Logs, "`logs.log` is an object of type `logging.Logger`"),
    ],
)
def test_runs_are_not_kept_if_something_cannot_be_followed(cls: type, said: str, tmp_path: Path) -> None:
    with pytest.raises(Unknown, match=said):
        digest(cls.__name__.lower(), cls)
    named = type(cls.__name__, (cls,), {"name": cls.__name__.lower(), "order": 1, "version": "1"})
    with pytest.warns(UserWarning, match="are not kept despite its `version`"):
        mbsbench.register(named)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mbsbench.run(experiment("pendulum", named), progress=False, cache=tmp_path / "store")
    assert not [path for path in (tmp_path / "store").rglob("*") if path.is_file() and not path.name.startswith(".")]
