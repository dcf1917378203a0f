//! Python methods and models by name, for files and calls of this process.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use mbsbench_experiment::Registry;
use mbsbench_experiment::registry::{AnyMethod, AnyModel, Entry, Kind, MethodKind, ModelKind};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::failures::input_error;
use crate::method::PythonMethod;
use crate::user_model::PythonModel;

#[derive(Default)]
struct Registered {
    methods: BTreeMap<String, Entry<MethodKind>>,
    models: BTreeMap<String, Entry<ModelKind>>,
}

static REGISTERED: LazyLock<Mutex<Registered>> = LazyLock::new(Mutex::default);

fn registered() -> MutexGuard<'static, Registered> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the built-in registry with all additions from Python.
pub fn registry() -> PyResult<Registry> {
    let registered = registered();
    let methods = registered.methods.values().cloned();
    let with_methods = methods.clone().try_fold(Registry::builtin(), Registry::with_method);
    let models = registered.models.values().cloned();
    with_methods.and_then(|registry| models.clone().try_fold(registry, Registry::with_model)).map_err(input_error)
}

/// Returns the identity that enters the keys of runs: the version and a hash of the source text; `None` without a
/// version.
fn identity(version: Option<String>, text: Option<String>) -> Option<Map<String, Value>> {
    let version = version?;
    let hash = blake3::hash(text.unwrap_or_default().as_bytes()).to_hex().to_string();
    json!({ "version": version, "text": hash }).as_object().cloned()
}

/// Registers a class as a method of this process, in place of an earlier class of that name. Built-in names are taken.
#[pyfunction]
#[pyo3(signature = (class, name, summary, family, version=None, text=None))]
pub fn register_method(
    class: &Bound<'_, PyAny>,
    name: &str,
    summary: &str,
    family: &str,
    version: Option<String>,
    text: Option<String>,
) -> PyResult<()> {
    let object: Arc<dyn AnyMethod> = Arc::new(PythonMethod::of(class)?);
    let late = Entry::dynamic(name, summary, identity(version, text), object).of_family(family, "Python");
    Registry::builtin().with_method(late.clone()).map_err(input_error)?;
    registered().methods.insert(name.to_owned(), late);
    Ok(())
}

/// Registers functions as a model of this process, in place of an earlier model of that name. Built-in names are taken.
#[pyfunction]
#[pyo3(signature = (functions, name, summary, version=None, text=None))]
pub fn register_model(
    functions: &Bound<'_, PyAny>,
    name: &str,
    summary: &str,
    version: Option<String>,
    text: Option<String>,
) -> PyResult<()> {
    let object: Arc<dyn AnyModel> = Arc::new(PythonModel::of(functions, name)?);
    let late = Entry::dynamic(name, summary, identity(version, text), object);
    Registry::builtin().with_model(late.clone()).map_err(input_error)?;
    registered().models.insert(name.to_owned(), late);
    Ok(())
}

/// Removes a Python method or model. Returns true if there was one.
#[pyfunction]
pub fn forget(name: &str) -> bool {
    let mut registered = registered();
    let (method, model) = (registered.methods.remove(name), registered.models.remove(name));
    method.is_some() || model.is_some()
}

/// Returns the names of a kind (`models`, `methods`, `measures`), with a one-line description of each.
#[pyfunction]
pub fn names(kind: &str) -> PyResult<Vec<(String, String, String)>> {
    fn lines<K: Kind>(entries: &[Entry<K>]) -> Vec<(String, String, String)> {
        let line = |entry: &Entry<K>| [entry.name, entry.family, entry.summary].map(str::to_owned).into();
        entries.iter().map(line).collect()
    }
    let registry = registry()?;
    match kind {
        "models" => Ok(lines(registry.models())),
        "methods" => Ok(lines(registry.methods())),
        "measures" => Ok(lines(registry.measures())),
        _ => Err(input_error(format!("unknown kind `{kind}`; accepted: models, methods, measures"))),
    }
}
