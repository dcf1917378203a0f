//! A mechanism as the runner sees it.

use std::collections::HashSet;

use mbsbench_problem::constrained::{ConstraintWatch, equations};
use mbsbench_problem::model::Class;
use mbsbench_problem::{
    AccelerationLevel, Formulated, Formulation, MechanicalModel, Mechanics, MechanicsOf, Model, ModelDefinition,
    Observable, Observation, Ode, OutOfRange, Scalar, SlidingModeSettings, View,
};
use num_dual::Dual64;

use crate::compile::{BodySeen, Compiled, JointSeen, compile};
use crate::definition::{Mechanism, Motion};
use crate::drawing;
use crate::joint_space::{Expanding, JointSpace};
use crate::placing::Marker;
use crate::system::{At, Fixed, Frames, Plane, Relation, Space, Spatial, System};

/// Bodies up to which all of them are observed where nothing is said.
const SEEN_UNASKED: usize = 12;

impl Mechanism {
    /// Fails unless the mechanism makes sense, closes and can move.
    pub(crate) fn can_be_assembled(&self) -> Result<(), OutOfRange> {
        let (holonomic, nonholonomic) = match self.motion {
            Motion::Planar => self.prepared::<Plane>()?.constraints(),
            Motion::Spatial => self.prepared::<Spatial>()?.constraints(),
        };
        self.formulation.check_surfaces(holonomic + nonholonomic)
    }

    fn prepared<X: Space>(&self) -> Result<MechanismModel<X>, OutOfRange> {
        MechanismModel::new(self)
    }
}

impl ModelDefinition for Mechanism {
    const NAME: &'static str = "mechanism";
    const SUMMARY: &'static str = "bodies, joints and forces as the file has them, in the plane or in space";
    const SOURCE: &'static str = "the experiment file";
    const IS_WRITTEN_OUT: bool = true;

    fn model(&self) -> Box<dyn Model> {
        match self.motion {
            Motion::Planar => Box::new(self.prepared::<Plane>().expect("checked before")),
            Motion::Spatial => Box::new(self.prepared::<Spatial>().expect("checked before")),
        }
    }
}

/// A point that is observed.
#[derive(Debug, Clone)]
struct Watched {
    name: String,
    point: Fixed,
}

/// A mechanism with formulation chosen.
#[derive(Debug, Clone)]
pub struct MechanismModel<X> {
    compiled: Compiled<X>,
    settings: Option<SlidingModeSettings>,
    /// Numbers of the bodies that are observed.
    bodies: Vec<usize>,
    points: Vec<Watched>,
    /// Numbers of the joints whose forces are observed.
    joints: Vec<usize>,
}

impl<X: Space> MechanismModel<X> {
    /// The model of a mechanism.
    ///
    /// # Errors
    /// What makes no sense, with its path in the file.
    pub fn new(mechanism: &Mechanism) -> Result<Self, OutOfRange> {
        let compiled = compile::<X>(mechanism)?;
        let settings = match &mechanism.formulation {
            Formulation::SlidingMode(settings) => Some(settings.clone()),
            Formulation::Minimal | Formulation::AccelerationLevel => None,
        };
        let mut model = Self { compiled, settings, bodies: vec![], points: vec![], joints: vec![] };
        if mechanism.observe.is_empty() && model.compiled.bodies.len() <= SEEN_UNASKED {
            let bodies = model.compiled.bodies.clone();
            for (number, body) in bodies.iter().enumerate() {
                model.bodies.push(number);
                body.markers
                    .iter()
                    .filter(|(name, _)| !name.is_empty())
                    .for_each(|(name, marker)| model.watch(body, name, marker));
            }
            model.joints = (0..model.compiled.joints.len()).collect();
        }
        for (k, name) in mechanism.observe.iter().enumerate() {
            model.observe(name).ok_or_else(|| {
                let accepted = "names of bodies, of markers (`body.marker`) and of joints";
                OutOfRange::new(format!("observe.{k}"), format!("`{name}`"), accepted)
            })?;
        }
        let mut seen = HashSet::new();
        if let Some(twice) = model.observables().into_iter().find(|observable| !seen.insert(observable.name.clone())) {
            let found = format!("with two observables called `{}`", twice.name);
            return Err(OutOfRange::new(
                "bodies",
                found,
                "names that differ also where a body's and a marker's are joined by `_`",
            ));
        }
        Ok(model)
    }

