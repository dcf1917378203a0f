//! Accelerations of a tree by the articulated-body recursion.

use mbsbench_problem::ode::{dual_jacobian, dual_time_derivative, no_jacobian};
use mbsbench_problem::scalar::is_double;
use mbsbench_problem::{
    AccelerationLevel, Failure, Form, MechanicalModel, Mechanics, MechanicsOf, Ode, Properties, Recursion, Scalar,
    Tangent,
};
use nalgebra::DMatrix;
use num_dual::Dual;

use super::branches::Linearised;
use super::coordinates::JointSpace;
use super::kinematics::{Kinematics, gyroscopic};
use crate::space::Space;

/// Accelerations in a number of operations proportional to the number of bodies (R. Featherstone, Rigid Body Dynamics
/// Algorithms, Springer 2008, table 7.1).
///
/// A body with everything attached to it requires a wrench `F = I A + p` for an acceleration `A`. From the tips
/// inwards, with the acceleration `c` without those of coordinates ([`Kinematics`]) and `A = X A_p + c + Σ sⱼ vⱼ'`,
///
/// ```text
/// p ← p + I c;   for each column s of the joint, the last first:
///     d = sᵀ I s,   g = I s/d,   h = −sᵀ p/d,   I ← I − d g gᵀ,   p ← p + d h g
/// I_p ← I_p + Xᵀ I X,   p_p ← p_p + Xᵀ p
/// ```
///
/// and back outwards with `v' = h − gᵀ A`, `A ← A + s v'`, starting with the first column, where `A` begins as
/// `X A_p`. No force acts along a column, because forces in joints are actions between bodies. Columns are treated
/// one by one, as if each belonged to a joint with a massless body behind it, so that no matrix is inverted.
pub struct Articulated<S: Scalar, X: Space> {
    pub(super) kinematics: Kinematics<S, X>,
    /// `I` and `p` of each body; `A` replaces `p` on the way outwards.
    bodies: Vec<(X::Square<S>, X::Motion<S>)>,
    /// `g` and `h` of each velocity.
    columns: Vec<(X::Motion<S>, S)>,
    /// Forces of actions on absolute coordinates.
    forces: Vec<S>,
}

impl<S: Scalar, X: Space> Articulated<S, X> {
    /// Allocates the memory for a mechanism.
    pub fn new(space: &JointSpace<X>) -> Self {
        let mut kinematics = Kinematics::new(&space.tree);
        kinematics.write_rates();
        let zero = X::nothing::<S>();
        let turn = [[S::zero(); 3]; 3];
        let inertia = |body| X::inertia(body, &turn);
        Self {
            bodies: space.system.bodies.iter().map(|body| (inertia(body), zero)).collect(),
            columns: vec![(zero, S::zero()); space.tree.velocities],
            forces: vec![S::zero(); kinematics.q.len()],
            kinematics,
        }
    }

    /// Writes `v'`.
    pub fn accelerations(&mut self, space: &JointSpace<X>, t: S, q: &[S], v: &[S], rate: &mut [S]) {
        let Self { kinematics, bodies, columns, forces } = self;
        let (tree, one) = (&space.tree, S::from(1.0));
        kinematics.place(tree, q);
        kinematics.go(tree, v);
        let acted = space.act(t, kinematics, forces);
        for (k, (body, moved)) in bodies.iter_mut().zip(&kinematics.bodies).enumerate() {
            let inertia = &space.system.bodies[k];
            body.0 = X::inertia(inertia, &moved.frame.turn);
            body.1 = gyroscopic::<S, X>(inertia, &body.0, &moved.twist);
            if acted {
                let own = X::own(k);
                let wrench = X::wrench(&kinematics.q[own.clone()], &forces[own]);
                body.1 = X::plus(&body.1, &wrench, -one);
            }
        }
        for link in tree.links.iter().rev() {
            let moved = &kinematics.bodies[link.body];
            let (mut inertia, mut p) = bodies[link.body];
            p = X::plus(&p, &X::times::<S>(&inertia, &moved.bias), one);
            for j in link.velocities().rev() {
                let s = &kinematics.columns[j];
                let u = X::times::<S>(&inertia, s);
                let d = X::power::<S>(s, &u).recip();
                let g = X::plus(&X::nothing::<S>(), &u, d);
                let force = -X::power::<S>(s, &p);
                for row in 0..X::FREEDOMS {
                    for column in row..X::FREEDOMS {
                        let entry = inertia[row][column] - u[row] * g[column];
                        inertia[row][column] = entry;
                        inertia[column][row] = entry;
                    }
                }
                p = X::plus(&p, &g, force);
                columns[j] = (g, force * d);
            }
            if let Some(parent) = link.parent {
                let at_parent = X::at_beginning(&inertia, &moved.arm);
                let (sum, force) = &mut bodies[parent];
                for row in 0..X::FREEDOMS {
                    sum[row] = X::plus(&sum[row], &at_parent[row], one);
                }
                *force = X::plus(force, &X::borne(&p, &moved.arm), one);
            }
        }
        let ground = space.ground::<S>();
        for link in &tree.links {
            let moved = &kinematics.bodies[link.body];
            let mut acceleration = match link.parent {
                Some(parent) => X::carried(&bodies[parent].1, &moved.arm),
                None => ground,
            };
            for j in link.velocities() {
                let (g, h) = &columns[j];
                rate[j] = *h - X::power::<S>(g, &acceleration);
                acceleration = X::plus(&acceleration, &kinematics.columns[j], rate[j]);
            }
            bodies[link.body].1 = X::plus(&acceleration, &moved.bias, one);
        }
    }
}

