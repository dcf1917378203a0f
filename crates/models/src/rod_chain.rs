//! A planar chain of pinned rods of any number, to measure how costs grow with the size of a mechanism.

use mbsbench_problem::ode::dual_jacobian;
use mbsbench_problem::scalar::is_double;
use mbsbench_problem::{
    BenchmarkModel, Class, Dimensions, Entries, Failure, MechanicalModel, Observable, Observation, Ode, Properties,
    Scalar, View, parameters, pass_on,
};
use nalgebra::DMatrix;
use num_dual::Dual;

use crate::drawing::pin;
use crate::linkage::{EqualRods, Linkage, LinkageFormulation, slender};
use crate::plane::{dot, sum, times};

parameters! {
    /// Equal slender rods, pinned end to end, that hang from a pin at the origin and start at rest along a straight
    /// line.
    pub struct RodChain {
        /// The equations.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Number of rods.
        pub rods: usize [from 1, to 30_000] = 10,
        /// Length of the chain.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Mass of the chain.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Damping in each pin.
        pub damping: f64 [from 0.0, unit "N m s/rad"] = 0.0,
        /// Initial angle of all rods from `+x`, counter-clockwise.
        pub angle: f64 [unit "rad"] = 0.0,
        /// Acceleration of gravity along `−y`.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl RodChain {
    fn equal_rods(&self) -> EqualRods {
        EqualRods { count: self.rods, mass: self.rod_mass(), length: self.rod_length(), gravity: self.gravity }
    }

    /// Mass of a rod, kg.
    fn rod_mass(&self) -> f64 {
        self.mass / self.rods as f64
    }

    /// Length of a rod, m.
    fn rod_length(&self) -> f64 {
        self.length / self.rods as f64
    }
}

/// The coordinates are `q = (x₁, y₁, θ₁, x₂, …)` with the centres of the rods. `M = diag(m, m, m l²/12, …)`, and for
/// each pin with `h = l/2`
///
/// ```text
/// Φ = ( x_k − h cos θ_k − x_{k−1} − h cos θ_{k−1}, y_k − h sin θ_k − y_{k−1} − h sin θ_{k−1} )
/// D = ( 0, −m g, −c (ω_k − ω_{k−1}) + c (ω_{k+1} − ω_k) )
/// ```
///
/// All quantities of rod 0 are zero, and so is the last term of the last rod.
impl MechanicalModel for RodChain {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3 * self.rods, 2 * self.rods)
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        self.equal_rods().write_mass(mass);
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], v: &[S], forces: &mut [S]) {
        let weight = -(S::from(self.rod_mass()) * self.gravity);
        let mut of_pin = v[2] * self.damping;
        for k in (0..3 * self.rods).step_by(3) {
            let next = v.get(k + 5).map_or(S::zero(), |&next| (next - v[k + 2]) * self.damping);
            forces[k] = S::zero();
            forces[k + 1] = weight;
            forces[k + 2] = next - of_pin;
            of_pin = next;
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.rod_length();
        let mut end = [S::zero(); 2];
        for (rod, phi) in q.chunks(3).zip(phi.chunks_mut(2)) {
            let (sin, cos) = rod[2].sin_cos();
            let (x, y) = (cos * half, sin * half);
            phi[0] = rod[0] - x - end[0];
            phi[1] = rod[1] - y - end[1];
            end = [rod[0] + x, rod[1] + y];
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    /// Kinetic energy and gravity, J; the potential is zero at the height of the first pin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        self.equal_rods().energy(q, v)
    }
}

/// The state is `y = (θ ; ω)`. Accelerations follow from the articulated-body recursion (R. Featherstone, Rigid Body
/// Dynamics Algorithms, Springer 2008, chapter 7), here for one chain in the plane. The rods from the k-th on require
/// a force `F_k = A_k a_k + b_k` at a pin with acceleration `a_k`. With `e` along rod k, `n` across it, `A`, `b` of
/// the rods behind it (zero behind the last), `h = l/2` and the torque `T` of the dampers,
///
/// ```text
/// s = m h n + l A n,   d = m l²/3 + l² nᵀ A n,   u = T + m h nᵀ g − l nᵀ (b − l ω² A e)
/// α_k = (u − sᵀ a_k)/d,   a_{k+1} = a_k + l (α_k n − ω² e)
/// A_k = m + A − s sᵀ/d,   b_k = b − m g − ω² (m h e + l A e) + s u/d
/// ```
struct Angles<'m, S> {
    chain: &'m RodChain,
    memory: Vec<Rod<S>>,
    /// State, rates and memory for derivatives; allocated when a derivative is first requested.
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
    let none = [S::zero(); 2];
    vec![Rod { across: none, along: none, free: S::zero(), by_pin: none }; rods]
}

