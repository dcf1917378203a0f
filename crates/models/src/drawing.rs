//! Shared parts of the drawings of models.

use mbsbench_problem::View;
use mbsbench_problem::view::Shape;

/// Largest number of equal bodies that are drawn.
pub(crate) const MOST_DRAWN: usize = 2000;

/// A shape, with the name of the part of the model that it belongs to.
pub type Part = (&'static str, Shape);

/// A model in a vertical plane, with the parts of each body in drawing order.
pub(crate) fn upright(axes: [&'static str; 2], parts: Vec<Part>) -> View {
    view("plane", axes, parts)
}

/// A view of a model without names of points.
pub(crate) fn view(name: &'static str, axes: [&'static str; 2], parts: Vec<Part>) -> View {
    View { name, axes, parts, names: Vec::new() }
}

/// The symbol of a fixed point: a triangle below it, on a line with hatches; `unit` (m) sets its size.
fn support([x, y]: [f64; 2], unit: f64) -> [Shape; 5] {
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

/// The symbol of a fixed point as parts of the ground.
pub(crate) fn pin(at: [f64; 2], unit: f64) -> impl Iterator<Item = Part> {
    support(at, unit).into_iter().map(|shape| ("ground", shape))
}

/// A rod from one end to the other; its thickness is a twenty-fifth of its length.
pub(crate) fn rod(ends: [[f64; 2]; 2]) -> Shape {
    let [from, to] = ends;
    Shape::Around { corners: ends.to_vec(), radius: 0.02 * (to[0] - from[0]).hypot(to[1] - from[1]) }
}

/// A rod by its centre, its angle from the horizontal (rad) and half its length (m).
pub(crate) fn rod_about(q: &[f64], half: f64) -> Shape {
    let (sin, cos) = q[2].sin_cos();
    rod([-half, half].map(|along| [q[0] + along * cos, q[1] + along * sin]))
}

/// A rectangle of given width and height about its middle, m.
pub(crate) fn block([x, y]: [f64; 2], width: f64, height: f64) -> Shape {
    let corner = |right: f64, up: f64| [x + 0.5 * right * width, y + 0.5 * up * height];
    Shape::Outline(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
}

/// The ground at a height, from the left to the right, m.
pub(crate) fn ground([left, right]: [f64; 2], height: f64) -> Part {
    ("ground", Shape::Line(vec![[left, height], [right, height]]))
}
