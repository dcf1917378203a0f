//! Fewer points of a trajectory that look the same.
//!
//! [`Decimator`] takes a trajectory step by step in bounded memory and keeps the envelope; [`simplify`] then takes out what
//! a straight line between its neighbours shows as well.

/// Part of a column's range that cannot be seen: a quarter of a pixel of the usual figure.
pub const INVISIBLE: f64 = 1.0 / 2000.0;

/// Rows `(t, values)` of a trajectory, decimated as they come.
///
/// All rows are kept until there are too many; then time is divided into buckets, and of each bucket the first
/// and last row are kept and those in which a column has its minimum or maximum. When they are too many again, the
/// buckets are made wider by a power of two, so that each is a union of earlier ones and no extremum is ever
/// lost. Memory is bounded by the number of columns, not by the number of rows.
#[derive(Debug, Clone)]
pub struct Decimator {
    columns: usize,
    capacity: usize,
    /// Times of the rows.
    times: Vec<f64>,
    /// Values, row after row.
    values: Vec<f64>,
    /// Width of a bucket, a power of two, s; zero while all rows are kept.
    width: f64,
    /// Scratch memory of the thinning: the rows to keep.
    kept: Vec<usize>,
}

impl Decimator {
    /// For rows of `columns` values, with room for some 500 buckets at least (a figure is about as many pixels wide).
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self::with_buckets(columns, 512)
    }

    /// For rows that are drawn over each other, where a loop is as wide as the figure and lasts a part of the time.
    #[must_use]
    pub fn of_orbit(columns: usize) -> Self {
        Self::with_buckets(columns, 2048)
    }

    /// With room for at least `buckets` buckets after each thinning.
    #[must_use]
    pub fn with_buckets(columns: usize, buckets: usize) -> Self {
        let capacity = 2 * buckets.max(1) * (2 + 2 * columns);
        Self { columns, capacity, times: Vec::new(), values: Vec::new(), width: 0.0, kept: Vec::new() }
    }

    /// Takes a row. Times must not fall; rows at equal times (a jump) are fine.
    ///
    /// # Panics
    /// If the row has another number of values than was announced.
    pub fn push(&mut self, t: f64, row: &[f64]) {
        assert_eq!(row.len(), self.columns, "number of values in a row");
        if self.times.len() == self.capacity {
            self.thin();
        }
        self.times.push(t);
        self.values.extend_from_slice(row);
    }

    /// Number of rows held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether no row was taken yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Most rows that are ever held.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Times and columns of what was kept, without the rows that [`simplify`] takes out.
    #[must_use]
    pub fn finish(self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let columns: Vec<Vec<f64>> =
            (0..self.columns).map(|c| self.values.iter().skip(c).step_by(self.columns).copied().collect()).collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = simplify(&self.times, &views, INVISIBLE);
        let pick = |column: &[f64]| kept.iter().map(|&row| column[row]).collect::<Vec<f64>>();
        (pick(&self.times), views.iter().map(|column| pick(column)).collect())
    }

    fn thin(&mut self) {
        let buckets = self.capacity / (2 * (2 + 2 * self.columns));
        let span = self.times[self.times.len() - 1] - self.times[0];
        // Where time stands still there is one bucket.
        let needed = (span / buckets as f64).max(f64::MIN_POSITIVE);
        self.width = self.width.max(needed.log2().ceil().exp2());
        // The bucket of the first row is number 0 and full; rounding of the last may open one more.
        let bucket = |t: f64| ((t - self.times[0]) / self.width).floor().min((buckets - 1) as f64);
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.reserve(self.capacity);
        let mut start = 0;
        while start < self.times.len() {
            let number = bucket(self.times[start]);
            let mut end = start + 1;
            while end < self.times.len() && bucket(self.times[end]) == number {
                end += 1;
            }
            let first_kept = kept.len();
            kept.extend([start, end - 1]);
            for column in 0..self.columns {
                let value = |row: usize| self.values[row * self.columns + column];
                kept.extend((start..end).min_by(|&a, &b| value(a).total_cmp(&value(b))));
                // The first of equal maxima, as of equal minima.
                kept.extend((start..end).rev().max_by(|&a, &b| value(a).total_cmp(&value(b))));
            }
            kept[first_kept..].sort_unstable();
            start = end;
        }
        kept.dedup();
        for (place, &row) in kept.iter().enumerate() {
            self.times[place] = self.times[row];
            self.values.copy_within(row * self.columns..(row + 1) * self.columns, place * self.columns);
        }
        self.times.truncate(kept.len());
        self.values.truncate(kept.len() * self.columns);
        self.kept = kept;
    }
}

