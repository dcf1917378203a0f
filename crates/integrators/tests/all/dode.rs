//! The solver for discontinuous equations: its published counts, event times compared with closed forms, and one
//! suite for all pairs.

use crate::common;

use crate::common::discontinuous::*;
use mbsbench_integrators::dode::{Cel, Dode, EventRules, PairName, RegionOfConcurrency};
use mbsbench_problem::{
    AsEventOde, AsOde, Counted, EventModel, Failure, MethodDefinition, Scalar, Settings, Silent, Statistics, Task,
};
use proptest::prelude::*;

/// Nrhs = 6 (Nacc + Nrej + Nit) + 1 + 2 Nev: the rows of tables 5.3 to 5.6 with event location, as (Nev, Nrhs, Nacc,
/// Nrej, Nit).
const PUBLISHED: [[u64; 5]; 16] = [
    [3, 307, 42, 3, 5],
    [3, 307, 41, 3, 6],
    [1, 237, 35, 2, 2],
    [1, 231, 35, 1, 2],
    [16, 1041, 123, 16, 29],
    [20, 725, 58, 20, 36],
    [3, 229, 30, 3, 4],
    [7, 447, 53, 10, 9],
    [22, 873, 88, 27, 23],
    [16, 741, 79, 21, 18],
    [1200, 31423, 1239, 1200, 2398],
    [18, 685, 57, 18, 33],
    [2272, 98385, 7653, 3334, 4653],
    [2088, 132_283, 15189, 2237, 3925],
    [13404, 471_259, 32225, 17876, 23974],
    [5663, 438_329, 50733, 10593, 9841],
];

#[test]
fn the_identity_holds_in_the_published_tables() {
    for [events, evaluations, accepted, rejected, iterations] in PUBLISHED {
        assert_eq!(evaluations, 6 * (accepted + rejected + iterations) + 1 + 2 * events);
    }
}

#[test]
fn hundred_balls_have_the_published_events() {
    let (balls, initial) = close_balls(100);
    let smooth = Dode { events: false, ..published() };
    let single = published();
    let together =
        Dode { region_of_concurrency: Some(RegionOfConcurrency { duration: 1e-7, amplitude: 1e-6 }), ..single };
    let [smooth, single, together] = [smooth, single, together].map(|dode| {
        let (solution, located) = run(&balls, &dode, &initial, 3.0, 1e-3);
        check_identity(&dode, &solution);
        assert_eq!(solution.statistics.events, located.len() as u64);
        solution.statistics
    });
    assert_eq!((smooth.events, single.events, together.events), (0, 1200, 18));
    assert_eq!((single.sign_changes, together.sign_changes), (1200, 1200));
    // as in table 5.5: steps are rejected only at events, and each event needs Newton's second iterate
    assert_eq!((single.steps_rejected, together.steps_rejected), (1200, 18));
    assert_eq!((single.location_iterations, single.catches, single.failed_locations), (2400, 0, 0));
    assert!(together.rhs_evaluations < smooth.rhs_evaluations && smooth.rhs_evaluations < single.rhs_evaluations);
}

/// Times at which a ball from `height` with restitution `e` hits the ground.
fn impacts(height: f64, e: f64) -> impl Iterator<Item = f64> {
    let fall = (2.0 * height / GRAVITY).sqrt();
    (0..).scan(fall, move |t, n| {
        let now = *t;
        *t += 2.0 * fall * e.powi(n + 1);
        Some(now)
    })
}

#[test]
fn a_ball_with_restitution_hits_the_ground_at_the_exact_times() {
    let ball = Restitution { restitution: 0.8 };
    for pair in PAIRS.map(|(pair, _)| pair).into_iter().chain([PairName::Sdirk4]) {
        let dode = Dode { pair, event_tolerance: 1e-13, ..Dode::default() };
        let (solution, located) = run(&ball, &dode, &[1.0, 0.0], 3.0, 1e-8);
        check_identity(&dode, &solution);
        assert_eq!(located.len(), impacts(1.0, 0.8).take_while(|&t| t < 3.0).count());
        for (event, exact) in located.iter().zip(impacts(1.0, 0.8)) {
            assert!((event.t - exact).abs() < 1e-12, "{pair:?}: {:e} at {exact}", event.t - exact);
        }
    }
}

