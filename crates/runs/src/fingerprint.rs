//! What can change the numbers of a run besides the run's own key.

use mbsbench_experiment::Registry;

/// What the store adds to the key of a run: a hash of the sources of this crate and of those of the workspace below it, of
/// the locked dependencies, the compiler and the target (`build.rs`), and of the libraries of the system; where there are
/// entries from outside, the executable itself, since their sources are not known here.
pub fn fingerprint(registry: &Registry) -> String {
    let own = blake3::hash(format!("{} {}", env!("MBSBENCH_FINGERPRINT"), Registry::libraries()).as_bytes()).to_hex();
    if registry.is_builtin() {
        return own.to_string();
    }
    let executable = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    format!("{own} {}", blake3::hash(&executable).to_hex())
}
