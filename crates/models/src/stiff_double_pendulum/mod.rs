//! Two rods on pins with a very stiff, undamped torsional spring between them (gil2013, section 2).
//!
//! The equations are those of [`double_pendulum`](crate::double_pendulum) without dampers and without a spring to the
//! ground.

mod equations;
mod parameters;

pub use parameters::StiffDoublePendulum;
