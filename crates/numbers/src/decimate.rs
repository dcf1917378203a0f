//! Thinning of trajectories to fewer points that look the same.
//!
//! [`Decimator`] receives a trajectory step by step, keeps its envelope, and uses bounded memory;
//! [`simplify`](crate::simplify) then removes points that a straight line between their neighbours shows equally
//! well.

use crate::simplify::{range, simplify_by};

/// The part of a column's range that cannot be seen: a quarter of a pixel of the usual figure.
pub(crate) const INVISIBLE: f64 = 1.0 / 2000.0;

/// Rows `(t, values)` of a trajectory, thinned while they arrive.
///
/// All rows are kept until there are too many. Then time is divided into buckets; each bucket keeps its first and
/// last row and the rows in which a column has its minimum or maximum. When there are too many rows again, the
/// buckets are widened by a power of two, so that each new bucket is a union of earlier ones and no extremum is lost.
/// Parts of time that a figure shows alone have [buckets of their own](Self::looking_at). Memory is bounded by the
/// number of columns and of such parts, not by the number of rows.
#[derive(Debug, Clone)]
pub struct Decimator {
    columns: usize,
    /// Least number of buckets for the whole time; the exact number for each window.
    buckets: usize,
    /// Parts of time with buckets of their own, s.
    windows: Vec<[f64; 2]>,
    /// True if values are also drawn on logarithmic axes.
    logarithmic: bool,
    /// Times of the rows.
    times: Vec<f64>,
    /// Values, row after row.
    values: Vec<f64>,
    /// Width of a bucket of the whole time, a power of two, s; zero as long as all rows are kept.
    width: f64,
    /// Scratch memory for thinning: the rows to keep.
    kept: Vec<usize>,
}

impl Decimator {
    /// A decimator for rows of `columns` values, with at least 512 buckets (a figure is about as many pixels wide).
    pub fn new(columns: usize) -> Self {
        Self::with_buckets(columns, 512)
    }

    /// A decimator for rows whose columns are drawn against each other: a loop is as wide as the figure but lasts
    /// only a part of the time.
    pub fn of_orbit(columns: usize) -> Self {
        Self::with_buckets(columns, 1024)
    }

    /// A decimator that keeps at least `buckets` buckets after each thinning.
    pub fn with_buckets(columns: usize, buckets: usize) -> Self {
        let (times, values, kept) = (Vec::new(), Vec::new(), Vec::new());
        let (buckets, windows) = (buckets.max(1), Vec::new());
        Self { columns, buckets, windows, logarithmic: false, times, values, width: 0.0, kept }
    }

    /// Gives each of these parts of time (s) as many buckets as the whole, for figures that show one part over their
    /// full width.
    #[must_use]
    pub fn looking_at(self, windows: &[[f64; 2]]) -> Self {
        Self { windows: windows.to_vec(), ..self }
    }

    /// Prepares for logarithmic axes, where small values are as visible as large ones.
    #[must_use]
    pub fn on_logarithmic_axes(self, logarithmic: bool) -> Self {
        Self { logarithmic, ..self }
    }

    /// Adds a row. Times must not decrease; rows at equal times (a jump) are allowed.
    ///
    /// # Panics
    /// If the length of the row is not the number of columns.
    pub fn push(&mut self, t: f64, row: &[f64]) {
        assert_eq!(row.len(), self.columns, "number of values in a row");
        if self.times.len() == self.capacity() {
            self.thin();
        }
        self.times.push(t);
        self.values.extend_from_slice(row);
    }

    /// Number of rows held.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// True if no row has been added yet.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Largest number of rows that are ever held: twice as many as the buckets can need.
    pub fn capacity(&self) -> usize {
        // The edges of one division cut the buckets of the others.
        let buckets = 2 * self.buckets + self.windows.len() * (self.buckets + 2);
        2 * buckets * (3 + 2 * self.columns)
    }

    /// Returns the times and columns of the kept rows, without the rows that [`simplify`](crate::simplify) removes.
    /// The last rows are thinned like all others.
    pub fn finish(mut self) -> (Vec<f64>, Vec<Vec<f64>>) {
        if self.width > 0.0 {
            self.thin();
        }
        let columns: Vec<Vec<f64>> =
            (0..self.columns).map(|c| self.values.iter().skip(c).step_by(self.columns).copied().collect()).collect();
        let logarithms: Vec<Vec<f64>> = match self.logarithmic {
            true => columns.iter().map(|column| column.iter().map(|value| value.abs().ln()).collect()).collect(),
            false => Vec::new(),
        };
        let views: Vec<&[f64]> = columns.iter().chain(&logarithms).map(Vec::as_slice).collect();
        let allowed: Vec<f64> = views.iter().map(|column| INVISIBLE * self.least_range(column)).collect();
        let kept = simplify_by(&self.times, &views, &allowed);
        let pick = |column: &[f64]| kept.iter().map(|&row| column[row]).collect::<Vec<f64>>();
        (pick(&self.times), columns.iter().map(|column| pick(column)).collect())
    }

