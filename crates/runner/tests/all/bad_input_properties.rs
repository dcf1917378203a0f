//! Properties of reading and planning: the number of runs, the dependence of keys, and that no bytes cause a panic.

use crate::bad_input_fixture as fixture;

use std::collections::BTreeSet;
use std::path::Path;

use mbsbench::plan::Plan;
use proptest::prelude::*;

const GOOD: &str = include_str!("../bad_input/good.txt");

fn plan(text: &str) -> Plan {
    Plan::read(Path::new("t.yaml"), text.as_bytes(), &fixture::registry(), false)
        .unwrap_or_else(|bad| panic!("{}\n{text}", bad.render(false)))
}

fn keys(text: &str) -> Vec<String> {
    plan(text).runs.iter().map(|run| run.key().full().to_owned()).collect()
}

/// The parts of a run; a change in any of them changes its key.
#[derive(Debug, Clone, PartialEq)]
struct Parts {
    mass: f64,
    length: f64,
    eta: f64,
    alpha: f64,
    step: f64,
    end: f64,
    steps: u32,
    sample: f64,
    above: f64,
    reference: f64,
}

impl Parts {
    fn default() -> Self {
        Self {
            mass: 2.0,
            length: 1.5,
            eta: 3.0,
            alpha: -0.2,
            step: 0.1,
            end: 5.0,
            steps: 1000,
            sample: 0.5,
            above: 100.0,
            reference: 1e-3,
        }
    }

    /// Returns a copy in which one part differs slightly.
    fn changed(mut self, part: usize) -> Self {
        match part {
            0 => self.mass += 0.1,
            1 => self.length += 0.1,
            2 => self.eta += 0.1,
            3 => self.alpha += 0.01,
            4 => self.step *= 0.5,
            5 => self.end += 1.0,
            6 => self.steps += 1,
            7 => self.sample += 0.25,
            8 => self.above += 1.0,
            _ => self.reference *= 0.5,
        }
        self
    }

    /// The lines of a file, which may be in any order; `label` and `title` are only words.
    fn lines(&self, label: &str) -> Vec<String> {
        let Self { mass, length, eta, alpha, step, end, steps, sample, above, reference } = self;
        vec![
            "id: mine/parts".to_owned(),
            format!("title: {label}"),
            format!(
                "model: {{ pendulum: {{ mass: {mass}, length: {length}, \
                 formulation: {{ sliding-mode: {{ eta: {eta} }} }} }} }}"
            ),
            format!("span: [0, {end}]"),
            format!("method: {{ newmark: {{ label: {label}, alpha: {alpha}, stages: 2 }} }}"),
            format!("step: {step}"),
            format!("settings: {{ max_steps: {steps}, clock: exact }}"),
            format!("measures: [energy_variation, {{ sample: {{ of: omega, at: [{sample}] }} }}]"),
            format!("fails_when: [{{ observable: energy, above: {above} }}]"),
            format!("reference: {{ method: rk8, step: {reference} }}"),
        ]
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_combination_is_one_run(
        methods in 1..=3_usize, steps in 1..=5_usize, masses in 1..=4_usize, alphas in 1..=4_usize,
    ) {
        let methods = ["rk3", "rk5", "rk8"][..methods].join(", ");
        let numbers = |count: usize, unit: &str| {
            (1..=count).map(|k| format!("{k}{unit}")).collect::<Vec<_>>().join(", ")
        };
        // `method.alpha` must not be positive.
        let negative = (1..=alphas).map(|k| format!("-{k}e-3")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "id: mine/matrix\nspan: [0, 9]\nmodel: pendulum\ncases:\n\
             - {{ case: a, matrix: {{ step: [{}], method: [{methods}], model.mass: [{}] }} }}\n\
             - {{ case: b, step: 1, method: newmark, matrix: {{ method.alpha: [{negative}] }} }}\n",
            numbers(steps, "e-2"), numbers(masses, ".5"),
        );
        let plan = plan(&text);
        let expected = methods.split(", ").count() * steps * masses + alphas;
        prop_assert_eq!(plan.runs.len(), expected);
        prop_assert_eq!(&plan.axes, &["case", "model.mass", "method", "method.alpha", "step"]);
        let different: BTreeSet<&str> = plan.runs.iter().map(|run| run.key().full()).collect();
        prop_assert_eq!(different.len(), expected, "different runs have different keys");
    }

    #[test]
    fn exclusions_remove_matching_combinations(out in 0..4_usize, step in 0..3_usize) {
        let steps = ["0.1", "0.2", "0.4"];
        // 0.2 is also 2e-1, however it is spelled.
        let spelled = ["1e-1", "0.20", "4e-1"][step];
        let exclude = [
            "{ method: rk3 }".to_owned(),
            format!("{{ step: {spelled} }}"),
            format!("{{ method: [rk3, rk8], step: {spelled} }}"),
            "{ method: rk3, case: a }".to_owned(),
        ];
        let text = format!(
            "id: mine/matrix\nspan: [0, 9]\nmodel: pendulum\nmatrix: {{ method: [rk3, rk8], step: [{}] }}\n\
             exclude: [{}]\ncases: [{{ case: a }}, {{ case: b }}]\n",
            steps.join(", "), exclude[out],
        );
        prop_assert_eq!(plan(&text).runs.len(), 12 - [6, 4, 4, 3][out]);
    }

    #[test]
    fn keys_do_not_depend_on_spelling_or_order(
        lines in Just(Parts::default().lines("other")).prop_shuffle(), label in "[a-z]{1,12}",
    ) {
        let expected = keys(&Parts::default().lines("label").join("\n"));
        prop_assert_eq!(&keys(&lines.join("\n")), &expected);
        prop_assert_eq!(&keys(&Parts::default().lines(&label).join("\n")), &expected);
        let reordered = lines.join("\n")
            .replace("mass: 2, length: 1.5", "length: 1.50, mass: 2.0e0")
            .replace("alpha: -0.2, stages: 2", "stages: 2, alpha: -2e-1")
            .replace("mine/parts", "yours/others");
        prop_assert_ne!(&reordered, &lines.join("\n"));
        prop_assert_eq!(&keys(&reordered), &expected);
    }

    #[test]
    fn keys_depend_on_every_part(one in 0..10_usize, other in 0..10_usize) {
        let base = keys(&Parts::default().lines("a").join("\n"));
        let changed = keys(&Parts::default().changed(one).lines("a").join("\n"));
        prop_assert_ne!(&base, &changed);
        let twice = keys(&Parts::default().changed(one).changed(other).lines("a").join("\n"));
        prop_assert_ne!(&changed, &twice);
    }

    #[test]
    fn random_bytes_do_not_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(bad) = Plan::read(Path::new("t.yaml"), &bytes, &fixture::registry(), false) {
            prop_assert!(!bad.render(true).is_empty());
        }
    }

