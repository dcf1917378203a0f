//! Names of experiments and papers, and texts about lists of them.

use std::collections::BTreeSet;
use std::fmt::Display;

use mbsbench_experiment::Plan;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::Style;

/// The paper of the experiment with this id.
pub(super) fn paper_of(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

/// The papers of some plans, sorted and unique.
pub(super) fn papers<'p>(plans: impl IntoIterator<Item = &'p Plan>) -> Vec<String> {
    sorted(plans.into_iter().map(|plan| plan.experiment.paper.clone()))
}

/// Sorts names and removes duplicates.
pub(super) fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    names.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Summarises several names: `gil2013/figure-5 and 13 other experiments`.
pub(super) fn several(names: &[impl Display], what: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [one, other] => format!("{one} and {other}"),
        [one, rest @ ..] => format!("{one} and {} other {what}", rest.len()),
    }
}

/// A table for a terminal, with the headings in the first row.
pub(super) fn table<R: IntoIterator<Item: Into<String>>>(rows: impl IntoIterator<Item = R>) -> Table {
    let mut builder = Builder::default();
    rows.into_iter().for_each(|row| builder.push_record(row));
    let mut table = builder.build();
    table.with(Style::psql());
    table
}

/// Formats a count with its noun: `1 run`, `2 runs`, `3 bodies`.
pub(super) fn counted(count: usize, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {what}s"),
    }
}
