//! Runs and verdicts at every sample.

use std::io;

use rayon::prelude::*;

use super::explain::{Outcomes, Variable};
use super::sampling::{is_logarithmic, points};
use crate::claims::{Claim, Evidence, Ledger, Verdict, judge};
use crate::execute::run::Drawing;
use crate::experiment::Feature;
use crate::input::Problem;
use crate::pipeline::{Outcome, results_of};
use crate::plan::{Plan, RunSpec};
use crate::progress::Progress;
use crate::registry::Registry;
use crate::render::csv::rounded;
use crate::results::{Row, decimal};
use crate::store::Store;

/// Samples whose runs are made together; their results are let go before the next.
const TOGETHER: usize = 64;

/// A study of one experiment.
#[derive(Debug, Clone, Default)]
pub struct Study {
    /// The undetermined parameters, then the features.
    pub variables: Vec<Variable>,
    /// For each sample, how many of its runs failed, or were refused by their model or method.
    pub failed: Vec<usize>,
    /// How many runs there are at every sample.
    pub runs: usize,
    /// The claims that were judged.
    pub claims: Vec<Sampled>,
    /// The claims that rest on the experiment and were not judged.
    pub left_out: Vec<(String, LeftOut)>,
}

/// A claim at every sample.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Its id.
    pub claim: String,
    /// Its verdicts.
    pub verdicts: Vec<Verdict>,
    /// The measured numbers, NaN where there is none.
    pub measured: Vec<f64>,
}

impl Sampled {
    /// Where it holds: `partly` does not, and `inconclusive` says nothing.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let holds = |verdict: &Verdict| match verdict {
            Verdict::Reproduced => Some(true),
            Verdict::Partly | Verdict::Contradicted => Some(false),
            Verdict::Inconclusive | Verdict::Untestable => None,
        };
        Outcomes { holds: self.verdicts.iter().map(holds).collect(), measured: self.measured.clone() }
    }
}

/// Why a claim that rests on an experiment is no part of its study.
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

    /// As in files and sentences: the claim *rests on …*.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Times => "times",
            Self::Cases => "cases outside of the study",
            Self::OtherExperiments => "other experiments too",
            Self::NotAskedFor => "the nominal numbers",
        }
    }

    /// Why the study leaves `claim` out; none where it does not. `plan` is that of the whole experiment.
    fn of(claim: &Claim, plan: &Plan, paper: &str) -> Option<Self> {
        let selections = claim.kind.selections();
        let is_absent = |run: &RunSpec| !plan.is_studied(run);
        if selections.iter().any(|(experiment, _)| !plan.experiment.is_called(experiment, paper)) {
            Some(Self::OtherExperiments)
        } else if !plan.experiment.study.asks_for(&claim.id) {
            Some(Self::NotAskedFor)
        } else if claim.kind.is_of_time() {
            Some(Self::Times)
        } else if selections
            .iter()
            .any(|(_, filter)| plan.runs.iter().any(|r| plan.is_meant(r, filter) && is_absent(r)))
        {
            Some(Self::Cases)
        } else {
            None
        }
    }
}

/// Why there is no study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The store failed.
    #[error("the store: {0}")]
    Store(#[from] io::Error),
    /// No run of any sample is accepted by its model and method.
    #[error("no sample is accepted; at {0}: {1}")]
    Refused(String, Problem),
}

