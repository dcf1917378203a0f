"""Solutions and experiments."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from . import _mbsbench
from ._mbsbench import Model, Solution
from ._methods import MethodLike, spelled, text_of
from ._models import Mechanics, Ode, model, real
from ._program import experiment_file, interrupt
from .results import Picture, Results, load


def solve(
    m: "Model | Ode | Mechanics | str",
    span: "float | tuple[float, float] | None" = None,
    method: MethodLike = "radau5",
    *,
    tolerance: "float | tuple[float, float] | None" = None,
    step: float | None = None,
    at: ArrayLike | None = None,
    start: ArrayLike | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    max_steps: int | None = None,
    max_evaluations: int | None = None,
    events: 'Literal["located", "ignored"]' = "located",
) -> Solution:
    """One solution of a model.

    Args:
        m: the model, or its name.
        span: from when to when, s; one number is the end. The last of `at` where it is not given.
        method: a name, `{"hht-i3": {"alpha": -0.2}}` as in files, a class or a `Coefficients`.
        tolerance: relative and absolute, or one number for both.
        step: constant step size, s, in the place of a tolerance.
        at: increasing times, s, at which states are wanted; all ends of steps where not given.
        start: initial state, where it is not the model's own.
        first_step, max_step: sizes of steps, s, that follow a tolerance.
        max_steps, max_evaluations: budgets; a run that needs more ends with the status `budget-exhausted`.
        events: a model that jumps at its events, such as a ball with restitution, is refused by methods that do not locate
            them; "ignored" solves it without the jumps.

    A run that fails is a result too: `success`, `status` and `message` say so.

    Raises:
        InputError: an argument cannot be used, or the start or a function of a model of yours is refused.
    """
    if not isinstance(m, Model):
        m = model(m)
    times = None if at is None else real("at", np.atleast_1d(np.asarray(at)))
    if span is None:
        if times is None or not len(times):
            raise _mbsbench.InputError("say how far: `span`, or times `at`")
        span = float(times[-1])
    ends = (0.0, float(span)) if isinstance(span, (int, float)) else (float(span[0]), float(span[1]))
    control = {
        "step": step,
        "tolerance": (float(tolerance), float(tolerance)) if isinstance(tolerance, (int, float)) else tolerance,
        "first_step": first_step,
        "max_step": max_step,
        "max_steps": max_steps,
        "max_evaluations": max_evaluations,
        "events": events,
    }
    initial = None if start is None else real("start", start).tolist()
    return _mbsbench.solve(m, text_of(method), ends, control, None if times is None else times.tolist(), initial)


def run(
    experiments: "str | os.PathLike[str] | Mapping[str, Any] | Sequence[str | os.PathLike[str] | Mapping[str, Any]]",
    *,
    out: "str | os.PathLike[str] | None" = None,
    cache: "str | os.PathLike[str] | None" = None,
    jobs: int | None = None,
    fresh: bool = False,
    quick: bool = False,
    progress: "bool | Callable[[int, int, int], None]" = True,
) -> Any:
    """Runs an experiment and returns its `Results`; of a list, a list of them. An experiment is a file, the name of one
    (`gil2013/adaptive-llm`), or a dict that says what a file would.

    In a dict, classes, models of one's own and arrays may stand where a file has names and numbers:

    >>> mbsbench.run({
    ...     "id": "mine/pendulum", "title": "Heun beside rk4", "model": "pendulum", "span": [0, 10],
    ...     "method": [Heun, "rk4"], "step": ["2^-6", "2^-7", "2^-8"],
    ...     "reference": {"method": "rk8", "step": "2^-10", "check": {"method": "gbs", "step": "2^-10"}},
    ...     "measures": [{"error": {"of": "theta"}}, "rhs_evaluations"],
    ... }).runs

    Args:
        out: folder for results; a temporary one where not given.
        cache: folder of the cache of finished runs; that of the project around this folder, or of the user.
        jobs: threads; one a processor where not given. Functions of Python take turns.
        fresh: whether all runs are made again.
        quick: whether the axes under `quick:` are taken.
        progress: whether to show how far it is, or a function of the runs done, all of them, and those that failed.

    Ctrl-C ends it; runs that are finished are kept, and the same call goes on from there.

    Raises:
        InputError: files that cannot be used; the text has all places.
    """
    is_one = isinstance(experiments, (str, os.PathLike, Mapping))
    several: list[Any] = [experiments] if is_one else list(experiments)  # type: ignore[arg-type]
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="mbsbench-", dir=_temporary()))
    options = {"out": folder, "cache": Path(cache) if cache is not None else store(), "jobs": jobs, "fresh": fresh, "quick": quick}
    tell = progress if callable(progress) else _shown() if progress else _nothing
    found = _mbsbench.run([_document(one) for one in several], options, tell, interrupt)
    results = []
    for id, _, tables, curves in found:
        one = load(folder, id)
        one.curves = {title: pd.DataFrame(columns) for title, columns in curves}
        one.printed = tables
        results.append(one)
    return results[0] if is_one else results


def _document(experiment: Any) -> tuple[Path, str]:
    if isinstance(experiment, Mapping):
        return Path.cwd() / "<dict>", _flow(spelled(experiment))
    path = Path(experiment)
    if isinstance(experiment, str) and path.suffix == "" and not path.exists():
        path = experiment_file(experiment)
    return path, path.read_text(encoding="utf-8")


def _flow(value: Any, indent: str = "") -> str:
    """YAML that is JSON but for powers (`2^-10`), which are numbers to files and have no quotes; a key or item a line, for messages."""
    further = indent + " "
    if isinstance(value, dict) and value:
        inside = ",\n".join(f"{further}{json.dumps(key)}: {_flow(item, further)}" for key, item in value.items())
        return f"{{\n{inside}\n{indent}}}"
    if isinstance(value, list):
        return f"[{', '.join(_flow(item, further) for item in value)}]"
    if isinstance(value, str) and re.fullmatch(r"\d+\^[+-]?\d+", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def store() -> Path:
    """Where finished runs are kept."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "target" / "mbsbench-store").is_dir():
            return folder / "target" / "mbsbench-store"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mbsbench"


def _temporary() -> str:
    """A folder that goes with the process."""
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="mbsbench-")
    return _folder.name


_folder: "tempfile.TemporaryDirectory[str] | None" = None


def _nothing(done: int, total: int, failed: int) -> None:
    pass


def _shown() -> Callable[[int, int, int], None]:
    """Says how far it is, in one line of a notebook or terminal."""
    last = ""

    def tell(done: int, total: int, failed: int) -> None:
        nonlocal last
        text = f"{done} of {total} runs" + (f", {failed} failed" if failed else "")
        if text != last:
            last = text
            print(f"\r{text}", end="" if done < total else "\n", file=sys.stderr, flush=True)

    return tell


__all__ = ["Picture", "Results", "run", "solve", "store"]
