//! Requirements on every method for differential equations, and on every tableau with the elementary controller,
//! beyond the checks of all registered methods in the tests of the program (ends, repeatability, observers, budgets,
//! refusals).

use std::ops::ControlFlow;

use crate::common::{Circle, Cubic, Known};
use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::{Dop853, Dopri5, ExplicitRungeKutta, Gbs, Mebdf, Ode15s, Ode23s, Ode45, Radau5, tableaux};
use mbsbench_problem::{
    AsOde, Clock, Counted, Failure, Method, MethodDefinition, Observer, Ode, Properties, Scalar, Settings, Silent,
    Solution, Step, Task,
};

/// A method with the properties that the tests need.
struct Tested {
    name: &'static str,
    method: Box<dyn Method>,
    /// Evaluations of one constant step, if steps are independent of each other, of their size and of the right-hand
    /// side.
    stages: Option<u64>,
    /// False for a method without constant steps.
    has_constant_steps: bool,
}

fn solve(method: &dyn Method, ode: &mut dyn Ode, initial: &[f64], span: [f64; 2], settings: Settings) -> Solution {
    let task = Task { t_start: span[0], t_end: span[1], initial, settings };
    method.solve(Counted::new(ode), &task, &mut Silent)
}

fn all_settings(Tested { method, has_constant_steps, .. }: &Tested) -> Vec<Settings> {
    let constant = has_constant_steps.then(|| Settings::fixed(0.125));
    let controlled = method.properties().adapts.then(|| Settings::tolerance(1e-6, 1e-6));
    constant.into_iter().chain(controlled).collect()
}

/// `y' = 1` up to `t = 1`, then NaN: there is no finite solution beyond `t = 1`.
struct Cliff;

impl Ode for Cliff {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&mut self, t: f64, _y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = if t > 1.0 { f64::NAN } else { 1.0 };
        Ok(())
    }
}

/// `y' = y` with the right-hand side locked at the start of a step: every step multiplies by `1 + h`.
#[derive(Default)]
struct Locked {
    rate: f64,
}

impl Ode for Locked {
    fn dimension(&self) -> usize {
        1
    }
    fn properties(&self) -> Properties<'_> {
        Properties { locks: true, ..Properties::default() }
    }
    fn begin_step(&mut self, _t: f64, y: &[f64]) -> Result<(), Failure> {
        self.rate = y[0];
        Ok(())
    }
    fn rhs(&mut self, _t: f64, _y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = self.rate;
        Ok(())
    }
}

/// Checks that each step of [`Locked`] multiplies by `1 + h`.
struct Multiplied;

impl Observer for Multiplied {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let ratio = step.end[0] / step.start[0];
        let expected = 1.0 + (step.t_end - step.t_start);
        // rounding, which is largest in extrapolation to order 16 with weights up to 1e2
        assert!((ratio - expected).abs() < 1e-13, "no derivative outlives the lock: {ratio}, not {expected}");
        ControlFlow::Continue(())
    }
}

/// Requests a state in the middle of every step and compares it with the exact one.
struct Middles<'m> {
    model: &'m Cubic,
    largest: f64,
}

impl Observer for Middles<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let t = 0.5 * (step.t_start + step.t_end);
        let mut y = [0.0; 2];
        step.within.state_at(t, &mut y).expect("the problem has no failures");
        let exact = self.model.exact(t);
        self.largest = self.largest.max((y[0] - exact[0]).abs()).max((y[1] - exact[1]).abs());
        let mut ends = [0.0; 2];
        step.within.state_at(step.t_start, &mut ends).expect("no evaluation is needed");
        assert_eq!(ends, step.start);
        step.within.state_at(step.t_end, &mut ends).expect("no evaluation is needed");
        assert_eq!(ends, step.end);
        ControlFlow::Continue(())
    }
}

/// Checks the counters of constant steps.
fn constant_steps(Tested { name, method, stages, .. }: &Tested) {
    let (method, initial) = (&**method, Cubic.exact(0.0));
    let fixed = solve(method, &mut AsOde(&Cubic), &initial, [0.0, 2.0], Settings::fixed(0.125)).statistics;
    assert_eq!(fixed.steps_accepted, 16, "{name}");
    if let Some(stages) = stages {
        assert_eq!(fixed.rhs_evaluations, 16 * stages, "{name}: evaluations are stages times steps");
    }
    let accumulating = Settings { clock: Clock::Accumulating, ..Settings::fixed(0.05) };
    let dissertation = solve(method, &mut AsOde(&Circle), &[1.0, 0.0], [0.0, 5.0], accumulating);
    assert_eq!(dissertation.statistics.steps_accepted, 101, "{name}");
    assert!(dissertation.t_reached > 5.04, "{name}: one step beyond the end");
    let tiny = solve(method, &mut AsOde(&Cubic), &initial, [1.0, 1.0 + 1e-12], Settings::fixed(1e-13));
    assert_eq!((tiny.failure, tiny.t_reached), (None, 1.0 + 1e-12), "{name}: tiny steps");
}

