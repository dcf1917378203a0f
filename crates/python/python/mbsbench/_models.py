"""Models: built-in ones, and functions of your own."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _mbsbench
from ._mbsbench import Model
from ._source import identity_of

Array: TypeAlias = NDArray[np.float64]


def model(name: "str | os.PathLike[str] | Mapping[str, Any] | Ode | Mechanics", **parameters: Any) -> Model:
    """Returns the model of this name with these parameters; the others have their defaults. Instead of a name, give a
    file or a dict with the content of a file: a robot (URDF, file only), a mechanism or equations.

    Parameters are those of experiment files, with underscores instead of hyphens (`start_load`). A choice with its own
    parameters is a dict: ``formulation={"sliding-mode": {"sigma": 10.0}}``. Parameters override those of a file.

    >>> m = mbsbench.model("squeezer", formulation="cartesian")
    >>> m.rhs(0.0, m.initial())
    >>> arm = mbsbench.model("arm.urdf", joints={"shoulder": {"revolute": {"angle": 0.3}}})

    Raises:
        InputError: no model has this name, a file or dict has mistakes, or a parameter is unknown or out of range.
        FileNotFoundError: the file is missing.
    """
    from ._methods import spelled

    own = {key.replace("_", "-"): spelled(value) for key, value in parameters.items()}
    if isinstance(name, Mapping):
        content = spelled(name)
        first = next(iter(content), "")
        named = len(content) == 1 and first in models()
        whole = {first: _merged(content[first] or {}, own)} if named else _merged(content, own)
        return _mbsbench.model(json.dumps(whole, indent=1))
    if isinstance(name, os.PathLike) or (isinstance(name, str) and name.lower().endswith((".urdf", ".yaml", ".yml"))):
        path = Path(name)
        path.stat()
        return _mbsbench.model_in_file(path, json.dumps(own, indent=1))
    if not isinstance(name, str):
        name.register()
        name = name.name
    return _mbsbench.model(json.dumps({name: own}))


def _merged(base: "dict[str, Any]", over: "dict[str, Any]") -> "dict[str, Any]":
    """Returns a dict with the values of another one in place of its own, also inside inner dicts."""
    both = {key: _merged(base[key], value) for key, value in over.items() if _are_dicts(base.get(key), value)}
    return {**base, **over, **both}


def _are_dicts(*values: Any) -> bool:
    return all(isinstance(value, dict) for value in values)


def real(what: str, given: ArrayLike) -> Array:
    """Returns a new array with the real numbers of a vector.

    Raises:
        InputError: the argument is not a vector of real numbers.
    """
    found = np.asarray(given)
    if found.dtype.kind not in "biufO" or found.ndim != 1:
        shown = f"dtype {found.dtype} and shape {found.shape}"
        raise _mbsbench.InputError(f"`{what}` has {shown}; accepted: a vector of real numbers")
    return np.array(found, dtype=float)


def models() -> dict[str, str]:
    """Returns all models with a one-line description of each."""
    return {name: about for name, _, about in _mbsbench.names("models")}


def accelerations(m: Model, t: float, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Returns accelerations and multipliers λ of a mechanical system: ``M v' = D + Jᵀ λ``, ``J v' + bias = 0``.

    If constraints are linearly dependent, the multipliers are those of least norm.
    """
    mass, forces = m.mass(q), m.forces(t, q, v)
    jacobian, bias = m.constraint_jacobian(t, q, v), m.acceleration_bias(t, q, v)
    n, c = len(forces), len(bias)
    matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((c, c))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([forces, -bias]), rcond=None)[0]
    return solution[:n], solution[n:]


class _Own:
    """Base class of user-defined models."""

    name: str
    summary: str
    version: str | None
    initial: Array
    start: str = "as-written"
    constraint_count: int

    def register(self) -> None:
        """Registers the model in this process, replacing an earlier one of the same name. Functions that accept a model
        register it themselves."""
        version, text = identity_of(self.name, self.version, vars(self))
        _mbsbench.register_model(self, self.name, self.summary, version, text)


