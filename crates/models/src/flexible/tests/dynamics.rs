//! Motions: conservation laws, order of convergence on rotations.

use approx::assert_relative_eq;
use mbsbench_integrators::{Esdirk436l2sa2, Lms2, Mssth3};
use mbsbench_problem::dae::Dae;
use mbsbench_problem::{Counted, MethodDefinition, Settings, Silent, Task};
use nalgebra::{Matrix3, Vector3};

use super::support::{TUBE, bar, checked, shaft};
use crate::flexible::{Assembly, Flexible, Gravity, Joint, Law, Node, RigidBody, Section, Side, Twist};

/// The state at `t_end`, with steps of size `step`.
fn solved(flexible: &Flexible, initial: &[f64], method: &impl MethodDefinition, step: f64, t_end: f64) -> Vec<f64> {
    let mut equations = flexible.equations::<f64>();
    let task = Task { t_start: 0.0, t_end, initial, settings: Settings::fixed(step) };
    let solution = method.method().solve(Counted::new(&mut equations), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution.state
}

/// Centre of mass of the pendulum from its pivot, in its frame, m.
const CENTRE: Vector3<f64> = Vector3::new(0.4, 0.1, -0.2);

/// A heavy body on a spherical joint; its node is at `arm` from the joint.
fn pendulum(arm: Vector3<f64>) -> (Flexible, Vec<f64>) {
    let mut assembly =
        Assembly { nodes: vec![Node { position: arm, ..Node::at(0.0, 0.0, 0.0) }], ..Assembly::default() };
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.2, 0.3, 0.4));
    assembly.bodies.push(RigidBody { node: 0, mass: 2.0, offset: CENTRE - arm, inertia });
    assembly.joints.push(Joint::Spherical { a: Side::ground(Vector3::zeros()), b: Side::node(0).offset(-arm) });
    assembly.gravity = Some(Gravity { direction: -Vector3::z(), acceleration: Law::constant(9.81) });
    let flexible = checked(assembly);
    let angular = Vector3::new(1.0, -3.0, 2.0);
    let state = flexible.launched(0.0, &[Twist { linear: angular.cross(&arm), angular }]).expect("the joint admits it");
    (flexible, state)
}

/// Kinetic and gravitational energy of the pendulum, J.
fn pendulum_energy(flexible: &Flexible, state: &[f64]) -> f64 {
    let centre = flexible.at(0.0, state).rotation(0) * CENTRE;
    flexible.at(0.0, state).energy().kinetic + 2.0 * 9.81 * centre.z
}

/// Order of convergence from two errors, the second with half the step.
fn order([coarse, fine]: [f64; 2]) -> f64 {
    (coarse / fine).abs().log2()
}

#[test]
fn methods_keep_their_order_on_rotations() {
    // the pivot is the node: the constraint is linear
    let (flexible, initial) = pendulum(Vector3::zeros());
    let newton_tolerance = 1e-10;
    let fourth = Esdirk436l2sa2 { newton_tolerance, ..Esdirk436l2sa2::default() };
    let reference = solved(&flexible, &initial, &fourth, 5e-4, 1.0);
    let energy = pendulum_energy(&flexible, &initial);
    assert_relative_eq!(pendulum_energy(&flexible, &reference), energy, epsilon = 1e-9);
    let steps = [8e-3, 4e-3];
    let error =
        |state: Vec<f64>| (flexible.at(0.0, &state).rotation(0) - flexible.at(0.0, &reference).rotation(0)).amax();
    let second = Lms2 { newton_tolerance, ..Lms2::default() };
    let second = steps.map(|step| error(solved(&flexible, &initial, &second, step, 1.0)));
    assert!((1.8..2.3).contains(&order(second)), "{second:?}");
    let third = Mssth3 { newton_tolerance, ..Mssth3::default() };
    let third = steps.map(|step| error(solved(&flexible, &initial, &third, step, 1.0)));
    assert!((2.7..3.4).contains(&order(third)), "{third:?}");
    let fourth = steps.map(|step| error(solved(&flexible, &initial, &fourth, step, 1.0)));
    assert!((3.7..4.6).contains(&order(fourth)), "{fourth:?}");
}

