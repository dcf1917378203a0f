//! A set-up that satisfies everything at once, as an experiment file.

use std::fmt::Write as _;

use mbsbench_experiment::Plan;
use mbsbench_input::{Entry, Key, Node, Value};
use mbsbench_judge::reconstruction::Witness;
use mbsbench_numbers::short;

/// Keys that a witness does not copy from its experiment: output, search settings, and data stored beside the file.
const LEFT_OUT: [&str; 12] = [
    "id",
    "tables",
    "plots",
    "drawings",
    "animations",
    "rankings",
    "timing",
    "undetermined",
    "given",
    "study",
    "quick",
    "reproduces",
];

/// The text of `witness.yaml`, which is an input of `mbsbench run`.
pub fn text(plan: &Plan, witness: &Witness) -> String {
    let id = &plan.experiment.id;
    let mut text = format!("# {}\n# Written by `mbsbench reconstruct {id}`.\n", summary(witness));
    for (given, measured, miss) in &witness.givens {
        let measured = measured.map_or_else(|| "no number".to_owned(), short);
        let said = if *miss == 0.0 { "met".to_owned() } else { format!("{} tolerances off", short(*miss)) };
        let _ = writeln!(text, "# given {given}: {measured}, {said}");
    }
    for (sentence, verdict) in &witness.sentences {
        let _ = writeln!(text, "# {sentence}: {verdict}");
    }
    let root = LEFT_OUT.iter().fold(plan.experiment.document.root.clone(), |root, key| root.without(key));
    let place = root.place;
    let own = plan.experiment.set.iter().filter(|(own, _)| witness.values.iter().all(|(key, _)| key != own));
    let entry = |(key, value): &(Key, Node)| Entry { key: key.clone(), value: value.clone() };
    let set = Node::new(Value::Map(witness.values.iter().chain(own).map(entry).collect()), place);
    let root = root.without("set").with(&[Key { name: "set".to_owned(), place }], &set);
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let _ = writeln!(text, "id: {id}-witness");
    for Entry { key, value } in root.entries() {
        let value = if key.name == "reference" { value.without("stored") } else { value.clone() };
        let item = |item: &Node| format!("\n  - {}", item.flow(quoted));
        let entry = |entry: &Entry| format!("\n  {}: {}", entry.key.name, entry.value.flow(quoted));
        let content: String = match &value.value {
            Value::List(items) if items.len() > 1 => items.iter().map(item).collect(),
            Value::Map(entries) if key.name == "set" => entries.iter().map(entry).collect(),
            _ => format!(" {}", value.flow(quoted)),
        };
        let _ = writeln!(text, "{}:{content}", key.name);
    }
    text
}

/// Summarises a witness in a sentence.
pub fn summary(witness: &Witness) -> String {
    let misses = witness.givens.iter().filter(|(.., miss)| *miss > 0.0).count();
    let (givens, sentences) = (witness.givens.len(), witness.sentences.len());
    let holding = witness.sentences.iter().filter(|(_, verdict)| verdict.name() == "reproduced").count();
    let all_givens = all(givens, "given");
    match (witness.is_attained(), misses) {
        (true, _) if sentences == 0 => {
            format!("{all_givens} hold{} in this set-up.", if givens == 1 { "s" } else { "" })
        }
        (true, _) => {
            format!("{all_givens} and {} hold together in this set-up.", all(sentences, "sentence").to_lowercase())
        }
        (false, 0) => {
            format!("{all_givens} and {holding} of {sentences} sentences hold in this set-up, the best one found.")
        }
        _ => format!("No set-up was found that meets all givens; this one, the nearest, misses {misses} of {givens}."),
    }
}

/// `The given` or `All 3 givens`.
fn all(count: usize, noun: &str) -> String {
    if count == 1 { format!("The {noun}") } else { format!("All {count} {noun}s") }
}
