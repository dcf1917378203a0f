//! The tableaux, each with its source.

mod bogacki_shampine;
mod classical;
mod dop853;
mod dopri5;
mod fehlberg;

pub use bogacki_shampine::BOGACKI_SHAMPINE_32;
pub use classical::{CLASSICAL_4, KUTTA_3};
pub use dop853::DOP853;
pub use dopri5::DOPRI5;
pub use fehlberg::{FEHLBERG_45, FEHLBERG_78};

use crate::Tableau;

/// All tableaux.
pub const ALL: [&Tableau; 7] =
    [&KUTTA_3, &BOGACKI_SHAMPINE_32, &CLASSICAL_4, &FEHLBERG_45, &DOPRI5, &FEHLBERG_78, &DOP853];
