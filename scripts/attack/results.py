"""Edits of results, which `verify` has to name."""

import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from .assurance import print_table
from .blake3 import blake3
from .program import KEPT, is_bad, run
from .robustness import CLAIMS, EXPERIMENT

SECOND = """id: mine/oscillator
model: linear-oscillator
span: [0.0, 2.0]
known: { defaults: printed }
method: [rk4, trapezoidal]
step: [1e-2, 2e-2]
measures: [{ final: { of: position } }, rhs_evaluations]
tables: [{ id: ends, rows: step, columns: method, value: final(position) }]
"""
SECOND_STATEMENT = """  - id: end
    place: Section 2
    says: The displacement is small at the end.
    bound: { of: { experiment: oscillator, column: final(position), reduce: max }, below: 10.0 }
    why: only a test
    bound_from: ours
"""
COMMANDS = [
    ["reproduce", "--experiments", "experiments"],
    ["reconstruct", "experiments/mine/pendulum.yaml", "--samples", "16"],
    ["verify", "mine"],
]


def lines_of(path):
    return path.read_text().splitlines(keepends=True)


def digit(rng, path, results):
    """Changes a digit."""
    text = path.read_text()
    # not in the header, in which digits are names
    at = rng.choice([match.start() for match in re.finditer(r"(?<=[\d.])\d", text) if "\n" in text[: match.start()]])
    path.write_text(text[:at] + str((int(text[at]) + rng.randint(1, 9)) % 10) + text[at + 1 :])


def row(rng, path, results):
    """Removes, repeats or moves a row."""
    lines = lines_of(path)
    at = rng.randrange(1, len(lines))
    line = lines[at] if rng.random() < 0.3 else lines.pop(at)
    if rng.random() < 0.6:
        lines.insert(at % (len(lines) - 1) + 2 if len(lines) > 2 else 1, line)
    path.write_text("".join(lines))


def cells(rng, path, results):
    """Exchanges the cells of two rows in a column."""
    table = [line.rstrip("\n").split(",") for line in lines_of(path)]
    table = [cells for cells in table if len(cells) == len(table[0])]
    if len(table) < 3:
        return digit(rng, path, results)
    for _ in range(100):
        one, other = rng.sample(range(1, len(table)), 2)
        column = rng.randrange(len(table[0]))
        if table[one][column] != table[other][column]:
            break
    table[one][column], table[other][column] = table[other][column], table[one][column]
    path.write_text("".join(",".join(cells) + "\n" for cells in table))


def status(rng, path, results):
    """Changes the status of a run."""
    path = path.with_name("runs.csv")
    lines = lines_of(path)
    at = rng.randrange(1, len(lines))
    lines[at] = lines[at].replace(",ok,", f",{rng.choice(['budget-exhausted', 'non-finite', 'joint-open'])},", 1)
    path.write_text("".join(lines))
    return path


def replaced(rng, path, results):
    """Replaces a file by one of another experiment."""
    other = [each for each in results.glob("mine/*/*.csv") if each.parent != path.parent]
    shutil.copy(rng.choice(other), path)


def added(rng, path, results):
    """Adds a file of numbers."""
    shutil.copy(path, path.with_name("more.csv"))
    return path.with_name("more.csv")


def picture(rng, path, results):
    """Changes a digit in a figure (SVG) or a table in Markdown."""
    path = rng.choice(sorted([*results.glob("mine/*/*.svg"), *results.glob("mine/*/*.md")]))
    digit(rng, path, results)
    return path


def claims(rng, path, results):
    """Changes an outcome or a digit in `claims.json`."""
    path = results / "mine/claims.json"
    text = path.read_text()
    if rng.random() < 0.5:
        path.write_text(text.replace("reproduced", "not-reproduced", 1))
    else:
        digit(rng, path, results)
    return path


