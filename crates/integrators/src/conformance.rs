//! Checks that every method must pass on a suitable model. Tests of any crate may use them.

use std::ops::ControlFlow;
use std::sync::Arc;

use mbsbench_problem::linear::PrincipalRoot;
use mbsbench_problem::{
    Events, Failure, Formulated, Method, Model, Observer, Settings, Silent, Solution, Statistics, Step, Task,
};
use nalgebra::Complex;

/// A method with a suitable model.
pub struct Tested {
    /// The model's name.
    pub model_name: &'static str,
    method: Box<dyn Method>,
    model: Arc<dyn Model>,
}

/// A check; fails with a description of what does not hold.
pub type Check = fn(&Tested) -> Result<(), String>;

/// The checks, each with its requirement.
pub const CHECKS: [(&str, Check); 5] = [
    ("the last step ends at the end of the span, and an empty span costs nothing", ends_are_hit),
    ("solves are repeatable and do not depend on the observer", is_repeatable),
    ("an exhausted budget ends the solve at the last accepted state", budgets_are_kept),
    ("invalid tasks are refused before the first step", nonsense_is_refused),
    ("the principal root has the claimed order", root_has_the_order),
];

/// The step, s: a binary fraction, so that times are exact, and small enough for the springs of all models.
const STEP: f64 = 1.0 / 1024.0;
const END: f64 = 32.0 * STEP;

impl Tested {
    /// Pairs a method with the first suitable model of a list, or returns `None` if it suits none of them.
    pub fn new(
        method: Box<dyn Method>,
        mut models: impl Iterator<Item = (&'static str, Arc<dyn Model>)>,
    ) -> Option<Self> {
        let (model_name, model) = models
            .find(|(_, model)| method.applies_to(Formulated::<f64>::ode(&**model).as_mut(), Events::Located).is_ok())?;
        Some(Self { model_name, method, model })
    }

    fn solve_watched(&self, span: [f64; 2], settings: Settings, observer: &mut dyn Observer) -> Solution {
        let initial = self.model.initial_state();
        let mut ode = Formulated::<f64>::ode(&*self.model);
        let task = Task { t_start: span[0], t_end: span[1], initial: &initial, settings };
        task.solve(&*self.method, ode.as_mut(), observer)
    }

    fn solve(&self, span: [f64; 2], settings: Settings) -> Solution {
        self.solve_watched(span, settings, &mut Silent)
    }

    /// The settings to be checked: constant steps and, if the method controls its error, adaptive steps.
    fn settings(&self) -> Vec<Settings> {
        let mut all = vec![Settings::fixed(STEP)];
        if self.method.properties().adapts {
            let is_refused = matches!(self.solve([0.0, END], all[0]).failure, Some(Failure::NotApplicable { .. }));
            all.retain(|_| !is_refused);
            all.push(Settings::tolerance(1e-6, 1e-6));
        }
        all
    }
}

/// Returns an error with a formatted text if the condition does not hold.
macro_rules! ensure {
    ($holds:expr, $($text:tt)+) => {
        if !$holds {
            return Err(format!($($text)+));
        }
    };
}

/// True if a refused or empty solve cost nothing. A method that counts the operations of its linear algebra must
/// report zero.
fn is_free(statistics: Statistics) -> bool {
    let flops = statistics.linear_algebra_flops;
    flops.unwrap_or(0) == 0 && statistics == Statistics { linear_algebra_flops: flops, ..Statistics::default() }
}

fn ends_are_hit(tested: &Tested) -> Result<(), String> {
    for settings in tested.settings() {
        for end in [END, 0.7 * STEP, 10.3 * STEP] {
            let run = tested.solve([0.0, end], settings);
            // A multistep method may keep its step and refuse a span that is not a multiple of it.
            if end != END && matches!(run.failure, Some(Failure::NotApplicable { .. })) {
                ensure!(is_free(run.statistics), "refusing the span to {end} costs {:?}", run.statistics);
                continue;
            }
            ensure!(
                run.failure.is_none() && run.t_reached == end,
                "the solve to {end} ended at {}: {:?}",
                run.t_reached,
                run.failure
            );
            ensure!(run.state.iter().all(|x| x.is_finite()), "the final state is not finite");
            ensure!(run.statistics.steps_accepted > 0, "the solve to {end} made no step");
        }
        let nothing = tested.solve([3.0, 3.0], settings);
        ensure!(nothing.failure.is_none() && nothing.t_reached == 3.0, "an empty span fails: {:?}", nothing.failure);
        let initial = Formulated::<f64>::initial_state(&*tested.model);
        ensure!(nothing.state == initial, "an empty span changes the state");
        ensure!(is_free(nothing.statistics), "an empty span costs {:?}", nothing.statistics);
    }
    Ok(())
}

/// Checks that each step of a solve begins at the end of the one before.
#[derive(Default)]
struct Chain {
    last: Option<(f64, Vec<f64>)>,
    steps: u64,
    /// The first step that has a wrong start or a wrong number.
    broken: Option<u64>,
}

impl Observer for Chain {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.last = Some((t, y.to_vec()));
    }

    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.steps += 1;
        if step.index != self.steps || self.last != Some((step.t_start, step.start.to_vec())) {
            self.broken.get_or_insert(self.steps);
        }
        self.last = Some((step.t_end, step.end.to_vec()));
        ControlFlow::Continue(())
    }
}

