//! Bounds on the motion of marbles within a step whose contacts are locked.
//!
//! A marble that touches nothing flies on a parabola. Marbles that touch each other exchange energy; together with
//! the springs between them they never have more than their initial energy plus the work of gravity. With `E` the
//! kinetic and spring energy of `n` marbles joined by contacts, `dE/dt ≤ m g Σ|v| ≤ m g √(2 n E/m)`, so that the
//! speed of each is at most `√(2 E/m) + g √n h` until the time `h`. This holds for locked springs of any stiffness
//! and for any `h`.

use super::MarbleJar;
use super::equations::{Contacts, difference};

/// Bounds for each marble, with scratch memory for the groups.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    parent: Vec<u32>,
    /// Twice the energy over the mass, stored at the root of the group, m²/s².
    energy: Vec<f64>,
    size: Vec<u32>,
    /// True for a marble that touches anything.
    touches: Vec<bool>,
    /// Bound on the distance that a marble moves, m.
    distance: Vec<f64>,
}

impl Reach {
    pub fn new(n: usize) -> Self {
        Self {
            parent: vec![0; n],
            energy: vec![0.0; n],
            size: vec![1; n],
            touches: vec![false; n],
            distance: vec![0.0; n],
        }
    }

    /// Finds the bounds for a step of `horizon` seconds from `state`, in which `closed` touch.
    pub fn find(&mut self, jar: &MarbleJar, state: &[f64], closed: &Contacts, horizon: f64) {
        let n = jar.count;
        let square = |i: usize| (3..6).map(|axis| state[axis * n + i].powi(2)).sum::<f64>();
        for i in 0..n {
            (self.parent[i], self.size[i], self.touches[i]) = (i as u32, 1, false);
            self.energy[i] = square(i);
        }
        let spring = |gap: f64| jar.stiffness * gap * gap / jar.mass;
        for &i in &closed.floors {
            self.touch(i as usize, spring(jar.floor_gap(state[2 * n + i as usize])));
        }
        for &i in &closed.walls {
            let i = i as usize;
            self.touch(i, spring(jar.wall_gap(state[i], state[n + i]).0));
        }
        for &[i, j] in &closed.pairs {
            let (i, j) = (i as usize, j as usize);
            self.touch(i, spring(jar.pair_gap(difference(state, n, 0, i, j)).0));
            self.touches[j] = true;
            self.join(i, j);
        }
        for i in 0..n {
            let root = self.root(i);
            let members = f64::from(self.size[root]);
            // Gravity moves a free marble by at most g h²/2; it adds at most g √n h to the speeds of a group.
            let fall = if self.touches[i] { members.sqrt() } else { 0.5 };
            self.distance[i] = horizon * (self.energy[root].sqrt() + fall * jar.gravity * horizon);
        }
    }

    /// True if the marble flies freely.
    pub fn is_free(&self, i: usize) -> bool {
        !self.touches[i]
    }

    /// Bound on the distance that a marble moves, m.
    pub fn of(&self, i: usize) -> f64 {
        self.distance[i]
    }

    /// The largest bound of all marbles, m.
    pub fn largest(&self) -> f64 {
        self.distance.iter().fold(0.0, |largest: f64, &d| largest.max(d))
    }

    fn touch(&mut self, i: usize, energy: f64) {
        self.touches[i] = true;
        let root = self.root(i);
        self.energy[root] += energy;
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.root(i), self.root(j));
        if i != j {
            let (small, large) = if self.size[i] < self.size[j] { (i, j) } else { (j, i) };
            self.parent[small] = large as u32;
            self.size[large] += self.size[small];
            self.energy[large] += self.energy[small];
        }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }
}
