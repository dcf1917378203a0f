//! From what a test says to the verdict of its check: what the paper leaves out may turn it.

use std::collections::HashMap;

use mbsbench_experiment::Mark;
use mbsbench_experiment::plan::Plan;
use mbsbench_numbers::percent;

use super::check::Check;
use super::grounds::Ground;
use super::{Judgement, Verdict};
use crate::robustness::wilson;

/// The share of samples that has to have a verdict for it to stand, with the confidence of Wilson's interval.
const FIRM: f64 = 0.9;
/// Fewer samples than this cannot have such an interval, whatever they say.
const FEWEST: usize = 35;

/// How many samples of a study have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Samples at which the test holds.
    pub reproduced: usize,
    /// Samples at which its direction holds.
    pub partly: usize,
    /// Samples at which it does not hold.
    pub contradicted: usize,
    /// Samples at which nothing can be said.
    pub open: usize,
}

impl Counts {
    /// Adds a sample.
    pub fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Reproduced => &mut self.reproduced,
            Verdict::Partly => &mut self.partly,
            Verdict::Contradicted => &mut self.contradicted,
            Verdict::Depends | Verdict::Inconclusive | Verdict::Untestable => &mut self.open,
        } += 1;
    }

    /// Samples with a verdict; zero for those that no sample is counted under.
    #[must_use]
    pub fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Reproduced => self.reproduced,
            Verdict::Partly => self.partly,
            Verdict::Contradicted => self.contradicted,
            Verdict::Depends | Verdict::Inconclusive | Verdict::Untestable => 0,
        }
    }

    /// Samples at which something can be said.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.reproduced + self.partly + self.contradicted
    }
}

/// What a study found of a check.
#[derive(Debug, Clone)]
pub struct Studied<'p> {
    /// The plan whose undetermined parameters were varied.
    pub plan: &'p Plan,
    /// Its samples.
    pub counts: Counts,
    /// Other readings with the verdict of the test there.
    pub readings: Vec<(String, Verdict)>,
    /// What decides, in words; empty where nothing is found to.
    pub decided: String,
}

/// What studies found, by the ids of checks.
pub type Studies<'p> = HashMap<String, Vec<Studied<'p>>>;

/// How far a verdict holds over what the paper leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Samples with the verdict of the nominal numbers.
    pub same: usize,
    /// Samples at which something can be said.
    pub samples: usize,
    /// Samples at which nothing can be said.
    pub open: usize,
    /// Interval of the share, of 95 % confidence.
    pub interval: [f64; 2],
    /// Readings that were gone through.
    pub readings: usize,
    /// Readings that turn the verdict, with what it is there.
    pub turned: Vec<(String, Verdict)>,
    /// What decides, in words; empty where nothing is found to.
    pub decided: String,
}

/// What a check stands among.
#[derive(Debug, Clone, Copy, Default)]
pub struct Company {
    /// Whether its statement is a finding of ours, which speaks of what we ran.
    pub is_finding: bool,
    /// Whether its statement has checks that do not rest on times, which carry the verdict.
    pub has_counts: bool,
}

impl Company {
    /// Whether the check need not hold over what is not printed: a finding speaks of our set-up, and times are taken of no other.
    fn is_about_this_set_up(self, check: &Check) -> bool {
        self.is_finding || (self.has_counts && check.kind.is_of_time())
    }
}

/// The verdict of a check, and why it is that of its test or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The verdict.
    pub verdict: Verdict,
    /// The weakest mark of the parameters of its runs; none where it rests on no run.
    pub rests_on: Option<Mark>,
    /// Parameters that have this mark.
    pub weakest: Vec<String>,
    /// How far it holds over what is not printed; none where no study was made.
    pub share: Option<Share>,
    /// On what the verdict depends, or why there is none; empty where it is that of the test.
    pub reason: String,
    /// Whether too few samples are what it depends on.
    pub is_undersampled: bool,
}

