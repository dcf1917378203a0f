//! The length of the hypotenuse of a right-angled triangle.

use std::cmp::Ordering;

/// `√(x² + y²)`, correctly rounded, without intermediate overflow or underflow. Infinite if either argument is
/// infinite, even if the other one is NaN.
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // A side this short adds less than 2⁻⁵⁵ of the longer one.
    if short <= long / (1_u64 << 27) as f64 {
        return long;
    }
    if long < f64::MIN_POSITIVE {
        return of_subnormal(long, short);
    }
    // Scale the longer side to lie between one and two; scaling is exact.
    let exponent = (long.to_bits() >> 52) as i32 - 1023;
    scale(of_scaled(scale(long, -exponent), scale(short, -exponent)), exponent)
}

/// `x · 2ᵏ`, exact unless it overflows or is subnormal.
fn scale(x: f64, k: i32) -> f64 {
    let power = |k: i32| f64::from_bits(((1023 + k) as u64) << 52);
    x * power(k / 2) * power(k - k / 2)
}

/// The hypotenuse of subnormal sides. The bits of a subnormal number count units of the smallest positive number, so
/// integer arithmetic suffices.
fn of_subnormal(long: f64, short: f64) -> f64 {
    let [long, short] = [long, short].map(|side| u128::from(side.to_bits()));
    let square = long * long + short * short;
    let root = square.isqrt();
    let is_above_middle = square - root * root > root;
    f64::from_bits((root + u128::from(is_above_middle)) as u64)
}

/// The hypotenuse if the longer side lies between one and two and the shorter one is at least 2⁻²⁷ of it.
fn of_scaled(long: f64, short: f64) -> f64 {
    let ([a, below_a], [b, below_b]) = (square(long), square(short));
    let sum = a + b;
    let rest = ((a - sum) + b) + (below_a + below_b);
    // A step of Newton's method for the root; `high + low` has an error below 2⁻¹⁰⁰.
    let root = sum.sqrt();
    let [its_square, below] = square(root);
    let correction = (((sum - its_square) - below) + rest) / (2.0 * root);
    let high = root + correction;
    let low = (root - high) + correction;
    let (down, up) = if low > 0.0 { (high, high.next_up()) } else { (high.next_down(), high) };
    let to_middle = 0.5 * (up - down) - low.abs();
    if to_middle.abs() > 1.0 / (1_u128 << 96) as f64 {
        return high;
    }
    match against_middle(long, short, down, up) {
        Ordering::Less => down,
        Ordering::Greater => up,
        Ordering::Equal if down.to_bits().is_multiple_of(2) => down,
        Ordering::Equal => up,
    }
}

/// Compares the hypotenuse with the middle `m` of two neighbouring numbers, exactly: by `short²` and
/// `m² − long² = (m − long)(m + long)` in integers.
fn against_middle(long: f64, short: f64, down: f64, up: f64) -> Ordering {
    const UNIT: f64 = (1_u64 << 53) as f64;
    let integer = |x: f64| (x * UNIT) as u128;
    let (middle, long) = ((integer(down) + integer(up)) / 2, integer(long));
    let of_difference = (middle - long) * (middle + long);
    // The shorter side equals its digits times 2^(exponent − 52).
    let exponent = (short.to_bits() >> 52) as i32 - 1023;
    let digits = u128::from((short.to_bits() & ((1 << 52) - 1)) | 1 << 52);
    let shift = 2 * exponent + 2;
    match u32::try_from(shift) {
        Ok(shift) => ((digits * digits) << shift).cmp(&of_difference),
        Err(_) => (digits * digits).cmp(&(of_difference << shift.unsigned_abs())),
    }
}

/// `x²` as the exact sum of two numbers, for `x` from 2⁻²⁸ to 3.
fn square(x: f64) -> [f64; 2] {
    let square = x * x;
    if cfg!(target_feature = "fma") {
        return [square, x.mul_add(x, -square)];
    }
    // Splits the digits into halves, whose products are exact.
    let shifted = x * ((1_u64 << 27) + 1) as f64;
    let upper = shifted - (shifted - x);
    let lower = x - upper;
    [square, ((upper * upper - square) + 2.0 * upper * lower) + lower * lower]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number nearest to `√(x² + y²)`, ties to even, for integers below 2⁵³, in integer arithmetic.
    fn of_integers(x: u64, y: u64) -> f64 {
        // With 61 digits the integer part of the root is accurate enough.
        let shift = (x | y).leading_zeros() - 3;
        let [x, y] = [x, y].map(|side| u128::from(side << shift));
        let square = x * x + y * y;
        let root = square.isqrt();
        let dropped = 128 - root.leading_zeros() - 53;
        let down = root >> dropped << dropped;
        let up = down + (1 << dropped);
        let nearest = match (4 * square).cmp(&((down + up) * (down + up))) {
            Ordering::Less => down,
            Ordering::Greater => up,
            Ordering::Equal if down >> dropped & 1 == 0 => down,
            Ordering::Equal => up,
        };
        nearest as f64 / (1_u64 << shift) as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200_000))]
        #[test]
        fn results_are_correctly_rounded(
            x in 1..1_u64 << 53,
            y in 1..1_u64 << 53,
            shift in 0..26_u32,
            by in -900..900_i32,
        ) {
            let y = (y >> shift).max(1);
            let expected = of_integers(x, y);
            prop_assert_eq!(hypot(x as f64, -(y as f64)), expected);
            prop_assert_eq!(hypot(scale(y as f64, by), scale(x as f64, by)), scale(expected, by));
        }

        #[test]
        fn subnormal_lengths_are_rounded_once(x in 0..1_u64 << 52, y in 0..1_u64 << 52) {
            let found = u128::from(hypot(f64::from_bits(x), f64::from_bits(y)).to_bits());
            let four_times = 4 * (u128::from(x) * u128::from(x) + u128::from(y) * u128::from(y));
            prop_assert!((2 * found).saturating_sub(1).pow(2) <= four_times && four_times <= (2 * found + 1).pow(2));
        }
    }

    /// Pythagorean triples whose hypotenuse has 54 digits, the last of them 1: exactly between two numbers.
    #[test]
    fn ties_go_to_the_even_number() {
        let mut ties = 0;
        for k in 1..2000_u64 {
            let m = (1 << 26) + 1000 * k;
            let n = ((1_u64 << 52) / m - 1) | 1;
            let (x, y, z) = (m * m - n * n, 2 * m * n, m * m + n * n);
            if z >> 53 == 1 && x >> 53 == 0 && y >> 53 == 0 {
                let expected = if z / 2 % 2 == 0 { z - 1 } else { z + 1 };
                assert_eq!(hypot(x as f64, y as f64), expected as f64, "{x} {y}");
                ties += 1;
            }
        }
        assert!(ties > 100, "{ties}");
    }

    #[test]
    fn nan_and_overflow_follow_the_standard() {
        assert_eq!(hypot(f64::NAN, f64::NEG_INFINITY), f64::INFINITY);
        assert!(hypot(f64::NAN, 1.0).is_nan());
        assert_eq!(hypot(f64::MAX, f64::MAX), f64::INFINITY);
        assert_eq!(hypot(-0.0, -0.0).to_bits(), 0);
        assert_eq!(hypot(3e-310, 4e-310), 5e-310);
        assert_eq!(hypot(f64::MAX, 1.0), f64::MAX);
    }
}
