//! HHT-SI2 with one matrix for both pairs: the solution is that of the dense system, and slow convergence is noticed.

mod common;

use common::constrained::{Manufactured, Pendulum, SliderCrank, StiffDoublePendulum, solve};
use mbsbench_integrators::HhtSi2;
use mbsbench_integrators::low_order::{JacobianUse, NewtonSettings, PairAlgebra};
use mbsbench_problem::{Entries, MechanicalModel, MethodDefinition, Scalar, Settings, Silent, Solution, Statistics};

const USES: [JacobianUse; 2] = [JacobianUse::Full, JacobianUse::Modified];

fn run(
    model: &impl MechanicalModel,
    initial: &[f64],
    step: f64,
    jacobian: JacobianUse,
    linear_algebra: PairAlgebra,
) -> Solution {
    let newton = NewtonSettings { jacobian, ..NewtonSettings::default() };
    let method = HhtSi2 { newton, linear_algebra, ..HhtSi2::default() }.method();
    let solution = solve(model, &*method, initial, [0.0, 2.0], Settings::fixed(step), &mut Silent);
    assert_eq!(solution.failure, None, "{linear_algebra:?} {jacobian:?} {step}");
    solution
}

/// Largest difference of shared and dense, and what both cost.
fn compare(
    model: &impl MechanicalModel,
    initial: &[f64],
    step: f64,
    jacobian: JacobianUse,
) -> (f64, Statistics, Statistics) {
    let [shared, dense] =
        [PairAlgebra::Shared, PairAlgebra::Dense].map(|algebra| run(model, initial, step, jacobian, algebra));
    let difference = shared.state.iter().zip(&dense.state).fold(0.0f64, |largest, (a, b)| largest.max((a - b).abs()));
    (difference, shared.statistics, dense.statistics)
}

#[test]
fn the_solution_is_that_of_the_dense_system() {
    for jacobian in USES {
        for exponent in [-7, -10] {
            let step = 2f64.powi(exponent);
            let moving = Manufactured { constrained: true };
            let (difference, shared, dense) = compare(&moving, &Manufactured::exact(0.0), step, jacobian);
            assert!(difference < 1e-11, "manufactured, {step}: {difference:e}");
            assert!(shared.newton_iterations <= dense.newton_iterations * 3 / 2);
            let (difference, shared, dense) = compare(&SliderCrank, &SliderCrank::initial(), step, jacobian);
            assert!(difference < 1e-11, "slider crank, {step}: {difference:e}");
            assert!(shared.newton_iterations <= dense.newton_iterations * 3 / 2);
            assert_eq!(shared.linear_solves, 2 * shared.newton_iterations + 1, "Newton's method was not needed");
        }
    }
}

/// A damper that makes the relative motion fast: it stands in the shared matrix.
#[test]
fn stiff_damping_is_no_reason_to_give_up() {
    // With a matrix kept over the step, the first step at 2⁻⁹ diverges, in the dense form, too.
    for (jacobian, exponents) in USES.into_iter().zip([[-9, -10, -12, -14], [-10, -11, -12, -14]]) {
        for exponent in exponents {
            let (step, initial) = (2f64.powi(exponent), StiffDoublePendulum::initial());
            let (difference, shared, dense) = compare(&StiffDoublePendulum, &initial, step, jacobian);
            assert!(difference < 1e-11, "{step}: {difference:e}");
            let (solves, shared, dense) = (shared.linear_solves, shared.newton_iterations, dense.newton_iterations);
            // The ratio is largest at 2⁻¹¹, where it costs a fifth more iterations.
            assert!(4 * shared <= 5 * dense, "{step}: {shared} and {dense}");
            // Half of the iterations at the largest step, nearly all at the others: not given up for long.
            assert!(3 * solves >= 4 * shared, "{step}: {solves} solves in {shared} iterations");
        }
    }
}

/// A pendulum with a second mass on an undamped spring of 1e3 rad/s.
struct Spring;

impl MechanicalModel for Spring {
    fn coordinates(&self) -> usize {
        3
    }
    fn holonomic(&self) -> usize {
        1
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.velocities()).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        Pendulum.forces(t, q, v, forces.split_at_mut(2).0);
        forces[2] = (q[0] - q[2]) * 1e6;
        forces[0] -= forces[2];
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        Pendulum.holonomic_constraints(t, q, phi);
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::nought()
    }
}

#[test]
fn where_convergence_is_slow_newtons_method_takes_over() {
    let initial = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    for jacobian in USES {
        let (difference, shared, dense) = compare(&Spring, &initial, 1.0 / 64.0, jacobian);
        // the tolerance of 1e-10 in an acceleration, through a velocity's h γ, over 128 steps
        assert!(difference < 1e-10, "{difference:e}");
        let (shared_iterations, dense) = (shared.newton_iterations, dense.newton_iterations);
        assert!(shared_iterations <= dense * 3 / 2, "{shared_iterations} and {dense}");
        assert!(shared.linear_solves < 2 * shared_iterations, "most iterations were Newton's");
    }
}
