//! Conversion of states between joint coordinates and absolute coordinates.

use mbsbench_problem::{Failure, Scalar};
use nalgebra::{DMatrix, DVector, Quaternion, Rotation3, UnitQuaternion, Vector3};
use num_dual::Dual64;

use super::coordinates::JointSpace;
use super::kinematics::Kinematics;
use super::tree::{Link, Step, Tree};
use crate::placement::across;
use crate::space::{Frame, Inertia, Space, Twist};
use crate::system::At;

impl<X: Space> JointSpace<X> {
    /// Returns the kinematics at a state, including absolute coordinates and their rates.
    pub fn moving<S: Scalar>(&self, q: &[S], v: &[S]) -> Kinematics<S, X> {
        let mut kinematics = Kinematics::new(&self.tree);
        kinematics.place(&self.tree, q);
        kinematics.go(&self.tree, v);
        kinematics.write_rates();
        kinematics
    }

    /// Converts the state `y` into absolute coordinates `(q ; v)`.
    pub fn expanded(&self, y: &[f64]) -> Vec<f64> {
        let (q, v) = y.split_at(self.tree.coordinates);
        let Kinematics { q, v, .. } = self.moving(q, v);
        [q, v].concat()
    }

    /// Returns the rate of the absolute coordinates `(q ; v)`, from the equations in joint coordinates.
    pub fn absolute_rate(&self, t: f64, y: &[f64]) -> Result<Vec<f64>, Failure> {
        let mut rate = vec![0.0; y.len()];
        self.ode().rhs(t, y, &mut rate)?;
        let moving: Vec<Dual64> = y.iter().zip(&rate).map(|(&y, &rate)| Dual64::new(y, rate)).collect();
        let (q, v) = moving.split_at(self.tree.coordinates);
        let Kinematics { q, v, .. } = self.moving(q, v);
        Ok(q.iter().chain(&v).map(|x| x.eps).collect())
    }

    /// Forces that carry each body with all bodies behind it, from the rates of absolute coordinates.
    pub fn carrying_forces(&self, t: f64, [q, v, rate]: [&[f64]; 3]) -> Vec<[f64; 3]> {
        let mut of_actions = vec![0.0; q.len()];
        let at = At::<f64, X>::new(t, q, v);
        self.system.actions.iter().for_each(|action| at.add(action, &mut of_actions));
        let own = |(k, body): (usize, &Inertia)| {
            let along = |i| (rate[X::own(k)][i] - self.system.gravity[i]) * body.mass - of_actions[X::own(k)][i];
            std::array::from_fn(|i| if i < X::DIMENSION { along(i) } else { 0.0 })
        };
        let mut forces: Vec<[f64; 3]> = self.system.bodies.iter().enumerate().map(own).collect();
        for link in self.tree.links.iter().rev() {
            let (force, parent) = (forces[link.body], link.parent.map(|parent| &mut forces[parent]));
            parent.into_iter().flatten().zip(force).for_each(|(sum, own)| *sum += own);
        }
        forces
    }
}

/// Angle of a rotation about an axis, rad, between −π and π.
pub(crate) fn angle_about(axis: &Vector3<f64>, turn: &Rotation3<f64>) -> f64 {
    let [x, y] = across(axis);
    let turned = turn * x;
    turned.dot(&y).atan2(turned.dot(&x))
}

impl Link {
    /// Returns the joint coordinates of a body from its rotation relative to the parent (followed by `rest`) and the
    /// displacement of `to` from `from`, both in the parent's axes.
    fn coordinates(&self, turn: &Rotation3<f64>, by: &Vector3<f64>) -> Vec<f64> {
        let axes: Vec<Vector3<f64>> = self
            .steps
            .iter()
            .filter_map(|step| if let Step::Turn(axis) = step { Some(Vector3::from(*axis)) } else { None })
            .collect();
        let mut angles = match &*axes {
            // with `R = R₁ R₂`: the effect of the first on the second axis, and of the inverse second on the first
            [first, second] => {
                let (forth, back, across) = (turn * second, turn.inverse() * first, first.cross(second));
                vec![across.dot(&forth).atan2(second.dot(&forth)), across.dot(&back).atan2(first.dot(&back))]
            }
            [axis] => vec![angle_about(axis, turn)],
            _ => vec![],
        }
        .into_iter();
        let mut coordinates = Vec::new();
        for step in &self.steps {
            match step {
                Step::Slide(axis) => coordinates.push(Vector3::from(*axis).dot(by)),
                Step::Turn(_) => {
                    let angle = angles.next().unwrap_or_default();
                    let turns = ((self.near - angle) / std::f64::consts::TAU).round();
                    coordinates.push(angle + turns * std::f64::consts::TAU);
                }
                Step::Ball => {
                    let e = UnitQuaternion::from_rotation_matrix(turn);
                    coordinates.extend([e.w, e.i, e.j, e.k]);
                }
            }
        }
        coordinates
    }
}

