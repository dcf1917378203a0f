//! Constrained mechanics in their index-3 form.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Counted, CountedMechanics, Derivatives, Failure, Terms};
use nalgebra::{Complex, ComplexField, DMatrix};

use super::equations::Equations;
use super::factors::Factors;

/// ```text
/// q' = v,   v' = w,   0 = D(t, q, v) + Jᵀ λ − M(q) w,   0 = Φ(t, q)
/// ```
///
/// with positions of index 1, velocities of index 2, accelerations `w` and multipliers of index 3 (Hairer, Wanner, section
/// VII.7; so is Andrews' squeezer posed in the test set for IVP solvers). `w` makes the matrix before the rates constant.
///
/// The unknowns stand as `(q, v, w, λ)`. Of a system with `γ M − J` and a right-hand side `(r₁, r₂, r₃, r₄)`, `q` and `v` are
/// eliminated: with `s = 1/γ`, `C = ∂D/∂v` and `K = ∂(M w − D − Jᵀ λ)/∂q`,
///
/// ```text
/// ( M − s C + s² K   −Jᵀ ) (Δw)   ( r₃ − K (s r₁ + s² r₂) + s C r₂ )
/// ( J                 0  ) (Δλ) = ( −γ² r₄ − J (γ r₁ + r₂)         )
/// Δv = s (Δw + r₂),   Δq = s (Δv + r₁)
/// ```
pub(super) struct IndexThree {
    /// Terms at a stage.
    terms: Terms<f64>,
    /// Terms and derivatives at the point of linearisation.
    point: Terms<f64>,
    derivatives: Derivatives<f64>,
    /// `K`.
    stiffness: DMatrix<f64>,
    real: Condensed<f64>,
    complex: Condensed<Complex<f64>>,
}

/// The condensed system for one of the eigenvalues.
struct Condensed<T: ComplexField> {
    /// `γ`, 1/s.
    gamma: T,
    factors: Factors<T>,
    /// `r₁` and `r₂`.
    kinematic: [Vec<T>; 2],
}

