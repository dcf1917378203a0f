//! Joints as relations, and as what places bodies.

use std::collections::HashMap;

use mbsbench_problem::{Fault, OutOfRange};
use nalgebra::Vector3;

use super::{JointSeen, Names, pose};
use crate::definition::{Drive, Joint, Turn};
use crate::flat::Part;
use crate::formula::{Formula, Tree};
use crate::placing::{Marker, Pose, Relative, across, unit};
use crate::space::{Fixed, Space};
use crate::system::{Law, Rate, Relation, System};

/// A joint that can place a body.
pub(super) struct Placing {
    /// Its path.
    pub path: String,
    /// The markers.
    pub markers: [Marker; 2],
    /// Where the second is from the first.
    pub relative: Relative,
    /// Whether the file says anything of that.
    pub is_given: bool,
}

fn is_given(formulas: &[&Formula]) -> bool {
    formulas.iter().any(|formula| **formula != Formula::Number(0.0))
}

/// The default axis of a slide, of a line, or of a joint about an axis.
pub(super) const ALONG: [f64; 3] = [1.0, 0.0, 0.0];
pub(super) const ABOUT: [f64; 3] = [0.0, 0.0, 1.0];

/// The joints that can place a body.
pub(super) fn placing(names: &Names<'_>) -> Result<Vec<Placing>, OutOfRange> {
    let mut placing = Vec::new();
    for part in &names.parts.joints {
        let kind = kind(&part.what);
        let path = format!("{}.{kind}", part.path);
        let number = |field: &str, formula: &Formula| names.number(&format!("{path}.{field}"), formula);
        let axis = |given: &[f64], default| axis(names, &path, given, default);
        let (between, relative, is_given) = match &part.what {
            Joint::Revolute(hinge) => {
                let axis = axis(&hinge.axis, ABOUT)?;
                let turn = axis * number("angle", &hinge.angle)?;
                let spin = axis * number("rate", &hinge.rate)?;
                (&hinge.between, Relative { turn, spin, ..Relative::default() }, is_given(&[&hinge.angle, &hinge.rate]))
            }
            Joint::Prismatic(slide) => {
                let axis = axis(&slide.axis, ALONG)?;
                let by = axis * number("distance", &slide.distance)?;
                let velocity = axis * number("speed", &slide.speed)?;
                (
                    &slide.between,
                    Relative { by, velocity, ..Relative::default() },
                    is_given(&[&slide.distance, &slide.speed]),
                )
            }
            Joint::Cylindrical(sleeve) => {
                let axis = axis(&sleeve.axis, ABOUT)?;
                let by = axis * number("distance", &sleeve.distance)?;
                let turn = axis * number("angle", &sleeve.angle)?;
                (
                    &sleeve.between,
                    Relative { by, turn, ..Relative::default() },
                    is_given(&[&sleeve.distance, &sleeve.angle]),
                )
            }
            Joint::Spherical(pair) | Joint::Fixed(pair) => (&pair.between, Relative::default(), false),
            Joint::Universal(turn) => (&turn.between, Relative::default(), false),
            Joint::Planar(line) => (&line.between, Relative::default(), false),
            _ => continue,
        };
        let markers = names.pair(&path, between)?;
        placing.push(Placing { path, markers, relative, is_given });
    }
    Ok(placing)
}

/// The axes of a universal joint.
pub(super) fn crossing(path: &str, turn: &Turn) -> Result<[Vector3<f64>; 2], OutOfRange> {
    match &*turn.axes {
        [] => Ok([Vector3::z(), Vector3::x()]),
        [first, second] => {
            Ok([unit(&format!("{path}.axes.0"), first, 3, ABOUT)?, unit(&format!("{path}.axes.1"), second, 3, ALONG)?])
        }
        several => Err(super::count_of(format!("{path}.axes"), several.len(), 2, "axes")),
    }
}

/// What a file calls the joint.
pub(super) fn kind(joint: &Joint) -> &'static str {
    match joint {
        Joint::Revolute(_) => "revolute",
        Joint::Prismatic(_) => "prismatic",
        Joint::Cylindrical(_) => "cylindrical",
        Joint::Spherical(_) => "spherical",
        Joint::Universal(_) => "universal",
        Joint::Planar(_) => "planar",
        Joint::Fixed(_) => "fixed",
        Joint::Distance(_) => "distance",
        Joint::PointOnLine(_) => "point-on-line",
        Joint::Gear(_) => "gear",
        Joint::Rotation(_) => "rotation",
        Joint::Translation(_) => "translation",
        Joint::KnifeEdge(_) => "knife-edge",
        Joint::Rolling(_) => "rolling",
    }
}

