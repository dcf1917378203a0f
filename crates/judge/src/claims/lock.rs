//! `bounds.lock`: what each check of a ledger tests, and whether that was written before its result was known.
//!
//! A line a check: id, hash, `before` or `after`. Ledger and lock have to agree, so that a bound that is moved shows in two places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::Problems;
use mbsbench_input::{Document, Problem};

use super::check::Check;
use super::ledger::ReadStatement;
use super::spec::BoundSet;

/// Name of the file beside a ledger.
const NAME: &str = "bounds.lock";

/// A lock as it stands in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, Locked>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Locked {
    definition: String,
    set: BoundSet,
}

/// What became of a check when a lock was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The check.
    pub id: String,
    /// Whether there was no such check before.
    pub is_new: bool,
    /// Whether it counts as written after its result was known.
    pub set: BoundSet,
}

impl Lock {
    /// The file beside the ledger at `path`.
    #[must_use]
    pub fn beside(path: &Path) -> PathBuf {
        path.with_file_name(NAME)
    }

    /// Reads the text of a lock; lines that are none are passed over, and their checks count as new.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let (id, definition, set) = (words.next()?, words.next()?, words.next()?);
            let set = match set {
                "before" => BoundSet::Before,
                "after" => BoundSet::After,
                _ => return None,
            };
            Some((id.to_owned(), Locked { definition: definition.to_owned(), set }))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |(id, Locked { definition, set }): (&String, &Locked)| format!("{id} {definition} {}\n", set.name());
        self.0.iter().map(line).collect()
    }

    /// The lock of these checks after this one. A check that is as it was keeps what is said of it; a new or changed one was written
    /// after its result where `has_result` says so. The first lock of a ledger takes the ledger's word.
    #[must_use]
    pub fn renewed<'c>(
        before: Option<&Self>,
        checks: impl Iterator<Item = &'c Check>,
        has_result: impl Fn(&Check) -> bool,
    ) -> (Self, Vec<Change>) {
        let mut changes = Vec::new();
        let mut lock = Self::default();
        for check in checks.filter(|check| check.kind.is_testable()) {
            let old = before.and_then(|before| before.0.get(&check.id));
            let set = match (before, old) {
                (None, _) => check.bound_set,
                // What was said to be after stays so, and may be said later.
                (_, Some(old)) if old.definition == check.definition => old.set.max_of(check.bound_set),
                _ => {
                    let set = if has_result(check) { BoundSet::After } else { check.bound_set };
                    changes.push(Change { id: check.id.clone(), is_new: old.is_none(), set });
                    set
                }
            };
            lock.0.insert(check.id.clone(), Locked { definition: check.definition.clone(), set });
        }
        (lock, changes)
    }
}

impl BoundSet {
    fn max_of(self, other: Self) -> Self {
        if self == Self::After { self } else { other }
    }
}

/// Holds a ledger against the lock beside it, if there is one.
pub(super) fn compare<'r>(
    document: &Document,
    statements: impl Iterator<Item = &'r ReadStatement>,
    problems: &mut Problems,
) {
    let Ok(text) = mbsbench_input::read_text(&document.source.folder().join(NAME), mbsbench_input::LARGEST_TEXT) else {
        return;
    };
    let lock = Lock::parse(&text);
    for read in statements {
        for (check, node) in read.statement.checks.iter().zip(&read.checks) {
            if !check.kind.is_testable() {
                continue;
            }
            let id = &check.id;
            let (message, help) = match lock.0.get(id) {
                Some(locked) if locked.definition != check.definition => (
                    format!("`{id}` tests something else than its entry in {NAME}"),
                    "`mbsbench lock PAPER` takes it over, and says whether it needs `bound_set: after`".to_owned(),
                ),
                None => (
                    format!("`{id}` is not in {NAME}"),
                    "`mbsbench lock PAPER` takes it up, before its runs are made".to_owned(),
                ),
                Some(Locked { set: BoundSet::After, .. }) if check.bound_set == BoundSet::Before => (
                    format!("`{id}` was written or changed after its result was known"),
                    "add `bound_set: after`, and say in `why` what was changed".to_owned(),
                ),
                Some(_) => continue,
            };
            problems.add(Problem::new(node.place_of("id"), message).help(help));
        }
    }
}
