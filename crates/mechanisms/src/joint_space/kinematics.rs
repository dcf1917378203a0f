//! Poses and motions of bodies, computed from the ground outwards.

use mbsbench_problem::Scalar;

use super::tree::{Link, Step, Tree};
use crate::space::{Frame, Heading, Inertia, Space, Vector};

/// Kinematics of a body at a state.
pub struct Moved<S: Scalar, X: Space> {
    /// Pose.
    pub frame: Frame<S>,
    /// Vector from the parent's centre of mass, or from the origin for a body attached to the ground, to
    /// the body's own, m.
    pub arm: Vector<S>,
    /// Twist.
    pub twist: X::Motion<S>,
    /// Spatial acceleration without those of the body's coordinates and of its parent.
    pub bias: X::Motion<S>,
}

/// Kinematics of all bodies at a state.
///
/// The twist of a body is `V = X V_p + Σ sⱼ vⱼ`: the parent's twist carried along the arm, and one column `sⱼ` for
/// each velocity, the twist that this velocity alone causes. As spatial vectors (R. Featherstone, Rigid Body Dynamics
/// Algorithms, Springer 2008, sections 2.10 and 4.1), columns change with the motion of the body that carries their
/// axis, `sⱼ' = V_c × sⱼ`, and accelerations add like velocities: `A = X A_p + Σ (V_c × sⱼ) vⱼ + Σ sⱼ vⱼ'`. The
/// acceleration of the centre of mass is `A + ω × v`.
pub struct Kinematics<S: Scalar, X: Space> {
    /// Bodies by number.
    pub bodies: Vec<Moved<S, X>>,
    /// Columns by number, for the velocity of the joint or of the one that it follows.
    pub columns: Vec<X::Motion<S>>,
    /// Absolute coordinates of the bodies.
    pub q: Vec<S>,
    /// Rates of the absolute coordinates, after [`write_rates`](Self::write_rates).
    pub v: Vec<S>,
}

/// Returns `V × s` of spatial motions.
#[inline]
pub fn changing<S: Scalar, X: Space>(carrier: &X::Motion<S>, column: &X::Motion<S>) -> X::Motion<S> {
    let ((velocity, spin), (along, about)) = (X::split(carrier), X::split(column));
    let (turned, moved) = (X::cross(&spin, &along), X::cross(&about, &velocity));
    let turning = if X::DIMENSION == 2 { [S::zero(); 3] } else { X::cross(&spin, &about) };
    X::join(&std::array::from_fn(|i| turned[i] - moved[i]), &turning)
}

/// Returns `ω × v` of a body's own twist, which the acceleration of its centre of mass has in addition to the
/// spatial acceleration.
#[inline]
pub fn centripetal<S: Scalar, X: Space>(twist: &X::Motion<S>) -> Vector<S> {
    let (velocity, spin) = X::split(twist);
    X::cross(&spin, &velocity)
}

/// The wrench that a body requires at its twist for zero spatial acceleration: `(m ω × v, ω × J ω)`.
#[inline]
pub fn gyroscopic<S: Scalar, X: Space>(inertia: &Inertia, matrix: &X::Square<S>, twist: &X::Motion<S>) -> X::Motion<S> {
    let force = centripetal::<S, X>(twist).map(|x| x * inertia.mass);
    if X::DIMENSION == 2 {
        return X::join(&force, &[S::zero(); 3]);
    }
    let (_, spin) = X::split(twist);
    let momentum =
        std::array::from_fn(|i| matrix[3 + i][3] * spin[0] + matrix[3 + i][4] * spin[1] + matrix[3 + i][5] * spin[2]);
    X::join(&force, &X::cross(&spin, &momentum))
}

impl<S: Scalar, X: Space> Kinematics<S, X> {
    /// Allocates the memory for a tree.
    pub fn new(tree: &Tree) -> Self {
        let (zero, motion) = ([S::zero(); 3], X::nothing::<S>());
        let still = || Moved { frame: Frame { centre: zero, turn: [zero; 3] }, arm: zero, twist: motion, bias: motion };
        let bodies = tree.links.len();
        Self {
            bodies: (0..bodies).map(|_| still()).collect(),
            columns: vec![motion; tree.columns],
            q: vec![S::zero(); bodies * X::COORDINATES],
            v: vec![],
        }
    }

    /// Computes frames, arms, columns and absolute coordinates.
    pub fn place(&mut self, tree: &Tree, q: &[S]) {
        for link in &tree.links {
            self.place_link(link, &q[link.first[0]..]);
        }
    }

