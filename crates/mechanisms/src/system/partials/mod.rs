//! Derivatives of relations and masses in space, in closed form.
//!
//! A constraint is a function of a few arguments: points `c + A(q) r` and directions `A(q) r` of bodies. The chain
//! rule needs the derivatives of the constraint in these, and those of `A(q) r` in the coordinates of one body.

use mbsbench_problem::{Partials, Scalar};

use super::System;
use super::relations::{Frames, Relation};
use crate::space::{Fixed, Space, Spatial, Vector, minus};

const COORDINATES: usize = Spatial::COORDINATES;

/// Derivatives of the constraints of a relation in its arguments.
struct Slopes<'r, S> {
    /// The arguments; true for a point.
    arguments: [Option<(&'r Fixed, bool)>; 3],
    /// The gradients of each constraint.
    first: [[Vector<S>; 3]; 3],
    /// Pairs of arguments in which a relation of one constraint has second derivatives, with the diagonal of their
    /// matrix; the other entries are zero.
    second: [Option<(usize, usize, Vector<S>)>; 3],
}

impl<S: Scalar> Slopes<'_, S> {
    /// The body of an argument.
    fn body(&self, m: usize) -> Option<usize> {
        self.arguments[m]?.0.body
    }

    /// The bodies of the arguments, each at its first argument.
    fn bodies(&self) -> [Option<usize>; 3] {
        std::array::from_fn(|m| self.body(m).filter(|_| (0..m).all(|l| self.body(l) != self.body(m))))
    }

    /// The arguments of a body.
    fn of(&self, body: usize) -> impl Iterator<Item = usize> {
        (0..3).filter(move |&m| self.body(m) == Some(body))
    }

    /// Derivatives of an argument in the coordinates of its body.
    fn columns(&self, m: usize, frames: &mut Frames<'_, S, Spatial>) -> [Vector<S>; COORDINATES] {
        let mut columns = [[S::zero(); 3]; COORDINATES];
        let Some((Fixed { body: Some(body), at }, is_point)) = self.arguments[m] else { return columns };
        (0..Spatial::DIMENSION).for_each(|i| columns[i][i] = S::from(f64::from(u8::from(is_point))));
        columns[Spatial::DIMENSION..].copy_from_slice(&Spatial::turn_slopes(&frames.q[Spatial::own(*body)], at));
        columns
    }

    /// Calls `each` with the second derivatives of a constraint in coordinates of two bodies, or twice the same.
    fn curvature(
        &self,
        row: usize,
        [body, other]: [usize; 2],
        gradients: &[Vector<S>; 3],
        columns: &[[Vector<S>; COORDINATES]; 3],
        each: &mut impl FnMut([usize; 3], S),
    ) {
        let mut block = [[S::zero(); COORDINATES]; COORDINATES];
        // without second derivatives in points there are none in centres of mass
        let mut start = Spatial::DIMENSION;
        let mut is_coupled = body == other;
        for (m, l, diagonal) in self.second.iter().flatten() {
            for (m, l) in [(*m, *l), (*l, *m)].into_iter().take(if m == l { 1 } else { 2 }) {
                if (self.body(m), self.body(l)) != (Some(body), Some(other)) {
                    continue;
                }
                is_coupled = true;
                if [m, l].iter().any(|&m| self.arguments[m].is_some_and(|(_, is_point)| is_point)) {
                    start = 0;
                }
                for i in start..COORDINATES {
                    let column: Vector<S> = std::array::from_fn(|k| columns[m][i][k] * diagonal[k]);
                    (start..COORDINATES).for_each(|j| block[i][j] += Spatial::dot(&column, &columns[l][j]));
                }
            }
        }
        if body == other {
            for m in self.of(body) {
                let Some((fixed, _)) = self.arguments[m] else { continue };
                let own = Spatial::turn_curvature(&fixed.at, &gradients[m]);
                for (sums, own) in block[Spatial::DIMENSION..].iter_mut().zip(own) {
                    sums[Spatial::DIMENSION..].iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                }
            }
        }
        for i in (start..COORDINATES).filter(|_| is_coupled) {
            for j in if body == other { i } else { start }..COORDINATES {
                let (first, second) = (body * COORDINATES + i, other * COORDINATES + j);
                each([row, first.min(second), first.max(second)], block[i][j]);
            }
        }
    }
}

