//! The counters of a solve as measures, one each, named as in [`Statistics`].

use mbsbench_problem::{Statistics, parameters};

use super::{Catalogue, Ending, Measure, MeasureContext, MeasureDefinition};

struct Read(fn(&Statistics) -> u64);

impl Measure for Read {
    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        // Exact below 2⁵³, far above any budget.
        vec![Some((self.0)(ending.statistics) as f64)]
    }
}

/// Declares a measure for each counter, in a module of its name.
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
                fn columns(&self) -> Vec<String> {
                    vec![Self::NAME.to_owned()]
                }
                fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
                    Box::new(Read(|statistics| statistics.$name))
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

parameters! {
    /// Number of evaluations of the right-hand side, those for difference quotients included: what methods with exact
    /// and with approximate Jacobians are compared by.
    pub struct AllRhsEvaluations {}
}

impl MeasureDefinition for AllRhsEvaluations {
    const NAME: &'static str = "all_rhs_evaluations";
    const SUMMARY: &'static str = "number of evaluations of the right-hand side, those for Jacobians included";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Read(|statistics| statistics.rhs_evaluations + statistics.jacobian_rhs_evaluations))
    }
}

parameters! {
    /// Cost of a run in evaluations of the right-hand side: those that were made, those for difference quotients
    /// included, and for each exact Jacobian as many as difference quotients would have taken, one for each column, or
    /// for each group of columns without a row in common (Curtis, Powell and Reid 1974). How the Jacobians were formed does
    /// not change it.
    pub struct RhsCost {}
}

impl MeasureDefinition for RhsCost {
    const NAME: &'static str = "rhs_cost";
    const SUMMARY: &'static str =
        "cost in evaluations of the right-hand side; an exact Jacobian counts as many as differences would take";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Read(|statistics| {
            statistics.rhs_evaluations + statistics.jacobian_rhs_evaluations + statistics.jacobian_columns
        }))
    }
}

parameters! {
    /// Operations of the dense linear algebra that a method makes itself: factorizations, solves and products of
    /// matrices, by their sizes. A method that does not count them is refused.
    pub struct LinearAlgebraFlops {}
}

impl MeasureDefinition for LinearAlgebraFlops {
    const NAME: &'static str = "linear_algebra_flops";
    const SUMMARY: &'static str =
        "operations of a method's dense linear algebra: factorizations, solves and products, by their sizes";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Counted;
        impl Measure for Counted {
            fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
                vec![ending.statistics.linear_algebra_flops.map(|flops| flops as f64)]
            }
        }
        Box::new(Counted)
    }
}

parameters! {
    /// Newton iterations by the accepted steps and the implicit stages of each: how many one system of equations took
    /// on average.
    pub struct NewtonIterationsPerStage {}
}

impl MeasureDefinition for NewtonIterationsPerStage {
    const NAME: &'static str = "newton_iterations_per_stage";
    const SUMMARY: &'static str = "Newton iterations by accepted steps and by the implicit stages of a step";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Average(f64);
        impl Measure for Average {
            fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
                let (steps, iterations) = (ending.statistics.steps_accepted, ending.statistics.newton_iterations);
                vec![(steps > 0).then(|| iterations as f64 / (steps as f64 * self.0))]
            }
        }
        Box::new(Average(f64::from(context.method.implicit_stages())))
    }
}

parameters! {
    /// Largest number of tests of the criterion for the size of a step, in one step.
    pub struct TestsPerStep {}
}

impl MeasureDefinition for TestsPerStep {
    const NAME: &'static str = "tests_per_step";
    const SUMMARY: &'static str = "largest number of tests of the criterion for the size of a step, in one step";

    fn columns(&self) -> Vec<String> {
        vec!["max(tests_per_step)".to_owned()]
    }

    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Read(|statistics| statistics.tests_per_step))
    }
}
