//! Settings that the implicit formulas share.

use mbsbench_problem::parameters;

use crate::newton::JacobianUse;

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
    #[must_use]
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
        /// three.
        #[default]
        Paper,
        /// `y'` of the point solved last, everywhere (Eq. 15).
        Constant,
        /// From the two points solved last (Eq. 12), also in single-step formulas and in the last stage of those of
        /// order four and more; not in the first step nor in the first implicit stage.
        SecondOrder,
    }
}

impl Prediction {
    /// Whether it is the paper's; runs are not named by it then.
    #[must_use]
    pub fn is_paper(&self) -> bool {
        *self == Self::Paper
    }
}
