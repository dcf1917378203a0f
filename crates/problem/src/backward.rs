//! A problem in reverse time.
//!
//! With `t = −s`, `y' = f(t, y)` becomes `dy/ds = −f(−s, y)`. Velocities change their signs as well, so that
//! second-order equations and mechanics keep their form: with `w = −v`, `M dw/ds = D(−s, q, −w) + Jᵀ λ` has the same
//! `M`, `J` and λ. Rates of constraints, and nonholonomic constraints, change their signs.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::linalg::Matrix;
use crate::{
    Derivatives, Dimensions, Failure, Form, Matrices, Mechanics, Motion, Ode, Properties, Scalar, Structure, Terms,
    pass_on,
};

/// A problem in reverse time.
pub struct Backward<'p, S: Scalar> {
    inner: &'p mut dyn Ode<S>,
    /// The components that are velocities.
    velocities: Range<usize>,
    /// Sizes of the mechanics behind the problem, and the values of `has_vector_coordinates` and `is_autonomous`.
    mechanics: Option<(Dimensions, bool, bool)>,
    /// The state, or the velocities, in forward time.
    state: Vec<S>,
}

/// Changes the signs of numbers.
pub fn negate<S: Scalar>(values: &mut [S]) {
    values.iter_mut().for_each(|value| *value = -*value);
}

impl<'p, S: Scalar> Backward<'p, S> {
    /// The problem in reverse time.
    ///
    /// # Errors
    /// Fails with [`Failure::NotApplicable`] if the problem has only one direction of time.
    pub fn new(inner: &'p mut dyn Ode<S>) -> Result<Self, Failure> {
        let Properties { locks, projects, is_second_order, mass, has_rhs, .. } = inner.properties();
        let (has_halves, dimension) = (is_second_order && mass.is_none(), inner.dimension());
        let jumps = inner.form().jumps();
        let refused = match inner.form() {
            _ if locks || projects => Some("with a control or a projection of its own"),
            Form::Implicit(_) if !has_rhs => Some("in implicit form"),
            Form::Events(events) if !events.follows_signs() => Some("that changes at its events"),
            _ if jumps => Some("that jumps at its events"),
            _ => None,
        };
        if let Some(which) = refused {
            let reason = format!("the span runs backwards, but a problem {which} can be solved forwards only");
            return Err(Failure::NotApplicable { reason });
        }
        let sizes =
            |found: &mut dyn Mechanics<S>| (found.dimensions(), found.has_vector_coordinates(), found.is_autonomous());
        let mechanics = inner.form().mechanics().ok().map(sizes);
        let first = mechanics.map(|(dimensions, ..)| dimensions.coordinates);
        let first = first.or(has_halves.then_some(dimension / 2)).unwrap_or(dimension);
        Ok(Self { velocities: first..dimension, mechanics, state: vec![S::zero(); dimension], inner })
    }

    /// The components of the state that change their signs.
    pub fn velocities(&self) -> Range<usize> {
        self.velocities.clone()
    }

    /// Calls `work` with the problem and the state in forward time.
    fn at<T>(&mut self, y: &[S], work: impl FnOnce(&mut dyn Ode<S>, &[S]) -> T) -> T {
        self.state.copy_from_slice(y);
        negate(&mut self.state[self.velocities.clone()]);
        work(self.inner, &self.state)
    }

    fn inner(&mut self) -> &mut dyn Mechanics<S> {
        self.inner.form().mechanics().expect("found at the start")
    }

    /// Calls `work` with the mechanics and the velocities in forward time.
    fn moving<T>(&mut self, v: &[S], work: impl FnOnce(&mut dyn Mechanics<S>, &[S]) -> T) -> T {
        let forward = &mut self.state[..v.len()];
        forward.copy_from_slice(v);
        negate(forward);
        work(self.inner.form().mechanics().expect("found at the start"), forward)
    }
}

