//! DOP853 with projection: orders by class, constraints, counters, conformance.

use crate::common::conformance::{STEP, both_controls_keep_spans, both_controls_tell_failures, run};
use crate::common::constrained::{Manufactured, Odd, Pendulum, Record, Watcher, distance};
use crate::common::{Circle, constrained};
use mbsbench_integrators::projection::Projection;
use mbsbench_integrators::{Dop853, Dop853Projected, Gbs};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Dimensions, DoubleDouble, Entries, Failure, MechanicalModel, Mechanics,
    MechanicsOf, Method, MethodDefinition, Ode, Parameters, Scalar, Settings, Silent, SlidingMode, SlidingModeSettings,
    Statistics, Task,
};

fn projected() -> Box<dyn Method> {
    Dop853Projected::default().method()
}

/// Largest errors of positions, velocities and multipliers (computed from the states) over the second half of the run.
fn errors(method: &dyn Method, settings: Settings) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    let mut equations = AccelerationLevel::new(MechanicsOf::new(&model));
    let mut record = Record::default();
    let solution = constrained::solve(&model, method, &Manufactured::exact(0.0), [0.0, 2.0], settings, &mut record);
    assert_eq!((solution.failure, solution.t_reached), (None, 2.0));
    let mut errors = [0.0f64; 3];
    for (&t, state) in record.times.iter().zip(&record.states).filter(|&(&t, _)| t > 1.0) {
        let exact = Manufactured::exact(t);
        equations.rhs(t, state, &mut [0.0; 6]).expect("regular");
        errors[0] = errors[0].max(distance(&state[..3], &exact[..3]));
        errors[1] = errors[1].max(distance(&state[3..], &exact[3..]));
        errors[2] = errors[2].max(distance(equations.multipliers(), &model.multipliers(t)));
    }
    errors
}

/// Positions, velocities and multipliers at several times, in double-double arithmetic: in double precision, rounding
/// ends the asymptotic range.
fn precise<M: MechanicalModel>(
    model: &M,
    initial: &[DoubleDouble],
    method: &impl MethodDefinition,
    step: f64,
) -> [Vec<DoubleDouble>; 3] {
    let method = method.precise().expect("generic over the scalar");
    let mut classes = [const { Vec::new() }; 3];
    for t_end in [0.25, 0.5, 0.75, 1.0, 1.25, 1.5].map(DoubleDouble::from) {
        let task = Task { t_start: DoubleDouble::from(0.0), t_end, initial, settings: Settings::fixed(step) };
        let mut ode = AccelerationLevel::<DoubleDouble>::new(MechanicsOf::new(model));
        let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        ode.rhs(t_end, &solution.state, &mut initial.to_vec()).expect("regular");
        let (positions, velocities) = solution.state.split_at(initial.len() / 2);
        let values = [positions, velocities, ode.multipliers()];
        classes.iter_mut().zip(values).for_each(|(class, values)| class.extend_from_slice(values));
    }
    classes
}

/// Orders of positions, velocities and multipliers for successive steps, compared with extrapolation of order 16. They
/// are computed from the largest errors at several times, because errors at a single time may be small by chance.
fn orders<M: MechanicalModel>(model: &M, initial: &[DoubleDouble], steps_per_second: &[f64]) -> Vec<[f64; 3]> {
    let reference = precise(model, initial, &Gbs { order: 16 }, 1.0 / 128.0);
    let errors = |&per_second: &f64| {
        let found = precise(model, initial, &Dop853Projected { projection_tolerance: 1e-28 }, per_second.recip());
        std::array::from_fn::<_, 3, _>(|class| {
            let pairs = found[class].iter().zip(&reference[class]);
            pairs.map(|(found, exact)| (*found - *exact).value().abs()).fold(0.0, f64::max)
        })
    };
    let errors: Vec<[f64; 3]> = steps_per_second.iter().map(errors).collect();
    let order = |pair: &[[f64; 3]], class: usize| (pair[0][class] / pair[1][class]).log2();
    errors.windows(2).map(|pair| [0, 1, 2].map(|class| order(pair, class))).collect()
}

/// The equations of the pendulum consist of sums and products, so that rounding is far below the errors of fine steps.
#[test]
fn positions_velocities_and_multipliers_have_order_eight() {
    let orders = orders(&Pendulum, &Pendulum::START.map(DoubleDouble::from), &[128.0, 256.0, 512.0, 1024.0]);
    assert!(orders.iter().flatten().all(|order| (order - 8.0).abs() < 0.2), "{orders:.3?}");
}

