//! The border to C: panics, ownership, equations that change their dimension.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mbsbench_problem::{Failure, OdeModel, Scalar, Silent};
use mbsbench_sundials::{Equations, Form, Iteration, Kind, Options, Point, Solver, Systems};

use crate::problems::{Oscillator, methods, solve, tolerance};

/// Panics after half a second.
struct Explosive;

impl OdeModel for Explosive {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        assert!(t.value() < 0.5, "boom");
        Oscillator.rhs(t, y, dydt);
    }
}

#[test]
fn a_panic_crosses_the_c_interface() {
    for (name, method) in methods() {
        let result = catch_unwind(AssertUnwindSafe(|| {
            solve(&*method, &Explosive, &[1.0, 0.0], 1.0, tolerance(1e-6), &mut Silent)
        }));
        let panic = result.expect_err("it panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"boom"), "{name}");
    }
}

/// Equations that report another dimension after each call, and count their owners.
struct Fickle<'c> {
    dimension: usize,
    diagonal: f64,
    alive: &'c std::cell::Cell<u32>,
}

impl<'c> Fickle<'c> {
    fn new(dimension: usize, alive: &'c std::cell::Cell<u32>) -> Self {
        alive.set(alive.get() + 1);
        Self { dimension, diagonal: f64::NAN, alive }
    }
}

impl Drop for Fickle<'_> {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

/// `y' = −y`; Newton's matrix is diagonal, with the entry prepared last.
impl Equations for Fickle<'_> {
    fn dimension(&self) -> usize {
        self.dimension
    }
    fn evaluate(&mut self, Point { y, rate, .. }: Point<'_>, value: &mut [f64]) -> Result<(), Failure> {
        self.dimension = 1000;
        assert_eq!((y.len(), value.len()), (3, 3));
        for (i, value) in value.iter_mut().enumerate() {
            *value = rate.get(i).map_or(-y[i], |rate| rate + y[i]);
        }
        Ok(())
    }
    fn jacobian(&mut self, at: Point<'_>, value: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        assert_eq!((at.y.len(), value.len(), jacobian.len()), (3, 3, 9));
        jacobian.fill(0.0);
        let entry = if at.rate.is_empty() { -1.0 } else { at.factor + 1.0 };
        jacobian.iter_mut().step_by(4).for_each(|diagonal| *diagonal = entry);
        Ok(())
    }
    fn prepare(&mut self, at: Point<'_>, _keep: bool) -> Result<(), Failure> {
        assert_eq!(at.y.len(), 3);
        self.diagonal = 1.0 + at.factor;
        Ok(())
    }
    fn solve(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        x.iter_mut().for_each(|x| *x /= self.diagonal);
        Ok(())
    }
    fn root_count(&self) -> usize {
        self.dimension
    }
    fn roots(&mut self, _t: f64, y: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        values.copy_from_slice(y);
        Ok(())
    }
}

/// Solvers are dropped before their first step, midway, at the end and out of order, and moved in between.
#[test]
fn solvers_can_be_dropped_at_any_time() {
    let alive = std::cell::Cell::new(0);
    let [dense, own, differences] = [Systems::Dense, Systems::Own, Systems::Differences];
    for (steps, systems) in [(0, dense), (0, own), (1, differences), (7, dense), (7, own), (7, differences)] {
        for iteration in [Iteration::Newton, Iteration::FixedPoint] {
            let options = Options {
                kind: Kind::CvodeAdams(iteration),
                max_order: 12,
                systems,
                tested: &[true; 3],
                rel: 1e-6,
                abs: &[1e-6; 3],
                initial_step: None,
                max_step: None,
                t_stop: 10.0,
            };
            let make = || Solver::new(Fickle::new(3, &alive), 0.0, (&[1.0, 2.0, 3.0], &[]), &options).unwrap();
            let mut solvers = vec![make(), make(), make()];
            for solver in &mut solvers {
                (0..steps).for_each(|_| assert!(solver.step().is_ok()));
            }
            assert_eq!(alive.get(), 3);
            drop(solvers.remove(1));
            for solver in &mut solvers {
                let t = solver.step().unwrap().t;
                assert!((solver.state()[2] - 3.0 * (-t).exp()).abs() < 1e-4);
            }
            assert_eq!(alive.get(), 2);
        }
        let options = Options {
            kind: Kind::Ida(Form::Index1),
            max_order: 5,
            systems,
            tested: &[true; 3],
            rel: 1e-6,
            abs: &[1e-6; 3],
            initial_step: None,
            max_step: None,
            t_stop: 10.0,
        };
        let (y, rate) = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]);
        let mut solver = Solver::new(Fickle::new(3, &alive), 0.0, (&y, &rate), &options).unwrap();
        (0..steps).for_each(|_| assert!(solver.step().is_ok()));
        solver.restart(0.5, (&y, &rate)).unwrap();
        assert!(solver.step().unwrap().t > 0.5);
    }
    assert_eq!(alive.get(), 0);
}

#[test]
fn two_solves_are_bitwise_equal() {
    for (name, method) in methods() {
        let run = || solve(&*method, &Oscillator, &[1.0, 0.0], 3.0, tolerance(1e-7), &mut Silent);
        let (first, second) = (run(), run());
        assert_eq!((first.state, first.statistics), (second.state, second.statistics), "{name}");
    }
}
