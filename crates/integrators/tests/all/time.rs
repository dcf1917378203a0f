//! Spans that run backwards, break points, and the watch for right-hand sides that jump.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use crate::common::Cubic;
use crate::common::constrained::{Manufactured, Pendulum};
use mbsbench_integrators::{
    Dop853, Dopri5, GeneralizedAlpha, Hedop5, Hem4, HhtI3, LieGeneralizedAlpha, Mebdf, Ode15s, Ode23s, Ode45, Radau5,
    Rattle, Rk4,
};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Clock, Dimensions, DoubleDouble, Entries, Failure, MechanicalModel, MechanicsOf, Method,
    MethodDefinition, Observer, Ode, OdeModel, Probe, Scalar, Settings, Silent, Solution, Step, Task,
};

fn solve(ode: &mut dyn Ode, method: &dyn Method, span: [f64; 2], initial: &[f64], settings: Settings) -> Solution {
    let task = Task { t_start: span[0], t_end: span[1], initial, settings };
    task.solve(method, ode, &mut Silent)
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// `y' = cos t − 5 (y − sin t)`, solved by `sin t`; unstable backwards.
struct Sine;
impl OdeModel for Sine {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = t.cos() - (y[0] - t.sin()) * 5.0;
    }
}

#[test]
fn methods_solve_differential_equations_backwards() {
    let tight = Settings::tolerance(1e-10, 1e-10);
    for (method, settings, bound) in [
        (Dop853::default().method(), tight, 1e-8),
        (Radau5::default().method(), tight, 1e-8),
        (Mebdf::default().method(), tight, 1e-6),
        (Ode15s::default().method(), tight, 1e-6),
        (Ode23s::default().method(), Settings::tolerance(1e-7, 1e-7), 1e-4),
        (Rk4::default().method(), Settings::fixed(1e-3), 1e-9),
    ] {
        // Errors grow by e⁵ = 148.
        let back = solve(&mut AsOde(&Sine), &*method, [1.5, 0.5], &[1.5_f64.sin()], settings);
        assert_eq!((back.failure, back.t_reached), (None, 0.5));
        assert!((back.state[0] - 0.5_f64.sin()).abs() < 148.0 * bound, "{}", back.state[0] - 0.5_f64.sin());
        let there = solve(&mut AsOde(&Cubic), &*method, [0.0, 1.0], &[1.0 / 3.0, 0.0], settings);
        let back = solve(&mut AsOde(&Cubic), &*method, [1.0, 0.0], &there.state, settings);
        assert!(distance(&back.state, &[1.0 / 3.0, 0.0]) < bound);
    }
}

/// The constraints move, and forces depend on time and velocities.
#[test]
fn methods_solve_mechanics_backwards() {
    let tight = Settings::tolerance(1e-9, 1e-9);
    for (method, settings, bound) in [
        (Dop853::default().method(), tight, 1e-6),
        (Radau5::default().method(), tight, 1e-5),
        (Mebdf::default().method(), Settings::tolerance(1e-8, 1e-8), 1e-4),
        (Ode15s::default().method(), Settings::tolerance(1e-8, 1e-8), 1e-4),
        (Hem4::default().method(), Settings::fixed(2e-3), 1e-8),
        (Hedop5::default().method(), tight, 1e-6),
        (HhtI3::default().method(), Settings::fixed(1e-3), 5e-4),
        (GeneralizedAlpha::default().method(), Settings::fixed(1e-3), 5e-4),
        (LieGeneralizedAlpha::default().method(), Settings::fixed(1e-3), 5e-4),
        (Rattle::default().method(), Settings::fixed(1e-3), 5e-4),
    ] {
        for constrained in [true, false] {
            let model = Manufactured { constrained };
            let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(&model));
            let back = solve(&mut ode, &*method, [1.0, 0.2], &Manufactured::exact(1.0), settings);
            assert_eq!(back.failure, None);
            let error = distance(&back.state, &Manufactured::exact(0.2));
            assert!(error < bound, "{error:e} with {settings:?}");
        }
    }
    let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(&Pendulum));
    let there = solve(&mut ode, &*Hem4::default().method(), [0.0, 1.0], &Pendulum::START, Settings::fixed(1e-3));
    let back = solve(&mut ode, &*Hem4::default().method(), [1.0, 0.0], &there.state, Settings::fixed(1e-3));
    assert!(distance(&back.state, &Pendulum::START) < 1e-9);
}

