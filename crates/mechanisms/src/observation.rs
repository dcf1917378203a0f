//! Observations of a mechanism: positions and motions, forces of joints, energies, power.

use mbsbench_problem::{AccelerationLevel, ConstraintWatch, Failure, MechanicalModel, MechanicsOf, Observation, Ode};
use num_dual::Dual64;

use crate::assembly;
use crate::compile::{Compiled, JointSeen};
use crate::space::Space;
use crate::system::{At, Frames, Relation, System};
use crate::watched::Watched;

/// Computes the observables of a mechanism. For a state in joint coordinates, accelerations of markers and forces of
/// joints are those of the absolute equations at that state; multipliers of a method that closes loops are ignored.
pub(super) struct MechanismObservation<'m, X> {
    compiled: &'m Compiled<X>,
    watched: &'m Watched,
    acceleration: AccelerationLevel<'m>,
    watch: ConstraintWatch<'m>,
    rate: Vec<f64>,
    initial_energy: f64,
    /// Multipliers of the holonomic constraints; a method may have computed them itself.
    multipliers: Vec<f64>,
    opening: Opening<'m, X>,
    /// Index of the first joint force among the values.
    forces: usize,
    /// The last observed coordinates.
    q: Vec<f64>,
}

impl<'m, X: Space> MechanismObservation<'m, X> {
    pub(super) fn new(compiled: &'m Compiled<X>, watched: &'m Watched) -> Self {
        let Compiled { system, initial: [q, v], .. } = compiled;
        let multipliers = vec![0.0; system.dimensions().constraints()];
        Self {
            acceleration: AccelerationLevel::new(MechanicsOf::new(system)),
            // all joints as in the file; surfaces with speed zero are the velocity constraints
            watch: ConstraintWatch::new(compiled.written(), 0.0),
            rate: vec![0.0; q.len() + v.len()],
            initial_energy: system.energy(q, v),
            multipliers,
            opening: Opening::new(compiled),
            forces: watched.bodies.len() * (X::COORDINATES + X::FREEDOMS) + watched.markers.len() * 3 * X::DIMENSION,
            q: q.clone(),
            compiled,
            watched,
        }
    }

    /// Writes the forces of the observed joints.
    fn write_forces(&self, q: &[f64], values: &mut [f64]) {
        let Self { compiled: Compiled { system, .. }, watched, .. } = self;
        let own = X::OWN * system.bodies.len();
        let holonomic = &self.multipliers[system.dimensions().nonholonomic..];
        let shared;
        let multipliers = match &self.compiled.as_written {
            Some(all_rows) if !watched.joints.is_empty() => {
                shared = all_multipliers(all_rows, &system.redundant, q, holonomic);
                &shared
            }
            _ => holonomic,
        };
        for (&joint, values) in watched.joints.iter().zip(values.chunks_mut(X::DIMENSION)) {
            let force = joint_force(system, &self.compiled.joints[joint], q, &multipliers[own..]);
            values.copy_from_slice(&force[..X::DIMENSION]);
        }
    }
}

/// Multipliers of all rows, including those left out: of all multipliers with the same forces, those of least norm
/// for rows of unit length in the constraints' Jacobian.
fn all_multipliers<X: Space>(all_rows: &System<X>, redundant: &[usize], q: &[f64], kept: &[f64]) -> Vec<f64> {
    let own = X::OWN * all_rows.bodies.len();
    let mut kept = kept.iter().copied();
    let mut multipliers: Vec<f64> = (0..all_rows.dimensions().holonomic)
        .map(|row| {
            let is_left_out = row >= own && redundant.binary_search(&(row - own)).is_ok();
            if is_left_out { 0.0 } else { kept.next().unwrap_or(f64::NAN) }
        })
        .collect();
    assembly::share(all_rows, q, &mut multipliers);
    multipliers
}

