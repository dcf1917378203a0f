//! Settings of solvers in which the methods of a ranking differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use mbsbench_experiment::RunSpec;
use mbsbench_problem::{Form, Formulated};

/// If more methods than this have the most common value, they are counted instead of listed.
const LISTED: usize = 3;

/// A setting whose text is longer than this gets a line for each value.
const WIDTH: usize = 100;

/// The option for frames of rotations.
const FRAMES: &str = "charts";

/// True if the model of a run has coordinates that are not vectors, so that frames of rotations matter.
fn turns(run: &RunSpec) -> bool {
    let model = run.model.object.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    match ode.form() {
        Form::Implicit(dae) => dae.chart_length() > 0,
        Form::Mechanics(mechanics) => !mechanics.has_vector_coordinates(),
        Form::Explicit | Form::Events(_) | Form::ContactPower(_) => false,
    }
}

/// A setting with different values among the methods: frames of rotations, linear algebra, Newton's iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unequal {
    /// Its name in experiment files.
    pub name: String,
    /// The values, each with its methods; the most common value comes last.
    pub values: Vec<(String, Vec<String>)>,
}

impl Unequal {
    /// Returns the settings in which methods differ, from the options that the methods report. Each run comes with the
    /// name under which its method is ranked.
    pub fn all<'p>(runs: impl IntoIterator<Item = (&'p str, &'p RunSpec)>) -> Vec<Self> {
        let (mut seen, mut turning) = (BTreeSet::new(), HashMap::new());
        let mut all: BTreeMap<String, BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
        for (method, run) in runs {
            if !seen.insert((method, run.method.identity().to_string())) {
                continue;
            }
            let mut options = run.method.object.method().solver_options();
            // All runs of one case share their model.
            let mut is_turning = || *turning.entry(Arc::as_ptr(&run.model)).or_insert_with(|| turns(run));
            if options.iter().all(|(name, _)| name != FRAMES) && is_turning() {
                options.push((FRAMES.to_owned(), "none".to_owned()));
            }
            for (name, value) in options {
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

    /// True if the method has the setting.
    pub fn is_of(&self, method: &str) -> bool {
        self.values.iter().any(|(_, methods)| methods.iter().any(|name| name == method))
    }

    /// Names the settings in a sentence; `None` if methods do not differ.
    pub fn sentence(all: &[Self]) -> Option<String> {
        let names: Vec<&str> = all.iter().map(|unequal| unequal.name.as_str()).collect();
        let (last, before) = names.split_last()?;
        let before = if before.is_empty() { String::new() } else { format!("{} and ", before.join(", ")) };
        Some(format!("Methods differ in {before}{last}."))
    }

    /// Lists several settings with their values in Markdown, without line breaks inside an item.
    pub fn list(all: &[Self]) -> String {
        let item = |unequal: &Self| match unequal.to_string() {
            short if short.chars().count() <= WIDTH => format!("- {short}\n"),
            _ => {
                let values = unequal.parts().map(|part| format!("  - {part}\n"));
                [format!("- {}\n", unequal.name)].into_iter().chain(values).collect()
            }
        };
        all.iter().map(item).collect()
    }

    /// Describes each value: `moving in the other 13`.
    fn parts(&self) -> impl Iterator<Item = String> {
        self.values.iter().enumerate().map(|(index, (value, methods))| {
            let is_most = index + 1 == self.values.len() && methods.len() > LISTED;
            let methods = if is_most { format!("the other {}", methods.len()) } else { methods.join(", ") };
            format!("{value} in {methods}")
        })
    }
}

/// Writes `charts step in f, moving in the other 13`.
impl fmt::Display for Unequal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.parts().collect::<Vec<_>>().join(", "))
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
            "schema: 2\nid: mine/a\ntitle: a\nmodel: slider-crank\nspan: [0, 1]\nmethod: {methods}\n\
             step: [0.1, 0.05]\nmeasures: [steps_accepted]\n"
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
        assert_eq!(unequal(&format!("[{moving}, {own}]")), ["charts stage in own, moving in the other 12"]);
        assert_eq!(
            unequal("[lms2, { lms3: { jacobian: kept } }, rk4]"),
            ["newton-matrix full in lms2, kept in lms3(jacobian=kept)"],
            "settings at their defaults count, and explicit methods have none"
        );
        assert_eq!(
            unequal("[{ hht-i3: { newton: { tolerance: 1e-6 } } }, newmark, hht-si2, nstiff-si2]"),
            [
                "linear-algebra shared in hht-si2, structured in hht-i3(newton.tolerance=1e-6), newmark, nstiff-si2",
                "newton-stop correction of accelerations ≤ 1e-6 (1 + size) in hht-i3(newton.tolerance=1e-6), \
                 correction of accelerations ≤ 1e-10 (1 + size) in hht-si2, newmark, nstiff-si2"
            ]
        );
    }

    #[test]
    fn settings_of_implicit_methods_are_named_alike() {
        let named = |methods: &str| unequal(methods).join("; ");
        let both = named("[lms2, newmark]");
        let stops = "newton-stop correction of accelerations ≤ 1e-10 (1 + size) in newmark, residual ≤ 1e-6 in lms2";
        assert!(both.contains(stops), "{both}");
        for (method, parts) in [
            (
                "lie-generalized-alpha",
                [
                    "newton-stop correction of accelerations ≤ 1e-10 (1 + size) in lie-generalized-alpha",
                    "residual ≤ 1e-6",
                ],
            ),
            ("rattle", ["newton-stop", "correction of velocities ≤ 1e-12 (1 + size) in rattle"]),
            (
                "radau5",
                ["newton-matrix full in lms2, kept in radau5", "newton-stop estimated error ≤ min(0.03, √rel′)"],
            ),
        ] {
            let named = named(&format!("[lms2, {method}]"));
            assert!(parts.iter().all(|part| named.contains(part)), "{named}");
        }
    }

    #[test]
    fn implicit_methods_list_their_newton_settings() {
        let registry = Registry::builtin();
        for method in registry.methods().iter().filter(|method| !method.is_written_out) {
            let made = method.default_choice().object.method();
            let (name, options) = (method.name, made.solver_options());
            let has = |wanted: &str| options.iter().any(|(name, _)| name == wanted);
            assert_eq!(has("newton-stop"), has("max-iterations"), "{name}");
        }
        for name in ["cvode-bdf", "ida", "radau5", "mebdf", "ode15s", "rattle", "shake", "lie-generalized-alpha"] {
            let method = registry.methods().iter().find(|method| method.name == name).unwrap();
            let options = method.default_choice().object.method().solver_options();
            for wanted in ["linear-algebra", "newton-matrix", "newton-stop", "max-iterations"] {
                assert!(options.iter().any(|(name, _)| name == wanted), "{name}: {wanted}");
            }
        }
    }
}
