//! A mechanism that has been checked, its initial states, and what can be read from a state.

use std::ops::Range;

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Vector3};

use super::coupling::Constraint;
use super::equations::{FlexibleEquations, STATE};
use super::inertia::Inertia;
use super::layout::Layout;
use super::motion::{Motion, POSITIONS, Pose, Wrench, pair, stacked};
use super::refused::Refused;
use super::system::System;
use super::{Assembly, SectionLoad, Twist, check};

/// A mechanism whose parts have been checked.
///
/// A state has 18 numbers a node, one node after the other: position (m), rotation matrix by columns, momentum β (kg m/s),
/// angular momentum γ about the node (kg m²/s), all in the ground frame.
#[derive(Debug, Clone)]
pub struct Flexible {
    assembly: Assembly,
    system: System<f64>,
    layout: Layout,
}

/// Mechanical energy of a state, J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of the strained beams, by quadrature in their two sections.
    pub strain: f64,
}

impl Flexible {
    /// Checks an assembly.
    ///
    /// # Errors
    /// [`Refused`], which names the part that makes no sense.
    pub fn new(assembly: Assembly) -> Result<Self, Refused> {
        check::parts(&assembly)?;
        let system = System::new(&assembly);
        let layout = Layout::new(&system);
        Ok(Self { assembly, system, layout })
    }

