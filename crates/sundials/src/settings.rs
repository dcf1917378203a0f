//! Parameters shared by the methods of this crate, and values derived from them.

use mbsbench_problem::dae::Index3;
use mbsbench_problem::{Mechanics, OutOfRange, Unsuitable, parameters};

parameters! {
    /// The source of the Jacobian `∂f/∂y`.
    #[derive(Copy, Default, Eq)]
    pub enum Jacobian {
        /// Provided by the problem, exact to rounding errors.
        Exact,
        /// One-sided differences with the increments `increment · max(|y_i|, typical_i)`.
        FiniteDifference,
        /// One-sided differences with the library's own increments.
        Internal,
        /// `exact` if the problem provides the Jacobian, otherwise `internal`.
        #[default]
        Automatic,
    }

    /// The solver of Newton's linear systems if the Jacobian is exact; with difference quotients the systems are dense.
    #[derive(Copy, Default, Eq)]
    pub enum LinearSolver {
        /// The faster choice: `sparse` for mechanisms with many bodies and for all mechanisms that IDA solves with
        /// their constraints, otherwise `dense`.
        #[default]
        Automatic,
        /// Dense factors, by the library.
        Dense,
        /// Sparse factors with the structure of the mechanism.
        Sparse,
    }

    /// The equations that IDA solves for a mechanism with positions `q`, velocities `v` and constraints `Φ(t, q) = 0`,
    /// `J = ∂Φ/∂q`. Other equations are solved as `y' − f(t, y) = 0`.
    #[derive(Copy, Default, Eq)]
    pub enum Form {
        /// `y' − f(t, y) = 0`, the underlying ODE, with accelerations from the constraints at acceleration
        /// level (index reduced to 0); constraints drift.
        Index1,
        /// `q' = v − Jᵀ μ`, `M v' = D + Jᵀ λ`, `Φ = 0`, `J v + Φ_t = 0`: index 2, in the stabilised form of Gear, Gupta
        /// and Leimkuhler.
        #[default]
        Ggl,
        /// `q' = v`, `M v' = D + Jᵀ λ`, `Φ = 0`: index 3.
        Index3,
    }

    /// The solver of the implicit equations of a step.
    #[derive(Copy, Default, Eq)]
    pub enum Iteration {
        /// Functional iteration, without a Jacobian; for problems that are not stiff.
        #[default]
        FixedPoint,
        /// Newton's method.
        Newton,
    }

    /// A size for each component of the state.
    #[derive(Default)]
    pub enum Sizes where there_is_one {
        /// One, in the unit of each component.
        #[default]
        Uniform,
        /// The sizes that the problem provides for this purpose (typical sizes or tolerance scales), or one if it
        /// provides none.
        Problem,
        /// A list in the units of the components, repeated as needed, so that the sizes of one body can be used for all
        /// bodies.
        Components(Vec<f64> [above 0.0]),
    }
}

impl Jacobian {
    /// Resolves `automatic`, given whether the problem provides its Jacobian.
    pub(crate) fn resolved(self, is_given: bool) -> Self {
        match self {
            Self::Automatic if is_given => Self::Exact,
            Self::Automatic => Self::Internal,
            chosen => chosen,
        }
    }
}

impl Form {
    /// True if this is the value that names of runs omit: the only form before the others were added.
    pub(crate) fn is_index1(&self) -> bool {
        *self == Self::Index1
    }
}

impl Sizes {
    fn there_is_one(&self) -> Result<(), OutOfRange> {
        let is_empty = matches!(self, Self::Components(sizes) if sizes.is_empty());
        OutOfRange::unless(!is_empty, "components", "[]", "at least one size")
    }
}

/// The solver of the library.
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
    /// True if the solver uses a Newton iteration.
    pub(crate) fn has_newton(self) -> bool {
        self != Self::CvodeAdams(Iteration::FixedPoint)
    }

    pub(crate) fn is_ida(self) -> bool {
        matches!(self, Self::Ida(_))
    }
}

/// A method of the library with its settings.
#[derive(Debug, Clone)]
#[cfg_attr(not(sundials), expect(dead_code, reason = "read by the driver, which exists only with the library"))]
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
    /// The form in which the method solves constrained mechanics; none if it solves `y' = f(t, y)`.
    pub(crate) fn form(&self) -> Option<Form> {
        match self.kind {
            Kind::Ida(form @ (Form::Ggl | Form::Index3)) => Some(form),
            _ => None,
        }
    }

    /// A possible remedy if the library gives up with this flag.
    #[cfg(sundials)]
    pub(crate) fn remedy(&self, flag: &str) -> Option<&'static str> {
        let is_exact = matches!(self.jacobian, Jacobian::Exact | Jacobian::Automatic);
        Some(match (flag, self.kind) {
            ("IDA_CONV_FAIL" | "CV_CONV_FAILURE", _) if !is_exact => {
                "Newton's method did not converge: use `jacobian: exact` or a smaller `max_step`."
            }
            ("IDA_CONV_FAIL", Kind::Ida(Form::Index3)) => {
                "Newton's method did not converge: use `form: ggl`, a smaller tolerance or a smaller `max_step`."
            }
            ("IDA_CONV_FAIL" | "CV_CONV_FAILURE", _) => {
                "Newton's method did not converge: use a smaller tolerance or a smaller `max_step`."
            }
            ("IDA_ERR_FAIL", Kind::Ida(Form::Index3)) => {
                "No step is short enough for the tolerance: use `form: ggl` or a larger tolerance."
            }
            ("IDA_ERR_FAIL" | "CV_ERR_FAILURE", _) => {
                "No step is short enough for the tolerance: check whether the equations jump at this time, or use a \
                 larger tolerance."
            }
            _ => return None,
        })
    }

    /// True if the method uses exact Jacobians whenever the problem provides them.
    pub(crate) fn may_be_exact(&self) -> bool {
        self.kind.has_newton() && matches!(self.jacobian, Jacobian::Exact | Jacobian::Automatic)
    }

    /// Checks that the method can solve mechanics together with its constraints.
    pub(crate) fn suits_mechanics(&self, mechanics: &mut dyn Mechanics) -> Result<(), Unsuitable> {
        Index3::suits(mechanics)?;
        let is_dense = self.jacobian != Jacobian::Exact && self.jacobian != Jacobian::Automatic;
        let is_other =
            self.jacobian == Jacobian::FiniteDifference || (is_dense && self.linear_solver == LinearSolver::Sparse);
        let needs = "`jacobian: exact`, `jacobian: internal` with a dense matrix, or `form: index1`";
        Unsuitable::when(is_other, needs, "is constrained mechanics with other settings")
    }
}