/// Writes `(ω ; α)`.
fn rates<S: Scalar>(chain: &RodChain, y: &[S], dydt: &mut [S], memory: &mut [Rod<S>]) {
    let (theta, omega) = y.split_at(chain.rods);
    let (m, l) = (S::from(chain.rod_mass()), S::from(chain.rod_length()));
    let (moment, inertia) = (m * l * 0.5, slender::<S>(chain.rod_mass(), chain.rod_length()) * 4.0);
    let gravity = [S::zero(), -S::from(chain.gravity)];
    let torque = |k: usize| (omega[k] - if k > 0 { omega[k - 1] } else { S::zero() }) * -chain.damping;
    // A, symmetric, and b of the rods behind the current one
    let (mut xx, mut xy, mut yy, mut b) = (S::zero(), S::zero(), S::zero(), [S::zero(); 2]);
    let mut torque_behind = S::zero();
    for (k, rod) in memory.iter_mut().enumerate().rev() {
        let (sin, cos) = theta[k].sin_cos();
        let (along, across) = ([cos, sin], [-sin, cos]);
        let of = |x: [S; 2]| [xx * x[0] + xy * x[1], xy * x[0] + yy * x[1]];
        let (a_along, a_across) = (of(along), of(across));
        let square = omega[k] * omega[k];
        let s = sum(times(across, moment), times(a_across, l));
        let d = inertia + l * l * dot(across, a_across);
        let of_pin = torque(k);
        let u = of_pin - torque_behind + moment * dot(across, gravity)
            - l * dot(across, sum(b, times(a_along, -(l * square))));
        torque_behind = of_pin;
        *rod = Rod { across, along, free: u / d, by_pin: s.map(|s| s / d) };
        let pull = sum(times(along, moment), times(a_along, l));
        b = sum(sum(b, times(gravity, -m)), sum(times(pull, -square), times(s, rod.free)));
        xx += m - s[0] * rod.by_pin[0];
        xy -= s[0] * rod.by_pin[1];
        yy += m - s[1] * rod.by_pin[1];
    }
    let (angles, velocities) = dydt.split_at_mut(chain.rods);
    angles.copy_from_slice(omega);
    let mut pin = [S::zero(); 2];
    for ((rod, alpha), &omega) in memory.iter().zip(velocities).zip(omega) {
        *alpha = rod.free - dot(rod.by_pin, pin);
        pin = sum(pin, sum(times(rod.across, l * *alpha), times(rod.along, -(l * omega * omega))));
    }
}

impl<'m, S: Scalar> Angles<'m, S> {
    fn new(chain: &'m RodChain) -> Self {
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

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_jacobian: is_double::<S>(), is_autonomous: true, ..Properties::default() }
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        let (chain, zeros) = (self.chain, || vec![Dual::from_re(S::zero()); y.len()]);
        let new = || Duals { state: zeros(), rates: zeros(), memory: memory(chain.rods) };
        let Duals { state, rates: dydt, memory } = self.duals.get_or_insert_with(new);
        dual_jacobian((t, y), [state, dydt], jacobian, |_, y, dydt| rates(chain, y, dydt, memory))
    }

    fn time_derivative(&mut self, _t: S, _y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        by_time.fill(S::zero());
        Ok(())
    }
}

impl Linkage for RodChain {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        [vec![S::from(self.angle); self.rods], vec![S::zero(); self.rods]].concat()
    }

    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(Angles::new(self))
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let half = 0.5 * self.rod_length();
        let (theta, omega) = y.split_at(self.rods);
        let (q, v) = full.split_at_mut(3 * self.rods);
        let (mut end, mut end_rate) = ([S::zero(); 2], [S::zero(); 2]);
        for (k, (q, v)) in q.chunks_mut(3).zip(v.chunks_mut(3)).enumerate() {
            let (sin, cos) = theta[k].sin_cos();
            let (arm, arm_rate) = ([cos * half, sin * half], [-(sin * omega[k] * half), cos * omega[k] * half]);
            for i in 0..2 {
                (q[i], v[i]) = (end[i] + arm[i], end_rate[i] + arm_rate[i]);
                (end[i], end_rate[i]) = (q[i] + arm[i], v[i] + arm_rate[i]);
            }
            (q[2], v[2]) = (theta[k], omega[k]);
        }
    }
}

