//! `bounds.lock`: the definition of each check of a ledger, and whether it was written before its result was known.
//!
//! Each line has the id of a check, its hash, and `before`, `stated` or `after`. The ledger and the lock have to agree,
//! so a moved bound shows up in two places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::Problems;
use mbsbench_input::Document;

use super::{BoundSet, Check, Statement};

/// Name of the file beside a ledger.
const NAME: &str = "bounds.lock";

/// The contents of a lock file: for each check its hash, and when its bound was set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, (String, BoundSet)>);

/// The change of a check when a lock was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The check.
    pub id: String,
    /// True if the check did not exist before.
    pub is_new: bool,
    /// The time at which its bound counts as set.
    pub set: BoundSet,
}

impl Lock {
    /// Returns the path of the lock beside the ledger at `path`.
    pub fn beside(path: &Path) -> PathBuf {
        path.with_file_name(NAME)
    }

    /// Parses a lock. Malformed lines are skipped, so that their checks count as new.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let (id, definition, set) = (words.next()?, words.next()?, words.next()?);
            let set = BoundSet::ALL.into_iter().find(|known| known.name() == set)?;
            Some((id.to_owned(), (definition.to_owned(), set)))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// The contents of the file.
    pub fn text(&self) -> String {
        let line =
            |(id, (definition, set)): (&String, &(String, BoundSet))| format!("{id} {definition} {}\n", set.name());
        self.0.iter().map(line).collect()
    }

    /// True if a check was set after its result was known, and its ledger does not say so.
    pub fn is_unsaid(&self, check: &Check) -> bool {
        let is_after = self.0.get(&check.id).is_some_and(|(_, set)| *set == BoundSet::After);
        is_after && check.bound_set == BoundSet::Before
    }

    /// Returns the lock of `checks` that replaces `before`, with the changes.
    ///
    /// An unchanged check keeps its stamp. A new or changed check whose result exists is stamped `after`, even in the
    /// first lock of a ledger. With `is_trusted`, a new check is stamped `stated` instead, unless its ledger says
    /// `after`. In a first lock, checks stamped `before` are not reported as changes.
    pub fn renewed<'c>(
        before: Option<&Self>,
        checks: impl Iterator<Item = &'c Check>,
        has_result: impl Fn(&Check) -> bool,
        is_trusted: bool,
    ) -> (Self, Vec<Change>) {
        let mut changes = Vec::new();
        let mut lock = Self::default();
        for check in checks.filter(|check| check.kind.is_testable()) {
            let old = before.and_then(|before| before.0.get(&check.id));
            let set = match old {
                // A stamp never improves, but the ledger may downgrade it.
                Some((definition, set)) if *definition == check.definition => check.bound_set.max(*set),
                _ => {
                    let set = match (has_result(check), is_trusted && old.is_none()) {
                        (false, _) => check.bound_set,
                        (true, true) => check.bound_set.max(BoundSet::Stated),
                        (true, false) => BoundSet::After,
                    };
                    if before.is_some() || set != BoundSet::Before {
                        changes.push(Change { id: check.id.clone(), is_new: old.is_none(), set });
                    }
                    set
                }
            };
            lock.0.insert(check.id.clone(), (check.definition.clone(), set));
        }
        (lock, changes)
    }
}

/// Compares the statements of a ledger with the lock beside it, and reports the first difference of each. Without a
/// lock, a check marked `before` counts as `stated`.
pub(super) fn compare(document: &Document, paper: &str, statements: &mut [Statement], problems: &mut Problems) {
    let text = mbsbench_input::read_text(&document.source.folder().join(NAME), mbsbench_input::LARGEST_TEXT);
    let lock = text.ok().map(|text| Lock::parse(&text));
    let command = format!("`mbsbench ledger lock {paper}`");
    for statement in statements {
        for check in statement.checks.iter_mut().filter(|check| check.kind.is_testable()) {
            let Some(lock) = &lock else {
                check.bound_set = check.bound_set.max(BoundSet::Stated);
                continue;
            };
            let id = &check.id;
            let (message, help) = match lock.0.get(id) {
                Some((definition, _)) if *definition != check.definition => (
                    format!("the definition of `{id}` differs from its entry in {NAME}"),
                    format!("run {command}, which records the change and reports if it needs `bound_set: after`"),
                ),
                None => (
                    format!("`{id}` is not in {NAME}"),
                    format!("record it with {command} before its runs are computed"),
                ),
                Some(_) if lock.is_unsaid(check) => (
                    format!("`{id}` was written or changed after its result was known"),
                    "add `bound_set: after` to the statement or the check".to_owned(),
                ),
                Some((_, set)) => {
                    check.bound_set = check.bound_set.max(*set);
                    continue;
                }
            };
            problems.refuse(check.place_of_id, message, help);
            break;
        }
    }
}
