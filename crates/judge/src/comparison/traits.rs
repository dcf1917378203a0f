//! What sort of problem a model is, in numbers, so that models like a given one can be found.

use std::ops::ControlFlow;

use mbsbench_experiment::registry::{Choice, MethodKind, ModelKind};
use mbsbench_problem::{
    Class, Events, Failure, Form, Formulated, Model, Observation, Observer, Ode, Settings, Step, Task,
};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

/// Registered models that move in space. All other traits are measured, and that of a mechanism stands in its parameters.
pub const SPATIAL: [&str; 8] = [
    "rolling-spheres",
    "ball-bearing",
    "flexible-four-bar",
    "lateral-buckling",
    "rotating-shaft",
    "tip-loaded-beam",
    "wheelset",
    "fekete",
];

/// Most states of which a spectrum is computed.
const MOST_STATES: usize = 300;
/// Singular values of the constraints' Jacobian below this part of the largest are zeros.
const DEPENDENT: f64 = 1e-10;
/// Change of the energy, over the largest kinetic energy, that the probe leaves where there is none.
const CONSERVED: f64 = 1e-6;
/// Tolerance of the probe, relative and absolute, and the evaluations that it may take.
const PROBED: (f64, u64) = (1e-10, 20_000);
/// States on its way at which spectra are computed.
const SPECTRA: usize = 17;

/// The traits of a model over a span of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Traits {
    /// Components of the state.
    pub states: usize,
    /// Constraints of the equations.
    pub constraints: usize,
    /// Index of the equations with these constraints: 3 where they are on positions, 2 on velocities alone, 0 without any; of equations
    /// `M y' = f` the largest of a component.
    pub index: u8,
    /// Largest magnitude of an eigenvalue of `∂f/∂y` along the motion times the span: how many of the fastest time constants, or radians of
    /// the fastest oscillation, go into a run. Spectra are those of 17 states, from the start, evenly among the steps of a probe, which are
    /// close to each other where things are fast. None of a model without right-hand side, or with too many states.
    pub stiffness: Option<f64>,
    /// `−Re λ/|λ|` of that eigenvalue: 1 where it decays, 0 where it oscillates.
    pub damping: Option<f64>,
    /// Whether there are event functions, contact powers, or contacts between bodies.
    pub switches: bool,
    /// Whether it moves in space.
    pub is_spatial: bool,
    /// Constraints that depend on the others at the start.
    pub redundant: usize,
    /// Whether the energy stays as far as the probe comes. None where there is none, or the probe makes no step.
    pub conserves: Option<bool>,
}

impl Traits {
    /// Measures a model that is run over a span, s; `probe` is an accurate explicit method that controls its error.
    #[must_use]
    pub fn of(choice: &Choice<ModelKind>, span: [f64; 2], probe: &Choice<MethodKind>) -> Self {
        let model = choice.object().model();
        let initial = Formulated::<f64>::initial_state(&*model);
        let mut ode = Formulated::<f64>::ode(&*model);
        let (constraints, index, redundant, is_switched) = equations(ode.as_mut(), span[0], &initial);
        let seen = watch(&*model, &initial, span, probe);
        let every = (seen.states.len() / SPECTRA).max(1);
        let spectra = seen.states.iter().step_by(every).filter_map(|(t, y)| fastest(ode.as_mut(), *t, y));
        let fastest = spectra.max_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
        Self {
            states: initial.len(),
            constraints,
            index,
            stiffness: fastest.map(|[real, imaginary]| real.hypot(imaginary) * (span[1] - span[0])),
            damping: fastest.map(|[real, imaginary]| if real == 0.0 { 0.0 } else { -real / real.hypot(imaginary) }),
            switches: is_switched || has_contacts(choice.parameters()),
            is_spatial: SPATIAL.contains(&choice.name())
                || choice.parameter("motion").and_then(Value::as_str) == Some("spatial"),
            redundant,
            conserves: seen.energy.and_then(|energy| energy.is_conserved()),
        }
    }

    /// The traits as numbers, of which a difference of one counts as much as another.
    #[must_use]
    pub fn numbers(&self) -> [Option<f64>; 9] {
        let count = |count: usize| Some((1.0 + count as f64).log10());
        let whether = |holds: bool| f64::from(u8::from(holds));
        [
            count(self.states),
            count(self.constraints),
            Some(f64::from(self.index) / 3.0),
            self.stiffness.map(|stiffness| (1.0 + stiffness).log10() / 3.0),
            self.damping,
            Some(whether(self.switches)),
            Some(whether(self.is_spatial)),
            Some(whether(self.redundant > 0)),
            self.conserves.map(whether),
        ]
    }

    /// Root mean square of the differences of the [numbers](Self::numbers) that both have.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let pairs = self.numbers().into_iter().zip(other.numbers());
        let squares: Vec<f64> = pairs.filter_map(|(one, other)| Some((one? - other?).powi(2))).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    }
}

