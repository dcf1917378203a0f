//! Tests the equations of the squeezer: masses and forces against the energy, both formulations against each other at
//! random states, and the published initial states.

use crate::common::lagrange::{assert_lagrange, dissipated};
use crate::common::squeezer::{ByDuals, motion, skewed, state};
use approx::assert_relative_eq;
use mbsbench_models::squeezer::{SqueezerAngles, SqueezerBodies, SqueezerEquations};
use mbsbench_models::{Squeezer, SqueezerFormulation, SqueezerStart};
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AccelerationLevel, ClosedForm, ClosedTerms, Derivatives, DoubleDouble, Formulated, MechanicalModel, Mechanics,
    MechanicsOf, ModelDefinition, Ode, Scalar, Terms, View,
};
use nalgebra::DMatrix;
use num_dual::Dual64;
use proptest::collection::vec;
use proptest::prelude::*;

/// Accelerations of the seven angles and multipliers at `(beta, omega)`.
fn accelerations(model: &impl SqueezerEquations, beta: f64, omega: f64) -> [f64; 7] {
    let y = state(model, beta, omega);
    let mut rate = y.clone();
    AccelerationLevel::new(MechanicsOf::new(model)).rhs(0.0, &y, &mut rate).unwrap();
    model.angle_rates(&rate[model.dimensions().coordinates..])
}

#[track_caller]
fn assert_positive_definite(model: &impl MechanicalModel, q: &[f64]) {
    let mut mass = DMatrix::zeros(q.len(), q.len());
    model.mass(q, &mut mass);
    assert_eq!(mass, mass.transpose());
    assert!(mass.clone().cholesky().is_some(), "{mass}");
}

/// Φ and its rate vanish; the coordinates give back the angles and points.
#[track_caller]
fn assert_assembled(model: &impl SqueezerEquations, beta: f64, omega: f64) {
    let y = state(model, beta, omega);
    let (q, v) = y.split_at(model.dimensions().coordinates);
    let mut mechanics = MechanicsOf::new(model);
    let mut values = vec![f64::NAN; model.dimensions().holonomic];
    mechanics.constraint_values(0.0, q, v, &mut values);
    // roundoff of angles of 20 rad, on links of up to 0.04 m
    assert!(values.iter().all(|phi| phi.abs() < 2e-16), "Φ = {values:?}");
    mechanics.velocity_constraints(0.0, q, v, &mut values);
    assert!(values.iter().all(|rate| rate.abs() < 1e-14 * omega.abs().max(1.0)), "Φ_q v = {values:?}");
    for (expected, found) in motion(model.squeezer(), beta, omega).iter().zip(model.angles(q)) {
        assert_relative_eq!(expected.re, found, epsilon = 1e-14);
    }
}

/// Only the torque is not part of the energy, and its power is that on the crank.
#[test]
fn the_torque_works_on_the_crank() {
    let squeezer = skewed();
    let free = Squeezer { torque: 0.0, ..squeezer.clone() };
    let (angles, freed) = (SqueezerAngles(squeezer.clone()), SqueezerAngles(free.clone()));
    let y = state(&angles, 0.7, 30.0);
    let power = -dissipated(&angles, &freed, &y[..7], &y[7..]);
    assert_relative_eq!(power, 0.033 * 30.0, max_relative = 1e-13);
    let (bodies, freed) = (SqueezerBodies(squeezer), SqueezerBodies(free));
    let y = state(&bodies, 0.7, 30.0);
    let power = -dissipated(&bodies, &freed, &y[..21], &y[21..]);
    assert_relative_eq!(power, 0.033 * 30.0, max_relative = 1e-13);
}

/// Along a motion the energy changes with the power of the torque.
#[test]
fn the_rate_of_the_energy_is_the_power_of_the_torque() {
    #[track_caller]
    fn check(model: &impl SqueezerEquations, beta: f64, omega: f64) {
        let y = state(model, beta, omega);
        let mut rate = y.clone();
        AccelerationLevel::new(MechanicsOf::new(model)).rhs(0.0, &y, &mut rate).unwrap();
        let along: Vec<_> = y.iter().zip(&rate).map(|(&y, &rate)| Dual64::new(y, rate)).collect();
        let (q, v) = along.split_at(model.dimensions().coordinates);
        let power = model.squeezer().torque * omega;
        let scale = model.energy(q, v).re * omega.abs();
        assert_relative_eq!(model.energy(q, v).eps, power, epsilon = 1e-12 * scale);
    }
    for (beta, omega) in [(-0.062, 10.0), (1.0, -700.0), (2.5, 1200.0), (4.0, 300.0), (15.8, 1139.0)] {
        check(&SqueezerAngles(skewed()), beta, omega);
        check(&SqueezerBodies(skewed()), beta, omega);
    }
}

