//! The car axis of the test set for IVP solvers: a stiff, driven mechanism of index 3 without damping.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    BenchmarkModel, Class, ConstrainedFormulation, Dimensions, Entries, MechanicalModel, Observable, Observation, Ode,
    Scalar, View, parameters,
};

use crate::drawing::{rod, upright};
use crate::mechanism::{self, Coordinate};

parameters! {
    /// An axle between two wheels on springs. The left wheel rolls on flat ground, the right one over a bumpy road,
    /// which moves the lower end of its spring. The chassis is a bar of given length, and the left spring stays at a
    /// right angle to the axle.
    ///
    /// With `(x_b, y_b) = (√(l² − y_b²), r sin ωt)` the lower end on the right, `k = M ε²/2`, spring forces
    /// `(l₀ − |s|) s/|s|` with `s` the vector along a spring, and gravity `k`:
    ///
    /// ```text
    /// Φ₁ = x_l x_b + y_l y_b,   Φ₂ = (x_l − x_r)² + (y_l − y_r)² − l²
    /// ```
    ///
    /// The source is dimensionless; the units here are those that the quantities would have.
    pub struct CarAxis {
        /// The equations.
        pub formulation: ConstrainedFormulation = ConstrainedFormulation::Mechanics,
        /// Mass `M` of the chassis.
        pub mass: f64 [above 0.0, unit "kg"] = 10.0,
        /// Square root `ε` of the ratio of a spring's time scale to 1 s; the stiffness is `1/ε²`.
        pub epsilon: f64 [above 0.0, unit "1"] = 1e-2,
        /// Length `l` of axle and chassis.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Length `l₀` of an unloaded spring.
        pub rest_length: f64 [above 0.0, unit "m"] = 0.5,
        /// Height `r` of the bumps; less than the length.
        pub bump: f64 [unit "m"] = 0.1,
        /// Frequency `ω` of the bumps.
        pub frequency: f64 [above 0.0, unit "rad/s"] = 10.0,
    }
}

/// Names of the four coordinates.
const NAMES: [Coordinate; 4] = [
    ("xl", "m", "x coordinate of the left end of the chassis"),
    ("yl", "m", "height of the left end of the chassis"),
    ("xr", "m", "x coordinate of the right end of the chassis"),
    ("yr", "m", "height of the right end of the chassis"),
];

impl CarAxis {
    /// `k = M ε²/2`.
    fn inertia(&self) -> f64 {
        0.5 * self.mass * self.epsilon * self.epsilon
    }

    /// `(x_b, y_b)`, m.
    fn road<S: Scalar>(&self, t: S) -> [S; 2] {
        let y = (t * self.frequency).sin() * self.bump;
        [(-(y * y) + self.length * self.length).sqrt(), y]
    }
}

impl MechanicalModel for CarAxis {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(4, 2)
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..4).for_each(|i| mass[(i, i)] = S::from(self.inertia()));
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        let [x, y] = self.road(t);
        let springs = [[q[0], q[1]], [q[2] - x, q[3] - y]];
        for ([x, y], force) in springs.into_iter().zip(forces.chunks_exact_mut(2)) {
            let length = (x * x + y * y).sqrt();
            let pull = (-length + self.rest_length) / length;
            (force[0], force[1]) = (pull * x, pull * y - self.inertia());
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let [x, y] = self.road(t);
        let (dx, dy) = (q[0] - q[2], q[1] - q[3]);
        phi[0] = q[0] * x + q[1] * y;
        phi[1] = dx * dx + dy * dy - self.length * self.length;
    }

    /// Kinetic energy, gravity and springs, J, with the lower ends of the springs as at `t = 0`; the road does work.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let kinetic = v.iter().fold(S::zero(), |sum, &v| sum + v * v) * (0.5 * self.inertia());
        let springs = [[q[0], q[1]], [q[2] - self.length, q[3]]];
        let elastic = springs.into_iter().fold(S::zero(), |sum, [x, y]| {
            let stretch = (x * x + y * y).sqrt() - self.rest_length;
            sum + stretch * stretch * 0.5
        });
        kinetic + elastic + (q[1] + q[3]) * self.inertia()
    }
}

impl BenchmarkModel for CarAxis {
    const NAME: &'static str = "car-axis";
    const SUMMARY: &'static str =
        "car axis on a bumpy road, with two stiff springs and two constraints, one of them time-dependent; index 3";
    const SOURCE: &'static str = "Test Set for IVP Solvers (CWI, Bari), problem car axis; S. Schneider (1994)";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        self.formulation.ode(self)
    }

    /// Unloaded springs; the ends of the chassis have the velocity along `x` that the motion of the road imposes.
    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let (zero, along) = (S::zero(), S::from(-self.rest_length) * self.bump * self.frequency / self.length);
        let height = S::from(self.rest_length);
        let motion = vec![zero, height, S::from(self.length), height, along, zero, along, zero];
        self.formulation.initial_state(self, motion)
    }

    fn observables(&self) -> Vec<Observable> {
        mechanism::observables(self, &NAMES)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        mechanism::observation(self)
    }

    fn classes(&self) -> Vec<Class> {
        self.formulation.classes(self)
    }

    /// The foot of the right spring follows from the left one, which is at a right angle to the axle.
    fn views(&self, state: &[f64]) -> Vec<View> {
        let (left, right) = ([state[0], state[1]], [state[2], state[3]]);
        let along = self.length / left[0].hypot(left[1]);
        let wheels = [[0.0; 2], [left[1] * along, -left[0] * along]];
        let coil = 0.05 * self.rest_length;
        let wheel = |centre| ("wheels", Shape::Circle { centre, radius: 0.1 * self.length });
        let parts = vec![
            wheel(wheels[0]),
            wheel(wheels[1]),
            ("axle", Shape::Line(wheels.to_vec())),
            ("springs", Shape::spring(wheels[0], left, 6, coil)),
            ("springs", Shape::spring(wheels[1], right, 6, coil)),
            ("chassis", rod([left, right])),
        ];
        vec![upright(["x", "y"], parts)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::testing::forces_of_energy;
    use approx::assert_relative_eq;
    use mbsbench_problem::ConstraintWatch;

    #[test]
    fn the_start_matches_the_test_set_and_is_consistent() {
        let axis = CarAxis { formulation: ConstrainedFormulation::Index3, ..CarAxis::default() };
        let start: Vec<f64> = axis.initial_state();
        let expected = [0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0];
        for (i, (value, expected)) in start.iter().zip(expected).enumerate() {
            assert!((value - expected).abs() < 1e-13, "component {i}: {value:e}");
        }
        let mut watch = ConstraintWatch::new(&axis, 0.0);
        watch.evaluate(0.0, &start[..4], &start[4..8]);
        assert!(watch.constraint() < 1e-15 && watch.surface() < 1e-15);
    }

    /// The energy uses the position of the road at `t = 0`.
    #[test]
    fn forces_follow_from_the_energy() {
        let (axis, q, v) = (CarAxis::default(), [0.1, 0.6, 1.05, 0.45], [0.3, -0.2, 0.1, 0.5]);
        let mut forces = [0.0; 4];
        axis.forces(0.0, &q, &v, &mut forces);
        for (given, derived) in forces.iter().zip(forces_of_energy(&axis, &q, &v)) {
            assert_relative_eq!(*given, derived, epsilon = 1e-14, max_relative = 1e-13);
        }
    }
}
