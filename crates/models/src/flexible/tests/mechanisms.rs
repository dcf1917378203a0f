//! The three complete mechanisms: their energy balance, and their invariance under motions of the whole
//! mechanism in space.

use std::ops::ControlFlow;

use mbsbench_integrators::{Bathe, Esdirk436l2sa2};
use mbsbench_problem::dae::Dae;
use mbsbench_problem::{Counted, Failure, MethodDefinition, Observer, Settings, Step, Task};
use nalgebra::{Matrix3, Rotation3, Vector3};
use num_dual::Dual64;

use super::support::checked;
use crate::flexible::coupling::Constraint;
use crate::flexible::model::Mechanism;
use crate::flexible::motion::{Motion, POSITIONS, stacked};
use crate::flexible::system::System;
use crate::flexible::{
    Assembly, Flexible, FlexibleFourBar, Gravity, Joint, LateralBuckling, Node, RotatingShaft, Side, Strut, Twist,
    Wrench,
};

/// Times and states at the ends of steps.
#[derive(Default)]
struct Path(Vec<(f64, Vec<f64>)>);

impl Path {
    /// The last state.
    fn last(&self) -> &[f64] {
        &self.0[self.0.len() - 1].1
    }
}

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

/// Powers that change the energy, W.
struct Powers {
    /// Power of the beams.
    beams: f64,
    /// Power of weight and dampers.
    field: f64,
    /// Power of the drives.
    drives: f64,
}

impl Powers {
    fn at(flexible: &Flexible, t: f64, state: &[f64]) -> Self {
        let system = System::<f64>::new(&flexible.assembly);
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
        let Twist { linear, angular } = flexible.at(0.0, state).twist(node);
        let positions = stacked(&flexible.at(0.0, state).position(node), &Vector3::zeros());
        Motion::new(
            &flexible.at(0.0, state).rotation(node),
            positions.as_slice(),
            stacked(&linear, &angular).as_slice(),
        )
    };
    (0..flexible.nodes()).map(motion).collect()
}

