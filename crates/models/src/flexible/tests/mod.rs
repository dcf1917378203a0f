//! Derivatives against dual numbers, statics and modes against analytic values, motions against conservation.

mod derivatives;
mod dynamics;
mod mechanisms;
mod refusals;
mod statics;
mod support;
