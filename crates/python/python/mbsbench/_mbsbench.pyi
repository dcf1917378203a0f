"""What the Rust side gives; see the package for what to call."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._parameters import Parameters

__version__: str

class InputError(ValueError):
    """What was given cannot be used: the text says where, what was found, and what would be accepted."""

class ProblemError(RuntimeError):
    """A problem has no value at a state, or a budget is used up. Where a method lets it pass, its run ends with that failure."""

class _Asked:
    @property
    def dimension(self) -> int:
        """Number of components of the state."""
    @property
    def coordinates(self) -> int:
        """Number of position coordinates of the mechanical system; 0 where there is none."""
    @property
    def velocities(self) -> int:
        """Number of velocity coordinates of the mechanical system; 0 where there is none."""
    @property
    def constraint_count(self) -> int:
        """Number of constraints, nonholonomic and holonomic."""
    def rhs(self, t: float, y: ArrayLike, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """`f(t, y)`, written into `out` if it is given: a contiguous array of doubles.

        In a step it counts as one evaluation, and as none if it repeats the one at the start of the step, or the last one.
        """
    def jacobian(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """`∂f/∂y` at `(t, y)`, exact to roundoff."""
    def mass(self, q: ArrayLike) -> NDArray[np.float64]:
        """`M(q)` of the mechanical system."""
    def forces(self, t: float, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """`D(t, q, v)`, the forces.

        In a step they count as one evaluation of the right-hand side, of which mass and constraints at the same state are part.
        """
    def constraints(self, t: float, q: ArrayLike, v: ArrayLike | None = None) -> NDArray[np.float64]:
        """`(Γ(t, q, v) ; Φ(t, q))`, the constraints, nonholonomic first."""
    def constraint_jacobian(self, t: float, q: ArrayLike, v: ArrayLike | None = None) -> NDArray[np.float64]:
        """`J`, the derivatives of the constraints: of Γ in `v`, of Φ in `q`."""
    def acceleration_bias(self, t: float, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """What the constraints on accelerations are at `v' = 0`: they read `J v' + bias = 0`."""
    def position_rate(self, q: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """`q' = H(q) v`."""

class Problem(_Asked):
    """The problem that a step is given. It has what a `Model` has, and counts what is asked of it.

    It is good for the time of the step that it was given to: afterwards, and on other threads, it raises `RuntimeError`.
    """

class Model(_Asked):
    """A model with its parameters, as functions: `mbsbench.model` makes one.

    Arrays come in and go out as NumPy's. The functions evaluate and count nothing; each thread has scratch memory of its own, and what
    takes long lets other threads use the interpreter.
    """

    @property
    def name(self) -> str:
        """Its name among the models."""
    @property
    def label(self) -> str:
        """What tables call it: its name with the parameters that are not at their defaults."""
    @property
    def parameters(self) -> Parameters:
        """All parameters with values, units, ranges and meanings."""
    @property
    def form(self) -> str:
        """How it is given: `ode`, `mechanics`, `implicit`, `contacts` or `events`."""
    @property
    def has_rhs(self) -> bool:
        """Whether there is a right-hand side `y' = f(t, y)`."""
    @property
    def has_jacobian(self) -> bool:
        """Whether there is its Jacobian."""
    def mass_matrix(self) -> NDArray[np.float64] | None:
        """The constant matrix `M` of `M y' = f(t, y)`; none where it is the identity."""
    def initial(self) -> NDArray[np.float64]:
        """The initial state."""
    @property
    def classes(self) -> list[str]:
        """What each component of the state is: `position`, `velocity` or `multiplier`."""
    @property
    def observables(self) -> list[tuple[str, str, str]]:
        """Names, units and meanings of what can be observed."""
    def observe(self, t: float, y: ArrayLike) -> dict[str, float]:
        """Everything that can be observed at a state, by name: angles, energy, multipliers, constraints, …"""
    def event_functions(self, t: float, y: ArrayLike) -> NDArray[np.float64] | None:
        """The functions whose zeros are events, at a state; none where the model has no events."""

class Solution:
    """A solution: states at times, and what they cost."""

    @property
    def t(self) -> NDArray[np.float64]:
        """Times, s: those asked for, or the ends of all accepted steps."""
    @property
    def y(self) -> NDArray[np.float64]:
        """States, a row for each time."""
    @property
    def multipliers(self) -> NDArray[np.float64]:
        """Multipliers of the constraints at the end, of a method that has them; else empty."""
    @property
    def t_reached(self) -> float:
        """Time of the last accepted state, s."""
    @property
    def status(self) -> str:
        """How it ended: `ok`, `budget-exhausted`, `newton-diverged`, …"""
    @property
    def message(self) -> str:
        """Why it ended early; empty where it did not."""
    @property
    def success(self) -> bool:
        """Whether it reached its end."""
    @property
    def statistics(self) -> dict[str, int]:
        """What it cost: `steps_accepted`, `rhs_evaluations`, …"""

def model(text: str) -> Model: ...
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
def command(arguments: Sequence[str], interrupted: Callable[[], None]) -> tuple[int, str, str]: ...
def register_method(cls: type, name: str, summary: str, family: str, version: str | None = None, text: str | None = None) -> None: ...
def register_model(functions: object, name: str, summary: str, version: str | None = None, text: str | None = None) -> None: ...
def forget(name: str) -> bool: ...
def names(kind: str) -> list[tuple[str, str, str]]: ...
def stepping_threads() -> list[int]: ...
def stop() -> None: ...
