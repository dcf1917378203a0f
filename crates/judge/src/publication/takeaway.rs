//! What a reader should remember of a paper: texts that are valid only as long as the verdicts and numbers that they
//! are written from.

use std::collections::BTreeMap;

use mbsbench_experiment::plan::Plan;
use mbsbench_input::{BadInput, Document, Problem};
use mbsbench_numbers::short;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Publication;
use super::numbers::{Source, decimal, numbers};
use crate::claims::{Judged, Ledger, Verdict};

/// A text with the verdicts and numbers that it is written from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Takeaway {
    /// The text.
    pub says: String,
    /// The statements that it speaks of, each with the verdict that it takes for granted.
    pub verdicts: BTreeMap<String, Verdict>,
    /// Each number of the text, spelled as there, with the result that it comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, Source>,
    /// The figure or table that shows it: `shaft-convergence/figure-25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
}

impl Publication {
    /// All texts: the result, then the highlights.
    pub fn takeaways(&self) -> impl Iterator<Item = &Takeaway> {
        self.result.iter().chain(&self.highlights)
    }

    /// The numbers of texts that results do not bear out, a line for each. Numbers that this machine cannot have are left
    /// out.
    #[must_use]
    pub fn stale(&self, judged: &[Judged]) -> Vec<String> {
        let numbers = self.takeaways().flat_map(|takeaway| &takeaway.numbers);
        let numbers = numbers.filter(|(_, source)| !source.is_excused(judged));
        let said = numbers.filter_map(|(written, source)| {
            let value = source.value(judged);
            let holds = value.zip(decimal(written)).is_some_and(|(value, written)| written.rounds_from(value));
            let found = value
                .map_or_else(|| "the results do not have it".to_owned(), |value| format!("it is {}", short(value)));
            (!holds).then(|| format!("the text has {written} for {source}, and {found}"))
        });
        said.collect()
    }

    /// Checks the texts against the verdicts that a ledger stands by, and the figures that they name against the
    /// experiments.
    ///
    /// # Errors
    /// Unknown statements, checks and figures, a text that is written from another verdict than that of its statement,
    /// and numbers of a text without a source.
    pub fn agrees(&self, document: &Document, ledger: Option<&Ledger>, plans: &[&Plan]) -> Result<(), BadInput> {
        let root = &document.root;
        let mut problems = Vec::new();
        let result = self.result.iter().map(|one| ("result".to_owned(), one));
        let highlights = self.highlights.iter().enumerate().map(|(k, one)| (format!("highlights.{k}"), one));
        for (path, takeaway) in result.chain(highlights) {
            let place = |key: &str| root.place_of(&format!("{path}.{key}"));
            if takeaway.says.trim().is_empty() {
                problems.push(Problem::new(place("says"), "nothing stands here").help("accepted: text"));
            }
            if takeaway.verdicts.is_empty() {
                let help = "accepted: statements of the ledger, each with its verdict";
                problems.push(Problem::new(place("verdicts"), "a text that rests on no verdict").help(help));
            }
            let statements = || ledger.into_iter().flat_map(|ledger| ledger.statements.iter().chain(&ledger.findings));
            for (id, &written) in &takeaway.verdicts {
                let Some(statement) = statements().find(|statement| statement.id == *id) else {
                    let known = statements().map(|statement| statement.id.as_str()).collect::<Vec<_>>();
                    problems.push(Problem::unknown(place("verdicts"), "statement", id, known));
                    continue;
                };
                if statement.expected != written {
                    let message =
                        format!("`{id}` is {} by now, and this text was written for {written}", statement.expected);
                    problems.push(Problem::new(place("verdicts"), message).help("read `says` again, and rewrite it"));
                }
            }
            let named = numbers(&takeaway.says);
            for number in named.iter().filter(|&&number| !takeaway.numbers.contains_key(number)) {
                let message = format!("`{number}` has no source");
                let help = "add it to `numbers`: `{ \"17\": { measured: CHECK } }`, or `published`, `share`, `checks`, \
                            `reproduced`";
                problems.push(Problem::new(place("says"), message).help(help));
            }
            for (number, source) in &takeaway.numbers {
                if !named.contains(&number.as_str()) {
                    let message = format!("the text does not have the number `{number}`");
                    problems
                        .push(Problem::new(place("numbers"), message).help("remove it, or spell it as the text does"));
                }
                for id in source.statements().iter().filter(|id| statements().all(|statement| statement.id != **id)) {
                    let known = statements().map(|statement| statement.id.as_str());
                    problems.push(Problem::unknown(place("numbers"), "statement", id, known));
                }
                let checks = || statements().flat_map(|statement| &statement.checks);
                match source.check().map(|id| (id, checks().find(|check| check.id == id))) {
                    Some((id, None)) => {
                        let known = checks().map(|check| check.id.as_str());
                        problems.push(Problem::unknown(place("numbers"), "check", id, known));
                    }
                    Some((id, Some(check))) if check.kind.is_of_time() => {
                        let message = format!("`{id}` is a time, which another machine does not have");
                        problems.push(Problem::new(place("numbers"), message).help("name a check on counts or errors"));
                    }
                    _ => {}
                }
            }
            if let Some(shows) = &takeaway.shows {
                let known: Vec<String> = plans.iter().flat_map(|plan| artefacts(plan)).collect();
                if !known.contains(shows) {
                    problems.push(Problem::unknown(
                        place("shows"),
                        "figure or table",
                        shows,
                        known.iter().map(String::as_str),
                    ));
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(document.bad(problems)) }
    }
}

/// The figures and tables of an experiment as they are called within its paper.
fn artefacts(plan: &Plan) -> impl Iterator<Item = String> {
    let experiment = &plan.experiment;
    let own = experiment.id.strip_prefix(&format!("{}/", experiment.paper)).unwrap_or(&experiment.id);
    let tables = experiment.tables.iter().map(|table| &table.value.id);
    let figures = experiment.plots.iter().map(|plot| &plot.value.id);
    let drawings = experiment.drawings.iter().map(|drawing| &drawing.value.id);
    tables.chain(figures).chain(drawings).map(move |id| format!("{own}/{id}"))
}
