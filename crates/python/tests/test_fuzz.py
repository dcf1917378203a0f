"""Random functions with mistakes, as models, methods and equations: each is refused, fails or is solved within limits.

A function misbehaves from some call on: wrong shapes and types, NaN, huge numbers, exceptions, changed arguments,
recursion. The limits of a call of the package are 2 s of CPU, 2 GB of address space and 1 MB of stack. No exceptions
may come back but the function's own, those of the package, and those of Python about types and values.

    python crates/python/tests/test_fuzz.py SEED COUNT [FIRST]

names each input on standard error before it is tried. In the tests, `FUZZ_INPUTS` and `FUZZ_SEED` choose others.
"""

import faulthandler
import os
import random
import resource
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mbsbench

CPU, STACK, MEMORY = 2.0, 1 << 20, 2 << 30
NUMBERS = [0, -0.0, 1, -1, 1e308, -1e308, 5e-324, 1e-300, float("nan"), float("inf"), 2**70, True, 1 + 2j]
METHODS = ["rk4", "dopri5", "radau5", "ode15s", "hht-i3", "generalized-alpha", "hem4", "lie-generalized-alpha", "ss2"]
METHODS += ["ode23s", "mebdf", "trapezoidal", "shake", "gbs", "ode45", "no-such-method"]


class Mine(Exception):
    """An exception of a function."""


