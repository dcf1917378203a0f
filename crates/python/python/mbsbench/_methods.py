"""Methods: built-in ones, and classes of your own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _mbsbench
from ._mbsbench import Problem
from ._models import Array, Mechanics, Ode
from ._program import command
from ._source import identity_of


class Method:
    """The attributes of a class that defines a method. It need not inherit from this class if it has `name`, `order`
    and `step`.

    A new instance is created for each solve, so attributes of `self` hold the memory of that solve.
    """

    name: ClassVar[str]
    """Name in files and tables: lower-case letters, digits and hyphens."""
    order: ClassVar[int]
    """Order of convergence."""
    error_order: ClassVar[int | None] = None
    """The power of the step size with which the error estimate decreases; None if there is no estimate and steps are
    constant."""
    evaluations: ClassVar[int] = 0
    """Largest number of evaluations in a step. If the remaining budget is smaller, the run ends before the step."""
    needs: ClassVar[str] = "rhs"
    """`rhs`: any problem with a right-hand side; `mechanics`: a mechanical system with vector coordinates."""
    remembers: ClassVar[bool] = False
    """True if a step depends on earlier steps stored in `self`. Then the optional functions `accepted()`, after each
    accepted step, and `restart()`, when the past must no longer be used, are called."""
    has_multipliers: ClassVar[bool] = False
    """True if `self.multipliers` contains the multipliers of the constraints after a step."""
    controller: ClassVar[str] = "elementary"
    """Step-size controller: `elementary` or `pi`."""
    family: ClassVar[str] = "python"
    """Family of the method, which has one colour in all figures."""
    version: ClassVar[str | None] = None
    """If a version is set, runs are kept in the cache. Their key contains the version and a hash of the class and of
    everything it refers to: functions and values of its module, of imported modules, and of enclosing functions. Runs
    are not kept if there is no version, or if a reference cannot be followed, which a warning reports."""

    def step(self, problem: Problem, t: float, y: Array, h: float) -> ArrayLike | tuple[ArrayLike, ArrayLike]:
        """Returns the state at `t + h`, starting from `y` at `t`. With an `error_order`, returns a pair: the state and
        the estimated errors.

        `y` is read-only. Calls of `problem` are counted. All numbers must be real; a pair without an `error_order` is
        an error.
        """
        raise NotImplementedError


class Coefficients:
    """A method of your own, defined by its coefficients like in a file.

    Numbers are floats, or exact numbers as text (`"1/3"`, `"0.1"`, with any number of digits). Order and stability are
    computed from the coefficients; a wrong claimed order is an error.
    """

    def __init__(self, name: str, kind: str, values: Mapping[str, Any]) -> None:
        self.name = name
        """Name in tables."""
        given = {key.replace("_", "-"): spelled(value) for key, value in values.items() if value is not None}
        self.written = {kind: given}
        """The content of a file with these coefficients."""

    @classmethod
    def runge_kutta(
        cls,
        name: str,
        rows: Sequence[Sequence[Any]],
        weights: Sequence[Any],
        *,
        nodes: Sequence[Any] | None = None,
        embedded: Sequence[Any] | None = None,
        order: int | None = None,
        newton_tolerance: float | None = None,
    ) -> "Coefficients":
        """A Runge–Kutta formula, explicit or diagonally implicit.

        Args:
            rows: rows of `a`, one per stage; the row of an explicit first stage is empty.
            weights: `b`, one per stage.
            nodes: `c` [default: the row sums].
            embedded: second weights on the same stages, for an error estimate.
            order: the claimed order.
            newton_tolerance: tolerance of Newton's iteration in an implicit formula.
        """
        values = {"rows": rows, "weights": weights, "nodes": nodes, "embedded": embedded, "order": order}
        return cls(name, "runge-kutta", values | {"newton_tolerance": newton_tolerance})

    @classmethod
    def multistep(
        cls, name: str, alpha: Sequence[Any], beta: Sequence[Any], *, newton_tolerance: float | None = None
    ) -> "Coefficients":
        """An implicit linear multistep formula: `α₁ … α_r`, which sum to 1, and `β₀ … β_r` with a nonzero `β₀`."""
        return cls(name, "multistep", {"alpha": alpha, "beta": beta, "newton_tolerance": newton_tolerance})

    @classmethod
    def generalized_alpha(cls, name: str, alpha_m: Any, alpha_f: Any, beta: Any, gamma: Any) -> "Coefficients":
        """A generalized-α formula for index-3 equations, defined by its weights."""
        return cls(name, "generalized-alpha", {"alpha_m": alpha_m, "alpha_f": alpha_f, "beta": beta, "gamma": gamma})

    @property
    def spec(self) -> dict[str, Any]:
        """The entry under `method` in an experiment."""
        return {"tableau": {**self.written, "label": self.name}}


MethodLike: TypeAlias = "str | Mapping[str, Any] | type | Coefficients"


def methods(family: str | None = None) -> dict[str, str]:
    """Returns all methods, or those of a family, with a one-line description of each."""
    return {name: about for name, of, about in _mbsbench.names("methods") if family in (None, of)}


def register(cls: type) -> type:
    """Registers a class as a method of this process; usable as a decorator. Functions that accept a class register it
    themselves.

    Files and dicts can then use its name; `every` still means the built-in methods only. A class replaces an earlier
    class of the same name, so a notebook cell can be rerun. Built-in names cannot be used.

    Raises:
        InputError: the name cannot be used.
        TypeError, ValueError: a required attribute of the class is missing or invalid.
    """
    name = getattr(cls, "name", None)
    if not isinstance(name, str):
        raise TypeError("a method needs a `name`: lower-case letters, digits and hyphens")
    summary = (cls.__doc__ or "a method written in Python").strip().splitlines()[0]
    version, text = identity_of(name, getattr(cls, "version", None), cls)
    _mbsbench.register_method(cls, name, summary, getattr(cls, "family", "python"), version, text)
    return cls


def forget(method: "str | type") -> bool:
    """Removes a registered class or model from this process. Returns true if there was one."""
    return _mbsbench.forget(method if isinstance(method, str) else getattr(method, "name", ""))


def spelled(value: Any) -> Any:
    """Converts a value to its form in a file: classes and models to names, arrays to lists."""
    if isinstance(value, type):
        return getattr(register(value), "name")
    if isinstance(value, (Ode, Mechanics)):
        value.register()
        return value.name
    if isinstance(value, Coefficients):
        return value.spec
    if isinstance(value, Mapping):
        return {str(key): spelled(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [spelled(item) for item in value]
    return value


def text_of(method: MethodLike) -> str:
    """Returns a method as JSON, in the form of an experiment file."""
    return json.dumps(spelled(method))


def examine(method: "str | type") -> str:
    """Returns a page about a method: order for each class of components, stability, conservation, stiff, singular and
    switching problems, conformance."""
    return command("compare", spelled(method), "--examine")
