//! Benchmark models: equations, units, sources, paper's values as defaults, invariants and references.
//!
//! A model's folder has the same few files: one for each set of equations (generic over the scalar), `parameters`
//! (what an experiment file can say), `model` (what the runner sees). No method is known here, and no file format.

mod angle;
pub mod ball_bearing;
pub mod bouncing_balls;
pub mod cart_pole;
pub mod compound_pendulum;
pub mod double_pendulum;
mod drawing;
mod fixed_point;
pub mod flexible;
pub mod flexible_slider_crank;
pub mod four_bar_windows;
pub mod linkage;
pub mod marble_jar;
pub mod penalty_ball;
pub mod rod_chain;
pub mod rolling_spheres;
pub mod slider_crank;
pub mod squeezer;
pub mod stand_ins;
pub mod stiff_double_pendulum;
pub mod test_equations;
pub mod two_bouncing_balls;

pub use ball_bearing::BallBearing;
pub use bouncing_balls::BouncingBalls;
pub use cart_pole::CartPole;
pub use compound_pendulum::Pendulum;
pub use double_pendulum::DoublePendulum;
pub use flexible::{FlexibleFourBar, LateralBuckling, Lumps, RotatingShaft};
pub use flexible_slider_crank::FlexibleSliderCrank;
pub use four_bar_windows::{FourBarWindows, WindowsFormulation};
pub use linkage::LinkageFormulation;
pub use marble_jar::MarbleJar;
pub use penalty_ball::PenaltyBall;
pub use rod_chain::{ChainFormulation, RodChain};
pub use rolling_spheres::RollingSpheres;
pub use slider_crank::SliderCrank;
pub use squeezer::{Squeezer, SqueezerFormulation, SqueezerStart};
pub use stand_ins::{
    BallAndTank, BallBetweenWalls, DampedCosineThreshold, DiodeBranches, DrivenRelaxation, RectifiedSine,
    SpringDamperBall, Thermostat,
};
pub use stiff_double_pendulum::StiffDoublePendulum;
pub use test_equations::{LinearOscillator, LinearTest, OscillationInTime};
pub use two_bouncing_balls::TwoBouncingBalls;
