//! Robustness of verdicts: the set-ups that a paper allows may disagree.

use std::collections::HashMap;

use mbsbench_experiment::Plan;
use mbsbench_numbers::percent;
use serde::{Deserialize, Serialize};

use super::{Holds, Judgement, Outcome, Reason, Verdict};
use crate::statistics::wilson;

/// The share of the accepted set-ups in which a statement about *all* cases has to hold.
const ALL: f64 = 0.95;
/// With fewer accepted set-ups than this, only statements about *some* cases are decided.
const FEWEST: usize = 20;

/// Number of set-ups or statements with each verdict, in the order of [`Verdict::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(pub [usize; 4]);

impl Counts {
    /// The verdicts that occur, the best first, with their counts.
    pub fn each(self) -> impl Iterator<Item = (Verdict, usize)> {
        Verdict::ALL.into_iter().map(move |verdict| (verdict, self.of(verdict))).filter(|(_, count)| *count > 0)
    }

    /// The number of set-ups with this verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.0[verdict as usize]
    }

    /// The number of all set-ups.
    pub fn all(&self) -> usize {
        self.0.iter().sum()
    }

    /// The number of set-ups that decide the test.
    pub fn judged(&self) -> usize {
        self.all() - self.of(Verdict::Open)
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|verdict| counts.0[verdict as usize] += 1);
        counts
    }
}

/// The results of studies by the ids of checks, each with the plan whose undetermined parameters were varied.
pub type Studies<'p> = HashMap<String, Vec<(&'p Plan, Share)>>;

/// The robustness of a check found by a study: how far its verdict holds over what the paper leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The verdict at the nominal values.
    pub nominal: Verdict,
    /// The number of set-ups with each verdict.
    pub counts: Counts,
    /// True if the set-ups agree with everything that the paper prints (`given:`). Otherwise they are samples of ranges
    /// and decide nothing.
    pub is_conditioned: bool,
    /// The number of set-ups that were tried.
    pub tried: usize,
    /// True if there are no other set-ups: only readings, and no range.
    pub is_exhaustive: bool,
    /// The other readings of the text with the verdict of the test under each; `None` for a reading that the printed
    /// numbers exclude.
    pub readings: Vec<(String, Option<Verdict>)>,
    /// The deciding parameter, in words; empty if none was found.
    pub decided: String,
}

impl Share {
    /// Combines all studies of a check: the conditioned study with the smallest share counts.
    pub(super) fn of(nominal: Verdict, studied: &[(&Plan, Self)]) -> Option<Self> {
        let shares = studied.iter().map(|(_, share)| Self { nominal, ..share.clone() });
        shares.reduce(|a, b| {
            let readings = [a.readings.as_slice(), &b.readings].concat();
            // A study without samples does not determine a share.
            let is_smaller = b.samples() == 0 || (a.samples() > 0 && a.interval()[0] <= b.interval()[0]);
            let is_first = if a.is_conditioned == b.is_conditioned { is_smaller } else { a.is_conditioned };
            Self { readings, ..if is_first { a } else { b } }
        })
    }

    /// The number of set-ups that decide the test.
    pub fn samples(&self) -> usize {
        self.counts.judged()
    }

    /// The number of set-ups with the nominal verdict or, if conditioned, with a test that holds.
    pub fn same(&self) -> usize {
        self.counts.of(if self.is_conditioned { Verdict::Reproduced } else { self.nominal }).min(self.samples())
    }

    /// The 95 % confidence interval of the share of [`same`](Self::same).
    pub fn interval(&self) -> [f64; 2] {
        wilson(self.same(), self.samples())
    }

    /// The readings that change the verdict, each with the verdict under it.
    pub fn turned(&self) -> impl Iterator<Item = (&str, Verdict)> {
        let there = self.readings.iter().filter_map(|(name, there)| Some((name.as_str(), (*there)?)));
        there.filter(|(_, there)| *there != self.nominal)
    }

    /// The readings that the printed numbers exclude.
    pub fn excluded(&self) -> impl Iterator<Item = &str> {
        self.readings.iter().filter(|(_, there)| there.is_none()).map(|(name, _)| name.as_str())
    }

    /// Describes how far the nominal verdict holds: `reproduced in 80 % of 96 set-ups (71 % to 87 %); mass decides`.
    pub fn words(&self) -> String {
        let (verdict, what) = match self.is_conditioned {
            true => (Verdict::Reproduced, "set-ups that agree with the paper"),
            false => (self.nominal, "samples of our ranges"),
        };
        let samples = self.samples();
        let part = percent(self.same() as f64 / samples as f64);
        let [low, high] = self.interval().map(percent);
        let decided = if self.decided.is_empty() { String::new() } else { format!("; {}", self.decided) };
        format!("{verdict} in {part} of {samples} {what} ({low} to {high}){decided}")
    }