fn is_repeatable(tested: &Tested) -> Result<(), String> {
    for settings in tested.settings() {
        let (once, again) = (tested.solve([0.0, END], settings), tested.solve([0.0, END], settings));
        let is_same = |other: &Solution| once.state == other.state && once.statistics == other.statistics;
        ensure!(is_same(&again), "a second solve gives another result");
        let mut chain = Chain::default();
        let watched = tested.solve_watched([0.0, END], settings, &mut chain);
        ensure!(is_same(&watched), "a solve with an observer gives another result");
        ensure!(chain.broken.is_none(), "step {:?} does not begin at the end of the previous one", chain.broken);
        ensure!(chain.last == Some((END, watched.state)), "the observer does not receive the last state");
        ensure!(
            chain.steps == watched.statistics.steps_accepted,
            "the observer receives a wrong number of steps: {}",
            chain.steps
        );
    }
    Ok(())
}

fn budgets_are_kept(tested: &Tested) -> Result<(), String> {
    for settings in tested.settings() {
        let full = tested.solve([0.0, END], settings).statistics;
        if full.steps_accepted > 3 {
            let few = tested.solve([0.0, END], Settings { max_steps: 3, ..settings });
            let taken = few.statistics.steps_accepted + few.statistics.steps_rejected;
            let is_budget = matches!(few.failure, Some(Failure::BudgetExhausted { limit: 3, .. }));
            ensure!(
                is_budget && few.t_reached < END,
                "with a budget of three steps: {:?} at {}",
                few.failure,
                few.t_reached
            );
            // A library reports its attempts only when a step is complete.
            ensure!(taken >= 3 && few.statistics.steps_accepted <= 3, "with a budget of three steps it makes {taken}");
        }
        for limit in [0, 2, 5].into_iter().filter(|&limit| limit < full.rhs_evaluations) {
            let few = tested.solve([0.0, END], Settings { max_rhs_evaluations: limit, ..settings });
            let is_budget = matches!(few.failure, Some(Failure::BudgetExhausted { counter: "rhs_evaluations", .. }));
            ensure!(is_budget && few.t_reached < END, "with a budget of {limit} evaluations: {:?}", few.failure);
            let made = few.statistics.rhs_evaluations;
            ensure!(made <= limit, "it makes {made} evaluations, but {limit} are allowed");
        }
    }
    Ok(())
}

fn nonsense_is_refused(tested: &Tested) -> Result<(), String> {
    let mut wrong = vec![
        ([0.0, f64::NAN], Settings::fixed(STEP)),
        ([0.0, END], Settings::fixed(0.0)),
        ([0.0, END], Settings::tolerance(-1.0, 1e-6)),
    ];
    if !tested.method.properties().adapts {
        wrong.push(([0.0, END], Settings::tolerance(1e-6, 1e-6)));
    }
    for (span, settings) in wrong {
        let refused = tested.solve(span, settings);
        let is_refused = matches!(refused.failure, Some(Failure::NotApplicable { .. }));
        ensure!(is_refused, "{span:?} with {:?} is not refused: {:?}", settings.control, refused.failure);
        ensure!(refused.statistics == Statistics::default(), "refusing a task costs {:?}", refused.statistics);
    }
    // at these times the spacing of doubles is an eighth of a second
    let far = tested.solve([1e15, 1e15 + 1.0], Settings::fixed(1e-3));
    let is_refused = matches!(far.failure, Some(Failure::StepTooSmall { .. } | Failure::NotApplicable { .. }));
    ensure!(is_refused && is_free(far.statistics), "a step that does not advance the time: {:?}", far.failure);
    Ok(())
}

/// The logarithm to base 2 of the ratio of `|ln ζ − iωh|` at `ωh = 0.4` to that at 0.2: the order of the error in one
/// step, which is one more than the order of the method. `None` if the method does not provide its roots.
pub fn order_of_the_root(method: &dyn Method) -> Option<f64> {
    let error = |omega_h: f64| {
        let mut root = PrincipalRoot::new(|omega_h| method.amplification(omega_h));
        root.advance(omega_h).map(|logarithm| (logarithm - Complex::new(0.0, omega_h)).norm())
    };
    Some((error(0.4)? / error(0.2)?).log2() - 1.0)
}

fn root_has_the_order(tested: &Tested) -> Result<(), String> {
    let Some(observed) = order_of_the_root(&*tested.method) else { return Ok(()) };
    let order = tested.method.order();
    // The error of one step has one order more than the method, and more than that on an equation that suits the
    // method.
    let has_order = observed > f64::from(order) - 0.3;
    ensure!(has_order, "the root has order {observed:.2}, but the method claims {order}");
    Ok(())
}
