//! A mechanism in the coordinates that a tree of joints leaves free.

use mbsbench_problem::{Dimensions, Entries, MechanicalModel, Recursion, Scalar};
use nalgebra::DMatrix;

use super::kinematics::{Kinematics, gyroscopic};
use super::tree::{Candidate, Coupling, Step, Tree};
use crate::assembly::Linearised;
use crate::dependence::{self, Refused, Units};
use crate::space::Space;
use crate::system::{At, Rate, Relation, System};

/// A mechanism in joint coordinates.
#[derive(Debug, Clone)]
pub struct JointSpace<X> {
    /// The tree of bodies and joints.
    pub tree: Tree,
    /// The bodies with the actions on them, and the relations and rates that are not part of the tree.
    pub system: System<X>,
    /// Initial coordinates and velocities.
    pub initial: [Vec<f64>; 2],
    /// Numbers of the rows in the equations, among those of all relations in absolute coordinates.
    pub solved: Vec<usize>,
    /// True if accelerations cannot come from the absolute coordinates: these know no couplings, and their mass
    /// matrix is singular if bodies have no mass or no moments of inertia.
    pub is_only_form: bool,
}

impl<X: Space> JointSpace<X> {
    /// Returns the mechanism for bodies in initial absolute coordinates, joints that can attach them, for each joint
    /// the numbers of its relations in `system`, and couplings of joints.
    ///
    /// # Errors
    /// Fails with the number, among those of all relations, of a row that cannot be kept.
    pub fn new(
        system: &System<X>,
        [q, v]: &[Vec<f64>; 2],
        candidates: &[Candidate],
        relations: &[std::ops::Range<usize>],
        couplings: &[Coupling],
    ) -> Result<Self, Refused> {
        let sizes @ [length, _] = system.sizes(q);
        let mut system = System { redundant: vec![], ..system.clone() };
        let mut tree = Tree::new::<X>(candidates, couplings, q);
        let initial = tree.initial::<X>(q, v);
        let mut is_held = vec![false; system.relations.len()];
        for joint in tree.links.iter().filter_map(|link| link.joint) {
            is_held[relations[joint].clone()].fill(true);
        }
        let is_row_held = is_held.iter().zip(&system.relations);
        let is_row_held = is_row_held.flat_map(|(&held, relation)| std::iter::repeat_n(held, relation.rows::<X>()));
        let solved: Vec<usize> = is_row_held.enumerate().filter(|(_, held)| !held).map(|(row, _)| row).collect();
        let mut held = is_held.iter();
        system.relations.retain(|_| held.next() == Some(&false));
        let mut space = Self { tree, system, initial, solved, is_only_form: false };
        if space.tree.has_vector_coordinates() && space.dimensions().holonomic > 0 {
            let mut coordinates = vec![1.0; space.tree.coordinates];
            space.tree.for_each_step(|step, i, _| {
                if matches!(step, Step::Slide(_)) {
                    coordinates[i] = length;
                }
            });
            let units = Units { rows: space.system.row_units(sizes).collect(), coordinates };
            let redundant = dependence::redundant(&mut Linearised::new(&space), &space.initial[0], 0, &units);
            let redundant = redundant.map_err(|refused| match refused {
                Refused::Lost { row, by } => Refused::Lost { row: space.solved[row], by },
                Refused::TooMany(_) => refused,
            })?;
            space.leave_out(redundant);
        }
        Ok(space)
    }

    /// If the mass matrix is singular in the initial state: the joint that nothing resists, or `None` for a free body.
    pub(crate) fn weightless(&self) -> Option<Option<usize>> {
        let size = self.tree.velocities;
        let mut mass = DMatrix::zeros(size, size);
        self.mass(&self.initial[0], &mut mass);
        let diagonal = mass.diagonal();
        for k in (0..size).rev() {
            if mass[(k, k)].abs() <= 1e-12 * diagonal[k].abs() {
                let link = self.tree.links.iter().find(|link| link.velocities().contains(&k));
                return Some(link.and_then(|link| link.joint));
            }
            for i in 0..k {
                let factor = mass[(i, k)] / mass[(k, k)];
                (0..=i).for_each(|j| mass[(j, i)] -= factor * mass[(j, k)]);
            }
        }
        None
    }

