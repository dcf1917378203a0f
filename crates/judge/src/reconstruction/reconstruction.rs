//! Reconstruction of the set-ups that a paper allows, with the verdicts of checks in them.

use std::collections::{BTreeSet, HashMap};

use mbsbench_experiment::{Plan, Registry};
use mbsbench_numbers::{csv, decimal, rounded};
use mbsbench_runs::Resources;

use super::bench::{Bench, Judged, Result, Trials, Values, miss};
use super::explain::Variable;
use super::finding::{Finding, Findings, Tally};
use super::scope::{Checks, Judgeable, Scope};
use super::search::{Search, Tried};
use super::space::SetUp;
use crate::claims::{Check, Counts, Verdict};

/// Number of accepted set-ups that are drawn.
const WANTED: usize = 96;
/// Number of accepted set-ups that are drawn if the share of a check is close to a required one.
const MOST: usize = 384;
/// Shares that could cross a required share if there were more set-ups.
const NEAR: std::ops::Range<f64> = 0.85..0.98;
/// Divisor of the budget for the search of a witness.
const WITNESS: usize = 4;

/// The size of a reconstruction.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of samples of the ranges, if there are no givens.
    pub samples: u32,
    /// Largest number of set-ups that are evaluated, if there are givens.
    pub budget: usize,
}

/// The verdicts of checks in the set-ups that an experiment allows.
#[derive(Debug, Clone, Default)]
pub struct Reconstruction {
    /// The findings.
    pub findings: Findings,
    /// The undetermined parameters that are sampled, then the readings and the features.
    pub variables: Vec<Variable>,
    /// The position of each set-up in each range, from 0 to 1.
    pub units: Vec<Vec<f64>>,
    /// For each set-up, the number of its runs that failed, or that their model or method refused.
    pub failed: Vec<usize>,
    /// For each judged check, its verdict and number in each set-up; NaN without a number.
    pub samples: Vec<Vec<(Verdict, f64)>>,
    /// A set-up that satisfies everything at once.
    pub witness: Option<Witness>,
}

/// A set-up that meets all givens and all sentences, or comes closest to it.
#[derive(Debug, Clone)]
pub struct Witness {
    /// Its parameters by path.
    pub values: Values,
    /// Each given with the measured number and its distance beyond the tolerance, in tolerances.
    pub givens: Vec<(String, Option<f64>, f64)>,
    /// Each sentence with its verdict; empty if no set-up meets all givens.
    pub sentences: Vec<(String, Verdict)>,
}

impl Witness {
    /// True if all givens and all sentences hold together.
    pub fn is_attained(&self) -> bool {
        self.givens.iter().all(|(.., miss)| *miss == 0.0)
            && self.sentences.iter().all(|(_, verdict)| *verdict == Verdict::Reproduced)
    }
}

impl Reconstruction {
    /// Searches for the set-ups that meet the givens and judges checks in them. Without givens, it samples the ranges
    /// and tries each reading with the numbers of the file.
    ///
    /// A run that fails is evidence like any other. A run that its model refuses counts as a failure with the status
    /// `refused`.
    ///
    /// # Errors
    /// Fails if the models accept no set-up, if a method is not installed here, if the cache fails, or if a run is
    /// [lost](mbsbench_problem::Status::is_lost); the last is reported after all other runs.
    pub fn new(
        scope: &Scope<'_>,
        checks: Checks<'_>,
        size: Size,
        registry: &Registry,
        resources: Resources<'_>,
    ) -> Result<Self> {
        let mut bench = Bench::new(scope, registry, resources);
        let Checks { judged: checks, left_out, sentences } = checks;
        let parts = scope.parts_for(checks.iter().map(|(check, _)| *check));
        let nominal = bench.judge(&parts, &[Vec::new()], &checks)?.remove(0);
        (bench.refusal, bench.is_any_accepted) = (None, false);
        let mut found = if scope.is_conditioned() {
            conditioned(&mut bench, (&checks, &sentences), &parts, size.budget)?
        } else {
            sampled(&mut bench, &checks, &parts, size.samples)?
        };
        let judged = found.findings.checks.iter_mut().zip(&found.samples).zip(nominal.verdicts);
        for ((finding, samples), (nominal, _)) in judged {
            finding.nominal = nominal;
            finding.counted = if scope.is_conditioned() { Verdict::Reproduced } else { nominal };
            finding.count_in(&found.variables, samples);
        }
        for (check, reason) in left_out {
            let left_out = Some(reason.name().to_owned());
            found.findings.checks.push(Finding { check, left_out, ..Finding::default() });
        }
        bench.finish()?;
        Ok(found)
    }

