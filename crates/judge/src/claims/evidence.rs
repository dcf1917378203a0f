//! The numbers that checks use: rows of `runs.csv`, found by the keys of the planned runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::columns::{FIXED, TIMING};
use mbsbench_experiment::{Filter, Plan, RunSpec};
use mbsbench_measures::bound_of;
use mbsbench_problem::{Assurance, Status};
use mbsbench_runs::{Outcome, ResultSet, Row, timings};
use rayon::prelude::*;

use crate::folders::Folders;

use super::{At, Judgement, Number, Operand, Reason, Unit, Verdict, interpolated, reduce};

/// Results of experiments, in the order of their plans' runs.
#[derive(Debug)]
pub struct Evidence<'p> {
    plans: &'p [Plan],
    /// The results of each plan, empty if no claim uses them. Rows read from files have no labels and no message.
    results: Vec<Cow<'p, ResultSet>>,
}

/// An error that makes results unusable.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The results are missing: the file, why it cannot be read, and the experiment.
    #[error("{path}: {1}; run `mbsbench reproduce {2}`", path = .0.display())]
    Missing(PathBuf, csv::Error, String),
    /// The results do not belong to the current experiment file: the file, the key of a run, and the experiment.
    #[error(
        "{path}: the run `{1}` of the experiment file is missing; run `mbsbench reproduce {2}`",
        path = .0.display()
    )]
    Outdated(PathBuf, String, String),
    /// A cell does not have the type of its column: the file, the line in it, and what was found.
    #[error("{path}:{1}: {2}", path = .0.display())]
    Cell(PathBuf, u64, String),
}

/// Numbers that an operand selects, before its reduction.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The numbers.
    pub numbers: Vec<Number>,
    /// The reason why the numbers have no verdict: the first run that failed or is unavailable, or the first empty
    /// cell.
    pub lacking: Option<Judgement>,
}

/// Returns the judgement for a run that is refuted, or whose status says nothing about its method, and `None` for every
/// other run.
pub(super) fn unmade(run: &RunSpec, row: &Row) -> Option<Judgement> {
    let key = run.key();
    if let Some(Assurance::Refuted(why)) = &row.assurance {
        return Some(Judgement::open(Reason::OwnChecks(format!("the run {key} is refuted: {why}"))));
    }
    let own = |what: String| Judgement::excused(Reason::OwnChecks(what));
    Some(match row.status {
        Status::Unavailable => Judgement::excused(Reason::NotInstalled(format!("`{}`", run.method.name()))),
        Status::JointOpen => Judgement::open(Reason::OwnChecks(format!("a joint is open in the run {key}"))),
        Status::Panicked => own(format!("the program panicked in the run {key}")),
        Status::Memory => own(format!("the run {key} needs more memory than is available")),
        _ => return None,
    })
}

impl<'p> Evidence<'p> {
    /// Reads `runs.csv` and the recorded times of the plans that `wanted` accepts.
    ///
    /// # Errors
    /// Fails if a file is missing, outdated or damaged.
    pub fn read(
        results: &dyn Folders,
        plans: &'p [Plan],
        wanted: impl Fn(&Plan) -> bool + Sync,
    ) -> Result<Self, EvidenceError> {
        let results = plans.par_iter().map(|plan| match wanted(plan) {
            true => read(&results.root_of(&plan.experiment.id), plan).map(Cow::Owned),
            false => Ok(Cow::default()),
        });
        Ok(Self { plans, results: results.collect::<Result<_, _>>()? })
    }

    /// Wraps results that are still in memory.
    pub fn of(plans: &'p [Plan], outcomes: &'p [Outcome]) -> Self {
        Self { plans, results: outcomes.iter().map(|outcome| Cow::Borrowed(&outcome.results)).collect() }
    }

    /// The results of one of the plans.
    pub fn results(&self, plan: &Plan) -> Option<&ResultSet> {
        let index = self.plans.iter().position(|other| std::ptr::eq(other, plan))?;
        Some(&self.results[index])
    }

    /// The experiment that a file of `paper` calls by this name, with its results.
    fn found(&self, paper: &str, name: &str) -> Option<(&'p Plan, &ResultSet)> {
        let index = self.plans.iter().position(|plan| plan.experiment.is_called(name, paper))?;
        Some((&self.plans[index], &self.results[index]))
    }

