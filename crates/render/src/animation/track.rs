//! The motion of shapes from drawing to drawing, written with as few numbers as an accuracy of a tenth of a pixel
//! requires.

use std::fmt::Write as _;

use mbsbench_numbers::simplify_path;

use crate::canvas::{UNITS, corners, place, units};
use crate::drawing::{Group, Shape};
use crate::svg::data;

/// The largest error of a point, px.
const NEAR: f64 = 0.1;
/// Angle units per degree.
const ANGLES: f64 = 100.0;

/// The motion of a group of lines.
pub(super) enum Track {
    /// The group does not move.
    Still,
    /// The group moves as a rigid body.
    Rigid {
        /// The reference point of the motion in the still drawing, in units of the picture.
        about: [i32; 2],
        /// The position of that point in each drawing with the group, and the angle, hundredths of a degree.
        poses: Vec<[i32; 3]>,
    },
    /// The group has its own path in each drawing; the path is empty if the group is not drawn.
    Redrawn(Vec<String>),
}

impl Track {
    /// Returns the motion of a shape that is drawn as `groups`; the one with index `still` is shown if nothing moves.
    pub fn of(groups: &[&Group], still: usize) -> Self {
        let lines: Vec<Vec<&[[f64; 2]]>> = groups.iter().map(|group| lines(group)).collect();
        if lines.iter().all(|each| *each == lines[0]) {
            return Self::Still;
        }
        rigid(&lines, still).unwrap_or_else(|| Self::Redrawn(lines.iter().map(|lines| path(lines)).collect()))
    }

    /// Writes the motion as JSON; `None` if the group does not move.
    pub fn write(&self) -> Option<String> {
        match self {
            Self::Still => None,
            Self::Rigid { about: [x, y], poses } => {
                let rows = [0, 1, 2].map(|k| format!("\"{}\"", differences(poses.iter().map(|pose| pose[k]))));
                Some(format!("{{\"about\":[{x},{y}],\"there\":{},\"pose\":[{}]}}", poses.len(), rows.join(",")))
            }
            Self::Redrawn(paths) => Some(format!("{{\"path\":[\"{}\"]}}", paths.join("\",\""))),
        }
    }
}

fn lines(group: &Group) -> Vec<&[[f64; 2]]> {
    group.shapes.iter().filter_map(Shape::points).collect()
}

/// Returns the motion as that of a rigid body, if it is one within the accuracy. The group may disappear from some
/// drawing on.
fn rigid(lines: &[Vec<&[[f64; 2]]>], still: usize) -> Option<Track> {
    let there = lines.iter().take_while(|lines| !lines.is_empty()).count();
    if still >= there || lines[there..].iter().any(|lines| !lines.is_empty()) {
        return None;
    }
    let points: Vec<Vec<[f64; 2]>> = lines[..there].iter().map(|lines| lines.concat()).collect();
    let from = &points[still];
    let lengths = |lines: &[&[[f64; 2]]]| lines.iter().map(|line| line.len()).collect::<Vec<_>>();
    if lines[..there].iter().any(|other| lengths(other) != lengths(&lines[still])) {
        return None;
    }
    let about = middle(from);
    let mut before = 0.0;
    let mut poses = Vec::with_capacity(there);
    for to in &points {
        let (at, angle) = placed(from, about, to)?;
        // The angle continues from the previous one, so that differences are small.
        before += (angle - before + 180.0).rem_euclid(360.0) - 180.0;
        poses.push([units(at[0]), units(at[1]), (ANGLES * before).round() as i32]);
    }
    Some(Track::Rigid { about: about.map(units), poses })
}

fn middle(points: &[[f64; 2]]) -> [f64; 2] {
    let sum = points.iter().fold([0.0; 2], |[x, y], point| [x + point[0], y + point[1]]);
    sum.map(|sum| sum / points.len() as f64)
}

/// Returns the displaced point `about` and the angle, degrees, of the rigid motion that maps `from` to `to`; `None` if
/// there is no such motion.
fn placed(from: &[[f64; 2]], about: [f64; 2], to: &[[f64; 2]]) -> Option<([f64; 2], f64)> {
    let at = middle(to);
    let arm = |point: &[f64; 2], middle: [f64; 2]| [point[0] - middle[0], point[1] - middle[1]];
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (one, other) in from.iter().zip(to) {
        let ([x, y], [u, v]) = (arm(one, about), arm(other, at));
        sine += x * v - y * u;
        cosine += x * u + y * v;
    }
    let angle = sine.atan2(cosine);
    let (sin, cos) = angle.sin_cos();
    let is_near = |(one, other): (&[f64; 2], &[f64; 2])| {
        let ([x, y], [u, v]) = (arm(one, about), arm(other, at));
        (x * cos - y * sin - u).hypot(x * sin + y * cos - v) < NEAR
    };
    from.iter().zip(to).all(is_near).then(|| (at, angle.to_degrees()))
}

