//! Forces and events in double precision, at a cost proportional to the contacts and not to the pairs.

use mbsbench_problem::{EventFunctions, EventKind, Failure, Form, Ode, Properties};

use super::equations::{Contacts, between, difference, thirds};
use super::reach::Reach;
use super::{Candidates, MarbleJar, NeighbourList};

/// Relative width of the band around zero in which a gap is computed exactly instead of by squares of distances.
const ROUNDING: f64 = 1e-9;

/// Number of listed pairs that are checked before the forces of touching pairs are computed.
const BLOCK: usize = 512;

/// Margin, in radii, added to a bound on a motion before a contact is ruled out, because the bound holds for
/// the exact motion.
const SLACK: f64 = 1e-3;

/// The marbles as an [`Ode`] with event functions; forces are bitwise the same as those of [`MarbleJar`].
///
/// If the configuration is not locked, contacts are searched near each marble at every state. If it is locked, the
/// right-hand side visits only the closed contacts. Nothing is allocated once the lists have reached their size.
#[derive(Debug, Clone)]
pub struct MarbleOde {
    jar: MarbleJar,
    /// The list from which contacts are taken.
    pub neighbours: NeighbourList,
    reach: Reach,
    /// Contacts whose functions are watched until the next call of `prepare`.
    watched: Contacts,
    /// Contacts that are closed at the start of the step.
    touching: Contacts,
    /// Contacts that are closed in the locked configuration.
    closed: Contacts,
    locked: bool,
}

impl MarbleOde {
    /// Returns the unlocked equations with their own scratch memory.
    pub fn new(jar: MarbleJar) -> Self {
        let (watched, neighbours) = match jar.candidates {
            Candidates::All => (Contacts::all(jar.count), NeighbourList::all(jar.count)),
            Candidates::Near => (Contacts::default(), NeighbourList::near(jar.count, 2.0 * jar.radius)),
        };
        Self {
            jar,
            neighbours,
            reach: Reach::new(jar.count),
            watched,
            touching: Contacts::default(),
            closed: Contacts::default(),
            locked: false,
        }
    }

    /// The watched pairs `i < j`, and the marbles whose gaps to the floor and to the cylinder are watched. Functions of
    /// the floor come first, then those of the cylinder and of pairs.
    pub fn watched(&self) -> (&[[u32; 2]], &[u32], &[u32]) {
        (&self.watched.pairs, &self.watched.floors, &self.watched.walls)
    }

    /// Calls `visit` with each negative gap: floors, cylinder, pairs.
    pub(super) fn penetrations(&mut self, t: f64, y: &[f64], visit: impl FnMut(f64)) -> Result<(), Failure> {
        self.touching_at(t, y)?;
        self.jar.for_each_gap(&self.touching, y, visit);
        Ok(())
    }

    fn touching_at(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.neighbours.ensure(t, y, 0.0)?;
        let (jar, n) = (self.jar, self.jar.count);
        self.touching.clear();
        for i in 0..n {
            if jar.floor_gap(y[2 * n + i]) < 0.0 {
                self.touching.floors.push(i as u32);
            }
            if jar.wall_gap(y[i], y[n + i]).0 < 0.0 {
                self.touching.walls.push(i as u32);
            }
        }
        let (touch, positions) = (self.touch(), thirds(&y[..3 * n]));
        for &[i, j] in &self.neighbours.pairs {
            let d = between(positions, i, j);
            if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < touch && jar.pair_gap(d).0 < 0.0 {
                self.touching.pairs.push([i, j]);
            }
        }
        Ok(())
    }

    /// The square of a distance above which two marbles do not touch, whatever the rounding errors, m².
    fn touch(&self) -> f64 {
        (2.0 * self.jar.radius).powi(2) * (1.0 + ROUNDING)
    }

    fn locked_forces(&self, y: &[f64], dydt: &mut [f64]) {
        self.jar.fall(y, dydt);
        self.closed.floors.iter().for_each(|&i| self.jar.add_floor(y, dydt, i as usize));
        self.closed.walls.iter().for_each(|&i| self.jar.add_wall(y, dydt, i as usize));
        self.closed.pairs.iter().for_each(|pair| self.jar.add_pair(y, dydt, pair.map(|i| i as usize)));
    }

