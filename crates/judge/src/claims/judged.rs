//! Judged statements: what tests say, what their runs rest on, and what studies found make outcomes.

use std::collections::BTreeMap;

use mbsbench_experiment::undetermined::lies_below;
use mbsbench_experiment::{Mark, Plan, Varies};
use mbsbench_numbers::short;
use rayon::prelude::*;

use super::{
    Check, Evidence, Ground, Grounds, Holds, Judgement, Ledger, Outcome, Reason, Share, Statement, Studies, Test,
    Verdict,
};

/// A check with what its test says, its outcome, and what that rests on.
#[derive(Debug, Clone)]
pub struct JudgedCheck {
    /// The check.
    pub check: Check,
    /// What its test says.
    pub judgement: Judgement,
    /// Its outcome.
    pub outcome: Outcome,
    /// The weakest mark of the parameters of its runs; none where it rests on no run.
    pub rests_on: Option<Mark>,
    /// The parameters that are ours, each with its mark.
    pub ours: Vec<(String, Mark)>,
    /// How far it holds over what is not printed; none where no study was made.
    pub share: Option<Share>,
}

/// A statement with its outcome.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The statement.
    pub statement: Statement,
    /// Whether it is a finding of ours and not the paper's.
    pub is_finding: bool,
    /// Its checks.
    pub checks: Vec<JudgedCheck>,
    /// Its outcome.
    pub outcome: Outcome,
}

impl JudgedCheck {
    /// A check with what its test says, what its runs rest on, and what studies found. A finding of ours speaks of what we ran.
    fn new(
        check: &Check,
        judgement: Judgement,
        ground: Option<Ground>,
        studied: &[(&Plan, Share)],
        (is_finding, holds): (bool, Holds),
    ) -> Self {
        let share = Share::of(judgement.verdict, studied);
        let ground = ground.map(|ground| without_tried_readings(ground, share.as_ref(), studied));
        let weakest = |ground: &Ground| ground.values().copied().max().unwrap_or(Mark::Printed);
        let rests_on = ground.as_ref().map(weakest);
        let outcome = if check.is_size() && rests_on == Some(Mark::StandIn) && !is_finding {
            Outcome::Open(Reason::NotPublic("the definition of the problem".to_owned()))
        } else {
            match &share {
                Some(share) if share.is_conditioned => share.outcome(holds),
                Some(share) => share.over_readings(&judgement, holds),
                None => judgement.outcome(),
            }
        };
        let ours = ground.into_iter().flatten().filter(|(_, mark)| *mark > Mark::Authors).collect();
        Self { check: check.clone(), judgement, outcome, rests_on, ours, share }
    }

    /// The outcome without its reason.
    pub fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// Whether the verdict differs from the expected one, if the check has one. A check that cannot be tested on this
    /// machine does not differ.
    pub fn differs(&self) -> bool {
        !self.judgement.excused && self.check.expected.is_some_and(|expected| expected != self.verdict())
    }

    /// What is required: the published number with its tolerance, or the bound.
    pub fn required(&self) -> String {
        match self.check.kind.test() {
            Some(test @ Test::Near { .. }) => {
                format!("{} {test}", self.check.kind.published().unwrap_or_default())
            }
            Some(bound) => bound.to_string(),
            None => String::new(),
        }
    }

    /// What was measured, in one line.
    pub fn measured(&self) -> String {
        let Judgement { measured, details, .. } = &self.judgement;
        match measured {
            Some(number) => short(*number),
            None if details.is_empty() => String::new(),
            None => {
                let holding = details.iter().filter(|detail| detail.holds).count();
                format!("{holding} of {} hold", details.len())
            }
        }
    }

    /// What is to be said of its outcome: what its test notes, and what we say.
    pub fn note(&self) -> String {
        let parts = [self.judgement.note.as_str(), self.check.because.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
    }
}

impl Judged {
    fn new(statement: &Statement, is_finding: bool, checks: Vec<JudgedCheck>) -> Self {
        Self { outcome: outcome_of(statement, &checks, None), statement: statement.clone(), is_finding, checks }
    }

    /// The outcome without its reason.
    pub fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// Whether its verdict, or that of a check, differs from the expected one.
    pub fn differs(&self) -> bool {
        (self.verdict() != self.statement.expected() && !self.is_excused())
            || self.checks.iter().any(JudgedCheck::differs)
    }

    /// Whether it differs from what is expected by more than times, which are those of one machine.
    pub fn is_surprise(&self) -> bool {
        self.differs() && !self.differs_by_times()
    }

    /// Whether it differs from what is expected, and other times would make it as expected.
    pub fn differs_by_times(&self) -> bool {
        let expected = self.statement.expected();
        let any_times =
            || [Outcome::Reproduced, Outcome::Partly, Outcome::NotReproduced, Outcome::Open(Reason::Timing)];
        let could_be = || {
            let of = |times| outcome_of(&self.statement, &self.checks, Some(&times)).verdict();
            any_times().into_iter().any(|times| of(times) == expected)
        };
        self.differs()
            && self.checks.iter().all(|check| !check.differs() || check.check.kind.is_of_time())
            && (self.verdict() == expected || self.is_excused() || could_be())
    }

