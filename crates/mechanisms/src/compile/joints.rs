//! Joints as relations, and as what bodies hang on.

use std::collections::HashMap;

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Fault, OutOfRange};
use nalgebra::Vector3;

use super::compiled::JointSeen;
use super::names::{Names, count_of};
use crate::definition::{ABOUT, ALONG, Joint, Turn};
use crate::formula::{Formula, Tree};
use crate::joint_space::Freedom;
use crate::placing::{Marker, Pose, Relative, across, unit};
use crate::space::Space;
use crate::system::{Law, Rate, Relation, System, Turning};

/// A joint between two markers.
pub(super) struct Joined {
    /// Its path with its kind.
    pub path: String,
    /// The markers.
    pub ends: [Marker; 2],
    /// Its axis along the directions of both; zero if it has none.
    pub axis: Vector3<f64>,
    /// What it leaves free, if a body can hang on it.
    pub freedom: Option<Freedom>,
    /// Where the second marker is from the first at the start, if it places a body.
    pub relative: Relative,
    /// True if the file says anything of that.
    pub is_given: bool,
}

/// The joints between two markers, in the order of the file; none of a gear and of a rolling disk.
pub(super) fn read(names: &Names<'_>) -> Result<Vec<Option<Joined>>, OutOfRange> {
    let mut joined = Vec::new();
    for part in &names.parts.joints {
        in_dimension(names.dimension, &part.path, &part.what)?;
        let path = format!("{}.{}", part.path, spelling(&part.what));
        joined.push(
            part.what
                .between()
                .map(|between| {
                    let ends = names.pair(&path, between)?;
                    let axis = part.what.axis().map(|(given, default)| axis(names, &path, given, default));
                    joined_by(names, &part.what, path, ends, axis.transpose()?.unwrap_or_default())
                })
                .transpose()?,
        );
    }
    Ok(joined)
}