    /// Writes the right-hand side for the contacts in the list.
    ///
    /// A processor cannot predict which of the listed pairs touch. They are therefore selected without a branch, one
    /// block at a time.
    fn forces(&self, state: &[f64], dydt: &mut [f64]) {
        let (jar, n) = (self.jar, self.jar.count);
        let (q, v) = state.split_at(3 * n);
        let [x, y, z] = thirds(q);
        let [vx, vy, vz] = thirds(v);
        let (rates, accelerations) = dydt.split_at_mut(3 * n);
        rates.copy_from_slice(v);
        let [ax, ay, az] = thirds_mut(accelerations);
        self.outer_forces([x, y, z], [vx, vy, vz], [ax, ay, az]);
        let touch = self.touch();
        let mut touching = [[0_u32; 2]; BLOCK];
        for block in self.neighbours.pairs.chunks(BLOCK) {
            let mut count = 0;
            for &[i, j] in block {
                let d = between([x, y, z], i, j);
                touching[count] = [i, j];
                count += usize::from(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < touch);
            }
            for &[i, j] in &touching[..count] {
                let d = between([x, y, z], i, j);
                let (gap, distance) = jar.pair_gap(d);
                if gap < 0.0 {
                    let w = between([vx, vy, vz], i, j);
                    let (i, j) = (i as usize, j as usize);
                    let (rate, normal) = MarbleJar::pair_rate(d, w, distance);
                    let push = jar.push(gap, rate);
                    let part = [push * normal[0], push * normal[1], push * normal[2]];
                    (ax[i], ay[i], az[i]) = (ax[i] + part[0], ay[i] + part[1], az[i] + part[2]);
                    (ax[j], ay[j], az[j]) = (ax[j] - part[0], ay[j] - part[1], az[j] - part[2]);
                }
            }
        }
    }

    /// Adds gravity and the contacts with floor and cylinder.
    #[inline]
    fn outer_forces(&self, [x, y, z]: [&[f64]; 3], [vx, vy, vz]: [&[f64]; 3], [ax, ay, az]: [&mut [f64]; 3]) {
        let jar = self.jar;
        let clearance = (jar.jar_radius - jar.radius).powi(2) * (1.0 - ROUNDING);
        for i in 0..x.len() {
            let gap = jar.floor_gap(z[i]);
            let lift = if gap < 0.0 { jar.push(gap, vz[i]) } else { 0.0 };
            (ax[i], ay[i], az[i]) = (0.0, 0.0, lift - jar.gravity);
            if x[i] * x[i] + y[i] * y[i] > clearance {
                let (gap, rho) = jar.wall_gap(x[i], y[i]);
                if gap < 0.0 {
                    let (rate, normal) = MarbleJar::wall_rate(x[i], y[i], vx[i], vy[i], rho);
                    let push = jar.push(gap, rate);
                    (ax[i], ay[i]) = (push * normal[0], push * normal[1]);
                }
            }
        }
    }

    /// Collects the contacts that can close within `horizon` seconds.
    fn watch(&mut self, t: f64, y: &[f64], horizon: f64) -> Result<(), Failure> {
        self.touching_at(t, y)?;
        let (jar, n) = (self.jar, self.jar.count);
        self.reach.find(&jar, y, &self.touching, horizon);
        let slack = SLACK * jar.radius;
        let widest = 2.0 * self.reach.largest() + slack;
        self.neighbours.narrow(widest);
        self.neighbours.ensure(t, y, widest)?;
        self.watched.clear();
        for i in 0..n {
            let (floor, wall) = if self.reach.is_free(i) {
                self.free_gaps(y, i, horizon)
            } else {
                let reach = self.reach.of(i);
                (jar.floor_gap(y[2 * n + i]) - reach, jar.wall_gap(y[i], y[n + i]).0 - reach)
            };
            if floor <= slack {
                self.watched.floors.push(i as u32);
            }
            if wall <= slack {
                self.watched.walls.push(i as u32);
            }
        }
        for &[a, b] in &self.neighbours.pairs {
            let (i, j) = (a as usize, b as usize);
            let d = difference(y, n, 0, i, j);
            let gap = if self.reach.is_free(i) && self.reach.is_free(j) {
                closest(d, difference(y, n, 3 * n, i, j), horizon) - 2.0 * jar.radius
            } else {
                jar.pair_gap(d).0 - self.reach.of(i) - self.reach.of(j)
            };
            if gap <= slack {
                self.watched.pairs.push([a, b]);
            }
        }
        Ok(())
    }