/// A skate on a slope, driven by a torque: it cannot move sideways.
struct Skate;
impl MechanicalModel for Skate {
    fn dimensions(&self) -> Dimensions {
        Dimensions { coordinates: 3, velocities: 3, holonomic: 0, nonholonomic: 1 }
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..3).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, t: S, _q: &[S], v: &[S], forces: &mut [S]) {
        forces.copy_from_slice(&[S::from(2.0), -v[1] * 0.5, t.cos()]);
    }
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        gamma[0] = q[2].sin() * v[0] - q[2].cos() * v[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn nonholonomic_constraints_run_backwards() {
    let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(&Skate));
    let (tight, start) = (Settings::tolerance(1e-11, 1e-11), [0.0, 0.0, 0.5, 0.5_f64.cos(), 0.5_f64.sin(), 1.0]);
    let there = solve(&mut ode, &*Dop853::default().method(), [0.0, 1.0], &start, tight);
    assert!(distance(&there.state, &start) > 0.1);
    let back = solve(&mut ode, &*Dop853::default().method(), [1.0, 0.0], &there.state, tight);
    assert!(distance(&back.state, &start) < 1e-8, "{:?}", back.state);
}

/// Shows times and states of all steps, with the middle of each.
#[derive(Default)]
struct Seen(Vec<(u64, [f64; 3])>, Vec<f64>);
impl Observer for Seen {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.1.push(t - y[0].asin());
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let middle = 0.5 * (step.t_start + step.t_end);
        let mut y = [0.0];
        step.within.state_at(middle, &mut y).unwrap();
        self.0.push((step.index, [step.t_start, middle, step.t_end]));
        for (t, y) in [(step.t_start, step.start[0]), (middle, y[0]), (step.t_end, step.end[0])] {
            self.1.push((y - t.sin()).abs());
        }
        if step.t_end < 0.3 {
            ControlFlow::Break(Failure::NonFinite { time: step.t_end })
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn observers_see_forward_times() {
    let task = Task { t_start: 1.0, t_end: 0.0, initial: &[1.0_f64.sin()], settings: Settings::fixed(0.01) };
    let mut seen = Seen::default();
    let solution = task.solve_with_breaks(&[0.5], &*Rk4::default().method(), &mut AsOde(&Sine), &mut seen);
    assert!(seen.1.iter().all(|error| *error < 1e-4), "{:?}", seen.1);
    assert_eq!((seen.0[0].1[0], seen.0[49].1[2], seen.0[50].1[0]), (1.0, 0.5, 0.5));
    assert!(seen.0.iter().enumerate().all(|(k, (index, _))| *index == k as u64 + 1));
    assert_eq!(solution.failure, Some(Failure::NonFinite { time: solution.t_reached }));
    assert!(0.29 < solution.t_reached && solution.t_reached < 0.3);
}

/// A point mass is pushed by ±1 N: `y'' = sign(t − 7.5)`. The force is undefined at the jump.
struct Pushed;
impl OdeModel for Pushed {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        let late = (t - 7.5).re();
        dydt[0] = y[1];
        dydt[1] = S::from(if late == 0.0 { f64::NAN } else { late.signum() });
    }
}

#[test]
fn a_jump_at_a_break_point_costs_no_accuracy() {
    // y(7.5) = −7.5²/2, y'(7.5) = −7.5
    let exact = [-28.125 - 7.5 * 2.5 + 0.5 * 2.5 * 2.5, -5.0];
    let loose = Settings::tolerance(1e-8, 1e-8);
    for (method, settings) in [
        (Dopri5::default().method(), loose),
        (Dop853::default().method(), loose),
        (Radau5::default().method(), loose),
        (Ode15s::default().method(), loose),
        (Rk4::default().method(), Settings::fixed(0.4)),
    ] {
        let task = Task { t_start: 0.0, t_end: 10.0, initial: &[0.0, 0.0], settings };
        let solve = |breaks: &[f64]| task.solve_with_breaks(breaks, &*method, &mut AsOde(&Pushed), &mut Silent);
        let found = solve(&[12.0, 7.5, 7.5, -1.0]);
        assert_eq!((&found.failure, found.t_reached), (&None, 10.0));
        let bound = if settings.control == Settings::fixed(0.4).control { 1e-12 } else { 1e-5 };
        assert!(distance(&found.state, &exact) < bound, "{:?}", found.state);
    }
    let fixed = |clock| Settings { clock, ..Settings::fixed(0.5) };
    let task = |settings| Task { t_start: 0.0, t_end: 10.0, initial: &[0.0, 0.0], settings };
    let halves = task(fixed(Clock::Exact)).solve_with_breaks(
        &[7.5],
        &*Rk4::default().method(),
        &mut AsOde(&Pushed),
        &mut Silent,
    );
    assert_eq!((halves.statistics.steps_accepted, halves.statistics.rhs_evaluations), (20, 80));
    let few = Settings { max_rhs_evaluations: 70, ..fixed(Clock::Exact) };
    let few = task(few).solve_with_breaks(&[7.5], &*Rk4::default().method(), &mut AsOde(&Pushed), &mut Silent);
    assert!(matches!(few.failure, Some(Failure::BudgetExhausted { limit: 70, .. })), "{:?}", few.failure);
    assert_eq!(few.statistics.rhs_evaluations, 68);
    let summed = task(fixed(Clock::Accumulating)).solve_with_breaks(
        &[7.5],
        &*Rk4::default().method(),
        &mut AsOde(&Pushed),
        &mut Silent,
    );
    assert!(matches!(summed.failure, Some(Failure::NotApplicable { .. })));
    let (initial, t_end) = ([DoubleDouble::from(0.0); 2], DoubleDouble::from(10.0));
    let precise = Task { t_start: initial[0], t_end, initial: &initial, settings: Settings::fixed(0.5) };
    let precise =
        precise.solve_with_breaks(&[7.5], &*Rk4::default().precise().unwrap(), &mut AsOde(&Pushed), &mut Silent);
    assert!((precise.state[0] - exact[0]).value().abs() < 1e-28, "{:?}", precise.state);
}

/// Passes steps to a probe.
struct Probed<'m>(Option<Probe<'m>>);
impl Observer for Probed<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.0.as_mut().map_or(ControlFlow::Continue(()), |probe| probe.step(step))
    }
}

