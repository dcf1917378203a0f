//! Runs and verdicts at every sample and for every reading.

use std::io;

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::registry::Registry;
use mbsbench_experiment::undetermined::number;
use mbsbench_experiment::{Feature, Reading};
use mbsbench_input::{Key, Node, Problem};
use mbsbench_numbers::decimal;
use mbsbench_numbers::rounded;
use mbsbench_problem::Status;
use mbsbench_runs::pipeline::{Means, Outcome, results_of};
use mbsbench_runs::results::Row;
use rayon::prelude::*;

use super::explain::{Outcomes, Variable};
use super::sampling::{is_logarithmic, points};
use super::scope::{Judgeable, LeftOut, Scope};
use crate::claims::{Check, Counts, Evidence, Verdict, judge};

/// Runs that are made together, about; their results are let go before the next.
const TOGETHER: usize = 2048;

/// A study of one experiment.
#[derive(Debug, Clone, Default)]
pub struct Study {
    /// The undetermined parameters that are sampled, then the features.
    pub variables: Vec<Variable>,
    /// For each sample, how many of its runs failed, or were refused by their model or method.
    pub failed: Vec<usize>,
    /// How many runs there are at every sample.
    pub runs: usize,
    /// The readings that were gone through.
    pub readings: Vec<String>,
    /// The checks that were judged.
    pub checks: Vec<Sampled>,
    /// The checks that rest on the experiment and were not judged.
    pub left_out: Vec<(String, LeftOut)>,
}

/// A check at every sample and for every reading.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Its id.
    pub check: String,
    /// What was studied of it, as a hash.
    pub definition: String,
    /// What its test says of the nominal numbers.
    pub nominal: Verdict,
    /// What it says at each sample.
    pub verdicts: Vec<Verdict>,
    /// The measured numbers, NaN where there is none.
    pub measured: Vec<f64>,
    /// What it says for each reading.
    pub readings: Vec<Verdict>,
}

impl Sampled {
    /// Where its verdict is that of the nominal numbers; `inconclusive` says nothing.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let is_said = |verdict| matches!(verdict, Verdict::Reproduced | Verdict::Partly | Verdict::Contradicted);
        let holds = |&verdict: &Verdict| (is_said(verdict) && is_said(self.nominal)).then_some(verdict == self.nominal);
        Outcomes { holds: self.verdicts.iter().map(holds).collect(), measured: self.measured.clone() }
    }

    /// How many samples have each verdict.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.verdicts.iter().for_each(|&verdict| counts.add(verdict));
        counts
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
    /// A method that cannot run on this machine: what it would say is no evidence.
    #[error(
        "{experiment}: `{method}` is unavailable here, and a study without it would say less than the one that is there"
    )]
    Unavailable {
        /// The experiment.
        experiment: String,
        /// The method's name.
        method: String,
    },
    /// Program or machine ended a run: what a study without it would say is no evidence.
    #[error("{experiment}: the run {run} has the status `{status}`: {message}")]
    Lost {
        /// The experiment.
        experiment: String,
        /// The run's key.
        run: String,
        /// How it ended.
        status: Status,
        /// What was said.
        message: String,
    },
    /// An experiment that is to vary along is not there.
    #[error("{0}: there is no experiment `{1}` to vary along")]
    Along(String, String),
}

