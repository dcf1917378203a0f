//! Pairs of nearby marbles: a cell grid, and a list that is reused until marbles have moved too far.

use mbsbench_problem::Failure;

use super::equations::all_pairs;

/// Width, in radii, of the margin within which a list is reused. Wider margins give longer lists that are
/// rebuilt less often.
const MARGIN: f64 = 0.2;

/// The pairs `i < j` of marbles within a diameter and a margin, in ascending order.
///
/// As long as no marble has moved more than half the margin, all pairs that touch are in the list.
#[derive(Debug, Clone)]
pub struct NeighbourList {
    count: usize,
    diameter: f64,
    /// True if the list has all pairs permanently.
    complete: bool,
    margin: f64,
    /// Positions for which the list was built, ordered as in the state; empty before the first build.
    made_at: Vec<f64>,
    /// The pairs `i < j`, in ascending order of `i` and then of `j`.
    pub pairs: Vec<[u32; 2]>,
    cell_of: Vec<u32>,
    cell_starts: Vec<u32>,
    by_cell: Vec<u32>,
    /// Number of times that the list has been built.
    pub rebuilds: u64,
}

impl NeighbourList {
    /// Returns a list that has all pairs of `count` marbles permanently.
    pub fn all(count: usize) -> Self {
        let mut list = Self::near(count, 0.0);
        list.complete = true;
        list.pairs = all_pairs(count);
        list
    }

    /// Returns a list of the pairs that are near each other, built at its first use.
    pub fn near(count: usize, diameter: f64) -> Self {
        Self {
            count,
            diameter,
            complete: false,
            margin: 0.0,
            made_at: Vec::new(),
            pairs: Vec::new(),
            cell_of: vec![0; count],
            cell_starts: Vec::new(),
            by_cell: vec![0; count],
            rebuilds: 0,
        }
    }

    /// Makes the list valid for a state: it then contains all pairs with a gap of at most `gap` in that state.
    ///
    /// # Errors
    /// Fails with [`Failure::NonFinite`] if a position is not finite.
    pub fn ensure(&mut self, time: f64, state: &[f64], gap: f64) -> Result<(), Failure> {
        if self.complete {
            return Ok(());
        }
        let positions = &state[..3 * self.count];
        let clearance = 0.5 * (self.margin - gap);
        if !self.made_at.is_empty() && clearance >= 0.0 && self.farthest_square(positions) <= clearance * clearance {
            return Ok(());
        }
        // A gap that is wanted once will be wanted again, slightly wider.
        self.margin = self.wanted(gap);
        self.make(positions).ok_or(Failure::NonFinite { time })
    }

    /// Discards a list that is much wider than [`ensure`](Self::ensure) would build it for `gap`.
    pub fn narrow(&mut self, gap: f64) {
        if self.margin > 4.0 * self.wanted(gap) {
            self.made_at.clear();
        }
    }

    fn wanted(&self, gap: f64) -> f64 {
        (MARGIN * 0.5 * self.diameter).max(1.5 * gap)
    }

    /// Square of the largest distance that a marble has moved since the list was built.
    fn farthest_square(&self, positions: &[f64]) -> f64 {
        let n = self.count;
        let (x, y, z) = (&positions[..n], &positions[n..2 * n], &positions[2 * n..]);
        let (x0, y0, z0) = (&self.made_at[..n], &self.made_at[n..2 * n], &self.made_at[2 * n..]);
        let mut farthest = 0.0;
        for i in 0..n {
            let (dx, dy, dz) = (x[i] - x0[i], y[i] - y0[i], z[i] - z0[i]);
            let square = dx * dx + dy * dy + dz * dz;
            farthest = if square > farthest { square } else { farthest };
        }
        farthest
    }

    /// Builds the list; returns `None` if a position is not finite.
    fn make(&mut self, positions: &[f64]) -> Option<()> {
        let n = self.count;
        self.made_at.clear();
        let reach = self.diameter + self.margin;
        let grid = Grid::around(positions, n, reach)?;
        self.made_at.extend_from_slice(positions);
        self.rebuilds += 1;
        self.sort_into(&grid, positions);
        self.pairs.clear();
        for i in 0..n {
            let first_of_i = self.pairs.len();
            let here = [positions[i], positions[n + i], positions[2 * n + i]];
            for run in grid.runs_around(self.cell_of[i]) {
                let [first, last] = run.map(|cell| self.cell_starts[cell as usize] as usize);
                for &j in &self.by_cell[first..last] {
                    let at = j as usize;
                    let d = [positions[at] - here[0], positions[n + at] - here[1], positions[2 * n + at] - here[2]];
                    if at > i && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach {
                        self.pairs.push([i as u32, j]);
                    }
                }
            }
            self.pairs[first_of_i..].sort_unstable();
        }
        Some(())
    }

    /// Sorts the marbles by cell (counting sort).
    fn sort_into(&mut self, grid: &Grid, positions: &[f64]) {
        let n = self.count;
        self.cell_starts.clear();
        self.cell_starts.resize(grid.cells() + 1, 0);
        for i in 0..n {
            let cell = grid.cell([positions[i], positions[n + i], positions[2 * n + i]]);
            self.cell_of[i] = cell;
            self.cell_starts[cell as usize + 1] += 1;
        }
        for cell in 0..grid.cells() {
            self.cell_starts[cell + 1] += self.cell_starts[cell];
        }
        // Backwards, so that each start ends at the first marble of its cell and marbles keep their order.
        for i in (0..n).rev() {
            let end = &mut self.cell_starts[self.cell_of[i] as usize + 1];
            *end -= 1;
            self.by_cell[*end as usize] = i as u32;
        }
        self.cell_starts.rotate_left(1);
        let last = self.cell_starts.len() - 1;
        self.cell_starts[last] = n as u32;
    }
}

