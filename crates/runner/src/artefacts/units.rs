//! Units on axes, and the few conversions that figures need.

/// Factor from one unit to another; none where they are not the same quantity.
#[must_use]
pub fn factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let (from, to) = (size(from)?, size(to)?);
    (from.0 == to.0).then(|| from.1 / to.1)
}

/// Unit of a column of `runs.csv`; `inner` is that of the observable it is about.
#[must_use]
pub fn of_column<'u>(column: &str, inner: &'u str) -> &'u str {
    match column {
        "step" | "step_per_stage" | "t_reached" => "s",
        "energy_variation" => "J",
        "timing.median_s" => "s",
        "timing.step_ns" => "ns",
        "timing.ratio" => "1",
        _ if column.starts_with("crossing(") || column.contains("_time") => "s",
        _ => inner,
    }
}

/// Quantity and size in SI units.
fn size(unit: &str) -> Option<(&'static str, f64)> {
    const DEGREE: f64 = std::f64::consts::PI / 180.0;
    Some(match unit {
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
    fn converts_within_a_quantity_only() {
        assert_eq!(factor("rad", "rad"), Some(1.0));
        assert!((factor("rad", "deg").unwrap() - 57.295_779_513_082_32).abs() < 1e-13);
        assert_eq!(factor("J", "kJ"), Some(1e-3));
        assert_eq!(factor("rad", "m"), None);
        assert_eq!(factor("furlong", "furlong"), Some(1.0), "an unknown unit is still itself");
    }
}