impl System<Spatial> {
    /// See [`MechanicalModel::partials`](mbsbench_problem::MechanicalModel::partials).
    pub(crate) fn write_partials<S: Scalar>(
        &self,
        kind: Partials,
        t: S,
        q: &[S],
        each: &mut impl FnMut([usize; 3], S),
    ) {
        for (k, body) in self.bodies.iter().enumerate() {
            let own = Spatial::own(k);
            if kind == Partials::Mass {
                Spatial::mass_slopes(body, &q[own.clone()], |at, value| each(at.map(|i| own.start + i), value));
                continue;
            }
            // (eᵀ e − 1)/2
            for j in own.skip(Spatial::DIMENSION) {
                each([k, j, j], if kind == Partials::Constraints { q[j] } else { S::from(1.0) });
            }
        }
        if kind == Partials::Mass {
            return;
        }
        let mut frames = Frames::new(q);
        let (mut row, mut next) = (0, Spatial::OWN * self.bodies.len());
        for relation in &self.relations {
            let mut rows = [None; 3];
            for kept in &mut rows[..relation.rows::<Spatial>()] {
                if self.redundant.binary_search(&row).is_err() {
                    *kept = Some(next);
                    next += 1;
                }
                row += 1;
            }
            relation.partials(kind, t, rows, &mut frames, each);
        }
    }
}

impl Relation {
    fn slopes<S: Scalar>(&self, t: S, frames: &mut Frames<'_, S, Spatial>) -> Slopes<'_, S> {
        let (zero, one) = (S::zero(), S::from(1.0));
        let none = [zero; 3];
        let unit = |i| std::array::from_fn(|j| if i == j { one } else { zero });
        let (point, direction) = (|fixed| Some((fixed, true)), |fixed| Some((fixed, false)));
        let (arguments, first, second) = match self {
            Self::Coincide(a, b) => {
                let first = std::array::from_fn(|i| [unit(i), unit(i).map(|x: S| -x), none]);
                return Slopes { arguments: [point(a), point(b), None], first, second: [None; 3] };
            }
            Self::Distance(a, b, length) => {
                let d = minus(&frames.point(a), &frames.point(b)).map(|x| x / *length);
                let per = one / *length;
                let second = [Some((0, 0, [per; 3])), Some((1, 1, [per; 3])), Some((0, 1, [-per; 3]))];
                ([point(a), point(b), None], [d, d.map(|x| -x), none], second)
            }
            Self::Along(a, axis, b, _) => {
                let (u, d) = (frames.direction(axis), minus(&frames.point(b), &frames.point(a)));
                let second = [Some((0, 1, [-one; 3])), Some((0, 2, [one; 3])), None];
                ([direction(axis), point(a), point(b)], [d, u.map(|x| -x), u], second)
            }
            Self::Square(a, b) => {
                let first = [frames.direction(b), frames.direction(a), none];
                ([direction(a), direction(b), None], first, [Some((0, 1, [one; 3])), None, None])
            }
            Self::Turned(x, y, second, law) => {
                let (of_x, of_y, of_second) = (frames.direction(x), frames.direction(y), frames.direction(second));
                let (sin, cos) = law.evaluate(&mut |()| t).sin_cos();
                let between = std::array::from_fn(|i| of_y[i] * cos - of_x[i] * sin);
                let first = [of_second.map(|x| -(x * sin)), of_second.map(|x| x * cos), between];
                let coupling = [Some((0, 2, [-sin; 3])), Some((1, 2, [cos; 3])), None];
                ([direction(x), direction(y), direction(second)], first, coupling)
            }
            Self::Standing(centre, axis, radius) => {
                let n = frames.direction(axis)[2];
                let lean = (one - n * n).sqrt();
                let second = [Some((1, 1, [zero, zero, (lean * lean * lean).recip() * *radius])), None, None];
                ([point(centre), direction(axis), None], [unit(2), [zero, zero, n / lean * *radius], none], second)
            }
            // in the plane only
            Self::Angles(..) => ([None; 3], [none; 3], [None; 3]),
        };
        Slopes { arguments, first: [first, [none; 3], [none; 3]], second }
    }

    /// Calls `each` with the derivatives of the constraints, which have the numbers `rows` unless they are left out.
    fn partials<S: Scalar>(
        &self,
        kind: Partials,
        t: S,
        rows: [Option<usize>; 3],
        frames: &mut Frames<'_, S, Spatial>,
        each: &mut impl FnMut([usize; 3], S),
    ) {
        let slopes = self.slopes(t, frames);
        let (bodies, columns) = (slopes.bodies(), std::array::from_fn(|m| slopes.columns(m, frames)));
        for (row, gradients) in rows.iter().zip(&slopes.first) {
            let Some(row) = *row else { continue };
            for (m, body) in bodies.iter().enumerate() {
                let Some(body) = *body else { continue };
                if kind == Partials::Constraints {
                    let mut sums = [S::zero(); COORDINATES];
                    for m in slopes.of(body) {
                        (0..COORDINATES).for_each(|k| sums[k] += Spatial::dot(&gradients[m], &columns[m][k]));
                    }
                    Spatial::own(body).zip(sums).for_each(|(j, sum)| each([row, j, j], sum));
                    continue;
                }
                for other in bodies[m..].iter().flatten() {
                    slopes.curvature(row, [body, *other], gradients, &columns, each);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
