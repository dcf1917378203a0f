//! Layout of a panel, a pair of axes.

mod words;

use super::super::drawing::{Anchor, Area, Drawing, EdgeScale, Group, Ink, Part, Shape};
use super::super::figure::{Axis, Panel, Scale};
use super::super::kinds::Place;
use super::super::marks::{Map, marker, rows};
use super::super::style::Dash;
use super::super::text::{Text, wrap};
use super::super::thin::{extent, seen_values};
use super::super::ticks::{Tick, Ticks, axis_range, ticks};
use super::ends::Ends;
use super::legend::Legend;
use super::names::Names;
use super::{LABEL_SIZE, LEADING, TICK_SIZE, area, baseline, foreground, text};

/// The length of a labelled tick inside the frame, px.
const TICK: f64 = 5.0;
/// The distance between the frame and tick labels, px.
const TICK_GAP: f64 = 6.0;
/// The height of a row of marks on a margin, and the distance between the first row and the frame, px.
const STRIP_ROW: f64 = 10.0;
const STRIP_GAP: f64 = 10.0;
/// The width of the strip left of a logarithmic axis for values that are not positive, px.
const STRIP_WIDTH: f64 = 38.0;

/// A panel with known axes, whose frame is being fitted.
pub struct Prepared<'f> {
    panel: &'f Panel,
    letter: Option<usize>,
    frame_height: f64,
    x_range: [f64; 2],
    y_range: [f64; 2],
    x_ticks: Ticks,
    y_ticks: Ticks,
    title: Vec<Text>,
    /// The names below an axis with names.
    names: Names,
    x_label: Vec<Text>,
    y_label: Vec<Text>,
    failures: Vec<Mark>,
    zeros: Vec<Mark>,
    /// Points whose `x` a logarithmic axis cannot show.
    left_zeros: Vec<Mark>,
    /// The width left of the frame, px.
    pub left: f64,
    frame_width: f64,
    pub legend: Legend,
    /// The names beside the frame.
    ends: Ends,
}

/// A mark on a margin: its series, its value along the margin, and after fitting its row and position.
struct Mark {
    series: usize,
    value: f64,
    hollow: bool,
    row: usize,
    place: f64,
}

impl<'f> Prepared<'f> {
    /// Determines ranges and vertical ticks. `letter` is the index of the panel if there are several.
    pub fn new(panel: &'f Panel, letter: Option<usize>, frame_height: f64, ends: Ends) -> Self {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let shown = |axis: &Axis, value: f64| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
        let drawn = || points().filter(|point| shown(&panel.x, point.x) && shown(&panel.y, point.y));
        let failed = panel.series.iter().flat_map(|series| &series.failures).map(|failure| failure.x);
        let zero_y = points().filter(|point| !shown(&panel.y, point.y)).map(|point| point.x);
        let xs = drawn().map(|point| point.x).chain(failed).chain(zero_y).filter(|&x| shown(&panel.x, x));
        let ys = seen_values(panel).into_iter().filter(|&y| shown(&panel.y, y));
        let x_air = if panel.x.scale == Scale::Log { 0.05 } else { 0.0 };
        let x_range = match panel.x.names.len() {
            0 => axis_range(panel.x.scale, panel.x.range, extent(xs), x_air),
            count => [-0.5, count as f64 - 0.5],
        };
        let bases = panel.series.iter().filter_map(|series| series.kind.plot().base());
        let (y_range, y_ticks) = if panel.y.names.is_empty() {
            let range = axis_range(panel.y.scale, panel.y.range, extent(ys.chain(bases)), 0.04);
            (range, ticks(panel.y.scale, range, (frame_height / 28.0) as usize))
        } else {
            ([-0.5, panel.y.names.len() as f64 - 0.5], named(&panel.y.names))
        };

        let mark = |series: usize, value: f64, hollow: bool| Mark { series, value, hollow, row: 0, place: 0.0 };
        let numbered = || panel.series.iter().enumerate();
        let failures =
            numbered().flat_map(|(index, series)| series.failures.iter().map(move |of| mark(index, of.x, false)));
        let points = || numbered().flat_map(|(index, series)| series.points.iter().map(move |point| (index, point)));
        let zeros =
            points().filter(|(_, point)| point.x.is_finite() && point.y.is_finite() && !shown(&panel.y, point.y));
        let left_zeros =
            points().filter(|(_, point)| point.x.is_finite() && !shown(&panel.x, point.x) && shown(&panel.y, point.y));

        let mut prepared = Self {
            panel,
            letter,
            frame_height,
            x_range,
            y_range,
            x_ticks: Ticks::default(),
            y_label: lines(&panel.y.text(), LABEL_SIZE, frame_height),
            title: Vec::new(),
            names: Names::default(),
            x_label: Vec::new(),
            failures: failures.collect(),
            zeros: zeros.map(|(index, point)| mark(index, point.x, point.hollow)).collect(),
            left_zeros: left_zeros.map(|(index, point)| mark(index, point.y, point.hollow)).collect(),
            left: 0.0,
            frame_width: 0.0,
            legend: Legend::default(),
            ends,
            y_ticks,
        };
        let failed = (!prepared.failures.is_empty()).then(|| Text::plain("failed"));
        let zero = (!prepared.zeros.is_empty()).then(|| Text::plain(prepared.zero_label()));
        let labels = prepared.y_ticks.major.iter().map(|tick| &tick.label).chain(&failed).chain(&zero);
        prepared.left = labels.map(|label| label.width(TICK_SIZE)).fold(0.0, f64::max)
            + TICK_GAP
            + prepared.strip_width()
            + prepared.y_label.len() as f64 * LABEL_SIZE * LEADING
            + if prepared.y_label.is_empty() { 0.0 } else { 5.0 };
        prepared
    }

