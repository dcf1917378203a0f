//! A row of any number of four-bar windows in the plane, with as many closed loops and one degree of freedom.

use mbsbench_problem::{
    AsOde, BenchmarkModel, Class, Dimensions, Entries, MechanicalModel, Observable, Observation, Ode, OdeModel, Scalar,
    View, parameters, pass_on,
};

use crate::drawing::pin;
use crate::linkage::{EqualRods, Linkage, LinkageFormulation};

parameters! {
    /// Equal uniform rods: uprights on ground pins, one length apart, and a rod between the upper ends of each two
    /// neighbours. The uprights start vertical, with all upper ends moving to the right.
    ///
    /// If all rods lie on one line, the windows need not remain parallelograms: as many constraints as there are
    /// windows become redundant, and methods that solve for multipliers meet a singular matrix.
    pub struct FourBarWindows {
        /// The equations.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Number of windows.
        pub windows: usize [from 1, to 15_000] = 2,
        /// Length of a rod.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Mass of a rod.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Initial velocity of the upper ends.
        pub speed: f64 [unit "m/s"] = 1.0,
        /// Acceleration of gravity along `−y`.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl FourBarWindows {
    /// Number of rods: one upright, and for each window a horizontal rod and another upright.
    fn rods(&self) -> usize {
        2 * self.windows + 1
    }

    fn equal_rods(&self) -> EqualRods {
        EqualRods { count: self.rods(), mass: self.mass, length: self.length, gravity: self.gravity }
    }
}

/// The coordinates are `q = (x₀, y₀, θ₀, x₁, …)`, centres and angles of the rods. Uprights have even numbers, from
/// the left to the right, and the rods between them odd ones. `M = diag(m, m, m l²/12, …)`, `D = (0, −m g, 0, …)`,
/// and with `h = l/2` and `(c, s) = (cos θ, sin θ)`
///
/// ```text
/// upright k on the ground            ( x − h c − k l/2,  y − h s )
/// rod between, on upright before     ( x − h c − x₋ − h c₋,  y − h s − y₋ − h s₋ )
/// upright, on the rod before it      ( x + h c − x₋ − h c₋,  y + h s − y₋ − h s₋ )
/// ```
impl MechanicalModel for FourBarWindows {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3 * self.rods(), 6 * self.windows + 2)
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        self.equal_rods().write_mass(mass);
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        let weight = -(S::from(self.mass) * self.gravity);
        for force in forces.chunks_mut(3) {
            force.copy_from_slice(&[S::zero(), weight, S::zero()]);
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.length;
        // the end of the previous rod to which a rod is pinned, and its own ends
        let mut pin = [S::zero(); 2];
        let mut rows = phi.chunks_mut(2);
        for (k, rod) in q.chunks(3).enumerate() {
            let (sin, cos) = rod[2].sin_cos();
            let (x, y) = (cos * half, sin * half);
            let (start, end) = ([rod[0] - x, rod[1] - y], [rod[0] + x, rod[1] + y]);
            let mut join = |a: [S; 2], b: [S; 2]| {
                if let Some(row) = rows.next() {
                    (row[0], row[1]) = (a[0] - b[0], a[1] - b[1]);
                }
            };
            if k.is_multiple_of(2) {
                join(start, [S::from(k as f64 * half), S::zero()]);
            }
            if k > 0 {
                join(if k.is_multiple_of(2) { end } else { start }, pin);
            }
            pin = end;
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    /// Kinetic energy and gravity, J; the potential is zero at the height of the ground pins.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        self.equal_rods().energy(q, v)
    }
}

/// The state is `y = (φ, φ')` with the angle of the uprights from the upward vertical, clockwise. With N windows
///
/// ```text
/// φ'' = c sin φ,   c = (g/l) ((N + 1)/2 + N) / ((N + 1)/3 + N)
/// ```
///
/// since the uprights have the inertia `m l²/3` and the rods between them move in circles.
impl OdeModel for FourBarWindows {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let n = self.windows as f64;
        let c = S::from(self.gravity) / self.length * (0.5 * (n + 1.0) + n) / (S::from(n + 1.0) / 3.0 + n);
        dydt[0] = y[1];
        dydt[1] = y[0].sin() * c;
    }
}