impl<S: Scalar> Ode<S> for Backward<'_, S> {
    pass_on! { self.inner =>
        fn dimension(&self) -> usize;
        fn properties(&self) -> Properties<'_, S>;
        fn typical_sizes(&self, sizes: &mut [f64]);
        fn tolerance_scales(&self, scales: &mut [f64]);
        fn keep_matrices(&mut self, matrices: Matrices) -> bool;
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.at(y, |inner, y| inner.rhs(-t, y, dydt))?;
        negate(&mut dydt[..self.velocities.start]);
        Ok(())
    }

    /// Of a motion forwards with these velocities.
    fn step_limit(&mut self, t: S, y: &[S]) -> f64 {
        self.inner.step_limit(-t, y)
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.at(y, |inner, y| inner.jacobian(-t, y, jacobian))?;
        let first = self.velocities.start;
        for (j, mut column) in jacobian.column_iter_mut().enumerate() {
            let (above, below) = column.as_mut_slice().split_at_mut(first);
            negate(if j < first { above } else { below });
        }
        Ok(())
    }

    fn time_derivative(&mut self, t: S, y: &[S], rate: &mut [S]) -> Result<(), Failure> {
        self.at(y, |inner, y| inner.time_derivative(-t, y, rate))?;
        negate(&mut rate[self.velocities.clone()]);
        Ok(())
    }

    fn form(&mut self) -> Form<'_, S> {
        if self.mechanics.is_some() { Form::Mechanics(self) } else { Form::Explicit }
    }
}

/// Functions of velocities, and the changes of their results.
macro_rules! in_forward_time {
    ($($name:ident(&mut $type:ty) $change:expr;)*) => {$(
        fn $name(&mut self, t: S, q: &[S], v: &[S], out: &mut $type) {
            self.moving(v, |inner, v| inner.$name(-t, q, v, out));
            let change: fn(&Self, &mut $type) = $change;
            change(self, out);
        }
    )*};
}

impl<S: Scalar> Mechanics<S> for Backward<'_, S> {
    in_forward_time! {
        forces(&mut [S]) |_, _| {};
        constraint_values(&mut [S]) |own, values| negate(&mut values[..own.dimensions().nonholonomic]);
        velocity_constraints(&mut [S]) |_, values| negate(values);
        constraint_jacobian(&mut DMatrix<S>) |_, _| {};
        constraint_jacobian_in(&mut Matrix<S>) |_, _| {};
        acceleration_bias(&mut [S]) |_, _| {};
        terms(&mut Terms<S>) |_, terms| negate(&mut terms.constraint_rates);
        derivatives(&mut Derivatives<S>) |_, derivatives| derivatives.reverse();
    }

    fn dimensions(&self) -> Dimensions {
        self.mechanics.expect("found at the start").0
    }

    fn has_vector_coordinates(&self) -> bool {
        self.mechanics.is_some_and(|(_, are_vectors, _)| are_vectors)
    }

    fn is_autonomous(&self) -> bool {
        self.mechanics.is_some_and(|(.., is_autonomous)| is_autonomous)
    }

    pass_on! { self.inner() =>
        fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]);
        fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
        fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>);
        fn mass_in(&mut self, q: &[S], mass: &mut Matrix<S>);
        fn structure(&mut self) -> Arc<Structure>;
        fn keep_matrices(&mut self, matrices: Matrices);
    }

    fn displaced_derivatives(&mut self, at: Motion<'_, S>, delta: &[S], by: [&mut Matrix<S>; 3]) {
        let [by_position, by_velocity, of_constraints] = by;
        let by = [by_position, &mut *by_velocity, of_constraints];
        self.moving(at.v, |inner, v| inner.displaced_derivatives(Motion { t: -at.t, v, ..at }, delta, by));
        negate(by_velocity.values_mut());
    }

    fn acceleration_constraint_derivatives(&mut self, at: Motion<'_, S>, by: &mut Matrix<S>) {
        self.moving(at.v, |inner, v| inner.acceleration_constraint_derivatives(Motion { t: -at.t, v, ..at }, by));
    }

    fn time_derivatives(&mut self, at: Motion<'_, S>, forces: &mut [S], constraints: &mut [S]) {
        self.moving(at.v, |inner, v| inner.time_derivatives(Motion { t: -at.t, v, ..at }, forces, constraints));
        negate(forces);
        negate(constraints);
    }
}
