//! Constrained mechanical systems, as methods see them and as models write them.
//!
//! ```text
//! q' = H(q) v
//! M(q) v' = D(t, q, v) + Jᵀ λ
//! 0 = Γ(t, q, v)     nonholonomic
//! 0 = Φ(t, q)        holonomic
//! ```
//!
//! with `J = (∂Γ/∂v ; ∂Φ/∂q H)`. In every vector and matrix of constraints the nonholonomic rows come first,
//! as in compere2001, Eq. 3.21.

use nalgebra::DMatrix;
use num_dual::Dual;

use crate::Scalar;

/// A mechanical system as a model writes it: once, for any scalar. Derivatives are not its business.
pub trait MechanicalModel: Send + Sync {
    /// Number of position coordinates.
    fn coordinates(&self) -> usize;

    /// Number of velocity coordinates; the same as the positions unless they live on a manifold.
    fn velocities(&self) -> usize {
        self.coordinates()
    }

    /// Number of holonomic constraints Φ.
    fn holonomic(&self) -> usize {
        0
    }

    /// Number of nonholonomic constraints Γ.
    fn nonholonomic(&self) -> usize {
        0
    }

    /// Writes `q' = H(q) v`; linear in `v`.
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(v);
    }

    /// Writes the configuration reached from `q` by the displacement `delta` (length of a velocity); its
    /// derivative at zero is `H(q)`.
    fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        for ((moved, &q), &delta) in moved.iter_mut().zip(q).zip(delta) {
            *moved = q + delta;
        }
    }

    /// Writes the symmetric positive definite mass matrix `M(q)`; `mass` comes filled with zeros.
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut DMatrix<S>);

    /// Writes the forces `D(t, q, v)`, applied and gyroscopic.
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]);

    /// Writes the holonomic constraints `Φ(t, q)`.
    fn holonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], _phi: &mut [S]) {}

    /// Writes the nonholonomic constraints `Γ(t, q, v)`.
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], _gamma: &mut [S]) {}

    /// Total energy, J. Roundoff counts in some experiments: evaluate it with the paper's zero of potential.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S;
}

/// A mechanical system as methods and adaptors see it, with the derivatives they need.
pub trait Mechanics<S: Scalar = f64> {
    /// Number of position coordinates `n_q`.
    fn coordinates(&self) -> usize;
    /// Number of velocity coordinates `n_v`.
    fn velocities(&self) -> usize;
    /// Number of holonomic constraints.
    fn holonomic(&self) -> usize;
    /// Number of nonholonomic constraints.
    fn nonholonomic(&self) -> usize;
    /// Number of constraints of both kinds.
    fn constraints(&self) -> usize {
        self.holonomic() + self.nonholonomic()
    }
    /// Writes `H(q) v`.
    fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]);
    /// See [`MechanicalModel::retract`].
    fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
    /// Writes `M(q)`, `n_v × n_v`.
    fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>);
    /// Writes `D(t, q, v)`.
    fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]);
    /// Writes `(Γ(t, q, v) ; Φ(t, q))`.
    fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);
    /// Writes `(Γ(t, q, v) ; dΦ/dt)`, the constraints at velocity level.
    fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);
    /// Writes `J = (∂Γ/∂v ; ∂Φ/∂q H)`, `n_c × n_v`.
    fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>);
    /// Writes what the time derivative of the velocity constraints is at `v' = 0`, so that the constraints at
    /// acceleration level read `J v' + bias = 0`.
    fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]);
    /// Total energy, J.
    fn energy(&mut self, q: &[S], v: &[S]) -> S;
}

