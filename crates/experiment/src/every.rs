//! `every:` among methods: all of the registry that suit the model, so that a method that is added is compared without being
//! named.

use std::collections::BTreeMap;

use mbsbench_input::{Entry, Key, Node, Place, Problem, Value, read};
use mbsbench_problem::{Events, Formulated, Method, Unsuitable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{self, Choice, LABEL, MethodKind, ModelKind, Registry};

/// What stands for the methods in a list of them.
const KEY: &str = "every";

/// Every registered method that suits the model and decides on its steps as the case says: with `tolerance` those that control
/// their error, with a step those that do not and those that are published with constant steps, though they can do both
/// (`hht-i3`, `generalized-alpha`). On a model that jumps at its events those that do not locate them are left out,
/// unless `settings: { events: ignored }` runs them without the jumps. A method of which a file has the coefficients
/// (`tableau`) is meant where `with` has them, one that came while the program runs nowhere: it is named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Every {
    /// Only methods of these families; all where none is named.
    pub families: Vec<String>,
    /// Parameters that are set in the methods that have them; under the name of a method, in that one alone.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub with: BTreeMap<String, serde_json::Value>,
    /// Methods that are left out, each with the reason.
    pub except: BTreeMap<String, String>,
    /// With a step, all methods, also those meant to control their error: for what is asked of a formula and not of a solve.
    pub controlled: bool,
}

/// Why `every` does not run a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    /// The reason, in words.
    pub reason: String,
    /// True if the file gives it under `except`; false if the model does not suit the method.
    pub is_written: bool,
}

/// Methods as an axis gives them, with `every:` written out.
pub(super) struct Methods {
    /// The axis, each method by its name.
    pub node: Node,
    /// Methods that are left out, each with the reason.
    pub left_out: BTreeMap<String, Omission>,
}

impl Methods {
    /// Writes `every:` out for the models that a case has. None where the registry has a [contender](Registry::contender) and the
    /// case nothing for it.
    ///
    /// # Errors
    /// Families or methods that nobody has registered.
    pub fn read(
        node: &Node,
        models: &[Choice<ModelKind>],
        (to_tolerance, events): (bool, Events),
        registry: &Registry,
    ) -> Result<Option<Self>, Problem> {
        let mut methods = Self { node: node.clone(), left_out: BTreeMap::new() };
        let contender = registry.contender();
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        if items.iter().all(|item| asked(item).is_none()) {
            return Ok(contender.is_none().then_some(methods));
        }
        let mut written = Vec::new();
        for item in items {
            let Some(asked) = asked(item) else {
                written.extend(contender.is_none().then(|| item.clone()));
                continue;
            };
            let every: Every = read(&asked)?;
            every.check(&asked, registry)?;
            let with = asked.get("with").map_or(&[][..], Node::entries);
            let mut meant = Vec::new();
            let is_candidate = |method: &&registry::Entry<MethodKind>| {
                contender.map_or(!method.is_late(), |contender| contender.method == method.name())
            };
            for method in registry.methods().iter().filter(is_candidate) {
                let parameters = match contender {
                    Some(contender) => contender.with(method, &parameters(method, with, item.place), with),
                    None => parameters(method, with, item.place),
                };
                let Some(made) = every.asks_for(method, &parameters, models, to_tolerance, contender.is_some())? else {
                    continue;
                };
                meant.push(method);
                match on_all(&*made, models, events) {
                    Ok(()) => written.push(point(method, &parameters)),
                    Err(jumps) => {
                        let omission = Omission { reason: jumps.to_string(), is_written: false };
                        methods.left_out.insert(method.name().to_owned(), omission);
                    }
                }
            }
            if contender.is_none() {
                check_parameters(with, &meant)?;
            }
            let written = |reason| Omission { reason, is_written: true };
            methods.left_out.extend(every.except.into_iter().map(|(method, reason)| (method, written(reason))));
        }
        if written.is_empty() && contender.is_some() {
            return Ok(None);
        }
        if written.is_empty() {
            let problem = Problem::new(node.place, "no registered method suits the model and decides on its steps so");
            return Err(problem.help(
                "with `tolerance` those are meant that control their error, with a step those for constant steps",
            ));
        }
        methods.node = Node::new(Value::List(written), node.place);
        Ok(Some(methods))
    }
}

/// A method that stands alone wherever a file says `every`: what an experiment asks of all methods is asked of it.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its name in the registry.
    pub method: String,
    /// Its parameters, with its label if it has one; an empty map for those of a registered method.
    pub parameters: Node,
}

impl Contender {
    /// A registered method with the parameters that a file sets in all, and its own defaults.
    #[must_use]
    pub fn registered(method: &str) -> Self {
        Self { method: method.to_owned(), parameters: Node::new(Value::Map(Vec::new()), Place::new(0, 0)) }
    }

