//! A statement: what a paper says in one sentence, table or figure, with the checks that test it.

use mbsbench_input::{Node, Problem};

use super::check::{Check, Kind};
use super::spec::{Holds, Role, StatementSpec};
use super::{Outcome, Reason, Verdict};

/// A sentence, a table, or what a figure shows.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Name, unique within the paper.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our own words.
    pub says: String,
    /// For how many of its checks, and of the set-ups that agree with the paper, it has to hold.
    pub holds: Holds,
    /// The outcome that we stand by.
    pub expected: Verdict,
    /// The explanation; empty where the outcome needs none.
    pub because: String,
    /// Its tests.
    pub checks: Vec<Check>,
}

impl Statement {
    pub(super) fn new(spec: StatementSpec, checks: Vec<Check>, node: &Node) -> Result<Self, Problem> {
        let StatementSpec { id, place, says, holds, expected, because } = spec;
        for (key, text) in [("place", &place), ("says", &says)] {
            if text.trim().is_empty() {
                let problem = Problem::new(node.place_of(key), format!("an empty `{key}`"));
                return Err(problem.help("accepted: a text"));
            }
        }
        let carrying = || checks.iter().filter(|check| check.is_carrying());
        if carrying().next().is_none() {
            let problem = Problem::new(node.place_of("checks"), format!("no check carries the statement `{id}`"));
            return Err(problem.help("remove `role: also` from the check that tests the sentence"));
        }
        let is_open = carrying().all(|check| matches!(check.kind, Kind::Open(_)));
        let natural = if is_open { Verdict::Open } else { Verdict::Reproduced };
        let expected = expected.unwrap_or(natural);
        let because = because.unwrap_or_default();
        if expected != natural && because.trim().is_empty() {
            let message = format!("`expected: {}` without explanation", expected.name());
            return Err(Problem::new(node.place_of("expected"), message).help("add `because:`"));
        }
        Ok(Self { id, place, says, holds, expected, because, checks })
    }

    /// The outcome of the statement if its checks have these, in their order.
    #[must_use]
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
    /// The outcome of a statement whose carrying checks have these.
    #[must_use]
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
    fn outcomes_of_statements_follow_from_those_of_their_checks() {
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
