//! A mechanism whose coordinates are those that a tree of joints leaves free.

use mbsbench_problem::{MechanicalModel, Scalar};

use super::kinematics::Kinematics;
use super::tree::{Candidate, Step, Tree};
use crate::assembly::Linearised;
use crate::dependence::{self, Refused, Units};
use crate::space::Space;
use crate::system::{At, System};

/// A mechanism in joint coordinates.
#[derive(Debug, Clone)]
pub struct JointSpace<X> {
    /// What hangs on what.
    pub tree: Tree,
    /// The bodies with what acts on them, and the relations and rates that are no part of the tree.
    pub system: System<X>,
    /// Coordinates and velocities at the start.
    pub initial: [Vec<f64>; 2],
    /// Numbers of the rows that the equations have, among those of all relations in absolute coordinates.
    pub solved: Vec<usize>,
}

impl<X: Space> JointSpace<X> {
    /// Of bodies in absolute coordinates at their start, with joints that they can hang on and for each joint the numbers of its relations
    /// in `system`.
    ///
    /// # Errors
    /// A row that cannot be kept, by its number among those of all relations.
    pub fn new(
        system: &System<X>,
        [q, v]: &[Vec<f64>; 2],
        candidates: &[Candidate],
        relations: &[std::ops::Range<usize>],
    ) -> Result<Self, Refused> {
        let sizes @ [length, _] = system.sizes(q);
        let mut system = System { redundant: vec![], ..system.clone() };
        let mut tree = Tree::new::<X>(candidates, q);
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
        let mut space = Self { tree, system, initial, solved };
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

    /// Leaves these rows of the relations that are no part of the tree out of the equations.
    fn leave_out(&mut self, redundant: Vec<usize>) {
        let mut row = 0..;
        self.solved.retain(|_| redundant.binary_search(&row.next().unwrap_or_default()).is_err());
        self.system.redundant = redundant;
    }

    /// Of bodies that hang on nothing: each has its centre of mass and its rotation for coordinates, and all joints are constraints.
    pub fn of_bodies(system: &System<X>, initial: &[Vec<f64>; 2]) -> Self {
        let free = System { redundant: vec![], ..system.clone() };
        let mut tree = Tree::new::<X>(&[], &initial[0]);
        let initial = tree.initial::<X>(&initial[0], &initial[1]);
        let solved = (0..free.rows()).collect();
        let mut space = Self { tree, system: free, initial, solved };
        // what depends on what is the same as with a constraint between Euler parameters
        space.leave_out(system.redundant.clone());
        space
    }

    /// Whether there is nothing but the tree.
    pub fn is_tree(&self) -> bool {
        self.dimensions().constraints() == 0
    }

    /// The acceleration that stands for gravity: that of the ground is its opposite, m/s².
    pub(super) fn ground<S: Scalar>(&self) -> X::Motion<S> {
        X::join(&self.system.gravity.map(|g| S::from(-g)), &[S::nought(); 3])
    }

    /// Writes what the actions do to the absolute coordinates of bodies into `forces`, and finds the rates of these first; false where
    /// there are no actions.
    pub(super) fn act<S: Scalar>(&self, t: S, kinematics: &mut Kinematics<S, X>, forces: &mut Vec<S>) -> bool {
        if self.system.actions.is_empty() {
            return false;
        }
        kinematics.write_rates();
        forces.clear();
        forces.resize(kinematics.q.len(), S::nought());
        let at = At::<S, X>::new(t, &kinematics.q, &kinematics.v);
        self.system.actions.iter().for_each(|action| at.add(action, forces));
        true
    }
}