/// With a variable mass matrix and a moving constraint. The next error term has the opposite sign and dominates for
/// steps above 1/8 s, so that the order is approached from below; the accuracy of sines, 1e-21, ends the asymptotic
/// range before it is reached.
#[test]
fn order_eight_is_approached_with_moving_constraints() {
    let [q, v, _] = Manufactured::motion(DoubleDouble::from(0.0));
    let orders = orders(&Manufactured { constrained: true }, &[q, v].concat(), &[16.0, 32.0, 64.0]);
    let approach = |class: usize| orders[0][class] < orders[1][class] && orders[1][class] < 8.0;
    assert!((0..3).all(|class| approach(class) && orders[1][class] > 7.5), "{orders:.3?}");
}

#[test]
fn errors_follow_the_tolerance() {
    let found = [1e-4, 1e-6, 1e-8, 1e-10].map(|tol| errors(&*projected(), Settings::tolerance(tol, tol)));
    for class in 0..3 {
        assert!(found.windows(2).all(|pair| pair[1][class] < 0.1 * pair[0][class]), "class {class}: {found:?}");
        assert!(found[3][class] < 1e-8, "class {class}: {found:?}");
    }
}

/// Largest magnitudes of Φ and of its rate in a run.
fn violations(method: &dyn Method) -> [f64; 2] {
    let model = Manufactured { constrained: true };
    let mut mechanics = MechanicsOf::<_, f64>::new(&model);
    let mut record = Record::default();
    let settings = Settings::tolerance(1e-5, 1e-5);
    constrained::solve(&model, method, &Manufactured::exact(0.0), [0.0, 20.0], settings, &mut record);
    let mut violations = [0.0f64; 2];
    for (&t, state) in record.times.iter().zip(&record.states) {
        let (q, v) = state.split_at(3);
        let (mut phi, mut rate) = ([0.0; 2], [0.0; 2]);
        mechanics.constraint_values(t, q, v, &mut phi);
        mechanics.velocity_constraints(t, q, v, &mut rate);
        violations[0] = violations[0].max(distance(&phi, &[0.0; 2]));
        violations[1] = violations[1].max(distance(&rate, &[0.0; 2]));
    }
    violations
}

/// Constraints with a few terms below ten are satisfied to rounding; without the projection they drift.
#[test]
fn states_satisfy_both_kinds_of_constraints() {
    let held = violations(&*projected());
    assert!(held.iter().all(|violation| *violation < 1e-13), "{held:?}");
    let drifting = violations(&*Dop853::default().method());
    assert!(drifting.iter().all(|violation| *violation > 1e-7), "{drifting:?}");
}

/// Twelve evaluations per step, and a projection for each step: two factorizations, and at each level one correction
/// and one below the tolerance, or two if the first was large.
#[test]
fn projections_and_their_iterations_are_counted() {
    let counted = run(&*projected(), [0.0, 2.0], Settings::fixed(STEP)).statistics;
    let iterations = counted.newton_iterations;
    let expected = Statistics {
        steps_accepted: 128,
        rhs_evaluations: 12 * 128,
        projections: 128,
        factorizations: 2 * 128,
        newton_iterations: iterations,
        linear_solves: iterations,
        ..Statistics::default()
    };
    assert_eq!(counted, expected);
    assert!((2 * 128..=4 * 128).contains(&iterations), "{iterations}");
    let sharp = Dop853Projected { projection_tolerance: 1e-15 }.method();
    assert!(run(&*sharp, [0.0, 2.0], Settings::fixed(4.0 * STEP)).statistics.newton_iterations > 2 * 32);
    let controlled = run(&*projected(), [0.0, 2.0], Settings::tolerance(1e-8, 1e-8)).statistics;
    assert_eq!(controlled.projections, controlled.steps_accepted, "rejected steps are not projected");
}

/// Two points of 1 kg and 3 kg on a line, at opposite positions.
struct Balance;
impl MechanicalModel for Balance {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (mass[(0, 0)], mass[(1, 1)]) = (S::from(1.0), S::from(3.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] + q[1] - t;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Displacements are along `M⁻¹ Jᵀ = (1, 1/3)`, by three quarters and one quarter of the violation.
#[test]
fn displacements_are_the_smallest_in_the_metric_of_the_mass() {
    let mut ode = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&Balance));
    let mut counted = Counted::new(&mut ode);
    let mut mechanics = counted.mechanics().expect("it is there");
    let mut projection = Projection::new(&mut mechanics, 1e-14);
    let mut y = [1.5, 0.5, 0.2, 0.4];
    projection.project(&mut mechanics, 1.0, &mut y).expect("regular");
    // Φ = 1 and dΦ/dt = −0.4
    assert!(distance(&y, &[0.75, 0.25, 0.5, 0.5]) < 1e-15, "{y:?}");
    assert_eq!((projection.costs.factorizations, projection.costs.newton_iterations), (2, 4));
}

