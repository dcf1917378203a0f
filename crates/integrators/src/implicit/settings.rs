//! Settings that the implicit formulas share.

use mbsbench_problem::parameters;
use mbsbench_problem::parameters::spelling;

use crate::newton::{EXACT, JacobianUse, STRUCTURED, options};

/// Hands the settings that all implicit formulas share to a macro that declares parameters, in braces before `rest`. A line has the
/// comment, the name in files, type and range, the field of [`Options`] with the default, and the test after which a value is not
/// written out.
macro_rules! with_settings {
    ($declare:ident! { $($rest:tt)* }) => {
        $declare! {
            {
                /// Newton's iteration at a point ends with an L2 norm of the whole residual of at most this: forces,
                /// moments, rates minus velocities, and constraints divided by `c`, in the units of the model and not
                /// weighted.
                newton_tolerance: f64 [above 0.0, to 1.0] => tolerance;
                /// Most iterations at a point; the run fails with `newton-diverged` beyond them.
                max_iterations: u32 [from 1] => iterations;
                /// Derivatives and multipliers at the start: `consistent` or `zero`.
                initial_derivatives: InitialDerivatives => initial;
                /// Where local coordinates of rotations are centred: `step`, `stage`, `prediction` or `moving`.
                charts: Charts => charts;
                /// What first guesses are made of: `paper`, `constant` or `second-order`.
                prediction: Prediction => prediction, silent "crate::definition::is_default";
                /// When Newton's matrix is formed and factorized: `full`, `modified` or `kept`.
                jacobian: JacobianUse => jacobian, silent "crate::definition::is_default";
            }
            $($rest)*
        }
    };
}

pub(crate) use with_settings;

parameters! {
    /// Derivatives and multipliers that a run starts from.
    #[derive(Copy, Default, Eq)]
    pub enum InitialDerivatives {
        /// Those that the equations give, at acceleration level.
        #[default]
        Consistent,
        /// None: positions change with the initial velocities, accelerations and multipliers are zero. The start of the
        /// authors' program for zhang2022 if the solution for them is skipped; of first order if the initial
        /// accelerations are not zero.
        Zero,
    }
}

/// How the equations of the steps are solved, and from what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Newton's iteration at a point ends with an L2 norm of the whole residual of at most this.
    pub tolerance: f64,
    /// Most iterations at a point.
    pub iterations: u32,
    /// Derivatives at the start.
    pub initial: InitialDerivatives,
    /// Where local coordinates are centred.
    pub charts: Charts,
    /// What first guesses are made of.
    pub prediction: Prediction,
    /// When Newton's matrix is formed.
    pub jacobian: JacobianUse,
}

impl Options {
    /// The options by their names in files, each with its value, under the names that all methods share, as far
    /// as there are such names; see [`Method::solver_options`](mbsbench_problem::Method::solver_options).
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
    /// How the first steps of a multistep formula are made.
    #[derive(Copy, Default, Eq)]
    pub enum Start {
        /// All by the trapezoidal rule, as zhang2022 says.
        #[default]
        Trapezoidal,
        /// The first by the trapezoidal rule, the second by LMS2, the third by LMS3, with the same `rho`.
        Ladder,
    }
}

parameters! {
    /// Where local coordinates of a configuration with rotations are centred. It matters for nothing else.
    #[derive(Copy, Default, Eq)]
    pub enum Charts {
        /// At the start of each step.
        #[default]
        Step,
        /// At the point solved last, in every stage.
        Stage,
        /// In every stage, at the point solved last for the prediction, and at the predicted point for the correction,
        /// to which alone the formula is applied then.
        Prediction,
        /// In the same way, with the chart of the correction moving on as predicted: the formula is applied to the
        /// rotation that leads from the predicted one to the corrected one and to the rate of that rotation. Auxiliary
        /// derivatives of single-step formulas stay what they are from chart to chart. As the code behind zhang2022
        /// does.
        Moving,
    }
}

impl Charts {
    /// Whether corrections are about the predicted point.
    pub fn are_predicted(self) -> bool {
        matches!(self, Self::Prediction | Self::Moving)
    }
}

parameters! {
    /// What the first guess of `y'` at a point is made of. It decides on the iterations that Newton's method takes, and
    /// on the solution by no more than the tolerance of that, but where charts are about the predicted point.
    #[derive(Copy, Default, Eq)]
    pub enum Prediction {
        /// As zhang2022 has it in section 3.1: multistep formulas from the two points solved last, single-step formulas
        /// from one, stages from two but the first implicit one, and the last of formulas of order four and more from
        /// three; from fewer points where two of them are at the same time.
        #[default]
        Paper,
        /// `y'` of the point solved last, everywhere (Eq. 15).
        Constant,
        /// From the two points solved last (Eq. 12), also in single-step formulas and in the last stage of those of
        /// order four and more; not in the first step nor in the first implicit stage.
        SecondOrder,
    }
}
