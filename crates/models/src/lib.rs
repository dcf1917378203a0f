//! Benchmark models: equations, units, sources, published values as defaults, invariants and references.
//!
//! A model is a file, or a folder if it has many parts: parameters (set by experiment files), equations (generic over
//! the scalar), and a [`BenchmarkModel`](mbsbench_problem::BenchmarkModel) (the interface for the runner). This crate
//! knows no method and no file format.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod ball_bearing;
pub mod bouncing_balls;
pub mod car_axis;
pub mod cart_pole;
pub mod compound_pendulum;
pub mod double_pendulum;
mod drawing;
pub mod driven_slider_crank;
pub mod fekete;
pub mod flexible;
pub mod flexible_slider_crank;
pub mod four_bar_windows;
mod iteration;
pub mod linkage;
pub mod marble_jar;
mod mechanism;
pub mod penalty_ball;
mod plane;
pub mod pleiades;
pub mod point_pendulum;
pub mod rod_chain;
pub mod rolling_spheres;
pub mod slider_crank;
pub mod squeezer;
pub mod stand_ins;
pub mod stiff_double_pendulum;
pub mod test_equations;
pub mod two_bouncing_balls;
pub mod wheelset;

pub use ball_bearing::BallBearing;
pub use bouncing_balls::BouncingBalls;
pub use car_axis::CarAxis;
pub use cart_pole::CartPole;
pub use compound_pendulum::Pendulum;
pub use double_pendulum::DoublePendulum;
pub use driven_slider_crank::{DrivenSliderCrank, DrivenStart};
pub use fekete::Fekete;
pub use flexible::{FlexibleFourBar, LateralBuckling, Lumps, RotatingShaft, TipLoadedBeam};
pub use flexible_slider_crank::FlexibleSliderCrank;
pub use four_bar_windows::FourBarWindows;
pub use linkage::LinkageFormulation;
pub use marble_jar::MarbleJar;
pub use penalty_ball::PenaltyBall;
pub use pleiades::Pleiades;
pub use point_pendulum::{PendulumIndex, PointPendulum};
pub use rod_chain::RodChain;
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
pub use wheelset::Wheelset;