/// Constraints, index, dependent constraints, and whether equations switch.
fn equations(ode: &mut dyn Ode, t: f64, y: &[f64]) -> (usize, u8, usize, bool) {
    let of_components = ode.properties().indices.and_then(|indices| indices.iter().max().copied());
    let of_mass = of_components.unwrap_or(u8::from(ode.properties().mass.is_some()));
    match ode.form() {
        Form::Mechanics(mechanics) => {
            let dimensions = mechanics.dimensions();
            let (q, v) = y.split_at(dimensions.coordinates);
            let v = &v[..dimensions.velocities];
            let constraints = dimensions.constraints();
            let mut jacobian = DMatrix::zeros(constraints, v.len());
            mechanics.constraint_jacobian(t, q, v, &mut jacobian);
            let sizes = jacobian.singular_values();
            let independent = sizes.iter().filter(|&&size| size > DEPENDENT * sizes.max()).count();
            let index = match (dimensions.holonomic, dimensions.nonholonomic) {
                (0, 0) => 0,
                (0, _) => 2,
                _ => 3,
            };
            (constraints, index, constraints - independent, false)
        }
        Form::Implicit(dae) => {
            let constraints = dae.algebraic();
            (constraints, if constraints > 0 { 3 } else { 0 }, 0, false)
        }
        Form::Events(functions) => (0, of_mass, 0, functions.count() > 0),
        Form::ContactPower(side) => (0, of_mass, 0, side.bodies() > 0),
        Form::Explicit => (0, of_mass, 0, false),
    }
}

/// The eigenvalue of `∂f/∂y` of the largest magnitude, real and imaginary part, 1/s.
fn fastest(ode: &mut dyn Ode, t: f64, y: &[f64]) -> Option<[f64; 2]> {
    let n = y.len();
    if !ode.properties().has_rhs || ode.properties().mass.is_some() || n > MOST_STATES {
        return None;
    }
    ode.begin_step(t, y).ok()?;
    let mut jacobian = DMatrix::zeros(n, n);
    if ode.properties().has_jacobian {
        ode.jacobian(t, y, &mut jacobian).ok()?;
    } else {
        let (mut moved, mut ahead, mut behind) = (y.to_vec(), DVector::zeros(n), DVector::zeros(n));
        for j in 0..n {
            let increment = 1e-6 * y[j].abs().max(1e-3);
            moved[j] = y[j] + increment;
            ode.rhs(t, &moved, ahead.as_mut_slice()).ok()?;
            moved[j] = y[j] - increment;
            ode.rhs(t, &moved, behind.as_mut_slice()).ok()?;
            moved[j] = y[j];
            jacobian.set_column(j, &((&ahead - &behind) / (2.0 * increment)));
        }
    }
    if jacobian.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let values = jacobian.complex_eigenvalues();
    let largest = values.iter().max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    Some([largest.re, largest.im])
}

/// Whether the parameters of a mechanism name contacts.
fn has_contacts(parameters: &Value) -> bool {
    let forces = parameters.get("forces").and_then(Value::as_object);
    let kinds = forces.into_iter().flatten().filter_map(|(_, force)| force.as_object());
    kinds.flat_map(|force| force.keys()).any(|kind| kind.ends_with("-contact"))
}

/// What a probe sees of a motion.
struct Seen<'m> {
    states: Vec<(f64, Vec<f64>)>,
    /// None of a model without energy.
    energy: Option<Energy<'m>>,
}

/// The energy, and how much of it is kinetic.
struct Energy<'m> {
    observation: Box<dyn Observation + 'm>,
    classes: Vec<Class>,
    place: usize,
    values: Vec<f64>,
    first: Option<f64>,
    largest_change: f64,
    largest_kinetic: f64,
}

impl Energy<'_> {
    fn at(&mut self, t: f64, y: &[f64]) -> f64 {
        self.observation.observe(t, y, &mut self.values);
        self.values[self.place]
    }

    fn see(&mut self, t: f64, y: &[f64]) {
        let energy = self.at(t, y);
        let first = *self.first.get_or_insert(energy);
        self.largest_change = self.largest_change.max((energy - first).abs());
        let is_velocity = |component: usize| self.classes.get(component) == Some(&Class::Velocity);
        let at_rest: Vec<f64> =
            y.iter().enumerate().map(|(i, &value)| if is_velocity(i) { 0.0 } else { value }).collect();
        self.largest_kinetic = self.largest_kinetic.max((energy - self.at(t, &at_rest)).abs());
    }

    /// None where nothing has moved.
    fn is_conserved(&self) -> Option<bool> {
        (self.largest_kinetic > 0.0).then_some(self.largest_change <= CONSERVED * self.largest_kinetic)
    }
}

impl Seen<'_> {
    fn see(&mut self, t: f64, y: &[f64]) {
        self.states.push((t, y.to_vec()));
        if let Some(energy) = &mut self.energy {
            energy.see(t, y);
        }
    }
}

impl Observer for Seen<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.see(step.t_end, step.end);
        ControlFlow::Continue(())
    }
}

