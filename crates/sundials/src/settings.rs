//! What the methods here have in common: their parameters in experiment files, and what follows from these.

use mbsbench_problem::dae::Index3;
use mbsbench_problem::{Mechanics, OutOfRange, Unsuitable, parameters};

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

/// Which of the library's solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// CVODE with backward differentiation, of order 1 to 5.
    CvodeBdf,
    /// CVODE with Adams–Moulton formulas, of order 1 to 12.
    CvodeAdams(Iteration),
    /// IDA, of order 1 to 5.
    Ida(Form),
}

impl Kind {
    /// Whether it needs a Jacobian.
    pub(crate) fn has_newton(self) -> bool {
        self != Self::CvodeAdams(Iteration::FixedPoint)
    }

    pub(crate) fn is_ida(self) -> bool {
        matches!(self, Self::Ida(_))
    }
}

/// A method of the library with its settings.
#[derive(Debug, Clone)]
#[cfg_attr(not(sundials), expect(dead_code, reason = "read by the driver, which is not there without the library"))]
pub(crate) struct Sundials {
    pub(crate) kind: Kind,
    pub(crate) max_order: u32,
    pub(crate) jacobian: Jacobian,
    pub(crate) linear_solver: LinearSolver,
    pub(crate) increment: f64,
    pub(crate) typical: Sizes,
    pub(crate) absolute_scale: Sizes,
}

impl Sundials {
    /// The form with constraints in which the method takes mechanics; none where it takes `y' = f(t, y)`.
    pub(crate) fn form(&self) -> Option<Form> {
        match self.kind {
            Kind::Ida(form @ (Form::Ggl | Form::Index3)) => Some(form),
            _ => None,
        }
    }

    /// What may help where the library gives up with a flag.
    #[cfg(sundials)]
    pub(crate) fn remedy(&self, flag: &str) -> Option<&'static str> {
        let is_exact = matches!(self.jacobian, Jacobian::Exact | Jacobian::Automatic);
        Some(match (flag, self.kind) {
            ("IDA_CONV_FAIL" | "CV_CONV_FAILURE", _) if !is_exact => {
                "Newton's method did not converge: take `jacobian: exact`, or a smaller `max_step`."
            }
            ("IDA_CONV_FAIL", Kind::Ida(Form::Index3)) => {
                "Newton's method did not converge: take `form: ggl`, a smaller tolerance or a smaller `max_step`."
            }
            ("IDA_CONV_FAIL" | "CV_CONV_FAILURE", _) => {
                "Newton's method did not converge: take a smaller tolerance or a smaller `max_step`."
            }
            ("IDA_ERR_FAIL", Kind::Ida(Form::Index3)) => {
                "No step is short enough for the tolerance: take `form: ggl`, or a larger tolerance."
            }
            ("IDA_ERR_FAIL" | "CV_ERR_FAILURE", _) => {
                "No step is short enough for the tolerance: look for a jump in the equations there, or take a larger one."
            }
            _ => return None,
        })
    }

    /// Whether Jacobians are exact as far as the problem gives them.
    pub(crate) fn may_be_exact(&self) -> bool {
        self.kind.has_newton() && matches!(self.jacobian, Jacobian::Exact | Jacobian::Automatic)
    }

    /// Whether mechanics can be taken with its constraints.
    pub(crate) fn suits_mechanics(&self, mechanics: &mut dyn Mechanics) -> Result<(), Unsuitable> {
        Index3::suits(mechanics)?;
        let is_dense = self.jacobian != Jacobian::Exact && self.jacobian != Jacobian::Automatic;
        if self.jacobian == Jacobian::FiniteDifference || (is_dense && self.linear_solver == LinearSolver::Sparse) {
            let needs = "`jacobian: exact`, or `internal` with a dense matrix, or `form: index1`, for mechanics with constraints";
            return Err(Unsuitable::new(needs, "is such"));
        }
        Ok(())
    }
}
