//! The data that a figure shows, as CSV in long form.

use super::figure::{Figure, Series};

/// Writes the points of `figure`: one line a point or failure, columns `panel` (from 1), `series`,
/// `published`, `x`, `y`, `hollow`, `failure`, `t_reached`, and `slope` where slopes are fitted. On an axis with names
/// the name stands for the number.
///
/// Numbers are rounded to six digits, more than a drawing shows; `runs.csv` has measured values in full. A failed run has no
/// `y`.
#[must_use]
pub fn write(figure: &Figure) -> String {
    let mut out = csv_writer();
    let sloped = figure.panels.iter().flat_map(|panel| &panel.series).any(|series| series.slope.is_some());
    let write = |out: &mut ::csv::Writer<Vec<u8>>, fields: [String; 8], slope: &str| {
        let slope = sloped.then(|| slope.to_owned());
        out.write_record(fields.into_iter().chain(slope)).expect("memory accepts lines of one length");
    };
    let heads = ["panel", "series", "published", "x", "y", "hollow", "failure", "t_reached"];
    write(&mut out, heads.map(str::to_owned), "slope");
    for (number, panel) in figure.panels.iter().enumerate() {
        for series in &panel.series {
            let slope = series.slope.map(shortest).unwrap_or_default();
            let line = |x: f64, y: String, hollow: String, failure: String, time: String| {
                let Series { label, published, .. } = series;
                let x = panel.x.name_at(x).map_or_else(|| shortest(rounded(x)), str::to_owned);
                [(number + 1).to_string(), label.clone(), published.to_string(), x, y, hollow, failure, time]
            };
            for point in &series.points {
                let y = panel.y.name_at(point.y).map_or_else(|| shortest(rounded(point.y)), str::to_owned);
                let fields = line(point.x, y, point.hollow.to_string(), String::new(), String::new());
                write(&mut out, fields, &slope);
            }
            for failure in &series.failures {
                let time = shortest(failure.t_reached);
                write(&mut out, line(failure.x, String::new(), String::new(), failure.name.clone(), time), &slope);
            }
        }
    }
    finish(out)
}

/// To six significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The shortest decimals that read back as the same double, with an exponent where that is shorter to read.
#[must_use]
pub fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned() // also for −0, which means nothing to a reader
    } else if magnitude.is_finite() && !(1e-4..1e16).contains(&magnitude) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A writer into memory.
pub(super) fn csv_writer() -> ::csv::Writer<Vec<u8>> {
    ::csv::Writer::from_writer(Vec::new())
}

/// Writes a line.
pub(super) fn record<const N: usize>(out: &mut ::csv::Writer<Vec<u8>>, fields: [String; N]) {
    out.write_record(&fields).expect("memory accepts lines of one length");
}

/// What was written.
pub(super) fn finish(out: ::csv::Writer<Vec<u8>>) -> String {
    let bytes = out.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("strings and numbers are UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_read_back() {
        for value in [0.1 + 0.2, 1e-300, -4.9e-324, 1e22, 123_456.0, f64::MAX, 1.0 / 3.0] {
            assert_eq!(shortest(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert_eq!(shortest(-0.0), "0");
        assert_eq!(shortest(0.05), "0.05");
        assert_eq!(shortest(9.99e-5), "9.99e-5");
    }

    #[test]
    fn numbers_of_figures_are_short() {
        assert_eq!(shortest(rounded(1.0 / 3.0)), "0.333333");
        assert_eq!(shortest(rounded(-2.0 / 3.0e20)), "-6.66667e-21");
        assert_eq!(shortest(rounded(0.05)), "0.05");
        assert!(rounded(f64::NAN).is_nan() && rounded(f64::INFINITY).is_infinite());
    }
}
