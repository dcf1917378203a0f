//! A chain of rods: methods that solve its constrained form with sparse matrices, compared with its form in angles.

use crate::common::solving::{Named, named, observed, solve};
use mbsbench_integrators::low_order::NewtonSettings;
use mbsbench_integrators::{
    Dop853, Dopri5, GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Lms2, Mssth5,
    Newmark, Nstiff, NstiffSi2, Ode15s, Radau5, Trapezoidal,
};
use mbsbench_models::{LinkageFormulation, RodChain};
use mbsbench_problem::{Model, ModelDefinition, Settings};

/// A chain that swings down from the horizontal, damped so that its motion is smooth.
fn chain(formulation: LinkageFormulation, rods: usize) -> RodChain {
    RodChain { formulation, rods, damping: 1e-3, ..RodChain::default() }
}

/// Position and velocity of the free end at a state.
fn tip(model: &dyn Model, state: &[f64]) -> [f64; 4] {
    observed(model, 0.0, state)[..4].try_into().expect("four of them first")
}

/// Position and velocity of the free end at the end of the run, with more digits than any method here has.
fn reference(rods: usize, t_end: f64) -> [f64; 4] {
    let model = chain(LinkageFormulation::Minimal, rods).model();
    let solution = solve(&*model, &named(Dop853::default()), t_end, Settings::tolerance(1e-13, 1e-13));
    assert_eq!(solution.failure, None);
    tip(&*model, &solution.state)
}

const RODS: usize = 16;
const T_END: f64 = 0.25;

/// Errors of position and velocity of the free end.
fn errors(method: &Named, settings: Settings, reference: [f64; 4]) -> [f64; 2] {
    let model = chain(LinkageFormulation::Cartesian, RODS).model();
    let solution = solve(&*model, method, T_END, settings);
    assert_eq!(solution.failure, None, "{}", method.0);
    let tip = tip(&*model, &solution.state);
    let distance = |i: usize| (tip[i] - reference[i]).hypot(tip[i + 1] - reference[i + 1]);
    [distance(0), distance(2)]
}

/// Compares the rule that ends an iteration if the next one would change only roundoff with an iteration that
/// continues until corrections no longer decrease, with an unattainable tolerance.
#[test]
fn newton_ends_at_rounding_without_loss_of_digits() {
    let model = chain(LinkageFormulation::Cartesian, 200).model();
    let solved = |tolerance: f64| {
        let newton = NewtonSettings { tolerance, ..NewtonSettings::default() };
        let method = named(HhtI3 { newton, ..HhtI3::default() });
        let solution = solve(&*model, &method, 0.01, Settings::fixed(5e-4));
        assert_eq!(solution.failure, None);
        (tip(&*model, &solution.state), solution.statistics.newton_iterations)
    };
    let ((usual, few), (strict, many)) = (solved(NewtonSettings::default().tolerance), solved(1e-16));
    // 20 steps; 17 fewer were measured before this bound was set.
    assert!(few + 10 <= many, "an iteration less in every other step: {few}, {many}");
    // accelerations have roundoff of 1e-6 m/s², which changes a velocity by 1e-9 m/s in a step
    for (usual, strict) in usual.iter().zip(strict) {
        assert!((usual - strict).abs() <= 1e-8, "{usual} {strict}");
    }
}

#[test]
fn orders_on_many_bodies_match_the_formulas() {
    let reference = reference(RODS, T_END);
    let second: [(Named, f64); 11] = [
        (named(HhtI3::default()), 2.0),
        (named(GeneralizedAlpha::default()), 2.0),
        (named(Newmark::default()), 1.0),
        (named(Nstiff::default()), 2.0),
        (named(HhtAdd::default()), 2.0),
        (named(HhtSi2::default()), 2.0),
        (named(NstiffSi2::default()), 2.0),
        (named(GeneralizedAlphaI2::default()), 2.0),
        (named(GeneralizedAlphaSi2::default()), 2.0),
        (named(Lms2::default()), 2.0),
        (named(Trapezoidal::default()), 2.0),
    ];
    for (method, order) in second {
        let at = |step: f64| errors(&method, Settings::fixed(step), reference);
        let (coarse, fine) = (at(T_END / 256.0), at(T_END / 512.0));
        for k in 0..2 {
            let measured = (coarse[k] / fine[k]).log2();
            assert!((measured - order).abs() < 0.25, "{}: order {measured}, errors {coarse:?} {fine:?}", method.0);
        }
    }
}

/// The local error is of third order and that at the end of second order: it is proportional to the tolerance
/// to the power 2/3.
#[test]
fn errors_on_many_bodies_follow_the_tolerance() {
    let reference = reference(RODS, T_END);
    for method in [named(HhtI3::default()), named(GeneralizedAlpha::default())] {
        let at = |tolerance: f64| errors(&method, Settings::tolerance(tolerance, tolerance), reference);
        let (loose, tight) = (at(1e-5), at(1e-8));
        for k in 0..2 {
            let power = (loose[k] / tight[k]).log10() / 3.0;
            assert!(
                (power - 2.0 / 3.0).abs() < 0.1,
                "{}: power {power} of the tolerance, {loose:?} {tight:?}",
                method.0
            );
        }
    }
}

#[test]
fn methods_of_high_order_agree_with_the_form_in_angles() {
    let reference = reference(RODS, T_END);
    let controlled = Settings::tolerance(1e-9, 1e-9);
    let methods: [(Named, Settings); 5] = [
        (named(Radau5::default()), controlled),
        (named(Dopri5::default()), controlled),
        (named(Dop853::default()), controlled),
        (named(Ode15s::default()), controlled),
        (named(Mssth5::default()), Settings::fixed(T_END / 1024.0)),
    ];
    for (method, settings) in methods {
        let [position, velocity] = errors(&method, settings, reference);
        assert!(position < 1e-6 && velocity < 1e-5, "{}: {position:e} m, {velocity:e} m/s", method.0);
    }
}

/// Default settings, on chains in which roundoff of the constraints changes angles by far more than positions.
#[test]
fn newtons_method_ends_at_rounding() {
    for rods in [50, 200] {
        let model = chain(LinkageFormulation::Cartesian, rods).model();
        for step in [5e-4, 1e-4] {
            let methods: [Named; 6] = [
                named(HhtI3::default()),
                named(GeneralizedAlpha::default()),
                named(Newmark::default()),
                named(Nstiff::default()),
                named(HhtAdd::default()),
                named(HhtSi2::default()),
            ];
            for method in methods {
                let solution = solve(&*model, &method, 20.0 * step, Settings::fixed(step));
                assert_eq!(solution.failure, None, "{} on {rods} rods", method.0);
                let iterations = solution.statistics.newton_iterations;
                assert!(iterations <= 20 * 6, "{} on {rods} rods: {iterations} iterations", method.0);
            }
        }
    }
}

/// Excessive forces make Newton's matrix so large that its corrections are small wherever the rods are.
#[test]
fn rods_that_separate_fail_the_run() {
    let model = RodChain { rods: 3, gravity: 1e300, ..RodChain::default() }.model();
    for method in [
        named(HhtI3::default()),
        named(Newmark::default()),
        named(Nstiff::default()),
        named(GeneralizedAlpha::default()),
        named(HhtSi2::default()),
        named(HhtAdd::default()),
    ] {
        let solution = solve(&*model, &method, 0.1, Settings::fixed(1e-3));
        assert!(solution.failure.is_some() && solution.t_reached == 0.0, "{} reaches {}", method.0, solution.t_reached);
    }
}
