//! The formulas under their names in experiment files.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::additive::Additive;
use super::drive::{self, Requirements};
use super::formula::Start;
use super::index3::Index3;
use super::predictor::{Discretisation, GeneralizedAlphaWeights};
use super::settings::{MassAt, NewtonSettings, PairAlgebra};
use super::stabilised::Stabilised;
use crate::newton::STRUCTURED;

pub use both_levels::{HhtAdd, HhtSi2, NstiffSi2};
pub use index2::{GeneralizedAlphaI2, GeneralizedAlphaSi2};
pub(crate) use positions::generalized_alpha;
pub use positions::{GeneralizedAlpha, HhtI3, Newmark, Nstiff};

mod both_levels;
mod index2;
mod positions;

/// A formula with its settings, as a method.
#[derive(Clone, Copy)]
struct LowOrder {
    /// Order of positions and velocities.
    order: u32,
    discretisation: Discretisation,
    /// α of Hilber, Hughes and Taylor.
    alpha: f64,
    constraints: Constraints,
    /// True if the formula has an estimate of its error.
    adapts: bool,
    newton: NewtonSettings,
}

/// The constraints that a formula imposes.
#[derive(Clone, Copy)]
enum Constraints {
    /// Constraints on positions.
    Positions(MassAt),
    /// Constraints on velocities.
    Velocities,
    /// Constraints on positions and velocities, with two accelerations.
    Stabilised(PairAlgebra),
    /// Constraints on positions and velocities, with two multipliers.
    Additive { b: f64, algebra: PairAlgebra },
}

impl LowOrder {
    /// A formula of order two with constraints on positions and constant steps.
    fn new(discretisation: Discretisation, newton: NewtonSettings) -> Self {
        let constraints = Constraints::Positions(MassAt::End);
        Self { order: 2, discretisation, alpha: 0.0, constraints, adapts: false, newton }
    }

    /// The generalized-α formulas with constant steps.
    fn generalized_alpha(weights: GeneralizedAlphaWeights, constraints: Constraints, newton: NewtonSettings) -> Self {
        let discretisation = Discretisation::GeneralizedAlpha(weights);
        Self { order: weights.order(), constraints, ..Self::new(discretisation, newton) }
    }

    /// The formulas of Hilber, Hughes and Taylor.
    fn hht(alpha: f64, constraints: Constraints, newton: NewtonSettings) -> Self {
        Self { alpha, constraints, ..Self::new(Discretisation::hht(alpha), newton) }
    }
}

impl Method for LowOrder {
    fn order(&self) -> u32 {
        self.order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: self.adapts,
            is_for_constant_steps: true,
            counts_flops: true,
            full_matrices: match self.constraints {
                Constraints::Positions(_) | Constraints::Velocities => 3,
                Constraints::Stabilised(_) => 4,
                Constraints::Additive { .. } => 10,
            },
            ..MethodProperties::default()
        }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        let algebra = match self.constraints {
            Constraints::Positions(_) | Constraints::Velocities => STRUCTURED.to_owned(),
            Constraints::Stabilised(algebra) | Constraints::Additive { algebra, .. } => spelling(&algebra),
        };
        [("linear-algebra".to_owned(), algebra)].into_iter().chain(self.newton.named()).collect()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        drive::suits(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(self.discretisation.amplification(self.alpha, omega_h))
    }

    fn damped_radius(&self, omega_h: f64, damping_ratio: f64) -> Option<f64> {
        self.discretisation.damped_radius(self.alpha, omega_h, damping_ratio)
    }

    fn details(&self) -> Vec<String> {
        match self.discretisation {
            Discretisation::GeneralizedAlpha(weights) => weights.details(),
            _ => Vec::new(),
        }
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let Self { discretisation, alpha, newton, .. } = *self;
        let multistep = discretisation == Discretisation::Bdf;
        let shift = match discretisation {
            Discretisation::GeneralizedAlpha(weights) => weights.shift(),
            _ => 0.0,
        };
        let plan = &Requirements { newton, multistep, shift };
        match self.constraints {
            Constraints::Positions(mass) => {
                let make = |start: &Start<'_>| Ok(Index3::new(discretisation, alpha, mass, start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Velocities => {
                let make =
                    |start: &Start<'_>| Ok(Index3::new(discretisation, alpha, MassAt::End, start).on_velocities(start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Stabilised(algebra) => {
                let alpha = matches!(discretisation, Discretisation::Newmark { .. }).then_some(alpha);
                let make = |start: &Start<'_>| Ok(Stabilised::new(discretisation, alpha, algebra, start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Additive { b, algebra } => {
                let make = |start: &Start<'_>| Additive::new(alpha, b, algebra, start);
                drive::solve(self, plan, make, problem, task, observer)
            }
        }
    }
}