    /// Its own parameters over those of `with` that a method like it has. What a file writes out has its parameters below the kind of
    /// formula: it gets those that it takes and does not say itself.
    fn with(&self, method: &registry::Entry<MethodKind>, common: &Node, with: &[Entry]) -> Node {
        let mut node = common.merged(&self.parameters);
        if !method.is_written_out() {
            return node;
        }
        let kinds = self.parameters.entries().iter().filter(|entry| matches!(entry.value.value, Value::Map(_)));
        for kind in kinds.map(|entry| &entry.key) {
            for Entry { key, value } in with {
                let is_said = self.parameters.get(&kind.name).is_some_and(|own| own.get(&key.name).is_some());
                let given = node.with(&[kind.clone(), key.clone()], value);
                if !is_said && method.choose(&given.without(LABEL), None).is_ok() {
                    node = given;
                }
            }
        }
        node
    }
}

/// What `every:` says, where it stands for methods; the bare name asks for nothing more.
fn asked(node: &Node) -> Option<Node> {
    match (node.text(), node.entries()) {
        (Some(KEY), _) => Some(Node::new(Value::Map(Vec::new()), node.place)),
        (_, [entry]) if entry.key.name == KEY => Some(entry.value.clone()),
        _ => None,
    }
}

/// Each parameter that `with` sets is one of some method, and each method that it names is meant.
fn check_parameters(with: &[Entry], methods: &[&registry::Entry<MethodKind>]) -> Result<(), Problem> {
    for Entry { key, .. } in with {
        let is_used = |method: &registry::Entry<MethodKind>| {
            method.name() == key.name || method.default_choice().parameter(&key.name).is_some()
        };
        if !methods.iter().any(|method| is_used(method)) {
            let message = format!("no method meant here has the parameter `{}`", key.name);
            return Err(Problem::new(key.place, message).help("`mbsbench describe method NAME` lists parameters"));
        }
    }
    Ok(())
}

/// The parameters of `with` that are for a method.
fn parameters(method: &registry::Entry<MethodKind>, with: &[Entry], place: Place) -> Node {
    let defaults = method.default_choice();
    let alone = with.iter().find(|entry| entry.key.name == method.name());
    let alone = alone.map_or(&[][..], |entry| entry.value.entries());
    let is_set = |name: &str| alone.iter().any(|entry| entry.key.name == name);
    let is_own = |entry: &&Entry| defaults.parameter(&entry.key.name).is_some() && !is_set(&entry.key.name);
    Node::new(Value::Map(with.iter().filter(is_own).chain(alone).cloned().collect()), place)
}

/// A method as if it had been written, under its own name.
fn point(method: &registry::Entry<MethodKind>, parameters: &Node) -> Node {
    let place = parameters.place;
    let entry = |name: &str, value: Node| Entry { key: Key { name: name.to_owned(), place }, value };
    let label = entry(LABEL, Node::new(Value::Text(method.name().to_owned()), place));
    let label = parameters.get(LABEL).is_none().then_some(label);
    let parameters = Node::new(Value::Map(parameters.entries().iter().cloned().chain(label).collect()), place);
    Node::new(Value::Map(vec![entry(method.name(), parameters)]), place)
}

impl Every {
    fn check(&self, node: &Node, registry: &Registry) -> Result<(), Problem> {
        let methods = registry.methods();
        if let Some(name) = self.except.keys().find(|name| methods.iter().all(|method| method.name() != *name)) {
            let place = node.place_of(&format!("except.{name}"));
            return Err(Problem::unknown(
                place,
                "method",
                name,
                methods.iter().map(registry::Entry::name).collect::<Vec<_>>(),
            ));
        }
        if let Some(name) = self.families.iter().find(|name| methods.iter().all(|method| method.family() != *name)) {
            let mut known: Vec<&str> = methods.iter().map(registry::Entry::family).collect();
            known.dedup();
            return Err(Problem::unknown(node.place_of("families"), "family", name, known));
        }
        Ok(())
    }

    /// A method with these parameters, if it is meant and suits the models, jumps apart.
    fn asks_for(
        &self,
        method: &registry::Entry<MethodKind>,
        parameters: &Node,
        models: &[Choice<ModelKind>],
        to_tolerance: bool,
        is_contender: bool,
    ) -> Result<Option<Box<dyn Method>>, Problem> {
        let is_named = self.families.is_empty() || self.families.iter().any(|family| family == method.family());
        let is_written = is_contender || !method.is_written_out() || self.with.contains_key(method.name());
        if !is_named || !is_written || self.except.contains_key(method.name()) {
            return Ok(None);
        }
        let made = method.choose(&parameters.without(LABEL), None)?.object().method();
        let decides_so = if to_tolerance { made.adapts() } else { self.controlled || made.is_for_constant_steps() };
        let is_meant = decides_so && on_all(&*made, models, Events::Ignored).is_ok();
        Ok(is_meant.then_some(made))
    }
}

