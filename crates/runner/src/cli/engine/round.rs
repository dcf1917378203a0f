//! One submission: files that tell each part its runs, the engine's program, and what became of the parts.

use std::collections::BTreeSet;
use std::env::current_exe;
use std::fs::{self, File};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use mbsbench_input::{LARGEST_TEXT, printable, read_text};
use mbsbench_runs::costs::Costs;
use tempfile::TempDir;

use super::submit::Scheduler;
use super::waves::Work;
use super::{Planned, balance, counted, parts_folder};
use crate::cli::CommandError;
use crate::output::Output;

/// Held by the program that waits for the parts told in the same folder.
const HELD: &str = "held";

/// Time between two looks at what has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Time between two lines on how far it is.
const TELL: Duration = Duration::from_secs(5);

/// Parts with the folder that tells them what to do.
pub(super) struct Round<'p> {
    planned: Planned<'p>,
    /// Removed in the end; a task that begins later finds nothing to do.
    folder: TempDir,
    /// Keeps the folder from being taken for a leftover.
    _held: File,
    parts: Vec<Vec<Work>>,
}

/// How a part ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Done,
    /// The program failed; the last line that it said.
    Failed(String),
    /// Nobody knows.
    Lost,
}

impl<'p> Round<'p> {
    /// Splits works into parts and writes what these are told.
    pub fn new(planned: Planned<'p>, works: Vec<Work>, most: NonZero<usize>) -> io::Result<Self> {
        let costs: Vec<Duration> = works.iter().map(|work| work.cost).collect();
        let of_part = |part: Vec<usize>| part.into_iter().map(|index| works[index].clone()).collect();
        let parts: Vec<Vec<Work>> = balance::parts(&costs, most.get()).into_iter().map(of_part).collect();
        let above = parts_folder(&planned.options.cache);
        fs::create_dir_all(&above)?;
        let folder = tempfile::Builder::new().prefix("round-").tempdir_in(fs::canonicalize(above)?)?;
        let held = File::create(folder.path().join(HELD))?;
        // Where files cannot be locked, leftovers stay.
        let _ = held.try_lock();
        for (index, part) in parts.iter().enumerate() {
            let keys: String = part.iter().map(|work| format!("{}\n", work.key)).collect();
            fs::write(folder.path().join(format!("{index}.keys")), keys)?;
        }
        fs::write(folder.path().join("task.sh"), task(planned, folder.path())?)?;
        Ok(Self { planned, folder, _held: held, parts })
    }

    /// Has the parts made, and gives the keys of those that were not.
    pub fn made(self, scheduler: Scheduler, output: &mut Output<'_>) -> Result<BTreeSet<String>, CommandError> {
        let runs = self.parts.iter().map(Vec::len).sum();
        let parts = counted(self.parts.len(), "part");
        output.beside(format!("{}: {} in {parts}", scheduler.program, counted(runs, "run")));
        let failed = |error| CommandError::Engine { program: scheduler.program, error };
        let mut waiting = scheduler.submitted(self.folder.path(), self.parts.len()).map_err(failed)?;
        let (mut told, mut last) = (0, Instant::now());
        let status = loop {
            if let Some(status) = waiting.try_wait().map_err(failed)? {
                break status;
            }
            sleep(LOOK);
            let ended = (0..self.parts.len()).filter(|&part| self.path(part, "ended").exists()).count();
            if ended > told && last.elapsed() >= TELL {
                (told, last) = (ended, Instant::now());
                output.beside(format!("{}: {ended} of {parts} over", scheduler.program));
            }
        };
        let ends: Vec<End> = (0..self.parts.len()).map(|part| self.end(part)).collect();
        let cache = &self.planned.options.cache;
        Costs::of_files((0..self.parts.len()).map(|part| self.path(part, "costs")))
            .learnt(cache)
            .map_err(|error| CommandError::Store { path: cache.clone(), error })?;
        if !status.success() && ends.iter().all(|end| *end == End::Lost) {
            return Err(failed(io::Error::other(format!("it ended with {status}, and no part was made"))));
        }
        Ok(self.lost(&ends, output))
    }

    /// Names the parts that are not done, and gives their keys.
    fn lost(&self, ends: &[End], output: &mut Output<'_>) -> BTreeSet<String> {
        let mut lost = BTreeSet::new();
        for (index, (part, end)) in self.parts.iter().zip(ends).enumerate() {
            let what = match end {
                End::Done => continue,
                End::Failed(said) => format!("failed: {said}"),
                End::Lost => "is lost: nothing says how it ended".to_owned(),
            };
            output.beside(format!("part {} of {} with {} {what}", index + 1, ends.len(), counted(part.len(), "run")));
            lost.extend(part.iter().map(|work| work.key.clone()));
        }
        lost
    }

    fn end(&self, part: usize) -> End {
        match read_text(&self.path(part, "ended"), LARGEST_TEXT).as_deref().map(str::trim) {
            Ok("0") => End::Done,
            Ok(_) => {
                let log = read_text(&self.path(part, "log"), LARGEST_TEXT).unwrap_or_default();
                let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
                End::Failed(printable(last).into_owned())
            }
            Err(_) => End::Lost,
        }
    }

    fn path(&self, part: usize, what: &str) -> PathBuf {
        self.folder.path().join(format!("{part}.{what}"))
    }
}

/// What a task does. It ends well whatever happens, since engines repeat or take away what fails: how it ended stands in a file.
fn task(planned: Planned<'_>, folder: &Path) -> io::Result<String> {
    let Planned { experiments, options, .. } = planned;
    let quick = if options.quick { " --quick" } else { "" };
    let files: String = planned.files().map(|file| format!(" {}", quoted(file))).collect();
    Ok(format!(
        "#!/bin/sh\n\
         # Makes the runs of one part and says how that ended.\n\
         cd {} || exit\n\
         part={}/${{1:-${{HQ_TASK_ID:-$SLURM_ARRAY_TASK_ID}}}}\n\
         {} --experiments {} shard \"@$part.keys\"{quick} --jobs 1 --cache {}{files} >\"$part.log\" 2>&1\n\
         echo $? >\"$part.part\" && mv \"$part.part\" \"$part.ended\"\n",
        quoted(&std::env::current_dir()?),
        quoted(folder),
        quoted(&current_exe()?),
        quoted(experiments),
        quoted(&options.cache),
    ))
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// Removes what killed programs left of their submissions: tasks of these that have not begun end at once.
pub(super) fn tidy(cache: &Path) {
    let folders = fs::read_dir(parts_folder(cache)).into_iter().flatten().flatten();
    for folder in folders.map(|entry| entry.path()) {
        let is_free = File::open(folder.join(HELD)).is_ok_and(|held| held.try_lock().is_ok());
        if is_free {
            // Another program may have been faster.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