/// Times at which a ball meets and leaves a spring with damper, for an underdamped contact: `y = e^{−at} (A cos wt +
/// B sin wt) − mg/k` with the first root by bisection.
fn contacts(height: f64, stiffness: f64, damping: f64, t_end: f64) -> Vec<f64> {
    let mut times = Vec::new();
    let mut speed = (2.0 * GRAVITY * height).sqrt();
    let mut t = speed / GRAVITY;
    let (a, sag) = (0.5 * damping, GRAVITY / stiffness);
    let w = (stiffness - a * a).sqrt();
    while t < t_end {
        times.push(t);
        let b = (a * sag - speed) / w;
        // height above ground and speed without the factor e^{at}: only the bracket matters
        let y = |s: f64| (-a * s).exp() * (sag * (w * s).cos() + b * (w * s).sin()) - sag;
        let (mut low, mut high) = (0.25 * std::f64::consts::PI / w, 1.5 * std::f64::consts::PI / w);
        assert!(y(low) < 0.0 && y(high) > 0.0, "the ball leaves the ground again");
        while high - low > 1e-16 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if y(middle) < 0.0 { low = middle } else { high = middle }
        }
        let (sine, cosine) = (w * high).sin_cos();
        speed = (-a * high).exp() * ((w * b - a * sag) * cosine - (w * sag + a * b) * sine);
        t += high;
        if t < t_end {
            times.push(t);
        }
        t += 2.0 * speed / GRAVITY;
    }
    times
}

#[test]
fn a_damped_contact_is_touched_at_the_exact_times() {
    let ball = Balls { count: 1, stiffness: 1e4, damping: 16.0 };
    for (pair, _) in [PAIRS[1], PAIRS[2], PAIRS[3]] {
        let dode = Dode { pair, event_tolerance: 1e-13, ..Dode::default() };
        let (solution, located) = run(&ball, &dode, &[1.0, 0.0], 2.0, 1e-14);
        check_identity(&dode, &solution);
        let exact = contacts(1.0, 1e4, 16.0, 2.0);
        assert_eq!(located.len(), exact.len());
        for (event, exact) in located.iter().zip(exact) {
            assert!((event.t - exact).abs() < 1e-12, "{pair:?}: {:e} at {exact}", event.t - exact);
        }
    }
}

proptest! {
    #[test]
    fn only_bilateral_events_are_located_past_the_zero(
        height in 0.1..3.0f64,
        stiffness in 1e2..1e6f64,
        ratio in 0.01..0.5f64,
        restitution in 0.3..0.95f64,
        digits in 5.0..13.0f64,
        pair in 0..PAIRS.len(),
        is_published: bool,
    ) {
        let rules = if is_published { EventRules::Compere2001 } else { EventRules::Sampled };
        let dode = Dode { pair: PAIRS[pair].0, rules, event_tolerance: 10f64.powf(-digits), ..Dode::default() };
        let ball = Balls { count: 1, stiffness, damping: 2.0 * ratio * stiffness.sqrt() };
        let (solution, located) = run(&ball, &dode, &[height, 0.0], 1.0, 1e-6);
        check_identity_of(&dode, &solution, &located);
        for (i, event) in located.iter().enumerate() {
            // closing and opening alternate: no event is located twice (no sticking)
            prop_assert_eq!(event.before[0] < 0.0, i % 2 == 0, "event {} at height {:e}", i, event.before[0]);
            prop_assert!(event.before[0].abs() <= 2.0 * dode.event_tolerance + 1e-15);
        }
        let end = 0.9 * impacts(height, restitution).nth(6).expect("a seventh");
        let (solution, located) = run(&Restitution { restitution }, &dode, &[height, 0.0], end, 1e-6);
        check_identity_of(&dode, &solution, &located);
        prop_assert_eq!(located.len(), impacts(height, restitution).take_while(|&t| t < end).count());
        for event in located {
            prop_assert!(event.before[0] >= 0.0 && event.before[0] <= 2.0 * dode.event_tolerance + 1e-15);
        }
    }
}

/// The two evaluations that the identity counts for an event belong to the step after it.
#[test]
fn no_step_follows_an_event_at_the_end() {
    let (height, stiffness, ratio) = (1.614823786723261, 679_745.694_587_740_9, 0.3849413830213731);
    let dode = Dode { pair: PAIRS[2].0, event_tolerance: 10f64.powf(-6.31333018131209), ..published() };
    let ball = Balls { count: 1, stiffness, damping: 2.0 * ratio * f64::sqrt(stiffness) };
    let (solution, located) = run(&ball, &dode, &[height, 0.0], 1.0, 1e-6);
    // On another processor the event may miss the end by rounding; the identity holds either way.
    assert!(located.last().is_some_and(|event| event.t > 0.999_999));
    check_identity_of(&dode, &solution, &located);
}

/// Functions `sin(w t + p) − c` of time, each with its (w, p, c).
struct Waves(Vec<(f64, f64, f64)>);

