//! The counters of a solve as measures, one for each, named as in [`Statistics`](mbsbench_problem::Statistics).

use mbsbench_problem::parameters;

use super::simple::{at_end, plain};
use super::{Catalogue, Ending, Measure, MeasureContext, MeasureDefinition};

/// A counter as the value of a column; exact below 2⁵³, far above any budget.
fn number(count: u64) -> Vec<Option<f64>> {
    vec![Some(count as f64)]
}

/// Declares a measure for each counter, in a module of the counter's name.
macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident $about:literal;)*) => {
        $(mod $name {
            use super::*;

            parameters! {
                #[doc = concat!("Number of ", $about, ".")]
                pub struct Counter {}
            }

            impl MeasureDefinition for Counter {
                const NAME: &'static str = stringify!($name);
                const SUMMARY: &'static str = concat!("number of ", $about);
                fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
                    at_end(|ending| number(ending.statistics.$name))
                }
            }
        })*

        /// Adds the measures of all counters.
        pub(crate) fn add_to<C: Catalogue>(catalogue: C) -> C {
            catalogue$(.measure::<$name::Counter>())*
        }
    };
}

mbsbench_problem::for_each_counter!(measures);

plain! {
    /// The number of evaluations of the right-hand side, including those for difference quotients. It makes methods
    /// with exact and with approximate Jacobians comparable.
    AllRhsEvaluations "all_rhs_evaluations"
        "number of evaluations of the right-hand side, including those for Jacobians",
        |_| at_end(|Ending { statistics, .. }| {
            number(statistics.rhs_evaluations + statistics.jacobian_rhs_evaluations)
        });
    /// The cost of a run in evaluations of the right-hand side: all evaluations, including those for difference
    /// quotients, and for each exact Jacobian as many as difference quotients would have taken. That is one for each
    /// column, or for each group of columns without a row in common (Curtis, Powell and Reid 1974). The cost does not
    /// depend on how the Jacobians were formed.
    RhsCost "rhs_cost"
        "cost in evaluations of the right-hand side; an exact Jacobian counts as if it were formed by differences",
        |_| at_end(|Ending { statistics, .. }| {
            number(statistics.rhs_evaluations + statistics.jacobian_rhs_evaluations + statistics.jacobian_columns)
        });
    /// The number of operations of the method's own dense linear algebra: factorizations, solves and products of
    /// matrices, computed from their sizes. Methods that do not count them are rejected.
    LinearAlgebraFlops "linear_algebra_flops"
        "floating-point operations of a method's dense linear algebra: factorizations, solves and products",
        |_| at_end(|ending| vec![ending.statistics.linear_algebra_flops.map(|flops| flops as f64)]);
    /// The number of Newton iterations divided by the number of accepted steps and of implicit stages per step: the
    /// average effort to solve one system of equations.
    NewtonIterationsPerStage "newton_iterations_per_stage"
        "Newton iterations per accepted step and implicit stage",
        |context| {
            let stages = f64::from(context.method.implicit_stages());
            at_end(move |ending| {
                let (steps, iterations) = (ending.statistics.steps_accepted, ending.statistics.newton_iterations);
                vec![(steps > 0).then(|| iterations as f64 / (steps as f64 * stages))]
            })
        };
    /// The number of components of the state.
    States "states" "number of components of the state", |_| at_end(|ending| number(ending.states as u64));
    /// The number of active event functions at the start.
    SwitchingFunctions "switching_functions" "number of active event functions at the start",
        |_| at_end(|ending| number(ending.functions as u64));
}

parameters! {
    /// The largest number of tests of the step-size criterion in one step.
    pub struct TestsPerStep {}
}

impl MeasureDefinition for TestsPerStep {
    const NAME: &'static str = "tests_per_step";
    const SUMMARY: &'static str = "largest number of tests of the step-size criterion in one step";

    fn columns(&self) -> Vec<String> {
        vec!["max(tests_per_step)".to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        at_end(|ending| number(ending.statistics.tests_per_step))
    }
}
