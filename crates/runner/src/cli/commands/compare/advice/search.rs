//! The search: a reference, then rounds of runs with finer tolerances and steps, without the methods that have lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use mbsbench_experiment::Plan;
use mbsbench_problem::{Status, StepControl};
use mbsbench_runs::costs::Costs;
use mbsbench_runs::pipeline::{results_of, timings_of};
use mbsbench_runs::stop::Limited;
use mbsbench_runs::{Outcome, Progress};
use serde_json::{Value, json};

use super::Compare;
use super::question::{Question, Reference};
use crate::cli::{CommandError, Result, Session};

/// Unrelated methods that check each other as a reference. A group is tried if none of those before agrees.
const PAIRS: [&[[&str; 2]]; 3] = [
    &[["radau5", "mebdf"], ["dop853", "mebdf"]],
    &[["dop853", "radau5"], ["dop853", "cvode-adams"], ["radau5", "ida"]],
    &[["dop853", "rk8"]],
];

/// The decimal exponents of tolerances and binary exponents of the numbers of steps: the first, and the last.
const LEVELS: [[i32; 2]; 2] = [[2, 12], [4, 20]];

/// A method that costs this many times as much as the best without reaching an accuracy is not refined further.
const HOPELESS: f64 = 4.0;

/// Largest number of consecutive runs with tolerances that fail or are hardly more accurate.
const MOST_IDLE: u32 = 3;

/// Shares of the budget: a rough reference, a reference, a run, the end of the search in the first coordinates, and the
/// end of all runs except those of the timing.
const OF_ROUGH: f64 = 0.05;
const OF_REFERENCE: f64 = 0.2;
const OF_RUN: f64 = 0.08;
pub(super) const FIRST_END: f64 = 0.55;
pub(super) const END: f64 = 0.8;

/// A run that takes this many times as long as the reference, but at least [`SHORT`], cannot be among the best.
const SLOW: f64 = 2.0;

/// Duration of a run that is always allowed, s.
const SHORT: f64 = 0.25;

/// A method with a tolerance (`kind` 0) or steps (1).
struct Tried {
    method: String,
    kind: usize,
    /// Number of tolerances or steps so far.
    levels: i32,
    /// The smallest error so far.
    error: f64,
    idle: u32,
    /// The reason for the end of its refinement.
    end: Option<String>,
}

/// A run in the order of its plan.
struct Run {
    of: (String, usize, bool),
    status: Status,
    message: String,
    error: f64,
    work: f64,
    seconds: f64,
}

/// All runs of a search.
pub(super) struct Found {
    pub(super) text: String,
    pub(super) plans: Vec<Plan>,
    pub(super) outcomes: Vec<Outcome>,
    /// The methods whose refinement ended early, by reason.
    pub(super) ended: BTreeMap<String, BTreeSet<String>>,
    pub(super) reference: Reference,
    /// The digits to which its methods agree.
    pub(super) digits: f64,
}

/// A search under way.
pub(super) struct Search<'a, 's, 'o> {
    pub(super) question: &'a Question,
    pub(super) compare: &'a Compare,
    pub(super) session: &'s mut Session<'o>,
    pub(super) start: Instant,
    /// Longest duration of a run, s.
    pub(super) longest: f64,
    /// The share of the budget at which all runs end.
    pub(super) until: f64,
    /// The pairs of methods that do not agree at loose tolerances.
    pub(super) unfit: Vec<[&'static str; 2]>,
}

