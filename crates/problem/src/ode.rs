//! Ordinary differential equations, as methods see them and as models define them.

use nalgebra::DMatrix;
use num_dual::Dual;

use crate::scalar::is_double;
use crate::{Failure, Form, Matrices, Scalar, Tangent, pass_on};

/// The properties of an [`Ode`] besides its right-hand side.
#[derive(Debug, Clone, Copy)]
pub struct Properties<'p, S = f64> {
    /// True if [`Ode::rhs`] is implemented. It is not if the problem is given in [implicit form](Form::Implicit)
    /// only.
    pub has_rhs: bool,
    /// True if [`Ode::jacobian`] and [`Ode::time_derivative`] are implemented, which is so in double precision only.
    pub has_jacobian: bool,
    /// True if `f` does not depend on time, so that [`Ode::time_derivative`] is zero everywhere. False is always a safe
    /// answer.
    pub is_autonomous: bool,
    /// True if the state is `(q ; v)` with as many `q` as `v`, and `q' = v`: a second-order equation of vectors.
    /// False is always a safe answer. For configurations that are not vectors, see
    /// [`ContactPower`](crate::ContactPower).
    pub is_second_order: bool,
    /// True if [`Ode::begin_step`] does anything. The derivative at the end of a step then belongs to that step's
    /// configuration and cannot be reused at the start of the next step.
    pub locks: bool,
    /// True if [`Ode::project`] does anything. The derivative at the end of a step then cannot be reused from the
    /// last stage.
    pub projects: bool,
    /// The constant matrix `M` (square, of the dimension of the state) of equations `M y' = f(t, y)`; none if it is
    /// the identity. If it is singular, the equations are differential-algebraic, with [`indices`](Self::indices),
    /// and the initial state has to satisfy the algebraic equations, including those that follow by differentiation.
    /// The right-hand side and its derivatives are those of `f`, not of `M⁻¹ f`. A method that does not support mass
    /// matrices refuses the problem.
    pub mass: Option<&'p DMatrix<S>>,
    /// The index of each component of the state, 1, 2 or 3, for equations with a singular [`mass`](Self::mass): the
    /// number of differentiations of the equations that yield the component's rate. Components may be in any order.
    /// Components of differential equations have index 1, as do all components if this is `None`. Error tests
    /// multiply the error of a component of index `k` by `h^{k−1}` (E. Hairer, G. Wanner, Solving Ordinary
    /// Differential Equations II, section VII.7; the test set for IVP solvers poses its problems in this way).
    pub indices: Option<&'p [u8]>,
}

impl<S> Default for Properties<'_, S> {
    /// The default: a right-hand side and nothing else.
    fn default() -> Self {
        Self {
            has_rhs: true,
            has_jacobian: false,
            is_autonomous: false,
            is_second_order: false,
            locks: false,
            projects: false,
            mass: None,
            indices: None,
        }
    }
}

