#!/usr/bin/env python3
"""Measures the durations of a first build and of everyday commands for two revisions, on an idle machine.

    scripts/first_minutes.py measure NAME REVISION [--tests]   # in a fresh clone
    scripts/first_minutes.py table

`measure` adds the durations to docs/first-minutes.csv under NAME (before, now), `table` writes them as the table in
docs/performance.md.
"""

import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs/first-minutes.csv"
PAGE = ROOT / "docs/performance.md"
HEAD = "## Building and everyday commands"
COLUMNS = ["what", "name", "revision", "wall_s", "cpu_s"]
PROGRAM = "target/release/mbsbench"
BUILD = ["cargo", "build", "--release", "--locked", "--package", "mbsbench", "--bin", "mbsbench"]
# Names, commands, and numbers of calls, of which the fastest counts.
BEGIN = [("build the program from nothing", BUILD, 1), ("`reproduce` from nothing", [PROGRAM, "reproduce"], 1)]
DAILY = [
    ("`reproduce`, all runs stored", [PROGRAM, "reproduce"], 9),
    ("`verify gil2013`", [PROGRAM, "verify", "gil2013"], 9),
    ("`verify zhang2022`", [PROGRAM, "verify", "zhang2022"], 9),
    ("`explain` one statement", [PROGRAM, "explain", "gil2013/linear/exact"], 9),
    ("`run` a stored experiment", [PROGRAM, "run", "experiments/gil2013/bouncing-pair.yaml"], 9),
]
TESTS = [("`make test` after the build", ["make", "test"], 1), ("`make test` again", ["make", "test"], 1)]


def taken(command: list[str], folder: Path) -> tuple[float, float]:
    """Returns wall and CPU time of a call, s. Its output is shown only if it fails for a reason other than verdicts."""
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str, revision: str, with_tests: bool) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="first-minutes-"))
    folder = scratch / "project"
    try:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        subprocess.run(["git", "checkout", "--quiet", revision], cwd=folder, check=True)
        head = ["git", "rev-parse", "--short=8", "HEAD"]
        short = subprocess.run(head, cwd=folder, check=True, capture_output=True, text=True)
        found = []
        for what, command, times in BEGIN + DAILY + (TESTS if with_tests else []):
            each = [taken(command, folder) for _ in range(times)]
            wall, cpu = (min(column) for column in zip(*each))
            found.append([what, name, short.stdout.strip(), f"{wall:.3f}", f"{cpu:.3f}"])
            print(*found[-1], flush=True)
        bytes_of = (folder / PROGRAM).stat().st_size
        found.append(["size of the program, MB", name, short.stdout.strip(), f"{bytes_of / 1e6:.1f}", ""])
        record(found)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def measured() -> list[list[str]]:
    if not MEASURED.exists():
        return []
    with MEASURED.open(newline="") as file:
        return list(csv.reader(file))[1:]


def record(found: list[list[str]]) -> None:
    new = {(row[0], row[1]) for row in found}
    kept = [row for row in measured() if (row[0], row[1]) not in new]
    with MEASURED.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *kept, *found])


def table() -> None:
    rows = {(what, name): (revision, wall, cpu) for what, name, revision, wall, cpu in measured()}
    whats = list(dict.fromkeys(what for what, _ in rows))
    names = {name: rows[what, name][0] for what, name in rows}
    lines = [HEAD, ""]
    lines += ["Wall and CPU time in a fresh clone on two idle cores. Short commands are the fastest of nine calls."]
    lines += ["Made by `scripts/first_minutes.py`.", ""]
    heads = " | ".join(f"{name} ({revision})" for name, revision in names.items())
    lines += [f"| | {heads} | CPU time, now over before |"]
    lines += ["|---" * (len(names) + 2) + "|"]

    def cell(what: str, name: str) -> str:
        _, wall, cpu = rows.get((what, name), ("", "", ""))
        return f"{float(wall):.3g} s, {float(cpu):.3g} s" if cpu else wall or "not measured"

    for what in whats:
        cpus = [rows.get((what, name), ("", "", ""))[2] for name in ("before", "now")]
        quotient = f"{float(cpus[1]) / float(cpus[0]):.2f}" if all(cpus) else ""
        lines.append(f"| {what} | " + " | ".join(cell(what, name) for name in names) + f" | {quotient} |")
    page = PAGE.read_text().split(HEAD)[0].rstrip()
    PAGE.write_text(page + "\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", name, revision, *rest] if rest in ([], ["--tests"]):
            measure(name, revision, bool(rest))
            table()
        case ["table"]:
            table()
        case _:
            sys.exit(__doc__)