impl Search<'_, '_, '_> {
    pub(super) fn run(mut self) -> Result<Found> {
        let (reference, digits) = self.reference()?;
        let mut tried: Vec<Tried> = Vec::new();
        for (kind, plan) in self.question.every.iter().enumerate() {
            for run in plan.iter().flat_map(|plan| &plan.runs) {
                let method = run.method_label.clone();
                tried.push(Tried { method, kind, levels: 0, error: f64::INFINITY, idle: 0, end: None });
            }
        }
        let mut runs = Vec::new();
        while Instant::now() < self.end() && tried.iter().any(|each| each.end.is_none()) {
            tried.iter_mut().filter(|each| each.end.is_none()).for_each(|each| each.levels += 1);
            let (_, plans, outcomes) = self.make(&reference, &self.cases(&reference, &tried))?;
            runs = self.runs(&plans[0], &outcomes[0]);
            self.judge(&mut tried, &runs);
        }
        let mut cases = self.cases(&reference, &tried);
        if cases.is_empty() {
            let help = "a shorter `--span`, or more `--budget`";
            return Err(CommandError::refused("no run ended within the budget", help));
        }
        self.until = END;
        if let Some((other, name)) = &self.question.other {
            let best = self.best(&runs);
            let suiting = [0, 1].map(|kind| self.question.every_of(other, kind, self.session.library.registry).ok());
            let suits = |each: &Tried| {
                let all = suiting[each.kind].iter().flat_map(|plan| &plan.runs);
                best.contains(&each.method) && all.into_iter().any(|run| run.method_label == each.method)
            };
            tried.iter_mut().filter(|each| !suits(each)).for_each(|each| each.levels = 0);
            for mut case in self.cases(&reference, &tried) {
                case["case"] = json!(format!("{name}, {}", case["case"].as_str().unwrap_or_default()));
                case["model"] = other.clone();
                cases.push(case);
            }
        }
        let (mut text, mut plans, mut outcomes) = self.make(&reference, &cases)?;
        let rows = plans[0].runs.iter().zip(&outcomes[0].results.rows);
        let late = rows.filter(|(_, row)| row.status == Status::Interrupted).map(|(run, _)| json!(run.method_label));
        let late: Vec<Value> = late.collect();
        if !late.is_empty() {
            let others = cases.iter_mut().filter(|case| case.get("model").is_some());
            let methods = others.filter_map(|case| case["method"].as_array_mut());
            methods.for_each(|methods| methods.retain(|method| !late.contains(method)));
            cases.retain(|case| case["method"].as_array().is_some_and(|methods| !methods.is_empty()));
            (text, plans, outcomes) = self.make(&reference, &cases)?;
        }
        self.time(&mut plans[0].clone(), &mut outcomes[0]);
        let mut ended: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for Tried { method, end, .. } in tried {
            ended.entry(end.unwrap_or_default()).or_default().insert(method);
        }
        ended.remove("");
        Ok(Found { text, plans, outcomes, ended, reference, digits })
    }

    fn seconds(&self, share: f64) -> Duration {
        Duration::from_secs_f64(share * self.compare.budget)
    }

    /// The time at which all runs end.
    fn end(&self) -> Instant {
        self.start + self.seconds(self.until)
    }

    /// Computes the runs of an experiment with these cases, each for a limited time.
    fn make(&mut self, reference: &Reference, cases: &[Value]) -> Result<(String, Vec<Plan>, Vec<Outcome>)> {
        let text = self.question.text(reference, cases);
        let plans = vec![Plan::read(&self.question.place, text.as_bytes(), self.session.library.registry, false)?];
        let outcomes = self.outcomes(&plans)?;
        Ok((text, plans, outcomes))
    }

    fn outcomes(&mut self, plans: &[Plan]) -> Result<Vec<Outcome>> {
        let count = plans.iter().map(|plan| plan.runs.len()).sum();
        let progress = Progress::new(count).counting_failures();
        let _limited = Limited::new(Duration::from_secs_f64(self.longest), self.end());
        Ok(self.session.keep(progress, &self.compare.options, |resources| results_of(plans, resources))?.1)
    }

    /// Finds two methods that agree, first roughly to find the scales of errors, then to more digits than the finest
    /// accuracy.
    fn reference(&mut self) -> Result<(Reference, f64)> {
        let finest = self.compare.accuracy.iter().copied().fold(1.0, f64::min);
        let digits = (1.0 - finest.log10()).ceil() as u32;
        let rough =
            Reference { methods: PAIRS[0][0], exponent: 7, digits: 2, scales: vec![1.0; self.question.observed.len()] };
        let (rough, _) = self.agreeing(&rough, OF_ROUGH)?;
        self.agreeing(&Reference { exponent: (digits as i32 + 4).clamp(11, 13), digits, ..rough }, OF_REFERENCE)
    }

    /// Returns a reference like this one by two methods that agree to the required digits, with its scales.
    fn agreeing(&mut self, like: &Reference, share: f64) -> Result<(Reference, f64)> {
        let mut refusals = Vec::new();
        let any = self.question.every.iter().position(Option::is_some).unwrap_or(0);
        let first = self.question.every[any].iter().flat_map(|plan| &plan.runs).next();
        let method = first.map(|run| run.method_label.clone()).unwrap_or_default();
        let case = self.case(like, any, 1, &[&method]);
        for pairs in PAIRS {
            let mut plans = Vec::new();
            let mut tried = Vec::new();
            for &methods in pairs.iter().filter(|pair| !self.unfit.contains(pair)) {
                let reference = Reference { methods, ..like.clone() };
                let text = self.question.text(&reference, std::slice::from_ref(&case));
                // A method that does not suit the model cannot be one of the two.
                if let Ok(plan) =
                    Plan::read(&self.question.place, text.as_bytes(), self.session.library.registry, false)
                {
                    plans.push(plan);
                    tried.push(reference);
                }
            }
            self.longest = share * self.compare.budget;
            let outcomes = self.outcomes(&plans)?;
            let costs = self.costs();
            let mut best: Option<(Reference, f64)> = None;
            for (mut reference, outcome) in tried.into_iter().zip(&outcomes) {
                let Some(certificate) = outcome.certificates.first() else { continue };
                let [one, other] = reference.methods;
                match &certificate.outcome {
                    Err(why) => {
                        self.unfit.push(reference.methods);
                        refusals.push(format!("{one} and {other}: {why}"));
                    }
                    Ok(found) if found.digits < found.digits_asked => {
                        refusals.push(format!("{one} and {other} agree to only {:.1} digits", found.digits));
                    }
                    Ok(found) if best.as_ref().is_none_or(|(_, digits)| found.digits > *digits) => {
                        reference.scales = self.question.scales(&found.observables, &found.values);
                        let seconds = costs.of(&certificate.plan.key).unwrap_or(0.0);
                        self.longest = (SLOW * seconds).max(SHORT).min(OF_RUN * self.compare.budget);
                        best = Some((reference, found.digits));
                    }
                    Ok(_) => {}
                }
            }
            if let Some(best) = best {
                return Ok(best);
            }
        }
        let asked = like.digits;
        Err(CommandError::refused(
            &format!("no two methods agree to {asked} digits, so errors cannot be measured:\n{}", refusals.join("\n")),
            "a shorter `--span`, a larger `--budget`, or coarser values of `--accuracy` may help",
        ))
    }

    /// Returns a case with some methods at their first tolerances or steps.
    fn case(&self, reference: &Reference, kind: usize, levels: i32, methods: &[&String]) -> Value {
        let [start, end] = self.question.span;
        let exponents: Vec<i32> = (0..levels).map(|level| LEVELS[kind][0] + 2 * level).collect();
        let last = exponents.last().copied().unwrap_or_default();
        match kind {
            0 => {
                let tolerances: Vec<Value> = exponents.iter().map(|&exponent| reference.tolerance(exponent)).collect();
                json!({ "case": format!("to 1e-{last}"), "method": methods, "tolerance": tolerances })
            }
            _ => {
                let steps: Vec<f64> = exponents.iter().map(|&exponent| (end - start) / 2f64.powi(exponent)).collect();
                json!({ "case": format!("to 2^{last} steps"), "method": methods, "step": steps })
            }
        }
    }

    /// Returns one case for all methods with the same tolerances or steps.
    fn cases(&self, reference: &Reference, tried: &[Tried]) -> Vec<Value> {
        let mut groups: BTreeMap<(usize, i32), Vec<&String>> = BTreeMap::new();
        for each in tried.iter().filter(|each| each.levels > 0) {
            groups.entry((each.kind, each.levels)).or_default().push(&each.method);
        }
        groups.into_iter().map(|((kind, levels), methods)| self.case(reference, kind, levels, &methods)).collect()
    }

    /// The seconds that runs and references took.
    fn costs(&self) -> Costs {
        Costs::known(&self.compare.options.machine.cache, &self.session.library.recorded())
    }

    fn runs(&self, plan: &Plan, outcome: &Outcome) -> Vec<Run> {
        let results = &outcome.results;
        let costs = self.costs();
        let scale = plan.experiment.rankings[0].value.scale;
        let run = |(run, row): (&mbsbench_experiment::RunSpec, &mbsbench_runs::Row)| {
            let number = |column: &str| results.number(row, column);
            let error = || Some((number("scaled_error")? + number("scaled_error_bound")?) / scale);
            let (kind, least) = match run.settings.control {
                StepControl::Fixed { step } => (1, (run.span[1] - run.span[0]) / step),
                StepControl::Tolerance { .. } => (0, 0.0),
            };
            let case = plan.axis("case").and_then(|axis| run.cells[axis].as_ref());
            let is_other = case.is_some_and(|case| case.text.contains("coordinates"));
            Run {
                of: (run.method_label.clone(), kind, is_other),
                status: row.status,
                message: row.message.clone().unwrap_or_default(),
                error: error().filter(|error| row.is_ok() && error.is_finite()).unwrap_or(f64::INFINITY),
                work: if row.is_ok() { number("rhs_cost").unwrap_or(least) } else { least },
                seconds: costs.of(run.key()).unwrap_or(0.0),
            }
        };
        plan.runs.iter().zip(&results.rows).map(run).collect()
    }

    /// The least of a cost with which some of the runs reach an accuracy.
    fn least<'r>(runs: impl IntoIterator<Item = &'r Run>, accuracy: f64, cost: impl Fn(&Run) -> f64) -> f64 {
        let reaching = runs.into_iter().filter(|run| run.error <= accuracy);
        reaching.map(cost).fold(f64::INFINITY, f64::min)
    }

    /// Decides which methods are refined further.
    fn judge(&self, tried: &mut [Tried], runs: &[Run]) {
        let is_over = Instant::now() >= self.end();
        let least = self.compare.accuracy.iter().map(|&accuracy| {
            [Self::least(runs, accuracy, |run| run.work), Self::least(runs, accuracy, |run| run.seconds)]
        });
        let least: Vec<[f64; 2]> = least.collect();
        for each in tried.iter_mut().filter(|each| each.end.is_none()) {
            let mut own = runs.iter().filter(|run| run.of.0 == each.method && run.of.1 == each.kind && !run.of.2);
            let Some(last) = own.next_back() else { continue };
            if last.status == Status::Interrupted {
                each.levels -= 1;
                each.end =
                    Some(if is_over { "the budget ended" } else { "a run took longer than the reference" }.to_owned());
                continue;
            }
            each.idle = if last.error < 0.5 * each.error { 0 } else { each.idle + 1 };
            each.error = each.error.min(last.error);
            let missed = || self.compare.accuracy.iter().zip(&least).filter(|(accuracy, _)| each.error > **accuracy);
            let is_hopeless = missed().all(|(_, [work, seconds])| {
                let is_slow = last.status != Status::Ok || last.seconds > HOPELESS * seconds;
                last.work > HOPELESS * work && is_slow
            });
            each.end = if missed().next().is_none() {
                Some(String::new())
            } else if is_hopeless {
                Some(format!("more than {HOPELESS} times the cost of the best"))
            } else if each.idle >= MOST_IDLE && (each.kind == 0 || each.error.is_finite()) {
                let is_told = last.message.lines().next().is_some_and(|reason| !reason.is_empty());
                Some(if is_told { last.status.to_string() } else { "no more accurate with finer control".to_owned() })
            } else if LEVELS[each.kind][0] + 2 * each.levels > LEVELS[each.kind][1] {
                Some("accuracy not reached with the finest control".to_owned())
            } else {
                is_over.then(|| "the budget ended".to_owned())
            };
        }
    }

    /// The methods that reach some accuracy with the least work, or in the least time.
    fn best(&self, runs: &[Run]) -> BTreeSet<String> {
        let mut best = BTreeSet::new();
        for &accuracy in &self.compare.accuracy {
            for cost in [|run: &Run| run.work, |run: &Run| run.seconds] {
                let least = 1.5 * Self::least(runs, accuracy, cost);
                let near = runs.iter().filter(|run| run.error <= accuracy && cost(run) <= least);
                best.extend(near.map(|run| run.of.0.clone()));
            }
        }
        best
    }

    /// Times the runs that decide which methods are fastest, as far as the budget allows.
    fn time(&self, plan: &mut Plan, outcome: &mut Outcome) {
        let runs = self.runs(plan, outcome);
        let left = (self.start + self.seconds(0.97)).saturating_duration_since(Instant::now()).as_secs_f64();
        for (factor, rounds) in [(4.0, 3), (3.0, 1), (1.5, 1)] {
            let mut wanted = BTreeSet::new();
            for &accuracy in &self.compare.accuracy {
                let least = Self::least(&runs, accuracy, |run| run.seconds);
                let mut start = 0;
                for group in runs.chunk_by(|one, other| one.of == other.of) {
                    let first = group.iter().position(|run| run.error <= accuracy);
                    if let Some(first) = first.filter(|&first| group[first].seconds <= factor * least) {
                        // The ranking interpolates between this run and the one before.
                        wanted.extend(start + first.saturating_sub(1)..=start + first);
                    }
                    start += group.len();
                }
            }
            let total: f64 = wanted.iter().map(|&index| runs[index].seconds).sum();
            if total * f64::from(rounds + 1) > left && factor > 1.5 {
                continue;
            }
            plan.runs = wanted.iter().map(|&index| plan.runs[index].clone()).collect();
            let mut results = outcome.results.clone();
            results.rows = wanted.iter().map(|&index| results.rows[index].clone()).collect();
            plan.experiment.timing.iter_mut().for_each(|timing| timing.repeat = rounds);
            for (index, timing) in wanted.into_iter().zip(timings_of(plan, &results)) {
                outcome.results.rows[index].timing = timing;
            }
            return;
        }
    }
}
