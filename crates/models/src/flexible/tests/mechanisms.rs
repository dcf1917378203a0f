//! The three mechanisms as wholes: the balance of their energy, and that it does not matter how they lie in space.

use std::ops::ControlFlow;

use mbsbench_integrators::{Bathe, Esdirk436l2sa2};
use mbsbench_problem::dae::Dae;
use mbsbench_problem::{Counted, Failure, MethodDefinition, Observer, Settings, Step, Task};
use nalgebra::{Matrix3, Rotation3, Vector3};
use num_dual::Dual64;

use super::support::checked;
use crate::flexible::buckling::Buckling;
use crate::flexible::coupling::Constraint;
use crate::flexible::four_bar::FourBar;
use crate::flexible::model::Mechanism;
use crate::flexible::motion::{Motion, POSITIONS, Wrench, stacked};
use crate::flexible::shaft::Shaft;
use crate::flexible::system::System;
use crate::flexible::{
    Assembly, Base, Flexible, FlexibleFourBar, Gravity, Joint, LateralBuckling, Node, RotatingShaft, Side, Strut, Twist,
};

/// Times and states at the ends of steps.
#[derive(Default)]
struct Path(Vec<(f64, Vec<f64>)>);

impl Observer for Path {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.0.push((t, y.to_vec()));
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.0.push((step.t_end, step.end.to_vec()));
        ControlFlow::Continue(())
    }
}

/// All states of a run.
fn path(flexible: &Flexible, method: &impl MethodDefinition, span: [f64; 2], step: f64, initial: &[f64]) -> Path {
    let mut equations = flexible.equations::<f64>();
    let task = Task { t_start: span[0], t_end: span[1], initial, settings: Settings::fixed(step) };
    let mut path = Path::default();
    let solution = method.method().solve(Counted::new(&mut equations), &task, &mut path);
    assert_eq!(solution.failure, None);
    path
}

/// What changes the energy, W.
struct Powers {
    /// Of the beams.
    beams: f64,
    /// Of weight and dampers.
    field: f64,
    /// Of the drives.
    drives: f64,
}

impl Powers {
    fn at(flexible: &Flexible, t: f64, state: &[f64]) -> Self {
        let system = System::<f64>::new(flexible.assembly());
        let motions = motions(flexible, state);
        let power = |loads: &[Wrench<f64>]| -> f64 {
            let each = loads.iter().zip(&motions);
            each.map(|(load, motion)| load.force.dot(&motion.twist.linear) + load.moment.dot(&motion.twist.angular))
                .sum()
        };
        let mut loads = vec![Wrench::zero(); system.nodes()];
        for element in &system.elements {
            let on_nodes = element.loads(|node| motions[node].pose);
            element.nodes.iter().zip(on_nodes).for_each(|(&node, load)| loads[node] += load);
        }
        let beams = power(&loads);
        loads.fill(Wrench::zero());
        system.add_loads(t, &motions, &mut loads);
        Self { beams, field: power(&loads) - beams, drives: driven(flexible, t, state) }
    }
}

/// Poses and velocities of the nodes.
fn motions(flexible: &Flexible, state: &[f64]) -> Vec<Motion<f64>> {
    let motion = |node: usize| {
        let Twist { linear, angular } = flexible.twist(state, node);
        let positions = stacked(&flexible.position(state, node), &Vector3::zeros());
        Motion::new(&flexible.rotation(state, node), positions.as_slice(), stacked(&linear, &angular).as_slice())
    };
    (0..flexible.nodes()).map(motion).collect()
}

/// Power of the drives, `−λ ∂Φ/∂t` and `λ Ω`, W, with the multipliers that belong to the state.
fn driven(flexible: &Flexible, t: f64, state: &[f64]) -> f64 {
    let mut equations = flexible.equations::<f64>();
    let (n, m) = (equations.differential(), equations.algebraic());
    let (mut chart, mut y) = (vec![0.0; equations.chart_length()], vec![0.0; n]);
    equations.locate(state, &mut chart, &mut y);
    let mut rates = vec![0.0; n + m];
    equations.consistent(t, &chart, &y, &mut rates).expect("they exist");
    let system = System::<Dual64>::new(flexible.assembly());
    let fixed: Vec<_> = motions(flexible, state)
        .iter()
        .map(|motion| {
            let numbers = stacked(&motion.pose.x, &Vector3::zeros()).map(Dual64::from);
            let rates = stacked(&motion.twist.linear, &motion.twist.angular).map(Dual64::from);
            Motion::new(&motion.pose.r.map(Dual64::from), &numbers.as_slice()[..POSITIONS], rates.as_slice())
        })
        .collect();
    let mut rows = vec![Dual64::from(0.0); m];
    system.constraint_rows(Dual64::new(t, 1.0), &fixed, Dual64::from(1.0), &mut rows);
    let constraints = system.constraints.iter().zip(system.first_rows.windows(2));
    let power = |(constraint, range): (&Constraint<Dual64>, &[usize])| -> f64 {
        (range[0]..range[1])
            .map(|row| match constraint {
                Constraint::Coupling(_) => -rates[n + row] * rows[row].eps,
                Constraint::Drive(drive) => rates[n + row] * drive.speed.at(t),
            })
            .sum()
    };
    constraints.map(power).sum()
}

