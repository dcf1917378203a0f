//! Joints that bodies can hang on, for joint coordinates.

use mbsbench_problem::OutOfRange;

use super::compiled::Compiled;
use super::joints::Joined;
use super::scope::Scope;
use crate::joint_space::{Candidate, JointSpace, Step};
use crate::space::Space;

/// The mechanism in joint coordinates.
///
/// # Errors
/// Where constraints are left and a body has Euler parameters for coordinates.
pub(super) fn joint_space<X: Space>(scope: &Scope<'_>, compiled: &Compiled<X>) -> Result<JointSpace<X>, OutOfRange> {
    let relations: Vec<_> = compiled.joints.iter().map(|joint| joint.relations.clone()).collect();
    let candidate = |(joint, joined): (usize, &Option<Joined>)| {
        let Joined { ends, freedom, .. } = joined.as_ref()?;
        Some(Candidate { joint, markers: *ends, freedom: (*freedom)? })
    };
    let candidates: Vec<Candidate> = scope.joined.iter().enumerate().filter_map(candidate).collect();
    let space = JointSpace::new(&compiled.system, &compiled.initial, &candidates, &relations);
    let space = space.map_err(|refused| compiled.refusal(&compiled.initial[0], refused))?;
    if space.tree.velocities == 0 {
        return Err(OutOfRange::clause("joints", "the joints hold all bodies", "joints that leave something to move"));
    }
    let turning = space.tree.links.iter().find(|link| link.steps.contains(&Step::Ball));
    match turning {
        Some(link) if !space.is_tree() => {
            let (path, found) = match link.joint {
                Some(joint) => (&compiled.joints[joint].path, "the joint has Euler parameters for coordinates"),
                None => {
                    (&scope.parts.bodies[link.body].path, "the body is free, with Euler parameters for coordinates")
                }
            };
            let accepted = "joints with angles and distances for coordinates, if loops or other constraints are left, or \
                            `formulation: acceleration-level`";
            Err(OutOfRange::clause(path, found, accepted))
        }
        _ => Ok(space),
    }
}
