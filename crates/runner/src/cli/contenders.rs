//! Methods that stand beside all others in the tables, figures and pages of the comparison: `contenders:` in one file.

use std::path::Path;

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_experiment::{ContenderEntry, read_contenders};
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::comparison::{COMPARISON, Contending, is_comparison};
use mbsbench_runs::pipeline::Outcome;

use super::CommandError;
use super::files::Library;
use super::rank::contended;
use super::run::{RunOptions, made};
use crate::output::Output;

/// The file, beside the experiments of the comparison.
pub(super) const FILE: &str = "contenders.yaml";

/// Whether a file names contenders.
pub(super) fn is_contenders(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE)
}

/// The methods that a file names.
///
/// # Errors
/// A file that cannot be read, and what is wrong with it.
pub(super) fn read(registry: &Registry, path: &Path) -> Result<Vec<ContenderEntry>, CommandError> {
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
        .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    read_contenders(path, &bytes, registry).map_err(|wrong| CommandError::BadInput(vec![wrong]))
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
    pub(super) fn of(
        library: Library<'_>,
        plans: &[Plan],
        options: &RunOptions,
        output: &mut Output<'_>,
    ) -> Result<Self, CommandError> {
        let file = library.experiments.join(COMPARISON).join(FILE);
        if !file.exists() {
            return Ok(Self::default());
        }
        let mut contenders = Self::default();
        let ranked = |plan: &&Plan| is_comparison(&plan.experiment) && !plan.experiment.rankings.is_empty();
        for entry in read(library.registry, &file)? {
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
        output.beside(format!(
            "contenders {names}: in summary, costs and pages of the comparison; see {}",
            file.display()
        ));
        if !contenders.plans.is_empty() {
            contenders.outcomes = made(library, &contenders.plans, options, output)?;
        }
        Ok(contenders)
    }

    /// For rankings.
    pub(super) fn contending(&self) -> Contending<'_> {
        Contending::new(self.names.clone(), &self.plans, Evidence::of(&self.plans, &self.outcomes))
    }
}
