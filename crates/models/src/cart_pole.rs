//! The light cart-pole: a point mass that swings from a cart with a millionth of its mass.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{AsOde, BenchmarkModel, Class, Observable, Ode, OdeModel, Scalar, View, parameters};

use crate::drawing::{block, ground, upright};

parameters! {
    /// A cart on a horizontal track, and a point mass on a massless bar that hangs from it, without friction;
    /// `y = (x, θ, x', θ')` with the angle from the downward vertical. It starts from rest with the bar horizontal.
    ///
    /// Because the cart is light, the mass almost falls straight down, and the cart darts away below it. For `M ≪ m`
    /// the angular velocity reaches `√(2 g (M + m)/(M l))`, here 4429.449 rad/s, in pulses whose width is about
    /// `√(M/m)` of the time between them.
    pub struct CartPole {
        /// Mass `M` of the cart.
        pub cart_mass: f64 [above 0.0, unit "kg"] = 1e-6,
        /// Point mass `m`.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Length `l` of the bar.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Initial angle from the downward vertical.
        pub angle: f64 [unit "deg"] = 90.0,
    }
}

/// ```text
/// x'' = m sin θ (l θ'² + g cos θ)/(M + m sin² θ)
/// θ'' = −sin θ ((M + m) g + m l θ'² cos θ)/(l (M + m sin² θ))
/// ```
impl OdeModel for CartPole {
    fn dimension(&self) -> usize {
        4
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let Self { cart_mass, mass, length, gravity, .. } = *self;
        let (sin, cos) = y[1].sin_cos();
        let moved = sin * sin * mass + cart_mass;
        let square = y[3] * y[3] * length;
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = sin * mass * (square + cos * gravity) / moved;
        dydt[3] = -(sin * (square * cos * mass + (S::from(cart_mass) + mass) * gravity) / (moved * length));
    }
}

impl CartPole {
    /// Kinetic and potential energy, J.
    fn energy(&self, y: &[f64]) -> f64 {
        let (sin, cos) = y[1].sin_cos();
        let (across, along) = (self.length * y[3] * sin, y[2] + self.length * y[3] * cos);
        let kinetic = self.cart_mass * y[2] * y[2] + self.mass * (along * along + across * across);
        0.5 * kinetic - self.mass * self.gravity * self.length * cos
    }
}

impl BenchmarkModel for CartPole {
    const NAME: &'static str = "cart-pole";
    const SUMMARY: &'static str =
        "pendulum below a cart of a millionth of its mass: short pulses between long calm phases";
    const SOURCE: &'static str = "N. Parsons, light-cartpole-benchmark, proposed to the IFToMM library";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::zero(), S::pi() * self.angle / 180.0, S::zero(), S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "m", "position of the cart").of_class(Class::Position),
            Observable::new("theta", "rad", "angle of the bar from the downward vertical").of_class(Class::Position),
            Observable::new("speed", "m/s", "velocity of the cart").of_class(Class::Velocity),
            Observable::new("omega", "rad/s", "angular velocity of the bar").of_class(Class::Velocity),
            Observable::new("energy", "J", "total energy, with potential energy zero at the height of the track"),
            Observable::new("energy_change", "J", "change of the total energy since the initial state"),
            Observable::new("momentum", "kg m/s", "momentum along the track"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        let (energy, initial) = (self.energy(y), self.energy(&BenchmarkModel::initial_state(self)));
        let momentum = self.cart_mass * y[2] + self.mass * (y[2] + self.length * y[3] * y[1].cos());
        values.copy_from_slice(&[y[0], y[1], y[2], y[3], energy, energy - initial, momentum]);
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let (length, (sin, cos)) = (self.length, y[1].sin_cos());
        let (cart, end) = ([y[0], 0.0], [y[0] + length * sin, -length * cos]);
        let parts = vec![
            ground([-1.2 * length, 2.2 * length], -0.05 * length),
            ("cart", block(cart, 0.2 * length, 0.1 * length)),
            ("bar", Shape::Line(vec![cart, end])),
            ("mass", Shape::Circle { centre: end, radius: 0.05 * length }),
        ];
        vec![upright(["x", "y"], parts)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::Formulated;
    use nalgebra::{Matrix2, Vector2};

    fn states() -> impl Iterator<Item = [f64; 4]> {
        let angles = [-3.0, -1.5, -1e-3, 1e-4, 0.7, 2.2];
        angles.into_iter().flat_map(|angle| [-40.0, 0.0, 0.5, 4429.0].map(|omega| [0.3, angle, -1.2, omega]))
    }

    /// Compares the closed form with Lagrange's equations, a system of two.
    #[test]
    fn accelerations_match_lagranges_equations() {
        for cart_mass in [1e-6, 0.5] {
            let model = CartPole { cart_mass, mass: 1.3, length: 0.7, ..CartPole::default() };
            let CartPole { mass, length, gravity, .. } = model;
            for y in states() {
                let mut dydt = [0.0; 4];
                model.rhs(0.0, &y, &mut dydt);
                let (sin, cos) = y[1].sin_cos();
                let coupling = mass * length * cos;
                let matrix = Matrix2::new(cart_mass + mass, coupling, coupling, mass * length * length);
                let forces = Vector2::new(mass * length * sin * y[3] * y[3], -mass * gravity * length * sin);
                let residual = matrix * Vector2::new(dydt[2], dydt[3]) - forces;
                let size = forces.amax() + matrix.amax() * dydt[2].abs().max(dydt[3].abs());
                assert!(residual.amax() < 1e-14 * size, "{y:?}: {residual} beside {size}");
                assert_eq!(dydt[..2], y[2..]);
            }
        }
    }

    /// Checks `E' = 0` and `p' = 0` by differences along the motion.
    #[test]
    fn energy_and_momentum_are_conserved() {
        let model = CartPole { cart_mass: 0.5, ..CartPole::default() };
        let mut seen = [[0.0; 7]; 2];
        for y in states().filter(|y| y[3].abs() < 100.0) {
            let mut dydt = [0.0; 4];
            model.rhs(0.0, &y, &mut dydt);
            let h = 1e-7;
            for (values, by) in seen.iter_mut().zip([-h, h]) {
                let moved: Vec<f64> = y.iter().zip(&dydt).map(|(y, rate)| y + by * rate).collect();
                model.observation().observe(0.0, &moved, values);
            }
            for k in [4, 6] {
                let rate = (seen[1][k] - seen[0][k]) / (2.0 * h);
                // a roundoff of a few thousand joules, divided by the difference of times
                assert!(rate.abs() < 1e-4 * (1.0 + y[3].abs()), "{k} at {y:?}: {rate}");
            }
        }
    }

    /// Energy and momentum determine `θ'` at the lowest point, where the mass is at rest except for the cart's recoil.
    #[test]
    fn the_bar_is_fastest_as_published() {
        let model = CartPole::default();
        let start = model.energy(&Formulated::<f64>::initial_state(&model));
        let omega = 4_429.449_132_792_925;
        let speed = -omega / (1.0 + 1e-6);
        assert_relative_eq!(model.energy(&[0.0, 0.0, speed, omega]), start, epsilon = 1e-9);
    }
}
