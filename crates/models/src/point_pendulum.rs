//! A point mass on a circle in Cartesian coordinates, with a choice of how often its constraint is differentiated.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsDescriptor, AsOde, BenchmarkModel, Class, DescriptorModel, Observable, Ode, OdeModel, Scalar, View, parameters,
};
use nalgebra::DMatrix;

use crate::drawing::{pin, upright};

parameters! {
    /// Number of differentiations of the constraint.
    #[derive(Copy, Default, Eq)]
    pub enum PendulumIndex {
        /// Position constraint: `0 = x² + y² − 1`.
        #[default]
        Index3,
        /// Differentiated once: `0 = x u + y v`.
        Index2,
        /// Differentiated twice: `0 = u² + v² − λ − y`.
        Index1,
        /// Differentiated three times: `λ' = −3 v`.
        Index0,
    }

    /// The equations `x' = u`, `y' = v`, `u' = −x λ`, `v' = −y λ − 1` with a constraint in one of four forms: a mass
    /// of 1 kg on a massless rod of 1 m, with gravity 1 m/s². Cash's code MEBDFDAE is tested on it for index 0 to 3.
    /// It starts horizontal, with a velocity of 1 m/s upwards.
    pub struct PointPendulum {
        /// Form of the constraint that is solved.
        pub formulation: PendulumIndex = PendulumIndex::Index3,
    }
}

impl OdeModel for PointPendulum {
    fn dimension(&self) -> usize {
        5
    }

    fn rhs<S: Scalar>(&self, _t: S, state: &[S], f: &mut [S]) {
        let &[x, y, u, v, lambda] = state else { unreachable!("there are five") };
        f[..4].copy_from_slice(&[u, v, -(x * lambda), -(y * lambda) - 1.0]);
        f[4] = match self.formulation {
            PendulumIndex::Index3 => x * x + y * y - 1.0,
            PendulumIndex::Index2 => x * u + y * v,
            PendulumIndex::Index1 => u * u + v * v - lambda - y,
            PendulumIndex::Index0 => v * -3.0,
        };
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}

impl DescriptorModel for PointPendulum {
    fn mass<S: Scalar>(&self, mass: &mut DMatrix<S>) {
        (0..4).for_each(|i| mass[(i, i)] = S::from(1.0));
    }

    fn indices(&self) -> Vec<u8> {
        match self.formulation {
            PendulumIndex::Index3 => vec![1, 1, 2, 2, 3],
            PendulumIndex::Index2 => vec![1, 1, 1, 1, 2],
            PendulumIndex::Index1 | PendulumIndex::Index0 => vec![1; 5],
        }
    }
}

impl BenchmarkModel for PointPendulum {
    const NAME: &'static str = "point-pendulum";
    const SUMMARY: &'static str = "point mass on a circle, as equations of index 3, 2, 1 or 0";
    const SOURCE: &'static str = "J. R. Cash, drivers of MEBDFDAE; T. J. Abdulla, J. R. Cash, M. T. Diamantakis (2001)";

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "m", "x coordinate of the mass").of_class(Class::Position),
            Observable::new("y", "m", "height of the mass").of_class(Class::Position),
            Observable::new("u", "m/s", "x velocity of the mass").of_class(Class::Velocity),
            Observable::new("v", "m/s", "upward velocity of the mass").of_class(Class::Velocity),
            Observable::new("lambda", "N/m", "multiplier of the constraint").of_class(Class::Multiplier),
            Observable::new("energy", "J", "total energy, with potential energy zero at the height of the pivot"),
            Observable::new("constraint", "m²", "largest magnitude of x² + y² − 1"),
            Observable::new("velocity_constraint", "m²/s", "magnitude of x u + y v"),
        ]
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        [1.0, 0.0, 0.0, 1.0, 1.0].map(S::from).to_vec()
    }

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        match self.formulation {
            PendulumIndex::Index0 => Box::new(AsOde(self)),
            _ => Box::new(AsDescriptor::new(self)),
        }
    }

    fn observe(&self, _t: f64, state: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, lambda] = state else { unreachable!("there are five") };
        let (constraint, velocity_constraint) = ((x * x + y * y - 1.0).abs(), (x * u + y * v).abs());
        let energy = 0.5 * (u * u + v * v) + y;
        values.copy_from_slice(&[x, y, u, v, lambda, energy, constraint, velocity_constraint]);
    }

    fn views(&self, state: &[f64]) -> Vec<View> {
        let mass = [state[0], state[1]];
        let parts = [
            ("circle", Shape::Circle { centre: [0.0; 2], radius: 1.0 }),
            ("bar", Shape::Line(vec![[0.0; 2], mass])),
            ("mass", Shape::Circle { centre: mass, radius: 0.06 }),
        ];
        vec![upright(["x", "y"], pin([0.0; 2], 0.2).chain(parts).collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_dual::Dual;

    /// On the circle, with tangential velocity and the multiplier of the acceleration level, each form is the
    /// derivative of the previous one along the equations.
    #[test]
    fn each_form_differentiates_the_previous_one() {
        let (angle, rate) = (0.4f64, 1.3);
        let (x, y) = (angle.cos(), angle.sin());
        let (u, v) = (-y * rate, x * rate);
        let lambda = u * u + v * v - y;
        let state = [x, y, u, v, lambda];
        let form = |formulation, state: &[Dual<f64>]| {
            let mut f = [Dual::from_re(0.0); 5];
            PointPendulum { formulation }.rhs(Dual::from_re(0.0), state, &mut f);
            f[4]
        };
        let mut rates = [0.0; 5];
        PointPendulum { formulation: PendulumIndex::Index0 }.rhs(0.0, &state, &mut rates);
        let along: Vec<_> = state.iter().zip(rates).map(|(&y, rate)| Dual::new(y, rate)).collect();
        for formulation in [PendulumIndex::Index3, PendulumIndex::Index2, PendulumIndex::Index1] {
            let value = form(formulation, &along);
            assert!(value.re.abs() < 1e-15 && value.eps.abs() < 1e-14, "{formulation:?}: {value}");
        }
        // off the circle, too
        let off = [(1.1, -0.4), (0.3, 0.2), (-0.4, 0.0), (0.2, 0.0), (0.7, 0.0)].map(|(y, rate)| Dual::new(y, rate));
        let position = form(PendulumIndex::Index3, &off);
        let velocity = form(PendulumIndex::Index2, &off);
        assert!((position.eps - 2.0 * velocity.re).abs() < 1e-15);
    }
}