proptest! {
    #[test]
    fn angles_at_random(q in vec(-3.0..3.0f64, 7), v in vec(-1e3..1e3f64, 7)) {
        let model = SqueezerAngles(Squeezer { torque: 0.0, ..skewed() });
        assert_lagrange(&model, &q, &v);
        assert_positive_definite(&model, &q);
    }

    #[test]
    fn bodies_at_random(places in vec(-0.1..0.1f64, 21), turns in vec(-3.0..3.0f64, 7), v in vec(-10.0..10.0f64, 21)) {
        let model = SqueezerBodies(Squeezer { torque: 0.0, ..skewed() });
        let mut q = places;
        for (body, turn) in turns.into_iter().enumerate() {
            q[3 * body + 2] = turn;
        }
        assert_lagrange(&model, &q, &v);
        assert_positive_definite(&model, &q);
    }

    #[test]
    fn formulations_agree_at_random(beta in -20.0..20.0f64, omega in -1e3..1e3f64) {
        for squeezer in [Squeezer::default(), skewed()] {
            let (angles, bodies) = (SqueezerAngles(squeezer.clone()), SqueezerBodies(squeezer.clone()));
            assert_assembled(&angles, beta, omega);
            assert_assembled(&bodies, beta, omega);
            let (one, other) = (accelerations(&angles, beta, omega), accelerations(&bodies, beta, omega));
            let scale = one.iter().fold(0.0, |scale: f64, a| scale.max(a.abs()));
            for (one, other) in one.iter().zip(other) {
                prop_assert!((one - other).abs() < 1e-10 * scale, "{one} against {other}, of {scale}");
            }
            let mut energies = [0.0; 2];
            let y = state(&angles, beta, omega);
            energies[0] = angles.energy(&y[..7], &y[7..]);
            let z = state(&bodies, beta, omega);
            energies[1] = bodies.energy(&z[..21], &z[21..]);
            assert_relative_eq!(energies[0], energies[1], max_relative = 1e-13);
            let (one, other) = (angles.points(&y[..7]), bodies.points(&z[..21]));
            for (one, other) in
                [(one.d, other.d), (one.e, other.e), (one.f, other.f), (one.g, other.g), (one.h, other.h)]
            {
                prop_assert!((one[0] - other[0]).hypot(one[1] - other[1]) < 1e-16, "{one:?} against {other:?}");
            }
        }
    }
}

/// The initial acceleration of the crank, from the inertia and force of the whole mechanism reduced to it: with
/// `q(β)` on the loops, `m = q'ᵀ M q'` and at rest `m β̈ = q'ᵀ D`.
#[test]
fn the_start_accelerates_as_one_degree_of_freedom() {
    let model = SqueezerAngles(Squeezer::default());
    let path = motion(&model.0, -0.062, 1.0);
    let (q, along): (Vec<_>, Vec<_>) = path.iter().map(|x| (x.re, x.eps)).unzip();
    let mut mass = DMatrix::zeros(7, 7);
    model.mass(&q, &mut mass);
    let mut forces = [0.0; 7];
    model.forces(0.0, &q, &[0.0; 7], &mut forces);
    let along = nalgebra::DVector::from_vec(along);
    let inertia = (along.transpose() * mass * &along)[0];
    let force: f64 = along.iter().zip(forces).map(|(along, force)| along * force).sum();
    assert_relative_eq!(accelerations(&model, -0.062, 0.0)[0], force / inertia, max_relative = 1e-11);
    // about 1.4e4 rad/s² in another implementation
    assert!((1.35e4..1.45e4).contains(&(force / inertia)), "{}", force / inertia);
}

/// E, F, G and H of the initial state, from the authors' input, which has 17 digits.
#[test]
fn the_published_start_is_assembled() {
    let model = SqueezerAngles(Squeezer::default());
    let points = model.points(&model.initial::<f64>()[..7]);
    for (found, expected) in [
        (points.e, [-2.096_002_256_836_912_4e-2, 1.295_169_085_011_884e-3]),
        (points.f, [6.986_550_309_212_480_5e-3, -4.337_220_041_028_576_4e-4]),
        (points.g, [-3.399_720_391_575_101e-2, 1.646_197_173_143_271_2e-2]),
        (points.h, [-3.163_313_457_940_229e-2, -1.561_886_887_166_598_9e-2]),
    ] {
        assert!((found[0] - expected[0]).hypot(found[1] - expected[1]) < 2e-17, "{found:?} against {expected:?}");
    }
}