impl IndexThree {
    /// For the mechanics of `problem`, none where it has none; derivatives are looked for at `(t, q)`.
    pub(super) fn new(problem: &mut Counted<'_>, t: f64, q: &[f64]) -> Option<Self> {
        let mut mechanics = problem.mechanics()?;
        let (n, m) = (mechanics.coordinates(), mechanics.holonomic());
        Some(Self {
            terms: Terms::new(n, m),
            point: Terms::new(n, m),
            derivatives: Derivatives::new(n, m, mechanics.structure(t, q)),
            stiffness: DMatrix::zeros(n, n),
            real: Condensed::new(n, m),
            complex: Condensed::new(n, m),
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }
}

impl<T: ComplexField<RealField = f64> + Copy> Condensed<T> {
    fn new(n: usize, m: usize) -> Self {
        let zeros = || vec![T::zero(); n];
        Self { gamma: T::one(), factors: Factors::new(n + m), kinematic: [zeros(), zeros()] }
    }

    /// Forms and factorises the matrix for `gamma`.
    fn factorise(
        &mut self,
        gamma: T,
        point: &Terms<f64>,
        damping: &DMatrix<f64>,
        stiffness: &DMatrix<f64>,
    ) -> Result<(), Singular> {
        self.gamma = gamma;
        let (n, s) = (damping.nrows(), T::one() / gamma);
        let square = s * s;
        let (size, constraints) = (self.factors.x.len(), point.constraints.len());
        let (left, right) = self.factors.matrix.as_mut_slice().split_at_mut(n * size);
        for (j, column) in left.chunks_mut(size).enumerate() {
            let (upper, lower) = column.split_at_mut(n);
            let terms = columns_of(&point.mass, j).iter().zip(columns_of(damping, j)).zip(columns_of(stiffness, j));
            for (entry, ((&mass, &damping), &stiffness)) in upper.iter_mut().zip(terms) {
                *entry = T::from_real(mass) - s.scale(damping) + square.scale(stiffness);
            }
            for (entry, &derivative) in lower.iter_mut().zip(columns_of(&point.jacobian, j)) {
                *entry = T::from_real(derivative);
            }
        }
        for (k, column) in right.chunks_mut(size).enumerate() {
            let row = point.jacobian.as_slice()[k..].iter().step_by(constraints);
            let (upper, lower) = column.split_at_mut(n);
            upper.iter_mut().zip(row).for_each(|(entry, &derivative)| *entry = T::from_real(-derivative));
            lower.fill(T::zero());
        }
        self.factors.factorise()
    }

    /// Solves for the right-hand side that `kinematic` and the right-hand side of `factors` hold as it stands; they then hold
    /// `(Δq, Δv)` and `(Δw, Δλ)`.
    fn solve(&mut self, jacobian: &DMatrix<f64>, damping: &DMatrix<f64>, stiffness: &DMatrix<f64>) {
        let Self { gamma, factors, kinematic: [first, second] } = self;
        let (n, gamma) = (first.len(), *gamma);
        let s = T::one() / gamma;
        let square = gamma * gamma;
        let x = factors.x.as_mut_slice();
        x[n..].iter_mut().for_each(|row| *row *= -square);
        let (dynamics, constraints) = x.split_at_mut(n);
        for (j, (&first, &second)) in first.iter().zip(second.iter()).enumerate() {
            let displacement = s * (first + s * second);
            let rate = s * second;
            let terms = columns_of(damping, j).iter().zip(columns_of(stiffness, j));
            for (row, (&damping, &stiffness)) in dynamics.iter_mut().zip(terms) {
                *row += rate.scale(damping) - displacement.scale(stiffness);
            }
            let along = gamma * first + second;
            for (row, &entry) in constraints.iter_mut().zip(columns_of(jacobian, j)) {
                *row -= along.scale(entry);
            }
        }
        factors.solve();
        for ((first, second), &acceleration) in first.iter_mut().zip(second).zip(factors.x.as_slice()) {
            *second = s * (acceleration + *second);
            *first = s * (*second + *first);
        }
    }
}

/// Column `j` of a matrix.
fn columns_of(matrix: &DMatrix<f64>, j: usize) -> &[f64] {
    &matrix.as_slice()[j * matrix.nrows()..][..matrix.nrows()]
}

impl Equations for IndexThree {
    fn indices(&self) -> [usize; 3] {
        let n = self.coordinates();
        [n, n, n + self.multipliers()]
    }

    fn state(&self) -> usize {
        2 * self.coordinates()
    }

    fn multipliers(&self) -> usize {
        self.terms.constraints.len()
    }

    /// Accelerations and multipliers from the constraints at acceleration level.
    fn start(&mut self, problem: &mut Counted<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at_mut(2 * n);
        let mut rates = vec![0.0; 2 * n + rest.len() - n];
        let consistent = problem.with_dae(|dae| dae.consistent(t, &[], state, &mut rates));
        consistent.map_err(|unsuitable| Failure::NotApplicable { reason: unsuitable.to_string() })??;
        rest.copy_from_slice(&rates[n..]);
        Ok(())
    }

    fn rhs(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at(2 * n);
        let (q, v) = state.split_at(n);
        let (w, lambda) = rest.split_at(n);
        mechanics(problem)?.terms(t, q, v, &mut self.terms);
        f[..n].copy_from_slice(v);
        f[n..2 * n].copy_from_slice(w);
        let (dynamics, constraints) = f[2 * n..].split_at_mut(n);
        self.terms.dynamics(w, lambda, dynamics);
        dynamics.iter_mut().for_each(|row| *row = -*row);
        constraints.copy_from_slice(&self.terms.constraints);
        Ok(())
    }

    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], _f: &[f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at(2 * n);
        let (q, v) = state.split_at(n);
        let (w, lambda) = rest.split_at(n);
        let Self { point, derivatives, stiffness, .. } = self;
        mechanics(problem)?.linearisation(t, q, v, point, derivatives);
        stiffness.zip_apply(&derivatives.forces_by_position, |entry, by_position| *entry = -by_position);
        derivatives.add_inertia(1.0, w, stiffness);
        derivatives.add_curvature(-1.0, lambda, stiffness);
        Ok(())
    }

    fn linearisation_cost(&self) -> u64 {
        1
    }

    fn factorise(&mut self, real: f64, complex: Complex<f64>) -> Result<(), Singular> {
        let Self { point, derivatives, stiffness, .. } = self;
        self.real.factorise(real, point, &derivatives.forces_by_velocity, stiffness)?;
        self.complex.factorise(complex, point, &derivatives.forces_by_velocity, stiffness)
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        let state = self.state();
        product[..state].copy_from_slice(&x[..state]);
        product[state..].fill(0.0);
    }

    fn solve_real(&mut self, x: &mut [f64]) {
        let Self { point, derivatives, stiffness, real, .. } = self;
        let n = stiffness.nrows();
        for (block, x) in real.blocks().into_iter().zip([0..n, n..2 * n, 2 * n..x.len()].map(|range| &x[range])) {
            block.copy_from_slice(x);
        }
        real.solve(&point.jacobian, &derivatives.forces_by_velocity, stiffness);
        let [first, second, rest] = real.blocks();
        x[..n].copy_from_slice(first);
        x[n..2 * n].copy_from_slice(second);
        x[2 * n..].copy_from_slice(rest);
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        let Self { point, derivatives, stiffness, complex, .. } = self;
        let mut parts = re.iter().zip(im.iter());
        for entry in complex.blocks().into_iter().flatten() {
            let Some((&re, &im)) = parts.next() else { break };
            *entry = Complex::new(re, im);
        }
        complex.solve(&point.jacobian, &derivatives.forces_by_velocity, stiffness);
        let mut parts = re.iter_mut().zip(im);
        for entry in complex.blocks().into_iter().flatten() {
            let Some((re, im)) = parts.next() else { break };
            (*re, *im) = (entry.re, entry.im);
        }
    }
}

impl<T: ComplexField> Condensed<T> {
    /// Right-hand side or solution, in the order of the unknowns.
    fn blocks(&mut self) -> [&mut [T]; 3] {
        let [first, second] = &mut self.kinematic;
        [first, second, self.factors.x.as_mut_slice()]
    }
}

fn mechanics<'c>(problem: &'c mut Counted<'_>) -> Result<CountedMechanics<'c>, Failure> {
    let lost = || Failure::NotApplicable { reason: "the problem has lost its mechanical system".to_owned() };
    problem.mechanics().ok_or_else(lost)
}
