//! Elliptic Fekete points of the test set for IVP solvers: twenty points on a sphere that repel each other.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsDescriptor, BenchmarkModel, Class, DescriptorModel, Observable, Ode, OdeModel, Scalar, View, parameters,
};
use nalgebra::DMatrix;

use crate::drawing::upright;

parameters! {
    /// Points on the unit sphere that repel each other with a force of one over their distance, in a medium that
    /// slows them down. They come to rest where the product of all distances is largest. Index 2.
    ///
    /// ```text
    /// p' = q + 2 μ p,   q' = −a q + Σ (pᵢ − pⱼ)/|pᵢ − pⱼ|² + 2 λ p,   0 = pᵢ·pᵢ − 1,   0 = 2 pᵢ·qᵢ
    /// ```
    pub struct Fekete {
        /// Damping `a`.
        pub damping: f64 [from 0.0, unit "1/s"] = 0.5,
    }
}

const POINTS: usize = 20;
const COORDINATES: usize = 3 * POINTS;

/// Rings of points at the start: the number of points, the index of the first, `π` over the angle by which all are
/// turned, and the latitude over `π` as a fraction.
const RINGS: [(u8, u8, f64, [f64; 2]); 4] =
    [(3, 1, 13.0, [3.0, 8.0]), (7, 1, 29.0, [1.0, 8.0]), (6, 1, 7.0, [-2.0, 15.0]), (4, 0, 17.0, [-3.0, 10.0])];

