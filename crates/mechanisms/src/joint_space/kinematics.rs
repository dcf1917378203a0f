//! Where bodies are and how they move, from the ground outwards.

use mbsbench_problem::Scalar;

use super::algebra::Heading;
use super::tree::{Link, Step, Tree};
use crate::system::{Frame, Space, Vector, turned};

/// A body at a state.
pub struct Moved<S: Scalar, X: Space> {
    /// Where it is.
    pub frame: Frame<S>,
    /// From the parent's centre of mass to its own, m; from the origin where it hangs on the ground.
    pub arm: Vector<S>,
    /// Its twist.
    pub twist: X::Motion<S>,
    /// Its spatial acceleration without accelerations of its coordinates and of its parent.
    pub bias: X::Motion<S>,
}

/// All bodies at a state.
///
/// The twist of a body is `V = X V_p + Σ sⱼ vⱼ` with that of its parent carried along the arm and one column `sⱼ` for each velocity, the
/// twist that this one alone gives the body. As spatial vectors (R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, sections
/// 2.10 and 4.1) columns change with what carries their axis, `sⱼ' = V_c × sⱼ`, and accelerations add up as velocities do:
/// `A = X A_p + Σ (V_c × sⱼ) vⱼ + Σ sⱼ vⱼ'`. That of the centre of mass is `A + ω × v`.
pub struct Kinematics<S: Scalar, X: Space> {
    /// By number.
    pub bodies: Vec<Moved<S, X>>,
    /// By number of the velocity.
    pub columns: Vec<X::Motion<S>>,
    /// Coordinates of the bodies in absolute form.
    pub q: Vec<S>,
    /// Their rates, once they are asked for.
    pub v: Vec<S>,
}

/// A column or twist of zeros.
pub fn nothing<S: Scalar, X: Space>() -> X::Motion<S> {
    X::join(&[S::nought(); 3], &[S::nought(); 3])
}

/// `x + factor y`.
#[inline]
pub fn plus<S: Scalar, X: Space>(x: &X::Motion<S>, y: &X::Motion<S>, factor: S) -> X::Motion<S> {
    let mut sum = *x;
    (0..X::FREEDOMS).for_each(|i| sum[i] += y[i] * factor);
    sum
}

/// `x · y`.
#[inline]
pub fn power<S: Scalar, X: Space>(x: &X::Motion<S>, y: &X::Motion<S>) -> S {
    (1..X::FREEDOMS).fold(x[0] * y[0], |sum, i| sum + x[i] * y[i])
}

/// The twist at the end of a rigid arm.
#[inline]
pub fn carried<S: Scalar, X: Space>(twist: &X::Motion<S>, arm: &Vector<S>) -> X::Motion<S> {
    let (velocity, spin) = X::split(twist);
    let by_spin = X::cross(&spin, arm);
    X::join(&std::array::from_fn(|i| velocity[i] + by_spin[i]), &spin)
}

/// The wrench at the beginning of a rigid arm that is this one at its end.
#[inline]
pub fn borne<S: Scalar, X: Space>(wrench: &X::Motion<S>, arm: &Vector<S>) -> X::Motion<S> {
    let (force, torque) = X::split(wrench);
    let lever = X::cross(arm, &force);
    X::join(&force, &std::array::from_fn(|i| torque[i] + lever[i]))
}

/// `V × s` of spatial motions.
#[inline]
pub fn changing<S: Scalar, X: Space>(carrier: &X::Motion<S>, column: &X::Motion<S>) -> X::Motion<S> {
    let ((velocity, spin), (along, about)) = (X::split(carrier), X::split(column));
    let (turned, moved) = (X::cross(&spin, &along), across::<S, X>(&velocity, &about));
    let turning = if X::DIMENSION == 2 { [S::nought(); 3] } else { X::cross(&spin, &about) };
    X::join(&std::array::from_fn(|i| turned[i] + moved[i]), &turning)
}

/// `v × ω`.
#[inline]
fn across<S: Scalar, X: Space>(velocity: &Vector<S>, spin: &Vector<S>) -> Vector<S> {
    X::cross(spin, velocity).map(|x| -x)
}

/// `ω × v` of a body's own twist: what its centre of mass accelerates by beside the spatial acceleration.
#[inline]
pub fn centripetal<S: Scalar, X: Space>(twist: &X::Motion<S>) -> Vector<S> {
    let (velocity, spin) = X::split(twist);
    X::cross(&spin, &velocity)
}