impl Study {
    /// Samples the undetermined parameters of `plan` and judges the claims that rest on it alone.
    ///
    /// A run that fails is evidence like any other; so is one that its model refuses, which has the status `refused`.
    ///
    /// # Errors
    /// No sample that the models accept; what the store says.
    pub fn new(
        plan: &Plan,
        ledger: &Ledger,
        samples: u32,
        registry: &Registry,
        store: &Store,
        progress: &Progress,
    ) -> Result<Self, StudyError> {
        let (claims, left_out) = claims_of(plan, ledger);
        let scope = scope(plan);
        let points: Vec<Vec<f64>> = points(plan.experiment.undetermined.iter().map(|(_, u)| u), samples).collect();
        let mut study = Self { runs: scope.runs.len(), left_out, ..Self::empty(plan, &claims) };
        let (mut is_any_accepted, mut refusal) = (false, None);
        for points in points.chunks(TOGETHER) {
            let varied: Vec<Varied> = points.iter().map(|point| Varied::new(&scope, point, registry)).collect();
            is_any_accepted |= varied.iter().any(Varied::is_accepted);
            refusal = refusal.or_else(|| varied.iter().find_map(Varied::refusal));
            let plans: Vec<Plan> = varied.iter().map(|varied| varied.accepted(&scope)).collect();
            let outcomes = results_of(&plans, store, false, progress)?;
            let judged: Vec<JudgedSample> = (varied, plans, outcomes)
                .into_par_iter()
                .map(|(varied, plan, outcome)| {
                    let (plan, outcome) = varied.with_refused(&scope, plan, outcome);
                    JudgedSample::new(&plan, &outcome, &claims, &ledger.paper)
                })
                .collect();
            points.iter().zip(judged).for_each(|(point, judged)| study.add(point, judged));
        }
        match refusal {
            Some(refusal) if !is_any_accepted => Err(refusal),
            _ => Ok(study),
        }
    }

    /// A study of these claims without samples.
    fn empty(plan: &Plan, claims: &[&Claim]) -> Self {
        let parameter = |name: &str, range| Variable {
            name: name.to_owned(),
            is_logarithmic: is_logarithmic(range),
            values: Vec::new(),
        };
        let experiment = &plan.experiment;
        let parameters = experiment.undetermined.iter().map(|(key, u)| parameter(&key.name, u.range));
        let features = experiment.study.features.iter().map(|feature| Variable {
            name: feature.value.name.clone(),
            is_logarithmic: false,
            values: Vec::new(),
        });
        let sampled = |claim: &&Claim| Sampled { claim: claim.id.clone(), verdicts: Vec::new(), measured: Vec::new() };
        Self {
            variables: parameters.chain(features).collect(),
            claims: claims.iter().map(sampled).collect(),
            ..Self::default()
        }
    }

    fn add(&mut self, point: &[f64], judged: JudgedSample) {
        let values = point.iter().copied().chain(judged.features);
        self.variables.iter_mut().zip(values).for_each(|(variable, value)| variable.values.push(value));
        self.failed.push(judged.failed);
        for (claim, (verdict, measured)) in self.claims.iter_mut().zip(judged.verdicts) {
            claim.verdicts.push(verdict);
            claim.measured.push(measured);
        }
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.failed.len()
    }

    /// The text of `robustness-samples.csv`: one line a sample with its parameters and features, the number of its runs that
    /// failed, and for every claim the verdict and, where one was measured, the number. Numbers have six digits; the study
    /// itself takes the same points again on every machine.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn samples_to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let is_measured = |claim: &Sampled| claim.measured.iter().any(|number| !number.is_nan());
        let heads = self.claims.iter().flat_map(|claim| {
            let measured = is_measured(claim).then(|| format!("{} measured", claim.claim));
            std::iter::once(claim.claim.clone()).chain(measured)
        });
        let variables = self.variables.iter().map(|variable| variable.name.clone());
        writer.write_record(variables.chain(["failed_runs".to_owned()]).chain(heads))?;
        let number = |number: f64| if number.is_nan() { String::new() } else { decimal(rounded(number)) };
        for (sample, failed) in self.failed.iter().enumerate() {
            let values = self.variables.iter().map(|variable| number(variable.values[sample]));
            let verdicts = self.claims.iter().flat_map(|claim| {
                let measured = is_measured(claim).then(|| number(claim.measured[sample]));
                std::iter::once(claim.verdicts[sample].to_string()).chain(measured)
            });
            writer.write_record(values.chain([failed.to_string()]).chain(verdicts))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// The claims that the study of a plan judges, and those on the same experiment that it leaves out.
fn claims_of<'l>(plan: &Plan, ledger: &'l Ledger) -> (Vec<&'l Claim>, Vec<(String, LeftOut)>) {
    let (mut claims, mut left_out) = (Vec::new(), Vec::new());
    for claim in &ledger.claims {
        if !claim.kind.experiments().iter().any(|name| plan.experiment.is_called(name, &ledger.paper)) {
            continue;
        }
        match LeftOut::of(claim, plan, &ledger.paper) {
            Some(reason) => left_out.push((claim.id.clone(), reason)),
            None => claims.push(claim),
        }
    }
    (claims, left_out)
}

/// The runs that are made at every sample, with nothing recorded for plots.
fn scope(plan: &Plan) -> Plan {
    let mut scope = plan.clone();
    scope.runs.retain(|run| plan.is_studied(run));
    for run in &mut scope.runs {
        run.drawing = Drawing::default();
    }
    scope.experiment.tables.clear();
    scope.experiment.plots.clear();
    scope
}

/// The runs of a sample.
struct Varied {
    /// Its numbers, for messages.
    at: String,
    /// The runs, or why their model or method refuses them.
    runs: Vec<Result<RunSpec, Problem>>,
}

impl Varied {
    fn new(scope: &Plan, point: &[f64], registry: &Registry) -> Self {
        let names = scope.experiment.undetermined.iter().map(|(key, _)| key.name.as_str());
        let numbers: Vec<(&str, f64)> = names.zip(point.iter().copied()).collect();
        let texts: Vec<String> = numbers.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        Self { at: texts.join(", "), runs: scope.runs_with(&numbers, registry) }
    }