impl Tree {
    /// Returns coordinates and velocities of bodies from their absolute state `(q ; v)`. Euler parameters that follow
    /// from the tree get the signs that they have in `q`.
    pub fn initial<X: Space>(&mut self, q: &[f64], v: &[f64]) -> [Vec<f64>; 2] {
        let mut found = vec![0.0; self.coordinates];
        for link in self.links.iter().filter(|link| link.follows.is_none()) {
            let own = &q[X::own(link.body)];
            let frame = X::frame(own);
            let of_parent = match link.parent {
                Some(parent) => X::frame(&q[X::own(parent)]),
                None => Frame { centre: [0.0; 3], turn: X::matrix(&X::unturned()) },
            };
            let ends = [(&of_parent, &link.from), (&frame, &link.to)].map(|(frame, at)| {
                let arm = X::turned(&frame.turn, at);
                Vector3::from_fn(|i, _| frame.centre[i] + arm[i])
            });
            let back = of_parent.rotation().inverse();
            let by = back * (ends[1] - ends[0]);
            let coordinates = if X::DIMENSION == 2 {
                let of_parent = link.parent.map_or(0.0, |parent| q[X::own(parent)][2]);
                let angle = own[2] - of_parent - link.rest[0];
                link.steps
                    .iter()
                    .map(|step| match step {
                        Step::Turn(axis) => axis[2] * angle,
                        Step::Slide(axis) => Vector3::from(*axis).dot(&by),
                        Step::Ball => f64::NAN,
                    })
                    .collect()
            } else {
                let [w, x, y, z] = link.rest;
                let rest = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
                link.coordinates(&(back * frame.rotation() * rest.to_rotation_matrix().inverse()), &by)
            };
            found[link.first[0]..][..coordinates.len()].copy_from_slice(&coordinates);
        }
        let mut kinematics = Kinematics::<f64, X>::new(self);
        for link in &mut self.links {
            let coordinates = &found[link.first[0]..];
            kinematics.place_link(link, coordinates);
            let [found, written] = [&kinematics.q, q].map(|q| X::heading(&q[X::own(link.body)]));
            if X::DIMENSION == 3 && found.iter().zip(&written).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                link.rest.iter_mut().for_each(|e| *e = -*e);
                kinematics.place_link(link, coordinates);
            }
        }
        let velocities = self.rates::<X>(&kinematics, q, v);
        [found, velocities]
    }

    /// Velocities that give the bodies the twists of their absolute state.
    fn rates<X: Space>(&self, kinematics: &Kinematics<f64, X>, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut velocities = vec![0.0; self.velocities];
        let twist = |body: usize| {
            let Twist { velocity, spin } = X::twist(&q[X::own(body)], &v[X::own(body)]);
            X::join(&velocity, &spin)
        };
        for link in self.links.iter().filter(|link| !link.steps.is_empty() && link.follows.is_none()) {
            let mut relative = twist(link.body);
            if let Some(parent) = link.parent {
                let of_parent = X::carried(&twist(parent), &kinematics.bodies[link.body].arm);
                relative = X::plus(&relative, &of_parent, -1.0);
            }
            let columns = &kinematics.columns[link.columns()];
            let matrix = DMatrix::from_fn(X::FREEDOMS, columns.len(), |i, j| columns[j][i]);
            let target = DVector::from_fn(X::FREEDOMS, |i, _| relative[i]);
            // columns of a joint are independent
            if let Ok(solution) = matrix.svd(true, true).solve(&target, 1e-14) {
                velocities[link.velocities()].copy_from_slice(solution.as_slice());
            }
        }
        velocities
    }
}
