//! Observables of constrained mechanisms: coordinates and multipliers.

use std::ops::Range;

use mbsbench_problem::{
    AccelerationLevel, Class, ConstraintWatch, MechanicalModel, MechanicsOf, Observable, Observation, Ode,
};

/// A coordinate: its name, unit and description.
pub(crate) type Coordinate = (&'static str, &'static str, &'static str);

/// Observables for coordinates, their rates and accelerations, multipliers, energy, constraints.
pub(crate) fn observables(model: &impl MechanicalModel, names: &[Coordinate]) -> Vec<Observable> {
    let mut list: Vec<_> = positions(names).chain(rates(names)).collect();
    for &(name, unit, _) in names {
        let [_, unit] = units_of_derivatives(unit);
        list.push(Observable::new(format!("{name}_acceleration"), unit, "second derivative of that coordinate"));
    }
    list.extend(multipliers(model.dimensions().holonomic));
    list.extend([
        Observable::new("energy", "J", "total energy"),
        Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
        Observable::new("velocity_constraint", "m/s", "largest magnitude of a component of Φ_q v + Φ_t"),
    ]);
    list
}

/// The units of a coordinate's rate and acceleration.
fn units_of_derivatives(unit: &str) -> [&'static str; 2] {
    match unit {
        "rad" => ["rad/s", "rad/s²"],
        "m" => ["m/s", "m/s²"],
        _ => ["1/s", "1/s²"],
    }
}

/// Observables of class position for coordinates.
pub(crate) fn positions(names: &[Coordinate]) -> impl Iterator<Item = Observable> {
    names.iter().map(|&(name, unit, about)| Observable::new(name, unit, about).of_class(Class::Position))
}

/// Observables of class velocity for the rates of coordinates.
pub(crate) fn rates(names: &[Coordinate]) -> impl Iterator<Item = Observable> {
    names.iter().map(|&(name, unit, _)| {
        let [unit, _] = units_of_derivatives(unit);
        Observable::new(format!("{name}_rate"), unit, "rate of the coordinate of the same name")
            .of_class(Class::Velocity)
    })
}

/// Observables for the multipliers of the given number of constraints.
pub(crate) fn multipliers(constraints: usize) -> impl Iterator<Item = Observable> {
    let multiplier = |k| Observable::new(format!("multiplier_{k}"), "N", "multiplier λ in M v' = D + Jᵀ λ");
    (1..=constraints).map(move |k| multiplier(k).of_class(Class::Multiplier))
}

/// Computes the [`observables`] of a model with holonomic constraints. Accelerations and multipliers that are
/// unknowns are taken from the state, others from the solve at acceleration level.
pub(crate) fn observation(model: &impl MechanicalModel) -> Box<dyn Observation + '_> {
    let (n, m) = (model.dimensions().coordinates, model.dimensions().holonomic);
    let mut acceleration = AccelerationLevel::new(MechanicsOf::new(model));
    let mut watch = ConstraintWatch::new(model, 0.0);
    let mut rate = vec![0.0; 2 * n];
    let observe = move |t: f64, y: &[f64], values: &mut [f64]| {
        let (motion, rest) = y.split_at(2 * n);
        let (head, tail) = values.split_at_mut(3 * n + m);
        head[..2 * n].copy_from_slice(motion);
        let (accelerations, multipliers) = head[2 * n..].split_at_mut(n);
        // Far-off states of a diverging method have neither.
        match acceleration.rhs(t, motion, &mut rate) {
            Ok(()) => {
                accelerations.copy_from_slice(&rate[n..]);
                multipliers.copy_from_slice(acceleration.multipliers());
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
        watch.evaluate(t, q, v);
        tail.copy_from_slice(&[model.energy(q, v), watch.constraint(), watch.surface()]);
    };
    Box::new(WithMultipliers { observe, multipliers: 3 * n..3 * n + m })
}

/// An observation whose values include multipliers, which a method may have computed itself.
pub(crate) struct WithMultipliers<F> {
    pub observe: F,
    pub multipliers: Range<usize>,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Observation for WithMultipliers<F> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        (self.observe)(t, y, values);
    }

    fn observe_multipliers(&mut self, multipliers: &[f64], values: &mut [f64]) {
        values[self.multipliers.clone()].copy_from_slice(multipliers);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Equations of motion derived from energies.

    use mbsbench_problem::MechanicalModel;
    use nalgebra::DMatrix;
    use num_dual::Dual;

    /// Returns the forces that follow from Lagrange's equations for the energies of a model, `∂(T − V)/∂q − Ṁ v`,
    /// by dual numbers.
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