impl Study {
    /// Samples the undetermined parameters of a scope, goes through its readings, and judges the checks that rest on it alone: what
    /// [`Scope::checks`] says of a ledger.
    ///
    /// A run that fails is evidence like any other; so is one that its model refuses, which has the status `refused`.
    ///
    /// # Errors
    /// No sample that the models accept; a method that is unavailable here; what the store says; a run that is
    /// [lost](Status::is_lost), after all others are made.
    pub fn new(
        scope: &Scope<'_>,
        (checks, left_out): (Vec<Judgeable<'_>>, Vec<(String, LeftOut)>),
        samples: u32,
        registry: &Registry,
        means: Means<'_>,
    ) -> Result<Self, StudyError> {
        let runs = scope.runs();
        let nominal = Varied { at: "the nominal numbers".to_owned(), runs: scope.nominal() };
        let paper = scope.plan.experiment.paper.as_str();
        let mut made = Made { scope, means, paper, checks: &checks, refusal: None, is_accepted: false, lost: None };
        let nominal = made.judge(vec![nominal])?.remove(0);
        // What is asked is whether any sample or reading is accepted besides.
        made.is_accepted = false;
        let mut study = Self { runs, left_out, ..Self::empty(scope, &checks, &nominal) };
        let samples = if scope.is_sampled() { samples } else { 0 };
        let sampled: Vec<(&Key, [f64; 2])> = scope.plan.experiment.sampled().collect();
        let points: Vec<Vec<f64>> = points(sampled.iter().map(|(_, range)| *range), samples).collect();
        let together = (TOGETHER / runs.max(1)).clamp(1, 64);
        for points in points.chunks(together) {
            let varied = points.iter().map(|point| {
                let values: Vec<(Key, Node)> =
                    sampled.iter().zip(point).map(|((key, _), &value)| ((*key).clone(), number(value, key))).collect();
                Varied::new(scope, &values, registry)
            });
            let judged = made.judge(varied.collect())?;
            points.iter().zip(judged).for_each(|(point, judged)| study.add(point, judged));
        }
        let readings: Vec<&Reading> = scope.plan.experiment.readings().collect();
        for reading in readings {
            let judged = made.judge(vec![Varied::new(scope, &reading.sets, registry)])?.remove(0);
            study.readings.push(reading.name.clone());
            for (check, (verdict, _)) in study.checks.iter_mut().zip(judged.verdicts) {
                check.readings.push(verdict);
            }
        }
        if let Some(lost) = made.lost {
            return Err(lost);
        }
        match made.refusal {
            Some(refusal) if !made.is_accepted => Err(refusal),
            _ => Ok(study),
        }
    }

    /// A study of these checks without samples.
    fn empty(scope: &Scope<'_>, checks: &[(&Check, String)], nominal: &JudgedSample) -> Self {
        let parameters = scope.plan.experiment.sampled().map(|(key, range)| Variable {
            name: key.name.clone(),
            is_logarithmic: is_logarithmic(range),
            values: Vec::new(),
        });
        let features = scope.plan.experiment.study.features.iter().map(|feature| Variable {
            name: feature.value.name.clone(),
            is_logarithmic: false,
            values: Vec::new(),
        });
        let sampled = |((check, definition), (nominal, _)): (&(&Check, String), &(Verdict, f64))| Sampled {
            check: check.id.clone(),
            definition: definition.clone(),
            nominal: *nominal,
            verdicts: Vec::new(),
            measured: Vec::new(),
            readings: Vec::new(),
        };
        Self {
            variables: parameters.chain(features).collect(),
            checks: checks.iter().zip(&nominal.verdicts).map(sampled).collect(),
            ..Self::default()
        }
    }

    fn add(&mut self, point: &[f64], judged: JudgedSample) {
        let values = point.iter().copied().chain(judged.features);
        self.variables.iter_mut().zip(values).for_each(|(variable, value)| variable.values.push(value));
        self.failed.push(judged.failed);
        for (check, (verdict, measured)) in self.checks.iter_mut().zip(judged.verdicts) {
            check.verdicts.push(verdict);
            check.measured.push(measured);
        }
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.failed.len()
    }

    /// The text of `robustness-samples.csv`: one line a sample with its parameters and features, the number of its runs that
    /// failed, and for every check the verdict and, where one was measured, the number. Numbers have six digits; the study
    /// itself takes the same points again on every machine.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn samples_to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let is_measured = |check: &Sampled| check.measured.iter().any(|number| !number.is_nan());
        let heads = self.checks.iter().flat_map(|check| {
            let measured = is_measured(check).then(|| format!("{} measured", check.check));
            std::iter::once(check.check.clone()).chain(measured)
        });
        let variables = self.variables.iter().map(|variable| variable.name.clone());
        writer.write_record(variables.chain(["failed_runs".to_owned()]).chain(heads))?;
        let number = |number: f64| if number.is_nan() { String::new() } else { decimal(rounded(number)) };
        for (sample, failed) in self.failed.iter().enumerate() {
            let values = self.variables.iter().map(|variable| number(variable.values[sample]));
            let verdicts = self.checks.iter().flat_map(|check| {
                let measured = is_measured(check).then(|| number(check.measured[sample]));
                std::iter::once(check.verdicts[sample].to_string()).chain(measured)
            });
            writer.write_record(values.chain([failed.to_string()]).chain(verdicts))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// What is the same for all samples while they are made.
struct Made<'m> {
    scope: &'m Scope<'m>,
    means: Means<'m>,
    paper: &'m str,
    checks: &'m [(&'m Check, String)],
    refusal: Option<StudyError>,
    is_accepted: bool,
    /// The first run that program or machine ended.
    lost: Option<StudyError>,
}

