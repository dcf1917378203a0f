//! Constrained mechanics as `M y' = f(t, y)` with a singular matrix, as in the test set for IVP solvers.

mod model;

use nalgebra::DMatrix;

use crate::dae::Index3;
use crate::linalg::{Matrix, add_product};
use crate::{
    AccelerationLevel, Class, Dae, Derivatives, Failure, MechanicalModel, Mechanics, MechanicsOf, Motion, Ode,
    Properties, Scalar, Terms, Unsuitable, parameters,
};

pub use model::{AsDescriptor, DescriptorModel};

parameters! {
    /// The form in which a method receives the equations of a constrained mechanism.
    #[derive(Copy, Default, Eq)]
    pub enum ConstrainedFormulation {
        /// `y = (q ; v)`. A method that supports constraints receives the mechanism with its constraints (index 3);
        /// all others receive the right-hand side at acceleration level (index 1, not stabilised).
        #[default]
        Mechanics,
        /// `M y' = f(t, y)` with constraints on positions. Unknowns include the multipliers and, if the mass matrix
        /// is not constant, the accelerations.
        Index3,
        /// As `index-3`, with constraints on velocities.
        Index2,
        /// As `index-3`, with constraints on accelerations, which are always unknowns.
        Index1,
    }
}

impl ConstrainedFormulation {
    /// The level of the constraints; none if the unknowns are `(q ; v)` only.
    fn level(self) -> Option<Level> {
        match self {
            Self::Mechanics => None,
            Self::Index3 => Some(Level::Position),
            Self::Index2 => Some(Level::Velocity),
            Self::Index1 => Some(Level::Acceleration),
        }
    }

    /// The equations of a model with vector coordinates and holonomic constraints.
    pub fn ode<S: Scalar, M: MechanicalModel>(self, model: &M) -> Box<dyn Ode<S> + '_> {
        let mechanics = MechanicsOf::new(model);
        match self.level() {
            None => Box::new(AccelerationLevel::new(mechanics)),
            Some(level) => Box::new(Self::descriptor(mechanics, level)),
        }
    }

    /// The initial state for `motion`, which is `(q ; v)` at time zero and satisfies the constraints. Accelerations
    /// and multipliers follow from the constraints on accelerations, and are NaN if these have no solution.
    pub fn initial_state<S: Scalar, M: MechanicalModel>(self, model: &M, motion: Vec<S>) -> Vec<S> {
        let Some(level) = self.level() else { return motion };
        Self::descriptor(MechanicsOf::new(model), level).complete(S::zero(), &motion)
    }

    /// The class of each component of the state.
    pub fn classes<M: MechanicalModel>(self, model: &M) -> Vec<Class> {
        let n = model.dimensions().coordinates;
        let motion = [vec![Class::Position; n], vec![Class::Velocity; n]].concat();
        let Some(level) = self.level() else { return motion };
        let descriptor = Self::descriptor(MechanicsOf::<_, f64>::new(model), level);
        let rest = descriptor.dimension() - motion.len();
        [motion, vec![Class::Multiplier; rest]].concat()
    }

    fn descriptor<'m, S: Scalar>(mechanics: impl Mechanics<S> + 'm, level: Level) -> Descriptor<'m, S> {
        Descriptor::new(mechanics, level).expect("a model with this choice has vectors and holonomic constraints")
    }
}

/// The derivative of the constraints that is one of the equations of a [`Descriptor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// `Φ = 0`: index 3.
    Position,
    /// `J v + Φ_t = 0`: index 2.
    Velocity,
    /// `J a + bias = 0`: index 1.
    Acceleration,
}

impl Level {
    /// The indices of positions, of velocities, and of accelerations and multipliers.
    pub fn indices(self) -> [u8; 3] {
        match self {
            Self::Position => [1, 2, 3],
            Self::Velocity => [1, 1, 2],
            Self::Acceleration => [1, 1, 1],
        }
    }
}

