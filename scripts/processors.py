#!/usr/bin/env python3
"""What another processor changes: all papers reproduced as on other processors, against the committed results.

    scripts/processors.py [--tables] [VARIANT…]     libm, old, new; all that this machine can do where none is named

libm: the program as it is, while the C library is told that there are neither FMA nor AVX2, so that sines, powers and the like come from its
      other code;
old:  compiled for every x86-64 processor (two numbers at a time, no FMA), with the same in the C library;
new:  compiled for x86-64-v4 (AVX-512), where the machine has it.

Each has a store and results of its own below target/processors, where what is finished stays. The tables go to docs/reproducibility.md.
The exit code is 1 where a verdict on a statement differs. With --tables they are made of the results that are there.
"""

import csv
import json
import math
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target/processors"
PAGE = ROOT / "docs/reproducibility.md"
BEGIN, END = "<!-- begin: scripts/processors.py -->", "<!-- end: scripts/processors.py -->"
PAPERS = ["compere2001", "modin2005", "negrut2007", "gil2013", "zhang2022"]
PLAIN_LIBM = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F"
# Compiler's processor (none: as the project has it), tunables of the C library, and what the tables say.
VARIANTS = {
    "libm": (None, PLAIN_LIBM, "functions of the C library without FMA"),
    "old": ("x86-64", PLAIN_LIBM, "compiled for x86-64, without FMA in the C library"),
    "new": ("x86-64-v4", None, "compiled for x86-64-v4 (AVX-512)"),
}
# What `mbsbench diff` allows in the gate.
RELATIVE, ABSOLUTE = 1e-6, 1e-11
# Digits to which cells agree, counted.
DIGITS = [12, 9, 6, 3]


def can(variant: str) -> bool:
    return variant != "new" or " avx512f " in Path("/proc/cpuinfo").read_text()


def program(variant: str) -> Path:
    """Compiles the program for a variant."""
    processor = VARIANTS[variant][0]
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") if processor is None else FOLDER / variant / "build"
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
    if processor is not None:
        environment["CARGO_ENCODED_RUSTFLAGS"] = f"-Ctarget-cpu={processor}"
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--package", "mbsbench-runner", "--bin", "mbsbench"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return target / "release/mbsbench"