/// The initial state of the test set for IVP solvers (Bari): its Θ is zero, and crank and rod in line determine the
/// other angles, which it prints with thirty digits, of which sixteen are correct.
#[test]
fn the_start_of_the_test_set_has_crank_and_rod_in_line() {
    let model = Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() };
    let printed = [
        -0.061_713_890_014_276_45,
        0.0,
        0.455_279_819_163_070_4,
        0.222_668_390_165_885_88,
        0.487_364_979_543_842_5,
        -0.222_668_390_165_885_88,
        1.230_547_444_549_821_2,
    ];
    for (found, printed) in model.start_angles::<f64>().into_iter().zip(printed) {
        assert!((found - printed).abs() < 1e-15, "{found} against {printed}");
    }
    let precise = model.start_angles::<DoubleDouble>();
    for (found, printed) in precise.into_iter().zip(printed) {
        assert!((found - printed).value().abs() < 1e-15, "{found:?} against {printed}");
    }
}

/// Names and classes match the values; both starts satisfy the constraints in both precisions.
#[test]
fn initial_states_and_observables_are_consistent() {
    for formulation in [SqueezerFormulation::Angles, SqueezerFormulation::Cartesian] {
        for start in [SqueezerStart::Paper, SqueezerStart::TestSet] {
            let model = Squeezer { formulation, start, ..Squeezer::default() }.model();
            let rounded: Vec<f64> = Formulated::<f64>::initial_state(&*model);
            let precise: Vec<DoubleDouble> = Formulated::<DoubleDouble>::initial_state(&*model);
            for (r, p) in rounded.iter().zip(&precise) {
                assert!((p.value() - r).abs() <= 2e-15, "{r} against {p:?}");
            }
            let mut ode = Formulated::<DoubleDouble>::ode(&*model);
            let mechanics = ode.form().mechanics().expect("a mechanical system");
            let mut phi = vec![DoubleDouble::from(1.0); mechanics.dimensions().constraints()];
            let (q, v) = precise.split_at(mechanics.dimensions().coordinates);
            mechanics.constraint_values(DoubleDouble::from(0.0), q, v, &mut phi);
            assert!(phi.iter().all(|phi| phi.value().abs() < 1e-22), "Φ = {phi:?}");
            let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
            let mut values = vec![f64::NAN; names.len()];
            let mut observation = model.observation();
            observation.observe(0.0, &rounded, &mut values);
            let value =
                |name: &str| values[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))];
            assert!(values.iter().all(|value| value.is_finite()), "{names:?} {values:?}");
            assert!(value("constraint") < 1e-16 && value("velocity_constraint") == 0.0);
            assert_eq!(["omega", "kinetic_energy", "energy_balance"].map(value), [0.0; 3]);
            assert_eq!(value("energy"), value("spring_energy"));
            let multipliers = names.iter().filter(|name| name.starts_with("multiplier_")).count();
            assert_eq!(multipliers, phi.len());
            observation.observe_multipliers(&vec![-1234.5; multipliers], &mut values);
            for (name, value) in names.iter().zip(&values) {
                assert_eq!(name.starts_with("multiplier_"), *value == -1234.5, "{name}");
            }
        }
    }
}

/// Both formulations draw the same, with the distances between pins equal to the lengths of the links.
#[test]
fn the_drawing_has_the_links_of_the_model() {
    let drawn = [SqueezerFormulation::Angles, SqueezerFormulation::Cartesian].map(|formulation| {
        let model = Squeezer { formulation, ..Squeezer::default() }.model();
        let [view] = <[View; 1]>::try_from(model.views(&Formulated::<f64>::initial_state(&*model))).expect("one view");
        view
    });
    let pins = drawn.each_ref().map(|view| {
        let circles = view.parts.iter().filter_map(|(_, shape)| match shape {
            Shape::Circle { centre, .. } => Some(*centre),
            _ => None,
        });
        <[[f64; 2]; 9]>::try_from(circles.collect::<Vec<_>>()).expect("nine pins")
    });
    let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    for (one, other) in pins[0].iter().zip(pins[1]) {
        assert!(distance(*one, other) < 1e-16);
    }
    let [o, a, b, _, d, e, f, g, h] = pins[0];
    for (length, from, to) in [
        (0.007, o, f),
        (0.028, e, f),
        (0.020, h, e),
        (0.020, g, e),
        (0.040, a, g),
        (0.040, a, h),
        (0.035, e, b),
        (0.020_f64.hypot(0.017), e, d),
        (0.020_f64.hypot(0.018), b, d),
    ] {
        assert_relative_eq!(distance(from, to), length, max_relative = 1e-14);
    }
    let names: Vec<_> = drawn[0].names.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["A", "B", "C", "D", "E", "F", "G", "H", "O"]);
}