#[test]
fn results_do_not_depend_on_the_node_position() {
    let newton_tolerance = 1e-10;
    let method = Esdirk436l2sa2 { newton_tolerance, ..Esdirk436l2sa2::default() };
    let at = |arm: Vector3<f64>, step: f64| {
        let (flexible, initial) = pendulum(arm);
        let state = solved(&flexible, &initial, &method, step, 0.5);
        flexible.at(0.0, &state).rotation(0)
    };
    let reference = at(Vector3::zeros(), 1e-3);
    // the constraint is nonlinear if the node is not the pivot, and stages of order two affect the result
    let errors = [4e-3, 2e-3].map(|step| (at(Vector3::new(0.1, -0.3, 0.2), step) - reference).amax());
    assert!(order(errors) > 1.7 && errors[1] < 2e-6, "{errors:?}");
}

/// A soft bar that flies, tumbles and bends.
fn tumbling(elements: usize) -> (Flexible, Vec<f64>) {
    let soft = Section { tensile: Vector3::new(4e4, 2e4, 1e4), bending: Vector3::new(300.0, 200.0, 150.0) };
    let flexible = checked(bar(2.0, elements, soft));
    let twist = |k: usize| {
        let s = k as f64 / (2 * elements) as f64;
        let linear = Vector3::new(0.3, -0.2 + 2.0 * (std::f64::consts::PI * s).sin(), 4.0 * s);
        Twist { linear, angular: Vector3::new(5.0 * s, -2.0, 0.3) }
    };
    let state = flexible.launched(0.0, &(0..=2 * elements).map(twist).collect::<Vec<_>>()).expect("it is free");
    (flexible, state)
}

/// Momentum and angular momentum about the origin of all nodes.
fn momenta(state: &[f64]) -> [Vector3<f64>; 2] {
    state.chunks_exact(18).fold([Vector3::zeros(); 2], |[linear, angular], node| {
        let [x, beta, gamma] = [0, 12, 15].map(|k| Vector3::from_column_slice(&node[k..k + 3]));
        [linear + beta, angular + gamma + x.cross(&beta)]
    })
}

#[test]
fn a_free_bar_keeps_its_momenta_and_nearly_its_energy() {
    // the largest change of energy, J
    let energy = |elements: usize| {
        let (flexible, initial) = tumbling(elements);
        let energy = |state: &[f64]| {
            let energy = flexible.at(0.0, state).energy();
            energy.kinetic + energy.strain
        };
        let method = Esdirk436l2sa2::default();
        let mut largest = 0.0_f64;
        let mut state = initial.clone();
        for _ in 0..10 {
            state = solved(&flexible, &state, &method, 1e-4, 0.02);
            let change = energy(&state) - energy(&initial);
            largest = largest.max(change.abs());
        }
        let [linear, angular] = momenta(&initial);
        let [linear_after, angular_after] = momenta(&state);
        // formulas conserve linear invariants, and others up to their order
        assert_relative_eq!(linear, linear_after, epsilon = 1e-9);
        assert_relative_eq!(angular, angular_after, epsilon = 1e-5);
        let strain = flexible.at(0.0, &state).energy().strain;
        assert!(strain > 1.0, "it bends: {strain}");
        largest
    };
    // loads collocated at sections have no potential: energy is conserved only as far as the beams resolve the motion
    let [coarse, fine] = [4, 8].map(energy);
    assert!(fine < 0.1 * coarse && fine < 0.02, "{coarse} J, {fine} J");
}

