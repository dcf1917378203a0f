//! Double-double numbers (about 32 digits) for reference solutions.
//!
//! A newtype over [`twofloat::TwoFloat`], since the trait that dual numbers are built on cannot be
//! implemented for a foreign type. Sums, products and roots are accurate to about 1e-31, sines and cosines to
//! 1e-21 (the crate's polynomials); logarithms, real powers and inverse functions of the crate are only good
//! to double precision and must not enter a reference. Division is our own: that of twofloat 0.8.4 by a
//! double-double omits a fused multiply–add and is only good to 1e-16.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use num_dual::DualNum;
use num_traits::{FromPrimitive, One};
use twofloat::TwoFloat;

use crate::number::impl_number;

/// An unevaluated sum of two doubles.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct DoubleDouble(TwoFloat);

impl DoubleDouble {
    /// Reads a decimal `[-]d.ddd[e±x]` of at most 31 significant digits without loss of digits.
    ///
    /// # Panics
    /// If the exponent is not a whole number.
    pub fn from_decimal(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let mut exponent: i32 = exponent.parse().expect("an exponent is a whole number");
        let mut whole = 0u128;
        let mut after_point = false;
        for digit in mantissa.bytes() {
            match digit {
                b'.' => after_point = true,
                b'0'..=b'9' => {
                    whole = whole * 10 + u128::from(digit - b'0');
                    exponent -= i32::from(after_point);
                }
                _ => {}
            }
        }
        // 31 digits are 103 bits: two doubles hold them
        let hi = whole >> 52;
        let lo = whole & ((1 << 52) - 1);
        let mut value = Self::from(hi as f64) * (1u64 << 52) as f64 + lo as f64;
        // powers of ten up to 10^22 are doubles
        while exponent < 0 {
            let part = (-exponent).min(22);
            value /= 10f64.powi(part);
            exponent += part;
        }
        while exponent > 0 {
            let part = exponent.min(22);
            value *= 10f64.powi(part);
            exponent -= part;
        }
        if text.starts_with('-') { -value } else { value }
    }

    /// The leading and the trailing double.
    pub fn parts(self) -> (f64, f64) {
        (self.0.hi(), self.0.lo())
    }
}

impl fmt::Debug for DoubleDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{:+e}", self.0.hi(), self.0.lo())
    }
}

impl fmt::Display for DoubleDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<f64> for DoubleDouble {
    fn from(x: f64) -> Self {
        Self(TwoFloat::from(x))
    }
}

