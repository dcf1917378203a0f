//! The index-1 form: accelerations from the constraints at acceleration level.

mod jacobian;
mod reduction;
mod sparse;

use nalgebra::DMatrix;

use jacobian::Linearised;
use sparse::SparseAccelerations;

use crate::linalg::{Block, Lu, add_columns, multiply};
use crate::ode::no_jacobian;
use crate::scalar::is_double;
use crate::{
    ClosedTerms, Dimensions, Failure, Form, Matrices, Mechanics, Ode, Properties, Scalar, Tangent, TangentMatrices,
};

/// Mechanics as `y' = f(t, y)` with `y = (q ; v)`:
///
/// ```text
/// q' = H v,   M v' = D + Jᵀ λ,   J M⁻¹ Jᵀ λ = −(J M⁻¹ D + bias)
/// ```
///
/// The constraints hold only as far as the initial state satisfies them and the method's error allows; there is no
/// stabilisation. The right-hand side uses the model's own elimination if there is one
/// ([`ClosedForm::accelerations`](crate::ClosedForm::accelerations)); derivatives always use the matrices.
pub struct AccelerationLevel<'m, S: Scalar = f64> {
    mechanics: Box<dyn Mechanics<S> + 'm>,
    memory: Memory<S>,
    lambda: Vec<S>,
    /// Allocated when the first derivative is requested.
    linearised: Option<Linearised<S>>,
    /// The rate at the start of a step, if contacts may limit steps.
    rate: Option<Vec<S>>,
}

/// The matrices from which accelerations are computed.
struct Memory<S: Scalar> {
    multipliers: Multipliers<S>,
    grammian: Lu<S>,
    /// Replaces both of the above for mechanisms with many bodies.
    sparse: Option<SparseAccelerations<S>>,
}

impl<S: Scalar> Memory<S> {
    fn new(mechanics: &mut dyn Mechanics<S>, matrices: Matrices) -> Self {
        let sparse = SparseAccelerations::of(mechanics, matrices);
        let dense = |size: usize| if sparse.is_some() { 0 } else { size };
        let (velocities, constraints) =
            (dense(mechanics.dimensions().velocities), dense(mechanics.dimensions().constraints()));
        let (multipliers, grammian) = (Multipliers::new(velocities, constraints), Lu::new(constraints));
        Self { multipliers, grammian, sparse }
    }
}

/// Accelerations and multipliers at a state, with the matrices from which they follow.
///
/// Shared by the adaptors that need `W = M⁻¹ Jᵀ` and `J W` (acceleration level, sliding mode).
#[derive(Debug, Clone)]
pub struct Multipliers<S> {
    mass: DMatrix<S>,
    mass_factors: Lu<S>,
    /// Constraint Jacobian `J`, `n_c × n_v`.
    pub jacobian: DMatrix<S>,
    /// `M⁻¹ Jᵀ`, `n_v × n_c`.
    pub weights: DMatrix<S>,
    /// `J M⁻¹ Jᵀ`, `n_c × n_c`.
    pub grammian: DMatrix<S>,
    /// `M⁻¹ D`, the accelerations without constraint forces.
    pub free_acceleration: Vec<S>,
    /// `J M⁻¹ D`, length `n_c`.
    pub constrained_acceleration: Vec<S>,
    /// Rows of `(M⁻¹ Jᵀ, M⁻¹ D)`, which are solved for together if there are few constraints.
    rows: Vec<Block<S>>,
}

/// The failure for a matrix that cannot be factorized. It distinguishes a singular matrix from a trial step that has
/// run off to infinity.
pub(crate) fn not_invertible<S: Scalar>(is_finite: bool, time: S, name: &'static str) -> Failure {
    let time = time.value();
    if is_finite { Failure::SingularMatrix { time, matrix: name } } else { Failure::NonFinite { time } }
}

/// True if all entries are finite.
pub(crate) fn is_finite<S: Scalar>(matrix: &DMatrix<S>) -> bool {
    matrix.iter().all(|entry| entry.is_finite())
}

