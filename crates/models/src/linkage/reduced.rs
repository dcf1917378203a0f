//! The minimal formulation of a linkage, and how it leads back to the absolute coordinates.

use mbsbench_problem::{Failure, MechanicalModel, Ode, Scalar};

use super::LinkageFormulation;

/// A linkage in both formulations: as a [`MechanicalModel`] it has absolute coordinates `q = (x₁, y₁, θ₁, x₂, y₂, θ₂, …)`
/// and constraints of which the third and the fourth hold the pin between crank and rod together; here are its minimal
/// coordinates `u`, `y = (u ; u')`.
///
/// All constraints have the unit m, and depend on the configuration only through terms linear in positions and through
/// sines and cosines of the two angles.
pub trait Linkage: MechanicalModel + Clone {
    /// The formulation chosen.
    fn formulation(&self) -> LinkageFormulation;

    /// Number of minimal coordinates.
    fn freedoms(&self) -> usize;

    /// The minimal coordinates and their rates at the start, formed in the scalar's own precision.
    fn reduced_initial<S: Scalar>(&self) -> Vec<S>;

    /// Writes the rates of `y = (u ; u')`; no linkage depends on the time.
    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]);

    /// Writes the state `(q ; v)` of the Cartesian formulation that belongs to `y = (u ; u')`.
    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]);

    /// Distances (m) from the pin to the reference point of the crank and to that of the rod.
    fn pin_distances(&self) -> [f64; 2];

    /// Distance (m) from the reference point of the rod to the slider at its far end; none where there is no slider.
    fn slider_distance(&self) -> Option<f64>;

    /// Circular frequency (rad/s) with which the two bodies swing against each other on the spring between them, small and
    /// fast against all other motion; of a linkage where that and the angle between them are watched.
    fn spring_frequency(&self, _q: &[f64]) -> Option<f64> {
        None
    }

    /// Number of coordinates after those of the two bodies, which describe the rod's deflection.
    fn modes(&self) -> usize {
        self.coordinates() - 6
    }

    /// The state at the start, `(q ; v)`.
    fn full_initial<S: Scalar>(&self) -> Vec<S> {
        let mut full = vec![S::nought(); 2 * self.coordinates()];
        self.expand(&self.reduced_initial::<S>(), &mut full);
        full
    }

    /// `Φ_q q'''` of the pin's constraints (rows 3 and 4) along a motion with velocities `v` and accelerations `a`, m/s³:
    /// `−(3 Φ_qq v a + Φ_qqq v³)`. A method that keeps the constraints at position level only leaves
    /// `Φ_q v = C h² Φ_q q''' + O(h³)` with a `C` of its own.
    fn pin_drift(&self, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 2] {
        let mut drift = [0.0; 2];
        for (distance, body) in self.pin_distances().into_iter().zip([2, 5]) {
            let (sin, cos) = q[body].sin_cos();
            let (cube, mixed) = (v[body].powi(3), 3.0 * v[body] * a[body]);
            drift[0] -= distance * (sin * cube - cos * mixed);
            drift[1] += distance * (cos * cube + sin * mixed);
        }
        drift
    }
}

/// The minimal formulation of a linkage as equations.
#[derive(Debug, Clone, Copy)]
pub struct ReducedOde<'m, L>(pub &'m L);

impl<S: Scalar, L: Linkage> Ode<S> for ReducedOde<'_, L> {
    fn dimension(&self) -> usize {
        2 * self.0.freedoms()
    }

    fn rhs(&mut self, _t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.0.reduced_rhs(y, dydt);
        Ok(())
    }
}
