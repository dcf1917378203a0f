//! Mechanisms drawn from the shapes of their bodies.

use mbsbench_problem::View;
use mbsbench_problem::view::Shape as Outline;

use crate::compile::Compiled;
use crate::definition::Shape;
use crate::system::{Space, turned};

/// Bodies above which nothing is drawn.
const MOST: usize = 2000;

/// The mechanism in the plane; in space from the front (`x`, `z`) and from above (`x`, `y`).
pub fn views<X: Space>(compiled: &Compiled<X>, y: &[f64]) -> Vec<View> {
    if compiled.bodies.len() > MOST {
        return Vec::new();
    }
    if X::DIMENSION == 2 {
        return vec![view("plane", ["x (m)", "y (m)"], [0, 1], compiled, y)];
    }
    vec![view("front", ["x (m)", "z (m)"], [0, 2], compiled, y), view("above", ["x (m)", "y (m)"], [0, 1], compiled, y)]
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
        let frame = X::frame(&y[number * X::COORDINATES..][..X::COORDINATES]);
        let at = |local: [f64; 3]| {
            let arm = turned::<f64, X>(&frame, &local);
            seen.map(|i| frame.centre[i] + arm[i])
        };
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
            // a body without a shape is the lines from its centre of mass to its markers
            None => {
                for (_, marker) in body.markers.iter().filter(|(name, _)| !name.is_empty()) {
                    parts.push(("body", Outline::Line(vec![at([0.0; 3]), at(marker.at.into())])));
                }
            }
        }
    }
    View { name, axes, parts, names: Vec::new() }
}
