//! Kutta's 3/8 rule: the tableau, and its name in experiment files.

use std::sync::LazyLock;

use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::{ExplicitRungeKutta, Tableau};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, parameters};

/// Kutta's 3/8 rule.
pub static THREE_EIGHTHS: LazyLock<Tableau> = LazyLock::new(|| {
    Tableau::read("three-eighths.yaml", include_str!("three-eighths.yaml")).expect("a test reads the file")
});

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

    #[test]
    fn the_tableau_holds_what_it_claims() {
        assert_eq!(THREE_EIGHTHS.formula.order, 4);
        let misread = include_str!("three-eighths.yaml").replace("[1/8, 3/8, 3/8, 1/8]", "[1/8, 3/8, 1/8, 3/8]");
        let error = Tableau::read("misread.yaml", &misread).unwrap_err();
        assert!(error.contains("`runge-kutta.order` is 4; accepted: 1 by the order conditions"), "{error}");
    }
}