impl Linkage for FourBarWindows {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        vec![S::zero(), S::from(self.speed) / self.length]
    }

    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let (half, quarter_turn) = (0.5 * self.length, S::zero().acos());
        let (sin, cos) = y[0].sin_cos();
        let (q, v) = full.split_at_mut(3 * self.rods());
        for (k, (q, v)) in q.chunks_mut(3).zip(v.chunks_mut(3)).enumerate() {
            // the centre of an upright is half as far from the ground as that of a horizontal rod
            let (radius, turn) = if k.is_multiple_of(2) { (half, 1.0) } else { (self.length, 0.0) };
            q[0] = sin * radius + k as f64 * half;
            q[1] = cos * radius;
            q[2] = (quarter_turn - y[0]) * turn;
            (v[0], v[1], v[2]) = (cos * y[1] * radius, -(sin * y[1] * radius), -y[1] * turn);
        }
    }
}

impl BenchmarkModel for FourBarWindows {
    const NAME: &'static str = "four-bar-windows";
    const SUMMARY: &'static str =
        "row of any number of four-bar mechanisms side by side, with one degree of freedom in total";
    const SOURCE: &'static str =
        "problem A02 (N-four-bar mechanism) of the IFToMM library of computational benchmark problems";

    pass_on! { as Linkage =>
        fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;
        fn initial_state<S: Scalar>(&self) -> Vec<S>;
        fn classes(&self) -> Vec<Class>;
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "m", "horizontal position of the upper end of the first upright, to the right")
                .of_class(Class::Position),
            Observable::new("y", "m", "vertical position of the upper end of the first upright, upwards")
                .of_class(Class::Position),
            Observable::new("x_rate", "m/s", "horizontal velocity of that end, to the right").of_class(Class::Velocity),
            Observable::new("y_rate", "m/s", "vertical velocity of that end, upwards").of_class(Class::Velocity),
            Observable::new("energy", "J", "total energy, with potential energy zero at the height of the ground pins"),
            Observable::new("energy_change", "J", "change of the total energy since the initial state"),
            Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
            Observable::new("velocity_constraint", "m/s", "largest magnitude of a component of Φ_q v"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        self.equal_rods().observation(self, 0)
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let pins = (0..=self.windows).flat_map(|k| pin([k as f64 * self.length, 0.0], 0.2 * self.length));
        self.equal_rods().views(self, y, pins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{AccelerationLevel, ConstraintWatch, MechanicsOf};

    #[test]
    fn both_formulations_have_the_same_accelerations() {
        for windows in [1, 2, 5, 30] {
            let model = FourBarWindows { windows, length: 0.7, mass: 1.3, ..FourBarWindows::default() };
            let y = [0.8, -1.7];
            let (mut full, mut rate, mut dydt) = (vec![0.0; 6 * model.rods()], vec![0.0; 6 * model.rods()], [0.0; 2]);
            model.expand(&y, &mut full);
            let (q, v) = full.split_at(3 * model.rods());
            let mut watch = ConstraintWatch::new(&model, 0.0);
            watch.evaluate(0.0, q, v);
            assert!(watch.constraint() < 1e-14 && watch.surface() < 1e-14);
            AccelerationLevel::new(MechanicsOf::new(&model)).rhs(0.0, &full, &mut rate).unwrap();
            AsOde(&model).rhs(0.0, &y, &mut dydt).unwrap();
            for k in (0..model.rods()).step_by(2) {
                assert_relative_eq!(-rate[3 * (model.rods() + k) + 2], dydt[1], max_relative = 1e-11);
            }
        }
    }

    /// The published `c = 11.772` and `11.445` for one and two rods of 1 m (see the source of the problem), and the
    /// limit for many.
    #[test]
    fn the_acceleration_matches_the_closed_form() {
        for (windows, coefficient) in [(1, 11.772), (2, 11.445), (1000, 11.037_169_457_635_6)] {
            let model = FourBarWindows { windows, ..FourBarWindows::default() };
            let mut dydt = [0.0; 2];
            AsOde(&model).rhs(0.0, &[std::f64::consts::FRAC_PI_2, 0.0], &mut dydt).unwrap();
            assert_relative_eq!(dydt[1], coefficient, max_relative = 1e-14);
        }
    }
}
