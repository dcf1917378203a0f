//! HHT-SI2 with one matrix for both pairs, HHT-ADD with one level after the other, and the pairs of many bodies: the
//! solution equals that of the dense system, and slow convergence is detected.

use std::ops::ControlFlow;

use crate::common::constrained::{Manufactured, Pendulum, SliderCrank, StiffDoublePendulum, solve};
use mbsbench_integrators::low_order::{JacobianUse, NewtonSettings, PairAlgebra};
use mbsbench_integrators::{GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, NstiffSi2};
use mbsbench_problem::{
    Dimensions, Entries, Failure, Matrices, MechanicalModel, Method, MethodDefinition, Observer, Scalar, Settings,
    Silent, Solution, Statistics, Step,
};
use nalgebra::DMatrix;

const USES: [JacobianUse; 2] = [JacobianUse::Full, JacobianUse::Modified];

/// Creates a method with a given solver of its linear systems.
type Make = fn(NewtonSettings, PairAlgebra) -> Box<dyn Method>;

fn si2(newton: NewtonSettings, linear_algebra: PairAlgebra) -> Box<dyn Method> {
    HhtSi2 { newton, linear_algebra, ..HhtSi2::default() }.method()
}

fn additive(newton: NewtonSettings, linear_algebra: PairAlgebra) -> Box<dyn Method> {
    HhtAdd { newton, linear_algebra, ..HhtAdd::default() }.method()
}

fn run(
    model: &impl MechanicalModel,
    initial: &[f64],
    step: f64,
    method: &dyn Method,
    observer: &mut dyn Observer,
) -> Solution {
    let solution = solve(model, method, initial, [0.0, 2.0], Settings::fixed(step), observer);
    assert_eq!(solution.failure, None, "{step}");
    solution
}

/// Largest difference between the shared and the dense solution, and the costs of both.
fn compare(
    make: Make,
    model: &impl MechanicalModel,
    initial: &[f64],
    step: f64,
    jacobian: JacobianUse,
) -> (f64, Statistics, Statistics) {
    let newton = NewtonSettings { jacobian, ..NewtonSettings::default() };
    let [shared, dense] = [PairAlgebra::Shared, PairAlgebra::Dense]
        .map(|algebra| run(model, initial, step, &*make(newton, algebra), &mut Silent));
    (distance(&shared, &dense), shared.statistics, dense.statistics)
}

/// Largest difference between the final states.
fn distance(a: &Solution, b: &Solution) -> f64 {
    a.state.iter().zip(&b.state).fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}

#[test]
fn the_solution_matches_the_dense_system() {
    for jacobian in USES {
        for exponent in [-7, -10] {
            let step = 2f64.powi(exponent);
            let moving = Manufactured { constrained: true };
            let (difference, shared, dense) = compare(si2, &moving, &Manufactured::exact(0.0), step, jacobian);
            assert!(difference < 1e-11, "manufactured, {step}: {difference:e}");
            assert!(shared.newton_iterations <= dense.newton_iterations * 3 / 2);
            let (difference, shared, dense) = compare(si2, &SliderCrank, &SliderCrank::initial(), step, jacobian);
            assert!(difference < 1e-11, "slider crank, {step}: {difference:e}");
            assert!(shared.newton_iterations <= dense.newton_iterations * 3 / 2);
            assert_eq!(shared.linear_solves, 2 * shared.newton_iterations + 1, "Newton's method was not needed");
        }
    }
}

/// A damper that makes the relative motion fast: the shared matrix contains it.
#[test]
fn stiff_damping_does_not_end_the_splitting() {
    // With a matrix kept over the step, the first step at 2⁻⁹ diverges, in the dense form, too.
    for (jacobian, exponents) in USES.into_iter().zip([[-9, -10, -12, -14], [-10, -11, -12, -14]]) {
        for exponent in exponents {
            let (step, initial) = (2f64.powi(exponent), StiffDoublePendulum::initial());
            let (difference, shared, dense) = compare(si2, &StiffDoublePendulum, &initial, step, jacobian);
            assert!(difference < 1e-11, "{step}: {difference:e}");
            let (solves, shared, dense) = (shared.linear_solves, shared.newton_iterations, dense.newton_iterations);
            // The ratio is largest at 2⁻¹¹, where it costs a fifth more iterations.
            assert!(4 * shared <= 5 * dense, "{step}: {shared} and {dense}");
            // Half of the iterations at the largest step and nearly all at the others use the shared matrix.
            assert!(3 * solves >= 4 * shared, "{step}: {solves} solves in {shared} iterations");
        }
    }
}

/// A pendulum with a second mass on an undamped spring of 1e3 rad/s.
struct Spring;

