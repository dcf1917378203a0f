//! The numbers that a paper prints about a set-up: the block `given:` of an experiment file.

use mbsbench_experiment::{Plan, Problems};
use mbsbench_input::{BadInput, Entry, Key, Node, Problem, Value, read, refuse};

use super::{Book, Check, Definitions, Reader, Tolerance};

/// A printed number that every accepted set-up has.
#[derive(Debug, Clone)]
pub struct Given {
    /// The place in the paper where it is printed.
    pub place: String,
    /// The test, with the id of the given.
    pub check: Check,
}

/// Keys of a given besides the key of its test.
const OWN: [&str; 3] = ["id", "place", "why"];

impl Given {
    /// Reads the givens of an experiment and checks them against the plans of its paper.
    ///
    /// # Errors
    /// Fails with all problems found in the block.
    pub fn all(plan: &Plan, plans: &[Plan]) -> Result<Vec<Self>, BadInput> {
        let (mut problems, mut givens) = (Problems::default(), Vec::<Self>::new());
        for node in &plan.experiment.given {
            let Some(given) = problems.keep(Self::read(node, plan, plans)) else { continue };
            if givens.iter().any(|other| other.check.id == given.check.id) {
                let message = format!("duplicate given `{}`", given.check.id);
                problems.refuse(node.place_of("id"), message, "give one of them another id");
            }
            givens.push(given);
        }
        problems.into_value(&plan.experiment.document, Some(givens))
    }

    fn read(node: &Node, plan: &Plan, plans: &[Plan]) -> Result<Self, Problem> {
        let accepted = "accepted: `{ id, place, of: { where: …, column: … }, published, tolerance, why }`";
        let required = |key: &str| {
            let missing = || Problem::new(node.place, format!("the given has no `{key}`")).help(accepted);
            node.get(key).ok_or_else(missing)
        };
        let place: String = read(required("place")?)?;
        let (id, of) = (required("id")?, required("of")?);
        let why: String = node.get("why").map(read).transpose()?.unwrap_or_default();
        let is_near = node.get("tolerance").is_some();
        let kind = match (node.get("to"), is_near) {
            (Some(_), _) => "ratio",
            (None, true) => "value",
            (None, false) => "bound",
        };
        let experiment = Node::new(Value::Text(plan.experiment.id.clone()), of.place);
        let key = |name: &str, place| Key { name: name.to_owned(), place };
        let own = Node::new(Value::Map(vec![Entry { key: key("experiment", of.place), value: experiment }]), of.place);
        let operands = ["of", "to"].iter().filter_map(|name| Some((*name, node.get(name)?)));
        let test = operands
            .fold(node.clone(), |test, (name, operand)| test.with(&[key(name, operand.place)], &own.merged(operand)));
        let test = OWN.iter().fold(test, |test, name| test.without(name));
        // A printed number keeps its digits, quoted or not.
        let test = match test.get("published").and_then(|number| Some((number.place, number.spelling()?))) {
            Some((place, text)) => test.with(&[key("published", place)], &Node::new(Value::Text(text), place)),
            None => test,
        };
        if let Some(partly) = test.entry("partly") {
            let message = "a given cannot be met partly";
            return refuse(partly.key.place, message, "accepted: one tolerance, or `below` and `above`");
        }
        let entries = [("id", id), ("why", node.get("why").unwrap_or(id)), (kind, &test)];
        let entries = entries.map(|(name, value)| Entry { key: key(name, value.place), value: value.clone() });
        let written = Node::new(Value::Map(entries.into()), node.place);
        let paper = plan.experiment.paper.as_str();
        let definitions = Definitions::new(plans);
        let reader = Reader { node: &written, plans, definitions: &definitions, paper, book: Book::Anchors };
        let check = reader.checks()?.remove(0);
        let is_printed = test.get("tolerance").map(read::<Tolerance>).transpose()? == Some(Tolerance::Printed);
        if why.trim().is_empty() && !is_printed {
            let message = format!("the given `{}` has a tolerance without a reason", check.id);
            return refuse(node.place, message, "add `why:`, or `tolerance: printed`");
        }
        if check.kind.is_of_time() {
            let message = format!("the given `{}` is a wall time", check.id);
            return refuse(of.place, message, "accepted: numbers that do not depend on the machine");
        }
        Ok(Self { place, check })
    }
}
