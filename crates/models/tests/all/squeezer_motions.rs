//! Tests motions of the squeezer: states from other implementations, both formulations against each other, and the
//! energy balance.

use crate::common::{Record, run_with};
use mbsbench_integrators::{Dop853Projected, Radau5, Rk8};
use mbsbench_models::squeezer::{SqueezerAngles, SqueezerEquations};
use mbsbench_models::{Squeezer, SqueezerFormulation, SqueezerStart};
use mbsbench_problem::{
    AccelerationLevel, Counted, Mechanics, MechanicsOf, MethodDefinition, Ode, Settings, Silent, Task,
};

const BOTH: [SqueezerFormulation; 2] = [SqueezerFormulation::Angles, SqueezerFormulation::Cartesian];

/// Names of the angles and of their rates.
const ANGLES: [&str; 7] = ["beta", "theta", "gamma", "phi", "delta", "omega_angle", "epsilon"];
const RATES: [&str; 7] =
    ["omega", "theta_rate", "gamma_rate", "phi_rate", "delta_rate", "omega_angle_rate", "epsilon_rate"];

fn run(formulation: SqueezerFormulation, start: SqueezerStart, t_end: f64) -> Record {
    run_with::<Rk8>(&Squeezer { formulation, start, ..Squeezer::default() }, 1e-5, t_end)
}

/// End of the test set for IVP solvers (Bari) at 0.03 s, computed with PSIDE at tolerance 1e-14: angles, rates,
/// accelerations and multipliers. It writes `M q'' + Jᵀ λ = f`.
const TEST_SET: [[f64; 7]; 3] = [
    [
        15.810_771_196_299_04,
        -15.756_371_059_842_98,
        0.040_822_240_130_731_01,
        -0.534_730_116_322_694_8,
        0.524_409_965_880_530_4,
        0.534_730_116_322_694_8,
        1.048_080_741_042_263,
    ],
    [
        1_139.920_302_151_208,
        -1_424.379_294_994_111,
        11.032_912_219_371_34,
        19.293_374_644_213_85,
        0.573_569_928_479_080_8,
        -19.293_374_644_213_85,
        0.323_179_165_802_695_5,
    ],
    [
        -24_631.763_169_451_96,
        51_850.377_016_103_29,
        324_102.568_641_378_1,
        566_749.364_517_621_3,
        16_743.629_294_793_61,
        -566_749.364_517_622_2,
        9_826.520_791_458_422,
    ],
];
const TEST_SET_MULTIPLIERS: [f64; 6] = [
    199.175_333_373_191,
    -29.755_312_280_150_52,
    23.066_541_190_983_99,
    31.452_713_654_759_27,
    22.642_492_320_827_39,
    11.617_407_000_196_73,
];

/// The slow velocities of the test set are accurate to some 5e-8 only, by comparison with two other implementations.
#[test]
fn the_end_of_the_test_set() {
    for formulation in BOTH {
        let record = run(formulation, SqueezerStart::TestSet, 0.03);
        for (name, expected) in ANGLES.into_iter().zip(TEST_SET[0]).chain(RATES.into_iter().zip(TEST_SET[1])) {
            let found = record.at(name, 0.03);
            assert!((found / expected - 1.0).abs() < 1e-7, "{name}: {found} against {expected}");
        }
    }
}

/// Accelerations and multipliers at the end of the test set. Its accelerations are from a solution of the index-3
/// form. Those that the equations give at its own angles and rates differ from them by 1.01e-7 of the largest, which
/// limits what they can decide. The first bound here, 1e-7, was missed by that hundredth; for multipliers it holds
/// relative to the largest, but not for λ₃ itself (1.14e-7).
#[test]
fn accelerations_and_multipliers_of_the_test_set() {
    let record = run(SqueezerFormulation::Angles, SqueezerStart::TestSet, 0.03);
    let model = SqueezerAngles(Squeezer::default());
    let mut equations = AccelerationLevel::new(MechanicsOf::new(&model));
    let mut rate = [0.0; 14];
    equations.rhs(0.03, &record.states[3000], &mut rate).expect("regular");
    assert_all_near(&rate[7..], &TEST_SET[2], 2e-7);
    assert_all_near(equations.multipliers(), &TEST_SET_MULTIPLIERS.map(|lambda| -lambda), 1e-7);
}

/// Asserts that differences are below `tolerance` times the largest value expected.
#[track_caller]
fn assert_all_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance * scale, "{found} against {expected}");
    }
}

/// Accepted steps and factorizations of RADAU5 on the test set's form of the index-3 equations (27 unknowns: angles,
/// rates, accelerations, multipliers), compared with those that the test set for IVP solvers (Bari) gives. They
/// differ by a few steps: our Jacobian is exact and our first step is 1e-6 s; those of the published runs are not
/// known.
#[test]
fn radau5_takes_the_steps_of_the_test_set() {
    let model = SqueezerAngles(Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() });
    let initial = model.initial::<f64>();
    let published = [(1e-4, 58, 96), (1e-6, 73, 97), (1e-8, 123, 137), (1e-10, 246, 256)];
    let mut errors = Vec::new();
    for (tolerance, steps, factorizations) in published {
        let settings = Settings::tolerance(tolerance, tolerance);
        let task = Task { t_start: 0.0, t_end: 0.03, initial: &initial, settings };
        let mut equations = AccelerationLevel::new(MechanicsOf::new(&model));
        let solution = Radau5::default().method().solve(Counted::new(&mut equations), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        let counted = solution.statistics;
        for (found, published) in [(counted.steps_accepted, steps), (counted.factorizations, factorizations)] {
            let ratio = found as f64 / f64::from(published);
            assert!((ratio - 1.0).abs() < 0.05, "{tolerance:e}: {found}, published {published}");
        }
        errors.push((solution.state[0] - TEST_SET[0][0]).abs());
    }
    assert!(errors.windows(2).all(|pair| pair[1] < 0.3 * pair[0]) && errors[3] < 1e-5, "{errors:?}");
}