    fn watch(&mut self, body: &BodySeen, name: &str, marker: &Marker) {
        self.points.push(Watched { name: format!("{}_{name}", body.name), point: marker.point() });
    }

    fn observe(&mut self, name: &str) -> Option<()> {
        if let Some(joint) = self.compiled.joints.iter().position(|joint| joint.name == name) {
            self.joints.push(joint);
            return Some(());
        }
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        let number = self.compiled.bodies.iter().position(|known| known.name == body)?;
        if marker.is_empty() {
            self.bodies.push(number);
            return Some(());
        }
        let body = self.compiled.bodies[number].clone();
        let (name, marker) = body.markers.iter().find(|(known, _)| known == marker)?;
        self.watch(&body, name, marker);
        Some(())
    }

    /// Numbers of holonomic and of nonholonomic constraints.
    pub fn constraints(&self) -> (usize, usize) {
        (self.compiled.system.holonomic(), self.compiled.system.nonholonomic())
    }

    /// The equations in joint coordinates, where these are asked for.
    pub fn joint_space(&self) -> Option<&JointSpace<X>> {
        self.compiled.joint_space.as_ref()
    }

    /// The equations in absolute coordinates.
    pub fn system(&self) -> &System<X> {
        &self.compiled.system
    }
}

impl<S: Scalar, X: Space> Formulated<S> for MechanismModel<X> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        if let Some(space) = &self.compiled.joint_space {
            return space.ode();
        }
        equations(&self.compiled.system, self.settings.as_ref(), &self.initial_state())
    }

    fn initial_state(&self) -> Vec<S> {
        let initial = self.compiled.joint_space.as_ref().map_or(&self.compiled.initial, |space| &space.initial);
        initial.iter().flatten().map(|&x| S::from(x)).collect()
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl<X: Space> Model for MechanismModel<X> {
    fn observables(&self) -> Vec<Observable> {
        let mut all = Vec::new();
        let axes = &AXES[..X::DIMENSION];
        for &body in &self.bodies {
            let name = &self.compiled.bodies[body].name;
            for axis in axes {
                all.push(
                    Observable::new(format!("{name}_{axis}"), "m", "a coordinate of a centre of mass")
                        .of_class(Class::Position),
                );
            }
            if X::DIMENSION == 2 {
                all.push(Observable::new(format!("{name}_angle"), "rad", "angle of a body").of_class(Class::Position));
            } else {
                for k in 0..4 {
                    all.push(
                        Observable::new(format!("{name}_e{k}"), "1", "an Euler parameter of a body")
                            .of_class(Class::Position),
                    );
                }
            }
            for axis in axes {
                let about = "a component of the velocity of a centre of mass";
                all.push(Observable::new(format!("{name}_v{axis}"), "m/s", about).of_class(Class::Velocity));
            }
            if X::DIMENSION == 2 {
                all.push(
                    Observable::new(format!("{name}_rate"), "rad/s", "angular velocity of a body")
                        .of_class(Class::Velocity),
                );
            } else {
                for axis in AXES {
                    let about = "a component of the angular velocity of a body, along the ground's directions";
                    all.push(Observable::new(format!("{name}_w{axis}"), "rad/s", about).of_class(Class::Velocity));
                }
            }
        }
        for point in &self.points {
            for (kind, unit, about) in [
                ("", "m", "a coordinate of a marker"),
                ("v", "m/s", "a component of the velocity of a marker"),
                ("a", "m/s²", "a component of the acceleration of a marker"),
            ] {
                all.extend(
                    axes.iter().map(|axis| Observable::new(format!("{}_{kind}{axis}", point.name), unit, about)),
                );
            }
        }
        for &joint in &self.joints {
            let name = &self.compiled.joints[joint].name;
            let about = "a component of the force of a joint on its first body";
            all.extend(axes.iter().map(|axis| Observable::new(format!("{name}_f{axis}"), "N", about)));
        }
        all.extend([
            Observable::new("energy", "J", "total energy; that of gravity is zero for centres of mass at the origin"),
            Observable::new("energy_change", "J", "total energy less that of the initial state"),
            Observable::new("kinetic_energy", "J", "kinetic energy"),
            Observable::new("gravity_energy", "J", "potential energy of gravity"),
            Observable::new("spring_energy", "J", "energy of all springs"),
            Observable::new(
                "power",
                "W",
                "power of what has no potential: dampers, formulas, drives; the rate of the energy",
            ),
            Observable::new(
                "constraint",
                "m",
                "largest magnitude among the constraints Φ, angles and Euler parameters with their numbers",
            ),
            Observable::new("velocity_constraint", "m/s", "largest magnitude among the constraints of velocities"),
        ]);
        all
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let observation = MechanismObservation::new(self);
        match &self.compiled.joint_space {
            // a state in joint coordinates is seen as the one in absolute coordinates that it is
            Some(space) => Box::new(Expanding { space, observation }),
            None => Box::new(observation),
        }
    }

    fn classes(&self) -> Vec<Class> {
        let system = &self.compiled.system;
        let [n, velocities] = match &self.compiled.joint_space {
            Some(space) => [space.coordinates(), space.velocities()],
            None => [system.coordinates(), system.velocities()],
        };
        [vec![Class::Position; n], vec![Class::Velocity; velocities]].concat()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        match &self.compiled.joint_space {
            Some(space) => drawing::views(&self.compiled, &space.expanded(y)),
            None => drawing::views(&self.compiled, y),
        }
    }
}

struct MechanismObservation<'m, X> {
    model: &'m MechanismModel<X>,
    acceleration: AccelerationLevel<MechanicsOf<'m, System<X>>>,
    watch: ConstraintWatch<'m, System<X>>,
    rate: Vec<f64>,
    initial_energy: f64,
    /// Multipliers that a method has found for itself are of the holonomic constraints.
    multipliers: Vec<f64>,
    /// Where the forces of joints begin among the values.
    forces: usize,
    /// The coordinates observed last.
    q: Vec<f64>,
}

