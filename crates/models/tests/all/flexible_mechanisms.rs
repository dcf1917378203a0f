//! Compares the flexible mechanisms of zhang2022 with analytical values and with values of independent programs.
//!
//! Values without another source are those of a prototype in another language with automatic derivatives, to the
//! given digits; the authors' own program gives the same for the four-bar mechanism.

use crate::common::{Record, run_from};
use approx::assert_relative_eq;
use mbsbench_integrators::{Bathe, Dopri5, Esdirk436l2sa2, Lms4, Mssth5, Ode15s, Ode23s, Rk4};
use mbsbench_models::{FlexibleFourBar, LateralBuckling, Lumps, RotatingShaft};
use mbsbench_problem::dae::Point;
use mbsbench_problem::{
    Counted, Failure, Formulated, Method, MethodDefinition, Model, ModelDefinition, Settings, Silent, Task, View,
};
use nalgebra::DMatrix;

/// Angular frequencies (rad/s) of small motions about the initial state at time `t`, in increasing order.
fn frequencies(model: &impl ModelDefinition, t: f64) -> Vec<f64> {
    const UNKNOWNS: usize = 12;
    let model = model.model();
    let initial = Formulated::<f64>::initial_state(&*model);
    let mut ode = Formulated::<f64>::ode(&*model);
    let matrices = Counted::new(&mut *ode).with_dae(|dae| {
        let (n, m) = (dae.differential(), dae.algebraic());
        let (mut chart, mut y) = (vec![0.0; dae.chart_length()], vec![0.0; n]);
        dae.locate(&initial, &mut chart, &mut y);
        let (mut rates, mut residual) = (vec![0.0; n + m], vec![0.0; n + m]);
        // At rest, so that only stiffness and inertia are linearised.
        y.chunks_exact_mut(UNKNOWNS).for_each(|node| node[6..].fill(0.0));
        rates.fill(0.0);
        let at = Point { t, chart: &chart, y: &y, rates: &rates };
        dae.residual(at, 1.0, &mut residual).expect("it exists");
        // Derivatives by y' alone, and including those by y.
        let [still, moved] = [0.0, 1.0].map(|c| {
            let mut matrix = DMatrix::zeros(n + m, n + m);
            dae.jacobian(at, c, &mut matrix);
            matrix
        });
        (n, m, still, moved)
    });
    let (n, m, still, moved) = matrices.expect("it has an implicit form");
    let positions: Vec<usize> = (0..n).filter(|k| k % UNKNOWNS < 6).collect();
    let stiffness = (&moved - &still).select_columns(&positions);
    let momenta = still.select_rows(&positions).select_columns(&positions);
    let momentum_rates: Vec<usize> = positions.iter().map(|k| k + 6).collect();
    let stiffness = stiffness.select_rows(&momentum_rates);
    let constraints = moved.select_columns(&positions).rows(n, m).into_owned();
    let free = null_space(&constraints);
    let (mass, stiffness) = (free.transpose() * momenta * &free, free.transpose() * stiffness * &free);
    let squares = (mass.lu().solve(&stiffness).expect("the mass matrix is regular")).complex_eigenvalues();
    let mut squares: Vec<_> = squares.iter().copied().collect();
    squares.sort_by(|one, other| one.re.total_cmp(&other.re));
    // The stiffness matrix is not symmetric; resolved motions nevertheless have real squares.
    assert!(squares[..16].iter().all(|square| square.im == 0.0 && square.re > -1e-3), "{squares:?}");
    squares.iter().map(|square| square.re.max(0.0).sqrt()).collect()
}

/// An orthonormal basis of the null space of a matrix with fewer rows than columns.
fn null_space(rows: &DMatrix<f64>) -> DMatrix<f64> {
    let gram = rows.transpose() * rows;
    let scale = gram.amax();
    let eigen = gram.symmetric_eigen();
    let null: Vec<usize> = (0..rows.ncols()).filter(|&k| eigen.eigenvalues[k].abs() < 1e-9 * scale).collect();
    eigen.eigenvectors.select_columns(&null)
}

fn assert_frequencies(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        // To all given digits.
        assert_relative_eq!(found, expected, max_relative = 2e-5);
    }
}

