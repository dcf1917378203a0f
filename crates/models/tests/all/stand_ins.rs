//! Compares the stand-ins' closed forms with an integration from each event to the next, and their events with the
//! numbers printed for the problems in the literature.

use mbsbench_models::bouncing_balls::exact::rigid_state;
use mbsbench_models::bouncing_balls::{BouncingBalls, Contact, Restitution, SpringDamper};
use mbsbench_models::{
    BallAndTank, BallBetweenWalls, DampedCosineThreshold, DiodeBranches, DrivenRelaxation, RectifiedSine,
    SpringDamperBall, Thermostat,
};
use mbsbench_problem::{EventKind, Formulated, ModelDefinition, Ode};

use crate::common::bounces::{bisect, bounces, contacts, soft_state};

/// Steps of the fourth-order formula from one event to the next; the error is then below 1e-9 in all problems here.
const STEPS: u32 = 2000;

fn runge_kutta(ode: &mut dyn Ode, start: f64, end: f64, y: &mut [f64]) {
    let h = (end - start) / f64::from(STEPS);
    let mut k = vec![vec![0.0; y.len()]; 4];
    let mut stage = y.to_vec();
    for n in 0..STEPS {
        let t = start + h * f64::from(n);
        for (s, node) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            for i in 0..y.len() {
                stage[i] = y[i] + if s == 0 { 0.0 } else { h * node * k[s - 1][i] };
            }
            ode.rhs(t + h * node, &stage, &mut k[s]).unwrap();
        }
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
        }
    }
}

/// Integrates with the configuration locked from each event to the next. The event's function must be zero there; a
/// bilateral one must change its sign, and a unilateral one must stay on its side. Returns the state at `t_end`.
fn march(definition: &impl ModelDefinition, events: &[(f64, usize)], t_end: f64) -> Vec<f64> {
    definition.check().unwrap();
    let model = definition.model();
    let mut y: Vec<f64> = model.initial_state();
    let mut ode: Box<dyn Ode + '_> = model.ode();
    let mut g = vec![0.0; ode.form().events().expect("discontinuous").count()];
    let mut start = 0.0;
    let ends = events.iter().map(|&(t, index)| (t, Some(index))).chain([(t_end, None)]);
    let mut before: Option<(usize, bool)> = None;
    for (end, event) in ends {
        assert!(end > start, "events at {start} and {end}");
        // The signs half way, from a first pass that follows them.
        let middle = 0.5 * (start + end);
        let mut halfway = y.clone();
        ode.form().events().unwrap().lock(None);
        runge_kutta(&mut *ode, start, middle, &mut halfway);
        let functions = ode.form().events().unwrap();
        functions.values(middle, &halfway, &mut g).unwrap();
        let configuration: Vec<bool> = g.iter().map(|&g| g >= 0.0).collect();
        if let Some((index, sign)) = before {
            match functions.kind(index) {
                EventKind::Bilateral => assert_ne!(configuration[index], sign, "function {index} after t = {start}"),
                // It may rest at zero, where roundoff determines the sign.
                EventKind::Unilateral => assert!(g[index] > -1e-9, "function {index} after t = {start}"),
            }
        }
        functions.lock(Some(&configuration));
        runge_kutta(&mut *ode, start, end, &mut y);
        if let Some(index) = event {
            let functions = ode.form().events().unwrap();
            functions.values(end, &y, &mut g).unwrap();
            assert!(g[index].abs() < 1e-8, "function {index} is {} at t = {end}", g[index]);
            if functions.kind(index) == EventKind::Unilateral {
                functions.jump(index, end, &mut y).unwrap();
            }
            before = Some((index, configuration[index]));
        }
        start = end;
    }
    y
}

fn first(times: Vec<f64>) -> Vec<(f64, usize)> {
    times.into_iter().map(|t| (t, 0)).collect()
}

/// Sorts events, given with the numbers of their functions, by time.
fn in_order(events: impl Iterator<Item = (f64, usize)>) -> Vec<(f64, usize)> {
    let mut events: Vec<_> = events.collect();
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    events
}

/// Bounces on a rigid floor, with the number 0, and other events, with the number 1.
fn with_bounces(height: f64, restitution: f64, t_end: f64, others: impl Iterator<Item = f64>) -> Vec<(f64, usize)> {
    let bounces = bounces(height, 9.81, &Restitution { coefficient: restitution }, t_end);
    let others = others.take_while(|&t| t <= t_end).map(|t| (t, 1));
    in_order(bounces.into_iter().map(|event| (event.time, 0)).chain(others))
}

