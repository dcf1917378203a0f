//! `mbsbench reconstruct`: searches for set-ups that agree with a paper, and judges statements in them.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, StudySpec};
use mbsbench_input::remove_leftovers;
use mbsbench_judge::reconstruction::{Finding, Reconstruction, ReconstructionError, Scope, Size, words};
use mbsbench_render::{lay_out, svg};
use mbsbench_runs::{Progress, Resources, seal};
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify};

use super::Command;
use crate::artefacts::{WriteError, shares, witness};
use crate::cli::{CommandError, Exit, Machine, Need, Result, Session, Wanted, Workshop, papers, table};
use crate::output::Output;

/// Find set-ups that agree with everything a paper prints; judge statements in them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mbsbench reconstruct gil2013/stiff-pendulum\n  \
                  mbsbench reconstruct gil2013 --budget 500",
    mut_arg("wanted", |wanted| wanted.required(true).help("Experiment files, or names of papers or experiments"))
)]
pub(super) struct Reconstruct {
    /// Experiments.
    #[command(flatten)]
    wanted: Wanted,
    /// Largest number of set-ups with `given:` [default: from the file or 2000].
    #[arg(long, value_name = "N")]
    budget: Option<u32>,
    /// Samples of the ranges without `given:` [default: from the file or 128].
    #[arg(long, value_name = "N")]
    samples: Option<u32>,
    /// Threads, memory and cache.
    #[command(flatten)]
    machine: Machine,
    /// Output directory; files go to `DIR/<id>/`.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
}

impl Command for Reconstruct {
    fn need(&self) -> Need {
        Need::Read
    }

    /// Searches for the set-ups of experiments that agree with the printed numbers of their papers, and judges the
    /// checks of each experiment.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let library = session.library;
        let plans = self.wanted.plans(library, false)?;
        let all = library.called(&papers(&plans), false)?;
        let mut workshop = Workshop::open(&self.machine, Progress::new(0), session)?;
        let mut lost = Vec::new();
        for plan in &plans {
            let id = &plan.experiment.id;
            remove_leftovers(&self.out.join(id));
            if plan.experiment.undetermined.is_empty() {
                session.output.println(format!("{id}: nothing is undetermined"))?;
                continue;
            }
            let scope = Scope::new(plan, &all)?;
            let Some(ledger) = library.ledger(&plan.experiment.paper, &all)? else {
                session.output.println(format!("{id}: the paper has no ledger"))?;
                continue;
            };
            let checks = scope.checks(&ledger);
            if checks.judged.is_empty() && !scope.is_conditioned() {
                let count = checks.left_out.len();
                session.output.println(format!("{id}: none of the {count} checks that depend on it can be judged"))?;
                continue;
            }
            let study = &plan.experiment.study;
            let size = Size {
                samples: self.samples.or(study.samples).unwrap_or(StudySpec::SAMPLES),
                budget: self.budget.or(study.budget).unwrap_or(StudySpec::BUDGET) as usize,
            };
            workshop.progress = Progress::new(scope.runs(&checks, size.samples)).counting_failures();
            let search = |resources: Resources<'_>| {
                Reconstruction::new(&scope, checks, size, library.registry, Resources { costs: None, ..resources })
            };
            let found = match workshop.make(session, search) {
                // Reconstructions of other experiments do not depend on it.
                Err(error @ ReconstructionError::Lost { .. }) => {
                    session.output.eprintln(error.to_string());
                    lost.push(id.clone());
                    continue;
                }
                found => found?,
            };
            write(&self.out.join(id), plan, &found)?;
            print(plan, &found, &mut session.output)?;
            session.output.eprintln(format!("{id}: {}", workshop.progress.summary()));
        }
        if lost.is_empty() { Ok(Exit::Done) } else { Err(CommandError::LostStudies(lost)) }
    }
}

/// Writes the tables of a reconstruction, its figure and its witness.
fn write(folder: &Path, plan: &Plan, found: &Reconstruction) -> Result<()> {
    let mut files = vec![
        ("reconstruction.csv".to_owned(), found.findings.to_csv().map_err(WriteError::from)?),
        ("set-ups.csv".to_owned(), found.set_ups_to_csv().into_bytes()),
    ];
    if let Some(figure) = shares::figure(found) {
        files.push((format!("{}.svg", figure.id), svg::write(&lay_out(&figure)).into_bytes()));
    }
    if let Some(found) = &found.witness {
        files.push(("witness.yaml".to_owned(), witness::text(plan, found).into_bytes()));
    }
    Ok(seal::write(folder, &files)?)
}

fn print(plan: &Plan, found: &Reconstruction, output: &mut Output<'_>) -> Result<()> {
    let findings = &found.findings;
    let variables: Vec<&str> = found.variables.iter().map(|variable| variable.name.as_str()).collect();
    let name = |name: &str| words::short_name(name, &variables);
    output.println(format!("{}:", plan.experiment.id))?;
    words::searched(findings).iter().try_for_each(|line| output.println(format!("  {line}")))?;
    for (key, undetermined) in &plan.experiment.undetermined {
        output.println(format!("  {}: {}", key.name, words::sampled(undetermined)))?;
    }
    // The share beside the nominal verdict: in accepted set-ups the share that reproduces, else the share with the
    // nominal verdict.
    let share = if findings.is_conditioned() { "reproduced in" } else { "the same in" };
    let heads = ["check", "nominal", share, "95 % interval", "decided by", "then", "readings"].map(str::to_owned);
    let line = |finding: &Finding| {
        let [share, interval, decided, then, readings] = words::cells(finding, name);
        [finding.check.clone(), finding.nominal.to_string(), share, interval, decided, then, readings]
    };
    let judged = findings.checks.iter().filter(|finding| finding.left_out.is_none());
    let mut table = table([heads].into_iter().chain(judged.map(line)));
    table.with(Modify::new(Columns::new(2..4)).with(Alignment::right()));
    output.println(table.to_string())?;
    words::left_out(&findings.checks).iter().try_for_each(|line| output.println(line))?;
    if let Some(found) = &found.witness {
        output.println(format!("witness: {}", witness::summary(found)))?;
    }
    Ok(())
}
