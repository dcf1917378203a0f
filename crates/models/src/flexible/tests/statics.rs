//! Beams under constant loads, rigid motions, modes.

use std::f64::consts::PI;

use approx::assert_relative_eq;
use mbsbench_problem::dae::{Dae, Point};
use nalgebra::{DMatrix, DVector, Matrix6, Rotation3, Vector3};
use proptest::prelude::*;

use super::support::{TUBE, TUBE_MASS, along_x, at_rest, bar, checked, matrix, medley, shaft};
use crate::flexible::motion::{Motion, POSITIONS, Pose};
use crate::flexible::so3::rotation;
use crate::flexible::system::System;
use crate::flexible::{Assembly, Flexible, Joint, Law, Node, Side, Wrench};

/// Norm of forces and moments at roundoff level, N and N m: 1e-16 of the largest stiffness is 3e-8 for each.
const BALANCED: f64 = 1e-4;

/// Moves all nodes except the first into equilibrium with the loads, by Newton's method from their current poses.
fn balance(system: &System<f64>, poses: &mut [Pose<f64>], loads: &[Wrench<f64>]) {
    let size = POSITIONS * (poses.len() - 1);
    for _ in 0..20 {
        let motions: Vec<_> = poses.iter().map(Motion::still).collect();
        let mut sums = loads.to_vec();
        system.add_loads(0.0, &motions, &mut sums);
        let free = sums[1..].iter().flat_map(|load| load.force.iter().chain(&load.moment).copied().collect::<Vec<_>>());
        let free = DVector::from_iterator(size, free);
        if free.norm() < BALANCED {
            return;
        }
        let mut stiffness = DMatrix::zeros(size, size);
        system.stiffness(0.0, &motions, &[], |row, column, block: &Matrix6<f64>| {
            if row > 0 && column > 0 {
                let mut view = stiffness.fixed_view_mut::<6, 6>(POSITIONS * (row - 1), POSITIONS * (column - 1));
                view += block;
            }
        });
        let moved = stiffness.lu().solve(&free).expect("it is stiff");
        for (pose, moved) in poses[1..].iter_mut().zip(moved.as_slice().chunks_exact(POSITIONS)) {
            pose.x += Vector3::from_column_slice(&moved[..3]);
            pose.r = rotation(&Vector3::from_column_slice(&moved[3..])) * pose.r;
        }
    }
    panic!("there is no equilibrium");
}

/// Distance of a cantilever's tip from the end of the exact arc, per length; the clamped end is the first node.
fn tip_error(elements: usize, angle: f64) -> f64 {
    let (length, tip) = (2.0, 2 * elements);
    let system = System::<f64>::new(&bar(length, elements, TUBE));
    let mut poses = system.rest.clone();
    let mut loads = vec![Wrench::zero(); poses.len()];
    let moment = TUBE.bending.z * angle / length;
    for step in 1..=10 {
        loads[tip].moment = Vector3::z() * (moment * f64::from(step) / 10.0);
        balance(&system, &mut poses, &loads);
    }
    for element in &system.elements {
        for load in element.section_loads(|node| poses[node]) {
            assert_relative_eq!(load.moment, Vector3::z() * moment, epsilon = BALANCED);
            assert!(load.force.norm() < BALANCED, "{}", load.force);
        }
    }
    let radius = length / angle;
    let exact = Vector3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0);
    (poses[tip].x - exact).norm() / length
}

#[test]
fn pure_bending_gives_an_arc() {
    for (angle, expected) in [(PI / 2.0, 1.3e-5), (PI, 1.8e-4)] {
        let error = tip_error(5, angle);
        assert!((error / expected - 1.0).abs() < 0.05, "{error:e} instead of {expected:e}");
    }
}

/// Orders of convergence with the number of elements, from each error and that for twice as many elements.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

/// Curvature is exact, and positions are of order four.
#[test]
fn bending_converges_with_the_number_of_elements() {
    let errors = [2, 4, 8, 16].map(|elements| tip_error(elements, PI));
    let orders = orders(&errors);
    assert!(orders.iter().all(|order| (3.9..4.2).contains(order)), "{errors:?}: {orders:?}");
}

/// First frequency of a cantilever, rad/s.
fn cantilever_frequency(elements: usize) -> f64 {
    let mut assembly = bar(2.0, elements, TUBE);
    assembly.joints = vec![Joint::Clamp { node: 0 }];
    let flexible = checked(assembly);
    let (chart, y, lambda) = equilibrium(&flexible);
    Linear::new(&flexible, &y, &chart, &lambda).frequencies()[0]
}