/// Rows that must be kept so that each column, drawn with straight lines over `time`, nowhere moves by more than
/// `tolerance` times its range: by Ramer (1972), Douglas and Peucker (1973), with vertical distances.
///
/// The first and last row and the extrema of each column are always kept, as is every row with a value that is not finite
/// and its neighbours.
#[must_use]
pub fn simplify(time: &[f64], columns: &[&[f64]], tolerance: f64) -> Vec<usize> {
    let rows = time.len();
    let finite = |row: usize| columns.iter().all(|column| column[row].is_finite());
    let mut keep = vec![false; rows];
    for row in [0, rows.saturating_sub(1)] {
        keep.iter_mut().skip(row).take(1).for_each(|keep| *keep = true);
    }
    let mut allowed = Vec::with_capacity(columns.len());
    for column in columns {
        let finite_rows = || (0..rows).filter(|&row| column[row].is_finite());
        let low = finite_rows().min_by(|&a, &b| column[a].total_cmp(&column[b]));
        let high = finite_rows().rev().max_by(|&a, &b| column[a].total_cmp(&column[b]));
        let (Some(low), Some(high)) = (low, high) else {
            allowed.push(0.0);
            continue;
        };
        (keep[low], keep[high]) = (true, true);
        allowed.push(tolerance * (column[high] - column[low]));
    }
    for row in (0..rows).filter(|&row| !finite(row)) {
        keep[row.saturating_sub(1)..(row + 2).min(rows)].fill(true);
    }
    let fixed: Vec<usize> = (0..rows).filter(|&row| keep[row]).collect();
    let mut open: Vec<(usize, usize)> = fixed.windows(2).map(|ends| (ends[0], ends[1])).collect();
    while let Some((from, to)) = open.pop() {
        if to - from < 2 {
            continue;
        }
        let worst = worst_row(time, columns, &allowed, from, to);
        if let Some(row) = worst {
            keep[row] = true;
            open.extend([(from, row), (row, to)]);
        }
    }
    (0..rows).filter(|&row| keep[row]).collect()
}

/// Points that must be kept so that a line through them nowhere passes a point farther away than `tolerance`: by Ramer (1972),
/// Douglas and Peucker (1973). For lines that turn back, as orbits do.
#[must_use]
pub fn simplify_path(points: &[[f64; 2]], tolerance: f64) -> Vec<usize> {
    let mut keep = vec![false; points.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    if let Some(last) = points.len().checked_sub(1) {
        (keep[0], keep[last]) = (true, true);
        open.push((0, last));
    }
    while let Some((from, to)) = open.pop() {
        let far = |row: usize| (distance_to_segment(points[row], points[from], points[to]), row);
        let farthest = (from + 1..to).map(far).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, row)) = farthest.filter(|&(distance, _)| distance > tolerance) {
            keep[row] = true;
            open.extend([(from, row), (row, to)]);
        }
    }
    (0..points.len()).filter(|&row| keep[row]).collect()
}

/// Distance of a point from the nearest one between two others.
fn distance_to_segment(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let (along, to_point) = (minus(to, from), minus(point, from));
    let length = dot(along, along);
    let share = if length > 0.0 { (dot(to_point, along) / length).clamp(0.0, 1.0) } else { 0.0 };
    let off = minus(to_point, along.map(|part| share * part));
    dot(off, off).sqrt()
}

