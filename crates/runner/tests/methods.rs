//! What every registered method must do, on a registered model that it suits. A method with a line in the registry is
//! tested here without being named; what is told of a method's own (evaluations a step, measured order) is tested beside it.

use std::ops::ControlFlow;

use mbsbench::Registry;
use mbsbench::registry::{Entry, MethodKind};
use mbsbench_problem::linear::PrincipalRoot;
use mbsbench_problem::{
    Counted, Failure, Formulated, Method, Model, Observer, Settings, Silent, Solution, Statistics, Step, Task,
};
use nalgebra::Complex;

/// A method on a model.
struct Pair {
    name: &'static str,
    method: Box<dyn Method>,
    model: Box<dyn Model>,
}

/// Every registered method with the first model that it suits: a mechanism without stiffness where it asks for constraints.
fn pairs() -> Vec<Pair> {
    let registry = Registry::builtin();
    let (kind, others): (Vec<_>, Vec<_>) =
        registry.models().iter().partition(|model| ["pendulum", "slider-crank"].contains(&model.name()));
    let pair = |entry: &Entry<MethodKind>| {
        let (name, method) = (entry.name(), entry.default_choice().object().method());
        let mut models = kind.iter().chain(&others).map(|model| model.default_choice().object().model());
        let model = models.find(|model| method.suits(Formulated::<f64>::ode(&**model).as_mut()).is_ok());
        Pair { name, method, model: model.unwrap_or_else(|| panic!("{name} suits no model")) }
    };
    // SUNDIALS may not be installed; its methods then refuse everything.
    let is_there = |entry: &&Entry<_>| entry.family() != "sundials" || mbsbench_sundials::version().is_some();
    registry.methods().iter().filter(is_there).map(pair).collect()
}

/// A binary fraction, so that times are exact; small for the springs of all models, s.
const STEP: f64 = 1.0 / 1024.0;
const END: f64 = 32.0 * STEP;

impl Pair {
    fn solve_watched(&self, span: [f64; 2], settings: Settings, observer: &mut dyn Observer) -> Solution {
        let initial = self.model.initial_state();
        let mut ode = Formulated::<f64>::ode(&*self.model);
        let task = Task { t_start: span[0], t_end: span[1], initial: &initial, settings };
        self.method.solve(Counted::new(ode.as_mut()), &task, observer)
    }

    fn solve(&self, span: [f64; 2], settings: Settings) -> Solution {
        self.solve_watched(span, settings, &mut Silent)
    }

    /// The ways in which the method decides on its steps: both, where it controls its error and takes constant steps.
    fn settings(&self) -> Vec<Settings> {
        let mut all = vec![Settings::fixed(STEP)];
        if self.method.adapts() {
            let is_refused = matches!(self.solve([0.0, END], all[0]).failure, Some(Failure::NotApplicable { .. }));
            all.retain(|_| !is_refused);
            all.push(Settings::tolerance(1e-6, 1e-6));
        }
        all
    }
}

fn with_all(check: impl Fn(&Pair, Settings)) {
    for pair in pairs() {
        for settings in pair.settings() {
            check(&pair, settings);
        }
    }
}

#[test]
fn the_end_is_hit_and_a_span_of_no_length_costs_nothing() {
    with_all(|pair, settings| {
        let name = pair.name;
        for end in [END, 0.7 * STEP, 10.3 * STEP] {
            let run = pair.solve([0.0, end], settings);
            // A multistep method may keep its step, and refuse a span that is no whole number of them.
            if end != END && matches!(run.failure, Some(Failure::NotApplicable { .. })) {
                assert_eq!(run.statistics, Statistics::default(), "{name}");
                continue;
            }
            assert_eq!((run.failure, run.t_reached), (None, end), "{name}, {settings:?}");
            assert!(run.state.iter().all(|x| x.is_finite()) && run.statistics.steps_accepted > 0, "{name}");
        }
        let nothing = pair.solve([3.0, 3.0], settings);
        assert_eq!((nothing.failure, nothing.t_reached), (None, 3.0), "{name}");
        assert_eq!(nothing.state, Formulated::<f64>::initial_state(&*pair.model), "{name}");
        // A method that counts the operations of its linear algebra has made none.
        let none =
            Statistics { linear_algebra_flops: nothing.statistics.linear_algebra_flops, ..Statistics::default() };
        assert_eq!(nothing.statistics, none, "{name}");
        assert_eq!(nothing.statistics.linear_algebra_flops.unwrap_or(0), 0, "{name}");
    });
}

