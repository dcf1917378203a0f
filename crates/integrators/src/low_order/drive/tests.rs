//! Prescribed steps of varying size: order of the formulas and estimate of the local error.

use super::*;
use crate::low_order::index3::Index3;
use crate::low_order::predictor::{Discretisation, GeneralizedAlphaWeights};
use crate::low_order::settings::MassAt;
use constrained::{Manufactured, Pendulum, distance};
use mbsbench_problem::{
    AccelerationLevel, Dimensions, Entries, MechanicalModel, MechanicsOf, Scalar, Settings, Silent,
};

#[allow(dead_code, reason = "what other tests need")]
#[path = "../../../tests/common/constrained.rs"]
mod constrained;

/// Repeats a list of step sizes; every step is accepted.
struct InTurn<F, W> {
    steps: Steps<F>,
    sizes: Vec<f64>,
    /// Called with start, end, multipliers and error estimate of each step.
    watch: W,
}

impl<'p, F: Formula, W: FnMut([f64; 2], [&[f64]; 4])> Stepping<Counted<'p>> for InTurn<F, W> {
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let size = self.sizes[run.own.steps_accepted as usize % self.sizes.len()];
        self.steps.controlled.as_mut().expect("tolerances are given").size = Some(size);
        let (t_next, h) = Controlled::next(self.steps.controlled.as_ref(), run, &self.steps.state)?;
        self.steps.iterate(run, t_next, h)?;
        let Steps { formula, trial, .. } = &mut self.steps;
        let estimate = formula.error(trial).expect("the formula has one").error.to_vec();
        self.steps.accept(run.t)?;
        let Steps { formula, state, end, .. } = &self.steps;
        let multipliers = formula.multipliers();
        (self.watch)([run.t, t_next], [state, end, multipliers, &estimate]);
        Ok(Some(t_next))
    }
    fn observe(&mut self, _problem: &mut Counted<'p>, _step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        unreachable!("nobody watches")
    }
    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        self.steps.states()
    }
}

/// Makes steps of `sizes` (s), repeated in turn, by the Hilber–Hughes–Taylor formulas with α or by the generalized-α
/// formulas with a spectral radius.
fn in_turn(
    model: &impl MechanicalModel,
    (discretisation, alpha): (Discretisation, f64),
    (initial, t_end): (&[f64], f64),
    sizes: &[f64],
    watch: impl FnMut([f64; 2], [&[f64]; 4]),
) {
    let settings = Settings::tolerance(0.0, 1e9);
    let task = Task { t_start: 0.0, t_end, initial, settings };
    let mut ode = AccelerationLevel::new(MechanicsOf::new(model));
    let mut silent = Silent;
    let mut run = Run::new(Counted::new(&mut ode), &task, &mut silent);
    let mut controlled = Controlled::new(CONTROL, Some(ERROR_ORDER), &task);
    controlled.as_mut().expect("tolerances are given").size = Some(sizes[0]);
    let make = |start: &Start<'_>| Ok(Index3::new(discretisation, alpha, MassAt::Shifted, start));
    let (formula, trial) = start(&mut run, make, (0.0, false), controlled.as_mut()).expect("there is a start");
    let newton = NewtonSettings { tolerance: 1e-12, ..NewtonSettings::default() };
    let keeper = Keeper::new(newton.jacobian);
    let (state, end) = (initial.to_vec(), initial.to_vec());
    let steps = Steps { formula, trial, newton, keeper, controlled, state, end };
    let solution = run.solve(InTurn { steps, sizes: sizes.to_vec(), watch });
    assert_eq!((solution.failure, solution.t_reached), (None, t_end));
}

/// The Hilber–Hughes–Taylor formulas with several α, or generalized-α formulas.
fn formulas(hht: bool) -> Vec<(Discretisation, f64)> {
    if hht {
        return [-1.0 / 3.0, -0.3, -0.1, 0.0].map(|alpha| (Discretisation::hht(alpha), alpha)).to_vec();
    }
    let weights = [0.0, 0.5, 0.8].map(GeneralizedAlphaWeights::with_spectral_radius);
    weights.map(|weights| (Discretisation::GeneralizedAlpha(weights), 0.0)).to_vec()
}

