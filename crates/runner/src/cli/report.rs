//! `mbsbench report`, and the manifest.

use std::path::{Path, PathBuf};

use super::files::{EXPERIMENTS, all_files, experiment_files, ledger, papers};
use super::verify::judged;
use super::{CommandError, load};
use crate::output::Output;
use crate::plan::Plan;
use crate::provenance;
use crate::registry::Registry;
use crate::report::{PaperReport, write};

/// Writes the report of all papers whose results are there.
pub(super) fn report(registry: &Registry, results: &Path, output: &mut Output<'_>) -> Result<(), CommandError> {
    let plans = load(registry, &experiment_files(Path::new(EXPERIMENTS))?, false)?;
    let complete = |paper: &&String| {
        plans.iter().filter(|plan| plan.experiment.paper == **paper).all(|plan| runs_file(results, plan).exists())
    };
    let papers: Vec<String> = papers(&plans).iter().filter(complete).cloned().collect();
    let mut ledgers = Vec::with_capacity(papers.len());
    for paper in &papers {
        ledgers.push(ledger(paper, &plans)?);
    }
    let mut reports = Vec::with_capacity(papers.len());
    for (paper, ledger) in papers.iter().zip(&ledgers) {
        reports.push(PaperReport {
            paper,
            plans: plans.iter().filter(|plan| plan.experiment.paper == *paper).collect(),
            ledger: ledger.as_ref(),
            judged: ledger.as_ref().map_or(Ok(Vec::new()), |ledger| judged(ledger, &plans, results))?,
        });
    }
    let page = write(results, &reports)?;
    output.line(format!("report: {}", page.display()))?;
    Ok(())
}

/// Writes what made the results of these plans.
pub(super) fn manifest(registry: &Registry, plans: &[Plan], results: &Path) -> Result<(), CommandError> {
    let mut outputs: Vec<PathBuf> = plans.iter().map(|plan| runs_file(results, plan)).collect();
    let claims = papers(plans).into_iter().map(|paper| results.join(paper).join("claims.json"));
    outputs.extend(claims.filter(|path| path.exists()));
    Ok(provenance::write(results, &registry.fingerprint(), &all_files(Path::new(EXPERIMENTS))?, &outputs)?)
}

fn runs_file(results: &Path, plan: &Plan) -> PathBuf {
    results.join(&plan.experiment.id).join("runs.csv")
}
