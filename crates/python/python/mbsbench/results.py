"""Results of an experiment as pandas tables.

>>> from mbsbench import load
>>> shaft = load("results", "zhang2022/shaft-convergence")
>>> shaft.runs, shaft.checks, shaft.figures["figure-14a"]

All tables support the Arrow interface, without a copy: ``polars.DataFrame(shaft.runs)``, ``pyarrow.table(shaft.runs)``.
"""

import json
import os
import re
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from . import _mbsbench

# Files beside `runs.csv` that are neither a figure nor a table of the experiment.
OTHERS = {"runs", "timings", "references", "reconstruction", "set-ups"}
# Columns of the data of a figure; empty ones are left out, except `x` and `y`.
FIGURE = {"panel", "series", "published", "x", "y", "hollow", "failure", "t_reached", "slope"}
# Columns that are never numbers: hexadecimal keys, messages of failures, and what can be said about an answer.
TEXTS = ["run", "reference", "message", "assurance"]


class Picture:
    """A figure that a notebook displays."""

    def __init__(self, svg: str) -> None:
        self.svg = svg
        """The text of the SVG file."""

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg[self.svg.find("<svg") :]

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass
class Results:
    """The results of one experiment; missing tables are empty."""

    runs: pd.DataFrame
    """One row per run: axes, `status`, `assurance`, `t_reached`, measures, the key `run`, and the reason of a failure,
    `message`."""
    timings: pd.DataFrame
    """One row per timed run, with the machine."""
    references: pd.DataFrame
    """One row per reference, with the digits to which its two methods agree."""
    checks: pd.DataFrame
    """The checks that depend on these runs, each with its statement: required, measured, rests_on, verdict, …"""
    figures: dict[str, pd.DataFrame]
    """The data of each figure by its name: `x`, `y`, and, if present, `panel`, `series`, `published`, …"""
    tables: dict[str, pd.DataFrame]
    """The cells of each table by its name."""
    pictures: dict[str, Picture] = field(default_factory=dict)
    """Each figure as a picture, by its name."""
    curves: dict[str, pd.DataFrame] = field(default_factory=dict)
    """Time `t` and observables of runs that are drawn over time, by the axes that distinguish the runs; only after
    `run`."""
    printed: list[str] = field(default_factory=list)
    """Tables as the program prints them; only after `run`."""


def load(results_dir: "str | os.PathLike[str]", id: str) -> Results:
    """Reads the results of the experiment `id` (`paper/name`) below `results_dir`.

    If there are none and the experiment is built in, its built-in results, which have no pictures, are read with a
    warning. If it is not built in, FileNotFoundError is raised. Results that no manifest lists are read with a warning.

    Raises:
        InputError: results were changed after they were written.
    """
    root = Path(results_dir)
    if not (root / id / "runs.csv").exists():
        built_in = Path(_mbsbench.builtin()) / "results"
        if (built_in / id / "runs.csv").exists():
            warnings.warn(f"no results of {id} in {results_dir}: reading the built-in results", stacklevel=2)
            root = built_in
    folder = root / id
    for path in _mbsbench.unsealed(folder, id)[:1]:
        warnings.warn(f"results are not sealed, so edits would go unnoticed: {path}", stacklevel=2)
    runs = read(folder / "runs.csv")
    data = {path.stem: read(path) for path in sorted(folder.glob("*.csv")) if path.stem not in OTHERS}
    is_figure = {name: {"x", "y"} <= set(table.columns) <= FIGURE for name, table in data.items()}
    return Results(
        runs=runs,
        timings=read_if_there(root / "times" / id / "timings.csv"),
        references=read_if_there(folder / "references.csv"),
        checks=checks_on(set(runs["run"]), Path(results_dir) / id.split("/")[0] / "claims.json"),
        figures={name: table for name, table in data.items() if is_figure[name]},
        tables={name: table for name, table in data.items() if not is_figure[name]},
        pictures={path.stem: Picture(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.svg"))},
    )


def read(path: Path) -> pd.DataFrame:
    """Reads a table with exact doubles. Columns that contain only numbers or truth values are converted."""
    table = pd.read_csv(path, dtype=str)
    for name in table.columns:
        table[name] = table[name].map(unguarded, na_action="ignore")
    for name in table.columns.difference(TEXTS):
        values = [cell if pd.isna(cell) else value(cell) for cell in table[name]]
        if None not in values:
            table[name] = pd.Series(values)
    return table


def unguarded(cell: str) -> str:
    """Returns the text of a cell without the `'` that keeps a spreadsheet from running it as a formula."""
    text = cell.lstrip("'")
    is_run = text[:1] in ("=", "@", "\t", "\r") or (text[:1] in ("+", "-") and len(text) > 1 and value(text) is None)
    return cell[1:] if cell.startswith("'") and text and is_run else cell


def value(text: str) -> float | bool | None:
    """Parses a number as in experiment files, such as `2^-10`, or a truth value; returns None for other texts."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    power = re.fullmatch(r"(\d+)\^([+-]?\d+)", text)
    try:
        return float(float(power[1]) ** int(power[2])) if power else float(text)
    except ValueError:
        return None


def read_if_there(path: Path) -> pd.DataFrame:
    """Reads a table; returns an empty one if the file is missing."""
    return read(path) if path.exists() else pd.DataFrame()


def checks(path: Path) -> pd.DataFrame:
    """Returns all checks in a file of verdicts, each with its statement."""
    statements = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return pd.DataFrame(
        [
            {"statement": statement["id"], "finding": statement["finding"], "place": statement["place"], **check}
            for statement in statements
            for check in statement["checks"]
        ]
    )


def checks_on(runs: set[str], path: Path) -> pd.DataFrame:
    """Returns the checks in a file that depend on some of these runs."""
    found = checks(path)
    return found[[bool(runs.intersection(evidence)) for evidence in found["evidence"]]] if len(found) else found


if __name__ == "__main__":
    found = load(*sys.argv[1:3])
    print(found.runs)
    verdicts = found.checks["verdict"].value_counts().to_dict() if len(found.checks) else {}
    print(f"{len(found.runs)} runs, figures {list(found.figures)}, tables {list(found.tables)}, verdicts {verdicts}")