/// Follows a solve from state to state.
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
        assert_eq!(self.last, Some((step.t_start, step.start.to_vec())), "a step begins where the last one ended");
        self.last = Some((step.t_end, step.end.to_vec()));
        ControlFlow::Continue(())
    }
}

#[test]
fn a_solve_is_repeatable_and_does_not_depend_on_who_watches() {
    with_all(|pair, settings| {
        let name = pair.name;
        let (once, again) = (pair.solve([0.0, END], settings), pair.solve([0.0, END], settings));
        assert_eq!((&once.state, once.statistics), (&again.state, again.statistics), "{name}");
        let mut chain = Chain::default();
        let watched = pair.solve_watched([0.0, END], settings, &mut chain);
        assert_eq!((&once.state, once.statistics), (&watched.state, watched.statistics), "{name}");
        assert_eq!(chain.last, Some((END, watched.state)), "{name}");
        assert_eq!(chain.steps, watched.statistics.steps_accepted, "{name}: every step is shown");
    });
}

#[test]
fn budgets_end_a_solve_with_what_was_reached() {
    with_all(|pair, settings| {
        let name = pair.name;
        let full = pair.solve([0.0, END], settings).statistics;
        if full.steps_accepted > 3 {
            let few = pair.solve([0.0, END], Settings { max_steps: 3, ..settings });
            let taken = few.statistics.steps_accepted + few.statistics.steps_rejected;
            let is_budget = matches!(few.failure, Some(Failure::BudgetExhausted { limit: 3, .. }));
            assert!(is_budget && few.t_reached < END, "{name}: {:?}", few.failure);
            // A library tells of its attempts when a step is done.
            assert!(taken >= 3 && few.statistics.steps_accepted <= 3, "{name}: {taken} steps");
        }
        for limit in [0, 2, 5].into_iter().filter(|&limit| limit < full.rhs_evaluations) {
            let few = pair.solve([0.0, END], Settings { max_rhs_evaluations: limit, ..settings });
            let Some(Failure::BudgetExhausted { counter, .. }) = few.failure else {
                panic!("{name}: {:?}", few.failure);
            };
            assert_eq!(counter, "rhs_evaluations", "{name}");
            assert!(few.statistics.rhs_evaluations <= limit && few.t_reached < END, "{name}");
        }
    });
}

#[test]
fn what_makes_no_sense_is_refused() {
    for pair in pairs() {
        let mut wrong = vec![
            ([1.0, 0.0], Settings::fixed(STEP)),
            ([0.0, f64::NAN], Settings::fixed(STEP)),
            ([0.0, END], Settings::fixed(0.0)),
            ([0.0, END], Settings::tolerance(-1.0, 1e-6)),
        ];
        if !pair.method.adapts() {
            wrong.push(([0.0, END], Settings::tolerance(1e-6, 1e-6)));
        }
        for (span, settings) in wrong {
            let refused = pair.solve(span, settings);
            assert!(matches!(refused.failure, Some(Failure::NotApplicable { .. })), "{}: {refused:?}", pair.name);
            assert_eq!(refused.statistics, Statistics::default(), "{}", pair.name);
        }
    }
}

/// `|ln ζ − iωh|` is of one order more than the method, for methods that know their roots.
#[test]
fn the_principal_root_has_the_order_of_the_method() {
    let mut known = 0;
    for pair in pairs() {
        let order = f64::from(pair.method.order());
        let error = |omega_h: f64| {
            let mut root = PrincipalRoot::new(|omega_h| pair.method.amplification(omega_h));
            root.advance(omega_h).map(|logarithm| (logarithm - Complex::new(0.0, omega_h)).norm())
        };
        let (Some(coarse), Some(fine)) = (error(0.4), error(0.2)) else { continue };
        let observed = (coarse / fine).log2();
        // of one order more in a step, and more still where the equation is kind
        assert!(observed > order + 0.7, "{}: {observed} for order {order}", pair.name);
        known += 1;
    }
    assert!(known > 20, "{known} methods know their roots");
}
