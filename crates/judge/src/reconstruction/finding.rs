//! What a reconstruction finds.

use super::explain::{Count, Explanation, Variable, explain};
use super::words;
use crate::claims::{Counts, Verdict};
use crate::statistics::wilson;

/// Everything that a reconstruction finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// What the paper prints about the set-up; empty if nothing is conditioned on.
    pub givens: Vec<Tally>,
    /// The readings.
    pub readings: Vec<Tally>,
    /// Givens that no set-up met together.
    pub conflicts: Vec<String>,
    /// Set-ups that were evaluated, and those of them some of whose runs failed.
    pub tried: [usize; 2],
    /// Set-ups in which checks were judged.
    pub set_ups: usize,
    /// Whether these are evenly distributed over all that are accepted.
    pub is_even: bool,
    /// The checks that were judged, then those that were left out.
    pub checks: Vec<Finding>,
}

/// How a check fares over set-ups and readings, and what decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// Id of the check.
    pub check: String,
    /// A hash of what it was judged on; a check or an experiment that has changed since has another.
    pub definition: String,
    /// What its test says of the nominal numbers.
    pub nominal: Verdict,
    /// The verdict whose share is counted.
    pub counted: Verdict,
    /// Set-ups with each verdict.
    pub verdicts: Counts,
    /// Other readings with what the test says there; none if the givens exclude them.
    pub readings: Vec<(String, Option<Verdict>)>,
    /// What decides.
    pub explanation: Explanation,
    /// What it rests on that keeps it from being judged.
    pub left_out: Option<String>,
}

/// How often something was tried and met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The id of a given, or the name of a reading.
    pub name: String,
    /// Set-ups that were tried.
    pub tried: usize,
    /// Set-ups of these that met it: the given, or with the reading everything given.
    pub met: usize,
}

impl Finding {
    /// Counts its verdicts in set-ups, and looks for what decides.
    pub(super) fn count_in(&mut self, variables: &[Variable], samples: &[(Verdict, f64)]) {
        let is_decided = |verdict: Verdict| verdict != Verdict::Open && self.counted != Verdict::Open;
        let holds = |&(verdict, _): &(Verdict, f64)| is_decided(verdict).then_some(verdict == self.counted);
        self.explanation = explain(variables, &samples.iter().map(holds).collect::<Vec<_>>());
        self.verdicts = samples.iter().map(|&(verdict, _)| verdict).collect();
    }

    /// Set-ups with the counted verdict, of those that decide the check.
    pub fn count(&self) -> Count {
        Count { holds: self.verdicts.of(self.counted), samples: self.verdicts.judged() }
    }

    /// The share of set-ups with the counted verdict; NaN if none decides it.
    pub fn share(&self) -> f64 {
        self.count().share()
    }

    /// The interval of 95 % confidence of the share.
    pub fn interval(&self) -> [f64; 2] {
        let Count { holds, samples } = self.count();
        wilson(holds, samples)
    }

    /// Whether some set-ups have the counted verdict and others have not.
    pub fn is_divided(&self) -> bool {
        let Count { holds, samples } = self.count();
        0 < holds && holds < samples
    }

    /// Readings under which the verdict is not the counted one; of accepted set-ups, the prevailing verdict.
    pub fn turned(&self) -> impl Iterator<Item = (&str, Verdict)> {
        let there = self.readings.iter().filter_map(|(name, verdict)| Some((name.as_str(), (*verdict)?)));
        there.filter(|(_, verdict)| *verdict != self.counted)
    }

    /// What decides, in words; empty if nothing does.
    pub fn decided(&self, variables: &[&str]) -> String {
        if self.explanation.first.is_none() {
            return String::new();
        }
        words::decided(self, |name| words::short_name(name, variables))
    }
}

impl Findings {
    /// Whether set-ups were accepted by what is given.
    pub fn is_conditioned(&self) -> bool {
        !self.givens.is_empty()
    }
}