/// Mechanics with `y = (q, v, a, λ)`, for positions that are vectors and holonomic constraints:
///
/// ```text
/// q' = v,   v' = a,   0 = D(t, q, v) + Jᵀ λ − M(q) a,   0 = Φ, J v + Φ_t, or J a + bias
/// ```
///
/// If the mass matrix is constant and `a` is in no constraint, `y = (q, v, λ)` with `M v' = D + Jᵀ λ`. There is no
/// stabilisation. This form serves methods that solve `M y' = f(t, y)` without knowledge of mechanics. Methods that
/// use [`Form::Mechanics`](crate::Form::Mechanics) benefit from the structure, which is lost here.
pub struct Descriptor<'m, S: Scalar = f64> {
    mechanics: Box<dyn Mechanics<S> + 'm>,
    level: Level,
    /// The matrix that multiplies `y'`.
    mass: DMatrix<S>,
    indices: Vec<u8>,
    terms: Terms<S>,
    derivatives: Derivatives<S>,
    /// `∂(D + Jᵀ λ − M a)/∂q`.
    stiffness: Matrix<S>,
    /// Derivatives in positions with as many rows as there are constraints.
    rates: Matrix<S>,
}

impl<'m, S: Scalar> Descriptor<'m, S> {
    /// Wraps a mechanical system.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the system has nonholonomic constraints or positions that are not vectors.
    pub fn new(mut mechanics: impl Mechanics<S> + 'm, level: Level) -> Result<Self, Unsuitable> {
        Index3::suits(&mechanics)?;
        let structure = mechanics.structure();
        let (n, m) = (structure.dynamics.rows(), structure.jacobian.rows());
        let derivatives = Derivatives::new(&structure);
        let has_accelerations = level == Level::Acceleration || !derivatives.has_constant_mass();
        let [of_positions, of_velocities, of_others] = level.indices();
        let others = m + if has_accelerations { n } else { 0 };
        let indices = [vec![of_positions; n], vec![of_velocities; n], vec![of_others; others]].concat();
        let mut mass = DMatrix::from_element(indices.len(), indices.len(), S::zero());
        (0..2 * n).for_each(|i| mass[(i, i)] = S::from(1.0));
        if !has_accelerations {
            let mut of_mechanics = DMatrix::from_element(n, n, S::zero());
            mechanics.mass(&vec![S::zero(); n], &mut of_mechanics);
            mass.view_mut((n, n), (n, n)).copy_from(&of_mechanics);
        }
        Ok(Self {
            level,
            mass,
            indices,
            terms: Terms::of(&structure, false),
            derivatives,
            stiffness: Matrix::dense(n, n),
            rates: Matrix::dense(m, n),
            mechanics: Box::new(mechanics),
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }

    /// Number of accelerations among the unknowns.
    fn accelerations(&self) -> usize {
        self.indices.len() - 2 * self.coordinates() - self.terms.constraints.len()
    }

    fn split<'y>(&self, t: S, y: &'y [S]) -> Motion<'y, S> {
        let (q, rest) = y.split_at(self.coordinates());
        let (v, rest) = rest.split_at(self.coordinates());
        let (a, lambda) = rest.split_at(self.accelerations());
        Motion { t, q, v, a, lambda }
    }

    /// The state at time `t` (s) for `(q ; v)`. Accelerations and multipliers satisfy the constraints on
    /// accelerations, and are NaN if these have no solution.
    pub fn complete(&mut self, t: S, motion: &[S]) -> Vec<S> {
        let (n, accelerations) = (self.coordinates(), self.accelerations());
        let mut rates = vec![S::zero(); 2 * n + self.terms.constraints.len()];
        if Index3::new(&mut *self.mechanics).consistent(t, &[], motion, &mut rates).is_err() {
            rates.fill(S::from(f64::NAN));
        }
        let (a, lambda) = rates[n..].split_at(n);
        [motion, &a[..accelerations], lambda].concat()
    }
}

