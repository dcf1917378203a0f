//! One step of an explicit formula for second-order equations.

use mbsbench_problem::CountedContactPower;

/// An explicit formula for `q' = N(q) v`, `v' = a(t, q, v)` with one evaluation of the accelerations a step:
///
/// ```text
/// q₁ = q₀ ⊕ (h v₀ + γ h² a₀),   ṽ₁ = v₀ + h a₀,   a₁ = a(t₁, q₁, ṽ₁)
/// ```
///
/// where ⊕ adds vectors and turns unit quaternions by a rotation vector. Equation 16 ends with `v₁ = ṽ₁`; the
/// Störmer–Verlet method has `γ = 1/2` and ends with `v₁ = ṽ₁ + h/2 (a₁ − a₀)`. Both reuse `a₁` in the next step.
/// Forces that depend on velocities use `ṽ₁`, as in R. D. Groot, P. B. Warren, J. Chem. Phys. 107 (1997) 4423, Eq.
/// 18, with λ = 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formula {
    /// γ.
    gamma: f64,
    /// True if velocities are corrected at the end of the step, by the accelerations there.
    pub(super) corrects: bool,
}

impl Formula {
    /// The Störmer–Verlet method in velocity form: order 2, symplectic if forces are gradients.
    pub fn stormer_verlet() -> Self {
        Self { gamma: 0.5, corrects: true }
    }

    /// Equation 16 of modin2005 with `gamma` in place of 3/4: order 1.
    pub fn semi_explicit(gamma: f64) -> Self {
        Self { gamma, corrects: false }
    }

    /// Order of convergence of positions and velocities.
    pub fn order(self) -> u32 {
        if self.corrects { 2 } else { 1 }
    }

    /// Writes `(q₁ ; ṽ₁)` into `end` from `(q₀ ; v₀)` and `a₀`. `displacement` is scratch memory of the length of a
    /// velocity.
    pub(super) fn predict(
        self,
        problem: &mut CountedContactPower<'_>,
        h: f64,
        start: &[f64],
        accelerations: &[f64],
        displacement: &mut [f64],
        end: &mut [f64],
    ) {
        let (q0, v0) = start.split_at(start.len() - accelerations.len());
        let (q1, v1) = end.split_at_mut(q0.len());
        for (i, &a) in accelerations.iter().enumerate() {
            displacement[i] = h * v0[i] + self.gamma * h * h * a;
            v1[i] = v0[i] + h * a;
        }
        problem.displace(q0, displacement, q1);
    }

    /// Predicts as [`predict`](Self::predict) does, if positions are vectors whose rates are the velocities.
    pub(super) fn predict_vectors(self, h: f64, start: &[f64], accelerations: &[f64], end: &mut [f64]) {
        let (q0, v0) = start.split_at(accelerations.len());
        let (q1, v1) = end.split_at_mut(accelerations.len());
        let ends = q1.iter_mut().zip(v1);
        for (((q1, v1), (&q0, &v0)), &a) in ends.zip(q0.iter().zip(v0)).zip(accelerations) {
            *q1 = q0 + (h * v0 + self.gamma * h * h * a);
            *v1 = v0 + h * a;
        }
    }

    /// Corrects the predicted `ṽ₁` to `v₁`, with the accelerations `a₀` and `a₁`.
    pub(super) fn correct(self, h: f64, at_start: &[f64], at_end: &[f64], velocities: &mut [f64]) {
        if self.corrects {
            for (v, (&at_end, &at_start)) in velocities.iter_mut().zip(at_end.iter().zip(at_start)) {
                *v += 0.5 * h * (at_end - at_start);
            }
        }
    }
}
