//! Outlines of the bearing at a state, for a drawing.

use std::f64::consts::TAU;

use mbsbench_problem::view::Shape;

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, OUTER};
use super::rotation::axes;
use super::{Bearing, Groove};
use crate::drawing::Part;

/// Points on the arc of a groove.
const POINTS: usize = 33;
/// Half the width of a ring, thickness of a ring at the bottom of its groove, and depth of the groove, in ball
/// diameters; used in drawings only.
const RING: [f64; 3] = [0.75, 0.3, 0.2];
/// Thickness of the cage and half its width, in ball diameters; used in drawings only, since the equations contain
/// just the pockets.
const CAGE_BAND: [f64; 2] = [0.3, 0.62];

impl Bearing {
    /// The bearing seen along its axis, in `x` and `y`: circles of the races, webs of the cage between its
    /// pockets, balls.
    pub fn face(&self, q: &[f64]) -> Vec<Part> {
        let centre = |body: usize| [q[COORDINATES * body], q[COORDINATES * body + 1]];
        let mut shapes = vec![
            ("outer ring", Shape::Circle { centre: centre(OUTER), radius: self.bottom(&self.outer, 1.0) }),
            ("inner ring", Shape::Circle { centre: centre(INNER), radius: self.bottom(&self.inner, -1.0) }),
        ];
        let [cage_x, cage_y, _] = axes(&q[COORDINATES * CAGE + 3..]);
        let cage = centre(CAGE);
        let place =
            |[x, y]: [f64; 2]| [cage[0] + cage_x[0] * x + cage_y[0] * y, cage[1] + cage_x[1] * x + cage_y[1] * y];
        for pocket in 0..self.pockets.centres.len() {
            let web = self.web(pocket).into_iter().map(place).collect();
            shapes.push(("cage", Shape::Outline(web)));
        }
        let ball = |body: usize| Shape::Circle { centre: centre(body), radius: self.ball_radius };
        shapes.extend((BALLS..self.bodies()).map(|body| ("ball", ball(body))));
        shapes
    }

    /// Half of the section through the axis and the centre of ball `ball`, in axial position and distance from the
    /// axis: profiles of the rings, both rims of the cage, ball. Rings are drawn translated, but not tilted.
    pub fn section(&self, q: &[f64], ball: usize) -> Vec<Part> {
        let position = &q[COORDINATES * (BALLS + ball)..][..3];
        let distance = position[0].hypot(position[1]);
        let direction = [position[0] / distance, position[1] / distance];
        let from_axis = |x: &[f64]| x[0] * direction[0] + x[1] * direction[1];
        let profile = |body: usize, groove: &Groove, side: f64| {
            let x = &q[COORDINATES * body..][..3];
            let points = self.profile(groove, side).into_iter();
            Shape::Outline(points.map(|[z, r]| [z + x[2], r + from_axis(x)]).collect())
        };
        let cage = &q[COORDINATES * CAGE..][..3];
        let place = |[z, r]: [f64; 2]| [z + cage[2], r + from_axis(cage) + self.pitch_radius];
        let rim = |side: f64| Shape::Outline(self.rim(side).into_iter().map(place).collect());
        vec![
            ("outer ring", profile(OUTER, &self.outer, 1.0)),
            ("inner ring", profile(INNER, &self.inner, -1.0)),
            ("cage", rim(-1.0)),
            ("cage", rim(1.0)),
            ("ball", Shape::Circle { centre: [position[2], distance], radius: self.ball_radius }),
        ]
    }

    /// Radius of the race at the bottom of its groove, m.
    fn bottom(&self, groove: &Groove, side: f64) -> f64 {
        groove.centre_radius + side * groove.radius
    }

    /// Distances from the pitch circle through the cage's thickness, from the inside to the outside, m.
    fn across_cage(&self) -> impl DoubleEndedIterator<Item = f64> + Clone {
        let half_thickness = CAGE_BAND[0] * self.ball_radius;
        (0..POINTS).map(move |k| half_thickness * (2.0 * k as f64 / (POINTS - 1) as f64 - 1.0))
    }

    /// Outline of the cage between pocket `pocket` and the next one, seen along the axis, in the cage's own axes.
    fn web(&self, pocket: usize) -> Vec<[f64; 2]> {
        let centres = &self.pockets.centres;
        let angle = |k: usize| centres[k % centres.len()][1].atan2(centres[k % centres.len()][0]);
        let (from, span) = (angle(pocket), (angle(pocket + 1) - angle(pocket)).rem_euclid(TAU));
        let (pitch, opening) = (self.pitch_radius, self.ball_radius + self.pockets.clearance);
        // Intersection of the circle of radius `r` with that of the pocket.
        let edge = |r: f64| ((pitch * pitch + r * r - opening * opening) / (2.0 * pitch * r)).acos();
        let at = |r: f64, angle: f64| [r * angle.cos(), r * angle.sin()];
        let along = |r: f64| {
            let (first, last) = (from + edge(r), from + span - edge(r));
            (0..POINTS).map(move |k| at(r, first + (last - first) * k as f64 / (POINTS - 1) as f64))
        };
        let radii = self.across_cage().map(|distance| pitch + distance);
        let (inside, outside) = (pitch - CAGE_BAND[0] * self.ball_radius, pitch + CAGE_BAND[0] * self.ball_radius);
        let mut points: Vec<_> = radii.clone().map(|r| at(r, from + edge(r))).collect();
        points.extend(along(outside));
        points.extend(radii.rev().map(|r| at(r, from + span - edge(r))));
        points.extend(along(inside).collect::<Vec<_>>().into_iter().rev());
        points
    }

    /// Outline of the cage on one side of a ball, in a section through the ball's centre and relative to it.
    fn rim(&self, side: f64) -> Vec<[f64; 2]> {
        let opening = self.ball_radius + self.pockets.clearance;
        let end = side * CAGE_BAND[1] * 2.0 * self.ball_radius;
        let half_thickness = CAGE_BAND[0] * self.ball_radius;
        let mut points: Vec<_> = self.across_cage().map(|r| [side * (opening * opening - r * r).sqrt(), r]).collect();
        points.extend([[end, half_thickness], [end, -half_thickness]]);
        points
    }

    /// Outline of a ring about its own centre, its groove first.
    fn profile(&self, groove: &Groove, side: f64) -> Vec<[f64; 2]> {
        let [half_width, thickness, depth] = RING.map(|share| share * 2.0 * self.ball_radius);
        let reach = (1.0 - depth / groove.radius).acos();
        let arc = (0..POINTS).map(|k| reach * (2.0 * k as f64 / (POINTS - 1) as f64 - 1.0));
        let mut points: Vec<_> = arc
            .map(|angle| [groove.radius * angle.sin(), groove.centre_radius + side * groove.radius * angle.cos()])
            .collect();
        let bottom = self.bottom(groove, side);
        let (shoulder, back) = (bottom - side * depth, bottom + side * thickness);
        points.extend([[half_width, shoulder], [half_width, back], [-half_width, back], [-half_width, shoulder]]);
        points
    }
}