    /// Iterates over the rows of all results that were read.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.results.iter().flat_map(|results| &results.rows)
    }

    /// Iterates over the plans and runs whose rows report that the program or the machine ended the run, each with its
    /// status.
    pub fn lost(&self) -> impl Iterator<Item = (&'p Plan, &'p RunSpec, Status)> {
        let plans = self.plans.iter().zip(&self.results);
        let rows = plans.flat_map(|(plan, of)| plan.runs.iter().zip(&of.rows).map(move |(run, row)| (plan, run, row)));
        rows.filter(|(.., row)| row.status.is_lost()).map(|(plan, run, row)| (plan, run, row.status))
    }

    /// The runs that a filter selects, with their rows.
    pub(super) fn runs(&self, paper: &str, experiment: &str, filter: &Filter) -> Vec<(&'p RunSpec, &Row)> {
        let Some((plan, results)) = self.found(paper, experiment) else { return Vec::new() };
        plan.meant(filter).map(|(run, spec)| (spec, &results.rows[run])).collect()
    }

    /// Returns the numbers that an operand selects: run by run and column by column, or the single number that is
    /// interpolated between runs.
    pub fn select(&self, paper: &str, operand: &Operand) -> Selection {
        match &operand.at {
            Some(at) => self.read_off(paper, operand, at, self.selected(paper, operand, true)),
            None => self.selected(paper, operand, false),
        }
    }

    /// Returns the numbers run by run and column by column. With `completed_only`, failed runs are left out and do not
    /// count as lacking.
    pub(super) fn selected(&self, paper: &str, operand: &Operand, completed_only: bool) -> Selection {
        let mut selection = Selection::default();
        let factor = match operand.unit {
            None => 1.0,
            Some(Unit::Degrees | Unit::DegreesPerSecond) => 180.0 / std::f64::consts::PI,
        };
        let Some((plan, results)) = self.found(paper, &operand.experiment) else { return selection };
        for (index, run) in plan.meant(&operand.filter) {
            let row = &results.rows[index];
            let goes_on = operand.until_failure && row.status.is_of_a_run() && !row.is_refuted();
            if !row.is_ok() && !goes_on {
                let what =
                    || format!("the run {} has the status `{}` at t = {} s", run.key(), row.status, row.t_reached);
                let failed = || (!completed_only).then(|| Judgement::without_number(Verdict::NotReproduced, what()));
                selection.lacking = selection.lacking.or_else(|| unmade(run, row).or_else(failed));
                continue;
            }
            let times = operand.times.as_deref().map(|name| number(plan, results, run, row, name));
            for column in operand.columns() {
                let number = number(plan, results, run, row, column);
                let scale = factor * times.flatten().map_or(1.0, |times| times.value);
                if let Some(Number { value, uncertainty }) = number.filter(|_| times != Some(None)) {
                    selection.numbers.push(Number { value: value * scale, uncertainty: uncertainty * scale.abs() });
                    continue;
                }
                let what = format!("the run {} has no `{column}`", run.key());
                selection.lacking.get_or_insert(if bound_of(column).is_some() {
                    Judgement::open(Reason::OwnChecks(format!("{what}: no certified reference")))
                } else if column.starts_with(TIMING) && row.timing.is_none() {
                    let note = format!("the run {} was not timed", run.key());
                    Judgement { note, ..Judgement::excused(Reason::Timing) }
                } else {
                    Judgement::without_number(Verdict::NotReproduced, what)
                });
            }
        }
        selection
    }

    /// Interpolates the number of an operand between its runs, at the point where another column has a given value.
    fn read_off(&self, paper: &str, operand: &Operand, at: &At, mut selection: Selection) -> Selection {
        let abscissa =
            Operand { column: Some(at.column.clone()), columns: None, unit: None, times: None, ..operand.clone() };
        let abscissas = self.selected(paper, &abscissa, true);
        let equals = self.select(paper, &at.equals);
        selection.lacking = selection.lacking.or(abscissas.lacking).or(equals.lacking);
        if selection.lacking.is_some() {
            return selection;
        }
        let ordinates = std::mem::take(&mut selection.numbers);
        let points: Vec<[f64; 2]> = abscissas.numbers.iter().zip(&ordinates).map(|(x, y)| [x.value, y.value]).collect();
        // Interpolate the upper ends of the uncertainty intervals as well: the difference is the uncertainty of the
        // result.
        let ends = points.iter().zip(&ordinates).map(|(&[x, y], number)| [x, y + number.uncertainty]);
        let ends: Vec<[f64; 2]> = ends.collect();
        let read =
            |points: &[[f64; 2]]| reduce(&equals.numbers, at.equals.reduce).and_then(|x| interpolated(points, x.value));
        match read(&points) {
            Some(value) => {
                let end = read(&ends).filter(|end| !end.is_nan()).unwrap_or(f64::INFINITY);
                selection.numbers.push(Number { value, uncertainty: end - value });
            }
            None => {
                let what = format!("no two runs bracket the value of `{}`", at.column);
                selection.lacking = Some(Judgement::open(Reason::OwnChecks(what)));
            }
        }
        selection
    }
}

