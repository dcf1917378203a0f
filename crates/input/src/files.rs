//! Files that are never half written, and never read where they are no files or have no end.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use walkdir::WalkDir;

/// What names of files under way begin and end with; between them are [`RANDOM`] letters or digits.
const BEFORE: &str = ".";
const AFTER: &str = ".part";
const RANDOM: usize = 6;

/// Read by whoever writes a file.
static WRITING: RwLock<()> = RwLock::new(());

/// Most bytes of a file that people write: experiments, ledgers, mechanisms, methods. The largest of our own has some ten thousand.
pub const LARGEST_TEXT: usize = 4 << 20;
/// Most bytes of a file that programs write: results, trajectories, entries of a store.
pub const LARGEST_DATA: usize = 1 << 30;

/// The bytes of a file, at most so many. What is no file is refused before it is opened: a pipe has nothing until somebody writes, a
/// device may have no end.
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
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(refused(bytes.len() as u64)) } else { Ok(bytes) }
}

/// The text of a file, as [`read_file`] reads it.
///
/// # Errors
/// The same, and bytes that are not UTF-8.
pub fn read_text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes a file so that a reader, at any moment and after any crash of a program or of the machine, sees the old content or the new one:
/// content and name are on the disk when it returns. A file that has the content already is left alone.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, true)
}

/// The same without waiting for the disk, which takes fifty times as long: after a power failure the file may be lost or damaged.
/// It is for files that can be made again and whose readers see damage.
pub fn write_replaceable(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, false)
}

fn write(path: &Path, content: &[u8], lasts: bool) -> io::Result<()> {
    if read_file(path, content.len()).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let _writing = WRITING.read().unwrap_or_else(PoisonError::into_inner);
    match replace(path, folder, content, lasts) {
        // Another program took the file for a leftover in the moment before it was held.
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(path, folder, content, lasts),
        done => done,
    }
}

fn replace(path: &Path, folder: &Path, content: &[u8], lasts: bool) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(BEFORE).rand_bytes(RANDOM).suffix(AFTER).tempfile_in(folder)?;
    // Held as long as it is written, which is how others know that somebody lives. Not all file systems can say so.
    let _ = file.as_file().try_lock();
    file.write_all(content)?;
    // Temporary files are private to their owner by default; results are for everybody.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
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

/// Waits until no file of this program is half written, and keeps all others from being begun as long as the guard lives: for a
/// program that is about to end at once.
pub fn stop_writing() -> RwLockWriteGuard<'static, ()> {
    WRITING.write().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files below a folder that killed programs left half written, and says how many there were: hidden ones with the names that
/// [`write_atomically`] gives them, which no living program holds. What cannot be removed, and all files where the file system
/// cannot say who holds them, stay.
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
        assert_eq!(remove_leftovers(folder.path()), 1, "its writer has gone");
        assert_eq!(remove_leftovers(&at("nowhere")), 0);
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
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
    fn what_is_no_file_or_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        assert_eq!(read_file(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_file(folder.path(), 5).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_file(&folder.path().join("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
        // Sparse: nothing of it is read.
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
