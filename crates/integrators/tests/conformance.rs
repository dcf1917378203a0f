//! What every method must do, instantiated for each.

mod common;

use std::ops::ControlFlow;

use common::{Circle, Cubic, Known};
use mbsbench_integrators::{Bs32, Dop853, Dopri5, Gbs, Ode15s, Ode23s, Ode45, Radau5, Rk3, Rk4, Rk5, Rk8};
use mbsbench_problem::{
    AsOde, Clock, Counted, Failure, Method, MethodDefinition, Observer, Ode, Settings, Silent, Solution, Step, Task,
};

/// Evaluations of one constant step; of a step with as many iterations as it may have where there are none, and of an
/// iteration of a method that stops after any of them.
fn stages<D: MethodDefinition>() -> u64 {
    match D::NAME {
        "ode23s" => 2,
        "rk3" | "bs32" | "radau5" => 3,
        "rk4" | "ode15s" => 4,
        "rk5" | "dopri5" | "ode45" => 6,
        "rk8" => 13,
        "dop853" => 12,
        "gbs" => 65, // 2 + 4 + … + 16, the first evaluation shared by the eight results
        other => panic!("no number of stages is known for {other}"),
    }
}

fn solve(method: &dyn Method, ode: &mut dyn Ode, initial: &[f64], span: [f64; 2], settings: Settings) -> Solution {
    let task = Task { t_start: span[0], t_end: span[1], initial, settings };
    method.solve(Counted::new(ode), &task, &mut Silent)
}

/// Whether each step is made for itself, with any size and right-hand side.
fn is_one_step<D: MethodDefinition>() -> bool {
    !matches!(D::NAME, "ode15s" | "radau5")
}

/// Whether the method works with constant steps.
fn has_constant_steps<D: MethodDefinition>() -> bool {
    D::NAME != "ode15s"
}

fn all_settings<D: MethodDefinition>(method: &dyn Method) -> Vec<Settings> {
    let constant = has_constant_steps::<D>().then(|| Settings::fixed(0.125));
    let controlled = method.adapts().then(|| Settings::tolerance(1e-6, 1e-6));
    constant.into_iter().chain(controlled).collect()
}

/// `y' = 1` up to `t = 1`, then not a number: nothing finite lies beyond `t = 1`.
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
    fn locks(&self) -> bool {
        true
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
        // rounding, of which extrapolation to order 16 with weights up to 1e2 makes the most
        assert!((ratio - expected).abs() < 1e-13, "no derivative outlives the lock: {ratio}, not {expected}");
        ControlFlow::Continue(())
    }
}

/// Looks away, and says so.
struct Absent;

impl Observer for Absent {
    fn watches(&self) -> bool {
        false
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        panic!("step {} is shown to nobody", step.index);
    }
}

/// Checks that each step begins where the last one ended.
#[derive(Default)]
struct Chain {
    last: Option<(f64, Vec<f64>)>,
    steps: u64,
}

impl Observer for Chain {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.last = Some((t, y.to_vec()));
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.steps += 1;
        assert_eq!(step.index, self.steps);
        assert_eq!(self.last, Some((step.t_start, step.start.to_vec())));
        self.last = Some((step.t_end, step.end.to_vec()));
        ControlFlow::Continue(())
    }
}

/// Asks for a state in the middle of every step and compares it with the exact one.
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

/// Counts of constant steps.
fn constant_steps<D: MethodDefinition>(method: &dyn Method) {
    let (name, initial) = (D::NAME, Cubic.exact(0.0));
    let fixed = solve(method, &mut AsOde(&Cubic), &initial, [0.0, 2.0], Settings::fixed(0.125)).statistics;
    assert_eq!(fixed.steps_accepted, 16, "{name}");
    if is_one_step::<D>() {
        assert_eq!(fixed.rhs_evaluations, 16 * stages::<D>(), "{name}: evaluations are stages times steps");
    }
    let accumulating = Settings { clock: Clock::Accumulating, ..Settings::fixed(0.05) };
    let dissertation = solve(method, &mut AsOde(&Circle), &[1.0, 0.0], [0.0, 5.0], accumulating);
    assert_eq!(dissertation.statistics.steps_accepted, 101, "{name}");
    assert!(dissertation.t_reached > 5.04, "{name}: one step beyond the end");
    let tiny = solve(method, &mut AsOde(&Cubic), &initial, [1.0, 1.0 + 1e-12], Settings::fixed(1e-13));
    assert_eq!((tiny.failure, tiny.t_reached), (None, 1.0 + 1e-12), "{name}: tiny steps");
}

