//! Time of 2048 steps of the implicit formulas on a slider crank with 6 coordinates and 5 constraints.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_integrators::{Esdirk436l2sa2, Lms4, Msstc4, Ss4};
use mbsbench_problem::{Method, MethodDefinition, Settings, Silent, Solution};

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/constrained.rs"]
mod constrained;
use constrained::SliderCrank;

fn solve(method: &dyn Method) -> Solution {
    let (initial, settings) = (SliderCrank::initial(), Settings::fixed(2f64.powi(-10)));
    constrained::solve(black_box(&SliderCrank), method, &initial, [0.0, 2.0], settings, &mut Silent)
}

fn formulas(criterion: &mut Criterion) {
    let methods: [(&str, Box<dyn Method>); 4] = [
        ("lms4", Lms4::default().method()),
        ("ss4", Ss4::default().method()),
        ("msstc4", Msstc4::default().method()),
        ("esdirk436l2sa2", Esdirk436l2sa2::default().method()),
    ];
    let mut group = criterion.benchmark_group("2048 steps on the slider crank");
    for (name, method) in methods {
        let solution = solve(&*method);
        assert_eq!(solution.failure, None);
        // th1 of a run of order four at t = 2 s is 5.414361506579
        assert!((solution.state[2] - 5.414_361_506_579).abs() < 2e-3, "{name}: {}", solution.state[2]);
        let points = 2048.0 * f64::from(method.implicit_stages());
        let iterations = solution.statistics.newton_iterations as f64 / points;
        let name = format!("{name} ({iterations:.2} iterations at each of {points} points)");
        group.bench_function(name, |b| b.iter(|| solve(&*method)));
    }
}

criterion_group!(benches, formulas);
criterion_main!(benches);