impl PartialEq<f64> for DoubleDouble {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

impl PartialOrd<f64> for DoubleDouble {
    fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

macro_rules! operators {
    ($($op:ident $method:ident $body:expr;)*) => {$(
        impl $op for DoubleDouble {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self { $body(self, other) }
        }
        impl $op<f64> for DoubleDouble {
            type Output = Self;
            #[inline]
            fn $method(self, other: f64) -> Self { $body(self, DoubleDouble::from(other)) }
        }
    )*};
}
operators! {
    Add add |a: DoubleDouble, b: DoubleDouble| DoubleDouble(a.0 + b.0);
    Sub sub |a: DoubleDouble, b: DoubleDouble| DoubleDouble(a.0 - b.0);
    Mul mul |a: DoubleDouble, b: DoubleDouble| DoubleDouble(a.0 * b.0);
    Div div quotient;
    Rem rem |a: DoubleDouble, b: DoubleDouble| a - b * DoubleDouble(quotient(a, b).0.trunc());
}

impl_number!(DoubleDouble, |x: &DoubleDouble| x.0.hi(), |x: &DoubleDouble| DoubleDouble(x.0.abs()));

/// Long division with three quotient digits, each a double, and each computed from the remainder of the previous
/// ones.
#[inline]
fn quotient(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    let first = a.0.hi() / b.0.hi();
    let remainder = a.0 - b.0 * first;
    let second = remainder.hi() / b.0.hi();
    let third = (remainder - b.0 * second).hi() / b.0.hi();
    DoubleDouble(TwoFloat::new_add(first, second) + third)
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl FromPrimitive for DoubleDouble {
    fn from_i64(n: i64) -> Option<Self> {
        Some(Self(TwoFloat::from(n)))
    }
    fn from_u64(n: u64) -> Option<Self> {
        Some(Self(TwoFloat::from(n)))
    }
    fn from_f64(x: f64) -> Option<Self> {
        Some(Self::from(x))
    }
}

macro_rules! delegate {
    ($($name:ident),*) => {$(
        fn $name(&self) -> Self { Self(self.0.$name()) }
    )*};
}

impl DualNum for DoubleDouble {
    type Primitive = f64;
    const NDERIV: usize = 0;
    type InnerDual = Self;

    fn from_re(re: Self) -> Self {
        re
    }
    fn scale(self, factor: &Self) -> Self {
        self * *factor
    }
    fn recip(&self) -> Self {
        Self::one() / *self
    }
    fn powi(&self, n: i32) -> Self {
        Self(self.0.powi(n))
    }
    fn powf(&self, n: f64) -> Self {
        Self(self.0.powf(TwoFloat::from(n)))
    }
    fn log(&self, base: f64) -> Self {
        Self(self.0.log(TwoFloat::from(base)))
    }
    fn sin_cos(&self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Self(sin), Self(cos))
    }
    fn atan2(&self, other: Self) -> Self {
        Self(self.0.atan2(other.0))
    }
    delegate!(sqrt, cbrt, exp, exp2, exp_m1, ln, log2, log10, ln_1p, sin, cos, tan, asin, acos, atan);
    delegate!(sinh, cosh, tanh, asinh, acosh, atanh);

    fn sph_j0(&self) -> Self {
        if self.0.hi().abs() < 1e-16 { Self::one() - *self * *self / 6.0 } else { self.sin() / *self }
    }
    fn sph_j1(&self) -> Self {
        if self.0.hi().abs() < 1e-16 {
            return *self / 3.0;
        }
        let (sin, cos) = self.sin_cos();
        (sin / *self - cos) / *self
    }
    fn sph_j2(&self) -> Self {
        if self.0.hi().abs() < 1e-16 {
            return *self * *self / 15.0;
        }
        let (sin, cos) = self.sin_cos();
        let square = *self * *self;
        ((Self::from(3.0) - square) * sin - *self * cos * 3.0) / (*self * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn keeps_digits_that_a_double_loses() {
        let third = DoubleDouble::ratio(1.0, 3.0);
        let error = third * 3.0 - 1.0;
        assert!(error.value().abs() < 1e-31, "{error:?}");
        let root = DoubleDouble::from(2.0).sqrt();
        assert!((root * root - 2.0).value().abs() < 1e-30);
    }

    #[test]
    fn sine_and_cosine_have_more_than_twenty_digits() {
        // sin 1 = 0.84147 09848 07896 50665 25023 21630 29899 96..., as an exact sum of doubles
        let expected =
            DoubleDouble::from(841_470_984_807_896.0) / 1e15 + DoubleDouble::from(506_652_502_321_630.0) / 1e15 / 1e15;
        let error = DoubleDouble::from(1.0).sin() - expected;
        assert!(error.value().abs() < 1e-21, "{error:?}");
        for k in 0..200 {
            let x = DoubleDouble::ratio(f64::from(k) - 100.0, 7.0);
            let (sin, cos) = x.sin_cos();
            // errors of 1e-21 in both give at most 2√2 times that
            assert!((sin * sin + cos * cos - 1.0).value().abs() < 2.83e-21, "at {x}");
        }
    }

    #[test]
    fn pi_is_a_zero_of_the_sine() {
        assert!(DoubleDouble::pi().sin().value().abs() < 1e-30);
    }
}
