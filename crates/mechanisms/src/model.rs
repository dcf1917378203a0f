//! A mechanism as the runner sees it.

use std::collections::HashSet;

use mbsbench_problem::constrained::equations;
use mbsbench_problem::model::Class;
use mbsbench_problem::{
    Fault, Formulated, MechanicalModel, Model, ModelDefinition, Observable, Observation, Ode, OutOfRange, Scalar,
    SlidingModeSettings, View,
};

use crate::compile::{BodySeen, Compiled, compile};
use crate::definition::{Mechanism, Motion};
use crate::drawing;
use crate::joint_space::{Expanding, JointSpace};
use crate::observation::MechanismObservation;
use crate::placing::Marker;
use crate::space::{Fixed, Plane, Space, Spatial};
use crate::system::{System, Turning};

/// Bodies up to which all of them are observed where nothing is said.
const SEEN_UNASKED: usize = 12;

impl Mechanism {
    /// Fails unless the mechanism makes sense, closes and can move.
    pub(crate) fn can_be_assembled(&self) -> Result<(), OutOfRange> {
        let (holonomic, nonholonomic) = match self.motion {
            Motion::Planar => MechanismModel::<Plane>::new(self)?.constraints(),
            Motion::Spatial => MechanismModel::<Spatial>::new(self)?.constraints(),
        };
        self.formulation.check_surfaces(holonomic + nonholonomic)
    }
}

impl ModelDefinition for Mechanism {
    const NAME: &'static str = "mechanism";
    const SUMMARY: &'static str = "bodies, joints and forces as the file has them, in the plane or in space";
    const SOURCE: &'static str = "the experiment file";
    const IS_WRITTEN_OUT: bool = true;

    fn model(&self) -> Box<dyn Model> {
        match self.motion {
            Motion::Planar => Box::new(MechanismModel::<Plane>::new(self).expect("checked before")),
            Motion::Spatial => Box::new(MechanismModel::<Spatial>::new(self).expect("checked before")),
        }
    }
}

/// A point that is observed.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    name: String,
    pub(crate) point: Fixed,
}

/// A mechanism with formulation chosen.
#[derive(Debug, Clone)]
pub struct MechanismModel<X> {
    pub(crate) compiled: Compiled<X>,
    settings: Option<SlidingModeSettings>,
    /// Numbers of the bodies that are observed.
    pub(crate) bodies: Vec<usize>,
    pub(crate) points: Vec<Watched>,
    /// Numbers of the joints that are observed.
    pub(crate) joints: Vec<usize>,
}

impl<X: Space> MechanismModel<X> {
    /// The model of a mechanism.
    ///
    /// # Errors
    /// What makes no sense, with its path in the file.
    pub fn new(mechanism: &Mechanism) -> Result<Self, OutOfRange> {
        let compiled = compile::<X>(mechanism)?;
        let settings = mechanism.formulation.sliding_mode().cloned();
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
                let bodies = model.compiled.bodies.iter().flat_map(|body| {
                    let own = body.markers.iter().filter(|(marker, _)| !marker.is_empty());
                    own.map(|(marker, _)| format!("{}.{marker}", body.name)).chain([body.name.clone()])
                });
                let joints = model.compiled.joints.iter().map(|joint| joint.name.clone());
                let fault = Fault::Unknown { kind: "part", name: name.clone(), known: bodies.chain(joints).collect() };
                OutOfRange { field: format!("observe.{k}"), fault, accepted: accepted.to_owned() }
            })?;
        }
        let mut seen = HashSet::new();
        if let Some(twice) = model.observables().into_iter().find(|observable| !seen.insert(observable.name.clone())) {
            let found = format!("two observables are called `{}`", twice.name);
            return Err(OutOfRange::clause(
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

    /// Watches the marker, or the body and the joint, of a name; none if there are none.
    fn observe(&mut self, name: &str) -> Option<()> {
        let joint = self.compiled.joints.iter().position(|joint| joint.name == name);
        self.joints.extend(joint);
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        let number = self.compiled.bodies.iter().position(|known| known.name == body);
        if marker.is_empty() {
            self.bodies.extend(number);
            return joint.or(number).map(|_| ());
        }
        let number = number?;
        let body = self.compiled.bodies[number].clone();
        let (name, marker) = body.markers.iter().find(|(known, _)| known == marker)?;
        self.watch(&body, name, marker);
        Some(())
    }

    /// The joints that are observed and have an angle: hinges in space.
    pub(crate) fn hinges(&self) -> impl Iterator<Item = (&str, &Turning)> {
        let joints = self.joints.iter().map(|&joint| &self.compiled.joints[joint]);
        joints.filter_map(|joint| Some((joint.name.as_str(), joint.hinge.as_ref()?)))
    }

    /// Numbers of holonomic and of nonholonomic constraints.
    pub fn constraints(&self) -> (usize, usize) {
        (self.compiled.system.dimensions().holonomic, self.compiled.system.dimensions().nonholonomic)
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
        let axes = &AXES[..X::DIMENSION];
        let mut all = Vec::new();
        let mut each = |before: String, after: &[&str], unit, about, class| {
            all.extend(after.iter().map(|after| {
                let name = format!("{before}{after}");
                Observable { class, ..Observable::new(name, unit, about) }
            }));
        };
        let (position, velocity) = (Some(Class::Position), Some(Class::Velocity));
        for &body in &self.bodies {
            let name = &self.compiled.bodies[body].name;
            let of_body = || format!("{name}_");
            each(of_body(), axes, "m", "a coordinate of a centre of mass", position);
            if X::DIMENSION == 2 {
                each(of_body(), &["angle"], "rad", "angle of a body", position);
            } else {
                each(of_body(), &["e0", "e1", "e2", "e3"], "1", "an Euler parameter of a body", position);
            }
            each(format!("{name}_v"), axes, "m/s", "a component of the velocity of a centre of mass", velocity);
            if X::DIMENSION == 2 {
                each(of_body(), &["rate"], "rad/s", "angular velocity of a body", velocity);
            } else {
                let about = "a component of the angular velocity of a body, along the ground's directions";
                each(format!("{name}_w"), &AXES, "rad/s", about, velocity);
            }
        }
        for Watched { name, .. } in &self.points {
            each(format!("{name}_"), axes, "m", "a coordinate of a marker", None);
            each(format!("{name}_v"), axes, "m/s", "a component of the velocity of a marker", None);
            each(format!("{name}_a"), axes, "m/s²", "a component of the acceleration of a marker", None);
        }
        for &joint in &self.joints {
            let about = "a component of the force of a joint on its first body";
            each(format!("{}_f", self.compiled.joints[joint].name), axes, "N", about, None);
        }
        let about = "angle of a hinge, second marker from the first about its axis, within half a turn either way";
        for (name, _) in self.hinges() {
            each(format!("{name}_"), &["angle"], "rad", about, None);
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
                "largest magnitude among constraints Φ of joints as written, angles and Euler parameters as numbers",
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
        let sizes = self.compiled.joint_space.as_ref().map_or_else(|| system.dimensions(), |space| space.dimensions());
        [vec![Class::Position; sizes.coordinates], vec![Class::Velocity; sizes.velocities]].concat()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        match &self.compiled.joint_space {
            Some(space) => drawing::views(&self.compiled, &space.expanded(y)),
            None => drawing::views(&self.compiled, y),
        }
    }
}