/// The two markers of each joint that holds two markers together.
pub(super) fn pairs(names: &Names<'_>) -> impl Iterator<Item = [Marker; 2]> {
    let between = |joint: &Joint| match joint {
        Joint::Revolute(hinge) => Some(hinge.between.clone()),
        Joint::Prismatic(slide) => Some(slide.between.clone()),
        Joint::Cylindrical(sleeve) => Some(sleeve.between.clone()),
        Joint::Universal(turn) => Some(turn.between.clone()),
        Joint::Spherical(pair) | Joint::Fixed(pair) => Some(pair.between.clone()),
        Joint::Planar(line) | Joint::PointOnLine(line) | Joint::KnifeEdge(line) => Some(line.between.clone()),
        Joint::Distance(length) => Some(length.between.clone()),
        Joint::Gear(_) | Joint::Rotation(_) | Joint::Translation(_) | Joint::Rolling(_) => None,
    };
    // Where a marker is unknown, adding the joint says so.
    names.parts.joints.iter().filter_map(move |part| names.pair(&part.path, &between(&part.what)?).ok())
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

const AT_REST: Law = Tree::Number(0.0);

/// Coefficients of the angle of the second marker from the first, and what it is where both bodies' angles are zero.
fn angle(a: &Marker, b: &Marker) -> (Vec<(usize, f64)>, f64) {
    let terms = [(b.body, 1.0), (a.body, -1.0)];
    let terms = terms.into_iter().filter_map(|(body, factor)| Some((body?, factor))).collect();
    (terms, b.angle() - a.angle())
}

struct Adding<'s, X> {
    system: &'s mut System<X>,
}

impl<X: Space> Adding<'_, X> {
    fn relation(&mut self, relation: Relation) {
        self.system.relations.push(relation);
    }

    /// Two directions of two bodies stay at right angles.
    fn square(&mut self, a: &Marker, of_a: &Vector3<f64>, b: &Marker, of_b: &Vector3<f64>) {
        self.relation(Relation::Square(a.direction(of_a), b.direction(of_b)));
    }

    /// The axis is the same on both; in the plane it is so.
    fn same_axis(&mut self, a: &Marker, b: &Marker, axis: &Vector3<f64>) {
        if X::DIMENSION == 3 {
            for direction in across(axis) {
                self.square(a, &direction, b, axis);
            }
        }
    }

    /// No rotation from one to the other.
    fn same_directions(&mut self, a: &Marker, b: &Marker) {
        if X::DIMENSION == 2 {
            let (terms, offset) = angle(a, b);
            self.relation(Relation::Angles(terms, -offset, AT_REST));
        } else {
            let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
            self.square(a, &x, b, &y);
            self.square(a, &y, b, &z);
            self.square(a, &z, b, &x);
        }
    }

    /// The second point stays on a line through the first.
    fn on_line(&mut self, a: &Marker, b: &Marker, axis: &Vector3<f64>) {
        let directions =
            if X::DIMENSION == 2 { vec![Vector3::new(-axis.y, axis.x, 0.0)] } else { across(axis).to_vec() };
        for direction in directions {
            self.relation(Relation::Along(a.point(), a.direction(&direction).at, b.point(), AT_REST));
        }
    }
}

