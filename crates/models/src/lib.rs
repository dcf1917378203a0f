//! Benchmark models: equations, units, sources, paper's values as defaults, invariants and references.
//!
//! A model's folder has the same few files: one for each set of equations (generic over the scalar), `parameters`
//! (what an experiment file can say), `model` (what the runner sees). No method is known here, and no file format.

pub mod compound_pendulum;
pub mod constrained;
pub mod formulation;
pub mod rolling_spheres;

pub use compound_pendulum::Pendulum;
pub use formulation::Formulation;
pub use rolling_spheres::RollingSpheres;
