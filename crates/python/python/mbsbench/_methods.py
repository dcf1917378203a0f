"""Methods: those that are built in, and classes of your own."""

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
    """What a class that is a method may say of itself; it need not inherit from this one, if it has `name`, `order` and `step`.

    An instance is made for each solve, so that attributes of `self` are memory of that solve.
    """

    name: ClassVar[str]
    """What files and tables call it: small letters, digits and hyphens."""
    order: ClassVar[int]
    """Order of convergence."""
    error_order: ClassVar[int | None] = None
    """With which power of the step size its error estimate decreases; None without an estimate, for constant steps."""
    evaluations: ClassVar[int] = 0
    """Most evaluations of a step: a budget that does not suffice for them ends the run before the step."""
    needs: ClassVar[str] = "rhs"
    """`rhs`: any problem with a right-hand side; `mechanics`: a mechanical system with vector coordinates."""
    remembers: ClassVar[bool] = False
    """Whether a step depends on those before it, kept in `self`. Then `accepted()` is called after each step that is accepted, and
    `restart()` where the past is no more to be used, if there are such functions."""
    has_multipliers: ClassVar[bool] = False
    """Whether `self.multipliers` are those of the constraints after a step."""
    controller: ClassVar[str] = "elementary"
    """`elementary` or `pi`: how step sizes follow from errors."""
    family: ClassVar[str] = "python"
    """Its family, which has one colour in all figures."""
    version: ClassVar[str | None] = None
    """With a version, runs are kept in the cache, named by it and by a hash of the class and of all that it reaches:
    functions and values of its module, of modules that it imports, and of enclosing functions. Without a version runs
    are not kept, nor if something that is reached cannot be followed; a warning names it."""

    def step(self, problem: Problem, t: float, y: Array, h: float) -> ArrayLike | tuple[ArrayLike, ArrayLike]:
        """The state at `t + h`, from `y` at `t`; with an `error_order` a pair: the state, and the estimated errors.

        `y` cannot be written. What is asked of `problem` is counted. Numbers are real; a pair without an `error_order`
        is refused.
        """
        raise NotImplementedError


class Coefficients:
    """A method of your own by its coefficients: what a file with coefficients is to the program.

    Numbers are floats, or texts (`"1/3"`, `"0.1"` with any number of digits), which are exact. Order and stability are found from the
    coefficients; a claimed order that does not hold is refused.
    """

    def __init__(self, name: str, kind: str, values: Mapping[str, Any]) -> None:
        self.name = name
        """What tables call it."""
        self.written = {kind: {key.replace("_", "-"): spelled(value) for key, value in values.items() if value is not None}}
        """As a file says it."""

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
        """A Runge–Kutta formula, explicit or with an explicit first stage and equal diagonal entries.

        Args:
            rows: rows of `a`, one a stage; that of an explicit first stage is empty.
            weights: `b`, one a stage.
            nodes: `c`; the sums of the rows where not given.
            embedded: second weights on the same stages, for an error estimate.
            order: the order that is claimed.
            newton_tolerance: of an implicit formula.
        """
        values = {"rows": rows, "weights": weights, "nodes": nodes, "embedded": embedded, "order": order}
        return cls(name, "runge-kutta", values | {"newton_tolerance": newton_tolerance})

    @classmethod
    def multistep(
        cls, name: str, alpha: Sequence[Any], beta: Sequence[Any], *, newton_tolerance: float | None = None
    ) -> "Coefficients":
        """An implicit linear multistep formula: `α₁ … α_r`, which sum to 1, and `β₀ … β_r`, with `β₀` not zero."""
        return cls(name, "multistep", {"alpha": alpha, "beta": beta, "newton_tolerance": newton_tolerance})

    @classmethod
    def generalized_alpha(cls, name: str, alpha_m: Any, alpha_f: Any, beta: Any, gamma: Any) -> "Coefficients":
        """Weights of the generalized-α formulas on index-3 equations."""
        return cls(name, "generalized-alpha", {"alpha_m": alpha_m, "alpha_f": alpha_f, "beta": beta, "gamma": gamma})

    @property
    def spec(self) -> dict[str, Any]:
        """As it stands among methods."""
        return {"tableau": {**self.written, "label": self.name}}


MethodLike: TypeAlias = "str | Mapping[str, Any] | type | Coefficients"


def methods(family: str | None = None) -> dict[str, str]:
    """All methods with a line about each, of a family where one is named."""
    return {name: about for name, of, about in _mbsbench.names("methods") if family in (None, of)}


def register(cls: type) -> type:
    """Makes a class a method of this process; usable as a decorator. Calls that take a class do it themselves.

    Files and dicts can then name it as any other; what they call `every` stays the project's own methods. A class of the same name takes
    the place of the one before, so that a cell of a notebook can be run again; built-in names are taken.

    Raises:
        InputError: the name cannot be used.
        TypeError, ValueError: the class lacks what a method has.
    """
    name = getattr(cls, "name", None)
    if not isinstance(name, str):
        raise TypeError("a method has a `name`: small letters, digits and hyphens")
    summary = (cls.__doc__ or "a method of Python").strip().splitlines()[0]
    version, text = identity_of(name, getattr(cls, "version", None), cls)
    _mbsbench.register_method(cls, name, summary, getattr(cls, "family", "python"), version, text)
    return cls


def forget(method: "str | type") -> bool:
    """Takes a class, or a model of one's own, out of this process again."""
    return _mbsbench.forget(method if isinstance(method, str) else getattr(method, "name", ""))


def spelled(value: Any) -> Any:
    """What a file would say in the place of a value: names for classes and models, lists for arrays."""
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
    """A method as JSON, as a file would name it."""
    return json.dumps(spelled(method))


def examine(method: "str | type") -> str:
    """One page about a method: order by class of components, stability, conservation, stiff, singular and switching problems,
    conformance."""
    return command("compare", spelled(method), "--examine")
