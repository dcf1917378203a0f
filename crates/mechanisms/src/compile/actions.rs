//! Forces as actions.

use mbsbench_problem::OutOfRange;
use mbsbench_problem::parameters::spelling;

use super::joints::{Axes, Joined, axis as axis_of, hinge, turning};
use super::names::{Names, count_of};
use crate::definition::{ABOUT, At, Force};
use crate::flat::Part;
use crate::formula::{LINE, TURN};
use crate::placing::{Marker, Pose, unit};
use crate::space::Fixed;
use crate::system::{Action, Contact, Cushion, Surface, Turning};

/// How the second of two markers, which are given or are those of a joint, turns from the first.
fn turning_of(
    names: &Names<'_>,
    joints: &[Option<Joined>],
    axes: &Axes<'_>,
    path: &str,
    (between, joint, given): (&Option<[At; 2]>, &Option<String>, &[f64]),
) -> Result<Turning, OutOfRange> {
    let refused =
        |field: &str, found: &str, accepted| Err(OutOfRange::clause(format!("{path}.{field}"), found, accepted));
    match (between, joint) {
        (Some(between), None) => {
            let markers = names.pair(path, between)?;
            axes.check(path, &markers, given)?;
            Ok(turning(&markers, &axis_of(names, path, given, ABOUT)?))
        }
        (None, Some(joint)) if given.is_empty() => {
            let hinge = hinge(names, joints, &format!("{path}.joint"), joint)?;
            Ok(turning(&hinge.ends, &hinge.axis))
        }
        (None, Some(_)) => refused("axis", "`axis` is given beside `joint`", "the axis of the joint alone"),
        (Some(_), Some(_)) => refused("joint", "`joint` is given beside `between`", "one of the two"),
        (None, None) => {
            let accepted = "`joint`, a revolute joint, or `between`, two markers";
            Err(OutOfRange::clause(path, format!("`{path}` has no place"), accepted))
        }
    }
}

/// The two points of a line, which are apart at the start.
fn line(names: &Names<'_>, poses: &[Pose], path: &str, between: &[At; 2]) -> Result<([Fixed; 2], f64), OutOfRange> {
    let markers = names.pair(path, between)?;
    let distance = Pose::distance(poses, &markers);
    if distance < 1e-12 {
        let found = "both points are in one place at the start";
        let accepted = "points at a distance: the line between has no direction";
        return Err(OutOfRange::clause(format!("{path}.between"), found, accepted));
    }
    Ok((markers.map(|marker| marker.point()), distance))
}

/// All forces.
pub(super) fn of(names: &Names<'_>, joints: &[Option<Joined>], poses: &[Pose]) -> Result<Vec<Action>, OutOfRange> {
    let mut actions = Vec::new();
    let turns = |part: &Part<Force>| matches!(part.what, Force::Motor(_) | Force::TorsionSpring(_));
    let axes = Axes::of(names, joints, ABOUT, names.parts.forces.iter().any(turns));
    for part in &names.parts.forces {
        let path = format!("{}.{}", part.path, spelling(&part.what));
        let at = |field: &str| format!("{path}.{field}");
        actions.push(match &part.what {
            Force::Spring(spring) => {
                let ([a, b], distance) = line(names, poses, &path, &spring.between)?;
                let free = spring.length.unwrap_or(distance);
                Action::Spring(a, b, [spring.stiffness, spring.damping, free])
            }
            Force::TorsionSpring(spring) => {
                let place = (&spring.between, &spring.joint, &*spring.axis);
                let turning = turning_of(names, joints, &axes, &path, place)?;
                Action::Torsion(turning, [spring.stiffness, spring.damping, spring.angle])
            }
            Force::Bushing(bushing) => {
                let [a, b] = names.pair(&path, &bushing.between)?;
                let count = if names.dimension == 2 { 3 } else { 6 };
                let mut damping = bushing.damping.clone();
                damping.resize(if damping.is_empty() { count } else { damping.len() }, 0.0);
                for (field, values) in [("stiffness", &bushing.stiffness), ("damping", &damping)] {
                    if values.len() != count {
                        return Err(count_of(at(field), values.len(), count, "numbers"));
                    }
                }
                Action::Bushing(Box::new(Cushion {
                    between: [a.point(), b.point()],
                    directions: [a.directions(), b.directions()],
                    offset: b.angle() - a.angle(),
                    stiffness: bushing.stiffness.clone(),
                    damping,
                }))
            }
            Force::Force(load) => {
                let marker = names.find(&at("on"), &load.on.0)?;
                on_a_body(&at("on"), &marker)?;
                if load.force.len() != names.dimension {
                    return Err(count_of(at("force"), load.force.len(), names.dimension, "components"));
                }
                let laws = load.force.iter().enumerate();
                let laws = laws
                    .map(|(k, law)| names.force(&at(&format!("force.{k}")), law, ["", ""]))
                    .collect::<Result<_, _>>()?;
                Action::Force(marker.point(), load.follows.then(|| marker.directions()), laws)
            }
            Force::Torque(torque) => {
                let marker = names.find(&at("on"), &torque.on.0)?;
                on_a_body(&at("on"), &marker)?;
                let count = if names.dimension == 2 { 1 } else { 3 };
                if torque.torque.0.len() != count {
                    return Err(count_of(at("torque"), torque.torque.0.len(), count, "numbers"));
                }
                let laws = torque.torque.0.iter().map(|law| names.force(&at("torque"), law, ["", ""]));
                let centre = Marker::centre(marker.body).point();
                Action::Torque(centre, torque.follows.then(|| marker.directions()), laws.collect::<Result<_, _>>()?)
            }
            Force::Actuator(actuator) => {
                let ([a, b], _) = line(names, poses, &path, &actuator.between)?;
                Action::Actuator(a, b, names.force(&at("force"), &actuator.force, LINE)?)
            }
            Force::Motor(motor) => {
                let place = (&motor.between, &motor.joint, &*motor.axis);
                let turning = turning_of(names, joints, &axes, &path, place)?;
                Action::Motor(turning, names.force(&at("torque"), &motor.torque, TURN)?)
            }
            Force::BallContact(contact) => {
                let [a, b] = names.pair(&path, &contact.between)?;
                let [of_a, of_b] = contact.radii;
                if contact.inside && of_b >= of_a {
                    return Err(OutOfRange::new(
                        at("radii"),
                        format!("[{of_a}, {of_b}]"),
                        "a larger first radius: the second is inside",
                    ));
                }
                if !contact.inside && of_a + of_b == 0.0 {
                    return Err(OutOfRange::clause(at("radii"), "both radii are zero", "a radius above zero"));
                }
                let surface =
                    if contact.inside { Surface::Inside(contact.radii) } else { Surface::Outside(contact.radii) };
                Action::Contact(Contact { between: [a.point(), b.point()], surface, touch: contact.touch })
            }
            Force::PlaneContact(contact) => {
                let [a, b] = names.pair(&path, &contact.between)?;
                let up = if names.dimension == 2 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
                let normal = unit(&at("axis"), &contact.axis, names.dimension, up)?;
                let surface = Surface::Plane(a.direction(&normal), contact.radius);
                Action::Contact(Contact { between: [a.point(), b.point()], surface, touch: contact.touch })
            }
        });
    }
    Ok(actions)
}

fn on_a_body(path: &str, marker: &Marker) -> Result<(), OutOfRange> {
    match marker.body {
        Some(_) => Ok(()),
        None => Err(OutOfRange::new(path, "on the ground", "a marker of a body")),
    }
}