#[test]
fn the_shaft_has_its_frequencies() {
    let found = frequencies(&RotatingShaft::default(), -1.0);
    assert_frequencies(&found, &[56.709, 56.849]);
    // Clamped beam with a mass in the middle (Euler and Bernoulli); shear and the width of the disk lower it slightly.
    assert!(found[0] < 57.07 && found[0] > 0.99 * 57.07);
    for expected in [204.1, 286.7, 288.1, 455.9, 458.3] {
        assert!(found.iter().any(|found| (found - expected).abs() < 0.06), "no {expected} in {:?}", &found[..10]);
    }
}

#[test]
fn the_buckling_beam_has_its_frequencies() {
    assert_frequencies(&frequencies(&LateralBuckling::default(), 0.0), &[221.75, 617.28, 979.03]);
}

#[test]
fn the_four_bar_mechanism_has_its_frequencies() {
    assert_frequencies(&frequencies(&FlexibleFourBar::default(), 0.0), &[1320.6, 1861.8, 3490.0]);
}

/// Bending and shear of a clamped beam under the disk and its own weight: `m_d g L³/(192 EI) + m g L⁴/(384 EI)` and
/// `(m_d/4 + m L/8) g L/GA`.
#[test]
fn the_shaft_sags_by_its_weight() {
    let shaft = RotatingShaft { elements: 4, ..RotatingShaft::default() };
    let record = run_from(&shaft, &Bathe::default(), [-1.0, 0.0], 5e-3);
    let RotatingShaft { length: l, section, disk, gravity: g, .. } = &shaft;
    let bending = disk.mass * l.powi(3) / 192.0 + section.mass * l.powi(4) / 384.0;
    let shear = (disk.mass / 4.0 + section.mass * l / 8.0) * l;
    let sag = g * (bending / section.bending[0] + shear / section.shear[0]);
    assert_relative_eq!(sag, 3.3098e-3, max_relative = 1e-4);
    assert_relative_eq!(record.at("u3", 0.0), -sag, max_relative = 1e-3);
    assert!(record.at("v3", 0.0).abs() < 1e-6 && record.at("a3", 0.0).abs() < 1e-3);
}

fn shaft_until(t_end: f64, step: f64) -> Record {
    // The residual cannot be reduced much further, because it consists of large forces.
    let method = Esdirk436l2sa2 { newton_tolerance: 1e-4, ..Esdirk436l2sa2::default() };
    run_from(&RotatingShaft::default(), &method, [-1.0, t_end], step)
}

/// Through the critical speed, with the method and the step of the prototype, to all its digits.
#[test]
fn the_shaft_matches_an_independent_program() {
    let record = shaft_until(2.5, 2.5e-3);
    assert_relative_eq!(record.at("u3", 0.0), -3.309_81e-3, max_relative = 2e-6);
    for (t, u2, u3, v2, v3) in [
        (0.25, -0.007_850, -0.003_745, -0.093_82, -0.202_79),
        (0.75, 0.122_557, 0.065_632, -3.584_28, 6.239_46),
        (1.25, 0.220_173, -0.011_485, 1.574_52, 13.522_95),
        (1.75, -0.219_469, -0.154_087, 9.443_86, -13.747_39),
        (2.50, -0.094_766, 0.193_274, -12.545_63, -4.846_92),
    ] {
        let expected = [("u2", u2, 1e-6), ("u3", u3, 1e-6), ("v2", v2, 1e-5), ("v3", v3, 1e-5)];
        for (name, value, distance) in expected {
            assert!((record.at(name, t) - value).abs() < distance, "{name} at {t}: {}", record.at(name, t));
        }
    }
    assert_relative_eq!(record.largest("u3"), 0.2688, max_relative = 2e-4);
}

/// Accelerations from the multipliers of the method are the rates of the velocities.
#[test]
fn accelerations_are_the_rates_of_velocities() {
    let record = shaft_until(0.5, 5e-3);
    for (velocity, acceleration) in [("v2", "a2"), ("v3", "a3")] {
        for t in [0.3, 0.4, 0.45] {
            let (h, at) = (5e-3, |t| record.at(velocity, t));
            let slope = (8.0 * (at(t + h) - at(t - h)) - (at(t + 2.0 * h) - at(t - 2.0 * h))) / (12.0 * h);
            let found = record.at(acceleration, t);
            // Differences over four steps at 60 rad/s have an error of (60 h)⁴/30 of the largest value.
            assert!((found - slope).abs() < 1e-3 * record.largest(acceleration), "{acceleration}({t}) {found} {slope}");
        }
    }
}

