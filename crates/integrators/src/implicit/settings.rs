//! Settings common to all implicit formulas.

use mbsbench_problem::parameters;
use mbsbench_problem::parameters::spelling;

use crate::newton::{EXACT, JacobianUse, STRUCTURED, options};

/// Passes the settings common to all implicit formulas to a macro that declares parameters, in braces before `rest`.
/// Each entry has the comment, the name in files, type and range, the field of [`Options`] with the default, and
/// optionally the test by which a value is left out of files.
macro_rules! with_settings {
    ($declare:ident! { $($rest:tt)* }) => {
        $declare! {
            {
                /// Bound on the L2 norm of the whole residual at which Newton's iteration ends. The residual contains
                /// forces, moments, rates minus velocities, and constraints divided by `c`, unweighted and in the
                /// units of the model.
                newton_tolerance: f64 [above 0.0, to 1.0] => tolerance;
                /// Largest number of iterations at a point; beyond it the run fails with `newton-diverged`.
                max_iterations: u32 [from 1] => iterations;
                /// Derivatives and multipliers at the start: `consistent` or `zero`.
                initial_derivatives: InitialDerivatives => initial;
                /// Centres of the local coordinates of rotations: `step`, `stage`, `prediction` or `moving`.
                charts: Charts => charts;
                /// First guesses of Newton's iteration: `paper`, `constant` or `second-order`.
                prediction: Prediction => prediction, silent "mbsbench_problem::parameters::is_default";
                /// Use of Newton's matrix, which decides when it is formed and factorized: `full`, `modified` or
                /// `kept`.
                jacobian: JacobianUse => jacobian, silent "mbsbench_problem::parameters::is_default";
            }
            $($rest)*
        }
    };
}

pub(crate) use with_settings;

parameters! {
    /// Derivatives and multipliers at the start of a run.
    #[derive(Copy, Default, Eq)]
    pub enum InitialDerivatives {
        /// Derivatives and multipliers from the equations at acceleration level.
        #[default]
        Consistent,
        /// None: positions change with the initial velocities, while accelerations and multipliers are zero. This is
        /// the start of the authors' program for zhang2022 if it does not solve for them. It is of first order if the
        /// initial accelerations are not zero.
        Zero,
    }
}

/// Options for solving the equations of the steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Bound on the L2 norm of the whole residual at which Newton's iteration ends.
    pub tolerance: f64,
    /// Largest number of iterations at a point.
    pub iterations: u32,
    /// Derivatives at the start.
    pub initial: InitialDerivatives,
    /// Centres of local coordinates.
    pub charts: Charts,
    /// First guesses of Newton's iteration.
    pub prediction: Prediction,
    /// The policy for forming Newton's matrix.
    pub jacobian: JacobianUse,
}

impl Options {
    /// The options with their values, by the names that all methods share, or otherwise by their names in files; see
    /// [`Method::solver_options`](mbsbench_problem::Method::solver_options).
    pub fn named(&self) -> Vec<(String, String)> {
        let Self { tolerance, iterations, initial, charts, prediction, jacobian } = self;
        options([
            ("linear-algebra", STRUCTURED.to_owned()),
            ("jacobians", EXACT.to_owned()),
            ("newton-stop", format!("residual ≤ {}", spelling(tolerance))),
            ("max-iterations", spelling(iterations)),
            ("initial-derivatives", spelling(initial)),
            ("charts", spelling(charts)),
            ("prediction", spelling(prediction)),
            ("newton-matrix", spelling(jacobian)),
        ])
    }
}

impl Default for Options {
    fn default() -> Self {
        let (initial, charts) = (InitialDerivatives::default(), Charts::default());
        let (prediction, jacobian) = (Prediction::default(), JacobianUse::default());
        Self { tolerance: 1e-6, iterations: 20, initial, charts, prediction, jacobian }
    }
}

parameters! {
    /// The first steps of a multistep formula.
    #[derive(Copy, Default, Eq)]
    pub enum Start {
        /// All first steps by the trapezoidal rule, as in zhang2022.
        #[default]
        Trapezoidal,
        /// The first step by the trapezoidal rule, the second by LMS2, the third by LMS3, with the same `rho`.
        Ladder,
    }

    /// The centres of the local coordinates of a configuration with rotations. Other configurations are not affected.
    #[derive(Copy, Default, Eq)]
    pub enum Charts {
        /// At the start of each step.
        #[default]
        Step,
        /// At the last solved point, in every stage.
        Stage,
        /// In every stage, at the last solved point for the prediction and at the predicted point for the correction.
        /// The formula is then applied to the correction alone.
        Prediction,
        /// As `prediction`, but the chart of the correction moves with the predicted motion. The formula is applied
        /// to the rotation from the predicted to the corrected orientation and to the rate of that rotation.
        /// Auxiliary derivatives of single-step formulas are not transformed between charts. This is the behaviour of
        /// the code behind zhang2022.
        Moving,
    }

    /// The first guess of `y'` at a point. It affects the number of Newton iterations; it affects the solution only
    /// within the tolerance, unless charts are centred at the predicted point.
    #[derive(Copy, Default, Eq)]
    pub enum Prediction {
        /// As in section 3.1 of zhang2022: multistep formulas use the last two points and single-step formulas the
        /// last one. Stages use two points, but the first implicit stage uses one, and the last stage of formulas of
        /// order four or more uses three; fewer if two of the points have the same time.
        #[default]
        Paper,
        /// `y'` of the last solved point, everywhere (Eq. 15).
        Constant,
        /// From the last two points (Eq. 12), also in single-step formulas and in the last stage of formulas of order
        /// four or more, but not in the first step or the first implicit stage.
        SecondOrder,
    }
}

impl Charts {
    /// True if corrections are relative to the predicted point.
    pub fn are_predicted(self) -> bool {
        matches!(self, Self::Prediction | Self::Moving)
    }
}
