//! The main claims of a paper, each with the statements that decide it, and errors in print.

use mbsbench_input::{BadInput, Document, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Publication;
use crate::claims::{Judged, Ledger, Outcome, Reason, Verdict};

/// A main message of a paper in one sentence, with the statements of the ledger that decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MainClaim {
    /// The sentence.
    pub says: String,
    /// Ids of the statements.
    pub statements: Vec<String>,
}

/// An error in print: a sign, a digit, a sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    /// The place in the paper.
    pub place: String,
    /// The printed text and the correct one.
    pub says: String,
}

impl MainClaim {
    /// Its statements among the judged ones, in its own order.
    pub fn judged<'j>(&'j self, judged: &'j [Judged]) -> impl Iterator<Item = &'j Judged> {
        self.statements.iter().filter_map(|id| judged.iter().find(|each| each.statement.id == *id))
    }

    /// The number of its reproduced statements: `1 of 3 statements reproduced`.
    pub fn tally(&self, judged: &[Judged]) -> String {
        let reproduced = self.judged(judged).filter(|each| each.verdict() == Verdict::Reproduced).count();
        format!("{reproduced} of {} statements reproduced", self.statements.len())
    }

    /// Its outcome. If the statements agree, it is theirs. If some are open and all others are reproduced, it is open.
    /// Otherwise it is partly reproduced.
    pub fn outcome(&self, judged: &[Judged]) -> Outcome {
        let outcomes: Vec<&Outcome> = self.judged(judged).map(|each| &each.outcome).collect();
        let decided = || outcomes.iter().map(|outcome| outcome.verdict()).filter(|&verdict| verdict != Verdict::Open);
        let is_all = |wanted: Verdict| decided().all(|verdict| verdict == wanted);
        match outcomes.iter().find(|outcome| outcome.reason().is_some()) {
            Some(&open) if is_all(Verdict::Reproduced) => open.clone(),
            None if outcomes.is_empty() => Outcome::Open(Reason::NotTestable("no statement is judged".to_owned())),
            _ if is_all(Verdict::Reproduced) => Outcome::Reproduced,
            _ if is_all(Verdict::NotReproduced) => Outcome::NotReproduced,
            _ => Outcome::Partly,
        }
    }
}

impl Publication {
    /// Checks the main claims against the ledger.
    ///
    /// # Errors
    /// Fails if a text is empty, or if the ledger does not have a statement.
    pub fn agrees(&self, document: &Document, ledger: Option<&Ledger>) -> Result<(), BadInput> {
        let root = &document.root;
        let mut problems = Vec::new();
        let known: Vec<&str> =
            ledger.iter().flat_map(|ledger| &ledger.statements).map(|statement| statement.id.as_str()).collect();
        let texts = self.claims.iter().enumerate().map(|(k, claim)| (format!("claims.{k}.says"), &claim.says));
        let errata = self.errata.iter().enumerate();
        let errata = errata.flat_map(|(k, Erratum { place, says })| {
            [(format!("errata.{k}.place"), place), (format!("errata.{k}.says"), says)]
        });
        for (path, _) in texts.chain(errata).filter(|(_, text)| text.trim().is_empty()) {
            problems.push(Problem::new(root.place_of(&path), "the text is empty").help("accepted: a text"));
        }
        for (k, claim) in self.claims.iter().enumerate() {
            let path = format!("claims.{k}.statements");
            if claim.statements.is_empty() {
                let problem = Problem::new(root.place_of(&path), "no statement is named");
                problems.push(problem.help("accepted: ids of statements of the ledger"));
            }
            for (index, id) in claim.statements.iter().enumerate().filter(|(_, id)| !known.contains(&id.as_str())) {
                let place = root.place_of(&format!("{path}.{index}"));
                problems.push(Problem::unknown(place, "statement", id, known.iter().copied()));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(document.bad(problems)) }
    }
}
