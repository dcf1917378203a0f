//! The summary of rankings as files, with the contents of the page's tables and more digits.

use std::fmt::Write;

use mbsbench_numbers::{csv, decimal, markdown};

use super::{Place, Ranked, near};

/// The columns of `summary.csv`.
const HEADS: &str = "experiment,model,accuracy,methods,reached_by,work,rank,method,setting,cost,at_least,at_most,\
                     unsteady,contender,run";

/// The rankings of all experiments.
#[derive(Debug, Clone)]
pub struct Summary<'p>(pub Vec<Ranked<'p>>);

impl<'p> Summary<'p> {
    /// The first ranking of each experiment, which stands for its model.
    pub fn models(&self) -> Vec<&Ranked<'p>> {
        let is_first = |ranked: &&Ranked<'_>| std::ptr::eq(ranked.spec, &ranked.plan.experiment.rankings[0].value);
        self.0.iter().filter(is_first).collect()
    }

    /// Returns one line for each method in a cell of the tables, with full-precision costs including those of the
    /// neighbouring runs. An accuracy that no method reaches has a line without a method.
    pub fn to_csv(&self) -> String {
        let mut records: Vec<Vec<String>> = vec![HEADS.split(',').map(str::to_owned).collect()];
        for ranked in &self.0 {
            for (level, &accuracy) in ranked.spec.accuracies.iter().enumerate() {
                let head = [
                    ranked.plan.experiment.id.clone(),
                    ranked.spec.title.clone(),
                    format!("{accuracy:e}"),
                    ranked.counts.methods.to_string(),
                    ranked.reached_by[level].to_string(),
                ];
                for ((work, _), places) in ranked.spec.work.0.iter().zip(&ranked.places[level]) {
                    let head = head.iter().chain([work]);
                    records.extend(lines(places).into_iter().map(|line| head.clone().cloned().chain(line).collect()));
                }
            }
        }
        csv(records)
    }

    /// Returns a Markdown table for each model.
    pub fn markdown(&self) -> String {
        let mut text = format!("# The cheapest methods\n\n{}\n", words::what_it_means());
        for ranked in &self.0 {
            let heads: Vec<String> = ranked.spec.work.0.iter().map(|(head, _)| markdown(head)).collect();
            let (title, about) = (markdown(&ranked.spec.title), markdown(&words::about(ranked)));
            let _ = writeln!(text, "\n## {title}\n\n{about}\n");
            let _ = writeln!(text, "| accuracy | reached by | {} |", heads.join(" | "));
            let _ = writeln!(text, "|---|---|{}", "---|".repeat(heads.len()));
            for (level, &accuracy) in ranked.spec.accuracies.iter().enumerate() {
                let cell = |places: &Vec<Place<'_>>| {
                    let named = near(places).iter().map(|place| {
                        let (name, cost) = (markdown(place.method), words::cost_of(&place.cost));
                        let name = if place.is_contender { format!("**{name}**") } else { name };
                        format!("{name} {cost} ({})", markdown(&words::between(place)))
                    });
                    named.collect::<Vec<_>>().join("; ")
                };
                let cells: Vec<String> = ranked.places[level].iter().map(cell).collect();
                let reached = words::reached(ranked, level);
                let _ = writeln!(text, "| {accuracy:e} | {reached} | {} |", cells.join(" | "));
            }
        }
        text.push_str(&words::settings(&self.0));
        text
    }
}

