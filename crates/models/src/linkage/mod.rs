//! Mechanisms in two formulations: absolute coordinates with constraints, or as few coordinates as the motion has.
//!
//! Angles are counter-clockwise from `+x`, gravity is along `−y`, bodies are slender uniform rods.

mod crank;
mod equal_rods;
mod two_rods;

use mbsbench_problem::{AccelerationLevel, Class, Entries, MechanicalModel, MechanicsOf, Ode, Scalar, parameters};

pub(crate) use crank::FollowingRod;
pub(crate) use equal_rods::EqualRods;
pub(crate) use two_rods::rods_energy;
pub use two_rods::{ReducedOde, TwoRods, TwoRodsModel};

parameters! {
    /// How a linkage's equations are put to a method.
    #[derive(Copy, Default, Eq)]
    pub enum LinkageFormulation {
        /// Absolute coordinates of all bodies with the joints as constraints, `y = (q ; v)`: index 3 for a method that
        /// asks for the mechanics, acceleration level (index 1, not stabilised) for one that takes the right-hand side.
        #[default]
        Cartesian,
        /// As few coordinates as the motion has, without constraints.
        Minimal,
    }
}

/// A linkage in both formulations: as a [`MechanicalModel`] it has absolute coordinates; here are its minimal coordinates `u`,
/// `y = (u ; u')`.
pub trait Linkage: MechanicalModel + Sized {
    /// The formulation chosen.
    fn formulation(&self) -> LinkageFormulation;

    /// Number of minimal coordinates.
    fn freedoms(&self) -> usize {
        let sizes = self.dimensions();
        sizes.coordinates - sizes.holonomic
    }

    /// The minimal coordinates and their rates at the start, formed in the scalar's own precision.
    fn reduced_initial<S: Scalar>(&self) -> Vec<S>;

    /// The minimal formulation as equations.
    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;

    /// Writes the state `(q ; v)` of the Cartesian formulation that belongs to `y = (u ; u')`.
    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]);

    /// The state `(q ; v)` at the start.
    fn full_initial<S: Scalar>(&self) -> Vec<S> {
        let mut full = vec![S::nought(); 2 * self.dimensions().coordinates];
        self.expand(&self.reduced_initial::<S>(), &mut full);
        full
    }

    /// Writes the state `(q ; v)` that belongs to a state of the formulation chosen.
    fn to_full(&self, y: &[f64], full: &mut [f64]) {
        match self.formulation() {
            LinkageFormulation::Cartesian => full.copy_from_slice(y),
            LinkageFormulation::Minimal => self.expand(y, full),
        }
    }

    /// The equations in the formulation chosen.
    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        match self.formulation() {
            LinkageFormulation::Cartesian => Box::new(AccelerationLevel::new(MechanicsOf::new(self))),
            LinkageFormulation::Minimal => self.reduced_ode(),
        }
    }

    /// The state at the start in the formulation chosen.
    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        match self.formulation() {
            LinkageFormulation::Cartesian => self.full_initial(),
            LinkageFormulation::Minimal => self.reduced_initial(),
        }
    }

    /// The classes of the components in the formulation chosen.
    fn classes(&self) -> Vec<Class> {
        let n = match self.formulation() {
            LinkageFormulation::Cartesian => self.dimensions().coordinates,
            LinkageFormulation::Minimal => self.freedoms(),
        };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }
}

/// `m L²/12`, kg m²: inertia of a slender rod about its centre.
pub(crate) fn slender<S: Scalar>(mass: f64, length: f64) -> S {
    S::from(mass) * length * length / 12.0
}

/// Writes the masses of a slender rod whose centre and angle are the coordinates from `first` on.
pub(crate) fn write_rod<S: Scalar>(mass: &mut impl Entries<S>, first: usize, m: f64, length: f64) {
    mass[(first, first)] = S::from(m);
    mass[(first + 1, first + 1)] = S::from(m);
    mass[(first + 2, first + 2)] = slender(m, length);
}
