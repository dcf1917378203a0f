#!/usr/bin/env python3
"""What another processor changes: all papers reproduced as on other processors, against the committed results.

    scripts/processors.py [VARIANT…]     libm, old, new; all that this machine can do where none is named

libm: the program as it is, while the C library is told that there are neither FMA nor AVX2, so that sines, powers and the like come from its
      other code;
old:  compiled for every x86-64 processor (two numbers at a time, no FMA), with the same in the C library;
new:  compiled for x86-64-v4 (AVX-512), where the machine has it.

Each has a store and results of its own below target/processors, where what is finished stays. The tables go to docs/reproducibility.md.
The exit code is 1 where a verdict differs.
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
        self.rows = self.same_rows = self.cells = self.within = 0
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
            self.within += 1
            return
        if a is None or b is None or math.isnan(a) or math.isnan(b):
            relative = math.inf
        else:
            relative = abs(a - b) / max(abs(a), abs(b))
            if abs(a - b) <= ABSOLUTE or relative <= RELATIVE:
                self.within += 1
                return
        self.differing[column] += 1
        self.worst = max(self.worst, (relative, column, run))


def verdicts(results: Path, paper: str) -> dict[str, str]:
    found = {}
    for statement in json.loads((results / paper / "claims.json").read_text()):
        found[statement["id"]] = statement["verdict"]
        found.update({f"{statement['id']} ({check['id']})": check["test"] for check in statement["checks"]})
    return found


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if part < whole else "100"


def tables(programs: dict[str, Path]) -> tuple[str, int]:
    """The tables of all variants, and how many verdicts on statements differ."""
    text = ["| | runs | bitwise the same | cells within 1e-6 or 1e-11 | experiments with others | verdicts on statements | on checks |", "|---|---|---|---|---|---|---|"]
    others: dict[str, dict[str, str]] = defaultdict(dict)
    turned: list[str] = []
    lost = 0
    for variant, own in programs.items():
        results = reproduced(variant, own)
        sums = [0, 0, 0, 0]
        count = 0
        for paper in PAPERS:
            for path in sorted((ROOT / "results" / paper).glob("*/runs.csv")):
                name = str(path.parent.relative_to(ROOT / "results"))
                found = Compared(path, results / name / "runs.csv")
                sums = [a + b for a, b in zip(sums, [found.rows, found.same_rows, found.within, found.cells])]
                if found.differing:
                    count += 1
                    cells = sum(found.differing.values())
                    relative, column, run = found.worst
                    size = "a cell is empty or not" if math.isinf(relative) else f"{relative:.1e}"
                    others[name][variant] = f"{cells} of {found.cells}; {size} in `{column}` of `{run}`"
        judged = [0, 0, 0, 0]
        for paper in PAPERS:
            recorded, there = verdicts(ROOT / "results", paper), verdicts(results, paper)
            for key, verdict in recorded.items():
                is_check = "(" in key
                judged[2 * is_check] += there.get(key) == verdict
                judged[2 * is_check + 1] += 1
                if there.get(key) != verdict:
                    turned.append(f"| {variant} | {paper} | `{key}` | {verdict} | {there.get(key)} |")
        lost += judged[1] - judged[0]
        text.append(
            f"| *{variant}*: {VARIANTS[variant][2]} | {sums[0]} | {percent(sums[1], sums[0])} % | {percent(sums[2], sums[3])} % | "
            f"{count} | {judged[0]} of {judged[1]} | {judged[2]} of {judged[3]} |"
        )
    text += ["", "Experiments with cells that differ by more, how many do, and the one that does most:", ""]
    text += ["| experiment | " + " | ".join(f"*{variant}*" for variant in programs) + " |", "|---" * (len(programs) + 1) + "|"]
    for name, found in sorted(others.items()):
        text.append(f"| {name} | " + " | ".join(found.get(variant, "") for variant in programs) + " |")
    if turned:
        text += ["", "Verdicts that differ:", "", "| | paper | statement (check) | committed | there |", "|---|---|---|---|---|", *turned]
    return "\n".join(text), lost


def main() -> int:
    variants = sys.argv[1:] or [variant for variant in VARIANTS if can(variant)]
    if unknown := [variant for variant in variants if variant not in VARIANTS]:
        sys.exit(f"{unknown[0]}: no variant; accepted: {', '.join(VARIANTS)}")
    text, lost = tables({variant: program(variant) for variant in variants})
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
