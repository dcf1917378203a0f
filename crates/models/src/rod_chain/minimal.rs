//! The chain in its angles.

use mbsbench_problem::{Failure, Ode, Scalar};
use nalgebra::DMatrix;
use num_dual::Dual;

use super::RodChain;
use crate::linkage::{dot, slender};

/// `y = (θ ; ω)`, with accelerations by the articulated-body recursion (R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008,
/// chapter 7), here for one chain in the plane. The rods from the k-th on ask for a force `F_k = A_k a_k + b_k` at a pin with
/// acceleration `a_k`. With `e` along rod k, `n` across it, `A`, `b` of the rods behind it (zero behind the last), `h = l/2` and the torque
/// `T` of the dampers,
///
/// ```text
/// s = m h n + l A n,   d = m l²/3 + l² nᵀ A n,   u = T + m h nᵀ g − l nᵀ (b − l ω² A e)
/// α_k = (u − sᵀ a_k)/d,   a_{k+1} = a_k + l (α_k n − ω² e)
/// A_k = m + A − s sᵀ/d,   b_k = b − m g − ω² (m h e + l A e) + s u/d
/// ```
pub(super) struct Angles<'m, S> {
    chain: &'m RodChain,
    memory: Vec<Rod<S>>,
    /// State, rates and memory of the derivatives; made when one is asked for.
    duals: Option<Duals<S>>,
}

/// `n`, `e`, `u/d` and `s/d` of a rod.
#[derive(Clone, Copy)]
struct Rod<S> {
    across: [S; 2],
    along: [S; 2],
    free: S,
    by_pin: [S; 2],
}

struct Duals<S> {
    state: Vec<Dual<S>>,
    rates: Vec<Dual<S>>,
    memory: Vec<Rod<Dual<S>>>,
}

fn memory<S: Scalar>(rods: usize) -> Vec<Rod<S>> {
    let none = [S::nought(); 2];
    vec![Rod { across: none, along: none, free: S::nought(), by_pin: none }; rods]
}

fn times<S: Scalar>(x: [S; 2], factor: S) -> [S; 2] {
    x.map(|x| x * factor)
}

fn plus<S: Scalar>(x: [S; 2], y: [S; 2]) -> [S; 2] {
    [x[0] + y[0], x[1] + y[1]]
}

/// Writes `(ω ; α)`.
fn rates<S: Scalar>(chain: &RodChain, y: &[S], dydt: &mut [S], memory: &mut [Rod<S>]) {
    let (theta, omega) = y.split_at(chain.rods);
    let (m, l) = (S::from(chain.rod_mass()), S::from(chain.rod_length()));
    let (moment, inertia) = (m * l * 0.5, slender::<S>(chain.rod_mass(), chain.rod_length()) * 4.0);
    let gravity = [S::nought(), -S::from(chain.gravity)];
    let torque = |k: usize| (omega[k] - if k > 0 { omega[k - 1] } else { S::nought() }) * -chain.damping;
    // A, symmetric, and b of the rods behind
    let (mut xx, mut xy, mut yy, mut b) = (S::nought(), S::nought(), S::nought(), [S::nought(); 2]);
    let mut torque_behind = S::nought();
    for (k, rod) in memory.iter_mut().enumerate().rev() {
        let (sin, cos) = theta[k].sin_cos();
        let (along, across) = ([cos, sin], [-sin, cos]);
        let of = |x: [S; 2]| [xx * x[0] + xy * x[1], xy * x[0] + yy * x[1]];
        let (a_along, a_across) = (of(along), of(across));
        let square = omega[k] * omega[k];
        let s = plus(times(across, moment), times(a_across, l));
        let d = inertia + l * l * dot(across, a_across);
        let of_pin = torque(k);
        let u = of_pin - torque_behind + moment * dot(across, gravity)
            - l * dot(across, plus(b, times(a_along, -(l * square))));
        torque_behind = of_pin;
        *rod = Rod { across, along, free: u / d, by_pin: s.map(|s| s / d) };
        let pull = plus(times(along, moment), times(a_along, l));
        b = plus(plus(b, times(gravity, -m)), plus(times(pull, -square), times(s, rod.free)));
        xx += m - s[0] * rod.by_pin[0];
        xy -= s[0] * rod.by_pin[1];
        yy += m - s[1] * rod.by_pin[1];
    }
    let (angles, velocities) = dydt.split_at_mut(chain.rods);
    angles.copy_from_slice(omega);
    let mut pin = [S::nought(); 2];
    for ((rod, alpha), &omega) in memory.iter().zip(velocities).zip(omega) {
        *alpha = rod.free - dot(rod.by_pin, pin);
        pin = plus(pin, plus(times(rod.across, l * *alpha), times(rod.along, -(l * omega * omega))));
    }
}

impl<'m, S: Scalar> Angles<'m, S> {
    pub(super) fn new(chain: &'m RodChain) -> Self {
        Self { chain, memory: memory(chain.rods), duals: None }
    }
}

impl<S: Scalar> Ode<S> for Angles<'_, S> {
    fn dimension(&self) -> usize {
        2 * self.chain.rods
    }

    fn rhs(&mut self, _t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        rates(self.chain, y, dydt, &mut self.memory);
        Ok(())
    }

    fn has_jacobian(&mut self) -> bool {
        true
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn jacobian(&mut self, _t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        let nought = Dual::from_re(S::nought());
        let Duals { state, rates: dydt, memory } = self.duals.get_or_insert_with(|| Duals {
            state: vec![nought; y.len()],
            rates: vec![nought; y.len()],
            memory: memory(self.chain.rods),
        });
        state.iter_mut().zip(y).for_each(|(dual, &value)| *dual = Dual::from_re(value));
        for (j, mut column) in jacobian.column_iter_mut().enumerate() {
            state[j].eps = S::from(1.0);
            rates(self.chain, state, dydt, memory);
            state[j].eps = S::nought();
            column.iter_mut().zip(&*dydt).for_each(|(entry, rate)| *entry = rate.eps);
        }
        Ok(())
    }

    fn time_derivative(&mut self, _t: S, _y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        by_time.fill(S::nought());
        Ok(())
    }
}