impl<S: Scalar> Multipliers<S> {
    /// Memory for a system with these numbers of velocities and constraints.
    pub fn new(velocities: usize, constraints: usize) -> Self {
        let zeros = |rows, columns| DMatrix::from_element(rows, columns, S::zero());
        Self {
            mass: zeros(velocities, velocities),
            mass_factors: Lu::new(velocities),
            jacobian: zeros(constraints, velocities),
            weights: zeros(velocities, constraints),
            grammian: zeros(constraints, constraints),
            free_acceleration: vec![S::zero(); velocities],
            constrained_acceleration: vec![S::zero(); constraints],
            rows: vec![[S::zero(); 8]; velocities],
        }
    }

    /// Evaluates all matrices and vectors at `(t, q, v)`, and writes the accelerations of the constraints at `v' = 0`
    /// into `bias`; see [`Mechanics::acceleration_bias`].
    ///
    /// # Errors
    /// Fails with [`Failure::SingularMatrix`] if the mass matrix is singular, and with [`Failure::NonFinite`] if it
    /// is not finite.
    pub fn evaluate(
        &mut self,
        mechanics: &mut dyn Mechanics<S>,
        t: S,
        q: &[S],
        v: &[S],
        bias: &mut [S],
    ) -> Result<(), Failure> {
        let Self { mass, jacobian, free_acceleration: forces, constrained_acceleration: constraints, .. } = self;
        if let Some(closed) = mechanics.closed_form() {
            closed.terms(q, v, ClosedTerms { mass, forces, constraints, jacobian, bias });
        } else {
            mechanics.forces(t, q, v, forces);
            mechanics.mass(q, mass);
            mechanics.constraint_jacobian(t, q, v, jacobian);
            mechanics.acceleration_bias(t, q, v, bias);
        }
        self.mass_factors.factorize(&self.mass).map_err(|_| not_invertible(is_finite(&self.mass), t, "mass matrix"))?;
        if !self.reduce_together() {
            self.reduce();
        }
        Ok(())
    }

    /// Turns the forces in `free_acceleration` into accelerations, and computes the quantities that follow from mass,
    /// forces and `J`.
    fn reduce(&mut self) {
        self.mass_factors.solve(&mut self.free_acceleration);
        let (n, constraints) = (self.jacobian.ncols(), self.jacobian.nrows());
        if n == 0 || constraints == 0 {
            return;
        }
        multiply(&self.jacobian, &self.free_acceleration, &mut self.constrained_acceleration);
        let jacobian = self.jacobian.as_slice();
        let weights = self.weights.as_mut_slice().chunks_mut(n);
        let grammian = self.grammian.as_mut_slice().chunks_mut(constraints);
        for (c, (weights, grammian)) in weights.zip(grammian).enumerate() {
            for (weight, &entry) in weights.iter_mut().zip(jacobian[c..].iter().step_by(constraints)) {
                *weight = entry;
            }
            self.mass_factors.solve(weights);
            grammian.fill(S::zero());
            for (&weight, column) in weights.iter().zip(jacobian.chunks(constraints)) {
                for (sum, &entry) in grammian.iter_mut().zip(column) {
                    *sum += entry * weight;
                }
            }
        }
    }
}

impl<'m, S: Scalar> AccelerationLevel<'m, S> {
    /// Wraps a mechanical system.
    pub fn new(mut mechanics: impl Mechanics<S> + 'm) -> Self {
        let memory = Memory::new(&mut mechanics, Matrices::default());
        let lambda = vec![S::zero(); mechanics.dimensions().constraints()];
        let Dimensions { coordinates, velocities, .. } = mechanics.dimensions();
        let rate = mechanics.has_gaps().then(|| vec![S::zero(); coordinates + velocities]);
        Self { lambda, memory, linearised: None, rate, mechanics: Box::new(mechanics) }
    }

    /// Constraint multipliers λ of the last evaluation of the right-hand side.
    pub fn multipliers(&self) -> &[S] {
        &self.lambda
    }

