//! Geometry, contact law and equations of motion, for any scalar.

use mbsbench_problem::{EventModel, Scalar};

use super::MarbleJar;

/// Geometry and contact law.
impl MarbleJar {
    /// Gap to the floor, `z − r`; its rate is `z'`, and its normal is the axis of the jar.
    #[inline]
    pub fn floor_gap<S: Scalar>(&self, z: S) -> S {
        z - self.radius
    }

    /// Gap to the cylinder, `R − r − ρ`, and the distance `ρ` from the axis.
    #[inline]
    pub fn wall_gap<S: Scalar>(&self, x: S, y: S) -> (S, S) {
        let square = x * x + y * y;
        // On the axis the square root has no derivative; a marble there is as far from the cylinder as possible.
        let rho = if square.value() > 0.0 { square.sqrt() } else { S::zero() };
        (-rho + (self.jar_radius - self.radius), rho)
    }

    /// Rate of the gap to the cylinder and the normal into the jar, `−(x, y)/ρ`; zero on the axis.
    #[inline]
    pub fn wall_rate<S: Scalar>(x: S, y: S, vx: S, vy: S, rho: S) -> (S, [S; 2]) {
        if rho.value() == 0.0 {
            return (S::zero(), [S::zero(); 2]);
        }
        let normal = [-x / rho, -y / rho];
        (normal[0] * vx + normal[1] * vy, normal)
    }

    /// Gap between two marbles that a vector `d` separates, `|d| − 2 r`, and `|d|`.
    #[inline]
    pub fn pair_gap<S: Scalar>(&self, d: [S; 3]) -> (S, S) {
        let distance = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        (distance - 2.0 * self.radius, distance)
    }

    /// Rate of the gap between two marbles with relative velocity `w`, and the normal `d/|d|`.
    #[inline]
    pub fn pair_rate<S: Scalar>(d: [S; 3], w: [S; 3], distance: S) -> (S, [S; 3]) {
        let normal = [d[0] / distance, d[1] / distance, d[2] / distance];
        (normal[0] * w[0] + normal[1] * w[1] + normal[2] * w[2], normal)
    }

    /// Acceleration of a marble along the normal by a closed contact, `−(k g + c g')/m`.
    #[inline]
    pub fn push<S: Scalar>(&self, gap: S, rate: S) -> S {
        -(gap * self.stiffness + rate * self.damping) / self.mass
    }

    /// Writes the rates of freely falling marbles.
    pub(super) fn fall<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let n = self.count;
        dydt[..3 * n].copy_from_slice(&y[3 * n..]);
        dydt[3 * n..5 * n].fill(S::zero());
        dydt[5 * n..].fill(S::from(-self.gravity));
    }

    /// Adds the contact of marble `i` with the floor.
    pub(super) fn add_floor<S: Scalar>(&self, y: &[S], dydt: &mut [S], i: usize) {
        let n = self.count;
        dydt[5 * n + i] += self.push(self.floor_gap(y[2 * n + i]), y[5 * n + i]);
    }

    /// Adds the contact of marble `i` with the wall.
    pub(super) fn add_wall<S: Scalar>(&self, y: &[S], dydt: &mut [S], i: usize) {
        let n = self.count;
        let (gap, rho) = self.wall_gap(y[i], y[n + i]);
        let (rate, normal) = Self::wall_rate(y[i], y[n + i], y[3 * n + i], y[4 * n + i], rho);
        let push = self.push(gap, rate);
        dydt[3 * n + i] += push * normal[0];
        dydt[4 * n + i] += push * normal[1];
    }

    /// Adds the contact between marbles `i` and `j`.
    pub(super) fn add_pair<S: Scalar>(&self, y: &[S], dydt: &mut [S], [i, j]: [usize; 2]) {
        let n = self.count;
        let d = difference(y, n, 0, i, j);
        let (gap, distance) = self.pair_gap(d);
        let (rate, normal) = Self::pair_rate(d, difference(y, n, 3 * n, i, j), distance);
        let push = self.push(gap, rate);
        for axis in 0..3 {
            let part = push * normal[axis];
            dydt[(3 + axis) * n + i] += part;
            dydt[(3 + axis) * n + j] -= part;
        }
    }

    /// Visits the gaps of all contacts in order.
    pub(super) fn for_each_gap(&self, contacts: &Contacts, y: &[f64], mut visit: impl FnMut(f64)) {
        let [x, y, z] = thirds(&y[..3 * self.count]);
        contacts.floors.iter().for_each(|&i| visit(self.floor_gap(z[i as usize])));
        contacts.walls.iter().for_each(|&i| visit(self.wall_gap(x[i as usize], y[i as usize]).0));
        contacts.pairs.iter().for_each(|&[i, j]| visit(self.pair_gap(between([x, y, z], i, j)).0));
    }
}

