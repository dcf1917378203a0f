//! References from files: trajectories of other codes, or measurements, with their stated errors.

use std::path::{Path, PathBuf};

use mbsbench_input::{BadInput, Node, Place, Problem, Value, read, source};
use mbsbench_measures::ReferenceTrajectory;
use mbsbench_problem::Observable;

use super::includes::is_relative;
use super::keys::{self, GIVEN};
use super::trajectory_file::TrajectoryFile;

/// `reference: { file, by, bound }` as written.
#[derive(Debug, Clone)]
pub struct ExternalReferenceSpec {
    /// The file, relative to the folder of the experiment.
    pub file: String,
    /// The place of the file name in the experiment.
    pub place: Place,
    /// The author of the file and the way it was made.
    pub by: String,
    /// The stated error of its values.
    pub bound: Bound,
}

/// The largest error of the values of a file, in the unit of each column.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// One bound for every column.
    All(f64),
    /// A bound for each column, by name.
    Each(Vec<(String, f64)>),
}

impl ExternalReferenceSpec {
    pub(super) fn read(node: &Node) -> Result<Self, Problem> {
        let known = keys::names(&[GIVEN]);
        keys::unknown(node, "key", &known).next().map_or(Ok(()), Err)?;
        let asked = |key: &str, help: &str| {
            let problem = || Problem::new(node.place, format!("the key `{key}` is missing")).help(help.to_owned());
            node.get(key).ok_or_else(problem)
        };
        let file = asked("file", "add `file:`")?;
        let name = file.text().filter(|name| name.ends_with(".csv") && is_relative(Path::new(name)));
        let name = name.ok_or_else(|| {
            Problem::found(file).help("accepted: the path of a CSV file, relative to the folder of this file")
        })?;
        let by = read(asked("by", "state who made it and how: `by: Exudyn 1.8, generalized-α, h = 1e-5 s`")?)?;
        let bound = asked(
            "bound",
            "state the largest error of its values: `bound: 1e-6`, or a map with one bound for each column",
        )?;
        let positive = |node: &Node| -> Result<f64, Problem> {
            let value: f64 = read(node)?;
            if value > 0.0 { Ok(value) } else { Err(refused_bound(node)) }
        };
        let bound = match &bound.value {
            Value::Number(_) => Bound::All(positive(bound)?),
            Value::Map(entries) => {
                let each = entries.iter().map(|entry| Ok((entry.key.name.clone(), positive(&entry.value)?)));
                Bound::Each(each.collect::<Result<_, _>>()?)
            }
            _ => return Err(refused_bound(bound)),
        };
        Ok(Self { file: name.to_owned(), place: file.place, by, bound })
    }
}

fn refused_bound(node: &Node) -> Problem {
    Problem::found(node)
        .help("accepted: a number above zero, in the unit of each column, or a map with a number for each column")
}

/// A trajectory from a file, with its origin and stated errors.
#[derive(Debug, Clone)]
pub struct ExternalReference {
    /// The file.
    pub path: PathBuf,
    /// The place where the experiment names the file.
    pub place: Place,
    /// The author of the file and the way it was made.
    pub by: String,
    /// The hash of the bytes of the file.
    pub hash: String,
    /// The columns in the units of the model.
    pub trajectory: ReferenceTrajectory,
}

impl ExternalReference {
    /// Reads the bytes of a file for a model with these observables.
    ///
    /// # Errors
    /// Fails if the file is not valid; each problem has its place in the file.
    pub fn read(
        path: &Path,
        bytes: &[u8],
        spec: &ExternalReferenceSpec,
        observables: &[Observable],
    ) -> Result<Self, BadInput> {
        let source = source(path, bytes)?;
        let file = TrajectoryFile::read(&source, observables);
        let trajectory = file.and_then(|file| trajectory(file, &spec.bound));
        let trajectory = trajectory.map_err(|problems| BadInput::new(source, problems))?;
        let hash = blake3::hash(bytes).to_hex().to_string();
        Ok(Self { path: path.to_owned(), place: spec.place, by: spec.by.clone(), hash, trajectory })
    }

