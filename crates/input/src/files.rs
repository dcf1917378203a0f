//! Files that are never half written, and never read where they are no files or have no end.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// Most bytes of a file that people write: experiments, ledgers, mechanisms, methods. The largest of our own has some ten thousand.
pub const LARGEST_TEXT: usize = 4 << 20;
/// Most bytes of a file that programs write: results, trajectories, entries of a store.
pub const LARGEST_DATA: usize = 1 << 30;

/// The bytes of a file, at most so many. What is no file is refused before it is opened: a pipe has nothing until somebody writes, a
/// device may have no end.
///
/// # Errors
/// Those of the file system, something else than a file, and a file that is larger.
pub fn read_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder; accepted: a file"));
    }
    if !found.is_file() {
        let what = "is a pipe, a socket or a device; accepted: a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let refused = |size: u64| {
        let what = format!("has {size} bytes; accepted: a file of at most {most}");
        io::Error::new(io::ErrorKind::FileTooLarge, what)
    };
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    if found.len() > limit {
        return Err(refused(found.len()));
    }
    // It may grow while it is read, and some of the system's own say nothing of their size.
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(refused(bytes.len() as u64)) } else { Ok(bytes) }
}

/// The text of a file, as [`read_file`] reads it.
///
/// # Errors
/// The same, and bytes that are not UTF-8.
pub fn read_text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes a file so that a reader, at any moment and after any crash, sees the old content or the new one.
/// A file that has the content already is left alone.
///
/// # Errors
/// Those of the file system.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    if read_file(path, content.len()).is_ok_and(|present| present == content) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_or_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        assert_eq!(read_file(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_file(folder.path(), 5).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_file(&folder.path().join("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
        // Sparse: nothing of it is read.
        fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_file(&file, LARGEST_DATA).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[cfg(unix)]
    #[test]
    fn sockets_and_devices_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _kept = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [socket.as_path(), Path::new("/dev/zero")] {
            assert_eq!(read_file(path, 5).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{}", path.display());
        }
    }
}