fn probed(model: &impl OdeModel, method: &dyn Method, end: f64, initial: &[f64], tolerance: f64) -> (Solution, String) {
    let settings = Settings { max_steps: 100_000, ..Settings::tolerance(tolerance, tolerance) };
    let mut watch = Probed(Probe::new(&mut AsOde(model), || Box::new(AsOde(model)), ([0.0, end], &[]), &settings));
    let task = Task { t_start: 0.0, t_end: end, initial, settings };
    let solution = task.solve(method, &mut AsOde(model), &mut watch);
    (solution, watch.0.and_then(Probe::warning).unwrap_or_default())
}

fn several() -> Vec<Box<dyn Method>> {
    vec![
        Ode15s::default().method(),
        Ode45::default().method(),
        Ode23s::default().method(),
        Dopri5::default().method(),
        Dop853::default().method(),
        Radau5::default().method(),
        Mebdf::default().method(),
    ]
}

/// `y' = f(t)`.
struct Given<F>(F);
impl<F: Fn(f64) -> f64 + Send + Sync> OdeModel for Given<F> {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, t: S, _y: &[S], dydt: &mut [S]) {
        dydt[0] = S::from((self.0)(t.re()));
    }
}

#[test]
fn pulses_and_jumps_in_time_are_warned_about() {
    let (mut missed, mut told) = (0, 0);
    for method in several() {
        let pulse = Given(|t: f64| f64::from(u8::from((1.0..2.0).contains(&t))));
        let (solution, warning) = probed(&pulse, &*method, 100.0, &[0.0], 1e-6);
        let is_missed = (solution.state[0] - 1.0).abs() > 0.5;
        missed += usize::from(is_missed);
        let is_told = warning.contains("jumps at t = 1:") || warning.contains("jumps at t = 2:");
        assert!(is_told || !is_missed, "{warning}");
        assert!(!is_told || warning.contains("`max_step`") && warning.contains("`breaks`"), "{warning}");
        told += usize::from(is_told);
        let bump = Given(|t: f64| (-((t - 55.5) / 0.3).powi(2)).exp());
        let (solution, warning) = probed(&bump, &*method, 100.0, &[0.0], 1e-6);
        let area = 0.3 * PI.sqrt();
        if (solution.state[0] - area).abs() > 1e-3 {
            assert!(warning.contains("a pulse"), "{}: {warning}", solution.state[0]);
        }
    }
    assert!(missed > 1 && told > missed, "{missed} methods miss the pulse, {told} are warned about");
}