#[test]
fn power_of_the_loads_is_the_rate_of_the_kinetic_energy() {
    let (flexible, initial) = tumbling(4);
    let mut equations = flexible.equations::<f64>();
    let (mut chart, mut y) = (vec![0.0; equations.chart_length()], vec![0.0; equations.differential()]);
    equations.locate(&initial, &mut chart, &mut y);
    let mut rates = vec![0.0; y.len()];
    equations.consistent(0.0, &chart, &y, &mut rates).expect("they exist");
    let moved = |h: f64| {
        let y: Vec<_> = y.iter().zip(&rates).map(|(y, rate)| y + h * rate).collect();
        let mut state = vec![0.0; initial.len()];
        equations.state(&chart, &y, &mut state);
        flexible.at(0.0, &state).energy().kinetic
    };
    let h = 1e-6;
    let by_differences = (moved(h) - moved(-h)) / (2.0 * h);
    let power = rates.chunks_exact(12).zip(y.chunks_exact(12)).enumerate().map(|(node, (rates, y))| {
        let twist = flexible.at(0.0, &initial).twist(node);
        let [beta, force, moment] = [&y[6..9], &rates[6..9], &rates[9..]].map(Vector3::from_column_slice);
        // γ' is relative to the moving node
        twist.linear.dot(&force) + twist.angular.dot(&(moment + twist.linear.cross(&beta)))
    });
    assert_relative_eq!(by_differences, power.sum::<f64>(), max_relative = 1e-6);
}

#[test]
fn accelerations_satisfy_the_equations() {
    let (flexible, initial) = tumbling(4);
    let h = 1e-5;
    let method = Esdirk436l2sa2 { newton_tolerance: 1e-11, ..Esdirk436l2sa2::default() };
    let states = [1.0, 2.0].map(|steps| solved(&flexible, &initial, &method, h, steps * h));
    let rate = |read: &dyn Fn(&[f64]) -> Vector3<f64>| (read(&states[1]) - read(&initial)) / (2.0 * h);
    let acceleration = flexible.at(0.0, &states[0]).acceleration(4);
    let linear = rate(&|state| flexible.at(0.0, state).twist(4).linear);
    assert_relative_eq!(acceleration.linear, linear, max_relative = 1e-4, epsilon = 1e-2);
    let angular = rate(&|state| flexible.at(0.0, state).twist(4).angular);
    assert_relative_eq!(acceleration.angular, angular, max_relative = 1e-4, epsilon = 1e-2);
}

#[test]
fn the_shaft_follows_its_drive() {
    let speed = Law::default().rising(0.0, 0.1, 20.0);
    let flexible = checked(shaft(Law::default(), speed));
    let still = Twist { linear: Vector3::zeros(), angular: Vector3::zeros() };
    let initial = flexible.launched(0.0, &[still; 33]).expect("it rests");
    let method = Esdirk436l2sa2 { newton_tolerance: 1e-5, ..Esdirk436l2sa2::default() };
    let state = solved(&flexible, &initial, &method, 2e-3, 0.2);
    let twist = flexible.at(0.0, &state).twist(0);
    assert_relative_eq!(twist.angular, Vector3::x() * 20.0, epsilon = 1e-9);
    // constraints divided by c ≥ 5e-4 s are at most the tolerance
    assert!(flexible.at(0.0, &state).position(0).norm() < 1e-8);
    let far = flexible.at(0.0, &state).position(32);
    assert!(far.y.hypot(far.z) < 1e-8 && far.x > 5.99 && far.x < 6.0, "{far}");
}

#[test]
fn a_bar_that_turns_rigidly_does_not_bend() {
    // exact except for the stretch by its own inertia, which is small
    let mut assembly = bar(1.0, 2, TUBE);
    assembly.joints.push(Joint::Revolute { a: Side::ground(Vector3::zeros()), b: Side::node(0) });
    let flexible = checked(assembly);
    let omega = Vector3::z() * 2.0;
    let rigid = |k: usize| Twist { linear: omega.cross(&(Vector3::x() * (0.25 * k as f64))), angular: omega };
    let initial = flexible.launched(0.0, &std::array::from_fn::<_, 5, _>(rigid)).expect("the hinge admits it");
    let state = solved(&flexible, &initial, &Lms2::default(), 1e-3, 1.0);
    let tip = flexible.at(0.0, &state).position(4);
    assert_relative_eq!(tip, Vector3::new(2.0_f64.cos(), 2.0_f64.sin(), 0.0), epsilon = 1e-4);
    for beam in 0..2 {
        for load in flexible.at(0.0, &state).section_loads(beam) {
            assert!(load.moment.norm() < 1e-3 * TUBE.bending.z, "{load:?}");
        }
    }
}
