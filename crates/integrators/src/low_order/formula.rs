//! The interface between a formula and the engine.

use mbsbench_problem::linalg::{Saddle, Singular};
use mbsbench_problem::{Branches, CountedMechanics, Derivatives, Structure, Terms};
use nalgebra::DMatrix;

use crate::newton::largest;

/// The end of the attempted step, with the terms of the equations there.
pub struct Trial {
    /// End of the step, s.
    pub t: f64,
    /// Size of the step, s.
    pub h: f64,
    /// The largest position at the start of the step.
    pub size: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Terms at `(t, q, v)`; after the iteration, those of the iterate before the last correction.
    pub terms: Terms<f64>,
    /// Derivatives of the terms, from the iteration that formed the matrix.
    pub derivatives: Derivatives<f64>,
}

impl Trial {
    /// Writes the terms at the iterate, and their derivatives if the method `forms` its matrix.
    pub fn evaluate(&mut self, mechanics: &mut CountedMechanics<'_>, forms: bool) {
        let Self { t, q, v, terms, derivatives, .. } = self;
        if forms {
            mechanics.linearisation(*t, q, v, terms, derivatives);
        } else {
            mechanics.terms(*t, q, v, terms);
        }
    }
}

/// The motion at the initial time.
pub struct Start<'s> {
    /// Positions.
    pub q: &'s [f64],
    /// Velocities.
    pub v: &'s [f64],
    /// Accelerations from the equations of motion.
    pub a: &'s [f64],
    /// Algorithmic accelerations of the generalized-α formulas; otherwise the accelerations.
    pub algorithmic: &'s [f64],
    /// Rates of the accelerations, if steps vary in size.
    pub jerk: Option<&'s [f64]>,
    /// Multipliers from the equations of motion.
    pub lambda: &'s [f64],
    /// Terms of the equations; empty if there are joints.
    pub terms: &'s Terms<f64>,
    /// Structure of the terms and derivatives.
    pub structure: &'s Structure,
    /// The joints of a tree, for a formula that uses them in place of terms.
    pub joints: Option<Branches>,
}

impl Start<'_> {
    /// Allocates Newton's matrix of positions and multipliers, dense or sparse as the terms are.
    pub fn saddle(&self) -> Saddle {
        Saddle::new(&self.structure.dynamics, &self.structure.jacobian, self.is_sparse())
    }

    /// True if terms and derivatives are stored sparse.
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
    /// Change of a position (s²) per unit change of an acceleration.
    pub by_position: f64,
    /// Number of solves with the matrix.
    pub solves: u64,
    /// True if the next correction needs a new matrix, even if the matrix is otherwise kept over a step.
    pub reform: bool,
}

/// The estimated local error of a step.
#[derive(Debug, Clone, Copy)]
pub struct Estimate<'f> {
    /// Magnitude of the error of each position.
    pub error: &'f [f64],
    /// Number of solves with the matrix.
    pub solves: u64,
}

/// One step of a method, as an iteration on its own unknowns.
pub trait Formula {
    /// Begins a step: sets the unknowns and [`Trial`] to the first iterate. If `guess` is false, the
    /// iteration starts from zero accelerations and multipliers.
    ///
    /// # Errors
    /// Returns [`Singular`] if the mass matrix is singular.
    fn begin(&mut self, guess: bool, mechanics: &mut CountedMechanics<'_>, trial: &mut Trial) -> Result<(), Singular>;

    /// Evaluates the equations at the iterate, for a new matrix or for a correction only.
    fn evaluate(&mut self, mechanics: &mut CountedMechanics<'_>, trial: &mut Trial, forms: bool) {
        trial.evaluate(mechanics, forms);
    }

    /// Forms Newton's matrix at the iterate.
    ///
    /// # Errors
    /// Returns [`Singular`] if a block to be eliminated is singular.
    fn form(&mut self, trial: &Trial) -> Result<(), Singular>;

    /// Returns a copy of Newton's matrix as last formed.
    fn matrix(&self) -> DMatrix<f64>;

    /// True if the matrix contains no infinite and no undefined numbers.
    fn is_finite(&self) -> bool {
        self.matrix().iter().all(|entry| entry.is_finite())
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix is singular.
    fn factorize(&mut self) -> Result<(), Singular>;

    /// Corrects the unknowns and [`Trial`] using the residual at the iterate.
    fn correct(&mut self, trial: &mut Trial) -> Correction;

    /// Index of the coordinate whose acceleration the last correction changed most.
    fn most_corrected(&self) -> usize;

    /// The largest change of an acceleration that rounding errors of the terms at the last iterate can cause, computed
    /// by one solve with the factors. [`correct`](Self::correct) cannot get below it. None if a formula does not know
    /// it. The last correction is lost.
    fn attainable(&mut self, trial: &Trial) -> Option<f64>;

    /// The largest violation of a constraint at the last iterate, as a change of position (m or rad).
    fn violation(&self, trial: &Trial) -> f64 {
        largest(&trial.terms.constraints)
    }

    /// Prepares for a step of size `h` (s) that may differ from the previous size, or that follows a rejected attempt.
    /// Called before [`begin`](Self::begin) in runs with variable steps, in which [`Start::jerk`] is given.
    fn resize(&mut self, _h: f64) {}

    /// Estimates the local error of the positions, of order h³, by solves with the factors, after the iteration has
    /// ended. None if a formula has no estimate. The last correction is lost.
    fn error(&mut self, _trial: &Trial) -> Option<Estimate<'_>> {
        None
    }

    /// Keeps the values that the next step needs, after the iteration has ended.
    ///
    /// # Errors
    /// Returns [`Singular`] if the mass matrix is singular; the step then counts as not made.
    fn accept(&mut self, trial: &Trial) -> Result<(), Singular>;

    /// Multipliers at the end of the last accepted step.
    fn multipliers(&self) -> &[f64];

    /// Operations of linear algebra so far.
    fn flops(&self) -> u64;
}
