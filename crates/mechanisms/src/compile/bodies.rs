//! Masses, markers and initial positions of bodies.

use std::collections::HashMap;

use mbsbench_problem::{Formulation, OutOfRange};
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::compiled::BodySeen;
use super::joints::Joined;
use super::scope::{Scope, check_count, counted};
use crate::definition::{Body, Point, Shape};
use crate::expand::{Part, check_name};
use crate::formula::Formula;
use crate::placement::{Marker, Pose};
use crate::space::{Inertia, Space, is_possible};

fn marker(
    scope: &Scope<'_>,
    path: &str,
    body: Option<usize>,
    point: &Point,
    centre: &Vector3<f64>,
) -> Result<Marker, OutOfRange> {
    let at = if point.0.at.is_empty() { Vector3::zeros() } else { scope.vector(path, &point.0.at, scope.dimension)? };
    let turn = scope.turn(path, ["angle", "rotation"], point.0.angle.as_ref(), point.0.rotation.as_deref())?;
    Ok(Marker { body, at: at - centre, turn: Rotation3::new(turn.unwrap_or_default()) })
}

/// Markers of all bodies, and last those of the ground; the marker without a name is the frame itself.
pub(super) fn markers<'p>(scope: &Scope<'p>) -> Result<Vec<HashMap<&'p str, Marker>>, OutOfRange> {
    let frame = |body, centre: &Vector3<f64>| HashMap::from([("", Marker { at: -centre, ..Marker::centre(body) })]);
    let mut markers = Vec::new();
    for (number, body) in scope.parts.bodies.iter().enumerate() {
        let centre: Vec<Formula> = body.what.centre.iter().copied().map(Formula::Number).collect();
        let centre = if centre.is_empty() {
            Vector3::zeros()
        } else {
            scope.vector(&format!("{}.centre", body.path), &centre, scope.dimension)?
        };
        let mut own = frame(Some(number), &centre);
        for (name, point) in body.what.markers.iter() {
            let path = format!("{}.markers.{name}", body.path);
            check_name(&path, name)?;
            own.insert(&**name, marker(scope, &path, Some(number), point, &centre)?);
        }
        markers.push(own);
    }
    let zero = Vector3::zeros();
    let mut ground = frame(None, &zero);
    for part in &scope.parts.ground {
        ground.insert(&*part.name, marker(scope, &part.path, None, &part.what, &zero)?);
    }
    markers.push(ground);
    Ok(markers)
}

/// Names, shapes and markers of the bodies, for observers and drawings.
pub(super) fn seen(scope: &Scope<'_>) -> Result<Vec<BodySeen>, OutOfRange> {
    let of = |((number, body), held): ((usize, &Part<Body>), Vec<Vector3<f64>>)| {
        let own = &scope.markers[number];
        let middle = match &body.what.drawn_at {
            Some(point) => marker(scope, &format!("{}.drawn-at", body.path), Some(number), point, &-own[""].at)?,
            None => Marker::centre(Some(number)),
        };
        let mut markers: Vec<_> = own.iter().map(|(name, marker)| ((*name).to_owned(), *marker)).collect();
        markers.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(BodySeen { name: body.name.clone(), shape: body.what.shape.clone(), middle, markers, held })
    };
    scope.parts.bodies.iter().enumerate().zip(held(scope)).map(of).collect()
}

/// Points at which joints hold each body. The first are those that attach it: the body has the joint's second marker,
/// or the other marker is on the ground. Rods are drawn as such, so their points are left out.
fn held(scope: &Scope<'_>) -> impl Iterator<Item = Vec<Vector3<f64>>> {
    let bodies = &scope.parts.bodies;
    let is_rod = |body: usize| matches!(bodies[body].what.shape, Some(Shape::Rod(_)));
    let mut hangs = vec![Vec::new(); bodies.len()];
    let mut others = hangs.clone();
    let holding = scope.parts.joints.iter().zip(&scope.joined).filter(|(part, _)| !part.what.is_drive());
    for Joined { ends: [first, second], .. } in holding.filter_map(|(_, joined)| joined.as_ref()) {
        if let Some(body) = second.body.filter(|&body| !is_rod(body)) {
            hangs[body].push(second.at);
        }
        if let Some(body) = first.body.filter(|&body| !is_rod(body)) {
            let list = if second.body.is_none() { &mut hangs } else { &mut others };
            list[body].push(first.at);
        }
    }
    hangs.into_iter().zip(others).map(|(hangs, others)| [hangs, others].concat())
}

/// Ends the accepted masses and moments.
const OR_JOINED: &str = ", or zero with `formulation: minimal` if other bodies give all joints inertia";

