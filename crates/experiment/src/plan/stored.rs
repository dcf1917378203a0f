//! References in files beside the experiments: the most expensive solves, computed once and kept as data.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mbsbench_input::{BadInput, Place, Problem, write_atomically};
use mbsbench_measures::ReferenceTrajectory;

use super::{Plan, ReferencePlan, RunSpec};
use crate::{ExternalReference, Origin, Problems};

/// The file of a stored reference and its contents.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The file.
    pub path: PathBuf,
    /// The place where an experiment names the file.
    pub place: Place,
    /// The contents.
    pub kept: Result<StoredReference, Arc<StoredError>>,
}

/// The files of stored references of an experiment, each read once although several cases may name it.
#[derive(Debug, Default)]
pub(super) struct StoredFiles(HashMap<PathBuf, Arc<Stored>>);

impl StoredFiles {
    /// Reads the file at `path`, which is first named at `place`.
    pub(super) fn at(&mut self, path: PathBuf, place: Place) -> Arc<Stored> {
        let read = |path: &PathBuf| {
            let kept = StoredReference::read(path).map_err(Arc::new);
            Arc::new(Stored { path: path.clone(), place, kept })
        };
        Arc::clone(self.0.entry(path).or_insert_with_key(read))
    }
}

/// A reference as a file stores it.
///
/// The columns are `t` (s), then each observable and `bound(…)`, the difference between the two methods in it. Comments
/// above them give the command that makes the file, the key of the request, the number of digits that agree, and a
/// checksum of all other lines.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReference {
    /// The key of the [`ReferencePlan`] for which it was made.
    pub key: String,
    /// The values.
    pub trajectory: ReferenceTrajectory,
}

/// A stored reference that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not a table.
    #[error("is not a table: {0}")]
    Csv(#[from] csv::Error),
    /// The table is not a reference.
    #[error("{0}")]
    Content(String),
}

const KEY: &str = "key: ";
const DIGITS: &str = "digits agreed: ";
const CHECKSUM: &str = "checksum: ";
/// The possible numbers of digits to which two solutions agree. Fewer than one is no agreement; equal solutions count
/// as 33 digits.
const AGREED: std::ops::RangeInclusive<f64> = 1.0..=33.0;

