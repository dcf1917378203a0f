//! The Jacobian of the acceleration level, compared with dual numbers through the whole right-hand side and with
//! differences.

use num_dual::Dual;

use super::*;
use crate::linalg::Entries;
use crate::{Dimensions, MechanicalModel, MechanicsOf};

/// A model with a full mass matrix, forces that depend on time, positions and velocities, and either no constraints
/// or two that have third derivatives in coordinates and time.
struct Tangle {
    constraints: usize,
}

impl MechanicalModel for Tangle {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(4, self.constraints)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        mass[(0, 0)] = q[1].cos() * q[2] + 5.0;
        mass[(1, 1)] = S::from(2.0);
        mass[(2, 2)] = q[2] * q[2] + 1.5;
        mass[(3, 3)] = S::from(0.7);
        mass[(0, 2)] = q[1].sin() * 0.3;
        mass[(2, 0)] = mass[(0, 2)];
        mass[(1, 3)] = q[0].cos() * 0.4;
        mass[(3, 1)] = mass[(1, 3)];
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = q[0] * t * v[2] * v[2];
        forces[1] = (q[0] * 2.0).exp() - v[1] * 0.3;
        forces[2] = t.sin() * q[3] - v[0] * v[3];
        forces[3] = S::from(9.81) - q[3] * 40.0;
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let all = [
            q[0] * q[1].sin() + q[2] * t * t * 2.0 + q[3] * q[3] * q[3] * 0.2,
            (q[0] * 0.5 + t).sin() * 3.0 - q[1] + q[2] * q[3] * t,
        ];
        phi.copy_from_slice(&all[..self.constraints]);
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Eight states; none satisfies the constraints.
fn states() -> impl Iterator<Item = (f64, Vec<f64>)> {
    (0..8).map(|k| {
        let number = |i: usize| ((k * 17 + i * 5) as f64 * 0.618).fract() * 2.4 - 1.2;
        (0.2 + 0.3 * k as f64, (0..8).map(number).collect())
    })
}

/// Derivatives by dual numbers through the whole elimination; the last column is the derivative in time.
fn by_duals(model: &Tangle, t: f64, y: &[f64]) -> DMatrix<f64> {
    let mut ode = AccelerationLevel::<Dual<f64>>::new(MechanicsOf::new(model));
    let n = y.len();
    let mut result = DMatrix::zeros(n, n + 1);
    for k in 0..=n {
        let seed = |i: usize| if i == k { 1.0 } else { 0.0 };
        let state: Vec<Dual<f64>> = y.iter().enumerate().map(|(i, &y)| Dual::new(y, seed(i))).collect();
        let mut rate = vec![Dual::new(0.0, 0.0); n];
        ode.rhs(Dual::new(t, seed(n)), &state, &mut rate).unwrap();
        for i in 0..n {
            result[(i, k)] = rate[i].eps;
        }
    }
    result
}

/// Central differences with two steps, extrapolated.
fn by_differences(model: &Tangle, t: f64, y: &[f64]) -> DMatrix<f64> {
    let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(model));
    let n = y.len();
    DMatrix::from_fn(n, n + 1, |i, k| {
        let mut at = |by: f64| {
            let mut state = y.to_vec();
            let mut rate = vec![0.0; n];
            let time = if k == n { t + by } else { t };
            if k < n {
                state[k] += by;
            }
            ode.rhs(time, &state, &mut rate).unwrap();
            rate[i]
        };
        let mut slope = |h: f64| (at(h) - at(-h)) / (2.0 * h);
        (4.0 * slope(5e-4) - slope(1e-3)) / 3.0
    })
}

fn exact(model: &Tangle, t: f64, y: &[f64]) -> DMatrix<f64> {
    let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(model));
    assert!(ode.properties().has_jacobian);
    let n = y.len();
    let (mut jacobian, mut rate) = (DMatrix::from_element(n, n, f64::NAN), vec![f64::NAN; n]);
    // First at another state, to show that nothing of it remains.
    ode.jacobian(0.1, &vec![0.3; n], &mut jacobian).unwrap();
    ode.jacobian(t, y, &mut jacobian).unwrap();
    ode.time_derivative(t, y, &mut rate).unwrap();
    let (mut together, mut f, mut f_too) = (DMatrix::zeros(n, n), vec![0.0; n], vec![0.0; n]);
    ode.rhs_and_jacobian(t, y, &mut f, &mut together).unwrap();
    ode.rhs(t, y, &mut f_too).unwrap();
    assert_eq!((&together, f), (&jacobian, f_too));
    DMatrix::from_fn(n, n + 1, |i, k| if k < n { jacobian[(i, k)] } else { rate[i] })
}

#[test]
fn derivatives_are_exact_off_the_constraint_manifold_too() {
    for constraints in [2, 1, 0] {
        let model = Tangle { constraints };
        for (t, y) in states() {
            let exact = exact(&model, t, &y);
            let size = exact.amax();
            let duals = (by_duals(&model, t, &y) - &exact).amax() / size;
            assert!(duals < 1e-11, "{constraints} constraints at t = {t}: {duals:e} from duals");
            let differences = (by_differences(&model, t, &y) - &exact).amax() / size;
            assert!(differences < 1e-7, "{constraints} constraints at t = {t}: {differences:e} from differences");
        }
    }
}

/// A point whose velocities are not the rates of its positions.
struct Turned;
impl MechanicalModel for Turned {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 0)
    }
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(&[-v[1], v[0]]);
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn coordinates_on_a_manifold_have_no_jacobian_here() {
    let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(&Turned));
    assert!(!ode.properties().has_jacobian);
    let failure = ode.jacobian(0.0, &[0.0; 4], &mut DMatrix::zeros(4, 4));
    assert!(matches!(failure, Err(Failure::NotApplicable { .. })));
}
