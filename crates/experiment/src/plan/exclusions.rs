//! Excluded combinations, found without comparing each combination with each exclusion.

use std::collections::HashMap;

use mbsbench_input::Problem;

use crate::axis::LabelIndex;
use crate::{Case, Experiment, Label, Problems};

/// Checks that exclusions name axes and values of some case.
pub(super) fn check(experiment: &Experiment, axes: &[String], problems: &mut Problems) {
    let names: HashMap<&str, Vec<Label>> = axes.iter().map(|axis| (axis.as_str(), labels(experiment, axis))).collect();
    let indices: HashMap<&str, LabelIndex<'_>> =
        names.iter().map(|(&axis, labels)| (axis, labels.iter().collect())).collect();
    for (key, values) in experiment.cases.iter().flat_map(|case| &case.exclude).flat_map(|exclusion| &exclusion.values)
    {
        let Some(index) = indices.get(key.name.as_str()) else {
            problems.add(Problem::unknown(key.place, "axis", &key.name, axes));
            continue;
        };
        for value in values {
            let mut is_there = false;
            index.meant(&value.value, &mut |_| is_there = true);
            // With `--quick` a value may be missing.
            if !experiment.quick && !is_there {
                let found = value.value.to_string();
                let kind = format!("value of `{}`", key.name);
                problems.add(Problem::unknown(value.node.place, &kind, &found, &names[key.name.as_str()]));
            }
        }
    }
}

/// Returns the values of an axis in all cases.
fn labels(experiment: &Experiment, axis: &str) -> Vec<Label> {
    let of_case = |case: &Case| match (axis, case.axis(axis)) {
        ("case", _) => named(case).into_iter().collect(),
        (_, Some(axis)) => axis.points.iter().map(|point| Label::clone(&point.label)).collect(),
        (_, None) => Vec::new(),
    };
    experiment.cases.iter().flat_map(of_case).collect()
}

/// Returns the value of the column `case`.
pub(super) fn named(case: &Case) -> Option<Label> {
    case.name.as_ref().map(|name| Label { text: name.clone(), number: None })
}

