//! Inertias and wrenches of bodies.

use mbsbench_problem::Scalar;

use super::coordinates::JointSpace;
use super::kinematics::{Kinematics, centripetal};
use crate::space::{Inertia, Space};
use crate::system::At;

/// The wrench that a body needs at its twist without a spatial acceleration: `(m ω × v, ω × J ω)`.
#[inline]
pub fn gyroscopic<S: Scalar, X: Space>(inertia: &Inertia, matrix: &X::Square<S>, twist: &X::Motion<S>) -> X::Motion<S> {
    let force = centripetal::<S, X>(twist).map(|x| x * inertia.mass);
    if X::DIMENSION == 2 {
        return X::join(&force, &[S::nought(); 3]);
    }
    let (_, spin) = X::split(twist);
    let momentum =
        std::array::from_fn(|i| matrix[3 + i][3] * spin[0] + matrix[3 + i][4] * spin[1] + matrix[3 + i][5] * spin[2]);
    X::join(&force, &X::cross(&spin, &momentum))
}

impl<X: Space> JointSpace<X> {
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