/// Returns the path of some lines without points that can be omitted.
fn path(lines: &[&[[f64; 2]]]) -> String {
    let kept = |points: &[[f64; 2]]| simplify_path(points, NEAR).into_iter().map(|k| place(points[k])).collect();
    data(&lines.iter().map(|points| corners(kept(points))).collect::<Vec<_>>())
}

/// Writes the first number and the difference from each number to the next, without trailing zeros.
fn differences(numbers: impl Iterator<Item = i32>) -> String {
    let mut before = 0;
    let mut steps: Vec<i32> = numbers.map(|number| number - std::mem::replace(&mut before, number)).collect();
    while steps.len() > 1 && steps.last() == Some(&0) {
        steps.pop();
    }
    let mut text = String::new();
    for (k, step) in steps.iter().enumerate() {
        let _ = write!(text, "{}{step}", if k > 0 && *step >= 0 { " " } else { "" });
    }
    text
}

/// Picture units per pixel and angle units per degree, for the script.
pub(super) const SCALES: [f64; 2] = [UNITS, ANGLES];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{Ink, Part};
    use crate::style::Dash;

    fn group(points: Vec<[f64; 2]>) -> Group {
        let shapes =
            if points.is_empty() { Vec::new() } else { vec![Shape::Line { points, width: 1.0, dash: Dash::Solid }] };
        Group { ink: Ink::Grid, part: Part::Scaffold, shapes }
    }

    /// Returns a triangle that is turned about its centre by an angle, degrees, and displaced.
    fn triangle(angle: f64, by: [f64; 2]) -> Vec<[f64; 2]> {
        let corner = |k: u32| {
            let (sin, cos) = (angle + [0.0, 130.0, 250.0][k as usize]).to_radians().sin_cos();
            [by[0] + 50.0 * cos, by[1] + 50.0 * sin]
        };
        (0..3).map(corner).collect()
    }

    #[test]
    fn a_rotating_body_takes_three_numbers_per_frame() {
        let groups = [0.0, 170.0, 340.0].map(|angle| group(triangle(angle, [100.0 + angle, 80.0])));
        let Track::Rigid { about, poses } = Track::of(&groups.each_ref(), 0) else { panic!("not rigid") };
        let steps: Vec<[i32; 3]> = poses.iter().map(|[x, y, angle]| [x - about[0], y - about[1], *angle]).collect();
        assert_eq!(steps[0], [0, 0, 0]);
        assert_eq!((steps[1][2], steps[2][2]), (17_000, 34_000), "angles go on beyond half a turn");
        let text = Track::of(&groups.each_ref(), 0).write().unwrap();
        assert!(text.ends_with("\"0 17000 17000\"]}"), "{text}");
    }

    #[test]
    fn missing_bodies_are_hidden_and_bent_ones_are_paths() {
        let (first, second) = (group(triangle(0.0, [100.0; 2])), group(triangle(90.0, [100.0; 2])));
        let nothing = group(Vec::new());
        let Track::Rigid { poses, .. } = Track::of(&[&first, &second, &nothing], 0) else { panic!("not rigid") };
        assert_eq!(poses.len(), 2);
        let bent = group(vec![[0.0; 2], [5.0, 0.05], [10.0, 0.0], [10.0, 40.0]]);
        let Track::Redrawn(paths) = Track::of(&[&first, &bent, &nothing], 0) else { panic!("rigid") };
        assert_eq!(
            paths[1..],
            ["m0 0 100 0 0 400".to_owned(), String::new()],
            "a point that is not missed is left out"
        );
        assert!(Track::of(&[&first, &first], 1).write().is_none());
    }

    #[test]
    fn numbers_are_written_as_differences() {
        assert_eq!(differences([5, 7, 4, 4, 4].into_iter()), "5 2-3");
        assert_eq!(differences([-5, -5].into_iter()), "-5");
    }
}