/// The inertia is lumped, which has order two.
#[test]
fn frequencies_converge_with_the_number_of_elements() {
    let found = [2, 4, 8, 16].map(cantilever_frequency);
    let changes: Vec<_> = found.windows(2).map(|pair| pair[0] - pair[1]).collect();
    let orders = orders(&changes);
    assert!(orders.iter().all(|order| (1.9..2.2).contains(order)), "{found:?}: {orders:?}");
    // Euler and Bernoulli, 1.8751² √(EI/m L⁴); shear and rotary inertia lower it slightly
    let slender = 1.875_104_f64.powi(2) * (TUBE.bending.z / (TUBE_MASS * 16.0)).sqrt();
    assert!(found[3] < slender && found[3] > 0.98 * slender, "{} of {slender}", found[3]);
}

#[test]
fn cantilever_deflection_matches_timoshenko() {
    let (length, force) = (2.0, 10.0);
    let system = System::<f64>::new(&bar(length, 4, TUBE));
    let mut poses = system.rest.clone();
    let mut loads = vec![Wrench::zero(); poses.len()];
    loads[8].force = Vector3::new(0.0, force, -2.0 * force);
    balance(&system, &mut poses, &loads);
    let compliance = length.powi(3) / (3.0 * TUBE.bending.z) + length / TUBE.tensile.y;
    let moved = poses[8].x - system.rest[8].x;
    // exact at the nodes as long as the deflection, 1e-4 m of 2 m, is small
    assert_relative_eq!(moved.y, compliance * force, max_relative = 1e-7);
    assert_relative_eq!(moved.z, -2.0 * compliance * force, max_relative = 1e-7);
}

fn vector(most: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-most..most).prop_map(Vector3::from)
}

proptest! {
    #[test]
    fn rigid_motions_strain_nothing(turn in vector(3.0), shift in vector(10.0)) {
        let system = System::<f64>::new(&medley());
        let turn = *Rotation3::new(turn).matrix();
        let moved = |node: usize| {
            let pose = &system.rest[node];
            Pose { x: turn * pose.x + shift, r: turn * pose.r }
        };
        for element in &system.elements {
            for load in element.section_loads(moved) {
                // stiffness times 1e3 times the roundoff of lengths of 10
                prop_assert!(load.force.norm() < 1e-10 && load.moment.norm() < 1e-10, "{load:?}");
            }
        }
    }

    #[test]
    fn loads_of_a_beam_are_in_equilibrium(
        shifts in prop::array::uniform3(vector(0.3)),
        turns in prop::array::uniform3(vector(0.5)),
    ) {
        let system = System::<f64>::new(&medley());
        let element = &system.elements[0];
        let moved = |node: usize| {
            let pose = &system.rest[node];
            Pose { x: pose.x + shifts[node], r: Rotation3::new(turns[node]).matrix() * pose.r }
        };
        let mut sum = Wrench::zero();
        for (&node, load) in element.nodes.iter().zip(element.loads(moved)) {
            sum += Wrench { force: load.force, moment: load.moment + moved(node).x.cross(&load.force) };
        }
        prop_assert!(sum.force.norm() < 1e-11 && sum.moment.norm() < 1e-11, "{sum:?}");
    }
}

/// Stiffness, mass and constraint Jacobian with respect to positions, at rest with multipliers.
struct Linear {
    stiffness: DMatrix<f64>,
    mass: DMatrix<f64>,
    constraints: DMatrix<f64>,
}

impl Linear {
    fn new(flexible: &Flexible, y: &[f64], chart: &[f64], lambda: &[f64]) -> Self {
        let mut equations = flexible.equations::<f64>();
        let (n, m) = (equations.differential(), equations.algebraic());
        let rates: Vec<_> = std::iter::repeat_n(0.0, n).chain(lambda.iter().copied()).collect();
        let at = Point { t: 0.0, chart, y, rates: &rates };
        // the matrix is linear in c
        let (none, whole) = (matrix(&mut equations, at, 0.0), matrix(&mut equations, at, 1.0));
        let of_node = |k: usize| 12 * (k / 6) + k % 6;
        let size = n / 2;
        Self {
            stiffness: DMatrix::from_fn(size, size, |i, j| {
                let (i, j) = (of_node(i) + 6, of_node(j));
                whole[(i, j)] - none[(i, j)]
            }),
            mass: DMatrix::from_fn(size, size, |i, j| none[(of_node(i), of_node(j))]),
            constraints: DMatrix::from_fn(m, size, |i, j| whole[(n + i, of_node(j))]),
        }
    }

