//! What a check tests, as a hash: operands, tolerances and bounds, and the measures behind their columns.

use std::collections::HashSet;
use std::sync::Arc;

use mbsbench_experiment::plan::{Plan, canonical};
use mbsbench_experiment::registry::{Choice, MeasureKind};
use serde_json::{Value, json};

use super::check::Kind;
use super::ledger::plan_of;

/// Digits of a hash.
const DIGITS: usize = 16;

/// The hash of a check: of its kind as it is written out, and of the measures that its columns come from, so that the meaning of a
/// column cannot change behind it.
pub(super) fn of(name: &str, kind: &Value, read: &Kind, paper: &str, plans: &[Plan]) -> String {
    let mut measures: Vec<String> = Vec::new();
    for operand in read.all_operands() {
        let Some(plan) = plan_of(plans, paper, &operand.experiment) else { continue };
        // most runs have the same measures
        let mut seen = HashSet::new();
        let runs = plan.meant(&operand.filter).map(|(_, run)| run);
        let runs: Vec<_> = runs.filter(|run| seen.insert(Arc::as_ptr(&run.measures))).collect();
        for column in operand.columns().chain(operand.times.as_deref()) {
            let of_run = |measures: &'_ [_]| -> Option<String> {
                let is_meant =
                    |measure: &&Choice<MeasureKind>| measure.object().columns().iter().any(|own| own == column);
                Some(canonical(measures.iter().find(is_meant)?.identity()).to_string())
            };
            measures.extend(runs.iter().filter_map(|run| of_run(&run.measures)));
            measures.sort_unstable();
            measures.dedup();
        }
    }
    hash(&json!({ "kind": name, "test": kind, "measures": measures }))
}

/// The hash of a value, whatever the order of its keys.
pub fn hash(value: &Value) -> String {
    blake3::hash(canonical(value.clone()).to_string().as_bytes()).to_hex()[..DIGITS].to_owned()
}
