//! Constrained mechanics of functions of Python, with derivatives by differences.

use std::sync::Arc;

use mbsbench_problem::linalg::{Entries, Matrix};
use mbsbench_problem::{Derivatives, Displaced, MechanicalModel, Mechanics, MechanicsOf, Scalar, Structure, Terms};
use nalgebra::DMatrix;
use pyo3::prelude::*;

use crate::arrays::{frozen, take, take_matrix};
use crate::own_model::Functions;

/// A system of which every term depends on everything: what is known of functions that nobody can look into.
#[derive(Debug, Clone, Copy)]
pub struct Full {
    pub coordinates: usize,
    pub constraints: usize,
}

fn square<S: Scalar>(t: S, x: &[S]) -> S {
    let sum = x.iter().fold(t, |sum, &x| sum + x);
    sum * sum
}

impl MechanicalModel for Full {
    fn coordinates(&self) -> usize {
        self.coordinates
    }

    fn holonomic(&self) -> usize {
        self.constraints
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for i in 0..self.coordinates {
            for j in 0..self.coordinates {
                mass[(i, j)] = square(S::nought(), q);
            }
        }
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces.fill(square(t, q) + square(t, v));
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi.fill(square(t, q));
    }

    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::nought()
    }
}

/// The functions as a mechanical system.
///
/// First derivatives of given functions are central differences, good to ten digits or so; second derivatives of constraints without a
/// Jacobian to six. An exception is told by `sys.unraisablehook`, and makes what was asked for not a number.
pub struct PythonMechanics<'f> {
    functions: &'f Functions,
    structure: Option<Arc<Structure>>,
}

/// Step of a central difference at `x`.
fn step(x: f64) -> f64 {
    let h = f64::EPSILON.cbrt() * x.abs().max(1.0);
    // A difference that is exact.
    (x + h) - x
}

impl<'f> PythonMechanics<'f> {
    pub fn new(functions: &'f Functions) -> Self {
        Self { functions, structure: None }
    }

    fn n(&self) -> usize {
        self.functions.sizes[0]
    }

    fn m(&self) -> usize {
        self.functions.sizes[1]
    }

    /// Calls a function of Python; not a number where it raises.
    fn call(
        &self,
        function: &Option<Py<PyAny>>,
        into: &mut [f64],
        call: impl FnOnce(Python<'_>, &Bound<'_, PyAny>, &mut [f64]) -> PyResult<()>,
    ) {
        let Some(function) = function else { return };
        Python::attach(|py| {
            let function = function.bind(py);
            if let Err(error) = call(py, function, into) {
                error.write_unraisable(py, Some(function));
                into.fill(f64::NAN);
            }
        });
    }

    fn phi(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        self.call(&self.functions.constraints, phi, |py, function, phi| {
            take(&function.call1((t, frozen(py, q)))?, "`constraints`", phi)
        });
    }

    /// `(f(x + h) − f(x − h)) / 2h`.
    fn difference(length: usize, h: f64, mut f: impl FnMut(f64, &mut [f64])) -> Vec<f64> {
        let (mut ahead, mut behind) = (vec![0.0; length], vec![0.0; length]);
        f(h, &mut ahead);
        f(-h, &mut behind);
        ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect()
    }

    /// The derivative of `f(x)` in component `k`.
    fn partial(length: usize, x: &[f64], k: usize, mut f: impl FnMut(&[f64], &mut [f64])) -> Vec<f64> {
        let mut moved = x.to_vec();
        Self::difference(length, step(x[k]), |h, into| {
            moved[k] = x[k] + h;
            f(&moved, into);
        })
    }

