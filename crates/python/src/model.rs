//! A registered model with its parameters, as functions of a state.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mbsbench_experiment::registry::{Choice, Entry, Kind, MethodKind, ModelKind, choose};
use mbsbench_input::{BadInput, Document};
use mbsbench_problem::{Class, Counted, Failure, Form, Formulated, Model as Behind, Ode};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use self_cell::self_cell;

use crate::arrays::{Array, Array2, Vector, matrix, numbers, vector};
use crate::asked::{self, Asked, Of, Source, asks};
use crate::failures::{input_error, problem_error};
use crate::registered::registry;

type Equations<'m> = Box<dyn Ode + 'm>;

self_cell!(
    /// Equations with their own memory, and the model that they are of.
    struct Owned {
        owner: Arc<dyn Behind>,
        #[not_covariant]
        dependent: Equations,
    }
);

/// Models whose equations a thread keeps ready.
const KEPT: usize = 16;

thread_local! {
    /// Equations have scratch memory and belong to one thread; those asked last are first.
    static EQUATIONS: RefCell<Vec<(u64, Owned)>> = const { RefCell::new(Vec::new()) };
}

/// Reads what a file would say in the place of a name: `name`, or `{ name: { parameter: value } }`, as JSON.
pub fn chosen<K: Kind>(entries: &[Entry<K>], text: &str) -> PyResult<Choice<K>> {
    let document = Document::parse(Path::new(K::NAME), text.as_bytes()).map_err(bad)?;
    choose(entries, &document.root).map_err(|problem| bad(document.bad(vec![problem])))
}

/// The same for a method, which may have its coefficients in a file.
pub fn chosen_method(text: &str) -> PyResult<Choice<MethodKind>> {
    chosen(registry()?.methods(), text)
}

pub fn bad(wrong: BadInput) -> PyErr {
    input_error(wrong.render(false).trim_end())
}

/// A model with its parameters, as functions: `mbsbench.model` makes one.
///
/// Arrays come in and go out as NumPy's. The functions evaluate and count nothing; each thread has scratch memory of its own, and what
/// takes long lets other threads use the interpreter.
#[pyclass(module = "mbsbench", frozen)]
pub struct Model {
    id: u64,
    pub choice: Choice<ModelKind>,
    pub model: Arc<dyn Behind>,
}

/// Reads `name`, or `{ "name": { "parameter": value } }` as JSON.
#[pyfunction]
pub fn model(text: &str) -> PyResult<Model> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let choice = chosen(registry()?.models(), text)?;
    let model = Arc::from(choice.object().model());
    Ok(Model { id: NEXT.fetch_add(1, Ordering::Relaxed), choice, model })
}

impl Model {
    /// Calls `work` with this thread's equations.
    fn with_equations<T>(&self, work: impl FnOnce(&mut dyn Ode) -> T) -> T {
        // Taken out, since a model of Python may ask another one.
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
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Asked) -> Result<T, Failure> + Send) -> PyResult<T> {
        self.with_equations(|equations| work(&mut Counted::new(equations))).map_err(|failure| problem_error(&failure))
    }
}

asks!(Model {
    /// Its name among the models.
    #[getter]
    fn name(&self) -> &'static str {
        self.choice.name()
    }

    /// What tables call it: its name with the parameters that are not at their defaults.
    #[getter]
    fn label(&self) -> String {
        self.choice.label()
    }

    /// All parameters with values, units, ranges and meanings.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let registry = registry()?;
        let entry = registry.models().iter().find(|entry| entry.name() == self.choice.name());
        let schema = entry.map_or_else(|| "{}".to_owned(), |entry| entry.schema().to_value().to_string());
        let values = self.choice.parameters().to_string();
        py.import("mbsbench._parameters")?.call_method1("of", (values, schema))
    }

    /// How it is given: `ode`, `mechanics`, `implicit`, `contacts` or `events`.
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

    /// Whether there is a right-hand side `y' = f(t, y)`.
    #[getter]
    fn has_rhs(&self) -> bool {
        self.with_equations(|equations| equations.properties().has_rhs)
    }

    /// Whether there is its Jacobian.
    #[getter]
    fn has_jacobian(&self) -> bool {
        self.with_equations(|equations| equations.properties().has_jacobian)
    }

    /// The constant matrix `M` of `M y' = f(t, y)`; none where it is the identity.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Option<Array2<'py>>> {
        let mass = self.with_equations(|equations| equations.properties().mass.cloned());
        mass.map(|mass| matrix(py, &mass)).transpose()
    }

    /// The initial state.
    fn initial<'py>(&self, py: Python<'py>) -> Array<'py> {
        vector(py, &Formulated::<f64>::initial_state(&*self.model))
    }

    /// What each component of the state is: `position`, `velocity` or `multiplier`.
    #[getter]
    fn classes(&self) -> Vec<&'static str> {
        let name = |class: Class| match class {
            Class::Position => "position",
            Class::Velocity => "velocity",
            Class::Multiplier => "multiplier",
        };
        self.model.classes().into_iter().map(name).collect()
    }

    /// Names, units and meanings of what can be observed.
    #[getter]
    fn observables(&self) -> Vec<(String, &'static str, &'static str)> {
        let observables = self.model.observables().into_iter();
        observables.map(|observable| (observable.name, observable.unit, observable.about)).collect()
    }

    /// Everything that can be observed at a state, by name: angles, energy, multipliers, constraints, …
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

    /// The functions whose zeros are events, at a state; none where the model has no events.
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
