//! Mechanisms described in files: rigid bodies, joints and forces, in the plane and in space.
//!
//! ```text
//! definition ── flat ─▶ parts ── compile ─▶ System (MechanicalModel) ── assembly ─▶ initial state ── model ─▶ Model
//!  (as in file)          (repeated,          (numbers for names)          (closed, redundant rows found)
//!                         by name)
//! ```
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod assembly;
mod compile;
pub mod definition;
mod dependence;
mod drawing;
mod expand;
pub mod formula;
pub mod joint_space;
mod model;
mod observation;
mod placement;
pub mod space;
pub mod system;
pub mod urdf;
mod watched;

pub use definition::Mechanism;
pub use model::MechanismModel;