    /// The smallest range of a column over the whole time and over the windows in which it varies.
    fn least_range(&self, column: &[f64]) -> f64 {
        let whole = std::iter::once(range(column));
        let within = self.windows.iter().map(|&[low, high]| {
            let [from, to] = [self.times.partition_point(|&t| t < low), self.times.partition_point(|&t| t <= high)];
            range(&column[from..to.max(from)])
        });
        whole.chain(within).filter(|&range| range > 0.0).reduce(f64::min).unwrap_or(0.0)
    }

    fn thin(&mut self) {
        let Self { times, values, .. } = self;
        let span = times[times.len() - 1] - times[0];
        // If time stands still, there is one bucket.
        let widest = (span / self.buckets as f64).max(f64::MIN_POSITIVE);
        self.width = self.width.max(widest.log2().floor().exp2());
        let (start, width, buckets) = (times[0], self.width, self.buckets as f64);
        // The bucket of the first row is number 0; rounding of the last row may open one more.
        let whole = |t: f64| ((t - start) / width).floor().min(2.0 * buckets - 1.0);
        let within = |[low, high]: [f64; 2], t: f64| ((t - low) / (high - low) * buckets).floor().clamp(-1.0, buckets);
        let windows = &self.windows;
        let is_same = |a: usize, b: usize| {
            let (a, b) = (times[a], times[b]);
            whole(a) == whole(b) && windows.iter().all(|&window| within(window, a) == within(window, b))
        };
        let columns = self.columns;
        envelopes(times.len(), is_same, columns, |row, column| values[row * columns + column], &mut self.kept);
        for (place, &row) in self.kept.iter().enumerate() {
            times[place] = times[row];
            values.copy_within(row * columns..(row + 1) * columns, place * columns);
        }
        times.truncate(self.kept.len());
        values.truncate(self.kept.len() * columns);
    }
}

/// Returns the rows of a curve over increasing `x` that look the same as all rows if the axis from 0 to 1 is divided
/// into `buckets` buckets: the first and last row of each bucket and those with the smallest and the largest `y`.
/// Rows beyond the axis form one bucket on each side.
pub fn thin_evenly(x: &[f64], y: &[f64], buckets: usize) -> Vec<usize> {
    let buckets = buckets as f64;
    let bucket = |row: usize| (x[row] * buckets).floor().clamp(-1.0, buckets);
    let mut kept = Vec::new();
    envelopes(x.len(), |a, b| bucket(a) == bucket(b), 1, |row, _| y[row], &mut kept);
    kept
}

