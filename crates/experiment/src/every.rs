//! `every:` among methods selects all registered methods that suit the model, so that a new method is compared without
//! being named.

use std::collections::BTreeMap;

use mbsbench_input::{Entry, Key, Node, Place, Problem, Value, read, refuse};
use mbsbench_problem::{Events, Formulated, Method, MethodProperties, Ode, Unsuitable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::account::{Account, Reason};
use crate::registry::{self, CONTROLS, Choice, LABEL, MethodKind, ModelKind, Registry};

/// The key that selects methods in a list of methods.
const KEY: &str = "every";

/// Every registered method that suits the model and chooses its steps as the case requires. With `tolerance`, these are
/// the methods that control their error. With a step, these are the methods that do not, and those published with
/// constant steps although they can do both (`hht-i3`, `generalized-alpha`). If the model jumps at its events, methods
/// that do not locate events are left out, unless `settings: { events: ignored }` runs them without the jumps. A method
/// from a file of coefficients (`tableau`) is included if `with` or the list beside `every` names it. A method
/// registered while the program runs is included only if the list names it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Every {
    /// Select methods of these families only; by default all families.
    pub families: Vec<String>,
    /// Parameters to set in all methods that have them, including methods from files beside `every`. Parameters under
    /// the name of a method apply to that method only. Values that a method's file sets are kept.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub with: BTreeMap<String, serde_json::Value>,
    /// Methods to leave out, each with the reason.
    pub except: BTreeMap<String, String>,
    /// With a step, also select methods that control their error, to study the formulas alone at constant steps.
    pub controlled: bool,
}

/// The methods of an axis, with `every:` expanded.
pub(super) struct Methods {
    /// The axis, each method by its name.
    pub node: Node,
    /// The methods and parameters that `every` leaves out.
    pub account: Account,
}

/// The reason for a parameter that some methods do not have.
const LACKING: &str = "do not have it";
/// The reason for a parameter that some methods set themselves.
const SAID: &str = "set it themselves";

impl Methods {
    /// Expands `every:` for the models of a case. Returns `None` if the registry has a [contender](Registry::contender)
    /// and the case has no run for it.
    ///
    /// # Errors
    /// Fails if a family or method is not registered.
    pub fn read(
        node: &Node,
        models: impl FnOnce() -> Vec<Choice<ModelKind>>,
        (to_tolerance, events): (bool, Events),
        registry: &Registry,
    ) -> Result<Option<Self>, Problem> {
        let mut methods = Self { node: node.clone(), account: Account::default() };
        let contender = registry.contender();
        let items = node.one_or_many();
        let with_of = |asked: &Node| asked.get("with").map_or_else(Vec::new, |with| with.entries().to_vec());
        let all_with: Vec<Entry> = items.iter().filter_map(asked).flat_map(|asked| with_of(&asked)).collect();
        if items.iter().all(|item| asked(item).is_none()) {
            return Ok(contender.is_none().then_some(methods));
        }
        let models: Vec<_> = models().iter().map(|model| model.object.model()).collect();
        let mut equations: Vec<_> = models.iter().map(|model| Formulated::<f64>::ode(&**model)).collect();
        let account = &mut methods.account;
        let (mut written, mut meant, mut asked_for, mut set) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let Some(asked) = asked(item) else {
                if contender.is_none() {
                    let fitted = Fitted::beside(item, &all_with, registry);
                    account.not_set(&fitted.label, &fitted.unset);
                    written.push(fitted.node);
                    set.extend(fitted.set);
                }
                continue;
            };
            let every: Every = read(&asked)?;
            every.check(&asked, registry)?;
            let with = with_of(&asked);
            let is_candidate = |method: &&registry::Entry<MethodKind>| match contender {
                Some(contender) => contender.method == method.name,
                None => !method.is_late() && (!method.is_written_out || every.with.contains_key(method.name)),
            };
            for method in registry.methods().iter().filter(is_candidate) {
                let fitted = match contender {
                    Some(contender) if method.is_written_out => {
                        Fitted::new(method, &contender.parameters, &with, registry)
                    }
                    contender => {
                        let alone = alone(method, &with, item.place);
                        let fitted = Fitted::new(method, &alone, &with, registry);
                        let own = contender.map_or(&alone, |contender| &contender.parameters);
                        Fitted { node: fitted.node.merged(own), ..fitted }
                    }
                };
                let reason = every.keeps_out(method, &fitted.node, &mut equations, (to_tolerance, events))?;
                // A method that is left out only because the model jumps still counts as having its parameters.
                if matches!(reason, None | Some(Reason::Jumps(_))) {
                    asked_for.push(method.name);
                    set.extend(fitted.set);
                }
                if let Some(reason) = reason {
                    account.leave_out(method.name, reason);
                    continue;
                }
                account.not_set(&fitted.label, &fitted.unset);
                meant.push(method.name);
                written.push(point(method, &fitted.node));
            }
        }
        account.mean(&meant);
        if contender.is_none() {
            let is_used = |key: &Key| set.contains(&key.name) || asked_for.contains(&key.name.as_str());
            if let Some(Entry { key, .. }) = all_with.iter().find(|entry| !is_used(&entry.key)) {
                let message = format!("none of the selected methods has the parameter `{}`", key.name);
                return refuse(key.place, message, "`mbsbench list methods NAME` lists the parameters of a method");
            }
        }
        if written.is_empty() && contender.is_some() {
            return Ok(None);
        }
        if written.is_empty() {
            let problem = Problem::new(node.place, "no registered method suits the model and its step control");
            return Err(problem.help(
                "`tolerance` selects methods that control their error; a step selects methods for constant steps",
            ));
        }
        methods.node = Node::new(Value::List(written), node.place);
        Ok(Some(methods))
    }
}

