//! Compiles a mechanism: replaces names by numbers and finds the initial state.

mod actions;
mod bodies;
mod compiled;
mod gauge;
mod joints;
mod scope;
mod starts;

use mbsbench_problem::{Formulation, OutOfRange};

pub use compiled::{BodySeen, Compiled, JointSeen};

use crate::definition::{Mechanism, Motion, Rotations};
use crate::expand::Parts;
use crate::joint_space::JointSpace;
use crate::space::{Inertia, Space};
use crate::system::System;
use scope::{Scope, constants_can_be_meant};

/// Returns a mechanism with its redundant constraints found and its initial state assembled.
///
/// # Errors
/// Fails with the first error in the description, with its path.
pub fn compile<X: Space>(mechanism: &Mechanism) -> Result<Compiled<X>, OutOfRange> {
    debug_assert_eq!(X::DIMENSION, if mechanism.motion == Motion::Planar { 2 } else { 3 });
    constants_can_be_meant(mechanism)?;
    let parts = Parts::of(mechanism)?;
    OutOfRange::clause_if(parts.bodies.is_empty(), "bodies", "the mechanism has no bodies", "at least one body")?;
    let mut gravity = [0.0; 3];
    if !mechanism.gravity.is_empty() {
        let accepted = match X::DIMENSION {
            2 => "`[0, -9.81]`, or `motion: spatial` with 3 components",
            _ => "`[0, 0, -9.81]`, or `motion: planar` with 2 components",
        };
        let count = mechanism.gravity.len();
        let found = format!("`gravity` has {count} components");
        OutOfRange::clause_if(count != X::DIMENSION, "gravity", found, accepted)?;
        gravity[..X::DIMENSION].copy_from_slice(&mechanism.gravity);
    }
    let mut scope = Scope::new(X::DIMENSION, &parts, mechanism);
    scope.markers = bodies::markers(&scope)?;
    let inertias: Vec<Inertia> =
        parts.bodies.iter().map(|body| bodies::inertia::<X>(&scope, body)).collect::<Result<_, _>>()?;
    let mut joined = joints::read(&scope)?;
    scope.couplings = joints::couplings(&scope, &mut joined)?;
    scope.joined = joined;
    (scope.poses, scope.placed_by) = bodies::place(&scope)?;
    let mut initial = [Vec::new(), Vec::new()];
    for pose in &scope.poses {
        let q = X::coordinates(&pose.at.into(), &pose.turn, pose.angle);
        let mut rates = vec![0.0; X::COORDINATES];
        X::write_rates(&q, &X::join(&pose.velocity.into(), &pose.spin.into()), &mut rates);
        initial[0].extend(q);
        initial[1].extend(rates);
    }
    let mut system = System::<X> { bodies: inertias, gravity, ..System::default() };
    let joints = joints::add(&scope, &mut system)?;
    system.actions = actions::of(&scope)?;
    let bodies = bodies::seen(&scope)?;
    let mut compiled = Compiled { system, as_written: None, initial, bodies, joints, joint_space: None };
    compiled::assemble(&mut compiled, mechanism, &scope)?;
    if !compiled.system.redundant.is_empty() {
        compiled.as_written = Some(System { redundant: Vec::new(), ..compiled.system.clone() });
    }
    if matches!(mechanism.formulation, Formulation::Minimal) {
        compiled.joint_space = Some(compiled::joint_space(&scope, &compiled)?);
    }
    if mechanism.rotations == Rotations::Group {
        let is_other = !matches!(mechanism.formulation, Formulation::AccelerationLevel);
        let accepted = "`rotations: vectors`, or `formulation: acceleration-level`";
        let found = "`rotations: group` does not work with this `formulation`";
        OutOfRange::clause_if(is_other, "rotations", found, accepted)?;
        compiled.joint_space = Some(JointSpace::of_bodies(&compiled.system, &compiled.initial));
    }
    Ok(compiled)
}
