//! All studies in one view: for each paper which verdicts hang on what it leaves out, the most fragile first.

use std::path::Path;

use maud::{Markup, html};

use super::page::{anchor, badge};
use super::robustness::{findings, study_anchor};
use super::{PaperReport, ReportError};
use crate::claims::{Judged, Verdict};
use crate::plan::Plan;
use crate::robustness::{Finding, words};

/// A claim that a study judged.
#[derive(Debug, Clone)]
struct Studied {
    /// What it says.
    statement: String,
    /// Its verdict at the nominal values.
    verdict: Verdict,
    /// Whether these were tuned to what is published.
    calibrated: bool,
    /// How it fares over the samples.
    finding: Finding,
    /// What decides, in words.
    decides: String,
    /// Where the page of the paper has the study.
    study: String,
}

impl Studied {
    fn new(plan: &Plan, judged: &Judged, finding: Finding) -> Self {
        let name = |name: &str| words::short_name(name, &plan.experiment.variables());
        Self {
            statement: judged.claim.statement.clone(),
            verdict: judged.judgement.verdict,
            calibrated: judged.claim.calibrated,
            decides: match words::decided(&finding, name) {
                nothing if nothing.is_empty() => words::correlations(&finding, name),
                decided => decided,
            },
            study: study_anchor(&plan.experiment.id),
            finding,
        }
    }

    /// The share of the samples about which something can be said that bear the nominal verdict out; none where nothing can
    /// be said at any. A verdict that says nothing is borne out by whichever is more frequent.
    fn steadiness(&self) -> Option<f64> {
        let holds = (self.finding.count.samples > 0).then(|| self.finding.share())?;
        Some(match self.verdict {
            Verdict::Reproduced => holds,
            Verdict::Partly | Verdict::Contradicted => 1.0 - holds,
            Verdict::Inconclusive | Verdict::Untestable => holds.max(1.0 - holds),
        })
    }

    /// Whether every sample bears the verdict out.
    fn is_steady(&self) -> bool {
        self.steadiness() == Some(1.0) && self.finding.inconclusive == 0
    }
}

/// The claims with the most fragile first: by how few samples bear the verdict out, then by how few say anything. Those about
/// which no sample says anything are the last.
fn fragile_first(studied: &mut [Studied]) {
    studied.sort_by(|a, b| {
        let [first, second] = [a, b].map(|each| each.steadiness().unwrap_or(f64::INFINITY));
        first.total_cmp(&second).then(a.finding.count.samples.cmp(&b.finding.count.samples))
    });
}

