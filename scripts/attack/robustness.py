"""Attacks on the robustness of the program: mutated files, extreme runs, kills and full disks."""

import json
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .program import PROGRAM, ROOT, Count, is_bad, run

NUMBERS = "0 -1 1e308 -1e308 5e-324 1e999 .inf -.inf .nan 2^-1074 9007199254740993".split()
WORDS = NUMBERS + "'' ~ true [] {} [[[[ }} *a &a | ? con every".split()
EXTREMES = "0 1 -1 1e-300 1e300 5e-324 1e15 1e-9 1e9 0.5 2 3.14159 1e5 1e-5".split()


def mutated(rng, text, others):
    for _ in range(rng.randint(1, 4)):
        lines = text.splitlines(keepends=True) or ["\n"]
        at, kind = rng.randrange(len(lines)), rng.randrange(7)
        words = [match.span() for match in re.finditer(r"[\w.+^-]+", lines[at])]
        if kind == 0:
            lines.pop(at)
        elif kind == 1:
            lines.insert(at, rng.choice(rng.choice(others).splitlines(keepends=True) or ["\n"]))
        elif kind == 2:
            lines[at] = " " * rng.randrange(5) + lines[at]
        elif kind == 3:
            place = rng.randrange(len(text) + 1)
            character = chr(rng.choice([0, 9, 13, 0x7F, 0x202E, 0xFEFF, rng.randrange(32, 0x500)]))
            lines = [text[:place] + character + text[place + 1 :]]
        elif words:
            start, end = rng.choice(words)
            other = re.findall(r"[\w.+^-]+", rng.choice(others)) or ["x"]
            lines[at] = lines[at][:start] + (rng.choice(WORDS) if kind < 6 else rng.choice(other)) + lines[at][end:]
        text = "".join(lines)
    return text


def files(count, rng):
    """Checks mutated experiments and ledgers, 40 per call; a file that takes more than 2 s of CPU time is a failure."""
    found = Count("files")
    paths = sorted((ROOT / "experiments").glob("*/*.yaml"))
    experiments = [path.read_text() for path in paths if path.stat().st_size < 60_000]
    with tempfile.TemporaryDirectory() as folder:
        while found.tries < count:
            batch = []
            for number in range(min(40, count - found.tries)):
                path = Path(folder) / f"{number}.yaml"
                path.write_text(mutated(rng, rng.choice(experiments), experiments), newline="")
                batch.append(path)
            found.tries += len(batch)
            code, seconds, said = run(["check", *batch], folder)
            found.saw(f"calls with exit code {code}")
            found.saw("mistakes shown", said.count("  × "))
            if is_bad(code, said) or seconds > 10:
                for path in batch:
                    code, seconds, said = run(["check", path], folder)
                    if is_bad(code, said) or seconds > 2:
                        found.fail(f"check: exit code {code} after {seconds:.1f} s of CPU: {said[-300:]}", [path])
    return found.tell()


