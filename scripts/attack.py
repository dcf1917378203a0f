#!/usr/bin/env python3
"""Attacks the program, and prints the numbers of tries and failures.

Robustness: mutated files, extreme runs, kills and full disks
    scripts/attack.py files 30000        # mutated experiment files and ledgers, 40 per call of `check`
    scripts/attack.py runs 11000         # random models, methods and extreme numbers
    scripts/attack.py kills 200          # SIGKILL in run, verify, report, reconstruct and shard
    sudo scripts/attack.py disks 40      # a full disk under results and cache; mounts a tmpfs for each try

Answers: what runs print, and whether the program vouches for it
    scripts/attack.py events 10000       # random models with events against closed forms
    scripts/attack.py mechanisms 2000    # random mechanisms across formulations and methods
    scripts/attack.py results 500        # edited results, which `verify` has to name
    scripts/attack.py assurance DIR...   # shares of vouched, unvouched and refuted runs in all `runs.csv`

A seed can follow (default 1). The exit code is 1 if there are failures, or if a wrong run is vouched; their inputs are
kept in target/attack/. The variable MBSBENCH names another program than target/release/mbsbench.
"""

import random
import sys

from attack.assurance import assurances
from attack.events import events
from attack.mechanisms import mechanisms
from attack.results import results
from attack.robustness import disks, files, kills, runs

ROBUSTNESS = {"files": files, "runs": runs, "kills": kills, "disks": disks}
ANSWERS = {"events": events, "mechanisms": mechanisms, "results": results}


def main():
    kind, *arguments = sys.argv[1:] or ["--help"]
    if kind == "assurance" and arguments:
        return assurances(arguments)
    are_numbers = len(arguments) in (1, 2) and all(word.isdigit() for word in arguments)
    if kind not in {**ROBUSTNESS, **ANSWERS} or not are_numbers:
        print(__doc__)
        return 0 if kind == "--help" else 2
    count, seed = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 1
    if kind in ROBUSTNESS:
        return ROBUSTNESS[kind](count, random.Random(seed))
    return ANSWERS[kind](count, random.Random(seed), f"scripts/attack.py {kind} {count} {seed}")


if __name__ == "__main__":
    sys.exit(main())
