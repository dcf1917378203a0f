//! The six formulas as experiment files name them.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{
    Counted, Method, MethodDefinition, Observer, Ode, OutOfRange, Parameters, Solution, Task, Unsuitable,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::additive::Additive;
use super::drive::{self, Plan};
use super::formula::{Formula, Start};
use super::index3::Index3;
use super::predictor::Discretisation;
use super::settings::{LinearAlgebra, MassAt, NewtonSettings};
use super::stabilised::Stabilised;

/// What a definition says of its formula.
trait Rule: Copy + Send + Sync + 'static {
    type Formula: Formula;
    /// Order of positions and velocities.
    fn order(&self) -> u32;
    fn plan(&self) -> Plan;
    fn start(&self, start: &Start<'_>) -> Result<Self::Formula, Singular>;
}

/// A definition as a method.
struct Solver<R>(R);

impl<R: Rule> Method for Solver<R> {
    fn order(&self) -> u32 {
        self.0.order()
    }

    fn adapts(&self) -> bool {
        false
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        drive::suits(problem)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::solve(self, &self.0.plan(), |start| self.0.start(start), problem, task, observer)
    }
}

/// Name, summary and source of a definition, and its method.
macro_rules! definition {
    ($type:ident, $name:literal, $summary:literal, $source:literal) => {
        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = $source;
            const FAMILY: &'static str = "low-order";

            fn method(&self) -> Box<dyn Method> {
                Box::new(Solver(*self))
            }
        }
    };
}

fn check_alpha(alpha: f64) -> Result<(), OutOfRange> {
    // −1/3 as a decimal of any length is meant to be allowed
    if (-1.0 / 3.0 - 1e-6..=0.0).contains(&alpha) {
        return Ok(());
    }
    Err(OutOfRange::new("alpha", alpha, "a number from -1/3 to 0"))
}

fn check_newton(newton: &NewtonSettings) -> Result<(), OutOfRange> {
    newton.check().map_err(|error| error.within("newton"))
}

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

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        let beta = self.beta.unwrap_or(0.25 * (self.gamma + 0.5) * (self.gamma + 0.5));
        Ok(Index3::new(Discretisation::Newmark { beta, gamma: self.gamma }, 0.0, MassAt::End, start))
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

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        Ok(Index3::new(Discretisation::hht(self.alpha), self.alpha, self.mass, start))
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

    fn start(&self, start: &Start<'_>) -> Result<Index3, Singular> {
        Ok(Index3::new(Discretisation::Bdf, 0.0, MassAt::End, start))
    }
}

definition!(
    Nstiff,
    "nstiff",
    "Second-order BDF on the index-3 equations (NSTIFF)",
    "negrut2007, section 2, Eqs. 8 and 9; start by first-order BDF is ours"
);

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
    /// How the linear systems are solved: `structured` or `dense`.
    pub linear_algebra: LinearAlgebra,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for HhtAdd {
    fn default() -> Self {
        Self { alpha: -0.3, b: 0.0, linear_algebra: LinearAlgebra::default(), newton: NewtonSettings::default() }
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
        Plan { newton: self.newton, multistep: false }
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
    /// How the linear systems are solved: `structured` or `dense`.
    pub linear_algebra: LinearAlgebra,
    /// Newton's method.
    pub newton: NewtonSettings,
}

impl Default for HhtSi2 {
    fn default() -> Self {
        Self { alpha: -0.3, linear_algebra: LinearAlgebra::default(), newton: NewtonSettings::default() }
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
        Plan { newton: self.newton, multistep: false }
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
        Plan { newton: self.newton, multistep: true }
    }

    fn start(&self, start: &Start<'_>) -> Result<Stabilised, Singular> {
        Ok(Stabilised::new(None, self.linear_algebra, start))
    }
}

definition!(
    NstiffSi2,
    "nstiff-si2",
    "Second-order BDF on stabilised index-2 equations (NSTIFF-SI2)",
    "negrut2007, section 2, Eqs. 8 and 9 with constraints of both levels; GGL form is our reading"
);
