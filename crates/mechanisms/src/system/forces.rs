//! Forces and torques on bodies.

use mbsbench_problem::Scalar;

use super::at::{At, Turning};
use super::contacts::{Contact, tanh_ratio};
use crate::definition::Friction;
use crate::formula::Tree;
use crate::space::{Fixed, Space, Vector, minus};

/// A variable in the formula of a force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Variable {
    /// Time, s.
    Time,
    /// A component of a point's position, m.
    Place(Fixed, usize),
    /// A component of a point's velocity, m/s.
    Velocity(Fixed, usize),
    /// The angle of a body in the plane, rad.
    Angle(usize),
    /// A component of an angular velocity in the axes of the ground, rad/s; only the third in the plane.
    Spin(usize, usize),
    /// Length of the line between two markers (m), or angle between them (rad).
    Between,
    /// Rate of that length or angle.
    BetweenRate,
}

/// The formula of a force.
pub type ForceLaw = Tree<Variable>;

/// A force or torque on bodies.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A spring with a damper between two points: `k`, `c`, free length.
    Spring(Fixed, Fixed, [f64; 3]),
    /// A torsional spring with a damper: `k`, `c`, free angle.
    Torsion(Turning, [f64; 3]),
    /// Springs and dampers along and about the axes of the first of two markers.
    Bushing(Box<Cushion>),
    /// A force at a point; in the axes of its marker, if given.
    Force(Fixed, Option<[Fixed; 3]>, Vec<ForceLaw>),
    /// A torque on a body; in the axes of its marker, if given.
    Torque(Fixed, Option<[Fixed; 3]>, Vec<ForceLaw>),
    /// A force along the line between two points.
    Actuator(Fixed, Fixed, ForceLaw),
    /// A torque about an axis between two markers.
    Motor(Turning, ForceLaw),
    /// The contact of two bodies.
    Contact(Contact),
}

/// A bushing.
#[derive(Debug, Clone, PartialEq)]
pub struct Cushion {
    /// Points of the two markers.
    pub between: [Fixed; 2],
    /// Directions of the first marker, and of the second.
    pub directions: [[Fixed; 3]; 2],
    /// Angle of the second marker minus that of the first at equal angles of the bodies, in the plane, rad.
    pub offset: f64,
    /// Stiffness along and about the axes.
    pub stiffness: Vec<f64>,
    /// Damping along and about the axes.
    pub damping: Vec<f64>,
    /// Dry friction.
    pub friction: Option<Friction>,
}

impl Action {
    /// The body on which the action alone depends, besides the ground; or two bodies, on whose relative motion it
    /// depends. None for other actions.
    pub(crate) fn bodies(&self) -> Option<[Option<usize>; 2]> {
        let [a, b] = match self {
            Self::Spring(a, b, _) | Self::Actuator(a, b, _) => [a.body, b.body],
            Self::Torsion(turning, _) | Self::Motor(turning, _) => [turning.x.body, turning.second.body],
            Self::Bushing(cushion) => cushion.between.map(|point| point.body),
            Self::Contact(contact) => contact.between.map(|point| point.body),
            Self::Force(point, ..) | Self::Torque(point, ..) => [point.body, None],
        };
        let laws = match self {
            Self::Force(_, _, laws) | Self::Torque(_, _, laws) => laws,
            Self::Actuator(_, _, law) | Self::Motor(_, law) => std::slice::from_ref(law),
            _ => &[],
        };
        let mut depends_on_others = |variable: &Variable| {
            let body = match variable {
                Variable::Place(point, _) | Variable::Velocity(point, _) => point.body,
                Variable::Angle(body) | Variable::Spin(body, _) => Some(*body),
                Variable::Time | Variable::Between | Variable::BetweenRate => None,
            };
            body.is_some() && (a.is_some() && b.is_some() || body != a.or(b))
        };
        let is_other = laws.iter().any(|law| law.any(&mut depends_on_others));
        (!is_other).then_some([a, b])
    }
}

