//! A page with the standard examination of one method.
//!
//! It runs the three experiments beside this file, which are written for `every` method, with this method only.

use std::path::Path;

use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_measures::bound_of;
use mbsbench_numbers::short;
use mbsbench_problem::Status;
use mbsbench_render::{Axis, Figure, Kind, Panel, Series, Style, lay_out, svg};
use mbsbench_runs::{ResultSet, Row};

use super::orders::{ErrorAt, order};
use super::page::{Page, Section};
use super::{Compare, linear};
use crate::cli::{Examined, Format, Library, Result, Session, contended, failures, write};
use crate::conformance::{CHECKS, tested};
use crate::description::properties;
use crate::ranks::refusal;
use mbsbench_experiment::lists::grouped;

/// The experiments by the names of their files.
const EXPERIMENTS: [(&str, &str); 3] = [
    ("orders.yaml", include_str!("orders.yaml")),
    ("conservation.yaml", include_str!("conservation.yaml")),
    ("difficult.yaml", include_str!("difficult.yaml")),
];

pub(super) fn examine(compare: &Compare, examined: &Examined, session: &mut Session<'_>) -> Result<()> {
    let library = session.library;
    let read = |(name, text): (&str, &str)| {
        Plan::read(&Path::new("examine").join(name), text.as_bytes(), library.registry, compare.options.quick)
    };
    let asked: Vec<Plan> = EXPERIMENTS.into_iter().map(read).collect::<Result<_, _>>()?;
    let own = contended(library.registry, &asked, &examined.contender)?;
    let outcomes = session.made(&own, &compare.options)?;
    let problems = |index: usize| {
        let asked: &Plan = &asked[index];
        let place = own.iter().position(|own| own.experiment.id == asked.experiment.id);
        Problems { examined, asked, found: place.map(|place| &outcomes[place].results) }
    };
    let page = Page {
        title: examined.label.clone(),
        about: examined.about.iter().cloned().chain(properties(&examined.choice)).collect(),
        sections: vec![
            order_of(&problems(0)),
            linear::section(&*examined.choice.object.method()),
            conservation(&problems(1)),
            difficult(&problems(2)),
            conformance(library, examined),
        ],
    };
    match compare.format {
        Format::Text => session.output.println(page.markdown())?,
        Format::Json => session.output.println(format!("{:#}", page.to_json()))?,
    }
    if let Some(path) = &compare.html {
        write(path, page.html())?;
    }
    Ok(())
}

/// One experiment as written for all methods, and the results of this method.
struct Problems<'p> {
    examined: &'p Examined,
    asked: &'p Plan,
    found: Option<&'p ResultSet>,
}

impl<'p> Problems<'p> {
    /// The names of the cases.
    fn cases(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        self.asked.experiment.cases.iter().filter_map(|case| case.name.as_deref())
    }

    fn rows(&self, case: &str) -> Vec<&'p Row> {
        let Some(results) = self.found else { return Vec::new() };
        results.rows.iter().filter(|row| results.label(row, "case").is_some_and(|label| label.text == case)).collect()
    }

    fn number(&self, row: &Row, column: &str) -> Option<f64> {
        self.found.filter(|_| row.is_ok())?.number(row, column)
    }

    /// The columns with errors that are measured against a reference or a closed form.
    fn errors(&self, case: &str) -> Vec<String> {
        let case = self.asked.experiment.cases.iter().find(|each| each.name.as_deref() == Some(case));
        let mut columns = case.map_or(Vec::new(), |case| case.columns());
        columns.retain(|column| bound_of(column).is_some() || column == "max_abs(error)");
        columns
    }

    fn error_at(&self, row: &Row, column: &str) -> Option<ErrorAt> {
        let step = self.found?.number(row, "step")?;
        let bound = bound_of(column).and_then(|bound| self.number(row, &bound)).unwrap_or(0.0);
        Some(ErrorAt { step, error: self.number(row, column)?, bound })
    }

    /// The step or tolerance of a row, as written in the experiment.
    fn control(&self, row: &Row) -> String {
        let label = |axis: &str| Some(format!("{axis} {}", self.found?.label(row, axis)?));
        label("step").or_else(|| label("tolerance")).unwrap_or_default()
    }

    /// The reason why the method was not run in a case.
    fn why_not(&self, case: &str) -> String {
        let axis = self.asked.axis("case");
        let is_of =
            |run: &&RunSpec| axis.and_then(|axis| run.cells[axis].as_ref()).is_some_and(|label| label.text == case);
        let refused = self.asked.runs.iter().find(is_of).and_then(|run| refusal(&self.examined.choice, run));
        refused.unwrap_or_else(|| {
            match self.examined.choice.object.method().properties().adapts {
                true => "the method chooses its own steps, so it is not compared at constant steps",
                false => "the method has no error estimate, so it takes constant steps only",
            }
            .to_owned()
        })
    }

    /// The cases in which it was not run, grouped by reason.
    fn not_applicable(&self) -> Vec<String> {
        let missing = self.cases().filter(|case| self.rows(case).is_empty());
        let reasons = grouped(missing.map(|case| (self.why_not(case), case)));
        reasons.into_iter().map(|(why, cases)| format!("does not apply: {}: {why}", cases.join("; "))).collect()
    }
}

