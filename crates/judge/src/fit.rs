//! Straight lines through points.

/// The exponent `p` of `y = c xᵖ` that fits the points `[x, y]` best: the slope of log y over log x by least squares. None
/// where a point has no logarithm or all x are the same.
#[must_use]
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logarithms: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |axis: usize| logarithms.iter().map(|point| point[axis]).sum::<f64>() / logarithms.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let (products, squares) = logarithms.iter().fold((0.0, 0.0), |(products, squares), point| {
        (products + (point[0] - x) * (point[1] - y), squares + (point[0] - x) * (point[0] - x))
    });
    Some(products / squares).filter(|slope| slope.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_have_their_exponents() {
        let points: Vec<[f64; 2]> = [0.1, 0.05, 0.02, 0.01].iter().map(|&h: &f64| [h, 3.0 * h.powi(5)]).collect();
        assert!((exponent(&points).unwrap() - 5.0).abs() < 1e-12);
        assert_eq!(exponent(&[[0.1, 0.0], [0.2, 1.0]]), None);
        assert_eq!(exponent(&[[0.1, 1.0], [0.1, 2.0]]), None);
    }
}