/// The equations `q' = H(q) v`, `v' = …` by the articulated-body recursion ([`Articulated`]), with `y = (q ; v)`. All
/// memory is allocated at the start, except that for derivatives by dual numbers, which is allocated when a
/// derivative is first requested.
pub struct TreeOde<'m, S: Scalar, X: Space> {
    space: &'m JointSpace<X>,
    recursion: Articulated<S, X>,
    duals: Option<Duals<S, X>>,
    linearised: Option<Box<Linearised<'m, X>>>,
    /// A state in doubles.
    state: Vec<f64>,
    /// The form `M v' = D` for methods that solve such equations; created on request.
    mechanics: Option<MechanicsOf<'m, JointSpace<X>, S>>,
    /// The rate at the start of a step, if contacts may limit steps.
    rate: Option<Vec<S>>,
}

/// State, rates and memory of the derivatives.
struct Duals<S: Scalar, X: Space> {
    state: Vec<Dual<S>>,
    rates: Vec<Dual<S>>,
    recursion: Articulated<Dual<S>, X>,
}

impl<X: Space> JointSpace<X> {
    /// Returns the equations, with `y = (q ; v)`: those of the tree if there are no constraints and no couplings, and
    /// otherwise those with a mass matrix and with constraints at acceleration level.
    pub fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        if self.is_mere_tree() {
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
    /// Returns the equations of a tree.
    pub fn new(space: &'m JointSpace<X>) -> Self {
        let size = space.tree.coordinates + space.tree.velocities;
        let rate = space.system.contacts().next().map(|_| vec![S::zero(); size]);
        Self {
            space,
            recursion: Articulated::new(space),
            duals: None,
            linearised: None,
            state: vec![0.0; size],
            mechanics: None,
            rate,
        }
    }

    /// Returns the tree, and memory for derivatives at `n` states.
    fn duals(&mut self, n: usize) -> (&'m JointSpace<X>, &mut Duals<S, X>) {
        let zeros = || vec![Dual::from_re(S::zero()); n];
        let new = || Duals { state: zeros(), rates: zeros(), recursion: Articulated::new(self.space) };
        (self.space, self.duals.get_or_insert_with(new))
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

    fn step_limit(&mut self, t: S, y: &[S]) -> f64 {
        let Self { space, recursion, mechanics, rate: Some(rate), .. } = self else { return f64::INFINITY };
        rates(space, recursion, t, y, rate);
        let (q, v) = y.split_at(space.tree.coordinates);
        mechanics.get_or_insert_with(|| MechanicsOf::new(space)).step_limit(q, v, &rate[q.len()..])
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        let (space, Duals { state, rates: dydt, recursion }) = self.duals(y.len());
        dual_jacobian((t, y), [state, dydt], jacobian, |t, y, dydt| rates(space, recursion, t, y, dydt))
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        let (space, Duals { state, rates: dydt, recursion }) = self.duals(y.len());
        dual_time_derivative((t, y), [state, dydt], by_time, |t, y, dydt| rates(space, recursion, t, y, dydt))
    }

    fn tangent(&mut self) -> Option<Tangent<S>> {
        self.linearised = if is_double::<S>() { self.space.linearised().map(Box::new) } else { None };
        self.linearised.as_ref().map(|linearised| Tangent::Tree(linearised.branches()))
    }

    fn linearise(&mut self, t: S, y: &[S], tangent: &mut Tangent<S>) -> Result<(), Failure> {
        let (Tangent::Tree(tree), Some(linearised)) = (tangent, &mut self.linearised) else {
            return Err(no_jacobian());
        };
        self.state.iter_mut().zip(y).for_each(|(to, from)| *to = from.value());
        let (q, v) = self.state.split_at(self.space.tree.coordinates);
        linearised.write(t.value(), q, v, false, tree);
        Ok(())
    }

    /// A mechanical system without constraints.
    fn form(&mut self) -> Form<'_, S> {
        Form::Mechanics(self.mechanics.get_or_insert_with(|| MechanicsOf::new(self.space)))
    }
}
