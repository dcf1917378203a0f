//! The scope of a reconstruction: the runs of an experiment and of the experiments that vary along with it, and the
//! checks that use no other runs.

use std::collections::HashSet;

use mbsbench_experiment::{Filter, Plan, Recording};
use mbsbench_input::{BadInput, Problem};
use serde_json::json;

use super::space::Space;
use crate::claims::definition::hash;
use crate::claims::spec::{Operand, Reduce};
use crate::claims::{Check, Given, Ledger};

/// The runs of a reconstruction: plans reduced to its runs. The first plan is the one of the experiment itself.
#[derive(Debug)]
pub struct Scope<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// The numbers that the paper prints about the set-up.
    pub givens: Vec<Given>,
    /// The set-ups.
    pub space: Space<'p>,
    /// The runs of the experiment, and of those that vary along with it.
    pub plans: Vec<Plan>,
    /// The complete plans of the files, in the same order.
    whole: Vec<&'p Plan>,
}

/// A check that is judged in every set-up, with a hash of its definition.
pub type Judgeable<'l> = (&'l Check, String);

/// The checks of a reconstruction.
#[derive(Debug, Default)]
pub struct Checks<'l> {
    /// The checks that are judged.
    pub judged: Vec<Judgeable<'l>>,
    /// The checks on the same experiments that are not judged, with the reasons.
    pub left_out: Vec<(String, LeftOut)>,
    /// The checks of sentences that a witness has to meet, by their indices in `judged`.
    pub sentences: Vec<usize>,
}

/// The reason why a check on an experiment is not judged by its reconstruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// It uses wall times, which are not measured in set-ups.
    Times,
    /// It uses cases that are not run in set-ups.
    Cases,
    /// It also uses other experiments, whose numbers do not vary.
    OtherExperiments,
    /// `study:` selects other checks.
    NotAskedFor,
    /// It uses only numbers by which set-ups are accepted.
    Givens,
}

impl LeftOut {
    /// The name in files and sentences: the check *rests on …*.
    pub fn name(self) -> &'static str {
        match self {
            Self::Times => "times",
            Self::Cases => "other cases",
            Self::OtherExperiments => "other experiments too",
            Self::NotAskedFor => "the nominal numbers",
            Self::Givens => "givens alone",
        }
    }
}

impl<'p> Scope<'p> {
    /// Returns the scope of a reconstruction of `plan`.
    ///
    /// # Errors
    /// Fails if `given:` or the names under `along` are invalid.
    pub fn new(plan: &'p Plan, plans: &'p [Plan]) -> Result<Self, BadInput> {
        let experiment = &plan.experiment;
        let along = experiment.study.along.iter().enumerate().map(|(index, name)| {
            let is_called = |other: &&Plan| other.experiment.is_called(name, &experiment.paper);
            plans.iter().find(is_called).ok_or_else(|| {
                let known = plans.iter().map(|plan| plan.experiment.id.as_str());
                let place = experiment.document.root.place_of(&format!("study.along.{index}"));
                let problem = Problem::unknown(place, "experiment", name, known.collect::<Vec<_>>());
                experiment.document.bad(vec![problem])
            })
        });
        let whole = std::iter::once(Ok(plan)).chain(along).collect::<Result<Vec<_>, _>>()?;
        let parts = whole.iter().enumerate().map(|(index, whole)| part(whole, index == 0, plan));
        let (givens, space) = (Given::all(plan, plans)?, Space::new(experiment));
        let scope = Self { plan, givens, space, plans: parts.collect(), whole };
        for (given, node) in scope.givens.iter().zip(&experiment.given) {
            let reason = scope.lacks(&given.check, &experiment.paper);
            if let Some(reason) = reason.filter(|reason| *reason != LeftOut::Times) {
                let message = format!("the given `{}` depends on {}", given.check.id, reason.name());
                let problem = Problem::new(node.place_of("of"), message);
                let accepted =
                    "accepted: runs of this experiment that `study:` selects, or of those under `study: { along: … }`";
                return Err(experiment.document.bad(vec![problem.help(accepted)]));
            }
        }
        Ok(scope)
    }

    /// True if set-ups are accepted or rejected by givens. Otherwise ranges and readings only show sensitivity.
    pub fn is_conditioned(&self) -> bool {
        !self.givens.is_empty()
    }

    /// Reduces the plans to the runs that the selections mean.
    pub(super) fn parts(&self, selections: &[(&str, &Filter)]) -> Vec<Plan> {
        let paper = &self.plan.experiment.paper;
        let part = |plan: &Plan| {
            let filters = selections.iter().filter(|(name, _)| plan.experiment.is_called(name, paper));
            let filters: Vec<_> = filters.map(|(_, filter)| *filter).collect();
            let mut part = plan.clone();
            part.runs.retain(|run| filters.iter().any(|filter| plan.is_meant(run, filter)));
            part
        };
        self.plans.iter().map(part).collect()
    }