fn joined_by(
    names: &Names<'_>,
    joint: &Joint,
    path: String,
    ends: [Marker; 2],
    axis: Vector3<f64>,
) -> Result<Joined, OutOfRange> {
    let (mut relative, mut is_given) = (Relative::default(), false);
    let mut number = |field: &str, formula: &Formula| {
        is_given |= *formula != Formula::default();
        names.number(&format!("{path}.{field}"), formula)
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

/// The axes of a universal joint.
fn crossing(path: &str, turn: &Turn) -> Result<[Vector3<f64>; 2], OutOfRange> {
    match &*turn.axes {
        [] => Ok([Vector3::z(), Vector3::x()]),
        [first, second] => {
            Ok([unit(&format!("{path}.axes.0"), first, 3, ABOUT)?, unit(&format!("{path}.axes.1"), second, 3, ALONG)?])
        }
        several => Err(count_of(format!("{path}.axes"), several.len(), 2, "axes")),
    }
}

/// An axis along a marker's own directions.
pub(super) fn axis(
    names: &Names<'_>,
    path: &str,
    given: &[f64],
    default: [f64; 3],
) -> Result<Vector3<f64>, OutOfRange> {
    if names.dimension == 2 && default == ABOUT && !given.is_empty() {
        return Err(OutOfRange::new(
            format!("{path}.axis"),
            format!("{given:?}"),
            "no `axis`: in the plane all turns are about one",
        ));
    }
    unit(&format!("{path}.axis"), given, names.dimension, default)
}

/// How the second of two markers turns from the first about an axis of both.
pub(super) fn turning([a, b]: &[Marker; 2], axis: &Vector3<f64>) -> Turning {
    let [x, y] = across(axis);
    let offset = b.angle() - a.angle();
    Turning { x: a.direction(&x), y: a.direction(&y), axis: a.direction(axis), second: b.direction(&x), offset }
}

const AT_REST: Law = Tree::Number(0.0);

/// Coefficients of the angle of the second marker from the first, and what it is where both bodies' angles are zero.
fn angle([a, b]: &[Marker; 2]) -> (Vec<(usize, f64)>, f64) {
    let terms = [(b.body, 1.0), (a.body, -1.0)];
    let terms = terms.into_iter().filter_map(|(body, factor)| Some((body?, factor))).collect();
    (terms, b.angle() - a.angle())
}

/// The relations of the joint that leaves this free.
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

/// The second point is at a distance from the first along a direction.
fn along([a, b]: &[Marker; 2], direction: &Vector3<f64>, law: Law) -> Relation {
    Relation::Along(a.point(), a.direction(direction), b.point(), law)
}

/// The second point stays on a line through the first.
fn on_line<X: Space>(ends: &[Marker; 2], axis: &Vector3<f64>) -> Vec<Relation> {
    let directions = if X::DIMENSION == 2 { vec![beside(axis)] } else { across(axis).to_vec() };
    directions.iter().map(|direction| along(ends, direction, AT_REST)).collect()
}

/// The direction at a right angle to another in the plane.
fn beside(axis: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-axis.y, axis.x, 0.0)
}

/// Adds all joints to a system; what is seen of them.
pub(super) fn add<X: Space>(
    names: &Names<'_>,
    all: &[Option<Joined>],
    poses: &[Pose],
    system: &mut System<X>,
) -> Result<Vec<JointSeen>, OutOfRange> {
    let mut seen = Vec::new();
    let is_driven = names.parts.joints.iter().any(|part| part.what.is_drive());
    let [turns, slides] = [ABOUT, ALONG].map(|default| Axes::of(names, all, default, is_driven));
    for (part, joined) in names.parts.joints.iter().zip(all) {
        let first = system.relations.len();
        let mut hinge = None;
        match joined {
            None => add_other(names, all, &part.path, &part.what, poses, system)?,
            Some(Joined { path, ends: ends @ [a, b], axis, freedom, .. }) => {
                let law = |law: &Formula| names.law(&format!("{path}.law"), law);
                match &part.what {
                    Joint::Distance(length) => {
                        let now = Pose::distance(poses, ends);
                        let length = length.length.unwrap_or(now);
                        if length < 1e-12 {
                            let accepted = "points at a distance, or a joint that holds them together";
                            return Err(OutOfRange::clause(path, "both points are in one place", accepted));
                        }
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
                        if a.body.is_some() {
                            let accepted = "`ground` or a marker on it, and then the marker of the edge";
                            return Err(OutOfRange::new(format!("{path}.between.0"), "a marker of a body", accepted));
                        }
                        system.rates.push(Rate::Across(b.point(), b.direction(&beside(axis)).at));
                    }
                    _ => system.relations.extend(freedom.iter().flat_map(|freedom| relations::<X>(freedom, ends))),
                }
                hinge = (X::DIMENSION == 3 && matches!(freedom, Some(Freedom::Turn(..)))).then(|| turning(ends, axis));
            }
        }
        let relations = first..system.relations.len();
        seen.push(JointSeen { name: part.name.clone(), path: part.path.clone(), relations, hinge });
    }
    Ok(seen)
}

/// Adds a gear or a rolling disk.
fn add_other<X: Space>(
    names: &Names<'_>,
    all: &[Option<Joined>],
    path: &str,
    joint: &Joint,
    poses: &[Pose],
    system: &mut System<X>,
) -> Result<(), OutOfRange> {
    let path = format!("{path}.{}", spelling(joint));
    match joint {
        Joint::Gear(gear) => {
            let mut sum = Vec::new();
            let mut offset = 0.0;
            for (k, (joint, factor)) in gear.joints.iter().zip([-gear.ratio, 1.0]).enumerate() {
                let (terms, own) = angle(&hinge(names, all, &format!("{path}.joints.{k}"), joint)?.ends);
                let now = terms.iter().fold(own, |sum, &(body, sign)| sum + sign * poses[body].angle);
                offset += factor * (now - own);
                sum.extend(terms.into_iter().map(|(body, sign)| (body, sign * factor)));
            }
            system.relations.push(Relation::Angles(sum, offset, AT_REST));
        }
        Joint::Rolling(rolling) => {
            let centre = names.find(&format!("{path}.body"), &rolling.body.0)?;
            let axis = centre.direction(&axis(names, &path, &rolling.axis, ABOUT)?);
            if centre.body.is_none() {
                return Err(OutOfRange::new(format!("{path}.body"), "the ground", "a marker of a body"));
            }
            system.relations.push(Relation::Standing(centre.point(), axis, rolling.radius));
            system.rates.push(Rate::Rolls(centre.point(), axis.at, rolling.radius));
        }
        _ => {}
    }
    Ok(())
}

/// Fails if a joint is for the plane, or for space, only, and this is the other.
fn in_dimension(dimension: usize, path: &str, joint: &Joint) -> Result<(), OutOfRange> {
    let (wanted, space, accepted) = match joint {
        Joint::Cylindrical(_) | Joint::Spherical(_) | Joint::Universal(_) | Joint::Planar(_) | Joint::Rolling(_) => (
            3,
            "space",
            "`motion: spatial`, or in the plane `revolute`, `prismatic`, `fixed`, `distance`, `point-on-line`, `gear`, `knife-edge`",
        ),
        Joint::Gear(_) | Joint::KnifeEdge(_) => (2, "the plane", "`motion: planar`"),
        _ => return Ok(()),
    };
    if wanted == dimension {
        return Ok(());
    }
    Err(OutOfRange::clause(path, format!("a `{}` joint is for motion in {space}", spelling(joint)), accepted))
}

/// The revolute joint of a name.
pub(super) fn hinge<'j>(
    names: &Names<'_>,
    all: &'j [Option<Joined>],
    path: &str,
    joint: &str,
) -> Result<&'j Joined, OutOfRange> {
    let accepted = "the name of a revolute joint";
    let parts = &names.parts.joints;
    match names.joint.get(joint).map(|&k| (&parts[k].what, &all[k])) {
        Some((Joint::Revolute(_), Some(hinge))) => Ok(hinge),
        Some((other, _)) => {
            Err(OutOfRange::clause(path, format!("`{joint}` is a `{}` joint", spelling(other)), accepted))
        }
        None => {
            let revolute = parts.iter().filter(|part| matches!(part.what, Joint::Revolute(_)));
            let known = revolute.map(|part| part.name.clone()).collect();
            let fault = Fault::Unknown { kind: "joint", name: joint.to_owned(), known };
            Err(OutOfRange { field: path.to_owned(), fault, accepted: accepted.to_owned() })
        }
    }
}

