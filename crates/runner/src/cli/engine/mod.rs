//! Distribution of runs over many machines: an engine receives the parts `1/N` to `N/N` of the runs as tasks, and this
//! program waits for them.
//!
//! The cache is the only record of finished work, and tasks write into it like every other program. Therefore a program
//! that is killed, here or on any machine, loses only the runs in progress, and this program computes everything that
//! no task did.

mod submit;

use std::env::current_exe;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::Path;

use mbsbench_experiment::Plan;
use mbsbench_input::{LARGEST_TEXT, printable, read_text};
use mbsbench_runs::pipeline::missing;
use mbsbench_runs::{FileError, Store, fingerprint};

use super::{CommandError, RunOptions, Session, counted};
pub use submit::Engine;

/// The machines that make runs.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct EngineOptions {
    /// Workers: `local`, `hyperqueue`, `slurm` or `snakemake`.
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Local)]
    engine: Engine,
    /// Tasks into which an engine splits the runs.
    #[arg(long, value_name = "N", default_value = "64")]
    parts: NonZero<usize>,
}

/// Lets an engine compute the runs that are missing in the cache. Parts that fail or are lost are reported.
pub(super) fn distribute(
    plans: &[Plan],
    options: &RunOptions,
    engine: EngineOptions,
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    let Some(program) = engine.engine.program() else { return Ok(()) };
    let Session { library, output } = session;
    if options.fresh {
        return Err(CommandError::refused(
            "`--fresh` cannot be combined with `--engine`, which computes only runs that are not in the cache",
            "use `--cache` with a new folder to compute all runs again",
        ));
    }
    let cache = &options.machine.cache;
    let store = Store::new(cache, fingerprint(library.registry));
    store.prepare().map_err(FileError::of(cache))?;
    let runs = missing(plans, &store).len();
    if runs == 0 {
        return Ok(());
    }
    let parts = engine.parts.get().min(runs);
    let folder = told(plans, &library.experiments, options, parts).map_err(FileError::of(cache))?;
    output.beside(format!("{program}: {} in {}", counted(runs, "run"), counted(parts, "part")));
    let failed = |error| CommandError::Engine { program, error };
    let status = engine.engine.submit(program, folder.path(), parts).map_err(failed)?;
    let mut lost = 0;
    for part in 0..parts {
        let text = |what: &str| read_text(&folder.path().join(format!("{part}.{what}")), LARGEST_TEXT);
        let what = match text("ended").as_deref().map(str::trim) {
            Ok("0") => continue,
            Ok(_) => {
                let log = text("log").unwrap_or_default();
                let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
                format!("failed: {}", printable(last))
            }
            Err(_) => {
                lost += 1;
                "was lost: it left no exit status".to_owned()
            }
        };
        output.beside(format!("part {} of {parts} {what}; this machine computes its runs", part + 1));
    }
    if !status.success() && lost == parts {
        return Err(failed(io::Error::other(format!("it ended with {status}, and no part was computed"))));
    }
    Ok(())
}

/// Creates a folder beside the entries of the cache with the script of the tasks; it is removed at the end. A task
/// always exits with success, because engines repeat or cancel failed tasks. Its actual result is written to a file.
fn told(plans: &[Plan], experiments: &Path, options: &RunOptions, parts: usize) -> io::Result<tempfile::TempDir> {
    let cache = &options.machine.cache;
    let above = cache.join(".parts");
    fs::create_dir_all(&above)?;
    let folder = tempfile::Builder::new().prefix("round-").tempdir_in(fs::canonicalize(above)?)?;
    let quick = if options.quick { " --quick" } else { "" };
    let files: String =
        plans.iter().map(|plan| format!(" {}", quoted(plan.experiment.document.source.path()))).collect();
    let script = format!(
        "#!/bin/sh\n\
         # Computes the runs of one part and records the exit status.\n\
         cd {} || exit\n\
         number=${{1:-${{HQ_TASK_ID:-$SLURM_ARRAY_TASK_ID}}}}\n\
         part={}/$number\n\
         {} --experiments {} runs shard $((number + 1))/{parts}{quick} --jobs 1 --cache {}{files} >\"$part.log\" 2>&1\n\
         echo $? >\"$part.part\" && mv \"$part.part\" \"$part.ended\"\n",
        quoted(&std::env::current_dir()?),
        quoted(folder.path()),
        quoted(&current_exe()?),
        quoted(experiments),
        quoted(cache),
    );
    fs::write(folder.path().join("task.sh"), script)?;
    Ok(folder)
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}
