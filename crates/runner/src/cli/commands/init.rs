//! `mbsbench init`: writes the built-in experiments as files.

use std::path::{Path, PathBuf};

use super::Command;
use crate::cli::{Exit, Result, Session};

/// Write the built-in experiments into a directory, to read and change them
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench init my-experiments")]
pub(super) struct Init {
    /// Directory, created if it is missing; files that differ are never overwritten.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Command for Init {
    fn run(&self, Session { output, .. }: &mut Session<'_>) -> Result<Exit> {
        let written = mbsbench_builtin::write_out(&self.folder)?;
        let folder = self.folder.display();
        match written.len() {
            0 => output.println(format!("{folder}: all files already exist"))?,
            count => output.println(format!("{folder}: {count} files"))?,
        }
        let there = if self.folder == Path::new(".") { String::new() } else { format!("cd {folder}, then ") };
        output.println(format!("next: {there}mbsbench list papers, and mbsbench reproduce gil2013"))?;
        Ok(Exit::Done)
    }
}
