//! Compares the fast forces and events of marbles with those of all pairs, and the energy with motions in closed form.

use mbsbench_integrators::{Dop853, SemiExplicit, StormerVerlet};
use mbsbench_models::MarbleJar;
use mbsbench_models::marble_jar::{Arrangement, Candidates, MarbleOde};
use mbsbench_problem::{
    AsEventOde, Counted, DoubleDouble, EventFunctions, EventModel, Formulated, Method, MethodDefinition, Model,
    ModelDefinition, Ode, Scalar, Settings, Silent, Statistics, Task,
};
use proptest::prelude::*;

fn jar(count: usize, damping: f64) -> MarbleJar {
    MarbleJar { count, damping, ..MarbleJar::default() }
}

/// A crowd about as dense as a packing, in and slightly outside the jar, with velocities up to `speed`.
fn crowd(count: usize, speed: f64) -> impl Strategy<Value = Vec<f64>> {
    let height = 0.01 + 0.004 * count as f64;
    let positions = proptest::collection::vec((-0.03..0.03, -0.03..0.03, 0.009..height), count);
    let velocities = proptest::collection::vec(-speed..speed, 3 * count);
    (positions, velocities).prop_map(|(positions, velocities)| {
        let component = |get: fn(&(f64, f64, f64)) -> f64| positions.iter().map(get).collect::<Vec<_>>();
        [component(|p| p.0), component(|p| p.1), component(|p| p.2), velocities].concat()
    })
}

/// Index of a function of all pairs.
fn index_of(n: usize, [i, j]: [u32; 2]) -> usize {
    let (i, j) = (i as usize, j as usize);
    2 * n + i * (2 * n - i - 1) / 2 + (j - i - 1)
}

/// Indices of the watched functions among all functions.
fn watched(ode: &MarbleOde, n: usize) -> Vec<usize> {
    let (pairs, floors, walls) = ode.watched();
    let floors = floors.iter().map(|&i| i as usize);
    let walls = walls.iter().map(|&i| n + i as usize);
    floors.chain(walls).chain(pairs.iter().map(|&pair| index_of(n, pair))).collect()
}

