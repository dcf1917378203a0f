//! Requirements on every formula for constrained mechanics, instantiated for each.

use crate::common::conformance::{
    STEP, both_controls_keep_spans, both_controls_tell_failures, budgets_are_kept, is_watched_within, run,
    spans_are_kept,
};
use crate::common::constrained::{Cliff, Odd, Pendulum, Watcher, distance, solve};
use crate::common::{Circle, constrained};
use mbsbench_integrators::low_order::{JacobianUse, NewtonSettings};
use mbsbench_integrators::{
    GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2,
};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Failure, MechanicsOf, Method, MethodDefinition, Ode, Settings, Silent,
    Statistics, Task,
};

/// A formula with the settings that the tests vary.
trait LowOrder: MethodDefinition {
    /// True if it needs equal steps.
    const MULTISTEP: bool;
    /// Linear solves per iteration.
    const SOLVES: u64;
    /// Number of motions that are solved for at the start.
    const STARTS: u64;
    fn with(newton: NewtonSettings) -> Self;
}

macro_rules! low_order {
    ($($type:ident: $multistep:literal, $solves:literal, $starts:literal);*) => {$(
        impl LowOrder for $type {
            const MULTISTEP: bool = $multistep;
            const SOLVES: u64 = $solves;
            const STARTS: u64 = $starts;
            fn with(newton: NewtonSettings) -> Self {
                #[allow(clippy::needless_update, reason = "some have nothing but these settings")]
                Self { newton, ..Self::default() }
            }
        }
    )*};
}
low_order!(
    Newmark: false, 1, 1; HhtI3: false, 1, 1; Nstiff: true, 1, 1; GeneralizedAlpha: false, 1, 2;
    HhtAdd: false, 1, 1; HhtSi2: false, 2, 1; NstiffSi2: true, 1, 1; GeneralizedAlphaI2: false, 1, 2;
    GeneralizedAlphaSi2: false, 1, 2
);

fn spans<D: LowOrder>(method: &dyn Method) {
    let name = D::NAME;
    let settings = Settings::fixed(STEP);
    spans_are_kept(name, method);
    for t_end in [1e-9, 0.3, 1.01, 2.0] {
        let run = run(method, [0.0, t_end], settings);
        if D::MULTISTEP && t_end != 2.0 {
            assert!(matches!(run.failure, Some(Failure::NotApplicable { .. })), "{name}: {:?}", run.failure);
            assert_eq!((run.t_reached, run.statistics), (0.0, Statistics::default()), "{name}: refused at once");
        } else {
            assert_eq!((run.failure, run.t_reached), (None, t_end), "{name}: the end is hit exactly");
        }
    }

    // Rounding errors of positions, 1e-16, divided by the step appear in the velocities.
    let tiny = run(method, [0.0, 1e-7], Settings::fixed(1e-9));
    assert_eq!((tiny.failure, tiny.t_reached, tiny.statistics.steps_accepted), (None, 1e-7, 100), "{name}");
    let exact = [1.0, -0.5 * constrained::GRAVITY * 1e-14, 0.0, -constrained::GRAVITY * 1e-7];
    assert!(distance(&tiny.state[..2], &exact[..2]) < 1e-14, "{name}: tiny steps, {:?}", tiny.state);
    assert!(distance(&tiny.state[2..], &exact[2..]) < 1e-6, "{name}: tiny steps, {:?}", tiny.state);
}

fn failures<D: LowOrder>(method: &dyn Method) {
    let name = D::NAME;
    let settings = Settings::fixed(STEP);
    budgets_are_kept(name, method);

    let cliff = solve(&Cliff, method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
    assert_eq!(cliff.failure, Some(Failure::NonFinite { time: 1.0 }), "{name}");
    assert_eq!((cliff.t_reached, cliff.state), (1.0, run(method, [0.0, 1.0], settings).state), "{name}");

    // One iteration is not enough, so the first step is never made.
    let hasty = D::with(NewtonSettings { max_iterations: 1, ..NewtonSettings::default() }).method();
    let diverged = run(&*hasty, [0.0, 2.0], settings);
    let Some(Failure::AccelerationsDiverged { time: 0.0, iterations: 1, correction, tolerated, coordinate }) =
        diverged.failure
    else {
        panic!("{name}: {:?}", diverged.failure)
    };
    assert!(correction > tolerated && tolerated > 0.0 && (1..=3).contains(&coordinate), "{name}");
    assert_eq!((diverged.t_reached, diverged.state), (0.0, Pendulum::START.to_vec()), "{name}");
    // Far too large a step: whatever the iteration does, the failure is reported.
    let wild = run(method, [0.0, 1024.0], Settings::fixed(64.0));
    let told =
        matches!(wild.failure, None | Some(Failure::AccelerationsDiverged { .. } | Failure::SingularMatrix { .. }));
    assert!(told, "{name}: {:?}", wild.failure);
    assert!(wild.state.iter().all(|x| x.is_finite()), "{name}");

    let redundant = solve(&Odd::Redundant, method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
    assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })), "{name}");

    let refused = |mut ode: Box<dyn Ode + '_>, initial: &[f64], reason: &str| {
        assert!(method.suits(&mut *ode).is_err_and(|unsuitable| unsuitable.to_string().contains(reason)), "{name}");
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("{name}: not refused") };
        assert!(given.contains(reason), "{name}: {given}");
        assert_eq!(solution.statistics, Statistics::default(), "{name}");
    };
    refused(Box::new(AsOde(&Circle)), &[1.0, 0.0], "differential equations only");
    let odd = |model| Box::new(AccelerationLevel::new(MechanicsOf::new(model)));
    refused(odd(&Odd::Nonholonomic), &[0.0; 4], "1 nonholonomic");
    refused(odd(&Odd::MorePositions), &[0.0; 5], "positions that are vectors");
    refused(odd(&Odd::TurnedRates), &[0.0; 4], "positions that are vectors");
    let tolerance = if method.properties().adapts { -1e-6 } else { 1e-6 };
    for (span, settings) in [
        ([1.0, 0.0], settings),
        ([0.0, f64::NAN], settings),
        ([0.0, 1.0], Settings::fixed(0.0)),
        ([0.0, 1.0], Settings::tolerance(tolerance, 1e-6)),
    ] {
        let refused = run(method, span, settings).failure;
        assert!(matches!(refused, Some(Failure::NotApplicable { .. })), "{name}: {refused:?}");
    }
}

