//! Kutta's 3/8 rule: the tableau, and its name in experiment files.

use mbsbench_integrators::ExplicitRungeKutta;
use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::tableau::{Tableau, ZERO as O, ratio as q};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, parameters};

/// Kutta's 3/8 rule.
///
/// W. Kutta, Z. Math. Phys. 46 (1901) 435–453; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I,
/// table II.1.2.
pub const THREE_EIGHTHS: Tableau = Tableau {
    name: "Kutta 3/8",
    order: 4,
    nodes: &[O, q(1, 3), q(2, 3), q(1, 1)],
    rows: &[&[], &[q(1, 3)], &[q(-1, 3), q(1, 1)], &[q(1, 1), q(-1, 1), q(1, 1)]],
    weights: &[q(1, 8), q(3, 8), q(3, 8), q(1, 8)],
    embedded: &[],
    error_order: 0,
    dense: None,
};

parameters! {
    /// Kutta's 3/8 rule: four stages, constant step.
    #[derive(Copy, Eq)]
    pub struct ThreeEighths {}
}

impl ThreeEighths {
    fn build(self) -> ExplicitRungeKutta {
        ExplicitRungeKutta::new(&THREE_EIGHTHS, ControllerSettings::elementary())
    }
}

impl MethodDefinition for ThreeEighths {
    const NAME: &'static str = "three-eighths";
    const SUMMARY: &'static str = "Kutta's 3/8 rule of order four, four stages";
    const SOURCE: &'static str = "W. Kutta, Z. Math. Phys. 46 (1901) 435–453";
    const FAMILY: &'static str = "explicit-runge-kutta";

    fn method(&self) -> Box<dyn Method> {
        Box::new(self.build())
    }

    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        Some(Box::new(self.build()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_integrators::{Formula, conditions::violations};

    /// Tolerance for rounding errors in sums of double-doubles.
    const EXACT: f64 = 1e-27;

    /// The rule with its last weight misread.
    const MISREAD: Tableau = Tableau { weights: &[q(1, 8), q(3, 8), q(3, 8), q(1, 9)], ..THREE_EIGHTHS };

    #[test]
    fn the_tableau_holds_what_it_claims() {
        let found = |tableau| violations(&Formula::<DoubleDouble>::new(tableau), EXACT);
        assert_eq!(found(&THREE_EIGHTHS), [""; 0]);
        assert_eq!(found(&MISREAD), ["the formula has order 0, not 4"]);
    }
}
