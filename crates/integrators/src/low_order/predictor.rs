//! What the step formulas have in common: the end of the step as a linear function of an acceleration.

use nalgebra::{Complex, DMatrix, Matrix3};

use crate::implicit::LinearMultistep;

/// A discretisation of `q' = v`, `v' = a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discretisation {
    /// Newmark's formulas (negrut2007, Eqs. 1 and 2).
    Newmark {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
    },
    /// Second-order BDF for both equations (negrut2007, Eqs. 8 and 9); first-order BDF in the first step.
    Bdf,
}

impl Discretisation {
    /// The formulas of Hilber, Hughes and Taylor: `β = (1 − α)²/4`, `γ = 1/2 − α`.
    pub fn hht(alpha: f64) -> Self {
        Self::Newmark { beta: 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma: 0.5 - alpha }
    }

    /// The [amplification matrix](mbsbench_problem::Method::amplification) without constraints, with the equations of motion
    /// `M a = (1+α) f₁ − α f₀`: that of BDF2 on `x′ = iωx`, or what takes `(x, h v, h² a)` to the end of the step. There,
    /// with `w = ωh`,
    ///
    /// ```text
    /// h² a₁ = −(1+α) w² x₁ + α w² x₀,   x₁ = x₀ + h v₀ + h² ((1/2 − β) a₀ + β a₁),   v₁ = v₀ + h ((1−γ) a₀ + γ a₁)
    /// ```
    pub fn amplification(self, alpha: f64, omega_h: f64) -> DMatrix<Complex<f64>> {
        let (beta, gamma) = match self {
            Self::Newmark { beta, gamma } => (beta, gamma),
            Self::Bdf => return LinearMultistep::lms2(0.0).amplification(Complex::new(0.0, omega_h)),
        };
        let square = omega_h * omega_h;
        let end = Matrix3::new(1.0, 0.0, -beta, 0.0, 1.0, -gamma, (1.0 + alpha) * square, 0.0, 1.0);
        let start = Matrix3::new(1.0, 1.0, 0.5 - beta, 0.0, 1.0, 1.0 - gamma, alpha * square, 0.0, 0.0);
        let matrix = end.lu().solve(&start).expect("the determinant is 1 + β (1+α) w²");
        DMatrix::from_fn(3, 3, |i, j| Complex::new(matrix[(i, j)], 0.0))
    }
}

/// `q₁ = q̂ + c_q a`, `v₁ = v̂ + c_v a` with what came before the step.
#[derive(Debug, Clone)]
pub struct Predictor {
    discretisation: Discretisation,
    /// Step size, s.
    pub h: f64,
    /// q̂.
    pub q: Vec<f64>,
    /// v̂.
    pub v: Vec<f64>,
    /// c_q, s².
    pub by_position: f64,
    /// c_v, s.
    pub by_velocity: f64,
    /// The state at the start of the step.
    pub start: [Vec<f64>; 2],
    before: [Vec<f64>; 2],
    steps: u64,
}

impl Predictor {
    /// At the initial state.
    pub fn new(discretisation: Discretisation, q: &[f64], v: &[f64]) -> Self {
        let state = [q.to_vec(), v.to_vec()];
        Self {
            discretisation,
            h: 0.0,
            q: q.to_vec(),
            v: v.to_vec(),
            by_position: 0.0,
            by_velocity: 0.0,
            before: state.clone(),
            start: state,
            steps: 0,
        }
    }

    /// Predicts for a step of size `h` from an acceleration `a` at its start (of Newmark's formulas; BDF has none).
    pub fn predict(&mut self, h: f64, a: &[f64]) {
        self.h = h;
        let [q, v] = &self.start;
        match self.discretisation {
            Discretisation::Newmark { beta, gamma } => {
                (self.by_position, self.by_velocity) = (beta * h * h, gamma * h);
                let (to_q, to_v) = (h * h * (0.5 - beta), h * (1.0 - gamma));
                for i in 0..q.len() {
                    self.q[i] = q[i] + h * v[i] + to_q * a[i];
                    self.v[i] = v[i] + to_v * a[i];
                }
            }
            Discretisation::Bdf => {
                let [q_before, v_before] = &self.before;
                let (new, old, c) = if self.steps == 0 { (1.0, 0.0, h) } else { (4.0 / 3.0, 1.0 / 3.0, h * 2.0 / 3.0) };
                (self.by_position, self.by_velocity) = (c * c, c);
                for i in 0..q.len() {
                    self.v[i] = new * v[i] - old * v_before[i];
                    self.q[i] = new * q[i] - old * q_before[i] + c * self.v[i];
                }
            }
        }
    }

    /// Writes the end of the step for a position-level acceleration `a` and a velocity-level one `a + e`.
    pub fn end(&self, a: &[f64], e: Option<&[f64]>, q: &mut [f64], v: &mut [f64]) {
        for i in 0..a.len() {
            q[i] = self.q[i] + self.by_position * a[i];
            v[i] = self.v[i] + self.by_velocity * (a[i] + e.map_or(0.0, |e| e[i]));
        }
    }

    /// Makes the end of the step the start of the next.
    pub fn accept(&mut self, q: &[f64], v: &[f64]) {
        std::mem::swap(&mut self.before, &mut self.start);
        self.start[0].copy_from_slice(q);
        self.start[1].copy_from_slice(v);
        self.steps += 1;
    }
}
