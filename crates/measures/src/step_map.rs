//! The linear map that one step makes on linear equations.

use mbsbench_problem::parameters;
use nalgebra::DMatrix;

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The determinant of the matrix of one step and its spectral radius, which tells if a method of constant step is
    /// stable on linear equations with constant coefficients. The matrix is computed from as many steps as there are
    /// observables, and one more state. Empty if there are too few steps, or if they do not determine the matrix.
    ///
    /// If the matrix is normal, `amplification` gives the same number from a single step.
    #[derive(Default)]
    pub struct StepMap in snake_case {
        /// Observables that form the state.
        of: Vec<String>,
    }
}

impl MeasureDefinition for StepMap {
    const NAME: &'static str = "step_map";
    const SUMMARY: &'static str = "determinant and spectral radius of the matrix of one step on linear equations";

    fn columns(&self) -> Vec<String> {
        ["determinant", "amplification_max"].map(str::to_owned).to_vec()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let indices = self.of.iter().map(|name| context.index(name)).collect();
        Box::new(States { indices, states: Vec::new() })
    }
}

struct States {
    /// None if the formulation lacks an observable.
    indices: Option<Vec<usize>>,
    /// The first states, one after the other.
    states: Vec<f64>,
}

impl States {
    fn push(&mut self, observables: &[f64]) {
        let Some(indices) = &self.indices else { return };
        if self.states.len() < indices.len() * (indices.len() + 1) {
            self.states.extend(indices.iter().map(|&index| observables[index]));
        }
    }

    /// `M` of `[y₁ … y_n] = M [y₀ … y_{n−1}]`.
    fn map(&self) -> Option<DMatrix<f64>> {
        let n = self.indices.as_ref()?.len();
        if n == 0 || self.states.len() < n * (n + 1) {
            return None;
        }
        let before = DMatrix::from_column_slice(n, n, &self.states[..n * n]);
        let after = DMatrix::from_column_slice(n, n, &self.states[n..]);
        let transposed = before.transpose().lu().solve(&after.transpose())?;
        Some(transposed.transpose())
    }
}

impl Measure for States {
    fn begin(&mut self, _t: f64, observables: &[f64]) {
        self.push(observables);
    }
    fn step(&mut self, step: &mut Observed<'_>) {
        self.push(step.end);
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let map = self.map().filter(|map| map.iter().all(|entry| entry.is_finite()));
        let radius = |map: &DMatrix<f64>| {
            map.complex_eigenvalues().iter().fold(0.0, |largest: f64, value| largest.max(value.norm()))
        };
        vec![map.as_ref().map(DMatrix::determinant), map.as_ref().map(radius)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ended, through};

    fn measured(states: &[[f64; 2]]) -> Vec<Option<f64>> {
        let measure = StepMap { of: vec!["q".to_owned(), "v".to_owned()] };
        let times: Vec<f64> = (0..states.len()).map(|k| k as f64).collect();
        ended(through(&measure, &times, |t| states[t as usize].to_vec()), false)
    }

    #[test]
    fn matrices_are_recovered_from_their_states() {
        // far from normal: a step lengthens (0, 1) tenfold, and the eigenvalues are 0.5 and 0.25
        let step = |[q, v]: [f64; 2]| [0.5 * q + 10.0 * v, 0.25 * v];
        let first = [1.0, 1.0];
        let states = [first, step(first), step(step(first)), [7.0, 7.0]];
        let [determinant, radius] = measured(&states)[..] else { panic!("two columns") };
        assert!((determinant.unwrap() - 0.125).abs() < 1e-14 && (radius.unwrap() - 0.5).abs() < 1e-14);
        // a rotation by a right angle, and a scaling by 2
        let turn = [[1.0, 0.0], [0.0, 2.0], [-4.0, 0.0]];
        assert_eq!(measured(&turn), [Some(4.0), Some(2.0)]);
    }

    #[test]
    fn undetermined_matrices_give_none() {
        assert_eq!(measured(&[[1.0, 0.0], [2.0, 0.0]]), [None; 2]);
        assert_eq!(measured(&[[1.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), [None; 2]);
    }
}
