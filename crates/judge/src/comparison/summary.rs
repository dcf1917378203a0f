//! The summary as files: all that the page's tables show, and more digits.

use std::fmt::Write;

use mbsbench_numbers::{decimal, guarded, markdown};

use super::{NAMED, Place, Ranked};

/// The rankings of all experiments.
#[derive(Debug, Clone)]
pub struct Summary<'p>(pub Vec<Ranked<'p>>);

impl Summary<'_> {
    /// One line for each of the cheapest methods, costs and errors in full precision; where nobody reaches an accuracy a
    /// line without a method.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "experiment",
            "model",
            "accuracy",
            "methods",
            "reached_by",
            "work",
            "rank",
            "method",
            "setting",
            "cost",
            "error",
            "run",
        ])?;
        for ranked in &self.0 {
            for (level, &accuracy) in ranked.spec.accuracies.iter().enumerate() {
                let head = [
                    ranked.plan.experiment.id.clone(),
                    guarded(&ranked.spec.title).into_owned(),
                    format!("{accuracy:e}"),
                    ranked.counts.methods.to_string(),
                    ranked.reached_by[level].to_string(),
                ];
                for ((work, _), places) in ranked.spec.work.0.iter().zip(&ranked.places[level]) {
                    for line in lines(places) {
                        writer.write_record(head.iter().chain([work]).chain(&line))?;
                    }
                }
            }
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// A table for each model.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# The {NAMED} cheapest methods\n\n{}\n", words::WHAT_IT_MEANS);
        for ranked in &self.0 {
            let heads: Vec<String> = ranked.spec.work.0.iter().map(|(head, _)| markdown(head)).collect();
            let (title, about) = (markdown(&ranked.spec.title), markdown(&words::about(ranked)));
            let _ = writeln!(text, "\n## {title}\n\n{about}\n");
            let _ = writeln!(text, "| accuracy | reached by | {} |", heads.join(" | "));
            let _ = writeln!(text, "|---|---|{}", "---|".repeat(heads.len()));
            for (level, &accuracy) in ranked.spec.accuracies.iter().enumerate() {
                let cells: Vec<String> =
                    ranked.places[level].iter().map(|places| markdown(&words::cell(places).join("; "))).collect();
                let reached = words::reached(ranked, level);
                let _ = writeln!(text, "| {accuracy:e} | {reached} | {} |", cells.join(" | "));
            }
        }
        text
    }
}

/// Rank, method, setting, cost, error and run of the cheapest methods.
fn lines(places: &[Place]) -> Vec<[String; 6]> {
    if places.is_empty() {
        return vec![<[String; 6]>::default()];
    }
    let line = |(index, place): (usize, &Place)| {
        let Place { candidate, cost } = place;
        [
            (index + 1).to_string(),
            guarded(&candidate.method).into_owned(),
            guarded(&candidate.setting).into_owned(),
            decimal(*cost),
            decimal(candidate.error),
            candidate.run.clone(),
        ]
    };
    places.iter().take(NAMED).enumerate().map(line).collect()
}

/// How rankings are told to a reader.
pub mod words {
    use super::{NAMED, Place, Ranked};
    use crate::comparison::Unequal;
    use mbsbench_numbers::short;

    /// What stands above all tables.
    pub const WHAT_IT_MEANS: &str = "Of each method the cheapest run counts whose error, with the bound on the reference's own error added, is at \
        most the accuracy. Nothing is interpolated: costs are those of runs that were made. These are mostly a factor of a hundred in \
        tolerances or three to four in steps apart, and up to five in costs, so that methods closer than a factor of two are told apart \
        by where their runs happen to lie.";

    /// What a ranking rests on, and in which settings its methods differ.
    #[must_use]
    pub fn about(ranked: &Ranked<'_>) -> String {
        let counts = ranked.counts;
        let unavailable = match counts.unavailable {
            0 => String::new(),
            count => format!(", {count} not available on this machine"),
        };
        let about = format!(
            "Errors are {}. {} methods, {} runs, of which {} failed or used up their budget{unavailable}.",
            ranked.spec.meaning, counts.methods, counts.runs, counts.failed
        );
        [Some(about), Unequal::sentence(&ranked.unequal)].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// How many methods reach an accuracy, or why nobody can tell.
    #[must_use]
    pub fn reached(ranked: &Ranked<'_>, level: usize) -> String {
        match ranked.resolved[level] {
            true => format!("{} of {}", ranked.reached_by[level], ranked.counts.methods),
            false => "reference not good enough".to_owned(),
        }
    }

    /// The cheapest methods with their costs: `dop853 1204 (tolerance 1e-6)`.
    #[must_use]
    pub fn cell(places: &[Place]) -> Vec<String> {
        let word =
            |place: &Place| format!("{} {} ({})", place.candidate.method, cost(place.cost), place.candidate.setting);
        places.iter().take(NAMED).map(word).collect()
    }

    /// A count as it is, anything else in four digits.
    #[must_use]
    pub fn cost(cost: f64) -> String {
        short(cost)
    }
}
