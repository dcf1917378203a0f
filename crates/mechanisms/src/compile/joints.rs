//! Compiles joints into relations and into candidates for the tree of bodies.

use std::collections::HashMap;

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Formulation, OutOfRange};
use nalgebra::Vector3;

use super::compiled::JointSeen;
use super::gauge::Gauge;
use super::scope::{Scope, check_count};
use crate::definition::{ABOUT, ALONG, Joint, Turn};
use crate::formula::{Formula, Tree};
use crate::joint_space::{Coupling, Freedom};
use crate::placement::{Marker, Pose, Relative, across, unit};
use crate::space::Space;
use crate::system::{Law, Rate, Relation, System, Turning};

/// Largest number of bodies beside gears in space, whose equations have full matrices.
const MOST_GEARED: usize = 100;

/// A joint between two markers.
pub(super) struct Joined {
    /// Path of the joint, with its kind.
    pub path: String,
    /// Markers that it connects.
    pub ends: [Marker; 2],
    /// Components of the axis in both markers; zero if the joint has none.
    pub axis: Vector3<f64>,
    /// The motion that the joint leaves free, if it can attach a body.
    pub freedom: Option<Freedom>,
    /// Initial pose of the second marker relative to the first, if the joint places a body.
    pub relative: Relative,
    /// True if the file gives any part of the relative pose.
    pub is_given: bool,
}

/// The joints between two markers, in the order of the file; `None` for a gear and a rolling disk.
pub(super) fn read(scope: &Scope<'_>) -> Result<Vec<Option<Joined>>, OutOfRange> {
    let mut joined = Vec::new();
    for part in &scope.parts.joints {
        in_dimension(scope.dimension, &part.path, &part.what)?;
        let path = format!("{}.{}", part.path, spelling(&part.what));
        joined.push(match part.what.connection() {
            Some((between, axis)) => {
                let ends = scope.pair(&path, between)?;
                let axis = axis.map(|(given, default)| scope.axis(&path, given, default)).transpose()?;
                Some(joined_by(scope, &part.what, path, ends, axis.unwrap_or_default())?)
            }
            None => None,
        });
    }
    Ok(joined)
}

fn joined_by(
    scope: &Scope<'_>,
    joint: &Joint,
    path: String,
    ends: [Marker; 2],
    axis: Vector3<f64>,
) -> Result<Joined, OutOfRange> {
    let (mut relative, mut is_given) = (Relative::default(), false);
    let mut number = |field: &str, formula: &Formula| {
        is_given |= *formula != Formula::default();
        scope.number(&format!("{path}.{field}"), formula)
    };
    let freedom = match joint {
        Joint::Revolute(hinge) => {
            let angle = number("angle", &hinge.angle)?;
            (relative.turn, relative.spin) = (axis * angle, axis * number("rate", &hinge.rate)?);
            Some(Freedom::Turn(axis, angle))
        }
        Joint::Prismatic(slide) => {
            relative.by = axis * number("distance", &slide.distance)?;
            relative.velocity = axis * number("speed", &slide.speed)?;
            Some(Freedom::Slide(axis))
        }
        Joint::Cylindrical(sleeve) => {
            relative.by = axis * number("distance", &sleeve.distance)?;
            let angle = number("angle", &sleeve.angle)?;
            relative.turn = axis * angle;
            Some(Freedom::Sleeve(axis, angle))
        }
        Joint::Spherical(_) => Some(Freedom::Ball),
        Joint::Universal(turn) => Some(Freedom::Cross(crossing(&path, turn)?)),
        Joint::Planar(_) => Some(Freedom::Plane(axis)),
        Joint::Fixed(_) => Some(Freedom::None),
        _ => None,
    };
    Ok(Joined { path, ends, axis, freedom, relative, is_given })
}

