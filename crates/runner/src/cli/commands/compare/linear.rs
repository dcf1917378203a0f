//! Properties of a method on the linear oscillator, from its characteristic roots.

use mbsbench_numbers::short;
use mbsbench_problem::Method;
use mbsbench_problem::linear::{characteristics, spectral_radius};

use super::page::Section;
use crate::conformance::order_of_the_root;

/// The value of `ωh` that represents infinity.
const INFINITE: f64 = 1e14;
/// Largest magnitude of roots that counts as one. The rounding error of multiple roots requires this tolerance.
const ONE: f64 = 1.0 + 1e-9;
/// Steps, relative to the period and the number of stages, at which damping and period are reported.
const ABSCISSAS: [f64; 2] = [0.01, 0.1];

pub(super) fn section(method: &dyn Method) -> Section {
    let mut section = Section::new(
        "Linear stability",
        "Computed from the characteristic roots for `x″ + ω² x = 0` with step `h`, period `T` and number `n` of \
         implicit stages.",
        &["property", "value"],
    );
    let radius = |omega_h: f64| method.amplification(omega_h).map(|matrix| spectral_radius(&matrix));
    let Some(at_infinity) = radius(INFINITE) else {
        section.notes.push(
            "does not apply: on linear problems the steps of the method are not linear, depend on the problem, \
             or have no known amplification matrix"
                .to_owned(),
        );
        return section;
    };
    let mut tell = |property: String, value: String| section.rows.push(vec![property, value]);
    tell("spectral radius at infinity".to_owned(), bounded(at_infinity));
    tell("undamped oscillations grow by less than 1e-9 a step".to_owned(), stable_to(radius));
    if let Some(damped) = method.damped_radius(INFINITE, 1.0) {
        tell("largest root on the negative real axis at infinity".to_owned(), bounded(damped));
    }
    if let Some(order) = order_of_the_root(method) {
        tell("order of the principal root".to_owned(), format!("{order:.2}"));
    }
    for (abscissa, found) in ABSCISSAS.into_iter().zip(characteristics(method, &ABSCISSAS).unwrap_or_default()) {
        let value = found.principal.map_or_else(
            || "the principal root has merged with another root".to_owned(),
            |root| format!("{}, {}", short(root.amplitude_decay), short(root.period_elongation)),
        );
        tell(format!("amplitude decay, period elongation at h/(nT) = {abscissa}"), value);
    }
    section
}

fn bounded(radius: f64) -> String {
    match radius {
        radius if radius > 1e3 => "unbounded".to_owned(),
        // The rounding error of a root at zero with multiplicity up to five.
        radius if radius < 2e-3 => "0".to_owned(),
        radius => short(radius),
    }
}

/// The largest `ωh` up to which no root is larger than [`ONE`], on a grid of one hundredth of a decade.
fn stable_to(radius: impl Fn(f64) -> Option<f64>) -> String {
    let grid: Vec<f64> = (-200..=400).map(|k| 10f64.powf(f64::from(k) / 100.0)).collect();
    match grid.iter().position(|&omega_h| radius(omega_h).is_some_and(|radius| radius > ONE)) {
        None => "everywhere".to_owned(),
        Some(0) => "nowhere".to_owned(),
        Some(beyond) => format!("to ωh = {}", short(grid[beyond - 1])),
    }
}
