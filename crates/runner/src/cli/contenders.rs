//! Methods that stand beside all others in the tables, figures and pages of the comparison: `contenders:` in one file.

use std::path::Path;

use mbsbench_experiment::{ContenderEntry, Plan, Registry, read_contenders};
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::comparison::{COMPARISON, Contending, is_comparison};
use mbsbench_runs::Outcome;

use super::{CONTENDERS, CommandError, RunOptions, Session, contended, read};

/// The methods that a file names.
///
/// # Errors
/// A file that cannot be read, and what is wrong with it.
pub(super) fn read_entries(registry: &Registry, path: &Path) -> Result<Vec<ContenderEntry>, CommandError> {
    Ok(read_contenders(path, &read(path)?, registry)?)
}

/// The contenders with the runs that were made of them.
#[derive(Default)]
pub(super) struct Contenders {
    names: Vec<String>,
    plans: Vec<Plan>,
    outcomes: Vec<Outcome>,
}

impl Contenders {
    /// The contenders of the comparison, run wherever its experiments with rankings say `every`, and taken from the
    /// store as far as it has their runs. A method that the comparison runs itself is run no further. Says that they
    /// are among what is written.
    ///
    /// # Errors
    /// What is wrong with the file or with the runs.
    pub(super) fn of(plans: &[Plan], options: &RunOptions, session: &mut Session<'_>) -> Result<Self, CommandError> {
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
        session.output.beside(format!(
            "contenders {names}: in summary, costs and pages of the comparison; see {}",
            file.display()
        ));
        contenders.outcomes = session.made(&contenders.plans, options)?;
        Ok(contenders)
    }

    /// For rankings.
    pub(super) fn contending(&self) -> Contending<'_> {
        Contending::new(self.names.clone(), &self.plans, Evidence::of(&self.plans, &self.outcomes))
    }
}