/// Puts the rows to keep into `kept`: of each bucket the first and the last row, the first one with a value that is
/// not finite, and those in which a column has its minimum or maximum.
fn envelopes(
    rows: usize,
    is_same_bucket: impl Fn(usize, usize) -> bool,
    columns: usize,
    value: impl Fn(usize, usize) -> f64,
    kept: &mut Vec<usize>,
) {
    kept.clear();
    let mut start = 0;
    while start < rows {
        let mut end = start + 1;
        while end < rows && is_same_bucket(start, end) {
            end += 1;
        }
        let first_kept = kept.len();
        kept.extend([start, end - 1]);
        kept.extend((start..end).find(|&row| !(0..columns).all(|column| value(row, column).is_finite())));
        for column in 0..columns {
            let finite = || (start..end).filter(|&row| value(row, column).is_finite());
            kept.extend(finite().min_by(|&a, &b| value(a, column).total_cmp(&value(b, column))));
            // Of equal maxima the first one is kept, as for minima.
            kept.extend(finite().rev().max_by(|&a, &b| value(a, column).total_cmp(&value(b, column))));
        }
        kept[first_kept..].sort_unstable();
        start = end;
    }
    kept.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_extrema_are_kept() {
        let mut decimator = Decimator::new(2);
        let (rows, spike) = (1_000_000_u32, 777_777);
        for i in 0..rows {
            let t = f64::from(i) * 1e-5;
            decimator.push(t, &[(50.0 * t).sin(), if i == spike { 9.0 } else { t }]);
            assert!(decimator.len() <= decimator.capacity());
        }
        assert_eq!(decimator.capacity(), 14_336);
        let (time, columns) = decimator.finish();
        assert_eq!((time[0], time[time.len() - 1]), (0.0, f64::from(rows - 1) * 1e-5));
        assert!(columns[1].contains(&9.0), "the spike of one row is kept");
        let maximum = columns[0].iter().copied().fold(f64::MIN, f64::max);
        // Distance of the nearest sample from a crest: (50 · 1e-5 / 2)² / 2.
        assert!(maximum > 1.0 - 4e-8, "{maximum}");
    }

    #[test]
    fn every_bucket_keeps_its_envelope() {
        let mut decimator = Decimator::with_buckets(1, 16);
        let value = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) % 1000);
        for i in 0..5000 {
            decimator.push(f64::from(i), &[value(i)]);
        }
        assert!(decimator.width > 0.0);
        let width = decimator.width;
        let bucket = |t: f64| (t / width) as usize;
        for b in 0..bucket(4000.0) {
            let all = (0..5000).filter(|&i| bucket(f64::from(i)) == b).map(value);
            let kept = decimator.times.iter().zip(&decimator.values).filter(|(t, _)| bucket(**t) == b).map(|(_, v)| *v);
            assert_eq!(all.clone().fold(f64::MAX, f64::min), kept.clone().fold(f64::MAX, f64::min), "bucket {b}");
            assert_eq!(all.fold(f64::MIN, f64::max), kept.fold(f64::MIN, f64::max), "bucket {b}");
        }
    }

    /// An oscillation with 2000 periods before `end`, as [time, value], whose amplitude grows tenfold.
    fn oscillation(end: f64) -> impl Fn(u32) -> [f64; 2] {
        move |row| {
            let t = end * f64::from(row) / 100_000.0;
            [t, (1.0 + 9.0 * t / end) * (std::f64::consts::TAU * 2000.0 * t / end).sin()]
        }
    }

    /// The smallest and the largest number of points in any hundredth of an axis from 0 to `end`, and the largest
    /// part of the amplitude that is lost.
    fn over_the_axis(end: f64, time: &[f64], values: &[f64]) -> ([usize; 2], f64) {
        let (mut fewest, mut most, mut lost) = (usize::MAX, 0, 0.0_f64);
        for part in 0..100 {
            let [low, high] = [part, part + 1].map(|edge| end * f64::from(edge) / 100.0);
            let [from, to] = [low, high].map(|edge| time.partition_point(|&t| t < edge));
            (fewest, most) = (fewest.min(to - from), most.max(to - from));
            let amplitude = 1.0 + 9.0 * low / end;
            let (least, largest) =
                values[from..to].iter().fold((f64::MAX, f64::MIN), |(a, b), &value| (a.min(value), b.max(value)));
            lost = lost.max(1.0 - largest.min(-least) / amplitude);
        }
        ([fewest, most], lost)
    }

    #[test]
    fn fast_oscillations_keep_envelope_and_uniform_density() {
        // The axis shows the whole run, its first third, or the part after one that is not shown.
        for (before, end, rows) in [(0.0, 12.0, 100_000), (0.0, 12.0, 300_000), (-21.0, 12.0, 100_000)] {
            let mut decimator = Decimator::new(1);
            if rows > 100_000 || before < 0.0 {
                decimator = decimator.looking_at(&[[0.0, end]]);
            }
            let value = oscillation(end);
            (0..8000).filter(|_| before < 0.0).for_each(|row| {
                let t = before * (1.0 - f64::from(row) / 8000.0);
                decimator.push(t, &[0.5 * (700.0 * t).sin()]);
            });
            (0..rows).map(value).for_each(|[t, value]| decimator.push(t, &[value]));
            assert!(decimator.width > 0.0, "rows were left out");
            let (time, columns) = decimator.finish();
            let ([fewest, most], lost) = over_the_axis(end, &time, &columns[0]);
            assert!(fewest >= 20 && most <= 3 * fewest, "{fewest} to {most} points in a hundredth of the axis");
            assert!(lost < 0.02, "{lost} of the amplitude is lost");
        }
    }

    #[test]
    fn an_axis_is_thinned_evenly() {
        let rows: Vec<[f64; 2]> = (0..100_000).map(oscillation(1.0)).collect();
        let [x, y] = [0, 1].map(|part| rows.iter().map(|row| row[part]).collect::<Vec<f64>>());
        let kept = thin_evenly(&x, &y, 300);
        let [x, y] = [x, y].map(|all| kept.iter().map(|&row| all[row]).collect::<Vec<f64>>());
        let ([fewest, most], lost) = over_the_axis(1.0, &x, &y);
        // Three buckets of four points, and occasionally one on the edge of a hundredth.
        assert!(fewest >= 11 && most <= 13 && lost < 0.02, "{fewest} to {most}, {lost} lost");
        assert_eq!(thin_evenly(&[-3.0, -2.0, -1.0, 0.5, 0.5, 2.0], &[0.0; 6], 10), [0, 2, 3, 4, 5]);
        let gap = [1.0, f64::NAN, f64::NAN, 2.0, 3.0, 2.5];
        assert_eq!(thin_evenly(&[0.5; 6], &gap, 10), [0, 1, 4, 5], "a gap stays a gap and hides no maximum");
    }

    #[test]
    fn small_values_and_changes_are_kept_if_visible() {
        let value = |t: f64| if t < 5.0 { 1e-9 * (2.0 + (3.0 * t).sin()) } else { 1e-3 };
        let kept = |decimator: Decimator| {
            let mut decimator = decimator;
            (0..1000).map(|i| 0.01 * f64::from(i)).for_each(|t| decimator.push(t, &[value(t)]));
            decimator.finish().0.len()
        };
        assert!(kept(Decimator::new(1)) < 10);
        assert!(kept(Decimator::new(1).on_logarithmic_axes(true)) > 40);
        assert!(kept(Decimator::new(1).looking_at(&[[0.0, 4.0]])) > 40);
    }

    #[test]
    fn memory_is_bounded_if_time_does_not_advance() {
        let mut still = Decimator::with_buckets(1, 4);
        for i in 0..1000 {
            still.push(1.0, &[f64::from(i)]);
        }
        assert!(still.len() <= still.capacity());
    }
}
