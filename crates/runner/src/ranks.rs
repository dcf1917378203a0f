//! The ranks of one method on all models of a comparison, as `mbsbench compare` and the report show them.

use std::collections::HashSet;
use std::sync::Arc;

use mbsbench_experiment::registry::MethodKind;
use mbsbench_experiment::{Choice, RunSpec};
use mbsbench_judge::comparison::{MethodRanks, Rank, Tally, words};
use mbsbench_numbers::short;
use mbsbench_problem::Formulated;

use mbsbench_experiment::lists::{grouped, unique};

/// The lines of a table, headings first, or the reason why there is none.
type RankTable = Result<Vec<Vec<String>>, &'static str>;

/// A method with its position in each ranking.
pub(crate) struct Ranks<'s> {
    /// The name of the method.
    pub label: &'s str,
    /// The method.
    pub choice: &'s Choice<MethodKind>,
    /// Its positions.
    pub standings: Vec<MethodRanks<'s>>,
}

impl Ranks<'_> {
    /// Returns a table for each kind of work.
    pub fn tables(&self) -> Vec<(&str, RankTable)> {
        let works =
            unique(self.standings.iter().flat_map(|standing| &standing.spec.work.0).map(|(work, _)| work.as_str()));
        works.into_iter().map(|work| (work, self.table(work))).collect()
    }

    fn table(&self, head: &str) -> RankTable {
        let accuracies = unique(self.standings.iter().flat_map(|standing| standing.spec.accuracies.iter().copied()));
        let columns = accuracies.iter().map(|accuracy| format!("{accuracy:e}"));
        let mut lines =
            vec![["model".to_owned()].into_iter().chain(columns).chain(["failed runs".to_owned()]).collect()];
        let mut seen: Vec<&Rank> = Vec::new();
        for standing in &self.standings {
            let Some(work) = standing.spec.work.0.iter().position(|(name, _)| name == head) else { continue };
            seen.extend(standing.ranks.iter().map(|ranks| &ranks[work]));
            if standing.counts.runs == 0 {
                continue;
            }
            let cell = |accuracy: &f64| {
                let level = standing.spec.accuracies.iter().position(|other| other == accuracy);
                level.map_or(String::new(), |level| cell(&standing.ranks[level][work]))
            };
            let failed = match (standing.counts.failed, standing.counts.unavailable) {
                (failed, 0) => format!("{failed} of {}", standing.counts.runs),
                (_, unavailable) => format!("{unavailable} not available here"),
            };
            let title = [standing.spec.title.clone()];
            lines.push(title.into_iter().chain(accuracies.iter().map(cell)).chain([failed]).collect::<Vec<_>>());
        }
        if seen.iter().any(|rank| matches!(rank, Rank::Reached { .. })) {
            Ok(lines)
        } else if seen.contains(&&Rank::Free) {
            Err("none needed")
        } else if seen.contains(&&Rank::Unmeasured) {
            Err("not measured; only times measured together are compared: run `mbsbench reproduce comparison`")
        } else {
            Err("the method reaches no accuracy")
        }
    }

    /// Returns the rankings without runs of the method, grouped by the reason.
    pub fn absent(&self) -> Vec<(String, Vec<&str>)> {
        let absent = self.standings.iter().filter(|standing| standing.counts.runs == 0);
        grouped(absent.map(|standing| (self.why_absent(standing), standing.spec.title.as_str())))
    }

    /// The reason why the method was not run on the problems of a ranking.
    pub fn why_absent(&self, standing: &MethodRanks<'_>) -> String {
        let mut named = standing.plan.experiment.cases.iter().flat_map(|case| case.account.named());
        if let Some((_, reason, _)) = named.find(|(method, ..)| *method == self.label) {
            return reason;
        }
        let mut tried = HashSet::new();
        let runs = standing.plan.meant(&standing.spec.filter).map(|(_, run)| run);
        let mut distinct = runs.filter(|run| tried.insert((Arc::as_ptr(&run.model), run.settings.events)));
        distinct.find_map(|run| refusal(self.choice, run)).unwrap_or_else(|| {
            match self.choice.object.method().properties().adapts {
                true => "the experiment excludes methods of this kind",
                false => "the method takes constant steps only, and the experiment prescribes tolerances",
            }
            .to_owned()
        })
    }

    /// A summary in one line: how often the method reaches the accuracies, at what cost, and how often it fails.
    pub fn summary(&self) -> String {
        let tally = Tally::of(&self.standings);
        let reached: Vec<String> =
            tally.reached.iter().map(|(accuracy, count)| format!("{accuracy:e} on {count}")).collect();
        let ratios = tally.ratios.iter().filter_map(|(work, ratio)| Some(format!("{} by {work}", short((*ratio)?))));
        let ratios: Vec<String> = ratios.collect();
        let cost = match ratios.is_empty() {
            true => "no comparable costs".to_owned(),
            false => format!("median cost relative to the best method {}", ratios.join(", ")),
        };
        format!(
            "{}: reaches {} of {} models; {cost}; {} of {} runs failed",
            self.label,
            if reached.is_empty() { "nothing".to_owned() } else { reached.join(", ") },
            tally.models,
            tally.failed,
            tally.runs
        )
    }
}

/// The reason why a method cannot make a run; `None` if it can.
pub(crate) fn refusal(choice: &Choice<MethodKind>, run: &RunSpec) -> Option<String> {
    let model = run.model.object.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    let refused = choice.object.method().applies_to(ode.as_mut(), run.settings.events).err();
    refused.map(|unsuitable| unsuitable.to_string())
}

/// Formats a rank: `3 of 28, 1.42 × dop853 371`. For the best method, its own cost is shown.
fn cell(rank: &Rank) -> String {
    match rank {
        Rank::Reached { rank, of, cost, best, .. } => {
            let own = words::cost_of(cost);
            match rank {
                1 => format!("1 of {of}, {own}"),
                _ => format!("{rank} of {of}, {own} = {} × {}", short(cost.value / best.1), best.0),
            }
        }
        Rank::NotReached { by: 0 } => "not reached by any method".to_owned(),
        Rank::NotReached { by: 1 } => "not reached; 1 other method reaches it".to_owned(),
        Rank::NotReached { by } => format!("not reached; {by} other methods reach it"),
        Rank::Unresolved => words::UNRESOLVED.to_owned(),
        Rank::Free => "none needed".to_owned(),
        Rank::Unmeasured => "not measured".to_owned(),
        Rank::Absent => String::new(),
    }
}
