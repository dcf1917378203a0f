//! The names that experiment files can use: a registry each for models, methods and measures, with one line for each
//! entry.
//!
//! A crate outside the workspace adds its own entries and passes the registry to `mbsbench::main_with`:
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
mod dynamic;
mod entry;
mod kinds;

use mbsbench_problem::{MethodDefinition, ModelDefinition};

pub use choice::Choice;
pub use contender::Contender;
pub use entry::{Entry, choose};
pub(crate) use entry::{LABEL, read_parameters};
pub use kinds::{AnyMeasure, AnyMethod, AnyModel, CONTROLS, Kind, MeasureKind, MethodKind, ModelKind};

use crate::identity::is_safe_name;
use mbsbench_measures::{Catalogue, MeasureDefinition};

/// The registered models, methods and measures.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    models: Vec<Entry<ModelKind>>,
    methods: Vec<Entry<MethodKind>>,
    measures: Vec<Entry<MeasureKind>>,
    contender: Option<Contender>,
}

impl Registry {
    /// Returns a registry without entries.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Returns a registry with everything in the workspace.
    pub fn builtin() -> Self {
        builtin::registry()
    }

    /// True if all types in the registry are from the workspace. Entries added [while the program ran](Entry::dynamic)
    /// do not count, because their identity is part of the keys of their runs.
    pub fn is_builtin(&self) -> bool {
        let builtin = Self::builtin();
        let definitions = |registry: &Self| {
            let models = registry.models.iter().filter_map(Entry::definition);
            let methods = registry.methods.iter().filter_map(Entry::definition);
            models.chain(methods).chain(registry.measures.iter().filter_map(Entry::definition)).collect::<Vec<_>>()
        };
        definitions(self) == definitions(&builtin)
    }

    /// Returns the versions of the system libraries that methods call: `SUNDIALS 6.4.1` or `SUNDIALS none`.
    pub fn libraries() -> String {
        format!("SUNDIALS {}", mbsbench_sundials::version().unwrap_or("none"))
    }

    /// Adds a model.
    ///
    /// # Panics
    /// Panics if a model of that name exists or the name cannot be written in files; both are programming errors.
    #[must_use]
    pub fn model<M: ModelDefinition>(mut self) -> Self {
        add(&mut self.models, Entry::of::<M>());
        self
    }

    /// Replaces the model of the same name, to test the effect of a change.
    ///
    /// # Panics
    /// Panics if there is no model of that name.
    #[must_use]
    pub fn replacing_model<M: ModelDefinition>(mut self) -> Self {
        replace(&mut self.models, Entry::of::<M>());
        self
    }

    /// Replaces the method of the same name, to test the effect of a change.
    ///
    /// # Panics
    /// Panics if there is no method of that name.
    #[must_use]
    pub fn replacing_method<M: MethodDefinition>(mut self) -> Self {
        replace(&mut self.methods, Entry::of::<M>());
        self
    }

    /// Adds a method.
    ///
    /// # Panics
    /// Panics if a method of that name exists or the name cannot be written in files; both are programming errors.
    #[must_use]
    pub fn method<M: MethodDefinition>(mut self) -> Self {
        add(&mut self.methods, Entry::of::<M>());
        self
    }

    /// Adds a measure.
    ///
    /// # Panics
    /// Panics if a measure of that name exists or the name cannot be written in files; both are programming errors.
    #[must_use]
    pub fn measure<M: MeasureDefinition>(mut self) -> Self {
        add(&mut self.measures, Entry::of::<M>());
        self
    }

    /// Adds a model while the program runs.
    ///
    /// # Errors
    /// Fails if the name is taken or cannot be written in a file.
    pub fn with_model(mut self, model: Entry<ModelKind>) -> Result<Self, BadName> {
        add_late(&mut self.models, model)?;
        Ok(self)
    }

    /// Adds a method while the program runs.
    ///
    /// # Errors
    /// Fails if the name is taken or cannot be written in a file.
    pub fn with_method(mut self, method: Entry<MethodKind>) -> Result<Self, BadName> {
        add_late(&mut self.methods, method)?;
        Ok(self)
    }

    /// Returns the same registry with `every` replaced by one method; see
    /// [`Plan::of_contender`](crate::plan::Plan::of_contender).
    pub fn with_contender(&self, contender: Contender) -> Self {
        Self { contender: Some(contender), ..self.clone() }
    }

    /// Returns the method that replaces `every`, if there is one.
    pub fn contender(&self) -> Option<&Contender> {
        self.contender.as_ref()
    }

    /// Returns all models, in the order in which they were added.
    pub fn models(&self) -> &[Entry<ModelKind>] {
        &self.models
    }

    /// Returns all methods, in the order in which they were added.
    pub fn methods(&self) -> &[Entry<MethodKind>] {
        &self.methods
    }

    /// Returns all measures, in the order in which they were added.
    pub fn measures(&self) -> &[Entry<MeasureKind>] {
        &self.measures
    }
}

/// A name that cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Another entry has the name.
    #[error("a {kind} `{name}` is already registered")]
    Taken {
        /// Model or method.
        kind: &'static str,
        /// The name.
        name: &'static str,
    },
    /// The name cannot be written in files.
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
    let old = entries.iter_mut().find(|entry| entry.name == new.name);
    let Some(old) = old else { panic!("the registry has no entry `{}` to replace", new.name) };
    *old = new;
}

fn add_late<K: Kind>(entries: &mut Vec<Entry<K>>, late: Entry<K>) -> Result<(), BadName> {
    let (kind, name) = (K::NAME, late.name);
    let is_spelled = name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-');
    if !is_spelled || !is_safe_name(name) {
        return Err(BadName::Unsafe { kind, name });
    }
    if entries.iter().any(|present| present.name == name) {
        return Err(BadName::Taken { kind, name });
    }
    entries.push(late);
    Ok(())
}

fn add<K: Kind>(entries: &mut Vec<Entry<K>>, entry: Entry<K>) {
    let name = entry.name;
    let is_name = if K::NAME == MeasureKind::NAME { is_safe_name(&name.replace('_', "-")) } else { is_safe_name(name) };
    assert!(
        is_name,
        "`{name}` cannot be the name of a {}: use lower-case letters, digits and `-`, or `_` in measures",
        K::NAME
    );
    assert!(entries.iter().all(|present| present.name != name), "two entries of the registry are called `{name}`");
    entries.push(entry);
}
