//! Numbers as text, for programs that read them back and for people.

/// The shortest decimals that read back to the same bits, with an exponent for very small and very large numbers.
pub fn decimal(value: f64) -> String {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// Rounds to six significant digits.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The shortest decimals that read back as the same number, with an exponent for very small and very large numbers;
/// −0 is written as 0.
pub fn shortest(value: f64) -> String {
    decimal(value + 0.0) // without the sign of −0, which means nothing to a reader
}

/// At most five significant digits, for a reader: 12, 4.7124, 1.5e10.
pub fn brief(value: f64) -> String {
    let five = format!("{value:.4e}").parse().unwrap_or(value);
    if (1e-4..1e6).contains(&five.abs()) || five == 0.0 { decimal(five) } else { format!("{five:e}") }
}

/// Four significant digits; whole numbers below 10⁹ keep all of theirs: 26756, 0.1235, 1.235e-5.
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() || (number.fract() == 0.0 && number.abs() < 1e9) {
        return decimal(number + 0.0); // without the sign of −0
    }
    if (1e-3..1e5).contains(&number.abs()) {
        let decimals = 3 - number.abs().log10().floor() as i32;
        return format!("{number:.*}", usize::try_from(decimals).unwrap_or(0));
    }
    format!("{number:.3e}")
}

/// A share as a whole per cent. Shares other than 0 and 1 are never rounded to 0 % or 100 %.
pub fn percent(share: f64) -> String {
    if share.is_nan() {
        return "–".to_owned();
    }
    match (100.0 * share).round() {
        ..=0.0 if share > 0.0 => "<1 %".to_owned(),
        100.0.. if share < 1.0 => ">99 %".to_owned(),
        rounded => format!("{rounded:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_read_back() {
        for x in [0.1 + 0.2, 1e-17, 5e-324, 1e300, -159.930_9, 101.0, 0.0, f64::MAX] {
            assert_eq!(decimal(x).parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{x}");
        }
        assert_eq!(decimal(101.0), "101");
        assert_eq!(decimal(2.5e-17), "2.5e-17");
    }

    #[test]
    fn whole_numbers_stay_whole() {
        let written = [26_756.0, 436_000.0, 1.0, -3.0, 0.0, -0.0, 123_456_789.0].map(short);
        assert_eq!(written, ["26756", "436000", "1", "-3", "0", "0", "123456789"]);
        assert_eq!([1.0005, 123_456.7, 1.5e12, 2.5e-4].map(short), ["1.000", "1.235e5", "1.500e12", "2.500e-4"]);
    }

    #[test]
    fn brief_numbers_have_five_digits_at_most() {
        let written = [12.0, 4.712_388_98, 1.5e10, 2e-7, 999_999.6, 0.0, -0.25].map(brief);
        assert_eq!(written, ["12", "4.7124", "1.5e10", "2e-7", "1e6", "0", "-0.25"]);
    }
}
