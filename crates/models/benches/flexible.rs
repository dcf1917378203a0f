//! Time of one Newton iteration, and of its parts, on the rotating shaft of zhang2022, section 5.4 (16
//! beams, 33 nodes).

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_models::RotatingShaft;
use mbsbench_problem::dae::Point;
use mbsbench_problem::{Form, Formulated, ModelDefinition};

const START: f64 = -1.0;
/// Coefficient `b₀ h`, s.
const C: f64 = 5e-4;

fn newton(criterion: &mut Criterion) {
    let model = RotatingShaft::default().model();
    let model: &dyn Formulated<f64> = &*model;
    let state = model.initial_state();
    let mut ode = model.ode();
    let Form::Implicit(dae) = ode.form() else { panic!("it has no other form") };
    let (n, m) = (dae.differential(), dae.algebraic());
    let (mut chart, mut y, mut rates) = (vec![0.0; dae.chart_length()], vec![0.0; n], vec![0.0; n + m]);
    dae.locate(&state, &mut chart, &mut y);
    dae.consistent(START, &chart, &y, &mut rates).expect("they exist");
    // an arbitrary state, so that nothing is zero
    y.iter_mut().enumerate().for_each(|(k, y)| *y += 1e-3 * (k as f64).sin());
    let at = Point { t: START + C, chart: &chart, y: &y, rates: &rates };
    let mut x = vec![0.0; n + m];
    let mut group = criterion.benchmark_group("shaft of 16 beams");
    group.bench_function("residual", |bench| bench.iter(|| dae.residual(black_box(at), C, &mut x)));
    group.bench_function("matrix and factors", |bench| bench.iter(|| dae.factorize(black_box(at), C)));
    group.bench_function("solution", |bench| {
        bench.iter(|| {
            x.fill(1.0);
            dae.solve(black_box(&mut x));
        });
    });
    group.bench_function("iteration", |bench| {
        bench.iter(|| {
            dae.residual(black_box(at), C, &mut x).expect("it exists");
            dae.factorize(at, C).expect("it is regular");
            dae.solve(&mut x);
        });
    });
}

criterion_group!(benches, newton);
criterion_main!(benches);