    #[test]
    fn damaged_files_do_not_cause_a_panic(
        at in 0..GOOD.len(),
        length in 0..40_usize,
        put in "[\\PC\n\t{}\\[\\]:,&*!|>'\"%#-]{0,6}",
        quick in any::<bool>(),
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
        bytes.splice(at..(at + length).min(GOOD.len()), put.bytes());
        if let Err(bad) = Plan::read(Path::new("t.yaml"), &bytes, &fixture::registry(), quick) {
            prop_assert!(bad.render(false).contains("t.yaml:"));
        }
    }
}

#[test]
fn a_power_and_its_value_are_the_same_step() {
    let text = |step: &str| format!("id: mine/power\nspan: [0, 1]\nmodel: decay\nmethod: rk3\nstep: {step}\n");
    assert_eq!(keys(&text("2^-10")), keys(&text("0.0009765625")));
    assert_eq!(plan(&text("2^-10")).runs[0].cells[1].as_ref().unwrap().text, "2^-10", "spelled as in the file");
}

#[test]
fn quick_replaces_existing_axes() {
    let text = GOOD.replace("    published: published.csv\n", "");
    let quick = Plan::read(Path::new("t.yaml"), text.as_bytes(), &fixture::registry(), true).unwrap();
    let steps: Vec<String> = quick.values(quick.axis("step").unwrap()).iter().map(ToString::to_string).collect();
    assert_eq!(steps, ["0.05"]);
    assert!(quick.runs.iter().all(|run| run.span == [0.0, 1.0]));
    assert_eq!(quick.runs.iter().filter(|run| run.method_label == "eighth order").count(), 1, "the case without step");
}

#[test]
fn runs_list_their_drawn_observables() {
    let plan = plan(&GOOD.replace("    published: published.csv\n", ""));
    let controlled = plan.runs.iter().find(|run| run.method_label == "eighth order").unwrap();
    assert_eq!(controlled.recording.trajectories, ["omega", "theta"]);
    assert_eq!(plan.columns, ["energy_variation", "omega@0.01", "omega@2^-3"]);
    let reference = controlled.reference.as_ref().unwrap();
    assert_eq!(reference.model.parameter("formulation.sliding-mode.eta").unwrap(), 2.0);
    assert_eq!(reference.model.parameter("mass").unwrap(), 36.0, "the other parameters are those of the run");
}

/// Panels over the whole run, outside it, across its end, and on a logarithmic axis.
const WINDOWS: &str = "\
id: mine/windows
model: pendulum
span: [-2.0, 1.0]
method: [rk3, rk8]
step: 0.1
plots:
  - { id: all, x: t, y: theta, x_range: [-3, 2] }
  - { id: end, x: t, y: theta, x_range: [0, 1] }
  - { id: same, x: t, y: omega, x_range: [0, 1] }
  - { id: after, x: t, y: theta, x_range: [2, 3] }
  - { id: orbit, x: omega, y: theta, x_range: [-0.1, 0.1], where: { method: rk3 } }
  - { id: small, x: t, y: omega, x_range: [0, 5], scale: log-y, where: { method: rk8 } }
";

#[test]
fn drawn_parts_of_a_run_are_known_before_it_starts() {
    let plan = plan(WINDOWS);
    let [of_rk3, of_rk8] = ["rk3", "rk8"].map(|method| {
        let run = plan.runs.iter().find(|run| run.method_label == method).unwrap();
        &run.recording
    });
    assert_eq!((&of_rk3.windows[..], of_rk3.logarithmic), (&[[0.0, 1.0]][..], false));
    assert_eq!((&of_rk8.windows[..], of_rk8.logarithmic), (&[[0.0, 1.0], [0.0, 5.0]][..], true));
    assert_ne!(of_rk3.to_string(), of_rk8.to_string(), "the store tells them apart");
}