/// The gears in space, each between a joint that no gear drives and one that follows. Following joints get the initial
/// values that their gears give them.
pub(super) fn couplings(scope: &Scope<'_>, joined: &mut [Option<Joined>]) -> Result<Vec<Coupling>, OutOfRange> {
    let mut waiting = Vec::new();
    for part in scope.parts.joints.iter().filter(|_| scope.dimension == 3) {
        let Joint::Gear(gear) = &part.what else { continue };
        let path = format!("{}.gear", part.path);
        let is_other = !matches!(scope.formulation, Formulation::Minimal);
        let found = "a `gear` joint in space exists in joint coordinates only";
        OutOfRange::clause_if(is_other, &path, found, "`formulation: minimal`")?;
        let number =
            |k: usize| scope.joint_of_kind(&format!("{path}.joints.{k}"), &gear.joints[k], &["revolute", "prismatic"]);
        let (first, second) = (number(0)?, number(1)?);
        waiting.push((path, [first, second], gear));
    }
    if let Some((path, ..)) = waiting.first().filter(|_| scope.parts.bodies.len() > MOST_GEARED) {
        let accepted = format!("at most {MOST_GEARED} bodies beside gears in space");
        return Err(OutOfRange::clause(path, format!("there are {} bodies", scope.parts.bodies.len()), accepted));
    }
    let mut known: Vec<Coupling> = Vec::new();
    while !waiting.is_empty() {
        let follows = |joint: usize| waiting.iter().any(|(_, [_, second], _)| *second == joint);
        let is_known = |joint: usize| known.iter().any(|coupling| coupling.joints[1] == joint);
        let next = waiting.iter().position(|(_, [first, second], _)| !follows(*first) && !is_known(*second));
        let Some(next) = next else {
            let accepted = "gears that drive each joint at most once, and not in a circle";
            return Err(OutOfRange::clause(&waiting[0].0, "the second joint follows itself or two others", accepted));
        };
        let (path, [first, second], gear) = waiting.swap_remove(next);
        let offset = gear.offset.unwrap_or_default();
        let [value, rate] = joined[first].as_ref().map_or([0.0; 2], Joined::value);
        if let Some(follower) = &mut joined[second] {
            if follower.is_given {
                let found = format!("`{}` has an initial value, but follows `{}`", gear.joints[1], gear.joints[0]);
                return Err(OutOfRange::clause(path, found, "no initial value of the second joint"));
            }
            follower.set_value([gear.ratio * value + offset, gear.ratio * rate]);
        }
        let (first, ratio, offset) = match known.iter().find(|coupling| coupling.joints[1] == first) {
            Some(Coupling { joints, ratio, offset: own }) => (joints[0], gear.ratio * ratio, gear.ratio * own + offset),
            None => (first, gear.ratio, offset),
        };
        known.push(Coupling { joints: [first, second], ratio, offset });
    }
    Ok(known)
}

impl Joined {
    /// Initial angle or distance of a revolute or prismatic joint, and its rate.
    fn value(&self) -> [f64; 2] {
        let Relative { by, turn, velocity, spin } = self.relative;
        [self.axis.dot(&(by + turn)), self.axis.dot(&(velocity + spin))]
    }

    fn set_value(&mut self, [value, rate]: [f64; 2]) {
        let (relative, along, speed) = (&mut self.relative, self.axis * value, self.axis * rate);
        if let Some(Freedom::Turn(_, near)) = &mut self.freedom {
            (relative.turn, relative.spin, *near) = (along, speed, value);
        } else {
            (relative.by, relative.velocity) = (along, speed);
        }
    }
}

/// The axes of a universal joint.
pub(super) fn crossing(path: &str, turn: &Turn) -> Result<[Vector3<f64>; 2], OutOfRange> {
    let path = format!("{path}.axes");
    if turn.axes.is_empty() {
        return Ok([Vector3::z(), Vector3::x()]);
    }
    check_count(&path, turn.axes.len(), 2, "axes")?;
    Ok([unit(&format!("{path}.0"), &turn.axes[0], 3, ABOUT)?, unit(&format!("{path}.1"), &turn.axes[1], 3, ALONG)?])
}