/// Force of a joint on its first body, N, from the multipliers of all joint constraints.
fn joint_force<X: Space>(system: &System<X>, joint: &JointSeen, q: &[f64], multipliers: &[f64]) -> [f64; 3] {
    let mut frames = Frames::<f64, X>::new(q);
    let mut force = [0.0; 3];
    let mut row: usize = system.relations[..joint.relations.start].iter().map(Relation::rows::<X>).sum();
    for relation in &system.relations[joint.relations.clone()] {
        let lambda = &multipliers[row..row + relation.rows::<X>()];
        row += lambda.len();
        let along = match relation {
            Relation::Coincide(..) => std::array::from_fn(|i| lambda.get(i).copied().unwrap_or(0.0)),
            Relation::Distance(a, b, length) => {
                let (a, b) = (frames.point(a), frames.point(b));
                std::array::from_fn(|i| lambda[0] * (a[i] - b[i]) / length)
            }
            Relation::Along(_, axis, ..) => frames.direction(axis).map(|x| -lambda[0] * x),
            Relation::Standing(..) => [0.0, 0.0, lambda[0]],
            Relation::Square(..) | Relation::Turned(..) | Relation::Angles(..) => [0.0; 3],
        };
        (0..3).for_each(|i| force[i] += along[i]);
    }
    force
}

/// Power of forces without a potential, W: actions without the elastic part of springs, and drives.
fn power<X: Space>(system: &System<X>, t: f64, q: &[f64], v: &[f64], multipliers: &[f64]) -> f64 {
    let mut forces = vec![0.0; v.len()];
    let at = At::<f64, X>::new(t, q, v);
    system.actions.iter().for_each(|action| at.add(action, &mut forces));
    let of_actions: f64 = forces.iter().zip(v).map(|(force, v)| force * v).sum();
    let moving: Vec<Dual64> = q.iter().zip(v).map(|(&q, &v)| Dual64::new(q, v)).collect();
    let still: Vec<Dual64> = v.iter().map(|&v| Dual64::from(v)).collect();
    let stored = system.stored(Dual64::from(t), &moving, &still).eps;
    let mut by_time = vec![Dual64::from(0.0); system.dimensions().holonomic];
    let at_rest: Vec<Dual64> = q.iter().map(|&q| Dual64::from(q)).collect();
    system.holonomic_constraints(Dual64::new(t, 1.0), &at_rest, &mut by_time);
    let of_drives: f64 = by_time
        .iter()
        .zip(&multipliers[system.dimensions().nonholonomic..])
        .map(|(phi, lambda)| phi.eps * lambda)
        .sum();
    of_actions + stored - of_drives
}

impl<X: Space> Observation for MechanismObservation<'_, X> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let (compiled, watched) = (self.compiled, self.watched);
        let (system, joined, y) = (&compiled.system, y, &*compiled.absolute(y));
        let n = system.dimensions().coordinates;
        let (q, v) = y.split_at(n);
        // Far-off states of a diverging method have neither accelerations nor multipliers.
        let is_regular = match compiled.only_joint_space() {
            Some(space) => space.absolute_rate(t, joined).map(|rate| self.rate = rate).is_ok(),
            None => self.acceleration.rhs(t, y, &mut self.rate).is_ok(),
        };
        if !is_regular {
            self.multipliers.fill(f64::NAN);
            self.rate.fill(f64::NAN);
        } else if compiled.only_joint_space().is_none() {
            self.multipliers.copy_from_slice(self.acceleration.multipliers());
        }
        let own = |body: usize| X::own(body);
        let mut next = 0;
        let mut put = |of: &[f64]| {
            values[next..next + of.len()].copy_from_slice(of);
            next += of.len();
        };
        for &body in &watched.bodies {
            let (q, v) = (&q[own(body)], &v[own(body)]);
            let twist = X::twist(q, v);
            put(q);
            put(&twist.velocity[..X::DIMENSION]);
            put(if X::DIMENSION == 2 { &twist.spin[2..] } else { &twist.spin });
        }
        for (_, point) in &watched.markers {
            // position and velocity of the point, with their derivatives along the motion
            let lift = |x: &[f64], rate: &[f64]| -> Vec<Dual64> {
                x.iter().zip(rate).map(|(&x, &rate)| Dual64::new(x, rate)).collect()
            };
            let Some(body) = point.body else { continue };
            let (q, v) = (lift(&q[own(body)], &v[own(body)]), lift(&v[own(body)], &self.rate[n..][own(body)]));
            let (frame, twist) = (X::frame(&q), X::twist(&q, &v));
            let arm = X::turned(&frame.turn, &point.at);
            let turning = X::cross(&twist.spin, &arm);
            let at: [f64; 3] = std::array::from_fn(|i| (frame.centre[i] + arm[i]).re);
            let velocity: [Dual64; 3] = std::array::from_fn(|i| twist.velocity[i] + turning[i]);
            put(&at[..X::DIMENSION]);
            put(&velocity.map(|x| x.re)[..X::DIMENSION]);
            put(&velocity.map(|x| x.eps)[..X::DIMENSION]);
        }
        self.q.copy_from_slice(q);
        let forces = self.forces..self.forces + watched.joints.len() * X::DIMENSION;
        match compiled.only_joint_space() {
            Some(space) => {
                let carrying = space.carrying_forces(t, [q, v, &self.rate[n..]]);
                for (&joint, values) in watched.joints.iter().zip(values[forces.clone()].chunks_mut(X::DIMENSION)) {
                    let Some(link) = space.tree.links.iter().find(|link| link.joint == Some(joint)) else { continue };
                    let first = system.relations[compiled.joints[joint].relations.start].points().next();
                    let is_outer = first.is_some_and(|point| point.body == Some(link.body));
                    let sign = if is_outer { 1.0 } else { -1.0 };
                    values.iter_mut().zip(carrying[link.body]).for_each(|(value, force)| *value = sign * force);
                }
            }
            None => self.write_forces(q, &mut values[forces.clone()]),
        }
        let at = At::<f64, X>::new(t, q, v);
        let mut next = forces.end;
        for (_, hinge) in watched.hinges(compiled) {
            values[next] = at.turning(hinge).0;
            next += 1;
        }
        let energy = system.energy(q, v);
        self.watch.evaluate(t, q, v);
        self.opening.evaluate(t, q);
        values[next..].copy_from_slice(&[
            energy,
            energy - self.initial_energy,
            system.kinetic(q, v),
            system.height(q),
            system.stored(t, q, v),
            power(system, t, q, v, &self.multipliers),
            self.watch.constraint(),
            self.watch.surface(),
        ]);
    }

    fn observe_multipliers(&mut self, multipliers: &[f64], values: &mut [f64]) {
        if self.compiled.joint_space.is_some() {
            return;
        }
        let first = self.multipliers.len() - multipliers.len();
        self.multipliers[first..].copy_from_slice(multipliers);
        let forces = self.forces..self.forces + self.watched.joints.len() * X::DIMENSION;
        self.write_forces(&self.q, &mut values[forces]);
    }

    fn failure(&mut self) -> Option<Failure> {
        self.opening.failure.clone()
    }
}

