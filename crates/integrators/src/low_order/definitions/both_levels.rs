//! Formulas with constraints on positions and velocities.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Method, MethodDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rule, Solver, check_alpha, check_newton};
use crate::low_order::additive::Additive;
use crate::low_order::drive::Plan;
use crate::low_order::formula::Start;
use crate::low_order::predictor::Discretisation;
use crate::low_order::settings::{LinearAlgebra, NewtonSettings, PairAlgebra};
use crate::low_order::stabilised::Stabilised;

/// HHT-ADD: HHT formulas with constraint forces added to the accelerations; positions and velocities on their
/// constraints.
///
/// Order of q and v: 2, for every b. The multiplier shown is ψ₁, of order 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct HhtAdd {
    /// α, from −1/3 (most damping of high frequencies) to 0.
    pub alpha: f64,
    /// b, share of the constraint force at the end of the step in the positions; not 1/2.
    pub b: f64,
    /// How the linear systems are solved: `structured` or `dense`. The blocks of systems as small as those here (6
    /// coordinates) take more time than they save.
    pub linear_algebra: LinearAlgebra,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for HhtAdd {
    fn default() -> Self {
        Self { alpha: -0.3, b: 0.0, linear_algebra: LinearAlgebra::Dense, newton: NewtonSettings::default() }
    }
}

impl Parameters for HhtAdd {
    fn check(&self) -> Result<(), OutOfRange> {
        check_alpha(self.alpha)?;
        if !self.b.is_finite() || self.b == 0.5 {
            return Err(OutOfRange::new("b", self.b, "a finite number other than 0.5"));
        }
        check_newton(&self.newton)
    }
}

impl Rule for HhtAdd {
    type Formula = Additive;

    fn order(&self) -> u32 {
        2
    }

    fn plan(&self) -> Plan {
        Plan::one_step(self.newton)
    }

    fn discretisation(&self) -> Discretisation {
        Discretisation::hht(self.alpha)
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn start(&self, start: &Start<'_>) -> Result<Additive, Singular> {
        Additive::new(self.alpha, self.b, self.linear_algebra, start)
    }
}

definition!(
    HhtAdd,
    "hht-add",
    "HHT formulas with added constraint forces, stabilised on both levels (HHT-ADD)",
    "negrut2007, section 2, Eqs. 10 to 13; b = 0 is ours"
);

/// HHT-SI2: HHT formulas with two accelerations a step, one on the position constraints and one on the velocity
/// constraints.
///
/// Order of q, v and λ: 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct HhtSi2 {
    /// α, from −1/3 (most damping of high frequencies) to 0.
    pub alpha: f64,
    /// How the linear systems are solved: `shared`, `structured` or `dense`.
    pub linear_algebra: PairAlgebra,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for HhtSi2 {
    fn default() -> Self {
        Self { alpha: -0.3, linear_algebra: PairAlgebra::default(), newton: NewtonSettings::default() }
    }
}

impl Parameters for HhtSi2 {
    fn check(&self) -> Result<(), OutOfRange> {
        check_alpha(self.alpha)?;
        check_newton(&self.newton)
    }
}

impl Rule for HhtSi2 {
    type Formula = Stabilised;

    fn order(&self) -> u32 {
        2
    }

    fn plan(&self) -> Plan {
        Plan::one_step(self.newton)
    }

    fn discretisation(&self) -> Discretisation {
        Discretisation::hht(self.alpha)
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn start(&self, start: &Start<'_>) -> Result<Stabilised, Singular> {
        Ok(Stabilised::new(Some(self.alpha), self.linear_algebra, start))
    }
}

definition!(
    HhtSi2,
    "hht-si2",
    "HHT formulas on stabilised index-2 equations (HHT-SI2)",
    "negrut2007, section 2, Eqs. 14 to 18, repaired: f₀ restored, the second acceleration on positions only"
);

/// NSTIFF-SI2: second-order BDF on the stabilised index-2 equations of Gear, Gupta and Leimkuhler; the first step is of
/// first order.
///
/// Order of q, v and λ: 2. The span must be a whole number of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct NstiffSi2 {
    /// How the linear systems are solved: `structured` or `dense`.
    pub linear_algebra: LinearAlgebra,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Parameters for NstiffSi2 {
    fn check(&self) -> Result<(), OutOfRange> {
        check_newton(&self.newton)
    }
}

impl Rule for NstiffSi2 {
    type Formula = Stabilised;

    fn order(&self) -> u32 {
        2
    }

    fn plan(&self) -> Plan {
        Plan::multistep(self.newton)
    }

    fn discretisation(&self) -> Discretisation {
        Discretisation::Bdf
    }

    fn start(&self, start: &Start<'_>) -> Result<Stabilised, Singular> {
        Ok(Stabilised::new(None, self.linear_algebra.into(), start))
    }
}

definition!(
    NstiffSi2,
    "nstiff-si2",
    "Second-order BDF on stabilised index-2 equations (NSTIFF-SI2)",
    "negrut2007, section 2, Eqs. 8 and 9 with constraints of both levels; GGL form is our reading"
);
