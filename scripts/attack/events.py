"""Random models with events against their closed forms."""

import shutil
import tempfile
from pathlib import Path

from .assurance import Tally
from .closed_forms import FAMILIES, follow, number
from .program import Count, is_bad, rows, run

PAIRS = ["dopri5", "bs32", "rk5", "rk8", "sdirk4"]
DODE = [f"{{ dode: {{ pair: {pair}, label: dode-{pair} }} }}" for pair in PAIRS]
EXPLICIT = ["bs32", "rk5", "dopri5", "ode45", "rk8", "dop853"]
LIBRARY = ["cvode-bdf", "cvode-adams", "ida"]
# The methods that locate events of a model whose state jumps, and those that do not.
LOCATE, IGNORE = DODE + ["llm"], EXPLICIT + ["ode23s", "ode15s", "radau5", "mebdf", *LIBRARY]
SUITABLE = {"jumps": LOCATE, "kinks": LOCATE + IGNORE, "equations": EXPLICIT + ["llm", "ode23s", *LIBRARY]}
LIMITS = "max_steps: 20000, max_rhs_evaluations: 200000"
AT_ONCE = 40


class Task:
    """A model with a span, tolerance and methods, and its answer."""

    def __init__(self, rng):
        self.hybrid = hybrid = rng.choice(FAMILIES)(rng)
        self.tolerance = float(f"{10 ** rng.uniform(-10, -3):.2g}")
        self.end = away_from_events(rng, hybrid, hybrid.span * rng.uniform(0.5, 1.0))
        self.state, events, self.scale = follow(hybrid, self.end)
        self.events = len(events)
        self.ignored = hybrid.methods == "jumps" and rng.random() < 0.2
        suitable = IGNORE if self.ignored else SUITABLE[hybrid.methods]
        self.methods = rng.sample(suitable, 4)

    def limit(self, component):
        """Returns the largest error of a right run."""
        scale = self.scale[component]
        return max(1e-2 * scale, 1e3 * self.tolerance * max(1.0, scale))

    def is_sensitive(self):
        """True if errors of a tolerance at the start and at events change the answer by a third of the limit, or those
        of ten tolerances the number of events."""
        if self.state is None:
            return True
        for kick in (1, -1, 10, -10):
            state, events, _ = follow(self.hybrid, self.end, kick * self.tolerance)
            if state is None or len(events) != self.events:
                return True
            moved = (abs(state[at] - self.state[at]) > self.limit(at) / 3 for at in self.hybrid.seen.values())
            if abs(kick) == 1 and any(moved):
                return True
        return False

    def misses(self, row):
        """True if a method that locates events found fewer than there are; concurrent ones may count as one."""
        locates = not self.ignored and (row["method"] not in IGNORE or self.hybrid.methods == "equations")
        return locates and not self.hybrid.concurrent and int(row["events"]) < self.events

    def case(self, name, methods, share=1):
        measures = ", ".join(f"{{ final: {{ of: {name} }} }}" for name in self.hybrid.seen)
        settings = LIMITS + (", events: ignored" if self.ignored else "")
        return (f"  - case: {name}\n    model: {self.hybrid.model}\n    span: [0, {self.end!r}]\n"
                f"    method: [{', '.join(methods)}]\n    tolerance: {share * self.tolerance!r}\n"
                f"    settings: {{ {settings} }}\n"
                f"    measures: [{measures}, events, steps_accepted, failed_locations]\n")


def away_from_events(rng, hybrid, end):
    """Returns a time near `end` that is not close to an event, since states jump there."""
    _, events, _ = follow(hybrid, 1.3 * end)
    edges = [0.0, *events] + ([1.3 * end] if not events or events[-1] < 1.3 * end else [])
    gaps = list(zip(edges, edges[1:]))
    low, high = next(((low, high) for low, high in gaps if low <= end < high), gaps[-1])
    if high - low < 1e-4 * end:
        low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
    return float(number(low + (high - low) * rng.uniform(0.2, 0.8)))


def experiment(cases):
    return "id: mine/events\ntitle: random events\ncases:\n" + "".join(cases)


def events(count, rng, command):
    """Runs random models with events; a run is wrong if it is off by 1 % of the scale and 1000 tolerances.

    A run that is not wrong although it found too few events is `missed`.
    """
    tally, found = Tally("events"), Count("events")
    with tempfile.TemporaryDirectory() as folder:
        while tally.models["models"] < count:
            tasks = []
            while len(tasks) < min(AT_ONCE, count - tally.models["models"]):
                task = Task(rng)
                if task.is_sensitive():
                    tally.models["sensitive ones left out"] += 1
                else:
                    tasks.append(task)
            tally.models["models"] += len(tasks)
            judge(tasks, Path(folder), tally, found)
    code = tally.tell(command)
    return max(code, found.tell() if found.failures else 0)


def run_cases(path, cases, seconds):
    """Runs cases as an experiment and returns the exit code and the output."""
    path.write_text(experiment(cases))
    shutil.rmtree(path.parent / "results", ignore_errors=True)
    options = ["--fresh", "--cache", "store", "--jobs", "1", "--memory", "4GB"]
    code, _, said = run(["run", path, *options], path.parent, seconds)
    shutil.rmtree(path.parent / "store", ignore_errors=True)
    return code, said


def finals(task, row):
    return {name: float(row[f"final({name})"] or "nan") for name in task.hybrid.seen}


def judge(tasks, folder, tally, found):
    """Runs tasks as cases of one experiment, or one by one if it is refused, and adds their runs to the tally."""
    path = folder / "events.yaml"
    code, said = run_cases(path, [task.case(f"m{at}", task.methods) for at, task in enumerate(tasks)], 60 * len(tasks))
    if code == 2 and len(tasks) > 1:
        for task in tasks:
            judge([task], folder, tally, found)
        return
    if is_bad(code, said) or code == 2:
        found.fail(f"run: exit code {code}: {said[-600:]}", [path])
        return
    for row in rows(folder / "results/mine/events/runs.csv"):
        task = tasks[int(row["case"][1:])]
        if row["status"] != "ok":
            tally.other[row["status"]] += 1
            continue
        ends = finals(task, row)
        errors = {name: abs(ends[name] - task.state[at]) for name, at in task.hybrid.seen.items()}
        off = {name: error for name, error in errors.items() if not error <= task.limit(task.hybrid.seen[name])}
        kind = task.hybrid.kind + (", events ignored" if task.ignored else "")
        if not off:
            tally.add(kind, "missed" if task.misses(row) else "right", row, "", "")
            continue
        name, error = max(off.items(), key=lambda each: each[1] / (task.scale[task.hybrid.seen[each[0]]] or 1.0))
        method = row["method"]
        spelled = next(each for each in task.methods if each == method or f"label: {method} " in each)
        _ = run_cases(path, [task.case("m", [spelled], 0.1)], 60)
        finer = finals(task, rows(folder / "results/mine/events/runs.csv")[0])[name]
        # an error that a repetition at a tenth of the tolerance shows is that of the method
        verdict = "wrong" if abs(finer - ends[name]) <= error / 10 else "coarse"
        tally.add(kind, verdict, row, f"{method}, tolerance {task.tolerance:g}: {name} is off by {error:.2g} of "
                  f"{task.scale[task.hybrid.seen[name]]:.2g}, {row['events']} of {task.events} events, "
                  f"{row['failed_locations']} failed locations, {row['steps_accepted']} steps",
                  experiment([task.case("m", [spelled])]))
