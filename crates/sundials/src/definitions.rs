//! The methods as experiment files name them.

use mbsbench_problem::{Counted, Method, MethodDefinition, Observer, Ode, Solution, Task, Unsuitable, parameters};

use crate::settings::{Iteration, Jacobian, Sizes};

const FAMILY: &str = "sundials";
const SOURCE: &str = "A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363–396";
/// The increment of the difference quotients of modin2005, as reconstructed.
const INCREMENT: f64 = 1e-7;

parameters! {
    /// CVODE with backward differentiation formulas of variable order and step, for stiff problems.
    ///
    /// The weighted root mean square of the error estimates is kept below one, with weights `1/(rel |y_i| + abs
    /// scale_i)`. Implicit equations are solved by a modified Newton method with a dense matrix; the Jacobian is kept
    /// for as long as it serves. `rhs_evaluations` does not contain those for Jacobians, which are
    /// `jacobian_rhs_evaluations`; `steps_rejected` is the number of failed error tests and of `convergence_failures`.
    /// Each step of the library is an accepted step; states inside a step come from the polynomial that its formula
    /// rests on. Zeros of event functions are located by the library, and the formulas begin anew there. No
    /// constant steps, no problems with projection or locked configurations.
    pub struct CvodeBdf {
        /// Highest order, 1 to 5.
        pub max_order: u32 [from 1, to 5] = 5,
        /// Where the Jacobian comes from: `exact`, `finite-difference`, `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
        /// Increment of `finite-difference`, as a share of `max(|y_i|, typical_i)`.
        pub increment: f64 [above 0.0] = INCREMENT,
        /// Least sizes for these increments: `uniform` (one), `problem`, or `components` with a list.
        pub typical: Sizes = Sizes::Problem,
        /// What the absolute tolerance is multiplied by for each component: `uniform` (one), `problem`, or `components`
        /// with a list.
        pub absolute_scale: Sizes = Sizes::Uniform,
    }
}

parameters! {
    /// CVODE with Adams–Moulton formulas of variable order and step, for problems that are not stiff.
    ///
    /// Otherwise as `cvode-bdf`. By functional iteration there is no Jacobian, and `newton_iterations` is zero.
    pub struct CvodeAdams {
        /// Highest order, 1 to 12.
        pub max_order: u32 [from 1, to 12] = 12,
        /// How implicit equations are solved: `fixed-point`, `newton`.
        pub iteration: Iteration = Iteration::default(),
        /// Where the Jacobian of `newton` comes from: `exact`, `finite-difference`, `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
        /// Increment of `finite-difference`, as a share of `max(|y_i|, typical_i)`.
        pub increment: f64 [above 0.0] = INCREMENT,
        /// Least sizes for these increments: `uniform` (one), `problem`, or `components` with a list.
        pub typical: Sizes = Sizes::Problem,
        /// What the absolute tolerance is multiplied by for each component: `uniform` (one), `problem`, or `components`
        /// with a list.
        pub absolute_scale: Sizes = Sizes::Uniform,
    }
}

parameters! {
    /// IDA, backward differentiation formulas of variable order and step with fixed leading coefficient, on
    /// `F(t, y, y') = y' − f(t, y) = 0`.
    ///
    /// Otherwise as `cvode-bdf`.
    pub struct Ida {
        /// Highest order, 1 to 5.
        pub max_order: u32 [from 1, to 5] = 5,
        /// Where the Jacobian comes from: `exact`, `finite-difference`, `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
        /// Increment of `finite-difference`, as a share of `max(|y_i|, typical_i)`.
        pub increment: f64 [above 0.0] = INCREMENT,
        /// Least sizes for these increments: `uniform` (one), `problem`, or `components` with a list.
        pub typical: Sizes = Sizes::Problem,
        /// What the absolute tolerance is multiplied by for each component: `uniform` (one), `problem`, or `components`
        /// with a list.
        pub absolute_scale: Sizes = Sizes::Uniform,
    }
}

/// Which of the library's solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    CvodeBdf,
    CvodeAdams(Iteration),
    Ida,
}

impl Kind {
    /// Whether it needs a Jacobian.
    pub(crate) fn has_newton(self) -> bool {
        self != Self::CvodeAdams(Iteration::FixedPoint)
    }
}

/// A method of the library with its settings.
#[derive(Debug, Clone)]
#[cfg_attr(not(sundials), expect(dead_code, reason = "read by the driver, which is not there without the library"))]
pub(crate) struct Sundials {
    pub(crate) kind: Kind,
    pub(crate) max_order: u32,
    pub(crate) jacobian: Jacobian,
    pub(crate) increment: f64,
    pub(crate) typical: Sizes,
    pub(crate) absolute_scale: Sizes,
}

/// What the three definitions have in common.
macro_rules! definition {
    ($type:ident, $name:literal, $summary:literal, $kind:expr) => {
        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = SOURCE;
            const FAMILY: &'static str = FAMILY;

            fn method(&self) -> Box<dyn Method> {
                let kind: fn(&Self) -> Kind = $kind;
                Box::new(Sundials {
                    kind: kind(self),
                    max_order: self.max_order,
                    jacobian: self.jacobian,
                    increment: self.increment,
                    typical: self.typical.clone(),
                    absolute_scale: self.absolute_scale.clone(),
                })
            }
        }
    };
}

definition!(
    CvodeBdf,
    "cvode-bdf",
    "CVODE of SUNDIALS: backward differentiation formulas of variable order and step",
    |_| Kind::CvodeBdf
);
definition!(
    CvodeAdams,
    "cvode-adams",
    "CVODE of SUNDIALS: Adams–Moulton formulas of variable order and step",
    |adams| Kind::CvodeAdams(adams.iteration)
);
definition!(
    Ida,
    "ida",
    "IDA of SUNDIALS: backward differentiation for implicit differential equations, on y' − f(t, y) = 0",
    |_| Kind::Ida
);

impl Method for Sundials {
    fn order(&self) -> u32 {
        self.max_order
    }

    fn adapts(&self) -> bool {
        true
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        if problem.mass().is_some() {
            return Err(Unsuitable::new("equations y' = f(t, y)", "has a mass matrix before y'"));
        }
        if problem.locks() || problem.projects() {
            let lacks = "projects its states or locks its configuration over a step";
            return Err(Unsuitable::new("a smooth right-hand side from one event to the next", lacks));
        }
        Unsuitable::without_rhs(problem)?;
        if self.kind.has_newton() && self.jacobian == Jacobian::Exact && !problem.has_jacobian() {
            let lacks = "does not give it; take `finite-difference` or `internal`";
            return Err(Unsuitable::new("the Jacobian of the right-hand side", lacks));
        }
        Ok(())
    }

    #[cfg(sundials)]
    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        crate::drive::solve(self, problem, task, observer)
    }

    #[cfg(not(sundials))]
    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, _observer: &mut dyn Observer) -> Solution {
        Solution::refused(&problem, task, mbsbench_problem::Failure::Unavailable { package: crate::PACKAGE })
    }
}
