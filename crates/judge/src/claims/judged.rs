//! Judged statements: test results, marks of parameters and findings of studies combined into outcomes.

use std::collections::BTreeMap;

use mbsbench_experiment::undetermined::lies_below;
use mbsbench_experiment::{Plan, Provenance, Varies};
use mbsbench_numbers::short;
use rayon::prelude::*;

use super::{
    Check, Evidence, Ground, Grounds, Holds, Judgement, Ledger, Outcome, Reason, Share, Statement, Studies, Test,
    Verdict,
};

/// A check with the result of its test, its outcome, and the marks behind it.
#[derive(Debug, Clone)]
pub struct JudgedCheck {
    /// The check.
    pub check: Check,
    /// The result of its test.
    pub judgement: Judgement,
    /// Its outcome.
    pub outcome: Outcome,
    /// The weakest mark of the parameters of its runs; `None` if it uses no run.
    pub rests_on: Option<Provenance>,
    /// The parameters that the paper does not print, each with its mark.
    pub ours: Vec<(String, Provenance)>,
    /// How far it holds over undetermined parameters; `None` if there is no study.
    pub share: Option<Share>,
}

/// A statement with its outcome.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The statement.
    pub statement: Statement,
    /// True for a finding of ours, false for a statement of the paper.
    pub is_finding: bool,
    /// Its checks.
    pub checks: Vec<JudgedCheck>,
    /// Its outcome.
    pub outcome: Outcome,
}

impl JudgedCheck {
    /// Combines a check with the result of its test, the marks behind its runs, and its studies. A finding describes
    /// our own runs, so a stand-in does not make it open.
    fn new(
        check: &Check,
        judgement: Judgement,
        ground: Option<Ground>,
        studied: &[(&Plan, Share)],
        (is_finding, holds): (bool, Holds),
    ) -> Self {
        let share = Share::of(judgement.verdict, studied);
        let ground = ground.map(|ground| without_tried_readings(ground, share.as_ref(), studied));
        let weakest = |ground: &Ground| ground.values().copied().max().unwrap_or(Provenance::Printed);
        let rests_on = ground.as_ref().map(weakest);
        let is_of_stand_in = check.is_size() && rests_on == Some(Provenance::StandIn) && !is_finding;
        let outcome = match &share {
            _ if is_of_stand_in => Outcome::Open(Reason::NotPublic("the definition of the problem".to_owned())),
            Some(share) if share.is_conditioned => share.outcome(holds),
            Some(share) => share.over_readings(&judgement, holds),
            None => judgement.outcome(),
        };
        let ours = ground.into_iter().flatten().filter(|(_, mark)| *mark > Provenance::Authors).collect();
        Self { check: check.clone(), judgement, outcome, rests_on, ours, share }
    }

    /// The outcome without its reason.
    pub fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// True if the check expects a verdict and has another one. A check that cannot be tested on this machine does not
    /// differ.
    pub fn differs(&self) -> bool {
        !self.judgement.excused && self.check.expected.is_some_and(|expected| expected != self.verdict())
    }

    /// Describes the requirement: the published number with its tolerance, or the bound.
    pub fn required(&self) -> String {
        let published = self.check.kind.published().unwrap_or_default();
        match self.check.kind.test() {
            Some(test @ Test::Near { .. }) => format!("{published} {test}"),
            Some(bound) => bound.to_string(),
            None => String::new(),
        }
    }

    /// Describes the measurement in one line.
    pub fn measured(&self) -> String {
        let Judgement { measured, details, .. } = &self.judgement;
        let holding = details.iter().filter(|detail| detail.holds).count();
        match measured {
            Some(number) => short(*number),
            None if details.is_empty() => String::new(),
            None => format!("{holding} of {} hold", details.len()),
        }
    }

    /// Remarks on its outcome: the note of its test, followed by `because:` of the ledger.
    pub fn note(&self) -> String {
        let parts = [self.judgement.note.as_str(), self.check.because.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
    }
}

impl Judged {
    /// The outcome without its reason.
    pub fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// True if its verdict, or the verdict of one of its checks, differs from the expected one.
    pub fn differs(&self) -> bool {
        (self.verdict() != self.statement.expected() && !self.is_excused())
            || self.checks.iter().any(JudgedCheck::differs)
    }

    /// True if it differs from the expected verdict for a reason other than wall times, which are specific to a
    /// machine.
    pub fn is_surprise(&self) -> bool {
        self.differs() && !self.differs_by_times()
    }