/// The first turn of the mechanism before it buckles; the given digits are those of LMS4 with ρ∞ = 0.6 and
/// steps of 1e-3 s.
#[test]
fn the_beam_buckles_as_in_an_independent_program() {
    let method = Lms4 { rho_inf: 0.6, newton_tolerance: 1e-4, max_iterations: 50, ..Lms4::default() };
    let record = run_from(&LateralBuckling::default(), &method, [0.0, 0.16], 1e-3);
    for (t, theta) in [(0.10, 0.000_50), (0.12, 0.002_46), (0.13, 0.009_58), (0.14, 0.0604), (0.15, 0.1845)] {
        assert_relative_eq!(record.at("theta", t), theta, max_relative = 1e-2);
    }
    assert_relative_eq!(record.at("shear_force", 0.10), 4004.6, max_relative = 1e-3);
    assert_relative_eq!(record.at("shear_force", 0.14), 6544.6, max_relative = 1e-3);
    let onset = record.times.iter().zip(record.column("theta")).find(|(_, theta)| *theta > 0.01).expect("it buckles").0;
    assert_relative_eq!(onset, &0.131, epsilon = 1e-9);
}

/// An observable at a time between two steps, by linear interpolation.
fn between(record: &Record, name: &str, t: f64) -> f64 {
    let values: Vec<f64> = record.column(name).collect();
    let after = record.times.partition_point(|&end| end < t);
    let share = (t - record.times[after - 1]) / (record.times[after] - record.times[after - 1]);
    values[after - 1] + share * (values[after] - values[after - 1])
}

/// The third turn, to all digits; during the first two, the initial transients decay.
#[test]
fn the_four_bar_mechanism_matches_an_independent_program() {
    let four_bar = FlexibleFourBar::default();
    let start = two_turns_before(&four_bar);
    let method = Bathe { rho_inf: 0.0, ..Bathe::default() };
    let record = run_from(&four_bar, &method, [start, 11.01], 8e-3);
    for (t, theta, omega, moment) in [
        (1.0, 0.014_127, 0.013_02, 6.455),
        (3.0, 0.018_592, 0.008_50, 119.11),
        (5.0, 0.003_953, -0.002_99, 1.152),
        (7.0, -0.017_025, 0.002_78, 53.61),
        (9.0, -0.013_181, 0.004_04, 60.14),
        (11.0, 0.007_481, 0.014_60, -4.748),
    ] {
        for (name, expected, distance) in
            [("theta", theta, 1.5e-6), ("omega1", omega, 1.5e-5), ("bending_moment", moment, 1.5e-2)]
        {
            let found = between(&record, name, t);
            assert!((found - expected).abs() < distance, "{name} at {t}: {found}, not {expected}");
        }
    }
    let late = || record.times.iter().zip(record.column("theta")).filter(|(t, _)| **t > 0.0);
    let (low, high) = late().fold((0.0_f64, 0.0_f64), |(low, high), (_, theta)| (low.min(theta), high.max(theta)));
    assert_relative_eq!(low, -0.017_03, max_relative = 1e-3);
    assert_relative_eq!(high, 0.021_05, max_relative = 1e-3);
    assert!(record.largest("constraint") < 1e-8);
}

/// The time at which the published runs of the four-bar mechanism start, s.
fn two_turns_before(four_bar: &FlexibleFourBar) -> f64 {
    -2.0 * std::f64::consts::TAU / four_bar.angular_velocity
}

/// Largest oscillation of zhang2022, Figure 16, and the run that cannot pass the first extended position with the
/// whole mass; both agree with the authors' own program.
#[test]
fn published_joint_masses_give_the_published_oscillations() {
    let four_bar = FlexibleFourBar { lumps: Lumps::ByMechanism, ..FlexibleFourBar::default() };
    let start = two_turns_before(&four_bar);
    let method = Lms4 { rho_inf: 0.6, max_iterations: 50, ..Lms4::default() };
    let record = run_from(&four_bar, &method, [start, 4.0], 1e-3);
    let late = || record.times.iter().zip(record.column("omega1")).filter(|(t, _)| **t > 3.0).map(|(_, omega)| omega);
    let (low, high) = (late().fold(0.0, f64::min), late().fold(0.0, f64::max));
    assert!((low + 0.148).abs() < 5e-4 && (high - 0.147).abs() < 5e-4, "from {low} to {high}");
    let method = Mssth5 { rho_inf: 0.0, max_iterations: 50, ..Mssth5::default() };
    let record = run_from(&four_bar, &method, [start, -18.0], 2e-2);
    assert_relative_eq!(record.times[record.times.len() - 1], -18.0, epsilon = 1e-9);
}