fn order_of(problems: &Problems<'_>) -> Section {
    let mut section = Section::new(
        "Order of convergence",
        "The order is the slope of the largest error over the step in logarithmic scales: a least-squares fit to the \
         four finest consecutive steps over which the error is a power of the step. The spread is the largest \
         deviation of a slope between two neighbouring steps, at most 0.25. At finer steps, rounding, the residual of \
         Newton's iteration or the error of the reference dominates.",
        &["problem", "error of", "order", "spread", "steps (s)", "smallest error"],
    );
    let mut panels = Vec::new();
    for case in problems.cases() {
        let rows = problems.rows(case);
        // A method may report that constant steps do not apply to it.
        if let [first, ..] = rows.as_slice()
            && rows.iter().all(|row| row.status == Status::NotApplicable)
        {
            let why = first.message.as_deref().unwrap_or_default();
            section.notes.push(format!("does not apply: {case}: {why}"));
            continue;
        }
        let mut series = Vec::new();
        for (index, column) in problems.errors(case).into_iter().enumerate() {
            let errors: Vec<ErrorAt> = rows.iter().filter_map(|row| problems.error_at(row, &column)).collect();
            let points = errors.iter().map(|at| [at.step, at.error]);
            series.push(Series::new(Kind::Both, quantity(&column), Style::of_index(index), points));
            if rows.is_empty() {
                continue;
            }
            let least = errors.iter().map(|at| at.error).fold(f64::INFINITY, f64::min);
            let least = if least.is_finite() { format!("{least:.1e}") } else { "none".to_owned() };
            let cells = match order(&errors) {
                Some(found) => {
                    [format!("{:.2}", found.slope), format!("{:.2}", found.spread), found.steps.map(short).join(" to ")]
                }
                None => ["undetermined".to_owned(), String::new(), failures(rows.iter().copied())],
            };
            section.rows.push([case.to_owned(), quantity(&column)].into_iter().chain(cells).chain([least]).collect());
        }
        let failed = rows.iter().filter(|row| !row.is_ok());
        let first = failed.clone().next().and_then(|row| row.message.as_deref());
        let told = |message: &str| {
            format!("{case}: {} of {} runs failed; the first failure: {message}", failed.clone().count(), rows.len())
        };
        section.notes.extend(first.map(told));
        if series.iter().any(|series| !series.points.is_empty()) {
            let (x, y) = (Axis::log("step", "s"), Axis::log("largest error", ""));
            panels.push(Panel { title: case.to_owned(), x, y, series, ..Panel::default() });
        }
    }
    section.notes.extend(problems.not_applicable());
    if !panels.is_empty() {
        let figure = Figure { id: "orders".to_owned(), title: "Errors over the step".to_owned(), columns: 2, panels };
        section.figure = Some(svg::write(&lay_out(&figure)));
    }
    section
}

/// The quantity whose error is in a column.
fn quantity(column: &str) -> String {
    match column {
        "position_error" => "positions q".to_owned(),
        "velocity_error" => "velocities v".to_owned(),
        "multiplier_error" => "multipliers λ".to_owned(),
        "error(theta)" => "angle q".to_owned(),
        "error(omega)" => "angular velocity v".to_owned(),
        other => other.to_owned(),
    }
}

