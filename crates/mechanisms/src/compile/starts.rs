//! Other initial values with which the joints of a mechanism close.

use super::compiled::Compiled;
use super::gauge::pose;
use super::joints::Joined;
use super::scope::Scope;
use crate::assembly::{self, Linearised};
use crate::joint_space::{Freedom, angle_about};
use crate::placement::{Marker, Pose};
use crate::space::Space;

/// Number of other starts, each farther from the given one.
const STARTS: usize = 12;

/// Largest number of coordinates for which other starts are tried.
const MOST_COORDINATES: usize = 200;

/// Returns the initial values that have to change, and their values, so that all joints close within `most`; `None` if
/// no such values are found.
pub(super) fn other<X: Space>(
    scope: &Scope<'_>,
    compiled: &Compiled<X>,
    weights: &[f64],
    most: f64,
) -> Option<Vec<String>> {
    let start = &compiled.initial[0];
    if start.len() > MOST_COORDINATES {
        return None;
    }
    let [length, _] = compiled.system.sizes(start);
    let mut linearised = Linearised::new(&compiled.system);
    let found = (1..=STARTS).find_map(|k| {
        let mut q = start.clone();
        for (j, q) in q.iter_mut().enumerate().filter(|(j, _)| weights[*j] <= 1.0) {
            let unit = if j % X::COORDINATES < X::DIMENSION { length } else { 3.0 };
            *q += unit * (k as f64 / STARTS as f64) * (12.9898 * (j + 1) as f64 + 78.233 * k as f64).sin();
        }
        assembly::close(&mut |q| linearised.at(q), &mut q, weights, most).ok()?;
        compiled.turned(&q).is_none().then_some(q)
    })?;
    let found: Vec<Pose> = found.chunks(X::COORDINATES).map(pose::<X>).collect();
    let [before, after] = [&scope.poses, &found].map(|poses| values(scope, poses));
    let unlike = |(before, after): (Value, Value)| {
        let is_unlike = before.1.iter().zip(&after.1).any(|(before, after)| (before - after).abs() > 1e-3);
        is_unlike.then(|| match &after.1[..] {
            [one] => format!("`{}: {one}`", after.0),
            several => format!("`{}: {several:?}`", after.0),
        })
    };
    Some(before.into_iter().zip(after).filter_map(unlike).collect())
}

/// A path in the file, and the numbers there.
type Value = (String, Vec<f64>);

/// The initial values that give bodies these poses, rounded: of the joint that places a body if it has any, and
/// otherwise of the body.
fn values(scope: &Scope<'_>, poses: &[Pose]) -> Vec<Value> {
    let of = |marker: &Marker| marker.body.map_or_else(Pose::ground, |body| poses[body]).of_marker(marker);
    let mut values = Vec::new();
    for (number, body) in scope.parts.bodies.iter().enumerate() {
        let mut put = |path: &str, key: &str, numbers: &[f64]| {
            let round = |x: &f64| if x.abs() < 1e-9 { 0.0 } else { format!("{x:.3e}").parse().unwrap_or(*x) };
            let rounded = numbers.iter().map(round);
            values.push((format!("{path}.{key}"), rounded.collect()));
        };
        let joined = scope.placed_by[number].and_then(|joint| scope.joined[joint].as_ref());
        let freedom = joined.and_then(|joined| joined.freedom);
        let turns = matches!(freedom, Some(Freedom::Turn(..) | Freedom::Sleeve(..)));
        let slides = matches!(freedom, Some(Freedom::Slide(_) | Freedom::Sleeve(..)));
        if let Some(Joined { path, ends: [a, b], axis, .. }) = joined.filter(|_| turns || slides) {
            let (a, b) = (of(a), of(b));
            let back = a.turn.inverse();
            if turns {
                put(path, "angle", &[angle_about(axis, &(back * b.turn))]);
            }
            if slides {
                put(path, "distance", &[axis.dot(&(back * (b.at - a.at)))]);
            }
        } else {
            let Pose { at, turn, .. } = poses[number].of_marker(&scope.markers[number][""]);
            let (first, key) = if scope.dimension == 2 { (2, "angle") } else { (0, "rotation") };
            put(&body.path, "position", &at.as_slice()[..scope.dimension]);
            put(&body.path, key, &turn.scaled_axis().as_slice()[first..]);
        }
    }
    values
}
