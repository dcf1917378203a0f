//! The methods under their names in experiment files.

use mbsbench_problem::parameters::is_default;
use mbsbench_problem::{
    Counted, Method, MethodDefinition, MethodProperties, Observer, Ode, Solution, Task, Unsuitable, parameters,
};

use crate::settings::{Form, Iteration, Jacobian, Kind, LinearSolver, Sizes, Sundials};

/// The increment of the difference quotients of modin2005, as reconstructed.
const INCREMENT: f64 = 1e-7;

/// Declares a method: its own parameters together with those shared by all methods of the library, its name and
/// summary, and the solver of the library that it uses.
macro_rules! method {
    (
        $(#[$about:meta])*
        pub struct $type:ident { $($fields:tt)* }
        $name:literal, $summary:literal, $kind:expr
    ) => {
        parameters! {
            $(#[$about])*
            pub struct $type {
                $($fields)*
                /// Solver of the linear systems if the Jacobian is exact: `automatic`, `dense`, `sparse`.
                #[serde(skip_serializing_if = "is_default")]
                pub linear_solver: LinearSolver = LinearSolver::default(),
                /// Increment of `finite-difference`, as a fraction of `max(|y_i|, typical_i)`.
                pub increment: f64 [above 0.0] = INCREMENT,
                /// Minimum component sizes for these increments: `uniform` (one), `problem`, or `components` with a
                /// list.
                pub typical: Sizes = Sizes::Problem,
                /// Factors of the absolute tolerance, one for each component: `uniform` (one), `problem`, or
                /// `components` with a list.
                pub absolute_scale: Sizes = Sizes::Uniform,
            }
        }

        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = "A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363–396";
            const FAMILY: &'static str = "sundials";

            fn method(&self) -> Box<dyn Method> {
                let kind: fn(&Self) -> Kind = $kind;
                Box::new(Sundials {
                    kind: kind(self),
                    max_order: self.max_order,
                    jacobian: self.jacobian,
                    linear_solver: self.linear_solver,
                    increment: self.increment,
                    typical: self.typical.clone(),
                    absolute_scale: self.absolute_scale.clone(),
                })
            }
        }
    };
}

method! {
    /// CVODE with backward differentiation formulas of variable order and step, for stiff problems.
    ///
    /// The weighted root mean square of the error estimates is kept below one, with weights
    /// `1/(rel |y_i| + abs scale_i)`. Implicit equations are solved by a modified Newton method, which keeps the
    /// Jacobian as long as the iteration converges. The Jacobian of a mechanism with many bodies is dense, but the
    /// equations behind it are sparse: each linear system is solved for positions, velocities, accelerations and
    /// multipliers together, at a cost proportional to the number of bodies.
    ///
    /// Evaluations for Jacobians are counted in `jacobian_rhs_evaluations` and not in `rhs_evaluations`;
    /// `steps_rejected` is the number of failed error tests plus `convergence_failures`. Each step of the library is an
    /// accepted step; states inside a step come from the interpolating polynomial of the formula. The library locates
    /// zeros of event functions, and the method restarts there at order one. Constant steps and problems with
    /// projection or locked configurations are not supported.
    pub struct CvodeBdf {
        /// Highest order, 1 to 5.
        pub max_order: u32 [from 1, to 5] = 5,
        /// Source of the Jacobian: `automatic` (exact if the problem provides it), `exact`, `finite-difference`,
        /// `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
    }
    "cvode-bdf", "SUNDIALS CVODE: backward differentiation formulas of variable order and step",
    |_| Kind::CvodeBdf
}

method! {
    /// CVODE with Adams–Moulton formulas of variable order and step, for problems that are not stiff.
    ///
    /// In all other respects it is like `cvode-bdf`. Functional iteration uses no Jacobian, and its `newton_iterations`
    /// are zero.
    pub struct CvodeAdams {
        /// Highest order, 1 to 12.
        pub max_order: u32 [from 1, to 12] = 12,
        /// Solver of the implicit equations: `fixed-point`, `newton`.
        pub iteration: Iteration = Iteration::default(),
        /// Source of the Jacobian for `newton`: `automatic` (exact if the problem provides it), `exact`,
        /// `finite-difference`, `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
    }
    "cvode-adams", "SUNDIALS CVODE: Adams–Moulton formulas of variable order and step",
    |adams| Kind::CvodeAdams(adams.iteration)
}

method! {
    /// IDA: backward differentiation formulas of variable order and step with fixed leading coefficient, applied to
    /// `F(t, y, y') = 0`.
    ///
    /// For mechanisms whose positions form a vector space and whose constraints act on positions, `form` selects `F`.
    /// For other equations `F` is `y' − f(t, y)`, or `M y' − f(t, y)` with a constant, possibly singular matrix:
    /// components of index 2 and 3 are then excluded from the error test, and those of index 3 also from the
    /// convergence test of Newton's method.
    ///
    /// Initial positions and velocities have to satisfy the constraints; accelerations and λ follow from them.
    /// Multipliers are excluded from the error test, and with `index3` velocities are excluded, too: the tolerance then
    /// applies to positions only, and the accuracy of velocities is not controlled. The root mean square of the errors
    /// is always taken over all unknowns. Linear systems of mechanisms are solved with sparse factors, whatever the
    /// number of bodies (0.33 to 1.08 times the instructions of dense factors). In all other respects it is like
    /// `cvode-bdf`.
    pub struct Ida {
        /// The equations of a mechanism: `index1`, `ggl`, `index3`.
        #[serde(skip_serializing_if = "Form::is_index1")]
        pub form: Form = Form::default(),
        /// Highest order, 1 to 5.
        pub max_order: u32 [from 1, to 5] = 5,
        /// Source of the Jacobian: `automatic` (exact if the problem provides it), `exact`, `finite-difference`,
        /// `internal`.
        pub jacobian: Jacobian = Jacobian::default(),
    }
    "ida", "SUNDIALS IDA: backward differentiation formulas for constrained mechanics and other implicit equations",
    |ida| Kind::Ida(ida.form)
}

impl Method for Sundials {
    fn order(&self) -> u32 {
        self.max_order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: true,
            full_matrices: match self.kind {
                Kind::Ida(_) => 2,
                kind if kind.has_newton() => 3,
                _ => 0,
            },
            ..MethodProperties::default()
        }
    }

    /// Bounds and maximum numbers of iterations are the library's defaults, which no parameter changes.
    fn solver_options(&self) -> Vec<(String, String)> {
        let is_exact = self.may_be_exact();
        let algebra = match self.linear_solver {
            LinearSolver::Sparse => "sparse",
            LinearSolver::Automatic if is_exact => "structured",
            LinearSolver::Automatic | LinearSolver::Dense => "dense",
        };
        let jacobians = if is_exact { "exact" } else { "by differences" };
        let (part, most) = if self.kind.is_ida() { ("0.33", "4") } else { ("0.1", "3") };
        let stop = format!("estimated error ≤ {part} of the tolerance");
        let iteration = [("newton-stop", stop.as_str()), ("max-iterations", most)];
        let newton = [("linear-algebra", algebra), ("jacobians", jacobians), ("newton-matrix", "kept")];
        let newton = newton.into_iter().filter(|_| self.kind.has_newton());
        newton.chain(iteration).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        if !self.kind.is_ida() {
            Unsuitable::with_mass(problem)?;
        }
        let changes = problem.properties().locks || problem.properties().projects;
        let lacks = "projects its states or locks its configuration over a step";
        Unsuitable::when(changes, "a smooth right-hand side from one event to the next", lacks)?;
        Unsuitable::without_rhs(problem)?;
        if let (Some(_), Some(mechanics)) = (self.form(), problem.form().index3()) {
            return self.suits_mechanics(mechanics);
        }
        if !self.kind.has_newton() {
            return Ok(());
        }
        let has_jacobian = problem.properties().has_jacobian;
        let lacks = "does not provide it; use `jacobian: finite-difference` or `internal`";
        let is_missing = self.jacobian == Jacobian::Exact && !has_jacobian;
        Unsuitable::when(is_missing, "the Jacobian of the right-hand side", lacks)?;
        let is_exact = self.jacobian.resolved(has_jacobian) == Jacobian::Exact;
        let is_dense = self.linear_solver == LinearSolver::Sparse && (!is_exact || problem.tangent().is_none());
        let lacks = "is not a mechanism with many bodies, or its exact Jacobian is not used; use \
                     `linear-solver: automatic`";
        Unsuitable::when(is_dense, "exact derivatives with a sparsity structure", lacks)
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

#[cfg(test)]
#[cfg(sundials)]
mod tests {
    use super::*;
    use crate::objects::{Context, Memory};
    use mbsbench_problem::Failure;

    /// The flags report failed error tests and failed convergence; their names come from the library.
    #[test]
    fn remedies_use_the_flags_of_the_library() {
        let context = Context::new(0.0).expect("a context");
        let memory = [Kind::CvodeBdf, Kind::Ida(Form::Ggl)];
        let memory = memory.map(|kind| Memory::new(&context, kind).expect("memory"));
        let flags = memory.iter().flat_map(|memory| [-3, -4].map(|flag| memory.failure(0.0, flag)));
        for (failure, kind) in
            flags.zip([Kind::CvodeBdf, Kind::CvodeBdf, Kind::Ida(Form::Ggl), Kind::Ida(Form::Index3)])
        {
            let Failure::SolverFailed { flag, .. } = failure else { panic!("{failure}") };
            for jacobian in [Jacobian::Automatic, Jacobian::Internal] {
                let method = Sundials {
                    kind,
                    max_order: 5,
                    jacobian,
                    linear_solver: LinearSolver::Automatic,
                    increment: INCREMENT,
                    typical: Sizes::Uniform,
                    absolute_scale: Sizes::Uniform,
                };
                assert!(method.remedy(&flag).is_some(), "{flag}");
            }
        }
    }
}
