"""Counts of runs by what the program says about them: the column `assurance` of `runs.csv`."""

import re
import shutil
import time
from collections import Counter
from pathlib import Path

from .program import KEPT, rows

WORDS = ["vouched", "unvouched", "refuted"]


def assurance(row):
    """Returns the word and the reason, in which numbers are replaced by `#`."""
    word, _, why = row.get("assurance", "unvouched: no column").partition(": ")
    return word, re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", why)


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def print_table(head, lines):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |")


class Tally:
    """Counts right and wrong runs by kind and assurance, and keeps the wrong ones."""

    def __init__(self, what):
        self.what, self.begin, self.models, self.other = what, time.time(), Counter(), Counter()
        self.runs, self.reasons, self.refused, self.wrong = Counter(), Counter(), Counter(), []
        self.folder = KEPT / f"{what}-wrong"

    def add(self, kind, verdict, row, story, text, files=None):
        """Adds a run that is `right`, `wrong` or something else. A wrong one is kept with its experiment and files."""
        word, why = assurance(row)
        self.runs[kind, verdict, word] += 1
        self.reasons[verdict, word, why] += 1
        if verdict == "wrong":
            self.wrong.append((word, kind, story, text, files or {}))

    def count(self, verdict, word=None, kind=None):
        return sum(number for (of, is_now, says), number in self.runs.items()
                   if is_now == verdict and word in (None, says) and kind in (None, of))

    def tell(self, command):
        """Prints the table and returns the exit code, which is 1 if a wrong run is vouched."""
        verdicts = ["right", "wrong"] + sorted({verdict for _, verdict, _ in self.runs} - {"right", "wrong"})
        kinds = sorted({kind for kind, _, _ in self.runs})
        head = ["kind"]
        for verdict in verdicts:
            head += [verdict] + WORDS
        lines = []
        for kind in [*kinds, None]:
            line = [kind or "all"]
            for verdict in verdicts:
                line += [self.count(verdict, None, kind)] + [self.count(verdict, word, kind) for word in WORDS]
            lines.append(line)
        models = ", ".join(f"{number} {what}" for what, number in sorted(self.models.items()))
        print(f"`{command}`: {models}; {sum(self.runs.values())} runs that ended `ok` in "
              f"{time.time() - self.begin:.0f} s.")
        print(f"Vouched: {share(self.count('right', 'vouched'), self.count('right'))} of the right runs, "
              f"{self.count('wrong', 'vouched')} wrong ones.")
        if self.other:
            print("Runs that ended otherwise: " + ", ".join(f"{n} `{what}`" for what, n in sorted(self.other.items())))
        for why, number in self.refused.most_common(10):
            print(f"Refused, {number} times: {why}")
        print_table(head, lines)
        print_table(["assurance", *verdicts], [
            [f"{word}: {why}" if why else word, *(self.reasons[verdict, word, why] for verdict in verdicts)]
            for word, why in sorted({(word, why) for _, word, why in self.reasons},
                                    key=lambda each: (WORDS.index(each[0]), each[1]))])
        shutil.rmtree(self.folder, ignore_errors=True)
        # those that the program vouches for first, then short files
        size = lambda text, files: len(text) + sum(map(len, files.values()))
        self.wrong.sort(key=lambda each: (each[0] != "vouched", size(*each[3:]), each[1]))
        for at, (word, kind, story, text, files) in enumerate(self.wrong):
            folder = self.folder / f"{at:04}"
            folder.mkdir(parents=True)
            (folder / "experiment.yaml").write_text(f"# {kind}, {word}: {story}\n{text}")
            for name, content in files.items():
                (folder / name).write_text(content)
        if self.wrong:
            print(f"\nThe wrong runs are in {self.folder}.")
        return 1 if self.count("wrong", "vouched") else 0


def assurances(folders):
    """Prints the shares of vouched, unvouched and refuted runs in all `runs.csv` below folders, with the reasons."""
    lines, reasons = [], Counter()
    for folder in folders:
        counts = Counter()
        for path in sorted(Path(folder).rglob("runs.csv")):
            for row in rows(path):
                word, why = assurance(row)
                word = word if row["status"] == "ok" else "other"
                counts[word] += 1
                reasons[word, why if word != "other" else f"ended as `{row['status']}`"] += 1
        ended = sum(counts[word] for word in WORDS)
        lines.append([folder, ended, *(f"{counts[word]} ({share(counts[word], ended)})" for word in WORDS),
                      counts["other"]])
    print_table(["folder", "runs that ended `ok`", *WORDS, "ended otherwise"], lines)
    print_table(["assurance", "runs"], [
        [f"{word}: {why}" if why else word, number]
        for (word, why), number in sorted(reasons.items(), key=lambda each: -each[1])])
    return 0