    /// Returns the label of values that a logarithmic axis cannot show.
    fn zero_label(&self) -> &'static str {
        let negative = self.panel.series.iter().flat_map(|series| &series.points).any(|point| point.y < 0.0);
        if negative { "≤ 0" } else { "0" }
    }

    fn strip_width(&self) -> f64 {
        if self.left_zeros.is_empty() { 0.0 } else { STRIP_WIDTH }
    }

    /// Returns the width needed beside the frame for names of curves and for the last tick label. The overhang of that
    /// label is estimated for a frame that ends `10` px before the cell.
    pub fn overhang(&self, cell_width: f64) -> f64 {
        let width = cell_width - self.left - self.ends.width().max(10.0);
        let ticks = self.fit_x_ticks(width);
        let map = Map { scale: self.panel.x.scale, range: self.x_range, ends: [0.0, width] };
        let reach = |tick: &Tick| map.tick(tick.value) + tick.label.width(TICK_SIZE) / 2.0;
        ticks.major.last().map_or(0.0, |tick| reach(tick) - width + 2.0).max(self.ends.width())
    }

    /// Returns horizontal ticks whose labels do not touch.
    fn fit_x_ticks(&self, width: f64) -> Ticks {
        if !self.panel.x.names.is_empty() {
            return Ticks::default();
        }
        let map = Map { scale: self.panel.x.scale, range: self.x_range, ends: [0.0, width] };
        let mut found = Ticks::default();
        for most in (4..=10).rev() {
            found = ticks(self.panel.x.scale, self.x_range, most);
            let ends = found.major.iter().map(|tick| (map.tick(tick.value), tick.label.width(TICK_SIZE) / 2.0));
            let ends: Vec<_> = ends.collect();
            if ends.windows(2).all(|pair| pair[0].0 + pair[0].1 + 0.7 * TICK_SIZE <= pair[1].0 - pair[1].1) {
                break;
            }
        }
        found
    }

    /// Fits the frame into a cell of this width, with `right` px beside it.
    pub fn set_width(&mut self, cell_width: f64, right: f64) {
        self.frame_width = cell_width - self.left - right;
        if self.panel.to_scale {
            self.draw_to_scale();
        }
        self.x_ticks = self.fit_x_ticks(self.frame_width);
        self.names = Names::fitted(&self.panel.x.names, self.frame_width);
        let note = self.x_ticks.note().map_or(0.0, |note| note.width(TICK_SIZE) + 10.0);
        self.x_label = lines(&self.panel.x.text(), LABEL_SIZE, self.frame_width - 2.0 * note);
        let letter = self.letter.map(|index| format!("({}) ", letters(index))).unwrap_or_default();
        self.title = lines(format!("{letter}{}", self.panel.title).trim_end(), LABEL_SIZE, self.frame_width);
        self.legend = Legend::of(self.panel, &self.ends, cell_width);

        let map = Map { scale: self.panel.x.scale, range: self.x_range, ends: [0.0, self.frame_width] };
        for marks in [&mut self.failures, &mut self.zeros] {
            marks.retain(|mark| mark.value.is_finite());
            // A value that is not positive is placed at the left end of a logarithmic axis.
            let plot = |mark: &Mark| self.panel.series[mark.series].kind.plot();
            let shift = |mark: &Mark| plot(mark).shift(self.panel, mark.series, self.frame_width);
            let places: Vec<f64> = marks.iter().map(|mark| map.tick(mark.value) + shift(mark)).collect();
            for (mark, (row, place)) in marks.iter_mut().zip(rows(&places)) {
                (mark.row, mark.place) = (row, place.min(self.frame_width));
            }
        }
    }

    /// Widens the range of one axis so that a unit has the same length on both.
    fn draw_to_scale(&mut self) {
        let sizes = [self.frame_width, self.frame_height];
        let lengths = [self.x_range, self.y_range].map(|[low, high]| high - low);
        let unit = (lengths[0] / sizes[0]).max(lengths[1] / sizes[1]);
        for (range, size) in [&mut self.x_range, &mut self.y_range].into_iter().zip(sizes) {
            let middle = 0.5 * (range[0] + range[1]);
            *range = [middle - 0.5 * unit * size, middle + 0.5 * unit * size];
        }
        self.y_ticks = ticks(self.panel.y.scale, self.y_range, (self.frame_height / 28.0) as usize);
    }

    fn strip_height(marks: &[Mark]) -> f64 {
        let rows = marks.iter().map(|mark| mark.row + 1).max();
        rows.map_or(0.0, |rows| STRIP_GAP + rows as f64 * STRIP_ROW)
    }

    fn note_height(&self) -> f64 {
        if self.y_ticks.note().is_some() { TICK_SIZE * 1.6 } else { 0.0 }
    }

    /// Returns the height above the frame, px.
    pub fn above(&self) -> f64 {
        let title = self.title.len() as f64 * LABEL_SIZE * LEADING + if self.title.is_empty() { 2.0 } else { 5.0 };
        title + self.note_height() + Self::strip_height(&self.failures) + 4.0
    }

    /// Returns the distance from the frame down to the axis text, px.
    fn ticks_below(&self) -> f64 {
        let labels = if self.panel.x.names.is_empty() { TICK_SIZE * 1.45 } else { self.names.height() };
        Self::strip_height(&self.zeros) + TICK_GAP + labels
    }

    fn label_below(&self) -> f64 {
        let lines = self.x_label.len().max(usize::from(self.x_ticks.note().is_some()));
        lines as f64 * LABEL_SIZE * LEADING
    }

    /// Returns the height below the frame including the legend, px.
    pub fn below(&self) -> f64 {
        let legend = if self.legend.is_empty() { 0.0 } else { self.legend.height() + 8.0 };
        self.ticks_below() + self.label_below() + legend
    }

    /// Draws the panel in the cell that begins at `left`, with the frame beginning at `top`.
    pub fn draw(&self, drawing: &mut Drawing, left: f64, top: f64, cell_width: f64) {
        let frame = area(left + self.left, top, self.frame_width, self.frame_height);
        let x = Map { scale: self.panel.x.scale, range: self.x_range, ends: [frame.left, frame.right] };
        let y = Map { scale: self.panel.y.scale, range: self.y_range, ends: [frame.bottom, frame.top] };
        let groups = &mut drawing.groups;
        groups.push(self.grid(x, y, frame));
        groups.push(self.frame_and_ticks(x, y, frame));
        groups.push(foreground(self.labels(x, y, frame, left)));
        let published_first = |published: bool| self.panel.series.iter().filter(move |s| s.published == published);
        for (before, series) in published_first(true).chain(published_first(false)).enumerate() {
            let place = Place { panel: self.panel, axes: [x, y], frame, before };
            groups.extend(series.kind.plot().draw(series, place));
        }
        self.draw_marks(y, frame, groups);
        groups.extend(self.place_names(x, y, frame));
        let place = Place { panel: self.panel, axes: [x, y], frame, before: 0 };
        drawing.legends.extend(self.ends.draw(place, groups));
        if !self.legend.is_empty() {
            let below = frame.bottom + self.ticks_below() + self.label_below() + 8.0;
            let space = (cell_width - self.legend.width()).max(0.0);
            // The legend is centred below the frame as far as the width of the cell allows.
            let centred = frame.left + (frame.width() - self.legend.width()) / 2.0 - left;
            drawing.legends.push(self.legend.draw(groups, left + centred.clamp(0.0, space), below));
        }
        drawing.frames.push(frame);
        let scale = |axis: &Axis, map: Map| EdgeScale {
            name: axis.text(),
            range: map.range,
            logarithmic: map.scale == Scale::Log,
        };
        drawing.scales.push([scale(&self.panel.x, x), scale(&self.panel.y, y)]);
    }

    fn grid(&self, x: Map, y: Map, frame: Area) -> Group {
        let line = |points: [[f64; 2]; 2]| Shape::Line { points: points.to_vec(), width: 1.0, dash: Dash::Solid };
        let across = self.y_ticks.major.iter().map(|tick| y.tick(tick.value));
        let across = across.map(|y| line([[frame.left, y], [frame.right, y]]));
        let up = self.x_ticks.major.iter().map(|tick| x.tick(tick.value));
        let up = up.map(|x| line([[x, frame.top], [x, frame.bottom]]));
        Group { ink: Ink::Grid, part: Part::Scaffold, shapes: across.chain(up).collect() }
    }

    /// Returns the frame with ticks inside on all four sides.
    fn frame_and_ticks(&self, x: Map, y: Map, frame: Area) -> Group {
        let mut shapes = vec![Shape::Frame(frame)];
        let mut tick = |from: [f64; 2], direction: [f64; 2]| {
            let to = [from[0] + direction[0], from[1] + direction[1]];
            shapes.push(Shape::Line { points: vec![from, to], width: 1.0, dash: Dash::Solid });
        };
        let lengths = |ticks: &Ticks| -> Vec<(f64, f64)> {
            let major = ticks.major.iter().map(|tick| (tick.value, TICK));
            major.chain(ticks.minor.iter().map(|&value| (value, 0.55 * TICK))).collect()
        };
        for (value, length) in lengths(&self.x_ticks) {
            tick([x.tick(value), frame.bottom], [0.0, -length]);
            tick([x.tick(value), frame.top], [0.0, length]);
        }
        for (value, length) in lengths(&self.y_ticks) {
            tick([frame.left, y.tick(value)], [length, 0.0]);
            tick([frame.right, y.tick(value)], [-length, 0.0]);
        }
        foreground(shapes)
    }

    fn labels(&self, x: Map, y: Map, frame: Area, cell_left: f64) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let tick_end = frame.left - TICK_GAP - self.strip_width();
        let mut beside = |label: Text, y: f64| {
            shapes.push(text(label, [tick_end, y + baseline(TICK_SIZE)], TICK_SIZE, Anchor::End));
        };
        for tick in &self.y_ticks.major {
            beside(tick.label.clone(), y.tick(tick.value));
        }
        let (up, down) = (Self::strip_height(&self.failures), Self::strip_height(&self.zeros));
        if up > 0.0 {
            beside(Text::plain("failed"), frame.top - (up + STRIP_GAP) / 2.0);
        }
        if down > 0.0 {
            beside(Text::plain(self.zero_label()), frame.bottom + (down + STRIP_GAP) / 2.0);
        }
        let tick_line = frame.bottom + down + TICK_GAP + 1.1 * TICK_SIZE;
        for tick in &self.x_ticks.major {
            shapes.push(text(tick.label.clone(), [x.tick(tick.value), tick_line], TICK_SIZE, Anchor::Middle));
        }
        self.names.draw(frame, tick_line - 1.1 * TICK_SIZE, &mut shapes);
        if !self.left_zeros.is_empty() {
            let at = [frame.left - STRIP_WIDTH / 2.0 - 6.0, tick_line];
            shapes.push(text(Text::plain("≤ 0"), at, TICK_SIZE, Anchor::Middle));
        }
        let label_line = frame.bottom + self.ticks_below() + LABEL_SIZE;
        for (number, line) in self.x_label.iter().enumerate() {
            let at = [(frame.left + frame.right) / 2.0, label_line + number as f64 * LABEL_SIZE * LEADING];
            shapes.push(text(line.clone(), at, LABEL_SIZE, Anchor::Middle));
        }
        if let Some(note) = self.x_ticks.note() {
            shapes.push(text(note, [frame.right, label_line], TICK_SIZE, Anchor::End));
        }
        for (number, line) in self.y_label.iter().enumerate() {
            let at = [cell_left + LABEL_SIZE + number as f64 * LABEL_SIZE * LEADING, (frame.top + frame.bottom) / 2.0];
            let (text, anchor) = (line.clone(), Anchor::Middle);
            shapes.push(Shape::Text { text, at, size: LABEL_SIZE, anchor, upwards: true });
        }
        let mut line = frame.top - up - 4.0;
        if let Some(note) = self.y_ticks.note() {
            shapes.push(text(note, [frame.left, line - 0.35 * TICK_SIZE], TICK_SIZE, Anchor::Start));
            line -= self.note_height();
        }
        for (number, part) in self.title.iter().rev().enumerate() {
            let at = [frame.left, line - 0.35 * LABEL_SIZE - number as f64 * LABEL_SIZE * LEADING];
            shapes.push(text(part.clone(), at, LABEL_SIZE, Anchor::Start));
        }
        shapes
    }

    /// Returns the names of points inside the frame.
    fn place_names(&self, x: Map, y: Map, frame: Area) -> Option<Group> {
        let written = |(name, at): &(String, [f64; 2])| {
            let place = [x.place(at[0])?, y.place(at[1])?];
            let baseline = [place[0], place[1] + baseline(TICK_SIZE)];
            frame.holds(place).then(|| text(Text::markup(name), baseline, TICK_SIZE, Anchor::Middle))
        };
        let shapes: Vec<Shape> = self.panel.names.iter().filter_map(written).collect();
        (!shapes.is_empty()).then(|| foreground(shapes))
    }

    /// Draws marks on the margins in the ink of their series.
    fn draw_marks(&self, y: Map, frame: Area, groups: &mut Vec<Group>) {
        for (index, series) in self.panel.series.iter().enumerate() {
            let in_row = |row: usize| STRIP_GAP + (row as f64 + 0.5) * STRIP_ROW;
            let mut shapes: Vec<Shape> = Vec::new();
            for mark in self.failures.iter().filter(|mark| mark.series == index) {
                let at = [frame.left + mark.place, frame.top - in_row(mark.row)];
                // Bars with individual styles have marks in these styles.
                let own = series.style_at(mark.value);
                let shape = marker(series, own.mark, at, false);
                if own.hue == series.style.hue {
                    shapes.push(shape);
                } else {
                    let part = Part::Series(series.label.clone());
                    groups.push(Group { ink: Ink::Hue(own.hue), part, shapes: vec![shape] });
                }
            }
            let left = frame.left - STRIP_WIDTH / 2.0 - 6.0;
            let below =
                self.zeros.iter().map(|mark| (mark, [frame.left + mark.place, frame.bottom + in_row(mark.row)]));
            let beside = self.left_zeros.iter().map(|mark| (mark, [left, y.tick(mark.value)]));
            for (mark, at) in below.chain(beside).filter(|(mark, _)| mark.series == index) {
                shapes.push(marker(series, series.style.mark, at, mark.hollow));
            }
            let part = Part::Series(series.label.clone());
            groups.push(Group { ink: series.kind.plot().ink(series), part, shapes });
        }
    }
}

/// Returns the lines of a text; empty if the text is empty.
fn lines(text: &str, size: f64, width: f64) -> Vec<Text> {
    if text.is_empty() { Vec::new() } else { wrap(text, size, width) }
}

/// Returns a tick for each name of a vertical axis.
fn named(names: &[String]) -> Ticks {
    let tick = |(place, name): (usize, &String)| Tick { value: place as f64, label: Text::markup(name) };
    Ticks { major: names.iter().enumerate().map(tick).collect(), ..Ticks::default() }
}

/// Returns a, b, …, z, aa, ab, …
fn letters(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letters(more - 1)),
    }
}
