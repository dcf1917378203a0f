//! What a browser may do with a page, whatever the texts in it turn out to be.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// The content of `Content-Security-Policy`: nothing is loaded, nothing is sent, and of scripts only this one runs, if there is one.
/// Styles stand in the page and in its figures.
pub fn policy(script: Option<&str>) -> String {
    let own = |script| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)));
    let script = script.map_or_else(|| "'none'".to_owned(), own);
    format!("default-src 'none'; script-src {script}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_script_is_named_by_its_hash() {
        // the example of W3C's Content Security Policy Level 3
        let policy = super::policy(Some("alert('Hello, world.');"));
        assert!(policy.contains("script-src 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=';"), "{policy}");
        assert!(super::policy(None).contains("script-src 'none';"));
    }
}
