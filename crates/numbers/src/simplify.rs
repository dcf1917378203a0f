//! Removal of points that a polyline does not need (Ramer 1972; Douglas and Peucker 1973).

/// Returns the rows that must be kept so that no column, drawn as a polyline over `time`, moves by more than
/// `tolerance` times its range (Ramer 1972; Douglas and Peucker 1973; with vertical distances).
///
/// The first and last row and the extrema of each column are always kept, as is every row with a value that is not
/// finite, with its neighbours.
pub fn simplify(time: &[f64], columns: &[&[f64]], tolerance: f64) -> Vec<usize> {
    let allowed: Vec<f64> = columns.iter().map(|column| tolerance * range(column)).collect();
    simplify_by(time, columns, &allowed)
}

/// Like [`simplify`], with an allowed distance for each column.
pub(crate) fn simplify_by(time: &[f64], columns: &[&[f64]], allowed: &[f64]) -> Vec<usize> {
    let rows = time.len();
    let finite = |row: usize| columns.iter().all(|column| column[row].is_finite());
    let mut keep = vec![false; rows];
    for row in [0, rows.saturating_sub(1)] {
        keep.iter_mut().skip(row).take(1).for_each(|keep| *keep = true);
    }
    for column in columns {
        let finite_rows = || (0..rows).filter(|&row| column[row].is_finite());
        let low = finite_rows().min_by(|&a, &b| column[a].total_cmp(&column[b]));
        let high = finite_rows().rev().max_by(|&a, &b| column[a].total_cmp(&column[b]));
        low.into_iter().chain(high).for_each(|row| keep[row] = true);
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
        let worst = worst_row(time, columns, allowed, from, to);
        if let Some(row) = worst {
            keep[row] = true;
            open.extend([(from, row), (row, to)]);
        }
    }
    (0..rows).filter(|&row| keep[row]).collect()
}

/// Returns the points that must be kept so that the polyline through them passes within `tolerance` of every point
/// (Ramer 1972; Douglas and Peucker 1973). It suits curves that turn back, such as orbits.
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

/// Distance of a point from the segment between two others.
fn distance_to_segment(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let (along, to_point) = (minus(to, from), minus(point, from));
    let length = dot(along, along);
    let share = if length > 0.0 { (dot(to_point, along) / length).clamp(0.0, 1.0) } else { 0.0 };
    let off = minus(to_point, along.map(|part| share * part));
    dot(off, off).sqrt()
}

/// The row between two others that is farthest from the straight lines between them, relative to the allowed
/// distances, if it is farther than allowed.
fn worst_row(time: &[f64], columns: &[&[f64]], allowed: &[f64], from: usize, to: usize) -> Option<usize> {
    let span = time[to] - time[from];
    let mut worst = (1.0, None);
    for (column, &allowed) in columns.iter().zip(allowed) {
        let slope = if span > 0.0 { (column[to] - column[from]) / span } else { 0.0 };
        for row in from + 1..to {
            let distance = (column[row] - column[from] - slope * (time[row] - time[from])).abs();
            // A constant column allows no distance and has none.
            let excess = if distance == 0.0 { 0.0 } else { distance / allowed };
            if excess > worst.0 {
                worst = (excess, Some(row));
            }
        }
    }
    worst.1
}

/// Largest minus smallest finite value; zero if there is none.
pub(crate) fn range(column: &[f64]) -> f64 {
    let finite = || column.iter().copied().filter(|value| value.is_finite());
    (finite().fold(f64::MIN, f64::max) - finite().fold(f64::MAX, f64::min)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimate::INVISIBLE;

    /// Value at `t` on the polyline through the kept rows.
    fn between(time: &[f64], values: &[f64], t: f64) -> f64 {
        let right = time.partition_point(|&x| x < t).clamp(1, time.len() - 1);
        let share = (t - time[right - 1]) / (time[right] - time[right - 1]);
        values[right - 1] + share * (values[right] - values[right - 1])
    }

    #[test]
    fn simplified_curves_are_within_the_tolerance() {
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
    fn unusual_input_is_kept_unchanged() {
        assert!(simplify(&[], &[&[]], INVISIBLE).is_empty());
        assert_eq!(simplify(&[1.0], &[&[2.0]], INVISIBLE), [0]);
        assert_eq!(simplify(&[0.0, 1.0, 1.0, 2.0], &[&[0.0, 0.0, 1.0, 1.0]], INVISIBLE), [0, 1, 2, 3], "a jump");
        assert_eq!(simplify(&[0.0, 1.0, 2.0, 3.0, 4.0], &[&[5.0; 5]], INVISIBLE), [0, 4], "a constant");
        let gap = [0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0];
        assert_eq!(simplify(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[&gap], INVISIBLE), [0, 2, 3, 4, 6]);
    }
}
