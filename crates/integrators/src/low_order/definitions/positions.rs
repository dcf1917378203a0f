//! Formulas with constraints on positions only.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Method, MethodDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rule, Solver, check_alpha, check_newton};
use crate::low_order::drive::Plan;
use crate::low_order::formula::Start;
use crate::low_order::index3::Index3;
use crate::low_order::predictor::Discretisation;
use crate::low_order::settings::{MassAt, NewtonSettings};

/// NEWMARK: Newmark's formulas, equations of motion and position constraints at the end of the step.
///
/// Order of q, v and λ: 1, or 2 where `γ = 1/2`. Velocity constraints are violated by
/// `h² (1/6 + (γ − 1/2)/2 − β) J q'''`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Newmark {
    /// γ, at least 1/2; above it, high frequencies are damped.
    #[schemars(range(min = 0.5))]
    pub gamma: f64,
    /// β; `(γ + 1/2)²/4` where not given.
    pub beta: Option<f64>,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for Newmark {
    fn default() -> Self {
        Self { gamma: 0.7, beta: None, newton: NewtonSettings::default() }
    }
}

impl Parameters for Newmark {
    fn check(&self) -> Result<(), OutOfRange> {
        if !(self.gamma.is_finite() && self.gamma >= 0.5) {
            return Err(OutOfRange::new("gamma", self.gamma, "a finite number from 0.5 on"));
        }
        self.beta.map_or(Ok(()), |beta| OutOfRange::unless_positive("beta", beta))?;
        check_newton(&self.newton)
    }
}

impl Rule for Newmark {
    type Formula = Index3;

    fn order(&self) -> u32 {
        if self.gamma == 0.5 { 2 } else { 1 }
    }

    fn plan(&self) -> Plan {
        Plan { newton: self.newton, multistep: false }
    }

    fn discretisation(&self) -> Discretisation {
        let beta = self.beta.unwrap_or(0.25 * (self.gamma + 0.5) * (self.gamma + 0.5));
        Discretisation::Newmark { beta, gamma: self.gamma }
    }

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        Ok(Index3::new(self.discretisation(), self.alpha(), MassAt::End, start))
    }
}

definition!(
    Newmark,
    "newmark",
    "Newmark's formulas on the index-3 equations (NEWMARK)",
    "negrut2007, section 2, Eqs. 1 to 4; defaults of γ and β are ours"
);

/// HHT-I3: Hilber, Hughes and Taylor's formulas (`γ = 1/2 − α`, `β = (1 − α)²/4`) on the index-3 equations.
///
/// Order of q, v and λ: 2; 1 where the mass matrix depends on the configuration and is taken at the end of the step, as
/// printed. Velocity constraints are violated by `h² (1/6 − α/2 − β) J q'''`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct HhtI3 {
    /// α, from −1/3 (most damping of high frequencies) to 0.
    pub alpha: f64,
    /// Where the mass matrix is evaluated: `end` or `shifted`.
    pub mass: MassAt,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for HhtI3 {
    fn default() -> Self {
        Self { alpha: -0.3, mass: MassAt::default(), newton: NewtonSettings::default() }
    }
}

impl Parameters for HhtI3 {
    fn check(&self) -> Result<(), OutOfRange> {
        check_alpha(self.alpha)?;
        check_newton(&self.newton)
    }
}

impl Rule for HhtI3 {
    type Formula = Index3;

    fn order(&self) -> u32 {
        2
    }

    fn plan(&self) -> Plan {
        Plan { newton: self.newton, multistep: false }
    }

    fn discretisation(&self) -> Discretisation {
        Discretisation::hht(self.alpha)
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        Ok(Index3::new(self.discretisation(), self.alpha, self.mass, start))
    }
}

definition!(
    HhtI3,
    "hht-i3",
    "Hilber–Hughes–Taylor formulas on the index-3 equations (HHT-I3)",
    "negrut2007, section 2, Eqs. 5 to 7"
);

/// NSTIFF: second-order BDF for positions and velocities on the index-3 equations; the first step is of first order.
///
/// Order of q, v and λ: 2. Velocity constraints are violated by `−h²/3 J q'''`. The span must be a whole number of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Nstiff {
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Parameters for Nstiff {
    fn check(&self) -> Result<(), OutOfRange> {
        check_newton(&self.newton)
    }
}

impl Rule for Nstiff {
    type Formula = Index3;

    fn order(&self) -> u32 {
        2
    }

    fn plan(&self) -> Plan {
        Plan { newton: self.newton, multistep: true }
    }

    fn discretisation(&self) -> Discretisation {
        Discretisation::Bdf
    }

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        Ok(Index3::new(self.discretisation(), self.alpha(), MassAt::End, start))
    }
}

definition!(
    Nstiff,
    "nstiff",
    "Second-order BDF on the index-3 equations (NSTIFF)",
    "negrut2007, section 2, Eqs. 8 and 9; start by first-order BDF is ours"
);
