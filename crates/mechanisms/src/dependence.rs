//! Redundant constraints, which follow from others and are left out of the equations: at all positions, not just at
//! the initial one.

use std::collections::BTreeSet;

use crate::assembly::{self, Least, Linearised, renumbered};
use crate::space::Space;
use crate::system::{Relation, System};

/// Largest remainder of a sum of dependent rows, relative to rows of unit length.
const DEPENDENT: f64 = 1e-9;

/// Length of a row, relative to the longest, below which it is roundoff: some terms of 1e-16 each.
const VANISHING: f64 = 1e-12;

/// Least value assumed for the length of the longest row, for mechanisms whose rows are all roundoff.
const LEAST_ROW: f64 = 1e-2;

/// Largest number of rows that are left out of one mechanism.
pub(crate) const MOST_LEFT_OUT: usize = 200;

/// Largest product of the number of rows left out and the number of rows in loops; each row left out takes
/// a factorization.
const MOST_WORK: usize = 150_000;

/// Size of an entry, relative to its row, above which it is not roundoff.
const SIGNIFICANT: f64 = 1e-6;

/// Distances from the initial position at which rows that are left out are evaluated, the largest first: lengths
/// relative to that of the mechanism, rotations in rad, times in s.
const NEARBY: [f64; 4] = [0.2, 0.05, 0.0125, 0.003];

/// Number of directions in which rows are evaluated: any one reveals rows that open, except by coincidence.
const DIRECTIONS: usize = 2;

/// Magnitude of a row, relative to its unit, above which it is violated.
const OPEN: f64 = 1e-8;

/// Units in which constraints and coordinates are of order one.
pub struct Units {
    /// Unit of each constraint: the mechanism's length in m, or one (for rad or a cosine).
    pub rows: Vec<f64>,
    /// Unit of each coordinate, likewise.
    pub coordinates: Vec<f64>,
}

/// The reason why constraints cannot be left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refused {
    /// More rows than this number follow from others. The number is [`MOST_LEFT_OUT`], or less for loops of many rows.
    TooMany(usize),
    /// A row follows from the others in the initial position only; it is violated at another position that
    /// the others allow.
    Lost {
        /// Number of the row.
        row: usize,
        /// Violation in the row's unit.
        by: f64,
    },
}

/// Returns the numbers of constraints that follow from the others, in ascending order. Rows before `first_joint`
/// are not left out.
///
/// Dependence is determined at `q`. Nearby positions that the kept rows allow then show if it holds everywhere: rows
/// that are left out must be satisfied there, too.
///
/// # Errors
/// Returns [`Refused`] if too many rows would be left out, or if a row depends on the others only at `q`.
pub fn redundant(
    system: &mut Linearised<'_>,
    q: &[f64],
    first_joint: usize,
    units: &Units,
) -> Result<Vec<usize>, Refused> {
    let (left_out, mut idle) = dependent(system, q, first_joint)?;
    if left_out.is_empty() {
        return Ok(left_out);
    }
    // rows in no loop can be closed independently of the others
    idle.extend(&left_out);
    idle.sort_unstable();
    idle.dedup();
    system.left_out = idle;
    let lost = (0..DIRECTIONS).find_map(|direction| lost(system, q, &left_out, units, direction));
    (system.left_out, system.time) = (Vec::new(), 0.0);
    lost.map_or(Ok(left_out), |(row, by)| Err(Refused::Lost { row, by }))
}