/// The rotation of the second of two markers from the first about their common axis.
pub(super) fn turning([a, b]: &[Marker; 2], axis: &Vector3<f64>) -> Turning {
    let [x, y] = across(axis);
    let offset = b.angle() - a.angle();
    Turning { x: a.direction(&x), y: a.direction(&y), axis: a.direction(axis), second: b.direction(&x), offset }
}

const AT_REST: Law = Tree::Number(0.0);

/// Coefficients of the angle of the second marker from the first, and its value if both bodies' angles are zero.
fn angle([a, b]: &[Marker; 2]) -> (Vec<(usize, f64)>, f64) {
    let terms = [(b.body, 1.0), (a.body, -1.0)];
    let terms = terms.into_iter().filter_map(|(body, factor)| Some((body?, factor))).collect();
    (terms, b.angle() - a.angle())
}

/// The relations of a joint that leaves this motion free.
fn relations<X: Space>(freedom: &Freedom, ends @ [a, b]: &[Marker; 2]) -> Vec<Relation> {
    let square = |of_a: &Vector3<f64>, of_b: &Vector3<f64>| Relation::Square(a.direction(of_a), b.direction(of_b));
    let mut relations = match freedom {
        Freedom::None | Freedom::Turn(..) | Freedom::Ball | Freedom::Cross(_) => {
            vec![Relation::Coincide(a.point(), b.point())]
        }
        Freedom::Slide(axis) | Freedom::Sleeve(axis, _) => on_line::<X>(ends, axis),
        Freedom::Plane(normal) => vec![along(ends, normal, AT_REST)],
    };
    match freedom {
        Freedom::None | Freedom::Slide(_) if X::DIMENSION == 2 => {
            let (terms, offset) = angle(ends);
            relations.push(Relation::Angles(terms, -offset, AT_REST));
        }
        Freedom::None | Freedom::Slide(_) => {
            let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
            relations.extend([square(&x, &y), square(&y, &z), square(&z, &x)]);
        }
        // in the plane the axis is the same on both
        Freedom::Turn(axis, _) | Freedom::Sleeve(axis, _) | Freedom::Plane(axis) if X::DIMENSION == 3 => {
            relations.extend(across(axis).map(|direction| square(&direction, axis)));
        }
        Freedom::Cross([first, second]) => relations.push(square(first, second)),
        Freedom::Turn(..) | Freedom::Sleeve(..) | Freedom::Plane(_) | Freedom::Ball => {}
    }
    relations
}

/// The relation that the second point is at a distance from the first along a direction.
fn along([a, b]: &[Marker; 2], direction: &Vector3<f64>, law: Law) -> Relation {
    Relation::Along(a.point(), a.direction(direction), b.point(), law)
}

/// The relations that keep the second point on a line through the first.
fn on_line<X: Space>(ends: &[Marker; 2], axis: &Vector3<f64>) -> Vec<Relation> {
    let directions = if X::DIMENSION == 2 { vec![beside(axis)] } else { across(axis).to_vec() };
    directions.iter().map(|direction| along(ends, direction, AT_REST)).collect()
}

/// The direction at a right angle to another, in the plane.
fn beside(axis: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-axis.y, axis.x, 0.0)
}

