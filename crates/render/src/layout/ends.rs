//! Names of curves at their right ends, in place of a long legend.

use super::super::drawing::{Anchor, Area, Group, Ink, Part, Shape};
use super::super::figure::{Panel, Series};
use super::super::kinds::{Kind, Place};
use super::super::style::Dash;
use super::super::text::Text;
use super::{TICK_SIZE, area, baseline, text};

/// The largest number of entries of a legend.
const MOST: usize = 8;
/// The height of a name, px.
const ROW: f64 = 15.0;
/// The distance from the frame to the sample of a curve, the width of the sample, and the distance from there to the
/// name, px.
const LEADER: f64 = 16.0;
const SAMPLE: f64 = 26.0;
const GAP: f64 = 5.0;

/// The curves with names at their ends: their indices among the series of a panel, and the names.
#[derive(Debug, Clone, Default)]
pub struct Ends(Vec<(usize, Text)>);

impl Ends {
    /// Returns the curves of a panel that have names at their ends: none if the legend is short enough, unless the
    /// panel requests such names.
    pub fn of(panel: &Panel) -> Self {
        let is_curve = |series: &Series| {
            matches!(series.kind, Kind::Line | Kind::Both | Kind::Markers) && !series.label.is_empty()
        };
        let named = panel.series.iter().enumerate().filter(|(_, series)| is_curve(series) && series.group.is_none());
        let found: Vec<(usize, Text)> = named.map(|(index, series)| (index, Text::markup(&series.entry()))).collect();
        if panel.named_at_ends || found.len() > MOST { Self(found) } else { Self::default() }
    }

    /// True if no curve has its name at its end.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the `index`-th series has its name at its end.
    pub fn has(&self, index: usize) -> bool {
        self.0.iter().any(|&(own, _)| own == index)
    }

    /// Returns the width beside the frame, px.
    pub fn width(&self) -> f64 {
        let widest = self.0.iter().map(|(_, name)| name.width(TICK_SIZE)).fold(0.0, f64::max);
        if self.is_empty() { 0.0 } else { LEADER + SAMPLE + GAP + widest + 2.0 }
    }

    /// Returns the smallest height of the frame, px.
    pub fn height(&self) -> f64 {
        self.0.len() as f64 * ROW
    }

    /// Draws the names and the lines that lead to them.
    pub fn draw(&self, place: Place<'_>, groups: &mut Vec<Group>) -> Option<Area> {
        let frame = place.frame;
        let end = |index: usize| {
            let inside = place.inside(&place.panel.series[index]).map(|(_, at)| at);
            // A curve without a point in the frame belongs to failed runs, which are shown above the frame.
            inside.max_by(|a, b| a[0].total_cmp(&b[0])).unwrap_or([frame.right, frame.top])
        };
        let mut ends: Vec<(&(usize, Text), [f64; 2])> = self.0.iter().map(|entry| (entry, end(entry.0))).collect();
        ends.sort_by(|a, b| a.1[1].total_cmp(&b.1[1]));
        let wanted: Vec<f64> = ends.iter().map(|(_, at)| at[1]).collect();
        let rows = spread(&wanted, frame.top + ROW / 2.0, frame.bottom - ROW / 2.0);
        for (((index, name), from), &row) in ends.iter().zip(&rows) {
            let series = &place.panel.series[*index];
            let part = Part::Legend(series.name().to_owned());
            let space = area(frame.right + LEADER, row - ROW / 2.0, SAMPLE, ROW);
            let corner = [frame.right + 4.0, from[1]];
            let points = vec![*from, corner, [space.left - 2.0, row]];
            let leader = Shape::Line { points, width: 0.6, dash: Dash::Solid };
            groups.push(Group { ink: Ink::Grid, part: Part::Scaffold, shapes: vec![leader] });
            groups.extend(series.kind.plot().sample(series, space));
            let words = text(name.clone(), [space.right + GAP, row + baseline(TICK_SIZE)], TICK_SIZE, Anchor::Start);
            groups.push(Group { ink: Ink::Foreground, part, shapes: vec![words] });
        }
        let (first, last) = (rows.first()?, rows.last()?);
        Some(area(frame.right + LEADER, first - ROW / 2.0, self.width() - LEADER, last - first + ROW))
    }
}

/// Returns places close to the wanted ones, which must be increasing, at least [`ROW`] apart and between two ends.
fn spread(wanted: &[f64], first: f64, last: f64) -> Vec<f64> {
    let mut places = Vec::with_capacity(wanted.len());
    let mut least = first;
    for &place in wanted {
        places.push(place.max(least));
        least = place.max(least) + ROW;
    }
    let mut most = last;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - ROW;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_separate_and_between_the_ends() {
        assert_eq!(spread(&[40.0, 200.0], 10.0, 300.0), [40.0, 200.0], "a name with enough space stays");
        let many = spread(&[5.0, 290.0, 291.0, 292.0, 299.0], 10.0, 300.0);
        assert!(many.windows(2).all(|pair| pair[1] - pair[0] >= ROW - 1e-9), "{many:?}");
        assert!(many[0] >= 10.0 && many[4] <= 300.0, "{many:?}");
    }

    /// The sample before a name has the style of the curve: without markers if the curve has none, and bold if it is
    /// bold.
    #[test]
    fn samples_look_like_their_curves() {
        use crate::figure::{Axis, Figure};
        use crate::{Style, lay_out};
        let points = [[0.0, 0.0], [1.0, 1.0]];
        let bold =
            Series { bold: true, ..Series::new(Kind::Both, "mine", Style::of_method("low-order", 0, None), points) };
        let series = vec![Series::new(Kind::Line, "best of all", Style::of_all(), points), bold];
        let panel = Panel {
            x: Axis::linear("x", ""),
            y: Axis::linear("y", ""),
            series,
            named_at_ends: true,
            ..Panel::default()
        };
        let drawing = lay_out(&Figure { id: "f".into(), title: "f".into(), columns: 1, panels: vec![panel] });
        let looks = |part: &Part| {
            let groups = drawing.groups.iter().filter(|group| group.part == *part);
            let mut looks: Vec<String> = groups
                .flat_map(|group| group.shapes.iter().map(|shape| (group.ink, shape)))
                .filter_map(|(ink, shape)| match *shape {
                    Shape::Line { width, dash, .. } => Some(format!("{ink:?} line {width} {dash:?}")),
                    Shape::Marker { mark, radius, .. } => Some(format!("{ink:?} {mark:?} {radius}")),
                    _ => None,
                })
                .collect();
            looks.sort_unstable();
            looks.dedup();
            looks
        };
        for name in ["best of all", "mine"] {
            let [curve, sample] =
                [Part::Series(name.to_owned()), Part::Legend(name.to_owned())].map(|part| looks(&part));
            assert_eq!(curve, sample, "{name}");
            assert_eq!(curve.len(), if name == "mine" { 2 } else { 1 }, "{curve:?}");
        }
        let width = |name: &str| looks(&Part::Series(name.to_owned())).into_iter().find(|look| look.contains("line"));
        assert!(width("best of all").unwrap().contains(" 1.6 ") && width("mine").unwrap().contains(" 2.72"));
    }
}