/// The row between two others that is farthest from the straight lines between them, if it is farther than allowed.
fn worst_row(time: &[f64], columns: &[&[f64]], allowed: &[f64], from: usize, to: usize) -> Option<usize> {
    let span = time[to] - time[from];
    let mut worst = (1.0, None);
    for (column, &allowed) in columns.iter().zip(allowed) {
        let slope = if span > 0.0 { (column[to] - column[from]) / span } else { 0.0 };
        for row in from + 1..to {
            let distance = (column[row] - column[from] - slope * (time[row] - time[from])).abs();
            // A constant column allows nothing and has no distances.
            let excess = if distance == 0.0 { 0.0 } else { distance / allowed };
            if excess > worst.0 {
                worst = (excess, Some(row));
            }
        }
    }
    worst.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value on the straight lines through the kept rows.
    fn between(time: &[f64], values: &[f64], t: f64) -> f64 {
        let right = time.partition_point(|&x| x < t).clamp(1, time.len() - 1);
        let share = (t - time[right - 1]) / (time[right] - time[right - 1]);
        values[right - 1] + share * (values[right] - values[right - 1])
    }

    #[test]
    fn memory_is_bounded_and_extrema_and_ends_stay() {
        let mut decimator = Decimator::new(2);
        let (rows, spike) = (1_000_000_u32, 777_777);
        for i in 0..rows {
            let t = f64::from(i) * 1e-5;
            decimator.push(t, &[(50.0 * t).sin(), if i == spike { 9.0 } else { t }]);
            assert!(decimator.len() <= decimator.capacity());
        }
        assert_eq!(decimator.capacity(), 6144);
        let (time, columns) = decimator.finish();
        assert_eq!((time[0], time[time.len() - 1]), (0.0, f64::from(rows - 1) * 1e-5));
        assert!(columns[1].contains(&9.0), "the spike of one row is kept");
        let maximum = columns[0].iter().copied().fold(f64::MIN, f64::max);
        // Nearest sample to a crest: (50 · 1e-5 / 2)² / 2.
        assert!(maximum > 1.0 - 4e-8, "{maximum}");
    }

    #[test]
    fn every_bucket_keeps_its_envelope() {
        let mut decimator = Decimator::with_buckets(1, 16);
        let value = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) % 1000);
        for i in 0..5000 {
            decimator.push(f64::from(i), &[value(i)]);
        }
        let width = decimator.width;
        let bucket = |t: f64| (t / width) as usize;
        for b in 0..bucket(4000.0) {
            let all = (0..5000).filter(|&i| bucket(f64::from(i)) == b).map(value);
            let kept = decimator.times.iter().zip(&decimator.values).filter(|(t, _)| bucket(**t) == b).map(|(_, v)| *v);
            assert_eq!(all.clone().fold(f64::MAX, f64::min), kept.clone().fold(f64::MAX, f64::min), "bucket {b}");
            assert_eq!(all.fold(f64::MIN, f64::max), kept.fold(f64::MIN, f64::max), "bucket {b}");
        }
    }

    #[test]
    fn simplified_curves_stay_within_the_tolerance() {
        let time: Vec<f64> = (0..4000).map(|i| f64::from(i) * 2e-3).collect();
        let columns: Vec<Vec<f64>> = vec![
            time.iter().map(|t| 40.0 * (3.0 * t).cos() * (-0.2 * t).exp()).collect(),
            time.iter().map(|t| t * t).collect(),
        ];
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = simplify(&time, &views, INVISIBLE);
        assert!(kept.len() < 400, "{} rows kept", kept.len());
        let pick = |column: &[f64]| kept.iter().map(|&row| column[row]).collect::<Vec<f64>>();
        let kept_time = pick(&time);
        for column in views {
            let kept_values = pick(column);
            let range =
                column.iter().copied().fold(f64::MIN, f64::max) - column.iter().copied().fold(f64::MAX, f64::min);
            for (&t, &value) in time.iter().zip(column) {
                let error = (between(&kept_time, &kept_values, t) - value).abs();
                assert!(error <= INVISIBLE * range * (1.0 + 1e-9), "{error} at {t}");
            }
        }
    }

    #[test]
    fn a_path_that_turns_back_keeps_its_turn() {
        let points = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 1e-9], [1.0, 0.0], [0.0, 2.0]];
        assert_eq!(simplify_path(&points, 1e-6), [0, 2, 4, 5]);
        assert_eq!(simplify_path(&[], 1e-6), [0_usize; 0]);
        assert_eq!(simplify_path(&[[1.0, 1.0]; 3], 1e-6), [0, 2]);
    }

    #[test]
    fn odd_input_is_kept_as_it_is() {
        assert!(simplify(&[], &[&[]], INVISIBLE).is_empty());
        assert_eq!(simplify(&[1.0], &[&[2.0]], INVISIBLE), [0]);
        assert_eq!(simplify(&[0.0, 1.0, 1.0, 2.0], &[&[0.0, 0.0, 1.0, 1.0]], INVISIBLE), [0, 1, 2, 3], "a jump");
        assert_eq!(simplify(&[0.0, 1.0, 2.0, 3.0, 4.0], &[&[5.0; 5]], INVISIBLE), [0, 4], "a constant");
        let gap = [0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0];
        assert_eq!(simplify(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[&gap], INVISIBLE), [0, 2, 3, 4, 6]);
        let mut still = Decimator::with_buckets(1, 4);
        for i in 0..1000 {
            still.push(1.0, &[f64::from(i)]);
        }
        assert!(still.len() <= still.capacity());
    }
}
