//! What mechanisms with constraints have in common that are watched by their coordinates and multipliers.

use mbsbench_problem::model::Class;
use mbsbench_problem::{
    AccelerationLevel, ConstrainedFormulation, ConstraintWatch, Formulated, MechanicalModel, MechanicsOf, Model,
    Observable, Observation, Ode, Scalar, View,
};

/// A coordinate: its name, its unit, what it is.
pub(crate) type Coordinate = (&'static str, &'static str, &'static str);

/// A mechanism with holonomic constraints and vectors for positions.
pub(crate) trait Constrained: MechanicalModel {
    /// The formulation chosen.
    fn formulation(&self) -> ConstrainedFormulation;

    /// Names of the coordinates.
    fn names(&self) -> &'static [Coordinate];

    /// The state `(q ; v)` at time zero, formed in the scalar's own precision.
    fn motion<S: Scalar>(&self) -> Vec<S>;

    /// What is seen of it at a state that begins with `q`.
    fn view(&self, state: &[f64]) -> View;
}

/// A mechanism with parameters and formulation chosen.
#[derive(Debug, Clone)]
pub(crate) struct ConstrainedModel<M>(pub M);

impl<S: Scalar, M: Constrained> Formulated<S> for ConstrainedModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        self.0.formulation().ode(&self.0)
    }

    fn initial_state(&self) -> Vec<S> {
        self.0.formulation().initial_state(&self.0, self.0.motion())
    }
}

impl<M: Constrained> Model for ConstrainedModel<M> {
    /// Coordinates, their rates and accelerations, multipliers, energy, constraints.
    fn observables(&self) -> Vec<Observable> {
        let mut list = Vec::new();
        for &(name, unit, about) in self.0.names() {
            list.push(Observable::new(name, unit, about).of_class(Class::Position));
        }
        for (name, unit, _) in self.0.names() {
            let unit = rate_unit(unit);
            let rate = Observable::new(format!("{name}_rate"), unit, "rate of the coordinate of that name");
            list.push(rate.of_class(Class::Velocity));
        }
        for (name, unit, _) in self.0.names() {
            let unit = acceleration_unit(unit);
            list.push(Observable::new(format!("{name}_acceleration"), unit, "second derivative of that coordinate"));
        }
        for k in 1..=self.0.holonomic() {
            let multiplier = Observable::new(format!("multiplier_{k}"), "N", "multiplier λ in M v' = D + Jᵀ λ");
            list.push(multiplier.of_class(Class::Multiplier));
        }
        list.extend([
            Observable::new("energy", "J", "total energy"),
            Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
            Observable::new("velocity_constraint", "m/s", "largest magnitude among Φ_q v + Φ_t"),
        ]);
        list
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let (model, n) = (&self.0, self.0.coordinates());
        Box::new(ConstrainedObservation {
            model,
            acceleration: AccelerationLevel::new(MechanicsOf::new(model)),
            watch: ConstraintWatch::new(model, 0.0),
            rate: vec![0.0; 2 * n],
        })
    }

    fn classes(&self) -> Vec<Class> {
        self.0.formulation().classes(&self.0)
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        vec![self.0.view(y)]
    }
}

fn rate_unit(unit: &str) -> &'static str {
    match unit {
        "rad" => "rad/s",
        "m" => "m/s",
        _ => "1/s",
    }
}

fn acceleration_unit(unit: &str) -> &'static str {
    match unit {
        "rad" => "rad/s²",
        "m" => "m/s²",
        _ => "1/s²",
    }
}

/// Computes the observables. Accelerations and multipliers that are unknowns are taken from the state, others from the solve at
/// acceleration level.
struct ConstrainedObservation<'m, M> {
    model: &'m M,
    acceleration: AccelerationLevel<MechanicsOf<'m>>,
    watch: ConstraintWatch<'m>,
    rate: Vec<f64>,
}

impl<M: Constrained> Observation for ConstrainedObservation<'_, M> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let (n, m) = (self.model.coordinates(), self.model.holonomic());
        let (motion, rest) = y.split_at(2 * n);
        let (head, tail) = values.split_at_mut(3 * n + m);
        head[..2 * n].copy_from_slice(motion);
        let (accelerations, multipliers) = head[2 * n..].split_at_mut(n);
        // A state that a diverging method has run off to has neither.
        match self.acceleration.rhs(t, motion, &mut self.rate) {
            Ok(()) => {
                accelerations.copy_from_slice(&self.rate[n..]);
                multipliers.copy_from_slice(self.acceleration.multipliers());
            }
            Err(_) => accelerations.iter_mut().chain(&mut *multipliers).for_each(|value| *value = f64::NAN),
        }
        if rest.len() == n + m {
            accelerations.copy_from_slice(&rest[..n]);
        }
        if !rest.is_empty() {
            multipliers.copy_from_slice(&rest[rest.len() - m..]);
        }
        let (q, v) = motion.split_at(n);
        self.watch.evaluate(t, q, v);
        tail.copy_from_slice(&[self.model.energy(q, v), self.watch.constraint(), self.watch.surface()]);
    }

    fn observe_multipliers(&mut self, multipliers: &[f64], values: &mut [f64]) {
        values[3 * self.model.coordinates()..][..multipliers.len()].copy_from_slice(multipliers);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Equations of motion from energies.

    use mbsbench_problem::MechanicalModel;
    use nalgebra::DMatrix;
    use num_dual::Dual;

    /// The forces that follow from Lagrange's equations with the energies of a model, `∂(T − V)/∂q − Ṁ v` by dual numbers.
    pub fn forces_of_energy(model: &impl MechanicalModel, q: &[f64], v: &[f64]) -> Vec<f64> {
        let constant = |values: &[f64]| values.iter().map(|&x| Dual::from_re(x)).collect::<Vec<_>>();
        let n = q.len();
        let moving: Vec<_> = q.iter().zip(v).map(|(&q, &v)| Dual::new(q, v)).collect();
        let mut mass = DMatrix::from_element(n, n, Dual::from_re(0.0));
        model.mass(&moving, &mut mass);
        let force = |i: usize| {
            let mut seeded = constant(q);
            seeded[i].eps = 1.0;
            let potential = model.energy(&seeded, &constant(&vec![0.0; n])).eps;
            let total = model.energy(&seeded, &constant(v)).eps;
            let growth: f64 = (0..n).map(|j| mass[(i, j)].eps * v[j]).sum();
            total - 2.0 * potential - growth
        };
        (0..n).map(force).collect()
    }
}
