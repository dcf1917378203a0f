//! The report, rankings and the manifest of results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::Plan;
use mbsbench_judge::claims::{Evidence, Judged};
use mbsbench_judge::comparison::{COMPARISON, Contending, Summary, costs_csv, is_comparison, rank};
use mbsbench_runs::{fingerprint, provenance, seal};
use rayon::prelude::*;

use super::{
    CommandError, Contenders, Library, Result, RunOptions, Session, ensure_sealed, files_below, judging, papers, write,
};
use crate::report::{self, ComparisonReport, PaperReport, Report};

/// Folder for data about this machine and day, on which no result depends.
const HERE: &str = "target";

/// The judged statements of papers, by their ids.
pub(super) type Judgements = BTreeMap<String, Vec<Judged>>;

/// Writes the report of all papers of these plans that have results, and returns the path of its first page. `judged`
/// has the statements that were judged on these results.
pub(super) fn write_report(
    plans: &[Plan],
    judged: &Judgements,
    results: &Path,
    options: &RunOptions,
    session: &mut Session<'_>,
) -> Result<PathBuf> {
    let library = session.library;
    ensure_sealed(&results, plans, &mut session.output)?;
    let of = |paper: &str| plans.iter().filter(|plan| plan.experiment.paper == paper).collect::<Vec<&Plan>>();
    let is_complete = |paper: &str| {
        let own = of(paper);
        !own.is_empty() && own.iter().all(|plan| runs_file(results, plan).exists())
    };
    let is_compared = is_complete(COMPARISON);
    let evidence = Evidence::read(&results, plans, |plan| is_compared && is_comparison(&plan.experiment))?;
    let contenders = if is_compared { Contenders::of(plans, options, session)? } else { Contenders::default() };
    let contending = contenders.contending();
    let compared = is_compared.then(|| comparison(plans, &evidence, &contending, results)).transpose()?;
    let (complete, lacking): (Vec<_>, Vec<_>) =
        library.publications(papers(plans))?.into_iter().partition(|(paper, _)| is_complete(paper));
    if complete.is_empty() && compared.is_none() {
        return Err(CommandError::refused(
            &format!("no paper has all of its results in {}, and figures are not built in", results.display()),
            "`mbsbench reproduce` computes the results and the report of all papers, `mbsbench reproduce gil2013` \
             those of one",
        ));
    }
    let judgements = |paper: &str| match judged.get(paper) {
        Some(judged) => Ok(judged.clone()),
        None => {
            library.ledger(paper, plans)?.map_or(Ok(Vec::new()), |ledger| judging::judged(&ledger, plans, &results))
        }
    };
    let reported = |(paper, publication): (String, _)| {
        judgements(&paper).map(|judged| PaperReport { plans: of(&paper), judged, paper, publication })
    };
    let papers = complete.into_par_iter().map(reported).collect::<Result<_>>()?;
    Ok(report::write(&Report { results, papers, lacking, compared, registry: library.registry })?)
}

/// Returns the comparison across papers computed from its results, after writing its summary beside them.
fn comparison<'p>(
    plans: &'p [Plan],
    evidence: &'p Evidence<'p>,
    contending: &'p Contending<'p>,
    results: &Path,
) -> Result<ComparisonReport<'p>> {
    let own: Vec<&Plan> = plans.iter().filter(|plan| is_comparison(&plan.experiment)).collect();
    let summary = Summary(own.par_iter().flat_map_iter(|plan| rank(plan, evidence, &[contending])).collect());
    let costs = costs_csv(&summary.models());
    for (name, content) in files("summary", &summary).into_iter().chain([("costs.csv".to_owned(), costs.into_bytes())])
    {
        write(&results.join(COMPARISON).join(name), content)?;
    }
    Ok(ComparisonReport { plans: own, summary })
}

/// Writes the rankings of each experiment beside its results. Returns a line with their location, if there are any.
pub(super) fn write_rankings(plans: &[Plan], results: &Path) -> Result<Option<String>> {
    let ranks = |plan: &Plan| !plan.experiment.rankings.is_empty();
    let evidence = Evidence::read(&results, plans, ranks)?;
    let mut pages = Vec::new();
    for plan in plans.iter().filter(|plan| ranks(plan)) {
        let summary = Summary(rank(plan, &evidence, &[]));
        let folder = results.join(&plan.experiment.id);
        seal::write(&folder, &files("ranking", &summary))?;
        pages.push(folder.join("ranking.md"));
    }
    Ok(match pages.as_slice() {
        [] => None,
        [page] => Some(format!("ranking: {}", page.display())),
        many => Some(format!("{} rankings: `ranking.md` in the folder of each experiment", many.len())),
    })
}

/// Returns a summary as CSV and as Markdown, with the names of both files.
fn files(name: &str, summary: &Summary<'_>) -> [(String, Vec<u8>); 2] {
    [("csv", summary.to_csv()), ("md", summary.markdown())]
        .map(|(end, text)| (format!("{name}.{end}"), text.into_bytes()))
}

/// Writes the provenance of the results of these plans: the reproducible part beside them, the rest into the folder of
/// this machine.
pub(super) fn write_manifest(library: &Library<'_>, plans: &[Plan], results: &Path) -> Result<()> {
    let mut outputs: Vec<PathBuf> = plans.iter().map(|plan| runs_file(results, plan)).collect();
    let claims = papers(plans).into_iter().map(|paper| results.join(paper).join("claims.json"));
    outputs.extend(claims.filter(|path| path.exists()));
    let mut inputs = Vec::new();
    for paper in papers(plans) {
        inputs.extend(files_below(&library.folder_of(&paper)?, usize::MAX)?);
    }
    Ok(provenance::write(results, Path::new(HERE), &fingerprint(library.registry), &inputs, &outputs)?)
}

fn runs_file(results: &Path, plan: &Plan) -> PathBuf {
    results.join(&plan.experiment.id).join("runs.csv")
}
