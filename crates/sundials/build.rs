//! Looks for SUNDIALS 6.2 to 7 in double precision. If it is not found, the crate builds without it.
//!
//! `SUNDIALS_DIR` names the folder of the installation; otherwise the script asks pkg-config and then searches the
//! usual folders. `MBSBENCH_WITHOUT_SUNDIALS=1` skips the search.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Libraries in linking order. Which of them exist depends on version and build; the first two are required.
const LIBRARIES: [&str; 8] = [
    "sundials_cvode",
    "sundials_ida",
    "sundials_nvecserial",
    "sundials_sunlinsoldense",
    "sundials_sunmatrixdense",
    "sundials_sunnonlinsolfixedpoint",
    "sundials_generic",
    "sundials_core",
];

/// Folders that may contain the headers and libraries.
struct Place {
    headers: PathBuf,
    libraries: Vec<PathBuf>,
}

/// The configuration of a SUNDIALS installation, read from its headers.
struct Configuration {
    version: String,
    major: u32,
    minor: u32,
    /// True if the operations of linear solvers include `setoptions`, which shifts the ones after it.
    has_options: bool,
    is_double: bool,
    has_short_index: bool,
    has_mpi: bool,
}

fn main() {
    for name in ["sundials", "sundials_7", "sundials_options", "sundials_short_index", "sundials_mpi"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    println!("cargo::rerun-if-changed=build.rs");
    for variable in ["SUNDIALS_DIR", "MBSBENCH_WITHOUT_SUNDIALS", "PKG_CONFIG_PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if env::var("MBSBENCH_WITHOUT_SUNDIALS").is_ok_and(|value| value == "1") {
        return;
    }
    for place in places() {
        let header = place.headers.join("sundials/sundials_config.h");
        let solvers = fs::read_to_string(place.headers.join("sundials/sundials_linearsolver.h")).unwrap_or_default();
        let read = |text: String| Configuration::read(&text, &solvers);
        let Some(configuration) = fs::read_to_string(&header).ok().and_then(read) else {
            continue;
        };
        let found: Vec<(&str, &Path)> = LIBRARIES.into_iter().filter_map(|name| place.library(name)).collect();
        let is_whole = LIBRARIES[..2].iter().all(|needed| found.iter().any(|(name, _)| name == needed));
        if !configuration.is_usable() || !is_whole {
            continue;
        }
        println!("cargo::rerun-if-changed={}", header.display());
        configuration.announce();
        for (name, folder) in found {
            println!("cargo::rustc-link-search=native={}", folder.display());
            // A static library calls the elementary functions of the program; a shared one calls those of the C
            // library.
            let kind = if folder.join(format!("lib{name}.a")).exists() { "static=" } else { "" };
            println!("cargo::rustc-link-lib={kind}{name}");
        }
        return;
    }
}

/// The places to search, in order.
fn places() -> Vec<Place> {
    if let Some(prefix) = env::var_os("SUNDIALS_DIR") {
        return vec![Place::below(Path::new(&prefix))];
    }
    // A library installed on this machine cannot be used on another.
    if env::var("HOST").ok() != env::var("TARGET").ok() {
        return Vec::new();
    }
    let asked = ["sundials_cvode", "sundials-cvode", "sundials"].into_iter().filter_map(|name| {
        pkg_config::Config::new().cargo_metadata(false).env_metadata(false).probe(name).ok().and_then(|library| {
            let headers = library.include_paths.first().cloned()?;
            Some(Place { headers, libraries: library.link_paths })
        })
    });
    let usual = ["/usr", "/usr/local", "/opt/homebrew", "/opt/local"];
    asked.chain(usual.into_iter().map(|prefix| Place::below(Path::new(prefix)))).collect()
}

impl Place {
    fn below(prefix: &Path) -> Self {
        let part = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
        let multiarch = format!("lib/{}-{}-{}", part("ARCH"), part("OS"), part("ENV"));
        let libraries = ["lib", "lib64", &multiarch].into_iter().map(|folder| prefix.join(folder)).collect();
        Self { headers: prefix.join("include"), libraries }
    }

    /// The name of a library with the folder that contains it.
    fn library<'n>(&self, name: &'n str) -> Option<(&'n str, &Path)> {
        let holds = |folder: &&PathBuf| {
            ["so", "dylib", "a"].into_iter().any(|kind| folder.join(format!("lib{name}.{kind}")).exists())
        };
        self.libraries.iter().find(holds).map(|folder| (name, folder.as_path()))
    }
}

impl Configuration {
    /// Reads the configuration header and the header of linear solvers.
    fn read(header: &str, solvers: &str) -> Option<Self> {
        let defined = |name: &str| {
            header.lines().find_map(|line| {
                let mut words = line.split_whitespace();
                (words.next() == Some("#define") && words.next() == Some(name)).then(|| words.next().unwrap_or("1"))
            })
        };
        Some(Self {
            version: defined("SUNDIALS_VERSION")?.trim_matches('"').to_owned(),
            major: defined("SUNDIALS_VERSION_MAJOR")?.parse().ok()?,
            minor: defined("SUNDIALS_VERSION_MINOR")?.parse().ok()?,
            has_options: solvers.contains("(*setoptions)"),
            is_double: defined("SUNDIALS_DOUBLE_PRECISION").is_some(),
            has_short_index: defined("SUNDIALS_INT32_T").is_some(),
            has_mpi: defined("SUNDIALS_MPI_ENABLED").is_some_and(|value| value == "1"),
        })
    }

    fn is_usable(&self) -> bool {
        let is_known = (self.major == 6 && self.minor >= 2) || self.major == 7;
        is_known && self.is_double
    }

    /// Passes the configuration to the compiler and to the build scripts of dependent crates.
    fn announce(&self) {
        println!("cargo::metadata=VERSION={}", self.version);
        println!("cargo::rustc-env=MBSBENCH_SUNDIALS_VERSION={}", self.version);
        println!("cargo::rustc-cfg=sundials");
        let features = [
            ("sundials_7", self.major == 7),
            ("sundials_options", self.has_options),
            ("sundials_short_index", self.has_short_index),
            ("sundials_mpi", self.has_mpi),
        ];
        for (name, _) in features.into_iter().filter(|&(_, is_set)| is_set) {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
