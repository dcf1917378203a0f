"""The program under attack: how it is called, and how its failures are counted and kept."""

import csv
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("MBSBENCH", ROOT / "target/release/mbsbench"))
KEPT = ROOT / "target/attack"


class Count:
    """Counts tries and outcomes, and keeps failures."""

    def __init__(self, what):
        self.what, self.tries, self.failures, self.seen, self.begin = what, 0, [], {}, time.time()

    def saw(self, outcome, number=1):
        self.seen[outcome] = self.seen.get(outcome, 0) + number

    def fail(self, why, files):
        self.failures.append(why)
        folder = KEPT / f"{self.what}-{len(self.failures)}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "why.txt").write_text(why)
        for file in files:
            shutil.copy(file, folder)

    def tell(self):
        seen = ", ".join(f"{number} {outcome}" for outcome, number in sorted(self.seen.items()))
        seconds = time.time() - self.begin
        print(f"{self.what}: {self.tries} tries in {seconds:.0f} s, {len(self.failures)} failures ({seen})")
        for why in self.failures[:20]:
            print("  " + why.replace("\n", " ")[:300])
        return 1 if self.failures else 0


def run(arguments, folder, seconds=60, memory=6 << 30):
    """Returns the exit code, the CPU time in seconds and the output. The code is None after a timeout."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ended = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            timeout=seconds,
            preexec_fn=limit,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        code, said = ended.returncode, (ended.stdout + ended.stderr).decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        code, said = None, "too long"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def is_bad(code, said):
    return code is None or code < 0 or code > 3 or "panicked" in said or "memory allocation" in said


def rows(path):
    """Returns the rows of a `runs.csv`, each as cells by column."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
