//! Derivatives of the accelerations of trees, joint by joint: the same as by dual numbers of the recursion.

use std::ops::ControlFlow;

use mbsbench_integrators::low_order::MassAt;
use mbsbench_integrators::{
    Bliedf, Dop853, GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HalfImplicitEuler, Hem4, HhtAdd, HhtI3,
    HhtSi2, LieGeneralizedAlpha, Mebdf, Newmark, Nstiff, NstiffSi2, Ode15s, Radau5, Trapezoidal,
};
use mbsbench_mechanisms::MechanismModel;
use mbsbench_mechanisms::space::{Plane, Space, Spatial};
use mbsbench_problem::{
    Counted, Failure, Formulated, Method, MethodDefinition, Observer, Settings, Silent, Solution, Step, Tangent,
    TangentSystem, Task,
};
use nalgebra::{DMatrix, DVector};

use super::mechanisms::mechanism;
use super::{largest, number};

/// Rods in the plane with springs, dampers and motors between neighbours, on arms that branch off and slide.
const PLANAR: &str = "
motion: planar
formulation: minimal
gravity: [0.3, -9.81]
observe: [rod_1]
bodies: { rod_1: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.5, 0.1] } } }
joints: { hook: { revolute: { between: [ground, rod_1.a] } } }
forces:
  stay: { spring: { between: [ground, rod_1.b], stiffness: 30, damping: 2, length: 0.4 } }
  wind: { force: { on: rod_1.b, force: [\"3*rod_1.vx - rod_1.x^2\", \"sin(t)\"] } }
repeat:
  - for: { i: [2, 40] }
    bodies:
      \"rod_{i}\": { mass: 1.3, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.4, 0.1] } }
    joints: { \"pin_{i}\": { revolute: { between: [\"rod_{i-1}.b\", \"rod_{i}.a\"], angle: 0.1 } } }
    forces:
      \"spring_{i}\": { torsion-spring: { between: [\"rod_{i}\", \"rod_{i-1}\"], stiffness: 5, damping: 0.3 } }
  - for: { i: [1, 20] }
    bodies: { \"arm_{i}\": { mass: 2, inertia: 0.3, markers: { a: [-0.2, 0.1] } } }
    joints: { \"slide_{i}\": { prismatic: { between: [\"rod_{i}.b\", \"arm_{i}.a\"], axis: [0.6, 0.8] } } }
    forces:
      \"pull_{i}\": { spring: { between: [\"rod_{i}.a\", \"arm_{i}\"], stiffness: 4, damping: 0.2, length: 0.1 } }
      \"tie_{i}\": { spring: { between: [ground, \"arm_{i}.a\"], stiffness: 7, damping: 0.1, length: 0.3 } }
";

/// Bodies in space on hinges, universal joints and sleeves, some of them welded together.
const SPATIAL: &str = "
motion: spatial
formulation: minimal
gravity: [0, 0.5, -9.81]
observe: [rod_1]
bodies: { rod_1: { mass: 1, inertia: [0.2, 0.1, 0.15], markers: { a: [-0.5, 0, 0], b: [0.5, 0.1, 0] } } }
joints: { hook: { revolute: { between: [ground, rod_1.a], axis: [0, 1, 0.3] } } }
forces:
  stay: { spring: { between: [ground, rod_1.b], stiffness: 30, damping: 2, length: 0.4 } }
  wind: { torque: { on: rod_1, torque: [\"-rod_1.wx*t\", 0, \"rod_1.z\"] } }
repeat:
  - for: { i: [2, 30] }
    bodies:
      \"rod_{i}\": { mass: 1.3, inertia: [0.02, 0.1, 0.09], markers: { a: { at: [-0.5, 0, 0], \
        rotation: [0.3, 0, 0.1] }, b: [0.4, 0.1, 0] } }
    joints:
      \"pin_{i}\": { revolute: { between: [\"rod_{i-1}.b\", \"rod_{i}.a\"], axis: [0.1, 1, 0.4], angle: 0.1 } }
    forces:
      \"spring_{i}\": { torsion-spring: { between: [\"rod_{i-1}\", \"rod_{i}\"], axis: [0, 1, 0], stiffness: 5, \
        damping: 0.3 } }
  - for: { i: [1, 10] }
    bodies:
      \"arm_{i}\": { mass: 2, inertia: [0.3, 0.2, 0.4], markers: { a: [-0.2, 0.1, 0.3] } }
      \"load_{i}\": { mass: 0.5, inertia: [0.1, 0.1, 0.1], markers: { a: [0.1, 0, 0] } }
      \"tip_{i}\": { mass: 0.7, inertia: [0.1, 0.2, 0.15], markers: { a: [0.3, 0, 0] } }
    joints:
      \"cross_{i}\": { universal: { between: [\"rod_{i}.b\", \"arm_{i}.a\"], axes: [[1, 0, 0], [0, 1, 0]] } }
      \"weld_{i}\": { fixed: { between: [\"arm_{i}\", \"load_{i}.a\"] } }
      \"sleeve_{i}\": { cylindrical: { between: [\"load_{i}\", \"tip_{i}.a\"], axis: [0, 0.6, 0.8] } }
    forces:
      \"tie_{i}\": { spring: { between: [ground, \"tip_{i}.a\"], stiffness: 7, damping: 0.1, length: 0.3 } }
";

fn compare<X: Space>(text: &str) {
    let model = MechanismModel::<X>::new(&mechanism(text)).unwrap_or_else(|error| panic!("{error}"));
    let mut ode = Formulated::<f64>::ode(&model);
    let initial: Vec<f64> = model.initial_state();
    let size = initial.len();
    let mut tangent = ode.tangent().expect("many joints");
    assert!(matches!(tangent, Tangent::Tree(_)));
    let mut system = TangentSystem::new(&tangent);
    let (mut jacobian, mut product) = (DMatrix::zeros(size, size), vec![f64::NAN; size]);
    for k in 0..5 {
        let y: Vec<f64> = initial.iter().enumerate().map(|(i, y)| y + 0.4 * number(k, i)).collect();
        let x: Vec<f64> = (0..size).map(|i| number(k + 9, i)).collect();
        let t = 0.3 * k as f64;
        ode.jacobian(t, &y, &mut jacobian).unwrap();
        ode.linearise(t, &y, &mut tangent).unwrap();
        system.multiply(&tangent, &x, &mut product).unwrap();
        let expected = &jacobian * DVector::from_column_slice(&x);
        let wrong: Vec<f64> = product.iter().zip(&expected).map(|(a, b)| a - b).collect();
        assert!(largest(&wrong) < 1e-9 * largest(expected.as_slice()), "{k}: {:e}", largest(&wrong));
        for c in [1e-3, 0.1] {
            system.factorize(c, &tangent).unwrap();
            let mut solution = x.clone();
            system.solve(&mut solution);
            let solution = DVector::from_vec(solution);
            let residual = &solution - &jacobian * &solution * c - DVector::from_column_slice(&x);
            assert!(residual.amax() < 1e-9 * (1.0 + (&jacobian * &solution * c).amax()), "{k}, {c}: {residual}");
        }
    }
}

#[test]
fn derivatives_joint_by_joint_match_dual_numbers() {
    compare::<Plane>(PLANAR);
    compare::<Spatial>(SPATIAL);
}

/// A spring between bodies that are not neighbours acts on all joints between them.
#[test]
fn other_forces_have_no_such_derivatives() {
    let text = PLANAR.replace("[ground, \"arm_{i}.a\"]", "[rod_1, \"arm_{i}.a\"]");
    let model = MechanismModel::<Plane>::new(&mechanism(&text)).unwrap_or_else(|error| panic!("{error}"));
    assert!(Formulated::<f64>::ode(&model).tangent().is_none());
}

/// Methods whose systems are solved joint by joint, with real and with complex numbers, find the motion of an explicit
/// method.
#[test]
fn implicit_methods_find_the_motion() {
    let model = MechanismModel::<Plane>::new(&mechanism(PLANAR)).unwrap_or_else(|error| panic!("{error}"));
    let initial: Vec<f64> = model.initial_state();
    let solve = |method: Box<dyn Method>, settings: Settings| {
        let mut ode = Formulated::<f64>::ode(&model);
        let task = Task { t_start: 0.0, t_end: 0.05, initial: &initial, settings };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        solution.state
    };
    let expected = solve(Dop853::default().method(), Settings::tolerance(1e-11, 1e-11));
    let tight = Settings::tolerance(1e-8, 1e-8);
    for (method, settings) in [
        (Radau5::default().method(), tight),
        (Mebdf::default().method(), tight),
        (Ode15s::default().method(), tight),
        (Trapezoidal::default().method(), Settings::fixed(5e-5)),
    ] {
        let found = solve(method, settings);
        let wrong: Vec<f64> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
        assert!(largest(&wrong) < 1e-4 * largest(&expected), "{:e} of {:e}", largest(&wrong), largest(&expected));
    }
}

/// Watches Newton's matrices, which only formulas with full matrices can show.
struct Watching(usize);

impl Observer for Watching {
    fn step(&mut self, _step: &mut Step<'_>) -> ControlFlow<Failure> {
        ControlFlow::Continue(())
    }

    fn watches_newton_matrices(&self) -> bool {
        true
    }

    fn newton_matrix(&mut self, _t: f64, _matrix: &DMatrix<f64>) {
        self.0 += 1;
    }
}

/// Formulas of second order make the same steps joint by joint as with the matrices of the equations of motion, with
/// constant and with controlled steps.
fn steps_agree<X: Space>(text: &str) {
    let model = MechanismModel::<X>::new(&mechanism(text)).unwrap_or_else(|error| panic!("{error}"));
    let initial: Vec<f64> = model.initial_state();
    let solve = |method: &dyn Method, settings: Settings, observer: &mut dyn Observer| -> Solution {
        let mut ode = Formulated::<f64>::ode(&model);
        let task = Task { t_start: 0.1, t_end: 0.11, initial: &initial, settings };
        let solution = method.solve(Counted::new(&mut *ode), &task, observer);
        assert_eq!(solution.failure, None);
        solution
    };
    let (constant, controlled) = (Settings::fixed(1e-3), Settings::tolerance(1e-6, 1e-6));
    for (method, settings) in [
        (Newmark::default().method(), constant),
        (HhtI3::default().method(), constant),
        (HhtI3::default().method(), controlled),
        (HhtI3 { mass: MassAt::Shifted, ..HhtI3::default() }.method(), controlled),
        (HhtAdd::default().method(), constant),
        (HhtSi2::default().method(), constant),
        (Nstiff::default().method(), constant),
        (GeneralizedAlpha::default().method(), controlled),
        (GeneralizedAlphaI2::default().method(), constant),
        (GeneralizedAlphaSi2::default().method(), constant),
        (NstiffSi2::default().method(), constant),
    ] {
        let mut watching = Watching(0);
        let expected = solve(&*method, settings, &mut watching);
        assert!(watching.0 > 0);
        let found = solve(&*method, settings, &mut Silent);
        assert_eq!(found.statistics.steps_accepted, expected.statistics.steps_accepted);
        // the difference of two mass matrices is left out of Newton's matrix
        let [found_in, expected_in] = [&found, &expected].map(|solution| solution.statistics.newton_iterations);
        assert!(2 * found_in <= 3 * expected_in);
        let wrong: Vec<f64> = found.state.iter().zip(&expected.state).map(|(a, b)| a - b).collect();
        assert!(largest(&wrong) < 1e-7 * largest(&expected.state), "{:e}", largest(&wrong));
    }
}

#[test]
fn formulas_of_second_order_make_the_same_steps() {
    steps_agree::<Plane>(PLANAR);
    steps_agree::<Spatial>(SPATIAL);
}

/// The methods on groups make the steps of their relatives for vectors; they and half-explicit methods find the motion.
#[test]
fn methods_for_constraints_need_none() {
    let model = MechanismModel::<Spatial>::new(&mechanism(SPATIAL)).unwrap_or_else(|error| panic!("{error}"));
    let initial: Vec<f64> = model.initial_state();
    let solve = |method: Box<dyn Method>, steps: f64| {
        let mut ode = Formulated::<f64>::ode(&model);
        let task = Task { t_start: 0.1, t_end: 0.11, initial: &initial, settings: Settings::fixed(0.01 / steps) };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        solution.state
    };
    let away = |found: &[f64], expected: &[f64]| {
        largest(&found.iter().zip(expected).map(|(a, b)| a - b).collect::<Vec<f64>>()) / largest(expected)
    };
    let expected = solve(GeneralizedAlpha::default().method(), 10.0);
    assert!(away(&solve(LieGeneralizedAlpha::default().method(), 10.0), &expected) < 1e-9);
    let expected = solve(Dop853::default().method(), 100.0);
    assert!(away(&solve(Bliedf::default().method(), 100.0), &expected) < 1e-4);
    let [one, two] = [100.0, 200.0].map(|steps| away(&solve(HalfImplicitEuler::default().method(), steps), &expected));
    assert!(away(&solve(Hem4::default().method(), 20.0), &expected) < 1e-6);
    assert!((1.7..2.3).contains(&(one / two)), "{one:e} {two:e}");
}
