"""Models: those that are built in, and functions of your own."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _mbsbench
from ._mbsbench import Model
from ._source import identity_of

Array: TypeAlias = NDArray[np.float64]


def model(name: "str | Ode | Mechanics", **parameters: Any) -> Model:
    """The model of that name with these parameters; others are at their defaults.

    Parameters are those of experiment files, with underscores for hyphens (`start_load`); an alternative with parameters of its own is a
    dict: ``formulation={"sliding-mode": {"sigma": 10.0}}``.

    >>> m = mbsbench.model("squeezer", formulation="cartesian")
    >>> m.rhs(0.0, m.initial())

    Raises:
        InputError: no model has that name, or a parameter is unknown or out of range.
    """
    if not isinstance(name, str):
        name.register()
        name = name.name
    return _mbsbench.model(json.dumps({name: {key.replace("_", "-"): value for key, value in parameters.items()}}))


def real(what: str, given: ArrayLike) -> Array:
    """A new array of the real numbers of a vector.

    Raises:
        InputError: they are complex or not numbers, or not a vector.
    """
    found = np.asarray(given)
    if found.dtype.kind not in "biufO" or found.ndim != 1:
        shown = f"dtype {found.dtype} and shape {found.shape}"
        raise _mbsbench.InputError(f"`{what}` has {shown}; accepted: a vector of real numbers")
    return np.array(found, dtype=float)


def models() -> dict[str, str]:
    """All models with a line about each."""
    return {name: about for name, _, about in _mbsbench.names("models")}


def accelerations(m: Model, t: float, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Accelerations and multipliers λ of a mechanical system: ``M v' = D + Jᵀ λ``, ``J v' + bias = 0``.

    Constraints that depend on each other have the multipliers of least norm.
    """
    mass, forces = m.mass(q), m.forces(t, q, v)
    jacobian, bias = m.constraint_jacobian(t, q, v), m.acceleration_bias(t, q, v)
    n, c = len(forces), len(bias)
    matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((c, c))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([forces, -bias]), rcond=None)[0]
    return solution[:n], solution[n:]


class _Own:
    """What models of one's own have in common."""

    name: str
    summary: str
    version: str | None
    initial: Array
    constraint_count: int

    def register(self) -> None:
        """Makes it a model of this process, in the place of one that was called so before; calls that take a model do it."""
        version, text = identity_of(self.name, self.version, vars(self))
        _mbsbench.register_model(self, self.name, self.summary, version, text)


class Ode(_Own):
    """A model ``y' = f(t, y)`` of a function of yours.

    Args:
        name: what it is called, in small letters, digits and hyphens.
        rhs: ``rhs(t, y) -> f``; its arguments cannot be written.
        initial: the initial state.
        jacobian: ``jacobian(t, y) -> ∂f/∂y``; methods that need it take differences if there is none.
        energy: ``energy(t, y) -> float``, J, if there is one; the observable `energy`.
        version: any text. With a version, runs are kept in the cache, named by it and by a hash of the initial state
            and of all that the functions reach; without, or if something that they reach cannot be followed, runs are
            not kept.

    Before the first step the functions are evaluated at the start: all numbers have to be finite, and `jacobian` has to
    agree with differences of `rhs` to 1e-5 of its entries, there and at two states near it. Otherwise `solve` and `run`
    raise `InputError`. An exception in a function is the failure of the run.

    Observables are `y0`, `y1`, … and `energy`.
    """

    def __init__(
        self,
        name: str,
        rhs: Callable[[float, Array], ArrayLike],
        initial: ArrayLike,
        *,
        jacobian: Callable[[float, Array], ArrayLike] | None = None,
        energy: Callable[[float, Array], float] | None = None,
        summary: str = "a model of Python",
        version: str | None = None,
    ) -> None:
        self.name, self.summary, self.version = name, summary, version
        self.rhs, self.jacobian, self.energy = rhs, jacobian, energy
        self.initial = real("initial", initial)
        self.constraint_count = 0


class Mechanics(_Own):
    """A mechanical system ``M(q) v' = D(t, q, v) + Jᵀ λ``, ``0 = Φ(t, q)``, ``q' = v`` of functions of yours.

    Args:
        name: what it is called, in small letters, digits and hyphens.
        mass: ``mass(q) -> M``, n × n.
        forces: ``forces(t, q, v) -> D``.
        q: initial positions, which satisfy the constraints.
        v: initial velocities, which satisfy ``∂Φ/∂q v + ∂Φ/∂t = 0``; at rest if none are given.
        constraints: ``constraints(t, q) -> Φ``.
        jacobian: ``jacobian(t, q) -> ∂Φ/∂q``; by differences if there is none, which leaves six digits of the accelerations.
        energy: ``energy(t, y) -> float``, J, with ``y = (q ; v)``.
        version: see `Ode`.

    Before the first step the start and the functions are checked, as the guide says (docs/python.md): constraints on
    positions and velocities to 1e-8 of their terms, `jacobian` to 1e-5 of its entries, `mass` to be symmetric and to
    give no allowed motion a negative kinetic energy. Otherwise `solve` and `run` raise `InputError`. An exception in a
    function is the failure of the run.

    Further derivatives are taken by differences, so that also methods for index-3 equations solve it. Observables are `q0`, …, `v0`, …,
    `energy`, and `constraint`, the largest magnitude among the constraints.
    """

    def __init__(
        self,
        name: str,
        mass: Callable[[Array], ArrayLike],
        forces: Callable[[float, Array, Array], ArrayLike],
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        constraints: Callable[[float, Array], ArrayLike] | None = None,
        jacobian: Callable[[float, Array], ArrayLike] | None = None,
        energy: Callable[[float, Array], float] | None = None,
        summary: str = "a mechanical system of Python",
        version: str | None = None,
    ) -> None:
        positions = real("q", q)
        velocities = np.zeros_like(positions) if v is None else real("v", v)
        if velocities.shape != positions.shape:
            raise _mbsbench.InputError(f"`v` has shape {velocities.shape}; accepted: {positions.shape}, that of `q`")
        if constraints is None and jacobian is not None:
            accepted = "accepted: both, or `constraints` alone"
            raise _mbsbench.InputError(f"`jacobian` is that of `constraints`, which are missing; {accepted}")
        self.name, self.summary, self.version = name, summary, version
        self.mass, self.forces = mass, forces
        self.constraints, self.jacobian, self.energy = constraints, jacobian, energy
        self.initial = np.concatenate([positions, velocities])
        self.constraint_count = 0 if constraints is None else len(np.atleast_1d(np.asarray(constraints(0.0, positions))))


__all__: Sequence[str] = ["Array", "Mechanics", "Model", "Ode", "accelerations", "model", "models"]
