//! Catches panics, so that a panic in a run fails only that run.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// The message of a panic on this thread; `None` while panics are not caught.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does work on this thread. If it panics, nothing is printed, and the message is returned on one line with its place
/// in the sources.
///
/// # Errors
/// Returns the message of the panic.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !note(panic) {
                usual(panic);
            }
        }));
    });
    let outer = SAID.replace(Some(String::new()));
    // The values that the work was changing are dropped with it.
    let done = catch_unwind(AssertUnwindSafe(work));
    let said = SAID.replace(outer);
    done.map_err(|_| said.unwrap_or_default())
}

/// Notes the message and returns true if the panic is one that is caught.
fn note(panic: &PanicHookInfo<'_>) -> bool {
    SAID.with_borrow_mut(|said| {
        let Some(said) = said else { return false };
        let message = panic.payload_as_str().unwrap_or("no message");
        let words: Vec<&str> = message.split_whitespace().collect();
        let place = panic.location().map(|at| format!(" ({}:{})", within_crate(at.file()), at.line()));
        *said = format!("panicked: {}{}", words.join(" "), place.unwrap_or_default());
        true
    })
}

/// Returns the path of a source file within its crate, which does not depend on the machine that compiled it.
fn within_crate(file: &str) -> String {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let root = parts.iter().rposition(|part| ["src", "tests"].contains(part));
    parts[root.unwrap_or(parts.len() - 1).saturating_sub(1)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_do_not_contain_the_build_folder() {
        let registry =
            "/home/somebody/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/nalgebra-0.35.0/src/base/matrix.rs";
        assert_eq!(within_crate(registry), "nalgebra-0.35.0/src/base/matrix.rs");
        assert_eq!(within_crate(r"crates\runs\src\execute\panics.rs"), "runs/src/execute/panics.rs");
        assert_eq!(within_crate("/rustc/5980/library/core/src/option.rs"), "core/src/option.rs");
        assert_eq!(within_crate("src/lib.rs"), "src/lib.rs");
    }

    #[test]
    fn a_panic_keeps_its_message_and_location() {
        let said = catch_panic(|| -> () { assert_eq!(1, 2, "of two") }).unwrap_err();
        assert!(said.starts_with("panicked: assertion `left == right` failed: of two left: 1 right: 2 ("), "{said}");
        assert!(said.contains("panics.rs:"), "{said}");
        assert_eq!(catch_panic(|| 3), Ok(3));
        let nested = catch_panic(|| catch_panic(|| -> () { panic!("inside") }).unwrap_err());
        assert!(nested.unwrap().contains("inside"));
    }
}