/// A [`MechanicalModel`] as [`Mechanics`]: derivatives by dual numbers, exact to roundoff.
///
/// Scratch memory is made once, so that no evaluation allocates.
pub struct MechanicsOf<'m, M, S: Scalar = f64> {
    model: &'m M,
    q: Vec<Dual<S>>,
    v: Vec<Dual<S>>,
    rate: Vec<S>,
    direction: Vec<S>,
    holonomic: Vec<Dual<S>>,
    nonholonomic: Vec<Dual<S>>,
    q_second: Vec<Dual<Dual<S>>>,
    holonomic_second: Vec<Dual<Dual<S>>>,
    rate_dual: Vec<Dual<S>>,
}

impl<'m, M: MechanicalModel, S: Scalar> MechanicsOf<'m, M, S> {
    /// Wraps a model.
    pub fn new(model: &'m M) -> Self {
        let zero = S::nought();
        let dual = Dual::new(zero, zero);
        let second = Dual::new(dual, dual);
        let (nq, nv) = (model.coordinates(), model.velocities());
        Self {
            model,
            q: vec![dual; nq],
            v: vec![dual; nv],
            rate: vec![zero; nq],
            direction: vec![zero; nv],
            holonomic: vec![dual; model.holonomic()],
            nonholonomic: vec![dual; model.nonholonomic()],
            q_second: vec![second; nq],
            holonomic_second: vec![second; model.holonomic()],
            rate_dual: vec![dual; nq],
        }
    }

    fn lift(target: &mut [Dual<S>], value: &[S], direction: impl Fn(usize) -> S) {
        for (i, (target, &value)) in target.iter_mut().zip(value).enumerate() {
            *target = Dual::new(value, direction(i));
        }
    }
}

