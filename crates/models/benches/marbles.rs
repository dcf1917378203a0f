//! Time of one right-hand side, and of one search for events, per marble, in a jar as wide as it is full:
//! contacts found near each marble (`near`) for 10 to 100 000 marbles. They are packed so that a marble touches
//! about four others.
#![allow(missing_docs)] // the harness makes public functions

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mbsbench_integrators::{Bs32, Dopri5, Rk4, StormerVerlet};
use mbsbench_models::MarbleJar;
use mbsbench_models::marble_jar::{Arrangement, Candidates, MarbleOde};
use mbsbench_problem::{
    Counted, EventFunctions, Formulated, MethodDefinition, ModelDefinition, Ode, Settings, Silent, Task,
};

/// A jar filled to a height of about its width.
fn packed(count: usize) -> MarbleJar {
    let packing = r#"{ "packed": { "spacing": 0.9995, "displacement": 0.001 } }"#;
    let arrangement: Arrangement = serde_json::from_str(packing).expect("an arrangement");
    let jar_radius = 0.01 * (1.0 + 1.3 * (count as f64).cbrt());
    MarbleJar { count, jar_radius, arrangement, damping: 5.0, candidates: Candidates::Near, ..MarbleJar::default() }
}

fn marbles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("marble-jar");
    for count in [10, 100, 1000, 10_000, 100_000] {
        let definition = packed(count);
        let model = definition.model();
        let y = Formulated::<f64>::initial_state(&*model);
        let mut rate = y.clone();
        group.throughput(Throughput::Elements(count as u64));
        for (name, method) in [
            ("bs32", Bs32::default().method()),
            ("rk4", Rk4::default().method()),
            ("dopri5", Dopri5::default().method()),
            ("stormer-verlet", StormerVerlet::default().method()),
        ] {
            group.bench_function(BenchmarkId::new(name, count), |b| {
                let mut ode = MarbleOde::new(definition);
                let task = Task { t_start: 0.0, t_end: 1e-7, initial: &y, settings: Settings::fixed(1e-9) };
                b.iter(|| method.solve(Counted::new(&mut ode), black_box(&task), &mut Silent));
            });
        }
        let mut ode = MarbleOde::new(definition);
        group.bench_function(BenchmarkId::new("rhs", count), |b| {
            b.iter(|| ode.rhs(0.0, black_box(&y), &mut rate).expect("finite"));
        });
        group.bench_function(BenchmarkId::new("prepare", count), |b| {
            b.iter(|| ode.prepare(0.0, black_box(&y), 1e-5).expect("finite"));
        });
        ode.prepare(0.0, &y, 1e-5).expect("finite");
        let mut g = vec![0.0; ode.count()];
        group.bench_function(BenchmarkId::new("values", count), |b| {
            b.iter(|| ode.values(0.0, black_box(&y), &mut g).expect("finite"));
        });
        let configuration: Vec<bool> = g.iter().map(|&g| g >= 0.0).collect();
        ode.lock(Some(&configuration));
        group.bench_function(BenchmarkId::new("locked rhs", count), |b| {
            b.iter(|| ode.rhs(0.0, black_box(&y), &mut rate).expect("finite"));
        });
    }
    group.finish();
}

criterion_group!(benches, marbles);
criterion_main!(benches);
