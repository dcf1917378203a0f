//! A checked mechanism, its initial states, and the quantities of a state.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Vector3};

use super::coupling::Constraint;
use super::equations::{FlexibleEquations, STATE};
use super::layout::Layout;
use super::motion::{Inertia, Motion, Pose, stacked};
use super::so3::skew;
use super::system::System;
use super::{Assembly, Twist, Wrench};

/// A mechanism whose parts have been checked.
///
/// A state has 18 numbers for each node, one node after the other: position (m), rotation matrix by columns, momentum
/// β (kg m/s), angular momentum γ about the node (kg m²/s), all in the ground frame.
#[derive(Debug, Clone)]
pub struct Flexible {
    /// The description of the mechanism.
    pub(super) assembly: Assembly,
    system: System<f64>,
    layout: Layout,
}

/// Largest defect of a joint at the start, m or rad.
const HOLDS: f64 = 1e-9;

/// Mechanical energy of a state, J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Strain energy of the beams, by quadrature at their two sections.
    pub strain: f64,
}

impl Flexible {
    /// Checks that beams have a length and a stiffness, and that nodes have mass and moments of inertia.
    ///
    /// # Errors
    /// Returns a sentence that names the part that makes no sense.
    pub fn new(assembly: Assembly) -> Result<Self, String> {
        let positive = |x: &f64| x.is_finite() && *x > 0.0;
        for (k, beam) in assembly.beams.iter().enumerate() {
            let [first, middle, last] = beam.nodes.map(|node| assembly.nodes[node].position);
            let halves = [(middle - first).norm(), (last - middle).norm()];
            if !halves.iter().chain(&beam.section.tensile).chain(&beam.section.bending).all(positive) {
                return Err(format!("beam {k} has a length or a stiffness that is zero or not finite"));
            }
        }
        let system = System::<f64>::new(&assembly);
        for (k, inertia) in system.inertia.iter().enumerate() {
            let arm = skew(&inertia.first);
            let about_centre = inertia.second + arm * arm / inertia.mass;
            let least = about_centre.symmetric_eigenvalues().min();
            if !positive(&inertia.mass) || !positive(&least) || least <= 1e-12 * about_centre.amax() {
                return Err(format!("node {k} has mass {} and least moment of inertia {least}", inertia.mass));
            }
        }
        let layout = Layout::new(&system);
        Ok(Self { assembly, system, layout })
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

    /// Returns the equations, with memory for a solve.
    pub fn equations<S: Scalar>(&self) -> FlexibleEquations<'_, S> {
        FlexibleEquations::new(&self.assembly, &self.layout)
    }

    /// Returns the state at time `t` (s) with the nodes in their rest poses and given velocities. The joints need not
    /// admit the velocities: equations of index 3 have no constraints on velocities, and the first steps of a method
    /// correct them by a jump.
    ///
    /// # Errors
    /// Fails with a sentence if the joints do not hold at that time.
    pub fn launched<S: Scalar>(&self, t: f64, twists: &[Twist]) -> Result<Vec<S>, String> {
        let open = self.at(t, &self.state(twists)).constraint();
        if open <= HOLDS { Ok(self.state(twists)) } else { Err(format!("its joints are open by {open:e} at t = {t}")) }
    }

    /// Returns the state with the nodes in their rest poses and given velocities.
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

    /// Returns the mechanism in a state at time `t`, s.
    pub fn at<'s>(&'s self, t: f64, state: &'s [f64]) -> Snapshot<'s> {
        Snapshot { flexible: self, t, state }
    }
}

/// A mechanism at an instant.
#[derive(Clone, Copy)]
pub struct Snapshot<'s> {
    flexible: &'s Flexible,
    t: f64,
    state: &'s [f64],
}

impl Snapshot<'_> {
    /// Position of a node, m.
    pub fn position(&self, node: usize) -> Vector3<f64> {
        self.pose(node).x
    }

    /// Orientation of a node; the columns are its axes.
    pub fn rotation(&self, node: usize) -> Matrix3<f64> {
        self.pose(node).r
    }

    /// Velocities of a node.
    pub fn twist(&self, node: usize) -> Twist {
        self.turned(node).twist(&self.momentum(node))
    }

    /// Loads of both sections of a beam, at `ξ = ∓1/√3`, in section axes.
    pub fn section_loads(&self, beam: usize) -> [Wrench; 2] {
        self.flexible.system.elements[beam].section_loads(|node| self.pose(node))
    }

    /// Accelerations `x''` (m/s²) and `ω'` (rad/s²) of a node that is not held by a joint.
    pub fn acceleration(&self, node: usize) -> Twist {
        let motions = self.motions();
        let mut loads = vec![Wrench::zero(); self.flexible.nodes()];
        self.flexible.system.add_loads(self.t, &motions, &mut loads);
        let (twist, load) = (motions[node].twist, loads[node]);
        let carried = twist.linear.cross(&self.momentum(node).force);
        let rates = Wrench { force: load.force, moment: load.moment - carried };
        self.turned(node).acceleration(&twist, &rates)
    }

    /// Energy of the state.
    pub fn energy(&self) -> Energy {
        let kinetic = |node: usize| {
            let (twist, momentum) = (self.twist(node), self.momentum(node));
            0.5 * (twist.linear.dot(&momentum.force) + twist.angular.dot(&momentum.moment))
        };
        let strain = self.flexible.system.elements.iter().map(|element| element.energy(|node| self.pose(node)));
        Energy { kinetic: (0..self.flexible.nodes()).map(kinetic).sum(), strain: strain.sum() }
    }

    /// Largest magnitude among the joint rows that hold positions (m) and orientations (rad); NaN if a row
    /// is not a number.
    pub fn constraint(&self) -> f64 {
        let mut rows = vec![0.0; self.flexible.multipliers()];
        self.flexible.system.constraint_rows(self.t, &self.motions(), 1.0, &mut rows);
        let joints = self.flexible.system.constraints.iter().zip(self.flexible.system.first_rows.windows(2));
        let holonomic = joints.filter(|(constraint, _)| matches!(constraint, Constraint::Coupling(_)));
        let values = holonomic.flat_map(|(_, range)| &rows[range[0]..range[1]]);
        values.fold(0.0, |largest: f64, x| if x.is_nan() || x.abs() > largest { x.abs() } else { largest })
    }

    /// Poses and velocities of all nodes.
    fn motions(&self) -> Vec<Motion<f64>> {
        let motion = |node: usize| {
            let (Pose { x, r }, twist) = (self.pose(node), self.twist(node));
            let positions = stacked(&x, &Vector3::zeros());
            Motion::new(&r, positions.as_slice(), stacked(&twist.linear, &twist.angular).as_slice())
        };
        (0..self.flexible.nodes()).map(motion).collect()
    }

    fn turned(&self, node: usize) -> Inertia<f64> {
        self.flexible.system.inertia[node].turned(&self.pose(node).r)
    }

    /// Displacement of a node from its unloaded position, m.
    pub fn displacement(&self, node: usize) -> Vector3<f64> {
        self.position(node) - self.flexible.assembly.nodes[node].position
    }

    /// Pose of a node.
    fn pose(&self, node: usize) -> Pose<f64> {
        let numbers = &self.state[node * STATE..][..12];
        Pose { x: Vector3::from_column_slice(&numbers[..3]), r: Matrix3::from_column_slice(&numbers[3..]) }
    }

    /// Momenta of a node.
    fn momentum(&self, node: usize) -> Wrench<f64> {
        Wrench::of(&self.state[node * STATE + 12..])
    }
}