impl<S: Scalar, X: Space> Kinematics<S, X> {
    /// Memory.
    pub fn new(tree: &Tree) -> Self {
        let (zero, motion) = ([S::nought(); 3], nothing::<S, X>());
        let still = || Moved { frame: Frame { centre: zero, turn: [zero; 3] }, arm: zero, twist: motion, bias: motion };
        let bodies = tree.links.len();
        Self {
            bodies: (0..bodies).map(|_| still()).collect(),
            columns: vec![motion; tree.velocities],
            q: vec![S::nought(); bodies * X::COORDINATES],
            v: vec![],
        }
    }

    fn own(&self, body: usize) -> &[S] {
        &self.q[body * X::COORDINATES..][..X::COORDINATES]
    }

    /// Finds frames, arms, columns and absolute coordinates.
    pub fn place(&mut self, tree: &Tree, q: &[S]) {
        for link in &tree.links {
            self.place_link(link, &q[link.first[0]..]);
        }
    }

    /// The same of one body, where what it hangs on is placed; with the coordinates from its own on.
    pub(super) fn place_link(&mut self, link: &Link, q: &[S]) {
        let (centre, mut turn, mut heading) = match link.parent {
            Some(parent) => {
                let frame = &self.bodies[parent].frame;
                (frame.centre, frame.turn, X::heading(self.own(parent)))
            }
            None => {
                let heading = X::unturned();
                ([S::nought(); 3], X::matrix(&heading), heading)
            }
        };
        // from the parent's centre of mass to the point that the motions carry
        let mut point = turned::<S, X>(&Frame { centre, turn }, &link.from);
        let (mut i, mut j) = (0, link.first[1]);
        for (k, step) in link.steps.iter().enumerate() {
            match step {
                Step::Slide(axis) => {
                    let along = turned::<S, X>(&Frame { centre, turn }, axis);
                    (0..X::DIMENSION).for_each(|n| point[n] += along[n] * q[i]);
                    self.columns[j] = X::join(&along, &[S::nought(); 3]);
                }
                // the point in the place of the velocity, until the arm is known
                Step::Turn(axis) => {
                    self.columns[j] = X::join(&point, &X::axis(&turn, axis));
                    heading = X::turned_by(&heading, axis, q[i]);
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
        let to = turned::<S, X>(&Frame { centre, turn }, &link.to);
        let arm: Vector<S> = std::array::from_fn(|n| point[n] - to[n]);
        let centre: Vector<S> = std::array::from_fn(|n| centre[n] + arm[n]);
        self.finish_columns(link, &arm);
        let body = &mut self.bodies[link.body];
        (body.frame, body.arm) = (Frame { centre, turn }, arm);
        let own = &mut self.q[link.body * X::COORDINATES..][..X::COORDINATES];
        own[..X::DIMENSION].copy_from_slice(&centre[..X::DIMENSION]);
        X::write_heading(&heading, own);
    }

    /// Velocities of the centre of mass by rotations: `u × (r − p)` with the axis `u` through `p`.
    fn finish_columns(&mut self, link: &Link, arm: &Vector<S>) {
        let mut j = link.first[1];
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
    }

    /// Finds twists and accelerations without those of the coordinates, where everything is placed.
    pub fn go(&mut self, tree: &Tree, v: &[S]) {
        for link in &tree.links {
            let mut twist = match link.parent {
                Some(parent) => carried::<S, X>(&self.bodies[parent].twist, &self.bodies[link.body].arm),
                None => nothing::<S, X>(),
            };
            let mut bias = nothing::<S, X>();
            let mut j = link.first[1];
            for step in &link.steps {
                let mut relative = nothing::<S, X>();
                for _ in 0..step.sizes()[1] {
                    relative = plus::<S, X>(&relative, &self.columns[j], v[j]);
                    j += 1;
                }
                bias = plus::<S, X>(&bias, &changing::<S, X>(&twist, &relative), S::from(1.0));
                twist = plus::<S, X>(&twist, &relative, S::from(1.0));
            }
            let body = &mut self.bodies[link.body];
            (body.twist, body.bias) = (twist, bias);
        }
    }

    /// Finds the rates of the absolute coordinates.
    pub fn write_rates(&mut self) {
        self.v.resize(self.q.len(), S::nought());
        let states = self.q.chunks(X::COORDINATES).zip(self.v.chunks_mut(X::COORDINATES));
        for (body, (q, rates)) in self.bodies.iter().zip(states) {
            X::write_rates(q, &body.twist, rates);
        }
    }
}

/// Euler parameters are divided by their length, so that what a method makes of it changes no rotation.
fn of_length_one<S: Scalar>(e: Heading<S>) -> Heading<S> {
    let factor = e.iter().fold(S::nought(), |sum, &e| sum + e * e).sqrt().recip();
    e.map(|e| e * factor)
}
