//! Units on axes, and the few conversions that figures need.

use std::borrow::Cow;

/// Returns the factor from one unit to another; `None` if they measure different quantities.
pub fn factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let (from, to) = (size(from)?, size(to)?);
    (from.0 == to.0).then(|| from.1 / to.1)
}

/// Returns the unit of a column of `runs.csv`; `inner` is the unit of the observable that it measures.
pub fn of_column<'u>(column: &str, inner: &'u str) -> Cow<'u, str> {
    if column.starts_with("trend(") {
        return per_second(inner);
    }
    // A bound has the unit of its error.
    let error = column.strip_suffix("_bound").unwrap_or(column);
    let unit = match error.strip_prefix("final_").unwrap_or(error) {
        "step" | "step_per_stage" | "t_reached" => "s",
        "energy_variation" => "J",
        // Errors of all positions together: angles in rad and lengths in m.
        "position_error" => "rad, m",
        "velocity_error" => "rad/s, m/s",
        "multiplier_error" => "N",
        "drift_constant" | "newton_condition" | "newton_contraction" | "benchmark_error" | "scaled_error" => "1",
        "amplitude_decay" | "period_elongation" | "spectral_radius" => "1",
        _ if column.starts_with("shape_distance(") || column.starts_with("relative_error") => "1",
        "timing.median_s" | "timing.setup_s" => "s",
        "timing.step_ns" => "ns",
        "timing.ratio" => "1",
        _ if column.starts_with("crossing(") || column.contains("_time") => "s",
        _ => inner,
    };
    Cow::Borrowed(unit)
}

/// Returns the unit of a rate of change per second.
fn per_second(unit: &str) -> Cow<'_, str> {
    match unit {
        "" => Cow::Borrowed(""),
        "1" => Cow::Borrowed("1/s"),
        "rad/s" => Cow::Borrowed("rad/s^2"),
        "m/s" => Cow::Borrowed("m/s^2"),
        _ => Cow::Owned(format!("{unit}/s")),
    }
}

/// Returns the quantity of a unit and its size in SI units.
fn size(unit: &str) -> Option<(&'static str, f64)> {
    const DEGREE: f64 = std::f64::consts::PI / 180.0;
    Some(match unit {
        "1" => ("ratio", 1.0),
        "%" => ("ratio", 0.01),
        "rad" => ("angle", 1.0),
        "deg" | "°" => ("angle", DEGREE),
        "rad/s" => ("angular velocity", 1.0),
        "deg/s" | "°/s" => ("angular velocity", DEGREE),
        "m" => ("length", 1.0),
        "mm" => ("length", 1e-3),
        "s" => ("time", 1.0),
        "ms" => ("time", 1e-3),
        "J" => ("energy", 1.0),
        "mJ" => ("energy", 1e-3),
        "kJ" => ("energy", 1e3),
        "N" => ("force", 1.0),
        "kN" => ("force", 1e3),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_units() {
        for (column, inner, unit) in [
            ("position_error", "", "rad, m"),
            ("final_velocity_error_bound", "", "rad/s, m/s"),
            ("multiplier_error", "", "N"),
            ("mean_absolute(energy_change)", "J", "J"),
            ("trend(energy)", "J", "J/s"),
            ("trend(omega)", "rad/s", "rad/s^2"),
            ("trend(ratio)", "1", "1/s"),
            ("shape_distance(0.5)", "", "1"),
            ("benchmark_error_bound", "m", "1"),
            ("error_bound(theta)", "rad", "rad"),
        ] {
            assert_eq!(of_column(column, inner), unit, "{column}");
        }
    }

    #[test]
    fn converts_within_a_quantity_only() {
        assert_eq!(factor("rad", "rad"), Some(1.0));
        assert!((factor("rad", "deg").unwrap() - 57.295_779_513_082_32).abs() < 1e-13);
        assert_eq!(factor("J", "kJ"), Some(1e-3));
        assert_eq!(factor("1", "%"), Some(100.0));
        assert_eq!(factor("rad", "m"), None);
        assert_eq!(factor("furlong", "furlong"), Some(1.0), "an unknown unit equals itself");
    }
}
