//! A statement of a paper, in a sentence, table or figure, with the checks that test it.

use mbsbench_input::{Node, Place, Problem, refuse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Check, Outcome, Reason, Role, Verdict};

/// A sentence, a table, or the content of a figure.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Name, unique within the paper.
    pub id: String,
    /// The place in the paper.
    pub place: String,
    /// The statement, in our own words.
    pub says: String,
    /// The share of its deciding checks, and of the set-ups that agree with the paper, in which it has to hold.
    #[serde(default)]
    pub holds: Holds,
    /// The accepted outcome; any other fails `verify`. Defaults to `reproduced`, or to `open` if nothing can be tested.
    expected: Option<Verdict>,
    /// The explanation of the accepted outcome.
    #[serde(default)]
    pub because: String,
    /// Its tests.
    #[serde(skip)]
    pub checks: Vec<Check>,
    /// The place of its id in the ledger.
    #[serde(skip)]
    pub(super) place_of_id: Place,
}

/// The share of checks and set-ups in which a statement has to hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// All checks, and at least 95 % of the set-ups that agree with the paper.
    #[default]
    All,
    /// More than half of the checks, and of the set-ups.
    Most,
    /// At least one check, and one set-up.
    Some,
}

impl Statement {
    /// Reports an empty statement, a statement that no check decides, and an expectation without explanation.
    pub(super) fn check(&self, node: &Node) -> Result<(), Problem> {
        for (key, text) in [("place", &self.place), ("says", &self.says)] {
            if text.trim().is_empty() {
                return refuse(node.place_of(key), format!("`{key}` is empty"), "accepted: a text");
            }
        }
        if !self.checks.iter().any(Check::is_carrying) {
            let message = format!("no check decides the statement `{}`", self.id);
            let accepted = "remove `role: also` from the check that tests the sentence";
            return refuse(node.place_of("checks"), message, accepted);
        }
        if self.expected() != self.natural() && self.because.trim().is_empty() {
            let message = format!("`expected: {}` needs an explanation", self.expected().name());
            return refuse(node.place_of("expected"), message, "add `because:`");
        }
        Ok(())
    }

    /// The outcome that is expected without an explanation.
    fn natural(&self) -> Verdict {
        let mut carrying = self.checks.iter().filter(|check| check.is_carrying());
        if carrying.all(|check| !check.kind.is_testable()) { Verdict::Open } else { Verdict::Reproduced }
    }

    /// The accepted outcome.
    pub fn expected(&self) -> Verdict {
        self.expected.unwrap_or_else(|| self.natural())
    }

    /// Returns the outcome of the statement if its checks have these outcomes, in their order.
    pub fn outcome(&self, checks: &[Outcome]) -> Outcome {
        let with = |roles: &[Option<Role>]| -> Vec<&Outcome> {
            let pairs = self.checks.iter().zip(checks);
            pairs.filter(|(check, _)| roles.contains(&check.role)).map(|(_, outcome)| outcome).collect()
        };
        let (sizes, directions) = (with(&[Some(Role::Size)]), with(&[None, Some(Role::Direction)]));
        if directions.is_empty() {
            return self.holds.outcome(&sizes);
        }
        let direction = self.holds.outcome(&directions);
        if sizes.is_empty() || direction != Outcome::Reproduced {
            return direction;
        }
        match self.holds.outcome(&sizes) {
            Outcome::NotReproduced => Outcome::Partly,
            outcome => outcome,
        }
    }
}

impl Holds {
    /// The requirement in words; empty for `all`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Most => "more than half must hold",
            Self::Some => "at least one must hold",
        }
    }

    /// Returns the outcome of a statement whose deciding checks have these outcomes.
    pub fn outcome(self, checks: &[&Outcome]) -> Outcome {
        let of = |wanted: Verdict| checks.iter().filter(|outcome| outcome.verdict() == wanted).count();
        let first = |wanted: Verdict| checks.iter().find(|outcome| outcome.verdict() == wanted).map(|&o| o.clone());
        let [reproduced, partly, open] = [Verdict::Reproduced, Verdict::Partly, Verdict::Open].map(of);
        let is_majority = |count: usize| 2 * count > checks.len();
        let decided = match self {
            Self::All => first(Verdict::NotReproduced).or(first(Verdict::Open)).or(first(Verdict::Partly)),
            Self::Most if is_majority(reproduced) => None,
            Self::Most if is_majority(reproduced + open) => first(Verdict::Open),
            Self::Most if is_majority(reproduced + open + partly) => first(Verdict::Open).or(Some(Outcome::Partly)),
            Self::Most => Some(Outcome::NotReproduced),
            Self::Some if reproduced > 0 => None,
            Self::Some => first(Verdict::Open).or(first(Verdict::Partly)).or(Some(Outcome::NotReproduced)),
        };
        let nothing = || Outcome::Open(Reason::NotTestable(String::new()));
        if checks.is_empty() { nothing() } else { decided.unwrap_or(Outcome::Reproduced) }
    }
}

#[cfg(test)]
mod tests {
    use super::Holds::{All, Most, Some};
    use super::Outcome::{NotReproduced, Partly, Reproduced};
    use super::*;

    #[test]
    fn outcomes_of_statements_follow_from_their_checks() {
        let open = || Outcome::Open(Reason::Timing);
        for (holds, checks, outcome) in [
            (All, vec![Reproduced, Reproduced], Reproduced),
            (All, vec![Reproduced, Partly], Partly),
            (All, vec![Partly, open()], open()),
            (All, vec![open(), NotReproduced, Partly], NotReproduced),
            (Most, vec![Reproduced, Reproduced, NotReproduced], Reproduced),
            (Most, vec![Reproduced, NotReproduced], NotReproduced),
            (Most, vec![Reproduced, Reproduced, open(), NotReproduced], open()),
            (Most, vec![Reproduced, Partly, NotReproduced], Partly),
            (Most, vec![open(), NotReproduced, NotReproduced], NotReproduced),
            (Some, vec![NotReproduced, open(), Reproduced], Reproduced),
            (Some, vec![NotReproduced, open()], open()),
            (Some, vec![NotReproduced, Partly], Partly),
            (Some, vec![NotReproduced, NotReproduced], NotReproduced),
        ] {
            assert_eq!(holds.outcome(&checks.iter().collect::<Vec<_>>()), outcome, "{holds:?} of {checks:?}");
        }
    }
}