/// By how much the kinetic energy changes more than all that works on it says, and the strain energy less than the beams work,
/// over the work of all.
fn defects(flexible: &Flexible, path: &Path) -> [f64; 2] {
    let points: Vec<_> = path.0.iter().map(|(t, state)| Powers::at(flexible, *t, state)).collect();
    let step = (path.0[path.0.len() - 1].0 - path.0[0].0) / (points.len() - 1) as f64;
    // Simpson's rule
    let weight = |k: usize| if k == 0 || k == points.len() - 1 { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 } * step / 3.0;
    let integral =
        |power: &dyn Fn(&Powers) -> f64| points.iter().enumerate().map(|(k, at)| weight(k) * power(at)).sum::<f64>();
    assert_eq!(points.len() % 2, 1);
    let energies = [0, points.len() - 1].map(|k| flexible.energy(&path.0[k].1));
    let gained = energies[1].kinetic - energies[0].kinetic;
    let (beams, others) = (integral(&|at| at.beams), integral(&|at| at.field + at.drives));
    let worked = integral(&|at| at.beams.abs() + at.field.abs() + at.drives.abs());
    let strained = energies[1].strain - energies[0].strain;
    println!(
        "T {:e} U {:e} worked {worked:e} beams {beams:e} others {others:e}",
        energies[1].kinetic, energies[1].strain
    );
    [(gained - beams - others) / worked, (strained + beams) / worked]
}

/// Runs to `settled` (s) with a method that leaves no oscillation, and in small steps to the end.
fn settled(mechanism: &impl Mechanism, times: [f64; 3], steps: [f64; 2], newton_tolerance: f64) -> (Flexible, Path) {
    let flexible = checked(mechanism.assembly().clone());
    let [start, settled, end] = times;
    let initial = flexible.launched(start, &mechanism.start()).expect("it holds");
    let damped = Bathe { rho: 0.0, newton_tolerance, ..Bathe::default() };
    let before = path(&flexible, &damped, [start, settled], steps[0], &initial);
    let fine = Esdirk436l2sa2 { newton_tolerance, ..Esdirk436l2sa2::default() };
    let path = path(&flexible, &fine, [settled, end], steps[1], &before.0[before.0.len() - 1].1);
    (flexible, path)
}

#[test]
fn probe_balance() {
    let four_bar = FourBar::new(&FlexibleFourBar::default());
    let start = -std::f64::consts::TAU / 0.6;
    for n in [40.0, 80.0, 160.0] {
        let h = 0.04 / n;
        let (flexible, path) = settled(&four_bar, [start, start + 0.8, start + 0.84], [8e-3, h], 1e-6);
        println!("four-bar {h:e} {:?}", defects(&flexible, &path));
    }
    for elements in [2, 5, 10, 20] {
        let four_bar = FourBar::new(&FlexibleFourBar { elements, ..FlexibleFourBar::default() });
        let (flexible, path) = settled(&four_bar, [start, start + 0.8, start + 0.84], [8e-3, 1e-3], 1e-6);
        println!("four-bar {elements} {:?}", defects(&flexible, &path));
    }
    let buckling = Buckling::new(&LateralBuckling::default());
    for n in [40.0, 80.0, 160.0] {
        let h = 0.02 / n;
        let (flexible, path) = settled(&buckling, [0.0, 0.04, 0.06], [2e-3, h], 1e-5);
        println!("buckling {h:e} {:?}", defects(&flexible, &path));
    }
    for elements in [2, 5, 10] {
        let buckling = Buckling::new(&LateralBuckling { elements, ..LateralBuckling::default() });
        let (flexible, path) = settled(&buckling, [0.0, 0.04, 0.06], [2e-3, 5e-4], 1e-5);
        println!("buckling {elements} {:?}", defects(&flexible, &path));
    }
    let shaft = Shaft::new(&RotatingShaft::default());
    for [a, b, c] in [[-1.0, -0.9, -0.8], [-1.0, 0.1, 0.2]] {
        for n in [40.0, 80.0, 160.0] {
            let h = (c - b) / n;
            let (flexible, path) = settled(&shaft, [a, b, c], [1e-2, h], 3e-5);
            println!("shaft {b} {h:e} {:?}", defects(&flexible, &path));
        }
    }
}

