//! A bead that slides without friction on a hoop, which spins about its vertical diameter.

use mbsbench_problem::{AsOde, BenchmarkModel, Class, Observable, Ode, OdeModel, Scalar, parameters};

parameters! {
    /// A bead on a hoop that spins about its vertical diameter; `y = (φ, φ')`, angle from the lowest point.
    pub struct BeadOnHoop {
        /// Mass of the bead; only the energy depends on it.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Radius of the hoop.
        pub radius: f64 [above 0.0, unit "m"] = 0.5,
        /// Angular velocity of the hoop.
        pub spin: f64 [unit "rad/s"] = 6.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Initial angle from the lowest point.
        pub angle: f64 [from -180.0, to 180.0, unit "deg"] = 30.0,
    }
}

/// `φ'' = (Ω² cos φ − g/R) sin φ`.
impl OdeModel for BeadOnHoop {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let (sin, cos) = y[0].sin_cos();
        dydt[0] = y[1];
        dydt[1] = (cos * self.spin * self.spin - S::from(self.gravity) / self.radius) * sin;
    }
}

impl BenchmarkModel for BeadOnHoop {
    const NAME: &'static str = "bead-on-hoop";
    const SUMMARY: &'static str = "bead on a hoop that spins about its vertical diameter";
    const SOURCE: &'static str = "S. H. Strogatz, Nonlinear Dynamics and Chaos, section 3.5, without friction";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.angle) * S::pi() / 180.0, S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("phi", "rad", "angle from the lowest point"),
            Observable::new("phi_rate", "rad/s", "angular velocity along the hoop"),
            Observable::new("energy", "J", "energy in the frame of the hoop (Jacobi's integral)"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[y[0], y[1], self.energy(y[0], y[1])]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity]
    }
}

impl BeadOnHoop {
    /// Jacobi's integral `m R² (φ'² − Ω² sin² φ)/2 − m g R cos φ`, J, which is constant. The energy of the bead in a
    /// frame at rest is not constant, because a drive keeps the hoop spinning.
    fn energy(&self, phi: f64, rate: f64) -> f64 {
        let Self { mass, radius, spin, gravity, .. } = *self;
        let across = spin * phi.sin();
        0.5 * mass * radius * radius * (rate * rate - across * across) - mass * gravity * radius * phi.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_integrators::Rk8;
    use mbsbench_problem::{Counted, MethodDefinition, Settings, Silent, Task};
    use std::f64::consts::PI;

    fn state_at(bead: &BeadOnHoop, t_end: f64) -> Vec<f64> {
        let initial = bead.initial_state();
        let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::fixed(0.001) };
        let solution = Rk8::default().method().solve(Counted::new(&mut AsOde(bead)), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        solution.state
    }

    #[test]
    fn energy_is_kept() {
        let bead = BeadOnHoop::default();
        let energy = |y: &[f64]| bead.energy(y[0], y[1]);
        let start = energy(&bead.initial_state());
        for t in [0.3, 1.0, 5.0] {
            // rounding errors of 5000 steps; the terms of the energy are a few joules
            assert!((energy(&state_at(&bead, t)) - start).abs() < 1e-12, "at {t} s");
        }
    }

    /// Below `Ω² = g/R` the bead swings about the lowest point with `√(g/R − Ω²)`, above it about
    /// `cos φ = g/(R Ω²)` with `Ω sin φ`.
    #[test]
    fn small_swings_have_the_frequency_of_the_linearised_equation() {
        let amplitude = 1e-4;
        let BeadOnHoop { gravity, radius, .. } = BeadOnHoop::default();
        let (slow, fast, square) = (2.0, 6.0, gravity / radius);
        let off_axis = (square / (fast * fast)).acos();
        let below = (slow, 0.0, (square - slow * slow).sqrt());
        let above = (fast, off_axis, fast * off_axis.sin());
        for (spin, rest, frequency) in [below, above] {
            let bead = BeadOnHoop { spin, angle: (rest + amplitude).to_degrees(), ..BeadOnHoop::default() };
            for (phase, displacement) in [(0.5, 0.0), (1.0, -1.0), (2.0, 1.0)] {
                let phi = state_at(&bead, phase * PI / frequency)[0];
                // The linearised equation neglects terms of the amplitude's order, 1e-4.
                let error = (phi - rest) / amplitude - displacement;
                assert!(error.abs() < 5e-4, "spin {spin}, phase {phase} π: off by {error:e}");
            }
        }
    }
}
