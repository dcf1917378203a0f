//! The rolling spheres as the runner sees them.

use mbsbench_problem::model::Class;
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsOde, Formulated, Formulation, MechanicalModel, Model, Observable, Observation, Ode, Scalar, SlidingModeSettings,
    View,
};

use super::{ConstrainedSpheres, MinimalSpheres, RollingSpheres};
use mbsbench_problem::constrained::{ConstraintWatch, equations};

/// The rolling spheres with parameters and formulation chosen.
#[derive(Debug, Clone)]
pub struct SpheresModel {
    spheres: ConstrainedSpheres,
    equations: Equations,
    rho: f64,
    phi_rate_factor: f64,
    theta_rate_factor: f64,
    sigma: f64,
}

#[derive(Debug, Clone)]
enum Equations {
    Minimal(MinimalSpheres),
    Constrained(Option<SlidingModeSettings>),
}

impl SpheresModel {
    /// The model for parameters in range.
    #[must_use]
    pub fn new(parameters: RollingSpheres) -> Self {
        let RollingSpheres { outer_radius, inner_radius, mass, rho, phi_rate_factor, theta_rate_factor, formulation } =
            parameters;
        let sigma = formulation.sigma();
        let equations = match formulation {
            Formulation::Minimal => Equations::Minimal(MinimalSpheres { outer_radius, inner_radius }),
            Formulation::AccelerationLevel => Equations::Constrained(None),
            Formulation::SlidingMode(settings) => Equations::Constrained(Some(settings)),
        };
        let spheres = ConstrainedSpheres { outer_radius, inner_radius, mass };
        Self { spheres, equations, rho, phi_rate_factor, theta_rate_factor, sigma }
    }
}

impl<S: Scalar> Formulated<S> for SpheresModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        match &self.equations {
            Equations::Minimal(spheres) => Box::new(AsOde(spheres)),
            Equations::Constrained(settings) => {
                equations(&self.spheres, settings.as_ref(), &Formulated::<S>::initial_state(self))
            }
        }
    }

    /// Initial values of compere2001, section 3.6.3.
    fn initial_state(&self) -> Vec<S> {
        let right_angle = S::pi() / 2.0;
        let beta_rate = S::from(45.0 / 8.0) * S::pi() / 180.0;
        let alpha_rate = -beta_rate;
        let ratio = self.spheres.distance::<S>() / self.spheres.inner_radius;
        let phi_rate = ratio * beta_rate * self.phi_rate_factor;
        let theta_rate = -(ratio * alpha_rate) * self.theta_rate_factor;
        let zero = S::nought();
        match self.equations {
            Equations::Minimal(_) => {
                vec![zero, right_angle, zero, right_angle, right_angle, phi_rate, theta_rate, zero]
            }
            Equations::Constrained(_) => {
                let q = [S::from(self.rho), zero, right_angle, zero, right_angle, right_angle];
                let v = [zero, alpha_rate, beta_rate, phi_rate, theta_rate, zero];
                [q, v].concat()
            }
        }
    }
}

impl Model for SpheresModel {
    fn observables(&self) -> Vec<Observable> {
        let mut observables = vec![
            Observable::new("rho", "m", "distance of the centres"),
            Observable::new("rho_rate", "m/s", "rate of the distance of the centres"),
            Observable::new("alpha", "rad", "latitude of the rolling sphere's centre"),
            Observable::new("beta", "rad", "longitude of the rolling sphere's centre"),
            Observable::new("phi", "rad", "first Euler angle"),
            Observable::new("theta", "rad", "second Euler angle"),
            Observable::new("psi", "rad", "third Euler angle"),
            Observable::new("energy", "J", "kinetic energy"),
        ];
        if let Equations::Constrained(_) = self.equations {
            observables.extend([
                Observable::new("constraint", "m, m/s", "largest magnitude among the constraints Γ (m/s) and Φ (m)"),
                Observable::new("surface", "m/s", "largest magnitude among the sliding surfaces"),
                Observable::new("surface_1", "m/s", "first surface, rolling along α"),
                Observable::new("surface_2", "m/s", "second surface, rolling along β"),
                Observable::new("surface_3", "m/s", "third surface, distance of the centres: dΦ/dt + σ Φ"),
            ]);
        }
        observables
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let minimal = match &self.equations {
            Equations::Minimal(spheres) => Some(spheres),
            Equations::Constrained(_) => None,
        };
        Box::new(SpheresObservation {
            spheres: &self.spheres,
            minimal,
            watch: ConstraintWatch::new(&self.spheres, self.sigma),
            state: [0.0; 12],
        })
    }

    fn classes(&self) -> Vec<Class> {
        let (positions, velocities) = match self.equations {
            Equations::Minimal(_) => (5, 3),
            Equations::Constrained(_) => (6, 6),
        };
        [vec![Class::Position; positions], vec![Class::Velocity; velocities]].concat()
    }

    /// From the side on which the rolling sphere begins, and from above.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let [rho, alpha, beta] = match self.equations {
            Equations::Minimal(_) => [self.spheres.distance(), y[0], y[1]],
            Equations::Constrained(_) => [y[0], y[1], y[2]],
        };
        let ((sin_alpha, cos_alpha), (sin_beta, cos_beta)) = (alpha.sin_cos(), beta.sin_cos());
        let centre = [cos_alpha * cos_beta, cos_alpha * sin_beta, sin_alpha].map(|part| part * rho);
        let seen = |name, axes, [right, up]: [usize; 2]| {
            let fixed = Shape::Circle { centre: [0.0; 2], radius: self.spheres.outer_radius };
            let rolling = Shape::Circle { centre: [centre[right], centre[up]], radius: self.spheres.inner_radius };
            View { name, axes, parts: vec![("fixed sphere", fixed), ("rolling sphere", rolling)], names: Vec::new() }
        };
        vec![seen("front", ["x", "z"], [0, 2]), seen("above", ["x", "y"], [0, 1])]
    }
}

struct SpheresObservation<'m> {
    spheres: &'m ConstrainedSpheres,
    minimal: Option<&'m MinimalSpheres>,
    watch: ConstraintWatch<'m>,
    state: [f64; 12],
}

impl Observation for SpheresObservation<'_> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        match self.minimal {
            Some(minimal) => minimal.expand(y, &mut self.state),
            None => self.state.copy_from_slice(y),
        }
        let (q, v) = self.state.split_at(6);
        values[0] = q[0];
        values[1] = v[0];
        values[2..7].copy_from_slice(&q[1..]);
        values[7] = self.spheres.energy(q, v);
        if self.minimal.is_none() {
            self.watch.evaluate(t, q, v);
            values[8] = self.watch.constraint();
            values[9] = self.watch.surface();
            values[10..].copy_from_slice(self.watch.surfaces());
        }
    }
}
