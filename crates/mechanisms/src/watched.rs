//! The observed parts of a mechanism, which a file names, and their observables.

use std::collections::HashSet;

use mbsbench_problem::{Class, Fault, Observable, OutOfRange};

use crate::compile::Compiled;
use crate::space::{Fixed, Space};
use crate::system::Turning;

/// Largest number of bodies for which all parts are observed if the file names none.
const WATCHED_UNASKED: usize = 12;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The observed parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    /// Numbers of bodies.
    pub(crate) bodies: Vec<usize>,
    /// Markers with the prefix of their observables' names.
    pub(crate) markers: Vec<(String, Fixed)>,
    /// Numbers of joints.
    pub(crate) joints: Vec<usize>,
}

impl Watched {
    /// Returns the parts with these names.
    ///
    /// # Errors
    /// Fails for a name that no part has, and for observables with the same name.
    pub(crate) fn new<X: Space>(compiled: &Compiled<X>, names: &[String]) -> Result<Self, OutOfRange> {
        let mut watched = Self::default();
        if names.is_empty() && compiled.bodies.len() <= WATCHED_UNASKED {
            for (number, body) in compiled.bodies.iter().enumerate() {
                watched.bodies.push(number);
                let markers = body.named_markers();
                watched.markers.extend(markers.map(|(name, marker)| (format!("{}_{name}", body.name), marker.point())));
            }
            watched.joints = (0..compiled.joints.len()).collect();
        }
        for (k, name) in names.iter().enumerate() {
            watched.add(compiled, name).ok_or_else(|| {
                let bodies = compiled.bodies.iter().flat_map(|body| {
                    let own = body.named_markers().map(|(marker, _)| format!("{}.{marker}", body.name));
                    own.chain([body.name.clone()])
                });
                let joints = compiled.joints.iter().map(|joint| joint.name.clone());
                let fault = Fault::Unknown { kind: "part", name: name.clone(), known: bodies.chain(joints).collect() };
                let accepted = "names of bodies, of markers (`body.marker`) and of joints".to_owned();
                OutOfRange { field: format!("observe.{k}"), fault, accepted }
            })?;
        }
        let mut seen = HashSet::new();
        let observables = watched.observables(compiled);
        if let Some(twice) = observables.iter().find(|observable| !seen.insert(&observable.name)) {
            let found = format!("two observables are called `{}`", twice.name);
            let accepted = "names that differ even when the names of a body and its marker are joined by `_`";
            return Err(OutOfRange::clause("bodies", found, accepted));
        }
        Ok(watched)
    }

    /// Adds the marker, or the body and the joint, with a name; returns `None` if there are none.
    fn add<X>(&mut self, compiled: &Compiled<X>, name: &str) -> Option<()> {
        let joint = compiled.joints.iter().position(|joint| joint.name == name);
        self.joints.extend(joint);
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        let number = compiled.bodies.iter().position(|known| known.name == body);
        if marker.is_empty() {
            self.bodies.extend(number);
            return joint.or(number).map(|_| ());
        }
        let (_, at) = compiled.bodies[number?].markers.iter().find(|(known, _)| known == marker)?;
        self.markers.push((format!("{body}_{marker}"), at.point()));
        Some(())
    }

    /// The observed joints that have an angle: hinges in space.
    pub(crate) fn hinges<'w, X>(&'w self, compiled: &'w Compiled<X>) -> impl Iterator<Item = (&'w str, &'w Turning)> {
        let joints = self.joints.iter().map(|&joint| &compiled.joints[joint]);
        joints.filter_map(|joint| Some((joint.name.as_str(), joint.hinge.as_ref()?)))
    }

    /// The observables, in the order in which an observation writes them.
    pub(crate) fn observables<X: Space>(&self, compiled: &Compiled<X>) -> Vec<Observable> {
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
            let name = &compiled.bodies[body].name;
            let of_body = || format!("{name}_");
            each(of_body(), axes, "m", "coordinate of a centre of mass", position);
            if X::DIMENSION == 2 {
                each(of_body(), &["angle"], "rad", "angle of a body", position);
            } else {
                each(of_body(), &["e0", "e1", "e2", "e3"], "1", "Euler parameter of a body", position);
            }
            each(format!("{name}_v"), axes, "m/s", "component of the velocity of a centre of mass", velocity);
            if X::DIMENSION == 2 {
                each(of_body(), &["rate"], "rad/s", "angular velocity of a body", velocity);
            } else {
                let about = "component of the angular velocity of a body in the frame of the ground";
                each(format!("{name}_w"), &AXES, "rad/s", about, velocity);
            }
        }
        for (name, _) in &self.markers {
            each(format!("{name}_"), axes, "m", "coordinate of a marker", None);
            each(format!("{name}_v"), axes, "m/s", "component of the velocity of a marker", None);
            each(format!("{name}_a"), axes, "m/s²", "component of the acceleration of a marker", None);
        }
        for &joint in &self.joints {
            let about = "component of the force of a joint on its first body";
            each(format!("{}_f", compiled.joints[joint].name), axes, "N", about, None);
        }
        let about = "hinge angle of the second marker relative to the first, between minus and plus half a turn";
        for (name, _) in self.hinges(compiled) {
            each(format!("{name}_"), &["angle"], "rad", about, None);
        }
        let of_power = "power of dampers, formulas and drives, which equals the rate of the total energy";
        let of_constraints =
            "largest magnitude among the joint constraints Φ as written, with angles and Euler parameters as numbers";
        all.extend([
            Observable::new(
                "energy",
                "J",
                "total energy, with zero potential energy for centres of mass at the origin",
            ),
            Observable::new("energy_change", "J", "change of the total energy since the initial state"),
            Observable::new("kinetic_energy", "J", "kinetic energy"),
            Observable::new("gravity_energy", "J", "potential energy of gravity"),
            Observable::new("spring_energy", "J", "energy of all springs"),
            Observable::new("power", "W", of_power),
            Observable::new("constraint", "m", of_constraints),
            Observable::new("velocity_constraint", "m/s", "largest magnitude among the velocity constraints"),
            Observable::new("opening", "m", "largest distance by which a joint is open, from poses of bodies"),
            Observable::new("angular_opening", "rad", "largest angle by which a joint is open, from poses of bodies"),
        ]);
        all
    }
}
