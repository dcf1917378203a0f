//! A tree without constraints as differential equations.

use mbsbench_problem::ode::no_jacobian;
use mbsbench_problem::scalar::is_double;
use mbsbench_problem::{AccelerationLevel, Failure, Form, MechanicalModel, MechanicsOf, Ode, Properties, Scalar};
use nalgebra::DMatrix;
use num_dual::Dual;

use super::articulated::Articulated;
use super::coordinates::JointSpace;
use crate::space::Space;

/// `q' = H(q) v`, `v' = …` by the articulated-body recursion ([`Articulated`]), with `y = (q ; v)`. All memory is made at once; that of the
/// derivatives, which are those of dual numbers, when one is asked for.
pub struct TreeOde<'m, S: Scalar, X: Space> {
    space: &'m JointSpace<X>,
    recursion: Articulated<S, X>,
    duals: Option<Duals<S, X>>,
    /// `M v' = D` for methods that solve such equations; made when it is asked for.
    mechanics: Option<MechanicsOf<'m, JointSpace<X>, S>>,
}

/// State, rates and memory of the derivatives.
struct Duals<S: Scalar, X: Space> {
    state: Vec<Dual<S>>,
    rates: Vec<Dual<S>>,
    recursion: Articulated<Dual<S>, X>,
}

impl<X: Space> JointSpace<X> {
    /// The equations, with `y = (q ; v)`: those of the tree without constraints, and otherwise with them at acceleration level.
    pub fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        if self.is_tree() {
            Box::new(TreeOde::new(self))
        } else {
            Box::new(AccelerationLevel::new(MechanicsOf::new(self)))
        }
    }
}

fn rates<S: Scalar, X: Space>(space: &JointSpace<X>, recursion: &mut Articulated<S, X>, t: S, y: &[S], dydt: &mut [S]) {
    let (q, v) = y.split_at(space.tree.coordinates);
    let (q_rate, v_rate) = dydt.split_at_mut(space.tree.coordinates);
    space.tree.position_rate(q, v, q_rate);
    recursion.accelerations(space, t, q, v, v_rate);
}

impl<'m, S: Scalar, X: Space> TreeOde<'m, S, X> {
    /// The equations of a tree.
    pub fn new(space: &'m JointSpace<X>) -> Self {
        Self { space, recursion: Articulated::new(space), duals: None, mechanics: None }
    }

    /// Calls `work` with dual numbers of the state, without derivatives.
    fn with_duals(&mut self, y: &[S], work: impl FnOnce(&JointSpace<X>, &mut Duals<S, X>)) {
        let nought = Dual::from_re(S::nought());
        let duals = self.duals.get_or_insert_with(|| Duals {
            state: vec![nought; y.len()],
            rates: vec![nought; y.len()],
            recursion: Articulated::new(self.space),
        });
        duals.state.iter_mut().zip(y).for_each(|(dual, &value)| *dual = Dual::from_re(value));
        work(self.space, duals);
    }
}

impl<S: Scalar, X: Space> Ode<S> for TreeOde<'_, S, X> {
    fn dimension(&self) -> usize {
        self.space.tree.coordinates + self.space.tree.velocities
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        rates(self.space, &mut self.recursion, t, y, dydt);
        Ok(())
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties {
            has_jacobian: is_double::<S>(),
            is_autonomous: self.space.is_autonomous(),
            is_second_order: self.space.tree.has_vector_coordinates(),
            ..Properties::default()
        }
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        if const { !is_double::<S>() } {
            return Err(no_jacobian());
        }
        self.with_duals(y, |space, Duals { state, rates: dydt, recursion }| {
            for (j, mut column) in jacobian.column_iter_mut().enumerate() {
                state[j].eps = S::from(1.0);
                rates(space, recursion, Dual::from_re(t), state, dydt);
                state[j].eps = S::nought();
                column.iter_mut().zip(&*dydt).for_each(|(entry, rate)| *entry = rate.eps);
            }
        });
        Ok(())
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        if const { !is_double::<S>() } {
            return Err(no_jacobian());
        }
        self.with_duals(y, |space, Duals { state, rates: dydt, recursion }| {
            rates(space, recursion, Dual::new(t, S::from(1.0)), state, dydt);
            by_time.iter_mut().zip(&*dydt).for_each(|(entry, rate)| *entry = rate.eps);
        });
        Ok(())
    }

    /// Where coordinates are vectors, a mechanical system without constraints.
    fn form(&mut self) -> Form<'_, S> {
        if !self.space.tree.has_vector_coordinates() {
            return Form::Explicit;
        }
        Form::Mechanics(self.mechanics.get_or_insert_with(|| MechanicsOf::new(self.space)))
    }
}