class Odd:
    """An object whose conversions fail."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Mine("no array")

    def __float__(self) -> float:
        raise Mine("no number")

    def __len__(self) -> int:
        return -1


def deep(depth: int) -> int:
    return deep(depth + 1) + 1


def raising(error: BaseException) -> Any:
    raise error


def changed(rng: random.Random, value: Any, arguments: tuple[Any, ...]) -> Any:
    """Returns what a function with a mistake returns instead of a value."""
    array = np.asarray(value, dtype=float)
    number = rng.choice(NUMBERS)
    spoilt = array.astype(complex if isinstance(number, complex) else float).copy()
    if spoilt.size:
        spoilt.flat[rng.randrange(spoilt.size)] = number
    kinds: list[Any] = [
        lambda: spoilt,
        lambda: spoilt.tolist(),
        lambda: number,
        lambda: array.astype(rng.choice([bool, int, np.float32, complex, object, "U8", "longdouble", "datetime64[s]"])),
        lambda: array[..., None],
        lambda: array.ravel()[:-1],
        lambda: np.concatenate([array.ravel(), array.ravel()]),
        lambda: np.zeros(rng.choice([(0,), (0, 3), (2, 0), (1, 1, 1, 1), (10**4,)])),
        lambda: np.broadcast_to(np.float64(1.0), array.shape),
        lambda: np.asfortranarray(np.tile(array, 2))[..., ::2],
        lambda: np.ma.masked_array(array, mask=True),
        lambda: memoryview(array.tobytes()),
        lambda: rng.choice([None, "text", b"bytes", [], {1: 2}, [[1.0], [1.0, 2.0]], Odd(), iter([1.0]), float, deep]),
        lambda: raising(rng.choice([Mine("mine"), MemoryError(), SystemExit(3), StopIteration(), GeneratorExit()])),
        lambda: deep(0),
        lambda: mbsbench.solve("pendulum", 0.1, "rk4", step=0.05).y[-1],
        lambda: [1e-3 * number * array, arguments[-1].__setitem__(slice(None), 7.0)][0],
        lambda: [array, arguments[-1].setflags(write=True), arguments[-1].fill(np.nan)][0],
    ]
    return rng.choice(kinds)()


def spoilt(rng: random.Random, function: Any) -> Any:
    """Returns a function that misbehaves from a random call on, always or now and then."""
    first, share = rng.choice([0, 0, 1, 5, 30, 200]), rng.choice([1.0, 1.0, 0.1])
    own, calls = random.Random(rng.random()), [0]

    def called(*arguments: Any) -> Any:
        calls[0] += 1
        value = function(*arguments)
        return changed(own, value, arguments) if calls[0] > first and own.random() < share else value

    return called if rng.random() < 0.6 else function


def functions(rng: random.Random) -> Any:
    """Returns a random model."""
    energy = spoilt(rng, lambda t, y: float(y[0])) if rng.random() < 0.5 else None
    if rng.random() < 0.5:
        jacobian = spoilt(rng, lambda t, y: [[0.0, 1.0], [-4.0, 0.0]]) if rng.random() < 0.6 else None
        initial = changed(rng, [1.0, 0.0], (np.zeros(2),)) if rng.random() < 0.1 else [1.0, 0.0]
        rhs = spoilt(rng, lambda t, y: [y[1], -4 * y[0]])
        return mbsbench.Ode("odd", rhs, initial, jacobian=jacobian, energy=energy)
    more: dict[str, Any] = {"energy": energy, "start": rng.choice(["as-written", "assembled"])}
    if rng.random() < 0.7:
        more["constraints"] = spoilt(rng, lambda t, q: [0.5 * (q @ q - 1)])
        if rng.random() < 0.6:
            more["jacobian"] = spoilt(rng, lambda t, q: [q])
    mass, forces = spoilt(rng, lambda q: np.eye(2)), spoilt(rng, lambda t, q, v: [0.0, -9.81])
    return mbsbench.Mechanics("odd", mass, forces, rng.choice([[1.0, 0.0], [1.1, 0.0]]), **more)


def method(rng: random.Random) -> type:
    """Returns a random method."""

    def step(self: Any, problem: Any, t: float, y: Any, h: float) -> Any:
        new = y + h * problem.rhs(t, y)
        return (new, h * new) if pair else new

    pair = rng.random() < 0.3
    wrong = spoilt(rng, lambda self, problem, t, h, y: step(self, problem, t, y, h))
    attributes: dict[str, Any] = {"name": "odd-method", "order": rng.choice([*[1] * 60, 2, *NUMBERS, None, "x"])}
    attributes["step"] = lambda self, problem, t, y, h: wrong(self, problem, t, h, y)
    if pair:
        attributes["error_order"] = rng.choice([*[1] * 60, *NUMBERS])
    return type("OddMethod", (), attributes)


def equations(rng: random.Random) -> Any:
    """Returns random equations as a dictionary."""
    words = ["x", "v", "-x", "t", "1/0", "x^v", "sqrt(x)", "(" * 60, "y[1]", "sum(i, 1, 3, x)", "ln(-1)", "", "nan"]
    value = lambda: rng.choice([rng.choice(words), rng.choice(NUMBERS), "x", "v", "-x", None, [1, 2], {"size": 3}])
    names = rng.sample(["x", "v", "t", "y", "a b", ""], 2) if rng.random() < 0.3 else ["x", "v"]
    found = {"states": {name: rng.choice([1.0, value()]) for name in names}, "rates": {name: value() for name in names}}
    if rng.random() < 0.3:
        found["mass"] = {rng.choice(names): {rng.choice(names): value()}}
    if rng.random() < 0.3:
        found["energy"] = value()
    return {"equations": found}


def once(rng: random.Random) -> str:
    """Makes one call; returns its outcome."""
    kind = rng.choice(["model", "model", "method", "equations"])
    control: Any = rng.choice([{"step": 0.01}, {"step": 0.05}, {"tolerance": 1e-6}, {"tolerance": (1e-3, 1e-6)}])
    if rng.random() < 0.1:
        control = {rng.choice(["step", "tolerance", "max_step", "first_step"]): rng.choice(NUMBERS)}
    limits: Any = {"max_steps": 100, "max_evaluations": 5000}
    try:
        if kind == "model":
            problem: Any = functions(rng)
            solution = mbsbench.solve(problem, 0.3, rng.choice(METHODS), **control, **limits)
            own = mbsbench.model(problem)
            own.observe(0.0, own.initial())
        elif kind == "method":
            solution = mbsbench.solve(rng.choice(["pendulum", "slider-crank"]), 0.3, method(rng), **control, **limits)
        else:
            solution = mbsbench.solve(equations(rng), 0.3, rng.choice(METHODS), **control, **limits)
    except (mbsbench.InputError, mbsbench.ProblemError) as error:
        assert str(error).strip(), "an error without a message"
        return "refused"
    except (Mine, MemoryError, RecursionError, SystemExit, StopIteration, GeneratorExit):
        return "raised"
    except (TypeError, ValueError, OverflowError):
        return "raised"
    if solution.success:
        assert np.all(np.isfinite(solution.y)), "success with numbers that are not finite"
        return "solved"
    assert solution.message.strip(), f"the status {solution.status} without a message"
    return "failed"


def fuzz(seed: int, count: int, first: int = 0) -> None:
    """Makes calls, each with a generator of its own, so that one can be repeated."""
    seen: dict[str, int] = {}
    slowest = 0.0
    for number in range(first, first + count):
        print(f"input {number} of seed {seed}", file=sys.stderr)
        faulthandler.dump_traceback_later(100, exit=True)
        begin = time.thread_time()
        outcome = once(random.Random(f"{seed}.{number}"))
        took = time.thread_time() - begin
        slowest = max(slowest, took)
        assert took < CPU, f"{took:.1f} s of CPU"
        seen[outcome] = seen.get(outcome, 0) + 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{count} inputs of seed {seed}: {seen}, slowest {slowest:.2f} s")


def alone(*numbers: int) -> None:
    """Runs `fuzz` with limits of memory and stack, and ends with exit code 0 if nothing is wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    warnings.simplefilter("ignore")
    done: list[bool] = []
    threading.stack_size(STACK)
    thread = threading.Thread(target=lambda: (fuzz(*numbers), done.append(True)))
    thread.start()
    thread.join()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    print(f"at most {peak} MB in use")
    sys.exit(0 if done else 1)


def test_random_functions_are_refused_or_fail_within_limits(project: Path) -> None:
    count, seed = os.environ.get("FUZZ_INPUTS", "400"), os.environ.get("FUZZ_SEED", "1")
    child = subprocess.run([sys.executable, __file__, seed, count], capture_output=True, text=True)
    assert child.returncode == 0, f"exit code {child.returncode}\n{child.stdout}{child.stderr[-3000:]}"
    print(child.stdout)


if __name__ == "__main__":
    alone(*map(int, sys.argv[1:]))