fn between_walls(problem: &BallBetweenWalls, t_end: f64) -> Vec<(f64, usize)> {
    let turns = (0..).map(|n| f64::from(2 * n + 1) * problem.half_width / problem.speed);
    with_bounces(problem.height, problem.restitution, t_end, turns)
}

/// The zeros of sources and currents; a current becomes zero in the negative half of its source.
fn of_diodes(problem: &DiodeBranches, t_end: f64) -> Vec<(f64, usize)> {
    let half_period = 0.5 / problem.frequency;
    let mut events = Vec::new();
    for branch in 0..2 {
        let lead = [0.0, problem.lead / std::f64::consts::TAU / problem.frequency][branch];
        for start in (0..).map(|n| 2.0 * half_period * f64::from(n) - lead).take_while(|&t| t <= t_end) {
            let down = start + half_period;
            let [_, end] = bisect(down, down + half_period, |t| problem.exact(branch, t) > 0.0);
            events.extend([(start, 2 + branch), (down, 2 + branch), (end, branch)]);
        }
    }
    in_order(events.into_iter().filter(|&(t, _)| 0.0 < t && t <= t_end))
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn rectified_sine() {
    let problem = RectifiedSine::default();
    let events: Vec<_> = (1..4).map(|n| (f64::from(n) / 4.0, 0)).collect();
    // three, as Carver's first
    close(problem.exact(0.9), 7.309_017_0, 5e-8);
    close(march(&problem, &events, 0.9)[0], problem.exact(0.9), 1e-9);
}

#[test]
fn thermostat() {
    let problem = Thermostat::default();
    // Seven events, as Carver's second: heating from 1 to 2 takes half as long as cooling.
    let events: Vec<_> = (1..8_u32)
        .map(|n| (2f64.ln() * (0.5 * f64::from(n.div_ceil(2)) + f64::from(n / 2)), 1 - n as usize % 2))
        .collect();
    assert!(events[6].0 < 3.75 && 2f64.ln() * 6.0 > 3.75);
    close(problem.exact(3.75), 1.505_135_7, 5e-8);
    assert_eq!(march(&problem, &events, 3.75)[1], -1.0);
    close(march(&problem, &events, 3.75)[0], problem.exact(3.75), 1e-9);
}

#[test]
fn driven_relaxation() {
    let problem = DrivenRelaxation::default();
    let events = problem.events(3.75);
    assert_eq!(events.len(), 7, "as Carver's second");
    assert_eq!(events.iter().filter(|(_, index)| *index == 1).count(), 4);
    close(march(&problem, &events, 3.75)[0], problem.exact(3.75), 1e-9);
    close(problem.exact(1e-3), 1e-3, 1e-6);
}

#[test]
fn ball_and_tank() {
    let problem = BallAndTank::default();
    let fillings = (1..).map(|n| f64::from(n) * problem.level / problem.outflow);
    let events = with_bounces(problem.height, problem.restitution, 3.64, fillings);
    assert_eq!(events.len(), 20, "as Birta, Ören and Kettenis' third");
    let y = march(&problem, &events, 3.64);
    for (found, expected) in y.iter().zip(problem.exact(3.64)) {
        close(*found, expected, 1e-8);
    }
}

#[test]
fn diode_branches() {
    let problem = DiodeBranches::default();
    let events = of_diodes(&problem, 3.75);
    assert_eq!(events.len(), 22, "as Carver's third");
    // Each event of the second branch is lead/ω before that of the first.
    for pair in events.chunks_exact(2) {
        close(pair[1].0 - pair[0].0, 1e-3 / std::f64::consts::TAU, 1e-6);
    }
    for t_end in [0.3, 0.6, 0.8, 1.2, 3.4, 3.75] {
        let y = march(&problem, &of_diodes(&problem, t_end), t_end);
        close(y[0], problem.exact(0, t_end), 1e-9);
        close(y[2], problem.exact(1, t_end), 1e-9);
    }
}

#[test]
fn damped_cosine_threshold() {
    // Seven digits from an independent computation.
    let expected = [(0.35, 3, 0.638_237_6), (0.40, 3, 0.670_001_0), (0.41, 1, 0.685_920_2), (0.45, 1, 0.688_113_4)];
    for (threshold, count, x) in expected {
        let problem = DampedCosineThreshold { threshold, ..DampedCosineThreshold::default() };
        let events = first(problem.events(3.0));
        assert_eq!(events.len(), count, "as the printed problem with A = {threshold}");
        close(problem.exact(3.0), x, 6e-8);
        let y = march(&problem, &events, 3.0);
        close(y[2], problem.exact(3.0), 1e-9);
        close(y[0], problem.oscillation(3.0).0, 1e-9);
        close(y[1], problem.oscillation(3.0).1, 1e-8);
    }
}

#[test]
fn spring_damper_ball() {
    let problem = SpringDamperBall::default();
    let floor = SpringDamper { stiffness: problem.stiffness, damping: problem.damping };
    let events = first(contacts(1.0, 1.0, 9.81, &floor, 5.5).into_iter().map(|event| event.time).collect());
    assert_eq!(events.len(), 16, "as Birta, Ören and Kettenis' second");
    let (height, velocity) = soft_state(1.0, 1.0, 9.81, &floor, 5.5);
    // Digits from an independent computation.
    close(height, 0.082_526_7, 5e-7);
    let y = march(&problem, &events, 5.5);
    close(y[0], height, 1e-9);
    close(y[1], velocity, 1e-9);
}

#[test]
fn ball_between_walls() {
    let problem = BallBetweenWalls::default();
    let events = between_walls(&problem, 3.64);
    assert_eq!(events.len(), 20, "as Birta, Ören and Kettenis' third");
    assert_eq!(events.iter().filter(|event| event.1 == 1).count(), 4);
    for (found, expected) in march(&problem, &events, 3.64).into_iter().zip(problem.exact(3.64)) {
        close(found, expected, 1e-9);
    }
    // The setting for which another program found 0.0007901 at 3.95 s
    let other = BallBetweenWalls { height: 1.0, ..problem };
    assert_eq!(between_walls(&other, 3.95).len(), 20);
    close(other.exact(3.95)[0], 0.000_790_1, 5e-8);
}

#[test]
fn bouncing_balls_on_either_floor() {
    let soft = SpringDamper { stiffness: 1e4, damping: 16.0 };
    let rigid = Restitution::default();
    for contact in [Contact::SpringDamper(soft), Contact::Restitution(rigid)] {
        let problem = BouncingBalls { count: 2, spacing: 0.1, contact, ..BouncingBalls::default() };
        let of_one = |height: f64| match &contact {
            Contact::SpringDamper(floor) => contacts(height, 1.0, 9.81, floor, 2.0),
            Contact::Restitution(floor) => bounces(height, 9.81, floor, 2.0),
        };
        let mut events: Vec<(f64, usize)> = (0..2)
            .flat_map(|ball| of_one(1.0 + 0.1 * ball as f64).into_iter().map(move |event| (event.time, ball)))
            .collect();
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        let y = march(&problem, &events, 2.0);
        for (ball, height) in [(0, 1.0), (1, 1.1)] {
            let (position, velocity) = match &contact {
                Contact::SpringDamper(floor) => soft_state(height, 1.0, 9.81, floor, 2.0),
                Contact::Restitution(floor) => rigid_state(height, 9.81, floor, 2.0),
            };
            close(y[ball], position, 1e-9);
            close(y[2 + ball], velocity, 1e-8);
        }
    }
}

/// Each model observes its own error against the closed form, which is zero at the start.
#[test]
fn observed_errors_are_zero_at_the_start() {
    fn error_of(definition: &impl ModelDefinition) -> f64 {
        let model = definition.model();
        let names = model.observables();
        let mut values = vec![0.0; names.len()];
        model.observation().observe(0.0, &Formulated::<f64>::initial_state(&*model), &mut values);
        values[names.iter().position(|o| o.name == "error").expect("it has one")]
    }
    close(error_of(&RectifiedSine::default()), 0.0, 1e-15);
    close(error_of(&Thermostat::default()), 0.0, 1e-15);
    close(error_of(&DiodeBranches::default()), 0.0, 1e-15);
    close(error_of(&DampedCosineThreshold::default()), 0.0, 1e-15);
    close(error_of(&BallBetweenWalls::default()), 0.0, 1e-15);
}

#[test]
fn currents_of_diode_branches_are_known_at_any_time() {
    let problem = DiodeBranches::default();
    for branch in 0..2 {
        let (later, far) = ((1..4000).map(|k| 1.0 + f64::from(k) * 7.3e-4), 4096.0);
        for t in later {
            close(problem.exact(branch, t + far), problem.exact(branch, t), 1e-9);
        }
        // One after the other, without storing those between.
        assert!([1e12, 1e15, 1e300].iter().all(|&t| problem.exact(branch, t).is_finite()));
    }
}

/// The pieces one after the other, without the period that the closed form uses.
fn driven_from_zero(problem: &DrivenRelaxation, t: f64) -> f64 {
    let events = problem.events(t);
    let (mut x, mut start, mut is_driven_up, mut is_above) = (0.0, 0.0, true, false);
    for (end, function) in events.into_iter().chain([(t, 2)]) {
        let rate = if is_above { problem.fast } else { problem.slow };
        let level = if is_driven_up { problem.drive / rate } else { -problem.drive / rate };
        x = if function == 1 { problem.threshold } else { level + (x - level) * (-rate * (end - start)).exp() };
        start = end;
        match function {
            0 => is_driven_up = !is_driven_up,
            1 => is_above = !is_above,
            _ => {}
        }
    }
    x
}

#[test]
fn a_driven_relaxation_is_known_at_any_time() {
    let problem = DrivenRelaxation::default();
    // Equal bitwise before the clock restarts; later to the roundoff of long sums.
    for t in (0..600).map(|k| f64::from(k) * 0.1) {
        assert_eq!(problem.exact(t), driven_from_zero(&problem, t), "{t}");
    }
    for t in (0..40).map(|k| 63.0 + f64::from(k) * 37.3) {
        close(problem.exact(t), driven_from_zero(&problem, t), 1e-12);
    }
    // Slow, fast, no passages, and a rate that decreases at the threshold.
    let others = [
        DrivenRelaxation { frequency: 20.0, ..problem.clone() },
        DrivenRelaxation { slow: 2.0, fast: 3.0, frequency: 0.02, ..problem.clone() },
        DrivenRelaxation { threshold: 0.9, ..problem.clone() },
        DrivenRelaxation { slow: 2.0, fast: 0.5, ..problem.clone() },
    ];
    for other in others {
        for t in (0..40).map(|k| f64::from(k) * 23.7) {
            // the list sums half periods from zero on
            let rounding = 2.0 * other.frequency * t * t * f64::EPSILON;
            close(other.exact(t), driven_from_zero(&other, t), 1e-12 + rounding);
        }
    }
    // The period is 2 s. One time after the other, without storing those between.
    for t in [0.1, 0.7, 1.3, 1.9] {
        // a double at 1e9 s has a resolution of 1e-7 s
        close(problem.exact(1e9 + t), problem.exact(1e3 + t), 1e-6);
    }
    assert!([1e12, 1e15, 1e300].iter().all(|&t| problem.exact(t).is_finite()));
    // A solution that does not become periodic in time is NaN; none is invented.
    let slow = DrivenRelaxation { slow: 1e-2, fast: 1e-2, frequency: 1e3, ..problem };
    assert!(slow.exact(1.0).is_finite() && slow.exact(1e15).is_nan());
}

#[test]
fn endless_crossings_are_followed_for_a_limited_time() {
    let problem = DampedCosineThreshold { decay: 1e-9, ..DampedCosineThreshold::default() };
    assert!(problem.exact(4000.0).is_finite() && problem.exact(1e15).is_nan());
    // Once the oscillation has decayed, all crossings are known.
    assert!(DampedCosineThreshold::default().exact(1e3).is_finite());
}

#[test]
fn an_endlessly_bouncing_ball_is_followed_for_a_limited_time() {
    let rigid = BallBetweenWalls { restitution: 1.0, ..BallBetweenWalls::default() };
    assert!(rigid.exact(1e3).iter().all(|number| number.is_finite()));
    assert!(rigid.exact(1e15).iter().any(|number| number.is_nan()));
    // Ever shorter bounces end, and the motion afterwards is known.
    assert_eq!(BallBetweenWalls::default().exact(1e3)[..2], [0.0, 0.0]);
}
