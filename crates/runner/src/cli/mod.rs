//! The command line.

mod animate;
mod args;
mod check;
mod contenders;
mod describe;
mod diff;
mod engine;
mod error;
mod examine;
mod explain;
mod export;
mod files;
mod help;
mod init;
#[cfg(unix)]
mod interrupt;
mod jobs;
mod like;
mod list;
mod lock;
mod merge;
mod new;
mod parts;
mod plan;
mod rank;
mod recognition;
mod recompute;
mod reconstruct;
mod reference;
mod report;
mod results;
mod run;
mod schema;
mod sealed;
mod source;
mod summary;
mod verify;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

pub use args::{Arguments, Command, Format, Listed};
pub use check::{load, no_experiment};
pub use engine::Engine;
pub use error::CommandError;
pub use jobs::{memory_of_machine, threads};

use crate::output::Output;
use files::Library;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::printable;
use source::Source;

/// Exit codes of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A verdict or run differs from what is expected.
    Differs = 1,
    /// Bad input; nothing was changed on disk.
    BadInput = 2,
    /// The disk or the system failed, or the program itself.
    System = 3,
}

impl Exit {
    /// The one that says more of what went wrong.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        if other as u8 > self as u8 { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main_with(registry: &Registry) -> ExitCode {
    #[cfg(unix)]
    interrupt::watch();
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
            return tell(&mut output, &printable(&error.render().to_string()), Exit::BadInput);
        }
        // `--help` and `--version` are answers, not errors.
        Err(answer) => {
            return match output.line(answer.render().to_string().trim_end()) {
                Ok(()) => Exit::Done,
                Err(_) => Exit::System,
            };
        }
    };
    match command(registry, &arguments, &mut output) {
        Ok(exit) => exit,
        Err(error) => tell(&mut output, &error.render(colour), error.exit()),
    }
}

fn command(registry: &Registry, arguments: &Arguments, output: &mut Output<'_>) -> Result<Exit, CommandError> {
    jobs::make_global_pool();
    let source = Source::of(arguments, output)?;
    let library =
        Library { registry, experiments: &source.folder, is_builtin: source.is_builtin, builtin: &source.builtin };
    let beside = |results: &Option<PathBuf>| results.clone().unwrap_or_else(|| library.results());
    let seen = |results: &Option<PathBuf>| library.seen(results.as_ref());
    match &arguments.command {
        Command::Reproduce { wanted, make } => {
            return run::reproduce(library, wanted, make, output);
        }
        Command::Verify { paper, shown, strict, recompute, results } => {
            return verify::verify(library, paper.as_deref(), (*shown, *strict), recompute, &seen(results), output);
        }
        Command::Explain { statement, open: true, results } => {
            explain::open(library, statement, &seen(results), output)?
        }
        Command::Explain { statement, results, .. } => explain::explain(library, statement, &seen(results), output)?,
        Command::Lock { paper, options, results } => {
            lock::lock(library, paper.as_deref(), options, &beside(results), output)?;
        }
        Command::Diff { one, other, options } => return diff::diff(one, other, *options, output),
        Command::Reference { id } => return reference::reference(library, id, output),
        Command::Run { wanted, out, make } => return run::run(library, wanted, out, make, output),
        Command::Render { wanted, png, out, options } => run::render(library, wanted, *png, out, options, output)?,
        Command::Animate { file, options } => animate::animate(library, file, options, output)?,
        Command::Reconstruct { files, options } => reconstruct::reconstruct(library, files, options, output)?,
        Command::Export { name, to, results } => export::export(library, name, *to, &seen(results), output)?,
        Command::Report { results } => {
            let (results, options) = (beside(results), run::RunOptions::default());
            let (plans, judged) = (library.completed(Vec::new())?, report::Judgements::new());
            let page = report::report(library, &plans, judged, (&results, &options), output)?;
            output.line(format!("report: {}", page.display()))?;
        }
        Command::Examine { method, html, options, format } => {
            examine::examine(library, method, html.as_ref(), options, *format, output)?;
        }
        Command::Like { model, options, results, format } => {
            like::like(library, model, &seen(results), *options, *format, output)?;
        }
        Command::Rank { method, wanted, results, figures, options, format } => {
            let results = rank::results_for(library, results.as_ref(), options);
            let shown = rank::Shown { figures: figures.as_deref(), format: *format };
            rank::rank(library, method, wanted, &results, options, shown, output)?;
        }
        Command::Check { files, strict } => check::check(registry, files, *strict, output)?,
        Command::Plan { wanted, options } => plan::plan(library, wanted, options, output)?,
        Command::Cell { key, wanted, options } => parts::cell(library, key, wanted, options, output)?,
        Command::Shard { part, wanted, options } => parts::shard(library, part, wanted, options, output)?,
        Command::Merge { folders, cache } => return merge::merge(registry, folders, cache, output),
        Command::List { what, format, folder } => list::list(library, *what, *format, folder.as_deref(), output)?,
        Command::Describe { what } => describe::describe(registry, what, output)?,
        Command::Init { folder } => init::init(folder, output)?,
        Command::New { what } => new::new(library, what, output)?,
        Command::Schema { what } => schema::schema(registry, *what, output)?,
    }
    Ok(Exit::Done)
}

/// Says what went wrong. Where even that fails, the exit code is all that is left.
fn tell(output: &mut Output<'_>, text: &str, exit: Exit) -> Exit {
    output.rendered(text);
    exit
}
