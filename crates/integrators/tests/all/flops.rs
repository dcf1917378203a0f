//! Operations of linear algebra compared with counts by hand, for each family that counts them.

use crate::common::Circle;
use crate::common::conformance::{STEP, run};
use mbsbench_integrators::low_order::{LinearAlgebra, PairAlgebra};
use mbsbench_integrators::{HhtAdd, HhtI3, HhtSi2, Llm, NstiffSi2, Ode15s, Ode23s, Ode45, Radau5};
use mbsbench_problem::{AsOde, Counted, Method, MethodDefinition, Settings, Silent, Statistics, Task};

/// Textbook operations of a factorization and of a solve, added up entry by entry.
fn lu(n: u64) -> u64 {
    (0..n).map(|k| (n - k - 1) * (1 + 2 * (n - k - 1))).sum()
}

fn solve(n: u64) -> u64 {
    (0..n).map(|k| 1 + 4 * k).sum()
}

/// Two equations on a circle.
fn circle(method: &dyn Method, settings: Settings) -> Statistics {
    let mut ode = AsOde(&Circle);
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0, 0.0], settings };
    let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution.statistics
}

#[test]
fn flops_are_zero_or_reported_as_not_counted() {
    let method = Ode45::default().method();
    assert!(method.properties().counts_flops);
    assert_eq!(circle(&*method, Settings::tolerance(1e-6, 1e-6)).linear_algebra_flops, Some(0));
    let method = Radau5::default().method();
    assert!(!method.properties().counts_flops);
    assert_eq!(circle(&*method, Settings::tolerance(1e-6, 1e-6)).linear_algebra_flops, None);
}

#[test]
fn rosenbrock_steps_factorize_once_and_solve_twice() {
    let counted = circle(&*Ode23s::default().method(), Settings::fixed(0.0625));
    assert_eq!((lu(2), solve(2)), (3, 6));
    assert_eq!(counted.linear_algebra_flops, Some(16 * (3 + 2 * 6)));
    // With an error estimate, steps have a third solve, and rejected steps have a factorization as well.
    let counted = circle(&*Ode23s::default().method(), Settings::tolerance(1e-5, 1e-5));
    assert_eq!(counted.linear_algebra_flops, Some(3 * counted.factorizations + 6 * counted.linear_solves));
    assert!(counted.linear_solves >= 3 * counted.steps_accepted);
}

#[test]
fn differentiation_formulas_keep_their_factors() {
    let counted = circle(&*Ode15s::default().method(), Settings::tolerance(1e-5, 1e-5));
    assert!(counted.factorizations < counted.linear_solves);
    assert_eq!(counted.linear_algebra_flops, Some(3 * counted.factorizations + 6 * counted.linear_solves));
}

/// With a step of 2^-10 the norm of the matrix of four rows (two states, and one column each for `f` and `f_t`) is
/// below 0.015. This means degree 3, with two products of 2 · 4³ operations, a factorization, and solves for four
/// columns.
#[test]
fn exponentials_are_products_a_factorization_and_solves() {
    let llm = Llm { estimate: false, ..Llm::default() };
    let counted = circle(&*llm.method(), Settings::fixed(2f64.powi(-10)));
    assert_eq!((counted.matrix_exponentials, counted.matrix_products, counted.matrix_squarings), (1024, 2048, 0));
    assert_eq!(counted.linear_algebra_flops, Some(1024 * (2 * 128 + lu(4) + 4 * solve(4))));
    // Longer steps need higher degrees and finally squarings; each is a product.
    let counted = circle(&*llm.method(), Settings::fixed(0.25));
    let products = counted.matrix_products + counted.matrix_squarings;
    assert_eq!(counted.linear_algebra_flops, Some(4 * (lu(4) + 4 * solve(4)) + 128 * products));
}

/// The pendulum in the plane: two coordinates, one constraint. Both matrices are dense; only the mass is diagonal.
fn pendulum(method: &dyn Method) -> (Statistics, u64) {
    let counted = run(method, [0.0, 2.0], Settings::fixed(STEP)).statistics;
    (counted, counted.linear_algebra_flops.expect("it is counted"))
}

