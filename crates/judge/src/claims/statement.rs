//! A statement: what a paper says in one sentence, table or figure, with the checks that test it.

use mbsbench_input::{Node, Problem};

use super::Verdict;
use super::check::{Check, Kind};
use super::spec::{Rule, StatementSpec};

/// A sentence, a table, or what a figure shows.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Name, unique within the paper.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our own words.
    pub says: String,
    /// How its verdict follows from those of its checks.
    pub rule: Rule,
    /// The verdict that we stand by.
    pub expected: Verdict,
    /// The explanation; empty where it is the natural one.
    pub because: String,
    /// Its tests.
    pub checks: Vec<Check>,
}

impl Statement {
    pub(super) fn new(spec: StatementSpec, checks: Vec<Check>, node: &Node) -> Result<Self, Problem> {
        let StatementSpec { id, place, says, verdict, expected, because } = spec;
        for (key, text) in [("place", &place), ("says", &says)] {
            if text.trim().is_empty() {
                let problem = Problem::new(node.place_of(key), format!("an empty `{key}`"));
                return Err(problem.help("accepted: a text"));
            }
        }
        let is_untestable = checks.iter().all(|check| matches!(check.kind, Kind::Untestable(_)));
        let natural = if is_untestable { Verdict::Untestable } else { Verdict::Reproduced };
        let expected = expected.unwrap_or(natural);
        let because = because.unwrap_or_default();
        if expected != natural && because.trim().is_empty() {
            let message = format!("`expected: {expected}` without explanation");
            return Err(Problem::new(node.place_of("expected"), message).help("add `because:`"));
        }
        Ok(Self { id, place, says, rule: verdict, expected, because, checks })
    }
}

impl Rule {
    /// The verdict of a statement whose checks have these.
    #[must_use]
    pub fn verdict(self, checks: &[Verdict]) -> Verdict {
        let judged: Vec<Verdict> = checks.iter().copied().filter(|&verdict| verdict != Verdict::Untestable).collect();
        let Some(&first) = judged.first() else { return Verdict::Untestable };
        let worst = || {
            let order = [Verdict::Contradicted, Verdict::Depends, Verdict::Inconclusive, Verdict::Partly];
            order.into_iter().find(|verdict| judged.contains(verdict)).unwrap_or(Verdict::Reproduced)
        };
        let of = |wanted: Verdict| judged.iter().filter(|&&verdict| verdict == wanted).count();
        let is_majority = |count: usize| 2 * count > judged.len();
        let reproduced = of(Verdict::Reproduced);
        let with_depending = reproduced + of(Verdict::Depends);
        match self {
            Self::All => worst(),
            Self::Most if is_majority(reproduced) => Verdict::Reproduced,
            // Checks that hang on a choice, or that nobody can tell yet, could make the majority.
            Self::Most if is_majority(with_depending) => Verdict::Depends,
            Self::Most if is_majority(with_depending + of(Verdict::Inconclusive)) => Verdict::Inconclusive,
            Self::Most => worst(),
            Self::Readings if judged.iter().all(|&verdict| verdict == first) => first,
            Self::Readings => Verdict::Depends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule::{All, Most, Readings};
    use super::Verdict::{Contradicted, Depends, Inconclusive, Partly, Reproduced, Untestable};

    #[test]
    fn verdicts_of_statements_follow_from_those_of_their_checks() {
        for (rule, checks, verdict) in [
            (All, vec![Reproduced, Reproduced], Reproduced),
            (All, vec![Reproduced, Partly, Untestable], Partly),
            (All, vec![Partly, Inconclusive], Inconclusive),
            (All, vec![Depends, Inconclusive, Partly], Depends),
            (All, vec![Depends, Contradicted, Partly], Contradicted),
            (All, vec![Untestable, Untestable], Untestable),
            (Most, vec![Reproduced, Reproduced, Contradicted, Untestable], Reproduced),
            (Most, vec![Reproduced, Contradicted], Contradicted),
            (Most, vec![Reproduced, Reproduced, Depends, Contradicted], Depends),
            (Most, vec![Reproduced, Inconclusive, Contradicted], Inconclusive),
            (Most, vec![Depends, Contradicted, Contradicted], Contradicted),
            (Readings, vec![Partly, Partly, Untestable], Partly),
            (Readings, vec![Reproduced, Contradicted], Depends),
        ] {
            assert_eq!(rule.verdict(&checks), verdict, "{rule:?} of {checks:?}");
        }
    }
}