impl BenchmarkModel for RodChain {
    const NAME: &'static str = "rod-chain";
    const SUMMARY: &'static str = "chain of any number of rods pinned end to end, two constraints each";
    const SOURCE: &'static str = "our own, a mechanism of scalable size";

    pass_on! { as Linkage =>
        fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;
        fn initial_state<S: Scalar>(&self) -> Vec<S>;
        fn classes(&self) -> Vec<Class>;
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("tip_x", "m", "x coordinate of the free end").of_class(Class::Position),
            Observable::new("tip_y", "m", "y coordinate of the free end").of_class(Class::Position),
            Observable::new("tip_x_rate", "m/s", "x velocity of the free end").of_class(Class::Velocity),
            Observable::new("tip_y_rate", "m/s", "y velocity of the free end").of_class(Class::Velocity),
            Observable::new("theta1", "rad", "angle of the first rod from the x axis").of_class(Class::Position),
            Observable::new("energy", "J", "total energy, with potential energy zero at the height of the first pin"),
            Observable::new("energy_change", "J", "change of the total energy since the initial state"),
            Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
            Observable::new("velocity_constraint", "m/s", "largest magnitude of a component of Φ_q v"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        self.equal_rods().observation(self, self.rods - 1)
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.equal_rods().views(self, y, pin([0.0; 2], 0.05 * self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{AccelerationLevel, ConstraintWatch, MechanicsOf};

    fn chain(rods: usize) -> RodChain {
        RodChain { rods, damping: 0.03, ..RodChain::default() }
    }

    /// A state of bent rods that rotate.
    fn bent(rods: usize) -> Vec<f64> {
        (0..2 * rods).map(|i| (1.0 + i as f64 * 0.7).sin() * 2.0).collect()
    }

    #[test]
    fn both_formulations_have_the_same_accelerations() {
        for rods in [1, 2, 5, 20] {
            let chain = chain(rods);
            let y = bent(rods);
            let mut dydt = vec![0.0; 2 * rods];
            Ode::rhs(&mut Angles::new(&chain), 0.0, &y, &mut dydt).unwrap();
            let (mut full, mut rate) = (vec![0.0; 6 * rods], vec![0.0; 6 * rods]);
            chain.expand(&y, &mut full);
            AccelerationLevel::new(MechanicsOf::new(&chain)).rhs(0.0, &full, &mut rate).unwrap();
            for k in 0..rods {
                assert_relative_eq!(dydt[rods + k], rate[3 * rods + 3 * k + 2], max_relative = 1e-9, epsilon = 1e-9);
            }
            let watched = &mut ConstraintWatch::new(&chain, 0.0);
            watched.evaluate(0.0, &full[..3 * rods], &full[3 * rods..]);
            assert!(watched.constraint() < 1e-14 && watched.surface() < 1e-13);
        }
    }

    /// Compares with a pendulum of one rod: `α = −(3/2) g cos θ/l − c ω/(m l²/3)`.
    #[test]
    fn one_rod_is_a_pendulum() {
        let chain = chain(1);
        let mut dydt = [0.0; 2];
        Ode::rhs(&mut Angles::new(&chain), 0.0, &[0.4, 1.5], &mut dydt).unwrap();
        assert_relative_eq!(dydt[1], -1.5 * 9.81 * f64::cos(0.4) - 3.0 * 0.03 * 1.5, max_relative = 1e-14);
    }

    #[test]
    fn the_jacobian_in_angles_matches_differences() {
        let chain = chain(4);
        let y = bent(4);
        let mut ode = Angles::new(&chain);
        let mut jacobian = DMatrix::zeros(8, 8);
        ode.jacobian(0.0, &y, &mut jacobian).unwrap();
        for j in 0..8 {
            let mut at = |step: f64| {
                let mut moved = y.clone();
                moved[j] += step;
                let mut dydt = vec![0.0; 8];
                ode.rhs(0.0, &moved, &mut dydt).unwrap();
                dydt
            };
            let (up, down) = (at(1e-5), at(-1e-5));
            for i in 0..8 {
                let difference = (up[i] - down[i]) / 2e-5;
                assert_relative_eq!(jacobian[(i, j)], difference, max_relative = 1e-6, epsilon = 1e-5);
            }
        }
    }
}