#[test]
fn a_state_too_far_from_the_constraints_is_reported() {
    let mut ode = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&Pendulum));
    let mut counted = Counted::new(&mut ode);
    let mut mechanics = counted.mechanics().expect("it is there");
    let mut projection = Projection::new(&mut mechanics, 1e-14);
    let far = projection.project(&mut mechanics, 0.5, &mut [5.0, 0.0, 0.0, 1.0]);
    assert_eq!(far, Err(Failure::NewtonDiverged { time: 0.5, iterations: 10 }));
    let centre = projection.project(&mut mechanics, 0.5, &mut [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(centre, Err(Failure::SingularMatrix { time: 0.5, matrix: "J M⁻¹ Jᵀ" }));
    let nowhere = projection.project(&mut mechanics, 0.5, &mut [1.0, f64::NAN, 0.0, 1.0]);
    assert!(nowhere.is_err(), "{nowhere:?}");
}

#[test]
fn spans_of_constrained_mechanics() {
    both_controls_keep_spans(&*projected(), || Watcher { explicit: true, ..Watcher::default() });
}

/// States requested by an observer satisfy the constraints, too.
#[test]
fn states_inside_steps_are_projected() {
    let mut watcher = Watcher { explicit: true, ..Watcher::default() };
    constrained::solve(&Pendulum, &*projected(), &Pendulum::START, [0.0, 2.0], Settings::fixed(0.125), &mut watcher);
    assert!(watcher.middle < 1e-14, "{:e}", watcher.middle);
}

#[test]
fn failures_on_constrained_mechanics() {
    both_controls_tell_failures(&*projected(), STEP);
}

/// Problems that index-3 formulas refuse; the initial state satisfies all of their constraints.
#[test]
fn nonholonomic_constraints_and_manifolds_are_accepted() {
    for (model, initial) in
        [(Odd::Nonholonomic, vec![0.0; 4]), (Odd::MorePositions, vec![0.0; 5]), (Odd::TurnedRates, vec![0.0; 4])]
    {
        let settings = Settings::fixed(STEP);
        let solution = constrained::solve(&model, &*projected(), &initial, [0.0, 1.0], settings, &mut Silent);
        assert_eq!((solution.failure, solution.t_reached), (None, 1.0));
        let fall = solution.state[solution.state.len() - 1];
        let expected = if model == Odd::Nonholonomic { 0.0 } else { -constrained::GRAVITY };
        assert!((fall - expected).abs() < 1e-13, "{fall}");
    }
}

#[test]
fn unsuitable_problems_are_refused() {
    let refused = |ode: &mut dyn Ode, initial: &[f64], reason: &str| {
        let method = projected();
        assert!(method.suits(ode).is_err_and(|unsuitable| unsuitable.to_string().contains(reason)));
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings: Settings::fixed(STEP) };
        let solution = method.solve(Counted::new(ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("not refused") };
        assert!(given.contains(reason), "{given}");
        assert_eq!(solution.statistics, Statistics::default());
    };
    refused(&mut AsOde(&Circle), &[1.0, 0.0], "differential equations only");
    let sliding = SlidingModeSettings::default();
    let mut sliding = SlidingMode::new(MechanicsOf::new(&Pendulum), sliding, 0.0, &Pendulum::START);
    refused(&mut sliding, &Pendulum::START, "differential equations only");
    assert!(Dop853Projected { projection_tolerance: 0.0 }.check().is_err());
}

/// In double-double arithmetic the constraints are satisfied to its precision.
#[test]
fn references_are_projected_to_full_precision() {
    let method = Dop853Projected { projection_tolerance: 1e-28 }.precise().expect("generic over the scalar");
    let initial = Pendulum::START.map(DoubleDouble::from);
    let (t_start, t_end) = (DoubleDouble::from(0.0), DoubleDouble::from(0.5));
    let task = Task { t_start, t_end, initial: &initial, settings: Settings::fixed(0.125) };
    let mut ode = AccelerationLevel::<DoubleDouble>::new(MechanicsOf::new(&Pendulum));
    let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    let y = &solution.state;
    let circle = (y[0] * y[0] + y[1] * y[1] - 1.0).value();
    assert!(circle.abs() < 1e-29, "{circle:e}");
}
