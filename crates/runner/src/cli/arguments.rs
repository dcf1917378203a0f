//! The command line and its help pages.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgMatches, ValueEnum, value_parser};

use super::commands::{Command, Entry, GROUPS, HIDDEN};

/// The parsed command line.
#[derive(Debug)]
pub struct Arguments {
    /// The folder of experiments given on the command line.
    pub(super) experiments: Option<PathBuf>,
    pub(super) command: Box<dyn Command>,
}

/// The end of the first help page.
const CLOSING: &str = "\
Options: --experiments DIR (instead of ./experiments), --version, --help, also of each command
Exit codes: 0 done; 1 not as expected; 2 bad input; 3 system or program failed; 130, 143 signal";

impl Arguments {
    /// Parses the words of a command line; the first one is the name of the program.
    ///
    /// # Errors
    /// Fails if no command accepts the words. Requests for help or the version are returned as errors, too, with the
    /// rendered answer.
    pub fn read(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Self, clap::Error> {
        let mut program = Self::program();
        let matches = program.try_get_matches_from_mut(words).map_err(|mut error| {
            // Clap suggests to pass an unknown option as a value, which is rarely meant.
            error.remove(ContextKind::Suggested);
            error
        })?;
        Self::of(&matches).map_err(|error| error.format(&mut program))
    }

    fn of(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let known =
            matches.subcommand().and_then(|(name, own)| Some((entries().find(|entry| entry.name == name)?, own)));
        let (entry, own) = known.ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        Ok(Self { experiments: matches.get_one("experiments").cloned(), command: (entry.read)(own)? })
    }

    /// The program with its commands and help pages, as a clap command.
    pub fn program() -> clap::Command {
        let experiments = Arg::new("experiments")
            .long("experiments")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .global(true)
            .display_order(900)
            .help("Experiments directory [default: ./experiments and built in]");
        let program = clap::Command::new("mbsbench")
            .version(env!("CARGO_PKG_VERSION"))
            .about("Benchmark time integration methods for multibody dynamics, and check published results")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .arg(experiments)
            .subcommands(entries().map(|entry| plain((entry.augment)(clap::Command::new(entry.name)))));
        let template = format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}\n{CLOSING}", grouped(&program));
        program.help_template(template)
    }
}

fn entries() -> impl Iterator<Item = Entry> {
    GROUPS.iter().flat_map(|(_, entries)| *entries).chain(&HIDDEN).copied()
}

/// Formats the help with one line for each option; the description of an option lists its values.
fn plain(command: clap::Command) -> clap::Command {
    let hide = |argument: Arg| {
        if argument.get_action().takes_values() { argument.hide_possible_values(true) } else { argument }
    };
    command.mut_args(hide).mut_subcommands(plain)
}

/// Lists the commands of a program under the headings of their groups.
fn grouped(program: &clap::Command) -> String {
    let mut text = String::new();
    for (heading, entries) in GROUPS {
        let _ = writeln!(text, "{heading}");
        for Entry { name, .. } in entries {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let _ = writeln!(text, "  {name:11}  {}", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    text
}

/// Output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Human-readable.
    #[default]
    Text,
    /// JSON.
    Json,
}
