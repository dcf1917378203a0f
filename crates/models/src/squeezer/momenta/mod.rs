//! The squeezer with the origins and momenta of its links as unknowns.

mod node;

use mbsbench_problem::dae::Point;
use mbsbench_problem::linalg::{Singular, System};
use mbsbench_problem::scalar::{is_double, only_in_double};
use mbsbench_problem::{AccelerationLevel, Dae, Failure, Form, MechanicsOf, Ode, Properties, Scalar, pass_on};
use nalgebra::DMatrix;
use num_dual::Dual;

use super::links::{Body, EBD, End, Hold, OF, Pin};
use super::{Squeezer, SqueezerBodies};
use crate::iteration::fixed_point;
use crate::plane::{cross, sum};
pub use node::Rotations;
use node::{Motion, Node, across, lever};

/// Number of links, and number of the positions or momenta of all links.
const BODIES: usize = 7;
const POSITIONS: usize = 3 * BODIES;
/// Number of positions and momenta.
const DIFFERENTIAL: usize = 2 * POSITIONS;
const CONSTRAINTS: usize = 20;

/// The squeezer in origins `x` of the links' frames, their angles and momenta as unknowns, with pins as
/// position constraints:
///
/// ```text
/// m v + ω × S − β = 0                with v = x', S = m s, s from the origin to the centre of mass
/// S × v + J ω − γ = 0                with J about the origin
/// β' = Σ forces
/// γ' + v × β = Σ moments about the origin
/// Φ/c = 0
/// ```
///
/// These are the nodes of the multibody code behind zhang2022. `y` has `(x, y, g)` of the seven links in their order,
/// then `(β_x, β_y, γ)`; `g` is the [local coordinate](Rotations) of the angle, whose reference is in the chart. The
/// multipliers are the same as in [`SqueezerBodies`]. Observers receive the state `(q ; v)` of [`SqueezerBodies`], with
/// centres of mass. The explicit right-hand side is evaluated for the same state at acceleration level.
pub struct SqueezerMomenta<'m, S: Scalar = f64> {
    squeezer: &'m Squeezer,
    rotations: Rotations,
    bodies: [Body; BODIES],
    pins: [Pin; 10],
    explicit: AccelerationLevel<'m, S>,
    /// Dense: 512 of its 62² entries are non-zero, and faer's sparse factors take 8.2 µs while these, which skip
    /// zeros, take 4.5 µs (`cargo bench -p mbsbench-problem`).
    system: System<S>,
}

/// The quantities of a link at a stage that its rows consist of.
struct Moving<S> {
    /// Velocity of the origin.
    velocity: [S; 2],
    spin: S,
    beta: [S; 2],
    gamma: S,
    /// `S`, kg m.
    static_moment: [S; 2],
    /// `J`, kg m².
    inertia: S,
}

impl<'m, S: Scalar> SqueezerMomenta<'m, S> {
    /// Returns the equations of the mechanism of `model`.
    pub fn new(model: &'m SqueezerBodies, rotations: Rotations) -> Self {
        Self {
            squeezer: &model.0,
            rotations,
            bodies: model.0.bodies(),
            pins: model.0.pins(),
            explicit: AccelerationLevel::new(MechanicsOf::new(model)),
            system: System::new(DIFFERENTIAL + CONSTRAINTS),
        }
    }

    /// Position and momenta of a link.
    fn node(&self, chart: &[S], y: &[S], body: usize) -> Node<S> {
        let (q, p) = (&y[3 * body..], &y[POSITIONS + 3 * body..]);
        Node {
            position: [q[0], q[1]],
            angle: chart[body] + self.rotations.angle(q[2]),
            beta: [p[0], p[1]],
            gamma: p[2],
        }
    }

    fn moving(&self, at: &Point<'_, S>, number: usize) -> Moving<S> {
        let Node { angle, beta, gamma, .. } = self.node(at.chart, at.y, number);
        let body = &self.bodies[number];
        let rates = &at.rates[3 * number..];
        let [x, y] = body.centre.map(S::from);
        Moving {
            velocity: [rates[0], rates[1]],
            spin: rates[2] * self.rotations.slope(at.y[3 * number + 2]),
            beta,
            gamma,
            static_moment: lever(angle, body.centre).map(|x| x * body.mass),
            inertia: (x * x + y * y) * body.mass + body.inertia,
        }
    }

