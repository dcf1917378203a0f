//! The squeezer drawn to scale.

use mbsbench_problem::View;
use mbsbench_problem::view::Shape;

use super::{Points, Squeezer};

impl Squeezer {
    /// Links, pins, spring and ground, as in zhang2022, Fig. 8.
    pub(super) fn view(&self, points: &Points<f64>) -> View {
        let Points { d, e, f, g, h } = *points;
        let o = [0.0; 2];
        let bar = |from: [f64; 2], to: [f64; 2]| ("links", Shape::Outline(vec![from, to]));
        let parts = vec![
            bar(o, f),
            bar(e, f),
            bar(self.a, g),
            bar(g, e),
            bar(self.a, h),
            bar(h, e),
            ("links", Shape::Outline(vec![e, self.b, d])),
        ];
        View { name: "plane", axes: ["x", "y"], parts }
    }
}
