//! The built-in files are those of the repository, and are unpacked completely or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mbsbench_builtin::{BuiltinError, files, papers, unpacked_below, write_out};
use walkdir::WalkDir;

/// Visible files below a folder, by their paths relative to a root.
fn below(root: &Path, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_visible = |entry: &walkdir::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let entries = WalkDir::new(root.join(folder)).into_iter().filter_entry(is_visible).map(Result::unwrap);
    let read = |path: &Path| (path.strip_prefix(root).unwrap().to_owned(), fs::read(path).unwrap());
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| read(entry.path())).collect()
}

#[test]
fn experiments_and_results_match_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut expected = below(&root, "experiments");
    expected.append(&mut below(&root, "examples/mechanisms"));
    let mut results = below(&root, "results");
    results.retain(|path, _| {
        let has_numbers = path.extension().is_some_and(|end| end == "csv") && !path.ends_with("set-ups.csv");
        let is_seal = path.ends_with("manifest.json") && path != Path::new("results/manifest.json");
        has_numbers || is_seal
    });
    expected.append(&mut results);
    let found = files().unwrap();
    assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
    for (path, content) in expected {
        assert!(found[&path] == content, "{} is not what the repository has", path.display());
    }
}

#[test]
fn papers_are_the_folders_of_the_experiments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let folders = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
    let folders: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert!(papers().len() == folders.len() && folders.iter().all(|folder| papers().contains(folder.as_str())));
}

#[test]
fn damaged_files_are_unpacked_again_without_leftovers() {
    let cache = tempfile::tempdir().unwrap();
    let folder = unpacked_below(cache.path()).unwrap();
    let ledger = folder.join("experiments/gil2013/claims.yaml");
    let (whole, time) = (fs::read(&ledger).unwrap(), ledger.metadata().unwrap().modified().unwrap());
    assert_eq!(unpacked_below(cache.path()).unwrap(), folder);
    assert_eq!(ledger.metadata().unwrap().modified().unwrap(), time, "unpacked twice");

    let damage: [&dyn Fn(); 3] =
        [&|| fs::write(&ledger, "statements: []").unwrap(), &|| fs::remove_file(&ledger).unwrap(), &|| {
            fs::write(folder.join("experiments/gil2013/foreign.yaml"), "id: gil2013/foreign").unwrap()
        }];
    for damage in damage {
        damage();
        unpacked_below(cache.path()).unwrap();
        assert!(fs::read(&ledger).unwrap() == whole);
        assert_eq!(below(&folder, ""), files().unwrap());
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
    }
}

#[test]
fn an_unwritable_folder_is_named_in_the_error() {
    let cache = tempfile::NamedTempFile::new().unwrap();
    #[cfg(target_os = "linux")]
    {
        let found = write_out(Path::new("/proc/mine"));
        assert!(matches!(&found, Err(BuiltinError::Folder { path, .. }) if path.ends_with("mine")), "{found:?}");
    }
    let Err(BuiltinError::Files { path, .. }) = unpacked_below(cache.path()) else { panic!("a file is no folder") };
    assert!(path.starts_with(cache.path()));
}

#[test]
fn unpacking_writes_missing_files_unless_one_differs() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("new/project");
    let all = write_out(&project).unwrap();
    assert_eq!(below(&project, ""), files().unwrap());
    assert_eq!(all.len(), files().unwrap().len());

    let (ledger, paper) = (Path::new("experiments/gil2013/claims.yaml"), Path::new("experiments/gil2013/paper.yaml"));
    fs::remove_file(project.join(ledger)).unwrap();
    assert_eq!(write_out(&project).unwrap(), [ledger]);

    // Existing results are left unchanged.
    let times = project.join("results/times/gil2013/bouncing-pair/timings.csv");
    fs::write(&times, "mine").unwrap();
    assert!(write_out(&project).unwrap().is_empty());
    assert_eq!(fs::read(times).unwrap(), b"mine");

    fs::remove_file(project.join(ledger)).unwrap();
    fs::write(project.join(paper), "mine").unwrap();
    let error = write_out(&project).unwrap_err();
    assert!(matches!(&error, BuiltinError::Differ(paths) if *paths == [project.join(paper)]), "{error}");
    assert!(error.to_string().contains("experiments/gil2013/paper.yaml"), "{error}");
    assert!(!project.join(ledger).exists(), "nothing is written where something differs");
    assert_eq!(fs::read(project.join(paper)).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn files_that_others_can_change_are_unpacked_again() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    let cache = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = unpacked_below(cache.path()).unwrap();
    let ledger = folder.join("experiments/gil2013/claims.yaml");
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let own = ledger.metadata().unwrap().uid();
    // only the administrator can give files away
    let give = |path: &Path| if own == 0 { chown(path, Some(65534), None).unwrap() } else { allow(path, 0o777) };
    let link = |from: &Path, to: &Path| {
        fs::rename(from, to).unwrap();
        symlink(to, from).unwrap();
    };
    let changes: [&dyn Fn(); 8] = [
        &|| allow(&ledger, 0o664),
        &|| allow(&ledger, 0o646),
        &|| allow(ledger.parent().unwrap(), 0o777),
        &|| allow(cache.path(), 0o777),
        &|| give(&ledger),
        &|| give(&folder),
        &|| link(&ledger, &elsewhere.path().join("file")),
        &|| link(ledger.parent().unwrap(), &elsewhere.path().join("folder")),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        change();
        let before = ledger.metadata().unwrap().ino();
        assert_eq!(unpacked_below(cache.path()).unwrap(), folder);
        let found = fs::symlink_metadata(&ledger).unwrap();
        assert!(found.is_file() && found.uid() == own && found.mode() & 0o022 == 0, "change {number}");
        assert_ne!(found.ino(), before, "change {number}: not unpacked again");
        assert_eq!(cache.path().metadata().unwrap().mode() & 0o022, 0);
    }
    let before = ledger.metadata().unwrap().ino();
    unpacked_below(cache.path()).unwrap();
    assert_eq!(ledger.metadata().unwrap().ino(), before, "unpacked without a reason");
    if own == 0 {
        give(cache.path());
        let error = unpacked_below(cache.path()).unwrap_err().to_string();
        assert!(error.contains("belongs to another user"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let [project, elsewhere, way] = ["project", "elsewhere", "way"].map(|name| folder.path().join(name));
    fs::create_dir(&project).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let link = project.join("experiments");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    let error = write_out(&project).unwrap_err();
    assert!(matches!(&error, BuiltinError::Linked(path) if *path == link), "{error}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(fs::read_dir(&project).unwrap().count(), 1, "nothing was written");
    // The folder itself may be reached through a link.
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&project, &way).unwrap();
    write_out(&way).unwrap();
    assert!(below(&project, "") == files().unwrap());
}

#[cfg(unix)]
#[test]
fn leftovers_of_killed_programs_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, age) in [(".mbsbench-old", 7200), (".mbsbench-new", 60), (".mine", 7200)] {
        let left = folder.path().join(name);
        fs::create_dir(&left).unwrap();
        fs::write(left.join("part"), "").unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        fs::File::open(&left).unwrap().set_modified(time).unwrap();
    }
    unpacked_below(folder.path()).unwrap();
    let left = [".mbsbench-old", ".mbsbench-new", ".mine"].map(|name| folder.path().join(name).exists());
    assert_eq!(left, [false, true, true]);
}
