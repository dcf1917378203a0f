//! A registered model with its parameters, as functions of a state.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mbsbench::cli::{FileKind, file_kind, kind_of};
use mbsbench_experiment::registry::{Choice, Entry, Kind, MethodKind, ModelKind, choose};
use mbsbench_experiment::{Registry, included};
use mbsbench_input::{BadInput, Document, Key, Node, Value};
use mbsbench_problem::{Class, Counted, Failure, Form, Formulated, Model as Behind, Ode};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use self_cell::self_cell;

use crate::arrays::{Array, Array2, Vector, matrix, numbers, vector};
use crate::failures::{input_error, problem_error};
use crate::queries::{self, Of, Queries, Source, asks};
use crate::registered::registry;

type Equations<'m> = Box<dyn Ode + 'm>;

self_cell!(
    /// Equations with their own memory, and the model to which they belong.
    struct Owned {
        owner: Arc<dyn Behind>,
        #[not_covariant]
        dependent: Equations,
    }
);

/// The number of models whose equations a thread keeps.
const KEPT: usize = 16;

thread_local! {
    /// The equations of this thread, most recently used first. They contain scratch memory and therefore belong to one
    /// thread.
    static EQUATIONS: RefCell<Vec<(u64, Owned)>> = const { RefCell::new(Vec::new()) };
}

/// Reads a method as in files: `name`, or `{ name: { parameter: value } }`, as JSON.
pub fn chosen_method(text: &str) -> PyResult<Choice<MethodKind>> {
    let registry = registry()?;
    chosen(document(MethodKind::NAME, text)?, registry.methods(), &registry)
}

/// Reads a model or a method, whose parameters may be in a file.
fn chosen<K: Kind>(document: Document, entries: &[Entry<K>], registry: &Registry) -> PyResult<Choice<K>> {
    let (document, _) = included(document, registry).map_err(bad)?;
    choose(entries, &document.root).map_err(|problem| bad(document.bad(vec![problem])))
}

fn document(path: impl AsRef<Path>, text: &str) -> PyResult<Document> {
    Document::parse(path.as_ref(), text.as_bytes()).map_err(bad)
}

pub fn bad(wrong: BadInput) -> PyErr {
    input_error(wrong.render(false).trim_end())
}

/// A model with its parameters, as functions. Create one with `mbsbench.model`.
///
/// Arguments and results are NumPy arrays. Evaluations are not counted. Each thread has its own scratch memory, and
/// long evaluations release the interpreter for other threads.
#[pyclass(module = "mbsbench", frozen)]
pub struct Model {
    id: u64,
    pub choice: Choice<ModelKind>,
    pub model: Arc<dyn Behind>,
}

/// Reads `{ "name": { "parameter": value } }`, or the content of a mechanism or of equations, as JSON.
#[pyfunction]
pub fn model(text: &str) -> PyResult<Model> {
    let Document { source, root } = document(ModelKind::NAME, text)?;
    let kind = kind_of(&root).and_then(FileKind::model);
    let root = kind.map_or_else(|| root.clone(), |kind| under(kind, &root));
    of_document(Document { source, root })
}

/// Reads the model in a file (a robot, a mechanism or equations) with further parameters as JSON.
#[pyfunction]
pub fn model_in_file(path: PathBuf, parameters: &str) -> PyResult<Model> {
    let kind = file_kind(&path);
    let Some(model) = kind.and_then(FileKind::model) else {
        let (path, found) = (path.display(), kind.map_or("not a model", FileKind::name));
        return Err(input_error(format!("{path} is {found}; accepted: a robot in URDF, a mechanism or equations")));
    };
    // The name of the file is relative to the folder of the document.
    let Document { source, root } = document(path.with_file_name("<arguments>"), parameters)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = under("file", &Node::new(Value::Text(name), root.place));
    let root = under(model, &root.merged(&file));
    of_document(Document { source, root })
}

/// Returns the map `{ name: node }`.
fn under(name: &str, node: &Node) -> Node {
    Node::empty(node.place).with(&[Key { name: name.to_owned(), place: node.place }], node)
}

fn of_document(document: Document) -> PyResult<Model> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let registry = registry()?;
    let choice = chosen(document, registry.models(), &registry)?;
    let model = choice.object.model();
    Ok(Model { id: NEXT.fetch_add(1, Ordering::Relaxed), choice, model })
}

impl Model {
    /// Calls `work` with the equations of this thread.
    fn with_equations<T>(&self, work: impl FnOnce(&mut dyn Ode) -> T) -> T {
        // They are removed meanwhile, since a Python model may call another model.
        let mut own = EQUATIONS.with_borrow_mut(|kept| {
            let place = kept.iter().position(|(id, _)| *id == self.id);
            match place {
                Some(place) => kept.remove(place),
                None => (self.id, Owned::new(Arc::clone(&self.model), |model| Formulated::<f64>::ode(&**model))),
            }
        });
        let done = own.1.with_dependent_mut(|_, equations| work(equations.as_mut()));
        EQUATIONS.with_borrow_mut(|kept| {
            kept.truncate(KEPT - 1);
            kept.insert(0, own);
        });
        done
    }
}

