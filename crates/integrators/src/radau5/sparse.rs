//! The condensed index-3 systems of mechanisms with many bodies.

use mbsbench_problem::linalg::{Element, Matrix, Singular, SparseSaddle};
use mbsbench_problem::{Structure, Terms};

use super::blocks::Number;

/// The condensed system for one of the eigenvalues, with the entries that it can have; see [`IndexThree`](super::index3::IndexThree).
pub(super) struct SparseCondensed<T: Element> {
    /// `γ`, 1/s.
    gamma: T,
    saddle: SparseSaddle<T>,
    /// `−r₁`, and `γ r₁ + r₂`.
    back: Vec<T>,
    kinematic: Vec<T>,
}

impl<T: Number + Element> SparseCondensed<T> {
    pub(super) fn new(structure: &Structure) -> Self {
        let n = structure.dynamics.rows();
        let zero = <T as From<f64>>::from(0.0);
        let zeros = vec![zero; n];
        Self { gamma: zero, saddle: SparseSaddle::new(structure), back: zeros.clone(), kinematic: zeros }
    }

    /// Forms and factorizes the matrix for `gamma`.
    pub(super) fn factorize(
        &mut self,
        gamma: T,
        point: &Terms<f64>,
        damping: &Matrix<f64>,
        stiffness: &Matrix<f64>,
    ) -> Result<(), Singular> {
        self.gamma = gamma;
        let (one, s) = (<T as From<f64>>::from(1.0), gamma.recip());
        self.saddle.put([(one, &point.mass), (-s, damping), (s * s, stiffness)], one, &point.jacobian);
        self.saddle.0.factorize()
    }

    /// Solves for the right-hand side that `vector` holds, in place.
    pub(super) fn solve(&mut self, vector: &mut T::Vector<'_>, mass: &Matrix<f64>, damping: &Matrix<f64>) {
        let Self { gamma, saddle, back, kinematic } = self;
        let (n, gamma) = (kinematic.len(), *gamma);
        let (velocities, dynamics) = (n, 2 * n);
        for i in 0..n {
            let position = T::component(vector, i);
            back[i] = -position;
            kinematic[i] = gamma * position + T::component(vector, velocities + i);
            saddle.0.x[i] = T::component(vector, dynamics + i);
        }
        mass.add_to(kinematic, &mut saddle.0.x[..n]);
        damping.add_to(back, &mut saddle.0.x[..n]);
        let square = gamma * gamma;
        for i in n..saddle.0.x.len() {
            saddle.0.x[i] = -square * T::component(vector, dynamics + i);
        }
        saddle.0.solve();
        let s = gamma.recip();
        for (i, &kinematic) in kinematic.iter().enumerate() {
            let a = saddle.0.x[i];
            let rate = s * a;
            (rate - T::component(vector, i)).put_component(vector, velocities + i);
            (s * rate).put_component(vector, i);
            (a - kinematic).put_component(vector, dynamics + i);
        }
        for i in n..saddle.0.x.len() {
            saddle.0.x[i].put_component(vector, dynamics + i);
        }
    }
}
