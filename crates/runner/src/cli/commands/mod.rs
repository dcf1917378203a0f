//! The commands, each in a separate file that no other command uses.
//!
//! A new command is a file with a type for its arguments that implements [`Command`], and a line in [`GROUPS`].

mod check;
mod compare;
mod diff;
mod explain;
mod init;
mod ledger;
mod list;
mod new;
mod reconstruct;
mod render;
mod reproduce;
mod run;
mod runs;
mod schema;
mod verify;

use clap::{ArgMatches, Args};

use crate::cli::{Exit, Need, Result, Session};

/// A command with its arguments. The help page is the doc comment of the type followed by its `after_help`, which has
/// examples.
pub trait Command: std::fmt::Debug {
    /// The access to the experiments of the papers that the command needs.
    fn need(&self) -> Need {
        Need::Nothing
    }

    /// Executes the command.
    ///
    /// # Errors
    /// Fails on bad input, and if the system or the program fails.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit>;
}

/// A command by its name.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// Adds help and arguments to an empty command.
    pub(super) augment: fn(clap::Command) -> clap::Command,
    /// Reads the arguments.
    pub(super) read: fn(&ArgMatches) -> Result<Box<dyn Command>, clap::Error>,
}

const fn entry<C: Command + Args + 'static>(name: &'static str) -> Entry {
    Entry { name, augment: C::augment_args, read: |matches| Ok(Box::new(C::from_arg_matches(matches)?)) }
}

/// The commands under the headings of the first help page, in the order of their use.
pub(super) const GROUPS: [(&str, &[Entry]); 3] = [
    (
        "Papers:",
        &[
            entry::<reproduce::Reproduce>("reproduce"),
            entry::<verify::Verify>("verify"),
            entry::<explain::Explain>("explain"),
            entry::<reconstruct::Reconstruct>("reconstruct"),
            entry::<render::Render>("render"),
        ],
    ),
    (
        "Your own methods, mechanisms and papers:",
        &[
            entry::<run::Run>("run"),
            entry::<check::Check>("check"),
            entry::<compare::Compare>("compare"),
            entry::<new::New>("new"),
            entry::<init::Init>("init"),
        ],
    ),
    (
        "Tools:",
        &[
            entry::<list::List>("list"),
            entry::<diff::Diff>("diff"),
            entry::<runs::Runs>("runs"),
            entry::<schema::PrintSchema>("schema"),
        ],
    ),
];

/// Commands for maintainers of ledgers, which the first help page does not show.
pub(super) const HIDDEN: [Entry; 1] = [entry::<ledger::Keep>("ledger")];
