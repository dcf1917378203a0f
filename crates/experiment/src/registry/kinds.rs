//! The three kinds of entries, and the object-safe interfaces of type-erased definitions.

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
    /// See [`ModelDefinition::model`].
    fn model(&self) -> Box<dyn Model>;
}

impl<D: ModelDefinition> AnyModel for D {
    fn model(&self) -> Box<dyn Model> {
        ModelDefinition::model(self)
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
