//! Implicit formulas for `r(y, y′, t) = 0` that are A-stable and whose damping at high frequencies is chosen by one number.
//!
//! Three families, compared in zhang2022 (H. Zhang, R. Zhang, A. Zanoni, P. Masarati, Performance of implicit A-stable time
//! integration methods for multibody system dynamics, Multibody Syst. Dyn. 54 (2022) 263–301):
//!
//! | family | type | one step |
//! |---|---|---|
//! | linear multistep LMS2, LMS3, LMS4 | [`LinearMultistep`] | one implicit stage on `r` past steps |
//! | their equivalents SS2, SS3, SS4 | [`SingleStep`] | one implicit stage and `r − 1` auxiliary derivatives |
//! | Runge–Kutta: Bathe, MSSTC, MSSTH, ESDIRK | [`Esdirk`] | `n` implicit stages |
//!
//! The parameter `ρ_∞ ∈ [0, 1]` is the spectral radius at infinite frequency: 0 annihilates, 1 does not damp at all.
//! [`linear`] has what the coefficients mean on the undamped oscillator.

mod details;
pub mod dirk;
pub mod linear;
pub mod multistep;
pub mod single_step;
mod tables;

pub use dirk::Esdirk;
pub use multistep::LinearMultistep;
pub use single_step::SingleStep;
