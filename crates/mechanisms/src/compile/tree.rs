//! Joints that bodies can hang on, for joint coordinates.

use mbsbench_problem::OutOfRange;

use super::joints::{ABOUT, ALONG, axis, crossing, kind};
use super::{Compiled, Names, start};
use crate::definition::Joint;
use crate::dependence::Refused;
use crate::joint_space::{Candidate, Freedom, JointSpace, Step};
use crate::space::Space;

/// The joints that leave a body coordinates of its own.
fn candidates(names: &Names<'_>) -> Result<Vec<Candidate>, OutOfRange> {
    let mut candidates = Vec::new();
    for (joint, part) in names.parts.joints.iter().enumerate() {
        let path = format!("{}.{}", part.path, kind(&part.what));
        let number = |field: &str, formula| names.number(&format!("{path}.{field}"), formula);
        let axis = |given: &[f64], default| axis(names, &path, given, default);
        let (between, freedom) = match &part.what {
            Joint::Revolute(hinge) => {
                (&hinge.between, Freedom::Turn(axis(&hinge.axis, ABOUT)?, number("angle", &hinge.angle)?))
            }
            Joint::Prismatic(slide) => (&slide.between, Freedom::Slide(axis(&slide.axis, ALONG)?)),
            Joint::Cylindrical(sleeve) => {
                (&sleeve.between, Freedom::Sleeve(axis(&sleeve.axis, ABOUT)?, number("angle", &sleeve.angle)?))
            }
            Joint::Spherical(pair) => (&pair.between, Freedom::Ball),
            Joint::Universal(turn) => (&turn.between, Freedom::Cross(crossing(&path, turn)?)),
            Joint::Planar(line) => (&line.between, Freedom::Plane(axis(&line.axis, ABOUT)?)),
            Joint::Fixed(pair) => (&pair.between, Freedom::None),
            _ => continue,
        };
        candidates.push(Candidate { joint, markers: names.pair(&path, between)?, freedom });
    }
    Ok(candidates)
}

/// The mechanism in joint coordinates.
///
/// # Errors
/// Where constraints are left and a body has Euler parameters for coordinates.
pub(super) fn joint_space<X: Space>(names: &Names<'_>, compiled: &Compiled<X>) -> Result<JointSpace<X>, OutOfRange> {
    let relations: Vec<_> = compiled.joints.iter().map(|joint| joint.relations.clone()).collect();
    let space = JointSpace::new(&compiled.system, &compiled.initial, &candidates(names)?, &relations);
    let space = space.map_err(|refused| match refused {
        Refused::TooMany(most) => start::too_many(most),
        Refused::Lost { row, by } => start::lost(&compiled.joints, &compiled.system, &compiled.initial[0], row, by),
    })?;
    if space.tree.velocities == 0 {
        return Err(OutOfRange::clause("joints", "the joints hold all bodies", "joints that leave something to move"));
    }
    let turning = space.tree.links.iter().find(|link| link.steps.contains(&Step::Ball));
    match turning {
        Some(link) if !space.is_tree() => {
            let (path, found) = match link.joint {
                Some(joint) => (&compiled.joints[joint].path, "the joint has Euler parameters for coordinates"),
                None => {
                    (&names.parts.bodies[link.body].path, "the body is free, with Euler parameters for coordinates")
                }
            };
            let accepted = "joints with angles and distances for coordinates, if loops or other constraints are left, or \
                            `formulation: acceleration-level`";
            Err(OutOfRange::clause(path, found, accepted))
        }
        _ => Ok(space),
    }
}