    /// Origin of a link, and the lever from there to a point.
    fn arm(&self, at: &Point<'_, S>, end: End) -> ([S; 2], [S; 2]) {
        let node = self.node(at.chart, at.y, end.body);
        (node.position, lever(node.angle, end.point))
    }

    /// Derivative `dφ/dg` of a link's angle.
    fn slope(&self, at: &Point<'_, S>, body: usize) -> S {
        self.rotations.slope(at.y[3 * body + 2])
    }

    /// The ends of a pin that are points of links, with their signs in `Φ`.
    fn ends(pin: &Pin) -> impl Iterator<Item = (f64, End)> {
        let second = match pin.second {
            Hold::Ground(_) => None,
            Hold::Link(end) => Some((-1.0, end)),
        };
        std::iter::once((1.0, pin.first)).chain(second)
    }

    /// Writes Newton's matrix.
    fn form(&mut self, at: Point<'_, S>, c: S) {
        self.system.matrix.fill(S::zero());
        for number in 0..BODIES {
            self.form_momenta(&at, c, number);
        }
        self.form_spring(&at, c);
        for k in 0..self.pins.len() {
            self.form_pin(&at, c, k);
        }
    }

    /// Writes the rows that define and balance the momenta of a link, without forces.
    fn form_momenta(&mut self, at: &Point<'_, S>, c: S, number: usize) {
        let link = self.moving(at, number);
        let mass = S::from(self.bodies[number].mass);
        let (g, g_rate) = (at.y[3 * number + 2], at.rates[3 * number + 2]);
        // derivatives of angle and angular velocity by g', with g = ĝ + c g'
        let turn = self.rotations.slope(g) * c;
        let spin = self.rotations.slope(g) + self.rotations.curvature(g) * g_rate * c;
        let ([s_x, s_y], across) = (link.static_moment, across(link.static_moment));
        let matrix = &mut self.system.matrix;
        let (q, p) = (3 * number, POSITIONS + 3 * number);
        for k in 0..2 {
            matrix[(q + k, q + k)] = mass;
            matrix[(q + k, q + 2)] = across[k] * spin - link.static_moment[k] * link.spin * turn;
            matrix[(q + k, p + k)] = -c;
            matrix[(p + k, p + k)] = S::from(1.0);
        }
        matrix[(q + 2, q)] = -s_y;
        matrix[(q + 2, q + 1)] = s_x;
        matrix[(q + 2, q + 2)] = cross(across, link.velocity) * turn + link.inertia * spin;
        matrix[(q + 2, p + 2)] = -c;
        matrix[(p + 2, q)] = link.beta[1];
        matrix[(p + 2, q + 1)] = -link.beta[0];
        matrix[(p + 2, p)] = -link.velocity[1] * c;
        matrix[(p + 2, p + 1)] = link.velocity[0] * c;
        matrix[(p + 2, p + 2)] = S::from(1.0);
    }

    /// Adds force and moment of the spring on the plate.
    fn form_spring(&mut self, at: &Point<'_, S>, c: S) {
        let (origin, lever) = self.arm(at, End { body: EBD, point: self.squeezer.ebd.spring });
        let point = sum(origin, lever);
        let (force, _) = self.squeezer.spring(point);
        let turn = self.slope(at, EBD) * c;
        let directions = [[c, S::zero()], [S::zero(), c], across(lever).map(|x| x * turn)];
        for (j, direction) in directions.into_iter().enumerate() {
            let moved = std::array::from_fn(|k| Dual::new(point[k], direction[k]));
            let change = self.squeezer.spring(moved).0.map(|force| force.eps);
            // the lever rotates with the plate
            let turned = if j == 2 { cross(direction, force) } else { S::zero() };
            let (row, column) = (POSITIONS + 3 * EBD, 3 * EBD + j);
            let matrix = &mut self.system.matrix;
            matrix[(row, column)] -= change[0];
            matrix[(row + 1, column)] -= change[1];
            matrix[(row + 2, column)] -= cross(lever, change) + turned;
        }
    }