/// Whether a method applies to all of the models, and the first reason if it does not.
fn on_all(method: &dyn Method, models: &[Choice<ModelKind>], events: Events) -> Result<(), Unsuitable> {
    models.iter().try_for_each(|model| {
        let model = model.object().model();
        method.applies_to(Formulated::<f64>::ode(&*model).as_mut(), events)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_input::Document;
    use std::path::Path;

    fn names(text: &str, model: &str, to_tolerance: bool) -> Vec<String> {
        let registry = Registry::builtin();
        let models = registry.models().iter().filter(|entry| entry.name() == model);
        let models: Vec<_> = models.map(registry::Entry::default_choice).collect();
        let document = Document::parse(Path::new("methods.yaml"), text.as_bytes()).unwrap();
        let node = document.root.get("method").unwrap();
        let methods = Methods::read(node, &models, (to_tolerance, Events::Located), &registry).unwrap().unwrap();
        let Value::List(items) = &methods.node.value else { panic!("a list") };
        let name = |item: &Node| item.text().map_or_else(|| item.entries()[0].key.name.clone(), str::to_owned);
        items.iter().map(name).collect()
    }

    #[test]
    fn methods_stand_on_their_sides_and_suit() {
        let registry = Registry::builtin();
        let [to_tolerance, with_steps] = [true, false].map(|side| names("method: every", "slider-crank", side));
        let on_both: Vec<_> = to_tolerance.iter().filter(|name| with_steps.contains(name)).collect();
        assert_eq!(on_both, ["hht-i3", "generalized-alpha"], "published with constant steps, and controlled");
        for name in ["dopri5", "dop853-projected", "radau5"] {
            assert!(to_tolerance.iter().any(|known| known == name), "{name}");
        }
        for name in ["rk4", "newmark", "esdirk436l2sa2"] {
            assert!(with_steps.iter().any(|known| known == name), "{name}");
        }
        // Contact powers are no part of that model.
        let all = to_tolerance.len() + with_steps.len() - on_both.len();
        assert!(all < registry.methods().len() && !with_steps.contains(&"stormer-verlet".to_owned()));
        assert!(!names("method: every", "pendulum", false).contains(&"newmark".to_owned()), "it has no constraints");
        let controlled = names("method: { every: { controlled: true } }", "slider-crank", false);
        assert_eq!(controlled.len(), all, "both sides");
    }

    #[test]
    fn parameters_may_be_those_of_one_method() {
        let written = |with: &str| {
            let registry = Registry::builtin();
            let models =
                [registry.models().iter().find(|entry| entry.name() == "slider-crank").unwrap().default_choice()];
            let text = format!("method: {{ every: {{ families: [sundials], with: {with} }} }}");
            let document = Document::parse(Path::new("methods.yaml"), text.as_bytes()).unwrap();
            let node =
                Methods::read(document.root.get("method").unwrap(), &models, (true, Events::Located), &registry)?
                    .unwrap()
                    .node;
            let Value::List(items) = &node.value else { panic!("a list") };
            let orders = items.iter().map(|item| {
                let Entry { key, value } = &item.entries()[0];
                (key.name.clone(), value.get("max-order").map(|order| read::<u32>(order).unwrap()))
            });
            Ok::<_, Problem>(orders.collect::<Vec<_>>())
        };
        let own = |orders: [Option<u32>; 3]| {
            ["cvode-bdf", "cvode-adams", "ida"].map(str::to_owned).into_iter().zip(orders).collect::<Vec<_>>()
        };
        assert_eq!(written("{ ida: { max-order: 2 } }").unwrap(), own([None, None, Some(2)]));
        assert_eq!(written("{ max-order: 3, ida: { max-order: 2 } }").unwrap(), own([Some(3), Some(3), Some(2)]));
        assert!(written("{ ida: { order: 2 } }").is_err(), "it has no such parameter");
        assert!(written("{ radau5: { newton-tolerance: 1 } }").is_err(), "it is of another family");
    }

    #[test]
    fn others_may_stand_beside_it_and_exceptions_are_left_out() {
        let found = names(
            "method: [{ llm: { label: own } }, { every: { families: [low-order], except: { newmark: why } } }]",
            "slider-crank",
            false,
        );
        assert_eq!(found[0], "llm");
        assert!(found.len() > 4 && !found.contains(&"newmark".to_owned()) && !found.contains(&"rk4".to_owned()));
    }
}