    /// Natural frequencies, rad/s, ascending.
    fn frequencies(&self) -> Vec<f64> {
        let (m, n) = self.constraints.shape();
        // admissible motions: the right singular vectors with singular value zero
        let mut square = DMatrix::zeros(n, n);
        square.rows_mut(0, m).copy_from(&self.constraints);
        let basis = square.svd(false, true).v_t.expect("asked for");
        let free = basis.rows(m, n - m);
        let mass = free * &self.mass * free.transpose();
        let stiffness = free * &self.stiffness * free.transpose();
        let squares = mass.lu().solve(&stiffness).expect("it has inertia").complex_eigenvalues();
        let mut frequencies: Vec<_> = squares
            .iter()
            .map(|square| {
                assert!(square.im.abs() < 1e-6 * square.re.abs(), "{square}");
                square.re.sqrt()
            })
            .collect();
        frequencies.sort_by(f64::total_cmp);
        frequencies
    }
}

/// The shaft, held against rotation at its first end.
fn held_shaft(gravity: f64) -> Assembly {
    let mut assembly = shaft(Law::constant(gravity), Law::default());
    let a = Side::ground(Vector3::zeros()).turned(along_x());
    let b = Side::node(0).turned(along_x());
    assembly.joints[0] = Joint::PrescribedRotation { a, b, angle: Law::default() };
    assembly.joints.remove(1);
    assembly
}

/// Chart, coordinates and multipliers in equilibrium.
fn equilibrium(flexible: &Flexible) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut equations = flexible.equations::<f64>();
    let (n, m) = (equations.differential(), equations.algebraic());
    let (mut chart, mut y) = (vec![0.0; equations.chart_length()], vec![0.0; n]);
    equations.locate(&at_rest(flexible), &mut chart, &mut y);
    let mut rates = vec![0.0; n + m];
    let mut residual = vec![0.0; n + m];
    for _ in 0..10 {
        equations
            .residual(Point { t: 0.0, chart: &chart, y: &y, rates: &rates }, 1.0, &mut residual)
            .expect("it exists");
        let linear = Linear::new(flexible, &y, &chart, &rates[n..]);
        let size = n / 2;
        let mut saddle = DMatrix::zeros(size + m, size + m);
        saddle.view_mut((0, 0), (size, size)).copy_from(&linear.stiffness);
        saddle.view_mut((0, size), (size, m)).copy_from(&-linear.constraints.transpose());
        saddle.view_mut((size, 0), (m, size)).copy_from(&linear.constraints);
        let right = DVector::from_fn(size + m, |k, _| {
            if k < size { residual[12 * (k / 6) + 6 + k % 6] } else { residual[n + k - size] }
        });
        if right.norm() < BALANCED {
            return (chart, y, rates.split_off(n));
        }
        let moved = saddle.lu().solve(&right).expect("it is held");
        (0..size).for_each(|k| y[12 * (k / 6) + k % 6] -= moved[k]);
        (0..m).for_each(|k| rates[n + k] -= moved[size + k]);
    }
    panic!("there is no equilibrium: {residual:?}");
}

#[test]
fn the_shaft_sags_by_its_weight() {
    let flexible = checked(held_shaft(9.81));
    let (_, y, _) = equilibrium(&flexible);
    // from an independent implementation; analytically m_d g L³/(192 EI) + m g L⁴/(384 EI) + shear = 3.3098e-3 m
    assert!((y[12 * 16 + 2] - -3.309_81e-3).abs() < 5e-9, "{}", y[12 * 16 + 2]);
}

#[test]
fn the_shaft_at_rest_has_known_frequencies() {
    let flexible = checked(held_shaft(0.0));
    let (chart, y, lambda) = equilibrium(&flexible);
    let frequencies = Linear::new(&flexible, &y, &chart, &lambda).frequencies();
    // from an independent implementation, to the given digits
    let expected = [56.709, 56.849, 204.1, 286.7, 288.1, 455.9, 458.3];
    for (frequency, expected) in frequencies.iter().zip(expected) {
        assert!((frequency - expected).abs() < if expected < 100.0 { 6e-4 } else { 0.06 }, "{frequencies:?}");
    }
}

#[test]
fn a_node_between_equal_ones_may_be_moved_along_its_beam() {
    let mut assembly = bar(2.0, 1, TUBE);
    assembly.nodes[1] = Node::at(1.2, 0.0, 0.0);
    let system = System::<f64>::new(&assembly);
    let stretched = |node: usize| Pose { x: system.rest[node].x * 1.001, ..system.rest[node] };
    for load in system.elements[0].section_loads(stretched) {
        assert_relative_eq!(load.force, Vector3::x() * (1e-3 * TUBE.tensile.x), epsilon = 1e-6);
    }
}