impl MechanicalModel for Spring {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
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
        S::zero()
    }
}

#[test]
fn slow_convergence_falls_back_to_newtons_method() {
    let initial = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    for jacobian in USES {
        let (difference, shared, dense) = compare(si2, &Spring, &initial, 1.0 / 64.0, jacobian);
        // the tolerance of 1e-10 of an acceleration, multiplied by a velocity's h γ, over 128 steps
        assert!(difference < 1e-10, "{difference:e}");
        let (shared_iterations, dense) = (shared.newton_iterations, dense.newton_iterations);
        assert!(shared_iterations <= dense * 3 / 2, "{shared_iterations} and {dense}");
        assert!(shared.linear_solves < 2 * shared_iterations, "most iterations were Newton's");
    }
}

/// Sizes of the matrices of Newton's method.
#[derive(Default)]
struct Sizes(Vec<usize>);

impl Observer for Sizes {
    fn watches_newton_matrices(&self) -> bool {
        true
    }
    fn newton_matrix(&mut self, _t: f64, matrix: &DMatrix<f64>) {
        self.0.push(matrix.nrows());
    }
    fn step(&mut self, _step: &mut Step<'_>) -> ControlFlow<Failure> {
        ControlFlow::Continue(())
    }
}

#[test]
fn sequential_levels_match_the_dense_system() {
    for jacobian in USES {
        for exponent in [-7, -10] {
            let step = 2f64.powi(exponent);
            let moving = Manufactured { constrained: true };
            let (difference, levels, dense) = compare(additive, &moving, &Manufactured::exact(0.0), step, jacobian);
            assert!(difference < 1e-11, "manufactured, {step}: {difference:e}");
            assert!(levels.newton_iterations <= dense.newton_iterations * 3 / 2, "{levels:?} {dense:?}");
            let (difference, levels, dense) = compare(additive, &SliderCrank, &SliderCrank::initial(), step, jacobian);
            assert!(difference < 1e-11, "slider crank, {step}: {difference:e}");
            assert!(levels.newton_iterations <= dense.newton_iterations * 3 / 2, "{levels:?} {dense:?}");
        }
        // without damping it is Newton's method
        let (difference, levels, dense) = compare(additive, &Pendulum, &Pendulum::START, 1.0 / 64.0, jacobian);
        assert!(difference < 1e-11, "pendulum: {difference:e}");
        assert!(levels.newton_iterations <= dense.newton_iterations, "{levels:?} {dense:?}");
        let (difference, levels, dense) =
            compare(additive, &Spring, &[1.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1.0 / 64.0, jacobian);
        assert!(difference < 1e-10, "spring: {difference:e}");
        assert!(levels.newton_iterations <= dense.newton_iterations, "{levels:?} {dense:?}");
    }
}

/// Without damping all steps use the small system; if a damper is stiff for the step, Newton's method is used instead.
#[test]
fn levels_coupled_by_damping_are_not_split() {
    let newton = NewtonSettings::default();
    let method = additive(newton, PairAlgebra::Shared);
    let mut sizes = Sizes::default();
    run(&Pendulum, &Pendulum::START, 1.0 / 64.0, &*method, &mut sizes);
    assert!(sizes.0.iter().all(|&size| size == 3), "n + n_c");
    let (initial, step) = (StiffDoublePendulum::initial(), 2f64.powi(-10));
    let mut sizes = Sizes::default();
    run(&StiffDoublePendulum, &initial, step, &*method, &mut sizes);
    let given_up = sizes.0.iter().filter(|&&size| size == 6 + 2 * 4).count();
    // not for long: the ratio exceeds 0.1 in few steps
    assert!(given_up > 0 && 10 * given_up < sizes.0.len(), "{given_up} of {}", sizes.0.len());
    let (difference, levels, dense) = compare(additive, &StiffDoublePendulum, &initial, step, JacobianUse::Full);
    assert!(difference < 1e-11, "{difference:e}");
    assert!(2 * levels.newton_iterations <= 3 * dense.newton_iterations, "{levels:?} {dense:?}");
}

#[test]
fn levels_coupled_by_reactions_are_not_split() {
    for b in [-0.5, 1.0 / 3.0, 1.0] {
        let [shared, structured] = [PairAlgebra::Shared, PairAlgebra::Structured].map(|linear_algebra| {
            let method = HhtAdd { b, linear_algebra, ..HhtAdd::default() }.method();
            run(&SliderCrank, &SliderCrank::initial(), 1.0 / 128.0, &*method, &mut Silent).state
        });
        assert_eq!(shared, structured, "b = {b}");
    }
}

/// Masses on rods of length one that fall from the horizontal, with dampers between masses two rods apart.
struct Chain {
    damping: f64,
}

impl Chain {
    const MASSES: usize = 24;

    /// The solution from rest.
    fn fall(&self, method: &dyn Method, step: f64, matrices: Matrices, observer: &mut dyn Observer) -> Solution {
        let mut initial = vec![0.0; 4 * Self::MASSES];
        (0..Self::MASSES).for_each(|i| initial[2 * i] = (i + 1) as f64);
        let settings = Settings { matrices, ..Settings::fixed(step) };
        let solution = solve(self, method, &initial, [0.0, 0.5], settings, observer);
        assert_eq!(solution.failure, None, "{}", self.damping);
        solution
    }
}

impl MechanicalModel for Chain {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2 * Self::MASSES, Self::MASSES)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..2 * Self::MASSES).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], v: &[S], forces: &mut [S]) {
        for (i, force) in forces.iter_mut().enumerate() {
            *force = S::from(if i % 2 == 1 { -9.81 } else { 0.0 });
        }
        for i in 4..v.len() {
            let force = (v[i] - v[i - 4]) * self.damping;
            forces[i] -= force;
            forces[i - 4] += force;
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        for (i, phi) in phi.iter_mut().enumerate() {
            let along = |k: usize| if i == 0 { q[k] } else { q[2 * i + k] - q[2 * i + k - 2] };
            *phi = (along(0) * along(0) + along(1) * along(1) - S::from(1.0)) * 0.5;
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// With a tiny b the equations are the same to rounding, but all unknowns are corrected together.
#[test]
fn levels_of_many_bodies_match_the_whole_system() {
    let (n, m) = (2 * Chain::MASSES, Chain::MASSES);
    for damping in [0.0, 1.0, 1e3] {
        let ([mut sizes, mut of_whole], chain) = ([Sizes::default(), Sizes::default()], Chain { damping });
        let solved = |b: f64, sizes: &mut Sizes| {
            chain.fall(&*HhtAdd { b, ..HhtAdd::default() }.method(), 1.0 / 256.0, Matrices::Automatic, sizes)
        };
        let (levels, whole) = (solved(0.0, &mut sizes), solved(1e-300, &mut of_whole));
        let difference = distance(&levels, &whole);
        assert!(difference < 1e-9, "{damping}: {difference:e}");
        assert!(of_whole.0.iter().all(|&size| size == 3 * n + 2 * m));
        // a damper that is stiff for the step couples the levels
        assert_eq!(sizes.0.iter().any(|&size| size == 3 * n + 2 * m), damping > 100.0, "{damping}");
        assert!(sizes.0.contains(&(n + m)));
        let [of_levels, of_all] = [&levels, &whole].map(|solution| solution.statistics.linear_algebra_flops.unwrap());
        assert!(damping > 100.0 || 2 * of_levels < of_all, "{damping}: {of_levels} and {of_all} operations");
    }
}

/// Two systems suffice unless bodies turn too far in a step. A damper that is stiff for the step costs iterations.
#[test]
fn pairs_of_many_bodies_match_the_dense_system() {
    let methods = [HhtSi2::default().method(), NstiffSi2::default().method(), GeneralizedAlphaSi2::default().method()];
    for (damping, step) in [(0.0, 1.0 / 256.0), (1.0, 1.0 / 256.0), (1e3, 1.0 / 256.0), (0.0, 1.0 / 16.0)] {
        let (chain, is_large, is_stiff) = (Chain { damping }, step > 0.01, damping > 100.0);
        let (mut sizes, whole) = (Sizes::default(), 6 * Chain::MASSES);
        let flops = |solution: &Solution| solution.statistics.linear_algebra_flops.unwrap();
        let least = flops(&chain.fall(&*HhtI3::default().method(), step, Matrices::Sparse, &mut Silent));
        for method in &methods {
            let dense = chain.fall(&**method, step, Matrices::Dense, &mut Silent);
            let sparse = chain.fall(&**method, step, Matrices::Sparse, &mut sizes);
            let difference = distance(&sparse, &dense);
            assert!(difference < 1e-9, "{damping}, {step}: {difference:e}");
            let [iterations, most] = [&sparse, &dense].map(|solution| solution.statistics.newton_iterations);
            assert!(is_large || 2 * iterations <= 3 * most, "{damping}: {iterations} and {most} iterations");
            let flops = flops(&sparse);
            let is_cheap = 10 * flops <= 22 * least;
            assert!(is_large || is_stiff || is_cheap, "{damping}: {flops} and {least} operations");
        }
        assert!(is_stiff || sizes.0.contains(&whole) == is_large, "{damping}, {step}");
    }
}
