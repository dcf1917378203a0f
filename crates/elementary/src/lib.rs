//! Correctly rounded elementary functions in place of those of the system's C library.
//!
//! `f64::sin` and its like call the C library, whose results differ in the last digit between versions, and between
//! processors with and without fused multiply-add. A program that links this crate has each of these functions under
//! the C library's own name, so that `f64::sin`, dual numbers and every dependency call it instead. A correctly
//! rounded result is unique, so it is the same wherever the program runs.
//!
//! The functions come from the crate `pxfm`, except for [`hypot`] and the sign of an underflow in `atan2`. To use
//! them, name the crate once (`use mbsbench_elementary as _;`).
//!
//! Square roots, remainders, fused multiply-add and rounding to integers are exact in every C library, and `powi` is
//! a fixed sequence of products in Rust's own runtime; they are not replaced. A compiler may evaluate a function of a
//! constant itself, with the C library of the build machine; `.cargo/config.toml` forbids that, and a test compares
//! such constants.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod hypot;
mod symbols;

pub use hypot::hypot;

/// `atan2`, where an angle that underflows to zero has the sign of `y`.
fn atan2(y: f64, x: f64) -> f64 {
    let angle = pxfm::f_atan2(y, x);
    if angle == 0.0 { angle.copysign(y) } else { angle }
}