/// Difference between the vectors of marbles `i` and `j` that start at `base` in a state of `n` marbles.
#[inline(always)]
pub(super) fn difference<S: Scalar>(state: &[S], n: usize, base: usize, i: usize, j: usize) -> [S; 3] {
    let at = |axis: usize| state[base + axis * n + i] - state[base + axis * n + j];
    [at(0), at(1), at(2)]
}

/// Splits a slice into three parts of equal length.
pub(super) fn thirds(all: &[f64]) -> [&[f64]; 3] {
    let (first, rest) = all.split_at(all.len() / 3);
    let (second, third) = rest.split_at(first.len());
    [first, second, &third[..first.len()]]
}

/// Difference between the vectors of marbles `i` and `j`, from their components.
#[inline(always)]
pub(super) fn between([x, y, z]: [&[f64]; 3], i: u32, j: u32) -> [f64; 3] {
    let (i, j) = (i as usize, j as usize);
    [x[i] - x[j], y[i] - y[j], z[i] - z[j]]
}

/// The marbles with all pairs as contacts.
impl EventModel for MarbleJar {
    fn sizes(&self) -> [usize; 2] {
        [6 * self.count, self.count * (self.count + 3) / 2]
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let n = self.count;
        self.fall(y, dydt);
        for i in 0..n {
            if !configuration[i] {
                self.add_floor(y, dydt, i);
            }
            if !configuration[n + i] {
                self.add_wall(y, dydt, i);
            }
        }
        for (pair, _) in pairs(n).zip(&configuration[2 * n..]).filter(|(_, open)| !**open) {
            self.add_pair(y, dydt, pair);
        }
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        let n = self.count;
        for i in 0..n {
            g[i] = self.floor_gap(y[2 * n + i]);
            g[n + i] = self.wall_gap(y[i], y[n + i]).0;
        }
        for ([i, j], g) in pairs(n).zip(&mut g[2 * n..]) {
            *g = self.pair_gap(difference(y, n, 0, i, j)).0;
        }
    }
}

/// Contacts by kind; their order is that of the event functions.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    /// Marbles in contact with the floor.
    pub floors: Vec<u32>,
    /// Marbles in contact with the cylinder.
    pub walls: Vec<u32>,
    /// Pairs `i < j`, by rows.
    pub pairs: Vec<[u32; 2]>,
}

/// All pairs `i < j` of `n`, by rows.
pub(super) fn pairs(n: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| [i, j]))
}

/// Returns all pairs as a list. It may have millions of entries, so memory is allocated once.
pub(super) fn all_pairs(n: usize) -> Vec<[u32; 2]> {
    let mut list = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    list.extend(pairs(n).map(|pair| pair.map(|i| i as u32)));
    list
}

impl Contacts {
    /// Returns all contacts that `n` marbles can have.
    pub fn all(n: usize) -> Self {
        let all = 0..n as u32;
        Self { floors: all.clone().collect(), walls: all.collect(), pairs: all_pairs(n) }
    }

    pub fn clear(&mut self) {
        self.floors.clear();
        self.walls.clear();
        self.pairs.clear();
    }

    pub fn len(&self) -> usize {
        self.floors.len() + self.walls.len() + self.pairs.len()
    }

    /// Becomes the contacts of `others` whose entry in `open` is false; `open` has one entry for each contact.
    pub fn closed_of(&mut self, others: &Self, open: &[bool]) {
        self.clear();
        let (floors, rest) = open.split_at(others.floors.len());
        let (walls, pairs) = rest.split_at(others.walls.len());
        self.floors.extend(others.floors.iter().zip(floors).filter_map(|(&i, open)| (!open).then_some(i)));
        self.walls.extend(others.walls.iter().zip(walls).filter_map(|(&i, open)| (!open).then_some(i)));
        self.pairs.extend(others.pairs.iter().zip(pairs).filter_map(|(&pair, open)| (!open).then_some(pair)));
    }
}
