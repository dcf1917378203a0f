//! `mbsbench init`: the built-in experiments as files.

use std::collections::BTreeMap;
use std::path::Path;

use super::CommandError;
use crate::output::Output;

/// Writes the built-in files that a folder does not have, and says what comes next.
pub(super) fn init(folder: &Path, output: &mut Output<'_>) -> Result<(), CommandError> {
    let written = mbsbench_builtin::write_out(folder)?;
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for part in written.iter().filter_map(|path| path.components().next()) {
        *counts.entry(part).or_default() += 1;
    }
    if counts.is_empty() {
        output.line(format!("{}: all files exist already", folder.display()))?;
    }
    for (part, count) in counts {
        output.line(format!("{}: {count} files", folder.join(part).display()))?;
    }
    let there = if folder == Path::new(".") { String::new() } else { format!("cd {}, then ", folder.display()) };
    output.line(format!("next: {there}mbsbench list papers, and mbsbench reproduce gil2013"))?;
    Ok(())
}