    /// Writes `f(t, y)`; keeps the multipliers and factors of this state.
    fn accelerate(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.mechanics.dimensions().coordinates);
        let (q_rate, v_rate) = dydt.split_at_mut(self.mechanics.dimensions().coordinates);
        self.mechanics.position_rate(q, v, q_rate);
        if let Some(sparse) = &mut self.memory.sparse {
            return sparse.solve(&mut *self.mechanics, t, (q, v), v_rate, &mut self.lambda);
        }
        self.memory.multipliers.evaluate(&mut *self.mechanics, t, q, v, &mut self.lambda)?;
        v_rate.copy_from_slice(&self.memory.multipliers.free_acceleration);
        if self.lambda.is_empty() {
            return Ok(());
        }
        self.memory
            .grammian
            .factorize(&self.memory.multipliers.grammian)
            .map_err(|_| not_invertible(is_finite(&self.memory.multipliers.grammian), t, "J M⁻¹ Jᵀ"))?;
        for (lambda, &product) in self.lambda.iter_mut().zip(&self.memory.multipliers.constrained_acceleration) {
            *lambda = -(*lambda + product);
        }
        self.memory.grammian.solve(&mut self.lambda);
        add_columns(&self.memory.multipliers.weights, &self.lambda, v_rate);
        Ok(())
    }
}

impl<S: Scalar> Ode<S> for AccelerationLevel<'_, S> {
    fn dimension(&self) -> usize {
        let Dimensions { coordinates, velocities, .. } = self.mechanics.dimensions();
        coordinates + velocities
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::Mechanics(&mut *self.mechanics)
    }

    fn check_start(&mut self, t: S, y: &[S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.mechanics.dimensions().coordinates);
        self.mechanics.check_start(t, q, v)
    }

    fn cause(&mut self, reported: Option<Failure>) -> Option<Failure> {
        self.mechanics.cause(reported)
    }

    fn step_limit(&mut self, t: S, y: &[S]) -> f64 {
        let Some(mut rate) = self.rate.take() else { return f64::INFINITY };
        let made = self.rhs(t, y, &mut rate);
        let first = self.mechanics.dimensions().coordinates;
        let (q, v) = y.split_at(first);
        let limit = made.map_or(f64::INFINITY, |()| self.mechanics.step_limit(q, v, &rate[first..]));
        self.rate = Some(rate);
        limit
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.mechanics.dimensions().coordinates);
        let (q_rate, v_rate) = dydt.split_at_mut(self.mechanics.dimensions().coordinates);
        if let Some(closed) = self.mechanics.closed_form()
            && closed.accelerations(q, v, v_rate, &mut self.lambda)
        {
            self.mechanics.position_rate(q, v, q_rate);
            return Ok(());
        }
        self.accelerate(t, y, dydt)
    }

    fn properties(&self) -> Properties<'_, S> {
        let is_plain = self.mechanics.dimensions().nonholonomic == 0 && self.mechanics.has_vector_coordinates();
        let is_autonomous = self.mechanics.is_autonomous();
        Properties { has_jacobian: is_plain && is_double::<S>(), is_autonomous, ..Properties::default() }
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.with_linearised(|ode, linearised| linearised.jacobian(ode, t, y, jacobian))
    }

    fn keep_matrices(&mut self, matrices: Matrices) -> bool {
        self.mechanics.keep_matrices(matrices);
        (self.memory, self.linearised) = (Memory::new(&mut *self.mechanics, matrices), None);
        true
    }

    fn tangent(&mut self) -> Option<Tangent<S>> {
        let is_sparse = self.memory.sparse.is_some() && self.mechanics.has_vector_coordinates();
        is_sparse.then(|| Tangent::Matrices(TangentMatrices::new(self.mechanics.structure())))
    }

    fn linearise(&mut self, t: S, y: &[S], tangent: &mut Tangent<S>) -> Result<(), Failure> {
        let Tangent::Matrices(matrices) = tangent else { return Err(no_jacobian()) };
        self.with_linearised(|ode, linearised| linearised.tangent(ode, t, y, matrices))
    }

    fn rhs_and_jacobian(&mut self, t: S, y: &[S], dydt: &mut [S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.with_linearised(|ode, linearised| {
            linearised.jacobian(ode, t, y, jacobian)?;
            dydt.copy_from_slice(&linearised.rate);
            Ok(())
        })
    }

    fn time_derivative(&mut self, t: S, y: &[S], rate: &mut [S]) -> Result<(), Failure> {
        self.with_linearised(|ode, linearised| linearised.time_derivative(ode, t, y, rate))
    }
}
