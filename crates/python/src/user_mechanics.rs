//! Constrained mechanical systems defined by Python functions, with derivatives by differences.

use std::sync::Arc;

use mbsbench_problem::linalg::{Entries, Matrix};
use mbsbench_problem::{
    Derivatives, Dimensions, Failure, MechanicalModel, Mechanics, MechanicsOf, Motion, Scalar, Structure, Terms,
};
use nalgebra::DMatrix;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

use crate::arrays::frozen;
use crate::calls::{Calls, Target};
use crate::checks::{self, Checked};
use crate::user_model::Functions;

/// A system in which every term depends on everything, as must be assumed for opaque functions, except that masses may
/// be constant, and forces independent of velocities.
#[derive(Debug, Clone, Copy)]
pub struct Full {
    pub coordinates: usize,
    pub constraints: usize,
    pub constant_mass: bool,
    pub velocity_forces: bool,
}

fn square<S: Scalar>(t: S, x: &[S]) -> S {
    let sum = x.iter().fold(t, |sum, &x| sum + x);
    sum * sum
}

impl MechanicalModel for Full {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(self.coordinates, self.constraints)
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let q = if self.constant_mass { &[] } else { q };
        for i in 0..self.coordinates {
            for j in 0..self.coordinates {
                mass[(i, j)] = square(S::zero(), q);
            }
        }
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces.fill(square(t, q) + square(t, if self.velocity_forces { v } else { &[] }));
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi.fill(square(t, q));
    }

    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// The functions of a mechanical system.
///
/// First derivatives of given functions are central differences with about ten correct digits; second derivatives of
/// constraints without a Jacobian have about six. After an exception all values are `nan`, and [`Mechanics::cause`]
/// returns the failure.
pub struct PythonMechanics<'f> {
    pub functions: &'f Functions,
    pub calls: Calls,
    structure: Option<Arc<Structure>>,
    checked: Checked,
}

/// Returns the step of a central difference at `x`.
fn step(x: f64) -> f64 {
    let h = f64::EPSILON.cbrt() * x.abs().max(1.0);
    // Uses the distance between the rounded arguments, which is exact.
    (x + h) - x
}

impl<'f> PythonMechanics<'f> {
    pub fn new(functions: &'f Functions) -> Self {
        Self { functions, calls: Calls::default(), structure: None, checked: None }
    }

    /// Returns the number of coordinates.
    pub fn n(&self) -> usize {
        self.functions.full.coordinates
    }

    /// Returns the number of constraints.
    pub fn m(&self) -> usize {
        self.functions.full.constraints
    }

    /// Calls a function of the model, if it exists, with the time (optional) and vectors as arguments.
    fn call(&self, what: &str, function: &Option<Py<PyAny>>, t: Option<f64>, vectors: &[&[f64]], into: Target<'_>) {
        let Some(function) = function else { return };
        if let Some(t) = t {
            self.calls.at(t);
        }
        self.calls.call_or_keep(what, into, |py| {
            let time = t.map(|t| PyFloat::new(py, t).into_any());
            let vectors = vectors.iter().map(|vector| frozen(py, vector).into_any());
            function.bind(py).call1(PyTuple::new(py, time.into_iter().chain(vectors).collect::<Vec<_>>())?)
        });
    }

    /// Evaluates `Φ(t, q)`.
    pub fn phi(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        self.call("`constraints`", &self.functions.constraints, Some(t), &[q], Target::Vector(phi));
    }

    /// Returns `(f(x + h) − f(x − h)) / 2h`.
    fn difference(length: usize, h: f64, mut f: impl FnMut(f64, &mut [f64])) -> Vec<f64> {
        let (mut ahead, mut behind) = (vec![0.0; length], vec![0.0; length]);
        f(h, &mut ahead);
        f(-h, &mut behind);
        ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect()
    }

    /// Returns the derivative of `f(x)` in component `k`.
    fn partial(length: usize, x: &[f64], k: usize, mut f: impl FnMut(&[f64], &mut [f64])) -> Vec<f64> {
        let mut moved = x.to_vec();
        Self::difference(length, step(x[k]), |h, into| {
            moved[k] = x[k] + h;
            f(&moved, into);
        })
    }