impl Made<'_> {
    /// Makes the runs of some samples and judges the checks on each.
    fn judge(&mut self, samples: Vec<Varied>) -> Result<Vec<JudgedSample>, StudyError> {
        self.is_accepted |= samples.iter().any(Varied::is_accepted);
        if self.refusal.is_none() {
            self.refusal = samples.iter().find_map(Varied::refusal);
        }
        let plans: Vec<Plan> = samples.iter().flat_map(|varied| varied.accepted(self.scope)).collect();
        let outcomes = results_of(&plans, Means { fresh: false, ..self.means })?;
        for (plan, outcome) in plans.iter().zip(&outcomes) {
            let mut made = plan.runs.iter().zip(&outcome.results.rows);
            if let Some((run, _)) = made.find(|(_, row)| row.status == Status::Unavailable) {
                let (experiment, method) = (plan.experiment.id.clone(), run.method.name().to_owned());
                return Err(StudyError::Unavailable { experiment, method });
            }
            if let Some(row) = outcome.results.rows.iter().find(|row| row.status.is_lost()) {
                let (experiment, run) = (plan.experiment.id.clone(), row.key.clone());
                let (status, message) = (row.status, row.message.clone().unwrap_or_default());
                self.lost.get_or_insert(StudyError::Lost { experiment, run, status, message });
            }
        }
        let mut outcomes = outcomes.into_iter();
        let mut plans = plans.into_iter();
        let each = self.scope.plans.len();
        let parts: Vec<(Varied, Vec<Plan>, Vec<Outcome>)> = samples
            .into_iter()
            .map(|varied| (varied, plans.by_ref().take(each).collect(), outcomes.by_ref().take(each).collect()))
            .collect();
        let (scope, checks, paper) = (self.scope, self.checks, self.paper);
        let judged = parts.into_par_iter().map(|(varied, plans, outcomes)| {
            let (plans, outcomes) = varied.with_refused(scope, plans, outcomes);
            JudgedSample::new(&plans, &outcomes, checks, paper)
        });
        Ok(judged.collect())
    }
}

/// The runs of a sample or a reading.
struct Varied {
    /// Its values, for messages.
    at: String,
    /// For each plan of the scope its runs, or why their model or method refuses them.
    runs: Vec<Vec<Result<RunSpec, Problem>>>,
}

impl Varied {
    fn new(scope: &Scope<'_>, values: &[(Key, Node)], registry: &Registry) -> Self {
        let text = |(key, node): &(Key, Node)| {
            format!("{} = {}", key.name, node.spelling().unwrap_or_else(|| node.to_json().to_string()))
        };
        let texts: Vec<String> = values.iter().map(text).collect();
        Self { at: texts.join(", "), runs: scope.plans.iter().map(|plan| plan.runs_with(values, registry)).collect() }
    }

    fn is_accepted(&self) -> bool {
        self.runs.iter().flatten().any(Result::is_ok)
    }

    fn refusal(&self) -> Option<StudyError> {
        let problem = self.runs.iter().flatten().find_map(|run| run.as_ref().err())?;
        Some(StudyError::Refused(self.at.clone(), problem.clone()))
    }

    /// The runs that can be made.
    fn accepted(&self, scope: &Scope<'_>) -> Vec<Plan> {
        let accepted = |(plan, runs): (&Plan, &Vec<Result<RunSpec, Problem>>)| Plan {
            runs: runs.iter().flatten().cloned().collect(),
            ..plan.clone()
        };
        scope.plans.iter().zip(&self.runs).map(accepted).collect()
    }

    /// Puts runs that were refused back to their places among those that were made, with the status `refused`.
    fn with_refused(
        self,
        scope: &Scope<'_>,
        mut plans: Vec<Plan>,
        mut outcomes: Vec<Outcome>,
    ) -> (Vec<Plan>, Vec<Outcome>) {
        for (index, (runs, nominal)) in self.runs.into_iter().zip(&scope.plans).enumerate() {
            for (place, (run, spec)) in runs.into_iter().zip(&nominal.runs).enumerate() {
                let Err(problem) = run else { continue };
                let row = Row {
                    axes: spec.cells.clone(),
                    status: Status::Refused,
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
        (plans, outcomes)
    }
}

/// What is kept of a sample.
struct JudgedSample {
    features: Vec<f64>,
    failed: usize,
    verdicts: Vec<(Verdict, f64)>,
}

impl JudgedSample {
    fn new(plans: &[Plan], outcomes: &[Outcome], checks: &[(&Check, String)], paper: &str) -> Self {
        let (plan, results) = (&plans[0], &outcomes[0].results);
        let feature = |feature: &Feature| {
            let place = plan.runs.iter().position(|run| plan.is_meant(run, &feature.filter))?;
            let (run, row) = (&plan.runs[place], &results.rows[place]);
            // The label of an axis is that of the file; its number may be one of those that vary.
            feature.value(|name| run.number_at(name).or_else(|| results.number(row, name)))
        };
        let evidence = Evidence::of(plans, outcomes);
        let verdict = |(check, _): &(&Check, String)| {
            let judgement = judge(paper, check, &evidence);
            (judgement.verdict, judgement.measured.unwrap_or(f64::NAN))
        };
        let features = &plan.experiment.study.features;
        Self {
            features: features.iter().map(|placed| feature(&placed.value).unwrap_or(f64::NAN)).collect(),
            failed: outcomes.iter().flat_map(|outcome| &outcome.results.rows).filter(|row| !row.is_ok()).count(),
            verdicts: checks.iter().map(verdict).collect(),
        }
    }
}