/// Returns, for each combination of a case, true if it is excluded; the last axis varies fastest. Each exclusion marks
/// its own combinations, so that no combination is compared with all exclusions.
pub(super) fn excluded(case: &Case) -> Vec<bool> {
    let axes = &case.axes;
    let mut excluded = vec![false; axes.iter().map(|axis| axis.points.len()).product()];
    let indices: Vec<LabelIndex<'_>> =
        axes.iter().map(|axis| axis.points.iter().map(|point| &*point.label).collect()).collect();
    let case_name = named(case);
    for crate::Exclusion { values } in &case.exclude {
        // An exclusion with an axis that the case does not have, or for other cases, has no effect here.
        let concerns = values.iter().all(|(key, values)| match key.name.as_str() {
            "case" => case_name.as_ref().is_some_and(|name| values.iter().any(|value| value.value.matches(name))),
            axis => case.axis(axis).is_some(),
        });
        if !concerns {
            continue;
        }
        let numbers = axes.iter().zip(&indices).fold(vec![0], |numbers, (axis, index)| {
            let named = values.iter().find(|(key, _)| key.name == axis.name).map(|(_, values)| values);
            let mut points: Vec<usize> = named.map_or_else(|| (0..axis.points.len()).collect(), |_| Vec::new());
            for value in named.into_iter().flatten() {
                index.meant(&value.value, &mut |point| points.push(point));
            }
            let with = |number: usize| points.iter().map(move |point| number * axis.points.len() + point);
            numbers.into_iter().flat_map(with).collect()
        });
        numbers.into_iter().for_each(|number| excluded[number] = true);
    }
    excluded
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use mbsbench_input::Document;

    use super::*;
    use crate::plan::{Plan, RunSpec};
    use crate::registry::Registry;

    const HEAD: &str =
        "id: mine/p\nmodel: pendulum\nspan: [0.0, 0.001]\nmeasures: [steps_accepted]\nmethod: [rk3, rk5]\n";

    fn plan(text: &str) -> Plan {
        let registry = Registry::builtin();
        Plan::read(Path::new("p.yaml"), text.as_bytes(), &registry, false).unwrap_or_else(|bad| panic!("{bad}"))
    }

    fn cells(run: &RunSpec) -> Vec<Option<Arc<Label>>> {
        run.cells.clone()
    }

    #[test]
    fn fast_and_naive_exclusion_agree() {
        let own = "{ settings.clock: exact, step: 1e-6 }";
        let all = "[{ step: [1e-6, 4e-6], model.angle: 0.2 },
            { model.angle: [0.10, '0.3'], method: rk3, step: 0.000002 },
            { case: b, method: rk5, step: 3e-6 }, { case: a, method: rk3, model.angle: 0.5 },
            { settings.clock: exact, step: 3e-6 }, { method: rk5, model.angle: [0.4, 0.5], step: 4e-6 }]";
        let text = format!(
            "{HEAD}matrix: {{ step: [1e-6, 2e-6, 3e-6, 4e-6], model.angle: [0.1, 0.2, 0.3, 0.4, 0.5] }}\n\
             exclude: {all}\ncases:\n  \
             - {{ case: a, matrix: {{ settings.clock: [exact, accumulating] }} }}\n  \
             - {{ case: b }}\n  \
             - {{ case: c, exclude: [{own}], matrix: {{ settings.clock: [exact] }} }}\n"
        );
        let found = plan(&text);
        // The same plan without effective exclusions; each exclusion is then tested on each of its runs.
        let whole = plan(&text.replace(all, "[]").replace(&format!("[{own}]"), "[]"));
        let is_out = |run: &&RunSpec| {
            let name = cells(run)[0].clone().expect("a case");
            let case =
                found.experiment.cases.iter().find(|case| case.name.as_ref() == Some(&name.text)).expect("a case");
            case.exclude.iter().any(|exclusion| {
                exclusion.values.iter().all(|(key, values)| {
                    let label = found.axis(&key.name).and_then(|axis| run.cells[axis].as_ref());
                    label.is_some_and(|label| values.iter().any(|value| value.value.matches(label)))
                })
            })
        };
        let expected: Vec<_> = whole.runs.iter().filter(|run| !is_out(run)).map(cells).collect();
        assert!(expected.len() + 10 < whole.runs.len(), "{} of {}", expected.len(), whole.runs.len());
        assert_eq!(found.runs.iter().map(cells).collect::<Vec<_>>(), expected);
    }

    /// Comparing each combination with each exclusion took most of a minute; marking takes a fraction of a second.
    #[test]
    fn many_exclusions_are_fast() {
        let list = |count: usize, unit: f64| (1..=count).map(|i| format!("{:e}", i as f64 * unit)).collect::<Vec<_>>();
        let (steps, angles) = (list(300, 1e-6), list(150, 1e-3));
        let pairs = steps.iter().take(100).flat_map(|step| angles.iter().take(100).map(move |angle| (step, angle)));
        let exclude: String =
            pairs.map(|(step, angle)| format!("  - {{ step: {step}, model.angle: {angle} }}\n")).collect();
        let text = format!(
            "{HEAD}matrix: {{ step: [{}], model.angle: [{}] }}\nexclude:\n{exclude}",
            steps.join(", "),
            angles.join(", ")
        );
        let document = Document::parse(Path::new("p.yaml"), text.as_bytes()).unwrap_or_else(|bad| panic!("{bad}"));
        let experiment = Experiment::read(&document, &Registry::builtin(), false).unwrap_or_else(|bad| panic!("{bad}"));
        let start = Instant::now();
        let left = excluded(&experiment.cases[0]).iter().filter(|excluded| !**excluded).count();
        assert_eq!(left, 300 * 150 * 2 - 100 * 100 * 2);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
