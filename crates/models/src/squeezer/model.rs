//! The squeezer as a benchmark model.

use mbsbench_problem::model::Class;
use mbsbench_problem::{
    AccelerationLevel, ConstrainedFormulation, ConstraintWatch, Formulated, MechanicalModel, MechanicsOf, Model,
    Observable, Observation, Ode, Scalar, View,
};

use super::{Points, Squeezer, SqueezerFormulation};
use crate::mechanism::{WithMultipliers, multipliers};

/// The squeezer in one of its formulations.
pub trait SqueezerEquations: MechanicalModel + Clone {
    /// The parameters.
    fn squeezer(&self) -> &Squeezer;

    /// Returns the equations with constraints in the given form.
    fn ode<S: Scalar>(&self, form: ConstrainedFormulation) -> Box<dyn Ode<S> + '_> {
        form.ode(self)
    }

    /// Returns the coordinates for the angles `(β, Θ, γ, Φ, δ, Ω, ε)`, which close the loops.
    fn coordinates_at<S: Scalar>(&self, angles: &[S; 7]) -> Vec<S>;

    /// Returns the angles `(β, Θ, γ, Φ, δ, Ω, ε)`, rad.
    fn angles<S: Scalar>(&self, q: &[S]) -> [S; 7];

    /// Returns the rates of the angles, rad/s.
    fn angle_rates<S: Scalar>(&self, v: &[S]) -> [S; 7];

    /// Returns the moving points, m.
    fn points<S: Scalar>(&self, q: &[S]) -> Points<S>;

    /// Returns the initial state `(q ; v)`, at rest.
    fn initial<S: Scalar>(&self) -> Vec<S> {
        let mut state = self.coordinates_at(&self.squeezer().start_angles::<S>());
        state.resize(2 * self.dimensions().coordinates, S::zero());
        state
    }
}

/// The squeezer with its parameters in a chosen formulation. The state is `y = (q ; v)`: methods that use the
/// mechanics solve index 3, methods that use the right-hand side solve the acceleration level (index 1, not
/// stabilised). In other forms the state also has accelerations and multipliers.
#[derive(Debug, Clone)]
pub struct SqueezerModel<M>(pub M);

impl<M: SqueezerEquations> SqueezerModel<M> {
    fn form(&self) -> ConstrainedFormulation {
        match self.0.squeezer().formulation {
            SqueezerFormulation::Index3 => ConstrainedFormulation::Index3,
            SqueezerFormulation::Index2 => ConstrainedFormulation::Index2,
            SqueezerFormulation::Index1 => ConstrainedFormulation::Index1,
            _ => ConstrainedFormulation::Mechanics,
        }
    }
}

impl<S: Scalar, M: SqueezerEquations> Formulated<S> for SqueezerModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        self.0.ode(self.form())
    }

    fn initial_state(&self) -> Vec<S> {
        self.form().initial_state(&self.0, self.0.initial())
    }
}

impl<M: SqueezerEquations> Model for SqueezerModel<M> {
    fn observables(&self) -> Vec<Observable> {
        observables(self.0.dimensions().holonomic)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        observation(&self.0)
    }

    fn classes(&self) -> Vec<Class> {
        self.form().classes(&self.0)
    }

    /// View: `plane`, the mechanism in its plane of motion.
    fn views(&self, y: &[f64]) -> Vec<View> {
        vec![self.0.squeezer().view(&self.0.points(&y[..self.0.dimensions().coordinates]))]
    }
}

/// Names and meanings of the angles, and names of their rates.
const ANGLES: [(&str, &str, &str); 7] = [
    ("beta", "angle β of the crank O-F from the x axis", "omega"),
    ("theta", "angle Θ of E-F from O-F", "theta_rate"),
    ("gamma", "angle γ of the plate E-B-D, from E to B, from the y axis", "gamma_rate"),
    ("phi", "angle Φ of G-E from A-G, plus a quarter turn", "phi_rate"),
    ("delta", "angle δ of A-G from the x axis", "delta_rate"),
    ("omega_angle", "angle Ω of H-E from A-H, minus a quarter turn", "omega_angle_rate"),
    ("epsilon", "angle ε of A-H from the x axis, plus a quarter turn", "epsilon_rate"),
];

