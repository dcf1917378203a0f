//! Compiles forces into actions.

use mbsbench_problem::OutOfRange;
use mbsbench_problem::parameters::spelling;

use super::joints::{Axes, turning};
use super::scope::{Scope, check_count};
use crate::definition::{ABOUT, At, Force};
use crate::expand::Part;
use crate::formula::{LINE, TURN};
use crate::placement::{Marker, Pose, unit};
use crate::space::Fixed;
use crate::system::{Action, Contact, Cushion, Surface, Turning};

/// The rotation of the second of two markers from the first; the markers are given, or are those of a joint.
fn turning_of(
    scope: &Scope<'_>,
    axes: &Axes<'_>,
    path: &str,
    (between, joint, given): (&Option<[At; 2]>, &Option<String>, &[f64]),
) -> Result<Turning, OutOfRange> {
    let refused =
        |field: &str, found: &str, accepted| Err(OutOfRange::clause(format!("{path}.{field}"), found, accepted));
    match (between, joint) {
        (Some(between), None) => {
            let markers = scope.pair(path, between)?;
            axes.check(path, &markers, given)?;
            Ok(turning(&markers, &scope.axis(path, given, ABOUT)?))
        }
        (None, Some(joint)) if given.is_empty() => {
            let hinge = scope.hinge(&format!("{path}.joint"), joint)?;
            Ok(turning(&hinge.ends, &hinge.axis))
        }
        (None, Some(_)) => refused("axis", "both `joint` and `axis` are given", "`joint` alone, which has an axis"),
        (Some(_), Some(_)) => refused("joint", "both `joint` and `between` are given", "one of the two"),
        (None, None) => {
            let accepted = "`joint` with the name of a revolute joint, or `between` with two markers";
            Err(OutOfRange::clause(path, format!("`{path}` has neither `joint` nor `between`"), accepted))
        }
    }
}

/// The two points of a line, which must be apart at the start.
fn line(scope: &Scope<'_>, path: &str, between: &[At; 2]) -> Result<([Fixed; 2], f64), OutOfRange> {
    let markers = scope.pair(path, between)?;
    let distance = Pose::distance(&scope.poses, &markers);
    let found = "both points coincide at the start";
    let accepted = "points at a distance, since the line between them needs a direction";
    OutOfRange::clause_if(distance < 1e-12, format!("{path}.between"), found, accepted)?;
    Ok((markers.map(|marker| marker.point()), distance))
}

/// Compiles all forces.
pub(super) fn of(scope: &Scope<'_>) -> Result<Vec<Action>, OutOfRange> {
    let mut actions = Vec::new();
    let turns = |part: &Part<Force>| matches!(part.what, Force::Motor(_) | Force::TorsionSpring(_));
    let axes = Axes::of(scope, ABOUT, scope.parts.forces.iter().any(turns));
    for part in &scope.parts.forces {
        let path = format!("{}.{}", part.path, spelling(&part.what));
        let at = |field: &str| format!("{path}.{field}");
        actions.push(match &part.what {
            Force::Spring(spring) => {
                let ([a, b], distance) = line(scope, &path, &spring.between)?;
                let free = spring.length.unwrap_or(distance);
                Action::Spring(a, b, [spring.stiffness, spring.damping, free])
            }
            Force::TorsionSpring(spring) => {
                let place = (&spring.between, &spring.joint, &*spring.axis);
                let turning = turning_of(scope, &axes, &path, place)?;
                Action::Torsion(turning, [spring.stiffness, spring.damping, spring.angle])
            }
            Force::Bushing(bushing) => {
                let [a, b] = scope.pair(&path, &bushing.between)?;
                let count = if scope.dimension == 2 { 3 } else { 6 };
                let mut damping = bushing.damping.clone();
                damping.resize(if damping.is_empty() { count } else { damping.len() }, 0.0);
                for (field, values) in [("stiffness", &bushing.stiffness), ("damping", &damping)] {
                    check_count(&at(field), values.len(), count, "numbers")?;
                }
                Action::Bushing(Box::new(Cushion {
                    between: [a.point(), b.point()],
                    directions: [a.directions(), b.directions()],
                    offset: b.angle() - a.angle(),
                    stiffness: bushing.stiffness.clone(),
                    damping,
                    friction: bushing.friction,
                }))
            }
            Force::Force(load) => {
                let marker = on_a_body(scope, &at("on"), &load.on)?;
                check_count(&at("force"), load.force.len(), scope.dimension, "components")?;
                let law = |(k, law)| scope.force(&at(&format!("force.{k}")), law, ["", ""]);
                let laws = load.force.iter().enumerate().map(law).collect::<Result<_, _>>()?;
                Action::Force(marker.point(), load.follows.then(|| marker.directions()), laws)
            }
            Force::Torque(torque) => {
                let marker = on_a_body(scope, &at("on"), &torque.on)?;
                let count = if scope.dimension == 2 { 1 } else { 3 };
                check_count(&at("torque"), torque.torque.len(), count, "numbers")?;
                let laws = torque.torque.iter().map(|law| scope.force(&at("torque"), law, ["", ""]));
                let centre = Marker::centre(marker.body).point();
                Action::Torque(centre, torque.follows.then(|| marker.directions()), laws.collect::<Result<_, _>>()?)
            }
            Force::Actuator(actuator) => {
                let ([a, b], _) = line(scope, &path, &actuator.between)?;
                Action::Actuator(a, b, scope.force(&at("force"), &actuator.force, LINE)?)
            }
            Force::Motor(motor) => {
                let place = (&motor.between, &motor.joint, &*motor.axis);
                let turning = turning_of(scope, &axes, &path, place)?;
                Action::Motor(turning, scope.force(&at("torque"), &motor.torque, TURN)?)
            }
            Force::BallContact(contact) => {
                let [a, b] = scope.pair(&path, &contact.between)?;
                let [of_a, of_b] = contact.radii;
                let (fits, found) = (!contact.inside || of_b < of_a, format!("[{of_a}, {of_b}]"));
                let accepted = "a larger first radius, since the second circle is inside the first";
                OutOfRange::unless(fits, at("radii"), found, accepted)?;
                let are_points = !contact.inside && of_a + of_b == 0.0;
                OutOfRange::clause_if(are_points, at("radii"), "both radii are zero", "a radius above zero")?;
                let surface =
                    if contact.inside { Surface::Inside(contact.radii) } else { Surface::Outside(contact.radii) };
                Action::Contact(Contact { between: [a.point(), b.point()], surface, touch: contact.touch })
            }
            Force::PlaneContact(contact) => {
                let [a, b] = scope.pair(&path, &contact.between)?;
                let up = if scope.dimension == 2 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
                let normal = unit(&at("axis"), &contact.axis, scope.dimension, up)?;
                let surface = Surface::Plane(a.direction(&normal), contact.radius);
                Action::Contact(Contact { between: [a.point(), b.point()], surface, touch: contact.touch })
            }
        });
    }
    Ok(actions)
}

/// Returns a marker of a body, and fails for one of the ground.
fn on_a_body(scope: &Scope<'_>, path: &str, on: &At) -> Result<Marker, OutOfRange> {
    let marker = scope.find(path, &on.0)?;
    OutOfRange::unless(marker.body.is_some(), path, "on the ground", "a marker of a body")?;
    Ok(marker)
}
