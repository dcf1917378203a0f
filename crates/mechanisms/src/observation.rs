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
        let [opening, turn] = self.opening.evaluate(t, q);
        values[next..].copy_from_slice(&[
            energy,
            energy - self.initial_energy,
            system.kinetic(q, v),
            system.height(q),
            system.stored(t, q, v),
            power(system, t, q, v, &self.multipliers),
            self.watch.constraint(),
            self.watch.surface(),
            opening,
            turn,
        ]);
    }

    fn gaps(&mut self, y: &[f64], gaps: &mut Vec<f64>) {
        let system = &self.compiled.system;
        let y = self.compiled.absolute(y);
        system.gaps(&y[..system.dimensions().coordinates], &mut |gap, _| gaps.push(gap));
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

/// The openings of joints as written, and the check that the violation of the solved constraints explains them.
struct Opening<'m, X> {
    compiled: &'m Compiled<X>,
    /// Holonomic constraints of all rows.
    values: Vec<f64>,
    failure: Option<Failure>,
}

impl<'m, X: Space> Opening<'m, X> {
    fn new(compiled: &'m Compiled<X>) -> Self {
        Self { compiled, values: vec![0.0; compiled.written().dimensions().holonomic], failure: None }
    }

    /// Returns the largest distance (m) and the largest angle (rad) by which a joint is open.
    ///
    /// If rows of the equations depend on each other for an instant, a residual `ε` of theirs (relative to the
    /// mechanism's size) permits a residual of about `√ε` in others. A joint that is open by more than ten times that
    /// plus a millionth is considered lost.
    fn evaluate(&mut self, t: f64, q: &[f64]) -> [f64; 2] {
        let units = self.compiled.system.sizes(q);
        let (mut largest, mut worst) = ([0.0f64; 2], (0.0, 0.0, ""));
        for (joint, opening) in self.compiled.openings(t, q) {
            for ((largest, open), unit) in largest.iter_mut().zip(opening).zip(units) {
                *largest = if largest.is_nan() || open <= *largest { *largest } else { open };
                if open.is_finite() && open / unit > worst.0 {
                    worst = (open / unit, open, &joint.name);
                }
            }
        }
        let (relative, by, joint) = worst;
        let is_lost = relative > 1e-6 && relative > 1e-6 + 10.0 * self.residual(t, q, units).sqrt();
        self.failure = is_lost.then(|| Failure::JointOpen { time: t, joint: joint.to_owned(), by });
        largest
    }