impl<'m, X: Space> MechanismObservation<'m, X> {
    fn new(model: &'m MechanismModel<X>) -> Self {
        let system = &model.compiled.system;
        let [q, v] = &model.compiled.initial;
        let mechanics = MechanicsOf::new(system);
        let multipliers = vec![0.0; Mechanics::<f64>::constraints(&mechanics)];
        let per_body = if X::DIMENSION == 2 { 6 } else { 13 };
        Self {
            acceleration: AccelerationLevel::new(mechanics),
            // surfaces of speed zero are the constraints of velocities
            watch: ConstraintWatch::new(system, 0.0),
            rate: vec![0.0; q.len() + v.len()],
            initial_energy: system.energy(q, v),
            multipliers,
            forces: model.bodies.len() * per_body + model.points.len() * 3 * X::DIMENSION,
            q: q.clone(),
            model,
        }
    }

    /// Writes the forces of the joints that are observed.
    fn write_forces(&self, q: &[f64], values: &mut [f64]) {
        let system = self.model.system();
        let own = X::OWN * system.bodies.len();
        let holonomic = &self.multipliers[system.nonholonomic()..];
        for (&joint, values) in self.model.joints.iter().zip(values.chunks_mut(X::DIMENSION)) {
            let force = joint_force(system, &self.model.compiled.joints[joint], q, &holonomic[own..]);
            values.copy_from_slice(&force[..X::DIMENSION]);
        }
    }
}

/// Force of a joint on its first body, N, from the multipliers of the joints' constraints that are not left out.
fn joint_force<X: Space>(system: &System<X>, joint: &JointSeen, q: &[f64], multipliers: &[f64]) -> [f64; 3] {
    let mut frames = Frames::<f64, X>::new(q);
    let mut force = [0.0; 3];
    let first: usize = system.relations[..joint.relations.start].iter().map(Relation::rows::<X>).sum();
    let left_out = |row: usize| system.redundant.binary_search(&row);
    let mut row = first;
    let mut next = first - left_out(first).unwrap_or_else(|before| before);
    for relation in &system.relations[joint.relations.clone()] {
        let lambda: [f64; 3] = std::array::from_fn(|k| {
            if k >= relation.rows::<X>() || left_out(row + k).is_ok() {
                return 0.0;
            }
            next += 1;
            multipliers[next - 1]
        });
        row += relation.rows::<X>();
        let along = match relation {
            Relation::Coincide(..) => lambda,
            Relation::Distance(a, b, length) => {
                let (a, b) = (frames.point(a), frames.point(b));
                std::array::from_fn(|i| lambda[0] * (a[i] - b[i]) / length)
            }
            Relation::Along(a, axis, ..) => {
                frames.direction(&Fixed { body: a.body, at: *axis }).map(|x| -lambda[0] * x)
            }
            Relation::Standing(..) => [0.0, 0.0, lambda[0]],
            Relation::Square(..) | Relation::Turned(..) | Relation::Angles(..) => [0.0; 3],
        };
        (0..3).for_each(|i| force[i] += along[i]);
    }
    force
}

