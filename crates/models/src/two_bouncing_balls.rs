//! Two balls on a vertical line over the ground, with undamped springs in both contacts (gil2013, section 3).

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventModel, Observable, Ode, OutOfRange, Scalar, View, parameters,
};

use crate::drawing::{ground, upright};
use crate::iteration::bisect;

parameters! {
    /// Two equal balls that fall from rest, one above the other, onto each other and onto the ground. All contacts
    /// are undamped springs, so the motion is linear from event to event and the energy is conserved.
    ///
    /// The paper prints the stiffness and unit masses. Radius and heights are chosen here; they give 26 events in 3
    /// s, 12 of them between the balls.
    pub struct TwoBouncingBalls where all_are_apart {
        /// Radius `R` of each ball.
        pub radius: f64 [above 0.0, unit "m"] = 0.1,
        /// Height from which the centre of the upper ball falls; the balls start apart.
        pub height_1: f64 [unit "m"] = 1.5,
        /// Height from which the centre of the lower ball falls; it starts above the ground.
        pub height_2: f64 [unit "m"] = 0.7,
        /// Stiffness `K` of each contact.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1e5,
        /// Mass of each ball.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
    }
}

impl TwoBouncingBalls {
    fn all_are_apart(&self) -> Result<(), OutOfRange> {
        let [balls, ground] = self.overlaps(&[self.height_1, self.height_2]);
        OutOfRange::unless(ground < 0.0, "height-2", self.height_2, "a height above the radius")?;
        let accepted = "a height more than two radii above the lower ball";
        OutOfRange::unless(balls < 0.0, "height-1", self.height_1, accepted)
    }
}

impl BenchmarkModel for TwoBouncingBalls {
    const NAME: &'static str = "two-bouncing-balls";
    const SUMMARY: &'static str = "two balls, one above the other, bouncing on undamped springs";
    const SOURCE: &'static str = "gil2013, section 3, Eqs. 19–21";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.height_1), S::from(self.height_2), S::zero(), S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y1", "m", "height of the upper ball's centre").of_class(Class::Position),
            Observable::new("y2", "m", "height of the lower ball's centre").of_class(Class::Position),
            Observable::new("v1", "m/s", "velocity of the upper ball, upwards").of_class(Class::Velocity),
            Observable::new("v2", "m/s", "velocity of the lower ball, upwards").of_class(Class::Velocity),
            Observable::new("overlap_balls", "m", "overlap of the balls; negative if they are apart"),
            Observable::new("overlap_ground", "m", "overlap of lower ball and ground; negative if they are apart"),
            Observable::new("energy", "J", "kinetic energy, gravity from the ground up, and springs in contact"),
            Observable::new("energy_change", "J", "change of the energy since the initial state"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        values[..4].copy_from_slice(y);
        values[4..6].copy_from_slice(&self.overlaps(y));
        let energy = self.energy(y);
        values[6] = energy;
        values[7] = energy - self.energy(&[self.height_1, self.height_2, 0.0, 0.0]);
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let ball = |height: f64| Shape::Circle { centre: [0.0, height], radius: self.radius };
        let floor = ground([-4.0 * self.radius, 4.0 * self.radius], 0.0);
        vec![upright(["x", "y"], vec![floor, ("upper ball", ball(y[0])), ("lower ball", ball(y[1]))])]
    }
}

/// The state is `(y₁, y₂, y₁', y₂')` with `y₁` the upper ball (gil2013, Eq. 20). With overlaps `Ψ₁ = 2R − (y₁ − y₂)`
/// of the balls and `Ψ₂ = R − y₂` of lower ball and ground (Eq. 19), and a mass `m` that the paper sets to one (Eq.
/// 21),
///
/// ```text
/// y₁'' = −g + F₁/m,   y₂'' = −g − F₁/m + F₂/m,   F_i = K Ψ_i in contact, else 0
/// ```
///
/// The event functions are the gaps `−Ψ₁` and `−Ψ₂`, as in the other contact models; an entry of the configuration is
/// true if that contact is open.
impl EventModel for TwoBouncingBalls {
    fn dimension(&self) -> usize {
        4
    }

    fn functions(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let [mut balls, mut ground] = self.overlaps(y).map(|overlap| overlap * self.stiffness / self.mass);
        if configuration[0] {
            balls = S::zero();
        }
        if configuration[1] {
            ground = S::zero();
        }
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = balls - self.gravity;
        dydt[3] = ground - balls - self.gravity;
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g.copy_from_slice(&self.overlaps(y).map(|overlap| -overlap));
    }
}

impl TwoBouncingBalls {
    /// Overlaps `Ψ₁` and `Ψ₂` (gil2013, Eq. 19), m; positive in contact.
    fn overlaps<S: Scalar>(&self, y: &[S]) -> [S; 2] {
        [y[1] - y[0] + S::from(self.radius) * 2.0, -y[1] + self.radius]
    }