    /// Evaluates `∂Φ/∂q`, by differences if the model does not provide it.
    pub fn jacobian_at(&self, t: f64, q: &[f64]) -> DMatrix<f64> {
        if self.functions.jacobian.is_none() || self.m() == 0 {
            return self.differences_at(t, q);
        }
        let mut jacobian = DMatrix::zeros(self.m(), self.n());
        self.call("`jacobian`", &self.functions.jacobian, Some(t), &[q], Target::Matrix(&mut jacobian));
        jacobian
    }

    /// Evaluates `∂Φ/∂q` by differences.
    pub fn differences_at(&self, t: f64, q: &[f64]) -> DMatrix<f64> {
        let m = self.m();
        let columns = if m == 0 { 0 } else { self.n() };
        let entries = (0..columns).flat_map(|k| Self::partial(m, q, k, |q, phi| self.phi(t, q, phi)));
        DMatrix::from_iterator(m, self.n(), entries)
    }

    /// Evaluates `J v + ∂Φ/∂t`.
    pub fn rates(&self, t: f64, q: &[f64], v: &[f64], rates: &mut [f64]) {
        let jacobian = self.jacobian_at(t, q);
        let by_time = Self::difference(self.m(), step(t), |h, phi| self.phi(t + h, q, phi));
        for (c, rate) in rates.iter_mut().enumerate() {
            *rate = by_time[c] + jacobian.row(c).iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
        }
    }

    /// Evaluates `D(t, q, v)`.
    pub fn forces_at(&self, t: f64, q: &[f64], v: &[f64], forces: &mut [f64]) {
        self.call("`forces`", &self.functions.forces, Some(t), &[q, v], Target::Vector(forces));
    }