impl Source for Model {
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Queries) -> Result<T, Failure> + Send) -> PyResult<T> {
        self.with_equations(|equations| work(&mut Counted::new(equations))).map_err(|failure| problem_error(&failure))
    }
}

asks!(Model {
    /// Name of the model.
    #[getter]
    fn name(&self) -> &'static str {
        self.choice.name()
    }

    /// Label in tables: the name with the parameters that differ from their defaults.
    #[getter]
    fn label(&self) -> String {
        self.choice.label()
    }

    /// All parameters with values, units, ranges and meanings.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let registry = registry()?;
        let entry = registry.models().iter().find(|entry| entry.name == self.choice.name());
        let schema = entry.map_or_else(|| "{}".to_owned(), |entry| entry.schema().to_value().to_string());
        let values = self.choice.parameters.to_string();
        py.import("mbsbench._parameters")?.call_method1("of", (values, schema))
    }

    /// Form of the equations: `ode`, `mechanics`, `implicit`, `contacts` or `events`.
    #[getter]
    fn form(&self) -> &'static str {
        self.with_equations(|equations| match equations.form() {
            Form::Explicit => "ode",
            Form::Mechanics(_) => "mechanics",
            Form::Implicit(_) => "implicit",
            Form::ContactPower(_) => "contacts",
            Form::Events(_) => "events",
        })
    }

    /// True if the model has a right-hand side `y' = f(t, y)`.
    #[getter]
    fn has_rhs(&self) -> bool {
        self.with_equations(|equations| equations.properties().has_rhs)
    }

    /// True if the model has the Jacobian of its right-hand side.
    #[getter]
    fn has_jacobian(&self) -> bool {
        self.with_equations(|equations| equations.properties().has_jacobian)
    }

    /// Returns the constant matrix `M` of `M y' = f(t, y)`, or None if it is the identity.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Option<Array2<'py>>> {
        let mass = self.with_equations(|equations| equations.properties().mass.cloned());
        mass.map(|mass| matrix(py, &mass)).transpose()
    }

    /// Returns the initial state.
    fn initial<'py>(&self, py: Python<'py>) -> Array<'py> {
        vector(py, &Formulated::<f64>::initial_state(&*self.model))
    }

    /// Class of each component of the state: `position`, `velocity` or `multiplier`.
    #[getter]
    fn classes(&self) -> Vec<&'static str> {
        let name = |class: Class| match class {
            Class::Position => "position",
            Class::Velocity => "velocity",
            Class::Multiplier => "multiplier",
        };
        self.model.classes().into_iter().map(name).collect()
    }

    /// Names, units and meanings of all observables.
    #[getter]
    fn observables(&self) -> Vec<(String, &'static str, &'static str)> {
        let observables = self.model.observables().into_iter();
        observables.map(|observable| (observable.name, observable.unit, observable.about)).collect()
    }

    /// Returns all observables at a state, by name: angles, energy, multipliers, constraints, …
    fn observe<'py>(&self, py: Python<'py>, t: f64, y: Vector<'py>) -> PyResult<Bound<'py, PyDict>> {
        let n = Source::sizes(self)?.dimension;
        let y = numbers(&y, "y", n)?;
        let observables = self.model.observables();
        let mut values = vec![f64::NAN; observables.len()];
        let mut observation = self.model.observation();
        observation.observe(t, &y, &mut values);
        observation.failure().map_or(Ok(()), |failure| Err(problem_error(&failure)))?;
        let found = PyDict::new(py);
        for (observable, value) in observables.into_iter().zip(values) {
            found.set_item(observable.name, value)?;
        }
        Ok(found)
    }

    /// Returns the values of the event functions at a state, or None if the model has no events. Events are zeros of
    /// these functions.
    fn event_functions<'py>(&self, py: Python<'py>, t: f64, y: Vector<'py>) -> PyResult<Option<Array<'py>>> {
        let n = Source::sizes(self)?.dimension;
        let y = numbers(&y, "y", n)?;
        let values = self.with_equations(|equations| {
            let Form::Events(functions) = equations.form() else { return Ok(None) };
            functions.prepare(t, &y, 0.0)?;
            let mut values = vec![0.0; functions.count()];
            functions.values(t, &y, &mut values)?;
            Ok(Some(values))
        });
        let values = values.map_err(|failure: Failure| problem_error(&failure))?;
        Ok(values.map(|values| vector(py, &values)))
    }

    fn __repr__(&self) -> String {
        format!("<mbsbench.Model {}>", self.choice.label())
    }
});
