//! Combinations that are left out, found without a look at each exclusion for each combination.

use std::collections::HashMap;

use mbsbench_input::Problem;

use crate::axis::LabelIndex;
use crate::{Case, Experiment, Label, Problems};

/// Exclusions name axes and values that some case has.
pub(super) fn check(experiment: &Experiment, axes: &[String], problems: &mut Problems) {
    let names: HashMap<&str, Vec<Label>> = axes.iter().map(|axis| (axis.as_str(), labels(experiment, axis))).collect();
    let indices: HashMap<&str, LabelIndex<'_>> =
        names.iter().map(|(&axis, labels)| (axis, labels.iter().collect())).collect();
    for (key, values) in experiment.cases.iter().flat_map(|case| &case.exclude).flat_map(|exclusion| &exclusion.values)
    {
        let Some(index) = indices.get(key.name.as_str()) else {
            let known: Vec<&str> = axes.iter().map(String::as_str).collect();
            problems.add(Problem::unknown(key.place, "axis", &key.name, known));
            continue;
        };
        for value in values {
            let mut is_there = false;
            index.meant(&value.value, &mut |_| is_there = true);
            // With `--quick` a value may have gone.
            if !experiment.quick && !is_there {
                let found = value.value.to_string();
                let known: Vec<&str> = names[key.name.as_str()].iter().map(|label| label.text.as_str()).collect();
                problems.add(Problem::unknown(value.node.place, &format!("value of `{}`", key.name), &found, known));
            }
        }
    }
}

/// The values of an axis in all cases.
fn labels(experiment: &Experiment, axis: &str) -> Vec<Label> {
    let of_case = |case: &Case| match (axis, case.axis(axis)) {
        ("case", _) => named(case).into_iter().collect(),
        (_, Some(axis)) => axis.points.iter().map(|point| Label::clone(&point.label)).collect(),
        (_, None) => Vec::new(),
    };
    experiment.cases.iter().flat_map(of_case).collect()
}

/// The value of the column `case`.
pub(super) fn named(case: &Case) -> Option<Label> {
    case.name.as_ref().map(|name| Label { text: name.clone(), number: None })
}

/// Which combinations of a case are left out. Each value of an axis has a bit for each exclusion that it leaves open; a combination with
/// a bit that all of its values have is left out. What axes before the last leave open is kept from one combination to the next.
pub(super) struct Excluded {
    /// By axis and value: the exclusions that it leaves open, 64 a word.
    open: Vec<Vec<Vec<u64>>>,
    /// What the first axes leave open together, as many as the index says.
    together: Vec<Vec<u64>>,
    /// The combination that [`Self::together`] is of.
    at: Vec<usize>,
}

impl Excluded {
    pub(super) fn of(case: &Case) -> Self {
        let axes = &case.axes;
        let indices: Vec<LabelIndex<'_>> =
            axes.iter().map(|axis| axis.points.iter().map(|point| &*point.label).collect()).collect();
        let position: HashMap<&str, usize> =
            axes.iter().enumerate().map(|(index, axis)| (axis.name.as_str(), index)).collect();
        let case_name = named(case);
        // One that names an axis that the case does not have, or other cases, leaves nothing out here.
        let concerns = |exclusion: &&crate::Exclusion| {
            exclusion.values.iter().all(|(key, values)| match key.name.as_str() {
                "case" => case_name.as_ref().is_some_and(|name| values.iter().any(|value| value.value.matches(name))),
                axis => position.contains_key(axis),
            })
        };
        let exclusions: Vec<_> = case.exclude.iter().filter(concerns).collect();
        let words = exclusions.len().div_ceil(64);
        let mut all = vec![0; words];
        (0..exclusions.len()).for_each(|exclusion| set(&mut all, exclusion));
        // An axis that an exclusion does not name leaves it open with all values.
        let mut free = vec![all.clone(); axes.len()];
        for (bit, exclusion) in exclusions.iter().enumerate() {
            for axis in exclusion.values.iter().filter_map(|(key, _)| position.get(key.name.as_str())) {
                free[*axis][bit / 64] &= !(1 << (bit % 64));
            }
        }
        let mut open: Vec<Vec<Vec<u64>>> =
            axes.iter().zip(free).map(|(axis, free)| vec![free; axis.points.len()]).collect();
        for (bit, exclusion) in exclusions.iter().enumerate() {
            for (key, values) in &exclusion.values {
                let Some(&axis) = position.get(key.name.as_str()) else { continue };
                for value in values {
                    indices[axis].meant(&value.value, &mut |point| set(&mut open[axis][point], bit));
                }
            }
        }
        // No index of a value is that large, so that the first combination is a new one on all axes.
        Self { open, together: vec![all; axes.len()], at: vec![usize::MAX; axes.len()] }
    }

    /// Whether a combination is left out: the index of its value on each axis.
    pub(super) fn has(&mut self, at: &[usize]) -> bool {
        let Some((&last, before)) = at.split_last() else { return false };
        let first = before.iter().zip(&self.at).position(|(now, old)| now != old).unwrap_or(before.len());
        for axis in first..before.len() {
            let (known, new) = self.together.split_at_mut(axis + 1);
            let open = &self.open[axis][at[axis]];
            for ((new, known), open) in new[0].iter_mut().zip(&known[axis]).zip(open) {
                *new = known & open;
            }
        }
        self.at.copy_from_slice(at);
        self.together[before.len()].iter().zip(&self.open[before.len()][last]).any(|(known, open)| known & open != 0)
    }
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
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
    fn what_is_left_out_is_what_a_look_at_each_exclusion_leaves_out() {
        let own = "{ settings.clock: exact, step: 1e-6 }";
        let all = "[{ step: [1e-6, 4e-6], model.angle: 0.2 }, { model.angle: [0.10, '0.3'], method: rk3, step: 0.000002 },
            { case: b, method: rk5, step: 3e-6 }, { case: a, method: rk3, model.angle: 0.5 }, { settings.clock: exact, step: 3e-6 },
            { method: rk5, model.angle: [0.4, 0.5], step: 4e-6 }]";
        let text = format!(
            "{HEAD}matrix: {{ step: [1e-6, 2e-6, 3e-6, 4e-6], model.angle: [0.1, 0.2, 0.3, 0.4, 0.5] }}\nexclude: {all}\ncases:\n  \
             - {{ case: a, matrix: {{ settings.clock: [exact, accumulating] }} }}\n  - {{ case: b }}\n  - {{ case: c, exclude: [{own}], matrix: {{ settings.clock: [exact] }} }}\n"
        );
        let found = plan(&text);
        // The same with exclusions that leave out nothing that is there, and each of them looked at.
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

    /// With a look at each exclusion for each combination this took most of a minute; it takes a fraction of a second.
    #[test]
    fn many_exclusions_of_many_combinations_take_no_time() {
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
        let mut left = 0;
        let case = &experiment.cases[0];
        let mut excluded = Excluded::of(case);
        let sizes: Vec<usize> = case.axes.iter().map(|axis| axis.points.len()).collect();
        for number in 0..sizes.iter().product() {
            let mut rest: usize = number;
            let mut at: Vec<usize> = sizes.iter().rev().map(|size| (rest % size, rest /= size).0).collect();
            at.reverse();
            left += usize::from(!excluded.has(&at));
        }
        assert_eq!(left, 300 * 150 * 2 - 100 * 100 * 2);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