/// The parameters of a method, with those of `with` that it accepts.
pub(super) struct Fitted {
    /// The parameters, including the label; for a method beside `every`, the whole item.
    pub node: Node,
    /// The label of the method.
    label: String,
    /// Parameters of `with` that are set.
    set: Vec<String>,
    /// Parameters of `with` that are not set, each with the reason.
    unset: Vec<(String, &'static str)>,
}

impl Fitted {
    /// Combines a method's `own` parameters, which take precedence, with the parameters of `with` for all methods.
    pub fn new(method: &registry::Entry<MethodKind>, own: &Node, with: &[Entry], registry: &Registry) -> Self {
        let label = own.get(LABEL).and_then(Node::text).unwrap_or(method.name).to_owned();
        let mut fitted = Self { node: own.clone(), label, set: Vec::new(), unset: Vec::new() };
        let defaults = method.default_choice();
        let is_method = |name: &str| registry.methods().iter().any(|method| method.name == name);
        for Entry { key, value } in with.iter().filter(|entry| !is_method(&entry.key.name)) {
            let name = key.name.clone();
            let with_it = fitted.node.with(std::slice::from_ref(key), value);
            // The options of a method from a file are those of its kind of formula.
            if !defaults.has(&name) || method.is_written_out && !takes(method, &with_it) {
                fitted.unset.push((name, LACKING));
            } else if fitted.node.get(&name).is_some() {
                fitted.unset.extend(method.is_written_out.then_some((name.clone(), SAID)));
                fitted.set.push(name);
            } else {
                fitted.node = with_it;
                fitted.set.push(name);
            }
        }
        fitted
    }

