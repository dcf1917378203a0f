//! Joint coordinates: the same motions as in absolute coordinates, with the fewest unknowns that a tree of joints
//! allows.

mod branches;
mod mechanisms;
mod motions;
mod rotations;

use mbsbench_mechanisms::MechanismModel;
use mbsbench_mechanisms::space::{Plane, Space, Spatial};
use mbsbench_problem::{DoubleDouble, Formulated, Formulation, MechanicalModel, Mechanics, MechanicsOf, Scalar};
use mechanisms::*;
use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;

/// The same mechanism in absolute and in joint coordinates.
fn both<X: Space>(text: &str) -> [MechanismModel<X>; 2] {
    let mut written = mechanism(text);
    [Formulation::AccelerationLevel, Formulation::Minimal].map(|formulation| {
        written.formulation = formulation;
        MechanismModel::new(&written).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Numbers between −1 and 1 without pattern, different for each pair.
fn number(k: usize, i: usize) -> f64 {
    ((k * 61 + i) as f64 * 0.731_1 + (i as f64).sqrt()).sin()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Accelerations at states all over the joint coordinates, converted to absolute ones by dual numbers along the
/// motion, equal those of the absolute equations with all joints as constraints. `coordinates` has the numbers of
/// coordinates, velocities and constraints.
///
/// The absolute equations solve for the forces of all joints, in which roundoff of 1e-16 is amplified by the
/// condition of that system (1e4 for the chain). A difference of 1e-10 of the largest acceleration is thus far above
/// roundoff and far below the effect of a wrong term.
fn compare<X: Space>(name: &str, text: &str, coordinates: [usize; 3]) {
    let [absolute, joint] = both::<X>(text);
    let space = joint.joint_space().expect("asked for");
    let [q0, v0] = &space.initial;
    assert_eq!([q0.len(), v0.len(), space.dimensions().constraints()], coordinates, "{name}");
    let initial: Vec<f64> = Formulated::<f64>::initial_state(&absolute);
    let expanded = space.expanded(&[&q0[..], v0].concat());
    let closed: Vec<f64> = expanded.iter().zip(&initial).map(|(a, b)| a - b).collect();
    assert!(largest(&closed) < 1e-12 * (1.0 + largest(&initial)), "{name}: begins {:e} off", largest(&closed));
    let (mut ode, mut of_absolute) = (space.ode::<f64>(), Formulated::<f64>::ode(&absolute));
    let (n, velocities) = (q0.len(), v0.len());
    let mut rate = vec![f64::NAN; n + velocities];
    let mut expected = vec![f64::NAN; initial.len()];
    for k in 0..200 {
        let q: Vec<f64> = (0..n).map(|i| q0[i] + 0.4 * number(k, i)).collect();
        let v: Vec<f64> = (0..velocities).map(|i| v0[i] + 2.0 * number(k, n + i)).collect();
        let (t, y) = (0.01 * k as f64, [&q[..], &v].concat());
        ode.rhs(t, &y, &mut rate).unwrap();
        let moving: Vec<Dual64> = y.iter().zip(&rate).map(|(&y, &rate)| Dual64::new(y, rate)).collect();
        let kinematics = space.moving(&moving[..n], &moving[n..]);
        of_absolute.rhs(t, &space.expanded(&y), &mut expected).unwrap();
        let (q_rate, v_rate) = expected.split_at(expected.len() / 2);
        for (found, expected) in [(&kinematics.q, q_rate), (&kinematics.v, v_rate)] {
            let off: Vec<f64> = found.iter().zip(expected).map(|(found, expected)| found.eps - expected).collect();
            let off = largest(&off) / (1.0 + largest(expected));
            assert!(off < 1e-10, "{name}, state {k}: {off:e}");
        }
    }
}

#[test]
fn planar_accelerations_match_absolute_coordinates() {
    compare::<Plane>("double pendulum", DOUBLE_PENDULUM, [2, 2, 0]);
    compare::<Plane>("chain", CHAIN, [20, 20, 0]);
    compare::<Plane>("cart", CART, [2, 2, 0]);
    compare::<Plane>("free plate", FREE_PLATE, [4, 4, 0]);
}

#[test]
fn spatial_accelerations_match_absolute_coordinates() {
    compare::<Spatial>("arm", ARM, [6, 6, 0]);
    compare::<Spatial>("driven arm", &[ARM, ARM_FORCES].concat(), [6, 6, 0]);
    compare::<Spatial>("universal joints", UNIVERSAL, [4, 4, 0]);
    compare::<Spatial>("balls", BALLS, [15, 12, 0]);
    compare::<Spatial>("slides", SLIDES, [9, 9, 0]);
    compare::<Spatial>("upside down", UPSIDE_DOWN, [2, 2, 0]);
}

#[test]
fn loop_accelerations_match_absolute_coordinates() {
    compare::<Plane>("four bars", FOUR_BAR, [3, 3, 2]);
    compare::<Plane>("constraints", HELD, [9, 9, 4]);
    compare::<Spatial>("four bars in space", SPATIAL_FOUR_BAR, [4, 4, 3]);
}

/// The equations `M v' = D` with composite-body masses and Newton–Euler forces agree with `v'` of the
/// articulated-body recursion. The three algorithms share only the kinematics, and the roundoff of each is 1e-15 of
/// the largest term.
fn agree<X: Space>(text: &str) {
    let [_, joint] = both::<X>(text);
    let space = joint.joint_space().unwrap();
    let [q, v] = &space.initial;
    let y = [&q[..], v].concat();
    let mut rate = vec![f64::NAN; y.len()];
    space.ode::<f64>().rhs(0.3, &y, &mut rate).unwrap();
    let mut mass = DMatrix::zeros(v.len(), v.len());
    space.mass(q, &mut mass);
    let mut forces = DVector::zeros(v.len());
    space.forces(0.3, q, v, forces.as_mut_slice());
    let left = &mass * DVector::from_column_slice(&rate[q.len()..]);
    assert!(left.amax() > 0.1, "something is accelerated");
    assert!((&left - &forces).amax() < 1e-12 * mass.amax() * largest(&rate).max(1.0), "{left} {forces}");
    assert!((&mass - mass.transpose()).amax() == 0.0);
    assert!(mass.cholesky().is_some(), "masses are positive");
    // vᵀ M v is twice the kinetic energy
    let mut at_rest = vec![0.0; v.len()];
    let kinetic = space.energy(q, v) - space.energy(q, &at_rest);
    let mut mass = DMatrix::zeros(v.len(), v.len());
    space.mass(q, &mut mass);
    let v = DVector::from_column_slice(v);
    at_rest.copy_from_slice((&mass * &v).as_slice());
    let twice: f64 = at_rest.iter().zip(&v).map(|(a, b)| a * b).sum();
    assert!((0.5 * twice - kinetic).abs() < 1e-12 * (1.0 + space.energy(q, v.as_slice()).abs()), "{twice} {kinetic}");
}

#[test]
fn masses_and_forces_match_the_recursion() {
    agree::<Plane>(CART);
    agree::<Plane>(FREE_PLATE);
    agree::<Spatial>(&[ARM, ARM_FORCES].concat());
    agree::<Spatial>(UNIVERSAL);
    agree::<Spatial>(BALLS);
    agree::<Spatial>(SLIDES);
}

/// Compares derivatives by dual numbers with central differences of double-doubles, whose errors are `h²` (1e-16 of
/// third derivatives) and roundoff 1e-32/h.
#[test]
fn derivatives_match_the_right_hand_side() {
    fn differences<X: Space>(text: &str) {
        let [_, joint] = both::<X>(text);
        let y: Vec<f64> = Formulated::<f64>::initial_state(&joint);
        let n = y.len();
        let mut ode = Formulated::<f64>::ode(&joint);
        assert!(ode.properties().has_jacobian && !ode.properties().is_autonomous);
        let (mut jacobian, mut by_time) = (DMatrix::zeros(n, n), vec![f64::NAN; n]);
        ode.jacobian(0.2, &y, &mut jacobian).unwrap();
        ode.time_derivative(0.2, &y, &mut by_time).unwrap();
        let mut precise = Formulated::<DoubleDouble>::ode(&joint);
        let mut rate = |j: usize, h: f64| -> Vec<DoubleDouble> {
            let mut moved: Vec<DoubleDouble> = y.iter().map(|&y| DoubleDouble::from(y)).collect();
            let mut t = DoubleDouble::from(0.2);
            if j < n {
                moved[j] += DoubleDouble::from(h)
            } else {
                t += DoubleDouble::from(h)
            }
            let mut rate = moved.clone();
            precise.rhs(t, &moved, &mut rate).unwrap();
            rate
        };
        for j in 0..=n {
            let (above, below) = (rate(j, 1e-8), rate(j, -1e-8));
            for i in 0..n {
                let difference = ((above[i] - below[i]) / DoubleDouble::from(2e-8)).value();
                let exact = if j < n { jacobian[(i, j)] } else { by_time[i] };
                assert!((difference - exact).abs() < 1e-11 * jacobian.amax(), "({i}, {j}): {difference} {exact}");
            }
        }
    }
    differences::<Plane>(CART);
    differences::<Spatial>(&[ARM, ARM_FORCES].concat());
    differences::<Spatial>(BALLS);
}

#[test]
fn coordinates_count_full_turns_between_markers() {
    let [_, cart] = both::<Plane>(CART);
    let [q, v] = &cart.joint_space().unwrap().initial;
    for (found, expected) in q.iter().chain(v).zip([0.3, 7.0, 0.5, -2.0]) {
        assert!((found - expected).abs() < 1e-13, "{q:?} {v:?}");
    }
    let [_, arm] = both::<Spatial>(ARM);
    let [q, v] = &arm.joint_space().unwrap().initial;
    let expected = [0.4, 7.0, -0.8, 0.5, -1.2, 0.9, 1.0, -0.5, 0.7, -1.0, 2.0, 1.5];
    for (found, expected) in q.iter().chain(v).zip(expected) {
        assert!((found - expected).abs() < 1e-13, "{q:?} {v:?}");
    }
    let [_, slides] = both::<Spatial>(SLIDES);
    let angle = slides.joint_space().unwrap().initial[0][4];
    assert!((angle - 9.0).abs() < 1e-13, "{angle}");
}

#[test]
fn vector_coordinates_have_second_order_equations() {
    let [_, cart] = both::<Plane>(CART);
    let [_, balls] = both::<Spatial>(BALLS);
    let [_, bars] = both::<Plane>(FOUR_BAR);
    assert!(Formulated::<f64>::ode(&cart).properties().is_second_order);
    assert!(!Formulated::<f64>::ode(&balls).properties().is_second_order);
    assert!(Formulated::<f64>::ode(&balls).form().index3().is_none());
    let mechanics = MechanicsOf::<_, f64>::new(bars.joint_space().unwrap());
    assert!(mechanics.has_vector_coordinates());
}

/// A parallelogram of hinges with parallel axes moves in a plane: of the five constraints of the hinge at which it is
/// cut, only two are needed.
#[test]
fn redundant_constraints_are_left_out() {
    let text = "
motion: spatial
gravity: [0, 0, -9.81]
ground: { far: [2, 0, 0] }
bodies:
  crank: { mass: 1, inertia: [0.1, 0.1, 0.1], markers: { pin: [0, 0, -0.5], end: [0, 0, 0.5] } }
  coupler: { mass: 1, inertia: [0.1, 0.1, 0.1], markers: { pin: [-1, 0, 0], end: [1, 0, 0] } }
  rocker: { mass: 1, inertia: [0.1, 0.1, 0.1], markers: { pin: [0, 0, -0.5], end: [0, 0, 0.5] } }
joints:
  a: { revolute: { between: [ground, crank.pin], axis: [0, 1, 0], angle: 0.3, rate: 1 } }
  b: { revolute: { between: [crank.end, coupler.pin], axis: [0, 1, 0], angle: -0.3, rate: -1 } }
  c: { revolute: { between: [ground.far, rocker.pin], axis: [0, 1, 0], angle: 0.3, rate: 1 } }
  d: { revolute: { between: [rocker.end, coupler.end], axis: [0, 1, 0] } }
";
    let [_, joint] = both::<Spatial>(text);
    let space = joint.joint_space().unwrap();
    assert_eq!((space.dimensions().coordinates, space.dimensions().holonomic, space.system.redundant.len()), (3, 2, 3));
}

/// A second hinge in the place of an existing one, and a length that a hinge keeps, hold at all angles: only
/// the tree remains.
#[test]
fn constraints_satisfied_by_the_tree_are_left_out() {
    let more = "
  again: { revolute: { between: [b4.end, b5], axis: [0.2, 0.2, 1] } }
  strut: { distance: { between: [b2.end, b3.end] } }
forces:
";
    let [_, joint] = both::<Spatial>(&ARM.replace("\nforces:\n", more));
    let space = joint.joint_space().unwrap();
    assert_eq!((space.dimensions().holonomic, space.system.redundant.len()), (0, 6));
    assert!(space.is_tree());
}

#[test]
fn immobile_mechanisms_are_refused() {
    let mut written = mechanism(
        "
motion: planar
bodies: { post: { mass: 1, inertia: 1 } }
joints: { foot: { fixed: { between: [ground, post] } } }
",
    );
    written.formulation = Formulation::Minimal;
    assert_eq!(MechanismModel::<Plane>::new(&written).expect_err("refused").field, "joints");
}

#[test]
fn euler_parameters_with_constraints_are_refused_at_their_joint() {
    let string = "  string: { distance: { between: [top, stone] } }\nforces:\n";
    let mut written = mechanism(&BALLS.replace("forces:\n", string));
    written.formulation = Formulation::Minimal;
    let error = MechanismModel::<Spatial>::new(&written).expect_err("refused");
    assert_eq!(error.field, "joints.foot");
    written.formulation = Formulation::AccelerationLevel;
    assert!(MechanismModel::<Spatial>::new(&written).is_ok());
}