/// Adds all joints to a system and returns them as observers see them.
pub(super) fn add<X: Space>(scope: &Scope<'_>, system: &mut System<X>) -> Result<Vec<JointSeen>, OutOfRange> {
    let mut seen = Vec::new();
    let is_driven = scope.parts.joints.iter().any(|part| part.what.is_drive());
    let [turns, slides] = [ABOUT, ALONG].map(|default| Axes::of(scope, default, is_driven));
    for (part, joined) in scope.parts.joints.iter().zip(&scope.joined) {
        let first = system.relations.len();
        let mut hinge = None;
        match joined {
            None => add_other(scope, &part.path, &part.what, system)?,
            Some(Joined { path, ends: ends @ [a, b], axis, freedom, .. }) => {
                let law = |law: &Formula| scope.law(&format!("{path}.law"), law);
                match &part.what {
                    Joint::Distance(length) => {
                        let now = Pose::distance(&scope.poses, ends);
                        let length = length.length.unwrap_or(now);
                        let accepted = "points at a distance, or a joint that holds them together";
                        OutOfRange::clause_if(length < 1e-12, path, "both points coincide", accepted)?;
                        system.relations.push(Relation::Distance(a.point(), b.point(), length));
                    }
                    Joint::PointOnLine(_) => system.relations.extend(on_line::<X>(ends, axis)),
                    Joint::Rotation(drive) => {
                        turns.check(path, ends, &drive.axis)?;
                        let law = law(&drive.law)?;
                        system.relations.push(if X::DIMENSION == 2 {
                            let (terms, offset) = angle(ends);
                            Relation::Angles(terms, -offset, law)
                        } else {
                            let Turning { x, y, second, .. } = turning(ends, axis);
                            Relation::Turned(x, y, second, law)
                        });
                    }
                    Joint::Translation(drive) => {
                        slides.check(path, ends, &drive.axis)?;
                        system.relations.push(along(ends, axis, law(&drive.law)?));
                    }
                    Joint::KnifeEdge(_) => {
                        let (field, found) = (format!("{path}.between.0"), "a marker of a body");
                        let accepted = "`ground` or one of its markers, followed by the marker of the edge";
                        OutOfRange::unless(a.body.is_none(), &field, found, accepted)?;
                        system.rates.push(Rate::Across(b.point(), b.direction(&beside(axis)).at));
                    }
                    _ => system.relations.extend(freedom.iter().flat_map(|freedom| relations::<X>(freedom, ends))),
                }
                hinge = (X::DIMENSION == 3 && matches!(freedom, Some(Freedom::Turn(..)))).then(|| turning(ends, axis));
            }
        }
        let relations = first..system.relations.len();
        let gauge = Gauge::of(scope, part, joined.as_ref())?;
        seen.push(JointSeen { name: part.name.clone(), path: part.path.clone(), relations, hinge, gauge });
    }
    Ok(seen)
}

/// Adds a gear or a rolling disk.
fn add_other<X: Space>(scope: &Scope<'_>, path: &str, joint: &Joint, system: &mut System<X>) -> Result<(), OutOfRange> {
    let path = format!("{path}.{}", spelling(joint));
    match joint {
        Joint::Gear(_) if scope.dimension == 3 => {}
        Joint::Gear(gear) => {
            if let Some(offset) = gear.offset {
                let accepted = "no `offset` in the plane, where it follows from the initial angles";
                return Err(OutOfRange::new(format!("{path}.offset"), offset, accepted));
            }
            let mut sum = Vec::new();
            let mut offset = 0.0;
            for (k, (joint, factor)) in gear.joints.iter().zip([-gear.ratio, 1.0]).enumerate() {
                let (terms, own) = angle(&scope.hinge(&format!("{path}.joints.{k}"), joint)?.ends);
                let now = terms.iter().fold(own, |sum, &(body, sign)| sum + sign * scope.poses[body].angle);
                offset += factor * (now - own);
                sum.extend(terms.into_iter().map(|(body, sign)| (body, sign * factor)));
            }
            system.relations.push(Relation::Angles(sum, offset, AT_REST));
        }
        Joint::Rolling(rolling) => {
            let centre = scope.find(&format!("{path}.body"), &rolling.body.0)?;
            let along = scope.axis(&path, &rolling.axis, ABOUT)?;
            let axis = centre.direction(&along);
            let is_of_body = centre.body.is_some();
            OutOfRange::unless(is_of_body, format!("{path}.body"), "the ground", "a marker of a body")?;
            let initial = centre.body.map_or_else(Pose::ground, |body| scope.poses[body]).of_marker(&centre);
            let is_flat = (initial.turn * along).xy().norm() < 1e-6;
            let accepted = "an initial `rotation` of the body, or another `axis`, so that the axis is not vertical";
            OutOfRange::clause_if(is_flat, path, "the disk lies flat on the plane", accepted)?;
            system.relations.push(Relation::Standing(centre.point(), axis, rolling.radius));
            system.rates.push(Rate::Rolls(centre.point(), axis.at, rolling.radius));
        }
        _ => {}
    }
    Ok(())
}

