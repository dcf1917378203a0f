//! Stand-ins for the six small problems that compere2001 (sections 5.3.1 and 5.3.2) takes from Carver and from Birta,
//! Ören and Kettenis.
//!
//! The originals' definitions are in none of the sources that could be found; only sizes, kinds and numbers of
//! events are printed. Each problem here matches these as far as possible, and has a solution in closed form, at
//! least between its events. Its numbers cannot be compared with the printed ones. The spans recommended in the
//! doc comments are short enough for the printed numbers of steps, none of which is longer than 0.1 s.
//! `Thermostat` and `BallBetweenWalls` have one state more than the printed problems; `DrivenRelaxation` and
//! `BallAndTank` have the same number.

mod ball_and_tank;
mod ball_between_walls;
mod damped_cosine_threshold;
mod diode_branches;
mod driven_relaxation;
mod rectified_sine;
mod spring_damper_ball;
mod thermostat;

pub use ball_and_tank::BallAndTank;
pub use ball_between_walls::BallBetweenWalls;
pub use damped_cosine_threshold::DampedCosineThreshold;
pub use diode_branches::DiodeBranches;
pub use driven_relaxation::DrivenRelaxation;
pub use rectified_sine::RectifiedSine;
pub use spring_damper_ball::SpringDamperBall;
pub use thermostat::Thermostat;