/// The same mechanism lying in space another way, moved by `shift`.
fn moved(assembly: &Assembly, turn: &Rotation3<f64>, shift: &Vector3<f64>) -> Assembly {
    let node = |node: &Node| Node { position: turn * node.position + shift, rotation: turn * node.rotation };
    let side = |side: &Side| match side.base {
        Base::Ground => Side { offset: turn * side.offset + shift, frame: turn * side.frame, ..*side },
        Base::Node(_) => *side,
    };
    let joint = |joint: &Joint| match joint {
        Joint::Revolute { a, b } => Joint::Revolute { a: side(a), b: side(b) },
        Joint::Spherical { a, b } => Joint::Spherical { a: side(a), b: side(b) },
        Joint::Cylindrical { a, b } => Joint::Cylindrical { a: side(a), b: side(b) },
        Joint::PrescribedRotation { a, b, angle } => {
            Joint::PrescribedRotation { a: side(a), b: side(b), angle: angle.clone() }
        }
        Joint::PrescribedAngularVelocity { node, axis, speed } => {
            Joint::PrescribedAngularVelocity { node: *node, axis: turn * axis, speed: speed.clone() }
        }
        Joint::Clamp { .. } | Joint::RigidOffset { .. } => joint.clone(),
    };
    let strut = |strut: &Strut| Strut { point: turn * strut.point + shift, ..*strut };
    let gravity = |gravity: &Gravity| Gravity { direction: turn * gravity.direction, ..gravity.clone() };
    Assembly {
        nodes: assembly.nodes.iter().map(node).collect(),
        bodies: assembly.bodies.clone(),
        beams: assembly.beams.clone(),
        joints: assembly.joints.iter().map(joint).collect(),
        struts: assembly.struts.iter().map(strut).collect(),
        gravity: assembly.gravity.as_ref().map(gravity),
    }
}

/// Largest difference between a motion and that of the moved mechanism, moved back: of positions (m) and axes.
fn variance(mechanism: &impl Mechanism, span: [f64; 2], step: f64, newton_tolerance: f64) -> f64 {
    let method = Bathe { newton_tolerance, ..Bathe::default() };
    let run = |assembly: Assembly, twists: &[Twist]| {
        let flexible = checked(assembly);
        let initial = flexible.launched(span[0], twists).expect("it holds");
        let path = path(&flexible, &method, span, step, &initial);
        let state = path.0[path.0.len() - 1].1.clone();
        (flexible, state)
    };
    let (turn, shift) = (Rotation3::new(Vector3::new(0.7, -1.1, 0.4)), Vector3::new(0.3, -0.2, 0.5));
    let start = mechanism.start();
    let turned = |twist: &Twist| Twist { linear: turn * twist.linear, angular: turn * twist.angular };
    let (flexible, state) = run(mechanism.assembly().clone(), &start);
    let (_, other) = run(moved(mechanism.assembly(), &turn, &shift), &start.iter().map(turned).collect::<Vec<_>>());
    let at_rest = flexible.launched::<f64>(span[0], &start).expect("it holds");
    let mut travelled = 0.0_f64;
    let difference = |node: usize| {
        let back = turn.inverse() * (flexible.position(&other, node) - shift);
        let axes: Matrix3<f64> = turn.inverse() * flexible.rotation(&other, node);
        travelled = travelled.max((flexible.position(&state, node) - flexible.position(&at_rest, node)).norm());
        (back - flexible.position(&state, node)).norm().max((axes - flexible.rotation(&state, node)).amax())
    };
    let largest = (0..flexible.nodes()).map(difference).fold(0.0, f64::max);
    assert!(travelled > 1e-3, "it moves: {travelled:e} m");
    println!("{largest:e} {travelled:e}");
    largest
}

#[test]
fn it_does_not_matter_how_a_mechanism_lies() {
    let four_bar = FourBar::new(&FlexibleFourBar::default());
    let start = -std::f64::consts::TAU / 0.6;
    let found = [
        variance(&four_bar, [start, start + 0.2], 1e-2, 1e-5),
        variance(&Buckling::new(&LateralBuckling::default()), [0.0, 0.1], 5e-3, 1e-4),
        variance(&Shaft::new(&RotatingShaft::default()), [-1.0, 0.1], 1e-2, 1e-4),
    ];
    assert!(found.iter().all(|difference| *difference < 1e-10), "{found:?}");
}
