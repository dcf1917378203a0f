"""The native part of the package, implemented in Rust; see the package for its public functions."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._parameters import Parameters

__version__: str

class InputError(ValueError):
    """An input cannot be used; the text says where, what was found, and what is accepted."""

class ProblemError(RuntimeError):
    """A problem has no value at a state, or a budget is exhausted. If a method does not catch it, the run ends with
    this failure."""

class _Asked:
    @property
    def dimension(self) -> int:
        """Number of components of the state."""
    @property
    def coordinates(self) -> int:
        """Number of position coordinates of the mechanical system; 0 if there is none."""
    @property
    def velocities(self) -> int:
        """Number of velocity coordinates of the mechanical system; 0 if there is none."""
    @property
    def constraint_count(self) -> int:
        """Number of constraints, nonholonomic and holonomic together."""
    def rhs(self, t: float, y: ArrayLike, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Returns `f(t, y)`, written into `out` if it is given: a contiguous array of doubles.

        Inside a step, a call counts as one evaluation, or as none if it repeats the evaluation at the start of the step
        or the last one.
        """
    def jacobian(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """Returns `∂f/∂y` at `(t, y)`, exact to roundoff."""
    def mass(self, q: ArrayLike) -> NDArray[np.float64]:
        """Returns the mass matrix `M(q)` of the mechanical system."""
    def forces(self, t: float, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Returns the forces `D(t, q, v)`.

        Inside a step, a call counts as one evaluation of the right-hand side, which includes mass matrix and
        constraints at the same state.
        """
    def constraints(self, t: float, q: ArrayLike, v: ArrayLike | None = None) -> NDArray[np.float64]:
        """Returns the constraints `(Γ(t, q, v) ; Φ(t, q))`, nonholonomic first."""
    def constraint_jacobian(self, t: float, q: ArrayLike, v: ArrayLike | None = None) -> NDArray[np.float64]:
        """Returns the constraint Jacobian `J`: the derivatives of Γ with respect to `v` and of Φ with respect to `q`."""
    def acceleration_bias(self, t: float, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Returns the bias of the constraints on accelerations, which are `J v' + bias = 0`."""
    def position_rate(self, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Returns `q' = H(q) v`."""

class Problem(_Asked):
    """The problem during a step: the functions of a `Model`, with counters of their calls.

    It is valid only during its step and on its thread; otherwise its functions raise `RuntimeError`.
    """

class Model(_Asked):
    """A model with its parameters, as functions. Create one with `mbsbench.model`.

    Arguments and results are NumPy arrays. Evaluations are not counted. Each thread has its own scratch memory, and
    long evaluations release the interpreter for other threads.
    """

    @property
    def name(self) -> str:
        """Name of the model."""
    @property
    def label(self) -> str:
        """Label in tables: the name with the parameters that differ from their defaults."""
    @property
    def parameters(self) -> Parameters:
        """All parameters with values, units, ranges and meanings."""
    @property
    def form(self) -> str:
        """Form of the equations: `ode`, `mechanics`, `implicit`, `contacts` or `events`."""
    @property
    def has_rhs(self) -> bool:
        """True if the model has a right-hand side `y' = f(t, y)`."""
    @property
    def has_jacobian(self) -> bool:
        """True if the model has the Jacobian of its right-hand side."""
    def mass_matrix(self) -> NDArray[np.float64] | None:
        """Returns the constant matrix `M` of `M y' = f(t, y)`, or None if it is the identity."""
    def initial(self) -> NDArray[np.float64]:
        """Returns the initial state."""
    @property
    def classes(self) -> list[str]:
        """Class of each component of the state: `position`, `velocity` or `multiplier`."""
    @property
    def observables(self) -> list[tuple[str, str, str]]:
        """Names, units and meanings of all observables."""
    def observe(self, t: float, y: ArrayLike) -> dict[str, float]:
        """Returns all observables at a state, by name: angles, energy, multipliers, constraints, …"""
    def event_functions(self, t: float, y: ArrayLike) -> NDArray[np.float64] | None:
        """Returns the values of the event functions at a state, or None if the model has no events. Events are zeros of
        these functions."""

class Solution:
    """A solution: states at some times, and counters."""

    @property
    def t(self) -> NDArray[np.float64]:
        """Times, s: the requested ones, or the ends of all accepted steps."""
    @property
    def y(self) -> NDArray[np.float64]:
        """States, one row for each time."""
    @property
    def multipliers(self) -> NDArray[np.float64]:
        """Multipliers of the constraints at the end; empty if the method does not compute them."""
    @property
    def t_reached(self) -> float:
        """Time of the last accepted state, s."""
    @property
    def status(self) -> str:
        """Status of the run: `ok`, `budget-exhausted`, `newton-diverged`, …"""
    @property
    def message(self) -> str:
        """Reason of a failure; empty if the run reached its end."""
    @property
    def success(self) -> bool:
        """True if the run reached its end."""
    @property
    def statistics(self) -> dict[str, int]:
        """Counters: `steps_accepted`, `rhs_evaluations`, …"""

def model(text: str) -> Model: ...
def model_in_file(path: os.PathLike[str], parameters: str) -> Model: ...
def solve(
    model: Model,
    method: str,
    span: tuple[float, float],
    control: Mapping[str, Any],
    at: Sequence[float] | None = None,
    start: Sequence[float] | None = None,
) -> Solution: ...
def run(
    documents: Sequence[tuple[os.PathLike[str], str]],
    options: Mapping[str, Any],
    tell: Callable[[int, int, int], None],
    interrupted: Callable[[], None],
) -> list[tuple[str, str, list[str], list[tuple[str, dict[str, NDArray[np.float64]]]]]]: ...
def builtin() -> os.PathLike[str]: ...
def unsealed(folder: os.PathLike[str], id: str) -> list[os.PathLike[str]]: ...
def command(arguments: Sequence[str], interrupted: Callable[[], None]) -> tuple[int, str, str]: ...
def register_method(
    cls: type, name: str, summary: str, family: str, version: str | None = None, text: str | None = None
) -> None: ...
def register_model(
    functions: object, name: str, summary: str, version: str | None = None, text: str | None = None
) -> None: ...
def forget(name: str) -> bool: ...
def names(kind: str) -> list[tuple[str, str, str]]: ...
def stepping_threads() -> list[int]: ...
def stop() -> None: ...