    /// Leaves the given redundant rows out of the equations; the rows are numbered among those outside the tree.
    fn leave_out(&mut self, redundant: Vec<usize>) {
        let mut row = 0..;
        self.solved.retain(|_| redundant.binary_search(&row.next().unwrap_or_default()).is_err());
        self.system.redundant = redundant;
    }

    /// Returns the mechanism with unattached bodies: each has its centre of mass and its rotation as coordinates, and
    /// all joints are constraints.
    pub fn of_bodies(system: &System<X>, initial: &[Vec<f64>; 2]) -> Self {
        let free = System { redundant: vec![], ..system.clone() };
        let mut tree = Tree::new::<X>(&[], &[], &initial[0]);
        let initial = tree.initial::<X>(&initial[0], &initial[1]);
        let solved = (0..free.rows()).collect();
        let mut space = Self { tree, system: free, initial, solved, is_only_form: false };
        // dependences are the same as with a constraint between Euler parameters
        space.leave_out(system.redundant.clone());
        space
    }

    /// True if there are no constraints besides the tree.
    pub fn is_tree(&self) -> bool {
        self.dimensions().constraints() == 0
    }

    /// True if nothing else belongs to the equations: no constraints and no couplings.
    pub(super) fn is_mere_tree(&self) -> bool {
        self.is_tree() && self.tree.columns == self.tree.velocities
    }

    /// Acceleration that represents gravity: the opposite acceleration of the ground, m/s².
    pub(super) fn ground<S: Scalar>(&self) -> X::Motion<S> {
        X::join(&self.system.gravity.map(|g| S::from(-g)), &[S::zero(); 3])
    }

    /// Writes the forces of actions on the absolute coordinates of bodies into `forces`, after finding the rates of
    /// these coordinates; returns false if there are no actions.
    pub(super) fn act<S: Scalar>(&self, t: S, kinematics: &mut Kinematics<S, X>, forces: &mut Vec<S>) -> bool {
        if self.system.actions.is_empty() {
            return false;
        }
        kinematics.write_rates();
        forces.clear();
        forces.resize(kinematics.q.len(), S::zero());
        let at = At::<S, X>::new(t, &kinematics.q, &kinematics.v);
        self.system.actions.iter().for_each(|action| at.add(action, forces));
        true
    }
}

/// The equations `M(q) v' = D(t, q, v) + Jᵀ λ`, whose constraints are those of joints outside the tree, including
/// those of cut loops.
///
/// The mass matrix follows from the composite-rigid-body algorithm, and `−D` from the recursive Newton–Euler
/// algorithm at zero acceleration (R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, tables 6.2 and
/// 5.1). Constraints are those of the absolute form, evaluated at the absolute coordinates that follow from the tree.
impl<X: Space> MechanicalModel for JointSpace<X> {
    fn dimensions(&self) -> Dimensions {
        Dimensions {
            coordinates: self.tree.coordinates,
            velocities: self.tree.velocities,
            holonomic: self.system.relations.iter().map(Relation::rows::<X>).sum::<usize>()
                - self.system.redundant.len(),
            nonholonomic: self.system.rates.iter().map(Rate::rows).sum(),
        }
    }

    fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], q_rate: &mut [S]) {
        self.tree.position_rate(q, v, q_rate);
    }

    fn is_local(&self) -> bool {
        self.tree.links.iter().all(|link| link.parent.is_none())
    }

    fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.tree.retract(q, delta, moved);
    }

    /// Uses `M_jk = s_kᵀ Xᵀ I s_j` with `I` of a body and everything attached to it, for each column of the body and
    /// of its ancestors. Coupled joints have the same velocity, so that entries may have several terms.
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        mass.clear();
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        let inertias = self.system.bodies.iter().zip(&kinematics.bodies);
        let mut inertias: Vec<X::Square<S>> =
            inertias.map(|(body, moved)| X::inertia(body, &moved.frame.turn)).collect();
        for link in self.tree.links.iter().rev() {
            let inertia = inertias[link.body];
            if let Some(parent) = link.parent {
                let at_parent = X::at_beginning(&inertia, &kinematics.bodies[link.body].arm);
                for row in 0..X::FREEDOMS {
                    inertias[parent][row] = X::plus(&inertias[parent][row], &at_parent[row], S::from(1.0));
                }
            }
            for own in link.columns() {
                let mut wrench = X::times::<S>(&inertia, &kinematics.columns[own]);
                let mut on = link;
                let mut last = own + 1;
                loop {
                    for other in on.column..last {
                        let entry = X::power::<S>(&kinematics.columns[other], &wrench);
                        let (j, k) = (link.velocity(own), on.velocity(other));
                        mass[(j, k)] += entry;
                        if own != other {
                            mass[(k, j)] += entry;
                        }
                    }
                    let Some(parent) = on.parent else { break };
                    wrench = X::borne(&wrench, &kinematics.bodies[on.body].arm);
                    on = &self.tree.links[self.tree.of_body[parent]];
                    last = on.columns().end;
                }
            }
        }
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        kinematics.go(&self.tree, v);
        let mut of_actions = Vec::new();
        let acted = self.act(t, &mut kinematics, &mut of_actions);
        let one = S::from(1.0);
        let mut accelerations: Vec<X::Motion<S>> = kinematics.bodies.iter().map(|moved| moved.bias).collect();
        let mut wrenches = Vec::with_capacity(accelerations.len());
        for link in &self.tree.links {
            let from_parent = match link.parent {
                Some(parent) => X::carried(&accelerations[parent], &kinematics.bodies[link.body].arm),
                None => self.ground(),
            };
            accelerations[link.body] = X::plus(&accelerations[link.body], &from_parent, one);
        }
        for (k, (body, moved)) in self.system.bodies.iter().zip(&kinematics.bodies).enumerate() {
            let inertia = X::inertia(body, &moved.frame.turn);
            let mut wrench = X::times::<S>(&inertia, &accelerations[k]);
            wrench = X::plus(&wrench, &gyroscopic::<S, X>(body, &inertia, &moved.twist), one);
            if acted {
                let own = X::own(k);
                wrench = X::plus(&wrench, &X::wrench(&kinematics.q[own.clone()], &of_actions[own]), -one);
            }
            wrenches.push(wrench);
        }
        forces.fill(S::zero());
        for link in self.tree.links.iter().rev() {
            let wrench = wrenches[link.body];
            for column in link.columns() {
                forces[link.velocity(column)] -= X::power::<S>(&kinematics.columns[column], &wrench);
            }
            if let Some(parent) = link.parent {
                let at_parent = X::borne(&wrench, &kinematics.bodies[link.body].arm);
                wrenches[parent] = X::plus(&wrenches[parent], &at_parent, one);
            }
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        self.system.write_relations(t, &kinematics.q, phi);
    }

    fn gaps<S: Scalar>(&self, q: &[S], each: &mut dyn FnMut(S, f64)) {
        if self.system.contacts().next().is_some() {
            let mut kinematics = Kinematics::<S, X>::new(&self.tree);
            kinematics.place(&self.tree, q);
            self.system.gaps(&kinematics.q, each);
        }
    }

    fn nonholonomic_constraints<S: Scalar>(&self, t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        let kinematics = self.moving(q, v);
        self.system.nonholonomic_constraints(t, &kinematics.q, &kinematics.v, gamma);
    }

    fn recursion(&self) -> Option<Box<dyn Recursion + '_>> {
        self.linearised().map(|linearised| Box::new(linearised) as _)
    }

    fn is_autonomous(&self) -> bool {
        self.system.is_autonomous()
    }

    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let kinematics = self.moving(q, v);
        self.system.energy(&kinematics.q, &kinematics.v)
    }
}