/// Largest errors of positions, velocities and multipliers over the second half of 2 s, with alternating steps `h` and
/// `3 h`.
fn errors(model: &Manufactured, formula: (Discretisation, f64), h: f64) -> [f64; 3] {
    let mut errors = [0.0f64; 3];
    in_turn(model, formula, (&Manufactured::exact(0.0), 2.0), &[h, 3.0 * h], |[_, t], [_, end, multipliers, _]| {
        if t > 1.0 {
            let (exact, (q, v)) = (Manufactured::exact(t), end.split_at(3));
            let now =
                [distance(q, &exact[..3]), distance(v, &exact[3..]), distance(multipliers, &model.multipliers(t))];
            errors = std::array::from_fn(|i| errors[i].max(now[i]));
        }
    });
    errors
}

/// If accelerations were left at the time where the previous step had them, velocities and positions would have order
/// one.
#[test]
fn varying_steps_keep_the_order() {
    for constrained in [false, true] {
        let model = Manufactured { constrained };
        // Errors that changes of step leave in accelerations in the directions of constraint forces do not decay
        // without damping, so that λ grows with the number of steps. With little damping they hide the order of the
        // positions at these steps.
        let damped = |&(_, alpha): &(Discretisation, f64)| alpha < -0.1 || !constrained;
        let (hht, generalized) = (formulas(true).into_iter().filter(damped), formulas(false));
        for formula in hht.chain(generalized) {
            let [coarse, fine] = [12, 13].map(|power| errors(&model, formula, 0.5f64.powi(power)));
            // Each change of step leaves an error O(h) in λ.
            let expected = [(2.0, 0.15), (2.0, 0.15), (1.0, 0.02)];
            for i in 0..if constrained { 3 } else { 2 } {
                let (order, (expected, within)) = ((coarse[i] / fine[i]).log2(), expected[i]);
                assert!((order - expected).abs() < within, "{formula:?}, {constrained}: class {i}, order {order:.3}");
            }
        }
    }
}

/// Two oscillators of different frequencies.
struct Oscillators;

impl Oscillators {
    const FREQUENCIES: [f64; 2] = [1.0, 3.0];

    /// The positions after a time.
    fn flow(state: &[f64], time: f64) -> [f64; 2] {
        std::array::from_fn(|i| {
            let (s, c) = (Self::FREQUENCIES[i] * time).sin_cos();
            state[i] * c + state[2 + i] * s / Self::FREQUENCIES[i]
        })
    }
}

impl MechanicalModel for Oscillators {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 0)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..2).for_each(|i| mass[(i, i)] = S::from(2.0));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        (0..2).for_each(|i| forces[i] = q[i] * (-2.0 * Self::FREQUENCIES[i] * Self::FREQUENCIES[i]));
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], _phi: &mut [S]) {}
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Largest deviation of the estimate from the local error of a step, relative to the largest local error.
fn estimate_deviation(formula: (Discretisation, f64), h: f64) -> f64 {
    let (mut deviation, mut size) = (0.0f64, 0.0f64);
    let sizes = [h, 2.0 * h, 0.5 * h, 1.5 * h, 3.0 * h];
    in_turn(
        &Oscillators,
        formula,
        (&[1.0, 0.5, 0.0, -1.0], 2.0),
        &sizes,
        |[before, after], [start, end, _, estimate]| {
            let exact = Oscillators::flow(start, after - before);
            for i in 0..2 {
                deviation = deviation.max(((end[i] - exact[i]).abs() - estimate[i]).abs());
                size = size.max((end[i] - exact[i]).abs());
            }
        },
    );
    deviation / size
}

