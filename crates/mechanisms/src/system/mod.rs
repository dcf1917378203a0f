//! A mechanism as equations: bodies, relations and actions, with numbers instead of names.

mod at;
mod contacts;
mod forces;
mod partials;
mod relations;

use mbsbench_problem::{Dimensions, Entries, MechanicalModel, Partials, Scalar};

pub use at::{At, Turning};
pub use contacts::{Contact, Surface};
pub use forces::{Action, Cushion, ForceLaw, Variable};
pub use relations::{Frames, Law, Rate, Relation};

use crate::space::{Inertia, Space};

/// A mechanism of rigid bodies in absolute coordinates.
#[derive(Debug, Clone, Default)]
pub struct System<X> {
    /// Masses and moments of inertia of the bodies.
    pub bodies: Vec<Inertia>,
    /// Holonomic constraints of joints.
    pub relations: Vec<Relation>,
    /// Redundant rows of the relations, in ascending order; the equations leave them out.
    pub redundant: Vec<usize>,
    /// Nonholonomic constraints.
    pub rates: Vec<Rate>,
    /// Springs, forces, torques.
    pub actions: Vec<Action>,
    /// Acceleration of gravity, m/s².
    pub gravity: [f64; 3],
    /// The plane or space.
    pub space: X,
}

impl<X: Space> System<X> {
    /// Number of rows of all relations, including those left out.
    pub fn rows(&self) -> usize {
        self.relations.iter().map(Relation::rows::<X>).sum()
    }

    /// The largest length at a state, of coordinates and arms to joints (m; one if there is none), and the largest
    /// angle, at least one.
    pub fn sizes(&self, q: &[f64]) -> [f64; 2] {
        let (mut length, mut angle): (f64, f64) = (0.0, 1.0);
        for own in q.chunks(X::COORDINATES) {
            own[..X::DIMENSION].iter().for_each(|x| length = length.max(x.abs()));
            own[X::DIMENSION..].iter().for_each(|x| angle = angle.max(x.abs()));
        }
        for relation in &self.relations {
            relation.points().flat_map(|point| point.at).for_each(|x| length = length.max(x.abs()));
        }
        [if length > 0.0 { length } else { 1.0 }, angle]
    }

    /// The unit of each row of the relations: the length or the angle of [`sizes`](Self::sizes).
    pub fn row_units(&self, [length, angle]: [f64; 2]) -> impl Iterator<Item = f64> + '_ {
        let unit = move |relation: &Relation| if relation.points().next().is_some() { length } else { angle };
        self.relations.iter().flat_map(move |relation| std::iter::repeat_n(unit(relation), relation.rows::<X>()))
    }

    /// The relation to which a row belongs.
    pub fn relation_of_row(&self, row: usize) -> Option<usize> {
        let mut rows = 0;
        self.relations.iter().position(|relation| {
            rows += relation.rows::<X>();
            row < rows
        })
    }

    /// Writes the constraints of the relations that are not left out, in the order of the file.
    pub(crate) fn write_relations<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let mut frames = Frames::<S, X>::new(q);
        let (mut row, mut next) = (0, 0);
        let mut redundant = self.redundant.iter().copied().peekable();
        for relation in &self.relations {
            let rows = relation.rows::<X>();
            if redundant.peek().is_none_or(|&left_out| left_out >= row + rows) {
                relation.write(t, &mut frames, &mut phi[next..next + rows]);
                next += rows;
            } else {
                let mut all = [S::zero(); 3];
                relation.write(t, &mut frames, &mut all[..rows]);
                for (k, &value) in all[..rows].iter().enumerate() {
                    if redundant.next_if_eq(&(row + k)).is_none() {
                        phi[next] = value;
                        next += 1;
                    }
                }
            }
            row += rows;
        }
    }

    /// The contacts among the actions.
    pub fn contacts(&self) -> impl Iterator<Item = &Contact> {
        self.actions
            .iter()
            .filter_map(|action| if let Action::Contact(contact) = action { Some(contact) } else { None })
    }

    /// Kinetic energy, J.
    pub fn kinetic<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let states = q.chunks(X::COORDINATES).zip(v.chunks(X::COORDINATES));
        self.bodies.iter().zip(states).fold(S::zero(), |sum, (body, (q, v))| sum + X::kinetic(body, q, v))
    }

    /// Potential of gravity, J; zero for centres of mass at the origin.
    pub fn height<S: Scalar>(&self, q: &[S]) -> S {
        let mut sum = S::zero();
        for (body, q) in self.bodies.iter().zip(q.chunks(X::COORDINATES)) {
            for i in (0..X::DIMENSION).filter(|&i| self.gravity[i] != 0.0) {
                sum -= q[i] * self.gravity[i] * body.mass;
            }
        }
        sum
    }

    /// Energy of springs, J.
    pub fn stored<S: Scalar>(&self, t: S, q: &[S], v: &[S]) -> S {
        let at = At::<S, X>::new(t, q, v);
        self.actions.iter().fold(S::zero(), |sum, action| sum + at.potential(action))
    }
}