/// The section of the front page; nothing where no study was made.
pub(super) fn section(results: &Path, reports: &[&PaperReport<'_>]) -> Result<Markup, ReportError> {
    let mut papers = Vec::new();
    for report in reports {
        let mut studied = studied(results, report)?;
        if !studied.is_empty() {
            fragile_first(&mut studied);
            papers.push(paper(report.paper, &studied));
        }
    }
    Ok(html! {
        @if !papers.is_empty() {
            section id="fragility" {
                h2 { "How much hangs on what the papers leave out" }
                p {
                    "Parameters that a paper does not print were sampled over the ranges in which they plausibly lie, and the claims \
                     that rest on them judged at every sample. “Holds in” is the share of the samples in which a claim holds, with \
                     its interval of 95 % confidence; beside it stands the verdict at the values used everywhere else. Verdicts that \
                     fewest samples bear out come first. “Decided by” is what tells best where a claim holds, with the threshold \
                     and the shares on either side of it; nothing, where no parameter does so significantly."
                }
                @for paper in &papers { (paper) }
            }
        }
    })
}

/// The claims of a paper that studies judged.
fn studied(results: &Path, report: &PaperReport<'_>) -> Result<Vec<Studied>, ReportError> {
    let mut studied = Vec::new();
    for &plan in &report.plans {
        for finding in findings(results, plan, &report.judged)?.unwrap_or_default() {
            let judged = report.judged.iter().find(|each| each.claim.id == finding.claim);
            if let Some(judged) = judged.filter(|_| finding.left_out.is_none()) {
                studied.push(Studied::new(plan, judged, finding));
            }
        }
    }
    Ok(studied)
}

/// The claims of a paper, those whose verdict hangs on something before those whose verdict does not.
fn paper(paper: &str, studied: &[Studied]) -> Markup {
    let steady: Vec<&Studied> = studied.iter().filter(|each| each.is_steady()).collect();
    let fragile: Vec<&Studied> = studied.iter().filter(|each| !each.is_steady()).collect();
    html! {
        details.fragility id=(format!("fragility-{paper}")) {
            summary {
                code { (paper) } ": "
                strong { (fragile.len()) " of " (studied.len()) }
                " verdicts studied change within the plausible ranges"
            }
            @if !fragile.is_empty() { (table(paper, &fragile)) }
            @if !steady.is_empty() {
                details {
                    summary { (steady.len()) " have the same verdict at every sample" }
                    (table(paper, &steady))
                }
            }
        }
    }
}

fn table(paper: &str, studied: &[&Studied]) -> Markup {
    html! {
        table.fragility {
            thead { tr { th { "Claim" } th { "Here" } th { "Holds in" } th { "Decided by" } } }
            tbody { @for each in studied { (row(paper, each)) } }
        }
    }
}

fn row(paper: &str, studied: &Studied) -> Markup {
    let Studied { statement, verdict, calibrated, finding, decides, study } = studied;
    let page = format!("{paper}.html");
    html! {
        tr {
            td { a href=(format!("{page}#claim-{}", anchor(&finding.claim))) { (statement) } }
            td { (badge(*verdict)) @if *calibrated { " " span.calibrated { "calibrated" } } }
            td.share {
                a href=(format!("{page}#{study}")) { (words::share(finding)) }
                @if finding.count.samples > 0 { (range(finding)) span.interval { (words::interval(finding)) } }
            }
            td { (decides) }
        }
    }
}

/// The share and its interval on a scale from none to all.
fn range(finding: &Finding) -> Markup {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let [low, high] = finding.interval();
    let [left, width, at] = [low, high - low, finding.share()].map(percent);
    html! {
        span.range aria-hidden="true" {
            span style=(format!("left:{left};width:{width}")) {}
            b style=(format!("left:{at}")) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robustness::explain::Count;

    fn studied(statement: &str, verdict: Verdict, holds: usize, samples: usize) -> Studied {
        let count = Count { holds, samples };
        Studied {
            statement: statement.to_owned(),
            verdict,
            calibrated: verdict == Verdict::Partly,
            finding: Finding { claim: format!("figure-1/{statement}"), count, ..Finding::default() },
            decides: "mass below 2.000: 90 %, else 3 %".to_owned(),
            study: study_anchor("paper/swing"),
        }
    }

    #[test]
    fn what_fewest_samples_bear_out_comes_first() {
        let mut claims = [
            studied("always", Verdict::Reproduced, 128, 128),
            studied("nothing said", Verdict::Inconclusive, 0, 0),
            studied("never", Verdict::Contradicted, 0, 128),
            studied("mostly", Verdict::Reproduced, 100, 128),
            studied("against us", Verdict::Contradicted, 100, 128),
            studied("open", Verdict::Inconclusive, 40, 128),
            studied("partly", Verdict::Partly, 64, 128),
            studied("of fewer", Verdict::Reproduced, 64, 64),
        ];
        fragile_first(&mut claims);
        let order: Vec<&str> = claims.iter().map(|each| each.statement.as_str()).collect();
        let expected = ["against us", "partly", "open", "mostly", "of fewer", "always", "never", "nothing said"];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_verdict_is_steady_where_every_sample_bears_it_out() {
        let steady = |verdict, holds, inconclusive| {
            let mut each = studied("a", verdict, holds, 64);
            each.finding.inconclusive = inconclusive;
            each.is_steady()
        };
        assert!(steady(Verdict::Reproduced, 64, 0) && steady(Verdict::Contradicted, 0, 0));
        assert!(steady(Verdict::Partly, 0, 0) && !steady(Verdict::Partly, 1, 0));
        assert!(!steady(Verdict::Reproduced, 0, 0), "a claim that holds at the nominal values and nowhere else");
        assert!(!steady(Verdict::Contradicted, 64, 0) && !steady(Verdict::Reproduced, 64, 1));
        assert!(!studied("a", Verdict::Inconclusive, 0, 0).is_steady(), "nothing is said");
    }

    #[test]
    fn rows_have_share_interval_verdict_decider_and_links() {
        let (fragile, steady) =
            (studied("It < swings.", Verdict::Reproduced, 32, 128), studied("It hangs.", Verdict::Contradicted, 0, 64));
        let text = paper("swing2001", &[fragile, steady]).into_string();
        for part in [
            "<strong>1 of 2</strong> verdicts studied",
            "1 have the same verdict at every sample",
            "<a href=\"swing2001.html#claim-figure-1-It &lt; swings.\">It &lt; swings.</a>",
            "<a href=\"swing2001.html#robustness-paper-swing\">25 % of 128</a>",
            "<b style=\"left:25.0%\">",
            "18 % to 33 %",
            "mass below 2.000: 90 %, else 3 %",
            "✓ reproduced",
            "✗ contradicted",
            "0 % to 6 %",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let place = |part: &str| text.find(part).unwrap();
        assert!(place("It &lt; swings.") < place("at every sample") && place("at every sample") < place("It hangs."));
    }

    #[test]
    fn claims_with_calibrated_parameters_are_marked() {
        let is_marked = |verdict| row("swing2001", &studied("a", verdict, 1, 2)).into_string().contains("calibrated");
        assert!(is_marked(Verdict::Partly) && !is_marked(Verdict::Reproduced));
    }

    #[test]
    fn where_nothing_is_said_there_is_no_scale() {
        let text = row("swing2001", &studied("a", Verdict::Inconclusive, 0, 0)).into_string();
        assert!(text.contains("– of 0") && !text.contains("range") && !text.contains("NaN"), "{text}");
    }
}
