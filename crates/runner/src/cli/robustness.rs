//! `mbsbench robustness`.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_input::remove_leftovers;
use mbsbench_judge::robustness::{Finding, Scope, Study, StudyError, words};
use mbsbench_render::{lay_out, svg};
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::Means;
use mbsbench_runs::progress::Progress;
use mbsbench_runs::seal;
use mbsbench_runs::store::Store;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};

use super::CommandError;
use super::files::{Library, papers};
use super::jobs::Jobs;
use super::run::{STORE, tell_refused};
use crate::artefacts::{WriteError, shares};
use crate::output::Output;

/// How a study is made.
#[derive(Debug, Clone, clap::Args)]
pub struct StudyOptions {
    /// Samples of the unpublished parameters [default: as in the file, else 128].
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// Threads and memory.
    #[command(flatten)]
    pub jobs: Jobs,
    /// Run cache.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    pub cache: PathBuf,
    /// The study goes to `DIR/<id>/robustness.csv`.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
}

/// Samples the undetermined parameters of experiment files, goes through their readings, and judges the checks that rest on each.
pub(super) fn robustness(
    library: Library<'_>,
    files: &[PathBuf],
    options: &StudyOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let registry = library.registry;
    let plans = library.selected(files, false)?;
    let all = library.of_papers(&papers(&plans), false)?;
    let (pool, memory) = (options.jobs.pool(output)?, options.jobs.memory());
    let store = Store::new(&options.cache, fingerprint(registry));
    store.tidy();
    let mut lost = Vec::new();
    for plan in &plans {
        let id = &plan.experiment.id;
        remove_leftovers(&options.out.join(id));
        if plan.experiment.undetermined.is_empty() {
            output.line(format!("{id}: nothing is undetermined"))?;
            continue;
        }
        let Some(ledger) = library.ledger(&plan.experiment.paper, &all)? else {
            output.line(format!("{id}: the paper has no ledger"))?;
            continue;
        };
        let samples = options.samples.unwrap_or_else(|| plan.experiment.study.samples());
        let scope = Scope::new(plan, &all).map_err(|name| StudyError::Along(id.clone(), name))?;
        let checks = scope.checks(&ledger);
        if checks.0.is_empty() {
            output.line(format!("{id}: no check to study, of {} that rest on it", checks.1.len()))?;
            continue;
        }
        let progress = Progress::new(scope.runs() * scope.times(samples)).counting_failures();
        let means = Means { store: &store, memory: &memory, progress: &progress, costs: None, fresh: false };
        let study = pool.install(|| Study::new(&scope, checks, samples, registry, means));
        progress.clear();
        tell_refused(&store, output);
        let study = match study {
            // Those of other experiments say as much without it.
            Err(error @ StudyError::Lost { .. }) => {
                output.beside(error.to_string());
                lost.push(id.clone());
                continue;
            }
            study => study?,
        };
        let findings = Finding::all(&study);
        write(&options.out.join(id), &study, &findings)?;
        print(plan, &study, &findings, output)?;
    }
    if lost.is_empty() { Ok(()) } else { Err(CommandError::LostStudies(lost)) }
}

/// Writes the two tables of a study, each with the figure that shows it.
fn write(folder: &Path, study: &Study, findings: &[Finding]) -> Result<(), CommandError> {
    let mut files = vec![
        ("robustness.csv".to_owned(), Finding::to_csv(findings).map_err(WriteError::from)?),
        ("robustness-samples.csv".to_owned(), study.samples_to_csv().map_err(WriteError::from)?),
    ];
    for figure in [shares::shares(findings), shares::samples(study, findings)].into_iter().flatten() {
        files.push((format!("{}.svg", figure.id), svg::write(&lay_out(&figure)).into_bytes()));
    }
    Ok(seal::write(folder, &files)?)
}

fn print(plan: &Plan, study: &Study, findings: &[Finding], output: &mut Output<'_>) -> Result<(), CommandError> {
    let variables: Vec<&str> = study.variables.iter().map(|variable| variable.name.as_str()).collect();
    let name = |name: &str| words::short_name(name, &variables);
    let times = study.samples() + study.readings.len();
    let runs = study.runs * times;
    let failed = study.failed.iter().sum::<usize>();
    output.line(format!(
        "{}: {} samples and {} readings, {runs} runs, {failed} failed",
        plan.experiment.id,
        study.samples(),
        study.readings.len()
    ))?;
    for (key, undetermined) in &plan.experiment.undetermined {
        let short = name(&key.name);
        let path = if short == key.name { String::new() } else { format!(" = {}", key.name) };
        output.line(format!("  {short}{path}: {}", words::sampled(undetermined)))?;
    }
    let mut table = Builder::default();
    table.push_record(["check", "verdict", "in", "95 % interval", "decided by", "correlations", "then", "readings"]);
    for finding in findings.iter().filter(|finding| finding.left_out.is_none()) {
        table.push_record([
            finding.check.clone(),
            finding.nominal.to_string(),
            words::share(finding),
            words::interval(finding),
            words::decided(finding, name),
            words::correlations(finding, name),
            words::then(finding, name),
            words::readings(finding),
        ]);
    }
    let mut table = table.build();
    table.with(Style::psql()).with(Modify::new(Columns::new(2..4)).with(Alignment::right()));
    output.line(table.to_string())?;
    for line in words::left_out(findings) {
        output.line(line)?;
    }
    Ok(())
}
