//! Lateral buckling of a thin beam (zhang2022, section 5.3; after Bauchau et al. 2016).
//!
//! ```text
//! R ═══════════════ T     beam from R, clamped, to T; link from C, fixed to T at a small offset along y, to B;
//!                   │     crank from B to G, which is turned by half a turn and pulls T up and down again
//!               G ──B     x from R to T, z up
//! ```

mod assembly;
mod motion;
mod parameters;

pub(super) use motion::Buckling;

pub use parameters::LateralBuckling;
