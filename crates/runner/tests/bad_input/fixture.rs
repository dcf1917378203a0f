//! A registry of tiny models, methods and measures, so that tests of the input do not depend on the contents of the
//! workspace.

use mbsbench::Registry;
use mbsbench::measures::{Ending, Measure, MeasureContext, MeasureDefinition};
use mbsbench_problem::model::{Class, Observation};
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsOde, Counted, DoubleDouble, Formulated, Method, MethodDefinition, MethodProperties, Model, ModelDefinition,
    Observable, Observer, Ode, OdeModel, OutOfRange, Parameters, Scalar, Solution, Task, Verbatim, View,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn registry() -> Registry {
    Registry::empty()
        .model::<Pendulum>()
        .model::<Decay>()
        .method::<Rk3>()
        .method::<Rk5>()
        .method::<Rk8>()
        .method::<Newmark>()
        .measure::<EnergyVariation>()
        .measure::<ConstraintMax>()
        .measure::<RhsEvaluations>()
        .measure::<Sample>()
}

/// A pendulum, with a formulation that has a constraint to watch.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Pendulum {
    /// Mass, kg.
    pub mass: f64,
    /// Length, m.
    pub length: f64,
    /// Initial angle, rad.
    pub angle: f64,
    /// Number of identical links.
    pub links: u8,
    /// Include friction.
    pub friction: bool,
    /// Equations of motion.
    pub formulation: Formulation,
}

/// Equations of motion.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Formulation {
    /// One angle.
    #[default]
    Minimal,
    /// Cartesian coordinates with a sliding surface.
    SlidingMode(SlidingMode),
}

/// Parameters of the sliding surface.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SlidingMode {
    /// Reaching speed, m/s².
    pub eta: f64,
}

impl Default for SlidingMode {
    fn default() -> Self {
        Self { eta: 1.0 }
    }
}

impl Default for Pendulum {
    fn default() -> Self {
        Self { mass: 1.0, length: 1.0, angle: 0.5, links: 1, friction: false, formulation: Formulation::Minimal }
    }
}

impl Parameters for Pendulum {
    fn check(&self) -> Result<(), OutOfRange> {
        unless_positive("mass", self.mass)?;
        unless_positive("length", self.length)?;
        match &self.formulation {
            Formulation::Minimal => Ok(()),
            Formulation::SlidingMode(sliding) => {
                unless_positive("eta", sliding.eta).map_err(|error| error.within("formulation.sliding-mode"))
            }
        }
    }
}

impl ModelDefinition for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str = "A mathematical pendulum";
    const SOURCE: &'static str = "any textbook";
    fn model(&self) -> Box<dyn Model> {
        let constrained = matches!(self.formulation, Formulation::SlidingMode(_));
        let names = ["theta", "omega", "energy", "constraint"];
        let names = names[..if constrained { 4 } else { 3 }].to_vec();
        Box::new(Exponential { names })
    }
}

/// `y' = −y`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Decay {}
impl Parameters for Decay {}
impl ModelDefinition for Decay {
    const NAME: &'static str = "decay";
    const SUMMARY: &'static str = "Exponential decay";
    const SOURCE: &'static str = "any textbook";
    fn model(&self) -> Box<dyn Model> {
        Box::new(Exponential { names: vec!["amount"] })
    }
}

/// The equations behind both models, which are irrelevant for the input.
struct Exponential {
    names: Vec<&'static str>,
}
impl OdeModel for Exponential {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = -y[0];
    }
}
impl<S: Scalar> Formulated<S> for Exponential {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }
    fn initial_state(&self) -> Vec<S> {
        vec![S::from(1.0)]
    }
}
impl Model for Exponential {
    fn observables(&self) -> Vec<Observable> {
        self.names.iter().map(|&name| Observable::new(name, "1", "the state")).collect()
    }
    fn observation(&self) -> Box<dyn Observation + '_> {
        struct State;
        impl Observation for State {
            fn observe(&mut self, _t: f64, y: &[f64], values: &mut [f64]) {
                values.fill(y[0]);
            }
        }
        Box::new(State)
    }
    fn classes(&self) -> Vec<Class> {
        vec![Class::Position]
    }
    fn views(&self, y: &[f64]) -> Vec<View> {
        let shape = Shape::Circle { centre: [y[0], 0.0], radius: 1.0 };
        vec![View { name: "front", axes: ["x", "y"], parts: vec![("bob", shape)], names: Vec::new() }]
    }
}

