//! The spanning tree of a mechanism: the joint that attaches each body, and the coordinates that this gives it.

use std::collections::VecDeque;

use mbsbench_problem::Scalar;
use mbsbench_problem::rotation::turn;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::placement::{Marker, across};
use crate::space::{Space, transposed};

/// The relative motion that a joint leaves free, with axes given in those of its markers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Freedom {
    /// No motion.
    None,
    /// Rotation about an axis, with the initial angle that the file gives, rad.
    Turn(Vector3<f64>, f64),
    /// Motion along an axis.
    Slide(Vector3<f64>),
    /// Rotation about an axis and motion along it, with the initial angle.
    Sleeve(Vector3<f64>, f64),
    /// All rotations.
    Ball,
    /// Motion in a plane with this normal, and rotation about it.
    Plane(Vector3<f64>),
    /// Rotation about an axis of the first marker and about one of the second.
    Cross([Vector3<f64>; 2]),
}

/// A joint that could attach a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Number of the joint.
    pub joint: usize,
    /// Markers of the joint.
    pub markers: [Marker; 2],
    /// Motion that the joint leaves free.
    pub freedom: Freedom,
}

/// Two joints of one coordinate each: the second coordinate is `ratio` times the first plus `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling {
    /// Numbers of the joints.
    pub joints: [usize; 2],
    /// Rate of the second coordinate over that of the first.
    pub ratio: f64,
    /// Second coordinate if the first is zero, rad or m.
    pub offset: f64,
}

/// One of the motions that a joint consists of, in order from the parent outwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// A rotation about an axis: one coordinate, rad.
    Turn([f64; 3]),
    /// A motion along an axis: one coordinate, m.
    Slide([f64; 3]),
    /// Any rotation: four Euler parameters; the velocities are the components of the relative angular velocity in the
    /// parent's axes, rad/s.
    Ball,
}

impl Step {
    /// Numbers of coordinates and of velocities.
    pub fn sizes(&self) -> [usize; 2] {
        if matches!(self, Self::Ball) { [4, 3] } else { [1, 1] }
    }
}

/// A body with the joint that attaches it. If all coordinates are zero (for Euler parameters: no rotation), the body
/// is rotated by `rest` from its parent, and the points `from` and `to` coincide.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Number of the body.
    pub body: usize,
    /// Parent body; `None` for the ground.
    pub parent: Option<usize>,
    /// Number of the joint; `None` for a free body.
    pub joint: Option<usize>,
    /// Point of the parent, relative to its centre of mass and in its axes, m.
    pub from: [f64; 3],
    /// Motions of the joint.
    pub steps: Vec<Step>,
    /// Rotation from the parent to the body after the motions: Euler parameters, or the angle in the plane.
    pub rest: [f64; 4],
    /// Point of the body, relative to its centre of mass and in its axes, m.
    pub to: [f64; 3],
    /// Numbers of the body's first coordinate and velocity.
    pub first: [usize; 2],
    /// Numbers of coordinates and velocities.
    pub sizes: [usize; 2],
    /// Number of the body's first column; it differs from that of the velocity if joints are coupled.
    pub column: usize,
    /// Ratio and offset if the joint follows another; it then has the numbers of the other's coordinate and velocity.
    pub follows: Option<[f64; 2]>,
    /// Initial angle, as the file gives it, of the last rotation about an axis, rad; it determines the
    /// number of full turns.
    pub near: f64,
}

impl Link {
    /// Range of the body's velocities.
    pub fn velocities(&self) -> std::ops::Range<usize> {
        self.first[1]..self.first[1] + self.sizes[1]
    }

    /// Range of the body's columns.
    pub fn columns(&self) -> std::ops::Range<usize> {
        self.column..self.column + self.sizes[1]
    }

    /// Number of the velocity of one of the body's columns.
    pub fn velocity(&self, column: usize) -> usize {
        self.first[1] + column - self.column
    }
}

/// All bodies, each after its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The bodies with their joints.
    pub links: Vec<Link>,
    /// Number of the link of each body.
    pub of_body: Vec<usize>,
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of velocities.
    pub velocities: usize,
    /// Number of columns: velocities, including those that follow from others.
    pub columns: usize,
}

/// Candidates of each body, and last those of the ground.
fn neighbours(candidates: &[Candidate], bodies: usize) -> Vec<Vec<usize>> {
    let mut of = vec![Vec::new(); bodies + 1];
    for (k, candidate) in candidates.iter().enumerate() {
        candidate.markers.iter().for_each(|marker| of[marker.body.unwrap_or(bodies)].push(k));
    }
    of
}

