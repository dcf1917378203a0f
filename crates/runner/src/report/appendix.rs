//! The appendix of a paper: its experiment files, further figures and tables, and the sensitivity of its verdicts.

use maud::{Markup, html};
use mbsbench_experiment::Plan;

use super::artefact::Artefact;
use super::page::{Section, experiment_anchor, file_of_appendix, header, page_of_sections};
use super::sensitivity::{self, Study};
use super::statement::Found;
use super::{PaperReport, Result};

/// Returns the page.
pub(super) fn page_of(report: &PaperReport<'_>, studies: &[Study<'_>], found: &Found<'_>) -> Result<String> {
    let paper = format!("{}.html", report.paper);
    let artefacts = Artefact::all(&report.plans);
    let section = |artefact: &Artefact<'_>| artefact.section(&file_of_appendix(&report.paper), [&[], &[]], found);
    let further = artefacts.iter().filter(|artefact| !artefact.is_published());
    let further: Vec<Markup> = further.map(section).collect::<Result<_>>()?;
    let above = [(paper.as_str(), report.publication.title.as_str())];
    let header = header(&above, "Appendix: experiments, further figures and sensitivity", &html! {});
    let experiments = html! { @for plan in &report.plans { (experiment(plan)) } };
    let mut sections = vec![Section::new("experiments", "Experiments", experiments)];
    if !further.is_empty() {
        let body = html! { @for section in &further { (section) } };
        sections.push(Section::new("further", "Further figures and tables", body));
    }
    if !studies.is_empty() {
        sections.push(sensitivity::section(found.results, studies, &paper)?);
    }
    Ok(page_of_sections(&format!("mbsbench: appendix to {}", report.publication.title), &header, &sections))
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
