//! The command line of the program.

mod arguments;
mod builtin;
mod commands;
mod contenders;
mod error;
mod execution;
mod files;
#[cfg(unix)]
mod interrupt;
mod judging;
mod library;
mod method;
mod names;
mod options;
mod recognition;
mod reporting;
mod results;
mod runs_table;
mod session;
mod summary;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

pub use arguments::Arguments;
pub use error::{CommandError, Exit};
pub use files::{load, no_experiment};
pub use options::{memory_of_machine, threads};
pub use recognition::{FileKind, file_kind, kind_of};

use crate::output::Output;
use arguments::Format;
use builtin::{Builtin, EXPERIMENTS, RESULTS};
use contenders::{Contenders, read_entries};
use error::Result;
use execution::{MakeOptions, failures, make_and_write, refuted};
use files::{
    entries, experiment_files, files_below, is_paper, motion, other_kind, plans_beside, read, read_data, read_ledger,
    read_publication, read_unlocked, read_with, write,
};
use judging::{
    BY_TIMES, NOT_AS_EXPECTED, Verdicts, evidence, judge_papers, judged, judged_on, outcome_of, outcome_of_check,
    rests_on, surprise, tally,
};
use library::{Library, Need};
use mbsbench_experiment::Registry;
use mbsbench_input::printable;
use method::{Examined, contended};
use names::{counted, paper_of, papers, several, sorted, table};
use options::{CACHE, GUEST, Machine, QUICK, RunOptions, Seen, Strict, Wanted};
use recognition::{CONTENDERS, LEDGERS, id_in, is_file, is_yaml};
use reporting::{Judgements, write_manifest, write_rankings, write_report};
use results::{Results, ensure_sealed, evidence_of};
use runs_table::RunsTable;
use session::{Session, Workshop, none_lost};
use summary::Summary;

/// Runs the program with the arguments of the process.
pub fn main_with(registry: &Registry) -> ExitCode {
    #[cfg(unix)]
    let _ = interrupt::watch();
    let (mut stdout, mut stderr) = (io::stdout().lock(), io::stderr());
    let colour = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    run(registry, std::env::args_os(), &mut stdout, &mut stderr, colour).into()
}

/// Runs the program with these arguments, the first of which is its name.
pub fn run(
    registry: &Registry,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
    colour: bool,
) -> Exit {
    let mut output = Output::new(stdout, stderr);
    let arguments = match Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            output.rendered(&printable(&error.render().to_string()));
            return Exit::BadInput;
        }
        // The texts of `--help` and `--version` are answers, not errors.
        Err(answer) => {
            let written = output.println(answer.render().to_string().trim_end());
            return if written.is_ok() { Exit::Done } else { Exit::System };
        }
    };
    obey(registry, &arguments, stdout, stderr).unwrap_or_else(|error| {
        // If the message cannot be written, only the exit code remains.
        Output::new(stdout, stderr).rendered(&error.render(colour));
        error.exit()
    })
}

fn obey(
    registry: &Registry,
    Arguments { experiments, command }: &Arguments,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<Exit> {
    options::make_global_pool();
    let mut output = Output::new(stdout, stderr);
    let library = Library::find(registry, experiments.as_deref(), command.need(), &mut output)?;
    command.run(&mut Session { library: &library, output })
}
