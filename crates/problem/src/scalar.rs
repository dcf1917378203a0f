//! The number types of models and methods.

use num_dual::DualNum;

/// A real number as a model sees it: `f64` to run, dual numbers for exact derivatives,
/// [`DoubleDouble`](crate::DoubleDouble) for reference solutions, and duals of double-doubles for the derivatives
/// that a reference needs.
///
/// Parameters and constants stay `f64` and mix freely: `x * 0.5`, `S::from(9.81)`. A constant that is not exact in
/// double precision must be formed in the scalar itself, `S::from(1.0) / 3.0`; otherwise a reference solution loses
/// half of its digits.
///
/// This is an alias for what [`num_dual::DualNum`] already requires of a number, so that dual numbers of any order
/// and nesting are scalars without further code.
pub trait Scalar: DualNum<Primitive = f64> + Copy + Send + Sync {
    /// The value without its derivatives, rounded to double.
    fn value(self) -> f64 {
        self.re()
    }

    /// True if the value is neither infinite nor NaN.
    fn is_finite(self) -> bool {
        self.re().is_finite()
    }

    /// The quotient `numerator / denominator`, correctly formed in the scalar's own precision.
    fn ratio(numerator: f64, denominator: f64) -> Self {
        Self::from(numerator) / denominator
    }

    /// π in the scalar's own precision.
    fn pi() -> Self {
        // π = hi + lo to 107 bits; in double precision the sum is hi.
        Self::from(std::f64::consts::PI) + 1.224_646_799_147_353_2e-16
    }
}

impl<T: DualNum<Primitive = f64> + Copy + Send + Sync> Scalar for T {}

/// True if a scalar is a double. Methods that use derivatives run in double precision only. Evaluated as a constant,
/// this spares the compiler the derivatives of every model in double-doubles.
pub const fn is_double<S>() -> bool {
    size_of::<S>() == size_of::<f64>()
}

/// Takes the place of derivatives in a precision in which no method uses them.
pub fn only_in_double() -> ! {
    unreachable!("methods that use derivatives run in double precision");
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_dual::{Dual, Dual64};

    fn cube<S: Scalar>(x: S) -> S {
        x * x * x * 0.5
    }

    #[test]
    fn duals_of_duals_are_scalars() {
        let inner = Dual64::new(2.0, 1.0);
        let y = cube(Dual::new(inner, Dual64::new(1.0, 0.0)));
        assert_eq!(y.re.re, 4.0);
        assert_eq!(y.eps.re, 6.0);
        assert_eq!(y.eps.eps, 6.0, "second derivative of x³/2 at 2");
    }

    #[test]
    fn pi_in_double_is_the_standard_constant() {
        assert_eq!(<f64 as Scalar>::pi(), std::f64::consts::PI);
    }
}
