//! Benches that justify the linear algebra of this crate: each algorithm for factorizing and solving, compared with
//! the others.

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use mbsbench_problem::linalg::{Banded, Lu, Pattern, SparseLu, product};
use nalgebra::DMatrix;

/// Pseudo-random numbers in [−1, 1).
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 12345_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A matrix with entries where `is_there` holds and on its diagonal, which dominates.
fn matrix(n: usize, mut is_there: impl FnMut(usize, usize) -> bool) -> DMatrix<f64> {
    let mut number = numbers();
    DMatrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) * 3.0 + if is_there(i, j) { number() } else { 0.0 })
}

/// A matrix with a share of its entries, at random places.
fn scattered(n: usize, share: f64) -> DMatrix<f64> {
    let mut number = numbers();
    matrix(n, |_, _| 0.5 * (number() + 1.0) < share)
}

/// A matrix with the structure of the momenta of Andrews' squeezer: for each link three rows of momenta and three of
/// balances, and two rows for each pin between neighbouring links.
fn momenta() -> DMatrix<f64> {
    const LINKS: usize = 7;
    const PINS: usize = 10;
    let link = |k: usize| (k < 6 * LINKS).then_some(k % (3 * LINKS) / 3);
    let pinned = |row: usize, link: usize| {
        let pin = (row - 6 * LINKS) / 2;
        link == pin % LINKS || link == (pin + 1) % LINKS
    };
    matrix(6 * LINKS + 2 * PINS, |i, j| match (link(i), link(j)) {
        (Some(row), Some(column)) => row == column,
        (Some(link), None) => i >= 3 * LINKS && pinned(j, link),
        (None, Some(link)) => j < 3 * LINKS && pinned(i, link),
        (None, None) => false,
    })
}

/// Number of nodes of a shaft, each with several unknowns; three nodes make an element.
const NODES: usize = 33;
const HALF: usize = 17;

fn chain() -> DMatrix<f64> {
    let element = |i: usize| (i / 6).saturating_sub(1) / 2..=(i / 6 / 2).min((NODES - 3) / 2);
    matrix(6 * NODES, |i, j| element(i).any(|k| element(j).contains(&k)))
}

/// A right-hand side, filled again each time, since repeated solves would turn it into zeros.
fn filled(x: &mut [f64]) -> &mut [f64] {
    x.fill(1.0);
    black_box(x)
}

/// Factorization and solve by [`Lu`].
fn own(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, matrix: &DMatrix<f64>) {
    let mut lu = Lu::new(matrix.nrows());
    group.bench_function(format!("{name}, factors"), |bench| bench.iter(|| lu.factorize(black_box(matrix))));
    let mut x = vec![1.0; matrix.nrows()];
    group.bench_function(format!("{name}, solution"), |bench| bench.iter(|| lu.solve(filled(&mut x))));
    group.bench_function(format!("{name}, solution by columns"), |bench| {
        bench.iter(|| lu.solve_by_columns(filled(&mut x)));
    });
}

/// Factorization and solve by [`SparseLu`], with the pivots of the first factorization.
fn sparse(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, matrix: &DMatrix<f64>) {
    let n = matrix.nrows();
    let entries = (0..n * n).map(|k| (k % n, k / n)).filter(|&at| matrix[at] != 0.0);
    let pattern = Arc::new(Pattern::new((n, n), entries));
    let values: Vec<f64> = pattern.iter().map(|at| matrix[at]).collect();
    let mut lu = SparseLu::new(pattern);
    group.bench_function(format!("{name}, sparse factors"), |bench| bench.iter(|| lu.factorize(black_box(&values))));
    let mut x = vec![1.0; n];
    group.bench_function(format!("{name}, sparse solution"), |bench| bench.iter(|| lu.solve(filled(&mut x))));
}

/// Nine is the first number of unknowns without unrolled loops, and a hundred the first with panels.
fn dense(criterion: &mut Criterion) {
    for share in [1.0, 0.1] {
        let mut group = criterion.benchmark_group(format!("matrix with {share} of its entries"));
        for n in [8, 9, 14, 41, 62, 99, 100, 300] {
            let matrix = scattered(n, share);
            own(&mut group, &n.to_string(), &matrix);
        }
    }
    let mut group = criterion.benchmark_group("product");
    for n in [17, 157] {
        let (a, mut c) = (scattered(n, 1.0), DMatrix::zeros(n, n));
        group.bench_function(format!("{n}"), |bench| bench.iter(|| product(black_box(&a), &a, &mut c)));
    }
}

/// Matrices with many zeros.
fn structured(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("momenta of Andrews' squeezer");
    own(&mut group, "dense", &momenta());
    sparse(&mut group, "momenta", &momenta());
    drop(group);
    let mut group = criterion.benchmark_group("shaft of 16 elements");
    let chain = chain();
    let mut banded = Banded::new(chain.nrows(), HALF);
    group.bench_function("banded, factors", |bench| {
        bench.iter(|| {
            banded.clear();
            for i in 0..chain.nrows() {
                (i.saturating_sub(HALF)..chain.nrows().min(i + HALF + 1))
                    .for_each(|j| *banded.entry(i, j) = chain[(i, j)]);
            }
            banded.factorize()
        });
    });
    let mut x = vec![1.0; chain.nrows()];
    group.bench_function("banded, solution", |bench| bench.iter(|| banded.solve(filled(&mut x))));
    sparse(&mut group, "shaft", &chain);
}

criterion_group!(benches, dense, structured);
criterion_main!(benches);
