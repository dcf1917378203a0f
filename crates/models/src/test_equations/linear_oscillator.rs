//! One damped oscillator, for methods of second-order form.

use mbsbench_problem::{AsContactOde, BenchmarkModel, Class, ContactModel, Observable, Ode, Scalar, parameters};

parameters! {
    /// The oscillator `q'' = −ω² q − 2 ζ ω q'`. It has no contacts, so its [contact
    /// powers](mbsbench_problem::ContactPower) are empty.
    ///
    /// With a frequency of 1 rad/s, the step of a method is the `x = ω h` of its stability limits. The closed form
    /// starts at `t = 0`, so a span has to begin there.
    pub struct LinearOscillator {
        /// Undamped frequency `ω`.
        pub frequency: f64 [above 0.0, unit "rad/s"] = 1.0,
        /// Damping ratio `ζ`.
        pub damping_ratio: f64 [from 0.0, unit "1"] = 0.0,
        /// Position at time zero.
        pub position: f64 [unit "m"] = 1.0,
        /// Velocity at time zero.
        pub velocity: f64 [unit "m/s"] = 0.0,
    }
}

impl LinearOscillator {
    /// Position (m) and velocity (m/s) at time `t`, s.
    pub fn exact(&self, t: f64) -> [f64; 2] {
        let Self { frequency, damping_ratio, position, velocity } = *self;
        let decay = damping_ratio * frequency;
        let square = frequency * frequency * (1.0 - damping_ratio) * (1.0 + damping_ratio);
        // c'' = −square c with c(0) = 1, c'(0) = 0, and the integral s of c
        let (c, s) = if square > 0.0 {
            let (sin, cos) = (square.sqrt() * t).sin_cos();
            (cos, sin / square.sqrt())
        } else if square < 0.0 {
            let x = (-square).sqrt();
            ((x * t).cosh(), (x * t).sinh() / x)
        } else {
            (1.0, t)
        };
        let fading = (-decay * t).exp();
        let push = frequency * frequency * position + decay * velocity;
        [fading * (position * c + (velocity + decay * position) * s), fading * (velocity * c - push * s)]
    }
}

impl BenchmarkModel for LinearOscillator {
    const NAME: &'static str = "linear-oscillator";
    const SUMMARY: &'static str = "damped linear oscillator, the test equation of methods for second-order equations";
    const SOURCE: &'static str = "for modin2005, Eq. 16; our own parameter values";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsContactOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.position), S::from(self.velocity)]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("position", "m", "position").of_class(Class::Position),
            Observable::new("velocity", "m/s", "velocity").of_class(Class::Velocity),
            Observable::new("exact_position", "m", "position in closed form"),
            Observable::new("exact_velocity", "m/s", "velocity in closed form"),
            Observable::new("energy", "J", "energy with a mass of 1 kg"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let [position, velocity] = self.exact(t);
        let energy = 0.5 * (y[1] * y[1] + (self.frequency * y[0]).powi(2));
        values.copy_from_slice(&[y[0], y[1], position, velocity, energy]);
    }
}

impl ContactModel for LinearOscillator {
    fn coordinates(&self) -> usize {
        1
    }

    fn accelerations<S: Scalar>(&self, _t: S, q: &[S], v: &[S], accelerations: &mut [S], _powers: &mut [S]) {
        let spring = S::from(self.frequency) * self.frequency;
        let damper = S::from(self.damping_ratio) * self.frequency * 2.0;
        accelerations[0] = -(q[0] * spring + v[0] * damper);
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use num_dual::Dual64;

    #[test]
    fn the_closed_form_solves_the_equation_at_every_damping() {
        for damping_ratio in [0.0, 0.25, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 3.0] {
            let oscillator = LinearOscillator { frequency: 2.0, damping_ratio, position: 0.7, velocity: -0.4 };
            assert_eq!(oscillator.exact(0.0), [0.7, -0.4]);
            let mut ode = AsContactOde(&oscillator);
            for t in [0.3, 1.1, 2.9] {
                let mut rate = [0.0; 2];
                ode.rhs(t, &oscillator.exact(t), &mut rate).unwrap();
                let [before, after] = [t - 1e-5, t + 1e-5].map(|t| oscillator.exact(t));
                for k in 0..2 {
                    assert_relative_eq!((after[k] - before[k]) / 2e-5, rate[k], epsilon = 2e-9);
                }
            }
        }
    }

    #[test]
    fn the_second_order_side_has_no_bodies_in_contact() {
        let oscillator = LinearOscillator { frequency: 3.0, damping_ratio: 0.5, ..LinearOscillator::default() };
        let mut ode = AsContactOde(&oscillator);
        let side = Ode::<f64>::form(&mut ode).contact_power().unwrap();
        assert_eq!((side.coordinates(), side.velocities(), side.bodies()), (1, 1, 0));
        let mut acceleration = [f64::NAN];
        side.accelerations(0.0, &[2.0], &[1.0], &mut acceleration, &mut []);
        assert_eq!(acceleration, [-21.0]);
        let mut dual = [Dual64::from(0.0)];
        oscillator.accelerations(0.0.into(), &[Dual64::new(2.0, 1.0)], &[1.0.into()], &mut dual, &mut []);
        assert_eq!(dual[0].eps, -9.0);
    }
}