impl Waves {
    /// Times up to `t_end` at which a function crosses zero.
    fn crossings(&self, index: usize, t_end: f64) -> Vec<f64> {
        let (w, p, c) = self.0[index];
        let turns = (-2..20).map(|k| 2.0 * std::f64::consts::PI * f64::from(k));
        let angles = turns.flat_map(|turn| [turn + c.asin(), turn + std::f64::consts::PI - c.asin()]);
        angles.map(|angle| (angle - p) / w).filter(|&t| t > 0.0 && t <= t_end).collect()
    }
}

impl EventModel for Waves {
    fn sizes(&self) -> [usize; 2] {
        [1, self.0.len()]
    }
    fn rhs<S: Scalar>(&self, _t: S, _y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = S::from(1.0);
    }
    fn values<S: Scalar>(&self, t: S, _y: &[S], g: &mut [S]) {
        for (g, &(w, p, c)) in g.iter_mut().zip(&self.0) {
            *g = (t * w + p).sin() - c;
        }
    }
}

proptest! {
    /// With several events in a step, two of them of one function, all are located, in order, and none twice.
    #[test]
    fn all_events_are_located_in_order(
        waves in prop::collection::vec((1.0..10.0f64, 0.0..6.0f64, -0.9..0.9f64), 1..12),
        is_published: bool,
    ) {
        let waves = Waves(waves);
        let initial = [0.0];
        let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings: Settings::fixed(0.1) };
        let dode = if is_published { published() } else { Dode::default() };
        let mut record = Record::default();
        let solution = dode.method().solve(Counted::new(&mut AsEventOde::new(&waves)), &task, &mut record);
        check_identity_of(&dode, &solution, &record.0);
        prop_assert!(record.0.is_sorted_by(|a, b| a.t < b.t));
        prop_assert_eq!(solution.statistics.unlocked_steps, 0);
        for index in 0..waves.0.len() {
            let exact = waves.crossings(index, 2.0);
            // a crossing close to either end may or may not belong to the run
            prop_assume!(waves.crossings(index, 2.1).iter().all(|t| *t > 1e-8 && (t - 2.0).abs() > 1e-8));
            let of_it = record.0.iter().filter(|event| event.functions.contains(&index));
            let located: Vec<f64> = of_it.map(|event| event.t).collect();
            prop_assert_eq!(located.len(), exact.len(), "{:?} for {:?}", located, exact);
            for (located, exact) in located.iter().zip(exact) {
                prop_assert!((located - exact).abs() < 1e-9, "{} for {}", located, exact);
            }
        }
    }
}

/// Requirements on every pair in the treatment of events.
fn conformance(dode: Dode) {
    let pair = dode.pair;
    // many functions: all events in order of time and none twice
    let (balls, initial) = close_balls(20);
    let (solution, located) = run(&balls, &dode, &initial, 0.46, 1e-6);
    check_identity(&dode, &solution);
    let order: Vec<_> = located.iter().map(|event| event.functions.clone()).collect();
    let expected: Vec<_> = (0..20).chain(0..20).map(|i| vec![i]).collect();
    assert_eq!(order, expected, "{pair:?}");
    // constant steps: the grid is kept, and events cut its steps
    let mut ode = AsEventOde::new(&Restitution { restitution: 0.5 });
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0, 0.0], settings: Settings::fixed(0.05) };
    let solution = dode.method().solve(Counted::new(&mut ode), &task, &mut Silent);
    check_identity(&dode, &solution);
    assert_eq!((solution.t_reached, solution.statistics.events), (1.0, 2));
    assert_eq!(solution.statistics.steps_accepted, 22);
    // a span of no length
    let task = Task { t_end: 0.0, ..task };
    let solution = dode.method().solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!((solution.failure, solution.statistics), (None, Statistics::default()));
    // two solves give the same bits
    let twice = [(); 2].map(|()| run(&balls, &dode, &initial, 1.5, 1e-6).0);
    assert_eq!(twice[0].state, twice[1].state);
    assert_eq!(twice[0].statistics, twice[1].statistics);
}

#[test]
fn all_pairs_locate_events_alike() {
    for pair in PAIRS.map(|(pair, _)| pair).into_iter().chain([PairName::Sdirk4]) {
        conformance(Dode { pair, ..Dode::default() });
        conformance(Dode { pair, ..published() });
    }
}

#[test]
fn a_problem_without_discontinuities_is_solved_as_any_other() {
    let dode = Dode::default();
    let task = Task { t_start: 0.0, t_end: 2.0, initial: &[1.0, 0.0], settings: Settings::tolerance(1e-10, 1e-10) };
    let solution = dode.method().solve(Counted::new(&mut AsOde(&common::Circle)), &task, &mut Silent);
    check_identity(&dode, &solution);
    assert!((solution.state[0] - 2.0f64.cos()).abs() < 1e-9);
}

