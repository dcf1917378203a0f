//! Derivatives against dual numbers, statics and modes against analytic values, motions against conservation.

mod derivatives;
mod dynamics;
mod mechanisms;
mod refusals;
pub(in crate::flexible) mod sections;
mod statics;
mod support;