    /// Returns the rows of the file at these times, s. Times that agree to nine digits match, and the result has the
    /// times that were asked for.
    ///
    /// # Errors
    /// Returns the first time, s, that the file does not have.
    pub fn at(&self, times: &[f64]) -> Result<ReferenceTrajectory, f64> {
        let own = &self.trajectory;
        let mut found = ReferenceTrajectory {
            observables: own.observables.clone(),
            digits: own.digits,
            digits_asked: own.digits_asked,
            ..ReferenceTrajectory::default()
        };
        for &t in times {
            let near = 1e-9 * t.abs().max(own.times.last().copied().unwrap_or(0.0).abs());
            let after = own.times.partition_point(|&known| known < t);
            let beside = [after.checked_sub(1), Some(after)].into_iter().flatten();
            let rows = beside.filter_map(|row| Some((row, (own.times.get(row)? - t).abs())));
            let nearest = rows.min_by(|(_, one), (_, other)| one.total_cmp(other));
            let Some((row, _)) = nearest.filter(|(_, distance)| *distance <= near) else { return Err(t) };
            found.times.push(t);
            found.values.push(own.values[row].clone());
            found.bounds.push(own.bounds[row].clone());
        }
        Ok(found)
    }
}

/// Builds the trajectory with the stated error as the bound of every value. The number of digits follows from the ratio
/// of the bound to the largest value of each column.
fn trajectory(file: TrajectoryFile, bound: &Bound) -> Result<ReferenceTrajectory, Vec<Problem>> {
    let TrajectoryFile { heads, times, values } = file;
    let mut bounds = Vec::with_capacity(heads.len());
    let mut problems = Vec::new();
    for (name, place) in &heads {
        match bound {
            Bound::All(bound) => bounds.push(*bound),
            Bound::Each(each) => match each.iter().find(|(known, _)| known == name) {
                Some((_, bound)) => bounds.push(*bound),
                None => {
                    let problem = Problem::new(*place, format!("the bound on the errors of `{name}` is missing"));
                    problems.push(problem.help(format!("add `{name}` to `bound:` in the experiment")));
                }
            },
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let digits_of = |(column, bound): (usize, &f64)| {
        let largest = values.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
        if largest > 0.0 { -(bound / largest).log10() } else { -bound.log10() }
    };
    let digits = bounds.iter().enumerate().map(digits_of).fold(f64::INFINITY, f64::min);
    let observables = heads.into_iter().map(|(name, _)| name).collect();
    let bounds = vec![bounds; times.len()];
    Ok(ReferenceTrajectory { observables, times, values, bounds, digits, digits_asked: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(bound: Bound) -> ExternalReferenceSpec {
        ExternalReferenceSpec {
            file: "other.csv".to_owned(),
            place: Place::default(),
            by: "another code".to_owned(),
            bound,
        }
    }

    fn given(text: &str, bound: Bound) -> Result<ExternalReference, BadInput> {
        let observables = [Observable::new("theta", "rad", "angle"), Observable::new("x", "m", "place")];
        ExternalReference::read(Path::new("other.csv"), text.as_bytes(), &spec(bound), &observables)
    }

    /// Returns the problems of a file, each with its line and column.
    fn wrong(text: &str) -> Vec<(usize, usize, String)> {
        let bad = given(text, Bound::All(1e-6)).expect_err("the file is not valid");
        let place = |problem: &Problem| bad.source().line_and_column(problem.place);
        bad.problems()
            .iter()
            .map(|problem| {
                let (line, column) = place(problem);
                (line, column, problem.message.clone())
            })
            .collect()
    }

    #[test]
    fn columns_are_converted_to_the_units_of_the_model() {
        let text = "# by another code\nt [ms], x [mm], theta [deg]\n0, 1000, 180\n\n500, -2000, 90\n";
        let each = vec![("x".to_owned(), 1e-3), ("theta".to_owned(), 1e-5)];
        let ExternalReference { trajectory, hash, .. } = given(text, Bound::Each(each.clone())).unwrap();
        assert_eq!(
            (trajectory.observables, trajectory.times),
            (vec!["x".to_owned(), "theta".to_owned()], vec![0.0, 0.5])
        );
        assert_eq!(trajectory.values[0][0], 1.0);
        assert!((trajectory.values[1][1] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert_eq!(trajectory.bounds, vec![vec![1e-3, 1e-5]; 2]);
        assert!((trajectory.digits - 2000f64.log10()).abs() < 1e-12, "the column with the fewest");
        let other = given(&text.replace("90", "91"), Bound::Each(each)).unwrap();
        assert_ne!(hash, other.hash);
    }

    #[test]
    fn rows_are_found_despite_rounded_times() {
        let given = given("t [s],x [m]\n0.1,1\n0.3,2\n0.5,3\n", Bound::All(1e-6)).unwrap();
        let times = [0.1, 3.0 * 0.1];
        assert_ne!(times[1], 0.3);
        let found = given.at(&times).unwrap();
        assert_eq!((found.times, found.values), (times.to_vec(), vec![vec![1.0], vec![2.0]]));
        assert_eq!(given.at(&[0.1, 0.4]), Err(0.4));
        assert_eq!(given.at(&[0.1, 0.300_001]), Err(0.300_001));
        assert_eq!(given.at(&[0.6]), Err(0.6));
    }

    #[test]
    fn the_row_nearest_in_time_is_used() {
        let given =
            given("t [s],x [m]\n0,0\n0.49999999999,1\n0.5,2\n0.50000000001,3\n1,4\n", Bound::All(1e-6)).unwrap();
        let times = [0.5, 0.499_999_999_99, 0.499_999_999_997, 0.500_000_000_009];
        assert_eq!(given.at(&times).unwrap().values, [[2.0], [1.0], [2.0], [3.0]]);
    }

    #[test]
    fn errors_point_to_the_mistake() {
        let one = |text: &str, line, column, message: &str| {
            let found = wrong(text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((found[0].0, found[0].1), (line, column), "{found:?}");
            assert!(found[0].2.contains(message), "{found:?}");
        };
        one("", 1, 1, "empty");
        one("t [s]\n1\n", 1, 1, "no observable");
        one("t,x [m]\n", 1, 1, "`t` has no unit");
        one("time [s],x [m]\n", 1, 1, "the first column is `time`");
        one("t [s],x [m], y [m]\n", 1, 14, "y");
        one("t [s],x [m],x [mm]\n0,1,2\n", 1, 13, "duplicate column `x`");
        one("t [s],x [kg]\n0,1\n", 1, 7, "`kg` cannot be converted to `m`");
        one("t [s],x [m]\n", 1, 1, "no times");
        one("# note\nt [s],x [m]\n0,1\n1,inf\n", 4, 3, "found `inf`");
        one("t [s],x [m]\n0,1\n1, none\n", 3, 4, "found `none`");
        one("t [s],x [m]\n0,\n", 2, 3, "found nothing");
        one("t [s],x [m]\n0,1,2\n", 2, 1, "3 cells, but 2 headings");
        one("t [s],x [m]\n0,1\n2,1\n2,1\n", 4, 1, "does not come after 2 s");
        let many = wrong(&format!("t [s],x [m]\n{}", "0,x\n".repeat(100)));
        assert_eq!(many.len(), crate::trajectory_file::MOST_PROBLEMS);
        let unbounded = given("t [s],x [m]\n0,1\n", Bound::Each(Vec::new())).expect_err("no bound");
        assert!(unbounded.problems()[0].message.contains("the bound on the errors of `x` is missing"));
    }
}