/// Mass, forces, constraints, Jacobian and bias of a mechanical system, one by one or all at once by its closed form.
fn term_by_term<S: Scalar>(model: &SqueezerAngles, q: &[S], v: &[S], closed: bool) -> [Vec<S>; 5] {
    let t = S::from(0.3);
    let zeros = |rows, columns| DMatrix::from_element(rows, columns, S::zero());
    let (mut mass, mut forces, mut constraints) = (zeros(7, 7), vec![S::zero(); 7], vec![S::zero(); 6]);
    let (mut jacobian, mut bias) = (zeros(6, 7), vec![S::zero(); 6]);
    if closed {
        let terms = ClosedTerms {
            mass: &mut mass,
            forces: &mut forces,
            constraints: &mut constraints,
            jacobian: &mut jacobian,
            bias: &mut bias,
        };
        ClosedForm::terms(model, q, v, terms);
    } else {
        let mut mechanics = MechanicsOf::<_, S>::new(model);
        mechanics.mass(q, &mut mass);
        mechanics.forces(t, q, v, &mut forces);
        mechanics.constraint_values(t, q, v, &mut constraints);
        mechanics.constraint_jacobian(t, q, v, &mut jacobian);
        mechanics.acceleration_bias(t, q, v, &mut bias);
    }
    [mass.as_slice().to_vec(), forces, constraints, jacobian.as_slice().to_vec(), bias]
}

/// All terms and derivatives of a model that implicit methods use, one after the other.
fn linearised(model: &impl MechanicalModel, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut mechanics = MechanicsOf::<_, f64>::new(model);
    let (mut terms, mut derivatives) = (Terms::new(7, 6), Derivatives::new(&mechanics.structure()));
    mechanics.linearisation(0.0, q, v, &mut terms, &mut derivatives);
    let matrices = [&terms.mass, &terms.jacobian, &derivatives.forces_by_position, &derivatives.forces_by_velocity];
    let mut values: Vec<f64> = matrices.iter().flat_map(|matrix| matrix.values().to_vec()).collect();
    values.extend(terms.forces.iter().chain(&terms.constraints).chain(&terms.constraint_rates));
    values.extend(derivatives.mass_mut().flat_map(|(_, mass)| mass.iter().copied().collect::<Vec<_>>()));
    values.extend(derivatives.second_mut().flat_map(|(_, second)| second.to_vec()));
    values
}

proptest! {
    /// The terms agree bitwise in double precision, because the operations are those of dual numbers. In
    /// double-double precision they agree to the roundoff of the largest entry of each term (the parts of a small one
    /// may cancel). The states need not close the loops.
    #[test]
    fn the_closed_form_matches_dual_numbers(q in vec(-20.0..20.0f64, 7), v in vec(-1e3..1e3f64, 7)) {
        for squeezer in [Squeezer::default(), skewed()] {
            let model = SqueezerAngles(squeezer);
            assert_eq!(term_by_term(&model, &q, &v, true), term_by_term(&model, &q, &v, false));
            let (closed, dual) = (linearised(&model, &q, &v), linearised(&ByDuals(&model), &q, &v));
            for (index, (closed, dual)) in closed.into_iter().zip(dual).enumerate() {
                assert_eq!(closed, dual, "entry {index}");
            }
            let precise = |x: &[f64]| x.iter().map(|&x| DoubleDouble::from(x)).collect::<Vec<_>>();
            let [closed, dual] = [true, false].map(|closed| term_by_term(&model, &precise(&q), &precise(&v), closed));
            for (closed, dual) in closed.into_iter().zip(dual) {
                let largest = closed.iter().map(|entry| entry.value().abs()).fold(1e-3, f64::max);
                for (closed, dual) in closed.into_iter().zip(dual) {
                    assert!((closed - dual).value().abs() <= 1e-30 * largest, "{closed:?} and {dual:?}");
                }
            }
        }
    }
}
