//! Masses, markers and initial places of bodies.

use std::collections::HashMap;

use mbsbench_problem::OutOfRange;
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::{BodySeen, Names, joints, named_markers, vector};
use crate::definition::{Body, Point, Shape};
use crate::flat::{Part, check_name};
use crate::formula::Formula;
use crate::placing::{Marker, Pose};
use crate::space::{Inertia, Space};

/// Rotation by an angle in the plane, by a vector in space.
fn rotation(
    path: &str,
    names: &Names<'_>,
    angle: Option<&Formula>,
    rotation: Option<&[Formula]>,
) -> Result<Rotation3<f64>, OutOfRange> {
    let in_plane = names.dimension == 2;
    if in_plane && rotation.is_some() {
        return Err(OutOfRange::clause(format!("{path}.rotation"), "`rotation` is for motion in space", "`angle`"));
    }
    if !in_plane && angle.is_some() {
        return Err(OutOfRange::clause(format!("{path}.angle"), "`angle` is for motion in the plane", "`rotation`"));
    }
    let vector = match (angle, rotation) {
        (Some(angle), _) => Vector3::z() * names.number(&format!("{path}.angle"), angle)?,
        (_, Some(rotation)) => vector(&format!("{path}.rotation"), names, rotation, 3)?,
        (None, None) => Vector3::zeros(),
    };
    Ok(Rotation3::new(vector))
}

/// Centre of mass in the frame of the body.
fn centre(names: &Names<'_>, body: &Part<Body>) -> Result<Vector3<f64>, OutOfRange> {
    let centre: Vec<Formula> = body.what.centre.iter().copied().map(Formula::Number).collect();
    if centre.is_empty() {
        Ok(Vector3::zeros())
    } else {
        vector(&format!("{}.centre", body.path), names, &centre, names.dimension)
    }
}

fn marker(
    path: &str,
    names: &Names<'_>,
    body: Option<usize>,
    point: &Point,
    centre: &Vector3<f64>,
) -> Result<Marker, OutOfRange> {
    let at = if point.0.at.is_empty() { Vector3::zeros() } else { vector(path, names, &point.0.at, names.dimension)? };
    let turn = rotation(path, names, point.0.angle.as_ref(), point.0.rotation.as_deref())?;
    Ok(Marker { body, at: at - centre, turn })
}

/// Markers of all bodies, and of the ground behind them; the one without a name is the frame itself.
pub(super) fn markers<'p>(names: &Names<'p>) -> Result<Vec<HashMap<&'p str, Marker>>, OutOfRange> {
    let mut markers = Vec::new();
    for (number, body) in names.parts.bodies.iter().enumerate() {
        let centre = centre(names, body)?;
        let mut own = HashMap::from([("", Marker { body: Some(number), at: -centre, turn: Rotation3::identity() })]);
        for (name, point) in body.what.markers.iter() {
            let path = format!("{}.markers.{name}", body.path);
            check_name(&path, name)?;
            own.insert(&**name, marker(&path, names, Some(number), point, &centre)?);
        }
        markers.push(own);
    }
    let zero = Vector3::zeros();
    let mut ground = HashMap::from([("", Marker { body: None, at: zero, turn: Rotation3::identity() })]);
    for part in &names.parts.ground {
        ground.insert(&*part.name, marker(&part.path, names, None, &part.what, &zero)?);
    }
    markers.push(ground);
    Ok(markers)
}

/// What is seen of the bodies.
pub(super) fn seen(names: &Names<'_>) -> Result<Vec<BodySeen>, OutOfRange> {
    let of = |((number, body), held): ((usize, &Part<Body>), Vec<Vector3<f64>>)| {
        let middle = match &body.what.drawn_at {
            Some(point) => {
                marker(&format!("{}.drawn-at", body.path), names, Some(number), point, &centre(names, body)?)?
            }
            None => Marker { body: Some(number), at: Vector3::zeros(), turn: Rotation3::identity() },
        };
        let (name, shape) = (body.name.clone(), body.what.shape.clone());
        Ok(BodySeen { name, shape, middle, markers: named_markers(names, number), held })
    };
    names.parts.bodies.iter().enumerate().zip(held(names)).map(of).collect()
}