    /// Adapts a method that a list names in addition to `every`. A method from a file gets the parameters that `every`
    /// sets in all methods.
    fn beside(item: &Node, with: &[Entry], registry: &Registry) -> Self {
        let unfitted = |label: String| Self { node: item.clone(), label, set: Vec::new(), unset: Vec::new() };
        let Some(Entry { key, value: own }) = item.named() else { return unfitted(String::new()) };
        let is_meant = |method: &&registry::Entry<MethodKind>| method.is_written_out && method.name == key.name;
        let Some(method) = registry.methods().iter().find(is_meant) else { return unfitted(key.name) };
        let fitted = Self::new(method, &own, with, registry);
        let key = Key { place: item.place, ..key };
        Self { node: Node::new(Value::Map(vec![Entry { key, value: fitted.node }]), item.place), ..fitted }
    }
}

/// True if a method accepts these parameters, apart from its label and its own step.
pub(super) fn takes(method: &registry::Entry<MethodKind>, parameters: &Node) -> bool {
    let bare = CONTROLS.iter().fold(parameters.without(LABEL), |node, key| node.without(key));
    method.choose(&bare, None).is_ok()
}

/// Returns the value of `every:` if the node selects methods; the bare name has no options.
fn asked(node: &Node) -> Option<Node> {
    node.named().filter(|entry| entry.key.name == KEY).map(|entry| entry.value)
}

/// Returns the parameters of `with` that apply to this method only.
fn alone(method: &registry::Entry<MethodKind>, with: &[Entry], place: Place) -> Node {
    let alone = with.iter().find(|entry| entry.key.name == method.name);
    Node::new(Value::Map(alone.map_or_else(Vec::new, |entry| entry.value.entries().to_vec())), place)
}

/// Returns a method under its own name, as if the file had listed it.
fn point(method: &registry::Entry<MethodKind>, parameters: &Node) -> Node {
    let place = parameters.place;
    let entry = |name: &str, value: Node| Entry { key: Key { name: name.to_owned(), place }, value };
    let label = entry(LABEL, Node::new(Value::Text(method.name.to_owned()), place));
    let label = parameters.get(LABEL).is_none().then_some(label);
    let parameters = Node::new(Value::Map(parameters.entries().iter().cloned().chain(label).collect()), place);
    Node::new(Value::Map(vec![entry(method.name, parameters)]), place)
}

impl Every {
    fn check(&self, node: &Node, registry: &Registry) -> Result<(), Problem> {
        let methods = registry.methods();
        if let Some(name) = self.except.keys().find(|name| methods.iter().all(|method| method.name != *name)) {
            let place = node.place_of(&format!("except.{name}"));
            return Err(Problem::unknown(place, "method", name, methods.iter().map(|method| method.name)));
        }
        if let Some(name) = self.families.iter().find(|name| methods.iter().all(|method| method.family != *name)) {
            let mut known: Vec<&str> = methods.iter().map(|method| method.family).collect();
            known.dedup();
            return Err(Problem::unknown(node.place_of("families"), "family", name, known));
        }
        Ok(())
    }

