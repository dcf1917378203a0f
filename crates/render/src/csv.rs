//! The data of a figure as CSV in long form.

use mbsbench_numbers::{csv, rounded, shortest};

use super::figure::{Axis, Figure, Panel};

/// The columns of the file. `x` and `y` are always present, the others if they have content.
const HEADS: [&str; 9] = ["panel", "series", "published", "x", "y", "hollow", "failure", "t_reached", "slope"];

/// Writes the points of `figure`: one line for each point or failure, with the columns `panel` (from 1), `series`,
/// `published`, `x`, `y`, `hollow`, `failure`, `t_reached` and `slope`. Columns without content are omitted, as is
/// `panel` for a single panel; `published` and `hollow` are `true` or empty. On an axis with names, the name replaces
/// the number.
///
/// Numbers are rounded to six digits, more than a drawing shows; `runs.csv` has the measured values in full precision.
/// A failed run has no `y`.
pub fn write(figure: &Figure) -> String {
    let is_one = figure.panels.len() < 2;
    let number = |index: usize| if is_one { String::new() } else { (index + 1).to_string() };
    let panels = figure.panels.iter().enumerate();
    let lines: Vec<[String; 9]> = panels.flat_map(|(index, panel)| lines(&number(index), panel)).collect();
    let is_shown =
        |column: &usize| ["x", "y"].contains(&HEADS[*column]) || lines.iter().any(|line| !line[*column].is_empty());
    let shown: Vec<usize> = (0..HEADS.len()).filter(is_shown).collect();
    let heads = HEADS.map(str::to_owned);
    csv(std::iter::once(&heads).chain(&lines).map(|line| shown.iter().map(|&column| &line[column])))
}

/// Returns the lines of the panel with this number.
fn lines(number: &str, panel: &Panel) -> Vec<[String; 9]> {
    let value = |axis: &Axis, value: f64| axis.name_at(value).map_or_else(|| shortest(rounded(value)), str::to_owned);
    let flag = |is_set: bool| if is_set { "true".to_owned() } else { String::new() };
    let mut lines = Vec::new();
    for series in &panel.series {
        let slope = series.slope.map(shortest).unwrap_or_default();
        let mut add = |x: f64, [y, hollow, failure, t_reached]: [String; 4]| {
            let (label, published) = (series.label.clone(), flag(series.published));
            let (number, x) = (number.to_owned(), value(&panel.x, x));
            lines.push([number, label, published, x, y, hollow, failure, t_reached, slope.clone()]);
        };
        for point in &series.points {
            add(point.x, [value(&panel.y, point.y), flag(point.hollow), String::new(), String::new()]);
        }
        for failure in &series.failures {
            add(failure.x, [String::new(), String::new(), failure.name.clone(), shortest(failure.t_reached)]);
        }
    }
    lines
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
