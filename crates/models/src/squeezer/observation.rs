//! What can be watched of the squeezer, computed from a state of either formulation.

use std::ops::Range;

use mbsbench_problem::model::Class;
use mbsbench_problem::{AccelerationLevel, ConstraintWatch, MechanicsOf, Observable, Observation, Ode};

use super::{Points, SqueezerEquations};

/// Names and meanings of the angles, and names of their rates.
const ANGLES: [(&str, &str, &str); 7] = [
    ("beta", "angle β of the crank O-F from the x axis", "omega"),
    ("theta", "angle Θ of E-F from O-F", "theta_rate"),
    ("gamma", "angle γ of the plate E-B-D, from E to B, from the y axis", "gamma_rate"),
    ("phi", "angle Φ of G-E from A-G, plus a quarter of a turn", "phi_rate"),
    ("delta", "angle δ of A-G from the x axis", "delta_rate"),
    ("omega_angle", "angle Ω of H-E from A-H, less a quarter of a turn", "omega_angle_rate"),
    ("epsilon", "angle ε of A-H from the x axis, plus a quarter of a turn", "epsilon_rate"),
];

/// Names of the points.
const POINTS: [&str; 5] = ["d", "e", "f", "g", "h"];

/// Angles, rates, points, multipliers, energies and constraints: the order in which [`SqueezerObservation`] writes them.
pub(super) fn observables(constraints: usize) -> Vec<Observable> {
    let mut list = Vec::new();
    for (name, about, _) in ANGLES {
        list.push(Observable::new(name, "rad", about).of_class(Class::Position));
    }
    list.push(Observable::new("omega", "rad/s", "angular velocity of the crank O-F").of_class(Class::Velocity));
    for (_, _, name) in &ANGLES[1..] {
        list.push(Observable::new(*name, "rad/s", "rate of the angle of that name").of_class(Class::Velocity));
    }
    for point in POINTS {
        list.push(Observable::new(format!("x_{point}"), "m", "point of that name, along x"));
        list.push(Observable::new(format!("y_{point}"), "m", "point of that name, along y"));
    }
    for k in 1..=constraints {
        let multiplier = Observable::new(format!("multiplier_{k}"), "N", "multiplier λ in M v' = D + Jᵀ λ");
        list.push(multiplier.of_class(Class::Multiplier));
    }
    list.extend([
        Observable::new("kinetic_energy", "J", "kinetic energy"),
        Observable::new("spring_energy", "J", "energy of the spring"),
        Observable::new("energy", "J", "kinetic energy and that of the spring"),
        Observable::new(
            "energy_balance",
            "J",
            "energy less that at the start and less the work of the torque (Eq. 23)",
        ),
        Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
        Observable::new("velocity_constraint", "m/s", "largest magnitude among Φ_q v"),
    ]);
    list
}

/// Computes the observables; the multipliers come from the solve at acceleration level.
pub(super) struct SqueezerObservation<'m, M> {
    model: &'m M,
    acceleration: AccelerationLevel<MechanicsOf<'m>>,
    watch: ConstraintWatch<'m>,
    multipliers: Range<usize>,
    initial_energy: f64,
    initial_angle: f64,
    rate: Vec<f64>,
}

impl<'m, M: SqueezerEquations> SqueezerObservation<'m, M> {
    pub(super) fn new(model: &'m M) -> Self {
        let initial = model.initial::<f64>();
        let (q, v) = initial.split_at(model.coordinates());
        let first = 2 * ANGLES.len() + 2 * POINTS.len();
        Self {
            model,
            acceleration: AccelerationLevel::new(MechanicsOf::new(model)),
            // Surfaces of speed zero are the constraints at velocity level.
            watch: ConstraintWatch::new(model, 0.0),
            multipliers: first..first + model.holonomic(),
            initial_energy: model.energy(q, v),
            initial_angle: model.angles(q)[0],
            rate: vec![0.0; initial.len()],
        }
    }
}

impl<M: SqueezerEquations> Observation for SqueezerObservation<'_, M> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let model = self.model;
        let (motion, unknowns) = y.split_at(2 * model.coordinates());
        let (q, v) = motion.split_at(model.coordinates());
        let (angles, rest) = values.split_at_mut(ANGLES.len());
        angles.copy_from_slice(&model.angles(q));
        rest[..ANGLES.len()].copy_from_slice(&model.angle_rates(v));
        let work = model.squeezer().torque * (angles[0] - self.initial_angle);
        let Points { d, e, f, g, h } = model.points(q);
        for (place, point) in values[2 * ANGLES.len()..self.multipliers.start].chunks_exact_mut(2).zip([d, e, f, g, h])
        {
            place.copy_from_slice(&point);
        }
        let (head, tail) = values.split_at_mut(self.multipliers.end);
        // A state that a diverging method has run off to has no multipliers.
        let multipliers = &mut head[self.multipliers.clone()];
        let count = multipliers.len();
        match self.acceleration.rhs(t, motion, &mut self.rate) {
            _ if !unknowns.is_empty() => multipliers.copy_from_slice(&unknowns[unknowns.len() - count..]),
            Ok(()) => multipliers.copy_from_slice(self.acceleration.multipliers()),
            Err(_) => multipliers.fill(f64::NAN),
        }
        let energy = model.energy(q, v);
        let (_, spring) = model.squeezer().spring(d);
        self.watch.evaluate(t, q, v);
        tail.copy_from_slice(&[
            energy - spring,
            spring,
            energy,
            energy - self.initial_energy - work,
            self.watch.constraint(),
            self.watch.surface(),
        ]);
    }

    fn observe_multipliers(&mut self, multipliers: &[f64], values: &mut [f64]) {
        values[self.multipliers.clone()].copy_from_slice(multipliers);
    }
}
