//! Low-order implicit formulas for constrained mechanics: the six of negrut2007, and the generalized-α method.
//!
//! All solve `M(q) v' = D(t, q, v) + Jᵀ λ`, `0 = Φ(t, q)` in index-3 form, HHT-I3 and generalized-α with constant or
//! controlled steps, the others with constant steps. λ has the sign of this equation, as everywhere in `mbsbench`; the
//! paper's equation (`M q'' + Φ_qᵀ λ = Q`) has the opposite sign. The constraints are divided by powers of the step, so
//! that the condition of Newton's matrix does not depend on it.
//!
//! ```text
//! Predictor  q₁ = q̂ + c_q a,  v₁ = v̂ + c_v a    Newmark (with or without algorithmic accelerations), or BDF
//!     └─▶ Index3      NEWMARK, HHT-I3, NSTIFF, generalized-α     positions only, or velocities only
//!     └─▶ Stabilised  HHT-SI2, NSTIFF-SI2, generalized-α         positions and velocities, two accelerations
//!     └─▶ Additive    HHT-ADD                                    positions and velocities, two multipliers
//!             └─▶ newton (one step) ◀── drive (start and steps)
//! ```
//!
//! A new formula implements [`formula::Formula`], here or elsewhere; [`solve`] provides Newton's iteration, the start,
//! budgets and observation. `factorizations` and `linear_solves` count those of Newton's matrix and of the start;
//! blocks that are condensed into the matrix are not counted separately.

mod additive;
mod blocks;
mod definitions;
mod drive;
pub mod formula;
mod index3;
mod metric;
mod newton;
mod predictor;
mod settings;
mod shared;
mod stabilised;
mod start;
mod varying;
mod velocity_pair;

pub use crate::newton::JacobianUse;
pub(crate) use definitions::generalized_alpha;
pub use definitions::{
    GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2,
};
pub use drive::{Requirements, solve, suits};
pub use predictor::{Discretisation, GeneralizedAlphaWeights, Predictor};
pub use settings::{FirstGuess, LinearAlgebra, MassAt, NewtonSettings, PairAlgebra};