/// Chooses the joint that attaches each body: pairs of a body and a candidate, each after its parent; a body without
/// a candidate is free.
///
/// The search is breadth first from the ground, along joints whose coordinates are vectors. If these reach no more
/// bodies, it continues along the first remaining ball joint, and then from the first body not reached. A loop is
/// thus cut at a ball joint if it has one.
fn spanning(candidates: &[Candidate], bodies: usize) -> Vec<(usize, Option<usize>)> {
    let of = neighbours(candidates, bodies);
    let mut order = Vec::with_capacity(bodies);
    let mut is_placed = vec![false; bodies + 1];
    is_placed[bodies] = true;
    let (mut reached, mut later) = (VecDeque::from([bodies]), VecDeque::new());
    let mut unplaced = 0;
    loop {
        while let Some(node) = reached.pop_front() {
            for &k in &of[node] {
                let [a, b] = candidates[k].markers.map(|marker| marker.body.unwrap_or(bodies));
                let other = if a == node { b } else { a };
                if is_placed[other] {
                    continue;
                }
                if candidates[k].freedom == Freedom::Ball {
                    later.push_back((k, other));
                    continue;
                }
                is_placed[other] = true;
                order.push((other, Some(k)));
                reached.push_back(other);
            }
        }
        if let Some((k, other)) = later.pop_front() {
            if !is_placed[other] {
                is_placed[other] = true;
                order.push((other, Some(k)));
                reached.push_back(other);
            }
            continue;
        }
        while unplaced < bodies && is_placed[unplaced] {
            unplaced += 1;
        }
        if unplaced == bodies {
            return order;
        }
        is_placed[unplaced] = true;
        order.push((unplaced, None));
        reached.push_back(unplaced);
    }
}

/// Rotation that takes the directions `from` to the directions `to`; each pair is orthonormal.
fn taking(from: [Vector3<f64>; 2], to: [Vector3<f64>; 2]) -> Rotation3<f64> {
    let triad = |[x, y]: [Vector3<f64>; 2]| Matrix3::from_columns(&[x, y, x.cross(&y)]);
    Rotation3::from_matrix_unchecked(triad(to) * triad(from).transpose())
}

/// Rotation from a body's axes to those of the ground; the identity for the ground.
fn rotation<X: Space>(body: Option<usize>, q: &[f64]) -> Rotation3<f64> {
    body.map_or_else(Rotation3::identity, |body| X::frame(&q[X::own(body)]).rotation())
}

/// Motions of a joint from the parent's marker outwards, and the rotation between the markers at zero coordinates.
/// `now` is the initial rotation; it is needed because relations of joints also hold for axes with opposite
/// directions.
fn steps(candidate: &Candidate, is_reversed: bool, now: &Rotation3<f64>) -> (Vec<Step>, Rotation3<f64>, f64) {
    let parent = candidate.markers[usize::from(is_reversed)];
    let sign = if is_reversed { -1.0 } else { 1.0 };
    let along = |axis: &Vector3<f64>| -> [f64; 3] { (parent.turn * axis).into() };
    // coordinates count from the first marker to the second, whichever of them belongs to the parent
    let signed = |axis: &Vector3<f64>| along(&(axis * sign));
    let same = |axis: &Vector3<f64>| {
        if axis.dot(&(now * axis)) > 0.0 {
            Rotation3::identity()
        } else {
            let across = nalgebra::Unit::new_unchecked(across(axis)[0]);
            Rotation3::from_axis_angle(&across, std::f64::consts::PI)
        }
    };
    let is_unturned = (now.matrix() - Matrix3::identity()).amax() < 1e-8;
    let kept = if is_unturned { Rotation3::identity() } else { *now };
    match &candidate.freedom {
        Freedom::None => (vec![], kept, 0.0),
        Freedom::Turn(axis, near) => (vec![Step::Turn(signed(axis))], same(axis), *near),
        Freedom::Slide(axis) => (vec![Step::Slide(signed(axis))], kept, 0.0),
        Freedom::Sleeve(axis, near) => (vec![Step::Slide(signed(axis)), Step::Turn(signed(axis))], same(axis), *near),
        Freedom::Ball => (vec![Step::Ball], Rotation3::identity(), 0.0),
        Freedom::Plane(normal) => {
            let [x, y] = across(normal);
            (vec![Step::Slide(along(&x)), Step::Slide(along(&y)), Step::Turn(along(normal))], same(normal), 0.0)
        }
        Freedom::Cross(axes) => {
            let (first, second) = (axes[usize::from(is_reversed)], axes[usize::from(!is_reversed)]);
            let middle = across(&first)[0];
            let rest = taking([second, across(&second)[0]], [middle, first]);
            (vec![Step::Turn(along(&first)), Step::Turn(along(&middle))], rest, 0.0)
        }
    }
}