/// Names of the points.
const POINTS: [&str; 5] = ["d", "e", "f", "g", "h"];

/// Observables in the order in which [`SqueezerObservation`] writes them: angles, rates, points, multipliers,
/// energies, constraints.
pub(super) fn observables(constraints: usize) -> Vec<Observable> {
    let mut list = Vec::new();
    for (name, about, _) in ANGLES {
        list.push(Observable::new(name, "rad", about).of_class(Class::Position));
    }
    list.push(Observable::new("omega", "rad/s", "angular velocity of the crank O-F").of_class(Class::Velocity));
    for (_, _, name) in &ANGLES[1..] {
        list.push(Observable::new(*name, "rad/s", "rate of the angle of the same name").of_class(Class::Velocity));
    }
    for point in POINTS {
        list.push(Observable::new(format!("x_{point}"), "m", "x coordinate of the point of the same name"));
        list.push(Observable::new(format!("y_{point}"), "m", "y coordinate of the point of the same name"));
    }
    list.extend(multipliers(constraints));
    let balance = "change of the energy since the start, minus the work of the torque (Eq. 23)";
    list.extend([
        Observable::new("kinetic_energy", "J", "kinetic energy"),
        Observable::new("spring_energy", "J", "energy of the spring"),
        Observable::new("energy", "J", "kinetic energy plus spring energy"),
        Observable::new("energy_balance", "J", balance),
        Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
        Observable::new("velocity_constraint", "m/s", "largest magnitude of a component of Φ_q v"),
    ]);
    list
}

/// Computes the observables; the multipliers come from the solve at acceleration level.
pub(super) fn observation<M: SqueezerEquations>(model: &M) -> Box<dyn Observation + '_> {
    let initial = model.initial::<f64>();
    let (q, v) = initial.split_at(model.dimensions().coordinates);
    let (initial_energy, initial_angle) = (model.energy(q, v), model.angles(q)[0]);
    let first = 2 * ANGLES.len() + 2 * POINTS.len();
    let (multipliers, count) = (first..first + model.dimensions().holonomic, model.dimensions().holonomic);
    let mut acceleration = AccelerationLevel::new(MechanicsOf::new(model));
    // Surfaces with speed zero are the constraints at velocity level.
    let mut watch = ConstraintWatch::new(model, 0.0);
    let mut rate = vec![0.0; initial.len()];
    let observe = move |t: f64, y: &[f64], values: &mut [f64]| {
        let (motion, unknowns) = y.split_at(2 * model.dimensions().coordinates);
        let (q, v) = motion.split_at(model.dimensions().coordinates);
        let (head, rest) = values.split_at_mut(first);
        let (multipliers, tail) = rest.split_at_mut(count);
        head[..ANGLES.len()].copy_from_slice(&model.angles(q));
        head[ANGLES.len()..2 * ANGLES.len()].copy_from_slice(&model.angle_rates(v));
        let work = model.squeezer().torque * (head[0] - initial_angle);
        let Points { d, e, f, g, h } = model.points(q);
        head[2 * ANGLES.len()..].copy_from_slice([d, e, f, g, h].as_flattened());
        // Far-off states of a diverging method have no multipliers.
        match acceleration.rhs(t, motion, &mut rate) {
            _ if !unknowns.is_empty() => multipliers.copy_from_slice(&unknowns[unknowns.len() - count..]),
            Ok(()) => multipliers.copy_from_slice(acceleration.multipliers()),
            Err(_) => multipliers.fill(f64::NAN),
        }
        let energy = model.energy(q, v);
        let (_, spring) = model.squeezer().spring(d);
        watch.evaluate(t, q, v);
        tail.copy_from_slice(&[
            energy - spring,
            spring,
            energy,
            energy - initial_energy - work,
            watch.constraint(),
            watch.surface(),
        ]);
    };
    Box::new(WithMultipliers { observe, multipliers })
}
