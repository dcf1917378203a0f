//! The links of the squeezer in their local frames, by number, and the pins between them.

use mbsbench_problem::{Scalar, parameters};

use super::Squeezer;

parameters! {
    /// A link with two pins: the first at the origin of its frame, the second on the `x` axis.
    #[derive(Copy)]
    pub struct Link {
        /// Distance between the two pins.
        pub length: f64 [above 0.0, unit "m"],
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Centre of mass in the local frame.
        pub centre: [f64; 2] [unit "m"],
        /// Moment of inertia about the centre of mass.
        pub inertia: f64 [above 0.0, unit "kg m²"],
    }

    /// The link E-B-D with three pins: E at the origin of its frame, B on the `y` axis.
    #[derive(Copy)]
    pub struct Plate {
        /// Distance from E to B.
        pub length: f64 [above 0.0, unit "m"],
        /// Point D of the local frame, to which the spring is attached.
        pub spring: [f64; 2] [unit "m"],
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Centre of mass in the local frame.
        pub centre: [f64; 2] [unit "m"],
        /// Moment of inertia about the centre of mass.
        pub inertia: f64 [above 0.0, unit "kg m²"],
    }
}

impl Link {
    /// Moment of inertia (kg m²) about the first pin.
    pub(super) fn inertia_about_first_pin<S: Scalar>(&self) -> S {
        about_point(self.mass, self.inertia, self.centre.map(S::from))
    }

    /// Vector from the second pin to the centre of mass, in the local frame, m.
    pub(super) fn lever_about_second_pin<S: Scalar>(&self) -> [S; 2] {
        let [x, y] = self.centre.map(S::from);
        [x - self.length, y]
    }
}

impl Plate {
    /// Moment of inertia (kg m²) about B.
    pub(super) fn inertia_about_b<S: Scalar>(&self) -> S {
        about_point(self.mass, self.inertia, self.lever_about_b(self.centre))
    }

    /// Vector from B to a point of the local frame, m.
    pub(super) fn lever_about_b<S: Scalar>(&self, [x, y]: [f64; 2]) -> [S; 2] {
        [S::from(x), S::from(y) - self.length]
    }
}

/// Moment of inertia (kg m²) about a point at the vector `lever` from the centre of mass.
fn about_point<S: Scalar>(mass: f64, inertia: f64, lever: [S; 2]) -> S {
    (lever[0] * lever[0] + lever[1] * lever[1]) * mass + inertia
}

/// Numbers of the links, in the order of Schiehlen.
pub(super) const OF: usize = 0;
pub(super) const EF: usize = 1;
pub(super) const EBD: usize = 2;
pub(super) const GE: usize = 3;
pub(super) const AG: usize = 4;
pub(super) const HE: usize = 5;
pub(super) const AH: usize = 6;

/// A link as a rigid body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    /// Mass, kg.
    pub(super) mass: f64,
    /// Moment of inertia about the centre of mass, kg m².
    pub(super) inertia: f64,
    /// Centre of mass in the local frame, m.
    pub(super) centre: [f64; 2],
}

/// A point of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Number of the link.
    pub(super) body: usize,
    /// Position in the local frame of the link, m.
    pub(super) point: [f64; 2],
}

/// The fixed or moving point to which a link is pinned.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold {
    /// A point of the ground, m.
    Ground([f64; 2]),
    /// A point of another link.
    Link(End),
}

/// A pin, with the constraint `Φ = first − second = 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pin {
    pub(super) first: End,
    pub(super) second: Hold,
}

impl Squeezer {
    /// The seven links, by number.
    pub(super) fn bodies(&self) -> [Body; 7] {
        let Self { of, ef, he, ge, ag, ah, ebd, .. } = self;
        let body = |link: &Link| Body { mass: link.mass, inertia: link.inertia, centre: link.centre };
        let plate = Body { mass: ebd.mass, inertia: ebd.inertia, centre: ebd.centre };
        [body(of), body(ef), plate, body(ge), body(ag), body(he), body(ah)]
    }

    /// The ten pins, in the order of the constraints.
    pub(super) fn pins(&self) -> [Pin; 10] {
        let Self { of, ef, he, ge, ag, ah, ebd, a, b, .. } = self;
        let origin = |body| End { body, point: [0.0; 2] };
        let far = |body, link: &Link| End { body, point: [link.length, 0.0] };
        let ground = |first, place| Pin { first, second: Hold::Ground(place) };
        let joint = |first, second| Pin { first, second: Hold::Link(second) };
        [
            ground(origin(OF), [0.0; 2]),
            ground(End { body: EBD, point: [0.0, ebd.length] }, *b),
            ground(origin(AG), *a),
            ground(origin(AH), *a),
            joint(far(OF, of), far(EF, ef)),
            joint(origin(EBD), origin(EF)),
            joint(origin(EBD), far(GE, ge)),
            joint(origin(EBD), far(HE, he)),
            joint(far(AG, ag), origin(GE)),
            joint(far(AH, ah), origin(HE)),
        ]
    }
}
