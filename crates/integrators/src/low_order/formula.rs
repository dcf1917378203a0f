//! What a formula gives to the engine, and gets from it.

use mbsbench_problem::linalg::{Saddle, Singular};
use mbsbench_problem::{CountedMechanics, Derivatives, Structure, Terms};
use nalgebra::DMatrix;

/// The end of the step that is attempted, with the terms of the equations there.
pub struct Trial {
    /// End of the step, s.
    pub t: f64,
    /// The largest position at its start.
    pub size: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Terms at `(t, q, v)`, of the iterate before the last correction once the iteration has ended.
    pub terms: Terms<f64>,
    /// Their derivatives, as of the iteration that formed the matrix.
    pub derivatives: Derivatives<f64>,
}

/// The motion at the initial time.
pub struct Start<'s> {
    /// Positions.
    pub q: &'s [f64],
    /// Velocities.
    pub v: &'s [f64],
    /// Accelerations that the equations of motion give.
    pub a: &'s [f64],
    /// Algorithmic accelerations of the generalized-α formulas; the accelerations where there are no others.
    pub algorithmic: &'s [f64],
    /// Rates of the accelerations, where steps will vary in size.
    pub jerk: Option<&'s [f64]>,
    /// Multipliers that they give.
    pub lambda: &'s [f64],
    /// Terms of the equations.
    pub terms: &'s Terms<f64>,
    /// Which terms and derivatives there can be.
    pub structure: &'s Structure,
}

impl Start<'_> {
    /// Memory for Newton's matrix of positions and multipliers, of the kind that the terms are in.
    pub fn saddle(&self) -> Saddle {
        Saddle::new(&self.structure.dynamics, &self.structure.jacobian, self.is_sparse())
    }

    /// Whether terms and derivatives have the entries of a pattern only.
    pub fn is_sparse(&self) -> bool {
        self.terms.mass.pattern().is_some()
    }
}

/// A correction of Newton's method.
#[derive(Debug, Clone, Copy, Default)]
pub struct Correction {
    /// Largest change of an acceleration.
    pub change: f64,
    /// Largest acceleration afterwards.
    pub size: f64,
    /// By how much a change of one in an acceleration moves a position, s².
    pub by_position: f64,
    /// Solutions with the matrix that it took.
    pub solves: u64,
    /// Whether the next one needs the matrix formed anew, even where it is kept over a step.
    pub reform: bool,
}

/// The local error of a step.
#[derive(Debug, Clone, Copy)]
pub struct Estimate<'f> {
    /// Of each position, in magnitude.
    pub error: &'f [f64],
    /// Solutions with the matrix that it took.
    pub solves: u64,
}

/// One step of a method, as an iteration on its own unknowns.
pub trait Formula {
    /// Begins a step of size `h`: unknowns and [`Trial`] at the first iterate. With `guess` false the iteration starts
    /// from zero accelerations and multipliers.
    ///
    /// # Errors
    /// [`Singular`] for a mass matrix that cannot be inverted.
    fn begin(
        &mut self,
        h: f64,
        guess: bool,
        mechanics: &mut CountedMechanics<'_>,
        trial: &mut Trial,
    ) -> Result<(), Singular>;

    /// Forms Newton's matrix at the iterate.
    ///
    /// # Errors
    /// [`Singular`] for a block that is to be eliminated and cannot be.
    fn form(&mut self, trial: &Trial) -> Result<(), Singular>;

    /// A copy of Newton's matrix as formed last.
    fn matrix(&self) -> DMatrix<f64>;

    /// Factorizes it.
    ///
    /// # Errors
    /// [`Singular`].
    fn factorize(&mut self) -> Result<(), Singular>;

    /// Corrects unknowns and [`Trial`] by the residual at the iterate.
    fn correct(&mut self, trial: &mut Trial) -> Correction;

    /// Number of the coordinate whose acceleration the last correction changed most.
    fn most_corrected(&self) -> usize;

    /// The largest change of an acceleration that rounding alone, in the terms at the last iterate, can be expected to make: what
    /// [`correct`](Self::correct) cannot get below, by one solution with the factors; none where a formula does not know. The last correction is lost.
    fn attainable(&mut self, trial: &Trial) -> Option<f64>;

    /// Prepares for a step of size `h` (s) that need not be that of the step before, and after a step that has been rejected. Comes before
    /// [`begin`](Self::begin) in runs that choose their steps, of which [`Start::jerk`] tells.
    fn resize(&mut self, _h: f64) {}

    /// The iteration has ended: the local error of the positions, of order h³, by solutions with the factors; none where a formula has
    /// no estimate. The last correction is lost.
    fn error(&mut self, _trial: &Trial) -> Option<Estimate<'_>> {
        None
    }

    /// The iteration has ended: keeps what the next step needs.
    ///
    /// # Errors
    /// [`Singular`] for a mass matrix that cannot be inverted; the step then counts as not made.
    fn accept(&mut self, trial: &Trial) -> Result<(), Singular>;

    /// Multipliers at the end of the last accepted step.
    fn multipliers(&self) -> &[f64];

    /// Operations of linear algebra so far.
    fn flops(&self) -> u64;
}
