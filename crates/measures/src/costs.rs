//! The cost of a run in evaluations of the right-hand side, with a price for each Jacobian.

use mbsbench_problem::parameters;

use super::simple::at_end;
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The cost of a run in evaluations of the right-hand side, for a fast and for a slow Jacobian (modin2005, Table
    /// 1): `cost_fast = R + c J` and `cost_slow = R + n J`. `R` is the number of evaluations except those for
    /// Jacobians, `J` the number of Jacobians, `c` a price, and `n` the number of components of the state, each of
    /// which takes one evaluation for finite differences. The cost does not depend on how the run formed its
    /// Jacobians; for a method without Jacobians, both are `R`.
    pub struct JacobianCosts {
        /// Price `c` of a fast Jacobian, in evaluations of the right-hand side.
        fast: f64 [from 0.0] = 12.0,
    }
}

impl MeasureDefinition for JacobianCosts {
    const NAME: &'static str = "jacobian_costs";
    const SUMMARY: &'static str =
        "cost in evaluations of the right-hand side, with a fixed price per Jacobian or with full finite differences";

    fn columns(&self) -> Vec<String> {
        ["cost_fast", "cost_slow"].map(str::to_owned).to_vec()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let fast = self.fast;
        at_end(move |ending| {
            // Exact below 2⁵³, far above any budget.
            let [evaluations, jacobians] =
                [ending.statistics.rhs_evaluations, ending.statistics.jacobian_evaluations].map(|n| n as f64);
            let cost = |price: f64| Some(evaluations + price * jacobians);
            vec![cost(fast), cost(ending.states as f64)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::context;
    use super::*;
    use crate::Ending;
    use mbsbench_problem::Statistics;

    #[test]
    fn the_published_costs_follow_from_the_decoded_counts() {
        let costs = |rhs_evaluations, jacobian_evaluations| {
            let context = context(&[], [0.0, 1.0], None);
            // The evaluations that formed the Jacobians enter neither cost.
            let statistics = Statistics {
                rhs_evaluations,
                jacobian_evaluations,
                jacobian_rhs_evaluations: 7,
                ..Statistics::default()
            };
            let (statistics, observables) = (&statistics, &[][..]);
            let ending = Ending { t_reached: 1.0, statistics, observables, failure: None, states: 156, functions: 0 };
            JacobianCosts::default().start(&context).finish(&ending)
        };
        assert_eq!(costs(7690, 111), [Some(9022.0), Some(25006.0)]);
        assert_eq!(costs(1989, 34), [Some(2397.0), Some(7293.0)]);
        assert_eq!(costs(1514, 59), [Some(2222.0), Some(10718.0)]);
        assert_eq!(costs(1181, 0), [Some(1181.0); 2]);
    }
}
