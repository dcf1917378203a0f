//! Implicit differential-algebraic equations, as methods with implicit stages see them.
//!
//! ```text
//! r(t, y, y', λ) = 0
//! ```
//!
//! with `n` differential unknowns `y`, of which a method knows the rates `y'`, and `m` algebraic unknowns λ, of which it
//! knows nothing but their values (zhang2022, Eq. 1, where λ are components of `y`). Mechanics in their index-3 form have
//! positions and velocities for `y` and constraint multipliers for λ; of the `n + m` rows, `m` are then the constraints.
//!
//! Every implicit formula has `y = ŷ + c y'` at the point it solves for, with `ŷ` from what came before and `c` of the size
//! of the step (`c = b₀ h`). Newton's method corrects `(y', λ)`, and through `y'` also `y`.
//!
//! Linear algebra is the problem's own business ([`Dae::factorize`], [`Dae::solve`]), so that its structure can be used:
//! elimination of `q' = v`, sparse blocks. [`System`](crate::linalg::System) is there for problems without structure.

mod first_order;
mod index3;

use nalgebra::DMatrix;

use crate::linalg::Singular;
use crate::{Failure, Form, Ode, Scalar, Unsuitable};

pub use first_order::FirstOrder;
pub use index3::Index3;

/// A point `(t, y, y', λ)`, with `y` and `y'` in a chart.
#[derive(Debug, Clone, Copy)]
pub struct Point<'p, S = f64> {
    /// Time, s.
    pub t: S,
    /// The chart: reference of the local coordinates; see [`Dae`].
    pub chart: &'p [S],
    /// Local coordinates `y`, length `n`.
    pub y: &'p [S],
    /// `(y' ; λ)`, length `n + m`.
    pub rates: &'p [S],
}

impl<'p, S> Point<'p, S> {
    /// `y'` (of `n` components) and λ.
    pub fn split(&self, n: usize) -> (&'p [S], &'p [S]) {
        self.rates.split_at(n)
    }
}

/// `r(t, y, y', λ) = 0` as a method sees it.
///
/// A state that lives on a manifold (rotations) is described by local coordinates `y` about a *chart*, an opaque reference
/// configuration. Methods compute with `y` as with any vector; when they move on, they [move the chart](Self::recentre)
/// to the present configuration and [re-express](Self::transport) what they remember in it. For states that are vectors
/// the chart is empty and `y` is the state itself, which is what all methods with a default here say.
///
/// The methods take `&mut self` because problems keep scratch memory; nothing may be allocated in them.
pub trait Dae<S: Scalar = f64> {
    /// Number `n` of differential unknowns.
    fn differential(&self) -> usize;

    /// Number `m` of algebraic unknowns.
    fn algebraic(&self) -> usize;

    /// Number of components of the state that observers are shown.
    fn state_dimension(&self) -> usize {
        self.differential()
    }

    /// Number of components of a chart.
    fn chart_length(&self) -> usize {
        0
    }

    /// Writes a chart about `state`, and the local coordinates of the state in it.
    fn locate(&self, state: &[S], _chart: &mut [S], y: &mut [S]) {
        y.copy_from_slice(state);
    }

    /// Writes the state that has local coordinates `y` in the chart.
    fn state(&self, _chart: &[S], y: &[S], state: &mut [S]) {
        state.copy_from_slice(y);
    }

    /// Writes the chart about the configuration with local coordinates `y` in `chart` into `centred`.
    fn recentre(&self, _chart: &[S], _y: &[S], _centred: &mut [S]) {}

    /// Re-expresses local coordinates `y` in chart `from`, and rates `y'` there, in chart `to`.
    fn transport(&self, _from: &[S], _to: &[S], _y: &mut [S], _rates: &mut [S]) {}

    /// Turns `y = −c d + c y'`, where local coordinates and rates `d` are those of the chart's own centre, into the coordinates
    /// that `y = c z` gives, with `z` the rates of `y` in a chart whose centre goes on moving with `d`: what remains of the
    /// velocity `y'` when that of the centre has been taken out of it. The two are the same for states that are vectors.
    /// The next [factorization](Self::factorize) may be along this relation between `y` and `y'`.
    fn follow(&mut self, _d: &[S], _c: S, _y: &mut [S]) {}

    /// Writes the residual `r`, length `n + m`, at a point of a stage with `y = ŷ + c y'`. Rows of holonomic constraints
    /// are `Φ/c` (zhang2022, section 2): their derivatives in `y'` then keep their size as the step goes to zero.
    ///
    /// # Errors
    /// A [`Failure`] where it does not exist.
    fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure>;

    /// Forms and factorizes Newton's matrix, `∂r/∂y' + c ∂r/∂y` for the columns of `y'` and `∂r/∂λ` for those of λ, at the
    /// point of which the [residual](Self::residual) was evaluated last.
    ///
    /// # Errors
    /// [`Singular`].
    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular>;

    /// Right-hand sides that difference quotients would take for the matrix of [`factorize`](Self::factorize): one for
    /// each unknown, or for each group of unknowns whose columns have no row in common.
    fn jacobian_columns(&self) -> usize {
        self.differential() + self.algebraic()
    }

    /// Solves with the factors; `x`, of length `n + m`, is the right-hand side on entry and increments of `(y' ; λ)` on
    /// return.
    fn solve(&mut self, x: &mut [S]);

    /// Writes the matrix of [`factorize`](Self::factorize) as it is, `n + m` square. For tests and observers.
    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>);

    /// Writes rates `y'` and λ that are consistent with `y`, so that `r = 0` and stays so, into `rates`.
    ///
    /// # Errors
    /// A [`Failure`] where there are none.
    fn consistent(&mut self, t: S, chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure>;

    /// Writes what is known of rates without solving for anything into `rates`: positions change with the velocities in
    /// `y`, all else is zero. It is what a run starts from that skips [`consistent`](Self::consistent).
    fn kinematic(&self, chart: &[S], y: &[S], rates: &mut [S]);
}

/// Whether `problem` can be solved as a [`Dae`]: given as one, or by [`Index3`] or [`FirstOrder`].
///
/// # Errors
/// [`Unsuitable`], which says what it lacks.
pub fn suits<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
    Unsuitable::unless_plain(problem)?;
    match problem.form() {
        Form::Implicit(_) => return Ok(()),
        Form::Mechanics(mechanics) => return Index3::suits(mechanics),
        _ => {}
    }
    Unsuitable::above_index_one(problem)?;
    if problem.properties().has_jacobian {
        return Ok(());
    }
    Unsuitable::without_rhs(problem)?;
    Err(Unsuitable::new("the Jacobian of the right-hand side", "does not give it"))
}

#[cfg(test)]
mod tests;