    /// Reduces the plans to the runs that some checks and the features need.
    pub(super) fn parts_for<'c>(&self, checks: impl Iterator<Item = &'c Check>) -> Vec<Plan> {
        let experiment = &self.plan.experiment;
        let features = experiment.study.features.iter().map(|feature| (experiment.id.as_str(), &feature.filter));
        let selections: Vec<_> = checks.flat_map(|check| check.kind.selections()).chain(features).collect();
        self.parts(&selections)
    }

    /// Number of runs that are computed; zero if it depends on the search.
    pub fn runs(&self, checks: &Checks<'_>, samples: u32) -> usize {
        let parts = self.parts_for(checks.judged.iter().map(|(check, _)| *check));
        let runs: usize = parts.iter().map(|plan| plan.runs.len()).sum();
        let samples = if self.space.ranges.is_empty() { 0 } else { samples as usize };
        let times = 1 + samples + self.plan.experiment.readings().count();
        if self.is_conditioned() { 0 } else { runs * times }
    }

    /// Selects the checks of a ledger for this reconstruction.
    pub fn checks<'l>(&self, ledger: &'l Ledger) -> Checks<'l> {
        let (mut judged, mut left_out) = (Vec::new(), Vec::new());
        for check in ledger.checks() {
            let names = check.kind.experiments();
            if !names.iter().any(|name| self.index_of(name, &ledger.paper).is_some()) {
                continue;
            }
            match self.leaves_out(check, &ledger.paper) {
                Some(reason) => left_out.push((check.id.clone(), reason)),
                None => judged.push((check, self.definition(check, &ledger.paper))),
            }
        }
        let figure = self.plan.experiment.study.figure.as_deref().unwrap_or_default();
        let meant = ledger.statements.iter().filter(|statement| statement.place.contains(figure));
        let carrying = meant.flat_map(|statement| &statement.checks).filter(|check| check.is_carrying());
        let meant: HashSet<&str> = carrying.map(|check| check.id.as_str()).collect();
        let sentences = (0..judged.len()).filter(|&k: &usize| meant.contains(judged[k].0.id.as_str())).collect();
        Checks { judged, left_out, sentences }
    }

    fn index_of(&self, experiment: &str, paper: &str) -> Option<usize> {
        self.whole.iter().position(|plan| plan.experiment.is_called(experiment, paper))
    }

    fn leaves_out(&self, check: &Check, paper: &str) -> Option<LeftOut> {
        let operands = check.kind.operands();
        let givens: Vec<String> =
            self.givens.iter().flat_map(|given| given.check.kind.operands()).map(|of| self.numbers(of)).collect();
        if !operands.is_empty() && operands.iter().all(|of| givens.contains(&self.numbers(of))) {
            return Some(LeftOut::Givens);
        }
        match self.lacks(check, paper) {
            Some(LeftOut::OtherExperiments) => Some(LeftOut::OtherExperiments),
            _ if !self.plan.experiment.study.asks_for(&check.id) => Some(LeftOut::NotAskedFor),
            reason => reason,
        }
    }

    /// Identifies the numbers that an operand selects, independently of how it is written.
    fn numbers(&self, operand: &Operand) -> String {
        let plan = self.index_of(&operand.experiment, &self.plan.experiment.paper);
        let runs: Vec<usize> =
            plan.map_or_else(Vec::new, |index| self.plans[index].meant(&operand.filter).map(|(run, _)| run).collect());
        let columns: Vec<&str> = operand.columns().collect();
        let reduce = if runs.len() * columns.len() == 1 { Reduce::Only } else { operand.reduce };
        let (at, times) = (&operand.at, &operand.times);
        format!("{plan:?} {runs:?} {columns:?} {reduce:?} {} {at:?} {times:?}", operand.magnitude)
    }

    /// Returns the reason why a check cannot be judged on the runs of a set-up, if there is one.
    fn lacks(&self, check: &Check, paper: &str) -> Option<LeftOut> {
        let selections = check.kind.selections();
        if selections.iter().any(|(experiment, _)| self.index_of(experiment, paper).is_none()) {
            Some(LeftOut::OtherExperiments)
        } else if check.kind.is_of_time() {
            Some(LeftOut::Times)
        } else {
            let of = |(name, filter)| Some((self.index_of(name, paper)?, filter));
            let mut found = selections.into_iter().filter_map(of);
            found.any(|(index, filter)| !self.has_all(index, filter)).then_some(LeftOut::Cases)
        }
    }

    /// True if a set-up has all runs that a filter selects. An axis that the filter does not mention is restricted to
    /// the values in `where` of the study.
    fn has_all(&self, index: usize, filter: &Filter) -> bool {
        let (whole, part) = (self.whole[index], &self.plans[index]);
        let mut meant = filter.clone();
        for (axis, values) in &self.plan.experiment.study.filter {
            if whole.axis(axis).is_some() {
                meant.entry(axis.clone()).or_insert_with(|| values.clone());
            }
        }
        let wanted = whole.meant(&meant).count();
        wanted > 0 && wanted == part.meant(&meant).count()
    }

    /// Returns a hash of everything that a check is judged on: its test, runs, givens, ranges and readings. The number
    /// of set-ups is not included.
    fn definition(&self, check: &Check, paper: &str) -> String {
        let selections = check.kind.selections().into_iter();
        let parts = selections.filter_map(|(name, filter)| Some((&self.plans[self.index_of(name, paper)?], filter)));
        let runs = parts.flat_map(|(plan, filter)| plan.meant(filter));
        let runs: Vec<String> = runs.map(|(_, run)| run.set_up().to_string()).collect();
        let givens: Vec<&str> = self.givens.iter().map(|given| given.check.definition.as_str()).collect();
        hash(&json!({ "check": check.definition, "runs": runs, "givens": givens, "space": self.space.definition() }))
    }
}

/// Reduces a plan to the runs that are computed in every set-up, without recordings for plots.
fn part(whole: &Plan, is_own: bool, plan: &Plan) -> Plan {
    let mut part = whole.clone();
    let mut along = plan.experiment.study.filter.clone();
    along.retain(|axis, _| whole.axis(axis).is_some());
    part.runs.retain(|run| if is_own { plan.is_studied(run) } else { whole.is_meant(run, &along) });
    part.runs.iter_mut().for_each(|run| run.recording = Recording::default());
    part.experiment.tables.clear();
    part.experiment.plots.clear();
    part.experiment.drawings.clear();
    part.experiment.animations.clear();
    part
}