    /// The description.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.system.nodes()
    }

    /// Number of components of a state.
    pub fn state_dimension(&self) -> usize {
        STATE * self.nodes()
    }

    /// Number of multipliers.
    pub fn multipliers(&self) -> usize {
        self.system.rows()
    }

    /// Which multipliers are those of a joint. Those of position rows are forces in the frame of side `a`, N; those of other
    /// rows are moments, N m.
    pub fn multipliers_of(&self, joint: usize) -> Range<usize> {
        self.system.first_rows[joint]..self.system.first_rows[joint + 1]
    }

    /// The equations, with memory for a solve.
    pub fn equations<S: Scalar>(&self) -> FlexibleEquations<'_, S> {
        FlexibleEquations::new(self)
    }

    /// The state at time `t` (s) with the nodes where they rest and at rest.
    pub fn resting<S: Scalar>(&self, t: f64) -> Result<Vec<S>, Refused> {
        let still = Twist { linear: Vector3::zeros(), angular: Vector3::zeros() };
        self.moving(t, &vec![still; self.nodes()])
    }

    /// The state at time `t` (s) with the nodes where they rest and given velocities.
    ///
    /// # Errors
    /// [`Refused`] where the joints do not hold at that time, do not admit the velocities, or repeat each other.
    pub fn moving<S: Scalar>(&self, t: f64, twists: &[Twist]) -> Result<Vec<S>, Refused> {
        check::start(&self.assembly, t, twists)?;
        check::velocities(&self.assembly, t, twists)?;
        Ok(self.state(twists))
    }

    /// The same with velocities that the joints need not admit. Equations of index 3 have no constraints on velocities; the
    /// first steps of a method make them good, by a jump.
    ///
    /// # Errors
    /// [`Refused`] where the joints do not hold at that time or repeat each other.
    pub fn launched<S: Scalar>(&self, t: f64, twists: &[Twist]) -> Result<Vec<S>, Refused> {
        check::start(&self.assembly, t, twists)?;
        Ok(self.state(twists))
    }

    /// The state with the nodes where they rest and given velocities.
    fn state<S: Scalar>(&self, twists: &[Twist]) -> Vec<S> {
        let system = System::<S>::new(&self.assembly);
        let mut state = Vec::with_capacity(self.state_dimension());
        for ((pose, inertia), twist) in system.rest.iter().zip(&system.inertia).zip(twists) {
            let twist = Twist { linear: twist.linear.map(S::from), angular: twist.angular.map(S::from) };
            let momentum = inertia.turned(&pose.r).momentum(&twist);
            state.extend(pose.x.iter().chain(&pose.r).chain(&momentum.force).chain(&momentum.moment));
        }
        state
    }

    /// Position of a node, m.
    pub fn position(&self, state: &[f64], node: usize) -> Vector3<f64> {
        pose(state, node).x
    }

    /// Orientation of a node: columns are its axes.
    pub fn rotation(&self, state: &[f64], node: usize) -> Matrix3<f64> {
        pose(state, node).r
    }

    /// Velocities of a node.
    pub fn twist(&self, state: &[f64], node: usize) -> Twist {
        self.turned(state, node).twist(&momentum(state, node))
    }

    /// Loads of both sections of a beam, at `ξ = ∓1/√3`, in section axes.
    pub fn section_loads(&self, state: &[f64], beam: usize) -> [SectionLoad; 2] {
        self.system.elements[beam].section_loads(|node| pose(state, node))
    }

    /// Accelerations `x''` (m/s²) and `ω'` (rad/s²) of a node that no joint holds.
    pub fn acceleration(&self, t: f64, state: &[f64], node: usize) -> Twist {
        let motions = self.motions(state);
        let mut loads = vec![Wrench::zero(); self.nodes()];
        self.system.add_loads(t, &motions, &mut loads);
        let (twist, load) = (motions[node].twist, loads[node]);
        let carried = twist.linear.cross(&momentum(state, node).force);
        let rates = Wrench { force: load.force, moment: load.moment - carried };
        self.turned(state, node).acceleration(&twist, &rates)
    }

    /// Energy of a state.
    pub fn energy(&self, state: &[f64]) -> Energy {
        let kinetic = |node: usize| {
            let (twist, momentum) = (self.twist(state, node), momentum(state, node));
            0.5 * (twist.linear.dot(&momentum.force) + twist.angular.dot(&momentum.moment))
        };
        let strain = self.system.elements.iter().map(|element| element.energy(|node| pose(state, node)));
        Energy { kinetic: (0..self.nodes()).map(kinetic).sum(), strain: strain.sum() }
    }

    /// Largest magnitude among the rows of the joints that hold positions (m) and orientations (rad); where one is not a number,
    /// that.
    pub fn constraint(&self, t: f64, state: &[f64]) -> f64 {
        let mut rows = vec![0.0; self.multipliers()];
        self.system.constraint_rows(t, &self.motions(state), 1.0, &mut rows);
        let joints = self.system.constraints.iter().zip(self.system.first_rows.windows(2));
        let holonomic = joints.filter(|(constraint, _)| matches!(constraint, Constraint::Coupling(_)));
        let values = holonomic.flat_map(|(_, range)| &rows[range[0]..range[1]]);
        values.fold(0.0, |largest: f64, x| if x.is_nan() || x.abs() > largest { x.abs() } else { largest })
    }

    /// Poses and velocities of all nodes.
    fn motions(&self, state: &[f64]) -> Vec<Motion<f64>> {
        let motion = |node: usize| {
            let (Pose { x, r }, twist) = (pose(state, node), self.twist(state, node));
            let positions = stacked(&x, &Vector3::zeros());
            Motion::new(&r, positions.as_slice(), stacked(&twist.linear, &twist.angular).as_slice())
        };
        (0..self.nodes()).map(motion).collect()
    }

    fn turned(&self, state: &[f64], node: usize) -> Inertia<f64> {
        self.system.inertia[node].turned(&pose(state, node).r)
    }
}

/// Where a node is in a state.
fn pose(state: &[f64], node: usize) -> Pose<f64> {
    let numbers = &state[node * STATE..][..12];
    Pose { x: Vector3::from_column_slice(&numbers[..3]), r: Matrix3::from_column_slice(&numbers[3..]) }
}

/// Its momenta.
fn momentum(state: &[f64], node: usize) -> Wrench<f64> {
    let (force, moment) = pair(&state[node * STATE + 12..][..POSITIONS]);
    Wrench { force, moment }
}
