//! What the studies under `results/` found, for the verdicts that hang on them.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use rayon::prelude::*;

use super::{Finding, Scope};
use crate::claims::{Ledger, Studied, Studies};
use crate::folders::Folders;

/// Results of a study cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutdatedStudy {
    /// The study was made of another check or another experiment.
    #[error("{path}: the check `{check}` or its runs have changed since; `mbsbench robustness {experiment}` makes the study again", path = path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The check.
        check: String,
        /// The experiment.
        experiment: String,
    },
    /// The file cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// An experiment that is to vary along is not there.
    #[error("{experiment}: there is no experiment `{along}` to vary along")]
    Along {
        /// The experiment.
        experiment: String,
        /// The other.
        along: String,
    },
}

/// What the studies of a paper found, by check; a study that was not made says nothing, one that is outdated is an error.
///
/// # Errors
/// The first file that is damaged or outdated.
pub fn studies<'p>(
    ledger: &Ledger,
    plans: &'p [Plan],
    results: &(impl Folders + ?Sized),
) -> Result<Studies<'p>, OutdatedStudy> {
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

/// What the study of an experiment found, by check.
fn study<'p>(
    plan: &'p Plan,
    ledger: &Ledger,
    plans: &'p [Plan],
    results: &(impl Folders + ?Sized),
) -> Result<Vec<(String, Studied<'p>)>, OutdatedStudy> {
    let Some((path, findings)) = read(&results.of(&plan.experiment.id))? else { return Ok(Vec::new()) };
    let id = &plan.experiment.id;
    let scope = Scope::new(plan, plans).map_err(|along| OutdatedStudy::Along { experiment: id.clone(), along })?;
    let (checks, _) = scope.checks(ledger);
    let studied = checks.into_iter().map(|(check, definition)| {
        let is_of = |finding: &&Finding| finding.check == check.id && finding.definition == definition;
        let Some(finding) = findings.iter().find(is_of) else {
            let (path, experiment) = (path.clone(), id.clone());
            return Err(OutdatedStudy::Changed { path, check: check.id.clone(), experiment });
        };
        let studied = Studied {
            plan,
            counts: finding.verdicts,
            readings: finding.readings.clone(),
            decided: finding.decided(&plan.experiment.variables()),
        };
        Ok((check.id.clone(), studied))
    });
    studied.collect()
}

/// What the study of an experiment found, with its file; none where no study was made.
fn read(folder: &Path) -> Result<Option<(PathBuf, Vec<Finding>)>, OutdatedStudy> {
    let path = folder.join("robustness.csv");
    if !path.exists() {
        return Ok(None);
    }
    let unreadable = |error| OutdatedStudy::Unreadable { path: path.clone(), error };
    let text = mbsbench_input::read_text(&path, mbsbench_input::LARGEST_DATA).map_err(unreadable)?;
    let findings = Finding::read_csv(&text).map_err(|error| unreadable(error.into()))?;
    Ok(Some((path, findings)))
}
