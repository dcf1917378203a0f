//! Models described in files: mechanisms of rigid bodies, joints and forces, in the plane and in space; and
//! [equations] by formulas.
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
pub mod equations;
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
pub use equations::Equations;
pub use model::MechanismModel;
