//! A model drawn to scale in a plane, at a state.

/// What is seen of a model from one side.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Name in experiment files: `face`.
    pub name: &'static str,
    /// Labels of the horizontal and the vertical axis; both are in m.
    pub axes: [&'static str; 2],
    /// The outlines of its parts, in drawing order. Those of one name belong together.
    pub parts: Vec<(&'static str, Shape)>,
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
}

impl Shape {
    /// Points of the closed line that it is drawn as; a circle is a regular polygon of `corners`.
    #[must_use]
    pub fn points(&self, corners: usize) -> Vec<[f64; 2]> {
        match self {
            Self::Outline(points) => points.clone(),
            &Self::Circle { centre: [x, y], radius } => (0..corners)
                .map(|k| (std::f64::consts::TAU * k as f64 / corners as f64).sin_cos())
                .map(|(sin, cos)| [x + radius * cos, y + radius * sin])
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_a_circle_lie_on_it() {
        let points = Shape::Circle { centre: [2.0, -1.0], radius: 3.0 }.points(7);
        assert_eq!(points.len(), 7);
        assert!(points.iter().all(|[x, y]| ((x - 2.0).hypot(y + 1.0) - 3.0).abs() < 1e-14));
        let outline = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(Shape::Outline(outline.clone()).points(7), outline);
    }
}