/// Returns the numbers of constraints that follow from the others at `q`, and of those that are in no loop.
fn dependent(system: &mut Linearised<'_>, q: &[f64], first_joint: usize) -> Result<(Vec<usize>, Vec<usize>), Refused> {
    let (values, entries) = system.at(q);
    // a constraint that holds for all coordinates has a row of roundoff
    let mut lengths = vec![0.0; values.len()];
    entries.iter().for_each(|&(i, _, x)| lengths[i] += x * x);
    let largest = lengths.iter().fold(LEAST_ROW, |most: f64, length| most.max(length.sqrt()));
    let vanishes = |row: &usize| lengths[*row].sqrt() < VANISHING * largest;
    let mut left_out: Vec<usize> = (first_joint..values.len()).filter(vanishes).collect();
    let mut candidates = in_loops(&entries, &lengths, q.len());
    let idle = (0..values.len()).filter(|row| candidates.binary_search(row).is_err()).collect();
    candidates.retain(|row| left_out.binary_search(row).is_err());
    // coordinates that are in no loop cost time and change nothing
    let mut column = vec![usize::MAX; q.len()];
    let mut columns = 0;
    for &(row, j, _) in &entries {
        if candidates.binary_search(&row).is_ok() && column[j] == usize::MAX {
            column[j] = columns;
            columns += 1;
        }
    }
    let most_left_out = MOST_LEFT_OUT.min(MOST_WORK / candidates.len().max(1));
    while !candidates.is_empty() {
        let mut number = vec![usize::MAX; values.len()];
        candidates.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let mut own = renumbered(&entries, &number);
        own.iter_mut().for_each(|(_, j, _)| *j = column[*j]);
        // gives a row the same value whether or not rows in no loop are ignored
        let kept_before = |row: usize| (row - left_out.partition_point(|&other| other < row)) as f64;
        let start = candidates.iter().map(|&row| 1.0 + (kept_before(row) * 0.7).sin() * 0.3).collect();
        let mut least = Least::new(&vec![1.0; columns], candidates.len(), &own);
        let Some(factors) = least.dependence(start, DEPENDENT) else { break };
        let mut joints = candidates.iter().zip(&factors).filter(|&(&row, _)| row >= first_joint);
        let most = joints.clone().fold(0.0, |most: f64, (_, x)| most.max(x.abs()));
        // of rows that participate about equally, the last one
        let Some((&row, _)) = joints.rfind(|(_, x)| x.abs() > 0.5 * most) else { break };
        candidates.retain(|&other| other != row);
        left_out.insert(left_out.partition_point(|&other| other < row), row);
        if left_out.len() > most_left_out {
            return Err(Refused::TooMany(most_left_out));
        }
    }
    Ok((left_out, idle))
}

/// The rows that can depend on others, in ascending order. They remain after repeatedly removing each row that has a
/// coordinate of its own, like the leaves of a tree. `squares` are the squared lengths of rows.
fn in_loops(entries: &[(usize, usize, f64)], squares: &[f64], columns: usize) -> Vec<usize> {
    let mut of_row = vec![Vec::new(); squares.len()];
    let mut of_column = vec![Vec::new(); columns];
    // entries that are zero here count: they are non-zero at nearby positions
    for &(i, j, x) in entries {
        of_row[i].push(j);
        of_column[j].push((i, x * x > SIGNIFICANT * SIGNIFICANT * squares[i]));
    }
    let mut count: Vec<usize> = of_column.iter().map(Vec::len).collect();
    let mut is_left = vec![true; squares.len()];
    let mut single: Vec<usize> = (0..columns).filter(|&j| count[j] == 1).collect();
    while let Some(column) = single.pop() {
        let Some(&(row, true)) = of_column[column].iter().find(|(row, _)| is_left[*row]) else { continue };
        is_left[row] = false;
        for &j in &of_row[row] {
            count[j] -= 1;
            if count[j] == 1 {
                single.push(j);
            }
        }
    }
    (0..squares.len()).filter(|&row| is_left[row]).collect()
}

/// Finds a row that is left out and is violated at positions in one direction from `q` at which the other rows are
/// satisfied; returns its number and magnitude.
///
/// If a row follows from the others only at `q`, its violation grows with the square of the distance or a higher
/// power, so it is violated at each of three distances. A row that is violated only farther away follows from the
/// others here.
fn lost(
    system: &mut Linearised<'_>,
    q: &[f64],
    left_out: &[usize],
    units: &Units,
    direction: usize,
) -> Option<(usize, f64)> {
    system.time = 0.0;
    let before = largest_of(system.values(q), &units.rows, |_| true).1;
    let (kept, entries) = system.at(q);
    let weights: Vec<f64> = units.coordinates.iter().map(|unit| unit.powi(-2)).collect();
    // an arbitrary direction, minus the part that the kept rows forbid
    let any = |(j, unit): (usize, &f64)| unit * (1.0 + 12.9898 * (j + 1) as f64 + 78.233 * direction as f64).sin();
    let mut way: Vec<f64> = units.coordinates.iter().enumerate().map(any).collect();
    let mut along = vec![0.0; kept.len()];
    entries.iter().for_each(|&(i, j, x)| along[i] += x * way[j]);
    let mut least = Least::new(&weights, kept.len(), &entries);
    way.iter_mut().zip(least.change(&along)).for_each(|(way, change)| *way += change);
    let size = way.iter().zip(&units.coordinates).fold(0.0, |most: f64, (way, unit)| most.max((way / unit).abs()));
    // a mechanism that cannot move otherwise moves with its drives
    let per_distance = if size > 1e-6 { 1.0 / size } else { 0.0 };
    let found = NEARBY.iter().filter_map(|distance| {
        system.time = *distance;
        let mut moved: Vec<f64> = q.iter().zip(&way).map(|(q, way)| q + distance * per_distance * way).collect();
        assembly::close(&mut |q| system.at(q), &mut moved, &weights, f64::INFINITY).ok()?;
        let values = system.values(&moved).to_vec();
        let is_kept = |row: usize| system.left_out.binary_search(&row).is_err();
        let closed = largest_of(&values, &units.rows, is_kept).1;
        let (row, by) = largest_of(&values, &units.rows, |row| left_out.binary_search(&row).is_ok());
        (closed < 0.01 * OPEN).then(|| (by > OPEN + 10.0 * before + 100.0 * closed).then(|| (row, values[row].abs())))
    });
    // satisfied at one distance means satisfied everywhere
    let open: Option<Vec<(usize, f64)>> = found.take(3).collect();
    open.filter(|open| open.len() > 1).map(|open| open[0])
}

