//! The Pleiades of the test set for IVP solvers: seven stars in the plane with close encounters.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{AsOde, BenchmarkModel, Class, Observable, Ode, OdeModel, Scalar, View, parameters};

use crate::drawing::upright;

parameters! {
    /// Seven stars of masses 1 to 7 in the plane that attract each other, `xᵢ'' = Σ mⱼ (xⱼ − xᵢ)/rᵢⱼ³`, with the
    /// state `y = (x, y, x', y')`.
    pub struct Pleiades {
        /// Gravitational constant, for masses of 1 to 7 kg.
        pub gravitation: f64 [above 0.0, unit "m³/(kg s²)"] = 1.0,
    }
}

const STARS: usize = 7;
const X: [f64; STARS] = [3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0];
const Y: [f64; STARS] = [3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0];
const X_RATE: [f64; STARS] = [0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5];
const Y_RATE: [f64; STARS] = [0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0];

impl OdeModel for Pleiades {
    fn dimension(&self) -> usize {
        4 * STARS
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let (positions, velocities) = y.split_at(2 * STARS);
        let (rates, accelerations) = dydt.split_at_mut(2 * STARS);
        rates.copy_from_slice(velocities);
        accelerations.fill(S::zero());
        for i in 0..STARS {
            for j in 0..i {
                let [dx, dy] = [0, STARS].map(|part| positions[part + j] - positions[part + i]);
                let square = dx * dx + dy * dy;
                let pull = (square * square.sqrt()).recip() * self.gravitation;
                for (part, d) in [(0, dx), (STARS, dy)] {
                    accelerations[part + i] += d * pull * (j + 1) as f64;
                    accelerations[part + j] -= d * pull * (i + 1) as f64;
                }
            }
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}

impl Pleiades {
    /// Energy, J.
    fn energy(&self, y: &[f64]) -> f64 {
        let (positions, velocities) = y.split_at(2 * STARS);
        let mut energy = 0.0;
        for i in 0..STARS {
            let mass = (i + 1) as f64;
            energy += 0.5 * mass * (velocities[i].powi(2) + velocities[STARS + i].powi(2));
            for j in 0..i {
                let distance = (positions[i] - positions[j]).hypot(positions[STARS + i] - positions[STARS + j]);
                energy -= self.gravitation * mass * (j + 1) as f64 / distance;
            }
        }
        energy
    }
}

impl BenchmarkModel for Pleiades {
    const NAME: &'static str = "pleiades";
    const SUMMARY: &'static str = "seven stars in the plane with close encounters; not stiff";
    const SOURCE: &'static str =
        "Test Set for IVP Solvers (CWI, Bari), problem Pleiades; Hairer, Nørsett, Wanner (1993)";

    fn observables(&self) -> Vec<Observable> {
        let of = |name: &str, unit, about, class| {
            let star = |k| Observable::new(format!("{name}{k}"), unit, about).of_class(class);
            (1..=STARS).map(star).collect::<Vec<_>>()
        };
        [
            of("x", "m", "x coordinate of a star", Class::Position),
            of("y", "m", "y coordinate of a star", Class::Position),
            of("u", "m/s", "x velocity of a star", Class::Velocity),
            of("v", "m/s", "y velocity of a star", Class::Velocity),
            vec![Observable::new("energy", "J", "kinetic energy plus gravitational energy")],
        ]
        .concat()
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        [X, Y, X_RATE, Y_RATE].concat().into_iter().map(S::from).collect()
    }

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        values[..y.len()].copy_from_slice(y);
        values[y.len()] = self.energy(y);
    }

    /// Stars with the radii of bodies of equal density.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let star = |i: usize| {
            let radius = 0.06 * ((i + 1) as f64).cbrt();
            ("stars", Shape::Circle { centre: [y[i], y[STARS + i]], radius })
        };
        vec![upright(["x", "y"], (0..STARS).map(star).collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `Σ m x'' = 0` and that the energy is constant along the equations.
    #[test]
    fn momentum_and_energy_are_conserved() {
        let stars = Pleiades::default();
        let y: Vec<f64> = stars.initial_state();
        let mut rate = vec![0.0; 28];
        stars.rhs(0.0, &y, &mut rate);
        for part in [14, 21] {
            let momentum: f64 = (0..STARS).map(|i| (i + 1) as f64 * rate[part + i]).sum();
            assert!(momentum.abs() < 1e-14, "{momentum:e}");
        }
        let moved = |h: f64| y.iter().zip(&rate).map(|(y, rate)| y + h * rate).collect::<Vec<_>>();
        let slope = (stars.energy(&moved(1e-5)) - stars.energy(&moved(-1e-5))) / 2e-5;
        assert!(slope.abs() < 1e-8, "{slope:e}");
    }
}