impl Standing {
    /// Of a check with what its test says, what its runs rest on, and what studies found.
    #[must_use]
    pub fn new(
        check: &Check,
        judgement: &Judgement,
        ground: Option<Ground>,
        studied: &[Studied<'_>],
        company: Company,
    ) -> Self {
        let share = Share::of(judgement.verdict, studied);
        let ground = ground.map(|ground| independent(ground, check, share.as_ref(), studied));
        let rests_on = ground.as_ref().map(|(ground, _)| ground.mark());
        let weakest = ground.as_ref().map_or_else(Vec::new, |(ground, _)| {
            let mark = ground.mark();
            let weakest = ground.parameters.iter().filter(|(_, own)| **own == mark && mark != Mark::Printed);
            weakest.map(|(path, _)| path.clone()).collect()
        });
        let mut standing = Self {
            verdict: judgement.verdict,
            rests_on,
            weakest,
            share,
            reason: String::new(),
            is_undersampled: false,
        };
        let is_open = matches!(judgement.verdict, Verdict::Inconclusive | Verdict::Untestable);
        let Some((ground, claimed)) = ground.filter(|_| !is_open) else { return standing };
        if ground.mark() == Mark::StandIn && !company.is_finding {
            standing.verdict = Verdict::Untestable;
            standing.reason =
                format!("the problem's definition is not public; on the stand-in the test is {}", judgement.verdict);
        } else if let Some((reason, is_undersampled)) =
            standing.turns(&ground, &claimed, studied, company.is_about_this_set_up(check))
        {
            standing.verdict = Verdict::Depends;
            standing.reason = reason;
            standing.is_undersampled = is_undersampled;
        }
        standing
    }

    /// On what a verdict depends, and whether it is too few samples; none where it stands.
    fn turns(
        &self,
        ground: &Ground,
        claimed: &[String],
        studied: &[Studied<'_>],
        is_about_this_set_up: bool,
    ) -> Option<(String, bool)> {
        if let Some(path) = claimed.first() {
            return Some((format!("no study shows that it is independent of {path}"), false));
        }
        if let Some((reading, verdict)) = self.share.iter().flat_map(|share| &share.turned).next() {
            return Some((format!("{verdict} where {reading}"), false));
        }
        if !ground.mark().is_ours() && ground.mark() != Mark::StandIn {
            return None;
        }
        let ours = || ground.parameters.iter().filter(|(_, mark)| mark.is_ours()).map(|(path, _)| path.as_str());
        let free: Vec<&str> = ours().filter(|path| !is_varied(path, studied)).collect();
        if !free.is_empty() && !is_about_this_set_up {
            return Some((format!("one choice of {}", listed(&free)), false));
        }
        let share = self.share.as_ref()?;
        let is_sampled = studied.iter().any(|study| study.plan.experiment.sampled().next().is_some());
        let Share { same, samples, interval: [low, high], .. } = *share;
        if is_sampled && samples < FEWEST {
            return Some((format!("{samples} samples are too few"), true));
        }
        (is_sampled && low <= FIRM).then(|| {
            let decided = if share.decided.is_empty() { String::new() } else { format!("; {}", share.decided) };
            let part = percent(same as f64 / samples as f64);
            let text = format!("{part} of {samples} samples ({} to {}){decided}", percent(low), percent(high));
            (format!("{} in {text}", self.verdict), false)
        })
    }
}

impl Share {
    /// Over all studies of a check: of several the one with the smallest share.
    fn of(verdict: Verdict, studied: &[Studied<'_>]) -> Option<Self> {
        let shares = studied.iter().map(|study| {
            let (same, samples) = (study.counts.of(verdict), study.counts.judged());
            let turned: Vec<(String, Verdict)> =
                study.readings.iter().filter(|(_, there)| *there != verdict).cloned().collect();
            Self {
                same,
                samples,
                open: study.counts.open,
                interval: wilson(same, samples),
                readings: study.readings.len(),
                turned,
                decided: study.decided.clone(),
            }
        });
        shares.reduce(|a, b| {
            let readings = a.readings + b.readings;
            let turned = a.turned.iter().chain(&b.turned).cloned().collect();
            // A study without samples says nothing of shares.
            let is_first = b.samples == 0 || (a.samples > 0 && a.interval[0] <= b.interval[0]);
            Self { readings, turned, ..if is_first { a } else { b } }
        })
    }
}

/// Takes out of a ground what a check says that it does not hang on, where studies show it; what they do not show is returned.
fn independent(
    mut ground: Ground,
    check: &Check,
    share: Option<&Share>,
    studied: &[Studied<'_>],
) -> (Ground, Vec<String>) {
    let mut claimed = Vec::new();
    for path in &check.independent_of {
        let is_firm = share.is_some_and(|share| {
            let is_sampled = share.samples > 0;
            share.turned.is_empty() && (!is_sampled || (share.interval[0] > FIRM && share.samples >= FEWEST))
        });
        if is_firm && is_varied(path, studied) {
            ground.parameters.retain(|own, _| !mbsbench_experiment::undetermined::lies_below(own, path));
        } else {
            claimed.push(path.clone());
        }
    }
    (ground, claimed)
}

fn is_varied(path: &str, studied: &[Studied<'_>]) -> bool {
    let undetermined = studied.iter().flat_map(|study| &study.plan.experiment.undetermined);
    undetermined.into_iter().any(|(key, varied)| {
        // A study of what lies below a path is one of the path.
        varied.covers(&key.name, path) || mbsbench_experiment::undetermined::lies_below(&key.name, path)
    })
}

/// Some names in a sentence.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 3;
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        few if few.len() <= MOST => format!("{} and {}", few[..few.len() - 1].join(", "), few[few.len() - 1]),
        many => format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST),
    }
}
