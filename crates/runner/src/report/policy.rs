//! The permissions of a page in a browser, independent of the texts in it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// Returns the content of `Content-Security-Policy`: nothing is loaded or sent, and only the given script may run.
/// Styles are inside the page and its figures.
pub(super) fn policy(script: &str) -> String {
    let own = BASE64_STANDARD.encode(Sha256::digest(script));
    format!(
        "default-src 'none'; script-src 'sha256-{own}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_script_is_named_by_its_hash() {
        // the example of W3C's Content Security Policy Level 3
        let policy = super::policy("alert('Hello, world.');");
        assert!(policy.contains("script-src 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=';"), "{policy}");
    }
}
