//! The findings of the reconstructions under `results/`, for the verdicts that depend on them.

use std::path::PathBuf;

use mbsbench_experiment::Plan;
use mbsbench_input::BadInput;
use mbsbench_runs::FileError;
use rayon::prelude::*;

use super::{Finding, Findings, Scope};
use crate::claims::{Ledger, Share, Studies};
use crate::folders::Folders;

/// An error that makes the results of a reconstruction unusable.
#[derive(Debug, thiserror::Error)]
pub enum OutdatedStudy {
    /// The file was made for another version of the check or of the experiment.
    #[error(
        "{path} is outdated: the check `{1}` or its runs have changed; run `mbsbench reconstruct {2}`",
        path = .0.display()
    )]
    Changed(PathBuf, String, String),
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// Givens, or names under `along`, are invalid.
    #[error("{0}")]
    BadInput(BadInput),
}

/// Reads the findings of all reconstructions of a paper, by check. A missing reconstruction is skipped, an outdated one
/// is an error.
///
/// # Errors
/// Fails with the first file that is damaged or outdated.
pub fn studies<'p>(ledger: &Ledger, plans: &'p [Plan], results: &dyn Folders) -> Result<Studies<'p>, OutdatedStudy> {
    let is_own = |plan: &&Plan| plan.experiment.paper == ledger.paper && !plan.experiment.undetermined.is_empty();
    let own: Vec<&Plan> = plans.iter().filter(is_own).collect();
    let found: Vec<Vec<_>> =
        own.into_par_iter().map(|plan| study(plan, ledger, plans, results)).collect::<Result<_, _>>()?;
    let mut studies = Studies::new();
    for (check, studied) in found.into_iter().flatten() {
        studies.entry(check).or_default().push(studied);
    }
    Ok(studies)
}

/// The identifier of a check, with the plan that was studied and the share of its samples.
type Studied<'p> = (String, (&'p Plan, Share));

/// Reads the findings of the reconstruction of an experiment, by check; none without its file.
fn study<'p>(
    plan: &'p Plan,
    ledger: &Ledger,
    plans: &'p [Plan],
    results: &dyn Folders,
) -> Result<Vec<Studied<'p>>, OutdatedStudy> {
    let path = results.of(&plan.experiment.id).join("reconstruction.csv");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = mbsbench_input::read_text(&path, mbsbench_input::LARGEST_DATA).map_err(FileError::of(&path))?;
    let findings = Findings::read_csv(&text).map_err(|error| FileError::of(&path)(error.into()))?;
    let scope = Scope::new(plan, plans).map_err(OutdatedStudy::BadInput)?;
    let studied = scope.checks(ledger).judged.into_iter().map(|(check, definition)| {
        let is_of_check = |finding: &&Finding| finding.check == check.id && finding.definition == definition;
        let outdated = || OutdatedStudy::Changed(path.clone(), check.id.clone(), plan.experiment.id.clone());
        let finding = findings.checks.iter().find(is_of_check).ok_or_else(outdated)?;
        let share = Share {
            nominal: finding.nominal,
            counts: finding.verdicts,
            is_conditioned: findings.is_conditioned(),
            tried: findings.tried[0],
            is_exhaustive: plan.experiment.undetermined.iter().all(|(_, varied)| !varied.readings().is_empty()),
            readings: finding.readings.clone(),
            decided: finding.decided(&plan.experiment.variables()),
        };
        Ok((check.id.clone(), (plan, share)))
    });
    studied.collect()
}
