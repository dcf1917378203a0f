"""Random mechanisms across formulations and methods."""

import random
import shutil
import tempfile
from pathlib import Path

from .assurance import Tally
from .program import Count, is_bad, rows, run
from .random_mechanisms import KINDS

ADAPTIVE = ["dopri5", "rk8", "dop853", "dop853-projected", "radau5", "ode15s", "mebdf", "cvode-bdf", "ida", "hedop5",
            "hht-i3", "generalized-alpha"]
CONSTANT = ["rk4", "hem4", "hht-i3", "generalized-alpha", "rattle", "mssth4", "bathe", "lms2", "esdirk436l2sa2",
            "hht-si2", "generalized-alpha-si2", "half-implicit-euler", "trapezoidal", "newmark", "nstiff"]
FORMULATIONS = ["acceleration-level", "minimal"]
REFERENCES = [("minimal", "dop853"), ("acceleration-level", "dop853-projected"), ("acceleration-level", "radau5")]
TIGHT, MOVED = 1e-11, 1e-7  # tolerance of references; displacement that shows how sensitive a motion is


class Case:
    """One method on one formulation, with a tolerance or two constant steps."""

    def __init__(self, formulation, method, control, max_step=None, file="m"):
        self.formulation, self.method, self.control, self.max_step = formulation, method, control, max_step
        self.file = file

    def text(self, name, measures):
        limits = "max_steps: 20000, max_rhs_evaluations: 200000"
        if self.max_step:
            limits = f"max_steps: 200000, max_rhs_evaluations: 2000000, max_step: {self.max_step!r}"
        model = f"{{ mechanism: {{ file: {self.file}, formulation: {self.formulation} }} }}"
        return (f"  - case: {name}\n    model: {model}\n"
                f"    method: {self.method}\n    {self.control}\n    settings: {{ {limits} }}\n"
                f"    measures: [{measures}]\n")


class Task:
    """A random mechanism with its runs."""

    def __init__(self, rng):
        self.kind, build = rng.choice(KINDS)
        seed = rng.randrange(1 << 30)
        self.machine, moved = build(random.Random(seed), 0.0), build(random.Random(seed), MOVED)
        name = "m.urdf" if self.machine.urdf else "m.yaml"
        self.files = {name: self.machine.text(), "moved-" + name: moved.text()}
        self.tolerance = float(f"{10 ** rng.uniform(-9, -6):.2g}")
        self.step = float(f"{self.machine.span / 10 ** rng.uniform(2, 2.8):.3g}")
        fine = self.machine.max_step
        tight = [Case(formulation, method, f"tolerance: {TIGHT}", fine, name) for formulation, method in REFERENCES]
        self.references = len(tight)
        drawn = self.machine.drawn
        cases = [Case(rng.choice(drawn), method, f"tolerance: {self.tolerance!r}", None, name)
                 for method in rng.sample(ADAPTIVE, 4)]
        cases += [Case(rng.choice(drawn), method, f"step: [{self.step!r}, {self.step / 2!r}]", None, name)
                  for method in rng.sample(CONSTANT, 2)]
        first = tight[0]
        self.cases = [*tight, Case(first.formulation, first.method, first.control, fine, "moved-" + name), *cases]

    def experiment(self, numbers=None):
        measures = ", ".join(f"{{ final: {{ of: {name} }} }}" for name in self.machine.seen)
        measures += ", energy_variation, constraint_max, steps_accepted"
        return (f"id: mine/mechanism\ntitle: a random mechanism\nspan: [0, {self.machine.span!r}]\ncases:\n"
                + "".join(case.text(f"c{at}", measures) for at, case in enumerate(self.cases)
                          if numbers is None or at in numbers))


def distance(one, other):
    return max(abs(a - b) for a, b in zip(one, other))


def mechanisms(count, rng, command):
    """Runs random mechanisms; a run is wrong if it is off by 1 % of the scale and 1000 tolerances."""
    tally, found = Tally("mechanisms"), Count("mechanisms")
    with tempfile.TemporaryDirectory() as folder:
        while tally.models["mechanisms"] < count:
            tally.models["mechanisms"] += 1
            judge(Task(rng), Path(folder), tally, found)
    code = tally.tell(command)
    return max(code, found.tell() if found.failures else 0)


