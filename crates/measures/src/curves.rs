//! Comparison of the shapes of two curves in a plane.

use mbsbench_problem::{OutOfRange, Verbatim, parameters};

use super::samples::check_increasing;
use super::simple::over_steps;
use super::{Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory};

type Point = [f64; 2];

parameters! {
    /// The distance between the shapes of two plane curves: one of two observables over the run's steps, the other of
    /// two observables of the experiment's reference. Each curve is scaled to a box from −1 to 1, so that size and
    /// proportions do not count. The distance is Hausdorff's: the largest distance from a point of one curve to the
    /// other curve, in either direction. Curves that are mirrored through the centre of their box have the same
    /// shape.
    #[derive(Default)]
    pub struct ShapeDistance in snake_case where there_are_two_axes, times_increase {
        /// Observables of the run on the two axes.
        of: Vec<String>,
        /// Observables of the reference on the two axes.
        reference: Vec<String>,
        /// Distance between the times (s) at which the reference is evaluated.
        every: f64 [above 0.0],
        /// Times (s) up to which the curves are compared, increasing; there is one column for each.
        until: Vec<Verbatim<f64>>,
    }
}

impl ShapeDistance {
    fn there_are_two_axes(&self) -> Result<(), OutOfRange> {
        for (field, names) in [("of", &self.of), ("reference", &self.reference)] {
            if names.len() != 2 {
                return Err(OutOfRange::new(field, format!("a list of length {}", names.len()), "two observables"));
            }
        }
        Ok(())
    }

    fn times_increase(&self) -> Result<(), OutOfRange> {
        check_increasing("until", &self.until.iter().map(|until| until.value).collect::<Vec<_>>())
    }
}

impl MeasureDefinition for ShapeDistance {
    const NAME: &'static str = "shape_distance";
    const SUMMARY: &'static str =
        "Hausdorff distance between the shape of a plane curve and that of a curve of the reference";

    fn columns(&self) -> Vec<String> {
        self.until.iter().map(|until| format!("shape_distance({})", until.text)).collect()
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        let every = self.every.copysign(span[1] - span[0]);
        let count = ((span[1] - span[0]) / every * (1.0 + 1e-12)).floor() as usize;
        (1..=count).map(|k| span[0] + k as f64 * every).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let times = self.reference_times(context.span);
        let expected = context.reference.and_then(|reference| curve(reference, &self.reference, &times));
        let index = |k: usize| self.of.get(k).and_then(|name| context.index(name));
        let axes = index(0).zip(index(1)).filter(|_| expected.is_some());
        // Every step's point: this is the only measure whose memory grows with the number of steps.
        let add = move |points: &mut Vec<(f64, Point)>, step: &mut Observed<'_>| {
            points.extend(axes.map(|(x, y)| (step.t_end, [step.end[x], step.end[y]])));
        };
        let until: Vec<f64> = self.until.iter().map(|until| until.value).collect();
        over_steps(Vec::new(), add, move |points, ending| {
            let distance = |&until: &f64| {
                let expected = expected.as_ref().filter(|_| ending.t_reached >= until * (1.0 - 1e-9))?;
                shape_distance(before(&points, until), before(expected, until))
            };
            until.iter().map(distance).collect()
        })
    }
}

/// The reference's curve with its times.
fn curve(reference: &ReferenceTrajectory, names: &[String], times: &[f64]) -> Option<Vec<(f64, Point)>> {
    let (x, y) = (reference.column(names.first()?)?, reference.column(names.get(1)?)?);
    let point = |&time: &f64| reference.row(time).map(|row| (time, &reference.values[row]));
    Some(times.iter().filter_map(point).map(|(time, values)| (time, [values[x], values[y]])).collect())
}

/// The points of a curve up to a time.
fn before(curve: &[(f64, Point)], until: f64) -> Vec<Point> {
    curve.iter().filter(|(t, _)| *t <= until * (1.0 + 1e-9)).map(|&(_, point)| point).collect()
}

/// The distance of two curves, each scaled to its box; none if a curve has no extent along an axis.
fn shape_distance(one: Vec<Point>, other: Vec<Point>) -> Option<f64> {
    let (one, other) = (boxed(one)?, boxed(other)?);
    let mirrored: Vec<Point> = one.iter().map(|[x, y]| [-x, -y]).collect();
    Some(hausdorff(&one, &other).min(hausdorff(&mirrored, &other)))
}

/// The curve scaled to a box from −1 to 1.
fn boxed(mut curve: Vec<Point>) -> Option<Vec<Point>> {
    for axis in 0..2 {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = curve.iter().fold(ends, |(low, high), point| (low.min(point[axis]), high.max(point[axis])));
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        if !(half > 0.0 && half.is_finite()) {
            return None;
        }
        curve.iter_mut().for_each(|point| point[axis] = (point[axis] - centre) / half);
    }
    Some(curve)
}

/// The largest distance from a corner of one polyline to the other polyline, in either direction.
fn hausdorff(one: &[Point], other: &[Point]) -> f64 {
    farthest(one, other).max(farthest(other, one))
}

fn farthest(points: &[Point], line: &[Point]) -> f64 {
    let mut farthest = 0.0;
    // Neighbouring points are nearest to neighbouring pieces. If the last piece is within the distance already
    // reached, no other piece needs to be examined.
    let mut last = 0;
    for point in points {
        let mut nearest = to_piece(point, line, last);
        if nearest <= farthest {
            continue;
        }
        for piece in 0..line.len().saturating_sub(1).max(1) {
            let square = to_piece(point, line, piece);
            if square < nearest {
                (nearest, last) = (square, piece);
                if nearest <= farthest {
                    break;
                }
            }
        }
        farthest = nearest.max(farthest);
    }
    farthest.sqrt()
}

/// The square of the distance from a point to the piece from corner `piece` to the next one.
fn to_piece(point: &Point, line: &[Point], piece: usize) -> f64 {
    let a = line[piece];
    let b = line.get(piece + 1).copied().unwrap_or(a);
    let (d, p) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
    let length = d[0] * d[0] + d[1] * d[1];
    let share = if length > 0.0 { ((d[0] * p[0] + d[1] * p[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
    (p[0] - share * d[0]).powi(2) + (p[1] - share * d[1]).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn ellipse(count: u32, [a, b]: Point, [x, y]: Point) -> Vec<Point> {
        let angle = |k: u32| TAU * f64::from(k) / f64::from(count);
        (0..=count).map(|k| [x + a * angle(k).cos(), y + b * angle(k).sin()]).collect()
    }

    #[test]
    fn size_position_and_mirroring_do_not_matter() {
        let distance = shape_distance(ellipse(1000, [3.0, 0.2], [5.0, 1.0]), ellipse(700, [-1e-6, -1e-6], [0.0, 0.0]));
        assert!(distance.unwrap() < 1e-4, "{distance:?}");
    }

    #[test]
    fn circle_and_square_differ_by_the_corner_distance() {
        let square = vec![[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]];
        let distance = shape_distance(ellipse(2000, [1.0, 1.0], [0.0, 0.0]), square).unwrap();
        assert!((distance - (2.0_f64.sqrt() - 1.0)).abs() < 1e-5, "{distance}");
    }

    #[test]
    fn a_curve_without_extent_has_no_shape() {
        assert_eq!(shape_distance(vec![[0.0, 0.0], [1.0, 0.0]], ellipse(9, [1.0, 1.0], [0.0, 0.0])), None);
    }
}