    /// Returns the outcome over the set-ups that agree with everything that the paper prints.
    pub(super) fn outcome(&self, holds: Holds) -> Outcome {
        let Counts([reproduced, partly, not_reproduced, _]) = self.counts;
        let all = self.samples();
        let is_all = |count: usize| count as f64 >= ALL * all as f64;
        let is_enough = |count: usize| match holds {
            Holds::All => is_all(count),
            Holds::Most => 2 * count > all,
            Holds::Some => count > 0,
        };
        let left_out = |what: String| Outcome::Open(Reason::LeftOut(what));
        if all == 0 {
            return left_out("no set-up was found that agrees with everything that the paper prints".to_owned());
        }
        if all < FEWEST && holds != Holds::Some && !self.is_exhaustive {
            return left_out(format!("only {all} set-ups were found that agree with what the paper prints"));
        }
        if is_enough(reproduced) {
            Outcome::Reproduced
        } else if is_enough(reproduced + partly) {
            Outcome::Partly
        } else if is_all(not_reproduced) {
            Outcome::NotReproduced
        } else {
            let part = percent(reproduced as f64 / all as f64);
            let decided = if self.decided.is_empty() { String::new() } else { format!(" ({})", self.decided) };
            left_out(format!("holds in {part} of {all} set-ups that agree with what it prints{decided}"))
        }
    }

    /// Returns the outcome at the nominal values, which other readings of the text may change.
    pub(super) fn over_readings(&self, judgement: &Judgement, holds: Holds) -> Outcome {
        let turned = || self.turned().filter(|(_, there)| *there != Verdict::Open);
        let is_somewhere = || turned().any(|(_, there)| there == Verdict::Reproduced);
        match turned().next() {
            Some(_) if holds == Holds::Some && is_somewhere() => Outcome::Reproduced,
            Some((reading, there)) if judgement.verdict != Verdict::Open && holds != Holds::Some => {
                Outcome::Open(Reason::LeftOut(format!("{there} with the reading {reading}")))
            }
            _ => judgement.outcome(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share([reproduced, partly, not_reproduced]: [usize; 3], turned: &[(&str, Verdict)]) -> Share {
        let samples = reproduced + partly + not_reproduced;
        Share {
            nominal: Verdict::Reproduced,
            counts: Counts([reproduced, partly, not_reproduced, 0]),
            is_conditioned: true,
            tried: 10 * samples,
            is_exhaustive: false,
            readings: turned.iter().map(|&(reading, verdict)| (reading.to_owned(), Some(verdict))).collect(),
            decided: "mass below 3: 97 %, else 10 %".to_owned(),
        }
    }

    #[test]
    fn the_required_share_of_set_ups_decides() {
        use Verdict::{NotReproduced, Open, Partly, Reproduced};
        for (holds, counts, verdict) in [
            (Holds::All, [95, 0, 5], Reproduced),
            (Holds::All, [94, 0, 6], Open),
            (Holds::All, [50, 45, 5], Partly),
            (Holds::All, [5, 0, 95], NotReproduced),
            (Holds::Most, [51, 0, 49], Reproduced),
            (Holds::Most, [50, 0, 50], Open),
            (Holds::Most, [4, 1, 95], NotReproduced),
            (Holds::Some, [1, 0, 99], Reproduced),
            (Holds::Some, [0, 0, 3], NotReproduced),
            (Holds::All, [19, 0, 0], Open),
            (Holds::Some, [0, 0, 0], Open),
        ] {
            assert_eq!(share(counts, &[]).outcome(holds).verdict(), verdict, "{holds:?} in {counts:?}");
        }
        let readings = Share { is_exhaustive: true, ..share([1, 0, 0], &[]) };
        assert_eq!(
            readings.outcome(Holds::All),
            Outcome::Reproduced,
            "the only reading that the printed numbers allow"
        );
        let outcome = share([50, 0, 50], &[]).outcome(Holds::All);
        let why = "holds in 50 % of 100 set-ups that agree with what it prints (mass below 3: 97 %, else 10 %)";
        assert_eq!(outcome.to_string(), format!("open: left out by the paper: {why}"));
    }

    #[test]
    fn a_reading_that_changes_the_verdict_leaves_it_open() {
        let judgement = |verdict| Judgement::without_number(verdict, "");
        let turned = share([0; 3], &[("start = zero", Verdict::NotReproduced)]);
        let outcome = turned.over_readings(&judgement(Verdict::Reproduced), Holds::All);
        assert_eq!(outcome.to_string(), "open: left out by the paper: not reproduced with the reading start = zero");
        let outcome = turned.over_readings(&judgement(Verdict::Reproduced), Holds::Some);
        assert_eq!(outcome, Outcome::Reproduced, "one reading is enough");
        let undecided = share([0; 3], &[("start = zero", Verdict::Open)]);
        assert_eq!(undecided.over_readings(&judgement(Verdict::Partly), Holds::All), Outcome::Partly);
    }
}
