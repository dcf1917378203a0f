//! The last solved points, which formulas and predictors use.

use mbsbench_problem::CountedDae;

/// A solved point, in the chart of the [`History`].
#[derive(Debug, Clone)]
pub struct Solved {
    /// Local coordinates, length `n`.
    pub y: Vec<f64>,
    /// `(y' ; λ)`, length `n + m`.
    pub rates: Vec<f64>,
}

/// The last points, newest first, in memory that is allocated once.
#[derive(Debug, Clone)]
pub struct History {
    points: Vec<Solved>,
}

impl History {
    /// A history of `depth` points of `n` differential and `m` algebraic unknowns, all zero.
    pub fn new(depth: usize, n: usize, m: usize) -> Self {
        Self { points: vec![Solved { y: vec![0.0; n], rates: vec![0.0; n + m] }; depth] }
    }

    /// The point solved `age` points before the newest.
    pub fn point(&self, age: usize) -> &Solved {
        &self.points[age]
    }

    /// The newest point.
    pub fn newest(&self) -> &Solved {
        &self.points[0]
    }

    /// The newest point, mutably.
    pub fn newest_mut(&mut self) -> &mut Solved {
        &mut self.points[0]
    }

    /// Adds a point in place of the oldest one.
    pub fn push(&mut self, y: &[f64], rates: &[f64]) {
        self.points.rotate_right(1);
        self.points[0].y.copy_from_slice(y);
        self.points[0].rates.copy_from_slice(rates);
    }

    /// Re-expresses the newest `live` points in another chart.
    pub fn transport(&mut self, live: usize, dae: &CountedDae<'_>, from: &[f64], to: &[f64]) {
        let n = dae.differential();
        for Solved { y, rates } in &mut self.points[..live] {
            dae.transport(from, to, y, &mut rates[..n]);
        }
    }
}

/// `sum += factor x`.
pub fn add(factor: f64, x: &[f64], sum: &mut [f64]) {
    for (sum, &x) in sum.iter_mut().zip(x) {
        *sum += factor * x;
    }
}
