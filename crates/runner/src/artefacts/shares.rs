//! The figure of a reconstruction: the share of every check, and the positions of accepted set-ups in their ranges.

use mbsbench_judge::reconstruction::words::short_name;
use mbsbench_judge::reconstruction::{Finding, Findings, Reconstruction};
use mbsbench_render::{Axis, Dash, Figure, Hue, Kind, Mark, Panel, Series, Style};

/// Largest number of checks in the figure. Beyond it, checks with the same verdict in all set-ups appear only in the
/// table.
const MOST_CHECKS: usize = 40;

const HOLDS: Style = Style { hue: Hue::Blue, mark: Mark::Circle, dash: Dash::Solid };
const SET_UPS: Style = Style { hue: Hue::Vermilion, mark: Mark::Circle, dash: Dash::Solid };

/// Draws the share of each check with its interval, largest first, and the set-ups in their ranges if they were
/// accepted by givens. Returns `None` without checks and set-ups. The data are in `reconstruction.csv` and
/// `set-ups.csv`.
pub fn figure(found: &Reconstruction) -> Option<Figure> {
    let findings = &found.findings;
    let panels: Vec<Panel> = [shares(findings), ranges(found)].into_iter().flatten().collect();
    let title = if findings.is_conditioned() {
        "Sentences in the set-ups that agree with what is printed, and where these lie"
    } else {
        "Share of samples with the nominal verdict"
    };
    let (id, columns) = ("reconstruction".to_owned(), panels.len());
    (columns > 0).then(|| Figure { id, title: title.to_owned(), columns, panels })
}

fn shares(findings: &Findings) -> Option<Panel> {
    let mut shown: Vec<&Finding> = findings.checks.iter().filter(|finding| finding.count().samples > 0).collect();
    // The axis starts at the bottom; among equals, the last one in the ledger comes first.
    shown.reverse();
    shown.sort_by(|a, b| a.share().total_cmp(&b.share()));
    shown.truncate(shown.partition_point(|finding| finding.share() < 1.0).max(MOST_CHECKS));
    if shown.is_empty() {
        return None;
    }
    let names = shown.iter().map(|finding| finding.check.clone()).collect();
    let intervals = shown.iter().zip(0..).map(|(finding, place)| {
        let place = f64::from(place);
        finding.interval().map(|share| [100.0 * share, place])
    });
    let points = shown.iter().zip(0..).map(|(finding, place)| [100.0 * finding.share(), f64::from(place)]);
    let label = if findings.is_conditioned() { "accepted set-ups in which it holds" } else { "samples" };
    let series = vec![
        Series::new(Kind::Segments, "interval of 95 % confidence", HOLDS, intervals.flatten()),
        Series::new(Kind::Markers, "share", HOLDS, points),
    ];
    Some(panel(Axis::linear(label, "%"), names, series))
}

/// Draws accepted set-ups along each range.
fn ranges(found: &Reconstruction) -> Option<Panel> {
    let count = found.units.first().map_or(0, Vec::len);
    if !found.findings.is_conditioned() || count == 0 {
        return None;
    }
    let all: Vec<&str> = found.variables.iter().map(|variable| variable.name.as_str()).collect();
    let names = all[..count].iter().map(|name| short_name(name, &all)).collect();
    let points = found.units.iter().flat_map(|units| units.iter().zip(0..));
    let points: Vec<[f64; 2]> = points.map(|(&unit, place)| [100.0 * unit, f64::from(place)]).collect();
    let series = vec![Series::new(Kind::Markers, "accepted set-ups", SET_UPS, points)];
    Some(panel(Axis::linear("place in the range", "%"), names, series))
}

fn panel(x: Axis, names: Vec<String>, series: Vec<Series>) -> Panel {
    Panel { x: x.between(-2.0, 102.0), y: Axis::named("", "", names), series, ..Panel::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_judge::claims::{Counts, Verdict};
    use mbsbench_judge::reconstruction::Tally;
    use mbsbench_judge::reconstruction::explain::{Explanation, Variable};

    #[test]
    fn shares_and_set_ups_are_listed_in_order() {
        let check = |k: usize| Finding {
            check: format!("check-{k}"),
            definition: String::new(),
            nominal: Verdict::Reproduced,
            counted: Verdict::Reproduced,
            verdicts: Counts(if k == 11 { [100, 0, 0, 0] } else { [8 * k, 0, 100 - 8 * k, 0] }),
            readings: Vec::new(),
            explanation: Explanation::default(),
            left_out: None,
        };
        let variable = |name: &str| Variable { name: name.into(), is_reading: false, values: vec![1.0; 100] };
        let mut found = Reconstruction {
            variables: vec![variable("model.a"), variable("model.b")],
            units: (0..100).map(|k| vec![f64::from(k) / 100.0, 0.5]).collect(),
            findings: Findings { checks: (0..12).map(check).collect(), ..Findings::default() },
            ..Reconstruction::default()
        };
        assert_eq!(figure(&found).unwrap().panels.len(), 1);
        found.findings.givens.push(Tally { name: "events".into(), tried: 200, met: 100 });
        let figure = figure(&found).unwrap();
        let [shares, ranges] = &figure.panels[..] else { panic!("{figure:?}") };
        assert_eq!(shares.y.names, (0..12).map(|k| format!("check-{k}")).collect::<Vec<_>>());
        let share = |place: usize| shares.series[1].points[place];
        assert_eq!((share(0).x, share(3).x, share(3).y, share(11).x), (0.0, 24.0, 3.0, 100.0));
        let interval = &shares.series[0];
        assert_eq!((interval.kind, interval.points.len()), (Kind::Segments, 24));
        assert!(interval.points[6].x < 24.0 && 24.0 < interval.points[7].x && interval.points[7].y == 3.0);
        assert_eq!((ranges.y.names.as_slice(), ranges.series[0].points.len()), (&["a".into(), "b".into()][..], 200));
        assert_eq!((ranges.series[0].points[4].x, ranges.series[0].points[4].y), (2.0, 0.0));
        assert_eq!(self::figure(&Reconstruction::default()), None);
    }
}
