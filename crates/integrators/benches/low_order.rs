//! Time of 2048 steps of the low-order formulas on a slider crank with 6 coordinates and 5 constraints.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_integrators::low_order::{JacobianUse, LinearAlgebra, NewtonSettings, PairAlgebra};
use mbsbench_integrators::{HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2};
use mbsbench_problem::{Method, MethodDefinition, Settings, Silent, Solution};

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/constrained.rs"]
mod constrained;
use constrained::SliderCrank;

fn solve(method: &dyn Method) -> Solution {
    let (initial, settings) = (SliderCrank::initial(), Settings::fixed(2f64.powi(-10)));
    constrained::solve(black_box(&SliderCrank), method, &initial, [0.0, 2.0], settings, &mut Silent)
}

fn run(criterion: &mut Criterion, name: &str, method: &dyn Method) {
    let solution = solve(method);
    assert_eq!(solution.failure, None);
    // th1 of a run of order four at t = 2 s is 5.414361506579
    assert!((solution.state[2] - 5.414_361_506_579).abs() < 2e-2, "{name}: {}", solution.state[2]);
    let mut group = criterion.benchmark_group("2048 steps on the slider crank");
    let iterations = solution.statistics.newton_iterations as f64 / 2048.0;
    group.bench_function(format!("{name} ({iterations:.2} iterations a step)"), |b| b.iter(|| solve(method)));
}

fn formulas(criterion: &mut Criterion) {
    for tolerance in [1e-8, 1e-10] {
        for (jacobian, kept) in [(JacobianUse::Full, ""), (JacobianUse::Modified, ", modified")] {
            let newton = NewtonSettings { tolerance, jacobian, ..NewtonSettings::default() };
            let si2 = |linear_algebra| HhtSi2 { newton, linear_algebra, ..HhtSi2::default() }.method();
            let bdf = |linear_algebra| NstiffSi2 { newton, linear_algebra }.method();
            let add = |linear_algebra| HhtAdd { newton, linear_algebra, ..HhtAdd::default() }.method();
            let methods: [(&str, Box<dyn Method>); 11] = [
                ("newmark", Newmark { newton, ..Newmark::default() }.method()),
                ("nstiff", Nstiff { newton }.method()),
                ("hht-i3", HhtI3 { newton, ..HhtI3::default() }.method()),
                ("nstiff-si2, structured", bdf(LinearAlgebra::Structured)),
                ("nstiff-si2, dense", bdf(LinearAlgebra::Dense)),
                ("hht-si2, shared", si2(PairAlgebra::Shared)),
                ("hht-si2, structured", si2(PairAlgebra::Structured)),
                ("hht-si2, dense", si2(PairAlgebra::Dense)),
                ("hht-add, shared", add(PairAlgebra::Shared)),
                ("hht-add, structured", add(PairAlgebra::Structured)),
                ("hht-add, dense", add(PairAlgebra::Dense)),
            ];
            for (name, method) in methods {
                run(criterion, &format!("{name}{kept}, {tolerance:e}"), &*method);
            }
        }
    }
}

criterion_group!(benches, formulas);
criterion_main!(benches);