/// Adds all joints to a system; what is seen of them.
pub(super) fn add<X: Space>(
    names: &Names<'_>,
    poses: &[Pose],
    system: &mut System<X>,
) -> Result<Vec<JointSeen>, OutOfRange> {
    let mut seen = Vec::new();
    let is_driven =
        names.parts.joints.iter().any(|part| matches!(part.what, Joint::Rotation(_) | Joint::Translation(_)));
    let [turns, slides] = [Axes::of(names, ABOUT, is_driven)?, Axes::of(names, ALONG, is_driven)?];
    for part in &names.parts.joints {
        let first = system.relations.len();
        let path = format!("{}.{}", part.path, kind(&part.what));
        let axis = |given: &[f64], default| axis(names, &path, given, default);
        in_dimension::<X>(&part.path, &part.what)?;
        let mut adding = Adding { system };
        let mut turning = None;
        match &part.what {
            Joint::Revolute(pin) => {
                let [a, b] = names.pair(&path, &pin.between)?;
                let axis = axis(&pin.axis, ABOUT)?;
                adding.relation(Relation::Coincide(a.point(), b.point()));
                adding.same_axis(&a, &b, &axis);
                let [x, y] = across(&axis);
                turning = (X::DIMENSION == 3).then(|| [a.direction(&x), a.direction(&y), b.direction(&x)]);
            }
            Joint::Prismatic(slide) => {
                let [a, b] = names.pair(&path, &slide.between)?;
                adding.on_line(&a, &b, &axis(&slide.axis, ALONG)?);
                adding.same_directions(&a, &b);
            }
            Joint::Cylindrical(sleeve) => {
                let [a, b] = names.pair(&path, &sleeve.between)?;
                let axis = axis(&sleeve.axis, ABOUT)?;
                adding.on_line(&a, &b, &axis);
                adding.same_axis(&a, &b, &axis);
            }
            Joint::Spherical(pair) => {
                let [a, b] = names.pair(&path, &pair.between)?;
                adding.relation(Relation::Coincide(a.point(), b.point()));
            }
            Joint::Universal(turn) => {
                let [a, b] = names.pair(&path, &turn.between)?;
                let axes = crossing(&path, turn)?;
                adding.relation(Relation::Coincide(a.point(), b.point()));
                adding.square(&a, &axes[0], &b, &axes[1]);
            }
            Joint::Planar(line) => {
                let [a, b] = names.pair(&path, &line.between)?;
                let normal = axis(&line.axis, ABOUT)?;
                adding.relation(Relation::Along(a.point(), a.direction(&normal).at, b.point(), AT_REST));
                adding.same_axis(&a, &b, &normal);
            }
            Joint::Fixed(pair) => {
                let [a, b] = names.pair(&path, &pair.between)?;
                adding.relation(Relation::Coincide(a.point(), b.point()));
                adding.same_directions(&a, &b);
            }
            Joint::Distance(length) => {
                let [a, b] = names.pair(&path, &length.between)?;
                let now = (pose(poses, &b).at - pose(poses, &a).at).norm();
                let length = length.length.unwrap_or(now);
                if length < 1e-12 {
                    return Err(OutOfRange::clause(
                        path,
                        "both points are in one place",
                        "points at a distance, or a joint that holds them together",
                    ));
                }
                adding.relation(Relation::Distance(a.point(), b.point(), length));
            }
            Joint::PointOnLine(line) => {
                let [a, b] = names.pair(&path, &line.between)?;
                adding.on_line(&a, &b, &axis(&line.axis, ALONG)?);
            }
            Joint::Gear(gear) => {
                let mut sum = Vec::new();
                let mut offset = 0.0;
                for (k, (joint, factor)) in gear.joints.iter().zip([-gear.ratio, 1.0]).enumerate() {
                    let ([a, b], _) = hinge(names, &format!("{path}.joints.{k}"), joint)?;
                    let (terms, own) = angle(&a, &b);
                    let now = terms.iter().fold(own, |sum, &(body, sign)| sum + sign * poses[body].angle);
                    offset += factor * (now - own);
                    sum.extend(terms.into_iter().map(|(body, sign)| (body, sign * factor)));
                }
                adding.relation(Relation::Angles(sum, offset, AT_REST));
            }
            Joint::Rotation(drive) => {
                turns.check(&path, &names.pair(&path, &drive.between)?, &drive.axis)?;
                adding.rotation(names, &path, drive)?;
            }
            Joint::Translation(drive) => {
                let [a, b] = names.pair(&path, &drive.between)?;
                slides.check(&path, &[a, b], &drive.axis)?;
                let axis = axis(&drive.axis, ALONG)?;
                let law = names.law(&format!("{path}.law"), &drive.law)?;
                adding.relation(Relation::Along(a.point(), a.direction(&axis).at, b.point(), law));
            }
            Joint::KnifeEdge(line) => {
                let [a, b] = names.pair(&path, &line.between)?;
                if a.body.is_some() {
                    let accepted = "`ground` or a marker on it, and then the marker of the edge";
                    return Err(OutOfRange::new(format!("{path}.between.0"), "a marker of a body", accepted));
                }
                let axis = axis(&line.axis, ALONG)?;
                let across = Vector3::new(-axis.y, axis.x, 0.0);
                adding.system.rates.push(Rate::Across(b.point(), b.direction(&across).at));
            }
            Joint::Rolling(rolling) => {
                let centre = names.find(&format!("{path}.body"), &rolling.body.0)?;
                let axis = centre.direction(&axis(&rolling.axis, ABOUT)?).at;
                if centre.body.is_none() {
                    return Err(OutOfRange::new(format!("{path}.body"), "the ground", "a marker of a body"));
                }
                adding.relation(Relation::Standing(centre.point(), axis, rolling.radius));
                adding.system.rates.push(Rate::Rolls(centre.point(), axis, rolling.radius));
            }
        }
        let relations = first..system.relations.len();
        seen.push(JointSeen { name: part.name.clone(), path: part.path.clone(), relations, hinge: turning });
    }
    Ok(seen)
}

