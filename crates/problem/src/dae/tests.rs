//! Newton's matrices compared with dual numbers, solves with matrices, and consistent starts with the index-1 form.

use approx::assert_relative_eq;
use nalgebra::{DMatrix, DVector};
use num_dual::Dual;

use super::*;
use crate::linalg::Entries;
use crate::{
    AccelerationLevel, AsOde, Counted, Counts, Dimensions, MechanicalModel, Mechanics, MechanicsOf, OdeModel,
    Properties,
};

/// A model with a full mass matrix, forces that depend on all arguments, one curved and one moving constraint.
struct Tangle;

impl MechanicalModel for Tangle {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, 2)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
        mass[(0, 0)] = q[1].cos() * q[2] + 3.0;
        (mass[(0, 2)], mass[(2, 0)]) = (q[1].sin() * 0.3, q[1].sin() * 0.3);
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = q[0] * t * v[2] * v[2];
        forces[1] = (q[0] * 2.0).exp() - v[1];
        forces[2] = q[1] * v[0] - 9.81;
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] * q[0] + q[1] * q[2] - t;
        phi[1] = q[2] * t.sin() - q[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// A variant without constraints, or with velocities that are not the rates of the positions.
struct Odd {
    nonholonomic: bool,
}

impl MechanicalModel for Odd {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nonholonomic: usize::from(self.nonholonomic), ..Dimensions::vectors(2, 0) }
    }
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(&[v[1], v[0]]);
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

struct Pair;

impl OdeModel for Pair {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1] * y[1] * t;
        dydt[1] = (y[0] * 3.0).sin() - y[1];
    }
}

/// [`Pair`] as `M y' = f`.
struct Weighted(DMatrix<f64>);

impl Ode for Weighted {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        AsOde(&Pair).rhs(t, y, dydt)
    }
    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: true, mass: Some(&self.0), ..Properties::default() }
    }
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        AsOde(&Pair).jacobian(t, y, jacobian)
    }
}

const C: f64 = 0.013;
const TIME: f64 = 0.7;
const MOTION: [f64; 6] = [0.4, -0.6, 1.1, 0.8, -0.3, 0.5];
const RATES: [f64; 8] = [0.7, -0.2, 0.9, 1.3, -2.1, 0.6, 1.7, -0.9];

/// Newton's matrix by dual numbers: column `k` is the derivative of the residual in component `k` of `(y' ; λ)`,
/// where `y = ŷ + c y'` changes too.
fn by_duals(dae: &mut dyn Dae<Dual<f64>>, y: &[f64], rates: &[f64]) -> DMatrix<f64> {
    let size = rates.len();
    let mut matrix = DMatrix::zeros(size, size);
    let mut residual = vec![Dual::from_re(0.0); size];
    for k in 0..size {
        let seeded = |values: &[f64], direction: f64| -> Vec<Dual<f64>> {
            values.iter().enumerate().map(|(i, &x)| Dual::new(x, if i == k { direction } else { 0.0 })).collect()
        };
        let (y, rates) = (seeded(y, C), seeded(rates, 1.0));
        let at = Point { t: Dual::from_re(TIME), chart: &[], y: &y, rates: &rates };
        dae.residual(at, Dual::from_re(C), &mut residual).expect("it exists");
        matrix.column_mut(k).iter_mut().zip(&residual).for_each(|(entry, row)| *entry = row.eps);
    }
    matrix
}

/// Checks the matrix and a solve of a problem at a point.
fn check_linear_algebra(dae: &mut dyn Dae, y: &[f64], rates: &[f64], expected: &DMatrix<f64>) {
    let size = rates.len();
    let at = Point { t: TIME, chart: &[], y, rates };
    dae.residual(at, C, &mut vec![0.0; size]).expect("it exists");
    let mut matrix = DMatrix::from_element(size, size, f64::NAN);
    dae.jacobian(at, C, &mut matrix);
    assert_relative_eq!(matrix, *expected, epsilon = 1e-14, max_relative = 1e-14);
    let exact = DVector::from_fn(size, |i, _| 1.5 - 0.7 * i as f64);
    let mut x = &matrix * &exact;
    dae.factorize(at, C).expect("it is regular");
    dae.solve(x.as_mut_slice());
    // the condition number is below 1e3
    assert_relative_eq!(x, exact, max_relative = 1e-12);
}

#[test]
fn the_matrix_of_index_3_mechanics_is_exact() {
    let mut mechanics = MechanicsOf::<_, Dual<f64>>::new(&Tangle);
    let expected = by_duals(&mut Index3::new(&mut mechanics), &MOTION, &RATES);
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    check_linear_algebra(&mut Index3::new(&mut mechanics), &MOTION, &RATES, &expected);
}

#[test]
fn the_matrix_of_first_order_equations_is_exact() {
    let mut ode = AsOde(&Pair);
    let expected = by_duals(&mut FirstOrder::new(&mut ode), &MOTION[..2], &RATES[..2]);
    check_linear_algebra(&mut FirstOrder::<f64>::new(&mut ode), &MOTION[..2], &RATES[..2], &expected);
    let mass = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, -0.3, 1.0]);
    let expected = expected - DMatrix::identity(2, 2) + &mass;
    check_linear_algebra(&mut FirstOrder::new(&mut Weighted(mass)), &MOTION[..2], &RATES[..2], &expected);
}

