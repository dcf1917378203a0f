//! Two rods on pins with torsional springs and dampers, the second joint very stiff (negrut2007, section 3a).

mod constrained;
mod minimal;
mod parameters;

pub use parameters::DoublePendulum;
