//! Squeezers and their states, for tests of the equations.

use mbsbench_models::Squeezer;
use mbsbench_models::squeezer::{Link, SqueezerAngles, SqueezerEquations};
use mbsbench_problem::{Dimensions, Entries, MechanicalModel, Scalar};
use num_dual::Dual64;

/// A squeezer whose centres of mass are off the lines of the pins, so that no term of the masses vanishes.
pub fn skewed() -> Squeezer {
    let aside = |link: Link, x: f64, y: f64| Link { centre: [x, y], ..link };
    let paper = Squeezer::default();
    Squeezer {
        of: aside(paper.of, 0.0011, 0.0006),
        ef: aside(paper.ef, 0.0165, -0.0031),
        he: aside(paper.he, 0.0058, 0.0024),
        ge: aside(paper.ge, 0.0049, -0.0037),
        ..paper
    }
}

/// Angles and rates of a motion with crank angle and rate `(beta, omega)`.
pub fn motion(squeezer: &Squeezer, beta: f64, omega: f64) -> [Dual64; 7] {
    squeezer.angles_at(Dual64::new(beta, omega))
}

/// The state `(q ; v)` of a formulation on the motion with crank angle and rate `(beta, omega)`.
pub fn state(model: &impl SqueezerEquations, beta: f64, omega: f64) -> Vec<f64> {
    let q = model.coordinates_at(&motion(model.squeezer(), beta, omega));
    q.iter().map(|q| q.re).chain(q.iter().map(|q| q.eps)).collect()
}

/// The angles without closed-form derivatives and without the elimination.
pub struct ByDuals<'m>(pub &'m SqueezerAngles);
impl MechanicalModel for ByDuals<'_> {
    fn dimensions(&self) -> Dimensions {
        self.0.dimensions()
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        self.0.mass(q, mass);
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        self.0.forces(t, q, v, forces);
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        self.0.holonomic_constraints(t, q, phi);
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        self.0.energy(q, v)
    }
}
