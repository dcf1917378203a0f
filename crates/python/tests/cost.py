"""The costs of calls and steps, compared with SciPy: `python crates/python/tests/cost.py`; see the table in
docs/python.md."""

import timeit

import numpy as np
from scipy.integrate import solve_ivp

import mbsbench


class Rk4:
    name, order = "cost-rk4", 4

    def step(self, problem, t, y, h):
        rhs = problem.rhs
        k1 = rhs(t, y)
        k2 = rhs(t + h / 2, y + h / 2 * k1)
        k3 = rhs(t + h / 2, y + h / 2 * k2)
        k4 = rhs(t + h, y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class Pair:
    name, order, error_order = "cost-pair", 3, 3

    def step(self, problem, t, y, h):
        rhs = problem.rhs
        k1 = rhs(t, y)
        k2 = rhs(t + h / 2, y + h / 2 * k1)
        k3 = rhs(t + 3 * h / 4, y + 3 * h / 4 * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = rhs(t + h, new)
        return new, h * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4) / 72


def best(call, number: int) -> float:
    """Least time of a call in microseconds."""
    return 1e6 * min(timeit.repeat(call, number=number, repeat=7)) / number


def main() -> None:
    m = mbsbench.model("pendulum")
    y, out = m.initial(), np.zeros(2)
    lines = [("a right-hand side of the pendulum through Python", best(lambda: m.rhs(0.0, y), 20000))]
    lines += [("the same into an array that is there", best(lambda: m.rhs(0.0, y, out), 20000))]
    noop = lambda t, y: y  # noqa: E731
    lines += [("a function of Python that does nothing", best(lambda: noop(0.0, y), 20000))]
    steps = 1000
    solved = best(lambda: mbsbench.solve(m, 1.0, method=Rk4, step=1 / steps), 1) / steps
    lines += [("a step of rk4 in Python, four evaluations", solved)]
    rust = best(lambda: mbsbench.solve(m, 1.0, method="rk4", step=1 / steps), 5) / steps
    lines += [("the same in Rust", rust)]
    pair = mbsbench.solve(m, 10.0, method=Pair, tolerance=1e-6)
    ours = best(lambda: mbsbench.solve(m, 10.0, method=Pair, tolerance=1e-6), 1) / pair.statistics["steps_accepted"]
    scipy = solve_ivp(m.rhs, (0, 10), y, method="RK23", rtol=1e-6, atol=1e-6)
    theirs = best(lambda: solve_ivp(m.rhs, (0, 10), y, method="RK23", rtol=1e-6, atol=1e-6), 1) / (len(scipy.t) - 1)
    lines += [("an accepted step of Bogacki and Shampine's pair in Python", ours)]
    lines += [("the same by `solve_ivp(m.rhs, …, method=\"RK23\")`", theirs)]
    print("| | µs |\n|---|---|")
    for what, microseconds in lines:
        print(f"| {what} | {microseconds:.2f} |")


if __name__ == "__main__":
    main()
