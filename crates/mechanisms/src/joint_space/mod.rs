//! Mechanisms in joint coordinates: as few coordinates as a tree of joints leaves free, and constraints where loops are cut.
//!
//! ```text
//! compile ─ candidates ─▶ tree ──▶ kinematics (frames, columns, twists) ──┬─▶ articulated ─▶ ode     (no constraints)
//!                                       │                                 └─▶ composite ─▶ AccelerationLevel  (loops)
//!                                       └─▶ absolute coordinates ─▶ actions, relations, what is observed
//! ```

mod algebra;
mod articulated;
mod composite;
mod dynamics;
mod kinematics;
mod ode;
mod state;
mod tree;

use mbsbench_problem::{AccelerationLevel, MechanicalModel, MechanicsOf, Ode, Scalar};

pub use algebra::{Components, Heading, Motions};
pub use articulated::Articulated;
pub use kinematics::{Kinematics, Moved};
pub use ode::TreeOde;
pub use state::Expanding;
pub use tree::{Candidate, Freedom, Link, Step, Tree};

use crate::assembly::{self, Linearised};
use crate::system::{Space, System};

/// A mechanism in joint coordinates.
#[derive(Debug, Clone)]
pub struct JointSpace<X> {
    /// What hangs on what.
    pub tree: Tree,
    /// The bodies with what acts on them, and the relations and rates that are no part of the tree.
    pub system: System<X>,
    /// Coordinates and velocities at the start.
    pub initial: [Vec<f64>; 2],
}

impl<X: Space> JointSpace<X> {
    /// Of bodies in absolute coordinates at their start, with joints that they can hang on and for each joint the numbers of its relations
    /// in `system`.
    pub fn new(
        system: &System<X>,
        [q, v]: &[Vec<f64>; 2],
        candidates: &[Candidate],
        relations: &[std::ops::Range<usize>],
    ) -> Self {
        let mut system = System { redundant: vec![], ..system.clone() };
        let mut tree = Tree::new::<X>(candidates, q);
        let initial = tree.initial::<X>(q, v);
        let mut is_held = vec![false; system.relations.len()];
        for joint in tree.links.iter().filter_map(|link| link.joint) {
            is_held[relations[joint].clone()].fill(true);
        }
        let mut held = is_held.iter();
        system.relations.retain(|_| held.next() == Some(&false));
        let mut space = Self { tree, system, initial };
        if space.tree.has_vector_coordinates() && space.holonomic() > 0 {
            space.system.redundant = assembly::redundant(&mut Linearised::new(&space), &space.initial[0], 0);
        }
        space
    }

    /// Of bodies that hang on nothing: each has its centre of mass and its rotation for coordinates, and all joints are constraints.
    pub fn of_bodies(system: &System<X>, initial: &[Vec<f64>; 2]) -> Self {
        let mut space = Self::new(system, initial, &[], &[]);
        // what depends on what is the same as with a constraint between Euler parameters
        space.system.redundant.clone_from(&system.redundant);
        space
    }

    /// Whether there is nothing but the tree.
    pub fn is_tree(&self) -> bool {
        self.holonomic() + self.nonholonomic() == 0
    }

    /// The equations, with `y = (q ; v)`: those of the tree without constraints, and otherwise with them at acceleration level.
    pub fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        if self.is_tree() {
            Box::new(TreeOde::new(self))
        } else {
            Box::new(AccelerationLevel::new(MechanicsOf::new(self)))
        }
    }
}
