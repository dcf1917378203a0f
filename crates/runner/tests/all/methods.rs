//! Requirements on every registered method, checked on a registered model that it suits. A method in the registry is
//! tested here without being named. Properties of a single method (evaluations per step, measured order) are tested
//! beside it.

use std::sync::atomic::{AtomicU64, Ordering};

use mbsbench::Registry;
use mbsbench::conformance::{CHECKS, order_of_the_root, tested};
use mbsbench::registry::Entry;
use mbsbench_problem::{Counted, Method, MethodDefinition, Observer, Parameters, Solution, Statistics, Task};
use nalgebra::{Complex, DMatrix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[test]
fn every_registered_method_conforms() {
    let registry = Registry::builtin();
    // SUNDIALS may be missing; then its methods refuse everything.
    let is_there = |entry: &&Entry<_>| entry.family != "sundials" || mbsbench_sundials::version().is_some();
    let mut broken = Vec::new();
    let mut know_their_roots = 0;
    for entry in registry.methods().iter().filter(is_there) {
        let (name, choice) = (entry.name, entry.default_choice());
        let tested = tested(&choice, &registry).unwrap_or_else(|| panic!("{name} suits no model"));
        for (what, check) in CHECKS {
            broken.extend(check(&tested).err().map(|why| format!("{name}: {what}: {why}")));
        }
        know_their_roots += usize::from(order_of_the_root(&*choice.object.method()).is_some());
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(know_their_roots > 20, "{know_their_roots} methods know their roots");
}

/// A method that takes one step over any span, to a state that depends on the number of calls.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Careless {}

impl Parameters for Careless {}

impl MethodDefinition for Careless {
    const NAME: &'static str = "careless";
    const SUMMARY: &'static str = "a method that violates all requirements";
    const SOURCE: &'static str = "";
    const FAMILY: &'static str = "none";

    fn method(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

static SOLVES: AtomicU64 = AtomicU64::new(0);

impl Method for Careless {
    fn order(&self) -> u32 {
        5
    }
    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        // Euler's formula, of order one
        Some(DMatrix::from_element(1, 1, Complex::new(1.0, omega_h)))
    }
    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, _: &mut dyn Observer) -> Solution {
        let state = vec![SOLVES.fetch_add(1, Ordering::Relaxed) as f64; task.initial.len()];
        let statistics = Statistics { steps_accepted: 5, rhs_evaluations: 9, ..problem.statistics() };
        Solution { t_reached: task.t_end, state, statistics, failure: None }
    }
}

#[test]
fn each_check_detects_its_violation() {
    let registry = Registry::builtin().method::<Careless>();
    let entry = registry.methods().last().unwrap();
    let tested = tested(&entry.default_choice(), &registry).unwrap();
    for (what, check) in CHECKS {
        assert!(check(&tested).is_err(), "{what}");
    }
}