/// The columns from `rank` onwards, for each method in a cell.
fn lines(places: &[Place<'_>]) -> Vec<[String; 9]> {
    if places.is_empty() {
        return vec![<[String; 9]>::default()];
    }
    let flag = |holds: bool| if holds { "yes".to_owned() } else { String::new() };
    let line = |(index, place): (usize, &Place<'_>)| {
        let Place { cost, .. } = place;
        [
            (index + 1).to_string(),
            place.method.to_owned(),
            place.setting.clone(),
            decimal(cost.value),
            cost.at_least.map_or_else(String::new, decimal),
            decimal(cost.at_most),
            flag(cost.is_unsteady),
            flag(place.is_contender),
            place.run.clone(),
        ]
    };
    near(places).iter().enumerate().map(line).collect()
}

/// Descriptions of rankings for readers.
pub mod words {
    use super::{Place, Ranked};
    use crate::comparison::{APART, Cost, Unequal};
    use mbsbench_experiment::lists::grouped;
    use mbsbench_numbers::{markdown, short};

    /// The introduction above all tables.
    pub fn what_it_means() -> String {
        format!(
            "Each cell lists the methods that cost at most {APART} times as much as the cheapest one, the cheapest \
             first: smaller differences are not significant, since steps and tolerances were tried on a coarse grid. \
             The cost of an accuracy is interpolated, linearly in the logarithms of error and work, between two \
             neighbouring runs of a method, one that misses the accuracy and one that reaches it; the costs of these \
             two runs follow it. The error includes the bound on the reference's own error. Nothing is \
             extrapolated, and nothing is interpolated across a failed run. Symbols: {SIGNS}."
        )
    }

    /// The result of a ranking that the error bounds of its reference leave open.
    pub const UNRESOLVED: &str = "reference not accurate enough, see references.csv";

    /// The symbols beside costs.
    pub const SIGNS: &str = "≤, an upper bound: the cost of a run that has no cheaper neighbour to interpolate with; \
                             ?, another run of the method costs more and misses the accuracy";

    /// Formats the cost of an accuracy with its symbols: `133`, `≤ 96`, `211?`.
    pub fn cost_of(cost: &Cost) -> String {
        let [most, unsteady] =
            [(cost.is_of_run(), "≤ "), (cost.is_unsteady, "?")].map(|(is, sign)| if is { sign } else { "" });
        format!("{most}{}{unsteady}", self::cost(cost.value))
    }

    /// Describes the single run behind a cost, or the two runs between which it lies:
    /// `96 to 180, tolerance 1e-3 to 1e-5`.
    pub fn between(place: &Place<'_>) -> String {
        let Cost { at_least, at_most, .. } = place.cost;
        match at_least {
            Some(at_least) => format!("{} to {}, {}", cost(at_least), cost(at_most), place.setting),
            None => place.setting.clone(),
        }
    }

    /// Describes the runs behind a ranking, and the settings in which its methods differ.
    pub fn about(ranked: &Ranked<'_>) -> String {
        let counts = ranked.counts;
        let unavailable = match counts.unavailable {
            0 => String::new(),
            count => format!(", {count} not available on this machine"),
        };
        let refuted = match counts.refuted {
            0 => String::new(),
            count => format!(", including {count} that contradict their own equations"),
        };
        let about = format!(
            "Errors are {}. {} methods, {} runs, of which {} failed or used up their budget{refuted}{unavailable}.",
            ranked.spec.meaning, counts.methods, counts.runs, counts.failed
        );
        [Some(about), Unequal::sentence(&ranked.unequal)].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Lists the settings in which the methods of rankings differ, as a section; rankings with the same differences
    /// share a list.
    pub fn settings(rankings: &[Ranked<'_>]) -> String {
        let differing = rankings.iter().filter(|ranked| !ranked.unequal.is_empty());
        let lists = grouped(differing.map(|ranked| (ranked.unequal.as_slice(), ranked.spec.title.as_str())));
        let begin = if lists.is_empty() { "" } else { "\n## Settings in which methods differ\n" };
        let list = |(unequal, titles): (&[Unequal], Vec<&str>)| {
            format!("\n{}:\n\n{}", markdown(&titles.join("; ")), Unequal::list(unequal))
        };
        [begin.to_owned()].into_iter().chain(lists.into_iter().map(list)).collect()
    }

    /// The number of methods that reach an accuracy, or the reason why this cannot be decided.
    pub fn reached(ranked: &Ranked<'_>, level: usize) -> String {
        match ranked.resolved[level] {
            true => format!("{} of {}", ranked.reached_by[level], ranked.counts.methods),
            false => UNRESOLVED.to_owned(),
        }
    }

    /// Formats a cost: a whole number from ten on, four digits below.
    pub fn cost(cost: f64) -> String {
        short(if cost >= 10.0 { cost.round() } else { cost })
    }
}
