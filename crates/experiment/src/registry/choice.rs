//! A model, method or measure as an experiment file chooses it.

use std::fmt;

use mbsbench_input::{Node, Place};
use serde_json::{Map, Value};

use super::Kind;
use super::angles::{Angle, wide};
use super::entry::{Backing, Entry, Object};

/// Methods whose ρ∞ is `rho-inf` in files but `rho` in the keys of runs and in labels, the name when results were first
/// kept.
const WITH_RHO: [&str; 13] =
    ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "bathe", "msstc3", "msstc4", "msstc5", "mssth3", "mssth4", "mssth5"];

/// A registered name with its parameters.
#[derive(Clone)]
pub struct Choice<K: Kind> {
    /// The entry with this name.
    pub entry: Entry<K>,
    /// All parameters, including those with default values.
    pub parameters: Value,
    /// Parameters that are not written out while they have their defaults.
    pub(super) silent: Vec<String>,
    pub(super) label: Option<String>,
    pub(super) own: Option<(String, Node)>,
    /// The object built from the parameters.
    pub object: Object<K>,
    /// The place of the name, if it is from a file.
    pub place: Option<Place>,
}

impl<K: Kind> fmt::Debug for Choice<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.parameters)
    }
}

impl<K: Kind> Choice<K> {
    /// Returns the name in the registry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// True if name and parameters cover everything that can change the numbers of a run, so that the run may be
    /// cached. False for an entry added [while the program ran](Entry::dynamic) without an identity.
    pub fn is_kept(&self) -> bool {
        !matches!(self.entry.backing, Backing::Dynamic { identity: None, .. })
    }

    /// Returns the parameters in radians that exceed a full turn, with their paths; values equal to the defaults are
    /// left out.
    pub fn wide_angles(&self) -> Vec<Angle> {
        wide(&self.parameters, &self.entry.default().0, &self.entry.schema().to_value())
    }

    /// Returns the key among the parameters that sets the method's own step control, and its value; `None` if the
    /// method has the step of the experiment.
    pub fn own_control(&self) -> Option<(&str, &Node)> {
        self.own.as_ref().map(|(name, node)| (name.as_str(), node))
    }

    /// Renames parameters as in keys and labels.
    fn recorded(&self, parameters: &Value) -> Value {
        match parameters {
            Value::Object(fields) if WITH_RHO.contains(&self.name()) => {
                let recorded = |name: &str| if name == "rho-inf" { "rho" } else { name }.to_owned();
                fields.iter().map(|(name, value)| (recorded(name), value.clone())).collect()
            }
            _ => parameters.clone(),
        }
    }

    /// Returns `{ name: parameters }`, for keys.
    pub fn identity(&self) -> Value {
        Value::Object(Map::from_iter([(self.name().to_owned(), self.recorded(&self.parameters))]))
    }

    /// Returns the name in tables: the label in the file, or else the name with the parameters that differ from their
    /// defaults, `hht-i3(alpha=-0.3)`. An entry that its parameters define completely has the name alone.
    pub fn label(&self) -> String {
        if let Some(label) = &self.label {
            return label.clone();
        }
        if self.entry.is_written_out {
            return self.name().to_owned();
        }
        let mut differing = Vec::new();
        let [own, defaults] = [&self.parameters, &self.entry.default().0].map(|parameters| self.recorded(parameters));
        differences("", &own, &defaults, &mut differing);
        if differing.is_empty() { self.name().to_owned() } else { format!("{}({})", self.name(), differing.join(",")) }
    }

    /// Returns the parameter at a path with dots, `formulation.sliding-mode.sigma`; items of a list are numbered from
    /// zero, `formulation.sliding-mode.eta.2`.
    pub fn parameter(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(&self.parameters, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            _ => value.get(name),
        })
    }

    /// Returns the paths of all parameters that are numbers, texts or switches, including those omitted at their
    /// defaults.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        leaves("", &self.parameters, &mut paths);
        paths.extend(self.silent.iter().cloned());
        paths
    }

    /// True if there is a parameter at a path, written out or not.
    pub fn has(&self, path: &str) -> bool {
        self.parameter(path).is_some() || self.silent.iter().any(|name| name == path)
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn differences(path: &str, value: &Value, default: &Value, found: &mut Vec<String>) {
    match (value, default) {
        // Maps with the same keys are compared key by key. The first may have more, since defaults are not always
        // written out.
        (Value::Object(fields), Value::Object(defaults)) if defaults.keys().all(|name| fields.contains_key(name)) => {
            for (name, value) in fields {
                differences(&joined(path, name), value, defaults.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (value, default) if value == default => {}
        (Value::String(text), _) => found.push(format!("{path}={text}")),
        (value, _) => found.push(format!("{path}={value}")),
    }
}

fn leaves(path: &str, value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(&joined(path, name), value, paths);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                leaves(&joined(path, &index.to_string()), value, paths);
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_input::Document;

    use crate::registry::{MethodKind, Registry, choose};

    #[test]
    fn labels_show_parameters_that_differ_from_defaults() {
        let registry = Registry::builtin();
        let label = |text: &str| {
            let document = Document::parse(Path::new("a.yaml"), text.as_bytes()).expect("YAML");
            choose::<MethodKind>(registry.methods(), &document.root).expect("a method").label()
        };
        assert_eq!(label("lms3: { jacobian: full }"), "lms3");
        assert_eq!(label("lms3: { jacobian: kept, start: ladder }"), "lms3(start=ladder,jacobian=kept)");
        assert_eq!(label("lms2: { rho-inf: 0.8 }"), "lms2(rho=0.8)");
        assert_eq!(label("generalized-alpha: { rho-inf: 0.7 }"), "generalized-alpha(rho-inf=0.7)");
        assert_eq!(label("hht-i3: { newton: { load-derivatives: 0.5 } }"), "hht-i3(newton.load-derivatives=0.5)");
    }
}