    /// Kinetic energy, gravity and contact springs, J; gravity's potential is zero at the ground.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let springs: f64 = self.overlaps(y).iter().map(|overlap| overlap.max(0.0).powi(2)).sum();
        0.5 * self.mass * (y[2] * y[2] + y[3] * y[3])
            + self.mass * self.gravity * (y[0] + y[1])
            + 0.5 * self.stiffness * springs
    }
}

/// A contact that closes or opens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// Number of the overlap: 0 between the balls, 1 between lower ball and ground.
    pub index: usize,
    /// True if the contact closes.
    pub closes: bool,
}

/// The motion between two events: `m y'' = −k y + f` in the eigenvectors of `k`.
struct Phase {
    closed: [bool; 2],
    /// Orthonormal eigenvectors of `k`, as rows.
    modes: [[f64; 2]; 2],
    /// Eigenvalues of `k/m`, 1/s².
    squares: [f64; 2],
    /// Loads `f/m` in the modes, m/s².
    loads: [f64; 2],
    /// Amplitudes of the modes and their rates at the start of the phase.
    start: [[f64; 2]; 2],
}

impl Phase {
    fn new(balls: &TwoBouncingBalls, closed: [bool; 2], state: [f64; 4]) -> Self {
        let spring = balls.stiffness / balls.mass;
        let [pair, ground] = closed.map(|closed| if closed { spring } else { 0.0 });
        // k/m = [[a, −a], [−a, a + b]]; a zero eigenvalue is computed exactly.
        let (mean, half) = (pair + 0.5 * ground, (0.5 * ground).hypot(pair));
        let squares = [mean - half, mean + half];
        let angle = 0.5 * (2.0 * pair).atan2(ground);
        let modes = [[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]];
        let load = [
            2.0 * balls.radius * pair - balls.gravity,
            balls.radius * ground - 2.0 * balls.radius * pair - balls.gravity,
        ];
        let project = |x: [f64; 2]| modes.map(|mode| mode[0] * x[0] + mode[1] * x[1]);
        let [y1, y2, v1, v2] = state;
        Self { closed, modes, squares, loads: project(load), start: [project([y1, y2]), project([v1, v2])] }
    }

    /// The state at the time `tau` (s) after the start of the phase.
    fn at(&self, tau: f64) -> [f64; 4] {
        let mut state = [0.0; 4];
        for k in 0..2 {
            let (square, load) = (self.squares[k], self.loads[k]);
            let (x, v) = (self.start[0][k], self.start[1][k]);
            let (x, v) = if square == 0.0 {
                (x + tau * (v + 0.5 * load * tau), v + load * tau)
            } else {
                let omega = square.sqrt();
                let (sin, cos) = (omega * tau).sin_cos();
                let (rest, rate) = (load / square, v / omega);
                (rest + (x - rest) * cos + rate * sin, omega * (rate * cos - (x - rest) * sin))
            };
            for ball in 0..2 {
                state[ball] += self.modes[k][ball] * x;
                state[2 + ball] += self.modes[k][ball] * v;
            }
        }
        state
    }

    /// The first event up to `span` (s) after the start, as the time after the start and the number of the overlap.
    fn first_event(&self, balls: &TwoBouncingBalls, span: f64) -> Option<(f64, usize)> {
        // In flight Ψ₁ is linear and Ψ₂ convex, so that the signs at the ends suffice. In contact, a hundredth of the
        // period of the fastest mode, ω² = (3 + √5) K/(2 m), is short enough.
        let fastest = (balls.stiffness / balls.mass * 0.5 * (3.0 + 5f64.sqrt())).sqrt();
        let flight = self.closed == [false, false];
        let step = if flight { span } else { (0.02 * std::f64::consts::PI / fastest).min(span) };
        let changed = |index: usize, tau: f64| (balls.overlaps(&self.at(tau))[index] > 0.0) != self.closed[index];
        let mut low = 0.0;
        while low < span {
            let high = (low + step).min(span);
            let first = (0..2)
                .filter(|&index| changed(index, high))
                .map(|index| (bisect(low, high, |tau| !changed(index, tau))[1], index))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if first.is_some() {
                return first;
            }
            low = high;
        }
        None
    }
}

impl TwoBouncingBalls {
    /// The events up to `t_end` (s), in order, and the final state `(y₁, y₂, y₁', y₂')` (m, m/s).
    ///
    /// Roundoff grows with the number of events; in 3 s of the default motion it stays below 1e-9 m and 1e-9 m/s.
    pub fn exact(&self, t_end: f64) -> (Vec<Event>, [f64; 4]) {
        let (mut time, mut closed) = (0.0, [false; 2]);
        let mut state = [self.height_1, self.height_2, 0.0, 0.0];
        let mut events = Vec::new();
        loop {
            let phase = Phase::new(self, closed, state);
            let Some((tau, index)) = phase.first_event(self, t_end - time) else {
                return (events, phase.at(t_end - time));
            };
            time += tau;
            state = phase.at(tau);
            closed[index] = !closed[index];
            events.push(Event { time, index, closes: closed[index] });
        }
    }
}