def manifest(rng, path, results):
    """Changes, shortens or damages the manifest of a folder."""
    file = path.with_name("manifest.json")
    text = file.read_text()
    kind = rng.randrange(4)
    if kind == 0:
        digit(rng, file, results)
    elif kind == 1:
        file.write_text(text.replace("runs.csv", "run.csv"))
    elif kind == 2:
        listed = json.loads(text)
        del listed["outputs"][rng.choice(sorted(name for name in listed["outputs"] if name.endswith(".csv")))]
        file.write_text(json.dumps(listed))
    else:
        file.write_text(text[: len(text) // 2])
    return file


def manifests_removed(rng, path, results):
    """Removes the manifest of a folder and changes a digit."""
    path.with_name("manifest.json").unlink()
    digit(rng, path, results)


EDITS = [digit, digit, row, cells, status, replaced, added, picture, claims, manifest, manifests_removed]


def root(hashes):
    """Returns the root of hashes by name, as the program computes it."""
    return blake3("".join(f"{hash} {name}\n" for name, hash in sorted(hashes.items())).encode())


def seal(results, folder, everything):
    """Lists a folder as it is in its manifest and, with `everything`, in the manifest of all results."""
    file = folder / "manifest.json"
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path != file)
    outputs = {name: blake3((folder / name).read_bytes().replace(b"\r\n", b"\n")) for name in names}
    file.write_text(json.dumps({"outputs": outputs}, indent=2) + "\n")
    if everything and (results / "manifest.json").exists():
        whole = json.loads((results / "manifest.json").read_text())
        if "folders" in whole:
            whole["folders"]["/".join(folder.parts[-2:])] = root(outputs)
            whole["root"] = root(whole["folders"])
        for path in whole["outputs"]:
            content = results.parent / path
            whole["outputs"][path] = blake3(content.read_bytes()) if content.exists() else ""
        (results / "manifest.json").write_text(json.dumps(whole, indent=2) + "\n")


def whole(path):
    return {each.relative_to(path): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def seen(code, said, path, results, honest):
    """Returns what a command said about an edit of this file."""
    if is_bad(code, said):
        return "crashed"
    place = path.relative_to(results.parent).as_posix()
    if place in said or f"{Path(place).parent.as_posix()}/" in said:
        return "named" if code else "warned of"
    relative = path.relative_to(results)
    if path.exists() and path.read_bytes() == honest.get(relative):
        return "repaired"
    return "refused without the name" if code else "unnoticed"


OUTCOMES = ["named", "warned of", "repaired", "refused without the name", "unnoticed", "crashed"]
RECOMPUTED = "then named by `--recompute 100%`"


def results(count, rng, command):
    """Edits results; `verify` has to name the edited file, or to rewrite the file."""
    counts, kept = Counter(), KEPT / "results-unnoticed"
    shutil.rmtree(kept, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        mine = folder / "experiments/mine"
        mine.mkdir(parents=True)
        (mine / "pendulum.yaml").write_text(EXPERIMENT)
        (mine / "oscillator.yaml").write_text(SECOND)
        (mine / "claims.yaml").write_text(CLAIMS + SECOND_STATEMENT)
        for each in COMMANDS:
            code, _, said = run(each, folder, 120)
            if code not in (0, 1):
                raise SystemExit(f"{each}: exit code {code}: {said[-400:]}")
        under, honest = folder / "results", whole(folder / "results")
        shutil.copytree(under, folder / "honest")
        number = 0
        while number < count:
            shutil.rmtree(under)
            shutil.copytree(folder / "honest", under)
            edit = rng.choice(EDITS)
            path = rng.choice(sorted(under.glob("mine/*/*.csv")))
            path = edit(rng, path, under) or path
            if path.exists() and path.read_bytes() == honest.get(path.relative_to(under)):
                continue  # the edit changed nothing
            number += 1
            sealed = rng.choice(["", "", "", "the folder", "all"]) if edit not in (claims, manifest) else ""
            if sealed:
                seal(under, path.parent, sealed == "all")
            code, _, said = run(["verify", "mine"], folder, 120)
            outcome = seen(code, said, path, under, honest)
            what = edit.__doc__.rstrip(".") + (f"; seals {sealed} again" if sealed else "")
            counts[what, outcome] += 1
            if sealed and outcome in ("unnoticed", "warned of"):
                code, _, said = run(["verify", "mine", "--recompute", "100%", "--seed", "1"], folder, 120)
                counts[what, RECOMPUTED] += seen(code, said, path, under, honest) == "named"
            if outcome in OUTCOMES[4:] and not sealed:
                place = kept / f"{number}"
                shutil.copytree(under, place, dirs_exist_ok=True)
                (place / "why.txt").write_text(f"{what}: {path.relative_to(under)}: {outcome}\n{said}")
    failures = sum(number for (what, outcome), number in counts.items()
                   if outcome in OUTCOMES[4:] and "; seals" not in what)
    tries = sum(number for (_, outcome), number in counts.items() if outcome != RECOMPUTED)
    print(f"`{command}`: {tries} edits; {failures} of those that were not sealed again went unnoticed.")
    kinds = sorted({what for what, _ in counts}, key=lambda what: ("; seals" in what, what))
    print_table(["edit", *OUTCOMES, RECOMPUTED],
                [[what, *(counts[what, outcome] for outcome in [*OUTCOMES, RECOMPUTED])] for what in kinds])
    return 1 if failures else 0