    /// Builds a reconstruction from these set-ups, without the readings of its checks.
    fn of(scope: &Scope<'_>, checks: &[Judgeable<'_>], set_ups: &[SetUp], judged: &[&Judged]) -> Self {
        let space = &scope.space;
        let numbers: Vec<Vec<f64>> = set_ups.iter().map(|set_up| space.numbers(set_up)).collect();
        let ranges = space.ranges.iter().enumerate().map(|(d, (key, _))| {
            let values = numbers.iter().map(|numbers| numbers[d]).collect();
            Variable { name: key.name.clone(), is_reading: false, values }
        });
        let readings = space.readings().filter(|(_, choice)| *choice > 0).map(|(place, choice)| {
            let values = set_ups.iter().map(|set_up| f64::from(set_up.readings[place] == choice)).collect();
            Variable { name: space.reading(place, choice), is_reading: true, values }
        });
        let features = scope.plan.experiment.study.features.iter().enumerate().map(|(k, feature)| {
            let values = judged.iter().map(|judged| judged.features[k]).collect();
            Variable { name: feature.name.clone(), is_reading: false, values }
        });
        let count = checks.len();
        let sample = |k: usize| judged.iter().map(|judged| judged.verdicts[k]).collect();
        let check = |(check, definition): &Judgeable<'_>| {
            let (check, definition) = (check.id.clone(), definition.clone());
            Finding { check, definition, ..Finding::default() }
        };
        let checks = checks.iter().map(check).collect();
        Self {
            findings: Findings { set_ups: set_ups.len(), is_even: true, checks, ..Findings::default() },
            variables: ranges.chain(readings).chain(features).collect(),
            units: set_ups.iter().map(|set_up| set_up.units.clone()).collect(),
            failed: judged.iter().map(|judged| judged.failed).collect(),
            samples: (0..count).map(sample).collect(),
            witness: None,
        }
    }

    /// Returns the text of `set-ups.csv`: one line for each set-up with its parameters, readings and features, the
    /// number of its failed runs, and the verdict of every check with its number, if one was measured. Numbers have six
    /// digits.
    pub fn set_ups_to_csv(&self) -> String {
        let checks: Vec<_> = self.findings.checks.iter().zip(&self.samples).collect();
        let is_measured = |samples: &[(Verdict, f64)]| samples.iter().any(|(_, number)| !number.is_nan());
        let heads = checks.iter().flat_map(|(finding, samples)| {
            let measured = is_measured(samples).then(|| format!("{} measured", finding.check));
            std::iter::once(finding.check.clone()).chain(measured)
        });
        let variables = self.variables.iter().map(|variable| variable.name.clone());
        let heads = variables.chain(["failed_runs".to_owned()]).chain(heads).collect();
        let number = |number: f64| if number.is_nan() { String::new() } else { decimal(rounded(number)) };
        let line = |(place, failed): (usize, &usize)| -> Vec<String> {
            let values = self.variables.iter().map(|variable| number(variable.values[place]));
            let verdicts = checks.iter().flat_map(|(_, samples)| {
                let (verdict, measured) = samples[place];
                let measured = is_measured(samples).then(|| number(measured));
                std::iter::once(verdict.name().to_owned()).chain(measured)
            });
            values.chain([failed.to_string()]).chain(verdicts).collect()
        };
        csv([heads].into_iter().chain(self.failed.iter().enumerate().map(line)))
    }
}

/// Samples the ranges with the readings of the file, and tries each other reading with the numbers of the file.
fn sampled(bench: &mut Bench<'_>, checks: &[Judgeable<'_>], parts: &[Plan], samples: u32) -> Result<Reconstruction> {
    let (scope, space) = (bench.scope, &bench.scope.space);
    let samples = if space.ranges.is_empty() { 0 } else { samples };
    let set_ups: Vec<SetUp> = (0..samples).map(|point| space.as_in_file(point)).collect();
    let values: Vec<Values> = set_ups.iter().map(|set_up| space.values(set_up)).collect();
    let judged = bench.judge(parts, &values, checks)?;
    let mut found = Reconstruction::of(scope, checks, &set_ups, &judged.iter().collect::<Vec<_>>());
    // The other readings are not sampled and cannot be decisive.
    found.variables.retain(|variable| !variable.is_reading);
    for reading in scope.plan.experiment.readings() {
        let judged = bench.judge(parts, std::slice::from_ref(&reading.sets), checks)?.remove(0);
        for (finding, (verdict, _)) in found.findings.checks.iter_mut().zip(judged.verdicts) {
            finding.readings.push((reading.name.clone(), Some(verdict)));
        }
        found.findings.readings.push(Tally { name: reading.name.clone(), tried: 1, met: 1 });
    }
    found.findings.tried = [set_ups.len(), found.failed.iter().filter(|&&failed| failed > 0).count()];
    Ok(found)
}