impl<M: MechanicalModel, S: Scalar> Mechanics<S> for MechanicsOf<'_, M, S> {
    fn coordinates(&self) -> usize {
        self.model.coordinates()
    }
    fn velocities(&self) -> usize {
        self.model.velocities()
    }
    fn holonomic(&self) -> usize {
        self.model.holonomic()
    }
    fn nonholonomic(&self) -> usize {
        self.model.nonholonomic()
    }
    fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]) {
        self.model.position_rate(q, v, q_rate);
    }
    fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.model.retract(q, delta, moved);
    }
    fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>) {
        mass.fill(S::nought());
        self.model.mass(q, mass);
    }
    fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        self.model.forces(t, q, v, forces);
    }
    fn energy(&mut self, q: &[S], v: &[S]) -> S {
        self.model.energy(q, v)
    }

    fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi) = values.split_at_mut(self.model.nonholonomic());
        self.model.nonholonomic_constraints(t, q, v, gamma);
        self.model.holonomic_constraints(t, q, phi);
    }

    fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi_rate) = values.split_at_mut(self.model.nonholonomic());
        self.model.nonholonomic_constraints(t, q, v, gamma);
        if phi_rate.is_empty() {
            return;
        }
        // One evaluation of Φ along (1, H v).
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        self.model.holonomic_constraints(Dual::new(t, S::from(1.0)), &self.q, &mut self.holonomic);
        for (rate, phi) in phi_rate.iter_mut().zip(&self.holonomic) {
            *rate = phi.eps;
        }
    }

    fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>) {
        let nonholonomic = self.model.nonholonomic();
        let (zero, one) = (S::nought(), S::from(1.0));
        let time = Dual::new(t, zero);
        for j in 0..self.model.velocities() {
            if nonholonomic > 0 {
                Self::lift(&mut self.q, q, |_| zero);
                Self::lift(&mut self.v, v, |i| if i == j { one } else { zero });
                self.model.nonholonomic_constraints(time, &self.q, &self.v, &mut self.nonholonomic);
                for (i, gamma) in self.nonholonomic.iter().enumerate() {
                    jacobian[(i, j)] = gamma.eps;
                }
            }
            if self.holonomic.is_empty() {
                continue;
            }
            self.direction.fill(zero);
            self.direction[j] = one;
            self.model.position_rate(q, &self.direction, &mut self.rate);
            let rate = &self.rate;
            Self::lift(&mut self.q, q, |i| rate[i]);
            self.model.holonomic_constraints(time, &self.q, &mut self.holonomic);
            for (i, phi) in self.holonomic.iter().enumerate() {
                jacobian[(nonholonomic + i, j)] = phi.eps;
            }
        }
    }

    fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]) {
        let (zero, one) = (S::nought(), S::from(1.0));
        let (gamma_rate, phi_second) = bias.split_at_mut(self.model.nonholonomic());
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        Self::lift(&mut self.v, v, |_| zero);
        if !gamma_rate.is_empty() {
            self.model.nonholonomic_constraints(Dual::new(t, one), &self.q, &self.v, &mut self.nonholonomic);
            for (rate, gamma) in gamma_rate.iter_mut().zip(&self.nonholonomic) {
                *rate = gamma.eps;
            }
        }
        if phi_second.is_empty() {
            return;
        }
        // Second derivative of Φ along the path with q' = H(q) v, v constant: the outer dual carries the
        // direction H(q) v, and its derivative along the same path.
        self.model.position_rate(&self.q, &self.v, &mut self.rate_dual);
        for ((second, &inner), &rate) in self.q_second.iter_mut().zip(&self.q).zip(&self.rate_dual) {
            *second = Dual::new(inner, rate);
        }
        let time = Dual::new(Dual::new(t, one), Dual::new(one, zero));
        self.model.holonomic_constraints(time, &self.q_second, &mut self.holonomic_second);
        for (bias, phi) in phi_second.iter_mut().zip(&self.holonomic_second) {
            *bias = phi.eps.eps;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// A bead on a moving parabola with a made-up nonholonomic row, chosen so that every term of the
    /// derivatives is present.
    struct Bead;
    impl MechanicalModel for Bead {
        fn coordinates(&self) -> usize {
            2
        }
        fn holonomic(&self) -> usize {
            1
        }
        fn nonholonomic(&self) -> usize {
            1
        }
        fn mass<S: Scalar>(&self, _q: &[S], mass: &mut DMatrix<S>) {
            mass.fill_with_identity();
        }
        fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
            forces.fill(S::nought());
        }
        fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
            phi[0] = q[1] - q[0] * q[0] * t;
        }
        fn nonholonomic_constraints<S: Scalar>(&self, t: S, q: &[S], v: &[S], gamma: &mut [S]) {
            gamma[0] = v[0] * q[1] * t - v[1] * v[1];
        }
        fn energy<S: Scalar>(&self, _q: &[S], v: &[S]) -> S {
            (v[0] * v[0] + v[1] * v[1]) * 0.5
        }
    }

    #[test]
    fn derivatives_are_those_found_by_hand() {
        let (t, q, v) = (0.7, [1.1, 0.4], [0.3, -0.8]);
        let mut mechanics = MechanicsOf::<_, f64>::new(&Bead);
        let mut w = [0.0; 2];
        mechanics.velocity_constraints(t, &q, &v, &mut w);
        assert_relative_eq!(w[0], v[0] * q[1] * t - v[1] * v[1]);
        assert_relative_eq!(w[1], v[1] - 2.0 * q[0] * v[0] * t - q[0] * q[0], max_relative = 1e-15);

        let mut jacobian = DMatrix::zeros(2, 2);
        mechanics.constraint_jacobian(t, &q, &v, &mut jacobian);
        let expected = DMatrix::from_row_slice(2, 2, &[q[1] * t, -2.0 * v[1], -2.0 * q[0] * t, 1.0]);
        assert_relative_eq!(jacobian, expected, max_relative = 1e-15);

        let mut bias = [0.0; 2];
        mechanics.acceleration_bias(t, &q, &v, &mut bias);
        assert_relative_eq!(bias[0], v[0] * v[1] * t + v[0] * q[1], max_relative = 1e-15);
        assert_relative_eq!(bias[1], -2.0 * v[0] * v[0] * t - 4.0 * q[0] * v[0], max_relative = 1e-15);
    }
}