impl OdeModel for Fekete {
    fn dimension(&self) -> usize {
        8 * POINTS
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], f: &mut [S]) {
        let (p, rest) = y.split_at(COORDINATES);
        let (q, multipliers) = rest.split_at(COORDINATES);
        let (lambda, mu) = multipliers.split_at(POINTS);
        let (p_rate, rest) = f.split_at_mut(COORDINATES);
        let (q_rate, constraints) = rest.split_at_mut(COORDINATES);
        for i in 0..POINTS {
            let (mut radius, mut radial) = (S::from(-1.0), S::zero());
            for k in 3 * i..3 * i + 3 {
                p_rate[k] = q[k] + p[k] * mu[i] * 2.0;
                q_rate[k] = p[k] * lambda[i] * 2.0 - q[k] * self.damping;
                radius += p[k] * p[k];
                radial += p[k] * q[k] * 2.0;
            }
            (constraints[i], constraints[POINTS + i]) = (radius, radial);
            for j in 0..i {
                let apart: [S; 3] = std::array::from_fn(|k| p[3 * i + k] - p[3 * j + k]);
                let square = apart.iter().fold(S::zero(), |sum, &d| sum + d * d);
                for (k, &d) in apart.iter().enumerate() {
                    q_rate[3 * i + k] += d / square;
                    q_rate[3 * j + k] -= d / square;
                }
            }
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}

impl DescriptorModel for Fekete {
    fn mass<S: Scalar>(&self, mass: &mut DMatrix<S>) {
        (0..2 * COORDINATES).for_each(|i| mass[(i, i)] = S::from(1.0));
    }

    fn indices(&self) -> Vec<u8> {
        [vec![1; 2 * COORDINATES], vec![2; 2 * POINTS]].concat()
    }
}

impl Fekete {
    /// The initial positions.
    fn points<S: Scalar>() -> Vec<S> {
        let pi = S::zero().acos() * 2.0;
        let mut points = Vec::with_capacity(COORDINATES);
        for (count, first, offset, [above, below]) in RINGS {
            let (height, radius) = (pi * above / below).sin_cos();
            for k in first..first + count {
                let (sin, cos) = (pi * (2.0 * f64::from(k)) / f64::from(count) + pi / offset).sin_cos();
                points.extend([cos * radius, sin * radius, height]);
            }
        }
        points
    }
}

/// Energy (J) and the largest violations of the constraints on positions and velocities.
fn invariants(y: &[f64]) -> [f64; 3] {
    let (p, q) = (&y[..COORDINATES], &y[COORDINATES..2 * COORDINATES]);
    let mut energy = 0.5 * q.iter().map(|q| q * q).sum::<f64>();
    let (mut radius, mut radial) = (0.0f64, 0.0f64);
    for i in 0..POINTS {
        let point = |of: &[f64], i: usize| -> [f64; 3] { std::array::from_fn(|k| of[3 * i + k]) };
        let here = point(p, i);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        radius = radius.max((dot(here, here) - 1.0).abs());
        radial = radial.max(2.0 * dot(here, point(q, i)).abs());
        for j in 0..i {
            let apart: [f64; 3] = std::array::from_fn(|k| here[k] - p[3 * j + k]);
            energy -= 0.5 * dot(apart, apart).ln();
        }
    }
    [energy, radius, radial]
}

impl BenchmarkModel for Fekete {
    const NAME: &'static str = "fekete";
    const SUMMARY: &'static str = "twenty points on a sphere that repel each other until they come to rest; index 2";
    const SOURCE: &'static str =
        "Test Set for IVP Solvers (CWI, Bari), problem Fekete; C. Bendtsen, W. J. H. Stortelder";

    fn observables(&self) -> Vec<Observable> {
        let of_points = |letter: &str, after: &[&str], unit, about, class| -> Vec<Observable> {
            let names = (1..=POINTS).flat_map(|k| after.iter().map(move |after| format!("{letter}{k}{after}")));
            names.map(|name| Observable::new(name, unit, about).of_class(class)).collect()
        };
        let axes = ["_x", "_y", "_z"];
        let mut list = of_points("p", &axes, "m", "coordinate of a point", Class::Position);
        list.extend(of_points("q", &axes, "m/s", "velocity of a point", Class::Velocity));
        list.extend(of_points("lambda", &[""], "1/s²", "multiplier of the radius constraint", Class::Multiplier));
        let about = "multiplier of the radial velocity constraint";
        list.extend(of_points("mu", &[""], "1/s", about, Class::Multiplier));
        list.extend([
            Observable::new("energy", "J", "kinetic energy minus the sum of the logarithms of all distances"),
            Observable::new("constraint", "1", "largest magnitude of p·p − 1"),
            Observable::new("velocity_constraint", "1/s", "largest magnitude of 2 p·q"),
        ]);
        list
    }

    /// At rest; differentiating `p·p = 1` twice gives λ, and `μ = 0`.
    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let mut y = Self::points();
        y.resize(8 * POINTS, S::zero());
        let mut f = y.clone();
        self.rhs(S::zero(), &y, &mut f);
        for i in 0..POINTS {
            let range = 3 * i..3 * i + 3;
            let outwards = y[range.clone()]
                .iter()
                .zip(&f[COORDINATES..][range])
                .fold(S::zero(), |sum, (&p, &force)| sum + p * force);
            y[2 * COORDINATES + i] = -outwards / 2.0;
        }
        y
    }

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsDescriptor::new(self))
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        let (components, further) = values.split_at_mut(y.len());
        components.copy_from_slice(y);
        further.copy_from_slice(&invariants(y));
    }

    /// The sphere from the side, with the points on its front and its back.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let point = |i: usize| ("points", Shape::Circle { centre: [y[3 * i], y[3 * i + 2]], radius: 0.03 });
        let sphere = ("sphere", Shape::Circle { centre: [0.0; 2], radius: 1.0 });
        vec![upright(["x", "z"], std::iter::once(sphere).chain((0..POINTS).map(point)).collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_at_rest_on_the_sphere() {
        let points = Fekete::default();
        let y: Vec<f64> = points.initial_state();
        let mut f = vec![0.0; y.len()];
        points.rhs(0.0, &y, &mut f);
        let first = [2.0 * std::f64::consts::PI / 3.0 + std::f64::consts::PI / 13.0, 3.0 * std::f64::consts::PI / 8.0];
        assert!((y[0] - first[0].cos() * first[1].cos()).abs() < 1e-15 && (y[2] - first[1].sin()).abs() < 1e-15);
        for i in 0..POINTS {
            assert!(f[2 * COORDINATES + i].abs() < 1e-15 && f[2 * COORDINATES + POINTS + i] == 0.0);
            let radial: f64 = (0..3).map(|k| y[3 * i + k] * f[COORDINATES + 3 * i + k]).sum();
            assert!(radial.abs() < 1e-14, "no acceleration leaves the sphere: {radial:e}");
        }
    }

    /// Forces are the negative gradient of the energy.
    #[test]
    fn forces_follow_from_the_energy() {
        let points = Fekete::default();
        let mut y: Vec<f64> = points.initial_state();
        y[2 * COORDINATES..].fill(0.0);
        let mut f = vec![0.0; y.len()];
        points.rhs(0.0, &y, &mut f);
        for k in [0, 22, 59] {
            let energy = |shift: f64| {
                let mut y = y.clone();
                y[k] += shift;
                invariants(&y)[0]
            };
            let slope = (energy(1e-6) - energy(-1e-6)) / 2e-6;
            assert!((slope + f[COORDINATES + k]).abs() < 1e-7, "{k}: {slope} and {}", f[COORDINATES + k]);
        }
    }
}