/// Without the tilt, the four-bar mechanism is a planar parallelogram: its coupler does not rotate.
#[test]
fn without_the_tilt_the_coupler_does_not_turn() {
    let straight = FlexibleFourBar { misalignment: 0.0, elements: 2, ..FlexibleFourBar::default() };
    let turn = std::f64::consts::TAU / straight.angular_velocity;
    let record = run_from(&straight, &Bathe::default(), [-turn, -turn + 1.0], 2e-2);
    assert!(record.largest("theta") < 1e-9 && record.largest("bending_moment") < 1e-6);
}

/// The equations are differential-algebraic; a method that evaluates a right-hand side fails before its first step.
#[test]
fn methods_without_implicit_stages_refuse_them() {
    let model = RotatingShaft::default().model();
    let mut ode = Formulated::<f64>::ode(&*model);
    let methods: [Box<dyn Method>; 4] =
        [Rk4::default().method(), Dopri5::default().method(), Ode23s::default().method(), Ode15s::default().method()];
    for method in methods {
        let refused = method.suits(&mut *ode).expect_err("there is no right-hand side");
        assert!(refused.to_string().contains("implicit form"), "{refused}");
    }
    assert_eq!(Bathe::default().method().suits(&mut *ode), Ok(()));
    let initial = Formulated::<f64>::initial_state(&*model);
    let task = Task { t_start: -1.0, t_end: 0.0, initial: &initial, settings: Settings::fixed(0.1) };
    let solution = Rk4::default().method().solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert!(matches!(solution.failure, Some(Failure::NotApplicable { .. })), "{:?}", solution.failure);
    assert_eq!(solution.statistics.steps_accepted, 0);
}

/// Width and height (m) of the parts of a view with the given name.
fn extent(view: &View, name: &str) -> [f64; 2] {
    let parts = view.parts.iter().filter(|(part, _)| *part == name);
    let points: Vec<[f64; 2]> = parts.flat_map(|(_, shape)| shape.points(360)).collect();
    assert!(!points.is_empty(), "no {name} in {}", view.name);
    [0, 1].map(|axis| {
        let along = points.iter().map(|point| point[axis]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    })
}

#[test]
fn mechanisms_are_drawn_to_scale() {
    let views = |definition: &dyn Fn() -> Box<dyn Model>| {
        let model = definition();
        model.views(&Formulated::<f64>::initial_state(&*model))
    };
    let four_bar = views(&|| FlexibleFourBar::default().model());
    let sizes: Vec<_> = four_bar.iter().map(|view| (view.name, extent(view, "bars"), extent(view, "axes"))).collect();
    let [("plane", [width, height], _), ("top", [_, depth], [tilted, _])] = sizes[..] else { panic!("{sizes:?}") };
    // The bars are squares of 16 and 8 mm, with centre lines of 0.24 by 0.12 m.
    assert_relative_eq!(width, 0.24 + 0.008 + 0.004, max_relative = 1e-4);
    assert_relative_eq!(height, 0.12 + 0.008, max_relative = 1e-4);
    assert_relative_eq!(depth, 0.016, max_relative = 1e-4);
    assert!(tilted > 0.24, "the axis in C leaves the line of the others");
    let [side, top] = &views(&|| LateralBuckling::default().model())[..] else { panic!("not two views") };
    assert_relative_eq!(extent(side, "beam")[1], 0.1, max_relative = 1e-3);
    assert_relative_eq!(extent(side, "link")[1], 0.25, max_relative = 1e-6);
    assert_relative_eq!(extent(side, "crank")[0], 0.05, max_relative = 1e-6);
    assert_relative_eq!(extent(top, "beam")[0], 1.0, max_relative = 1e-6);
    assert_relative_eq!(extent(top, "beam")[1], 0.01, max_relative = 1e-2);
    let [side] = &views(&|| RotatingShaft::default().model())[..] else { panic!("not one view") };
    assert_relative_eq!(extent(side, "shaft")[0], 6.0, max_relative = 1e-12);
    assert_relative_eq!(extent(side, "disk")[1], 0.48, max_relative = 1e-4);
}