    fn jacobian_at(&self, t: f64, q: &[f64], jacobian: &mut DMatrix<f64>) {
        let (n, m) = (self.n(), self.m());
        if m == 0 {
            return;
        }
        if self.functions.jacobian.is_none() {
            for k in 0..n {
                let column = Self::partial(m, q, k, |q, phi| self.phi(t, q, phi));
                jacobian.column_mut(k).copy_from_slice(&column);
            }
            return;
        }
        let mut rows = DMatrix::zeros(m, n);
        self.call(&self.functions.jacobian, &mut [], |py, function, _| {
            let found =
                function.call1((t, frozen(py, q))).and_then(|found| take_matrix(&found, "`jacobian`", &mut rows));
            found.inspect_err(|_| rows.fill(f64::NAN))
        });
        jacobian.copy_from(&rows);
    }

    /// `J v + ∂Φ/∂t`.
    fn rates(&self, t: f64, q: &[f64], v: &[f64], rates: &mut [f64]) {
        let mut jacobian = DMatrix::zeros(self.m(), self.n());
        self.jacobian_at(t, q, &mut jacobian);
        let by_time = Self::difference(self.m(), step(t), |h, phi| self.phi(t + h, q, phi));
        for (c, rate) in rates.iter_mut().enumerate() {
            *rate = by_time[c] + jacobian.row(c).iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
        }
    }

    fn forces_at(&self, t: f64, q: &[f64], v: &[f64], forces: &mut [f64]) {
        self.call(&self.functions.forces, forces, |py, function, forces| {
            take(&function.call1((t, frozen(py, q), frozen(py, v)))?, "`forces`", forces)
        });
    }

    fn mass_at(&self, q: &[f64]) -> DMatrix<f64> {
        let n = self.n();
        let mut mass = DMatrix::zeros(n, n);
        self.call(&self.functions.mass, &mut [], |py, function, _| {
            let found = function.call1((frozen(py, q),)).and_then(|found| take_matrix(&found, "`mass`", &mut mass));
            found.inspect_err(|_| mass.fill(f64::NAN))
        });
        mass
    }
}

fn copy(from: &DMatrix<f64>, into: &mut impl Entries<f64>) {
    for j in 0..from.ncols() {
        for i in 0..from.nrows() {
            into[(i, j)] = from[(i, j)];
        }
    }
}

