//! Ticks of an axis and their labels.
//!
//! Tick values are built from integers and powers of ten and converted once, so that a label is exactly the value of
//! its tick: there is no `0.30000000000000004`, no `9.99e-5` and no `-0`.

use super::figure::Scale;
use super::text::Text;

/// The largest magnitude of the ends of axes, so that no distance overflows.
const LARGEST: f64 = 1e300;
/// The smallest span of a linear axis, so that no tick step underflows.
const SMALLEST: f64 = 1e-290;
/// The largest number of characters of a label before the part common to all labels is separated.
const LONGEST: usize = 7;
/// The fraction of the span by which a tick may lie outside the range and is still drawn, at the end.
const SLACK: f64 = 1e-9;

/// A labelled tick.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value in the unit of the axis.
    pub value: f64,
    /// The label; the value is `label × 10^exponent + offset` with the exponent and offset of [`Ticks`].
    pub label: Text,
}

/// The ticks of an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ticks {
    /// The labelled ticks, in increasing order.
    pub major: Vec<Tick>,
    /// The ticks without labels.
    pub minor: Vec<f64>,
    /// The power of ten common to all labels.
    pub exponent: i32,
    /// The offset subtracted from all labels, in decimal notation.
    pub offset: Option<String>,
}

impl Ticks {
    /// Returns the text at the end of the axis: `×10⁻³`, `×10⁻⁹ + 1`; `None` if labels are values.
    pub fn note(&self) -> Option<Text> {
        let mut note = match self.exponent {
            0 => Text::default(),
            exponent => Text::times_power_of_ten("×", exponent),
        };
        if let Some(offset) = &self.offset {
            let sum = offset.strip_prefix('−').map_or_else(|| format!(" + {offset}"), |size| format!(" − {size}"));
            note.0.extend(Text::plain(if note.0.is_empty() { sum.trim_start().to_owned() } else { sum }).0);
        }
        (!note.0.is_empty()).then_some(note)
    }
}

/// Returns the ends of an axis: `requested` if it can be used, otherwise the smallest and largest value of the data (on
/// a logarithmic axis: positive value), if there are any, with a margin.
///
/// `air` is the fraction of the span that is added at both ends.
pub fn axis_range(scale: Scale, requested: Option<[f64; 2]>, data: Option<[f64; 2]>, air: f64) -> [f64; 2] {
    if let Some([a, b]) = requested {
        let usable = a.is_finite() && b.is_finite() && (scale == Scale::Linear || a.min(b) > 0.0);
        let [low, high] = [a.min(b), a.max(b)];
        let magnitude = high.abs().max(low.abs());
        if usable && magnitude <= LARGEST && high - low > (1e-12 * magnitude).max(SMALLEST) {
            return [low, high];
        }
    }
    match (scale, data) {
        (Scale::Linear, None) => [0.0, 1.0],
        (Scale::Log, None) => [0.1, 10.0],
        (Scale::Linear, Some([low, high])) => linear_range(low.max(-LARGEST), high.min(LARGEST), air),
        (Scale::Log, Some([low, high])) => {
            let (low, high) = (low.max(1.0 / LARGEST).log10(), high.min(LARGEST).log10());
            let margin = if high - low < 0.2 { 0.5 - (high - low) / 2.0 } else { air * (high - low) };
            [10_f64.powf((low - margin).max(-305.0)), 10_f64.powf((high + margin).min(305.0))]
        }
    }
}

/// Returns a linear range around the data that ends on half a tick step.
fn linear_range(low: f64, high: f64, air: f64) -> [f64; 2] {
    let magnitude = low.abs().max(high.abs());
    if magnitude < SMALLEST {
        return [-1.0, 1.0];
    }
    let span = high - low;
    let margin = if span == 0.0 { 0.5 * magnitude } else { (air * span).max(1e-12 * magnitude) };
    // The margin never extends an axis across zero: an energy that stays positive has no negative ticks.
    let low = if low >= 0.0 { (low - margin).max(0.0) } else { low - margin };
    let high = if high <= 0.0 { (high + margin).min(0.0) } else { high + margin };
    let Step { mantissa, exponent } = Step::at_most(low, high, 7);
    let step = Step { mantissa: mantissa * 5, exponent: exponent - 1 };
    let (first, last) = ((low / step.size() + SLACK).floor(), (high / step.size() - SLACK).ceil());
    [step.value(first as i64), step.value(last as i64)]
}

/// Returns ticks for an axis from `range[0]` to `range[1]` with at most `most` labels, which is at least four.
///
/// There are always at least two ticks.
pub fn ticks(scale: Scale, range: [f64; 2], most: usize) -> Ticks {
    let most = most.clamp(4, 12);
    match scale {
        Scale::Linear => linear(range, most),
        Scale::Log => logarithmic(range, most),
    }
}

