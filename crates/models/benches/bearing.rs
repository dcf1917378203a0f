//! Time of one right-hand side of the ball bearing, with and without contact powers, of a displacement,
//! and of a Jacobian.
#![allow(missing_docs)] // the harness makes public functions

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_models::BallBearing;
use mbsbench_problem::{Formulated, ModelDefinition};
use nalgebra::DMatrix;

fn bearing(criterion: &mut Criterion) {
    let model = BallBearing::default().model();
    let y: Vec<f64> = model.initial_state();
    let mut ode = Formulated::<f64>::ode(&*model);
    let mut rate = y.clone();
    criterion.bench_function("ball-bearing/right-hand side", |b| {
        b.iter(|| ode.rhs(0.0, black_box(&y), &mut rate).expect("finite"));
    });
    let mut jacobian = DMatrix::zeros(y.len(), y.len());
    criterion.bench_function("ball-bearing/Jacobian by dual numbers", |b| {
        b.iter(|| ode.jacobian(0.0, black_box(&y), &mut jacobian).expect("finite"));
    });
    let side = ode.form().contact_power().expect("contacts");
    let (q, v) = y.split_at(side.coordinates());
    let (mut accelerations, mut powers, mut moved) = (v.to_vec(), vec![0.0; side.bodies()], q.to_vec());
    criterion.bench_function("ball-bearing/accelerations and contact powers", |b| {
        b.iter(|| side.accelerations(0.0, black_box(q), v, &mut accelerations, &mut powers));
    });
    let delta: Vec<f64> = v.iter().map(|v| 1e-5 * v).collect();
    criterion.bench_function("ball-bearing/displacement", |b| {
        b.iter(|| side.displace(black_box(q), &delta, &mut moved));
    });
}

criterion_group!(benches, bearing);
criterion_main!(benches);
