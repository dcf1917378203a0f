//! All parts of a mechanism together, for one scalar type.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::beam::Element;
use super::coupling::Constraint;
use super::motion::{Inertia, Motion, Pose, blocks, identity, pair, stacked, zeros};
use super::so3::tangent_derivative;
use super::{Assembly, DeadLoad, Gravity, Strut, Wrench};

/// The mechanism.
#[derive(Debug, Clone)]
pub(super) struct System<S> {
    /// Rest poses of the nodes.
    pub rest: Vec<Pose<S>>,
    /// Inertia on each node.
    pub inertia: Vec<Inertia<S>>,
    pub elements: Vec<Element<S>>,
    pub constraints: Vec<Constraint<S>>,
    /// Number of the first row of each constraint, and the number of all rows.
    pub first_rows: Vec<usize>,
    struts: Vec<Strut>,
    pushes: Vec<DeadLoad>,
    gravity: Option<Gravity>,
}

impl<S: Scalar> System<S> {
    /// Returns the system of an assembly whose node numbers exist.
    pub fn new(assembly: &Assembly) -> Self {
        let rest: Vec<_> = assembly
            .nodes
            .iter()
            .map(|node| Pose { x: node.position.map(S::from), r: node.rotation.matrix().map(S::from) })
            .collect();
        let mut inertia = vec![Inertia::zero(); rest.len()];
        for body in &assembly.bodies {
            inertia[body.node] = inertia[body.node].with(body);
        }
        let elements = assembly.beams.iter().map(|beam| Element::new(beam, &rest)).collect();
        let constraints: Vec<_> = assembly.joints.iter().map(|joint| Constraint::new(joint, &rest)).collect();
        let mut first_rows = vec![0];
        for constraint in &constraints {
            first_rows.push(first_rows[first_rows.len() - 1] + constraint.rows());
        }
        let Assembly { struts, loads, gravity, .. } = assembly.clone();
        Self { rest, inertia, elements, constraints, first_rows, struts, pushes: loads, gravity }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.rest.len()
    }

    /// Number of rows of constraints.
    pub fn rows(&self) -> usize {
        self.first_rows[self.constraints.len()]
    }

    /// The struts that still act at time `t`.
    fn acting(&self, t: S) -> impl Iterator<Item = &Strut> {
        self.struts.iter().filter(move |strut| t.value() < strut.until)
    }

    /// Acceleration of free fall, m/s².
    fn gravity(&self, t: S) -> Option<Vector3<S>> {
        self.gravity.as_ref().map(|gravity| gravity.direction.map(S::from) * gravity.acceleration.at(t))
    }

    /// Adds the loads of beams, dampers, forces and weight on the nodes to `loads`.
    pub fn add_loads(&self, t: S, motions: &[Motion<S>], loads: &mut [Wrench<S>]) {
        for element in &self.elements {
            let on_nodes = element.loads(|node| motions[node].pose);
            element.nodes.iter().zip(on_nodes).for_each(|(&node, load)| loads[node] += load);
        }
        for strut in self.acting(t) {
            loads[strut.node] += strut.load(&motions[strut.node]);
        }
        for DeadLoad { node, force, growth } in &self.pushes {
            loads[*node].force += force.map(S::from) * growth.at(t);
        }
        if let Some(gravity) = self.gravity(t) {
            for ((load, inertia), motion) in loads.iter_mut().zip(&self.inertia).zip(motions) {
                *load += inertia.turned(&motion.pose.r).weight(&gravity);
            }
        }
    }

    /// Adds the loads `Jᵀ λ` of the joints.
    pub fn add_constraint_loads(&self, t: S, motions: &[Motion<S>], lambda: &[S], loads: &mut [Wrench<S>]) {
        let poses = |node: usize| motions[node].pose;
        for (constraint, rows) in self.constraints.iter().zip(self.first_rows.windows(2)) {
            let on_sides = constraint.loads(&lambda[rows[0]..rows[1]], t, &poses);
            for (node, load) in constraint.nodes().into_iter().zip(on_sides) {
                if let Some(node) = node {
                    loads[node] += load;
                }
            }
        }
    }

    /// Writes the rows of the constraints: `Φ` of holonomic ones divided by `c`, others unchanged.
    pub fn constraint_rows(&self, t: S, motions: &[Motion<S>], c: S, values: &mut [S]) {
        let poses = |node: usize| motions[node].pose;
        for (constraint, rows) in self.constraints.iter().zip(self.first_rows.windows(2)) {
            let values = &mut values[rows[0]..rows[1]];
            match constraint {
                Constraint::Coupling(coupling) => {
                    coupling.values(t, &poses, values);
                    values.iter_mut().for_each(|value| *value /= c);
                }
                Constraint::Drive(drive) => values[0] = drive.value(t, &motions[drive.node].twist.angular),
            }
        }
    }

