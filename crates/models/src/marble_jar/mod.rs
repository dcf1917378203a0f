//! Marbles poured into a jar (compere2001, section 5.3.4).
//!
//! Spheres, a plane and a cylinder with frictionless spring-damper contact. The state is
//! `(x_1 … x_N, y_1 …, z_1 …, ẋ_1 …, ẏ_1 …, ż_1 …)`, so that each component is one array. The event functions are the
//! gaps: to the floor for each marble, to the cylinder for each marble, then of all pairs `i < j` by rows. The force
//! of a closed contact is `−k g − c g'`, even if it pulls.

mod equations;
mod initial;
mod model;
mod neighbours;
mod ode;
mod reach;

pub use initial::{Arrangement, Poured};
pub use model::{Candidates, MarbleJar};
pub use neighbours::NeighbourList;
pub use ode::MarbleOde;
