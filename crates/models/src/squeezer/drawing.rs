//! The squeezer drawn to scale.

use mbsbench_problem::View;
use mbsbench_problem::view::Shape;

use super::{Points, Squeezer};
use crate::drawing::{Part, pin};

/// Half the width of a link, radius of a pin, and radius of the spring, in lengths of the crank; the equations have none of
/// them.
const SIZES: [f64; 3] = [0.16, 0.09, 0.3];
/// Windings of the spring.
const WINDINGS: usize = 8;
/// From a point to the middle of its name, in lengths of the crank.
const ASIDE: f64 = 0.45;

impl Squeezer {
    /// Ground, spring, links, crank and pins, as in zhang2022, Fig. 8.
    pub(super) fn view(&self, points: &Points<f64>) -> View {
        let Points { d, e, f, g, h } = *points;
        let (a, b, c, o) = (self.a, self.b, self.c, [0.0; 2]);
        let [half_width, pin_radius, coil] = SIZES.map(|size| size * self.of.length);
        let mut parts: Vec<Part> = [o, a, b, c].into_iter().flat_map(|point| pin(point, self.of.length)).collect();
        parts.push(("spring", Shape::spring(d, c, WINDINGS, coil)));
        for corners in [vec![e, d, b], vec![a, g], vec![g, e], vec![a, h], vec![h, e], vec![e, f]] {
            parts.push(("links", Shape::Around { corners, radius: half_width }));
        }
        parts.push(("crank", Shape::Around { corners: vec![o, f], radius: half_width }));
        parts.extend([o, a, b, c, d, e, f, g, h].map(|centre| ("pins", Shape::Circle { centre, radius: pin_radius })));
        let aside = |[x, y]: [f64; 2], [right, up]: [f64; 2]| {
            [x + right * ASIDE * self.of.length, y + up * ASIDE * self.of.length]
        };
        let names = vec![
            ("A", aside(a, [-1.0, 0.5])),
            ("B", aside(b, [-1.0, 0.5])),
            ("C", aside(c, [-1.0, 0.0])),
            ("D", aside(d, [1.0, -0.5])),
            ("E", aside(e, [0.6, -0.8])),
            ("F", aside(f, [1.0, 0.3])),
            ("G", aside(g, [0.0, 1.0])),
            ("H", aside(h, [0.0, -1.0])),
            ("O", aside(o, [0.0, 1.0])),
        ];
        View { name: "plane", axes: ["x", "y"], parts, names }
    }
}
