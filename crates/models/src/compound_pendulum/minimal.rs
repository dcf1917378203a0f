//! The pendulum in its one coordinate.

use mbsbench_problem::{OdeModel, Scalar};

/// `θ'' = −3 g sin θ / (2 l)` with `y = (θ, ω)` (compere2001, section 3.5.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimalRod {
    /// Mass `m`, kg; only the energy depends on it.
    pub mass: f64,
    /// Length `l`, m.
    pub length: f64,
    /// Acceleration of gravity `g`, m/s².
    pub gravity: f64,
}

impl MinimalRod {
    /// `m l² ω²/6 − m g l cos θ/2`, J: potential zero at the pivot. Roundoff-level variations of the energy
    /// are whole multiples of the spacing of doubles at this value, so that another zero changes them.
    pub fn energy<S: Scalar>(&self, theta: S, omega: S) -> S {
        let Self { mass, length, gravity } = *self;
        // Products in the order printed: regrouping them moves the last places.
        S::ratio(1.0, 6.0) * mass * (S::from(length) * length) * (omega * omega)
            - S::from(0.5) * mass * gravity * length * theta.cos()
    }
}

impl OdeModel for MinimalRod {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-3.0) * self.gravity * y[0].sin() / (S::from(2.0) * self.length);
    }
}