    /// Computes frame, arm, columns and absolute coordinates of one body whose parent is placed; `q` starts at the
    /// body's own coordinates.
    pub(super) fn place_link(&mut self, link: &Link, q: &[S]) {
        let (centre, mut turn, mut heading) = match link.parent {
            Some(parent) => {
                let frame = &self.bodies[parent].frame;
                (frame.centre, frame.turn, X::heading(&self.q[X::own(parent)]))
            }
            None => {
                let heading = X::unturned();
                ([S::zero(); 3], X::matrix(&heading), heading)
            }
        };
        // from the parent's centre of mass to the point that the motions carry
        let mut point = X::turned(&turn, &link.from);
        let coordinate = |i: usize| link.follows.map_or(q[i], |[ratio, offset]| q[i] * ratio + offset);
        let (mut i, mut j) = (0, link.column);
        for (k, step) in link.steps.iter().enumerate() {
            match step {
                Step::Slide(axis) => {
                    let along = X::turned(&turn, axis);
                    (0..X::DIMENSION).for_each(|n| point[n] += along[n] * coordinate(i));
                    self.columns[j] = X::join(&along, &[S::zero(); 3]);
                }
                // stores the point in place of the velocity until the arm is known
                Step::Turn(axis) => {
                    self.columns[j] = X::join(&point, &X::axis(&turn, axis));
                    heading = X::turned_by(&heading, axis, coordinate(i));
                    if X::DIMENSION == 3 && k + 1 < link.steps.len() {
                        turn = X::matrix(&heading);
                    }
                }
                Step::Ball => {
                    for n in 0..3 {
                        self.columns[j + n] = X::join(&point, &[turn[0][n], turn[1][n], turn[2][n]]);
                    }
                    heading = X::followed_by(&heading, &of_length_one([q[i], q[i + 1], q[i + 2], q[i + 3]]));
                }
            }
            let [coordinates, velocities] = step.sizes();
            i += coordinates;
            j += velocities;
        }
        if link.rest[1..] != [0.0; 3] || X::DIMENSION == 2 || link.rest[0] < 0.0 {
            heading = X::followed_by(&heading, &link.rest.map(S::from));
        }
        let turn = X::matrix(&heading);
        let to = X::turned(&turn, &link.to);
        let arm: Vector<S> = std::array::from_fn(|n| point[n] - to[n]);
        let centre: Vector<S> = std::array::from_fn(|n| centre[n] + arm[n]);
        self.finish_columns(link, &arm);
        let body = &mut self.bodies[link.body];
        (body.frame, body.arm) = (Frame { centre, turn }, arm);
        let own = &mut self.q[X::own(link.body)];
        own[..X::DIMENSION].copy_from_slice(&centre[..X::DIMENSION]);
        X::write_heading(&heading, own);
    }

    /// Computes the velocities of the centre of mass by rotations: `u × (r − p)` with the axis `u` through `p`.
    fn finish_columns(&mut self, link: &Link, arm: &Vector<S>) {
        let mut j = link.column;
        for step in &link.steps {
            let velocities = step.sizes()[1];
            if !matches!(step, Step::Slide(_)) {
                for column in &mut self.columns[j..j + velocities] {
                    let (point, axis) = X::split(column);
                    let from: Vector<S> = std::array::from_fn(|n| arm[n] - point[n]);
                    *column = X::join(&X::cross(&axis, &from), &axis);
                }
            }
            j += velocities;
        }
        if let Some([ratio, _]) = link.follows {
            for column in &mut self.columns[link.columns()] {
                *column = X::plus(&X::nothing::<S>(), column, S::from(ratio));
            }
        }
    }

    /// Computes twists, and accelerations without those of the coordinates, after [`place`](Self::place).
    pub fn go(&mut self, tree: &Tree, v: &[S]) {
        for link in &tree.links {
            let mut twist = match link.parent {
                Some(parent) => X::carried(&self.bodies[parent].twist, &self.bodies[link.body].arm),
                None => X::nothing::<S>(),
            };
            let mut bias = X::nothing::<S>();
            let mut j = link.column;
            for step in &link.steps {
                let mut relative = X::nothing::<S>();
                for _ in 0..step.sizes()[1] {
                    relative = X::plus(&relative, &self.columns[j], v[link.velocity(j)]);
                    j += 1;
                }
                bias = X::plus(&bias, &changing::<S, X>(&twist, &relative), S::from(1.0));
                twist = X::plus(&twist, &relative, S::from(1.0));
            }
            let body = &mut self.bodies[link.body];
            (body.twist, body.bias) = (twist, bias);
        }
    }

    /// Computes the rates of the absolute coordinates.
    pub fn write_rates(&mut self) {
        self.v.resize(self.q.len(), S::zero());
        let states = self.q.chunks(X::COORDINATES).zip(self.v.chunks_mut(X::COORDINATES));
        for (body, (q, rates)) in self.bodies.iter().zip(states) {
            X::write_rates(q, &body.twist, rates);
        }
    }
}

/// Divides Euler parameters by their length, so that errors of their length change no rotation.
fn of_length_one<S: Scalar>(e: Heading<S>) -> Heading<S> {
    let factor = e.iter().fold(S::zero(), |sum, &e| sum + e * e).sqrt().recip();
    e.map(|e| e * factor)
}
