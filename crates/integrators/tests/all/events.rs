//! Events: location, handling, counters; the grid is kept; states inside a cut step.

use std::ops::ControlFlow;

use mbsbench_integrators::{Bs32, Dopri5, Gbs, Rk3, Rk5, Rk8};
use mbsbench_problem::{
    Counted, EventFunctions, Failure, Form, Method, MethodDefinition, Observer, Ode, Settings, Step, StepControl, Task,
};

use crate::common::ball::{Ball, Log, accumulates, events};

const TOLERANCE: f64 = 1e-12;

fn bounce<D: MethodDefinition>(settings: Settings) -> Log {
    let mut ball = Ball::new(1.0, TOLERANCE);
    let mut log = Log::default();
    let task = Task { t_start: 0.0, t_end: 10.0, initial: &[1.0, 0.0], settings };
    let solution = D::default().method().solve(Counted::new(&mut ball), &task, &mut log);
    assert_eq!((solution.failure, solution.t_reached), (None, 10.0), "{}", D::NAME);
    assert_eq!(solution.statistics.events, log.events.len() as u64);
    assert_eq!(solution.statistics.steps_accepted, log.ends.len() as u64);
    let expected = events();
    assert_eq!(log.events.len(), expected.len(), "{}: {:?}", D::NAME, log.events);
    for ((t, index), (exact, which)) in log.events.iter().zip(expected) {
        assert_eq!(*index, which);
        // All methods of order two or more solve parabolas exactly. |g| ≤ 1e-12 at rates of 1.4 and 2 places an event
        // within 1e-12 and adds at most as much error to each later one; rounding is smaller.
        assert!((t - exact).abs() < 1e-11, "{}: event at {t}, not {exact}", D::NAME);
    }
    // The Hermite cubic of g is exact here, so each event takes one repeated step.
    assert_eq!(solution.statistics.steps_repeated, solution.statistics.events, "{}", D::NAME);
    assert!(log.largest_error < 1e-10, "{}: states inside steps, {:e}", D::NAME, log.largest_error);
    log
}

#[test]
fn constant_steps_keep_their_grid() {
    for log in [
        bounce::<Rk3>(Settings::fixed(0.32)),
        bounce::<Rk5>(Settings::fixed(0.32)),
        bounce::<Rk8>(Settings::fixed(0.32)),
        bounce::<Dopri5>(Settings::fixed(0.32)),
        bounce::<Gbs>(Settings::fixed(0.32)),
    ] {
        for k in 1..=31 {
            let t = f64::from(k) * 0.32;
            assert!(log.ends.contains(&t), "no step ends at {t}");
        }
    }
}

#[test]
fn controlled_steps_locate_events() {
    let settings = |tolerance| Settings {
        control: StepControl::Tolerance { rel: tolerance, abs: tolerance, initial_step: None, max_step: Some(0.3) },
        ..Settings::tolerance(tolerance, tolerance)
    };
    bounce::<Bs32>(settings(1e-6));
    bounce::<Dopri5>(settings(1e-8));
    bounce::<Rk8>(settings(1e-8));
}

#[test]
fn accumulating_jumps_end_the_run() {
    accumulates(&*Dopri5::default().method(), Settings::tolerance(1e-8, 1e-8));
}

/// `y' = 1`, `g = atan(1000 (y − 2/3))`: so far from a cubic that bisection is needed.
struct Steep {
    reached: bool,
    tolerance: f64,
}

impl Ode for Steep {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&mut self, _t: f64, _y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = 1.0;
        Ok(())
    }
    fn form(&mut self) -> Form<'_> {
        Form::Events(self)
    }
}

impl EventFunctions for Steep {
    fn count(&self) -> usize {
        1
    }
    fn is_watched(&self, _index: usize) -> bool {
        !self.reached
    }
    fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = (1000.0 * (y[0] - 2.0 / 3.0)).atan();
        Ok(())
    }
    fn rates(&mut self, _t: f64, y: &[f64], _dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        rates[0] = 1000.0 / (1.0 + (1000.0 * (y[0] - 2.0 / 3.0)).powi(2));
        Ok(())
    }
    fn tolerance(&self, _step: f64, _order: u32) -> f64 {
        self.tolerance
    }
    fn jump(&mut self, _index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        self.reached = true;
        Ok(())
    }
}

#[test]
fn bisection_safeguards_the_root() {
    // a tolerance above rounding, and one below it, for which the bracket shrinks to rounding
    for tolerance in [1e-9, 0.0] {
        let mut steep = Steep { reached: false, tolerance };
        let task = Task { t_start: 0.0, t_end: 1.0, initial: &[0.0], settings: Settings::fixed(1.0) };
        let method: Box<dyn Method> = Rk5::default().method();
        let mut ends = Ends(Vec::new());
        let solution = method.solve(Counted::new(&mut steep), &task, &mut ends);
        assert_eq!(solution.failure, None);
        assert_eq!(solution.statistics.events, 1);
        assert!((ends.0[0] - 2.0 / 3.0).abs() < 1e-11, "event at {}", ends.0[0]);
        // two slow repeats before each bisection, 53 halvings at most
        assert!(solution.statistics.steps_repeated < 60, "{}", solution.statistics.steps_repeated);
    }
}

struct Ends(Vec<f64>);

impl Observer for Ends {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.0.push(step.t_end);
        ControlFlow::Continue(())
    }
}

/// Two sliding surfaces that fall linearly to zero and then stay there, with the values and times of compere2001,
/// figure 3.11: `s₁ = 0.0294524 → 0` at 0.09092 s, `s₃ = 1 → 0` at 0.5 s; `|s| ≤ h⁵` counts as zero.
struct Reaching {
    rates: [f64; 2],
}

impl Ode for Reaching {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, _t: f64, _y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt.copy_from_slice(&self.rates);
        Ok(())
    }
    fn form(&mut self) -> Form<'_> {
        Form::Events(self)
    }
}

impl EventFunctions for Reaching {
    fn count(&self) -> usize {
        2
    }
    fn is_watched(&self, index: usize) -> bool {
        self.rates[index] != 0.0
    }
    fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g.copy_from_slice(y);
        Ok(())
    }
    fn rates(&mut self, _t: f64, _y: &[f64], _dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        rates.copy_from_slice(&self.rates);
        Ok(())
    }
    fn tolerance(&self, step: f64, order: u32) -> f64 {
        step.powi(order as i32)
    }
    fn jump(&mut self, index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        self.rates[index] = 0.0;
        Ok(())
    }
}

#[test]
fn reaching_times_of_the_dissertation() {
    let mut reaching = Reaching { rates: [-0.029_452_4 / 0.090_92, -2.0] };
    let mut ends = Ends(Vec::new());
    let settings = Settings::fixed(0.01);
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[0.029_452_4, 1.0], settings };
    let solution = Rk5::default().method().solve(Counted::new(&mut reaching), &task, &mut ends);
    assert_eq!((solution.failure, solution.statistics.events), (None, 2));
    // s₁ is reached between grid points with one repeat, s₃ at a grid point: no repeat, and no tiny step
    assert_eq!((solution.statistics.steps_repeated, solution.statistics.steps_accepted), (1, 101));
    let around = |t: f64| ends.0.iter().position(|&end| (end - t).abs() < 1e-9).expect("a step ends there");
    assert_eq!(around(0.09) + 1, around(0.090_92));
    assert_eq!(around(0.090_92) + 1, around(0.1), "the grid is kept after an event");
    assert_eq!(around(0.5) + 1, around(0.51));
    assert!(solution.state.iter().all(|s| s.abs() <= 1e-10), "both stay at zero");
}