def judge(task, folder, tally, found):
    for name, text in task.files.items():
        (folder / name).write_text(text)
    path = folder / "mechanism.yaml"
    path.write_text(task.experiment())
    shutil.rmtree(folder / "results", ignore_errors=True)
    code, _, said = run(["run", path, "--fresh", "--cache", "store", "--jobs", "1", "--memory", "4GB"], folder, 600)
    shutil.rmtree(folder / "store", ignore_errors=True)
    if code == 2:
        tally.models["refused ones"] += 1
        tally.refused[" ".join(said.split("×")[1].split())[:200] + said[-500:]] += 1
        return
    if is_bad(code, said):
        found.fail(f"run: exit code {code}: {said[-600:]}", [path, *(folder / name for name in task.files)])
        return
    ended = []
    for row in rows(folder / "results/mine/mechanism/runs.csv"):
        at = int(row["case"][1:])
        if row["status"] == "ok":
            ended.append((at, row, [float(row[f"final({name})"] or "nan") for name in task.machine.seen]))
        else:
            tally.other[row["status"]] += 1
    tight = [values for at, _, values in ended if at < task.references]
    moved = next((values for at, _, values in ended if at == task.references), None)
    scale = max([0.1] + [abs(value) for values in tight[:1] for value in values])
    # two references have to agree to a tenth of the accuracy that decides
    agreed = next((one for at, one in enumerate(tight) for other in tight[at + 1 :]
                   if distance(one, other) < 1e-3 * scale), None)
    # a third one that does not agree shows a motion that has no answer
    if agreed is None or moved is None or any(distance(agreed, one) > 1e-2 * scale for one in tight):
        tally.models["without two references that agree"] += 1
        keep(task, tally, "no two references agree: " + "; ".join(
            f"{task.cases[at].method} on {task.cases[at].formulation} {row['status']}" for at, row, _ in ended))
        return
    growth = distance(agreed, moved) / MOVED
    if growth * 100 * task.tolerance > 3e-3 * scale:
        tally.models["sensitive ones left out"] += 1
        return
    for at, row, values in ended:
        if at == task.references:
            continue
        case, error = task.cases[at], distance(values, agreed)
        tolerance = float(row["tolerance"]) if row.get("tolerance") else 0.0
        verdict = "right" if error <= max(1e-2, 1e3 * tolerance) * scale else "wrong"
        if verdict == "wrong" and growth * tolerance * float(row["steps_accepted"]) > 3e-3 * scale:
            verdict = "sensitive"  # one tolerance in each step explains the error
        if verdict == "wrong":
            repeated = finer(task, at, folder, row)
            # an error that a repetition shows, with half the step or a tenth of the tolerance, is that of the method
            if repeated is None or distance(values, repeated) > error / 10:
                verdict = "coarse"
        story = (f"{case.method} on {case.formulation}, {case.control}: off by {error:.2g} of {scale:.2g}, "
                 f"{row['steps_accepted']} steps, energy varies by {row['energy_variation']}, "
                 f"constraints open by {row['constraint_max']}")
        tally.add(task.kind, verdict, row, story, task.experiment([at]), {case.file: task.files[case.file]})


def finer(task, at, folder, row):
    """Returns the answer at a tenth of the tolerance of a run or half its step, or None if there is none."""
    control = (f"tolerance: {task.tolerance / 10!r}" if row.get("tolerance") else f"step: {float(row['step']) / 2!r}")
    (folder / "mechanism.yaml").write_text(task.experiment([at]).replace(task.cases[at].control + "\n", control + "\n"))
    run(["run", "mechanism.yaml", "--fresh", "--cache", "store", "--jobs", "1", "--memory", "4GB"], folder, 600)
    shutil.rmtree(folder / "store", ignore_errors=True)
    row = rows(folder / "results/mine/mechanism/runs.csv")[0]
    return [float(row[f"final({name})"] or "nan") for name in task.machine.seen] if row["status"] == "ok" else None


def keep(task, tally, why):
    tally.wrong.append(("undecided", task.kind, why, task.experiment(), task.files))
