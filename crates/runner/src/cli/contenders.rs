//! Methods that are compared with all others in the tables, figures and pages of the comparison: `contenders:` in one
//! file.

use std::path::Path;

use mbsbench_experiment::{ContenderEntry, Plan, Registry, read_contenders};
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::comparison::{COMPARISON, Contending, is_comparison};
use mbsbench_runs::Outcome;

use super::{CONTENDERS, Result, RunOptions, Session, contended, read};

/// Reads the methods that a file names.
///
/// # Errors
/// Fails if the file cannot be read or has mistakes.
pub(super) fn read_entries(registry: &Registry, path: &Path) -> Result<Vec<ContenderEntry>> {
    Ok(read_contenders(path, &read(path)?, registry)?)
}

/// The contenders with their runs.
#[derive(Default)]
pub(super) struct Contenders {
    names: Vec<String>,
    plans: Vec<Plan>,
    outcomes: Vec<Outcome>,
}

impl Contenders {
    /// Returns the contenders of the comparison, run wherever its experiments with rankings say `every`. Runs are taken
    /// from the cache if it has them. A method that the comparison runs itself is not run again. Reports that the
    /// contenders are included in the output.
    ///
    /// # Errors
    /// Fails if the file has mistakes, or if the program or the machine ended a run.
    pub(super) fn of(plans: &[Plan], options: &RunOptions, session: &mut Session<'_>) -> Result<Self> {
        let library = session.library;
        let file = library.experiments.join(COMPARISON).join(CONTENDERS);
        let mut contenders = Self::default();
        if !file.exists() {
            return Ok(contenders);
        }
        let ranked = |plan: &&Plan| is_comparison(&plan.experiment) && !plan.experiment.rankings.is_empty();
        for entry in read_entries(library.registry, &file)? {
            if !entry.is_compared {
                let ranked = plans.iter().filter(ranked);
                contenders.plans.extend(contended(library.registry, ranked, &entry.contender)?);
            }
            contenders.names.push(entry.label);
        }
        if contenders.names.is_empty() {
            return Ok(contenders);
        }
        let names = contenders.names.join(", ");
        session.output.eprintln(format!(
            "contenders {names}: included in the summary, costs and pages of the comparison; see {}",
            file.display()
        ));
        contenders.outcomes = session.made(&contenders.plans, options)?;
        Ok(contenders)
    }

    /// The contenders in the form that rankings use.
    pub(super) fn contending(&self) -> Contending<'_> {
        Contending::new(self.names.clone(), &self.plans, Evidence::of(&self.plans, &self.outcomes))
    }
}
