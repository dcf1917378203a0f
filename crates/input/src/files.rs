//! Files that are never half written.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file so that a reader, at any moment and after any crash, sees the old content or the new one.
/// A file that has the content already is left alone.
///
/// # Errors
/// Those of the file system.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".").suffix(".part").tempfile_in(folder)?;
    file.write_all(content)?;
    // Temporary files are private to their owner by default; results are for everybody.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
