"""Models: those that are built in, and functions of your own."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _mbsbench
from ._mbsbench import Model
from ._source import version_of

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
        version, text = version_of(self.version, *self._functions())
        _mbsbench.register_model(self, self.name, self.summary, version, text)

    def _functions(self) -> list[Callable[..., Any]]:
        return [value for value in vars(self).values() if callable(value)]


class Ode(_Own):
    """A model ``y' = f(t, y)`` of a function of yours.

    Args:
        name: what it is called, in small letters, digits and hyphens.
        rhs: ``rhs(t, y) -> f``; its arguments cannot be written.
        initial: the initial state.
        jacobian: ``jacobian(t, y) -> ∂f/∂y``; methods that need it take differences where there is none.
        energy: ``energy(t, y) -> float``, J, where there is one; the observable `energy`.
        version: anything that you change when you change what the functions do beyond their own text. With a version runs are kept in
            the store, named by it and by a hash of the text; without, they never are.

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
        self.initial = np.array(initial, dtype=float)
        self.constraint_count = 0


class Mechanics(_Own):
    """A mechanical system ``M(q) v' = D(t, q, v) + Jᵀ λ``, ``0 = Φ(t, q)``, ``q' = v`` of functions of yours.

    Args:
        name: what it is called, in small letters, digits and hyphens.
        mass: ``mass(q) -> M``, n × n.
        forces: ``forces(t, q, v) -> D``.
        q: initial positions, which satisfy the constraints.
        v: initial velocities, likewise; at rest where none are given.
        constraints: ``constraints(t, q) -> Φ``.
        jacobian: ``jacobian(t, q) -> ∂Φ/∂q``; by differences where there is none, which leaves six digits of the accelerations.
        energy: ``energy(t, y) -> float``, J, with ``y = (q ; v)``.
        version: see `Ode`.

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
        positions = np.array(q, dtype=float)
        velocities = np.zeros_like(positions) if v is None else np.array(v, dtype=float)
        if positions.ndim != 1 or velocities.shape != positions.shape:
            raise _mbsbench.InputError("`q` and `v` are vectors of one length")
        self.name, self.summary, self.version = name, summary, version
        self.mass, self.forces = mass, forces
        self.constraints, self.jacobian, self.energy = constraints, jacobian, energy
        self.initial = np.concatenate([positions, velocities])
        self.constraint_count = 0 if constraints is None else len(np.atleast_1d(np.asarray(constraints(0.0, positions))))


__all__: Sequence[str] = ["Array", "Mechanics", "Model", "Ode", "accelerations", "model", "models"]
