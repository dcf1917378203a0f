//! Contact forces between bodies that overlap.

use mbsbench_problem::Scalar;

use super::at::At;
use crate::definition::Touch;
use crate::formula::tanh;
use crate::space::{Fixed, Space, Vector, minus};

/// Two bodies that may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Centres of two balls, or a point of a plane and the centre of a ball.
    pub between: [Fixed; 2],
    /// The surface that a ball touches.
    pub surface: Surface,
    /// Contact law.
    pub touch: Touch,
}

/// The surface that a ball touches, with the radius of the ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surface {
    /// Another ball; the first radius is that of the other ball.
    Outside([f64; 2]),
    /// A surrounding ball; the first radius is that of the surrounding ball.
    Inside([f64; 2]),
    /// A plane with this normal.
    Plane(Fixed, f64),
}

/// Returns `tanh(x)/x` for the square of `x`.
pub(super) fn tanh_ratio<S: Scalar>(square: S) -> S {
    // 1 − x²/3 + … near zero, where the square root has no derivative
    if square.re() < 1e-8 { -(square / 3.0) + 1.0 } else { tanh(square.sqrt()) / square.sqrt() }
}

impl<S: Scalar, X: Space> At<'_, S, X> {
    /// Overlap of two bodies, m; negative if they do not touch.
    fn overlap(&self, Contact { between: [a, b], surface, .. }: &Contact) -> S {
        let d = minus(&self.moving(b).at, &self.moving(a).at);
        let distance = || {
            let square = X::dot(&d, &d);
            // a distance of zero has no derivative; a ball inside another does not touch it there
            if square.re() == 0.0 { S::zero() } else { square.sqrt() }
        };
        match surface {
            Surface::Outside([of_a, of_b]) => -(distance() - (of_a + of_b)),
            Surface::Inside([of_a, of_b]) => distance() - (of_a - of_b),
            Surface::Plane(normal, radius) => -(X::dot(&self.direction(normal), &d) - *radius),
        }
    }

    /// The gap of a contact, m, and a tenth of the mean radius, or of the clearance, m.
    pub(super) fn gap(&self, contact: &Contact) -> (S, f64) {
        let small = match contact.surface {
            Surface::Outside([of_a, of_b]) => 0.05 * (of_a + of_b),
            Surface::Inside([of_a, of_b]) => 0.1 * (of_a - of_b),
            Surface::Plane(_, radius) => 0.1 * radius,
        };
        (-self.overlap(contact), small)
    }

    /// The energy of a contact without damping and friction, `k δⁿ⁺¹/(n + 1)`, J.
    pub(super) fn stored_by_contact(&self, contact: &Contact) -> S {
        let (overlap, Touch { stiffness, exponent, .. }) = (self.overlap(contact), &contact.touch);
        if overlap.re() <= 0.0 {
            return S::zero();
        }
        overlap.powf(exponent + 1.0) * (stiffness / (exponent + 1.0))
    }

    /// Adds the forces between two overlapping bodies, at the point of the second ball's surface opposite to the
    /// normal.
    pub(super) fn add_contact(&self, contact: &Contact, forces: &mut [S]) {
        let Contact { between: [a, b], surface, touch } = contact;
        let mut touched = self.moving(b).at;
        // the normal along which the second body is pushed
        let (normal, radius): (Vector<S>, f64) = match surface {
            Surface::Plane(normal, radius) => (self.direction(normal), *radius),
            Surface::Outside(radii) | Surface::Inside(radii) => {
                let d = minus(&touched, &self.moving(a).at);
                let square = X::dot(&d, &d);
                // coinciding centres have no direction, and balls of which one is inside the other do not overlap then
                if square.re() == 0.0 {
                    return;
                }
                let distance = square.sqrt();
                let sign = if matches!(surface, Surface::Inside(_)) { -1.0 } else { 1.0 };
                (d.map(|x| x / distance * sign), radii[1])
            }
        };
        let overlap = self.overlap(contact);
        if overlap.re() <= 0.0 {
            return;
        }
        (0..X::DIMENSION).for_each(|i| touched[i] -= normal[i] * radius);
        let (arm_a, velocity_a) = self.carried(a.body, &touched);
        let (arm_b, velocity_b) = self.carried(b.body, &touched);
        let relative = minus(&velocity_b, &velocity_a);
        let parting = X::dot(&normal, &relative);
        let size = overlap.powf(touch.exponent) * touch.stiffness * (-(parting * touch.damping) + 1.0);
        // bodies do not pull
        if size.re() <= 0.0 {
            return;
        }
        let mut force = normal.map(|x| x * size);
        if touch.friction > 0.0 {
            let sliding: Vector<S> = std::array::from_fn(|i| relative[i] - normal[i] * parting);
            let square = X::dot(&sliding, &sliding) / (touch.slip_speed * touch.slip_speed);
            let by = size * tanh_ratio(square) * (touch.friction / touch.slip_speed);
            (0..X::DIMENSION).for_each(|i| force[i] -= sliding[i] * by);
        }
        let none = [S::zero(); 3];
        self.apply(b.body, Some(&arm_b), &force, &none, forces);
        self.apply(a.body, Some(&arm_a), &force.map(|x| -x), &none, forces);
    }

    /// Arm from a body's centre of mass to a point of the ground, and the body's velocity there.
    fn carried(&self, body: Option<usize>, point: &Vector<S>) -> (Vector<S>, Vector<S>) {
        let zero = [S::zero(); 3];
        let Some(number) = body else { return (zero, zero) };
        let own = &self.q[X::own(number)];
        let mut arm = zero;
        (0..X::DIMENSION).for_each(|i| arm[i] = point[i] - own[i]);
        let twist = self.twist(body);
        let turning = X::cross(&twist.spin, &arm);
        let mut velocity = twist.velocity;
        (0..X::DIMENSION).for_each(|i| velocity[i] += turning[i]);
        (arm, velocity)
    }
}
