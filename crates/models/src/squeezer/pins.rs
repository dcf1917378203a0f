//! The links of the squeezer by number, and how they are pinned together.

use super::Squeezer;
use super::links::Link;

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
    /// Where on it, in its local frame, m.
    pub(super) point: [f64; 2],
}

/// What the point of a link is held at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold {
    /// A point of the ground, m.
    Ground([f64; 2]),
    /// A point of another link.
    Link(End),
}

/// A pin: `Φ = first − second` vanishes.
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