class Ode(_Own):
    """A model ``y' = f(t, y)`` defined by your own function.

    Args:
        name: name of the model: lower-case letters, digits and hyphens.
        rhs: ``rhs(t, y) -> f``; its arguments are read-only.
        initial: the initial state.
        jacobian: ``jacobian(t, y) -> ∂f/∂y`` [default: methods that need it use differences].
        energy: ``energy(t, y) -> float``, J, for the observable `energy` [default: no such observable].
        version: any text. If it is set, runs are kept in the cache. Their key contains the version and a hash of the
            initial state and of everything the functions refer to. Runs are not kept if there is no version, or if a
            reference cannot be followed.

    Before the first step the functions are evaluated at the start: all numbers must be finite, and `jacobian` must
    agree with differences of `rhs` to 1e-5 of its entries, at the start and at two nearby states. Otherwise `solve` and
    `run` raise `InputError`. An exception in a function makes the run fail.

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
        summary: str = "a model written in Python",
        version: str | None = None,
    ) -> None:
        self.name, self.summary, self.version = name, summary, version
        self.rhs, self.jacobian, self.energy = rhs, jacobian, energy
        self.initial = real("initial", initial)
        self.constraint_count = 0


class Mechanics(_Own):
    """A mechanical system ``M(q) v' = D(t, q, v) + Jᵀ λ``, ``0 = Φ(t, q)``, ``q' = v`` defined by your own functions.

    Args:
        name: name of the model: lower-case letters, digits and hyphens.
        mass: ``mass(q) -> M``, n × n.
        forces: ``forces(t, q, v) -> D``.
        q: initial positions, which satisfy the constraints.
        v: initial velocities, which satisfy ``∂Φ/∂q v + ∂Φ/∂t = 0`` [default: at rest].
        constraints: ``constraints(t, q) -> Φ``.
        jacobian: ``jacobian(t, q) -> ∂Φ/∂q`` [default: differences, with about six correct digits in accelerations].
        energy: ``energy(t, y) -> float``, J, with ``y = (q ; v)``.
        start: with ``"assembled"``, positions and velocities that violate the constraints at time zero are changed as
            little as possible, in the metric of the mass; ``model(…).initial()`` returns the result [default: refused].
        constant_mass: True if `mass` returns the same matrix for all positions.
        velocity_forces: False if `forces` does not depend on ``v``. `shake` needs this and a constant mass.
        version: see `Ode`.

    Before the first step the start and the functions are checked (see docs/python.md): positions and velocities must
    satisfy the constraints to 1e-8 of their terms, `jacobian` must agree with differences to 1e-5 of its entries, and
    `mass` must be symmetric, give no allowed motion a negative kinetic energy, and be constant if
    `constant_mass` says so. Otherwise `solve` and `run` raise
    `InputError`. An exception in a function makes the run fail.

    Further derivatives are computed by differences, so methods for index-3 equations can solve the model, too.
    Observables are `q0`, …, `v0`, …, `energy`, and `constraint`, the largest magnitude among the constraints.
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
        start: Literal["as-written", "assembled"] = "as-written",
        constant_mass: bool = False,
        velocity_forces: bool = True,
        summary: str = "a mechanical system written in Python",
        version: str | None = None,
    ) -> None:
        positions = real("q", q)
        velocities = np.zeros_like(positions) if v is None else real("v", v)
        if velocities.shape != positions.shape:
            raise _mbsbench.InputError(f"`v` has shape {velocities.shape}; accepted: {positions.shape}, as for `q`")
        if constraints is None and jacobian is not None:
            accepted = "accepted: both, or `constraints` alone"
            raise _mbsbench.InputError(f"`jacobian` is given without `constraints`; {accepted}")
        self.name, self.summary, self.version = name, summary, version
        self.mass, self.forces = mass, forces
        if start not in ("as-written", "assembled"):
            raise _mbsbench.InputError(f"`start` is {start!r}; accepted: 'as-written' or 'assembled'")
        self.constraints, self.jacobian, self.energy, self.start = constraints, jacobian, energy, start
        self.constant_mass, self.velocity_forces = constant_mass, velocity_forces
        self.initial = np.concatenate([positions, velocities])
        self.constraint_count = 0
        if constraints is not None:
            self.constraint_count = len(np.atleast_1d(np.asarray(constraints(0.0, positions))))


__all__: Sequence[str] = ["Array", "Mechanics", "Model", "Ode", "accelerations", "model", "models"]