impl Tree {
    /// Returns the tree for bodies at the absolute coordinates `q`. The first joints of couplings follow no others.
    pub fn new<X: Space>(candidates: &[Candidate], couplings: &[Coupling], q: &[f64]) -> Self {
        let bodies = q.len() / X::COORDINATES;
        let mut links: Vec<Link> = Vec::with_capacity(bodies);
        for (body, candidate) in spanning(candidates, bodies) {
            links.push(match candidate {
                Some(k) => hung::<X>(&candidates[k], body, q),
                None => free::<X>(body),
            });
        }
        let mut of_body = vec![0; bodies];
        links.iter().enumerate().for_each(|(k, link)| of_body[link.body] = k);
        let mut tree = Self { links, of_body, coordinates: 0, velocities: 0, columns: 0 };
        // coordinates in the order of the file
        for &k in &tree.of_body {
            let link = &mut tree.links[k];
            link.sizes = link.steps.iter().fold([0, 0], |[q, v], step| [q + step.sizes()[0], v + step.sizes()[1]]);
            link.column = tree.columns;
            tree.columns += link.sizes[1];
            let coupling = couplings.iter().find(|coupling| link.joint == Some(coupling.joints[1]));
            link.follows = coupling.map(|coupling| [coupling.ratio, coupling.offset]);
            if link.follows.is_none() {
                link.first = [tree.coordinates, tree.velocities];
                tree.coordinates += link.sizes[0];
                tree.velocities += link.sizes[1];
            }
        }
        for coupling in couplings {
            let number = |joint: usize| tree.links.iter().position(|link| link.joint == Some(joint));
            if let [Some(first), Some(second)] = coupling.joints.map(number) {
                tree.links[second].first = tree.links[first].first;
            }
        }
        tree
    }

    /// True if `q' = v`.
    pub fn has_vector_coordinates(&self) -> bool {
        self.coordinates == self.velocities
    }

    /// Calls `each` with every step and the numbers of its first coordinate and velocity.
    pub(super) fn for_each_step(&self, mut each: impl FnMut(&Step, usize, usize)) {
        for link in &self.links {
            let [mut i, mut j] = link.first;
            for step in &link.steps {
                each(step, i, j);
                let [coordinates, velocities] = step.sizes();
                i += coordinates;
                j += velocities;
            }
        }
    }

    /// Writes `q' = H(q) v`; for Euler parameters `e' = Eᵀ ω/2`.
    pub fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        if self.has_vector_coordinates() {
            return rate.copy_from_slice(v);
        }
        self.for_each_step(|step, i, j| {
            if *step == Step::Ball {
                let rates = transposed(&q[i..i + 4], &[v[j], v[j + 1], v[j + 2]], 1.0);
                rate[i..i + 4].copy_from_slice(&rates.map(|x| x * 0.5));
            } else {
                rate[i] = v[j];
            }
        });
    }

    /// Writes the coordinates after a displacement. Euler parameters are rotated by it as a rotation vector, which
    /// preserves their length.
    pub fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.for_each_step(|step, i, j| {
            if *step == Step::Ball {
                turn(&q[i..i + 4], &delta[j..j + 3], &mut moved[i..i + 4]);
            } else {
                moved[i] = q[i] + delta[j];
            }
        });
    }
}

fn hung<X: Space>(candidate: &Candidate, body: usize, q: &[f64]) -> Link {
    let is_reversed = candidate.markers[0].body == Some(body);
    let [parent, own] = if is_reversed { [1, 0] } else { [0, 1] }.map(|k| candidate.markers[k]);
    let now = (rotation::<X>(parent.body, q) * parent.turn).inverse() * rotation::<X>(Some(body), q) * own.turn;
    let (steps, between, near) = steps(candidate, is_reversed, &now);
    let rest = if X::DIMENSION == 2 {
        let angle = |marker: &Marker| marker.angle();
        [angle(&parent) - angle(&own), 0.0, 0.0, 0.0]
    } else {
        let rest = UnitQuaternion::from_rotation_matrix(&(parent.turn * between * own.turn.inverse()));
        [rest.w, rest.i, rest.j, rest.k]
    };
    let (parent, joint, from, to) = (parent.body, Some(candidate.joint), parent.at.into(), own.at.into());
    Link { body, parent, joint, from, steps, rest, to, first: [0; 2], sizes: [0; 2], column: 0, follows: None, near }
}

/// A body without a joint: the coordinates are its centre of mass, and its angle or Euler parameters.
fn free<X: Space>(body: usize) -> Link {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (steps, rest) = if X::DIMENSION == 2 {
        (vec![Step::Slide(x), Step::Slide(y), Step::Turn(z)], [0.0; 4])
    } else {
        (vec![Step::Slide(x), Step::Slide(y), Step::Slide(z), Step::Ball], [1.0, 0.0, 0.0, 0.0])
    };
    let (parent, joint, from, to, near) = (None, None, [0.0; 3], [0.0; 3], 0.0);
    Link { body, parent, joint, from, steps, rest, to, first: [0; 2], sizes: [0; 2], column: 0, follows: None, near }
}
