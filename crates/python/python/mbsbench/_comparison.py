"""Comparison of a method of your own with all baselines, and of all methods on a model of your own."""

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import pandas as pd

from ._methods import Coefficients, spelled
from ._program import command
from ._runs import store
from .results import Picture

ACCURACY = (1e-3, 1e-5, 1e-7)


@dataclass
class Comparison:
    """The ranks of a method among all others."""

    method: str
    """Name of the method."""
    table: pd.DataFrame
    """One row for each model, accuracy and kind of work: `result` (`reached`, `not-reached`, `unresolved`, …). If the
    accuracy is reached, the row also has the `rank` among `of` methods, the `cost`, and its `ratio` to the cost of the
    `best` method."""
    figures: dict[str, Picture]
    """Error over work of this method and all others, for each model."""
    not_run: dict[str, str]
    """Models on which the method was not run, with the reason."""
    summary: str
    """Accuracies reached, relative costs, and number of failed runs, in a sentence."""

    def __repr__(self) -> str:
        reached = self.table[self.table["result"] == "reached"] if len(self.table) else self.table
        if not len(reached):
            return self.summary
        ranks = reached["rank"].astype(int).astype(str) + " of " + reached["of"].astype(int).astype(str)
        columns = ["model", "accuracy", "work", "rank", "cost", "ratio", "best"]
        shown = reached.assign(rank=ranks, best=reached["best"])[columns]
        return f"{shown.to_string(index=False)}\n\n{self.summary}"

    def _repr_html_(self) -> str:
        figures = "".join(picture._repr_html_() for picture in self.figures.values())
        return f"{self.table.to_html(index=False)}<p>{self.summary}</p>{figures}"


@dataclass
class Advice:
    """The methods that suit a model best."""

    about: list[str]
    """The model, the reference, and the meaning of errors."""
    rows: list[dict[str, object]]
    """The methods that reach each `accuracy` with at most twice the least `work`, the cheapest first, with `cost`,
    `ratio` to the least cost, and `setting`."""
    left_out: list[dict[str, str]]
    """Methods that were left out or whose runs ended early, with the `reason`."""
    experiment: str
    """Text of an experiment that repeats and refines the comparison."""
    page: str
    """HTML page with tables, figures, the model in motion, and the experiment."""

    @property
    def table(self) -> pd.DataFrame:
        """The `rows` as a table."""
        return pd.DataFrame(self.rows)

    def __repr__(self) -> str:
        return "\n".join([*self.about, "", self.table.to_string(index=False)])

    def _repr_html_(self) -> str:
        return "".join(f"<p>{line}</p>" for line in self.about) + self.table.to_html(index=False)


@overload
def compare(
    method: "str | type | Coefficients",
    models: "str | Sequence[str]" = "every",
    *,
    experiments: "str | os.PathLike[str] | None" = None,
    results: "str | os.PathLike[str] | None" = None,
    jobs: int | None = None,
) -> Comparison: ...


@overload
def compare(
    *,
    model: "str | os.PathLike[str]",
    budget: float = 60.0,
    span: float | None = None,
    accuracy: Sequence[float] = ACCURACY,
    jobs: int | None = None,
) -> Advice: ...


def compare(
    method: "str | type | Coefficients | None" = None,
    models: "str | Sequence[str]" = "every",
    *,
    model: "str | os.PathLike[str] | None" = None,
    budget: float = 60.0,
    span: float | None = None,
    accuracy: Sequence[float] = ACCURACY,
    experiments: "str | os.PathLike[str] | None" = None,
    results: "str | os.PathLike[str] | None" = None,
    jobs: int | None = None,
) -> Comparison | Advice:
    """Ranks a method among all others on the models of the comparison, or all methods on the model of a file.

    Args:
        method: a class, a `Coefficients`, or a name.
        models: names of experiments of the comparison (`pendulum`, `squeezer`, …), or `every`.
        model: the file of a mechanism, robot, equations or experiment, instead of `method`.
        budget: time for the answer about `model`, s.
        span: duration to be solved, s [default: that of the file, else 1].
        accuracy: errors to be reached, relative to the scale of each kind of component.
        experiments: the folder that contains `comparison` [default: that of the enclosing project, else built in].
        results: the folder with the results of the other methods.
        jobs: number of threads [default: one per core].
    """
    if model is not None:
        if method is not None:
            raise TypeError("compare() takes either a method or a `model`")
        return _advice(model, budget, span, accuracy, jobs)
    if method is None:
        raise TypeError("compare() takes a method or a `model`")
    wanted = [] if models == "every" else [models] if isinstance(models, str) else list(models)
    with tempfile.TemporaryDirectory(prefix="mbsbench-") as scratch:
        if isinstance(method, Coefficients):
            file = Path(scratch) / f"{method.name}.yaml"
            file.write_text(json.dumps(method.written), encoding="utf-8")
            named, label = str(file), method.name
        else:
            named = label = spelled(method)
        arguments: list[str | os.PathLike[str]] = ["compare", named]
        arguments += [name if "/" in name else f"comparison/{name}" for name in wanted]
        arguments += ["--cache", store(), "--format", "json"]
        arguments += [] if experiments is None else ["--experiments", experiments]
        arguments += [] if results is None else ["--results", results]
        arguments += ["--figures", scratch]
        arguments += [] if jobs is None else ["--jobs", str(jobs)]
        found = json.loads(command(*arguments))
        figures = {path.stem: Picture(path.read_text(encoding="utf-8")) for path in sorted(Path(scratch).glob("*.svg"))}
    rows = [
        {"model": ranking["model"], "experiment": ranking["experiment"], **place}
        | {"best": place["best"]["method"] if "best" in place else None}
        for ranking in found["rankings"]
        if "not_run" not in ranking
        for place in ranking["places"]
    ]
    return Comparison(
        method=label,
        table=pd.DataFrame(rows),
        figures=figures,
        not_run={ranking["model"]: ranking["not_run"] for ranking in found["rankings"] if "not_run" in ranking},
        summary=_said(label, found["summary"]),
    )


def _advice(
    model: "str | os.PathLike[str]", budget: float, span: float | None, accuracy: Sequence[float], jobs: int | None
) -> Advice:
    with tempfile.TemporaryDirectory(prefix="mbsbench-") as scratch:
        arguments: list[str | os.PathLike[str]] = ["compare", model, "--budget", str(budget), "--format", "json"]
        arguments += ["--out", scratch, "--cache", store(), "--accuracy", ",".join(map(str, accuracy))]
        arguments += [] if span is None else ["--span", str(span)]
        arguments += [] if jobs is None else ["--jobs", str(jobs)]
        found = json.loads(command(*arguments))
        experiment, page = (Path(found[name]).read_text(encoding="utf-8") for name in ("experiment", "page"))
    return Advice(found["about"], found["rows"], found["left_out"], experiment, page)


def _said(label: str, summary: dict) -> str:  # type: ignore[type-arg]
    reached = ", ".join(f"{level['accuracy']:g} on {level['models']}" for level in summary["reached"])
    known = [ratio for ratio in summary["ratios"] if ratio["median_ratio"] is not None]
    ratios = [f"{ratio['median_ratio']:.3g} by {ratio['work']}" for ratio in known]
    cost = f"median cost relative to the best method {', '.join(ratios)}" if ratios else "no comparable costs"
    return (
        f"{label}: reaches {reached or 'nothing'} of {summary['models']} models; {cost}; "
        f"{summary['failed']} of {summary['runs']} runs failed"
    )