/// `y' = −λ (y − cos t) + a cos(w t)`: stiff, with forcing of any frequency.
struct Stiff(f64, f64);
impl OdeModel for Stiff {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = (y[0] - t.cos()) * -self.0 + (t * self.1).cos() + (-t * 30.0).exp();
    }
}

#[test]
fn smooth_problems_are_not_warned_about() {
    for method in several() {
        for tolerance in [1e-3, 1e-6, 1e-9] {
            for (stiffness, frequency) in [(0.0, 1.0), (0.0, 20.0), (1.0, 3.0), (1e4, 1.0), (1e6, 10.0)] {
                if tolerance < 1e-6 && method.order() < 3 {
                    continue;
                }
                let (solution, warning) = probed(&Stiff(stiffness, frequency), &*method, 10.0, &[1.0], tolerance);
                // Explicit methods exhaust the budget of stiff problems.
                assert_eq!(&*warning, "", "{stiffness} {frequency} at {tolerance:e}");
                assert!(matches!(solution.failure, None | Some(Failure::BudgetExhausted { .. })));
            }
        }
    }
}

/// Both components are driven towards the line on which they are equal.
struct Sliding;
impl OdeModel for Sliding {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = S::from(if y[0].re() > y[1].re() { -2.0 } else { 2.0 });
        dydt[1] = S::from(if y[1].re() > y[0].re() { -3.0 } else { 1.5 });
    }
}

/// `y' = y²` has a pole at one.
struct Pole;
impl OdeModel for Pole {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[0] * y[0];
    }
}

#[test]
fn chattering_is_recognised() {
    let (solution, _) = probed(&Sliding, &*Ode15s::default().method(), 1.0, &[1.5, 1.0], 1e-3);
    let Some(Failure::Chattering { time, step }) = solution.failure else { panic!("{:?}", solution.failure) };
    assert!((time - 1.0 / 7.0).abs() < 1e-3 && step < 1e-6, "{time} {step}");
    assert!(solution.statistics.steps_accepted < 20_000, "{}", solution.statistics.steps_accepted);
    for method in several() {
        let (solution, _) = probed(&Pole, &*method, 2.0, &[1.0], 1e-6);
        assert!(!matches!(solution.failure, None | Some(Failure::Chattering { .. })), "{:?}", solution.failure);
        let short = Settings { max_steps: 30_000, ..Settings::tolerance(1e-13, 1e-13) };
        let mut watch = Probed(Probe::new(&mut AsOde(&Cubic), || Box::new(AsOde(&Cubic)), ([0.0, 1e6], &[]), &short));
        let task = Task { t_start: 0.0, t_end: 1e6, initial: &[1.0 / 3.0, 0.0], settings: short };
        let solution = task.solve(&*method, &mut AsOde(&Cubic), &mut watch);
        assert!(!matches!(solution.failure, Some(Failure::Chattering { .. })), "short steps on a smooth problem");
    }
}