    /// Whether a carrying check on anything but times cannot be tested on this machine.
    fn is_excused(&self) -> bool {
        self.carrying().any(|check| check.judgement.excused && !check.check.kind.is_of_time())
    }

    /// The checks that decide its outcome.
    pub fn carrying(&self) -> impl Iterator<Item = &JudgedCheck> {
        self.checks.iter().filter(|check| check.check.is_carrying())
    }

    /// The weakest mark of the checks that decide its outcome; none where these rest on no run.
    pub fn rests_on(&self) -> Option<Mark> {
        self.carrying().filter_map(|check| check.rests_on).max()
    }

    /// How many of the checks that decide it have an outcome.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.carrying().filter(|check| check.verdict() == verdict).count()
    }

    /// How many of the checks that decide it hold here, at our nominal numbers.
    pub fn holding(&self) -> usize {
        self.carrying().filter(|check| check.judgement.verdict == Verdict::Reproduced).count()
    }

    /// How its checks fare, if several decide it: `holds here in 29 of 36; in all set-ups that the paper allows in 25`.
    pub fn tally(&self) -> String {
        let all = self.carrying().count();
        let (here, firm) = (self.holding(), self.count(Verdict::Reproduced));
        match (all, here == firm) {
            (0 | 1, _) => String::new(),
            (_, true) => format!("holds in {here} of {all}"),
            (_, false) => format!("holds here in {here} of {all}; in all set-ups that the paper allows in {firm}"),
        }
    }

    /// What of the set-up behind it is ours, at most `most` parameters, each with its mark if it is more than our
    /// choice. What lies below another one is not named.
    pub fn ours(&self, most: usize) -> String {
        let all: BTreeMap<&str, Mark> =
            self.carrying().flat_map(|each| &each.ours).map(|(path, mark)| (path.as_str(), *mark)).collect();
        let is_below = |path: &str| all.keys().any(|other| *other != path && lies_below(path, other));
        let named: Vec<String> = all
            .iter()
            .filter(|(path, _)| !is_below(path))
            .map(|(path, mark)| if *mark == Mark::Chosen { (*path).to_owned() } else { format!("{path} ({mark})") })
            .collect();
        let rest = named.len().saturating_sub(most);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", named[..named.len() - rest].join(", "))
    }

    /// Why it has its outcome, in a sentence without a stop: the reason if it is open, else how its checks fare.
    pub fn why(&self) -> String {
        if let Some(reason) = self.outcome.reason() {
            return reason.words();
        }
        let tally = self.tally();
        match self.deciding() {
            Some(each) if tally.is_empty() && !each.measured().is_empty() => {
                let required = each.required();
                let required = if required.is_empty() { required } else { format!(", required {required}") };
                format!("measured {}{required}", each.measured())
            }
            _ => tally,
        }
    }

    /// The check that decides its outcome: the first carrying one that has it.
    pub fn deciding(&self) -> Option<&JudgedCheck> {
        self.carrying().find(|check| check.outcome == self.outcome).or_else(|| self.carrying().next())
    }
}

/// Takes out of a ground the choices that do not matter: all readings of them were tried, and none turns the verdict.
fn without_tried_readings(mut ground: Ground, share: Option<&Share>, studied: &[(&Plan, Share)]) -> Ground {
    if share.is_some_and(|share| share.turned().next().is_none()) {
        let undetermined = || studied.iter().flat_map(|(plan, _)| &plan.experiment.undetermined);
        let is_tried = |path: &str| {
            let mut tried = undetermined().filter(|(_, varied)| matches!(varied.varies, Varies::Readings(_)));
            tried.any(|(key, varied)| varied.covers(&key.name, path))
        };
        ground.retain(|path, mark| *mark == Mark::StandIn || !is_tried(path));
    }
    ground
}

/// The outcome of a statement with these checks; with `times`, as if each check on times had that outcome.
fn outcome_of(statement: &Statement, checks: &[JudgedCheck], times: Option<&Outcome>) -> Outcome {
    let of = |each: &JudgedCheck| times.filter(|_| each.check.kind.is_of_time()).unwrap_or(&each.outcome).clone();
    statement.outcome(&checks.iter().map(of).collect::<Vec<_>>())
}

/// Judges all statements and findings of a ledger.
pub fn judge_all(
    ledger: &Ledger,
    evidence: &Evidence<'_>,
    grounds: &Grounds<'_>,
    studies: &Studies<'_>,
) -> Vec<Judged> {
    let judged = |statement: &Statement, is_finding| {
        let checks = statement.checks.iter().map(|check| {
            let judgement = super::judge(&ledger.paper, check, evidence);
            let studied = studies.get(&check.id).map_or(&[][..], Vec::as_slice);
            let ground = grounds.of(&ledger.paper, check);
            JudgedCheck::new(check, judgement, ground, studied, (is_finding, statement.holds))
        });
        Judged::new(statement, is_finding, checks.collect())
    };
    let statements = ledger.statements.par_iter().map(|statement| judged(statement, false));
    statements.chain(ledger.findings.par_iter().map(|statement| judged(statement, true))).collect()
}
