//! Angles and points of the squeezer from the lengths of its links, and its drawing.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Scalar, View};

use super::{Squeezer, SqueezerStart};
use crate::drawing::{Part, pin};
use crate::plane::{angle, cross, difference, sum, turned};

/// Moving points of the squeezer, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points<S> {
    /// D, the point of the plate to which the spring is attached.
    pub d: [S; 2],
    /// E, the point at which the loops close.
    pub e: [S; 2],
    /// F, the pin between crank and rod.
    pub f: [S; 2],
    /// G, the pin between A-G and G-E.
    pub g: [S; 2],
    /// H, the pin between A-H and H-E.
    pub h: [S; 2],
}

impl Squeezer {
    /// Returns the initial angles `(β, Θ, γ, Φ, δ, Ω, ε)`, computed in the scalar's own precision.
    pub fn start_angles<S: Scalar>(&self) -> [S; 7] {
        match self.start {
            SqueezerStart::Paper => self.angles_at(S::from(self.crank_angle)),
            SqueezerStart::TestSet => self.angles_in_line(),
        }
    }

    /// Returns the angles at a crank angle β, with E to the left of the line from F to B, and G to the left and H to
    /// the right of the line from A to E, as in zhang2022, Fig. 8. They are not finite if the links cannot meet.
    /// First and second derivatives by dual numbers are those of the mechanism.
    pub fn angles_at<S: Scalar>(&self, beta: S) -> [S; 7] {
        let f = turned(beta.sin_cos(), [S::from(self.of.length), S::zero()]);
        let e = meeting(f, S::from(self.ef.length), self.b.map(S::from), S::from(self.ebd.length));
        self.angles_around(beta, f, e)
    }

    /// Returns the angles with E, O and F on one line in this order; the distance from O to E is then the difference
    /// of the two lengths.
    fn angles_in_line<S: Scalar>(&self) -> [S; 7] {
        let reach = S::from(self.ef.length) - self.of.length;
        let e = meeting([S::zero(); 2], reach, self.b.map(S::from), S::from(self.ebd.length));
        let beta = angle(-e[1] / reach, -e[0] / reach);
        let f = turned(beta.sin_cos(), [S::from(self.of.length), S::zero()]);
        let mut angles = self.angles_around(beta, f, e);
        angles[1] = S::zero();
        angles
    }

    fn angles_around<S: Scalar>(&self, beta: S, f: [S; 2], e: [S; 2]) -> [S; 7] {
        let [a, b] = [self.a, self.b].map(|point| point.map(S::from));
        let g = meeting(a, S::from(self.ag.length), e, S::from(self.ge.length));
        let h = meeting(e, S::from(self.he.length), a, S::from(self.ah.length));
        // Directions of the links as (cosine, sine) of the angles that they have in the loops.
        let direction = |from: [S; 2], to: [S; 2], length: f64| difference(to, from).map(|x| x / length);
        let [gx, gy] = direction(g, e, self.ge.length);
        let [hx, hy] = direction(a, h, self.ah.length);
        let [bx, by] = direction(e, b, self.ebd.length);
        let (sin, cos) = beta.sin_cos();
        let crank = [cos, sin];
        let rod = direction(e, f, self.ef.length);
        let (upper_arm, upper_link) = (direction(a, g, self.ag.length), [-gy, gx]);
        let (lower_arm, lower_link) = ([-hy, hx], direction(h, e, self.he.length));
        [
            beta,
            between(crank, rod),
            angle(-bx, by),
            between(upper_arm, upper_link),
            angle(upper_arm[1], upper_arm[0]),
            between(lower_arm, lower_link),
            angle(lower_arm[1], lower_arm[0]),
        ]
    }

    /// Returns the points at the given angles: F from β, D and E from γ, G from δ, H from ε.
    pub(super) fn points_at<S: Scalar>(&self, angles: &[S; 7]) -> Points<S> {
        let [beta, _, gamma, _, delta, _, epsilon] = *angles;
        let along = |length: f64| [S::from(length), S::zero()];
        let [a, b] = [self.a, self.b].map(|point| point.map(S::from));
        let plate = |point: [f64; 2]| sum(b, turned(gamma.sin_cos(), self.ebd.lever_about_b(point)));
        Points {
            d: plate(self.ebd.spring),
            e: plate([0.0; 2]),
            f: turned(beta.sin_cos(), along(self.of.length)),
            g: sum(a, turned(delta.sin_cos(), along(self.ag.length))),
            h: sum(a, turned(epsilon.sin_cos(), [S::zero(), -S::from(self.ah.length)])),
        }
    }

    /// Force (N) of the spring on D, and the spring's energy (J).
    pub(super) fn spring<S: Scalar>(&self, d: [S; 2]) -> ([S; 2], S) {
        let from_c = difference(d, self.c.map(S::from));
        let length = (from_c[0] * from_c[0] + from_c[1] * from_c[1]).sqrt();
        let stretch = length - self.free_length;
        let tension = stretch * self.stiffness;
        (from_c.map(|x| -(tension / length * x)), tension * stretch * 0.5)
    }
}

/// The point to the left of the line from `p` to `q` at these distances from them.
fn meeting<S: Scalar>(p: [S; 2], from_p: S, q: [S; 2], from_q: S) -> [S; 2] {
    let [x, y] = difference(q, p);
    let square = x * x + y * y;
    let along = ((from_p - from_q) * (from_p + from_q) / square + 1.0) * 0.5;
    let across = (from_p * from_p / square - along * along).sqrt();
    sum(p, [along * x - across * y, along * y + across * x])
}

/// The angle from one direction to another, both as (cosine, sine).
fn between<S: Scalar>(from: [S; 2], to: [S; 2]) -> S {
    angle(cross(from, to), from[0] * to[0] + from[1] * to[1])
}

/// Half the width of a link, radius of a pin, and radius of the spring, in lengths of the crank; used in drawings only.
const SIZES: [f64; 3] = [0.16, 0.09, 0.3];
/// Windings of the spring.
const WINDINGS: usize = 8;
/// Distance from a point to the middle of its name, in lengths of the crank.
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
