//! Execution and judgement of set-ups.

use std::io;

use mbsbench_experiment::{Feature, Plan, Registry, RunSpec};
use mbsbench_input::{Key, Node, Problem};
use mbsbench_problem::Status;
use mbsbench_runs::pipeline::results_of;
use mbsbench_runs::{Outcome, Resources, Row};
use rayon::prelude::*;

use super::scope::{Judgeable, Scope};
use super::search::{FARTHEST, Trial};
use super::space::SetUp;
use crate::claims::{Check, Evidence, Judgement, Verdict, judge};

/// Approximate number of runs that are computed together; their results are released before the next ones.
const TOGETHER: usize = 2048;

/// An error that prevents a reconstruction.
#[derive(Debug, thiserror::Error)]
pub enum ReconstructionError {
    /// The cache failed.
    #[error("the run cache: {0}")]
    Cache(#[from] io::Error),
    /// No run of any set-up is accepted by its model and method.
    #[error("no set-up has parameters that its model and method accept; for example, {0}: {1}")]
    Refused(String, Problem),
    /// A method cannot run on this machine: the experiment and the method's name.
    #[error("{0}: `{1}` is not installed here; the existing results are kept")]
    Unavailable(String, String),
    /// The program or the machine ended a run: the experiment, and the run's key, status and message.
    #[error("{0}: the run {1} has the status `{2}`: {3}")]
    Lost(String, String, Status, String),
}

/// The result of a part of a reconstruction.
pub(super) type Result<T, E = ReconstructionError> = std::result::Result<T, E>;

/// Parameter values, by path.
pub(super) type Values = Vec<(Key, Node)>;

/// Computes the runs of set-ups, and remembers the first failures.
pub(super) struct Bench<'b> {
    pub(super) scope: &'b Scope<'b>,
    pub(super) registry: &'b Registry,
    pub(super) resources: Resources<'b>,
    /// The first parameters that a model or method refused, since the runs of the file itself.
    pub(super) refusal: Option<ReconstructionError>,
    /// True if a model accepted a set-up other than that of the file.
    pub(super) is_any_accepted: bool,
    lost: Option<ReconstructionError>,
}

/// The runs of a set-up with their results.
pub(super) struct ComputedSetUp {
    plans: Vec<Plan>,
    outcomes: Vec<Outcome>,
}

impl ComputedSetUp {
    fn judge(&self, paper: &str, check: &Check) -> Judgement {
        judge(paper, check, &Evidence::of(&self.plans, &self.outcomes))
    }

    fn failed(&self) -> usize {
        self.outcomes.iter().flat_map(|outcome| &outcome.results.rows).filter(|row| !row.is_ok()).count()
    }
}

impl<'b> Bench<'b> {
    pub(super) fn new(scope: &'b Scope<'b>, registry: &'b Registry, resources: Resources<'b>) -> Self {
        let resources = Resources { fresh: false, ..resources };
        Self { scope, registry, resources, refusal: None, is_any_accepted: false, lost: None }
    }

    /// Fails if the program or the machine ended a run, or if no model accepted any set-up.
    pub(super) fn finish(self) -> Result<()> {
        match (self.lost, self.refusal) {
            (Some(lost), _) => Err(lost),
            (None, Some(refusal)) if !self.is_any_accepted => Err(refusal),
            _ => Ok(()),
        }
    }

    /// Computes the runs of `parts` with each set of values.
    pub(super) fn make(&mut self, parts: &[Plan], all: &[Values]) -> Result<Vec<ComputedSetUp>> {
        let registry = self.registry;
        let runs_with =
            |values: &Values| -> Varied { parts.iter().map(|plan| plan.runs_with(values, registry)).collect() };
        let varied: Vec<Varied> = all.par_iter().map(runs_with).collect();
        self.is_any_accepted |= varied.iter().flatten().flatten().any(Result::is_ok);
        if self.refusal.is_none() {
            let problem = |runs: &Varied| runs.iter().flatten().find_map(|run| run.as_ref().err().cloned());
            let refusal = all.iter().zip(&varied).find_map(|(values, runs)| Some((values, problem(runs)?)));
            self.refusal = refusal.map(|(values, problem)| ReconstructionError::Refused(text_of(values), problem));
        }
        let accepted = |(plan, runs): (&Plan, &Vec<Result<RunSpec, Problem>>)| Plan {
            runs: runs.iter().flatten().cloned().collect(),
            ..plan.clone()
        };
        let plans: Vec<Plan> = varied.iter().flat_map(|runs| parts.iter().zip(runs).map(accepted)).collect();
        let outcomes = results_of(&plans, self.resources)?;
        for (plan, outcome) in plans.iter().zip(&outcomes) {
            let mut made = plan.runs.iter().zip(&outcome.results.rows);
            if let Some((run, _)) = made.find(|(_, row)| row.status == Status::Unavailable) {
                return Err(ReconstructionError::Unavailable(plan.experiment.id.clone(), run.method.name().to_owned()));
            }
            if let Some(row) = outcome.results.rows.iter().find(|row| row.status.is_lost()) {
                let (experiment, message) = (plan.experiment.id.clone(), row.message.clone().unwrap_or_default());
                self.lost.get_or_insert(ReconstructionError::Lost(experiment, row.key.clone(), row.status, message));
            }
        }
        let (mut plans, mut outcomes) = (plans.into_iter(), outcomes.into_iter());
        let made = varied.into_iter().map(|varied| {
            let own = (plans.by_ref().take(parts.len()).collect(), outcomes.by_ref().take(parts.len()).collect());
            with_refused(varied, parts, own)
        });
        Ok(made.collect())
    }

