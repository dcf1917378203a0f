//! Mechanisms drawn from the shapes of their bodies.

use mbsbench_problem::View;
use mbsbench_problem::view::Shape as Outline;
use nalgebra::Vector3;

use crate::compile::{BodySeen, Compiled};
use crate::definition::Shape;
use crate::space::{Fixed, Space};
use crate::system::{Action, Frames, Relation};

/// Number of bodies above which nothing is drawn.
const MOST: usize = 2000;

/// Views of the mechanism: the plane; in space from the front (`x`, `z`) and from above (`x`, `y`).
pub fn views<X: Space>(compiled: &Compiled<X>, y: &[f64]) -> Vec<View> {
    if compiled.bodies.len() > MOST {
        return Vec::new();
    }
    if X::DIMENSION == 2 {
        return vec![view("plane", ["x", "y"], [0, 1], compiled, y)];
    }
    vec![view("front", ["x", "z"], [0, 2], compiled, y), view("above", ["x", "y"], [0, 1], compiled, y)]
}

fn view<X: Space>(
    name: &'static str,
    axes: [&'static str; 2],
    seen: [usize; 2],
    compiled: &Compiled<X>,
    y: &[f64],
) -> View {
    let mut parts = Vec::new();
    for (number, body) in compiled.bodies.iter().enumerate() {
        let frame = X::frame(&y[X::own(number)]);
        let at = |local: [f64; 3]| {
            let arm = X::turned(&frame.turn, &local);
            seen.map(|i| frame.centre[i] + arm[i])
        };
        if !matches!(body.shape, Some(Shape::Rod(_))) {
            parts.extend(arms(body, &at));
        }
        let at = |local: [f64; 3]| at((body.middle.at + body.middle.turn * Vector3::from(local)).into());
        let outline = |corners: &[[f64; 3]]| Outline::Outline(corners.iter().map(|&corner| at(corner)).collect());
        match &body.shape {
            Some(Shape::Rod(rod)) => {
                let ends = [-0.5, 0.5].map(|side| at([side * rod.length, 0.0, 0.0]));
                let radius = if rod.radius > 0.0 { rod.radius } else { 0.02 * rod.length };
                parts.push(("body", Outline::Around { corners: ends.to_vec(), radius }));
            }
            Some(Shape::Ball(ball)) => {
                parts.push(("body", Outline::Circle { centre: at([0.0; 3]), radius: ball.radius }))
            }
            Some(Shape::Disk(disk)) => {
                let corner = |k: usize| {
                    let (sin, cos) = (std::f64::consts::TAU * k as f64 / 48.0).sin_cos();
                    [disk.radius * cos, disk.radius * sin, 0.0]
                };
                let corners: Vec<[f64; 3]> = (0..48).map(corner).collect();
                parts.push(("body", outline(&corners)));
                parts.push(("body", Outline::Line(vec![at([0.0; 3]), at([disk.radius, 0.0, 0.0])])));
            }
            Some(Shape::Box(lengths)) => {
                let half = |i: usize| 0.5 * lengths.get(i).copied().unwrap_or(0.0);
                let face = |z: f64| {
                    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| [x * half(0), y * half(1), z])
                };
                parts.push(("body", outline(&face(-half(2)))));
                if half(2) > 0.0 {
                    parts.push(("body", outline(&face(half(2)))));
                    for (a, b) in face(-half(2)).into_iter().zip(face(half(2))) {
                        parts.push(("body", Outline::Line(vec![at(a), at(b)])));
                    }
                }
            }
            None => {}
        }
    }
    let unit = 0.012 * extent(&parts);
    parts.extend(signs(compiled, y, seen, unit));
    View { name, axes, parts, names: Vec::new() }
}

/// Lines from the joint that attaches a body, or otherwise from its centre of mass, to its other joints and its
/// markers; to the centre of mass if it has none.
fn arms(body: &BodySeen, at: &impl Fn([f64; 3]) -> [f64; 2]) -> Vec<(&'static str, Outline)> {
    let centre = Vector3::zeros();
    let start = body.held.first().copied().unwrap_or(centre);
    let markers = body.named_markers().map(|(_, marker)| marker.at);
    let mut ends: Vec<Vector3<f64>> = Vec::new();
    for end in body.held.iter().copied().chain(markers) {
        if [start].iter().chain(&ends).all(|known| (known - end).norm() > 1e-9) {
            ends.push(end);
        }
    }
    if ends.is_empty() && start != centre {
        ends.push(centre);
    }
    ends.into_iter().map(|end| ("body", Outline::Line(vec![at(start.into()), at(end.into())]))).collect()
}

/// The larger side of the bounding box of all parts, m.
fn extent(parts: &[(&'static str, Outline)]) -> f64 {
    let points: Vec<[f64; 2]> = parts.iter().flat_map(|(_, part)| part.points(8)).collect();
    let side = |i: usize| {
        let (low, high) =
            points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[i]), h.max(p[i])));
        high - low
    };
    if points.is_empty() { 1.0 } else { side(0).max(side(1)).max(1e-9) }
}

/// Symbols: points that joints hold together, supports, massless rods, and springs.
fn signs<X: Space>(compiled: &Compiled<X>, y: &[f64], seen: [usize; 2], unit: f64) -> Vec<(&'static str, Outline)> {
    let mut frames = Frames::<f64, X>::new(y);
    let mut at = |point: &Fixed| {
        let point = frames.point(point);
        seen.map(|i| point[i])
    };
    let mut parts = Vec::new();
    for relation in &compiled.system.relations {
        match relation {
            Relation::Coincide(a, b) => {
                let centre = at(a);
                parts.push(("joint", Outline::Circle { centre, radius: unit }));
                if a.body.is_none() || b.body.is_none() {
                    let [x, y] = centre;
                    let below = |right: f64| [x + right * unit, y - 2.5 * unit];
                    parts.push(("ground", Outline::Outline(vec![centre, below(-1.5), below(1.5)])));
                }
            }
            Relation::Distance(a, b, _) => parts.push(("rod", Outline::Line(vec![at(a), at(b)]))),
            _ => {}
        }
    }
    for action in &compiled.system.actions {
        if let Action::Spring(a, b, _) = action {
            let (from, to) = (at(a), at(b));
            // a spring seen from its end is a point
            if (to[0] - from[0]).hypot(to[1] - from[1]) > unit {
                parts.push(("spring", Outline::spring(from, to, 6, 1.2 * unit)));
            }
        }
    }
    parts
}
