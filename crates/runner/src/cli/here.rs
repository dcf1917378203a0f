//! Results and report once more, with the times of the machine at hand: what is committed has the times that were recorded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_input::{LARGEST_DATA, read_file, write_replaceable};
use mbsbench_judge::claims::{Judged, Ledger};
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::Outcome;
use mbsbench_runs::seal;
use mbsbench_runs::store::Store;
use rayon::prelude::*;

use super::CommandError;
use super::error::is_of_study;
use super::files::{Library, all_files};
use super::report::{Judgements, report};
use super::run::RunOptions;
use super::verify::{judged, keep_judged};
use crate::artefacts::{keep_times, put, write};
use crate::output::Output;

/// Where they go.
const FOLDER: &str = "target/here";
/// Has a hash of all that they were made of.
const MADE_OF: &str = ".made-of";

/// A timed experiment with its results, which have the times of this machine.
pub(super) struct Timed<'p> {
    pub plan: &'p Plan,
    pub outcome: Outcome,
    /// How many ratios of times differ from the recorded ones, and how many there are.
    pub ratios: [usize; 2],
}

/// A line on the experiments whose ratios of times differ from the recorded ones; none if all agree.
pub(super) fn differing_ratios(timed: &[Timed<'_>]) -> Option<String> {
    let differing =
        timed.iter().filter(|timed| timed.ratios[0] > 0).map(|Timed { plan, ratios: [differing, all], .. }| {
            format!("{} ({differing} of {all} ratios)", plan.experiment.id)
        });
    let differing: Vec<String> = differing.collect();
    (!differing.is_empty())
        .then(|| format!("times of this machine differ from those recorded: {}", differing.join(", ")))
}

/// Writes all results with times of this machine, and a report of them, unless they are there. Gives lines on the
/// verdicts that differ and on where the report is.
pub(super) fn here(
    library: Library<'_>,
    plans: &[Plan],
    timed: &[Timed<'_>],
    (ledgers, known): (&[Ledger], &Judgements),
    (results, store, options): (&Path, &Store, &RunOptions),
    output: &mut Output<'_>,
) -> Result<Vec<String>, CommandError> {
    if timed.is_empty() {
        return Ok(Vec::new());
    }
    let folder = Path::new(FOLDER);
    let page = folder.join("report/index.html");
    let made_of = made_of(library, timed, results)?;
    let is_made =
        page.exists() && read_file(&folder.join(MADE_OF), LARGEST_DATA).is_ok_and(|found| found == made_of.as_bytes());
    if !is_made {
        let _ = std::fs::remove_file(folder.join(MADE_OF));
        copy(results, folder, timed)?;
        for Timed { plan, outcome, .. } in timed {
            write(folder, plan, outcome, library.registry, store)?;
            let times = outcome.results.rows.iter().map(|row| row.timing.clone()).collect();
            keep_times(folder, plan, &mut outcome.results.clone(), times, false)?;
        }
    }
    let mut judgements = Judgements::new();
    let mut differing = Vec::new();
    for ledger in ledgers {
        let own = judged(ledger, plans, folder)?;
        keep_judged(ledger, &own, folder)?;
        let recorded = known.get(&ledger.paper);
        differing.extend(recorded.iter().flat_map(|recorded| differences(&ledger.paper, recorded, &own)));
        judgements.insert(ledger.paper.clone(), own);
    }
    if !is_made {
        report(library, plans, judgements, (folder, options), output)?;
        put(&folder.join(MADE_OF), made_of.as_bytes())?;
    }
    let mut lines = Vec::new();
    if !differing.is_empty() {
        lines.push(format!("with times of this machine {}", differing.join(", ")));
    }
    lines.push(format!("report with times of this machine: {}", page.display()));
    Ok(lines)
}

/// Hashes of program, experiments, results and times.
fn made_of(library: Library<'_>, timed: &[Timed<'_>], results: &Path) -> Result<String, CommandError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(fingerprint(library.registry).as_bytes());
    // What draws and judges is no part of the fingerprint of what runs.
    let program = std::env::current_exe().and_then(|path| path.metadata()).and_then(|file| file.modified()).ok();
    hasher.update(format!("{program:?}").as_bytes());
    let hash = |path: PathBuf| match read_file(&path, LARGEST_DATA) {
        Ok(content) => Ok(format!("{} {}\n", path.display(), blake3::hash(&content))),
        Err(error) => Err(CommandError::Unreadable { path, error }),
    };
    let files = [all_files(results)?, all_files(library.experiments)?].concat();
    let files = files.into_par_iter().filter(|path| is_copied(path));
    for hash in files.map(hash).collect::<Result<Vec<_>, _>>()? {
        hasher.update(hash.as_bytes());
    }
    for Timed { plan, outcome, .. } in timed {
        let samples: Vec<_> = outcome.results.rows.iter().map(|row| row.timing.as_ref()).collect();
        hasher.update(format!("{} {samples:?}", plan.experiment.id).as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Copies results, but for those of timed experiments that are written anew.
fn copy(results: &Path, folder: &Path, timed: &[Timed<'_>]) -> Result<(), CommandError> {
    let own: Vec<PathBuf> = timed.iter().map(|timed| results.join(&timed.plan.experiment.id)).collect();
    let mut kept = BTreeSet::new();
    for path in all_files(results)?.into_iter().filter(|path| is_copied(path)) {
        let Ok(below) = path.strip_prefix(results) else { continue };
        let to = folder.join(below);
        kept.insert(to.clone());
        let is_own = own.iter().any(|own| path.starts_with(own));
        if is_own && !is_of_study(&path) {
            continue;
        }
        let content =
            read_file(&path, LARGEST_DATA).map_err(|error| CommandError::Unreadable { path: path.clone(), error })?;
        match (is_own, to.parent(), to.file_name()) {
            // Its manifest is not that of the results.
            (true, Some(beside), Some(name)) => seal::write(beside, &[(name.to_string_lossy().into_owned(), content)])?,
            _ => write_replaceable(&to, &content).map_err(|error| CommandError::Store { path: to, error })?,
        }
    }
    // What results have no more.
    let present = if folder.exists() { all_files(folder)? } else { Vec::new() };
    for path in present.into_iter().filter(|path| !kept.contains(path) && is_copied(path)) {
        std::fs::remove_file(&path).map_err(|error| CommandError::Store { path, error })?;
    }
    Ok(())
}

/// Pages are made anew.
fn is_copied(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension != "html") && path.file_name().is_none_or(|name| name != MADE_OF)
}

/// Statements that have another verdict by times of this machine.
fn differences(paper: &str, recorded: &[Judged], own: &[Judged]) -> Vec<String> {
    let pairs = recorded.iter().zip(own).filter(|(recorded, own)| recorded.verdict() != own.verdict());
    let said = |(recorded, own): (&Judged, &Judged)| {
        format!("{paper}/{} would be {}, not {}", own.statement.id, own.verdict(), recorded.verdict())
    };
    pairs.map(said).collect()
}
