//! Mechanisms in two formulations: absolute coordinates with constraints, or minimal coordinates.
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
    /// The formulation in which a linkage's equations are solved.
    #[derive(Copy, Default, Eq)]
    pub enum LinkageFormulation {
        /// Absolute coordinates of all bodies with the joints as constraints, `y = (q ; v)`. Methods that use the
        /// mechanics solve index 3; methods that use the right-hand side solve the acceleration level (index 1,
        /// not stabilised).
        #[default]
        Cartesian,
        /// Minimal coordinates, without constraints.
        Minimal,
    }
}

/// A linkage in both formulations. Its [`MechanicalModel`] has absolute coordinates; this trait adds the minimal
/// coordinates `u` with the state `y = (u ; u')`.
pub trait Linkage: MechanicalModel + Sized {
    /// The chosen formulation.
    fn formulation(&self) -> LinkageFormulation;

    /// Number of minimal coordinates.
    fn freedoms(&self) -> usize {
        let sizes = self.dimensions();
        sizes.coordinates - sizes.holonomic
    }

    /// Returns the initial minimal coordinates and their rates, computed in the scalar's own precision.
    fn reduced_initial<S: Scalar>(&self) -> Vec<S>;

    /// Returns the equations of the minimal formulation.
    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;

    /// Writes the state `(q ; v)` of the Cartesian formulation that corresponds to `y = (u ; u')`.
    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]);

    /// Returns the initial state `(q ; v)`.
    fn full_initial<S: Scalar>(&self) -> Vec<S> {
        let mut full = vec![S::zero(); 2 * self.dimensions().coordinates];
        self.expand(&self.reduced_initial::<S>(), &mut full);
        full
    }

    /// Writes the state `(q ; v)` that corresponds to a state of the chosen formulation.
    fn to_full(&self, y: &[f64], full: &mut [f64]) {
        match self.formulation() {
            LinkageFormulation::Cartesian => full.copy_from_slice(y),
            LinkageFormulation::Minimal => self.expand(y, full),
        }
    }

    /// Returns the equations of the chosen formulation.
    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        match self.formulation() {
            LinkageFormulation::Cartesian => Box::new(AccelerationLevel::new(MechanicsOf::new(self))),
            LinkageFormulation::Minimal => self.reduced_ode(),
        }
    }

    /// Returns the initial state of the chosen formulation.
    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        match self.formulation() {
            LinkageFormulation::Cartesian => self.full_initial(),
            LinkageFormulation::Minimal => self.reduced_initial(),
        }
    }

    /// Returns the classes of the components in the chosen formulation.
    fn classes(&self) -> Vec<Class> {
        let n = match self.formulation() {
            LinkageFormulation::Cartesian => self.dimensions().coordinates,
            LinkageFormulation::Minimal => self.freedoms(),
        };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }
}

/// Inertia `m L²/12` of a slender rod about its centre, kg m².
pub(crate) fn slender<S: Scalar>(mass: f64, length: f64) -> S {
    S::from(mass) * length * length / 12.0
}

/// Writes the masses of a slender rod whose centre and angle start at coordinate `first`.
pub(crate) fn write_rod<S: Scalar>(mass: &mut impl Entries<S>, first: usize, m: f64, length: f64) {
    mass[(first, first)] = S::from(m);
    mass[(first + 1, first + 1)] = S::from(m);
    mass[(first + 2, first + 2)] = slender(m, length);
}
