//! Costs of mechanisms from files: compared with the same models in Rust, and for many bodies.

use crate::common;

use std::path::Path;
use std::time::{Duration, Instant};

use mbsbench_input::{Document, read};
use mbsbench_integrators::{Dopri5, GeneralizedAlpha, HhtI3};
use mbsbench_mechanisms::Mechanism;
use mbsbench_models::{DoublePendulum, SliderCrank, Squeezer, SqueezerFormulation};
use mbsbench_problem::{Counted, Formulated, Method, MethodDefinition, Model, ModelDefinition, Settings, Silent, Task};
use serde_json::json;

fn paper(name: &str) -> Mechanism {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/mechanisms/papers/{name}.yaml"));
    let document = Document::parse(&path, &std::fs::read(&path).expect("a file")).expect("YAML");
    read(&document.root).expect("a mechanism")
}

fn time(model: &dyn Model, method: &dyn Method, t_end: f64, step: f64) -> Duration {
    let initial = Formulated::<f64>::initial_state(model);
    let mut ode = model.ode();
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::fixed(step) };
    let start = Instant::now();
    let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
    let time = start.elapsed();
    assert_eq!(solution.failure, None);
    time
}

/// The shortest of many times is at most twice that of the model in Rust. More are measured while it is not, because
/// other processes disturb them.
#[test]
fn mechanisms_from_files_cost_at_most_twice() {
    let squeezer = Squeezer { formulation: SqueezerFormulation::Cartesian, ..Squeezer::default() };
    let pairs: [(&str, Box<dyn Model>, f64); 3] = [
        ("double-pendulum", DoublePendulum::default().model(), 1e-4),
        ("slider-crank", SliderCrank::default().model(), 1e-3),
        ("squeezer", squeezer.model(), 1e-5),
    ];
    for (name, program, step) in &pairs {
        let written = paper(name).model();
        let methods = [("dopri5", Dopri5::default().method()), ("hht-i3", HhtI3::default().method())];
        for (method_name, method) in &methods {
            let step = if *method_name == "dopri5" { 0.1 * step } else { *step };
            let mut shortest = [f64::INFINITY; 2];
            let mut quotient = f64::INFINITY;
            for round in 0..150 {
                if round >= 15 && quotient < 2.0 {
                    break;
                }
                for (model, shortest) in [&*written, &**program].into_iter().zip(&mut shortest) {
                    *shortest = shortest.min(time(model, &**method, 300.0 * step, step).as_secs_f64());
                }
                quotient = shortest[0] / shortest[1];
            }
            eprintln!("{name} {method_name}: {quotient:.2}");
            assert!(quotient < 2.0, "{name} with {method_name}: {quotient:.2} times");
        }
    }
}

/// A chain of rods, made with `repeat`.
fn chain(rods: usize) -> Mechanism {
    let markers = json!({ "start": [-0.05, 0], "end": [0.05, 0] });
    let rod = json!({ "mass": 0.1, "shape": { "rod": { "length": 0.1 } }, "markers": markers });
    common::mechanism(json!({
        "gravity": [0, -9.81],
        "repeat": [
            { "for": { "i": rods }, "bodies": { "rod_{i}": rod } },
            {
                "for": { "i": [2, rods] },
                "joints": { "pin_{i}": { "revolute": { "between": ["rod_{i-1}.end", "rod_{i}.start"] } } },
            },
        ],
        "joints": { "pin_1": { "revolute": { "between": ["ground", "rod_1.start"] } } },
        "observe": ["rod_1"],
    }))
}

/// Balls on a closed ring of rods, held at the first ball.
fn ring(bodies: usize) -> Mechanism {
    let radius = 0.05 / (std::f64::consts::PI / bodies as f64).sin();
    let turn = format!("2*pi*{{i}}/{bodies}");
    let rod = json!({
        "mass": 0.1, "shape": { "rod": { "length": 0.1 } },
        "position": [format!("{radius}*cos({turn})"), format!("{radius}*sin({turn})")],
        "angle": format!("{turn} + pi/2"),
        "markers": { "start": [-0.05, 0], "end": [0.05, 0] },
    });
    common::mechanism(json!({
        "gravity": [0, -9.81],
        "repeat": [
            { "for": { "i": bodies }, "bodies": { "rod_{i}": rod } },
            {
                "for": { "i": [2, bodies] },
                "joints": { "pin_{i}": { "revolute": { "between": ["rod_{i-1}.end", "rod_{i}.start"] } } },
            },
        ],
        "ground": {
            "hook": [
                radius * (2.0 * std::f64::consts::PI / bodies as f64).cos(),
                radius * (2.0 * std::f64::consts::PI / bodies as f64).sin(),
            ],
        },
        "joints": {
            "closing": { "revolute": { "between": [format!("rod_{bodies}.end"), "rod_1.start"] } },
            "hook": { "revolute": { "between": ["ground.hook", "rod_1"] } },
        },
        "observe": ["rod_1"],
    }))
}

/// Takes a thousand steps on a thousand rods, and on a closed ring of two hundred.
#[test]
fn mechanisms_of_many_bodies_compile_and_move() {
    for (name, make, bodies) in [("chain", chain as fn(usize) -> Mechanism, 1000), ("ring", ring, 200)] {
        let start = Instant::now();
        let model = make(bodies).model();
        let made = start.elapsed();
        let took = time(&*model, &*GeneralizedAlpha::default().method(), 0.1, 1e-3);
        eprintln!("{name} of {bodies}: made in {made:?}, 100 steps in {took:?}");
        assert!(10.0 * took.as_secs_f64() < 20.0, "{name}: 100 steps in {took:?}");
    }
}