/// Checks if joints, as in the file, are open by more than the violation of the solved constraints explains.
struct Opening<'m, X> {
    compiled: &'m Compiled<X>,
    /// Rows of the relations that are not in the equations: those that the tree of joint coordinates satisfies, and
    /// those that were left out.
    unsolved: Vec<usize>,
    values: Vec<f64>,
    failure: Option<Failure>,
}

impl<'m, X: Space> Opening<'m, X> {
    fn new(compiled: &'m Compiled<X>) -> Self {
        let written = compiled.written();
        let unsolved = match &compiled.joint_space {
            Some(space) => (0..written.rows()).filter(|row| space.solved.binary_search(row).is_err()).collect(),
            None => compiled.system.redundant.clone(),
        };
        Self { compiled, unsolved, values: vec![0.0; written.dimensions().holonomic], failure: None }
    }

    /// If rows of the equations depend on each other for an instant, a residual `ε` of theirs (relative to the
    /// mechanism's size) permits a residual of about `√ε` in others. A joint that is open by more than ten times that
    /// plus a millionth is considered lost.
    fn evaluate(&mut self, t: f64, q: &[f64]) {
        self.failure = None;
        if self.unsolved.is_empty() {
            return;
        }
        let written = self.compiled.written();
        written.holonomic_constraints(t, q, &mut self.values);
        let (own, joints) = self.values.split_at(self.values.len() - written.rows());
        let mut solved = own.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let (mut unsolved, mut worst) = (0.0, 0);
        let mut next = self.unsolved.iter().copied().peekable();
        for (row, (value, unit)) in joints.iter().zip(written.row_units(written.sizes(q))).enumerate() {
            let open = (value / unit).abs();
            if next.next_if_eq(&row).is_none() {
                solved = solved.max(open);
            } else if open > unsolved {
                (unsolved, worst) = (open, row);
            }
        }
        if unsolved > 1e-6 + 10.0 * solved.sqrt() {
            let joint = self.compiled.joint_of_row(worst);
            self.failure = Some(Failure::JointOpen {
                time: t,
                joint: joint.map_or_else(String::new, |joint| joint.name.clone()),
                by: joints[worst].abs(),
            });
        }
    }
}
