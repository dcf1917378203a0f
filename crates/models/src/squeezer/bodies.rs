//! The squeezer as seven bodies in the plane.

use mbsbench_problem::{ConstrainedFormulation, Dimensions, Entries, MechanicalModel, Ode, Scalar};

use super::links::{AG, AH, EBD, End, Hold, Link, OF};
use super::{Points, Squeezer, SqueezerEquations, SqueezerFormulation, SqueezerMomenta};
use crate::plane::{cross, difference, sum, turned};

/// The coordinates are `q = (x, y, φ)` of the seven links: the centre of mass, and the angle of the local frame from
/// `+x`, in the order of Schiehlen
///
/// ```text
/// O-F, E-F, E-B-D, G-E, A-G, H-E, A-H
/// ```
///
/// `M = diag(m_i, m_i, I_i)`. A point with local coordinates `p` is at `P(i) = (x_i, y_i) + R(φ_i) (p − c_i)`, and
///
/// ```text
/// 0 = ( O(OF),  B(EBD) − B,  A(AG) − A,  A(AH) − A,  F(OF) − F(EF),
///       E(EBD) − E(EF),  E(EBD) − E(GE),  E(EBD) − E(HE),  G(AG) − G(GE),  H(AH) − H(HE) )
/// ```
///
/// The torque acts on O-F, and the spring on D of E-B-D.
#[derive(Debug, Clone)]
pub struct SqueezerBodies(pub Squeezer);

/// Pose of a link.
#[derive(Clone, Copy)]
struct Pose<S> {
    /// Centre of mass, m.
    centre: [S; 2],
    /// Sine and cosine of the angle.
    direction: (S, S),
    /// Local coordinates of the centre of mass, m.
    local: [f64; 2],
}

impl<S: Scalar> Pose<S> {
    /// Vector from the centre of mass to a point of the link, m.
    fn lever(&self, point: [f64; 2]) -> [S; 2] {
        turned(self.direction, difference(point.map(S::from), self.local.map(S::from)))
    }

    /// Position of a point of the link, m.
    fn point(&self, point: [f64; 2]) -> [S; 2] {
        sum(self.centre, self.lever(point))
    }
}

impl SqueezerBodies {
    fn pose<S: Scalar>(&self, q: &[S], body: usize) -> Pose<S> {
        let local = self.0.bodies()[body].centre;
        Pose { centre: [q[3 * body], q[3 * body + 1]], direction: q[3 * body + 2].sin_cos(), local }
    }

    /// Differences between `(β, β + Θ, γ, δ + Φ, δ, ε + Ω, ε)` and the angles of the bodies, rad.
    fn quarters<S: Scalar>() -> [S; 7] {
        let [none, quarter] = [S::zero(), S::pi() * 0.5];
        [none, none, none, quarter, none, none, quarter]
    }
}

impl MechanicalModel for SqueezerBodies {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(21, 20)
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        for (number, body) in self.0.bodies().into_iter().enumerate() {
            for (k, entry) in [body.mass, body.mass, body.inertia].into_iter().enumerate() {
                mass[(3 * number + k, 3 * number + k)] = S::from(entry);
            }
        }
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
        forces[3 * OF + 2] = S::from(self.0.torque);
        let plate = self.pose(q, EBD);
        let lever = plate.lever(self.0.ebd.spring);
        let (force, _) = self.0.spring(sum(plate.centre, lever));
        forces[3 * EBD..3 * EBD + 2].copy_from_slice(&force);
        forces[3 * EBD + 2] = cross(lever, force);
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let poses: [Pose<S>; 7] = std::array::from_fn(|body| self.pose(q, body));
        let place = |end: End| poses[end.body].point(end.point);
        for (phi, pin) in phi.chunks_exact_mut(2).zip(self.0.pins()) {
            let held = match pin.second {
                Hold::Ground(point) => point.map(S::from),
                Hold::Link(end) => place(end),
            };
            phi.copy_from_slice(&difference(place(pin.first), held));
        }
    }

    /// Kinetic energy and spring energy, J.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let mut twice = S::zero();
        for (body, v) in self.0.bodies().into_iter().zip(v.chunks_exact(3)) {
            twice += (v[0] * v[0] + v[1] * v[1]) * body.mass + v[2] * v[2] * body.inertia;
        }
        twice * 0.5 + self.0.spring(self.pose(q, EBD).point(self.0.ebd.spring)).1
    }
}

impl SqueezerEquations for SqueezerBodies {
    fn squeezer(&self) -> &Squeezer {
        &self.0
    }

    fn ode<S: Scalar>(&self, form: ConstrainedFormulation) -> Box<dyn Ode<S> + '_> {
        match self.0.formulation {
            SqueezerFormulation::Momenta(rotations) => Box::new(SqueezerMomenta::new(self, rotations)),
            _ => form.ode(self),
        }
    }

    fn coordinates_at<S: Scalar>(&self, angles: &[S; 7]) -> Vec<S> {
        let [beta, theta, gamma, phi, delta, omega, epsilon] = *angles;
        let turns = [beta, beta + theta, gamma, delta + phi, delta, epsilon + omega, epsilon];
        let Points { e, f, g, h, .. } = self.0.points_at(angles);
        // A point of each link that determines its position, with its local coordinates.
        let [origin, a] = [[S::zero(); 2], self.0.a.map(S::from)];
        let places = [
            (origin, [0.0; 2]),
            (f, [self.0.ef.length, 0.0]),
            (e, [0.0; 2]),
            (g, [0.0; 2]),
            (a, [0.0; 2]),
            (h, [0.0; 2]),
            (a, [0.0; 2]),
        ];
        let mut q = Vec::with_capacity(21);
        for ((((place, local), turn), quarter), body) in
            places.into_iter().zip(turns).zip(Self::quarters::<S>()).zip(self.0.bodies())
        {
            let angle = turn - quarter;
            let lever = turned(angle.sin_cos(), difference(body.centre.map(S::from), local.map(S::from)));
            q.extend(sum(place, lever));
            q.push(angle);
        }
        q
    }

    fn angles<S: Scalar>(&self, q: &[S]) -> [S; 7] {
        let quarters = Self::quarters::<S>();
        relative(std::array::from_fn(|body| q[3 * body + 2] + quarters[body]))
    }

    fn angle_rates<S: Scalar>(&self, v: &[S]) -> [S; 7] {
        relative(std::array::from_fn(|body| v[3 * body + 2]))
    }

    fn points<S: Scalar>(&self, q: &[S]) -> Points<S> {
        let plate = self.pose(q, EBD);
        let end = |body: usize, link: &Link| self.pose(q, body).point([link.length, 0.0]);
        Points {
            d: plate.point(self.0.ebd.spring),
            e: plate.point([0.0; 2]),
            f: end(OF, &self.0.of),
            g: end(AG, &self.0.ag),
            h: end(AH, &self.0.ah),
        }
    }
}

/// Converts `(β, β + Θ, γ, δ + Φ, δ, ε + Ω, ε)` into `(β, Θ, γ, Φ, δ, Ω, ε)`, or the rates likewise.
fn relative<S: Scalar>([crank, rod, plate, upper, delta, lower, epsilon]: [S; 7]) -> [S; 7] {
    [crank, rod - crank, plate, upper - delta, delta, lower - epsilon, epsilon]
}