/// Cells that are at least as wide as the search distance for neighbours.
#[derive(Debug, Clone, Copy)]
struct Grid {
    origin: [f64; 3],
    per_width: f64,
    sizes: [u32; 3],
}

impl Grid {
    fn around(positions: &[f64], n: usize, reach: f64) -> Option<Self> {
        let mut origin = [0.0; 3];
        let mut extent = [0.0; 3];
        for axis in 0..3 {
            let of_axis = &positions[axis * n..(axis + 1) * n];
            let (low, high) =
                of_axis.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
            // A sum is NaN if any position is NaN; minimum and maximum ignore it.
            if !(of_axis.iter().sum::<f64>() + (high - low)).is_finite() {
                return None;
            }
            (origin[axis], extent[axis]) = (low, high - low);
        }
        // Cells are wider if marbles are so scattered that most cells would be empty; this keeps memory linear in
        // the number of marbles. Roundoff must not put two marbles that are just within reach into cells that are
        // not neighbours.
        let mut width = reach * 1.000_001;
        let sizes = |width: f64| extent.map(|length| (length / width).floor() + 1.0);
        while sizes(width).iter().product::<f64>() > 4.0 * n as f64 + 64.0 {
            width *= 1.25;
        }
        Some(Self { origin, per_width: 1.0 / width, sizes: sizes(width).map(|size| size as u32) })
    }

    fn cells(&self) -> usize {
        self.sizes.iter().product::<u32>() as usize
    }

    fn cell(&self, position: [f64; 3]) -> u32 {
        let at = |axis: usize| {
            let place = (position[axis] - self.origin[axis]) * self.per_width;
            (place as u32).min(self.sizes[axis] - 1)
        };
        (at(2) * self.sizes[1] + at(1)) * self.sizes[0] + at(0)
    }

    /// First cell, and the one after the last, of each row of cells around a cell.
    fn runs_around(&self, cell: u32) -> impl Iterator<Item = [u32; 2]> {
        let [nx, ny, nz] = self.sizes;
        let (x, y, z) = (cell % nx, cell / nx % ny, cell / (nx * ny));
        let (first, last) = (x.saturating_sub(1), (x + 1).min(nx - 1));
        let row = move |y: u32, z: u32| (z * ny + y) * nx;
        (z.saturating_sub(1)..=(z + 1).min(nz - 1)).flat_map(move |z| {
            (y.saturating_sub(1)..=(y + 1).min(ny - 1)).map(move |y| [row(y, z) + first, row(y, z) + last + 1])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(positions: &[f64], n: usize, gap: f64) -> Vec<(usize, usize)> {
        let near = |i: usize, j: usize| {
            let square: f64 = (0..3).map(|a| (positions[a * n + i] - positions[a * n + j]).powi(2)).sum();
            square.sqrt() <= 1.0 + gap
        };
        (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(|&(i, j)| near(i, j)).collect()
    }

    proptest! {
        /// Includes small motions for which the list is not rebuilt.
        #[test]
        fn no_pair_is_missed(
            mut positions in proptest::collection::vec(-3.0..3.0f64, 3 * 40),
            motion in proptest::collection::vec(-1.0..1.0f64, 3 * 40),
            stretch in 1.0..1e4f64, gap in 0.0..0.5f64,
        ) {
            for z in &mut positions[80..] { *z *= stretch; }
            let mut list = NeighbourList::near(40, 1.0);
            for _ in 0..20 {
                list.ensure(0.0, &positions, gap).unwrap();
                for (i, j) in pairs(&positions, 40, gap) {
                    prop_assert!(list.pairs.contains(&[i as u32, j as u32]), "{i} and {j}");
                }
                prop_assert!(list.pairs.is_sorted() && list.pairs.iter().all(|[i, j]| i < j));
                for (x, v) in positions.iter_mut().zip(&motion) { *x += 0.004 * v; }
            }
            prop_assert!(list.rebuilds >= 1);
        }
    }

    #[test]
    fn a_list_is_reused_until_marbles_have_moved_half_the_margin() {
        let mut list = NeighbourList::near(2, 1.0);
        let mut positions = [0.0, 1.05, 0.0, 0.0, 0.0, 0.0];
        for (x, rebuilds) in [(0.0, 1), (0.049, 1), (-0.049, 1), (0.051, 2), (0.1, 2)] {
            positions[0] = x;
            list.ensure(0.0, &positions, 0.0).unwrap();
            assert_eq!(list.rebuilds, rebuilds, "moved to {x}");
        }
    }

    #[test]
    fn positions_that_are_not_finite_are_refused() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut list = NeighbourList::near(2, 1.0);
            assert_eq!(list.ensure(2.0, &[0.0, bad, 0.0, 0.0, 0.0, 0.0], 0.0), Err(Failure::NonFinite { time: 2.0 }));
        }
    }
}
