//! What a reader should take away of a paper: sentences that stand only as long as the verdicts do that they are written from.

use std::collections::BTreeMap;

use mbsbench_experiment::plan::Plan;
use mbsbench_input::{BadInput, Document, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Publication;
use crate::claims::{Ledger, Verdict};

/// A text with the verdicts that it is written from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Takeaway {
    /// The text.
    pub says: String,
    /// The statements that it speaks of, each with the verdict that it takes for granted.
    pub verdicts: BTreeMap<String, Verdict>,
    /// The figure or table that shows it: `shaft-convergence/figure-25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
}

impl Publication {
    /// Everything that is to be taken away.
    pub fn takeaways(&self) -> impl Iterator<Item = &Takeaway> {
        self.result.iter().chain(&self.highlights)
    }

    /// Whether what is to be taken away agrees with the verdicts that a ledger stands by, and is shown by what its experiments draw.
    ///
    /// # Errors
    /// A statement or figure that there is not, and a text that is written from another verdict than that of its statement.
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
                    problems
                        .push(Problem::new(place("verdicts"), message).help("read `says` again, and write it anew"));
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