/// Mass and moments of inertia, as given or from the shape.
pub(super) fn inertia<X: Space>(scope: &Scope<'_>, body: &Part<Body>) -> Result<Inertia, OutOfRange> {
    let at = |field: &str| format!("{}.{field}", body.path);
    let Body { mass, density, inertia, shape, drawn_at, .. } = &body.what;
    if let Some(Shape::Box(lengths)) = shape
        && !(X::DIMENSION..=3).contains(&lengths.len())
    {
        check_count(&at("shape.box"), lengths.len(), X::DIMENSION, "lengths")?;
    }
    let is_joined = matches!(scope.formulation, Formulation::Minimal);
    let mass = match (mass, density, shape) {
        (Some(mass), None, _) if *mass > 0.0 || is_joined => *mass,
        (Some(mass), None, _) => {
            return Err(OutOfRange::new(at("mass"), mass, format!("a finite number above zero{OR_JOINED}")));
        }
        (Some(_), Some(_), _) => {
            return Err(OutOfRange::clause(at("density"), "both `mass` and `density` are given", "one of the two"));
        }
        (None, Some(density), Some(shape)) if shape.volume() > 0.0 => density * shape.volume(),
        (None, Some(density), _) => {
            let accepted = "`mass` instead, or a `shape` with a volume (radius, thickness)";
            return Err(OutOfRange::new(at("density"), density, accepted));
        }
        (None, None, _) => return Err(OutOfRange::new(at("mass"), "missing", "a mass, or a density with a shape")),
    };
    let field = |k: usize| if inertia.len() == 1 { at("inertia") } else { at(&format!("inertia.{k}")) };
    let number = |(k, formula)| scope.number(&field(k), formula);
    let numbers: Vec<f64> = inertia.iter().enumerate().map(number).collect::<Result<_, _>>()?;
    // The moments about the centre of mass are unknown for a shape that is drawn elsewhere.
    let about_centre = match (X::DIMENSION, &*numbers, shape.as_ref().filter(|_| drawn_at.is_none())) {
        (_, [], Some(shape)) => {
            let [x, y, z] = shape.inertia().map(|each| mass * each);
            [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
        }
        (2, &[z], _) => [[0.0; 3], [0.0; 3], [0.0, 0.0, z]],
        (3, &[x, y, z], _) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        (3, &[xx, yy, zz, xy, xz, yz], _) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        _ => {
            let accepted = match X::DIMENSION {
                2 => "one moment, or a shape",
                _ => "three moments, six entries of the matrix, or a shape",
            };
            let at = at("inertia");
            return Err(if numbers.is_empty() {
                OutOfRange::new(at, "missing", accepted)
            } else {
                let found = format!("`{at}` has {}", counted(numbers.len(), "numbers"));
                OutOfRange::clause(at, found, accepted)
            });
        }
    };
    let moments = Matrix3::from_fn(|i, j| about_centre[i][j]).symmetric_eigenvalues();
    let least = if X::DIMENSION == 2 { about_centre[2][2] } else { moments.min() };
    // in joint coordinates moments may be zero; negative ones in space are tested below
    if least <= 0.0 && !(is_joined && (X::DIMENSION == 3 || least == 0.0)) {
        let accepted = format!(
            "moments above zero{OR_JOINED}; give `inertia`, or a `shape` with a volume (in space, a rod with a radius)"
        );
        let found = format!("`{}` has the moments {:?}", at("inertia"), moments.as_slice());
        return Err(OutOfRange::clause(at("inertia"), found, accepted));
    }
    if X::DIMENSION == 3 && !(is_joined && body.what.any_inertia) && !is_possible(&moments, mass) {
        let accepted = "principal moments, each at most the sum of the other two, or `any-inertia: true` with \
                        `formulation: minimal`";
        let found = format!("`{}` has the principal moments {:?}", at("inertia"), moments.as_slice());
        return Err(OutOfRange::clause(at("inertia"), found, accepted));
    }
    Ok(Inertia { mass, about_centre })
}

/// The pose of a body's frame, if the file gives it.
fn written(scope: &Scope<'_>, body: &Part<Body>) -> Result<Option<Pose>, OutOfRange> {
    let Body { position, angle, rotation, .. } = &body.what;
    let turn = scope.turn(&body.path, ["angle", "rotation"], angle.as_ref(), rotation.as_deref())?;
    if position.is_none() && turn.is_none() {
        return Ok(None);
    }
    let at = given(scope, body, "position", position.as_deref())?.unwrap_or_default();
    let turn = turn.unwrap_or_default();
    let angle = if angle.is_some() { turn.z } else { 0.0 };
    Ok(Some(Pose { at, turn: Rotation3::new(turn), angle, ..Pose::ground() }))
}

/// A vector of a body, if the file gives it.
fn given(
    scope: &Scope<'_>,
    body: &Part<Body>,
    field: &str,
    written: Option<&[Formula]>,
) -> Result<Option<Vector3<f64>>, OutOfRange> {
    let path = format!("{}.{field}", body.path);
    written.map(|written| scope.vector(&path, written, scope.dimension)).transpose()
}

/// The poses of all bodies: as the file gives them, or from the first joint to a body that is placed, or at the origin;
/// and the numbers of the joints that place bodies.
pub(super) fn place(scope: &Scope<'_>) -> Result<(Vec<Pose>, Vec<Option<usize>>), OutOfRange> {
    let bodies = &scope.parts.bodies;
    let spin = |Part { path, what, .. }: &Part<Body>| {
        scope.turn(path, ["rate", "spin"], what.rate.as_ref(), what.spin.as_deref())
    };
    // the body of a frame with this motion, unless the file says otherwise
    let of_frame = |number: usize, origin: Pose| -> Result<Pose, OutOfRange> {
        let velocity = given(scope, &bodies[number], "velocity", bodies[number].what.velocity.as_deref())?;
        let velocity = velocity.unwrap_or(origin.velocity);
        Ok(Pose { velocity, ..origin }.of_body(&scope.markers[number][""]))
    };
    let at_rest = |number: usize, origin: Pose| {
        of_frame(number, Pose { spin: spin(&bodies[number])?.unwrap_or_default(), ..origin })
    };
    let mut poses: Vec<Option<Pose>> = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        poses.push(written(scope, body)?.map(|origin| at_rest(number, origin)).transpose()?);
    }
    let joined = scope.joined.iter().enumerate().filter_map(|(number, joint)| Some((number, joint.as_ref()?)));
    let (numbers, placing): (Vec<usize>, Vec<&Joined>) = joined.filter(|(_, joint)| joint.freedom.is_some()).unzip();
    let mut used = vec![false; placing.len()];
    // the joint that places each body
    let mut by: Vec<Option<usize>> = vec![None; poses.len()];
    let of = |poses: &[Option<Pose>], marker: &Marker| marker.body.map_or(Some(Pose::ground()), |body| poses[body]);
    // Joints of each body, so that a long chain is placed in linear time.
    let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); poses.len()];
    for (k, joint) in placing.iter().enumerate() {
        joint.ends.iter().filter_map(|marker| marker.body).for_each(|body| of_body[body].push(k));
    }
    let mut waiting: std::collections::VecDeque<usize> = (0..placing.len()).collect();
    while let Some(k) = waiting.pop_front() {
        let Joined { ends: [a, b], relative, .. } = placing[k];
        let (marker, mut found) = match (of(&poses, a), of(&poses, b)) {
            (Some(first), None) => (b, first.of_marker(a).second(relative)),
            (None, Some(second)) => (a, second.of_marker(b).first(relative)),
            _ => continue,
        };
        let Some(body) = marker.body else { continue };
        used[k] = true;
        by[body] = Some(k);
        found.spin = spin(&bodies[body])?.unwrap_or(found.spin);
        let origin = found.of_body(marker).of_marker(&scope.markers[body][""]);
        poses[body] = Some(of_frame(body, origin)?);
        waiting.extend(of_body[body].iter().filter(|&&other| !used[other]));
    }
    if let Some(k) = (0..placing.len()).find(|&k| !used[k] && placing[k].is_given) {
        let Joined { path, ends, .. } = placing[k];
        let of_joint = || ends.iter().filter_map(|marker| marker.body);
        let (found, accepted) = if let Some(body) = of_joint().find(|&body| poses[body].is_none()) {
            let found = format!("no joint connects `{}` to a body whose position is known", bodies[body].name);
            (found, "a joint from a placed body, or `position` for this body".to_owned())
        } else {
            let first = of_joint().find_map(|body| by[body]).map(|first| &placing[first].path);
            let before = first.map_or_else(String::new, |first| format!(", this joint before `{first}`"));
            let found =
                format!("`{path}` has an initial value, but the positions of both its bodies are already known");
            let instead = "no `position` and `angle` for one of the bodies";
            (found, format!("no initial angle, distance or rate here{before}, or {instead}"))
        };
        return Err(OutOfRange::clause(path, found, accepted));
    }
    let placed = poses.into_iter().enumerate();
    let poses = placed.map(|(number, pose)| pose.map_or_else(|| at_rest(number, Pose::ground()), Ok));
    Ok((poses.collect::<Result<_, _>>()?, by.into_iter().map(|by| Some(numbers[by?])).collect()))
}
