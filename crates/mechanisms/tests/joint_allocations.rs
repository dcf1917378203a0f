//! The articulated-body recursion allocates nothing in a right-hand side, and its cost is proportional to the
//! number of bodies.

use std::alloc::System;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use mbsbench_input::{Document, read};
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::ModelDefinition;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A chain of rods on hinges in space with different axes, with springs between neighbours and a force by formula.
fn chain(bodies: usize) -> Mechanism {
    let text = format!(
        "
motion: spatial
formulation: minimal
gravity: [0, 0, -9.81]
observe: [rod_0]
bodies: {{ rod_0: {{ mass: 1, shape: {{ rod: {{ length: 0.1, radius: 0.01 }} }}, markers: {{ pin: [-0.05, 0, 0], \
  end: [0.05, 0, 0] }} }} }}
joints: {{ pin_0: {{ spherical: {{ between: [ground, rod_0.pin] }} }} }}
forces: {{ push: {{ force: {{ on: rod_0.end, force: [\"sin(t)\", 0, \"-rod_0.wx\"] }} }} }}
repeat:
  - for: {{ i: {} }}
    bodies:
      \"rod_{{i}}\": {{ mass: 1, shape: {{ rod: {{ length: 0.1, radius: 0.01 }} }}, markers: {{ pin: {{ \
        at: [-0.05, 0, 0], rotation: [0.3, 0, 0] }}, end: [0.05, 0, 0] }} }}
    joints:
      \"pin_{{i}}\": {{ revolute: {{ between: [\"rod_{{i}}.pin\", \"rod_{{i-1}}.end\"], axis: [0.1, 1, 0.2], \
        angle: 0.05, rate: 0.1 }} }}
    forces:
      \"spring_{{i}}\": {{ torsion-spring: {{ between: [\"rod_{{i-1}}\", \"rod_{{i}}\"], axis: [0, 0, 1], \
        stiffness: 1, damping: 0.1 }} }}
",
        bodies - 1
    );
    let document = Document::parse(Path::new("chain.yaml"), text.as_bytes()).expect("YAML");
    read(&document.root).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs both parts in sequence, because a parallel test would be counted and timed, too.
#[test]
fn right_hand_sides_are_linear_in_bodies_and_allocate_nothing() {
    nothing_is_allocated();
    the_cost_grows_as_the_number_of_bodies_does();
}

fn nothing_is_allocated() {
    let model = chain(20).model();
    let y: Vec<f64> = model.initial_state();
    let mut dydt = y.clone();
    let region = Region::new(ALLOCATOR);
    let mut ode = model.ode();
    assert!(region.change().allocations > 0, "the allocator is not instrumented");
    // The test harness occasionally allocates in another thread, which can only increase the count.
    let fewest = (0..5).map(|_| {
        let region = Region::new(ALLOCATOR);
        for k in 0..20 {
            ode.rhs(0.1 * f64::from(k), &y, &mut dydt).unwrap();
        }
        let change = region.change();
        change.allocations + change.reallocations
    });
    assert_eq!(fewest.min(), Some(0));
    assert!(dydt.iter().all(|x| x.is_finite()));
}

/// Four times as many bodies take four times as long. Matrices of all bodies would take at least sixteen times as
/// long; effects of caches are below half. Other work on the machine affects the fastest of fifteen times least.
fn the_cost_grows_as_the_number_of_bodies_does() {
    let seconds = |bodies: usize| {
        let model = chain(bodies).model();
        let y: Vec<f64> = model.initial_state();
        let (mut ode, mut dydt) = (model.ode(), y.clone());
        let times: Vec<f64> = (0..15)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..20 {
                    ode.rhs(0.0, black_box(&y), &mut dydt).unwrap();
                }
                start.elapsed().as_secs_f64() / 20.0
            })
            .collect();
        times.into_iter().fold(f64::INFINITY, f64::min)
    };
    let [few, many] = [100, 400].map(seconds);
    assert!(many < 6.0 * few, "{few:e} s of 100 bodies, {many:e} s of 400");
}
