//! The findings of a reconstruction.

use super::explain::{Count, Explanation, Variable, explain};
use super::words;
use crate::claims::{Counts, Verdict};
use crate::statistics::wilson;

/// All findings of a reconstruction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// The numbers that the paper prints about the set-up; empty if the set-ups are not conditioned.
    pub givens: Vec<Tally>,
    /// The readings.
    pub readings: Vec<Tally>,
    /// Givens that no set-up met at the same time.
    pub conflicts: Vec<String>,
    /// The number of set-ups that were evaluated, and how many of them had failed runs.
    pub tried: [usize; 2],
    /// The number of set-ups in which checks were judged.
    pub set_ups: usize,
    /// True if these set-ups are uniformly distributed over all accepted ones.
    pub is_even: bool,
    /// The judged checks, then the checks that were left out.
    pub checks: Vec<Finding>,
}

/// The verdicts of a check over set-ups and readings, and the variables that decide them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// Id of the check.
    pub check: String,
    /// A hash of everything that it was judged on; it changes with the check or the experiment.
    pub definition: String,
    /// The verdict at the nominal values.
    pub nominal: Verdict,
    /// The verdict whose share is counted.
    pub counted: Verdict,
    /// The number of set-ups with each verdict.
    pub verdicts: Counts,
    /// The other readings with the verdict under each; `None` if the givens exclude the reading.
    pub readings: Vec<(String, Option<Verdict>)>,
    /// The variables that decide the verdict.
    pub explanation: Explanation,
    /// The reason why it cannot be judged.
    pub left_out: Option<String>,
}

/// The number of set-ups that tried and met something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The id of a given, or the name of a reading.
    pub name: String,
    /// The number of set-ups that tried it.
    pub tried: usize,
    /// The number of these set-ups that met it: for a given, the given itself; for a reading, all givens.
    pub met: usize,
}

impl Finding {
    /// Counts its verdicts in set-ups, and looks for deciding variables.
    pub(super) fn count_in(&mut self, variables: &[Variable], samples: &[(Verdict, f64)]) {
        let is_decided = |verdict: Verdict| verdict != Verdict::Open && self.counted != Verdict::Open;
        let holds = |&(verdict, _): &(Verdict, f64)| is_decided(verdict).then_some(verdict == self.counted);
        self.explanation = explain(variables, &samples.iter().map(holds).collect::<Vec<_>>());
        self.verdicts = samples.iter().map(|&(verdict, _)| verdict).collect();
    }

    /// The number of set-ups with the counted verdict, among those that decide the check.
    pub fn count(&self) -> Count {
        Count { holds: self.verdicts.of(self.counted), samples: self.verdicts.judged() }
    }

    /// The share of set-ups with the counted verdict; NaN if none decides it.
    pub fn share(&self) -> f64 {
        self.count().share()
    }

    /// The 95 % confidence interval of the share.
    pub fn interval(&self) -> [f64; 2] {
        let Count { holds, samples } = self.count();
        wilson(holds, samples)
    }

    /// True if some set-ups have the counted verdict and others do not.
    pub fn is_divided(&self) -> bool {
        let Count { holds, samples } = self.count();
        0 < holds && holds < samples
    }

    /// The readings that lead to a verdict other than the counted one. For accepted set-ups, the prevailing verdict
    /// under a reading counts.
    pub fn turned(&self) -> impl Iterator<Item = (&str, Verdict)> {
        let there = self.readings.iter().filter_map(|(name, verdict)| Some((name.as_str(), (*verdict)?)));
        there.filter(|(_, verdict)| *verdict != self.counted)
    }

    /// Describes the decisive variable; empty if there is none.
    pub fn decided(&self, variables: &[&str]) -> String {
        if self.explanation.first.is_none() {
            return String::new();
        }
        words::decided(self, |name| words::short_name(name, variables))
    }
}

impl Findings {
    /// True if set-ups were accepted or rejected by givens.
    pub fn is_conditioned(&self) -> bool {
        !self.givens.is_empty()
    }
}