/// Power of what has no potential, W: actions less what springs give back, and drives.
fn power<X: Space>(system: &System<X>, t: f64, q: &[f64], v: &[f64], multipliers: &[f64]) -> f64 {
    let mut forces = vec![0.0; v.len()];
    let at = At::<f64, X>::new(t, q, v);
    system.actions.iter().for_each(|action| at.add(action, &mut forces));
    let of_actions: f64 = forces.iter().zip(v).map(|(force, v)| force * v).sum();
    let moving: Vec<Dual64> = q.iter().zip(v).map(|(&q, &v)| Dual64::new(q, v)).collect();
    let still: Vec<Dual64> = v.iter().map(|&v| Dual64::from(v)).collect();
    let stored = system.stored(Dual64::from(t), &moving, &still).eps;
    let mut by_time = vec![Dual64::from(0.0); system.holonomic()];
    let at_rest: Vec<Dual64> = q.iter().map(|&q| Dual64::from(q)).collect();
    system.holonomic_constraints(Dual64::new(t, 1.0), &at_rest, &mut by_time);
    let of_drives: f64 =
        by_time.iter().zip(&multipliers[system.nonholonomic()..]).map(|(phi, lambda)| phi.eps * lambda).sum();
    of_actions + stored - of_drives
}

impl<X: Space> Observation for MechanismObservation<'_, X> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let model = self.model;
        let system = &model.compiled.system;
        let n = system.coordinates();
        let (q, v) = y.split_at(n);
        // A state that a diverging method has run off to has neither accelerations nor multipliers.
        let is_regular = self.acceleration.rhs(t, y, &mut self.rate).is_ok();
        if is_regular {
            self.multipliers.copy_from_slice(self.acceleration.multipliers());
        } else {
            self.multipliers.fill(f64::NAN);
            self.rate.fill(f64::NAN);
        }
        let own = |body: usize| body * X::COORDINATES..(body + 1) * X::COORDINATES;
        let mut next = 0;
        let mut put = |of: &[f64]| {
            values[next..next + of.len()].copy_from_slice(of);
            next += of.len();
        };
        for &body in &model.bodies {
            let (q, v) = (&q[own(body)], &v[own(body)]);
            let twist = X::twist(q, v);
            put(q);
            put(&twist.velocity[..X::DIMENSION]);
            put(if X::DIMENSION == 2 { &twist.spin[2..] } else { &twist.spin });
        }
        for watched in &model.points {
            // along the motion, position and velocity of the point with their derivatives
            let lift = |x: &[f64], rate: &[f64]| -> Vec<Dual64> {
                x.iter().zip(rate).map(|(&x, &rate)| Dual64::new(x, rate)).collect()
            };
            let Some(body) = watched.point.body else { continue };
            let (q, v) = (lift(&q[own(body)], &v[own(body)]), lift(&v[own(body)], &self.rate[n..][own(body)]));
            let (frame, twist) = (X::frame(&q), X::twist(&q, &v));
            let arm = crate::system::turned::<Dual64, X>(&frame, &watched.point.at);
            let turning = X::cross(&twist.spin, &arm);
            let at: [f64; 3] = std::array::from_fn(|i| (frame.centre[i] + arm[i]).re);
            let velocity: [Dual64; 3] = std::array::from_fn(|i| twist.velocity[i] + turning[i]);
            put(&at[..X::DIMENSION]);
            put(&velocity.map(|x| x.re)[..X::DIMENSION]);
            put(&velocity.map(|x| x.eps)[..X::DIMENSION]);
        }
        self.q.copy_from_slice(q);
        let forces = self.forces..self.forces + model.joints.len() * X::DIMENSION;
        self.write_forces(q, &mut values[forces.clone()]);
        let energy = system.energy(q, v);
        self.watch.evaluate(t, q, v);
        values[forces.end..].copy_from_slice(&[
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
        let first = self.multipliers.len() - multipliers.len();
        self.multipliers[first..].copy_from_slice(multipliers);
        let forces = self.forces..self.forces + self.model.joints.len() * X::DIMENSION;
        self.write_forces(&self.q, &mut values[forces]);
    }
}