impl Mechanics for PythonMechanics<'_> {
    fn coordinates(&self) -> usize {
        self.n()
    }

    fn velocities(&self) -> usize {
        self.n()
    }

    fn holonomic(&self) -> usize {
        self.m()
    }

    fn nonholonomic(&self) -> usize {
        0
    }

    fn position_rate(&mut self, _q: &[f64], v: &[f64], q_rate: &mut [f64]) {
        q_rate.copy_from_slice(v);
    }

    fn retract(&mut self, q: &[f64], delta: &[f64], moved: &mut [f64]) {
        moved.iter_mut().zip(q.iter().zip(delta)).for_each(|(moved, (q, delta))| *moved = q + delta);
    }

    fn mass(&mut self, q: &[f64], mass: &mut DMatrix<f64>) {
        mass.copy_from(&self.mass_at(q));
    }

    fn mass_in(&mut self, q: &[f64], mass: &mut Matrix<f64>) {
        copy(&self.mass_at(q), mass);
    }

    fn forces(&mut self, t: f64, q: &[f64], v: &[f64], forces: &mut [f64]) {
        self.forces_at(t, q, v, forces);
    }

    fn constraint_values(&mut self, t: f64, q: &[f64], _v: &[f64], values: &mut [f64]) {
        self.phi(t, q, values);
    }

    fn velocity_constraints(&mut self, t: f64, q: &[f64], v: &[f64], values: &mut [f64]) {
        self.rates(t, q, v, values);
    }

    fn constraint_jacobian(&mut self, t: f64, q: &[f64], _v: &[f64], jacobian: &mut DMatrix<f64>) {
        self.jacobian_at(t, q, jacobian);
    }

    /// What the velocity constraints do along the motion `(t + s, q + s v)`: of a given Jacobian their difference, otherwise a second
    /// difference of the constraints.
    fn acceleration_bias(&mut self, t: f64, q: &[f64], v: &[f64], bias: &mut [f64]) {
        let m = self.m();
        if m == 0 {
            return;
        }
        let size = v.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        let along = |s: f64| q.iter().zip(v).map(|(q, v)| q + s * v).collect::<Vec<_>>();
        if self.functions.jacobian.is_some() {
            let found =
                Self::difference(m, f64::EPSILON.cbrt() / size, |s, rates| self.rates(t + s, &along(s), v, rates));
            bias.copy_from_slice(&found);
            return;
        }
        let s = f64::EPSILON.powf(0.25) / size;
        let (mut ahead, mut here, mut behind) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        self.phi(t + s, &along(s), &mut ahead);
        self.phi(t, q, &mut here);
        self.phi(t - s, &along(-s), &mut behind);
        for (c, bias) in bias.iter_mut().enumerate() {
            *bias = (ahead[c] - 2.0 * here[c] + behind[c]) / (s * s);
        }
    }

    fn energy(&mut self, _q: &[f64], _v: &[f64]) -> f64 {
        f64::NAN
    }

    fn has_vector_coordinates(&mut self) -> bool {
        true
    }

    fn structure(&mut self) -> Arc<Structure> {
        let full = self.functions.full;
        Arc::clone(self.structure.get_or_insert_with(|| MechanicsOf::<f64>::new(&full).structure()))
    }

    fn terms(&mut self, t: f64, q: &[f64], v: &[f64], terms: &mut Terms<f64>) {
        copy(&self.mass_at(q), &mut terms.mass);
        self.forces_at(t, q, v, &mut terms.forces);
        let mut jacobian = DMatrix::zeros(self.m(), self.n());
        self.jacobian_at(t, q, &mut jacobian);
        copy(&jacobian, &mut terms.jacobian);
        if self.m() > 0 {
            self.phi(t, q, &mut terms.constraints);
            self.rates(t, q, v, &mut terms.constraint_rates);
        }
    }

    fn derivatives(&mut self, t: f64, q: &[f64], v: &[f64], derivatives: &mut Derivatives<f64>) {
        let (n, m) = (self.n(), self.m());
        for k in 0..n {
            let by_position = Self::partial(n, q, k, |q, forces| self.forces_at(t, q, v, forces));
            let by_velocity = Self::partial(n, v, k, |v, forces| self.forces_at(t, q, v, forces));
            for i in 0..n {
                derivatives.forces_by_position[(i, k)] = by_position[i];
                derivatives.forces_by_velocity[(i, k)] = by_velocity[i];
            }
        }
        for (k, mass) in derivatives.mass_mut() {
            let by_position = Self::partial(n * n, q, k, |q, mass| mass.copy_from_slice(self.mass_at(q).as_slice()));
            mass.copy_from_slice(&by_position);
        }
        if m == 0 {
            return;
        }
        // Column `n` is the derivative in time.
        let mut columns: Vec<DMatrix<f64>> = Vec::with_capacity(n + 1);
        let of = |t: f64, q: &[f64], into: &mut [f64]| {
            let mut jacobian = DMatrix::zeros(m, n);
            self.jacobian_at(t, q, &mut jacobian);
            into.copy_from_slice(jacobian.as_slice());
        };
        for k in 0..n {
            let column = Self::partial(m * n, q, k, |q, into| of(t, q, into));
            columns.push(DMatrix::from_column_slice(m, n, &column));
        }
        let by_time = Self::difference(m * n, step(t), |h, into| of(t + h, q, into));
        columns.push(DMatrix::from_column_slice(m, n, &by_time));
        let h = f64::EPSILON.powf(0.25) * t.abs().max(1.0);
        let mut values = [vec![0.0; m], vec![0.0; m], vec![0.0; m]];
        for (place, values) in [-1.0, 0.0, 1.0].into_iter().zip(&mut values) {
            self.phi(t + place * h, q, values);
        }
        for ((i, j), second) in derivatives.second_mut() {
            for (c, second) in second.iter_mut().enumerate() {
                *second = match (i == n, j == n) {
                    (true, _) => (values[0][c] - 2.0 * values[1][c] + values[2][c]) / (h * h),
                    (_, true) => columns[n][(c, i)],
                    _ => 0.5 * (columns[i][(c, j)] + columns[j][(c, i)]),
                };
            }
        }
    }

    fn displaced_derivatives(
        &mut self,
        t: f64,
        at: Displaced<'_, f64>,
        by_displacement: &mut DMatrix<f64>,
        by_velocity: &mut DMatrix<f64>,
    ) {
        let (n, m) = (self.n(), self.m());
        let q: Vec<f64> = at.q.iter().zip(at.delta).map(|(q, delta)| q + delta).collect();
        for k in 0..n {
            let column = Self::partial(n + m, &q, k, |q, rest| self.rest_at(t, q, &at, rest));
            by_displacement.column_mut(k).copy_from_slice(&column);
            let forces = Self::partial(n, at.v, k, |v, forces| self.forces_at(t, &q, v, forces));
            by_velocity.column_mut(k).iter_mut().zip(forces).for_each(|(entry, force)| *entry = -force);
        }
    }

    fn is_autonomous(&self) -> bool {
        false
    }

    fn acceleration_constraint_derivatives(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        by_position: &mut Matrix<f64>,
    ) {
        let m = self.m();
        for k in 0..self.n() {
            let column = Self::partial(m, q, k, |q, sum| self.accelerations_of_constraints(t, q, v, a, sum));
            for (c, value) in column.into_iter().enumerate() {
                by_position[(c, k)] = value;
            }
        }
    }

    fn time_derivatives(
        &mut self,
        t: f64,
        (q, v): (&[f64], &[f64]),
        (a, lambda): (&[f64], &[f64]),
        forces: &mut [f64],
        constraints: &mut [f64],
    ) {
        let (n, m) = (self.n(), self.m());
        let all = Self::difference(n, step(t), |h, sum| {
            self.forces_at(t + h, q, v, sum);
            let mut jacobian = DMatrix::zeros(m, n);
            self.jacobian_at(t + h, q, &mut jacobian);
            for (i, sum) in sum.iter_mut().enumerate() {
                *sum += jacobian.column(i).iter().zip(lambda).map(|(j, l)| j * l).sum::<f64>();
            }
        });
        forces.copy_from_slice(&all);
        let found = Self::difference(m, step(t), |h, sum| self.accelerations_of_constraints(t + h, q, v, a, sum));
        constraints.copy_from_slice(&found);
    }
}