/// A step `mantissa × 10^exponent` between ticks.
#[derive(Debug, Clone, Copy)]
struct Step {
    mantissa: i64,
    exponent: i32,
}

impl Step {
    /// Returns the smallest step of 1, 2, 2.5 or 5 times a power of ten with at most `most` multiples in the range.
    fn at_most(low: f64, high: f64, most: usize) -> Self {
        let mut exponent = ((high - low) / most as f64).log10().floor() as i32 - 2;
        loop {
            for mantissa in [10, 20, 25, 50] {
                let step = Self { mantissa, exponent };
                let (first, last) = step.indices(low, high);
                if last - first < most as i64 {
                    return step;
                }
            }
            exponent += 1;
        }
    }

    /// Returns the indices of the first and last multiple in the range.
    fn indices(self, low: f64, high: f64) -> (i64, i64) {
        // The ends themselves are rounded, which matters for small spans.
        let slack = (SLACK * (high - low) + f64::EPSILON * low.abs().max(high.abs())) / self.size();
        ((low / self.size() - slack).ceil() as i64, (high / self.size() + slack).floor() as i64)
    }

    fn size(self) -> f64 {
        decimal_value(self.mantissa, self.exponent)
    }

    /// Returns the multiple with this index, correctly rounded.
    fn value(self, index: i64) -> f64 {
        decimal_value(self.mantissa * index, self.exponent)
    }
}

/// Returns `digits × 10^exponent`, correctly rounded.
fn decimal_value(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().expect("an integer with an exponent is a number")
}