#[test]
fn consistent_rates_match_the_index_1_form() {
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    let mut rates = [0.0; 8];
    Index3::new(&mut mechanics).consistent(TIME, &[], &MOTION, &mut rates).expect("they exist");
    let mut index_1 = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&Tangle));
    let mut expected = [0.0; 6];
    index_1.rhs(TIME, &MOTION, &mut expected).expect("they exist");
    assert_relative_eq!(&rates[..6], &expected[..], max_relative = 1e-12);
    assert_relative_eq!(&rates[6..], index_1.multipliers(), max_relative = 1e-12);

    let mass = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, -0.3, 1.0]);
    let mut weighted = Weighted(mass);
    let mut dae = FirstOrder::new(&mut weighted);
    let (y, mut rates, mut residual) = ([0.3, 0.9], [0.0; 2], [0.0; 2]);
    dae.consistent(TIME, &[], &y, &mut rates).expect("M is regular");
    dae.residual(Point { t: TIME, chart: &[], y: &y, rates: &rates }, C, &mut residual).expect("it exists");
    assert!(residual.iter().all(|row| row.abs() < 1e-15), "{residual:?}");
    let mut singular = Weighted(DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0]));
    let refused = FirstOrder::new(&mut singular).consistent(TIME, &[], &y, &mut rates);
    assert!(matches!(refused, Err(Failure::SingularMatrix { .. })), "{refused:?}");
}

#[test]
fn trivial_rates_are_known_without_solving() {
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    let mut rates = [f64::NAN; 8];
    Index3::new(&mut mechanics).kinematic(&[], &MOTION, &mut rates);
    assert_eq!(rates, [0.8, -0.3, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn constraint_rows_are_divided_by_c() {
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    let mut phi = [0.0; 2];
    mechanics.constraint_values(TIME, &MOTION[..3], &MOTION[3..], &mut phi);
    let mut dae = Index3::new(&mut mechanics);
    let at = Point { t: TIME, chart: &[], y: &MOTION, rates: &RATES };
    let mut residual = [0.0; 8];
    dae.residual(at, C, &mut residual).expect("it exists");
    assert_eq!(residual[6..], phi.map(|phi| phi / C));
    assert_eq!(residual[..3], [0, 1, 2].map(|i| RATES[i] - MOTION[3 + i]));
}

#[test]
fn work_is_counted() {
    let mut ode = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&Tangle));
    let mut counted = Counted::new(&mut ode);
    let at = Point { t: TIME, chart: &[], y: &MOTION, rates: &RATES };
    let solved = counted.with_dae(|dae| {
        let (mut rates, mut residual) = ([0.0; 8], [0.0; 8]);
        dae.consistent(TIME, &[], &MOTION, &mut rates).expect("they exist");
        dae.residual(at, C, &mut residual).expect("it exists");
        dae.factorize(at, C).expect("it is regular");
        dae.correct(&mut residual);
        dae.residual(at, C, &mut residual).expect("it exists");
        dae.statistics().rhs_evaluations
    });
    let statistics = counted.statistics();
    assert_eq!((solved, statistics.rhs_evaluations), (Ok(3), 3));
    let linear = (statistics.jacobian_evaluations, statistics.factorizations, statistics.linear_solves);
    assert_eq!((linear, statistics.newton_iterations), ((1, 1, 1), 1));
}

#[test]
fn problems_without_implicit_form_are_refused() {
    struct Plain;
    impl Ode for Plain {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            dydt[0] = -y[0];
            Ok(())
        }
    }
    struct Locked;
    impl Ode for Locked {
        fn dimension(&self) -> usize {
            2
        }
        fn properties(&self) -> Properties<'_> {
            Properties { locks: true, has_jacobian: true, ..Properties::default() }
        }
        fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            AsOde(&Pair).rhs(t, y, dydt)
        }
    }
    let refused = |problem: &mut dyn Ode, reason: &str| {
        let given = suits(problem).expect_err("it has no implicit form").to_string();
        assert!(given.contains(reason), "{given}");
        assert!(Counted::new(problem).with_dae(|_| panic!("it has no implicit form")).is_err());
    };
    refused(&mut Plain, "Jacobian");
    let odd = |nonholonomic| Odd { nonholonomic };
    let (rolling, turned) = (odd(true), odd(false));
    refused(&mut AccelerationLevel::new(MechanicsOf::<_, f64>::new(&rolling)), "1 nonholonomic");
    // Without constraints, positions that are not vectors make differential equations, here without a Jacobian.
    refused(&mut AccelerationLevel::new(MechanicsOf::<_, f64>::new(&turned)), "Jacobian");
    refused(&mut Locked, "control");
}

/// A problem without right-hand side is solved in its implicit form, and refused by methods that evaluate a
/// right-hand side.
#[test]
fn implicit_forms_have_no_right_hand_side() {
    struct Implicit<'p>(Option<FirstOrder<'p>>);
    impl Ode for Implicit<'_> {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs(&mut self, _t: f64, _y: &[f64], _dydt: &mut [f64]) -> Result<(), Failure> {
            Err(Failure::NotApplicable { reason: "there is none".to_owned() })
        }
        fn properties(&self) -> Properties<'_> {
            Properties { has_rhs: false, ..Properties::default() }
        }
        fn form(&mut self) -> Form<'_> {
            self.0.as_mut().map_or(Form::Explicit, |dae| Form::Implicit(dae))
        }
    }
    let mut explicit = AsOde(&Pair);
    let mut problem = Implicit(Some(FirstOrder::new(&mut explicit)));
    assert_eq!(suits(&mut problem), Ok(()));
    assert_eq!(Counted::new(&mut problem).with_dae(|dae| dae.differential()), Ok(2));
    for problem in [&mut problem, &mut Implicit(None)] {
        let refused = Unsuitable::without_rhs(problem).expect_err("it has no right-hand side");
        assert!(refused.to_string().contains("implicit form"));
    }
    let lost = suits(&mut Implicit(None)).expect_err("it has no form at all");
    assert!(lost.to_string().contains("implicit form"));
    assert_eq!(Unsuitable::without_rhs(&AsOde(&Pair) as &dyn Ode), Ok(()));
}
