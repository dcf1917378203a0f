//! What a study runs and judges: the runs of an experiment, and of those that vary along with it, and the checks that rest on these alone.

use std::collections::BTreeMap;

use mbsbench_experiment::Recording;
use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::spec::AxisValue;
use mbsbench_input::Problem;
use serde_json::json;

use crate::claims::definition::hash;
use crate::claims::{Check, Ledger};

/// What a study runs: plans with the runs of the study only, the first of them that of the experiment whose study it is.
#[derive(Debug)]
pub struct Scope<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// The runs of the study, and those that vary along.
    pub plans: Vec<Plan>,
    /// The plans as they are in the files, in the same order.
    whole: Vec<&'p Plan>,
}

/// A check that a study judges, with a hash of what is studied of it.
pub type Judgeable<'l> = (&'l Check, String);

/// Why a check that rests on an experiment is no part of its study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Runs of a study are not timed.
    Times,
    /// A study may run some of the cases only.
    Cases,
    /// Other experiments keep their numbers.
    OtherExperiments,
    /// The study asks for others.
    NotAskedFor,
}

impl LeftOut {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Times, Self::Cases, Self::OtherExperiments, Self::NotAskedFor];

    /// As in files and sentences: the check *rests on …*.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Times => "times",
            Self::Cases => "cases outside of the study",
            Self::OtherExperiments => "other experiments too",
            Self::NotAskedFor => "the nominal numbers",
        }
    }
}

impl<'p> Scope<'p> {
    /// The scope of the study of `plan`; the name of an experiment that is to vary along and is not there.
    ///
    /// # Errors
    /// That name.
    pub fn new(plan: &'p Plan, plans: &'p [Plan]) -> Result<Self, String> {
        let along = plan.experiment.study.along.iter().map(|name| {
            let is_called = |other: &&Plan| other.experiment.is_called(&name.value, &plan.experiment.paper);
            plans.iter().find(is_called).ok_or_else(|| name.value.clone())
        });
        let whole = std::iter::once(Ok(plan)).chain(along).collect::<Result<Vec<_>, _>>()?;
        let parts = whole.iter().enumerate().map(|(index, whole)| part(whole, (index == 0).then_some(plan), plan));
        Ok(Self { plan, plans: parts.collect(), whole })
    }

    /// How many runs there are at every sample.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.plans.iter().map(|plan| plan.runs.len()).sum()
    }

    /// How many times these runs are made: at every sample, for every reading, and with the nominal numbers.
    #[must_use]
    pub fn times(&self, samples: u32) -> usize {
        let samples = if self.is_sampled() { samples as usize } else { 0 };
        1 + samples + self.plan.experiment.readings().count()
    }

    /// Whether there is a range to sample.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.plan.experiment.sampled().next().is_some()
    }

    /// The runs as they are.
    pub(super) fn nominal(&self) -> Vec<Vec<Result<RunSpec, Problem>>> {
        self.plans.iter().map(|plan| plan.runs.iter().cloned().map(Ok).collect()).collect()
    }

    /// The checks that the study judges, each with a hash of what is studied of it, and those on the same experiment that it leaves out.
    #[must_use]
    pub fn checks<'l>(&self, ledger: &'l Ledger) -> (Vec<Judgeable<'l>>, Vec<(String, LeftOut)>) {
        let (mut checks, mut left_out) = (Vec::new(), Vec::new());
        for check in ledger.checks() {
            let names = check.kind.experiments();
            if !names.iter().any(|name| self.plan.experiment.is_called(name, &ledger.paper)) {
                continue;
            }
            match self.leaves_out(check, &ledger.paper) {
                Some(reason) => left_out.push((check.id.clone(), reason)),
                None => checks.push((check, self.definition(check, &ledger.paper))),
            }
        }
        (checks, left_out)
    }

    fn index_of(&self, experiment: &str, paper: &str) -> Option<usize> {
        self.whole.iter().position(|plan| plan.experiment.is_called(experiment, paper))
    }

    fn leaves_out(&self, check: &Check, paper: &str) -> Option<LeftOut> {
        let selections = check.kind.selections();
        if selections.iter().any(|(experiment, _)| self.index_of(experiment, paper).is_none()) {
            Some(LeftOut::OtherExperiments)
        } else if !self.plan.experiment.study.asks_for(&check.id) {
            Some(LeftOut::NotAskedFor)
        } else if check.kind.is_of_time() {
            Some(LeftOut::Times)
        } else if selections.iter().any(|(experiment, filter)| {
            self.index_of(experiment, paper).is_some_and(|index| !self.has_all(index, filter))
        }) {
            Some(LeftOut::Cases)
        } else {
            None
        }
    }

    /// Whether the study makes all runs that a filter means, but for the values that `where` leaves of an axis of which the filter
    /// does not speak.
    fn has_all(&self, index: usize, filter: &BTreeMap<String, AxisValue>) -> bool {
        let (whole, part) = (self.whole[index], &self.plans[index]);
        let mut meant = filter.clone();
        for (axis, values) in &self.plan.experiment.study.filter {
            if whole.axis(axis).is_some() {
                meant.entry(axis.clone()).or_insert_with(|| values.clone());
            }
        }
        let wanted = whole.meant(&meant).count();
        let made = part.meant(&meant).count();
        wanted > 0 && wanted == made
    }

    /// A hash of what is studied of a check: its test, its runs, the ranges and readings. How many samples there are is no part of it:
    /// a longer study begins with the shorter one.
    fn definition(&self, check: &Check, paper: &str) -> String {
        let mut runs: Vec<String> = Vec::new();
        for (experiment, filter) in check.kind.selections() {
            let Some(index) = self.index_of(experiment, paper) else { continue };
            let plan = &self.plans[index];
            runs.extend(plan.meant(filter).map(|(_, run)| run.set_up().to_string()));
        }
        let sampled: Vec<_> = self.plan.experiment.sampled().map(|(key, range)| json!([key.name, range])).collect();
        let readings: Vec<_> = self
            .plan
            .experiment
            .readings()
            .map(|reading| {
                let sets = reading.sets.iter().map(|(key, node)| json!([key.name, node.to_json()]));
                json!([reading.name, sets.collect::<Vec<_>>()])
            })
            .collect();
        hash(&json!({ "check": check.definition, "runs": runs, "sampled": sampled, "readings": readings }))
    }
}

/// The runs of a plan that are made at every sample, with nothing recorded for plots.
fn part(whole: &Plan, studied: Option<&Plan>, plan: &Plan) -> Plan {
    let mut part = whole.clone();
    let along: BTreeMap<String, AxisValue> = plan
        .experiment
        .study
        .filter
        .iter()
        .filter(|(axis, _)| whole.axis(axis).is_some())
        .map(|(axis, values)| (axis.clone(), values.clone()))
        .collect();
    part.runs.retain(|run| match studied {
        Some(plan) => plan.is_studied(run),
        None => whole.is_meant(run, &along),
    });
    for run in &mut part.runs {
        run.recording = Recording::default();
    }
    part.experiment.tables.clear();
    part.experiment.plots.clear();
    part.experiment.drawings.clear();
    part.experiment.animations.clear();
    part
}
