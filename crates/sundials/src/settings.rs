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
        Internal,
        /// `exact` where the problem gives it, and `internal` elsewhere.
        #[default]
        Automatic,
    }
}

impl Jacobian {
    /// What `automatic` stands for with a problem that gives its Jacobian, or does not.
    pub(crate) fn resolved(self, is_given: bool) -> Self {
        match self {
            Self::Automatic if is_given => Self::Exact,
            Self::Automatic => Self::Internal,
            chosen => chosen,
        }
    }
}

parameters! {
    /// How Newton's linear systems are solved where the Jacobian is exact; with differences all are dense.
    #[derive(Copy, Default, Eq)]
    pub enum LinearSolver {
        /// As is faster: `sparse` for mechanisms with many bodies and all that IDA takes with their constraints, `dense` elsewhere.
        #[default]
        Automatic,
        /// With all entries, by the library.
        Dense,
        /// With the entries that the mechanism has.
        Sparse,
    }
}

impl LinearSolver {
    /// Whether this is what names of runs say nothing of.
    pub(crate) fn is_automatic(&self) -> bool {
        *self == Self::Automatic
    }
}

parameters! {
    /// The equations that IDA takes for a mechanism with positions `q`, velocities `v` and constraints `Φ(t, q) = 0`,
    /// `J = ∂Φ/∂q`. Other equations are taken as `y' − f(t, y) = 0`.
    #[derive(Copy, Default, Eq)]
    pub enum Form {
        /// `y' − f(t, y) = 0`, the underlying ODE, with accelerations from the constraints at acceleration
        /// level (index reduced to 0); constraints drift.
        Index1,
        /// `q' = v − Jᵀ μ`, `M v' = D + Jᵀ λ`, `Φ = 0`, `J v + Φ_t = 0`: of index 2, stabilised as by Gear, Gupta and
        /// Leimkuhler.
        #[default]
        Ggl,
        /// `q' = v`, `M v' = D + Jᵀ λ`, `Φ = 0`: of index 3.
        Index3,
    }
}

impl Form {
    /// Whether this is what names of runs say nothing of: what there was before there were others.
    pub(crate) fn is_index1(&self) -> bool {
        *self == Self::Index1
    }
}

parameters! {
    /// How the implicit equations of a step are solved.
    #[derive(Copy, Default, Eq)]
    pub enum Iteration {
        /// By functional iteration, without a Jacobian; for problems that are not stiff.
        #[default]
        FixedPoint,
        /// By Newton's method.
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