    /// Judges checks with each set of values.
    pub(super) fn judge(&mut self, parts: &[Plan], all: &[Values], checks: &[Judgeable<'_>]) -> Result<Vec<Judged>> {
        let runs: usize = parts.iter().map(|plan| plan.runs.len()).sum();
        let mut judged = Vec::with_capacity(all.len());
        for some in all.chunks((TOGETHER / runs.max(1)).clamp(1, 64)) {
            let made = self.make(parts, some)?;
            let paper = &self.scope.plan.experiment.paper;
            judged.par_extend(made.par_iter().map(|made| Judged::new(made, checks, paper)));
        }
        Ok(judged)
    }
}

/// For each plan, its runs with given values, or the reasons why their model or method refuses them.
type Varied = Vec<Vec<Result<RunSpec, Problem>>>;

/// Formats values for messages.
fn text_of(values: &Values) -> String {
    let text = |(key, node): &(Key, Node)| {
        format!("{} = {}", key.name, node.spelling().unwrap_or_else(|| node.to_json().to_string()))
    };
    values.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Inserts refused runs at their places among the completed ones, with the status `refused`.
fn with_refused(varied: Varied, parts: &[Plan], (mut plans, mut outcomes): (Vec<Plan>, Vec<Outcome>)) -> ComputedSetUp {
    for (index, (runs, nominal)) in varied.into_iter().zip(parts).enumerate() {
        for (place, (run, spec)) in runs.into_iter().zip(&nominal.runs).enumerate() {
            let Err(problem) = run else { continue };
            let row = Row {
                axes: spec.cells.clone(),
                status: Status::Refused,
                assurance: None,
                message: Some(problem.to_string()),
                t_reached: spec.span[0],
                values: vec![None; nominal.columns.len()],
                key: spec.key().to_string(),
                timing: None,
                trajectory: None,
            };
            plans[index].runs.insert(place, spec.clone());
            outcomes[index].results.rows.insert(place, row);
        }
    }
    ComputedSetUp { plans, outcomes }
}

/// A set-up with the results of its tests.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// Features of its runs.
    pub(super) features: Vec<f64>,
    /// The number of runs that failed, or that their model or method refused.
    pub(super) failed: usize,
    /// The verdict and number of each check; NaN if it has no number.
    pub(super) verdicts: Vec<(Verdict, f64)>,
}

impl Judged {
    fn new(made: &ComputedSetUp, checks: &[Judgeable<'_>], paper: &str) -> Self {
        let (plan, results) = (&made.plans[0], &made.outcomes[0].results);
        let feature = |feature: &Feature| {
            let place = plan.runs.iter().position(|run| plan.is_meant(run, &feature.filter))?;
            let (run, row) = (&plan.runs[place], &results.rows[place]);
            // The label of an axis is the one in the file; its number may be a varied one.
            feature.value(|name| run.number_at(name).or_else(|| results.number(row, name)))
        };
        let evidence = Evidence::of(&made.plans, &made.outcomes);
        let verdict = |(check, _): &Judgeable<'_>| {
            let judgement = judge(paper, check, &evidence);
            (judgement.verdict, judgement.measured.unwrap_or(f64::NAN))
        };
        let features = &plan.experiment.study.features;
        Self {
            features: features.iter().map(|each| feature(each).unwrap_or(f64::NAN)).collect(),
            failed: made.failed(),
            verdicts: checks.iter().map(verdict).collect(),
        }
    }
}

/// Tests that set-ups have to pass: first the givens, which the numbers have to meet, then checks, which have to be
/// reproduced.
pub(super) struct Trials<'t, 'b> {
    pub(super) bench: &'t mut Bench<'b>,
    tests: Vec<&'t Check>,
    givens: usize,
    /// Tests that use the same runs, in their order of execution, with these runs.
    stages: Vec<(Vec<Plan>, Vec<usize>)>,
    /// The number of set-ups with failed runs.
    pub(super) failed: usize,
}

impl<'t, 'b> Trials<'t, 'b> {
    pub(super) fn new(bench: &'t mut Bench<'b>, sentences: impl Iterator<Item = &'t Check>) -> Self
    where
        'b: 't,
    {
        let scope = bench.scope;
        let givens = scope.givens.len();
        let tests: Vec<&Check> = scope.givens.iter().map(|given| &given.check).chain(sentences).collect();
        let keys = |parts: &[Plan]| -> Vec<String> {
            parts.iter().flat_map(|plan| &plan.runs).map(|run| run.key().to_string()).collect()
        };
        let mut stages: Vec<(Vec<Plan>, Vec<usize>)> = Vec::new();
        for (place, test) in tests.iter().enumerate() {
            let parts = scope.parts(&test.kind.selections());
            match stages.last_mut() {
                Some((last, own)) if keys(last) == keys(&parts) => own.push(place),
                _ => stages.push((parts, vec![place])),
            }
        }
        Self { bench, tests, givens, stages, failed: 0 }
    }

    /// Applies the tests to a set-up.
    pub(super) fn judgements(&mut self, set_up: &SetUp) -> Result<Vec<Judgement>> {
        let values = [self.bench.scope.space.values(set_up)];
        let mut judgements = Vec::with_capacity(self.tests.len());
        for (parts, tests) in &self.stages {
            let made = self.bench.make(parts, &values)?;
            let paper = &self.bench.scope.plan.experiment.paper;
            judgements.extend(tests.iter().map(|&test| made[0].judge(paper, self.tests[test])));
        }
        Ok(judgements)
    }
}

/// The distance of a judgement from passing, in tolerances.
pub(super) fn miss(judgement: &Judgement, is_given: bool) -> f64 {
    match (judgement.verdict, judgement.margin) {
        (Verdict::Reproduced, _) => 0.0,
        (_, Some(margin)) if is_given && margin >= 0.0 => 0.0,
        (_, Some(margin)) if margin < 0.0 => (-margin).min(FARTHEST),
        (_, None) if is_given => FARTHEST,
        _ => 1.0,
    }
}

impl Trial for Trials<'_, '_> {
    type Error = ReconstructionError;