/// Fails if a joint for the plane is used in space, or one for space in the plane.
fn in_dimension(dimension: usize, path: &str, joint: &Joint) -> Result<(), OutOfRange> {
    let (wanted, space, accepted) = match joint {
        Joint::Cylindrical(_) | Joint::Spherical(_) | Joint::Universal(_) | Joint::Planar(_) | Joint::Rolling(_) => (
            3,
            "space",
            "`motion: spatial`, or a joint for the plane: `revolute`, `prismatic`, `fixed`, `distance`, \
             `point-on-line`, `gear`, `knife-edge`",
        ),
        Joint::KnifeEdge(_) => (2, "the plane", "`motion: planar`"),
        _ => return Ok(()),
    };
    if wanted == dimension {
        return Ok(());
    }
    Err(OutOfRange::clause(path, format!("a `{}` joint is for motion in {space}", spelling(joint)), accepted))
}

/// Name and axis of a joint.
type Named<'p> = (&'p str, Vector3<f64>);

/// Axes of the joints between pairs of bodies in space, with which default axes are compared.
pub(super) struct Axes<'p> {
    default: [f64; 3],
    /// Names, with directions on the body of the first marker, by the bodies of the first and second marker
    /// in both orders.
    of_pair: HashMap<[Option<usize>; 2], Vec<Named<'p>>>,
}

impl<'p> Axes<'p> {
    /// Collects the rotational joints if the default axis is that of a rotation, and the sliding joints otherwise;
    /// nothing if no comparison is needed.
    pub(super) fn of(scope: &Scope<'p>, default: [f64; 3], is_needed: bool) -> Self {
        let mut of_pair: HashMap<_, Vec<_>> = HashMap::new();
        let joined: &[_] = if is_needed && scope.dimension == 3 { &scope.joined } else { &[] };
        for (part, joined) in scope.parts.joints.iter().zip(joined) {
            let counts = match part.what {
                Joint::Revolute(_) => default == ABOUT,
                Joint::Prismatic(_) => default == ALONG,
                _ => matches!(part.what, Joint::Cylindrical(_)),
            };
            let Some(Joined { ends: [a, b], axis, .. }) = joined.as_ref().filter(|_| counts) else { continue };
            for (from, to) in [(a, b), (b, a)] {
                let direction = Vector3::from(from.direction(axis).at);
                of_pair.entry([from.body, to.body]).or_default().push((&*part.name, direction));
            }
        }
        Self { default, of_pair }
    }

    /// Fails if no axis is given and all joints between the two bodies have other axes than the default.
    pub(super) fn check(&self, path: &str, [a, b]: &[Marker; 2], given: &[f64]) -> Result<(), OutOfRange> {
        let (true, Some(joints)) = (given.is_empty(), self.of_pair.get(&[a.body, b.body])) else { return Ok(()) };
        let own = Vector3::from(a.direction(&self.default.into()).at);
        if joints.iter().any(|(_, axis)| (axis - own).norm() < 1e-6) {
            return Ok(());
        }
        let found =
            format!("`{path}.axis` is missing, and `{}` does not turn or slide along {:?}", joints[0].0, self.default);
        Err(OutOfRange::clause(format!("{path}.axis"), found, "`axis` in the frame of the first marker"))
    }
}