/// `y' = f(t, y)` as a method sees it.
///
/// The methods take `&mut self` because adaptors keep scratch memory and a locked configuration; a model itself is
/// immutable ([`OdeModel`]).
pub trait Ode<S: Scalar = f64> {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// The properties of the problem, including which of the functions below are implemented. They never change.
    fn properties(&self) -> Properties<'_, S> {
        Properties::default()
    }

    /// Writes `f(t, y)` into `dydt` (of length [`dimension`](Self::dimension)).
    ///
    /// # Errors
    /// Fails if the right-hand side does not exist at this state (a singular mass matrix), and with
    /// [`Failure::NotApplicable`] if there is [none](Properties::has_rhs).
    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure>;

    /// Writes `∂f/∂y` at `(t, y)`, exact to roundoff, into `jacobian` (square, of [`dimension`](Self::dimension)).
    ///
    /// # Errors
    /// Fails like [`rhs`](Self::rhs), and with [`Failure::NotApplicable`] if there is
    /// [none](Properties::has_jacobian).
    fn jacobian(&mut self, _t: S, _y: &[S], _jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        Err(no_jacobian())
    }

    /// Memory for the matrices that determine `∂f/∂y`, if these keep the sparsity of a mechanism with many bodies.
    /// Methods should then call [`linearise`](Self::linearise) instead of [`jacobian`](Self::jacobian).
    fn tangent(&mut self) -> Option<Tangent<S>> {
        None
    }

    /// Sets the kind of memory for the matrices of mechanisms, before any other call; returns false if there are no
    /// such matrices.
    fn keep_matrices(&mut self, _matrices: Matrices) -> bool {
        false
    }

    /// Writes the matrices that determine `∂f/∂y` at `(t, y)`, exact to roundoff, into memory from
    /// [`tangent`](Self::tangent).
    fn linearise(&mut self, _t: S, _y: &[S], _tangent: &mut Tangent<S>) -> Result<(), Failure> {
        Err(no_jacobian())
    }

    /// Writes `f(t, y)` and `∂f/∂y`; an implementation may share work between them.
    fn rhs_and_jacobian(&mut self, t: S, y: &[S], dydt: &mut [S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.rhs(t, y, dydt)?;
        self.jacobian(t, y, jacobian)
    }

    /// Writes `∂f/∂t` at `(t, y)`, exact to roundoff, into `rate` (of length [`dimension`](Self::dimension)).
    fn time_derivative(&mut self, _t: S, _y: &[S], _rate: &mut [S]) -> Result<(), Failure> {
        Err(no_jacobian())
    }

    /// Writes the typical size of each component of the state, in its own unit. Finite differences use it if a
    /// component is smaller. The default is one.
    fn typical_sizes(&self, sizes: &mut [f64]) {
        sizes.fill(1.0);
    }

    /// Writes the factor of an absolute tolerance for each component of the state, in its own unit, for a method that
    /// is set to scale tolerances. The default is one.
    fn tolerance_scales(&self, scales: &mut [f64]) {
        scales.fill(1.0);
    }

    /// Called with the state at which a step starts, before any stage, and again if the step is repeated. Only for a
    /// problem that [locks](Properties::locks): it sets the configuration that holds over the step.
    ///
    /// # Errors
    /// Fails if the configuration cannot be formed.
    fn begin_step(&mut self, _t: S, _y: &[S]) -> Result<(), Failure> {
        Ok(())
    }

    /// Moves the result of a step back to the solution's manifold (post-stabilisation).
    ///
    /// # Errors
    /// Fails if no projection exists.
    fn project(&mut self, _t: S, _y: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    /// The longest step from a state, s, in which no contact can be missed: a method that chooses its steps sees the
    /// forces of a contact only if it evaluates them while bodies overlap. Infinite for a problem without contacts.
    fn step_limit(&mut self, _t: S, _y: &[S]) -> f64 {
        f64::INFINITY
    }

    /// Times at which `f` may jump, s, at which every method stops and starts again. Times outside a span do not
    /// matter.
    fn breaks(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The form in which the problem is given besides `f`, for methods that use it.
    fn form(&mut self) -> Form<'_, S> {
        Form::Explicit
    }

    /// Checks the initial state of a solve, and the problem's functions there, before the first step. Built-in models
    /// are checked when their parameters are read; functions written by a user can be checked only here.
    ///
    /// # Errors
    /// Fails with [`Failure::NotApplicable`], which names what was found and what is accepted, or with the failure of
    /// a function that cannot be evaluated.
    fn check_start(&mut self, _t: S, _y: &[S]) -> Result<(), Failure> {
        Ok(())
    }

    /// Replaces the failure that a method reports by its cause, if the problem knows it. Most functions of a [`Form`]
    /// cannot return an error. A problem in which they can fail records the first error, and returns it here even if
    /// the method reports no failure.
    fn cause(&mut self, reported: Option<Failure>) -> Option<Failure> {
        reported
    }
}

/// The failure of a problem without derivatives.
pub fn no_jacobian() -> Failure {
    Failure::NotApplicable { reason: "the problem does not provide the Jacobian of its right-hand side".to_owned() }
}

/// `y' = f(t, y)` as a model defines it: once, for any scalar.
pub trait OdeModel: Send + Sync {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `dydt`.
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]);

    /// True if `f` does not depend on time; see [`Properties::is_autonomous`].
    fn is_autonomous(&self) -> bool {
        false
    }

    /// See [`Ode::tolerance_scales`].
    fn tolerance_scales(&self, scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

/// A model as an [`Ode`] in any scalar, with derivatives by dual numbers.
///
/// The derivatives of states up to [`ON_STACK`](Self::ON_STACK) components need no heap memory.
#[derive(Debug, Clone, Copy)]
pub struct AsOde<'m, M>(pub &'m M);

impl<M: OdeModel> AsOde<'_, M> {
    /// Largest number of components whose dual numbers are kept on the stack.
    pub const ON_STACK: usize = 64;

    /// Calls `work` with the model and with memory for dual numbers of `n` states and of their rates.
    fn with_duals<S: Scalar, T>(&self, n: usize, work: impl FnOnce(&M, [&mut [Dual<S>]; 2]) -> T) -> T {
        let zero = Dual::from_re(S::zero());
        let (mut on_stack, mut on_heap);
        let memory = if n <= Self::ON_STACK {
            on_stack = [[zero; 64]; 2];
            on_stack.as_flattened_mut()
        } else {
            on_heap = vec![zero; 2 * n];
            &mut on_heap[..]
        };
        let (state, rates) = memory[..2 * n].split_at_mut(n);
        work(self.0, [state, rates])
    }
}