    /// True if it differs from the expected verdict, but would not differ with other wall times.
    pub fn differs_by_times(&self) -> bool {
        let expected = self.statement.expected();
        let could_be = || {
            let times = [Outcome::Reproduced, Outcome::Partly, Outcome::NotReproduced, Outcome::Open(Reason::Timing)];
            times.iter().any(|times| outcome_of(&self.statement, &self.checks, Some(times)).verdict() == expected)
        };
        self.differs()
            && self.checks.iter().all(|check| !check.differs() || check.check.kind.is_of_time())
            && (self.verdict() == expected || self.is_excused() || could_be())
    }

    /// True if a deciding check that does not use wall times cannot be tested on this machine.
    fn is_excused(&self) -> bool {
        self.carrying().any(|check| check.judgement.excused && !check.check.kind.is_of_time())
    }

    /// The checks that decide its outcome.
    pub fn carrying(&self) -> impl Iterator<Item = &JudgedCheck> {
        self.checks.iter().filter(|check| check.check.is_carrying())
    }

    /// The weakest mark of the checks that decide its outcome; `None` if these use no run.
    pub fn rests_on(&self) -> Option<Provenance> {
        self.carrying().filter_map(|check| check.rests_on).max()
    }

    /// The number of deciding checks with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.carrying().filter(|check| check.verdict() == verdict).count()
    }

    /// The number of deciding checks that hold at our nominal values.
    pub fn holding(&self) -> usize {
        self.carrying().filter(|check| check.judgement.verdict == Verdict::Reproduced).count()
    }

    /// Summarises its checks, if several decide it: `holds in 29 of 36, and in 25 for all set-ups that the paper
    /// allows`.
    pub fn tally(&self) -> String {
        let all = self.carrying().count();
        let (here, firm) = (self.holding(), self.count(Verdict::Reproduced));
        match (all, here == firm) {
            (0 | 1, _) => String::new(),
            (_, true) => format!("holds in {here} of {all}"),
            (_, false) => format!("holds in {here} of {all}, and in {firm} for all set-ups that the paper allows"),
        }
    }

    /// Lists at most `most` parameters behind it that the paper does not print, each with its mark unless it is merely
    /// our choice. Parameters below a listed one are omitted.
    pub fn ours(&self, most: usize) -> String {
        let all: BTreeMap<&str, Provenance> =
            self.carrying().flat_map(|each| &each.ours).map(|(path, mark)| (path.as_str(), *mark)).collect();
        let is_below = |path: &str| all.keys().any(|other| *other != path && lies_below(path, other));
        let name = |(path, mark): (&&str, &Provenance)| match mark {
            Provenance::Chosen => (*path).to_owned(),
            _ => format!("{path} ({mark})"),
        };
        let named: Vec<String> = all.iter().filter(|(path, _)| !is_below(path)).map(name).collect();
        let rest = named.len().saturating_sub(most);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", named[..named.len() - rest].join(", "))
    }

    /// Explains the outcome in a sentence without a full stop: the reason if it is open, else the results of its
    /// checks.
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

    /// The check that decides its outcome: the first deciding check with the same outcome.
    pub fn deciding(&self) -> Option<&JudgedCheck> {
        self.carrying().find(|check| check.outcome == self.outcome).or_else(|| self.carrying().next())
    }
}

/// Removes the choices that do not matter: every reading was tried and none changes the verdict.
fn without_tried_readings(mut ground: Ground, share: Option<&Share>, studied: &[(&Plan, Share)]) -> Ground {
    if share.is_some_and(|share| share.turned().next().is_none()) {
        let undetermined = || studied.iter().flat_map(|(plan, _)| &plan.experiment.undetermined);
        let is_tried = |path: &str| {
            let mut tried = undetermined().filter(|(_, varied)| matches!(varied.varies, Varies::Readings(_)));
            tried.any(|(key, varied)| varied.covers(&key.name, path))
        };
        ground.retain(|path, mark| *mark == Provenance::StandIn || !is_tried(path));
    }
    ground
}

/// Returns the outcome of a statement with these checks. With `times`, every check on wall times is assumed to have
/// that outcome.
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
        let judged = |check: &Check| {
            let judgement = super::judge(&ledger.paper, check, evidence);
            let studied = studies.get(&check.id).map_or(&[][..], Vec::as_slice);
            let ground = grounds.of(&ledger.paper, check);
            JudgedCheck::new(check, judgement, ground, studied, (is_finding, statement.holds))
        };
        let checks: Vec<JudgedCheck> = statement.checks.iter().map(judged).collect();
        Judged { outcome: outcome_of(statement, &checks, None), statement: statement.clone(), is_finding, checks }
    };
    let statements = ledger.statements.par_iter().map(|statement| judged(statement, false));
    statements.chain(ledger.findings.par_iter().map(|statement| judged(statement, true))).collect()
}