/// Returns the number of a run in a column, with its uncertainty.
fn number(plan: &Plan, results: &ResultSet, run: &RunSpec, row: &Row, column: &str) -> Option<Number> {
    if column == "t_reached" {
        return Some(Number::exact(row.t_reached));
    }
    if let Some(axis) = plan.axis(column) {
        // In a study the label stays the same while the number varies.
        return run.number_at(column).or(run.cells[axis].as_ref()?.number).map(Number::exact);
    }
    if column.starts_with(TIMING) {
        let timing = row.timing.as_ref()?;
        return Some(Number { value: timing.number(column)?, uncertainty: timing.uncertainty(column) });
    }
    let cell = |column: &str| results.measure(column).map(|place| row.values[place]);
    let Some(value) = cell(column) else { return run.number_at(column).map(Number::exact) };
    let value = value?;
    let uncertainty = bound_of(column).and_then(|bound| cell(&bound)?).unwrap_or(0.0);
    Some(Number { value, uncertainty })
}

fn read(results: &Path, plan: &Plan) -> Result<ResultSet, EvidenceError> {
    let experiment = &plan.experiment.id;
    let missing = |path: &Path, error| EvidenceError::Missing(path.to_owned(), error, experiment.clone());
    let path = results.join(experiment).join("runs.csv");
    let bytes = mbsbench_input::read_file(&path, mbsbench_input::LARGEST_DATA);
    let bytes = bytes.map_err(|error| missing(&path, error.into()))?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let heads = reader.headers().map_err(|error| missing(&path, error))?.clone();
    let is_measure = |head: &str| !FIXED.contains(&head) && plan.axis(head).is_none();
    let measures = heads.iter().filter(|head| is_measure(head)).map(str::to_owned).collect();
    let place = |name: &str| heads.iter().position(|head| head == name);
    let measured: Vec<usize> = (0..heads.len()).filter(|&place| is_measure(&heads[place])).collect();
    let mut by_key: HashMap<String, Row> = HashMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| missing(&path, error))?;
        let wrong = |column: &str, found: &str, wanted: &str| {
            let found = format!("`{found}` in the column `{column}` is not a {wanted}");
            EvidenceError::Cell(path.clone(), record.position().map_or(0, csv::Position::line), found)
        };
        let text = |name: &str| place(name).map_or("", |place| &record[place]);
        let number = |column: &str, text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| wrong(column, text, "number")),
        };
        let row = Row {
            axes: Vec::new(),
            status: text("status").parse().map_err(|_| wrong("status", text("status"), "status"))?,
            assurance: match text("assurance") {
                "" => None,
                text => Some(text.parse().map_err(|_| wrong("assurance", text, "valid assurance"))?),
            },
            message: None,
            t_reached: number("t_reached", text("t_reached"))?.unwrap_or(f64::NAN),
            values: measured.iter().map(|&place| number(&heads[place], &record[place])).collect::<Result<_, _>>()?,
            key: text("run").to_owned(),
            timing: None,
            trajectory: None,
        };
        by_key.insert(row.key.clone(), row);
    }
    let row = |run: &RunSpec| {
        let run = run.key().to_string();
        by_key.get(&run).cloned().ok_or_else(|| EvidenceError::Outdated(path.clone(), run, experiment.clone()))
    };
    let rows = plan.runs.iter().map(row).collect::<Result<_, _>>()?;
    let mut found = ResultSet { axes: Vec::new(), measures, rows };
    if plan.experiment.timing.is_some() {
        let path = timings::path(results, experiment);
        found.show(timings::read(&path, plan).map_err(|error| missing(&path, error))?);
    }
    Ok(found)
}