#[test]
fn accumulating_jumps_end_the_run() {
    let end = impacts(1.0, 0.3).nth(60).expect("it is infinite") + 1.0;
    let (solution, _) = run(&Restitution { restitution: 0.3 }, &Dode::default(), &[1.0, 0.0], end, 1e-6);
    assert!(matches!(solution.failure, Some(Failure::EventsAccumulate { .. })), "{:?}", solution.failure);
}

/// `y' = −sgn y`: both sides lead back to the surface.
struct Relay;

impl EventModel for Relay {
    fn sizes(&self) -> [usize; 2] {
        [1, 1]
    }
    fn rhs<S: Scalar>(&self, _t: S, _y: &[S], configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = S::from(if configuration[0] { -1.0 } else { 1.0 });
    }
    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = y[0];
    }
}

#[test]
fn chattering_does_not_stall_the_run() {
    let dode = Dode::default();
    let (solution, _) = run(&Relay, &dode, &[0.5], 1.0, 1e-6);
    check_identity(&dode, &solution);
    let c = &solution.statistics;
    // from t = 0.5 on: unlocked steps of at most 1e-5, and at most nine events before each of them
    assert!((40_000..=110_000).contains(&c.unlocked_steps) && c.events <= 9 * (c.unlocked_steps + 1), "{c:?}");
    assert!(solution.state[0].abs() <= 1e-5);
}

#[test]
fn an_event_located_on_the_wrong_side_does_not_stall() {
    let ball = Balls { count: 1, stiffness: 1e4, damping: 16.0 };
    let dode = Dode { cel: Cel::Minus, ..Dode::default() };
    let (solution, located) = run(&ball, &dode, &[1.0, 0.0], 1.0, 1e-6);
    check_identity(&dode, &solution);
    assert!(located.is_empty(), "no function changes sides at a located time");
    assert!(solution.statistics.unlocked_steps > 0 && solution.statistics.events > 8);
}

#[test]
fn without_the_offset_some_events_are_found_twice() {
    let ball = Balls { count: 1, stiffness: 1e4, damping: 16.0 };
    let counts = |cel: Cel| {
        let (solution, _) = run(&ball, &Dode { cel, ..Dode::default() }, &[1.0, 0.0], 2.0, 1e-6);
        (solution.statistics.events, solution.statistics.sign_changes)
    };
    let (with, without) = (counts(Cel::ByKind), counts(Cel::Off));
    assert_eq!(with.0, with.1);
    // if sticking occurs too often, the chattering rule steps over the crossing, which is then not a located change
    // of sides
    assert!(without.0 > without.1 && without.1 <= with.1, "{without:?}");
}

#[test]
fn growth_of_the_step_can_be_limited() {
    let ball = Balls { count: 1, stiffness: 1e4, damping: 16.0 };
    let steps = |growth: Option<f64>| {
        let dode = Dode { growth, ..published() };
        run(&ball, &dode, &[1.0, 0.0], 0.4, 1e-3).0.statistics.steps_accepted
    };
    // from 4e-6 s to 0.1 s in free flight: two steps without a limit, at least 14 with a factor of two
    assert!(steps(None) <= 8, "{}", steps(None));
    assert!((14..=24).contains(&steps(Some(2.0))), "{}", steps(Some(2.0)));
}

/// `g = 0.1 + 0.9 exp(−22 t)` is never zero, but its cubic over a step of one second has a root.
struct NearMiss;

impl EventModel for NearMiss {
    fn sizes(&self) -> [usize; 2] {
        [1, 1]
    }
    fn rhs<S: Scalar>(&self, _t: S, _y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = S::from(1.0);
    }
    fn values<S: Scalar>(&self, t: S, _y: &[S], g: &mut [S]) {
        g[0] = (t * -22.0).exp() * 0.9 + 0.1;
    }
}

/// Case III: the root predicted by the interpolant is searched for and not found, and the step stays unchanged.
#[test]
fn spurious_roots_of_the_interpolant_are_not_events() {
    let mut ode = AsEventOde::new(&NearMiss);
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[0.0], settings: Settings::fixed(1.0) };
    let solution = published().method().solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    let Statistics { events, failed_locations, steps_accepted, catches, .. } = solution.statistics;
    assert_eq!((events, failed_locations, steps_accepted, catches), (0, 1, 1, 0));
    assert!((solution.state[0] - 1.0).abs() < 1e-15);
    // samples show that the interpolant is wrong, and shorter steps that there is no root
    let solution = Dode::default().method().solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!((solution.statistics.events, solution.statistics.failed_locations), (0, 0));
    assert!(solution.statistics.steps_accepted > 2 && (solution.state[0] - 1.0).abs() < 1e-15);
}