impl StoredReference {
    /// Reads a file.
    ///
    /// # Errors
    /// Fails if the file is missing, is not a file that [`Self::write`] writes, or was changed since it was written.
    pub fn read(path: &Path) -> Result<Self, StoredError> {
        let text = mbsbench_input::read_text(path, mbsbench_input::LARGEST_DATA)?;
        let comment = |head: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix('#')?.trim_start().strip_prefix(head));
            found.ok_or_else(|| StoredError::Content(format!("has no line `# {head}…`")))
        };
        let (key, digits) = (comment(KEY)?.trim().to_owned(), number(comment(DIGITS)?)?);
        if comment(CHECKSUM)?.trim() != checksum(&text) {
            let message = "does not match its checksum: it was changed after it was written";
            return Err(StoredError::Content(message.to_owned()));
        }
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let heads: Vec<String> = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
        let observables: Vec<String> = heads.iter().step_by(2).cloned().collect();
        if !heads.chunks(2).all(|pair| matches!(pair, [name, bound] if *bound == bound_of(name))) {
            return Err(StoredError::Content("has columns that are not pairs of a value and its bound".to_owned()));
        }
        let mut trajectory = ReferenceTrajectory { observables, digits, ..Default::default() };
        for record in reader.records() {
            let numbers: Vec<f64> = record?.iter().map(number).collect::<Result<_, _>>()?;
            let Some((t, pairs)) = numbers.split_first() else { continue };
            trajectory.times.push(*t);
            trajectory.values.push(pairs.iter().step_by(2).copied().collect());
            trajectory.bounds.push(pairs.iter().skip(1).step_by(2).copied().collect());
        }
        let read = Self { key, trajectory };
        read.check().map(|()| read)
    }

    /// Checks that times increase, values are finite, no bound is negative, and the number of digits is possible. A
    /// bound is zero if both methods start from that value.
    fn check(&self) -> Result<(), StoredError> {
        let ReferenceTrajectory { times, values, bounds, digits, .. } = &self.trajectory;
        let refused = |message: String| Err(StoredError::Content(message));
        if !AGREED.contains(digits) {
            return refused(format!(
                "states that {digits} digits agree; accepted: {} to {}",
                AGREED.start(),
                AGREED.end()
            ));
        }
        if !times.is_sorted_by(|a, b| a < b) || !times.iter().all(|t| t.is_finite()) {
            return refused("has times that do not increase".to_owned());
        }
        let wrong = |rows: &[Vec<f64>], is_good: fn(f64) -> bool| {
            let mut cells = times.iter().zip(rows).flat_map(|(&t, row)| row.iter().map(move |&cell| (t, cell)));
            cells.find(|&(_, cell)| !is_good(cell))
        };
        if let Some((t, value)) = wrong(values, f64::is_finite) {
            return refused(format!("has the value {value} at t = {t} s"));
        }
        if let Some((t, bound)) = wrong(bounds, |bound| bound.is_finite() && bound >= 0.0) {
            return refused(format!("has the bound {bound} at t = {t} s"));
        }
        Ok(())
    }

    /// Writes a file that can be read back bit for bit, with the command that makes it.
    pub fn write(&self, path: &Path, command: &str) -> Result<(), StoredError> {
        self.check()?;
        let Self { key, trajectory } = self;
        let head = format!("# {command}\n# {KEY}{key}\n# {DIGITS}{:?}\n", trajectory.digits);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let columns = trajectory.observables.iter().flat_map(|name| [name.clone(), bound_of(name)]);
        writer.write_record(std::iter::once("t".to_owned()).chain(columns))?;
        for ((t, values), bounds) in trajectory.times.iter().zip(&trajectory.values).zip(&trajectory.bounds) {
            let pairs = values.iter().zip(bounds).flat_map(|(value, bound)| [value, bound]);
            writer.write_record(std::iter::once(t).chain(pairs).map(|number| format!("{number:?}")))?;
        }
        let rows = writer.into_inner().map_err(|error| error.into_error())?;
        let rows = String::from_utf8(rows).expect("strings and numbers are UTF-8");
        let sum = checksum(&format!("{head}{rows}"));
        Ok(write_atomically(path, format!("{head}# {CHECKSUM}{sum}\n{rows}").as_bytes())?)
    }
}