/// Moments of inertia of the two rods of `conservation.yaml`, kg m²; masses are 1 kg and 2 kg, lengths 1 m.
const RODS: [(&str, f64, f64); 2] = [("one", 1.0, 1.0 / 12.0), ("two", 2.0, 2.0 / 12.0)];

fn conservation(problems: &Problems<'_>) -> Section {
    let mut section = Section::new(
        "Conservation",
        "Two hinged rods move freely in the plane without gravity for 100 s. The table gives the largest change of \
         the energy and its trend (the slope of a fitted line), the largest constraint violation at the hinge, and \
         the relative change of linear and angular momentum from start to end.",
        &["steps", "energy (J)", "trend (W)", "hinge (m)", "linear momentum", "angular momentum"],
    );
    for row in problems.cases().flat_map(|case| problems.rows(case)) {
        let control = problems.control(row);
        if !row.is_ok() {
            let failure = format!("{} at {} s", row.outcome(), short(row.t_reached));
            section.rows.push(vec![control, failure, String::new(), String::new(), String::new(), String::new()]);
            continue;
        }
        let momenta = |when: &str| {
            let at = |rod: &str, of: &str| problems.number(row, &format!("{when}({rod}_{of})"));
            let mut sums = [0.0; 3];
            for (rod, mass, inertia) in RODS {
                let [x, y] = [at(rod, "x")?, at(rod, "y")?];
                let [vx, vy] = [at(rod, "vx")?, at(rod, "vy")?];
                sums[0] += mass * vx;
                sums[1] += mass * vy;
                sums[2] += mass * (x * vy - y * vx) + inertia * at(rod, "rate")?;
            }
            Some(sums)
        };
        let changes = momenta("initial").zip(momenta("final")).map(|(before, after)| {
            let linear = (after[0] - before[0]).hypot(after[1] - before[1]) / before[0].hypot(before[1]);
            [linear, (after[2] - before[2]).abs() / before[2].abs()]
        });
        let power = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.1e}"));
        let cells = ["max_abs(energy_change)", "trend(energy_change)", "constraint_max"];
        let cells = cells.map(|column| power(problems.number(row, column)));
        let changes = [0, 1].map(|which| power(changes.map(|changes| changes[which])));
        section.rows.push([control].into_iter().chain(cells).chain(changes).collect());
    }
    section.notes = problems.not_applicable();
    section
}

fn difficult(problems: &Problems<'_>) -> Section {
    let mut section = Section::new(
        "Stiff, singular and switching problems",
        "A double pendulum with very stiff springs; two four-bar mechanisms side by side whose constraints become \
         dependent twice a revolution; a ball bouncing on a stiff floor; a rate that a damped oscillation switches. \
         Each problem is run at three steps or tolerances, with the budgets of the comparison: 200000 evaluations, \
         200000 steps.",
        &["problem", "completed", "smallest error", "its evaluations", "failures"],
    );
    for case in problems.cases() {
        let rows = problems.rows(case);
        if rows.is_empty() {
            continue;
        }
        let done = rows.iter().filter(|row| row.is_ok()).count();
        let error = |row: &Row| problems.errors(case).first().and_then(|column| problems.number(row, column));
        let errors = rows.iter().filter_map(|row| Some((error(row)?, *row)));
        let best = errors.min_by(|(a, _), (b, _)| a.total_cmp(b));
        let cost = best.and_then(|(_, row)| problems.number(row, "rhs_cost"));
        section.rows.push(vec![
            case.to_owned(),
            format!("{done} of {}", rows.len()),
            best.map_or_else(|| "none".to_owned(), |(error, _)| format!("{error:.1e}")),
            cost.map_or_else(String::new, |cost| cost.to_string()),
            failures(rows.iter().copied()),
        ]);
    }
    section.notes = problems.not_applicable();
    section
}

fn conformance(library: &Library<'_>, examined: &Examined) -> Section {
    let mut section =
        Section::new("Conformance", "Requirements that every method must meet.", &["requirement", "result"]);
    let Some(tested) = tested(&examined.choice, library.registry) else {
        section.notes.push("does not apply: the method suits no registered model".to_owned());
        return section;
    };
    section.text = format!("Requirements that every method must meet, checked on `{}`.", tested.model_name);
    for (what, check) in CHECKS {
        let found = check(&tested).err().unwrap_or_else(|| "holds".to_owned());
        section.rows.push(vec![what.to_owned(), found]);
    }
    section
}