def runs(count, rng):
    """Runs random models and methods with extreme numbers, for a few steps each."""
    found = Count("runs")

    def listed(*what):
        return subprocess.check_output([PROGRAM, "list", *what], cwd=ROOT, text=True)

    def names(what):
        return [each["name"] for each in json.loads(listed(what, "--format", "json"))]

    models, methods = names("models"), names("methods")
    described = {name: listed("models", name) for name in models}
    numbers = {name: re.findall(r"^  ([a-z0-9-]+): (?:number|integer)", text, re.M) for name, text in described.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.yaml"
        while found.tries < count:
            model = rng.choice(models)
            drawn = rng.sample(numbers[model], min(len(numbers[model]), rng.randrange(3)))
            given = ", ".join(f"{name}: {rng.choice(EXTREMES)}" for name in drawn)
            start = rng.choice(["0.0", "0.0", "-1e9", "1e15"])
            length = rng.choice(["1e-3", "1.0", "1e6", "1e12"])
            control = rng.choice([f"step: {rng.choice(EXTREMES)}", f"tolerance: {rng.choice(EXTREMES)}"])
            path.write_text(
                f"id: mine/run\nmodel: {{ {model}: {{ {given} }} }}\n"
                f"span: [{start}, {float(start) + float(length)!r}]\n"
                f"method: {rng.choice(methods)}\n{control}\nsettings: {{ max_steps: 50, max_rhs_evaluations: 20000 }}\n"
                "measures: [steps_accepted, rhs_evaluations]\n")
            found.tries += 1
            shutil.rmtree(Path(folder) / "results", ignore_errors=True)
            options = ["--fresh", "--cache", "store", "--jobs", "1", "--memory", "4GB"]
            code, seconds, said = run(["run", path, *options], folder, 120)
            found.saw(f"with exit code {code}")
            rows = Path(folder) / "results/mine/run/runs.csv"
            if rows.exists():
                head, row = [line.split(",") for line in rows.read_text().splitlines()[:2]]
                cells = dict(zip(head, row))
                found.saw("runs")
                found.saw(cells["status"])
                if int(cells["steps_accepted"] or 0) > 50 or int(cells["rhs_evaluations"] or 0) > 20000:
                    found.fail(f"beyond its budget: {row}", [path])
            if is_bad(code, said) or seconds > 60:
                found.fail(f"run: exit code {code} after {seconds:.1f} s of CPU: {said[-300:]}", [path])
            if found.tries % 200 == 0:
                shutil.rmtree(Path(folder) / "store", ignore_errors=True)
    return found.tell()


EXPERIMENT = """id: mine/pendulum
model: pendulum
span: [0.0, 4.0]
known: { defaults: printed }
method: [rk3, rk5, rk8, dopri5]
step: [1e-4, 2e-4, 4e-4]
measures: [energy_variation, rhs_evaluations]
plots: [{ id: swing, x: t, y: [theta, energy], series: method, where: { step: 4e-4 } }]
undetermined: { model.mass: { range: [1.0, 100.0], why: not printed } }
"""
CLAIMS = """schema: 2
paper: mine
statements:
  - id: small
    place: Section 1
    says: The energy varies little.
    bound: { of: { experiment: pendulum, column: energy_variation, reduce: max }, below: 1.0 }
    why: only a test
    bound_from: ours
"""
# After these commands all results exist. A verdict depends on the study, so the exit code may be 1 before it.
COMMANDS = [
    ["reproduce", "mine"],
    ["runs", "shard", "1/2", "mine"],
    ["reconstruct", "experiments/mine/pendulum.yaml", "--samples", "16"],
    ["verify", "mine"],
    ["render", "--to", "html"],
]


def place(folder):
    mine = Path(folder) / "experiments/mine"
    mine.mkdir(parents=True)
    (mine / "pendulum.yaml").write_text(EXPERIMENT)
    (mine / "claims.yaml").write_text(CLAIMS)


def results(folder):
    """Returns the content of all files below `results`, by path."""
    under = Path(folder) / "results"
    whole = {path.relative_to(folder): path.read_bytes() for path in sorted(under.rglob("*")) if path.is_file()}
    return {path: content for path, content in whole.items() if path.name != "manifest.json"}


def finished(folder):
    for command in COMMANDS:
        code, _, said = run(command, folder, 120)
        if code not in (0, 1):
            return f"{command}: exit code {code}: {said[-300:]}"
    return None


def kills(count, rng):
    """Kills commands at random times. Every file must be complete, and later results must be the same as without."""
    found = Count("kills")
    with tempfile.TemporaryDirectory() as whole:
        place(whole)
        begin = time.time()
        if wrong := finished(whole):
            raise SystemExit(wrong)
        expected, once = results(whole), (time.time() - begin) / len(COMMANDS)
    while found.tries < count:
        with tempfile.TemporaryDirectory() as folder:
            place(folder)
            for command in COMMANDS * 2:
                silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                child = subprocess.Popen([PROGRAM, *command], cwd=folder, **silent)
                time.sleep(rng.uniform(0.0, 1.5 * once))
                child.send_signal(signal.SIGKILL)
                found.tries += 1
                found.saw(f"{command[0]} {'killed' if child.wait() < 0 else 'finished before'}")
                for path, content in results(folder).items():
                    is_fixed = not path.name.endswith(".part") and "claims.json" not in path.name
                    is_fixed = is_fixed and "report" not in path.parts
                    if is_fixed and path in expected and content != expected[path]:
                        found.fail(f"{command}: {path} is incomplete", [])
            wrong = finished(folder)
            if wrong or results(folder) != expected:
                differing = [str(path) for path, content in results(folder).items() if expected.get(path) != content]
                found.fail(wrong or f"differs from results without kills: {differing}", [])
    return found.tell()


def disks(count, rng):
    """Fills the disk at some point. The error must name a path, and all results must be complete once space is free."""
    found = Count("disks")
    with tempfile.TemporaryDirectory() as whole:
        place(whole)
        finished(whole)
        expected = results(whole)
    while found.tries < count:
        with tempfile.TemporaryDirectory() as folder:
            place(folder)
            on = Path(folder) / rng.choice(["results", "target"])
            on.mkdir()
            size = rng.randrange(4, 400)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", on], check=True)
            try:
                found.tries += 1
                code, _, said = run(COMMANDS[0], folder, 120)
                found.saw(f"with exit code {code}")
                if is_bad(code, said) or (code == 3 and on.name not in said):
                    found.fail(f"{size} kB: exit code {code}: {said[-300:]}", [])
                subprocess.run(["mount", "-o", "remount,size=100m", on], check=True)
                wrong = finished(folder)
                if wrong or results(folder) != expected:
                    found.fail(f"{size} kB: {wrong or 'differs from results with free space'}", [])
            finally:
                subprocess.run(["umount", on], check=True)
    return found.tell()
