//! The bearing with its initial state and its observables.

use mbsbench_problem::{
    AsContactOde, AsOde, Class, ContactModel, Formulated, Model, Observable, Observation, Ode, Scalar, View,
};

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, VELOCITIES};
use super::{BallBearing, Bearing};
use crate::drawing::view;

/// A bearing with its initial state, with or without the two states of its energy balance.
#[derive(Debug, Clone, PartialEq)]
pub struct BearingModel {
    bearing: Bearing,
    start: Vec<f64>,
    energy_balance: bool,
}

impl BearingModel {
    /// Returns the model. If parameters are out of range and there is no equilibrium, the initial state is not a
    /// number.
    pub(super) fn new(parameters: &BallBearing) -> Self {
        let bearing = Bearing::new(parameters);
        let dimension = bearing.coordinates() + bearing.velocities();
        let mut start = bearing.start_of(parameters).unwrap_or_else(|| vec![f64::NAN; dimension]);
        if parameters.energy_balance {
            start.extend([0.0; 2]);
        }
        Self { bearing, start, energy_balance: parameters.energy_balance }
    }

    fn observe(&self, y: &[f64], values: &mut [f64]) {
        let bearing = &self.bearing;
        let (q, rest) = y.split_at(bearing.coordinates());
        let (v, work) = rest.split_at(bearing.velocities());
        let (mut race_force, mut pocket_force) = (0.0_f64, 0.0_f64);
        bearing.for_each_contact(q, v, |contact| {
            let largest = if contact.partner == CAGE { &mut pocket_force } else { &mut race_force };
            *largest = largest.max(contact.normal_force);
        });
        let mut wrenches = vec![0.0; bearing.velocities()];
        bearing.wrenches(q, v, &mut wrenches);
        let power_of = |body: usize| bearing.power_of(body, &wrenches, v);
        let power_balls = (BALLS..bearing.bodies()).fold(0.0, |largest: f64, ball| largest.max(power_of(ball).abs()));
        let contact_power = power_balls.max(power_of(INNER).abs()).max(power_of(CAGE).abs());
        let norm_error = q
            .chunks_exact(COORDINATES)
            .fold(0.0, |largest: f64, q| largest.max((q[3..].iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs()));
        let power = bearing.power(q, v);
        let energy = bearing.energy(q, v);
        values[..15].copy_from_slice(&[
            q[COORDINATES * INNER + 2],
            v[VELOCITIES * CAGE + 5],
            race_force,
            pocket_force,
            contact_power,
            power_of(INNER),
            power_of(CAGE),
            power_balls,
            bearing.kinetic_energy(q, v),
            bearing.elastic_energy(q, v),
            bearing.load_energy(q),
            energy,
            power.dissipated,
            power.drive,
            norm_error,
        ]);
        if let &[dissipated, drive] = work {
            values[15..].copy_from_slice(&[dissipated, drive, energy + dissipated - drive]);
        }
    }
}

impl<S: Scalar> Formulated<S> for BearingModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        if self.energy_balance {
            return Box::new(AsOde(&self.bearing));
        }
        Box::new(AsContactOde(&self.bearing))
    }

    /// The initial state is in double precision for every scalar, because it is part of the definition of the problem.
    fn initial_state(&self) -> Vec<S> {
        self.start.iter().map(|&component| S::from(component)).collect()
    }
}

impl Model for BearingModel {
    fn observables(&self) -> Vec<Observable> {
        let mut observables = vec![
            Observable::new("z_inner", "m", "axial position of the inner ring").of_class(Class::Position),
            Observable::new("w_cage", "rad/s", "angular velocity of the cage about the bearing's axis")
                .of_class(Class::Velocity),
            Observable::new("race_force", "N", "largest normal force between a ball and a race"),
            Observable::new("pocket_force", "N", "largest normal force between a ball and its pocket"),
            Observable::new("contact_power", "W", "largest magnitude of a body's contact power"),
            Observable::new("power_inner", "W", "contact power of the inner ring"),
            Observable::new("power_cage", "W", "contact power of the cage"),
            Observable::new("power_balls", "W", "largest magnitude of a ball's contact power"),
            Observable::new("kinetic_energy", "J", "kinetic energy without the rotation of the inner ring"),
            Observable::new("elastic_energy", "J", "energy of the contact springs"),
            Observable::new("load_energy", "J", "potential energy of gravity and axial load"),
            Observable::new("energy", "J", "kinetic and potential energy"),
            Observable::new("dissipated_power", "W", "power dissipated by damping and friction"),
            Observable::new("drive_power", "W", "power of the torque that keeps the inner ring at its speed"),
            Observable::new("norm_error", "1", "largest deviation of a quaternion's length from one"),
        ];
        if self.energy_balance {
            observables.extend([
                Observable::new("dissipated_energy", "J", "energy dissipated by damping and friction since the start"),
                Observable::new("drive_work", "J", "work of the drive since the start"),
                Observable::new("energy_balance", "J", "energy plus dissipated energy minus the work of the drive"),
            ]);
        }
        observables
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|_t: f64, y: &[f64], values: &mut [f64]| self.observe(y, values))
    }

    fn classes(&self) -> Vec<Class> {
        let work = if self.energy_balance { 2 } else { 0 };
        [vec![Class::Position; self.bearing.coordinates()], vec![Class::Velocity; self.bearing.velocities() + work]]
            .concat()
    }

    /// Views: `face`, along the axis, and `section`, half of the section through the axis and the first ball.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let bearing = &self.bearing;
        let q = &y[..bearing.coordinates()];
        vec![
            view("face", ["x", "y"], bearing.face(q)),
            view("section", ["z", "distance from the axis"], bearing.section(q, 0)),
        ]
    }
}