impl<S: Scalar> Ode<S> for Descriptor<'_, S> {
    fn dimension(&self) -> usize {
        self.indices.len()
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties {
            has_jacobian: true,
            is_autonomous: self.mechanics.is_autonomous(),
            mass: Some(&self.mass),
            indices: Some(&self.indices),
            ..Properties::default()
        }
    }

    fn rhs(&mut self, t: S, y: &[S], f: &mut [S]) -> Result<(), Failure> {
        let Motion { q, v, a, lambda, .. } = self.split(t, y);
        let Self { mechanics, terms, level, .. } = self;
        mechanics.terms(t, q, v, terms);
        let (kinematic, rest) = f.split_at_mut(q.len());
        kinematic.copy_from_slice(v);
        let (accelerations, rest) = rest.split_at_mut(a.len());
        accelerations.copy_from_slice(a);
        let (dynamic, constraints) = rest.split_at_mut(q.len());
        terms.all_forces(lambda, dynamic);
        if !a.is_empty() {
            terms.mass.add_product(S::from(-1.0), a, dynamic);
        }
        match level {
            Level::Position => constraints.copy_from_slice(&terms.constraints),
            Level::Velocity => constraints.copy_from_slice(&terms.constraint_rates),
            Level::Acceleration => {
                mechanics.acceleration_bias(t, q, v, constraints);
                terms.jacobian.add_product(S::from(1.0), a, constraints);
            }
        }
        Ok(())
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        let Motion { q, v, a, lambda, .. } = self.split(t, y);
        let (n, m, one) = (q.len(), lambda.len(), S::from(1.0));
        let Self { mechanics, terms, derivatives, stiffness, rates, level, .. } = self;
        mechanics.linearisation(t, q, v, terms, derivatives);
        stiffness.values_mut().copy_from_slice(derivatives.forces_by_position.values());
        derivatives.add_curvature(one, lambda, stiffness);
        // columns of accelerations and multipliers; rows of dynamics and constraints
        let (columns, multipliers) = (2 * n, 2 * n + a.len());
        let (dynamics, constraints) = (n + a.len(), 2 * n + a.len());
        jacobian.fill(S::zero());
        jacobian.view_mut((0, n), (n, n)).fill_diagonal(one);
        if !a.is_empty() {
            derivatives.add_inertia(-one, a, stiffness);
            jacobian.view_mut((n, columns), (n, n)).fill_diagonal(one);
            jacobian.view_mut((dynamics, columns), (n, n)).zip_apply(terms.mass.all(), |entry, mass| *entry = -mass);
        }
        jacobian.view_mut((dynamics, 0), (n, n)).copy_from(stiffness.all());
        jacobian.view_mut((dynamics, n), (n, n)).copy_from(derivatives.forces_by_velocity.all());
        for j in 0..n {
            for c in 0..m {
                jacobian[(dynamics + j, multipliers + c)] = terms.jacobian[(c, j)];
            }
        }
        let place = match level {
            Level::Position => 0,
            Level::Velocity => n,
            Level::Acceleration => 2 * n,
        };
        jacobian.view_mut((constraints, place), (m, n)).copy_from(terms.jacobian.all());
        if *level != Level::Position {
            derivatives.constraint_rates(v, rates);
            let factor = S::from(if *level == Level::Velocity { 1.0 } else { 2.0 });
            let mut block = jacobian.view_mut((constraints, place - n), (m, n));
            block.zip_apply(rates.all(), |entry, rate| *entry = rate * factor);
        }
        if *level == Level::Acceleration {
            mechanics.acceleration_constraint_derivatives(Motion { t, q, v, a, lambda }, rates);
            jacobian.view_mut((constraints, 0), (m, n)).copy_from(rates.all());
        }
        Ok(())
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        let at = self.split(t, y);
        let Motion { q, v, a, .. } = at;
        let (n, one) = (q.len(), S::from(1.0));
        let Self { mechanics, terms, derivatives, rates, level, .. } = self;
        by_time.fill(S::zero());
        let (dynamic, constraints) = by_time[n + a.len()..].split_at_mut(n);
        // without accelerations, the value passed in their place enters no term that is used
        let held = if a.is_empty() { v } else { a };
        mechanics.time_derivatives(Motion { a: held, ..at }, dynamic, constraints);
        match level {
            Level::Position => {
                mechanics.terms(t, q, v, terms);
                constraints.copy_from_slice(&terms.constraint_rates);
                terms.jacobian.add_product(-one, v, constraints);
            }
            Level::Velocity => {
                mechanics.linearisation(t, q, v, terms, derivatives);
                mechanics.acceleration_bias(t, q, v, constraints);
                derivatives.constraint_rates(v, rates);
                add_product(-one, rates.all(), v, constraints);
            }
            Level::Acceleration => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
