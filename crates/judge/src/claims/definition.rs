//! The definition of a check as a hash of its operands, tolerances and bounds, and of the measures behind its columns.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use mbsbench_experiment::plan::canonical;
use mbsbench_experiment::registry::MeasureKind;
use mbsbench_experiment::{Choice, Plan};
use serde_json::{Value, json};

use super::{Kind, plan_of};

/// Digits of a hash.
const DIGITS: usize = 16;

/// The definitions of the measures behind columns, looked up once for all runs with the same measures.
pub(super) struct Definitions<'p> {
    plans: &'p [Plan],
    /// For each list of measures, identified by its address, the columns with the identities of their measures.
    columns: Mutex<HashMap<usize, Arc<BTreeMap<String, String>>>>,
}

impl<'p> Definitions<'p> {
    /// Creates the lookup for the runs of `plans`.
    pub(super) fn new(plans: &'p [Plan]) -> Self {
        Self { plans, columns: Mutex::default() }
    }

    /// Returns the hash of a check. It covers the test as written and the measures that its columns come from, so that
    /// the meaning of a column cannot change unnoticed.
    pub(super) fn of(&self, test: &Value, kind: &Kind, paper: &str) -> String {
        let mut measures: BTreeSet<String> = BTreeSet::new();
        for operand in kind.all_operands() {
            let Some(plan) = plan_of(self.plans, paper, &operand.experiment) else { continue };
            let mut seen = HashSet::new();
            let runs = plan.meant(&operand.filter).map(|(_, run)| &run.measures);
            for of_run in runs.filter(|of_run| seen.insert(of_run.as_ptr())) {
                let known = self.columns(of_run);
                let columns = operand.columns().chain(operand.times.as_deref());
                measures.extend(columns.filter_map(|column| known.get(column).cloned()));
            }
        }
        hash(&json!({ "kind": kind.name(), "test": test, "measures": measures }))
    }

    fn columns(&self, measures: &[Choice<MeasureKind>]) -> Arc<BTreeMap<String, String>> {
        let mut known = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(measures.as_ptr().addr()).or_insert_with(|| Arc::new(columns(measures))))
    }
}

/// Returns the columns of `measures` with the identities of the measures that provide them. If two measures have the
/// same column, the first one counts.
fn columns(measures: &[Choice<MeasureKind>]) -> BTreeMap<String, String> {
    // From the last to the first, so that the first one replaces all others.
    let columns = measures.iter().rev().flat_map(|measure| {
        let identity = canonical(measure.identity()).to_string();
        measure.object.columns().into_iter().map(move |column| (column, identity.clone()))
    });
    columns.collect()
}

/// Returns the hash of a value, independent of the order of its keys.
pub fn hash(value: &Value) -> String {
    blake3::hash(canonical(value.clone()).to_string().as_bytes()).to_hex()[..DIGITS].to_owned()
}
