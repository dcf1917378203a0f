//! The plan of an experiment that has no runs of its own but shows those of others.

use std::collections::BTreeSet;
use std::sync::Arc;

use mbsbench_input::{BadInput, Problem};
use mbsbench_measures::bound_of;

use super::observables::Observables;
use super::{Guest, Plan, outputs};
use crate::lists::unique;
use crate::registry::{Contender, Registry};
use crate::spec::PanelSpec;
use crate::{Experiment, Label, Placed, Problems};

/// The axis whose values are the names of the experiments.
const AXIS: &str = "experiment";

/// Plans the named experiments and reuses their runs unchanged, including all measures and recordings, so that no run
/// is executed twice; with a guest, also its runs there.
pub(super) fn gather(experiment: Experiment, guest: Option<&Contender>, registry: &Registry) -> Result<Plan, BadInput> {
    let mut problems = Problems::default();
    let mut plans: Vec<(&str, Plan)> = Vec::new();
    for Placed { value: gathered, node } in &experiment.gathers {
        let path = experiment.document.source.folder().join(format!("{}.yaml", gathered.experiment));
        let place = node.place_of("experiment");
        let Ok(bytes) = mbsbench_input::read_file(&path, mbsbench_input::LARGEST_TEXT) else {
            let message = format!("cannot read the file `{}`", path.display());
            problems.refuse(place, message, "accepted: the name of an experiment file beside this one");
            continue;
        };
        let mut plan = Plan::read(&path, &bytes, registry, experiment.quick)?;
        if !plan.experiment.gathers.is_empty() {
            let message = format!("`{}` has no runs of its own", gathered.experiment);
            problems.refuse(place, message, "accepted: an experiment with runs of its own");
            continue;
        }
        if let Some(guest) = guest {
            plan = plan.with_guest(guest, registry)?;
        }
        let mut filter = gathered.filter.clone();
        plan.guest.admit(&mut filter);
        let runs = std::mem::take(&mut plan.runs);
        plan.runs = runs.into_iter().filter(|run| plan.is_meant(run, &filter)).collect();
        // With `--quick` values of the axes may be missing.
        if plan.runs.is_empty() && !experiment.quick {
            let problem = Problem::new(node.place_of("where"), "no run has all of these values");
            problems.add(problem.help(format!("accepted: values of the axes {}", plan.axes.join(", "))));
        }
        plans.push((&gathered.experiment, plan));
    }
    problems.into_result(&experiment.document)?;
    let part = guest.map_or_else(Guest::default, Guest::new);
    let mut plan = part.show(merged(&experiment, plans));
    let mut problems = Problems::default();
    let over_time = |panel: &PanelSpec| panel.x == "t";
    for figure in experiment.plots.iter().filter(|figure| figure.value.panels.iter().any(over_time)) {
        let message = "gathered runs have no observables over time";
        problems.refuse(figure.node.place, message, "accepted: columns of `runs.csv` over an axis or a column");
    }
    outputs::check(&plan, &Observables::of(&plan), &mut problems);
    problems.into_result(&experiment.document)?;
    let shown: BTreeSet<&str> = shown(&experiment).collect();
    let bounds: BTreeSet<String> = shown.iter().filter_map(|column| bound_of(column)).collect();
    plan.columns.retain(|column| shown.contains(column.as_str()) || bounds.contains(column));
    Ok(plan)
}

/// Merges all runs into one plan, with a column for each axis and each measure of any of them.
fn merged(experiment: &Experiment, plans: Vec<(&str, Plan)>) -> Plan {
    let own_axes = plans.iter().flat_map(|(_, plan)| plan.axes.iter().cloned());
    let axes = unique([AXIS.to_owned()].into_iter().chain(own_axes));
    let columns = unique(plans.iter().flat_map(|(_, plan)| plan.columns.iter().cloned()));
    let mut runs = Vec::new();
    for (name, mut plan) in plans {
        let own = std::mem::take(&mut plan.runs);
        runs.extend(own.into_iter().map(|mut run| {
            let cell = |axis: &String| match axis.as_str() {
                AXIS => Some(Arc::new(Label { text: name.to_owned(), number: None })),
                axis => plan.axis(axis).and_then(|index| run.cells[index].clone()),
            };
            run.cells = axes.iter().map(cell).collect();
            run
        }));
    }
    Plan { experiment: experiment.clone(), axes, columns, runs, notes: Vec::new(), guest: Guest::default() }
}

/// Returns the columns that tables and figures name.
fn shown(experiment: &Experiment) -> impl Iterator<Item = &str> {
    let panels = experiment.plots.iter().flat_map(|figure| &figure.value.panels);
    let of_panels = panels.flat_map(|panel| panel.y.iter().chain([panel.x.as_str()]));
    let tables = experiment.tables.iter().map(|table| &table.value);
    let of_tables = tables
        .flat_map(|table| table.value.as_deref().into_iter().chain(table.values.0.iter().map(|(_, c)| c.as_str())));
    of_panels.chain(of_tables)
}