/// Formats `digits × 10^exponent` without exponent, with a true minus sign.
fn decimal_text(digits: i64, exponent: i32) -> String {
    let sign = if digits < 0 { "−" } else { "" };
    let magnitude = digits.unsigned_abs();
    let Ok(decimals) = usize::try_from(-exponent) else {
        return format!("{sign}{magnitude}{}", "0".repeat(if magnitude == 0 { 0 } else { exponent as usize }));
    };
    let padded = format!("{magnitude:0>width$}", width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Returns the number of decimal digits of an integer.
fn digits_of(n: i64) -> i32 {
    n.unsigned_abs().checked_ilog10().map_or(0, |log| log as i32) + 1
}

/// Returns the integer from `low` to `high` with the most trailing zeros; both have the same sign.
fn roundest(low: i64, high: i64) -> i64 {
    let multiple = |unit: i64| (high.div_euclid(unit) * unit >= low).then(|| high.div_euclid(unit) * unit);
    (0..=17).rev().find_map(|zeros| multiple(10_i64.pow(zeros))).unwrap_or(low)
}

/// Removes the zeros at the end of all `digits`, which are given in units of `10^exponent`; returns the new exponent.
fn shortened(digits: &mut [i64], mut exponent: i32) -> i32 {
    while digits.iter().all(|n| n % 10 == 0) && digits.iter().any(|&n| n != 0) {
        digits.iter_mut().for_each(|n| *n /= 10);
        exponent += 1;
    }
    exponent
}

fn linear([low, high]: [f64; 2], most: usize) -> Ticks {
    let step = Step::at_most(low, high, most);
    let (first, last) = step.indices(low, high);
    let mut digits: Vec<i64> = (first..=last).map(|index| index * step.mantissa).collect();
    let exponent = shortened(&mut digits, step.exponent);
    let values: Vec<f64> = digits.iter().map(|&n| decimal_value(n, exponent)).collect();

    // Long labels are written relative to their common part.
    let largest = |digits: &[i64]| digits.iter().map(|n| n.abs()).max().unwrap_or(0);
    let common_power = |digits: &[i64]| {
        let leading = digits_of(largest(digits)) + exponent - 1;
        if (-3..=4).contains(&leading) { 0 } else { leading }
    };
    let length = |digits: &[i64]| {
        let power = exponent - common_power(digits);
        digits.iter().map(|&n| decimal_text(n, power).chars().count()).max().unwrap_or(0)
    };
    let spread = digits.last().unwrap_or(&0) - digits.first().unwrap_or(&0);
    let mut offset = None;
    if length(&digits) > LONGEST && digits_of(largest(&digits)) > digits_of(spread) {
        let mut common = roundest(digits[0] - spread, digits[digits.len() - 1] + spread);
        digits.iter_mut().for_each(|n| *n -= common);
        let power = shortened(std::slice::from_mut(&mut common), exponent);
        offset = (common != 0).then(|| match digits_of(common) + power {
            -6..=9 => decimal_text(common, power),
            _ => format!("{common}e{power}").replace('-', "−"),
        });
    }
    let common = common_power(&digits);
    let label = |n: i64| Text::plain(decimal_text(n, exponent - common));
    let major = digits.iter().zip(values).map(|(&n, value)| Tick { value, label: label(n) }).collect();

    // Minor ticks divide a step into parts of 0.2, 0.5 or 1 times a power of ten.
    let parts = if step.mantissa == 20 { 4 } else { 5 };
    let minor_size = step.size() / parts as f64;
    let (first, last) = ((low / minor_size).ceil() as i64, (high / minor_size).floor() as i64);
    let minor = (first..=last).filter(|k| k % parts != 0).map(|k| k as f64 * minor_size).collect();
    Ticks { major, minor, exponent: common, offset }
}

fn logarithmic([low, high]: [f64; 2], most: usize) -> Ticks {
    let decades = high.log10() - low.log10();
    let slack = SLACK * decades;
    let (first, last) = ((low.log10() - slack).ceil() as i32, (high.log10() + slack).floor() as i32);
    let inside = |value: f64| value.log10() >= low.log10() - slack && value.log10() <= high.log10() + slack;
    let multiples = |mantissas: &[i64]| -> Vec<(i64, i32)> {
        let decades = first - 1..=last + 1;
        let all = decades.flat_map(|exponent| mantissas.iter().map(move |&mantissa| (mantissa, exponent)));
        all.filter(|&(mantissa, exponent)| inside(decimal_value(mantissa, exponent))).collect()
    };

    // Over one or two decades, powers alone are too few.
    if decades >= 1.5 && last - first >= 2 {
        let count = (last - first + 1) as usize;
        // Only every second or third decade has a label if there are many. Multiples of the stride are used, so that
        // 10⁰ remains.
        let mut strides = [1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200].into_iter();
        let stride = strides.find(|&stride| count.div_ceil(stride) <= most.min(10)).unwrap_or(400) as i32;
        let labelled = |exponent: &i32| exponent.rem_euclid(stride) == 0;
        let tick = |e: i32| Tick { value: decimal_value(1, e), label: Text::times_power_of_ten("", e) };
        let major: Vec<Tick> = (first..=last).filter(labelled).map(tick).collect();
        if major.len() >= 2 {
            let minor = if stride == 1 {
                multiples(&[2, 3, 4, 5, 6, 7, 8, 9]).into_iter().map(|(m, e)| decimal_value(m, e)).collect()
            } else {
                (first..=last).filter(|e| !labelled(e)).map(|e| decimal_value(1, e)).collect()
            };
            return Ticks { major, minor, exponent: 0, offset: None };
        }
    }

    for mantissas in [&[1, 2, 5][..], &[1, 3], &[1]] {
        let marks = multiples(mantissas);
        if marks.len() < 2 || marks.len() > most {
            continue;
        }
        // Step sizes such as 0.05 are easier to read without exponent.
        let plain = low >= 0.9e-3 && high < 1.1e4;
        let label = |mantissa: i64, exponent: i32| match (plain, mantissa) {
            (true, _) => Text::plain(decimal_text(mantissa, exponent)),
            (false, 1) => Text::times_power_of_ten("", exponent),
            (false, _) => Text::times_power_of_ten(&format!("{mantissa}×"), exponent),
        };
        let major = marks.iter().map(|&(m, e)| Tick { value: decimal_value(m, e), label: label(m, e) }).collect();
        let others = multiples(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).into_iter().filter(|mark| !marks.contains(mark));
        let minor = others.map(|(m, e)| decimal_value(m, e)).collect();
        return Ticks { major, minor, exponent: 0, offset: None };
    }
    linear([low, high], most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.major.iter().map(|tick| tick.label.flat()).collect()
    }

    /// Returns the value that a reader obtains from a label.
    fn read(ticks: &Ticks, label: &Text) -> f64 {
        let number = |text: &str| text.replace('−', "-").parse::<f64>().unwrap();
        let own = match label.flat().split_once("10^") {
            Some((factor, exponent)) => {
                let factor = factor.trim_end_matches('×');
                format!("{}e{}", if factor.is_empty() { "1" } else { factor }, exponent.replace('−', "-"))
            }
            None => label.flat().replace('−', "-"),
        };
        let scaled = if own.contains('e') { number(&own) } else { number(&format!("{own}e{}", ticks.exponent)) };
        scaled + ticks.offset.as_deref().map_or(0.0, number)
    }

    #[test]
    fn linear_labels_are_short_decimals() {
        let plain = |low, high| labels(&ticks(Scale::Linear, [low, high], 7));
        assert_eq!(plain(0.0, 0.8), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(plain(0.1, 0.35), ["0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]);
        assert_eq!(plain(-60.0, 40.0), ["−60", "−40", "−20", "0", "20", "40"]);
        assert_eq!(plain(0.0, 1500.0), ["0", "250", "500", "750", "1000", "1250", "1500"]);
        let large = ticks(Scale::Linear, [0.0, 3.1e9], 7);
        assert_eq!(labels(&large), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(large.note().unwrap().flat(), "×10^9");
        let narrow = ticks(Scale::Linear, [1.0 + 1e-9, 1.0 + 5e-9], 7);
        assert_eq!(labels(&narrow), ["1", "2", "3", "4", "5"]);
        assert_eq!(narrow.note().unwrap().flat(), "×10^−9 + 1");
    }

    #[test]
    fn log_labels_are_powers_or_simple_multiples() {
        let log = |low, high| labels(&ticks(Scale::Log, [low, high], 10));
        assert_eq!(log(1e-3, 1.0), ["10^−3", "10^−2", "10^−1", "10^0"]);
        assert_eq!(log(1e-17, 1e-1).len(), 8, "10^−16, 10^−14, …, 10^−2");
        assert_eq!(log(0.001, 0.02), ["0.001", "0.002", "0.005", "0.01", "0.02"]);
        assert_eq!(log(2e-6, 2e-5), ["2×10^−6", "5×10^−6", "10^−5", "2×10^−5"]);
        assert_eq!(ticks(Scale::Log, [1.0, 1000.0], 10).minor.len(), 24);
    }

    #[test]
    fn unusable_ranges_are_replaced_by_the_data() {
        assert_eq!(axis_range(Scale::Linear, Some([8.0, 0.0]), None, 0.0), [0.0, 8.0]);
        assert_eq!(axis_range(Scale::Log, Some([0.0, 1.0]), None, 0.0), [0.1, 10.0]);
        assert_eq!(axis_range(Scale::Linear, None, Some([0.0, 0.0]), 0.03), [-1.0, 1.0]);
        assert_eq!(axis_range(Scale::Linear, None, Some([0.0, 0.03]), 0.0), [0.0, 0.03]);
        assert_eq!(axis_range(Scale::Linear, None, Some([0.0, 8.0]), 0.0), [0.0, 8.0]);
        let [low, high] = axis_range(Scale::Linear, None, Some([5.0, 5.0]), 0.03);
        assert!(low < 5.0 && high > 5.0 && low >= 0.0);
    }

    fn check(scale: Scale, range: [f64; 2], most: usize) -> Result<(), TestCaseError> {
        let [low, high] = range;
        let ticks = ticks(scale, range, most);
        prop_assert!((2..=12).contains(&ticks.major.len()), "{} ticks", ticks.major.len());
        prop_assert!(ticks.major.windows(2).all(|pair| pair[0].value < pair[1].value));
        let slack = match scale {
            Scale::Linear => 2.0 * (SLACK * (high - low) + f64::EPSILON * low.abs().max(high.abs())),
            Scale::Log => 1e-6 * high, // the slack is a part of the span in decades, of which there are at most 600
        };
        let mut seen = std::collections::BTreeSet::new();
        for tick in &ticks.major {
            prop_assert!(tick.value >= low - slack && tick.value <= high + slack, "{} outside", tick.value);
            prop_assert!(seen.insert(tick.label.flat()), "{} twice", tick.label.flat());
            // The sum with the offset is rounded once, and each of its two parts once.
            let error = (read(&ticks, &tick.label) - tick.value).abs();
            prop_assert!(error <= 3.0 * f64::EPSILON * tick.value.abs(), "{} reads off by {error}", tick.label.flat());
            prop_assert!(!matches!(tick.label.flat().as_str(), "−0" | "-0"));
            prop_assert!(tick.label.flat().chars().count() <= 9, "long label {}", tick.label.flat());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn linear_ticks_are_sound(
            low in -1.0..1.0_f64,
            span in -11.0..0.3_f64,
            size in -250.0..250.0_f64,
            most in 2_usize..14,
        ) {
            let size = 10_f64.powf(size);
            check(Scale::Linear, [low * size, (low + 10_f64.powf(span)) * size], most)?;
        }

        #[test]
        fn log_ticks_are_sound(low in -290.0..0.0_f64, decades in -5.0..2.4_f64, most in 2_usize..14) {
            check(Scale::Log, [10_f64.powf(low), 10_f64.powf(low + 10_f64.powf(decades))], most)?;
        }

        #[test]
        fn automatic_ranges_contain_their_data(low in -1e6..1e6_f64, span in 0.0..1e6_f64, air in 0.0..0.1_f64) {
            let [from, to] = axis_range(Scale::Linear, None, Some([low, low + span]), air);
            prop_assert!(from <= low + SLACK * (to - from) && to >= low + span - SLACK * (to - from));
            check(Scale::Linear, [from, to], 7)?;
        }
    }
}