    /// Adds the constraints and forces of a pin.
    fn form_pin(&mut self, at: &Point<'_, S>, c: S, k: usize) {
        let row = DIFFERENTIAL + 2 * k;
        let lambda = [at.rates[row], at.rates[row + 1]];
        let pin = self.pins[k];
        for (sign, end) in Self::ends(&pin) {
            let (_, lever) = self.arm(at, end);
            let slope = self.slope(at, end.body);
            let across = across(lever);
            let (q, p) = (3 * end.body, POSITIONS + 3 * end.body);
            let matrix = &mut self.system.matrix;
            for i in 0..2 {
                matrix[(row + i, q + i)] += S::from(sign);
                matrix[(row + i, q + 2)] += across[i] * slope * sign;
                matrix[(p + i, row + i)] -= S::from(sign);
                matrix[(p + 2, row + i)] -= across[i] * sign;
            }
            matrix[(p + 2, q + 2)] -= cross(across, lambda) * slope * c * sign;
        }
    }
}

impl<S: Scalar> Dae<S> for SqueezerMomenta<'_, S> {
    fn differential(&self) -> usize {
        DIFFERENTIAL
    }

    fn algebraic(&self) -> usize {
        CONSTRAINTS
    }

    fn chart_length(&self) -> usize {
        BODIES
    }

    fn locate(&self, state: &[S], chart: &mut [S], y: &mut [S]) {
        for (number, body) in self.bodies.iter().enumerate() {
            let node = Node::of_centre(body, &motion(state, number));
            chart[number] = node.angle;
            put(&node, S::zero(), number, y);
        }
    }

    fn state(&self, chart: &[S], y: &[S], state: &mut [S]) {
        for (number, body) in self.bodies.iter().enumerate() {
            let centre = self.node(chart, y, number).centre(body);
            let (q, v) = (3 * number, POSITIONS + 3 * number);
            state[q..q + 2].copy_from_slice(&centre.position);
            state[q + 2] = centre.angle;
            state[v..v + 2].copy_from_slice(&centre.velocity);
            state[v + 2] = centre.spin;
        }
    }

    fn recentre(&self, chart: &[S], y: &[S], centred: &mut [S]) {
        for (number, centred) in centred.iter_mut().enumerate() {
            *centred = chart[number] + self.rotations.angle(y[3 * number + 2]);
        }
    }

    fn transport(&self, from: &[S], to: &[S], y: &mut [S], rates: &mut [S]) {
        for number in 0..BODIES {
            let (g, rate) = (&mut y[3 * number + 2], &mut rates[3 * number + 2]);
            let spin = *rate * self.rotations.slope(*g);
            *g = self.rotations.coordinate(self.rotations.angle(*g) + from[number] - to[number]);
            *rate = spin / self.rotations.slope(*g);
        }
    }

    /// Angles are additive: the rate about the moving centre is the rate of the coordinate minus `Ω/slope`.
    fn follow(&mut self, d: &[S], c: S, y: &mut [S]) {
        for (d, y) in d.chunks_exact(3).zip(y[..POSITIONS].chunks_exact_mut(3)) {
            let (travel, fixed) = (d[2] * c, y[2]);
            let map = |&g: &S| fixed - travel * (self.rotations.slope(g).recip() - 1.0);
            y[2] = fixed_point(fixed, map, |&g, &next| (next - g).value().abs());
        }
    }

    fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure> {
        for (number, body) in self.bodies.iter().enumerate() {
            let link = self.moving(&at, number);
            let (q, p) = (3 * number, POSITIONS + 3 * number);
            let turning = across(link.static_moment).map(|x| x * link.spin);
            for k in 0..2 {
                residual[q + k] = link.velocity[k] * body.mass + turning[k] - link.beta[k];
                residual[p + k] = at.rates[p + k];
            }
            residual[q + 2] = cross(link.static_moment, link.velocity) + link.inertia * link.spin - link.gamma;
            residual[p + 2] = at.rates[p + 2] + cross(link.velocity, link.beta);
        }
        residual[POSITIONS + 3 * OF + 2] -= S::from(self.squeezer.torque);
        let (origin, lever) = self.arm(&at, End { body: EBD, point: self.squeezer.ebd.spring });
        let (force, _) = self.squeezer.spring(sum(origin, lever));
        load(residual, EBD, lever, force, 1.0);
        for (k, pin) in self.pins.iter().enumerate() {
            let row = DIFFERENTIAL + 2 * k;
            let lambda = [at.rates[row], at.rates[row + 1]];
            let mut gap = match pin.second {
                Hold::Ground(place) => place.map(|x| S::from(-x)),
                Hold::Link(_) => [S::zero(); 2],
            };
            for (sign, end) in Self::ends(pin) {
                let (origin, lever) = self.arm(&at, end);
                gap = sum(gap, sum(origin, lever).map(|x| x * sign));
                load(residual, end.body, lever, lambda, sign);
            }
            residual[row] = gap[0] / c;
            residual[row + 1] = gap[1] / c;
        }
        Ok(())
    }

    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular> {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        self.form(at, c);
        self.system.factorize()
    }

    fn solve(&mut self, x: &mut [S]) {
        self.system.solve(x);
    }

    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        self.form(at, c);
        matrix.copy_from(&self.system.matrix);
    }

    /// Solves for accelerations and multipliers at acceleration level.
    fn consistent(&mut self, t: S, chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure> {
        let mut state = [S::zero(); DIFFERENTIAL];
        let mut change = [S::zero(); DIFFERENTIAL];
        self.state(chart, y, &mut state);
        self.explicit.rhs(t, &state, &mut change)?;
        let along: [Dual<S>; DIFFERENTIAL] = std::array::from_fn(|i| Dual::new(state[i], change[i]));
        for (number, body) in self.bodies.iter().enumerate() {
            let body_change = Node::of_centre(body, &motion(&along, number));
            let slope = self.rotations.slope(y[3 * number + 2]);
            let node = Node {
                position: body_change.position.map(|x| x.eps),
                angle: S::zero(),
                beta: body_change.beta.map(|x| x.eps),
                gamma: body_change.gamma.eps,
            };
            put(&node, body_change.angle.eps / slope, number, rates);
        }
        rates[DIFFERENTIAL..].copy_from_slice(self.explicit.multipliers());
        Ok(())
    }

    fn kinematic(&self, chart: &[S], y: &[S], rates: &mut [S]) {
        rates.fill(S::zero());
        for (number, body) in self.bodies.iter().enumerate() {
            let (velocity, spin) = self.node(chart, y, number).velocities(body);
            rates[3 * number..3 * number + 2].copy_from_slice(&velocity);
            rates[3 * number + 2] = spin / self.rotations.slope(y[3 * number + 2]);
        }
    }
}