#[test]
fn index_three_formulas_solve_for_accelerations_and_multipliers() {
    let (counted, flops) = pendulum(&*HhtI3::default().method());
    assert_eq!(flops, counted.factorizations * lu(3) + counted.linear_solves * solve(3));
}

#[test]
fn stabilised_formulas_count_their_linear_algebra() {
    // One system for all six unknowns; three unknowns at the start.
    for method in [
        HhtSi2 { linear_algebra: PairAlgebra::Dense, ..HhtSi2::default() }.method(),
        NstiffSi2 { linear_algebra: LinearAlgebra::Dense, ..NstiffSi2::default() }.method(),
    ] {
        let (counted, flops) = pendulum(&*method);
        let iterations = counted.newton_iterations;
        assert_eq!(flops, lu(3) + solve(3) + iterations * (lu(6) + solve(6)));
    }
    // One matrix of three rows serves two solves.
    let (counted, flops) = pendulum(&*HhtSi2 { linear_algebra: PairAlgebra::Shared, ..HhtSi2::default() }.method());
    let iterations = counted.newton_iterations;
    assert_eq!(counted.linear_solves, 2 * iterations + 1);
    assert_eq!(flops, lu(3) + solve(3) + iterations * (lu(3) + 2 * solve(3)));
    // Velocities are eliminated, with blocks that are formed at least once per step: both coordinates are curved, and
    // the metric is the identity. Forming the blocks takes J W, its factor (one number), and for each column J Z, a
    // solve and W R. The matrix takes (M − c ∂D/∂v) T.
    let (counted, flops) =
        pendulum(&*NstiffSi2 { linear_algebra: LinearAlgebra::Structured, ..NstiffSi2::default() }.method());
    let iterations = counted.newton_iterations;
    // per iteration: ê and ν̂ (J e, a solve, W ν), (M − c ∂D/∂v) e, the system, and (R, T) δa
    let iteration = (4 + 1 + 4) + 2 * 8 + (lu(3) + solve(3)) + 2 * (2 + 4) + 2 * 2 * 8;
    let forming = 4 + 1 + 2 * (4 + 1 + 4);
    let rest = flops - (lu(3) + solve(3)) - iterations * iteration;
    assert_eq!(rest % forming, 0, "{rest}");
    assert!((128..=iterations).contains(&(rest / forming)), "{} blocks in 128 steps", rest / forming);
}

#[test]
fn additive_constraints_count_their_elimination() {
    let (counted, flops) = pendulum(&*HhtAdd { linear_algebra: PairAlgebra::Dense, ..HhtAdd::default() }.method());
    let iterations = counted.newton_iterations;
    // At the start and after each step: the diagonal mass (two operations), M⁻¹ Jᵀ and M⁻¹ D (two each).
    let weights = 129 * (2 + 2 + 2);
    // Products with M⁻¹ Jᵀ: two with square matrices, two with rows of constraints.
    let products = 2 * 8 + 2 * 4;
    assert_eq!(flops, lu(3) + solve(3) + weights + iterations * (products + lu(6) + solve(6)));
    let (counted, flops) = pendulum(&*HhtAdd { linear_algebra: PairAlgebra::Structured, ..HhtAdd::default() }.method());
    let iterations = counted.newton_iterations;
    assert!(flops < lu(3) + solve(3) + weights + iterations * (products + lu(6) + solve(6)) * 3 / 2);
    assert!(flops > lu(3) + solve(3) + weights + iterations * (products + lu(4) + solve(4)));
    assert_eq!(counted.linear_solves, iterations + 1);
    // One level after the other. Forming takes M₁⁻¹ J₁ᵀ and M₁ M₀⁻¹ J₀ᵀ, J₁ M₁⁻¹ J₁ᵀ and its factor (one number).
    // Solving takes the solves with the mass and this number, three products with two coordinates and one constraint,
    // and one with a square matrix.
    let (counted, flops) = pendulum(&*HhtAdd { linear_algebra: PairAlgebra::Shared, ..HhtAdd::default() }.method());
    let iteration = (lu(3) + solve(3)) + (2 + 2 + 4 + 1) + (2 + 1 + 3 * 4 + 8);
    assert_eq!(flops, lu(3) + solve(3) + weights + counted.newton_iterations * iteration);
}
