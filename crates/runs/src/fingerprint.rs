//! The fingerprint of everything besides a run's key that can change its numbers.

use mbsbench_experiment::Registry;

/// Returns the addition to the key of a run in the cache: a hash of the sources of this crate and of the workspace
/// crates below it, the locked dependencies, the compiler and the target (`build.rs`), and the system's libraries. If
/// the registry has entries from other crates, whose sources are unknown, the hash also covers the executable.
pub fn fingerprint(registry: &Registry) -> String {
    let own = blake3::hash(format!("{} {}", env!("MBSBENCH_FINGERPRINT"), Registry::libraries()).as_bytes()).to_hex();
    if registry.is_builtin() {
        return own.to_string();
    }
    let executable = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    format!("{own} {}", blake3::hash(&executable).to_hex())
}