    /// The largest violation of the constraints in the equations, relative to the mechanism's size.
    fn residual(&mut self, t: f64, q: &[f64], units: [f64; 2]) -> f64 {
        let Compiled { system, joint_space, .. } = self.compiled;
        let written = self.compiled.written();
        written.holonomic_constraints(t, q, &mut self.values);
        let (own, joints) = self.values.split_at(self.values.len() - written.rows());
        let is_solved = |row: &usize| match joint_space {
            Some(space) => space.solved.binary_search(row).is_ok(),
            None => system.redundant.binary_search(row).is_err(),
        };
        let joints = joints.iter().zip(written.row_units(units)).enumerate().filter(|(row, _)| is_solved(row));
        own.iter().copied().chain(joints.map(|(_, (value, unit))| value / unit)).fold(0.0, |most, x| most.max(x.abs()))
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_integrators::Dopri5;
    use mbsbench_problem::{Counted, Formulated, MethodDefinition, Model, Settings, Silent, Task};

    use super::*;
    use crate::compile::compile;
    use crate::space::{Plane, Spatial};
    use crate::system::Relation;
    use crate::{Mechanism, MechanismModel};

    fn compiled<X: Space>(written: serde_json::Value) -> Compiled<X> {
        let mechanism: Mechanism = serde_json::from_value(written).expect("a mechanism");
        compile(&mechanism).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Two rods on hinges under gravity.
    fn double_pendulum(motion: &str, formulation: &str) -> serde_json::Value {
        let zero = || vec![0.0; if motion == "planar" { 1 } else { 2 }];
        let at = |x: f64| [vec![x], zero()].concat();
        let rod = serde_json::json!({
            "mass": 1, "shape": { "rod": { "length": 1, "radius": 0.05 } }, "markers": { "a": at(-0.5), "b": at(0.5) },
        });
        let gravity = [zero(), vec![-9.81]].concat();
        let hinge = |a: &str, b: &str| {
            let mut hinge = serde_json::json!({ "between": [a, b], "angle": 0.3 });
            if motion == "spatial" {
                hinge["axis"] = serde_json::json!([0, 1, 0]);
            }
            serde_json::json!({ "revolute": hinge })
        };
        serde_json::json!({
            "motion": motion, "formulation": formulation, "gravity": gravity,
            "bodies": { "one": rod, "two": rod },
            "joints": { "A": hinge("ground", "one.a"), "B": hinge("one.b", "two.a") },
        })
    }

    /// Half a second of motion: the failure that the observation reports, and the observables `constraint`, `opening`
    /// and `angular_opening`.
    fn moved<X: Space>(compiled: Compiled<X>) -> (Option<Failure>, Vec<f64>) {
        let watched = Watched::new(&compiled, &[]).expect("parts");
        let model = MechanismModel::of(compiled, watched);
        let initial = Formulated::<f64>::initial_state(&model);
        let task = Task { t_start: 0.0, t_end: 0.5, initial: &initial, settings: Settings::tolerance(1e-10, 1e-10) };
        let mut ode = Formulated::<f64>::ode(&model);
        let solution = Dopri5::default().method().solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        let names: Vec<String> = model.observables().into_iter().map(|observable| observable.name).collect();
        let (mut observation, mut values) = (model.observation(), vec![f64::NAN; names.len()]);
        observation.observe(0.5, &solution.state, &mut values);
        let of = |name: &str| values[names.iter().position(|known| known == name).expect("an observable")];
        (observation.failure(), ["constraint", "opening", "angular_opening"].map(of).to_vec())
    }

    fn is_open(failure: Option<Failure>, name: &str) -> f64 {
        match failure {
            Some(Failure::JointOpen { joint, by, .. }) if joint == name => by,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn a_lost_row_is_seen_although_no_compiled_constraint_shows_it() {
        let (failure, values) = moved(compiled::<Plane>(double_pendulum("planar", "acceleration-level")));
        assert!(failure.is_none() && values.iter().all(|x| *x < 1e-7), "{failure:?}, {values:?}");
        let mut damaged = compiled::<Plane>(double_pendulum("planar", "acceleration-level"));
        // the hinge between the rods loses one of its two rows
        let Relation::Coincide(a, b) = damaged.system.relations[1] else { panic!("a hinge") };
        let across = crate::space::Fixed { body: a.body, at: [0.0, 1.0, 0.0] };
        damaged.system.relations[1] = Relation::Along(a, across, b, crate::formula::Tree::Number(0.0));
        let (failure, values) = moved(damaged);
        let by = is_open(failure, "B");
        assert!(values[0] < 1e-6 && by > 1e-3 && values[1] == by, "{by}, {values:?}");
    }

    #[test]
    fn a_damaged_row_is_seen_as_an_angle() {
        let mut damaged = compiled::<Spatial>(double_pendulum("spatial", "acceleration-level"));
        let tilted = damaged.joints[1].relations.clone().find_map(|k| match &mut damaged.system.relations[k] {
            Relation::Square(_, axis) => {
                axis.at = [0.0, 0.6, 0.8];
                Some(())
            }
            _ => None,
        });
        assert!(tilted.is_some());
        let q = &damaged.initial[0];
        let poses: Vec<_> = damaged.openings(0.0, q).map(|(_, opening)| opening).collect();
        assert!(poses.iter().flatten().all(|open| *open < 1e-15), "consistent for the joints as written: {poses:?}");
        // a rotation that satisfies the damaged rows only
        let mut turned = q.clone();
        let half = 0.5 * 0.8f64.atan2(0.6);
        let e = nalgebra::Quaternion::new(q[10], q[11], q[12], q[13]);
        let e = e * nalgebra::Quaternion::new(half.cos(), -half.sin(), 0.0, 0.0);
        turned[10..].copy_from_slice(&[e.w, e.i, e.j, e.k]);
        let worst = damaged.openings(0.0, &turned).map(|(_, [_, turn])| turn).fold(0.0, f64::max);
        assert!((worst - 2.0 * half).abs() < 1e-14, "{worst}");
    }

    #[test]
    fn a_damaged_tree_is_seen_in_joint_coordinates() {
        for motion in ["planar", "spatial"] {
            let written = double_pendulum(motion, "minimal");
            let (failure, values) = if motion == "planar" {
                moved(compiled::<Plane>(written.clone()))
            } else {
                moved(compiled::<Spatial>(written.clone()))
            };
            assert!(failure.is_none() && values.iter().all(|x| *x < 1e-14), "{failure:?}, {values:?}");
            let failure = if motion == "planar" {
                let mut damaged = compiled::<Plane>(written);
                damaged.joint_space.as_mut().expect("joint coordinates").tree.links[1].from[1] += 0.01;
                moved(damaged).0
            } else {
                let mut damaged = compiled::<Spatial>(written);
                damaged.joint_space.as_mut().expect("joint coordinates").tree.links[1].from[1] += 0.01;
                moved(damaged).0
            };
            let by = is_open(failure, "B");
            assert!((by - 0.01).abs() < 1e-14, "{by}");
        }
    }
}
