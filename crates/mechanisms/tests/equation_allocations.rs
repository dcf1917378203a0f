//! Compiled formulas allocate nothing in an evaluation.

use std::alloc::System;
use std::path::Path;

use mbsbench_input::{Document, read};
use mbsbench_mechanisms::Equations;
use mbsbench_problem::{Formulated, ModelDefinition};
use nalgebra::DMatrix;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[path = "all/pleiades.rs"]
mod pleiades;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn evaluations_allocate_nothing() {
    let document = Document::parse(Path::new("pleiades.yaml"), pleiades::PLEIADES.as_bytes()).expect("YAML");
    let equations: Equations = read(&document.root).unwrap_or_else(|error| panic!("{error}"));
    let model = equations.model();
    let y: Vec<f64> = Formulated::<f64>::initial_state(&*model);
    let (mut dydt, mut jacobian) = (y.clone(), DMatrix::zeros(y.len(), y.len()));
    let region = Region::new(ALLOCATOR);
    let mut ode = Formulated::<f64>::ode(&*model);
    assert!(region.change().allocations > 0, "the allocator is not instrumented");
    // The test harness occasionally allocates in another thread, which can only increase the count.
    let fewest = (0..5).map(|_| {
        let region = Region::new(ALLOCATOR);
        for _ in 0..20 {
            ode.rhs(0.0, &y, &mut dydt).expect("rates");
            ode.jacobian(0.0, &y, &mut jacobian).expect("a Jacobian");
        }
        let change = region.change();
        change.allocations + change.reallocations
    });
    assert_eq!(fewest.min(), Some(0));
}
