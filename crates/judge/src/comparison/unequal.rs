//! Settings of solvers in which the methods of a ranking differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mbsbench_experiment::plan::RunSpec;

/// More methods than these are counted where they agree with most.
const LISTED: usize = 3;

/// A setting that several methods have, with different values: frames of rotations, linear algebra, Newton's iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unequal {
    /// Its name in experiment files.
    pub name: String,
    /// The values, each with the methods that have it; the value of most methods comes last.
    pub values: Vec<(String, Vec<String>)>,
}

impl Unequal {
    /// The settings in which methods differ, from what the methods of the runs say of themselves; each run has the name by which its
    /// method is ranked.
    #[must_use]
    pub fn all<'p>(runs: impl IntoIterator<Item = (&'p str, &'p RunSpec)>) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let mut all: BTreeMap<String, BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
        for (method, run) in runs {
            if !seen.insert((method, run.method.identity().to_string())) {
                continue;
            }
            for (name, value) in run.method.object().method().solver_options() {
                all.entry(name).or_default().entry(value).or_default().insert(method);
            }
        }
        let unequal = |(name, values): (String, BTreeMap<String, BTreeSet<&str>>)| {
            let owned = |methods: BTreeSet<&str>| methods.into_iter().map(str::to_owned).collect::<Vec<_>>();
            let mut values: Vec<_> = values.into_iter().map(|(value, methods)| (value, owned(methods))).collect();
            values.sort_by_key(|(_, methods)| methods.len());
            Self { name, values }
        };
        all.into_iter().filter(|(_, values)| values.len() > 1).map(unequal).collect()
    }

    /// Whether a method has the setting.
    #[must_use]
    pub fn is_of(&self, method: &str) -> bool {
        self.values.iter().any(|(_, methods)| methods.iter().any(|name| name == method))
    }

    /// Several of them in a sentence; none where methods do not differ.
    #[must_use]
    pub fn sentence(all: &[Self]) -> Option<String> {
        let settings: Vec<String> = all.iter().map(ToString::to_string).collect();
        (!all.is_empty()).then(|| format!("Methods differ in their settings: {}.", settings.join("; ")))
    }
}

/// `charts step in f, moving in the other 13`.
impl fmt::Display for Unequal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (value, methods)) in self.values.iter().enumerate() {
            let begin = if index == 0 { format!("{} ", self.name) } else { ", ".to_owned() };
            let is_most = index + 1 == self.values.len() && methods.len() > LISTED;
            let methods = if is_most { format!("the other {}", methods.len()) } else { methods.join(", ") };
            write!(f, "{begin}{value} in {methods}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_experiment::plan::Plan;
    use mbsbench_experiment::registry::Registry;

    use super::*;

    fn unequal(methods: &str) -> Vec<String> {
        let text = format!(
            "schema: 2\nid: mine/a\ntitle: a\nmodel: slider-crank\nspan: [0, 1]\nmethod: {methods}\nstep: [0.1, 0.05]\nmeasures: [steps_accepted]\n"
        );
        let plan = Plan::read(Path::new("a.yaml"), text.as_bytes(), &Registry::builtin(), false).unwrap();
        let runs = plan.runs.iter().map(|run| (run.method_label.as_str(), run));
        Unequal::all(runs).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn settings_that_differ_are_named_with_the_methods() {
        let file = "{ tableau: { label: own, multistep: { alpha: [1], beta: [1/2, 1/2] } } }";
        let moving = "{ every: { families: [esdirk, composite], with: { charts: moving } } }";
        assert_eq!(unequal(&format!("[{moving}, {file}]")), Vec::<String>::new(), "the file gets what `every` sets");
        let own = file.replace("multistep", "charts: stage, multistep");
        assert_eq!(unequal(&format!("[{moving}, {own}]")), ["charts stage in own, moving in the other 10"]);
        assert_eq!(
            unequal("[lms2, { lms3: { jacobian: kept } }, rk4]"),
            ["jacobian full in lms2, kept in lms3(jacobian=kept)"],
            "settings at their defaults count, and explicit methods have none"
        );
        assert_eq!(
            unequal("[{ hht-i3: { newton: { tolerance: 1e-6 } } }, newmark, hht-si2, nstiff-si2]"),
            [
                "linear-algebra shared in hht-si2, structured in nstiff-si2",
                "newton.tolerance 1e-6 in hht-i3(newton.tolerance=1e-6), 1e-10 in hht-si2, newmark, nstiff-si2"
            ]
        );
    }
}
