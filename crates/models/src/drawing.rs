//! Signs that drawings of mechanisms share.

use mbsbench_problem::view::Shape;

/// What holds a point to the ground: a triangle below it, on a line with hatches, with `unit` (m) for its size.
pub(crate) fn support([x, y]: [f64; 2], unit: f64) -> [Shape; 5] {
    let at = |right: f64, up: f64| [x + right * unit, y + up * unit];
    let hatch = |right: f64| Shape::Line(vec![at(right, -0.55), at(right - 0.15, -0.75)]);
    [
        Shape::Outline(vec![at(0.0, 0.0), at(-0.3, -0.55), at(0.3, -0.55)]),
        Shape::Line(vec![at(-0.45, -0.55), at(0.45, -0.55)]),
        hatch(-0.3),
        hatch(0.0),
        hatch(0.3),
    ]
}