    /// Returns `M(q)`.
    pub fn mass_at(&self, q: &[f64]) -> DMatrix<f64> {
        let n = self.n();
        let mut mass = DMatrix::zeros(n, n);
        self.call("`mass`", &self.functions.mass, None, &[q], Target::Matrix(&mut mass));
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
    fn dimensions(&self) -> Dimensions {
        self.functions.full.dimensions()
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
        jacobian.copy_from(&self.jacobian_at(t, q));
    }

    fn constraint_jacobian_in(&mut self, t: f64, q: &[f64], _v: &[f64], jacobian: &mut Matrix<f64>) {
        copy(&self.jacobian_at(t, q), jacobian);
    }

    /// Evaluates the rate of change of the velocity constraints along the motion `(t + s, q + s v)`: by a difference of
    /// the velocity constraints if a Jacobian is given, otherwise by a second difference of the constraints.
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

    fn has_vector_coordinates(&self) -> bool {
        true
    }

    fn structure(&mut self) -> Arc<Structure> {
        let full = self.functions.full;
        Arc::clone(self.structure.get_or_insert_with(|| MechanicsOf::<_, f64>::new(&full).structure()))
    }

    fn check_start(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), Failure> {
        let start = Some((t, [q, v].concat()));
        if self.checked != start {
            self.calls.at(t);
            checks::mechanics(self, t, q, v)?;
            self.checked = start;
        }
        Ok(())
    }

    fn cause(&mut self, reported: Option<Failure>) -> Option<Failure> {
        self.calls.cause(reported)
    }

    fn terms(&mut self, t: f64, q: &[f64], v: &[f64], terms: &mut Terms<f64>) {
        self.calls.at(t);
        copy(&self.mass_at(q), &mut terms.mass);
        self.forces_at(t, q, v, &mut terms.forces);
        copy(&self.jacobian_at(t, q), &mut terms.jacobian);
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
            (0..n).for_each(|i| derivatives.forces_by_position[(i, k)] = by_position[i]);
            (0..n).for_each(|i| derivatives.forces_by_velocity[(i, k)] = by_velocity[i]);
        }
        for (k, mass) in derivatives.mass_mut() {
            let by_position = Self::partial(n * n, q, k, |q, mass| mass.copy_from_slice(self.mass_at(q).as_slice()));
            mass.copy_from_slice(&by_position);
        }
        if m == 0 {
            return;
        }
        // Column `n` is the derivative with respect to time.
        let mut columns: Vec<DMatrix<f64>> = Vec::with_capacity(n + 1);
        let of = |t: f64, q: &[f64], into: &mut [f64]| into.copy_from_slice(self.jacobian_at(t, q).as_slice());
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

    fn displaced_derivatives(&mut self, at: Motion<'_, f64>, delta: &[f64], by: [&mut Matrix<f64>; 3]) {
        let (n, m, [by_displacement, by_velocity, of_constraints]) = (self.n(), self.m(), by);
        let q: Vec<f64> = at.q.iter().zip(delta).map(|(q, delta)| q + delta).collect();
        for k in 0..n {
            let column = Self::partial(n + m, &q, k, |q, rest| self.rest_at(Motion { q, ..at }, rest));
            (0..n).for_each(|i| by_displacement[(i, k)] = column[i]);
            (0..m).for_each(|c| of_constraints[(c, k)] = column[n + c]);
            let forces = Self::partial(n, at.v, k, |v, forces| self.forces_at(at.t, &q, v, forces));
            forces.iter().enumerate().for_each(|(i, force)| by_velocity[(i, k)] = -force);
        }
    }

    fn is_autonomous(&self) -> bool {
        false
    }

    fn acceleration_constraint_derivatives(&mut self, at: Motion<'_, f64>, by_position: &mut Matrix<f64>) {
        let m = self.m();
        for k in 0..self.n() {
            let column = Self::partial(m, at.q, k, |q, sum| self.accelerations_of_constraints(Motion { q, ..at }, sum));
            (0..m).for_each(|c| by_position[(c, k)] = column[c]);
        }
    }

    fn time_derivatives(&mut self, at: Motion<'_, f64>, forces: &mut [f64], constraints: &mut [f64]) {
        let (n, m, Motion { t, q, v, lambda, .. }) = (self.n(), self.m(), at);
        let all = Self::difference(n, step(t), |h, sum| {
            self.forces_at(t + h, q, v, sum);
            let jacobian = self.jacobian_at(t + h, q);
            for (i, sum) in sum.iter_mut().enumerate() {
                *sum += jacobian.column(i).iter().zip(lambda).map(|(j, l)| j * l).sum::<f64>();
            }
        });
        forces.copy_from_slice(&all);
        let later = |h: f64, sum: &mut [f64]| self.accelerations_of_constraints(Motion { t: t + h, ..at }, sum);
        let found = Self::difference(m, step(t), later);
        constraints.copy_from_slice(&found);
    }
}

impl PythonMechanics<'_> {
    /// Evaluates `(M a − D − Jᵀ λ ; Φ)`.
    fn rest_at(&self, at: Motion<'_, f64>, rest: &mut [f64]) {
        let (n, Motion { t, q, .. }) = (self.n(), at);
        let (dynamics, phi) = rest.split_at_mut(n);
        self.forces_at(t, q, at.v, dynamics);
        let (mass, jacobian) = (self.mass_at(q), self.jacobian_at(t, q));
        for (i, entry) in dynamics.iter_mut().enumerate() {
            let inertia: f64 = mass.row(i).iter().zip(at.a).map(|(m, a)| m * a).sum();
            let reaction: f64 = jacobian.column(i).iter().zip(at.lambda).map(|(j, l)| j * l).sum();
            *entry = inertia - *entry - reaction;
        }
        self.phi(t, q, phi);
    }

    /// Evaluates `J a + bias`.
    fn accelerations_of_constraints(&mut self, at: Motion<'_, f64>, sum: &mut [f64]) {
        let Motion { t, q, v, a, .. } = at;
        self.acceleration_bias(t, q, v, sum);
        let jacobian = self.jacobian_at(t, q);
        for (c, sum) in sum.iter_mut().enumerate() {
            *sum += jacobian.row(c).iter().zip(a).map(|(j, a)| j * a).sum::<f64>();
        }
    }
}
