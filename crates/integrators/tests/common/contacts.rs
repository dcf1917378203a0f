//! Second-order problems with and without contacts.

use std::ops::ControlFlow;

use mbsbench_problem::{
    AsContactOde, ContactModel, Counted, Failure, Method, Observer, OdeModel, Scalar, Settings, Silent, Solution, Step,
    Task,
};

use super::Known;

/// A ball of 1 kg that falls on a floor at `q = 0`, m: the spring of section 6.1 of modin2005, with an optional
/// damper.
#[derive(Debug, Clone, Copy)]
pub struct Ball {
    /// k, N/m.
    pub stiffness: f64,
    /// c of a dashpot that acts from first contact on, N s/m: the force jumps.
    pub dashpot: f64,
    /// Damping that grows with the depth, `k |q| (1 − d v)`, s/m: the force is continuous.
    pub depth_damping: f64,
}

impl Ball {
    /// g, m/s².
    pub const GRAVITY: f64 = 9.81;
    /// The ball of the paper.
    pub const ELASTIC: Self = Self { stiffness: 1e7, dashpot: 0.0, depth_damping: 0.0 };

    /// Contact force on the ball at height `q` and velocity `v`, N.
    pub fn force<S: Scalar>(&self, q: S, v: S) -> S {
        if q.value() >= 0.0 {
            return S::zero();
        }
        q * -self.stiffness * (-v * self.depth_damping + 1.0) - v * self.dashpot
    }
}

impl ContactModel for Ball {
    fn coordinates(&self) -> usize {
        1
    }
    fn bodies(&self) -> usize {
        1
    }
    fn accelerations<S: Scalar>(&self, _t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
        let force = self.force(q[0], v[0]);
        accelerations[0] = force - Self::GRAVITY;
        for power in powers {
            *power = force * v[0];
        }
    }
}

/// A second-order problem of one coordinate with a known solution, without contacts.
#[derive(Debug, Clone, Copy)]
pub struct Free<M>(pub M);

impl<M: OdeModel> ContactModel for Free<M> {
    fn coordinates(&self) -> usize {
        1
    }
    fn accelerations<S: Scalar>(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], _powers: &mut [S]) {
        let mut rate = [S::zero(); 2];
        self.0.rhs(t, &[q[0], v[0]], &mut rate);
        accelerations[0] = rate[1];
    }
}

/// `q'' = −q − 2 ζ q'` from `q = 1`, `q' = 0`.
#[derive(Debug, Clone, Copy)]
pub struct Oscillator {
    /// ζ, below one.
    pub zeta: f64,
}

impl OdeModel for Oscillator {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = -y[0] - y[1] * (2.0 * self.zeta);
    }
}

impl Known for Oscillator {
    fn exact<S: Scalar>(&self, t: S) -> [S; 2] {
        let omega = (1.0 - self.zeta * self.zeta).sqrt();
        let (decay, (sine, cosine)) = ((-t * self.zeta).exp(), (t * omega).sin_cos());
        [decay * (cosine + sine * (self.zeta / omega)), -decay * sine / omega]
    }
}

/// A body with unit inertia that turns about a fixed point under the torque `torque`. Its quaternion (scalar first)
/// maps from the body to the world.
#[derive(Debug, Clone, Copy)]
pub struct Spinning {
    /// Torque in the world frame.
    pub torque: [f64; 3],
}

/// `exp(angle/2) q` for a rotation vector `angle`.
pub fn turned(angle: [f64; 3], q: [f64; 4]) -> [f64; 4] {
    let size = angle.iter().map(|x| x * x).sum::<f64>().sqrt();
    let factor = if size == 0.0 { 0.5 } else { (0.5 * size).sin() / size };
    let (s, [x, y, z]) = ((0.5 * size).cos(), angle.map(|x| factor * x));
    [
        s * q[0] - x * q[1] - y * q[2] - z * q[3],
        s * q[1] + x * q[0] + y * q[3] - z * q[2],
        s * q[2] - x * q[3] + y * q[0] + z * q[1],
        s * q[3] + x * q[2] - y * q[1] + z * q[0],
    ]
}

impl ContactModel for Spinning {
    fn coordinates(&self) -> usize {
        4
    }
    fn velocities(&self) -> usize {
        3
    }
    fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], q_rate: &mut [S]) {
        let [x, y, z] = [v[0] * 0.5, v[1] * 0.5, v[2] * 0.5];
        q_rate[0] = -x * q[1] - y * q[2] - z * q[3];
        q_rate[1] = x * q[0] + y * q[3] - z * q[2];
        q_rate[2] = -x * q[3] + y * q[0] + z * q[1];
        q_rate[3] = x * q[2] - y * q[1] + z * q[0];
    }
    fn accelerations<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], accelerations: &mut [S], _powers: &mut [S]) {
        for (acceleration, &torque) in accelerations.iter_mut().zip(&self.torque) {
            *acceleration = S::from(torque);
        }
    }
    fn displace<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        let q = [q[0], q[1], q[2], q[3]].map(Scalar::value);
        let delta = [delta[0], delta[1], delta[2]].map(Scalar::value);
        for (moved, x) in moved.iter_mut().zip(turned(delta, q)) {
            *moved = S::from(x);
        }
    }
}

/// Solves over a span.
pub fn solve(
    model: &impl ContactModel,
    method: &dyn Method,
    initial: &[f64],
    span: [f64; 2],
    settings: Settings,
    observer: &mut dyn Observer,
) -> Solution {
    let task = Task { t_start: span[0], t_end: span[1], initial, settings };
    method.solve(Counted::new(&mut AsContactOde(model)), &task, observer)
}

/// The state after one step of size `h`.
pub fn one_step(model: &impl ContactModel, method: &dyn Method, h: f64, initial: &[f64]) -> Vec<f64> {
    let solution = solve(model, method, initial, [0.0, h], Settings::fixed(h), &mut Silent);
    assert_eq!((solution.failure, solution.statistics.steps_accepted), (None, 1));
    solution.state
}

/// An accepted step.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Start and end, s.
    pub times: [f64; 2],
    /// States at start and end.
    pub states: [Vec<f64>; 2],
}

/// Records all steps.
#[derive(Debug, Default)]
pub struct Recorder(pub Vec<Accepted>);

impl Observer for Recorder {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        assert_eq!(step.index, self.0.len() as u64 + 1);
        assert!(self.0.last().is_none_or(|last| last.times[1] == step.t_start && last.states[1] == step.start));
        let states = [step.start.to_vec(), step.end.to_vec()];
        self.0.push(Accepted { times: [step.t_start, step.t_end], states });
        ControlFlow::Continue(())
    }
}
