"""Models, methods and ledgers of mbsbench, together with methods and models of your own.

>>> import mbsbench
>>> pendulum = mbsbench.model("pendulum")
>>> mbsbench.solve(pendulum, 1.0, method="radau5", tolerance=1e-8).y[-1]

A method is a class with a name, an order and a step:

>>> class Heun:
...     name, order = "heun", 2
...
...     def step(self, problem, t, y, h):
...         k1 = problem.rhs(t, y)
...         return y + h / 2 * (k1 + problem.rhs(t + h, y + h * k1))
>>> mbsbench.solve(pendulum, 1.0, method=Heun, step=1e-3)
>>> mbsbench.compare(Heun, models=["pendulum"])
"""

from ._comparison import Advice, Comparison, compare
from ._mbsbench import InputError, Model, Problem, ProblemError, Solution, __version__
from ._methods import Coefficients, Method, examine, forget, methods, register
from ._models import Mechanics, Ode, accelerations, model, models
from ._parameters import Parameter, Parameters
from ._program import CommandFailed, command, explain, verify
from ._runs import Picture, run, solve
from .results import Results, load

__all__ = [
    "Advice",
    "Coefficients",
    "CommandFailed",
    "Comparison",
    "InputError",
    "Mechanics",
    "Method",
    "Model",
    "Ode",
    "Parameter",
    "Parameters",
    "Picture",
    "Problem",
    "ProblemError",
    "Results",
    "Solution",
    "__version__",
    "accelerations",
    "command",
    "compare",
    "examine",
    "explain",
    "forget",
    "load",
    "methods",
    "model",
    "models",
    "register",
    "run",
    "solve",
    "verify",
]
