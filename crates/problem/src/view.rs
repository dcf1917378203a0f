//! Drawings of a model at a state, to scale in a plane.

use std::f64::consts::{PI, TAU};

/// A model as seen from one side.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Name in experiment files: `face`.
    pub name: &'static str,
    /// Labels of the horizontal and the vertical axis; both are in m.
    pub axes: [&'static str; 2],
    /// The outlines of its parts, in drawing order. Outlines with the same name belong together.
    pub parts: Vec<(&'static str, Shape)>,
    /// Names of points and the positions of these names, m.
    pub names: Vec<(&'static str, [f64; 2])>,
}

/// A shape in the plane, m.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A circle.
    Circle {
        /// Its centre.
        centre: [f64; 2],
        /// Its radius.
        radius: f64,
    },
    /// A closed line; its last point is joined to the first.
    Outline(Vec<[f64; 2]>),
    /// An open line.
    Line(Vec<[f64; 2]>),
    /// A closed line at the distance `radius` around a convex polygon with counter-clockwise corners; around two
    /// points it is a bar with round ends.
    Around {
        /// The corners.
        corners: Vec<[f64; 2]>,
        /// The distance.
        radius: f64,
    },
}

impl Shape {
    /// A coil spring with the given number of `windings` between two points, seen from the side; it is straight over
    /// a sixth of the length at each end.
    pub fn spring(from: [f64; 2], to: [f64; 2], windings: usize, radius: f64) -> Self {
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].hypot(along[1]);
        let at = |share: f64, aside: f64| {
            let aside = aside * radius / length;
            [from[0] + share * along[0] - aside * along[1], from[1] + share * along[1] + aside * along[0]]
        };
        let winding = |k: usize| (1.0 + 4.0 * (k as f64 + 0.5) / (2 * windings) as f64) / 6.0;
        let zigzag = (0..2 * windings).map(|k| at(winding(k), if k % 2 == 0 { 1.0 } else { -1.0 }));
        let ends = [at(1.0 / 6.0, 0.0), at(5.0 / 6.0, 0.0)];
        Self::Line([from, ends[0]].into_iter().chain(zigzag).chain([ends[1], to]).collect())
    }

    /// Points of the line as it is drawn; a closed line repeats the first point at its end. A circle is drawn as a
    /// regular polygon with `corners` corners.
    pub fn points(&self, corners: usize) -> Vec<[f64; 2]> {
        let mut points: Vec<_> = match self {
            Self::Line(points) => return points.clone(),
            Self::Outline(points) => points.clone(),
            &Self::Circle { centre, radius } => {
                (0..corners).map(|k| on_circle(centre, radius, TAU * k as f64 / corners as f64)).collect()
            }
            Self::Around { corners: around, radius } => rounded(around, *radius, corners),
        };
        points.extend(points.first().copied());
        points
    }
}

/// The point of a circle in the direction `angle`, rad.
fn on_circle([x, y]: [f64; 2], radius: f64, angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [x + radius * cos, y + radius * sin]
}

/// Points around a convex polygon: an arc at each corner, from the outer normal of the previous edge to that of the
/// next.
fn rounded(corners: &[[f64; 2]], radius: f64, points: usize) -> Vec<[f64; 2]> {
    let n = corners.len();
    let normal = |k: usize| {
        let ([x, y], [next_x, next_y]) = (corners[k % n], corners[(k + 1) % n]);
        (next_y - y).atan2(next_x - x) - 0.5 * PI
    };
    let arcs = (0..n).flat_map(|k| {
        let before = normal(k + n - 1);
        let turn = (normal(k) - before).rem_euclid(TAU);
        let steps = ((turn / TAU * points as f64).ceil() as usize).max(1);
        (0..=steps).map(move |step| on_circle(corners[k], radius, before + turn * step as f64 / steps as f64))
    });
    arcs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_a_circle_lie_on_it() {
        let points = Shape::Circle { centre: [2.0, -1.0], radius: 3.0 }.points(7);
        assert_eq!(points.len(), 8);
        assert_eq!(points[0], points[7]);
        assert!(points.iter().all(|[x, y]| ((x - 2.0).hypot(y + 1.0) - 3.0).abs() < 1e-14));
    }

    #[test]
    fn outlines_are_closed_and_lines_are_open() {
        let corners = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(Shape::Line(corners.clone()).points(7), corners);
        let closed = [&corners[..], &[[0.0, 0.0]]].concat();
        assert_eq!(Shape::Outline(corners).points(7), closed);
    }

    /// The line at distance `r` around a polygon has length `p + 2 π r` and encloses the area `A + p r + π r²`.
    #[test]
    fn the_line_around_a_polygon_keeps_its_distance() {
        for (corners, length, area) in [
            (vec![[0.0, 0.0], [3.0, 4.0]], 10.0, 0.0),
            (vec![[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]], 12.0, 6.0),
            (vec![[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0], [1.0, -2.0]], 12.0, 8.0),
        ] {
            let points = Shape::Around { corners, radius: 0.5 }.points(3000);
            let pairs = || points.windows(2).map(|pair| (pair[0], pair[1]));
            let found: f64 = pairs().map(|(a, b)| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
            assert!((found - length - PI).abs() < 1e-5, "{found}");
            let found: f64 = pairs().map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum();
            assert!((found - area - 0.5 * length - 0.25 * PI).abs() < 1e-5, "{found}");
        }
    }

    #[test]
    fn a_spring_is_drawn_from_end_to_end() {
        let Shape::Line(points) = Shape::spring([1.0, 1.0], [1.0, 7.0], 4, 0.5) else { panic!("not an open line") };
        assert_eq!((points[0], points[11]), ([1.0, 1.0], [1.0, 7.0]));
        assert_eq!((points[1], points[10]), ([1.0, 2.0], [1.0, 6.0]));
        let windings: Vec<_> = points[2..10].iter().map(|[x, _]| *x).collect();
        assert_eq!(windings, [0.5, 1.5, 0.5, 1.5, 0.5, 1.5, 0.5, 1.5]);
        assert!(points.windows(2).all(|pair| pair[1][1] > pair[0][1]));
    }
}