/// A hash of all lines except the one with the checksum; line endings do not matter.
fn checksum(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let is_own = |line: &str| line.strip_prefix('#').is_some_and(|line| line.trim_start().starts_with(CHECKSUM));
    for line in text.lines().filter(|line| !is_own(line)) {
        hasher.update(line.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn bound_of(observable: &str) -> String {
    format!("bound({observable})")
}

fn number(text: &str) -> Result<f64, StoredError> {
    text.trim().parse().map_err(|_| StoredError::Content(format!("has `{text}` instead of a number")))
}

impl ReferencePlan {
    /// Returns the stored reference, with the number of digits required. `None` if it was made for another request or
    /// lacks one of these times. A reference from a file that the experiment gives is returned likewise.
    pub fn kept(&self, times: &[f64]) -> Option<ReferenceTrajectory> {
        let digits = match &self.origin {
            Origin::File(given) => return given.as_ref().ok()?.at(times).ok(),
            Origin::Solved(solved) => solved.digits,
        };
        let kept = self.stored.as_ref()?.kept.as_ref().ok()?;
        if kept.key != self.key.full() || !times.iter().all(|&t| kept.trajectory.row(t).is_some()) {
            return None;
        }
        Some(ReferenceTrajectory { digits_asked: digits.map_or(0.0, f64::from), ..kept.trajectory.clone() })
    }
}

/// Returns the increasing times, s, at which the measures of these runs need their reference, and the end of its span
/// if it is solved for.
pub fn times<'r>(reference: &ReferencePlan, runs: impl Iterator<Item = &'r RunSpec>) -> Vec<f64> {
    // Most runs have the same measures.
    let mut seen = HashSet::new();
    let asked = runs
        .filter(|run| seen.insert((Arc::as_ptr(&run.measures), run.span.map(f64::to_bits))))
        .flat_map(|run| run.measures.iter().flat_map(|measure| measure.object.reference_times(run.span)));
    // A file need not reach the end.
    let end = matches!(reference.origin, Origin::Solved(_)).then_some(reference.span[1]);
    let mut times: Vec<f64> = asked.chain(end).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Checks that each stored reference exists, was made for the current request, and has all required times. An
/// experiment shortened by `quick:` may need a different reference, which is then solved for with its runs.
pub(super) fn check(plan: &Plan) -> Result<(), BadInput> {
    let mut problems = Problems::default();
    let mut seen = BTreeSet::new();
    for reference in plan.runs.iter().filter_map(|run| run.reference.as_ref()) {
        if !seen.insert((reference.key.full(), reference.stored.as_ref().map(|stored| &stored.path))) {
            continue;
        }
        let runs = || plan.runs.iter().filter(|run| run.reference.as_ref().is_some_and(|own| own.key == reference.key));
        match (&reference.origin, &reference.stored) {
            (Origin::File(given), _) => {
                let given = given.as_ref().map_err(Clone::clone)?;
                let absent = || given.at(&times(reference, runs())).err().map(|t| format!("no values at t = {t} s"));
                if let Some(lacks) = lacking(given, reference, runs()).or_else(absent) {
                    let problem = Problem::new(given.place, format!("`{}` has {lacks}", given.path.display()));
                    let help = "accepted: a file with all observables and times that measures compare; values are \
                                not interpolated";
                    problems.add(problem.help(help));
                }
            }
            (Origin::Solved(_), Some(stored)) if !plan.experiment.quick => {
                let wrong = match &stored.kept {
                    Err(error) => error.to_string(),
                    Ok(kept) if kept.key != reference.key.full() => {
                        "was computed for another model, span or method".to_owned()
                    }
                    Ok(kept) => match times(reference, runs()).iter().find(|&&t| kept.trajectory.row(t).is_none()) {
                        Some(t) => format!("has no values at t = {t} s"),
                        None => continue,
                    },
                };
                let message = format!("`{}` {wrong}", stored.path.display());
                problems.refuse(stored.place, message, format!("recompute it with `{}`", command(&plan.experiment.id)));
            }
            (Origin::Solved(_), _) => {}
        }
    }
    problems.into_result(&plan.experiment.document)
}

/// Returns an observable that measures compare and the file lacks. Measures that do not name observables compare all
/// observables that have a class.
fn lacking<'r>(
    given: &ExternalReference,
    reference: &ReferencePlan,
    runs: impl Iterator<Item = &'r RunSpec>,
) -> Option<String> {
    let model = reference.model.object.model();
    let of_classes = || model.observables().into_iter().filter(|of| of.class.is_some()).map(|of| of.name).collect();
    runs.flat_map(|run| run.measures.iter().map(move |measure| (run, &measure.object)))
        .filter(|(run, measure)| !measure.reference_times(run.span).is_empty())
        .flat_map(|(_, measure)| {
            let named = measure.observables();
            if named.is_empty() { of_classes() } else { named }
        })
        .find(|name| !given.trajectory.observables.contains(name))
        .map(|name| format!("no `{name}`"))
}

/// Returns the command that makes the stored references of an experiment.
pub fn command(id: &str) -> String {
    format!("mbsbench ledger reference {id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> StoredReference {
        StoredReference {
            key: "0123".to_owned(),
            trajectory: ReferenceTrajectory {
                observables: vec!["u3".to_owned(), "link force, N".to_owned()],
                times: vec![0.02, 0.1 + 0.2],
                values: vec![vec![1.0 / 3.0, -0.0], vec![5e-324, 1e300]],
                bounds: vec![vec![1e-9, 0.0], vec![f64::MAX, 1e-17]],
                digits: 4.7,
                digits_asked: 0.0,
            },
        }
    }

    #[test]
    fn stored_references_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("references/shaft.csv");
        reference().write(&path, "mbsbench ledger reference a/b").unwrap();
        assert_eq!(StoredReference::read(&path).unwrap(), reference());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# mbsbench ledger reference a/b\n"), "{text}");
    }

    #[test]
    fn a_file_is_read_once_and_a_missing_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let [path, missing] = ["shaft.csv", "beam.csv"].map(|name| folder.path().join(name));
        reference().write(&path, "mbsbench ledger reference a/b").unwrap();
        let (mut files, place) = (StoredFiles::default(), Place::default());
        let first = files.at(path.clone(), place);
        assert_eq!(first.kept.as_ref().unwrap(), &reference());
        std::fs::remove_file(&path).unwrap();
        assert!(Arc::ptr_eq(&files.at(path, place), &first));
        assert!(files.at(missing, place).kept.is_err());
    }

    #[test]
    fn rows_are_found_by_their_times() {
        let times = vec![-1.5, 0.0, 0.1 + 0.2, 2.0];
        let trajectory = ReferenceTrajectory { times: times.clone(), ..Default::default() };
        let rows: Vec<_> = times.iter().map(|&t| trajectory.row(t)).collect();
        assert_eq!(rows, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(trajectory.row(-0.0), Some(1));
        assert_eq!([-2.0, 0.3, 2.5, f64::NAN].map(|t| trajectory.row(t)), [None; 4]);
    }

    /// Returns the reason for which a file with one change is refused, with a recomputed checksum if requested.
    fn refusal(from: &str, to: &str, is_summed_again: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shaft.csv");
        reference().write(&path, "mbsbench ledger reference a/b").unwrap();
        let good = std::fs::read_to_string(&path).unwrap();
        assert!(good.contains(from), "{from}");
        let mut bad = good.replacen(from, to, 1);
        if is_summed_again {
            bad = bad.replacen(&checksum(&good), &checksum(&bad), 1);
        }
        std::fs::write(&path, bad).unwrap();
        StoredReference::read(&path).unwrap_err().to_string()
    }

    #[test]
    fn a_damaged_file_is_refused() {
        for (from, to, said) in [
            ("# key: 0123\n", "", "key: "),
            ("bound(u3)", "bound(u2)", "not pairs of a value"),
            ("0.02,", "0.02,,", "not a table"),
            ("0.02", "two", "`two` instead of a number"),
            ("0.02", "0.5", "do not increase"),
            ("4.7", "1e9", "1000000000 digits agree"),
            ("4.7", "-5.0", "-5 digits agree"),
            ("4.7", "NaN", "NaN digits agree"),
            ("1e-9", "-1e-9", "the bound -0.000000001 at t = 0.02 s"),
            ("1e-9", "inf", "the bound inf"),
            ("0.333", "nan0.333", "instead of a number"),
            ("1e300", "inf", "the value inf at t = 0.3"),
        ] {
            let message = refusal(from, to, true);
            assert!(message.contains(said), "{from} -> {to}: {message}");
        }
    }

    #[test]
    fn edited_references_are_refused() {
        for (from, to) in [("0.333", "0.933"), ("1e-9", "2e-9"), ("4.7", "5.7"), ("0123", "0124"), ("a/b", "a/c")] {
            let message = refusal(from, to, false);
            assert!(message.contains("does not match its checksum"), "{from} -> {to}: {message}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shaft.csv");
        reference().write(&path, "mbsbench ledger reference a/b").unwrap();
        let good = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, good.replace(&format!("# {CHECKSUM}{}\n", checksum(&good)), "")).unwrap();
        let message = StoredReference::read(&path).unwrap_err().to_string();
        assert!(message.contains("has no line `# checksum: …`"), "{message}");
        std::fs::write(&path, good.replace('\n', "\r\n")).unwrap();
        assert_eq!(StoredReference::read(&path).unwrap(), reference(), "line endings do not matter");
    }

    #[test]
    fn unreadable_references_are_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shaft.csv");
        let mut wrong = reference();
        wrong.trajectory.bounds[1][0] = f64::INFINITY;
        assert!(wrong.write(&path, "mbsbench ledger reference a/b").is_err() && !path.exists());
    }
}
