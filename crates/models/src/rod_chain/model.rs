//! The chain as the runner sees it.

use mbsbench_problem::model::Class;
use mbsbench_problem::{
    AccelerationLevel, ConstraintWatch, Formulated, MechanicalModel, MechanicsOf, Model, Observable, Observation, Ode,
    Scalar, View,
};

use super::minimal::Angles;
use super::{ChainFormulation, RodChain};
use crate::drawing::{MOST_DRAWN, pin, rod_about, upright};

/// The chain with its formulation chosen.
#[derive(Debug, Clone)]
pub(super) struct ChainModel(pub(super) RodChain);

impl RodChain {
    /// Writes the state `(q ; v)` of the Cartesian formulation that belongs to angles and angular velocities.
    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let half = 0.5 * self.rod_length();
        let (theta, omega) = y.split_at(self.rods);
        let (q, v) = full.split_at_mut(3 * self.rods);
        let (mut end, mut end_rate) = ([S::nought(); 2], [S::nought(); 2]);
        for (k, (q, v)) in q.chunks_mut(3).zip(v.chunks_mut(3)).enumerate() {
            let (sin, cos) = theta[k].sin_cos();
            let (arm, arm_rate) = ([cos * half, sin * half], [-(sin * omega[k] * half), cos * omega[k] * half]);
            for i in 0..2 {
                (q[i], v[i]) = (end[i] + arm[i], end_rate[i] + arm_rate[i]);
                (end[i], end_rate[i]) = (q[i] + arm[i], v[i] + arm_rate[i]);
            }
            (q[2], v[2]) = (theta[k], omega[k]);
        }
    }
}

impl<S: Scalar> Formulated<S> for ChainModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        match self.0.formulation {
            ChainFormulation::Cartesian => Box::new(AccelerationLevel::new(MechanicsOf::new(&self.0))),
            ChainFormulation::Minimal => Box::new(Angles::new(&self.0)),
        }
    }

    fn initial_state(&self) -> Vec<S> {
        let n = self.0.rods;
        let reduced = [vec![S::from(self.0.angle); n], vec![S::nought(); n]].concat();
        if self.0.formulation == ChainFormulation::Minimal {
            return reduced;
        }
        let mut full = vec![S::nought(); 6 * n];
        self.0.expand(&reduced, &mut full);
        full
    }
}

impl Model for ChainModel {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("tip_x", "m", "free end, along x").of_class(Class::Position),
            Observable::new("tip_y", "m", "free end, along y").of_class(Class::Position),
            Observable::new("tip_x_rate", "m/s", "velocity of the free end, along x").of_class(Class::Velocity),
            Observable::new("tip_y_rate", "m/s", "velocity of the free end, along y").of_class(Class::Velocity),
            Observable::new("theta1", "rad", "angle of the first rod from the x axis").of_class(Class::Position),
            Observable::new("energy", "J", "total energy, potential of gravity zero at the height of the first pin"),
            Observable::new("energy_change", "J", "total energy less that of the initial state"),
            Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
            Observable::new("velocity_constraint", "m/s", "largest magnitude among Φ_q v"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let chain = &self.0;
        let mut full = vec![0.0; 6 * chain.rods];
        let rest = [vec![chain.angle; chain.rods], vec![0.0; chain.rods]].concat();
        chain.expand(&rest, &mut full);
        let (q, v) = full.split_at(3 * chain.rods);
        let initial_energy = chain.energy(q, v);
        Box::new(ChainObservation { chain, initial_energy, watch: ConstraintWatch::new(chain, 0.0), full })
    }

    fn classes(&self) -> Vec<Class> {
        let n = match self.0.formulation {
            ChainFormulation::Cartesian => 3 * self.0.rods,
            ChainFormulation::Minimal => self.0.rods,
        };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let chain = &self.0;
        if chain.rods > MOST_DRAWN {
            return Vec::new();
        }
        let mut full = y.to_vec();
        if chain.formulation == ChainFormulation::Minimal {
            full.resize(6 * chain.rods, 0.0);
            chain.expand(y, &mut full);
        }
        let rods = full[..3 * chain.rods].chunks(3).map(|q| ("rods", rod_about(q, 0.5 * chain.rod_length())));
        vec![upright(["x", "y"], pin([0.0; 2], 0.05 * chain.length).chain(rods).collect())]
    }
}