impl<S: Scalar, X: Space> At<'_, S, X> {
    fn variable(&self, variable: &Variable, between: (S, S)) -> S {
        match variable {
            Variable::Time => self.t,
            Variable::Place(point, i) => self.moving(point).at[*i],
            Variable::Velocity(point, i) => self.moving(point).velocity[*i],
            Variable::Angle(body) => self.q[body * X::COORDINATES + 2],
            Variable::Spin(body, i) => self.twist(Some(*body)).spin[*i],
            Variable::Between => between.0,
            Variable::BetweenRate => between.1,
        }
    }

    fn law(&self, law: &ForceLaw, between: (S, S)) -> S {
        law.evaluate(&mut |variable| self.variable(variable, between))
    }

    /// Components in the axes of the ground, from laws.
    fn components(&self, laws: &[ForceLaw], directions: Option<&[Fixed; 3]>) -> Vector<S> {
        let nothing = (S::zero(), S::zero());
        let mut own = [S::zero(); 3];
        // a torque in the plane is the third component
        let first = if laws.len() == 1 { 2 } else { 0 };
        own[first..].iter_mut().zip(laws).for_each(|(own, law)| *own = self.law(law, nothing));
        let Some(directions) = directions else { return own };
        if laws.len() == 1 {
            return own;
        }
        let mut sum = [S::zero(); 3];
        for (direction, own) in directions.iter().zip(own) {
            let direction = self.direction(direction);
            (0..3).for_each(|i| sum[i] += direction[i] * own);
        }
        sum
    }

    fn about(&self, turning: &Turning, torque: S, forces: &mut [S]) {
        let axis = if X::DIMENSION == 2 {
            [S::zero(), S::zero(), torque]
        } else {
            self.direction(&turning.axis).map(|x| x * torque)
        };
        let none = [S::zero(); 3];
        self.apply(turning.second.body, None, &none, &axis, forces);
        self.apply(turning.x.body, None, &none, &axis.map(|x| -x), forces);
    }

    /// Displacement of the second marker from the first along and about the first's axes, and the rates.
    fn displacement(&self, cushion: &Cushion) -> ([S; 6], [S; 6]) {
        let [a, b] = &cushion.between;
        let (at_a, at_b) = (self.moving(a), self.moving(b));
        let (d, rate) = (minus(&at_b.at, &at_a.at), minus(&at_b.velocity, &at_a.velocity));
        let (of_a, of_b) = (self.twist(a.body).spin, self.twist(b.body).spin);
        let relative = minus(&of_b, &of_a);
        let drag = X::cross(&of_a, &d);
        let (mut by, mut rates) = ([S::zero(); 6], [S::zero(); 6]);
        let directions = cushion.directions[0].map(|direction| self.direction(&direction));
        for i in 0..X::DIMENSION {
            by[i] = X::dot(&directions[i], &d);
            rates[i] = X::dot(&directions[i], &minus(&rate, &drag));
        }
        if X::DIMENSION == 2 {
            let turning = Turning { x: *a, y: *a, axis: *a, second: *b, offset: cushion.offset };
            (by[2], rates[2]) = self.turning(&turning);
            return (by, rates);
        }
        // half the sum of the cross products: for small rotations, the rotation vector
        let mut vector = [S::zero(); 3];
        for (first, second) in directions.iter().zip(&cushion.directions[1]) {
            let cross = X::cross(first, &self.direction(second));
            (0..3).for_each(|i| vector[i] += cross[i] * 0.5);
        }
        for i in 0..3 {
            by[3 + i] = X::dot(&directions[i], &vector);
            rates[3 + i] = X::dot(&directions[i], &relative);
        }
        (by, rates)
    }

    /// Adds the forces of the action.
    pub fn add(&self, action: &Action, forces: &mut [S]) {
        match action {
            Action::Spring(a, b, [stiffness, damping, free]) => {
                let (at_a, at_b) = (self.moving(a), self.moving(b));
                let (along, length, rate) = self.line(&at_a, &at_b);
                let pull = (length - *free) * *stiffness + rate * *damping;
                self.apart([a, b], [&at_a, &at_b], &along.map(|x| x * pull), forces);
            }
            Action::Actuator(a, b, law) => {
                let (at_a, at_b) = (self.moving(a), self.moving(b));
                let (along, length, rate) = self.line(&at_a, &at_b);
                let push = self.law(law, (length, rate));
                self.apart([a, b], [&at_a, &at_b], &along.map(|x| -(x * push)), forces);
            }
            Action::Torsion(turning, [stiffness, damping, free]) => {
                let (angle, rate) = self.turning(turning);
                self.about(turning, -((angle - *free) * *stiffness) - rate * *damping, forces);
            }
            Action::Motor(turning, law) => {
                let between = self.turning(turning);
                self.about(turning, self.law(law, between), forces);
            }
            Action::Force(point, directions, laws) => {
                let moving = self.moving(point);
                let force = self.components(laws, directions.as_ref());
                let arm = (point.at != [0.0; 3]).then_some(&moving.arm);
                self.apply(point.body, arm, &force, &[S::zero(); 3], forces);
            }
            Action::Torque(point, directions, laws) => {
                let torque = self.components(laws, directions.as_ref());
                self.apply(point.body, None, &[S::zero(); 3], &torque, forces);
            }
            Action::Bushing(cushion) => self.add_bushing(cushion, forces),
            Action::Contact(contact) => self.add_contact(contact, forces),
        }
    }

    fn add_bushing(&self, cushion: &Cushion, forces: &mut [S]) {
        let [a, b] = &cushion.between;
        let (by, rates) = self.displacement(cushion);
        // friction along and about the axes, per rate
        let dry = cushion.friction.map(|Friction { force, torque, slip_speed }| {
            let (along, about) = rates.split_at(X::DIMENSION);
            [(along, force), (about, torque)].map(|(rates, most)| {
                let square = rates.iter().fold(S::zero(), |sum, &rate| sum + rate * rate);
                tanh_ratio(square / (slip_speed * slip_speed)) * (most / slip_speed)
            })
        });
        let pull = |i: usize| {
            let pull = by[i] * cushion.stiffness[i] + rates[i] * cushion.damping[i];
            dry.map_or(pull, |dry| pull + rates[i] * dry[usize::from(i >= X::DIMENSION)])
        };
        let (mut force, mut torque) = ([S::zero(); 3], [S::zero(); 3]);
        let directions = cushion.directions[0].map(|direction| self.direction(&direction));
        for i in 0..X::DIMENSION {
            let pull_i = pull(i);
            (0..3).for_each(|k| force[k] += directions[i][k] * pull_i);
        }
        if X::DIMENSION == 2 {
            torque[2] = pull(2);
        } else {
            for i in 0..3 {
                let pull_i = pull(3 + i);
                (0..3).for_each(|k| torque[k] += directions[i][k] * pull_i);
            }
        }
        // The force acts at the second point on both bodies: with a common line of action no torque remains.
        let (at_a, at_b) = (self.moving(a), self.moving(b));
        let reach: Vector<S> = std::array::from_fn(|i| at_a.arm[i] + at_b.at[i] - at_a.at[i]);
        self.apply(a.body, Some(&reach), &force, &torque, forces);
        self.apply(b.body, Some(&at_b.arm), &force.map(|x| -x), &torque.map(|x| -x), forces);
    }

    /// Stored energy of the action, J; zero if it stores none. Includes contacts, whose force is a power
    /// of the overlap.
    pub fn potential(&self, action: &Action) -> S {
        match action {
            Action::Spring(a, b, [stiffness, _, free]) => {
                let (_, length, _) = self.line(&self.moving(a), &self.moving(b));
                let change = length - *free;
                change * change * (0.5 * stiffness)
            }
            Action::Torsion(turning, [stiffness, _, free]) => {
                let change = self.turning(turning).0 - *free;
                change * change * (0.5 * stiffness)
            }
            Action::Bushing(cushion) => {
                let (by, _) = self.displacement(cushion);
                // rotations in space have no potential in these three numbers: their work counts as power
                let with_potential = if X::DIMENSION == 2 { 3 } else { X::DIMENSION };
                let stored = by[..with_potential].iter().zip(&cushion.stiffness);
                stored.fold(S::zero(), |sum, (&by, stiffness)| sum + by * by * (0.5 * stiffness))
            }
            Action::Contact(contact) => self.stored_by_contact(contact),
            Action::Force(..) | Action::Torque(..) | Action::Actuator(..) | Action::Motor(..) => S::zero(),
        }
    }
}