#[test]
fn the_estimate_is_the_local_error_of_the_positions() {
    for formula in [formulas(true), formulas(false)].concat() {
        let [coarse, fine] = [1e-3, 5e-4].map(|h| estimate_deviation(formula, h));
        assert!(coarse < 1e-2 && ((coarse / fine).log2() - 1.0).abs() < 0.05, "{formula:?}: {coarse:e}, {fine:e}");
    }
}

/// The same comparison for a first step on curved constraints, from the exact state.
#[test]
fn the_estimate_is_the_local_error_on_constraints() {
    let model = Manufactured { constrained: true };
    let deviation = |formula, h: f64| {
        let mut relative = 0.0;
        in_turn(&model, formula, (&Manufactured::exact(0.0), h), &[h], |_, [_, end, _, estimate]| {
            let exact = Manufactured::exact(h);
            let error: Vec<f64> = (0..3).map(|i| (end[i] - exact[i]).abs()).collect();
            relative = distance(&error, estimate) / distance(&error, &[0.0; 3]);
        });
        relative
    };
    for formula in [formulas(true), formulas(false)].concat() {
        let [coarse, fine] = [1e-3, 5e-4].map(|h| deviation(formula, h));
        // With ρ = 0 the terms of first order cancel except for a thirtieth of `h`, so that terms of second order are
        // visible.
        let is_of_first_order = ((coarse / fine).log2() - 1.0).abs() < 0.1;
        assert!(coarse < 1e-3 && (is_of_first_order || coarse < 1e-4), "{formula:?}: {coarse:e}, {fine:e}");
    }
}

/// A pendulum released at the height of its pivot: forces are constant, there is no reaction at the start, and the
/// error along the circle is `θ F h²/20 = O(h⁶)`, with the angle `θ = g h²/2` and the reaction `F = 3 (g h)²/2` at the
/// end. Of this reaction the step adds `F/(12 c)` to `a₁ − a₀`, where `c h²` is the factor of accelerations in the
/// positions, and the estimate is `C θ F h²/(12 c)`.
#[test]
fn the_estimate_includes_rotating_constraints() {
    let quotient = |formula, h: f64| {
        let mut quotient = 0.0;
        in_turn(&Pendulum, formula, (&Pendulum::START, h), &[h], |_, [_, end, _, estimate]| {
            let fall = constrained::GRAVITY * h * h;
            let error = 0.5 * fall * 1.5 * fall.powi(2) / 20.0;
            // solution of θ″ = g cos θ from rest, up to O(h¹⁰)
            let exact = 0.5 * fall - fall.powi(3) / 240.0;
            let measured = exact - (-end[1]).atan2(end[0]);
            assert!((measured / error - 1.0).abs() < 0.02, "{formula:?}: {measured:e} for {error:e}");
            quotient = estimate[0].hypot(estimate[1]) / error;
        });
        quotient
    };
    for formula in [formulas(true), formulas(false)].concat() {
        let (constant, by_position) = match formula.0 {
            Discretisation::Newmark { beta, gamma } => (beta + 0.25 - 0.5 * gamma - 1.0 / 6.0, beta),
            Discretisation::GeneralizedAlpha(GeneralizedAlphaWeights { alpha_m, alpha_f, beta, gamma }) => {
                (beta + 0.25 - 0.5 * gamma - 1.0 / 6.0, beta * (1.0 - alpha_f) / (1.0 - alpha_m))
            }
            Discretisation::Bdf => unreachable!("not among them"),
        };
        let expected = 5.0 * constant / (3.0 * by_position);
        let [coarse, fine] = [0.04, 0.02].map(|h| quotient(formula, h) / expected);
        // Initial rates are difference quotients over h/100, during which reactions grow by a few per cent of
        // `F/(12 c)`.
        assert!((coarse - 1.0).abs() < 0.05 && (coarse - fine).abs() < 1e-3, "{formula:?}: {coarse}, {fine}");
    }
}
