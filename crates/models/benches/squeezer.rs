//! Time of 500 stages of implicit formulas on the squeezer: as in zhang2022, a step is `1e-4 s` times its
//! number of stages.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_integrators::{Esdirk436l2sa2, Lms4, Msstc4};
use mbsbench_models::squeezer::Rotations;
use mbsbench_models::{Squeezer, SqueezerFormulation};
use mbsbench_problem::{
    Counted, Formulated, Method, MethodDefinition, Model, ModelDefinition, Settings, Silent, Solution, Task,
};

const SPAN: f64 = 0.05;
const STEP_PER_STAGE: f64 = 1e-4;

fn solve(model: &dyn Model, method: &dyn Method) -> Solution {
    let model: &dyn Formulated<f64> = model;
    let initial = model.initial_state();
    let settings = Settings::fixed(STEP_PER_STAGE * f64::from(method.implicit_stages()));
    let task = Task { t_start: 0.0, t_end: SPAN, initial: &initial, settings };
    method.solve(Counted::new(&mut *model.ode()), &task, &mut Silent)
}

fn formulas(criterion: &mut Criterion) {
    for (name, formulation) in [
        ("angles", SqueezerFormulation::Angles),
        ("Cartesian", SqueezerFormulation::Cartesian),
        ("momenta", SqueezerFormulation::Momenta(Rotations::Rodrigues)),
    ] {
        let model = Squeezer { formulation, ..Squeezer::default() }.model();
        let mut group = criterion.benchmark_group(format!("500 points on the squeezer, {name}"));
        let methods: [(&str, Box<dyn Method>); 3] = [
            ("lms4", Lms4::default().method()),
            ("msstc4", Msstc4::default().method()),
            ("esdirk436l2sa2", Esdirk436l2sa2::default().method()),
        ];
        for (name, method) in methods {
            let solution = solve(&*model, &*method);
            assert_eq!(solution.failure, None, "{name}");
            let iterations = solution.statistics.newton_iterations;
            group.bench_function(format!("{name} ({iterations} iterations)"), |b| {
                b.iter(|| solve(black_box(&*model), &*method));
            });
        }
    }
}

criterion_group!(benches, formulas);
criterion_main!(benches);