impl<X: Space> Adding<'_, X> {
    fn rotation(&mut self, names: &Names<'_>, path: &str, drive: &Drive) -> Result<(), OutOfRange> {
        let [a, b] = names.pair(path, &drive.between)?;
        let axis = axis(names, path, &drive.axis, ABOUT)?;
        let law = names.law(&format!("{path}.law"), &drive.law)?;
        if X::DIMENSION == 2 {
            let (terms, offset) = angle(&a, &b);
            self.relation(Relation::Angles(terms, -offset, law));
        } else {
            let [x, y] = across(&axis);
            let fixed = |marker: &Marker, along: &Vector3<f64>| -> Fixed { marker.direction(along) };
            self.relation(Relation::Turned(fixed(&a, &x), fixed(&a, &y), fixed(&b, &x), law));
        }
        Ok(())
    }
}

/// Joints that are for the plane, or for space, only.
fn in_dimension<X: Space>(path: &str, joint: &Joint) -> Result<(), OutOfRange> {
    let wanted = match joint {
        Joint::Cylindrical(_) | Joint::Spherical(_) | Joint::Universal(_) | Joint::Planar(_) | Joint::Rolling(_) => 3,
        Joint::Gear(_) | Joint::KnifeEdge(_) => 2,
        _ => return Ok(()),
    };
    if wanted == X::DIMENSION {
        return Ok(());
    }
    let accepted = match wanted {
        3 => {
            "`motion: spatial`, or in the plane `revolute`, `prismatic`, `fixed`, `distance`, `point-on-line`, `gear`, `knife-edge`"
        }
        _ => "`motion: planar`",
    };
    let space = if wanted == 3 { "in space" } else { "in the plane" };
    Err(OutOfRange::clause(path, format!("a `{}` joint is for motion {space}", kind(joint)), accepted))
}

/// The markers and the axis of a revolute joint.
pub(super) fn hinge(names: &Names<'_>, path: &str, joint: &str) -> Result<([Marker; 2], Vector3<f64>), OutOfRange> {
    let accepted = "the name of a revolute joint";
    match names.joint.get(joint).map(|&k| &names.parts.joints[k]) {
        Some(Part { path, what: Joint::Revolute(hinge), .. }) => {
            let path = format!("{path}.revolute");
            Ok((names.pair(&path, &hinge.between)?, axis(names, &path, &hinge.axis, ABOUT)?))
        }
        Some(other) => Err(OutOfRange::clause(path, format!("`{joint}` is a `{}` joint", kind(&other.what)), accepted)),
        None => {
            let revolute = names.parts.joints.iter().filter(|part| matches!(part.what, Joint::Revolute(_)));
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
    pub(super) fn of(names: &Names<'p>, default: [f64; 3], is_needed: bool) -> Result<Self, OutOfRange> {
        let mut of_pair: HashMap<_, Vec<_>> = HashMap::new();
        let joints = if is_needed && names.dimension == 3 { &*names.parts.joints } else { &[] };
        for part in joints {
            let (between, given, own) = match &part.what {
                Joint::Revolute(hinge) if default == ABOUT => (&hinge.between, &hinge.axis, ABOUT),
                Joint::Cylindrical(sleeve) => (&sleeve.between, &sleeve.axis, ABOUT),
                Joint::Prismatic(slide) if default == ALONG => (&slide.between, &slide.axis, ALONG),
                _ => continue,
            };
            let path = format!("{}.{}", part.path, kind(&part.what));
            let [a, b] = names.pair(&path, between)?;
            let axis = axis(names, &path, given, own)?;
            for [from, to] in [[&a, &b], [&b, &a]] {
                let direction = Vector3::from(from.direction(&axis).at);
                of_pair.entry([from.body, to.body]).or_default().push((&*part.name, direction));
            }
        }
        Ok(Self { default, of_pair })
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