/// The name of a joint with its axis.
type Named<'p> = (&'p str, Vector3<f64>);

/// Axes of the joints of two bodies in space, to which axes that are not written are compared.
pub(super) struct Axes<'p> {
    default: [f64; 3],
    /// Names with directions on the body of the first marker and on that of the second, by these bodies and by the
    /// reverse.
    of_pair: HashMap<[Option<usize>; 2], Vec<Named<'p>>>,
}

impl<'p> Axes<'p> {
    /// Of joints that bodies turn in, if the default axis is that of a turn, and otherwise of those that they slide in;
    /// none if nothing is compared.
    pub(super) fn of(names: &Names<'p>, all: &[Option<Joined>], default: [f64; 3], is_needed: bool) -> Self {
        let mut of_pair: HashMap<_, Vec<_>> = HashMap::new();
        let all = if is_needed && names.dimension == 3 { all } else { &[] };
        for (part, joined) in names.parts.joints.iter().zip(all) {
            let (Some(Joined { ends: [a, b], axis, .. }), true) = (
                joined,
                match part.what {
                    Joint::Revolute(_) => default == ABOUT,
                    Joint::Prismatic(_) => default == ALONG,
                    _ => matches!(part.what, Joint::Cylindrical(_)),
                },
            ) else {
                continue;
            };
            for (from, to) in [(a, b), (b, a)] {
                let direction = Vector3::from(from.direction(axis).at);
                of_pair.entry([from.body, to.body]).or_default().push((&*part.name, direction));
            }
        }
        Self { default, of_pair }
    }

    /// Fails if an axis is not given and joints of the two bodies have others only.
    pub(super) fn check(&self, path: &str, [a, b]: &[Marker; 2], given: &[f64]) -> Result<(), OutOfRange> {
        let (true, Some(joints)) = (given.is_empty(), self.of_pair.get(&[a.body, b.body])) else { return Ok(()) };
        let own = Vector3::from(a.direction(&self.default.into()).at);
        if joints.iter().any(|(_, axis)| (axis - own).norm() < 1e-6) {
            return Ok(());
        }
        let found =
            format!("`{path}.axis` is missing, and `{}` does not turn or slide along {:?}", joints[0].0, self.default);
        Err(OutOfRange::clause(format!("{path}.axis"), found, "`axis`, along the directions of the first marker"))
    }
}
