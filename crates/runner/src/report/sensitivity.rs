//! Sensitivity of verdicts to parameters that a paper leaves out.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::Plan;
use mbsbench_judge::claims::Verdict;
use mbsbench_judge::reconstruction::explain::LEVEL;
use mbsbench_judge::reconstruction::{Finding, Findings, words};

use super::page::{Section, anchor, badge, figure_named};
use super::statement::check_target;
use super::{FileError, PaperReport, Result, read};

/// Name of the file with the findings of a study, in the folder of its experiment.
const STUDY: &str = "reconstruction.csv";
/// Name of the figure of a study.
const FIGURE: &str = "reconstruction.svg";

/// The study of an experiment, with its findings about the judged checks.
pub(super) struct Study<'r> {
    plan: &'r Plan,
    findings: Findings,
}

impl<'r> Study<'r> {
    /// Reads the studies of a paper. They are made by a separate command and may be missing.
    pub fn all(results: &Path, report: &PaperReport<'r>) -> Result<Vec<Self>> {
        let mut studies = Vec::new();
        for &plan in &report.plans {
            let path = results.join(&plan.experiment.id).join(STUDY);
            if !path.exists() {
                continue;
            }
            let mut findings = Findings::read_csv(&read(&path)?).map_err(|error| FileError::of(&path)(error.into()))?;
            // A study may be older than the ledger.
            let is_judged = |id: &str| report.judged.iter().flat_map(|each| &each.checks).any(|own| own.check.id == id);
            findings.checks.retain(|finding| is_judged(&finding.check));
            studies.push(Self { plan, findings });
        }
        Ok(studies)
    }

    /// The studied checks: those with the same verdict in every set-up and reading, and all others.
    fn checks(&self) -> (Vec<&Finding>, Vec<&Finding>) {
        self.findings.checks.iter().filter(|each| each.left_out.is_none()).partition(|each| {
            each.count().holds == each.count().samples
                && each.verdicts.of(Verdict::Open) == 0
                && each.turned().next().is_none()
        })
    }

    /// The target of links to it.
    fn target(&self) -> String {
        format!("reconstruction-{}", anchor(&self.plan.experiment.id))
    }
}

/// The studies of a paper, each with the number of verdicts that change; `None` if there are none.
pub(super) fn summary(studies: &[Study<'_>], appendix: &str) -> Option<Markup> {
    (!studies.is_empty()).then(|| {
        html! {
            p {
                "Each study varies the parameters that the paper leaves out of an experiment, and checks the \
                 statements in every set-up. The appendix has the ranges and the deciding parameters."
            }
            ul {
                @for study in studies {
                    @let (stable, changing) = study.checks();
                    @let id = &study.plan.experiment.id;
                    li {
                        a href=(format!("{appendix}#{}", study.target())) {
                            (study.plan.experiment.title.as_ref().unwrap_or(id))
                        }
                        ": " (changing.len()) " of " (stable.len() + changing.len()) " checks change their verdict"
                    }
                }
            }
        }
    })
}

/// The section of the appendix with all studies.
pub(super) fn section(results: &Path, studies: &[Study<'_>], paper: &str) -> Result<Section> {
    let entries = html! {
        ul {
            @for study in studies {
                li {
                    a href=(format!("#{}", study.target())) {
                        (study.plan.experiment.id.rsplit('/').next().unwrap_or_default())
                    }
                }
            }
        }
    };
    let shown: Vec<Markup> =
        studies.iter().map(|study| self::study(results, study, paper)).collect::<Result<_, _>>()?;
    let body = html! {
        p {
            "If the paper prints numbers about a set-up, a search over its undetermined parameters and over the \
             possible readings of the text finds set-ups that agree with all these numbers, and each check is judged \
             in these set-ups. If it prints none, the ranges are sampled (Sobol sequence, logarithmic for ranges of \
             more than a decade) and each other reading is tried with the nominal values; such a study shows \
             sensitivities and decides no verdict. Failed runs count as evidence. Set-ups that do not decide a check \
             are counted separately. Intervals have 95 % confidence."
        }
        p {
            "“Decided by” names the parameter or reading whose distributions differ most between set-ups with and \
             without the verdict (Kolmogorov–Smirnov distance D), and the threshold between them; “Then” names the \
             next one on one side of that threshold. A parameter is named only if D or Spearman's rank correlation ρ \
             is significant at "
            (mbsbench_numbers::percent(LEVEL)) " for all variables together."
        }
        @for study in &shown { (study) }
    };
    Ok(Section { entries, ..Section::new("studies", "Sensitivity", body) })
}

/// The study of one experiment.
fn study(results: &Path, study: &Study<'_>, paper: &str) -> Result<Markup> {
    let Study { plan, findings } = study;
    let id = &plan.experiment.id;
    let folder = results.join(id);
    let scope = &plan.experiment.study;
    let name = |name: &str| words::short_name(name, &plan.experiment.variables());
    let (stable, changing) = study.checks();
    let link = |file: &str| format!("../{id}/{file}");
    let witness = folder.join("witness.yaml");
    let witness = if witness.exists() { Some(read(&witness)?) } else { None };
    let witness =
        witness.as_deref().and_then(|text| text.lines().next()).map(|said| said.trim_start_matches("# ").to_owned());
    Ok(html! {
        h3 id=(study.target()) { code { (id) } }
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
                li { strong { (feature.name) } ", a property of the runs: " (feature.why) }
            }
        }
        ul { @for line in words::searched(findings) { li { (line) } } }
        @if !scope.cases.is_empty() {
            p { "Cases: " (scope.cases.join(", ")) "." }
        }
        @if !changing.is_empty() {
            div.scroll {
                table {
                    thead { tr {
                        th { "Check" } th { "Verdict" } th { "Share of set-ups" } th { "Interval" } th { "Decided by" }
                        th { "Then" } th { "Readings" }
                    } }
                    tbody { @for finding in &changing { (line(finding, paper, name)) } }
                }
            }
        }
        @if !stable.is_empty() {
            details {
                summary { (stable.len()) " checks with the same verdict in every set-up and reading" }
                p {
                    @for finding in &stable {
                        a href=(format!("{paper}#{}", check_target(&finding.check))) { (finding.check) } " "
                    }
                }
            }
        }
        @for said in words::left_out(&findings.checks) { p { (said) "." } }
        @if folder.join(FIGURE).exists() {
            (figure_named(&read(&folder.join(FIGURE))?, "reconstruction", &format!("{}-reconstruction", anchor(id))))
            p.links {
                @for file in [FIGURE, STUDY, "set-ups.csv"] { a href=(link(file)) { (file) } " " }
            }
        }
        @if let Some(said) = &witness {
            p { a href=(link("witness.yaml")) { "Example set-up as an experiment file" } ": " (said) }
        }
        p.links { "Repeat this study: " code { "mbsbench reconstruct " (id) } }
    })
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
