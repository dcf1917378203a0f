//! Trajectories as CSV files: times, and observables of a model in any units.

use mbsbench_input::{Place, Problem, Source, refuse};
use mbsbench_problem::Observable;

use super::units;

/// Observables over time from a file.
#[derive(Debug, Clone)]
pub struct TrajectoryFile {
    /// The observables, with the places of their names in the file.
    pub heads: Vec<(String, Place)>,
    /// The increasing times, s.
    pub times: Vec<f64>,
    /// The values at each time, in the order of the headings and in the units of the model.
    pub values: Vec<Vec<f64>>,
}

/// The largest number of problems reported for a file.
pub const MOST_PROBLEMS: usize = 10;

impl TrajectoryFile {
    /// Reads a file. Lines that begin with `#` are comments. The first other line has the headings, `t [s]` and then
    /// observables with their units, `x [m]`; all further lines have numbers.
    ///
    /// # Errors
    /// Fails if the file is not valid; each problem has its place in the file.
    pub fn read(source: &Source, observables: &[Observable]) -> Result<Self, Vec<Problem>> {
        let mut lines = lines(source.text());
        let Some(first) = lines.next() else {
            return Err(vec![Problem::new(Place::new(0, 0), "the file is empty").help("accepted: `t [s],x [m]`")]);
        };
        let (mut heads, mut factors, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for (column, (cell, place)) in cells(first).enumerate() {
            match head(cell, place, column == 0, observables) {
                Ok((name, _)) if heads.iter().any(|(other, _)| *other == name) => {
                    problems.push(
                        Problem::new(place, format!("duplicate column `{name}`")).help("accepted: each column once"),
                    );
                }
                Ok((name, factor)) => {
                    heads.push((name, place));
                    factors.push(factor);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if heads.len() == 1 && problems.is_empty() {
            problems.push(Problem::new(heads[0].1, "the file has no observable").help("accepted: `t [s],x [m]`"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut table = Self { heads: heads.split_off(1), times: Vec::new(), values: Vec::new() };
        for line in lines {
            if problems.len() >= MOST_PROBLEMS {
                break;
            }
            table.add(line, &factors, &mut problems);
        }
        if table.times.is_empty() && problems.is_empty() {
            problems.push(
                Problem::new(first.1, "the file has no times below the headings").help("accepted: a row for each time"),
            );
        }
        if problems.is_empty() { Ok(table) } else { Err(problems) }
    }

    /// Returns an observable, or the time for `t`, in the unit of the model at all times; `None` if the file does not
    /// have it.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        if name == "t" {
            return Some(self.times.clone());
        }
        let index = self.heads.iter().position(|(own, _)| own == name)?;
        Some(self.values.iter().map(|row| row[index]).collect())
    }

    /// Adds the numbers of a line.
    fn add(&mut self, line: (&str, Place), factors: &[f64], problems: &mut Vec<Problem>) {
        let before = problems.len();
        let mut numbers = Vec::with_capacity(factors.len());
        for ((cell, place), factor) in cells(line).zip(factors) {
            match cell.parse::<f64>() {
                Ok(number) if number.is_finite() => numbers.push(number * factor),
                _ => {
                    let found = if cell.is_empty() { "nothing".to_owned() } else { format!("`{cell}`") };
                    problems.push(Problem::new(place, format!("found {found}")).help("accepted: a finite number"));
                }
            }
        }
        let count = cells(line).count();
        if count != factors.len() {
            let message = format!("{count} cells, but {} headings", factors.len());
            problems.push(Problem::new(line.1, message).help("accepted: a number below each heading"));
        }
        if problems.len() > before {
            return;
        }
        let (t, values) = (numbers[0], numbers.split_off(1));
        if let Some(last) = self.times.last().filter(|last| t <= **last) {
            let place = cells(line).next().map_or(line.1, |(_, place)| place);
            let message = format!("the time {t} s does not come after {last} s");
            problems.push(Problem::new(place, message).help("accepted: times that increase"));
            return;
        }
        self.times.push(t);
        self.values.push(values);
    }
}

/// Returns the lines that are neither empty nor comments, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (&str, Place)> + Clone {
    let start = text.as_ptr() as usize;
    text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).map(
        move |line| {
            let at = line.as_ptr() as usize - start;
            (line, Place::new(at, at + line.len()))
        },
    )
}

/// Returns the cells of a line, trimmed, each with its place.
fn cells((line, place): (&str, Place)) -> impl Iterator<Item = (&str, Place)> + Clone {
    line.split(',').map(move |raw| {
        let cell = raw.trim();
        let at = place.start + (cell.as_ptr() as usize - line.as_ptr() as usize);
        (cell, Place::new(at, at + cell.len()))
    })
}

/// Returns the name of a column and its factor to the unit of the model.
fn head(cell: &str, place: Place, is_first: bool, observables: &[Observable]) -> Result<(String, f64), Problem> {
    let example = if is_first { "t [s]" } else { "x [m]" };
    let split = cell.strip_suffix(']').and_then(|cell| cell.rsplit_once('['));
    let Some((name, unit)) = split.map(|(name, unit)| (name.trim(), unit.trim())) else {
        return refuse(place, format!("`{cell}` has no unit"), format!("accepted: `{example}`"));
    };
    let own = if is_first {
        (name == "t").then_some("s")
    } else {
        observables.iter().find(|observable| observable.name == name).map(|observable| observable.unit)
    };
    let Some(own) = own else {
        if is_first {
            return refuse(place, format!("the first column is `{name}`"), "accepted: `t [s]`");
        }
        return Err(Problem::unknown(place, "observable", name, observables.iter().map(|known| known.name.as_str())));
    };
    match units::factor(unit, own) {
        Some(factor) => Ok((name.to_owned(), factor)),
        None => {
            let message = format!("`{unit}` cannot be converted to `{own}`, the unit of `{name}`");
            refuse(place, message, format!("accepted: `{name} [{own}]`"))
        }
    }
}