/// Writes `∂f/∂y` by dual numbers, column by column; `state` and `rates` are memory.
pub fn dual_jacobian<S: Scalar>(
    (t, y): (S, &[S]),
    [state, rates]: [&mut [Dual<S>]; 2],
    jacobian: &mut DMatrix<S>,
    mut rhs: impl FnMut(Dual<S>, &[Dual<S>], &mut [Dual<S>]),
) -> Result<(), Failure> {
    if const { !is_double::<S>() } {
        return Err(no_jacobian());
    }
    state.iter_mut().zip(y).for_each(|(dual, &value)| *dual = Dual::from_re(value));
    for (j, mut column) in jacobian.column_iter_mut().enumerate() {
        state[j].eps = S::from(1.0);
        rhs(Dual::from_re(t), state, rates);
        state[j].eps = S::zero();
        column.iter_mut().zip(&*rates).for_each(|(entry, rate)| *entry = rate.eps);
    }
    Ok(())
}

/// Writes `∂f/∂t` by dual numbers; `state` and `rates` are memory.
pub fn dual_time_derivative<S: Scalar>(
    (t, y): (S, &[S]),
    [state, rates]: [&mut [Dual<S>]; 2],
    by_time: &mut [S],
    rhs: impl FnOnce(Dual<S>, &[Dual<S>], &mut [Dual<S>]),
) -> Result<(), Failure> {
    if const { !is_double::<S>() } {
        return Err(no_jacobian());
    }
    state.iter_mut().zip(y).for_each(|(dual, &value)| *dual = Dual::from_re(value));
    rhs(Dual::new(t, S::from(1.0)), state, rates);
    by_time.iter_mut().zip(&*rates).for_each(|(entry, rate)| *entry = rate.eps);
    Ok(())
}

impl<S: Scalar, M: OdeModel> Ode<S> for AsOde<'_, M> {
    pass_on! { self.0 =>
        fn dimension(&self) -> usize;
        fn tolerance_scales(&self, scales: &mut [f64]);
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.0.rhs(t, y, dydt);
        Ok(())
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_jacobian: is_double::<S>(), is_autonomous: self.0.is_autonomous(), ..Properties::default() }
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.with_duals(y.len(), |model, memory| {
            dual_jacobian((t, y), memory, jacobian, |t, y, dydt| model.rhs(t, y, dydt))
        })
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        self.with_duals(y.len(), |model, memory| {
            dual_time_derivative((t, y), memory, by_time, |t, y, dydt| model.rhs(t, y, dydt))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// `f_i = t² yᵢ + sin(yᵢ₊₁)`, cyclic, in any dimension.
    struct Ring(usize);
    impl OdeModel for Ring {
        fn dimension(&self) -> usize {
            self.0
        }
        fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
            for i in 0..self.0 {
                dydt[i] = t * t * y[i] + y[(i + 1) % self.0].sin();
            }
        }
    }

    #[test]
    fn derivatives_are_exact_on_the_stack_and_on_the_heap() {
        for n in [3, 64, 65] {
            let model = Ring(n);
            let mut ode = AsOde(&model);
            let y: Vec<f64> = (0..n).map(|i| (i as f64).sqrt() - 1.0).collect();
            let mut jacobian = DMatrix::from_element(n, n, f64::NAN);
            ode.jacobian(0.7, &y, &mut jacobian).unwrap();
            for i in 0..n {
                for j in 0..n {
                    let beside = if j == (i + 1) % n { y[j].cos() } else { 0.0 };
                    let expected = if i == j { 0.7 * 0.7 } else { beside };
                    assert_relative_eq!(jacobian[(i, j)], expected, max_relative = 1e-15);
                }
            }
            let mut by_time = vec![f64::NAN; n];
            ode.time_derivative(0.7, &y, &mut by_time).unwrap();
            for (by_time, y) in by_time.iter().zip(&y) {
                assert_relative_eq!(*by_time, 1.4 * y, max_relative = 1e-15);
            }
        }
    }

    #[test]
    fn a_problem_without_derivatives_reports_it() {
        struct Plain;
        impl Ode for Plain {
            fn dimension(&self) -> usize {
                1
            }
            fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
                dydt[0] = -y[0];
                Ok(())
            }
        }
        assert!(!Plain.properties().has_jacobian);
        assert!(matches!(Plain.time_derivative(0.0, &[1.0], &mut [0.0]), Err(Failure::NotApplicable { .. })));
        let mut jacobian = DMatrix::zeros(1, 1);
        assert!(matches!(Plain.jacobian(0.0, &[1.0], &mut jacobian), Err(Failure::NotApplicable { .. })));
    }
}
