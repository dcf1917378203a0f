//! What the methods here have in common in experiment files.

use mbsbench_problem::{OutOfRange, parameters};

parameters! {
    /// Where the Jacobian `∂f/∂y` comes from.
    #[derive(Copy, Default, Eq)]
    pub enum Jacobian {
        /// From the problem, exact to roundoff.
        Exact,
        /// One-sided differences with the increments `increment · max(|y_i|, typical_i)`.
        FiniteDifference,
        /// One-sided differences with the library's own increments.
        #[default]
        Internal,
    }
}

parameters! {
    /// How the implicit equations of a step are solved.
    #[derive(Copy, Default, Eq)]
    pub enum Iteration {
        /// By functional iteration, without a Jacobian; for problems that are not stiff.
        #[default]
        FixedPoint,
        /// By Newton's method with a dense matrix.
        Newton,
    }
}

parameters! {
    /// A size for each component of the state.
    #[derive(Default)]
    pub enum Sizes where there_is_one {
        /// One, in the unit of each component.
        #[default]
        Uniform,
        /// Those that the problem states for this purpose, typical sizes or scales of tolerances; one where it states
        /// none.
        Problem,
        /// These, in the unit of each component; repeated as often as it takes, so that one body of many may stand for
        /// all.
        Components(Vec<f64> [above 0.0]),
    }
}

impl Sizes {
    fn there_is_one(&self) -> Result<(), OutOfRange> {
        match self {
            Self::Components(sizes) if sizes.is_empty() => {
                Err(OutOfRange::new("components", "[]", "at least one size"))
            }
            _ => Ok(()),
        }
    }
}
