//! `mbsbench schema`: prints the JSON Schema of experiment files, including the whole registry, of ledgers, and of
//! `paper.yaml`.

use clap::ValueEnum;

use super::Command;
use crate::cli::{Exit, Result, Session};

/// Print the JSON Schema of experiment files, ledgers or `paper.yaml`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench schema\n  mbsbench schema claims > claims.schema.json")]
pub(super) struct PrintSchema {
    /// `experiment`, `claims` (ledgers) or `paper`.
    #[arg(value_enum, default_value_t = Schemas::Experiment)]
    what: Schemas,
}

/// Files that have a JSON Schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Schemas {
    /// Experiment files.
    Experiment,
    /// `claims.yaml` and `anchors.yaml`.
    Claims,
    /// `paper.yaml`.
    Paper,
}

impl Command for PrintSchema {
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let schema = match self.what {
            Schemas::Experiment => mbsbench_experiment::schema::schema(session.library.registry),
            Schemas::Paper => mbsbench_judge::publication::schema(),
            Schemas::Claims => mbsbench_judge::claims::schema::schema(),
        };
        session.output.println(format!("{schema:#}"))?;
        Ok(Exit::Done)
    }
}
