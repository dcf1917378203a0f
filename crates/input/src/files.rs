//! Safe access to files: they are never left half written, and only regular files of limited size are read.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use walkdir::WalkDir;

/// Names of temporary files begin and end with these; between them are [`RANDOM`] letters or digits.
const BEFORE: &str = ".";
const AFTER: &str = ".part";
const RANDOM: usize = 6;

/// Held for reading while a file is written.
static WRITING: RwLock<()> = RwLock::new(());

/// Largest size in bytes of a file written by people: an experiment, ledger, mechanism or method. The largest of ours
/// has about ten thousand.
pub const LARGEST_TEXT: usize = 4 << 20;
/// Largest size in bytes of a file written by programs: results, trajectories, cache entries.
pub const LARGEST_DATA: usize = 1 << 30;

/// Reads a file of at most `most` bytes. Anything but a regular file is refused before it is opened: reading a pipe
/// may wait forever, and a device may have no end.
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
    // The file may grow while it is read, and some system files do not report their size.
    let mut bytes = Vec::with_capacity(found.len() as usize + 1);
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(refused(bytes.len() as u64)) } else { Ok(bytes) }
}

/// Reads the text of a file, like [`read_file`].
///
/// # Errors
/// Fails like [`read_file`], or if the bytes are not UTF-8.
pub fn read_text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes a file so that a reader sees either the old or the new content, at any moment and after any crash of a
/// program or the machine. Content and name are on the disk when it returns. A file that already has the content is
/// left alone.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    if read_file(path, content.len()).is_ok_and(|present| present == content) {
        return Ok(());
    }
    write(path, content, true)
}

/// Like [`write_atomically`] without waiting for the disk, which takes fifty times as long, and without reading the
/// file first. After a power failure the file may be lost or damaged, so it must be possible to compute it again, and
/// its readers must detect damage.
pub fn write_replaceable(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, false)
}

fn write(path: &Path, content: &[u8], lasts: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _writing = WRITING.read().unwrap_or_else(PoisonError::into_inner);
    match replace(path, folder, content, lasts) {
        // There is no folder yet, or another program removed the file as a leftover before it was locked.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            replace(path, folder, content, lasts)
        }
        done => done,
    }
}

fn replace(path: &Path, folder: &Path, content: &[u8], lasts: bool) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEFORE).rand_bytes(RANDOM).suffix(AFTER);
    // Temporary files are private to their owner by default; results are for everybody whom the umask admits.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(folder)?;
    // The lock, held while writing, tells other programs that this one is alive. Not all file systems support it.
    let _ = file.as_file().try_lock();
    file.write_all(content)?;
    if lasts {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    #[cfg(unix)]
    if lasts {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Waits until this program has no half-written file, and blocks further writing as long as the guard lives. For a
/// program that is about to exit immediately.
pub fn stop_writing() -> RwLockWriteGuard<'static, ()> {
    WRITING.write().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files below a folder that killed programs left half written, and returns their number: hidden files
/// with names as [`write_atomically`] chooses them, which no running program has locked. Files that cannot be removed
/// are left, as are all files on a file system without locks.
pub fn remove_leftovers(folder: &Path) -> usize {
    let files = WalkDir::new(folder).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let leftovers = files.filter(|entry| is_under_way(&entry.file_name().to_string_lossy()));
    leftovers.filter(|entry| is_left(entry.path()) && fs::remove_file(entry.path()).is_ok()).count()
}

fn is_under_way(name: &str) -> bool {
    let random = name.strip_prefix(BEFORE).and_then(|name| name.strip_suffix(AFTER));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_left(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let left = ["a", ".part", ".half.part", "aB3dE9.part", ".aB3d-9.part", ".aB3dE9.parts", ".held00.part"];
        for name in left.into_iter().chain([".aB3dE9.part", ".000000.part"]) {
            fs::write(at(name), "half").unwrap();
        }
        fs::create_dir(at(".folder.part")).unwrap();
        fs::create_dir(at("below")).unwrap();
        fs::write(at("below/.Zz9Zz9.part"), "").unwrap();
        let held = File::open(at(".held00.part")).unwrap();
        held.lock().unwrap();
        assert_eq!(remove_leftovers(folder.path()), 3);
        let mut kept: Vec<String> =
            left.iter().chain(&[".folder.part", "below"]).map(|&name| name.to_owned()).collect();
        kept.sort();
        assert_eq!(names(folder.path()), kept);
        assert_eq!(names(&at("below")), [] as [&str; 0]);
        drop(held);
        assert_eq!(remove_leftovers(folder.path()), 1, "its writer has ended");
        assert_eq!(remove_leftovers(&at("nowhere")), 0);
    }

    #[test]
    fn files_are_replaced_atomically_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/file");
        for write in [write_atomically, write_replaceable] {
            for content in ["one", "another", "another"] {
                write(&path, content.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), content);
            }
        }
        assert_eq!(names(path.parent().unwrap()), ["file"]);
    }

    #[test]
    fn nothing_is_begun_after_the_end_of_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let end = stop_writing();
        std::thread::scope(|scope| {
            scope.spawn(|| write_replaceable(&path, b"late").unwrap());
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert_eq!(names(folder.path()), [] as [&str; 0]);
            drop(end);
        });
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn folders_and_oversized_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        assert_eq!(read_file(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_file(folder.path(), 5).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_file(&folder.path().join("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
        // Sparse: none of it is read.
        File::create(&file).unwrap().set_len(1 << 40).unwrap();
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
