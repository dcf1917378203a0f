//! Slopes in logarithmic axes, which are orders of convergence if errors are drawn over step sizes.

use mbsbench_judge::statistics::exponent;
use mbsbench_render::Point;

/// The least-squares slope of log y over log x through the `count` points with the smallest x. Returns `None` if fewer
/// points have logarithms and are resolved by the reference.
pub(super) fn fitted(points: &[Point], count: usize) -> Option<f64> {
    let resolved = points.iter().filter(|point| !point.hollow && has_logarithms(point));
    let mut finest: Vec<[f64; 2]> = resolved.map(|point| [point.x, point.y]).collect();
    finest.sort_by(|a, b| a[0].total_cmp(&b[0]));
    exponent(finest.get(..count)?)
}

/// The slopes d log y / d log x between neighbours among `points`, which are ordered by increasing x. Each is placed at
/// the geometric mean of its two x. A point without logarithm has no slopes; a slope is hollow if one of its points is.
pub(super) fn local(points: &[Point]) -> Vec<Point> {
    let slope = |pair: &[Point]| {
        let (a, b) = (pair[0], pair[1]);
        let y = (b.y / a.y).ln() / (b.x / a.x).ln();
        let is_slope = has_logarithms(&a) && has_logarithms(&b) && a.x != b.x;
        is_slope.then(|| Point { x: a.x.sqrt() * b.x.sqrt(), y, hollow: a.hollow || b.hollow })
    };
    points.windows(2).filter_map(slope).collect()
}

fn has_logarithms(point: &Point) -> bool {
    [point.x, point.y].into_iter().all(|value| value > 0.0 && value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[[f64; 2]]) -> Vec<Point> {
        values.iter().map(|&[x, y]| Point { x, y, hollow: false }).collect()
    }

    /// 3 x², but with a large deviation at the coarsest step.
    fn second_order() -> Vec<Point> {
        points(&[[0.001, 3e-6], [0.01, 3e-4], [0.1, 3e-2], [1.0, 100.0]])
    }

    #[test]
    fn the_finest_points_give_the_slope() {
        let near = |slope: Option<f64>, expected: f64| (slope.unwrap() - expected).abs() < 1e-13;
        assert!(near(fitted(&second_order(), 3), 2.0));
        let mut shuffled = second_order();
        shuffled.reverse();
        assert!(near(fitted(&shuffled, 3), 2.0), "whatever their order");
        // By hand: x − mean is −1.5 … 1.5 decades, log10 y is log10 3 − 6, − 4, − 2, and 2.
        let by_hand = (-1.5 * (0.477_121_254_719_662_4 - 6.0) - 0.5 * (0.477_121_254_719_662_4 - 4.0)
            + 0.5 * (0.477_121_254_719_662_4 - 2.0)
            + 1.5 * 2.0)
            / 5.0;
        assert!(near(fitted(&second_order(), 4), by_hand));
        assert_eq!(fitted(&second_order(), 5), None, "too few points");
    }

    #[test]
    fn unresolved_points_do_not_count() {
        let mut some = second_order();
        some.extend(points(&[[1e-4, 0.0], [1e-5, f64::NAN], [0.0, 1.0], [f64::INFINITY, 1.0]]));
        some.push(Point { x: 1e-6, y: 1e-7, hollow: true });
        assert_eq!(fitted(&some, 3), fitted(&second_order(), 3));
        assert_eq!(fitted(&some, 5), None);
        assert_eq!(fitted(&points(&[[0.1, 1.0], [0.1, 2.0]]), 2), None, "one x");
        assert_eq!(fitted(&[], 2), None);
    }

    #[test]
    fn local_slopes_lie_between_their_points() {
        let slopes = local(&second_order());
        assert_eq!(slopes.len(), 3);
        assert!((slopes[0].y - 2.0).abs() < 1e-13 && (slopes[1].y - 2.0).abs() < 1e-13);
        assert!((slopes[0].x - 10_f64.powf(-2.5)).abs() < 1e-15);
        let mut holed = second_order();
        (holed[0].hollow, holed[2].y) = (true, 0.0);
        let slopes = local(&holed);
        assert_eq!(slopes.len(), 1, "none beside the point without logarithm");
        assert!(slopes[0].hollow);
        assert!(local(&points(&[[0.1, 1.0], [0.1, 2.0]])).is_empty());
    }
}