/// A method that has properties but solves nothing.
struct Inert {
    adapts: bool,
    stages: u32,
}
impl<S: Scalar> Method<S> for Inert {
    fn order(&self) -> u32 {
        1
    }
    fn implicit_stages(&self) -> u32 {
        self.stages
    }
    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: self.adapts, ..MethodProperties::default() }
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, _: &mut dyn Observer<S>) -> Solution<S> {
        let state = task.initial.to_vec();
        Solution { t_reached: task.t_start, state, statistics: problem.statistics(), failure: None }
    }
}

macro_rules! explicit {
    ($type:ident $name:literal $adapts:literal) => {
        /// A Runge–Kutta method.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
        pub struct $type {}
        impl Parameters for $type {}
        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = "A Runge–Kutta method";
            const SOURCE: &'static str = "any textbook";
            const FAMILY: &'static str = "explicit-runge-kutta";
            fn method(&self) -> Box<dyn Method> {
                Box::new(Inert { adapts: $adapts, stages: 1 })
            }
            fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
                Some(Box::new(Inert { adapts: $adapts, stages: 1 }))
            }
        }
    };
}
explicit!(Rk3 "rk3" false);
explicit!(Rk5 "rk5" true);
explicit!(Rk8 "rk8" true);

/// An implicit method with a parameter.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Newmark {
    /// Damping, from −1/3 to 0.
    pub alpha: f64,
    /// Implicit stages.
    pub stages: u32,
}
impl Default for Newmark {
    fn default() -> Self {
        Self { alpha: 0.0, stages: 1 }
    }
}
impl Parameters for Newmark {
    fn check(&self) -> Result<(), OutOfRange> {
        if (-1.0 / 3.0..=0.0).contains(&self.alpha) {
            return Ok(());
        }
        Err(OutOfRange::new("alpha", self.alpha, "a number from -1/3 to 0"))
    }
}
impl MethodDefinition for Newmark {
    const NAME: &'static str = "newmark";
    const SUMMARY: &'static str = "An implicit method";
    const SOURCE: &'static str = "any textbook";
    const FAMILY: &'static str = "newmark";
    fn method(&self) -> Box<dyn Method> {
        Box::new(Inert { adapts: false, stages: self.stages })
    }
}

/// A measure that reports nothing.
struct Nothing(usize);
impl Measure for Nothing {
    fn finish(self: Box<Self>, _: &Ending<'_>) -> Vec<Option<f64>> {
        vec![None; self.0]
    }
}

macro_rules! measure {
    ($type:ident $name:literal $($observable:literal)?) => {
        /// A measure without parameters.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $type {}
        impl Parameters for $type {}
        impl MeasureDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = "A measure";
            fn columns(&self) -> Vec<String> {
                vec![Self::NAME.to_owned()]
            }
            fn observables(&self) -> Vec<String> {
                vec![$($observable.to_owned())?]
            }
            fn start(&self, _: &MeasureContext<'_>) -> Box<dyn Measure> {
                Box::new(Nothing(1))
            }
        }
    };
}
measure!(EnergyVariation "energy_variation" "energy");
measure!(ConstraintMax "constraint_max" "constraint");
measure!(RhsEvaluations "rhs_evaluations");

/// An observable at given times.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The observable.
    pub of: String,
    /// Times, s.
    pub at: Vec<Verbatim<f64>>,
}
impl Default for Sample {
    fn default() -> Self {
        Self { of: "energy".to_owned(), at: vec![Verbatim::from(0.0)] }
    }
}
impl Parameters for Sample {
    fn check(&self) -> Result<(), OutOfRange> {
        if self.at.is_empty() { Err(OutOfRange::new("at", "an empty list", "at least one time, s")) } else { Ok(()) }
    }
}
impl MeasureDefinition for Sample {
    const NAME: &'static str = "sample";
    const SUMMARY: &'static str = "An observable at given times";
    fn columns(&self) -> Vec<String> {
        self.at.iter().map(|time| format!("{}@{}", self.of, time.text)).collect()
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, _: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Nothing(self.at.len()))
    }
}

/// Fails unless `value` is finite and positive.
fn unless_positive(field: &str, value: f64) -> Result<(), OutOfRange> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(OutOfRange::new(field, value, "a finite number above zero"))
}
