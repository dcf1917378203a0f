//! Lines of `mbsbench list` that all families of methods share.

use mbsbench_problem::Scalar;
use nalgebra::{Complex, DMatrix};

use mbsbench_problem::linear::spectral_radius;

/// Largest residual of a condition that holds: the rounding of coefficients up to 25, with a margin.
pub(crate) const ROUNDING: f64 = 1e-11;

/// Allowance for rounding in a spectral radius of one on the imaginary axis.
pub(crate) const GROWTH: f64 = 1e-12;

/// A line in the column layout of `list NAME`.
pub(crate) fn property(name: &str, value: impl ToString) -> String {
    format!("{name:<16}{}", value.to_string())
}

pub(crate) fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// Rounds to twelve decimals, so that rounding errors do not show in printed numbers.
pub(crate) fn rounded(x: f64) -> f64 {
    (x * 1e12).round() / 1e12 + 0.0
}

pub(crate) fn complex(z: Complex<f64>) -> String {
    if z.im == 0.0 { z.re.to_string() } else { z.to_string() }
}

/// `iω` for `ω` from 1e-3 to 1e8; stability on the left half plane follows by the maximum principle.
pub(crate) fn imaginary_axis() -> impl Iterator<Item = Complex<f64>> {
    (0..=1100).map(|k| Complex::new(0.0, 10f64.powf(f64::from(k) / 100.0 - 3.0)))
}

/// True if no root of the method grows on the imaginary axis.
pub(crate) fn is_bounded(amplification: impl Fn(Complex<f64>) -> DMatrix<Complex<f64>>) -> bool {
    imaginary_axis().all(|z| spectral_radius(&amplification(z)) <= 1.0 + GROWTH)
}

/// Nodes and rows of a tableau, aligned, with named rows below.
pub(crate) fn tableau<'r, S: Scalar>(
    nodes: &[S],
    rows: impl Iterator<Item = &'r [S]>,
    further: impl IntoIterator<Item = (&'r str, &'r [S])>,
) -> Vec<String> {
    let text = |x: &S| x.value().to_string();
    let nodes: Vec<String> = nodes.iter().map(text).collect();
    let mut rows: Vec<(&str, &[S])> = nodes.iter().map(String::as_str).zip(rows).collect();
    further.into_iter().for_each(|row| rows.push(row));
    let cells = rows.iter().flat_map(|(_, row)| row.iter().map(text));
    let width = cells.chain(nodes.iter().cloned()).map(|cell| cell.len()).max().unwrap_or(0);
    let line = |(node, row): &(&str, &[S])| {
        let cells: String = row.iter().map(|a| format!(" {:>width$}", text(a))).collect();
        format!("  {node:<width$} |{cells}")
    };
    rows.iter().map(line).collect()
}