/// One evaluation, factorization and solve for each motion at the start; one evaluation and one or two solves per
/// iteration.
fn counters<D: LowOrder>() {
    let name = D::NAME;
    for jacobian in [JacobianUse::Full, JacobianUse::Modified] {
        let method = D::with(NewtonSettings { jacobian, ..NewtonSettings::default() }).method();
        let counted = run(&*method, [0.0, 2.0], Settings::fixed(STEP)).statistics;
        let iterations = counted.newton_iterations;
        assert!((2 * 128..=6 * 128).contains(&iterations), "{name}: {iterations}");
        let formed = if jacobian == JacobianUse::Full { iterations } else { 128 };
        let expected = Statistics {
            steps_accepted: 128,
            rhs_evaluations: iterations + D::STARTS,
            jacobian_evaluations: formed,
            jacobian_columns: 2 * formed,
            factorizations: formed + D::STARTS,
            newton_iterations: iterations,
            linear_solves: D::SOLVES * iterations + D::STARTS,
            linear_algebra_flops: counted.linear_algebra_flops,
            ..Statistics::default()
        };
        assert!(
            counted.linear_algebra_flops.is_some_and(|flops| flops > 0) && method.properties().counts_flops,
            "{name}"
        );
        assert_eq!(counted, expected, "{name}");
    }
}

/// A matrix kept over steps changes the solution by the tolerance only, and a different step size requires a new
/// matrix.
fn kept_matrices<D: LowOrder>() {
    let (name, h) = (D::NAME, STEP / 8.0);
    let solve = |jacobian, steps| {
        let newton = NewtonSettings { jacobian, tolerance: 1e-8, ..NewtonSettings::default() };
        run(&*D::with(newton).method(), [0.0, steps * h], Settings::fixed(h))
    };
    let [full, kept] = [JacobianUse::Full, JacobianUse::Kept].map(|jacobian| solve(jacobian, 1024.0));
    assert_eq!((full.failure, kept.failure), (None, None), "{name}");
    assert!(distance(&full.state, &kept.state) < 1e-7, "{name}: {:e}", distance(&full.state, &kept.state));
    let made = kept.statistics.factorizations - D::STARTS;
    assert!((1..=1024 / 3).contains(&made), "{name}: {made} matrices for 1024 steps of a whole swing");
    if !D::MULTISTEP {
        let [whole, more] = [2.0, 2.5].map(|steps| solve(JacobianUse::Kept, steps).statistics.factorizations);
        assert!(more > whole, "{name}: half a step has its own matrix");
    }
}

fn conformance<D: LowOrder>() {
    let method = &*D::default().method();
    assert_eq!(method.properties().adapts, ["hht-i3", "generalized-alpha"].contains(&D::NAME), "{}", D::NAME);
    if method.properties().adapts {
        both_controls_keep_spans(method, Watcher::default);
        both_controls_tell_failures(method, 0.0);
    }
    spans::<D>(method);
    // Positions drift if only velocities are constrained.
    let open = if D::NAME == "generalized-alpha-i2" { 2e-3 } else { 2e-5 };
    is_watched_within(open, D::NAME, method);
    failures::<D>(method);
    counters::<D>();
    kept_matrices::<D>();
}

macro_rules! conformance {
    ($($test:ident: $definition:ty),*) => {$(
        #[test]
        fn $test() {
            conformance::<$definition>();
        }
    )*};
}
conformance!(
    newmark: Newmark, hht_i3: HhtI3, nstiff: Nstiff, generalized_alpha: GeneralizedAlpha, hht_add: HhtAdd,
    hht_si2: HhtSi2, nstiff_si2: NstiffSi2, generalized_alpha_i2: GeneralizedAlphaI2,
    generalized_alpha_si2: GeneralizedAlphaSi2
);
