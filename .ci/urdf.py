#!/usr/bin/env python3
"""Compares the motion of public robots with Pinocchio from random joint angles and rates.

    .ci/urdf.py [--program MBSBENCH] [FOLDER_OR_FILE…]     # default: all robots of the packages in PACKAGES

Each file is read by `mbsbench check`. Accepted robots are run by `dop853` at 1e-12 without damping and friction, and
the centres of mass of their bodies after 0.5 s are compared with those of Pinocchio, integrated by SciPy's DOP853 at
1e-11; a motion that ends before is compared over the longest of SPANS that it lasts. Mimic joints are eliminated from
Pinocchio's mass matrix. The last lines are a table by package, the reasons of refusals, and the differences. Exits
with an error if a difference is above LARGEST, or if less than SHARE of the files with finite accelerations in
Pinocchio, mimic joints being independent there, are accepted. Pinocchio and the packages are installed in target/urdf
if this Python does not have them.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

try:
    import numpy as np
    import pinocchio as pin
    from scipy.integrate import solve_ivp
except ModuleNotFoundError:
    pin = None

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target/urdf"
PACKAGES = ["example-robot-data", "icub-models", "airo-models", "hello-robot-stretch-urdf", "dexmate-urdf"]
FOLDERS = dict(zip(["example-robot-data", "iCub", "airo_models", "stretch_urdf", "dexmate_urdf"], PACKAGES))
LARGEST = 1e-8
SHARE = 0.95
SPANS = [0.5, 0.1, 0.01, 0.001]
SINGLE = {"revolute", "continuous", "prismatic"}


def run_with_packages() -> int:
    """Runs this program with a Python that has Pinocchio, SciPy and the robots."""
    python = FOLDER / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pin", "scipy", *PACKAGES], check=True)
    return subprocess.run([python, __file__, *sys.argv[1:]]).returncode


def reason(said: str) -> str:
    """The message of a refusal without names and numbers, for counting."""
    line = re.sub(r"^\W*(error: )?\S+:\d+:\d+: ", "", said.strip().splitlines()[0])
    return re.sub(r"`[^`]*`", "`…`", re.sub(r"\[[^]]*\]|-?\d[\d.e-]*", "#", line))[:110]


def parsed(text: str) -> xml.Element:
    """The root element; prefixes need no declaration."""
    return xml.fromstring(re.sub(r"(</?|\s)(?!xmlns)(\w+):(?=\w)", r"\1\2.", text))


def has_accelerations(text: str) -> bool:
    """True if Pinocchio reads the text and has finite accelerations at random angles and rates."""
    try:
        model = pin.buildModelFromXML(text)
    except Exception:
        return False
    random = np.random.default_rng(len(text))
    q = pin.integrate(model, pin.neutral(model), random.uniform(-1, 1, model.nv))
    v = random.uniform(-1, 1, model.nv)
    return model.nv > 0 and bool(np.isfinite(pin.aba(model, model.createData(), q, v, 0 * v)).all())


class Robot:
    """A robot as Pinocchio reads it. Its state is the pose of a floating base, independent joint coordinates, rates."""

    def __init__(self, text: str, floating: bool):
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
        self.data = self.model.createData()
        joints = {joint.get("name"): joint for joint in parsed(text).findall("joint")}
        self.child = {name: joint.find("child").get("link") for name, joint in joints.items()}
        self.kind = {name: joint.get("type") for name, joint in joints.items()}
        self.pose, self.base = (7, 6) if floating else (0, 0)
        self.names = list(self.model.names)[2 if floating else 1 :]
        if not self.names or any(self.kind[name] not in SINGLE for name in self.names):
            raise ValueError("planar or floating joints are not compared")
        follows = {}
        for name in self.names:
            mimic = joints[name].find("mimic")
            if mimic is not None:
                follows[name] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
        self.free = [name for name in self.names if name not in follows]
        self.all = np.zeros((self.model.nv, self.base + len(self.free)))
        self.all[: self.base, : self.base] = np.eye(self.base)
        self.offset = np.zeros(self.model.nv)
        for k, name in enumerate(self.names):
            factor, offset = 1.0, 0.0
            while name in follows:
                name, ratio, own = follows[name]
                factor, offset = factor * ratio, offset + factor * own
            self.all[self.base + k, self.base + self.free.index(name)] = factor
            self.offset[self.base + k] = offset

    def position(self, y):
        x = np.concatenate([np.zeros(self.base), y[self.pose : self.pose + len(self.free)]])
        q = pin.integrate(self.model, pin.neutral(self.model), self.all @ x + self.offset)
        q[: self.pose] = y[: self.pose]
        return q

    def rate(self, _, y):
        q, rates = self.position(y), y[self.pose + len(self.free) :]
        v = self.all @ rates
        if len(self.free) == len(self.names):
            a = pin.aba(self.model, self.data, q, v, 0 * v)
        else:
            mass = pin.crba(self.model, self.data, q)
            mass = np.triu(mass) + np.triu(mass, 1).T
            force = -pin.nonLinearEffects(self.model, self.data, q, v)
            a = np.linalg.solve(self.all.T @ mass @ self.all, self.all.T @ force)
        pose = []
        if self.pose:
            turn = pin.Quaternion(q[3:7])
            spin = turn * pin.Quaternion(np.append(0.5 * v[3:6], 0.0))
            pose = [turn.matrix() @ v[:3], spin.coeffs()]
        return np.concatenate([*pose, rates[self.base :], a])

    def centres(self, y):
        """Centres of mass by the link behind each joint, if it has mass."""
        pin.forwardKinematics(self.model, self.data, self.position(y))
        places = zip(list(self.model.names)[1:], list(self.data.oMi)[1:], list(self.model.inertias)[1:])
        return {self.child.get(name, ""): place.act(inertia.lever) for name, place, inertia in places if inertia.mass}


def compare(program: Path, text: str, floating: bool, folder: Path, renamed: dict, span: float) -> float:
    """The largest distance of a centre of mass from Pinocchio's after a time, m."""
    robot = Robot(text, floating)
    random = np.random.default_rng(len(text))
    n = len(robot.free)
    angles, rates = random.uniform(-1, 1, (2, n))
    joints = {}
    for k, name in enumerate(robot.free):
        if robot.kind[name] == "prismatic":
            angles[k], rates[k] = 0.1 * angles[k], 0.1 * rates[k]
            initial = {"prismatic": {"distance": angles[k], "speed": rates[k]}}
        else:
            initial = {"revolute": {"angle": angles[k], "rate": rates[k]}}
        joints[renamed.get(("joint", name), name)] = initial
    rest = np.array([0, 0, 0, 0, 0, 0, 1.0]) if floating else []
    start = np.concatenate([rest, angles, np.zeros(robot.base), rates])
    if not np.isfinite(robot.rate(0, start)).all():
        raise ValueError("Pinocchio has no finite accelerations")
    bodies = {link: renamed.get(("link", link), link) for link in robot.centres(start) if link}
    (folder / "r.urdf").write_text(text)
    mechanism = {"file": "r.urdf", "joints": joints, "observe": list(bodies.values())}
    (folder / "run.yaml").write_text(json.dumps({
        "schema": 2, "id": "urdf/run", "title": "robot", "span": [0, span], "method": "dop853", "tolerance": 1e-12,
        "model": {"mechanism": mechanism | ({"base": "floating"} if floating else {})},
        "measures": [{"final": {"of": f"{body}_{axis}"}} for body in bodies.values() for axis in "xyz"],
    }))
    command = [program, "run", "run.yaml", "--out", "out", "--cache", "cache"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError("the run failed: " + " ".join(done.stderr.split())[:200])
    row = next(csv.DictReader((folder / "out/urdf/run/runs.csv").open()))
    end = solve_ivp(robot.rate, (0, span), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    largest = 0.0
    for link, centre in robot.centres(end).items():
        if link:
            found = [float(row[f"final({bodies[link]}_{axis})"] or "nan") for axis in "xyz"]
            largest = max(largest, float(np.nan_to_num(np.linalg.norm(centre - found), nan=np.inf)))
    return largest


def compare_longest(*what) -> tuple[float, float]:
    """The largest distance of a centre of mass from Pinocchio's (m) after the longest of SPANS that a run lasts."""
    for span in SPANS[:-1]:
        try:
            return compare(*what, span), span
        except (RuntimeError, subprocess.TimeoutExpired):
            continue
    return compare(*what, SPANS[-1]), SPANS[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/mbsbench")
    parser.add_argument("--floating", action="store_true", help="let the base of each robot float")
    parser.add_argument("places", type=Path, nargs="*")
    arguments = parser.parse_args()
    if pin is None:
        sys.exit(run_with_packages())
    files = set()
    for place in arguments.places or [Path(sys.prefix)]:
        files |= {path.resolve() for path in ([place] if place.is_file() else place.rglob("*.urdf"))}
    table, refusals, others, differences = {}, Counter(), Counter(), []
    for path in sorted(files):
        package = next((name for part, name in FOLDERS.items() if part in path.parts), path.parent.name)
        row = table.setdefault(package, Counter())
        row["files"] += 1
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = path.read_text(errors="replace")
            (folder / "r.urdf").write_text(text)
            command = [arguments.program.resolve(), "check", "--read", "r.urdf"]
            said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if "no moving link" in said.stderr:
                continue
            row["moving"] += 1
            text = re.sub(r"<\?xml[^>]*\?>|<dynamics\b[^>]*/>|<dynamics\b.*?</dynamics>", "", text, flags=re.S)
            finite = has_accelerations(text)
            row["finite"] += finite
            if said.returncode:
                refusals[("" if finite else "singular or unreadable in Pinocchio, ") + reason(said.stderr)] += 1
                print(f"refused   {path.name}: {said.stderr.strip().splitlines()[0]}, {finite=}")
                continue
            row["accepted"] += 1
            row["both"] += finite
            renamed = {(a, b): c for a, b, c in re.findall(r"renamed: (link|joint) `(.*)` to `(.*)`", said.stdout)}
            try:
                difference, span = compare_longest(command[0], text, arguments.floating, folder, renamed)
            except Exception as error:
                others[str(error)[:90]] += 1
                print(f"accepted  {path.name}: {error}, {finite=}")
                continue
            row["compared"] += 1
            row["largest"] = max(row["largest"], difference)
            differences.append(difference)
            print(f"{difference:.1e}   {path.name}{'' if span == SPANS[0] else f', {span} s'}", flush=True)
    columns = ["files", "moving", "finite", "accepted", "both", "compared", "largest"]
    print("\npackage | files | with a moving link | finite accelerations | accepted | both | compared | largest, m")
    for package, row in table.items():
        print(package, *(f"{row[key]:.1e}" if key == "largest" else str(row[key]) for key in columns), sep=" | ")
    total = sum(table.values(), Counter())
    for kind, counts in [("refused", refusals), ("accepted, not compared", others)]:
        for text, count in counts.most_common():
            print(f"{count:4} {kind}: {text}")
    largest = max(differences, default=0.0)
    median = sorted(differences)[len(differences) // 2] if differences else 0.0
    print(f"largest difference {largest:.1e} m, median {median:.1e} m")
    print(f"{total['both']} of {total['finite']} files with finite accelerations in Pinocchio are accepted")
    sys.exit(largest > LARGEST or total["both"] < SHARE * total["finite"])


if __name__ == "__main__":
    main()
