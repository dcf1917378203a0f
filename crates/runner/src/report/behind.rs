//! The page behind the page of a paper: its experiment files, figures and tables that the paper does not have, and the
//! dependence of verdicts on what the paper leaves out.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::Plan;
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_judge::reconstruction::explain::LEVEL;
use mbsbench_judge::reconstruction::{Finding, Findings, words};

use super::artefact::Artefact;
use super::page::{Section, anchor, badge, experiment_anchor, figure_named, header, page_of_sections};
use super::statement::{Found, check_target};
use super::{FileError, PaperReport, read};

/// Name of the file with the findings of a study, in the folder of its experiment.
const STUDY: &str = "reconstruction.csv";
/// Name of the figure of a study.
const FIGURE: &str = "reconstruction.svg";

/// Returns the page.
pub(super) fn page_of(results: &Path, report: &PaperReport<'_>) -> Result<String, FileError> {
    let paper = format!("{}.html", report.paper);
    let mut studies = Vec::new();
    for &plan in &report.plans {
        if let Some(findings) = findings(results, plan, &report.judged)? {
            studies.push((plan, study(&results.join(&plan.experiment.id), plan, &findings, &paper)?));
        }
    }
    let found = Found::new(&report.plans);
    let artefacts = Artefact::all(&report.plans);
    let beyond = artefacts.iter().filter(|artefact| !artefact.is_published());
    let beyond: Vec<Markup> = beyond
        .map(|artefact| artefact.section(results, &report.paper, [&[], &[]], &found))
        .collect::<Result<_, _>>()?;
    let above = [(paper.as_str(), report.publication.title.as_str())];
    let header = header(&above, "What is behind it", &html! {});
    let experiments = html! { @for plan in &report.plans { (experiment(plan)) } };
    let mut sections = vec![Section::new("experiments", "The experiments", experiments)];
    if !beyond.is_empty() {
        sections.push(Section::new("beyond", "Beyond the paper", html! { @for section in &beyond { (section) } }));
    }
    if !studies.is_empty() {
        let entries = html! {
            ul { @for (plan, _) in &studies { li { a href=(format!("#{}", study_anchor(&plan.experiment.id))) { (plan.experiment.id.rsplit('/').next().unwrap_or_default()) } } } }
        };
        let body = html! {
        p {
            "If the paper prints numbers about a set-up, the ranges of its undetermined parameters and the readings of the text were \
             searched together for set-ups that have all these numbers, and each check was judged in those. If it prints none, \
             the ranges were sampled (a Sobol sequence; ranges of more than a decade in the logarithm) and each other reading \
             was tried with the nominal numbers; that shows what is sensitive, and decides nothing about the paper. A run that \
             fails, or that its model refuses, is evidence; set-ups that do not decide a check are counted apart. Intervals are \
             those of 95 % confidence."
        }
        p {
            "What decides is the parameter or feature whose distributions, where the verdict is that one and where it is another, \
             are farthest apart (D, Kolmogorov–Smirnov), with the threshold where they are; then whatever decides further \
             on one side of it. It is said where D or the rank correlation ρ (Spearman) is significant at "
            (mbsbench_numbers::percent(LEVEL)) " for all variables together."
        }
                @for (_, study) in &studies { (study) }
            };
        sections.push(Section { entries, ..Section::new("studies", "How much depends on what is left out", body) });
    }
    Ok(page_of_sections(&format!("mbsbench: behind {}", report.publication.title), &header, &sections))
}

/// An experiment file that can be expanded.
pub(super) fn experiment(plan: &Plan) -> Markup {
    let id = &plan.experiment.id;
    html! {
        details id=(experiment_anchor(id)) {
            summary {
                code { "experiments/" (id) ".yaml" }
                @if let Some(title) = &plan.experiment.title { ": " (title) }
            }
            pre { code { (plan.experiment.document.source.text()) } }
        }
    }
}