#[test]
fn numbers_of_functions_match_the_paper() {
    for (n, functions) in [(2, 5), (4, 14), (8, 44), (10, 65), (16, 152)] {
        assert_eq!(jar(n, 0.0).sizes()[1], functions);
        let model = MarbleJar { count: n, ..MarbleJar::default() }.model();
        let y: Vec<f64> = model.initial_state();
        let mut ode: Box<dyn Ode + '_> = model.ode();
        let events = ode.form().events().expect("discontinuous");
        events.prepare(0.0, &y, 0.1).unwrap();
        assert_eq!(events.count(), functions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bitwise, also with a list made for an earlier state.
    #[test]
    fn near_and_all_give_the_same_forces(
        states in (2..=64_usize).prop_flat_map(|n| crowd(n, 3.0)),
        damping in 0.0..20.0,
    ) {
        let n = states.len() / 6;
        let jar = jar(n, damping);
        let mut generic = AsEventOde::<_, f64>::new(&jar);
        let with = |candidates| MarbleOde::new(MarbleJar { candidates, ..jar });
        let mut fast = [Candidates::All, Candidates::Near].map(with);
        let (mut y, mut expected, mut found) = (states, vec![0.0; 6 * n], vec![0.0; 6 * n]);
        let mut pushed = 0.0_f64;
        for _ in 0..10 {
            generic.rhs(0.0, &y, &mut expected).unwrap();
            for ode in &mut fast {
                ode.rhs(0.0, &y, &mut found).unwrap();
                prop_assert_eq!(&found, &expected);
            }
            pushed = expected[3 * n..].iter().fold(pushed, |most, a| most.max(a.abs()));
            for i in 0..3 * n { y[i] += 1e-4 * y[3 * n + i]; }
        }
        prop_assert!(n < 20 || pushed > 10.0, "this crowd touches nothing");
    }

    #[test]
    fn near_and_all_pairs_have_the_same_functions(
        y in (2..=64_usize).prop_flat_map(|n| crowd(n, 3.0)), damping in 0.0..20.0, horizon in 1e-6..1e-2,
    ) {
        let n = y.len() / 6;
        let jar = jar(n, damping);
        let mut generic = AsEventOde::<_, f64>::new(&jar);
        let functions = jar.sizes()[1];
        let (mut all_g, mut all_rates) = (vec![0.0; functions], vec![0.0; functions]);
        let (mut all_dydt, mut dydt) = (vec![0.0; 6 * n], vec![0.0; 6 * n]);
        generic.rhs(0.0, &y, &mut all_dydt).unwrap();
        generic.values(0.0, &y, &mut all_g).unwrap();
        generic.rates(0.0, &y, &all_dydt, &mut all_rates).unwrap();
        for candidates in [Candidates::All, Candidates::Near] {
            let mut ode = MarbleOde::new(MarbleJar { candidates, ..jar });
            ode.prepare(0.0, &y, horizon).unwrap();
            let count = ode.count();
            let indices = watched(&ode, n);
            prop_assert_eq!(indices.len(), count);
            prop_assert!(indices.is_sorted());
            let (mut g, mut rates) = (vec![0.0; count], vec![0.0; count]);
            ode.values(0.0, &y, &mut g).unwrap();
            ode.rates(0.0, &y, &all_dydt, &mut rates).unwrap();
            for (entry, &index) in indices.iter().enumerate() {
                prop_assert_eq!(g[entry], all_g[index]);
                // One by hand, the other by dual numbers
                let scale = 1e-14 * (1.0 + all_rates[index].abs());
                prop_assert!((rates[entry] - all_rates[index]).abs() <= scale);
            }
            // Contacts that are not watched are open.
            prop_assert!(all_g.iter().enumerate().all(|(i, &g)| g >= 0.0 || indices.contains(&i)));
            let configuration: Vec<bool> = g.iter().map(|&g| g >= 0.0).collect();
            ode.lock(Some(&configuration));
            ode.rhs(0.0, &y, &mut dydt).unwrap();
            prop_assert_eq!(&dydt, &all_dydt);
        }
    }

    /// During a step with locked contacts, in small parts, no gap of an unwatched pair reaches zero.
    #[test]
    fn contacts_within_the_step_are_not_missed(
        y in (2..=40_usize).prop_flat_map(|n| crowd(n, 3.0)), damping in 0.0..5.0, horizon in 1e-6..2e-3,
    ) {
        let n = y.len() / 6;
        let jar = jar(n, damping);
        let mut ode = MarbleOde::new(MarbleJar { candidates: Candidates::Near, ..jar });
        ode.prepare(0.0, &y, horizon).unwrap();
        let count = ode.count();
        let indices = watched(&ode, n);
        let mut g = vec![0.0; count];
        ode.values(0.0, &y, &mut g).unwrap();
        let configuration: Vec<bool> = g.iter().map(|&g| g >= 0.0).collect();
        ode.lock(Some(&configuration));
        let mut all_g = vec![0.0; jar.sizes()[1]];
        let mut y = y;
        // Steps short compared to the fastest of 12 springs at a marble, 1e-5 s
        let steps = (horizon / 2e-6).ceil();
        for _ in 0..steps as u64 {
            runge_kutta(&mut ode, horizon / steps, &mut y);
            jar.values(0.0, &y, &mut all_g);
            let missed = all_g.iter().enumerate().find(|(i, g)| **g < 0.0 && indices.binary_search(i).is_err());
            prop_assert_eq!(missed, None);
        }
    }
}

fn runge_kutta(ode: &mut dyn Ode, h: f64, y: &mut [f64]) {
    let mut k = vec![vec![0.0; y.len()]; 4];
    let mut stage = y.to_vec();
    for (s, node) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
        for i in 0..y.len() {
            stage[i] = y[i] + if s == 0 { 0.0 } else { h * node * k[s - 1][i] };
        }
        ode.rhs(0.0, &stage, &mut k[s]).unwrap();
    }
    for i in 0..y.len() {
        y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    }
}

fn observed(model: &dyn Model, y: &[f64], name: &str) -> f64 {
    let names = model.observables();
    let mut values = vec![0.0; names.len()];
    model.observation().observe(0.0, y, &mut values);
    values[names.iter().position(|o| o.name == name).expect("it has one")]
}

#[test]
fn free_flight_keeps_the_energy() {
    for candidates in [Candidates::All, Candidates::Near] {
        let definition = MarbleJar { candidates, ..MarbleJar::default() };
        let model = definition.model();
        let mut y: Vec<f64> = model.initial_state();
        let energy = observed(&*model, &y, "energy");
        // m g Σ (0.175 + 0.03 i)
        assert!((energy - 0.01 * 9.81 * 3.1).abs() < 1e-15);
        let mut ode: Box<dyn Ode + '_> = model.ode();
        for _ in 0..100 {
            runge_kutta(&mut *ode, 1e-3, &mut y);
        }
        assert!((observed(&*model, &y, "energy") - energy).abs() < 1e-14);
        // All marbles fall by g t²/2 = 49 mm.
        assert!((observed(&*model, &y, "height") - (0.31 - 0.5 * 9.81 * 0.01)).abs() < 1e-14);
        assert_eq!(observed(&*model, &y, "contacts"), 0.0);
    }
}

/// Two marbles meet head on at rest in the jar's height: the relative motion is a harmonic oscillation with
/// `ω² = 2 k/m`, which determines depth and duration of the contact.
#[test]
fn a_single_contact_is_a_half_oscillation() {
    let definition = MarbleJar { count: 2, gravity: 0.0, candidates: Candidates::Near, ..MarbleJar::default() };
    let model = definition.model();
    let speed = 0.5; // of approach, m/s
    let mut y = vec![0.0; 12];
    (y[0], y[1], y[4], y[5]) = (-0.01, 0.01, 0.1, 0.1);
    (y[6], y[7]) = (0.5 * speed, -0.5 * speed);
    let energy = observed(&*model, &y, "energy");
    let omega = (2.0 * 3e6 / 0.01_f64).sqrt();
    let half_period = std::f64::consts::PI / omega;
    let mut ode = MarbleOde::new(MarbleJar { candidates: Candidates::Near, ..definition });
    ode.prepare(0.0, &y, half_period).unwrap();
    assert_eq!(ode.watched().0, &[[0, 1]]);
    ode.lock(Some(&[false]));
    let steps = 2000;
    for step in 1..=steps {
        runge_kutta(&mut ode, half_period / f64::from(steps), &mut y);
        // 2000 roundoff errors of a position at 0.01 m, 9e-19 m each, multiplied by up to 61 N
        assert!((observed(&*model, &y, "energy") - energy).abs() < 1.1e-13, "step {step}");
        if step == steps / 2 {
            assert!((observed(&*model, &y, "penetration") - speed / omega).abs() < 1e-12);
            assert_eq!(observed(&*model, &y, "contacts"), 1.0);
        }
    }
    assert!((y[6] + 0.5 * speed).abs() < 1e-11 && (y[7] - 0.5 * speed).abs() < 1e-11, "they have changed velocities");
}

/// Compares the derivative of the right-hand side along a direction, by dual numbers of the generic form, with
/// differences of the fast one; and double-double with double precision.
#[test]
fn derivatives_and_double_double_agree_with_the_fast_form() {
    use num_dual::Dual64;
    let jar = jar(3, 5.0);
    // Two pressed against the floor and each other, one at the cylinder
    let y = [
        0.0, 0.0199, -0.0401, 0.001, 0.002, 0.001, 0.0099, 0.0105, 0.04, //
        0.1, -0.2, -0.3, 0.05, 0.1, 0.02, -0.1, 0.3, 0.2,
    ];
    let mut ode = MarbleOde::new(MarbleJar { candidates: Candidates::Near, ..jar });
    let mut dydt = vec![0.0; 18];
    ode.rhs(0.0, &y, &mut dydt).unwrap();
    ode.prepare(0.0, &y, 1e-6).unwrap();
    let count = ode.count();
    assert_eq!(count, 3, "{:?}", watched(&ode, 3));
    let mut g = vec![0.0; count];
    ode.values(0.0, &y, &mut g).unwrap();
    let closed: Vec<bool> = g.iter().map(|&g| g >= 0.0).collect();
    assert_eq!(closed.iter().filter(|open| !**open).count(), 3);
    ode.lock(Some(&closed));
    let mut all = vec![0.0; jar.sizes()[1]];
    jar.values(0.0, &y, &mut all);
    let configuration: Vec<bool> = all.iter().map(|&g| g >= 0.0).collect();
    for component in 0..18 {
        let duals: Vec<Dual64> =
            y.iter().enumerate().map(|(i, &y)| Dual64::new(y, f64::from(u8::from(i == component)))).collect();
        let mut derivative = vec![Dual64::from(0.0); 18];
        jar.rhs(Dual64::from(0.0), &duals, &configuration, &mut derivative);
        let at = |ode: &mut MarbleOde, shift: f64| {
            let mut moved = y;
            moved[component] += shift;
            let mut dydt = vec![0.0; 18];
            ode.rhs(0.0, &moved, &mut dydt).unwrap();
            dydt
        };
        // Differences of the locked forces, whose curvature is k/r or c/r²
        let shift = 1e-7;
        let (ahead, behind) = (at(&mut ode, shift), at(&mut ode, -shift));
        for row in 0..18 {
            let difference = (ahead[row] - behind[row]) / (2.0 * shift);
            let expected = derivative[row].eps;
            assert!((difference - expected).abs() <= 1e-7 * (3e8 + expected.abs()), "{row}, {component}");
        }
    }
    let precise_y: Vec<DoubleDouble> = y.iter().map(|&y| DoubleDouble::from(y)).collect();
    let mut precise = vec![DoubleDouble::from(0.0); 18];
    AsEventOde::new(&jar).rhs(DoubleDouble::from(0.0), &precise_y, &mut precise).unwrap();
    for (double, precise) in dydt.iter().zip(precise) {
        // k/m times the roundoff of a gap
        assert!((precise.value() - double).abs() < 3e8 * 1e-17 * 4.0, "{double} {precise}");
    }
}

/// A smooth run through contacts: `near` reuses its lists and agrees bitwise with `all`.
#[test]
fn near_follows_all_through_contacts() {
    let arrangement: Arrangement = serde_json::from_str(r#"{ "packed": { "spacing": 1.02 } }"#).unwrap();
    let definition = MarbleJar { count: 60, arrangement, damping: 1.0, ..MarbleJar::default() };
    let model = definition.model();
    let start: Vec<f64> = model.initial_state();
    let mut runs = [Candidates::All, Candidates::Near]
        .map(|candidates| (MarbleOde::new(MarbleJar { candidates, ..definition }), start.clone()));
    let mut contacts = 0.0;
    for _ in 0..4000 {
        for (ode, y) in &mut runs {
            runge_kutta(ode, 1e-5, y);
        }
        contacts += observed(&*model, &runs[0].1, "contacts");
    }
    let [(_, all), (near, y)] = &runs;
    assert_eq!(all, y);
    let rebuilds = near.neighbours.rebuilds;
    assert!((2..200).contains(&rebuilds), "{rebuilds} lists in 16000 evaluations");
    assert!(contacts > 4000.0, "{contacts} contacts in 4000 states");
    let model: &dyn Model = &*model;
    assert_eq!(Formulated::<f64>::initial_state(model), start);
}

/// Forty marbles pressed together, at rest, solved until `t_end` in the given number of steps.
fn pressed(damping: f64, method: &dyn Method, t_end: f64, steps: u32) -> (Vec<f64>, Statistics) {
    let definition = MarbleJar { count: 40, damping, ..MarbleJar::default() };
    let y: Vec<f64> = MarbleJar { arrangement: packed(0.98, 0.004), ..definition }.model().initial_state();
    let mut ode = MarbleOde::new(MarbleJar { candidates: Candidates::Near, ..definition });
    let task = Task { t_start: 0.0, t_end, initial: &y, settings: Settings::fixed(t_end / f64::from(steps)) };
    let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    (solution.state, solution.statistics)
}

fn packed(spacing: f64, displacement: f64) -> Arrangement {
    serde_json::from_value(serde_json::json!({ "packed": { "spacing": spacing, "displacement": displacement } }))
        .unwrap()
}

/// Over a twentieth of a period of two marbles no contact opens, so that forces are smooth. With damping they depend
/// on velocities, which the Störmer–Verlet method predicts.
#[test]
fn formulas_with_one_evaluation_a_step_keep_their_order() {
    let t_end = 2e-5;
    for damping in [0.0, 5.0] {
        let exact = pressed(damping, &*Dop853::default().method(), t_end, 64).0;
        for method in [StormerVerlet::default().method(), SemiExplicit::default().method()] {
            let errors = [16, 32].map(|steps| {
                let (state, statistics) = pressed(damping, &*method, t_end, steps);
                assert!(statistics.rhs_evaluations <= u64::from(steps) + 1);
                let largest =
                    |part: std::ops::Range<usize>| part.map(|i| (state[i] - exact[i]).abs()).fold(0.0, f64::max);
                [largest(0..120), largest(120..240)]
            });
            for i in [0, 1] {
                let order = (errors[0][i] / errors[1][i]).log2();
                assert!((order - f64::from(method.order())).abs() < 0.1, "damping {damping}: {order} of {errors:?}");
            }
        }
    }
}

/// The pressed marbles fly apart and collide for 5 ms. A symplectic method of order two conserves an energy
/// that differs by `(h ω)²/4` of the energy of a spring with frequency ω; a formula that is unstable without
/// damping does not.
#[test]
fn verlet_keeps_the_energy_of_the_jar() {
    let definition = MarbleJar { count: 40, arrangement: packed(0.98, 0.004), ..MarbleJar::default() };
    let model = definition.model();
    let start = observed(&*model, &Formulated::<f64>::initial_state(&*model), "energy");
    let change = |method: &dyn Method, steps: u32| {
        let (state, _) = pressed(0.0, method, 5e-3, steps);
        (observed(&*model, &state, "energy") / start - 1.0).abs()
    };
    let omega_square = 2.0 * definition.stiffness / definition.mass;
    for steps in [5000, 20_000] {
        let limit = 0.25 * omega_square * (5e-3 / f64::from(steps)).powi(2);
        let verlet = change(&*StormerVerlet::default().method(), steps);
        assert!(verlet < limit, "{steps}: {verlet:e}, {limit:e}");
        assert!(change(&*SemiExplicit::default().method(), steps) > 50.0 * limit, "{steps}");
    }
}