fn conformance(tested: &Tested) {
    let (name, method) = (tested.name, &*tested.method);
    let initial = Cubic.exact(0.0);
    for settings in all_settings(tested) {
        let run = |span, settings| solve(method, &mut AsOde(&Cubic), &initial, span, settings);

        let once = run([0.0, 2.0], settings);
        // The problem does not depend on time; 64 + k/8 is exact, and so are differences of such times.
        let shifted = run([64.0, 66.0], settings);
        if method.properties().adapts && settings != Settings::fixed(0.125) {
            // sizes near the end are rounded differences of times: 2^-46 there, amplified by |df/dy| t < 8
            let difference = (once.state[0] - shifted.state[0]).abs();
            assert!(difference < 1e-12, "{name}: shifted in time, {difference:e}");
        } else {
            assert_eq!(once.state, shifted.state, "{name}: shifted in time");
        }

        let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings };
        let mut middles = Middles { model: &Cubic, largest: 0.0 };
        let asked = method.solve(Counted::new(&mut AsOde(&Cubic)), &task, &mut middles);
        assert_eq!(asked.state, once.state, "{name}: asking for states inside steps changes nothing");
        assert_eq!(asked.statistics, once.statistics, "{name}: and is not counted");
        // A state inside a step is as accurate as one at its end. It is bounded by the error at the end or, if that
        // is small by chance, by the local error at h = 1/8 of a method of order three (h⁴ ~ 2e-4) or two (h³ ~
        // 2e-3).
        let bound = if method.order() == 2 { 2e-3 } else { 2e-4 };
        assert!(middles.largest < bound, "{name}: {:e}", middles.largest);

        if tested.stages.is_some() {
            let task = Task { t_start: 0.0, t_end: 2.0, initial: &[1.0], settings };
            let locked = method.solve(Counted::new(&mut Locked::default()), &task, &mut Multiplied);
            assert_eq!((locked.failure, locked.t_reached), (None, 2.0), "{name}");
        }

        let cliff = solve(method, &mut Cliff, &[0.0], [0.0, 2.0], settings);
        let failure = cliff.failure.expect("nothing finite lies beyond");
        assert!(matches!(failure, Failure::NonFinite { .. } | Failure::StepTooSmall { .. }), "{name}: {failure}");
        assert_eq!(failure.time(), Some(cliff.t_reached), "{name}");
        assert!(cliff.t_reached <= 1.0 && cliff.t_reached > 0.8, "{name}: stops at {}", cliff.t_reached);
        // y = t up to rounding, which is largest in extrapolation to order 16 with weights up to 1e2
        assert!((cliff.state[0] - cliff.t_reached).abs() < 1e-13, "{name}: the last good state");
    }

    if tested.has_constant_steps {
        constant_steps(tested);
    }
    for settings in [Settings::fixed(f64::INFINITY), Settings::tolerance(0.0, 0.0)] {
        let refused = solve(method, &mut AsOde(&Cubic), &initial, [0.0, 1.0], settings).failure;
        assert!(matches!(refused, Some(Failure::NotApplicable { .. })), "{name}: {settings:?} {refused:?}");
    }
}

#[test]
fn every_tableau() {
    for tableau in tableaux::EXPLICIT {
        // A last stage at the end of the step is the first stage of the next one.
        let stages = tableau.formula.weights.iter().rposition(|b| b.value() != 0.0).map(|last| last as u64 + 1);
        let method = Box::new(ExplicitRungeKutta::new(tableau, ControllerSettings::elementary()));
        conformance(&Tested { name: &tableau.name, method, stages, has_constant_steps: true });
    }
}

macro_rules! conformance {
    ($($test:ident: $definition:ty, $stages:expr, $has_constant_steps:literal);* $(;)?) => {$(
        #[test]
        fn $test() {
            let (method, name) = (<$definition>::default().method(), <$definition>::NAME);
            conformance(&Tested { name, method, stages: $stages, has_constant_steps: $has_constant_steps });
        }
    )*};
}
conformance!(
    dopri5: Dopri5, Some(6), true;
    dop853: Dop853, Some(12), true;
    gbs: Gbs, Some(65), true; // 2 + 4 + … + 16, the first evaluation shared by the eight results
    ode45: Ode45, Some(6), true;
    ode23s: Ode23s, Some(2), true;
    ode15s: Ode15s, None, false;
    mebdf: Mebdf, None, false;
    radau5: Radau5, None, true;
);
