//! Coefficients of half-explicit methods.

use std::sync::LazyLock;

use mbsbench_problem::{Exact, Scalar, parameters};

use crate::formula::rounded;
use crate::tableau::{checked, values};

parameters! {
    /// A half-explicit Runge–Kutta formula.
    #[derive(Default)]
    pub struct Table {
        /// Name of the formula.
        pub label: String,
        /// Source of the coefficients.
        pub source: String,
        /// Order of positions and velocities.
        pub order: u32,
        /// Order of the multipliers of the last stage, at the end of the step.
        pub multiplier_order: u32,
        /// Nodes of all points: those of the stages, the first one zero, followed by that of the point after the last
        /// stage.
        pub nodes: Vec<Exact>,
        /// Rows of `a`. Row `i` has `i + 1` entries and leads, with the stages so far, to the next point.
        pub rows: Vec<Vec<Exact>>,
        /// Index of the row that leads to the end of the step.
        pub end: usize,
        /// True if the first stage uses the multipliers of the previous step.
        #[serde(default)]
        pub explicit_start: bool,
        /// A second formula on all stages for the error estimate.
        pub embedded: Option<Embedded>,
    }

    /// A second formula on the same stages.
    #[derive(Default)]
    pub struct Embedded {
        /// Order of positions and velocities.
        pub order: u32,
        /// Its weights.
        pub weights: Vec<Exact>,
    }
}

/// The coefficients of a [`Table`] in the precision of a scalar type.
#[derive(Debug, Clone)]
pub(super) struct Coefficients<S> {
    /// Rows of `a`.
    pub rows: Vec<Vec<S>>,
    /// Nodes.
    pub nodes: Vec<S>,
    /// Weights of the error estimate; empty if there is none.
    pub difference: Vec<S>,
}

impl<S: Scalar> Coefficients<S> {
    /// The coefficients of a table.
    pub fn of(table: &Table) -> Self {
        let all = |numbers: &[Exact]| values(numbers).into_iter().map(rounded).collect::<Vec<S>>();
        let rows: Vec<Vec<S>> = table.rows.iter().map(|row| all(row)).collect();
        let difference = table.embedded.as_ref().map_or_else(Vec::new, |embedded| {
            let own = rows[table.end].iter().copied().chain(std::iter::repeat(S::zero()));
            own.zip(all(&embedded.weights)).map(|(own, other)| own - other).collect()
        });
        Self { rows, nodes: all(&table.nodes), difference }
    }

    /// Writes the estimated error of a step of size `h` for some `components` of the state, whose rates at the stages
    /// are in `rates`. Returns its root mean square relative to the tolerances `(rel, abs)`, or `None` without an
    /// embedded formula.
    pub fn error(
        &self,
        h: S,
        (start, end): (&[S], &[S]),
        (rel, abs): (f64, f64),
        (components, rates): (impl ExactSizeIterator<Item = usize>, &[S]),
        estimate: &mut [S],
    ) -> Option<f64> {
        if self.difference.is_empty() {
            return None;
        }
        let (count, mut square) = (components.len(), 0.0);
        for (i, j) in components.enumerate() {
            let stages = rates[i..].iter().step_by(count);
            estimate[j] = h * self.difference.iter().zip(stages).fold(S::zero(), |sum, (&d, &rate)| sum + d * rate);
            let scale = abs + rel * start[j].value().abs().max(end[j].value().abs());
            square += (estimate[j].value() / scale).powi(2);
        }
        Some((square / count as f64).sqrt())
    }
}

/// HEM4 of V. Brasey and E. Hairer.
pub static HEM4: LazyLock<Table> = LazyLock::new(|| table("hem4.yaml", include_str!("../tableaux/hem4.yaml")));

/// HEDOP5 of M. Arnold.
pub static HEDOP5: LazyLock<Table> = LazyLock::new(|| table("hedop5.yaml", include_str!("../tableaux/hedop5.yaml")));

fn table(file: &str, text: &str) -> Table {
    checked(file, text).expect("a test reads all files")
}