impl PythonMechanics<'_> {
    /// `(M a − D − Jᵀ λ ; Φ)`.
    fn rest_at(&self, t: f64, q: &[f64], at: &Displaced<'_, f64>, rest: &mut [f64]) {
        let (n, m) = (self.n(), self.m());
        let (dynamics, phi) = rest.split_at_mut(n);
        self.forces_at(t, q, at.v, dynamics);
        let (mass, mut jacobian) = (self.mass_at(q), DMatrix::zeros(m, n));
        self.jacobian_at(t, q, &mut jacobian);
        for (i, entry) in dynamics.iter_mut().enumerate() {
            let inertia: f64 = mass.row(i).iter().zip(at.a).map(|(m, a)| m * a).sum();
            let reaction: f64 = jacobian.column(i).iter().zip(at.lambda).map(|(j, l)| j * l).sum();
            *entry = inertia - *entry - reaction;
        }
        self.phi(t, q, phi);
    }

    /// `J a + bias`.
    fn accelerations_of_constraints(&mut self, t: f64, q: &[f64], v: &[f64], a: &[f64], sum: &mut [f64]) {
        self.acceleration_bias(t, q, v, sum);
        let mut jacobian = DMatrix::zeros(self.m(), self.n());
        self.jacobian_at(t, q, &mut jacobian);
        for (c, sum) in sum.iter_mut().enumerate() {
            *sum += jacobian.row(c).iter().zip(a).map(|(j, a)| j * a).sum::<f64>();
        }
    }
}
