//! Second-order equations of bodies in contact, with the power of the contacts, as needed for step-size control by
//! contact power (modin2005, sections 5 and 6).
//!
//! ```text
//! q' = N(q) v
//! v' = a(t, q, v)
//! P_i = F_i · v_i + T_i · ω_i,   i = 1, …, bodies
//! ```
//!
//! `F_i` and `T_i` are the force and the torque that contacts alone exert on body `i`.

use nalgebra::DMatrix;

use crate::scalar::is_double;
use crate::{AsOde, Failure, Form, Ode, OdeModel, Properties, Scalar, pass_on};

/// Second-order equations as a method sees them in addition to [`Ode`]. The state is `(q ; v)`, positions first.
///
/// Powers are computed together with the accelerations, at the cost of one evaluation of [`Ode::rhs`].
pub trait ContactPower<S: Scalar = f64> {
    /// Number of position coordinates `n_q`.
    fn coordinates(&self) -> usize;

    /// Number of velocity coordinates `n_v`; equal to `n_q` unless the positions live on a manifold.
    fn velocities(&self) -> usize;

    /// Number of bodies with a contact power; zero if the problem has no contacts.
    fn bodies(&self) -> usize;

    /// Writes the accelerations `a(t, q, v)`, length [`velocities`](Self::velocities), and the contact powers `P_i`,
    /// length [`bodies`](Self::bodies), in the problem's unit of power. One evaluation of the right-hand side.
    fn accelerations(&mut self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]);

    /// Writes the configuration reached from `q` by the displacement `delta` (length of a velocity) into `moved`. Its
    /// derivative at zero is `N(q)`. Vectors are added; a rotation vector, in the world frame, turns a unit
    /// quaternion through the exponential map, which preserves its length.
    fn displace(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
}

/// Second-order equations with contacts as a model defines them: once, for any scalar.
pub trait ContactModel: Send + Sync {
    /// See [`ContactPower::coordinates`].
    fn coordinates(&self) -> usize;

    /// See [`ContactPower::velocities`].
    fn velocities(&self) -> usize {
        self.coordinates()
    }

    /// See [`ContactPower::bodies`].
    fn bodies(&self) -> usize {
        0
    }

    /// Writes `q' = N(q) v`; linear in `v`.
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(v);
    }

    /// Writes the accelerations and the contact powers of the bodies; `powers` is empty if the powers are not needed.
    fn accelerations<S: Scalar>(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]);

    /// See [`ContactPower::displace`].
    fn displace<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        for ((moved, &q), &delta) in moved.iter_mut().zip(q).zip(delta) {
            *moved = q + delta;
        }
    }

    /// True if the accelerations do not depend on time; see
    /// [`Properties::is_autonomous`](crate::Properties::is_autonomous).
    fn is_autonomous(&self) -> bool {
        false
    }

    /// See [`Ode::typical_sizes`].
    fn typical_sizes(&self, sizes: &mut [f64]) {
        sizes.fill(1.0);
    }

    /// See [`Ode::tolerance_scales`].
    fn tolerance_scales(&self, scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

/// A [`ContactModel`] as an [`Ode`] in any scalar, with derivatives by dual numbers.
#[derive(Debug, Clone, Copy)]
pub struct AsContactOde<'m, M>(pub &'m M);

/// The model in first-order form, for [`AsOde`].
struct FirstOrder<'m, M>(&'m M);

impl<M: ContactModel> OdeModel for FirstOrder<'_, M> {
    fn dimension(&self) -> usize {
        self.0.coordinates() + self.0.velocities()
    }

    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        let (q, v) = y.split_at(self.0.coordinates());
        let (q_rate, v_rate) = dydt.split_at_mut(q.len());
        self.0.position_rate(q, v, q_rate);
        self.0.accelerations(t, q, v, v_rate, &mut []);
    }

    fn is_autonomous(&self) -> bool {
        self.0.is_autonomous()
    }
}

