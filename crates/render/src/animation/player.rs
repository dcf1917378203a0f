//! An animation as a self-playing SVG. Without its script, and on paper, it is the still drawing.

use std::fmt::Write as _;

use mbsbench_numbers::decimal;

use super::track::{SCALES, Track};
use super::{Animation, decimals};
use crate::drawing::{Drawing, Group, Part, Shape};
use crate::svg;
use crate::text::Text;

/// The script that plays the animation.
const PLAYER: &str = include_str!("player.js");
/// Height of the controls below the drawing, px.
const CONTROLS: f64 = 38.0;

/// Writes the document. Only the shapes of series move; axes and legends stay as in the still drawing.
pub fn svg(animation: &Animation) -> String {
    let Animation { frames, start, step, speed, still } = animation;
    let mut drawing = frames[*still].clone();
    let mut tracks = String::new();
    let mut number = 0;
    for (place, index) in of_series(&frames[*still]).into_iter().enumerate() {
        let nothing = Group { shapes: Vec::new(), ..frames[*still].groups[index].clone() };
        let group = |frame| of_series(frame).get(place).map_or(&nothing, |&index| &frame.groups[index]);
        let groups: Vec<&Group> = frames.iter().map(group).collect();
        if let Some(track) = Track::of(&groups, *still).write() {
            let _ = write!(tracks, "{}{track}", if number > 0 { ",\n" } else { "" });
            let group = &mut drawing.groups[index];
            let Part::Series(name) = &group.part else { continue };
            group.part = Part::Moving { series: name.clone(), number };
            number += 1;
        }
    }
    mark_time(&mut drawing, &super::time_text(start + *still as f64 * step, *step));
    let [light, dark] = [false, true].map(svg::theme);
    let rules = svg::rules();
    let [unit, angle] = SCALES;
    let further = format!(
        "<style>:root{{color-scheme:light dark;{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\
         @media print{{:root{{{light}}}foreignObject{{display:none}}}}{rules}</style>\n\
         <script><![CDATA[\n\"use strict\";\nconst film = {{\"start\":{},\"step\":{},\"count\":{},\"speed\":{},\
         \"still\":{still},\"decimals\":{},\"unit\":{unit},\"angle\":{angle},\"width\":{},\"top\":{},\
         \"moving\":[\n{tracks}]}};\n{PLAYER}]]></script>\n",
        decimal(*start),
        decimal(*step),
        frames.len(),
        decimal(*speed),
        decimals(*step),
        drawing.width,
        drawing.height,
    );
    svg::write_with(&drawing, CONTROLS, &further)
}

/// Returns the indices of the groups of series.
fn of_series(drawing: &Drawing) -> Vec<usize> {
    let is_of_series = |&index: &usize| matches!(drawing.groups[index].part, Part::Series(_));
    (0..drawing.groups.len()).filter(is_of_series).collect()
}

/// Moves the text with the time into a group of its own.
fn mark_time(drawing: &mut Drawing, time: &str) {
    let time = Text::markup(time).flat();
    let says_time = |shape: &Shape| if let Shape::Text { text, .. } = shape { text.flat() == time } else { false };
    let found = drawing.groups.iter_mut().find_map(|group| {
        let index = group.shapes.iter().position(says_time)?;
        Some(Group { ink: group.ink, part: Part::Time, shapes: vec![group.shapes.remove(index)] })
    });
    drawing.groups.extend(found);
}
