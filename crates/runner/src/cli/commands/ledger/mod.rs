//! `mbsbench ledger`: maintains the ledger of a paper and the references beside its experiments.

mod lock;
mod reference;

use clap::Subcommand;

use super::Command;
use crate::cli::{Exit, Need, Result, Session};

/// Record the bounds of a ledger, and compute stored references again.
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "Examples:\n  mbsbench ledger lock gil2013\n  mbsbench ledger reference zhang2022/shaft-convergence"
)]
pub(super) struct Keep {
    /// The task.
    #[command(subcommand)]
    what: Kept,
}

#[derive(Debug, Subcommand)]
enum Kept {
    Lock(lock::Lock),
    Reference(reference::Reference),
}

impl Command for Keep {
    fn need(&self) -> Need {
        Need::Change
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        match &self.what {
            Kept::Lock(lock) => lock.write(session),
            Kept::Reference(reference) => reference.make(session),
        }
    }
}
