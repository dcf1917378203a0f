//! Common parts of this crate's number types.

/// Implements everything that follows from a number's operators, its value as a double and its magnitude:
/// assignments, sums, zero and one, and what `num_dual` requires of numbers without derivatives of their own.
macro_rules! impl_number {
    ($type:ident, $re:expr, $abs:expr) => {
        $crate::number::impl_number!(@ $type Add add AddAssign add_assign);
        $crate::number::impl_number!(@ $type Sub sub SubAssign sub_assign);
        $crate::number::impl_number!(@ $type Mul mul MulAssign mul_assign);
        $crate::number::impl_number!(@ $type Div div DivAssign div_assign);
        $crate::number::impl_number!(@ $type Rem rem RemAssign rem_assign);

        impl num_traits::Zero for $type {
            fn zero() -> Self {
                Self::from(0.0)
            }
            fn is_zero(&self) -> bool {
                $re(self) == 0.0
            }
        }

        impl num_traits::One for $type {
            fn one() -> Self {
                Self::from(1.0)
            }
        }

        impl num_traits::Inv for $type {
            type Output = Self;
            fn inv(self) -> Self {
                self.recip()
            }
        }

        impl num_traits::Num for $type {
            type FromStrRadixErr = <f64 as num_traits::Num>::FromStrRadixErr;
            fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
                <f64 as num_traits::Num>::from_str_radix(text, radix).map(Self::from)
            }
        }

        impl num_traits::Signed for $type {
            fn abs(&self) -> Self {
                $abs(self)
            }
            fn abs_sub(&self, other: &Self) -> Self {
                if self <= other { Self::from(0.0) } else { *self - *other }
            }
            fn signum(&self) -> Self {
                Self::from($re(self).signum())
            }
            fn is_positive(&self) -> bool {
                $re(self) > 0.0
            }
            fn is_negative(&self) -> bool {
                $re(self) < 0.0
            }
        }

        impl std::iter::Sum for $type {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::from(0.0), |sum, term| sum + term)
            }
        }

        impl<'a> std::iter::Sum<&'a $type> for $type {
            fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
                terms.copied().sum()
            }
        }

        impl std::iter::Product for $type {
            fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
                factors.fold(Self::from(1.0), |product, factor| product * factor)
            }
        }

        impl num_dual::DualStruct for $type {
            type Real = f64;
            type Inner = Self;
            fn re(&self) -> f64 {
                $re(self)
            }
            fn from_inner(inner: &Self) -> Self {
                *inner
            }
        }

        impl num_dual::Mappable<Self> for $type {
            type Output<O> = O;
            fn map_dual<M: Fn(Self) -> O, O>(self, f: M) -> O {
                f(self)
            }
        }
    };
    (@ $type:ident $op:ident $method:ident $assign:ident $assign_method:ident) => {
        impl std::ops::$op<&$type> for $type {
            type Output = Self;
            #[inline]
            fn $method(self, other: &Self) -> Self {
                std::ops::$op::$method(self, *other)
            }
        }
        impl std::ops::$assign for $type {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = std::ops::$op::$method(*self, other);
            }
        }
        impl std::ops::$assign<f64> for $type {
            #[inline]
            fn $assign_method(&mut self, other: f64) {
                *self = std::ops::$op::$method(*self, other);
            }
        }
    };
}
pub(crate) use impl_number;