/// Follows the motion as far as the probe comes; where it does not suit the model, no further than the start.
fn watch<'m>(model: &'m dyn Model, initial: &[f64], span: [f64; 2], probe: &Choice<MethodKind>) -> Seen<'m> {
    let observables = model.observables();
    let place = observables.iter().position(|observable| observable.name == "energy");
    let energy = place.map(|place| Energy {
        observation: model.observation(),
        classes: model.classes(),
        place,
        values: vec![0.0; observables.len()],
        first: None,
        largest_change: 0.0,
        largest_kinetic: 0.0,
    });
    let mut seen = Seen { states: Vec::new(), energy };
    let mut ode = Formulated::<f64>::ode(model);
    let method = probe.object().method();
    let suits = method.applies_to(ode.as_mut(), Events::Located).is_ok();
    if !suits {
        // Its energy cannot be told from the start alone.
        seen.energy = None;
    }
    seen.see(span[0], initial);
    if suits {
        let (tolerance, most) = PROBED;
        let settings = Settings { max_rhs_evaluations: most, ..Settings::tolerance(tolerance, tolerance) };
        let task = Task { t_start: span[0], t_end: span[1], initial, settings };
        // How far it comes is what has been seen.
        let _ = task.solve(&*method, ode.as_mut(), &mut seen);
    }
    seen
}

#[cfg(test)]
mod tests {
    use mbsbench_experiment::Registry;
    use mbsbench_experiment::registry::Entry;

    use super::*;

    fn traits(model: &str, span: [f64; 2]) -> Traits {
        let registry = Registry::builtin();
        let model = registry.models().iter().find(|entry| entry.name() == model).unwrap().default_choice();
        let probe = registry.methods().iter().find(|entry| entry.name() == "dop853").unwrap().default_choice();
        Traits::of(&model, span, &probe)
    }

    #[test]
    fn traits_are_those_that_are_known() {
        let oscillator = traits("linear-oscillator", [0.0, 3.0]);
        // x″ + ω² x = 0 with ω = 1, undamped and without contacts

        assert!((oscillator.stiffness.unwrap() / 3.0 - 1.0).abs() < 1e-9, "{oscillator:?}");
        assert!(oscillator.damping.unwrap().abs() < 1e-9 && oscillator.conserves == Some(true), "{oscillator:?}");
        assert_eq!(
            (oscillator.states, oscillator.constraints, oscillator.index, oscillator.switches),
            (2, 0, 0, false)
        );
        let crank = traits("slider-crank", [0.0, 2.0]);
        assert_eq!((crank.states, crank.constraints, crank.index, crank.redundant), (12, 5, 3, 0));
        assert_eq!((crank.conserves, crank.switches, crank.is_spatial), (Some(false), false, false), "it is damped");
        let stiff = traits("stiff-double-pendulum", [0.0, 2.0]);
        assert!(stiff.conserves == Some(true) && stiff.damping.unwrap().abs() < 0.1, "undamped and fast: {stiff:?}");
        let damped = traits("double-pendulum", [0.0, 0.5]);
        assert!(damped.stiffness.unwrap() > 1e4 && damped.damping.unwrap() > 0.9, "very stiff: {damped:?}");
        assert!(traits("bouncing-balls", [0.0, 1.0]).switches && traits("penalty-ball", [0.0, 1.0]).switches);
        let ball = traits("penalty-ball", [0.0, 1.25]);
        // √(k/m) of the floor, which the start, a metre above it, knows nothing of
        let floor = 1e7f64.sqrt() * 1.25;
        assert!((ball.stiffness.unwrap() / floor - 1.0).abs() < 1e-6 && ball.conserves == Some(true), "{ball:?}");
        assert_eq!(traits("lateral-buckling", [0.0, 0.1]).stiffness, None, "it has no right-hand side");
    }

    #[test]
    fn distances_are_those_of_a_metric_on_what_both_have() {
        let [a, b, c] = [("slider-crank", 2.0), ("stiff-double-pendulum", 2.0), ("penalty-ball", 1.0)]
            .map(|(model, end)| traits(model, [0.0, end]));
        assert_eq!(a.distance(&a), 0.0);
        assert_eq!(a.distance(&b), b.distance(&a));
        assert!(a.distance(&b) < a.distance(&c), "two mechanisms are nearer than one and a ball");
        let other = Traits { is_spatial: !a.is_spatial, ..a.clone() };
        assert!((a.distance(&other) - 1.0 / 3.0).abs() < 1e-15, "one of nine");
        let untold = Traits { stiffness: None, damping: None, ..other };
        assert!((a.distance(&untold) - (1.0 / 7.0f64).sqrt()).abs() < 1e-15, "one of seven");
    }

    #[test]
    fn models_that_are_said_to_move_in_space_are_registered() {
        let registry = Registry::builtin();
        let names: Vec<&str> = registry.models().iter().map(Entry::name).collect();
        assert!(SPATIAL.iter().all(|name| names.contains(name)));
    }
}
