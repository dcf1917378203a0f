//! The figures of a study: the share of every check, and what decides where only some samples have its verdict.

use mbsbench_judge::robustness::explain::{Explanation, Side, Split, Variable};
use mbsbench_judge::robustness::words::short_name;
use mbsbench_judge::robustness::{Finding, Sampled, Study};
use mbsbench_render::figure::{Axis, Figure, Panel, Series};
use mbsbench_render::style::{Dash, Hue, Mark, Style};

/// Most checks in the figure of shares: those beyond it whose verdict is the nominal one everywhere are left to the table.
const MOST_CHECKS: usize = 40;
/// Most panels of the figure of samples.
const MOST_PANELS: usize = 8;
/// Part of the samples that must have a number for it to be an axis.
const ENOUGH: f64 = 0.95;
/// Numbers that span this factor are shown on a logarithmic axis.
const WIDE: f64 = 100.0;
/// Numbers that span this factor are those of runs that blew up; an axis for them shows nothing else.
const TOO_WIDE: f64 = 1e20;

const HOLDS: Style = Style { hue: Hue::Blue, mark: Mark::Circle, dash: Dash::Solid };
const FAILS: Style = Style { hue: Hue::Vermilion, mark: Mark::Cross, dash: Dash::Solid };
const INCONCLUSIVE: Style = Style { hue: Hue::Purple, mark: Mark::TriangleUp, dash: Dash::Solid };
const THRESHOLD: Style = Style { hue: Hue::Navy, mark: Mark::Circle, dash: Dash::Short };

/// The share of samples with the nominal verdict of each check, with its interval, largest first; none without checks. Its data are
/// `robustness.csv`.
#[must_use]
pub fn shares(findings: &[Finding]) -> Option<Figure> {
    let mut shown: Vec<&Finding> = findings.iter().filter(|finding| finding.count().samples > 0).collect();
    // From below, as names stand along the axis; of equals the last in the ledger first.
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
    let panel = Panel {
        title: String::new(),
        x: Axis::linear("samples with the nominal verdict", "%").between(-2.0, 102.0),
        y: Axis::named("", "", names),
        series: vec![
            Series::segments("interval of 95 % confidence", HOLDS, intervals.collect::<Vec<_>>()),
            Series::markers("share", HOLDS, points.collect::<Vec<_>>()),
        ],
        to_scale: false,
        names: Vec::new(),
        named_at_ends: false,
    };
    let title = "Share of samples with the nominal verdict".to_owned();
    Some(Figure { id: "robustness".to_owned(), title, columns: 1, panels: vec![panel] })
}

/// The samples of the checks that have their verdict at some only, over what decides; none where there is no such check. Its data are
/// `robustness-samples.csv`.
#[must_use]
pub fn samples(study: &Study, findings: &[Finding]) -> Option<Figure> {
    let mut divided: Vec<&Finding> = findings.iter().filter(|finding| finding.is_divided()).collect();
    // The most to tell where something decides, and where the two sides are of one size.
    divided.sort_by_key(|finding| {
        let smaller_side = finding.count().holds.min(finding.fails());
        (finding.explanation.first.is_none(), std::cmp::Reverse(smaller_side))
    });
    divided.truncate(MOST_PANELS);
    let panels: Vec<Panel> = divided.iter().filter_map(|finding| panel(study, finding)).collect();
    let title = "Where verdicts are the nominal ones, and what decides".to_owned();
    let id = "robustness-samples".to_owned();
    (!panels.is_empty()).then_some(Figure { id, title, columns: 2, panels })
}

/// What an axis of a panel shows.
struct Shown<'s> {
    label: String,
    values: &'s [f64],
    is_logarithmic: bool,
}

impl<'s> Shown<'s> {
    fn variable(study: &'s Study, variable: &'s Variable) -> Self {
        let all: Vec<&str> = study.variables.iter().map(|variable| variable.name.as_str()).collect();
        let label = short_name(&variable.name, &all);
        Self { label, values: &variable.values, is_logarithmic: variable.is_logarithmic }
    }

