//! What a check tests, as a hash: operands, tolerances and bounds, and the measures behind their columns.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use mbsbench_experiment::plan::canonical;
use mbsbench_experiment::registry::MeasureKind;
use mbsbench_experiment::{Choice, Plan};
use serde_json::{Value, json};

use super::{Kind, plan_of};

/// Digits of a hash.
const DIGITS: usize = 16;

/// What is behind columns, looked up once for all runs with the same measures.
pub(super) struct Definitions<'p> {
    plans: &'p [Plan],
    /// The columns of measures, by the place of these in memory, each with the measure that it comes from, written out.
    columns: Mutex<HashMap<usize, Arc<BTreeMap<String, String>>>>,
}

impl<'p> Definitions<'p> {
    /// Of the runs of these plans.
    pub(super) fn new(plans: &'p [Plan]) -> Self {
        Self { plans, columns: Mutex::default() }
    }

    /// The hash of a check: of its test as it is written out, and of the measures that its columns come from, so that the meaning of a
    /// column cannot change behind it.
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

/// The columns of some measures; of two that have the same, the first is the one.
fn columns(measures: &[Choice<MeasureKind>]) -> BTreeMap<String, String> {
    let mut columns = BTreeMap::new();
    for measure in measures {
        let identity = canonical(measure.identity()).to_string();
        for column in measure.object().columns() {
            columns.entry(column).or_insert_with(|| identity.clone());
        }
    }
    columns
}

/// The hash of a value, whatever the order of its keys.
pub fn hash(value: &Value) -> String {
    blake3::hash(canonical(value.clone()).to_string().as_bytes()).to_hex()[..DIGITS].to_owned()
}
