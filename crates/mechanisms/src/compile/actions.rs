//! Forces as actions.

use mbsbench_problem::OutOfRange;
use nalgebra::Vector3;

use super::joints::{ABOUT, Axes, axis as axis_of, hinge};
use super::{Names, count_of, directions, pose};
use crate::definition::{At, Force};
use crate::flat::Part;
use crate::formula::{LINE, TURN};
use crate::placing::{Marker, Pose, across, unit};
use crate::system::{Action, Contact, Cushion, Surface, Turning};

fn kind(force: &Force) -> &'static str {
    match force {
        Force::Spring(_) => "spring",
        Force::TorsionSpring(_) => "torsion-spring",
        Force::Bushing(_) => "bushing",
        Force::Force(_) => "force",
        Force::Torque(_) => "torque",
        Force::Actuator(_) => "actuator",
        Force::Motor(_) => "motor",
        Force::BallContact(_) => "ball-contact",
        Force::PlaneContact(_) => "plane-contact",
    }
}

/// How the second of two markers, which are given or are those of a joint, turns from the first.
fn turning(
    names: &Names<'_>,
    axes: &Axes<'_>,
    path: &str,
    between: Option<&[At; 2]>,
    joint: Option<&str>,
    given: &[f64],
) -> Result<Turning, OutOfRange> {
    let ([a, b], axis) = match (between, joint) {
        (Some(between), None) => {
            let markers = names.pair(path, between)?;
            axes.check(path, &markers, given)?;
            (markers, axis_of(names, path, given, ABOUT)?)
        }
        (None, Some(joint)) if given.is_empty() => hinge(names, &format!("{path}.joint"), joint)?,
        (None, Some(_)) => {
            return Err(OutOfRange::clause(
                format!("{path}.axis"),
                "`axis` is given beside `joint`",
                "the axis of the joint alone",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(OutOfRange::clause(
                format!("{path}.joint"),
                "`joint` is given beside `between`",
                "one of the two",
            ));
        }
        (None, None) => {
            let accepted = "`joint`, a revolute joint, or `between`, two markers";
            return Err(OutOfRange::clause(path, format!("`{path}` has no place"), accepted));
        }
    };
    let [x, y] = across(&axis);
    let offset = b.angle() - a.angle();
    Ok(Turning { x: a.direction(&x), y: a.direction(&y), axis: a.direction(&axis), second: b.direction(&x), offset })
}

/// The two points of a line, which are apart at the start.
fn line(names: &Names<'_>, poses: &[Pose], path: &str, between: &[At; 2]) -> Result<([Marker; 2], f64), OutOfRange> {
    let [a, b] = names.pair(path, between)?;
    let distance = (pose(poses, &b).at - pose(poses, &a).at).norm();
    if distance < 1e-12 {
        let accepted = "points at a distance: the line between has no direction";
        return Err(OutOfRange::clause(
            format!("{path}.between"),
            "both points are in one place at the start",
            accepted,
        ));
    }
    Ok(([a, b], distance))
}

/// All forces.
pub(super) fn of(names: &Names<'_>, poses: &[Pose]) -> Result<Vec<Action>, OutOfRange> {
    let mut actions = Vec::new();
    let turns = |part: &Part<Force>| matches!(part.what, Force::Motor(_) | Force::TorsionSpring(_));
    let axes = Axes::of(names, ABOUT, names.parts.forces.iter().any(turns))?;
    for part in &names.parts.forces {
        let path = format!("{}.{}", part.path, kind(&part.what));
        let at = |field: &str| format!("{path}.{field}");
        actions.push(match &part.what {
            Force::Spring(spring) => {
                let ([a, b], distance) = line(names, poses, &path, &spring.between)?;
                let free = spring.length.unwrap_or(distance);
                Action::Spring(a.point(), b.point(), [spring.stiffness, spring.damping, free])
            }
            Force::TorsionSpring(spring) => {
                let turning =
                    turning(names, &axes, &path, spring.between.as_ref(), spring.joint.as_deref(), &spring.axis)?;
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
                    directions: [directions(&a), directions(&b)],
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
                Action::Force(marker.point(), load.follows.then(|| directions(&marker)), laws)
            }
            Force::Torque(torque) => {
                let marker = names.find(&at("on"), &torque.on.0)?;
                on_a_body(&at("on"), &marker)?;
                let count = if names.dimension == 2 { 1 } else { 3 };
                if torque.torque.0.len() != count {
                    return Err(count_of(at("torque"), torque.torque.0.len(), count, "numbers"));
                }
                let laws = torque.torque.0.iter().map(|law| names.force(&at("torque"), law, ["", ""]));
                let centre = Marker { at: Vector3::zeros(), ..marker };
                Action::Torque(
                    centre.point(),
                    torque.follows.then(|| directions(&marker)),
                    laws.collect::<Result<_, _>>()?,
                )
            }
            Force::Actuator(actuator) => {
                let ([a, b], _) = line(names, poses, &path, &actuator.between)?;
                Action::Actuator(a.point(), b.point(), names.force(&at("force"), &actuator.force, LINE)?)
            }
            Force::Motor(motor) => {
                let turning =
                    turning(names, &axes, &path, motor.between.as_ref(), motor.joint.as_deref(), &motor.axis)?;
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
