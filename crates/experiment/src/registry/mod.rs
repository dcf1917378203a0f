//! The names that experiment files can use: one registry each of models, methods and measures, one line an entry.
//!
//! A crate outside the workspace adds its own and hands the registry to `mbsbench::main_with`:
//!
//! ```no_run
//! # use mbsbench_experiment::Registry;
//! # fn extended() -> Registry {
//! Registry::builtin() // .model::<MyModel>().method::<MyMethod>()
//! # }
//! ```

mod angles;
mod builtin;
mod choice;
mod contender;
mod entry;
mod kinds;
mod late;

use mbsbench_problem::{MethodDefinition, ModelDefinition};

pub use choice::Choice;
pub use contender::Contender;
pub(crate) use entry::LABEL;
pub use entry::{Entry, choose};
pub use kinds::CONTROLS;
pub use kinds::{AnyMeasure, AnyMethod, AnyModel, Kind, MeasureKind, MethodKind, ModelKind};

use crate::identity::is_safe_name;
use mbsbench_measures::{Catalogue, MeasureDefinition};

/// Names and what they stand for.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    models: Vec<Entry<ModelKind>>,
    methods: Vec<Entry<MethodKind>>,
    measures: Vec<Entry<MeasureKind>>,
    contender: Option<Contender>,
}

impl Registry {
    /// A registry without entries.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Everything in the workspace.
    pub fn builtin() -> Self {
        builtin::registry()
    }

    /// Whether all that it has of types is what the workspace has. What came [while the program ran](Entry::late) does not count: its identity
    /// is in the names of its runs.
    pub fn is_builtin(&self) -> bool {
        let builtin = Self::builtin();
        let definitions = |registry: &Self| {
            let models = registry.models.iter().filter_map(Entry::definition);
            let methods = registry.methods.iter().filter_map(Entry::definition);
            models.chain(methods).chain(registry.measures.iter().filter_map(Entry::definition)).collect::<Vec<_>>()
        };
        definitions(self) == definitions(&builtin)
    }

    /// Versions of the libraries of the system that methods call: `SUNDIALS 6.4.1`, or that there is none.
    pub fn libraries() -> String {
        format!("SUNDIALS {}", mbsbench_sundials::version().unwrap_or("none"))
    }

    /// Adds a model.
    ///
    /// # Panics
    /// Where there is a model of that name already, or the name is none that files can have, which is a mistake in the program.
    #[must_use]
    pub fn model<M: ModelDefinition>(mut self) -> Self {
        add(&mut self.models, Entry::of_model::<M>());
        self
    }

    /// Puts a model in the place of the one of that name, to see what a change of it would do.
    ///
    /// # Panics
    /// Where there is none of that name.
    #[must_use]
    pub fn replacing_model<M: ModelDefinition>(mut self) -> Self {
        replace(&mut self.models, Entry::of_model::<M>());
        self
    }

    /// Puts a method in the place of the one of that name, to see what a change of it would do.
    ///
    /// # Panics
    /// Where there is none of that name.
    #[must_use]
    pub fn replacing_method<M: MethodDefinition>(mut self) -> Self {
        replace(&mut self.methods, Entry::of_method::<M>());
        self
    }

    /// Adds a method.
    ///
    /// # Panics
    /// Where there is a method of that name already, or the name is none that files can have, which is a mistake in the program.
    #[must_use]
    pub fn method<M: MethodDefinition>(mut self) -> Self {
        add(&mut self.methods, Entry::of_method::<M>());
        self
    }

    /// Adds a measure.
    ///
    /// # Panics
    /// Where there is a measure of that name already, or the name is none that files can have, which is a mistake in the program.
    #[must_use]
    pub fn measure<M: MeasureDefinition>(mut self) -> Self {
        add(&mut self.measures, Entry::of_measure::<M>());
        self
    }

    /// Adds a model that came while the program runs.
    ///
    /// # Errors
    /// A name that is taken, or that cannot stand in a file.
    pub fn with_model(mut self, model: Entry<ModelKind>) -> Result<Self, BadName> {
        add_late(&mut self.models, model)?;
        Ok(self)
    }

    /// Adds a method that came while the program runs.
    ///
    /// # Errors
    /// A name that is taken, or that cannot stand in a file.
    pub fn with_method(mut self, method: Entry<MethodKind>) -> Result<Self, BadName> {
        add_late(&mut self.methods, method)?;
        Ok(self)
    }

    /// The same registry, where `every` stands for one method alone; see [`Plan::of_contender`](crate::plan::Plan::of_contender).
    pub fn with_contender(&self, contender: Contender) -> Self {
        Self { contender: Some(contender), ..self.clone() }
    }

    /// The method that `every` stands for, if it is one alone.
    pub fn contender(&self) -> Option<&Contender> {
        self.contender.as_ref()
    }

    /// All models, in the order in which they were added.
    pub fn models(&self) -> &[Entry<ModelKind>] {
        &self.models
    }

    /// All methods.
    pub fn methods(&self) -> &[Entry<MethodKind>] {
        &self.methods
    }

    /// All measures.
    pub fn measures(&self) -> &[Entry<MeasureKind>] {
        &self.measures
    }
}

/// A name that nothing can be added by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It is that of another.
    #[error("there is a {kind} `{name}` already")]
    Taken {
        /// Model or method.
        kind: &'static str,
        /// The name.
        name: &'static str,
    },
    /// Files cannot say it.
    #[error(
        "`{name}` cannot be the name of a {kind}; accepted: letters from a to z, digits and hyphens, as in `my-method`"
    )]
    Unsafe {
        /// Model or method.
        kind: &'static str,
        /// The name.
        name: &'static str,
    },
}

impl Catalogue for Registry {
    fn measure<M: MeasureDefinition>(self) -> Self {
        self.measure::<M>()
    }
}

fn replace<K: Kind>(entries: &mut [Entry<K>], new: Entry<K>) {
    let old = entries.iter_mut().find(|entry| entry.name() == new.name());
    let Some(old) = old else { panic!("there is no `{}` to be replaced", new.name()) };
    *old = new;
}

fn add_late<K: Kind>(entries: &mut Vec<Entry<K>>, late: Entry<K>) -> Result<(), BadName> {
    let (kind, name) = (K::NAME, late.name);
    let is_spelled = name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-');
    if !is_spelled || !is_safe_name(name) {
        return Err(BadName::Unsafe { kind, name });
    }
    if entries.iter().any(|present| present.name() == name) {
        return Err(BadName::Taken { kind, name });
    }
    entries.push(late);
    Ok(())
}

fn add<K: Kind>(entries: &mut Vec<Entry<K>>, entry: Entry<K>) {
    let name = entry.name();
    let is_name = if K::NAME == MeasureKind::NAME { is_safe_name(&name.replace('_', "-")) } else { is_safe_name(name) };
    assert!(is_name, "`{name}` cannot be the name of a {}: small letters, digits and `-`, in measures `_`", K::NAME);
    assert!(entries.iter().all(|present| present.name() != name), "two entries of the registry are called `{name}`");
    entries.push(entry);
}
