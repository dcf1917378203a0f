//! Models and methods that are added while the program runs, for example by Python, and have no Rust type.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::Kind;
use super::entry::{Backing, Entry};

impl<K: Kind> Entry<K> {
    /// Returns a model or method without parameters that is added while the program runs. It is called `name` and is
    /// created by `object`. In the keys of its runs the `identity` takes the place of parameters, for example a version
    /// and a hash of the source; without an identity its runs are never cached.
    pub fn dynamic(name: &str, summary: &str, identity: Option<Map<String, Value>>, object: Arc<K::Object>) -> Self {
        let (name, summary, backing) = (interned(name), interned(summary), Backing::Dynamic { identity, object });
        Self { name, summary, source: "", family: "", is_written_out: false, backing }
    }

    /// Sets the family of a method and its source.
    #[must_use]
    pub fn of_family(self, family: &str, source: &str) -> Self {
        Self { family: interned(family), source: interned(source), ..self }
    }
}

/// Returns a copy of the text that lives until the program ends; equal texts share one copy. Names of methods are few,
/// so that this leaks little memory.
fn interned(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let text: &'static str = text.to_owned().leak();
    texts.insert(text);
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_integrators::Rk4;
    use serde_json::json;

    use super::*;
    use crate::plan::Plan;
    use crate::registry::{AnyMethod, BadName, MethodKind, Registry};

    /// The classical Runge–Kutta formula under another name.
    fn late(name: &str, version: Option<&str>) -> Entry<MethodKind> {
        let identity = version.map(|version| Map::from_iter([("version".to_owned(), json!(version))]));
        let object: Arc<dyn AnyMethod> = Arc::new(Rk4::default());
        Entry::dynamic(name, "as rk4", identity, object).of_family("elsewhere", "a test")
    }

    const FILE: &str = "id: mine/late\ntitle: Late\nmodel: pendulum\nspan: [0, 1]\nmethod: METHOD\nstep: 0.1\n\
                        measures: [steps_accepted]\n";

    fn plan(method: &str, registry: &Registry) -> Result<Plan, String> {
        let text = FILE.replace("METHOD", method);
        Plan::read(Path::new("late.yaml"), text.as_bytes(), registry, false).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn names_must_be_valid_and_unused() {
        for name in ["Bad", "bad name", "bad_name", "", "con", "../up", "é"] {
            let refused = Registry::builtin().with_method(late(name, None));
            assert!(matches!(refused, Err(BadName::Unsafe { kind: "method", .. })), "{name}");
        }
        let refused = Registry::builtin().with_method(late("rk4", None)).map(drop);
        assert_eq!(refused.unwrap_err().to_string(), "a method `rk4` is already registered");
    }

    #[test]
    fn late_entries_are_named_by_files_but_not_by_every() {
        let registry = Registry::builtin().with_method(late("own", None)).unwrap();
        assert!(registry.is_builtin(), "the identity of the method names its runs");
        let named = plan("own", &registry).unwrap();
        assert_eq!(named.runs[0].method_label, "own");
        let wrong = plan("{ own: { order: 2 } }", &registry).unwrap_err();
        assert!(wrong.contains("unknown parameter `order` of `own`"), "{wrong}");
        let [with, without] = [&registry, &Registry::builtin()].map(|registry| plan("every", registry).unwrap());
        assert_eq!(with.runs.len(), without.runs.len());
    }

    #[test]
    fn runs_are_cached_if_the_entry_has_an_identity() {
        let key = |version| {
            let registry = Registry::builtin().with_method(late("own", version)).unwrap();
            let run = plan("own", &registry).unwrap().runs.remove(0);
            (run.is_kept(), run.key().to_string())
        };
        let [none, one, other] = [None, Some("1"), Some("2")].map(key);
        assert_eq!([none.0, one.0, other.0], [false, true, true]);
        assert_ne!(one.1, other.1);
        assert!(plan("rk4", &Registry::builtin()).unwrap().runs[0].is_kept());
    }
}
