//! `mbsbench merge`.

use std::path::{Path, PathBuf};

use mbsbench_experiment::registry::Registry;
use mbsbench_runs::fingerprint;
use mbsbench_runs::store::Store;

use super::{CommandError, Exit};
use crate::output::Output;

/// Takes over what stores in `folders` have. Where some of it is refused, the rest is there, and the exit code says so.
pub(super) fn merge(
    registry: &Registry,
    folders: &[PathBuf],
    cache: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let store = Store::new(cache, fingerprint(registry));
    store.tidy();
    let merged = store.merge(folders)?;
    for (file, refusal) in &merged.refused {
        output.beside(format!("{}: {refusal}", file.display()));
    }
    let mut parts = vec![format!("{} added", merged.added), format!("{} there already", merged.same)];
    if !merged.refused.is_empty() {
        parts.push(format!("{} refused", merged.refused.len()));
    }
    output.line(format!("{}: {}", cache.display(), parts.join(", ")))?;
    Ok(if merged.refused.is_empty() { Exit::Done } else { Exit::Differs })
}