def reproduced(variant: str, own: Path) -> Path:
    """Reproduces all papers in a folder that has the committed files, and gives its results."""
    folder = FOLDER / variant / "project"
    folder.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        ["git", "archive", "HEAD", "experiments", "examples/mechanisms", "results"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=packed, check=True)
    environment = dict(os.environ)
    tunables = VARIANTS[variant][1]
    environment.pop("GLIBC_TUNABLES", None)
    if tunables:
        environment["GLIBC_TUNABLES"] = tunables
    done = subprocess.run([str(own), "reproduce", *PAPERS], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        sys.exit(f"{variant}: `mbsbench reproduce` ended with {done.returncode}")
    return folder / "results"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


class Compared:
    """Two files of runs, cell by cell."""

    def __init__(self, one: Path, other: Path) -> None:
        self.rows = self.same_rows = self.cells = 0
        # Cells that are the same, that agree to so many digits, and the others.
        self.agreeing = [0] * (len(DIGITS) + 2)
        self.worst: tuple[float, str, str] = (0.0, "", "")
        self.differing: dict[str, int] = defaultdict(int)
        others = rows(other)
        for mine, theirs in zip(rows(one), others, strict=True):
            self.rows += 1
            self.same_rows += mine == theirs
            for column, left in mine.items():
                right = theirs[column]
                a, b = number(left), number(right)
                if a is None and b is None and column not in ("status",):
                    continue
                self.cells += 1
                self.compare(column, mine["run"], left, right, a, b)

    def compare(self, column: str, run: str, left: str, right: str, a: float | None, b: float | None) -> None:
        if left == right:
            self.agreeing[0] += 1
            return
        if a is None or b is None or math.isnan(a) or math.isnan(b):
            relative = math.inf
        else:
            relative = abs(a - b) / max(abs(a), abs(b))
        digits = [10.0**-digits for digits in DIGITS]
        self.agreeing[1 + next((place for place, limit in enumerate(digits) if relative <= limit), len(DIGITS))] += 1
        if relative <= RELATIVE or (relative < math.inf and abs(a - b) <= ABSOLUTE):
            return
        self.differing[column] += 1
        self.worst = max(self.worst, (relative, column, run))


def verdicts(results: Path, paper: str) -> dict[str, tuple[str, str]]:
    """By statement, and by statement and check: the verdict of the statement, or how the test came out, and the verdict of the check."""
    found = {}
    for statement in json.loads((results / paper / "claims.json").read_text()):
        found[statement["id"]] = (statement["verdict"], "")
        for check in statement["checks"]:
            found[f"{statement['id']} ({check['id']})"] = (check["test"], check["verdict"])
    return found


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if part < whole else "100"


def tables(results_of: dict[str, Path]) -> tuple[str, int]:
    """The tables of all variants, and how many verdicts on statements differ."""
    runs, digits, others, turned = [], [], defaultdict(dict), defaultdict(list)
    lost = 0
    for variant, results in results_of.items():
        rows = same = count = 0
        agreeing = [0] * (len(DIGITS) + 2)
        for paper in PAPERS:
            for path in sorted((ROOT / "results" / paper).glob("*/runs.csv")):
                name = str(path.parent.relative_to(ROOT / "results"))
                found = Compared(path, results / name / "runs.csv")
                rows, same = rows + found.rows, same + found.same_rows
                agreeing = [a + b for a, b in zip(agreeing, found.agreeing)]
                if found.differing:
                    count += 1
                    relative, column, run = found.worst
                    size = "there or not" if math.isinf(relative) else f"{relative:.1e}"
                    others[name][variant] = f"{sum(found.differing.values())} of {found.cells}; {size} in `{column}` of `{run}`"
        judged = [[0, 0], [0, 0]]
        for paper in PAPERS:
            recorded, there = verdicts(ROOT / "results", paper), verdicts(results, paper)
            for key, (verdict, of_check) in recorded.items():
                own, own_of_check = there[key]
                tally = judged["(" in key]
                tally[0] += own == verdict
                tally[1] += 1
                if own != verdict:
                    both = of_check if of_check == own_of_check else f"{of_check}, {own_of_check}"
                    turned[f"| {paper} | `{key}` | {verdict} | {own} | {both} |"].append(variant)
        lost += judged[0][1] - judged[0][0]
        statements, tests = (f"{same} of {all}" for same, all in judged)
        runs.append(f"| *{variant}*: {VARIANTS[variant][2]} | {percent(same, rows)} % of {rows} | {count} | {statements} | {tests} |")
        digits.append(f"| *{variant}* | " + " | ".join(f"{percent(cells, sum(agreeing))} %" for cells in agreeing) + " |")
    text = ["| | runs that are bitwise the same | experiments with other cells | verdicts on statements that are the same | tests of checks that are |"]
    text += ["|---" * 5 + "|", *runs, "", "Cells of `runs.csv` that agree to so many digits of their own, small errors and residuals among them:", ""]
    text += ["| | all | " + " | ".join(map(str, DIGITS)) + " | fewer |", "|---" * (len(DIGITS) + 3) + "|", *digits, ""]
    text += ["Experiments with cells that differ by more than 1e-6 of themselves and 1e-11, how many do, and the one that does most:", ""]
    variants = {name: together(found) for name, found in others.items()}
    text += ["| experiment | where | cells |", "|---|---|---|"]
    for name in sorted(variants):
        text += [f"| {name} | {', '.join(where)} | {what} |" for what, where in variants[name].items()]
    if turned:
        text += ["", "Tests that come out otherwise; the verdicts on their statements are the same:", ""]
        text += ["| paper | statement (check) | committed | there | verdict on the check | where |", "|---" * 6 + "|"]
        text += [f"{row} {', '.join(where)} |" for row, where in turned.items()]
    return "\n".join(text), lost


def together(found: dict[str, str]) -> dict[str, list[str]]:
    """What is said, with the variants of which it is said."""
    said = defaultdict(list)
    for variant, what in found.items():
        said[what].append(variant)
    return said


def main() -> int:
    names = [argument for argument in sys.argv[1:] if argument != "--tables"]
    variants = names or [variant for variant in VARIANTS if can(variant)]
    if unknown := [variant for variant in variants if variant not in VARIANTS]:
        sys.exit(f"{unknown[0]}: no variant; accepted: {', '.join(VARIANTS)}")
    if "--tables" in sys.argv[1:]:
        results_of = {variant: FOLDER / variant / "project/results" for variant in variants}
    else:
        programs = {variant: program(variant) for variant in variants}
        results_of = {variant: reproduced(variant, own) for variant, own in programs.items()}
    text, lost = tables(results_of)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