    fn is_accepted(&self) -> bool {
        self.runs.iter().any(Result::is_ok)
    }

    fn refusal(&self) -> Option<StudyError> {
        let problem = self.runs.iter().find_map(|run| run.as_ref().err())?;
        Some(StudyError::Refused(self.at.clone(), problem.clone()))
    }

    /// The runs that can be made.
    fn accepted(&self, scope: &Plan) -> Plan {
        Plan { runs: self.runs.iter().flatten().cloned().collect(), ..scope.clone() }
    }

    /// Puts runs that were refused back to their places among those that were made, with the status `refused`.
    fn with_refused(self, scope: &Plan, mut plan: Plan, mut outcome: Outcome) -> (Plan, Outcome) {
        for (place, (run, nominal)) in self.runs.into_iter().zip(&scope.runs).enumerate() {
            let Err(problem) = run else { continue };
            let row = Row {
                axes: nominal.cells.clone(),
                status: "refused".to_owned(),
                message: Some(problem.to_string()),
                t_reached: nominal.span[0],
                values: vec![None; scope.columns.len()],
                key: nominal.key.to_string(),
                timing: None,
                trajectory: None,
            };
            plan.runs.insert(place, nominal.clone());
            outcome.results.rows.insert(place, row);
        }
        (plan, outcome)
    }
}

/// What is kept of a sample.
struct JudgedSample {
    features: Vec<f64>,
    failed: usize,
    verdicts: Vec<(Verdict, f64)>,
}

impl JudgedSample {
    fn new(plan: &Plan, outcome: &Outcome, claims: &[&Claim], paper: &str) -> Self {
        let results = &outcome.results;
        let feature = |feature: &Feature| {
            let place = plan.runs.iter().position(|run| plan.is_meant(run, &feature.filter))?;
            let (run, row) = (&plan.runs[place], &results.rows[place]);
            // The label of an axis is that of the file; its number may be one of those that vary.
            feature.value(|name| run.number_at(name).or_else(|| results.number(row, name)))
        };
        let evidence = Evidence::of(std::slice::from_ref(plan), std::slice::from_ref(outcome));
        let verdict = |claim: &&Claim| {
            let judgement = judge(paper, claim, &evidence);
            (judgement.verdict, judgement.measured.unwrap_or(f64::NAN))
        };
        let features = &plan.experiment.study.features;
        Self {
            features: features.iter().map(|placed| feature(&placed.value).unwrap_or(f64::NAN)).collect(),
            failed: results.rows.iter().filter(|row| !row.is_ok()).count(),
            verdicts: claims.iter().map(verdict).collect(),
        }
    }
}
