//! A row of four-bar windows in the plane: as many as one asks for, with as many closed loops and one degree of freedom.

mod constrained;
mod model;
mod parameters;
mod reduced;

pub use parameters::{FourBarWindows, WindowsFormulation};
