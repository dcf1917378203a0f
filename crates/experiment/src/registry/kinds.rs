//! The three kinds of entries, and the object-safe interfaces of type-erased definitions.

use std::sync::{Arc, OnceLock};

use mbsbench_measures::{Measure, MeasureContext, MeasureDefinition};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, Model, ModelDefinition};

/// The properties that distinguish the registries of models, methods and measures.
pub trait Kind: Clone + 'static {
    /// The object that an entry builds from its parameters.
    type Object: ?Sized + Send + Sync;
    /// The singular for messages: "model".
    const NAME: &'static str;
    /// The plural for messages: "models".
    const PLURAL: &'static str;
    /// Keys that are written among the parameters but belong to the choice, for example a method's own step.
    const OWN_KEYS: &'static [&'static str] = &[];
}

/// Keys of the step control; a run has exactly one.
pub const CONTROLS: [&str; 3] = ["step", "step_per_stage", "tolerance"];

/// Benchmark models.
#[derive(Debug, Clone, Copy)]
pub enum ModelKind {}
/// Time integration methods.
#[derive(Debug, Clone, Copy)]
pub enum MethodKind {}
/// Measures.
#[derive(Debug, Clone, Copy)]
pub enum MeasureKind {}

impl Kind for ModelKind {
    type Object = dyn AnyModel;
    const NAME: &'static str = "model";
    const PLURAL: &'static str = "models";
}
impl Kind for MethodKind {
    type Object = dyn AnyMethod;
    const NAME: &'static str = "method";
    const PLURAL: &'static str = "methods";
    const OWN_KEYS: &'static [&'static str] = &CONTROLS;
}
impl Kind for MeasureKind {
    type Object = dyn AnyMeasure;
    const NAME: &'static str = "measure";
    const PLURAL: &'static str = "measures";
}

/// A [`ModelDefinition`] with its parameters.
pub trait AnyModel: Send + Sync {
    /// Returns the model, which all users of the object share.
    fn model(&self) -> Arc<dyn Model>;
}

/// A definition with its model, which is created on first use.
pub(super) struct Shared<D> {
    definition: D,
    model: OnceLock<Arc<dyn Model>>,
}

impl<D> Shared<D> {
    pub fn new(definition: D) -> Self {
        Self { definition, model: OnceLock::new() }
    }
}

impl<D: ModelDefinition> AnyModel for Shared<D> {
    fn model(&self) -> Arc<dyn Model> {
        Arc::clone(self.model.get_or_init(|| self.definition.model().into()))
    }
}

/// A [`MethodDefinition`] with its parameters.
pub trait AnyMethod: Send + Sync {
    /// See [`MethodDefinition::method`].
    fn method(&self) -> Box<dyn Method>;
    /// See [`MethodDefinition::precise`].
    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>>;
}

impl<D: MethodDefinition> AnyMethod for D {
    fn method(&self) -> Box<dyn Method> {
        MethodDefinition::method(self)
    }
    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        MethodDefinition::precise(self)
    }
}

/// A [`MeasureDefinition`] with its parameters.
pub trait AnyMeasure: Send + Sync {
    /// See [`MeasureDefinition::columns`].
    fn columns(&self) -> Vec<String>;
    /// See [`MeasureDefinition::observables`].
    fn observables(&self) -> Vec<String>;
    /// See [`MeasureDefinition::reference_times`].
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64>;
    /// See [`MeasureDefinition::is_of_method`].
    fn is_of_method(&self) -> bool;
    /// See [`MeasureDefinition::start`].
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure>;
}

impl<D: MeasureDefinition> AnyMeasure for D {
    fn columns(&self) -> Vec<String> {
        MeasureDefinition::columns(self)
    }
    fn observables(&self) -> Vec<String> {
        MeasureDefinition::observables(self)
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        MeasureDefinition::reference_times(self, span)
    }
    fn is_of_method(&self) -> bool {
        MeasureDefinition::is_of_method(self)
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        MeasureDefinition::start(self, context)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use mbsbench_models::Pendulum;
    use mbsbench_problem::Parameters;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::plan::Plan;
    use crate::registry::Registry;

    /// How often a model was created.
    static CREATED: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(transparent)]
    struct Counting(Pendulum);

    impl Parameters for Counting {}

    impl ModelDefinition for Counting {
        const NAME: &'static str = "counting";
        const SUMMARY: &'static str = "a pendulum whose assemblies are counted";
        const SOURCE: &'static str = "a test";

        fn model(&self) -> Box<dyn Model> {
            CREATED.fetch_add(1, Ordering::Relaxed);
            self.0.model()
        }
    }

    #[test]
    fn each_model_of_a_plan_is_created_once() {
        let text = "id: mine/count\nmodel: counting\nspan: [0, 1]\nmethod: every\ntolerance: [1e-3, 1e-5]\n\
                    matrix: { model.mass: [1, 2, 3] }\nmeasures: [energy_variation]\n\
                    plots: [{ id: a, x: t, y: energy, where: { model.mass: 1, method: dopri5, tolerance: 1e-3 } }]\n";
        let registry = Registry::builtin().model::<Counting>();
        let plan = Plan::read(Path::new("count.yaml"), text.as_bytes(), &registry, false).unwrap();
        assert!(plan.runs.len() > 60, "every method, two tolerances and three masses");
        for run in &plan.runs {
            assert!(!run.views().is_empty());
        }
        assert_eq!(CREATED.load(Ordering::Relaxed), 4, "one for each mass, and one that tells which methods suit it");
    }
}