fn conformance<D: MethodDefinition>() {
    let name = D::NAME;
    let method = &*D::default().method();
    let initial = Cubic.exact(0.0);
    for settings in all_settings::<D>(method) {
        let run = |span, settings| solve(method, &mut AsOde(&Cubic), &initial, span, settings);

        let nothing = run([3.0, 3.0], settings);
        assert_eq!((nothing.failure, nothing.t_reached, nothing.state), (None, 3.0, initial.to_vec()), "{name}");
        assert_eq!(nothing.statistics.rhs_evaluations, 0, "{name}: a span of no length costs nothing");

        for t_end in [1e-9, 0.3, 1.0, 7.7] {
            let run = run([0.0, t_end], settings);
            assert_eq!((run.failure, run.t_reached), (None, t_end), "{name}: the end is hit exactly");
        }

        let (once, again) = (run([0.0, 2.0], settings), run([0.0, 2.0], settings));
        assert_eq!((&once.state, once.statistics), (&again.state, again.statistics), "{name}: repeatable");

        // The problem does not depend on time, and 64 + k/8 is exact, as are its differences.
        let shifted = run([64.0, 66.0], settings);
        if method.adapts() && settings != Settings::fixed(0.125) {
            // sizes near the end are rounded differences of times: 2^-46 there, amplified by |df/dy| t < 8
            let difference = (once.state[0] - shifted.state[0]).abs();
            assert!(difference < 1e-12, "{name}: shifted in time, {difference:e}");
        } else {
            assert_eq!(once.state, shifted.state, "{name}: shifted in time");
        }

        let mut chain = Chain::default();
        let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings };
        let watched = method.solve(Counted::new(&mut AsOde(&Cubic)), &task, &mut chain);
        assert_eq!(chain.steps, watched.statistics.steps_accepted, "{name}");
        assert_eq!(chain.last, Some((watched.t_reached, watched.state.clone())), "{name}");

        let unwatched = method.solve(Counted::new(&mut AsOde(&Cubic)), &task, &mut Absent);
        assert_eq!((unwatched.state, unwatched.statistics), (watched.state.clone(), watched.statistics), "{name}");

        let mut middles = Middles { model: &Cubic, largest: 0.0 };
        let asked = method.solve(Counted::new(&mut AsOde(&Cubic)), &task, &mut middles);
        assert_eq!(asked.state, watched.state, "{name}: asking for states inside steps changes nothing");
        assert_eq!(asked.statistics, watched.statistics, "{name}: and is not counted");
        // A state inside a step is as good as one at its end: the error at the end, or, where that is small by
        // chance, the local error at h = 1/8 of a method of order three (h⁴ ~ 2e-4), or two (h³ ~ 2e-3), bounds it.
        let bound = if method.order() == 2 { 2e-3 } else { 2e-4 };
        assert!(middles.largest < bound, "{name}: {:e}", middles.largest);

        let few = run([0.0, 2.0], Settings { max_steps: 3, ..settings });
        let expected =
            Failure::BudgetExhausted { time: few.t_reached, counter: "steps_accepted + steps_rejected", limit: 3 };
        assert_eq!(few.failure, Some(expected), "{name}");
        assert_eq!(few.statistics.steps_accepted + few.statistics.steps_rejected, 3, "{name}");
        let limit = 2 * stages::<D>() + 3;
        let few = run([0.0, 2.0], Settings { max_rhs_evaluations: limit, ..settings });
        assert!(
            matches!(few.failure, Some(Failure::BudgetExhausted { counter: "rhs_evaluations", .. })),
            "{name}: {:?}",
            few.failure
        );
        assert!(few.statistics.rhs_evaluations <= limit && few.statistics.rhs_evaluations > 0, "{name}");

        if is_one_step::<D>() {
            let task = Task { t_start: 0.0, t_end: 2.0, initial: &[1.0], settings };
            let locked = method.solve(Counted::new(&mut Locked::default()), &task, &mut Multiplied);
            assert_eq!((locked.failure, locked.t_reached), (None, 2.0), "{name}");
        }

        let cliff = solve(method, &mut Cliff, &[0.0], [0.0, 2.0], settings);
        let failure = cliff.failure.expect("nothing finite lies beyond");
        assert!(matches!(failure, Failure::NonFinite { .. } | Failure::StepTooSmall { .. }), "{name}: {failure}");
        assert_eq!(failure.time(), Some(cliff.t_reached), "{name}");
        assert!(cliff.t_reached <= 1.0 && cliff.t_reached > 0.8, "{name}: stops at {}", cliff.t_reached);
        // y = t up to rounding, of which extrapolation to order 16 with weights up to 1e2 makes the most
        assert!((cliff.state[0] - cliff.t_reached).abs() < 1e-13, "{name}: the last good state");
    }

    if has_constant_steps::<D>() {
        constant_steps::<D>(method);
    }
    for (span, settings) in [
        ([1.0, 0.0], Settings::fixed(0.1)),
        ([0.0, f64::NAN], Settings::fixed(0.1)),
        ([0.0, 1.0], Settings::fixed(0.0)),
        ([0.0, 1.0], Settings::fixed(f64::INFINITY)),
        ([0.0, 1.0], Settings::tolerance(-1.0, 1e-6)),
        ([0.0, 1.0], Settings::tolerance(0.0, 0.0)),
    ] {
        let refused = solve(method, &mut AsOde(&Cubic), &initial, span, settings).failure;
        assert!(matches!(refused, Some(Failure::NotApplicable { .. })), "{name}: {span:?} {settings:?} {refused:?}");
    }
    if !method.adapts() {
        let refused = solve(method, &mut AsOde(&Cubic), &initial, [0.0, 1.0], Settings::tolerance(1e-6, 1e-6));
        assert!(matches!(refused.failure, Some(Failure::NotApplicable { .. })), "{name}");
    }
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
    rk3: Rk3,
    bs32: Bs32,
    rk4: Rk4,
    rk5: Rk5,
    dopri5: Dopri5,
    rk8: Rk8,
    dop853: Dop853,
    gbs: Gbs,
    ode45: Ode45,
    ode23s: Ode23s,
    ode15s: Ode15s,
    radau5: Radau5
);