/// The motion of a link's centre of mass in a state `(q ; v)`.
fn motion<S: Scalar>(state: &[S], number: usize) -> Motion<S> {
    let (q, v) = (&state[3 * number..], &state[POSITIONS + 3 * number..]);
    Motion { position: [q[0], q[1]], angle: q[2], velocity: [v[0], v[1]], spin: v[2] }
}

/// Writes the position (with the local coordinate `g` of the angle) and the momenta of a link into `y`.
fn put<S: Scalar>(node: &Node<S>, g: S, number: usize, y: &mut [S]) {
    let (q, p) = (3 * number, POSITIONS + 3 * number);
    y[q..q + 2].copy_from_slice(&node.position);
    y[q + 2] = g;
    y[p..p + 2].copy_from_slice(&node.beta);
    y[p + 2] = node.gamma;
}

/// Subtracts a force and its moment about a link's origin from the rows of the momentum balances.
fn load<S: Scalar>(residual: &mut [S], body: usize, lever: [S; 2], force: [S; 2], sign: f64) {
    let row = POSITIONS + 3 * body;
    residual[row] -= force[0] * sign;
    residual[row + 1] -= force[1] * sign;
    residual[row + 2] -= cross(lever, force) * sign;
}

impl<S: Scalar> Ode<S> for SqueezerMomenta<'_, S> {
    fn dimension(&self) -> usize {
        DIFFERENTIAL
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_jacobian: is_double::<S>(), is_autonomous: true, ..Properties::default() }
    }

    pass_on! { self.explicit =>
        fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure>;
        fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure>;
        fn rhs_and_jacobian(&mut self, t: S, y: &[S], dydt: &mut [S], jacobian: &mut DMatrix<S>) -> Result<(), Failure>;
        fn time_derivative(&mut self, t: S, y: &[S], rate: &mut [S]) -> Result<(), Failure>;
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::Implicit(self)
    }
}