    fn misses(&mut self, candidates: &[(SetUp, f64)]) -> Result<Vec<Vec<Option<f64>>>> {
        let scope = self.bench.scope;
        let paper = &scope.plan.experiment.paper;
        let mut all = vec![vec![None; self.tests.len()]; candidates.len()];
        let mut failed = vec![false; candidates.len()];
        let sum = |misses: &[Option<f64>]| misses.iter().flatten().map(|miss| miss * miss).sum::<f64>();
        for (parts, tests) in &self.stages {
            let open: Vec<usize> = (0..candidates.len()).filter(|&k| sum(&all[k]) <= candidates[k].1).collect();
            let values: Vec<Values> = open.iter().map(|&k| scope.space.values(&candidates[k].0)).collect();
            let made = self.bench.make(parts, &values)?;
            let (checks, givens) = (&self.tests, self.givens);
            let found = made.par_iter().map(|made| {
                let misses = tests.iter().map(|&test| miss(&made.judge(paper, checks[test]), test < givens));
                (misses.collect::<Vec<f64>>(), made.failed() > 0)
            });
            for (&k, (misses, has_failed)) in open.iter().zip(found.collect::<Vec<_>>()) {
                tests.iter().zip(misses).for_each(|(&test, miss)| all[k][test] = Some(miss));
                failed[k] |= has_failed;
            }
        }
        self.failed += failed.into_iter().filter(|&failed| failed).count();
        Ok(all)
    }

    fn tell(&self, tried: usize, accepted: usize, nearest: f64) {
        let distance =
            if nearest > 0.0 { format!(", the nearest {:.2} tolerances away", nearest.sqrt()) } else { String::new() };
        self.bench.resources.progress.note(&format!("{tried} set-ups tried, {accepted} accepted{distance}"));
    }
}