    /// Smallest gaps of a freely flying marble to floor and cylinder within `horizon` seconds. The height is a
    /// concave function of time and the distance from the axis a convex one, so that both minima are at one of the
    /// ends.
    fn free_gaps(&self, y: &[f64], i: usize, horizon: f64) -> (f64, f64) {
        let (jar, n) = (self.jar, self.jar.count);
        let at = |axis: usize| (y[axis * n + i], y[axis * n + i] + horizon * y[(3 + axis) * n + i]);
        let ((x, x_end), (y, y_end), (z, z_end)) = (at(0), at(1), at(2));
        let floor = jar.floor_gap(z).min(jar.floor_gap(z_end - 0.5 * jar.gravity * horizon * horizon));
        (floor, jar.wall_gap(x, y).0.min(jar.wall_gap(x_end, y_end).0))
    }
}

/// Splits a mutable slice into three parts of equal length.
fn thirds_mut(all: &mut [f64]) -> [&mut [f64]; 3] {
    let third = all.len() / 3;
    let (first, rest) = all.split_at_mut(third);
    let (second, rest) = rest.split_at_mut(third);
    [first, second, &mut rest[..third]]
}

/// Smallest length of `d + w τ` for `τ` from 0 to `horizon`.
fn closest(d: [f64; 3], w: [f64; 3], horizon: f64) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let speed = dot(w, w);
    let time = if speed > 0.0 { (-dot(d, w) / speed).clamp(0.0, horizon) } else { 0.0 };
    let there = [d[0] + w[0] * time, d[1] + w[1] * time, d[2] + w[2] * time];
    dot(there, there).sqrt()
}

impl Ode<f64> for MarbleOde {
    fn dimension(&self) -> usize {
        6 * self.jar.count
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        if self.locked {
            self.locked_forces(y, dydt);
        } else {
            self.neighbours.ensure(t, y, 0.0)?;
            self.forces(y, dydt);
        }
        Ok(())
    }

    fn properties(&self) -> Properties<'_> {
        Properties { is_second_order: true, ..Properties::default() }
    }

    fn form(&mut self) -> Form<'_> {
        Form::Events(self)
    }
}

impl EventFunctions<f64> for MarbleOde {
    fn count(&self) -> usize {
        self.watched.len()
    }

    fn follows_signs(&self) -> bool {
        true
    }

    fn prepare(&mut self, t: f64, y: &[f64], horizon: f64) -> Result<(), Failure> {
        if self.jar.candidates == Candidates::Near { self.watch(t, y, horizon) } else { Ok(()) }
    }

    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Bilateral
    }

    fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        let mut g = g.iter_mut();
        self.jar.for_each_gap(&self.watched, y, |gap| *g.next().expect("one for each contact") = gap);
        Ok(())
    }

    fn rates(&mut self, _t: f64, y: &[f64], dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        let (jar, n) = (self.jar, self.jar.count);
        let (floors, rest) = rates.split_at_mut(self.watched.floors.len());
        let (walls, pairs) = rest.split_at_mut(self.watched.walls.len());
        for (rate, &i) in floors.iter_mut().zip(&self.watched.floors) {
            *rate = dydt[2 * n + i as usize];
        }
        for (rate, &i) in walls.iter_mut().zip(&self.watched.walls) {
            let i = i as usize;
            let rho = jar.wall_gap(y[i], y[n + i]).1;
            *rate = MarbleJar::wall_rate(y[i], y[n + i], dydt[i], dydt[n + i], rho).0;
        }
        let [positions, velocities] = [y, dydt].map(|state| thirds(&state[..3 * n]));
        for (rate, &[i, j]) in pairs.iter_mut().zip(&self.watched.pairs) {
            let d = between(positions, i, j);
            let distance = jar.pair_gap(d).1;
            *rate = MarbleJar::pair_rate(d, between(velocities, i, j), distance).0;
        }
        Ok(())
    }

    fn lock(&mut self, configuration: Option<&[bool]>) {
        self.locked = configuration.is_some();
        if let Some(configuration) = configuration {
            self.closed.closed_of(&self.watched, configuration);
        }
    }

    fn jump(&mut self, _index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        Ok(()) // all events are bilateral
    }
}