impl<X: Space> MechanicalModel for System<X> {
    fn dimensions(&self) -> Dimensions {
        Dimensions {
            nonholonomic: self.rates.iter().map(Rate::rows).sum(),
            ..Dimensions::vectors(
                X::COORDINATES * self.bodies.len(),
                X::OWN * self.bodies.len() + self.rows() - self.redundant.len(),
            )
        }
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for (k, (body, q)) in self.bodies.iter().zip(q.chunks(X::COORDINATES)).enumerate() {
            X::mass(body, k * X::COORDINATES, q, mass);
        }
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let states = q.chunks(X::COORDINATES).zip(v.chunks(X::COORDINATES));
        for ((body, (q, v)), forces) in self.bodies.iter().zip(states).zip(forces.chunks_mut(X::COORDINATES)) {
            X::gyroscopic(body, q, v, forces);
            for i in (0..X::DIMENSION).filter(|&i| self.gravity[i] != 0.0) {
                forces[i] += S::from(body.mass) * self.gravity[i];
            }
        }
        let at = At::<S, X>::new(t, q, v);
        for action in &self.actions {
            at.add(action, forces);
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let (own, joints) = phi.split_at_mut(X::OWN * self.bodies.len());
        if X::OWN > 0 {
            for (q, phi) in q.chunks(X::COORDINATES).zip(own.chunks_mut(X::OWN)) {
                X::own_constraints(q, phi);
            }
        }
        self.write_relations(t, q, joints);
    }

    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        let mut row = 0;
        for rate in &self.rates {
            let rows = rate.rows();
            rate.write::<S, X>(q, v, &mut gamma[row..row + rows]);
            row += rows;
        }
    }

    fn partials<S: Scalar>(&self, kind: Partials, t: S, q: &[S], each: &mut impl FnMut([usize; 3], S)) -> bool {
        X::partials(self, kind, t, q, each)
    }

    fn gaps<S: Scalar>(&self, q: &[S], each: &mut dyn FnMut(S, f64)) {
        // gaps do not depend on time and velocities
        let at = At::<S, X>::new(S::zero(), q, q);
        for (gap, small) in self.contacts().map(|contact| at.gap(contact)) {
            each(gap, small);
        }
    }

    fn is_autonomous(&self) -> bool {
        let by_time = |law: &ForceLaw| law.any(&mut |variable| *variable == Variable::Time);
        let is_driven = |action: &Action| match action {
            Action::Force(_, _, laws) | Action::Torque(_, _, laws) => laws.iter().any(by_time),
            Action::Actuator(_, _, law) | Action::Motor(_, law) => by_time(law),
            Action::Spring(..) | Action::Torsion(..) | Action::Bushing(_) | Action::Contact(_) => false,
        };
        !self.relations.iter().any(Relation::is_rheonomic) && !self.actions.iter().any(is_driven)
    }

    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        self.kinetic(q, v) + self.height(q) + self.stored(S::zero(), q, v)
    }
}
