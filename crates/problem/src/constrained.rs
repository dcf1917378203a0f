//! Parts shared by all constrained models: the equations in a formulation, and monitoring of the constraints.

use crate::{
    AccelerationLevel, MechanicalModel, Mechanics, MechanicsOf, Ode, Scalar, SlidingMode, SlidingModeSettings,
};

/// The equations of `model` with `y = (q ; v)`: in sliding-mode form if there are `settings`, otherwise at
/// acceleration level. `initial` is the state at time zero.
pub fn equations<'m, S: Scalar, M: MechanicalModel>(
    model: &'m M,
    settings: Option<&SlidingModeSettings>,
    initial: &[S],
) -> Box<dyn Ode<S> + 'm> {
    let mechanics = MechanicsOf::new(model);
    match settings {
        Some(settings) => Box::new(SlidingMode::new(mechanics, settings.clone(), S::zero(), initial)),
        None => Box::new(AccelerationLevel::new(mechanics)),
    }
}

/// The constraints and surfaces of a model, with scratch memory of their own.
pub struct ConstraintWatch<'m> {
    mechanics: Box<dyn Mechanics + 'm>,
    sigma: f64,
    values: Vec<f64>,
    /// The surfaces `S = (Γ ; Φ̇ + σ Φ)`, signed.
    pub surfaces: Vec<f64>,
}

impl<'m> ConstraintWatch<'m> {
    /// A watch with surfaces of speed `sigma` (1/s).
    pub fn new(model: &'m impl MechanicalModel, sigma: f64) -> Self {
        let zeros = vec![0.0; model.dimensions().constraints()];
        Self { mechanics: Box::new(MechanicsOf::new(model)), sigma, values: zeros.clone(), surfaces: zeros }
    }

    /// Evaluates constraints and surfaces at a state.
    pub fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.mechanics.constraint_values(t, q, v, &mut self.values);
        self.mechanics.velocity_constraints(t, q, v, &mut self.surfaces);
        for c in self.mechanics.dimensions().nonholonomic..self.values.len() {
            self.surfaces[c] += self.sigma * self.values[c];
        }
    }

    /// Largest magnitude among `(Γ ; Φ)`.
    pub fn constraint(&self) -> f64 {
        largest(&self.values)
    }

    /// Largest magnitude among the surfaces.
    pub fn surface(&self) -> f64 {
        largest(&self.surfaces)
    }
}

/// Largest magnitude; NaN if any value is NaN, so that a diverged run does not look converged.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, x| if x.is_nan() || x.abs() > largest { x.abs() } else { largest })
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn the_largest_magnitude_does_not_hide_nan() {
        assert_eq!(largest(&[1.0, -3.0, 2.0]), 3.0);
        assert!(largest(&[1.0, f64::NAN, 2.0]).is_nan());
    }
}