    /// The measured numbers of a check, where nearly all samples have one.
    fn measured(sampled: &'s Sampled) -> Option<Self> {
        let finite = || sampled.measured.iter().copied().filter(|number| number.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let is_enough = finite().count() as f64 >= ENOUGH * sampled.measured.len() as f64 && low < high;
        let is_logarithmic = low > 0.0 && high >= WIDE * low;
        let is_blown_up = is_logarithmic && high >= TOO_WIDE * low;
        (is_enough && !is_blown_up).then(|| Self {
            label: "measured".to_owned(),
            values: &sampled.measured,
            is_logarithmic,
        })
    }

    fn axis(&self) -> Axis {
        if self.is_logarithmic { Axis::log(&self.label, "") } else { Axis::linear(&self.label, "") }
    }

    fn ends(&self) -> [f64; 2] {
        let finite = self.values.iter().copied().filter(|value| value.is_finite());
        finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
    }
}

/// The samples of a check over the first that decides: against the second, or else the measured number, or else another
/// variable.
fn panel(study: &Study, finding: &Finding) -> Option<Panel> {
    let sampled = study.checks.iter().find(|sampled| sampled.check == finding.check)?;
    let Explanation { first, second } = &finding.explanation;
    let variable = |name: &str| study.variables.iter().find(|variable| variable.name == name);
    let across = match first {
        Some(split) => variable(&split.variable)?,
        None => study.variables.first()?,
    };
    let others = || study.variables.iter().filter(|variable| variable.name != across.name);
    let x = Shown::variable(study, across);
    let other = second.as_ref().and_then(|(_, split)| others().find(|variable| variable.name == split.variable));
    let y = other
        .map(|variable| Shown::variable(study, variable))
        .or_else(|| Shown::measured(sampled))
        .or_else(|| others().next().map(|variable| Shown::variable(study, variable)))
        .unwrap_or_else(|| Shown::variable(study, across));
    let holds = sampled.outcomes().holds;
    let of = |wanted: Option<bool>| {
        let samples = (0..holds.len()).filter(|&sample| holds[sample] == wanted);
        samples.map(|sample| [x.values[sample], y.values[sample]]).collect::<Vec<[f64; 2]>>()
    };
    let mut series = vec![
        Series::markers("nominal verdict", HOLDS, of(Some(true))),
        Series::markers("another verdict", FAILS, of(Some(false))),
    ];
    if study.checks.iter().any(|sampled| sampled.outcomes().holds.contains(&None)) {
        series.push(Series::markers("inconclusive", INCONCLUSIVE, of(None)));
    }
    let thresholds = first.as_ref().map_or_else(Vec::new, |first| thresholds(first, second.as_ref(), &x, &y, other));
    series.push(Series::segments("threshold", THRESHOLD, thresholds));
    Some(Panel {
        title: finding.check.clone(),
        x: x.axis(),
        y: y.axis(),
        series,
        to_scale: false,
        names: Vec::new(),
        named_at_ends: false,
    })
}

/// The threshold of the first step across the panel, and that of the second on the side where it decides.
fn thresholds(
    first: &Split,
    second: Option<&(Side, Split)>,
    x: &Shown<'_>,
    y: &Shown<'_>,
    other: Option<&Variable>,
) -> Vec<[[f64; 2]; 2]> {
    let ([left, right], [low, high]) = (x.ends(), y.ends());
    let upright = |at: f64| [[at, low], [at, high]];
    let mut lines = vec![upright(first.threshold)];
    if let Some((side, split)) = second {
        let at = split.threshold;
        let there = if *side == Side::Below { [left, first.threshold] } else { [first.threshold, right] };
        lines.push(if other.is_some() { there.map(|place| [place, at]) } else { upright(at) });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_judge::claims::Verdict;
    use mbsbench_render::Kind;

    /// A study of twelve checks over `a` and `b`; the check `k` holds in the first `8 k` of a hundred samples.
    fn study() -> Study {
        let variable = |name: &str, factor: usize| Variable {
            name: name.to_owned(),
            is_logarithmic: false,
            values: (0..100).map(|k| (k * factor % 101) as f64).collect(),
        };
        let verdict = |holds: bool| if holds { Verdict::Reproduced } else { Verdict::Contradicted };
        let check = |k: usize| Sampled {
            check: format!("check-{k}"),
            definition: String::new(),
            nominal: Verdict::Reproduced,
            readings: Vec::new(),
            verdicts: (0..100).map(|sample| verdict(sample < 8 * k || k == 11)).collect(),
            measured: vec![f64::NAN; 100],
        };
        Study {
            variables: vec![variable("model.a", 1), variable("model.b", 37)],
            failed: vec![0; 100],
            runs: 1,
            checks: (0..12).map(check).collect(),
            readings: Vec::new(),
            left_out: Vec::new(),
        }
    }

    #[test]
    fn shares_stand_in_their_order_with_their_intervals() {
        let figure = shares(&Finding::all(&study())).unwrap();
        let panel = &figure.panels[0];
        assert_eq!(panel.y.names, (0..12).map(|k| format!("check-{k}")).collect::<Vec<_>>());
        let share = |place: usize| panel.series[1].points[place];
        assert_eq!((share(0).x, share(3).x, share(3).y, share(11).x), (0.0, 24.0, 3.0, 100.0));
        let interval = &panel.series[0];
        assert_eq!((interval.kind, interval.points.len()), (Kind::Segments, 24));
        assert!(interval.points[6].x < 24.0 && 24.0 < interval.points[7].x && interval.points[7].y == 3.0);
        assert_eq!(shares(&[]), None);
    }

    #[test]
    fn the_panels_that_tell_most_are_shown_with_every_sample_and_the_threshold() {
        let study = study();
        let findings = Finding::all(&study);
        let figure = samples(&study, &findings).unwrap();
        assert_eq!(figure.panels.len(), MOST_PANELS);
        let panel = &figure.panels[0];
        assert_eq!((panel.title.as_str(), panel.x.label.as_str(), panel.y.label.as_str()), ("check-6", "a", "b"));
        let points: Vec<usize> = panel.series.iter().map(|series| series.points.len()).collect();
        assert_eq!(points, [48, 52, 2]);
        assert_eq!(panel.series[2].points[0].x, 47.5);
        assert!(figure.panels.iter().all(|panel| panel.title != "check-0" && panel.title != "check-11"));
        assert_eq!(samples(&study, &findings[..1]), None);
    }
}