struct ChainObservation<'m> {
    chain: &'m RodChain,
    initial_energy: f64,
    watch: ConstraintWatch<'m>,
    full: Vec<f64>,
}

impl Observation for ChainObservation<'_> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let chain = self.chain;
        match chain.formulation {
            ChainFormulation::Cartesian => self.full.copy_from_slice(y),
            ChainFormulation::Minimal => chain.expand(y, &mut self.full),
        }
        let (q, v) = self.full.split_at(3 * chain.rods);
        self.watch.evaluate(t, q, v);
        let (last, half) = (3 * (chain.rods - 1), 0.5 * chain.rod_length());
        let (sin, cos) = q[last + 2].sin_cos();
        let omega = v[last + 2];
        let energy = chain.energy(q, v);
        values.copy_from_slice(&[
            q[last] + half * cos,
            q[last + 1] + half * sin,
            v[last] - half * sin * omega,
            v[last + 1] + half * cos * omega,
            q[2],
            energy,
            energy - self.initial_energy,
            self.watch.constraint(),
            self.watch.surface(),
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn chain(rods: usize) -> RodChain {
        RodChain { rods, damping: 0.03, ..RodChain::default() }
    }

    /// A state of bent rods that turn.
    fn bent(rods: usize) -> Vec<f64> {
        (0..2 * rods).map(|i| (1.0 + i as f64 * 0.7).sin() * 2.0).collect()
    }

    #[test]
    fn both_formulations_have_the_same_accelerations() {
        for rods in [1, 2, 5, 20] {
            let chain = chain(rods);
            let y = bent(rods);
            let mut dydt = vec![0.0; 2 * rods];
            Ode::rhs(&mut Angles::new(&chain), 0.0, &y, &mut dydt).unwrap();
            let (mut full, mut rate) = (vec![0.0; 6 * rods], vec![0.0; 6 * rods]);
            chain.expand(&y, &mut full);
            AccelerationLevel::new(MechanicsOf::new(&chain)).rhs(0.0, &full, &mut rate).unwrap();
            for k in 0..rods {
                assert_relative_eq!(dydt[rods + k], rate[3 * rods + 3 * k + 2], max_relative = 1e-9, epsilon = 1e-9);
            }
            let watched = &mut ConstraintWatch::new(&chain, 0.0);
            watched.evaluate(0.0, &full[..3 * rods], &full[3 * rods..]);
            assert!(watched.constraint() < 1e-14 && watched.surface() < 1e-13);
        }
    }

    /// Of a pendulum of one rod: `α = −(3/2) g cos θ/l − c ω/(m l²/3)`.
    #[test]
    fn one_rod_is_a_pendulum() {
        let chain = chain(1);
        let mut dydt = [0.0; 2];
        Ode::rhs(&mut Angles::new(&chain), 0.0, &[0.4, 1.5], &mut dydt).unwrap();
        assert_relative_eq!(dydt[1], -1.5 * 9.81 * f64::cos(0.4) - 3.0 * 0.03 * 1.5, max_relative = 1e-14);
    }

    #[test]
    fn the_jacobian_in_angles_is_that_of_differences() {
        let chain = chain(4);
        let y = bent(4);
        let mut ode = Angles::new(&chain);
        let mut jacobian = nalgebra::DMatrix::zeros(8, 8);
        ode.jacobian(0.0, &y, &mut jacobian).unwrap();
        for j in 0..8 {
            let mut at = |step: f64| {
                let mut moved = y.clone();
                moved[j] += step;
                let mut dydt = vec![0.0; 8];
                ode.rhs(0.0, &moved, &mut dydt).unwrap();
                dydt
            };
            let (up, down) = (at(1e-5), at(-1e-5));
            for i in 0..8 {
                let difference = (up[i] - down[i]) / 2e-5;
                assert_relative_eq!(jacobian[(i, j)], difference, max_relative = 1e-6, epsilon = 1e-5);
            }
        }
    }
}