/// The row with the largest violation relative to its unit, and this violation; infinite if it is not a number.
fn largest_of(values: &[f64], units: &[f64], counts: impl Fn(usize) -> bool) -> (usize, f64) {
    let rows = (0..values.len()).filter(|&row| counts(row));
    rows.fold((0, 0.0), |(at, most), row| {
        let open = (values[row] / units[row]).abs();
        let open = if open.is_nan() { f64::INFINITY } else { open };
        if open > most { (row, open) } else { (at, most) }
    })
}

/// A lower bound on the number of redundant constraints: rows of joints minus degrees of freedom of their bodies.
/// Bodies are removed one by one, the one with the fewest rows first, and the largest such difference counts.
pub fn surplus<X: Space>(system: &System<X>) -> usize {
    let bodies_of = |relation: &Relation| -> Vec<usize> {
        let mut bodies = relation.bodies();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    };
    let relations: Vec<(usize, Vec<usize>)> =
        system.relations.iter().map(|relation| (relation.rows::<X>(), bodies_of(relation))).collect();
    let mut of_body = vec![Vec::new(); system.bodies.len()];
    let mut degree = vec![0; system.bodies.len()];
    for (k, (rows, bodies)) in relations.iter().enumerate() {
        for &body in bodies {
            of_body[body].push(k);
            degree[body] += rows;
        }
    }
    let mut order: BTreeSet<(usize, usize)> = degree.iter().enumerate().map(|(body, &degree)| (degree, body)).collect();
    let mut is_gone = vec![false; relations.len()];
    let (mut rows, mut freedoms) = (system.rows(), X::FREEDOMS * system.bodies.len());
    let mut most = rows.saturating_sub(freedoms);
    while let Some((_, body)) = order.pop_first() {
        for &k in &of_body[body] {
            if std::mem::replace(&mut is_gone[k], true) {
                continue;
            }
            let (of_relation, bodies) = &relations[k];
            rows -= of_relation;
            for &other in bodies.iter().filter(|&&other| other != body) {
                order.remove(&(degree[other], other));
                degree[other] -= of_relation;
                order.insert((degree[other], other));
            }
        }
        freedoms -= X::FREEDOMS;
        most = most.max(rows.saturating_sub(freedoms));
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mechanism;
    use crate::compile::compile;
    use crate::space::Plane;

    #[test]
    fn loops_in_joint_coordinates_are_also_tested_nearby() {
        let rod = |length: f64| {
            let markers = serde_json::json!({ "a": [-0.5 * length, 0], "b": [0.5 * length, 0] });
            serde_json::json!({ "mass": 1, "shape": { "rod": { "length": length } }, "markers": markers })
        };
        let pin =
            |a: &str, b: &str, angle: f64| serde_json::json!({ "revolute": { "between": [a, b], "angle": angle } });
        let written = serde_json::json!({
            "formulation": "minimal",
            "ground": { "p": [2, 0] },
            "bodies": { "crank": rod(1.0), "coupler": rod(2.0), "rocker": rod(1.0) },
            "joints": {
                "A": pin("ground", "crank.a", 0.5), "B": pin("crank.b", "coupler.a", -0.5),
                "D": pin("ground.p", "rocker.a", 0.5), "C": pin("coupler.b", "rocker.b", 0.0),
            },
        });
        let mechanism: Mechanism = serde_json::from_value(written).unwrap();
        let compiled = compile::<Plane>(&mechanism).unwrap();
        let space = compiled.joint_space.unwrap();
        assert_eq!((space.initial[0].len(), &space.solved[..]), (3, &[6, 7][..]));
        let units = Units { rows: vec![2.0; 2], coordinates: vec![1.0; 3] };
        let mut linearised = Linearised::new(&space);
        assert_eq!(redundant(&mut linearised, &space.initial[0], 0, &units), Ok(vec![]));
        let flat = redundant(&mut linearised, &[0.0; 3], 0, &units);
        assert!(matches!(flat, Err(Refused::Lost { by, .. }) if by > 1e-3), "{flat:?}");
    }
}