impl<S: Scalar, M: ContactModel> Ode<S> for AsContactOde<'_, M> {
    fn dimension(&self) -> usize {
        self.0.coordinates() + self.0.velocities()
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_jacobian: is_double::<S>(), is_autonomous: self.0.is_autonomous(), ..Properties::default() }
    }

    pass_on! { self.0 =>
        fn typical_sizes(&self, sizes: &mut [f64]);
        fn tolerance_scales(&self, scales: &mut [f64]);
    }

    pass_on! { AsOde(&FirstOrder(self.0)) =>
        fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure>;
        fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure>;
        fn time_derivative(&mut self, t: S, y: &[S], rate: &mut [S]) -> Result<(), Failure>;
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::ContactPower(self)
    }
}

impl<S: Scalar, M: ContactModel> ContactPower<S> for AsContactOde<'_, M> {
    pass_on! { self.0 =>
        fn coordinates(&self) -> usize;
        fn velocities(&self) -> usize;
        fn bodies(&self) -> usize;
        fn accelerations(&mut self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]);
        fn displace(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counted;

    /// A driven point in a plane, on a spring `2 x` that counts as a contact.
    struct Point;
    impl ContactModel for Point {
        fn coordinates(&self) -> usize {
            2
        }
        fn bodies(&self) -> usize {
            1
        }
        fn accelerations<S: Scalar>(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
            let force = [q[0] * -2.0, q[1] * -2.0];
            accelerations[0] = force[0] + t;
            accelerations[1] = force[1];
            for power in powers {
                *power = force[0] * v[0] + force[1] * v[1];
            }
        }
    }

    #[test]
    fn both_sides_show_the_same_equations() {
        let mut ode = AsContactOde(&Point);
        let (t, y) = (0.5, [1.0, -2.0, 3.0, 4.0]);
        let mut rate = [f64::NAN; 4];
        ode.rhs(t, &y, &mut rate).unwrap();
        assert_eq!(rate, [3.0, 4.0, -1.5, 4.0]);
        let (mut accelerations, mut powers, mut moved) = ([f64::NAN; 2], [f64::NAN], [f64::NAN; 2]);
        let side = Ode::<f64>::form(&mut ode).contact_power().unwrap();
        assert_eq!((side.coordinates(), side.velocities(), side.bodies()), (2, 2, 1));
        side.accelerations(t, &y[..2], &y[2..], &mut accelerations, &mut powers);
        assert_eq!((accelerations, powers), ([-1.5, 4.0], [10.0]));
        side.displace(&y[..2], &[0.5, 0.25], &mut moved);
        assert_eq!(moved, [1.5, -1.75]);
    }

    #[test]
    fn derivatives_are_exact() {
        let mut ode = AsContactOde(&Point);
        let mut jacobian = DMatrix::zeros(4, 4);
        ode.jacobian(0.5, &[1.0, -2.0, 3.0, 4.0], &mut jacobian).unwrap();
        #[rustfmt::skip]
        let expected = DMatrix::from_row_slice(4, 4, &[
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
            -2.0, 0.0, 0.0, 0.0,
            0.0, -2.0, 0.0, 0.0,
        ]);
        assert_eq!(jacobian, expected);
        let mut by_time = [f64::NAN; 4];
        ode.time_derivative(0.5, &[1.0, -2.0, 3.0, 4.0], &mut by_time).unwrap();
        assert_eq!(by_time, [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn accelerations_count_as_a_right_hand_side() {
        let mut ode = AsContactOde(&Point);
        let mut counted = Counted::<f64>::new(&mut ode);
        let (mut accelerations, mut powers) = ([0.0; 2], [0.0]);
        let mut ask = |counted: &mut Counted<'_>| {
            let mut side = counted.contact_power().unwrap();
            side.accelerations(0.0, &[1.0, 0.0], &[1.0, 0.0], &mut accelerations, &mut powers);
            side.displace(&[1.0, 0.0], &[1.0, 0.0], &mut [0.0; 2]);
        };
        ask(&mut counted);
        counted.uncounted(&mut ask);
        assert_eq!(counted.statistics().rhs_evaluations, 1);
    }
}