    /// Calls `add(row, column, matrix)` with each contribution to `−∂(loads on node row)/∂(x, g of node column)`.
    pub fn stiffness(&self, t: S, motions: &[Motion<S>], lambda: &[S], mut add: impl FnMut(usize, usize, &Matrix6<S>)) {
        let mut subtract = |row: usize, column: usize, matrix: &Matrix6<S>| {
            let mut matrix = -matrix;
            motions[column].in_chart(&mut matrix);
            add(row, column, &matrix);
        };
        for element in &self.elements {
            let stiffness = element.stiffness(|node| motions[node].pose);
            for (row, blocks) in element.nodes.into_iter().zip(&stiffness) {
                element.nodes.into_iter().zip(blocks).for_each(|(column, block)| subtract(row, column, block));
            }
        }
        let poses = |node: usize| motions[node].pose;
        for (constraint, rows) in self.constraints.iter().zip(self.first_rows.windows(2)) {
            let Some(stiffness) = constraint.stiffness(&lambda[rows[0]..rows[1]], t, &poses) else { continue };
            for (row, blocks) in constraint.nodes().into_iter().zip(stiffness) {
                for (column, block) in constraint.nodes().into_iter().zip(blocks) {
                    if let (Some(row), Some(column)) = (row, column) {
                        subtract(row, column, &block);
                    }
                }
            }
        }
        for strut in self.acting(t) {
            subtract(strut.node, strut.node, &force_by_place(strut.by_place(&motions[strut.node])));
        }
        if let Some(gravity) = self.gravity(t) {
            for (node, (inertia, motion)) in self.inertia.iter().zip(motions).enumerate() {
                let by_turn = inertia.turned(&motion.pose.r).weight_by_turn(&gravity);
                subtract(node, node, &blocks([[zeros(), zeros()], [zeros(), by_turn]]));
            }
        }
    }

    /// Calls `add(node, matrix)` with each contribution to `−∂(loads on node)/∂(x', g' of the node)`.
    pub fn damping(&self, t: S, motions: &[Motion<S>], mut add: impl FnMut(usize, &Matrix6<S>)) {
        for strut in self.acting(t) {
            add(strut.node, &-force_by_place(strut.by_velocity(&motions[strut.node])));
        }
    }

    /// Calls `add(row, node, load, columns)` with the load on a node by the multiplier of a row, and the
    /// derivatives of the row by `x'`, `g'` of the node for `x = x̂ + c x'`, `g = ĝ + c g'`; those of holonomic
    /// rows are divided by `c`.
    pub fn constraint_derivatives(
        &self,
        t: S,
        motions: &[Motion<S>],
        c: S,
        mut add: impl FnMut(usize, usize, &Vector6<S>, &Vector6<S>),
    ) {
        let poses = |node: usize| motions[node].pose;
        for (constraint, &first) in self.constraints.iter().zip(&self.first_rows) {
            for (side, node) in constraint.nodes().into_iter().enumerate() {
                let Some(node) = node else { continue };
                for row in 0..constraint.rows() {
                    let load = constraint.row(row, side, t, &poses);
                    add(first + row, node, &load, &constraint.in_chart(&load, &motions[node], c));
                }
            }
        }
    }

    /// Calls `add(row, node, gradient)` with the derivatives by `g'` of the rows at velocity level.
    pub fn drive_rates(&self, motions: &[Motion<S>], mut add: impl FnMut(usize, usize, &Vector3<S>)) {
        for (constraint, &first) in self.constraints.iter().zip(&self.first_rows) {
            if let Constraint::Drive(drive) = constraint {
                add(first, drive.node, &motions[drive.node].tangent.tr_mul(&drive.axis));
            }
        }
    }
}

/// The matrix of a force that depends on the position only, not on the orientation.
fn force_by_place<S: Scalar>(derivatives: Matrix3<S>) -> Matrix6<S> {
    blocks([[derivatives, zeros()], [zeros(), zeros()]])
}

impl Strut {
    /// Unit vector from the ground to the node, and the length.
    fn line<S: Scalar>(&self, motion: &Motion<S>) -> (Vector3<S>, S) {
        let line = motion.pose.x - self.point.map(S::from);
        let length = line.dot(&line).sqrt();
        (line / length, length)
    }

    fn load<S: Scalar>(&self, motion: &Motion<S>) -> Wrench<S> {
        let (along, _) = self.line(motion);
        let force = along * (along.dot(&motion.twist.linear) * (-self.damping));
        Wrench { force, ..Wrench::zero() }
    }

    fn by_velocity<S: Scalar>(&self, motion: &Motion<S>) -> Matrix3<S> {
        let (along, _) = self.line(motion);
        along * along.transpose() * S::from(-self.damping)
    }

    fn by_place<S: Scalar>(&self, motion: &Motion<S>) -> Matrix3<S> {
        let (along, length) = self.line(motion);
        let velocity = &motion.twist.linear;
        let across = identity() - along * along.transpose();
        let turned = along * (across * velocity).transpose() + across * along.dot(velocity);
        turned * (length.recip() * (-self.damping))
    }
}

impl<S: Scalar> Constraint<S> {
    /// Converts derivatives by displacement and rotation into derivatives by `x'` and `g'`; see
    /// [`System::constraint_derivatives`].
    fn in_chart(&self, columns: &Vector6<S>, motion: &Motion<S>, c: S) -> Vector6<S> {
        let (by_place, by_turn) = pair(columns.as_slice());
        let mut by_g = motion.tangent.tr_mul(&by_turn);
        if let Self::Drive(_) = self {
            let omega_by_g = tangent_derivative(&motion.g, &motion.g_rate);
            by_g += omega_by_g.tr_mul(&by_turn) * c;
        }
        stacked(&by_place, &by_g)
    }
}
