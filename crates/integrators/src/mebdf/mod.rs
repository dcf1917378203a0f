//! Modified extended backward differentiation formulas of variable order (J. R. Cash, The integration of stiff initial
//! value problems in ODEs using modified extended backward differentiation formulae, Comput. Math. Appl. 9 (1983)
//! 645–657), with the choice of step sizes and orders of the codes MEBDFDAE and MEBDFI (J. R. Cash, S. Considine, An
//! MEBDF code for stiff initial value problems, ACM Trans. Math. Softw. 18 (1992) 142–155; T. J. Abdulla, J. R. Cash,
//! M. T. Diamantakis, Appl. Numer. Math. 39 (2001)).
//!
//! ```text
//! Formula ─▶ Steps (three stages) ◀── Control (sizes, orders)
//!              ├─ History          differences, for steps of the current size
//!              ├─ Stage            Newton's iterations for one stage
//!              └─ Equations        linear algebra, shared with RADAU5
//! ```

mod control;
mod definition;
pub mod formula;
mod history;
mod run;
mod stage;
#[cfg(test)]
mod tests;

pub use definition::{Mebdf, Rates};
