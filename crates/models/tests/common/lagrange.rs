//! Compares a model's mass matrix and forces with the Lagrange terms of its energy, by nested dual numbers.
#![allow(dead_code)] // each test file uses its own part

use approx::assert_relative_eq;
use mbsbench_problem::MechanicalModel;
use nalgebra::DMatrix;
use num_dual::{Dual, Dual64};

fn unit(i: usize, k: usize) -> f64 {
    f64::from(u8::from(i == k))
}

/// Asserts `M = ∂²E/∂v²` and `D = −(d/dt(∂T/∂v)|_{v' = 0} − ∂T/∂q) − ∂V/∂q`, with `V(q) = E(q, 0)` and `T = E − V`,
/// entry by entry; the model must not dissipate.
#[track_caller]
pub fn assert_lagrange(model: &impl MechanicalModel, q: &[f64], v: &[f64]) {
    let n = q.len();
    let mut mass = DMatrix::zeros(n, n);
    model.mass(q, &mut mass);
    let mut forces = vec![0.0; n];
    model.forces(0.0, q, v, &mut forces);
    // Roundoff is of the size of the cancelling terms.
    let mass_scale = mass.amax();
    let constant: Vec<_> = q.iter().map(|&q| Dual::new(Dual64::from(q), Dual64::from(0.0))).collect();
    let moving: Vec<_> = (0..n).map(|k| Dual::new(Dual64::new(q[k], v[k]), Dual64::from(0.0))).collect();
    for i in 0..n {
        for j in 0..n {
            let velocities: Vec<_> =
                (0..n).map(|k| Dual::new(Dual64::new(v[k], unit(j, k)), Dual64::from(unit(i, k)))).collect();
            let second = model.energy(&constant, &velocities).eps.eps;
            assert_relative_eq!(mass[(i, j)], second, epsilon = 1e-14 * mass_scale, max_relative = 1e-13);
        }
        // inner dual along q' = v, outer dual along the velocity i: the mixed second derivative
        let velocities: Vec<_> = (0..n).map(|k| Dual::new(Dual64::from(v[k]), Dual64::from(unit(i, k)))).collect();
        let momentum_rate = model.energy(&moving, &velocities).eps.eps;
        let positions: Vec<_> = (0..n).map(|k| Dual64::new(q[k], unit(i, k))).collect();
        let at_rest = vec![Dual64::from(0.0); n];
        let velocities: Vec<_> = v.iter().map(|&v| Dual64::from(v)).collect();
        let total = model.energy(&positions, &velocities).eps;
        let potential = model.energy(&positions, &at_rest).eps;
        let expected = -momentum_rate + total - 2.0 * potential;
        let scale = momentum_rate.abs() + total.abs() + 2.0 * potential.abs() + 1.0;
        assert_relative_eq!(forces[i], expected, epsilon = 1e-13 * scale);
    }
}

/// The dissipated power, W: the forces of a model minus those of `undamped`, times the velocities.
pub fn dissipated<M: MechanicalModel>(model: &M, undamped: &M, q: &[f64], v: &[f64]) -> f64 {
    let forces = |model: &M| {
        let mut forces = vec![0.0; v.len()];
        model.forces(0.0, q, v, &mut forces);
        forces
    };
    let (with, without) = (forces(model), forces(undamped));
    with.iter().zip(without).zip(v).map(|((with, without), v)| (without - with) * v).sum()
}
