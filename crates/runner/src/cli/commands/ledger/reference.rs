//! `mbsbench ledger reference`: computes the references stored beside the experiments.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mbsbench_experiment::plan::stored::{StoredReference, command, times};
use mbsbench_experiment::{Plan, ReferencePlan, RunSpec};
use mbsbench_input::{BadInput, Problem};
use mbsbench_measures::ReferenceTrajectory;
use mbsbench_runs::memory::of_reference;
use mbsbench_runs::pipeline::make_reference;

use crate::cli::{CommandError, Exit, Library, Result, Session, experiment_files, memory_of_machine, paper_of, read};

/// Recompute the stored reference solutions of an experiment.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench ledger reference zhang2022/shaft-convergence")]
pub(super) struct Reference {
    /// Experiment.
    #[arg(value_name = "PAPER/NAME")]
    id: String,
}

impl Reference {
    /// Computes every stored reference of the experiment, at the times required by all experiments that share it.
    pub(super) fn make(&self, session: &mut Session<'_>) -> Result<Exit> {
        let (library, id) = (session.library, self.id.as_str());
        if library.is_beside(paper_of(id)) {
            return Err(CommandError::Unchangeable);
        }
        let plans = plans(library)?;
        let known =
            || plans.iter().filter(|plan| references(plan).next().is_some()).map(|plan| plan.experiment.id.clone());
        let Some(plan) = plans.iter().find(|plan| plan.experiment.id == id) else {
            return Err(CommandError::unknown("experiment", id, known()));
        };
        let own: BTreeMap<&Path, &ReferencePlan> =
            references(plan).map(|(path, reference, _)| (path, reference)).collect();
        if own.is_empty() {
            return Err(CommandError::unknown("experiment with a stored reference", id, known()));
        }
        let mut exit = Exit::Done;
        for (path, wanted) in own {
            let mut sharing = Vec::new();
            for plan in &plans {
                for (_, reference, run) in references(plan).filter(|(other, ..)| *other == path) {
                    if reference.key != wanted.key {
                        return Err(two_in_one_file(plan, reference, path).into());
                    }
                    sharing.push(run);
                }
            }
            let (shown, times) = (path.display(), times(wanted, sharing.iter().copied()));
            match solved(wanted, &times, &sharing) {
                Ok(trajectory) => {
                    let (digits, count) = (trajectory.digits, times.len());
                    let made = StoredReference { key: wanted.key.full().to_owned(), trajectory };
                    let failed = |error| CommandError::Reference { path: path.to_owned(), error };
                    made.write(path, &command(id)).map_err(failed)?;
                    let text = format!("{shown}: {count} times; the two methods agree to {digits:.1} digits");
                    session.output.println(text)?;
                }
                Err(failure) => {
                    session.output.println(format!("{shown}: {failure}; nothing was written"))?;
                    exit = Exit::Differs;
                }
            }
        }
        Ok(exit)
    }
}

/// Reads all experiments, whether or not their stored references exist.
fn plans(library: &Library<'_>) -> Result<Vec<Plan>> {
    let plan = |path: &Path| Ok(Plan::read_for_references(path, &read(path)?, library.registry)?);
    experiment_files(&library.experiments)?.iter().filter_map(|path| plan(path).transpose()).collect()
}

/// The runs of a plan with stored references, each with its file and reference.
fn references(plan: &Plan) -> impl Iterator<Item = (&Path, &ReferencePlan, &RunSpec)> {
    plan.runs.iter().filter_map(|run| {
        let reference = run.reference.as_deref()?;
        Some((reference.stored.as_ref()?.path.as_path(), reference, run))
    })
}

fn two_in_one_file(plan: &Plan, reference: &ReferencePlan, path: &Path) -> BadInput {
    let document = &plan.experiment.document;
    let place = reference.stored.as_ref().map_or(document.root.place, |stored| stored.place);
    let message = format!("`{}` is also the file of another reference", path.display());
    let problem =
        Problem::new(place, message).help("accepted: the same model, span, methods and steps, or another file");
    BadInput::new(Arc::clone(&document.source), vec![problem])
}

/// Reduces a reference to the observables that the measures read, unless a measure reads whole classes of observables.
fn only_asked(mut reference: ReferenceTrajectory, sharing: &[&RunSpec]) -> ReferenceTrajectory {
    let measures = sharing.iter().flat_map(|run| run.measures.iter().map(move |measure| (run.span, &measure.object)));
    let of_reference = measures.filter(|(span, measure)| !measure.reference_times(*span).is_empty());
    let asked: Vec<Vec<String>> = of_reference.map(|(_, measure)| measure.observables()).collect();
    if asked.iter().any(Vec::is_empty) {
        return reference;
    }
    let keep: Vec<bool> =
        reference.observables.iter().map(|name| asked.iter().flatten().any(|own| own == name)).collect();
    let kept = |row: &mut Vec<f64>| {
        let mut keep = keep.iter();
        row.retain(|_| keep.next() == Some(&true));
    };
    reference.values.iter_mut().for_each(kept);
    reference.bounds.iter_mut().for_each(kept);
    let mut keep = keep.iter();
    reference.observables.retain(|_| keep.next() == Some(&true));
    reference
}

/// Solves a reference. Fails if it cannot be solved, or if fewer digits agree than required.
fn solved(plan: &ReferencePlan, times: &[f64], sharing: &[&RunSpec]) -> Result<ReferenceTrajectory, String> {
    let memory = memory_of_machine();
    let _reserved = memory.reserve(of_reference(plan, times.len())).map_err(|too_large| too_large.to_string())?;
    let found = make_reference(plan, times)?;
    let (digits, asked) = (found.digits, found.digits_asked);
    if digits < asked {
        return Err(format!("the two methods agree to only {digits:.1} digits ({asked} required)"));
    }
    Ok(only_asked(found, sharing))
}