    /// Returns the reason for leaving out a method with these parameters, or `None` if it is selected.
    fn keeps_out(
        &self,
        method: &registry::Entry<MethodKind>,
        parameters: &Node,
        equations: &mut [Box<dyn Ode + '_>],
        (to_tolerance, events): (bool, Events),
    ) -> Result<Option<Reason>, Problem> {
        if let Some(why) = self.except.get(method.name) {
            return Ok(Some(Reason::Except(why.clone())));
        }
        if !self.families.is_empty() && self.families.iter().all(|family| family != method.family) {
            return Ok(Some(Reason::NotAskedFor("of other families".to_owned())));
        }
        let made = method.choose(&parameters.without(LABEL), None)?.object.method();
        if let Err(unsuitable) = on_all(&*made, equations, Events::Ignored) {
            return Ok(Some(Reason::NotAskedFor(format!("needing {}", unsuitable.needs))));
        }
        let MethodProperties { adapts, is_for_constant_steps, .. } = made.properties();
        let decides_so = if to_tolerance { adapts } else { self.controlled || !adapts || is_for_constant_steps };
        if !decides_so {
            let other = if to_tolerance { "with constant steps only" } else { "that control their error" };
            return Ok(Some(Reason::NotAskedFor(other.to_owned())));
        }
        Ok(on_all(&*made, equations, events).err().map(Reason::Jumps))
    }
}

/// Checks that a method applies to all of these equations.
///
/// # Errors
/// Returns the first reason for which it does not.
fn on_all(method: &dyn Method, equations: &mut [Box<dyn Ode + '_>], events: Events) -> Result<(), Unsuitable> {
    equations.iter_mut().try_for_each(|equations| method.applies_to(equations.as_mut(), events))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_input::Document;
    use std::path::Path;

    fn names(text: &str, model: &str, to_tolerance: bool) -> Vec<String> {
        let registry = Registry::builtin();
        let models = registry.models().iter().filter(|entry| entry.name == model);
        let models: Vec<_> = models.map(registry::Entry::default_choice).collect();
        let document = Document::parse(Path::new("methods.yaml"), text.as_bytes()).unwrap();
        let node = document.root.get("method").unwrap();
        let methods = Methods::read(node, || models, (to_tolerance, Events::Located), &registry).unwrap().unwrap();
        let Value::List(items) = &methods.node.value else { panic!("a list") };
        let name = |item: &Node| item.text().map_or_else(|| item.entries()[0].key.name.clone(), str::to_owned);
        items.iter().map(name).collect()
    }

    #[test]
    fn selected_methods_suit_the_model_and_step_control() {
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
        // The model has no contact powers.
        let all = to_tolerance.len() + with_steps.len() - on_both.len();
        assert!(all < registry.methods().len() && !with_steps.contains(&"stormer-verlet".to_owned()));
        assert!(
            !names("method: every", "pendulum", false).contains(&"newmark".to_owned()),
            "the model has no constraints"
        );
        let controlled = names("method: { every: { controlled: true } }", "slider-crank", false);
        assert_eq!(controlled.len(), all, "methods of both kinds");
    }

    #[test]
    fn every_sets_parameters_that_only_one_method_has() {
        let written = |with: &str| {
            let registry = Registry::builtin();
            let model = registry.models().iter().find(|entry| entry.name == "slider-crank").unwrap();
            let models = || vec![model.default_choice()];
            let text = format!("method: {{ every: {{ families: [sundials], with: {with} }} }}");
            let document = Document::parse(Path::new("methods.yaml"), text.as_bytes()).unwrap();
            let node = Methods::read(document.root.get("method").unwrap(), models, (true, Events::Located), &registry)?
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
        assert!(written("{ ida: { order: 2 } }").is_err(), "`ida` has no such parameter");
        assert!(written("{ radau5: { newton-tolerance: 1 } }").is_err(), "`radau5` belongs to another family");
    }

    #[test]
    fn omissions_are_counted_and_files_get_parameters() {
        let registry = Registry::builtin();
        let models = registry.models().iter().filter(|entry| entry.name == "slider-crank");
        let models: Vec<_> = models.map(registry::Entry::default_choice).collect();
        let read = |others: &str| {
            let text = format!(
                "method: [{{ every: {{ families: [low-order, esdirk], except: {{ newmark: why }}, \
                 with: {{ charts: moving, jacobian: kept }} }} }}, {others}]"
            );
            let document = Document::parse(Path::new("methods.yaml"), text.as_bytes()).unwrap();
            Methods::read(document.root.get("method").unwrap(), || models.clone(), (false, Events::Located), &registry)
                .unwrap()
                .unwrap()
        };
        let implicit = "tableau: { label: own, multistep: { alpha: [1], beta: [1/2, 1/2] }, jacobian: full }";
        let explicit = "tableau: { label: heun, runge-kutta: { rows: [[], [1]], weights: [1/2, 1/2] } }";
        let methods = read(&format!("{{ {implicit} }}, {{ {explicit} }}, rk4"));
        let Value::List(items) = &methods.node.value else { panic!("a list") };
        let parameter = |item: &Node, name: &str| {
            let value = item.entries().first()?.value.get(name)?;
            Some(value.text().unwrap().to_owned())
        };
        let own = &items[items.len() - 3];
        assert_eq!([parameter(own, "charts"), parameter(own, "jacobian")].map(Option::unwrap), ["moving", "full"]);
        assert_eq!([1, 2].map(|back| parameter(&items[items.len() - back], "charts")), [None, None]);
        assert!(items.iter().any(|item| parameter(item, "jacobian").is_some_and(|value| value == "kept")));
        let lines = methods.account.lines();
        let [counts, charts, kept, said] = &lines[..] else { panic!("{lines:?}") };
        assert!(counts.starts_with("`every` selects ") && counts.contains(" 1 by `except`, "), "{counts}");
        assert!(counts.contains(" of other families"), "{counts}");
        for (line, name) in [(charts, "charts"), (kept, "jacobian")] {
            assert!(
                line.starts_with(&format!("`{name}` of `every` is not set in methods that do not have it: ")),
                "{line}"
            );
            assert!(line.ends_with(", heun"), "{line}");
        }
        assert_eq!(said, "`jacobian` of `every` is not set in methods that set it themselves: own");
    }

    #[test]
    fn every_combines_with_other_methods_and_exceptions() {
        let found = names(
            "method: [{ llm: { label: own } }, { every: { families: [low-order], except: { newmark: why } } }]",
            "slider-crank",
            false,
        );
        assert_eq!(found[0], "llm");
        assert!(found.len() > 4 && !found.contains(&"newmark".to_owned()) && !found.contains(&"rk4".to_owned()));
    }
}
