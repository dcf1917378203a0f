//! Methods that somebody puts beside all others of the comparison, with their runs.

use mbsbench_experiment::RankingSpec;
use mbsbench_experiment::plan::Plan;

use super::standing::{Entrant, entrants};
use crate::claims::Evidence;

/// Runs that were made of methods for an answer, beside the stored ones of all others.
#[derive(Debug)]
pub struct Contending<'c> {
    names: Vec<String>,
    plans: &'c [Plan],
    evidence: Evidence<'c>,
}

impl<'c> Contending<'c> {
    /// Methods by their names, with the plans of the runs that were made of them; `evidence` has the rows of these. A
    /// method that is among the stored results has a name and no plans.
    pub fn new(names: Vec<String>, plans: &'c [Plan], evidence: Evidence<'c>) -> Self {
        Self { names, plans, evidence }
    }

    /// What the methods are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their runs that a ranking of the experiment of `plan` is about.
    pub fn entrants<'s>(&'s self, plan: &Plan, spec: &RankingSpec) -> Vec<Entrant<'s>> {
        let own = self.plans.iter().filter(|own| own.experiment.id == plan.experiment.id);
        own.flat_map(|own| entrants(own, &self.evidence, spec)).collect()
    }

    /// All runs that a ranking is about: those of `plan` among the stored ones, and those of these methods.
    pub fn among<'s>(&'s self, plan: &'s Plan, stored: &'s Evidence<'_>, spec: &RankingSpec) -> Vec<Entrant<'s>> {
        entrants(plan, stored, spec).into_iter().chain(self.entrants(plan, spec)).collect()
    }
}