/// Reads the findings of the study of an experiment about the judged checks; `None` if there is no study.
fn findings(results: &Path, plan: &Plan, judged: &[Judged]) -> Result<Option<Findings>, FileError> {
    let path = results.join(&plan.experiment.id).join(STUDY);
    // Studies are made by a separate command and may be missing.
    if !path.exists() {
        return Ok(None);
    }
    let mut findings = Findings::read_csv(&read(&path)?).map_err(|error| FileError::of(&path)(error.into()))?;
    // A study may be older than the ledger.
    findings
        .checks
        .retain(|finding| judged.iter().any(|each| each.checks.iter().any(|check| check.check.id == finding.check)));
    Ok(Some(findings))
}

/// The target of links to the study of an experiment.
fn study_anchor(id: &str) -> String {
    format!("reconstruction-{}", anchor(id))
}

/// The study of one experiment.
fn study(folder: &Path, plan: &Plan, findings: &Findings, paper: &str) -> Result<Markup, FileError> {
    let id = &plan.experiment.id;
    let scope = &plan.experiment.study;
    let name = |name: &str| words::short_name(name, &plan.experiment.variables());
    let (always, rest): (Vec<&Finding>, Vec<&Finding>) =
        findings.checks.iter().filter(|each| each.left_out.is_none()).partition(|each| {
            each.count().holds == each.count().samples
                && each.verdicts.of(Verdict::Open) == 0
                && each.turned().next().is_none()
        });
    let link = |file: &str| format!("../{id}/{file}");
    let witness = folder.join("witness.yaml");
    let witness = if witness.exists() { Some(read(&witness)?) } else { None };
    let witness =
        witness.as_deref().and_then(|text| text.lines().next()).map(|said| said.trim_start_matches("# ").to_owned());
    Ok(html! {
        h3 id=(study_anchor(id)) { code { (id) } }
        ul {
            @for (key, undetermined) in &plan.experiment.undetermined {
                @let short = name(&key.name);
                li {
                    strong { (short) }
                    @if short != key.name { " (" code { (key.name) } ")" }
                    ": " (words::sampled(undetermined)) "; " (undetermined.why)
                }
            }
            @for feature in &scope.features {
                li { strong { (feature.value.name) } ", of the runs: " (feature.value.why) }
            }
        }
        ul { @for line in words::searched(findings) { li { (line) } } }
        @if !scope.cases.is_empty() {
            p { "Cases: " (scope.cases.iter().map(|case| case.value.as_str()).collect::<Vec<_>>().join(", ")) "." }
        }
        @if !rest.is_empty() {
            div.scroll {
                table {
                    thead { tr {
                        th { "Check" } th { "Verdict" } th { "In" } th { "Interval" } th { "Decided by" } th { "Then" } th { "Readings" }
                    } }
                    tbody { @for finding in &rest { (line(finding, paper, name)) } }
                }
            }
        }
        @if !always.is_empty() {
            details {
                summary { (always.len()) " checks have the same verdict at every sample and for every reading" }
                p {
                    @for finding in &always {
                        a href=(format!("{paper}#{}", check_target(&finding.check))) { (finding.check) } " "
                    }
                }
            }
        }
        @for said in words::left_out(&findings.checks) { p { (said) "." } }
        @if folder.join(FIGURE).exists() {
            (figure(folder, id)?)
            p.links {
                @for file in [FIGURE, STUDY, "set-ups.csv"] { a href=(link(file)) { (file) } " " }
            }
        }
        @if let Some(said) = &witness {
            p { a href=(link("witness.yaml")) { "A set-up as an experiment file" } ": " (said) }
        }
        p.links { "Made by " code { "mbsbench reconstruct " (id) } }
    })
}

/// The figure of a study.
fn figure(folder: &Path, id: &str) -> Result<Markup, FileError> {
    let text = read(&folder.join(FIGURE))?;
    Ok(figure_named(&text, "reconstruction", &format!("{}-reconstruction", anchor(id))))
}

fn line(finding: &Finding, paper: &str, name: impl Fn(&str) -> String) -> Markup {
    let [share, interval, others @ ..] = words::cells(finding, name);
    html! {
        tr {
            td { a href=(format!("{paper}#{}", check_target(&finding.check))) { (finding.check) } }
            td { (badge(finding.counted)) }
            td.number { (share) } td.number { (interval) }
            @for cell in others { td { (cell) } }
        }
    }
}