/// Points at which joints hold each body: first those at which it hangs, since it has the joint's second marker or the other
/// one is on the ground. Those of rods are left out, as the rod is drawn.
fn held(names: &Names<'_>) -> impl Iterator<Item = Vec<Vector3<f64>>> {
    let bodies = &names.parts.bodies;
    let is_rod = |body: usize| matches!(bodies[body].what.shape, Some(Shape::Rod(_)));
    let mut hangs = vec![Vec::new(); bodies.len()];
    let mut others = hangs.clone();
    for [first, second] in joints::pairs(names) {
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

/// Mass and moments of inertia, as given or by the shape.
pub(super) fn inertia<X: Space>(names: &Names<'_>, body: &Part<Body>) -> Result<Inertia, OutOfRange> {
    let at = |field: &str| format!("{}.{field}", body.path);
    let Body { mass, density, inertia, shape, drawn_at, .. } = &body.what;
    let mass = match (mass, density, shape) {
        (Some(mass), None, _) => *mass,
        (Some(_), Some(_), _) => {
            return Err(OutOfRange::clause(at("density"), "`density` is given beside `mass`", "one of the two"));
        }
        (None, Some(density), Some(shape)) if shape.volume() > 0.0 => density * shape.volume(),
        (None, Some(density), _) => {
            return Err(OutOfRange::new(
                at("density"),
                density,
                "`shape` with a volume (radius, thickness) beside it, or `mass`",
            ));
        }
        (None, None, _) => return Err(OutOfRange::new(at("mass"), "missing", "a mass, or a density with a shape")),
    };
    let numbers: Vec<f64> = inertia
        .0
        .iter()
        .enumerate()
        .map(|(k, formula)| {
            names.number(&if inertia.0.len() == 1 { at("inertia") } else { at(&format!("inertia.{k}")) }, formula)
        })
        .collect::<Result<_, _>>()?;
    // Of a shape that is drawn elsewhere the moments about the centre of mass are unknown.
    let about_centre = match (X::DIMENSION, &*numbers, shape.as_ref().filter(|_| drawn_at.is_none())) {
        (_, [], Some(shape)) => {
            let [x, y, z] = shape.inertia().map(|each| mass * each);
            [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
        }
        (2, &[z], _) => [[0.0; 3], [0.0; 3], [0.0, 0.0, z]],
        (3, &[x, y, z], _) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        (3, &[xx, yy, zz, xy, xz, yz], _) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        _ => {
            let accepted = if X::DIMENSION == 2 {
                "one moment, or a shape"
            } else {
                "three moments, six entries of the matrix, or a shape"
            };
            return Err(match numbers.len() {
                0 => OutOfRange::new(at("inertia"), "missing", accepted),
                1 => OutOfRange::clause(at("inertia"), format!("`{}` has 1 number", at("inertia")), accepted),
                count => {
                    OutOfRange::clause(at("inertia"), format!("`{}` has {count} numbers", at("inertia")), accepted)
                }
            });
        }
    };
    let moments = Matrix3::from_fn(|i, j| about_centre[i][j]).symmetric_eigenvalues();
    let (least, most) = (moments.min(), moments.max());
    let is_positive = if X::DIMENSION == 2 { about_centre[2][2] > 0.0 } else { least > 0.0 };
    if !is_positive {
        let accepted = "moments above zero: give `inertia`, or a `shape` with extent (a rod in space with a radius)";
        let found = format!("`{}` has the moments {:?}", at("inertia"), moments.as_slice());
        return Err(OutOfRange::clause(at("inertia"), found, accepted));
    }
    // of a mass that is spread, no principal moment is larger than the sum of the others
    if X::DIMENSION == 3 && most > (moments.sum() - most) * (1.0 + 1e-9) {
        let accepted = "principal moments of which none is larger than the sum of the others";
        let found = format!("`{}` has the principal moments {:?}", at("inertia"), moments.as_slice());
        return Err(OutOfRange::clause(at("inertia"), found, accepted));
    }
    Ok(Inertia { mass, about_centre })
}

/// Where a body is written to be.
fn written(names: &Names<'_>, body: &Part<Body>) -> Result<Option<Pose>, OutOfRange> {
    let Body { position, angle, rotation: vector_of, .. } = &body.what;
    let turn = rotation(&body.path, names, angle.as_ref(), vector_of.as_deref())?;
    if position.is_none() && angle.is_none() && vector_of.is_none() {
        return Ok(None);
    }
    let at = match position {
        Some(position) => vector(&format!("{}.position", body.path), names, position, names.dimension)?,
        None => Vector3::zeros(),
    };
    let angle = match angle {
        Some(angle) => names.number(&format!("{}.angle", body.path), angle)?,
        None => 0.0,
    };
    of_origin(names, body, &Pose { at, turn, angle, ..Pose::ground() }).map(Some)
}

/// The angular velocity where it is written.
fn spin(names: &Names<'_>, body: &Part<Body>) -> Result<Option<Vector3<f64>>, OutOfRange> {
    let Body { rate, spin, .. } = &body.what;
    let at = |field: &str| format!("{}.{field}", body.path);
    match (names.dimension, rate, spin) {
        (2, _, Some(_)) => Err(OutOfRange::clause(at("spin"), "`spin` is for motion in space", "`rate`")),
        (3, Some(_), _) => Err(OutOfRange::clause(at("rate"), "`rate` is for motion in the plane", "`spin`")),
        (_, Some(rate), _) => Ok(Some(Vector3::z() * names.number(&at("rate"), rate)?)),
        (_, _, Some(spin)) => vector(&at("spin"), names, spin, 3).map(Some),
        _ => Ok(None),
    }
}

/// The velocity of the frame's origin where it is written.
fn velocity(names: &Names<'_>, body: &Part<Body>) -> Result<Option<Vector3<f64>>, OutOfRange> {
    let Some(velocity) = &body.what.velocity else { return Ok(None) };
    vector(&format!("{}.velocity", body.path), names, velocity, names.dimension).map(Some)
}

/// The body of a frame whose origin is here, with the motion that is written, and none where nothing is.
fn of_origin(names: &Names<'_>, body: &Part<Body>, origin: &Pose) -> Result<Pose, OutOfRange> {
    let zero = Vector3::zeros();
    let velocity = velocity(names, body)?.unwrap_or(zero);
    let moving = Pose { velocity, spin: spin(names, body)?.unwrap_or(zero), ..*origin };
    Ok(moving.of_body(&frame(names, body)?))
}

/// The body whose marker is here by a joint, with the motion that is written, and that of the marker where nothing is.
fn with_motion(names: &Names<'_>, body: &Part<Body>, marker: &Marker, mut found: Pose) -> Result<Pose, OutOfRange> {
    found.spin = spin(names, body)?.unwrap_or(found.spin);
    let placed = found.of_body(marker);
    let origin = placed.of_marker(&frame(names, body)?);
    let velocity = velocity(names, body)?.unwrap_or(origin.velocity);
    Ok(Pose { velocity, ..origin }.of_body(&frame(names, body)?))
}

/// The marker of a body that is its frame.
fn frame(names: &Names<'_>, body: &Part<Body>) -> Result<Marker, OutOfRange> {
    Ok(Marker { body: None, at: -centre(names, body)?, turn: Rotation3::identity() })
}

/// Where all bodies are: as written, or by the first joint to one that is placed, or at the origin.
pub(super) fn place(names: &Names<'_>) -> Result<Vec<Pose>, OutOfRange> {
    let mut poses: Vec<Option<Pose>> = Vec::new();
    for body in &names.parts.bodies {
        poses.push(written(names, body)?);
    }
    let placing = joints::placing(names)?;
    let mut used = vec![false; placing.len()];
    let of = |poses: &[Option<Pose>], marker: &Marker| marker.body.map_or(Some(Pose::ground()), |body| poses[body]);
    // Joints of each body, so that a chain of many is placed in as many steps.
    let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); poses.len()];
    for (k, joint) in placing.iter().enumerate() {
        joint.markers.iter().filter_map(|marker| marker.body).for_each(|body| of_body[body].push(k));
    }
    let mut waiting: std::collections::VecDeque<usize> = (0..placing.len()).collect();
    while let Some(k) = waiting.pop_front() {
        let joint = &placing[k];
        let [a, b] = &joint.markers;
        let (marker, found) = match (of(&poses, a), of(&poses, b)) {
            (Some(first), None) => (b, first.of_marker(a).second(&joint.relative)),
            (None, Some(second)) => (a, second.of_marker(b).first(&joint.relative)),
            _ => continue,
        };
        let Some(body) = marker.body else { continue };
        used[k] = true;
        poses[body] = Some(with_motion(names, &names.parts.bodies[body], marker, found)?);
        waiting.extend(of_body[body].iter().filter(|&&other| !used[other]));
    }
    if let Some(k) = (0..placing.len()).find(|&k| !used[k] && placing[k].is_given) {
        let path = &placing[k].path;
        let found = format!("`{path}` has an initial value, but both its bodies are placed without this joint");
        let accepted = "no initial angle, distance or rate here, or no `position` and `angle` for one of the bodies";
        return Err(OutOfRange::clause(path, found, accepted));
    }
    let mut placed = Vec::new();
    for (pose, body) in poses.into_iter().zip(&names.parts.bodies) {
        placed.push(match pose {
            Some(pose) => pose,
            None => of_origin(names, body, &Pose::ground())?,
        });
    }
    Ok(placed)
}