/// The index-1 equations with projection at the end of the test set, compared by angles and the crank's velocity,
/// which are published to 1e-10 relative to themselves (or one); the slow velocities are not.
///
/// The estimated error of an accepted step is at most the tolerance, in units of `1 + |y|`, and errors add up in a
/// motion that is neither stable nor unstable: the error at the end is at most the number of steps times the
/// tolerance. Because the estimate is of the order of the error, a hundredth of the tolerance gives a hundredth of
/// the error, and at least reduces it to a tenth.
#[test]
fn projected_steps_match_the_test_set() {
    const PUBLISHED: f64 = 1e-10;
    let model = SqueezerAngles(Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() });
    let initial = model.initial::<f64>();
    let mut errors = Vec::new();
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let settings = Settings::tolerance(tolerance, tolerance);
        let task = Task { t_start: 0.0, t_end: 0.03, initial: &initial, settings };
        let mut equations = AccelerationLevel::new(MechanicsOf::new(&model));
        let solution = Dop853Projected::default().method().solve(Counted::new(&mut equations), &task, &mut Silent);
        assert_eq!((solution.failure, solution.t_reached), (None, 0.03));
        let expected = TEST_SET[0].iter().chain(&TEST_SET[1][..1]);
        let relative = |(found, expected): (&f64, &f64)| (found - expected).abs() / (1.0 + expected.abs());
        let error = solution.state.iter().zip(expected).map(relative).fold(0.0, f64::max);
        let steps = solution.statistics.steps_accepted;
        assert!(error < tolerance * steps as f64 + PUBLISHED, "{tolerance:e}: {error:e} after {steps} steps");
        errors.push(error);
        assert_constraints_hold(&model, &solution.state);
    }
    assert!(errors.windows(2).all(|pair| pair[1] < 0.1 * pair[0] + PUBLISHED), "{errors:?}");
}

/// Asserts that a state satisfies the constraints on positions and velocities to roundoff. Each is a sum of at most
/// seven sines or cosines times lengths of 0.04 m, of angles of 16 rad and with rates of 1425 rad/s, which have
/// roundoff themselves.
fn assert_constraints_hold(model: &SqueezerAngles, state: &[f64]) {
    let mut mechanics = MechanicsOf::<_, f64>::new(model);
    let (q, v) = state.split_at(7);
    let (mut gaps, mut rates) = ([f64::NAN; 6], [f64::NAN; 6]);
    mechanics.constraint_values(0.03, q, v, &mut gaps);
    mechanics.velocity_constraints(0.03, q, v, &mut rates);
    let sums = 7.0 * 0.04 * f64::EPSILON;
    assert!(gaps.iter().all(|gap| gap.abs() <= 2.0 * sums * 16.0), "{gaps:?} m");
    assert!(rates.iter().all(|rate| rate.abs() <= 2.0 * sums * 1425.0), "{rates:?} m/s");
}

/// The paper's start: states, extremes and energies from another implementation, in angles with projection and by
/// DOP853, to its printed digits.
#[test]
fn the_motion_of_the_paper() {
    let table = [
        (0.01, 2.153_381_340_2, 709.952_889_4),
        (0.02, 8.178_115_005_5, 724.904_653_3),
        (0.03, 15.800_174_670_7, 1_140.103_975_6),
        (0.04, 24.368_064_925_8, 782.415_968_3),
    ];
    for formulation in BOTH {
        let record = run(formulation, SqueezerStart::Paper, 0.05);
        for (t, beta, omega) in table {
            assert!((record.at("beta", t) / beta - 1.0).abs() < 1e-8, "β({t}) = {}", record.at("beta", t));
            assert!((record.at("omega", t) / omega - 1.0).abs() < 1e-8, "ω({t}) = {}", record.at("omega", t));
        }
        // The maximum of values 5e-5 s apart; the velocity's own maximum is 2e-5 s earlier.
        assert!((record.at("omega", 0.04435) - 1287.24).abs() < 0.0051, "{} rad/s", record.at("omega", 0.04435));
        assert!((record.largest("omega") - 1287.401).abs() < 0.001, "{} rad/s", record.largest("omega"));
        assert!((record.at("energy", 0.0) - 1.435_796).abs() < 0.51e-6, "{} J", record.at("energy", 0.0));
        let work = 0.033 * (record.at("beta", 0.05) - record.at("beta", 0.0));
        assert!((work - 1.117_952).abs() < 0.51e-6, "{work} J");
        // of 2.6 J, with the roundoff of 5000 steps
        assert!(record.largest("energy_balance") < 1e-12, "{:e} J", record.largest("energy_balance"));
    }
}

/// All common observables of both formulations agree.
#[test]
fn the_formulations_agree() {
    for start in [SqueezerStart::Paper, SqueezerStart::TestSet] {
        let [angles, bodies] = BOTH.map(|formulation| run(formulation, start, 0.05));
        for name in angles.names.iter().filter(|name| !name.starts_with("multiplier_")) {
            let scale = angles.largest(name).max(1e-2);
            let difference =
                angles.column(name).zip(bodies.column(name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-9 * scale, "{name}: {difference:e} of {scale:e}");
        }
    }
}
