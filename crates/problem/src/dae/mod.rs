//! Implicit differential-algebraic equations, as methods with implicit stages see them.
//!
//! ```text
//! r(t, y, y', λ) = 0
//! ```
//!
//! with `n` differential unknowns `y`, whose rates `y'` a method knows, and `m` algebraic unknowns λ, of which it
//! knows nothing but their values (zhang2022, Eq. 1, where λ are components of `y`). For mechanics in index-3 form,
//! `y` are positions and velocities and λ are constraint multipliers; `m` of the `n + m` rows are then the
//! constraints.
//!
//! Every implicit formula has `y = ŷ + c y'` at the point it solves for, where `ŷ` follows from earlier points and
//! `c` is proportional to the step (`c = b₀ h`). Newton's method corrects `(y', λ)`, and through `y'` also `y`.
//!
//! Linear algebra is left to the problem ([`Dae::factorize`], [`Dae::solve`]), so that it can use its structure:
//! elimination of `q' = v`, sparse blocks. Problems without structure use [`System`](crate::linalg::System).

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
    /// The chart: the reference of the local coordinates; see [`Dae`].
    pub chart: &'p [S],
    /// Local coordinates `y`, length `n`.
    pub y: &'p [S],
    /// `(y' ; λ)`, length `n + m`.
    pub rates: &'p [S],
}

impl<'p, S> Point<'p, S> {
    /// Splits `rates` into `y'`, of `n` components, and λ.
    pub fn split(&self, n: usize) -> (&'p [S], &'p [S]) {
        self.rates.split_at(n)
    }
}

/// `r(t, y, y', λ) = 0` as a method sees it.
///
/// A state that lives on a manifold (rotations) is described by local coordinates `y` about a *chart*, an opaque
/// reference configuration. Methods compute with `y` as with any vector. When they move on, they [move the
/// chart](Self::recentre) to the present configuration and [re-express](Self::transport) stored vectors in it. For
/// states that are vectors, the chart is empty and `y` is the state itself; the default implementations here cover
/// this case.
///
/// The methods take `&mut self` because problems keep scratch memory; they must not allocate.
pub trait Dae<S: Scalar = f64> {
    /// Number `n` of differential unknowns.
    fn differential(&self) -> usize;

    /// Number `m` of algebraic unknowns.
    fn algebraic(&self) -> usize;

    /// Number of components of the state as shown to observers.
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

    /// Writes the state with local coordinates `y` in the chart.
    fn state(&self, _chart: &[S], y: &[S], state: &mut [S]) {
        state.copy_from_slice(y);
    }

    /// Writes the chart about the configuration with local coordinates `y` in `chart` into `centred`.
    fn recentre(&self, _chart: &[S], _y: &[S], _centred: &mut [S]) {}

    /// Re-expresses local coordinates `y` in chart `from`, and rates `y'` there, in chart `to`.
    fn transport(&self, _from: &[S], _to: &[S], _y: &mut [S], _rates: &mut [S]) {}

    /// Turns `y = −c d + c y'`, where the local coordinates and the rates `d` belong to the chart's own centre, into
    /// the coordinates that `y = c z` gives. Here `z` are the rates of `y` in a chart whose centre keeps moving with
    /// `d`: the velocity `y'` without the velocity of the centre. Both are equal for states that are vectors. The
    /// next [factorization](Self::factorize) may use this relation between `y` and `y'`.
    fn follow(&mut self, _d: &[S], _c: S, _y: &mut [S]) {}

    /// Writes the residual `r`, length `n + m`, at a point of a stage with `y = ŷ + c y'`. Rows of holonomic
    /// constraints are `Φ/c` (zhang2022, section 2), so that their derivatives in `y'` keep their size as the step
    /// goes to zero.
    ///
    /// # Errors
    /// Fails if the residual does not exist.
    fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure>;

    /// Forms and factorizes Newton's matrix at the point of the last [residual](Self::residual). Its columns are
    /// `∂r/∂y' + c ∂r/∂y` for `y'` and `∂r/∂λ` for λ.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular>;

    /// Number of right-hand sides that difference quotients would take for the matrix of
    /// [`factorize`](Self::factorize): one for each unknown, or for each group of unknowns whose columns have no row
    /// in common.
    fn jacobian_columns(&self) -> usize {
        self.differential() + self.algebraic()
    }

    /// Solves with the factors; `x`, of length `n + m`, holds the right-hand side on entry and the increments of
    /// `(y' ; λ)` on return.
    fn solve(&mut self, x: &mut [S]);

    /// Writes the matrix of [`factorize`](Self::factorize), `n + m` square. For tests and observers.
    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>);

    /// Writes rates `y'` and λ that are consistent with `y` into `rates`: `r = 0` holds and continues to hold.
    ///
    /// # Errors
    /// Fails if there are no consistent rates.
    fn consistent(&mut self, t: S, chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure>;

    /// Writes the rates that are known without solving into `rates`: positions change with the velocities in `y`, and
    /// all other rates are zero. A run that skips [`consistent`](Self::consistent) starts from these.
    fn kinematic(&self, chart: &[S], y: &[S], rates: &mut [S]);
}

/// Checks that `problem` can be solved as a [`Dae`]: in its own implicit form, or by [`Index3`] or [`FirstOrder`].
///
/// # Errors
/// Fails with [`Unsuitable`], which names what the problem lacks.
pub fn suits<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
    Unsuitable::unless_plain(problem)?;
    if let Form::Implicit(_) = problem.form() {
        return Ok(());
    }
    if let Some(mechanics) = problem.form().index3() {
        return Index3::suits(mechanics);
    }
    Unsuitable::above_index_one(problem)?;
    if problem.properties().has_jacobian {
        return Ok(());
    }
    Unsuitable::without_rhs(problem)?;
    Err(Unsuitable::new("the Jacobian of the right-hand side", "does not provide it"))
}

#[cfg(test)]
mod tests;