/// Searches for the set-ups that meet all givens.
fn conditioned(
    bench: &mut Bench<'_>,
    (checks, sentences): (&[Judgeable<'_>], &[usize]),
    parts: &[Plan],
    budget: usize,
) -> Result<Reconstruction> {
    let (scope, space) = (bench.scope, &bench.scope.space);
    let mut search = Search::new(space, Trials::new(bench, std::iter::empty()), budget);
    let mut judged: HashMap<usize, Judged> = HashMap::new();
    let mut wanted = WANTED;
    loop {
        let before = search.drawn.len();
        search.draw(wanted)?;
        let new: BTreeSet<usize> = search.drawn.iter().copied().filter(|place| !judged.contains_key(place)).collect();
        let values: Vec<Values> = new.iter().map(|&place| space.values(&search.tried[place].set_up)).collect();
        let found = search.trial.bench.judge(parts, &values, checks)?;
        judged.extend(new.into_iter().zip(found));
        let is_near = |k: usize| {
            let holds = search.drawn.iter().filter(|place| judged[place].verdicts[k].0 == Verdict::Reproduced).count();
            NEAR.contains(&(holds as f64 / search.drawn.len() as f64))
        };
        if wanted == MOST || search.drawn.len() == before || !(0..checks.len()).any(is_near) {
            break;
        }
        wanted = MOST;
    }
    let drawn: Vec<&Judged> = search.drawn.iter().map(|place| &judged[place]).collect();
    let set_ups: Vec<SetUp> = search.drawn.iter().map(|&place| search.tried[place].set_up.clone()).collect();
    let mut found = Reconstruction::of(scope, checks, &set_ups, &drawn);
    let findings = &mut found.findings;
    findings.is_even = search.is_even;
    findings.tried = [search.tried.len(), search.trial.failed];
    let id = |given: usize| scope.givens[given].check.id.clone();
    let tried = |is_meant: &dyn Fn(&Tried) -> bool, is_met: &dyn Fn(&Tried) -> bool| {
        let meant = || search.tried.iter().filter(|tried| is_meant(tried));
        [meant().count(), meant().filter(|tried| is_met(tried)).count()]
    };
    for given in 0..scope.givens.len() {
        let [tried, met] = tried(&|tried| tried.misses[given].is_some(), &|tried| tried.meets(given));
        findings.givens.push(Tally { name: id(given), tried, met });
    }
    let named = |givens: &Vec<usize>| givens.iter().map(|&given| id(given)).collect::<Vec<_>>().join(", ");
    findings.conflicts = search.conflicts(scope.givens.len()).iter().map(named).collect();
    for (place, choice) in space.readings() {
        let name = space.reading(place, choice);
        let [tried, met] = tried(&|tried| tried.set_up.readings[place] == choice, &Tried::is_accepted);
        for (k, finding) in findings.checks.iter_mut().enumerate().filter(|_| choice > 0) {
            let there = set_ups.iter().zip(&drawn).filter(|(set_up, _)| set_up.readings[place] == choice);
            let counts: Counts = there.map(|(_, judged)| judged.verdicts[k].0).collect();
            let prevailing = Verdict::ALL.into_iter().rev().max_by_key(|&verdict| counts.of(verdict));
            finding.readings.push((name.clone(), prevailing.filter(|_| counts.all() > 0)));
        }
        findings.readings.push(Tally { name, tried, met });
    }
    let places: BTreeSet<usize> = search.drawn.iter().copied().collect();
    let accepted = places.into_iter().map(|place| search.tried[place].set_up.clone()).collect();
    let nearest = search.best().map(|tried| tried.set_up.clone());
    let left = budget.saturating_sub(search.tried.len()).max(budget / WITNESS);
    drop(search);
    let sentences = sentences.iter().map(|&k| checks[k].0);
    found.witness = witness(bench, sentences.collect(), accepted, nearest, left)?;
    Ok(found)
}

/// Returns the set-up that meets everything at once: an accepted one, or one found from accepted ones. If none is
/// accepted, it is the nearest one.
fn witness(
    bench: &mut Bench<'_>,
    sentences: Vec<&Check>,
    accepted: Vec<SetUp>,
    nearest: Option<SetUp>,
    budget: usize,
) -> Result<Option<Witness>> {
    let (scope, space) = (bench.scope, &bench.scope.space);
    let givens = scope.givens.len();
    let sentences = if accepted.is_empty() { Vec::new() } else { sentences };
    let count = accepted.len();
    let mut search = Search::new(space, Trials::new(bench, sentences.iter().copied()), count + budget);
    search.evaluate(accepted.into_iter().map(|set_up| (set_up, f64::INFINITY)).collect())?;
    if !search.tried.iter().any(Tried::is_accepted) {
        search.descend(None, budget, 1)?;
    }
    let meets_givens = search.tried.iter().filter(|tried| (0..givens).all(|given| tried.meets(given)));
    let distance = |tried: &Tried| tried.distance().unwrap_or(f64::INFINITY);
    let best = meets_givens.reduce(|a, b| if distance(b) < distance(a) { b } else { a });
    let Some(set_up) = best.map(|tried| tried.set_up.clone()).or(nearest) else { return Ok(None) };
    let judgements = search.trial.judgements(&set_up)?;
    let (of_givens, of_sentences) = judgements.split_at(givens);
    let given = |(given, judgement): (&crate::claims::Given, &crate::claims::Judgement)| {
        (given.check.id.clone(), judgement.measured, miss(judgement, true))
    };
    Ok(Some(Witness {
        values: space.values(&set_up),
        givens: scope.givens.iter().zip(of_givens).map(given).collect(),
        sentences: sentences.iter().map(|check| check.id.clone()).zip(of_sentences.iter().map(|j| j.verdict)).collect(),
    }))
}
