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
    m: "Model | Ode | Mechanics | str | os.PathLike[str] | Mapping[str, Any]",
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
    breaks: ArrayLike = (),
) -> Solution:
    """Solves a model.

    Args:
        m: the model, or its name, file or content as in `model`.
        span: start and end time, s, or the end time alone [default: to the last time in `at`]. If the end comes first,
            the model is solved backwards.
        method: a name, `{"hht-i3": {"alpha": -0.2}}` as in files, a class or a `Coefficients`.
        tolerance: relative and absolute tolerance, or one number for both.
        step: constant step size, s, instead of a tolerance.
        at: output times, s, in the order in which the solve reaches them [default: the ends of all steps].
        start: initial state [default: that of the model].
        first_step, max_step: first and largest step size, s, for adaptive steps.
        max_steps, max_evaluations: budgets; a run that exceeds one ends with the status `budget-exhausted`.
        events: methods that do not locate events refuse a model that jumps at its events, such as a ball with
            restitution; "ignored" solves it without the jumps.
        breaks: times at which forces or equations jump, s; the method stops and starts again there.

    A failed run returns a result, too; see `success`, `status` and `message`. A `message` of a run that succeeded is a
    warning, for example of a right-hand side that jumps.

    Raises:
        InputError: an argument cannot be used, or the start or a function of your own model is refused.
    """
    if not isinstance(m, Model):
        m = model(m)
    times = None if at is None else real("at", np.atleast_1d(np.asarray(at)))
    if span is None:
        if times is None or not len(times):
            raise _mbsbench.InputError("no end time; give `span`, or times `at`")
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
        "breaks": real("breaks", np.atleast_1d(np.asarray(breaks, dtype=float))).tolist(),
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
    """Runs an experiment and returns its `Results`; for a list of experiments, returns a list. An experiment is a file,
    the name of one (`gil2013/adaptive-llm`), or a dict with the same content as a file.

    In a dict, classes, your own models and arrays can take the place of names and numbers:

    >>> mbsbench.run({
    ...     "id": "mine/pendulum", "title": "Heun beside rk4", "model": "pendulum", "span": [0, 10],
    ...     "method": [Heun, "rk4"], "step": ["2^-6", "2^-7", "2^-8"],
    ...     "reference": {"method": "rk8", "step": "2^-10", "check": {"method": "gbs", "step": "2^-10"}},
    ...     "measures": [{"error": {"of": "theta"}}, "rhs_evaluations"],
    ... }).runs

    Args:
        out: folder for results [default: a temporary folder].
        cache: run cache [default: that of the enclosing project, else that of the user].
        jobs: number of threads [default: one per core]. Python functions are called one at a time.
        fresh: compute every run, even if it is in the cache.
        quick: use the shorter settings under `quick:`.
        progress: show the progress, or call a function with the numbers of finished, all and failed runs.

    Ctrl-C ends the call; finished runs are kept, and the same call then computes only the others.

    Raises:
        InputError: files have mistakes; the text names all of them.
    """
    is_one = isinstance(experiments, (str, os.PathLike, Mapping))
    several: list[Any] = [experiments] if is_one else list(experiments)  # type: ignore[arg-type]
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="mbsbench-", dir=_temporary()))
    kept = Path(cache) if cache is not None else store()
    options = {"out": folder, "cache": kept, "jobs": jobs, "fresh": fresh, "quick": quick}
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
    """Returns YAML that is JSON except for powers (`2^-10`), which are unquoted numbers. Each key is on a line of its
    own, so that messages have useful line numbers."""
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
    """Returns the folder of the run cache."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "target" / "mbsbench-cache").is_dir():
            return folder / "target" / "mbsbench-cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mbsbench"


def _temporary() -> str:
    """Returns a folder that is deleted when the process ends."""
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="mbsbench-")
    return _folder.name


_folder: "tempfile.TemporaryDirectory[str] | None" = None


def _nothing(done: int, total: int, failed: int) -> None:
    pass


def _shown() -> Callable[[int, int, int], None]:
    """Returns a function that shows the progress in one line of a notebook or terminal."""
    last = ""

    def tell(done: int, total: int, failed: int) -> None:
        nonlocal last
        text = f"{done} of {total} runs" + (f", {failed} failed" if failed else "")
        if text != last:
            last = text
            print(f"\r{text}", end="" if done < total else "\n", file=sys.stderr, flush=True)

    return tell


__all__ = ["Picture", "Results", "run", "solve", "store"]