/// Power of the drives, `−λ ∂Φ/∂t` and `λ Ω`, W, with the multipliers of the state.
fn driven(flexible: &Flexible, t: f64, state: &[f64]) -> f64 {
    let mut equations = flexible.equations::<f64>();
    let (n, m) = (equations.differential(), equations.algebraic());
    let (mut chart, mut y) = (vec![0.0; equations.chart_length()], vec![0.0; n]);
    equations.locate(state, &mut chart, &mut y);
    let mut rates = vec![0.0; n + m];
    equations.consistent(t, &chart, &y, &mut rates).expect("they exist");
    let system = System::<Dual64>::new(&flexible.assembly);
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

/// Times of a run and of its energy balance, s. A run starts with large steps of a method that damps oscillations,
/// continues with small steps, and the balance begins once the transient of that change has decayed.
struct Times {
    start: f64,
    small_steps: f64,
    from: f64,
    until: f64,
}

/// Defects of the energy balance, relative to the final energy or the total work, whichever is larger.
struct Unaccounted {
    /// Change of the kinetic energy minus the work of beams, weight, dampers and drives.
    kinetic: f64,
    /// Change of the strain energy minus the work done on the beams.
    strain: f64,
}

impl Unaccounted {
    fn of(mechanism: &impl Mechanism, times: &Times, [first_step, step]: [f64; 2], newton_tolerance: f64) -> Self {
        let (assembly, bars) = mechanism.assembly();
        let start = mechanism.start(&assembly, &bars);
        let flexible = checked(assembly);
        let initial = flexible.launched(times.start, &start).expect("it holds");
        let damped = Bathe { rho_inf: 0.0, newton_tolerance, ..Bathe::default() };
        let before = path(&flexible, &damped, [times.start, times.small_steps], first_step, &initial);
        let fine = Esdirk436l2sa2 { newton_tolerance, ..Esdirk436l2sa2::default() };
        let path = path(&flexible, &fine, [times.small_steps, times.until], step, before.last());
        let first = path.0.partition_point(|(t, _)| *t < times.from - 0.5 * step);
        Self::along(&flexible, &path.0[first..], step)
    }

    /// Computes the defects along the ends of steps, by Simpson's rule.
    fn along(flexible: &Flexible, path: &[(f64, Vec<f64>)], step: f64) -> Self {
        let last = path.len() - 1;
        assert!(last > 0 && last.is_multiple_of(2), "{last} steps");
        let powers: Vec<_> = path.iter().map(|(t, state)| Powers::at(flexible, *t, state)).collect();
        let integral = |power: &dyn Fn(&Powers) -> f64| {
            let weight = |k: usize| if k == 0 || k == last { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            powers.iter().enumerate().map(|(k, at)| weight(k) * power(at)).sum::<f64>() * step / 3.0
        };
        let [before, after] = [0, last].map(|k| flexible.at(0.0, &path[k].1).energy());
        let beams = integral(&|at| at.beams);
        let all = integral(&|at| at.beams.abs() + at.field.abs() + at.drives.abs()).max(after.kinetic + after.strain);
        let others = integral(&|at| at.field + at.drives);
        Self {
            kinetic: (after.kinetic - before.kinetic - beams - others) / all,
            strain: (after.strain - before.strain + beams) / all,
        }
    }
}

#[test]
fn energy_changes_by_the_work_of_the_loads() {
    let start = -std::f64::consts::TAU / 0.6;
    let turning = Times { start, small_steps: start + 0.8, from: start + 0.82, until: start + 0.86 };
    let four_bar = FlexibleFourBar::default();
    let buckling = LateralBuckling::default();
    let shaft = RotatingShaft::default();
    let lifting = Times { start: 0.0, small_steps: 0.045, from: 0.05, until: 0.055 };
    // gravity is switched on, and the damper acts
    let sagging = Times { start: -1.0, small_steps: -0.95, from: -0.9, until: -0.8 };
    let spinning = Times { start: -1.0, small_steps: 0.1, from: 0.11, until: 0.15 };
    let found = [
        Unaccounted::of(&four_bar, &turning, [2e-3, 2.5e-4], 1e-6),
        Unaccounted::of(&buckling, &lifting, [2e-4, 1.25e-5], 1e-5),
        Unaccounted::of(&shaft, &sagging, [1e-2, 1.25e-3], 1e-4),
        Unaccounted::of(&shaft, &spinning, [2e-3, 1.25e-4], 3e-5),
    ];
    let kinetic = found.each_ref().map(|found| found.kinetic.abs());
    assert!(kinetic.iter().all(|share| *share < 1e-9), "{kinetic:?}");
    // strain energy is computed by quadrature, and collocated loads have no potential
    let strain = found.each_ref().map(|found| found.strain.abs());
    assert!(strain.iter().all(|share| *share < 3e-6), "{strain:?}");
}

#[test]
fn strain_energy_converges_to_the_work_on_the_beams() {
    let sagging = Times { start: -1.0, small_steps: -0.95, from: -0.9, until: -0.8 };
    let [coarse, fine] = [8, 16].map(|elements| {
        let shaft = RotatingShaft { elements, ..RotatingShaft::default() };
        Unaccounted::of(&shaft, &sagging, [1e-2, 2.5e-3], 1e-4).strain
    });
    let order = (coarse / fine).log2();
    assert!((1.8..2.2).contains(&order), "{coarse:e}, {fine:e}: order {order}");
}

/// The mechanism rotated by `turn` and moved by `shift`.
fn moved(assembly: &Assembly, turn: &Rotation3<f64>, shift: &Vector3<f64>) -> Assembly {
    let node = |node: &Node| Node { position: turn * node.position + shift, rotation: turn * node.rotation };
    let side = |side: &Side| match side.node {
        None => Side { offset: turn * side.offset + shift, frame: turn * side.frame, ..*side },
        Some(_) => *side,
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
        Joint::Clamp { .. } => joint.clone(),
    };
    let strut = |strut: &Strut| Strut { point: turn * strut.point + shift, ..*strut };
    let gravity = |gravity: &Gravity| Gravity { direction: turn * gravity.direction, ..gravity.clone() };
    Assembly {
        nodes: assembly.nodes.iter().map(node).collect(),
        bodies: assembly.bodies.clone(),
        beams: assembly.beams.clone(),
        joints: assembly.joints.iter().map(joint).collect(),
        struts: assembly.struts.iter().map(strut).collect(),
        loads: vec![],
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
        (flexible, path.last().to_vec())
    };
    let (turn, shift) = (Rotation3::new(Vector3::new(0.7, -1.1, 0.4)), Vector3::new(0.3, -0.2, 0.5));
    let (assembly, bars) = mechanism.assembly();
    let start = mechanism.start(&assembly, &bars);
    let turned = |twist: &Twist| Twist { linear: turn * twist.linear, angular: turn * twist.angular };
    let (flexible, state) = run(assembly.clone(), &start);
    let (_, other) = run(moved(&assembly, &turn, &shift), &start.iter().map(turned).collect::<Vec<_>>());
    let at_rest = flexible.launched::<f64>(span[0], &start).expect("it holds");
    let mut travelled = 0.0_f64;
    let difference = |node: usize| {
        let back = turn.inverse() * (flexible.at(0.0, &other).position(node) - shift);
        let axes: Matrix3<f64> = turn.inverse() * flexible.at(0.0, &other).rotation(node);
        travelled =
            travelled.max((flexible.at(0.0, &state).position(node) - flexible.at(0.0, &at_rest).position(node)).norm());
        (back - flexible.at(0.0, &state).position(node))
            .norm()
            .max((axes - flexible.at(0.0, &state).rotation(node)).amax())
    };
    let largest = (0..flexible.nodes()).map(difference).fold(0.0, f64::max);
    assert!(travelled > 1e-3, "it moves: {travelled:e} m");
    largest
}

#[test]
fn results_do_not_depend_on_the_orientation() {
    let four_bar = FlexibleFourBar::default();
    let start = -std::f64::consts::TAU / 0.6;
    let found = [
        variance(&four_bar, [start, start + 0.2], 1e-2, 1e-5),
        variance(&LateralBuckling::default(), [0.0, 0.1], 5e-3, 1e-4),
        variance(&RotatingShaft::default(), [-1.0, 0.1], 1e-2, 1e-4),
    ];
    assert!(found.iter().all(|difference| *difference < 1e-12), "{found:?}");
}
