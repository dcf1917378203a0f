//! Runge–Kutta formulas with their names and sources, read from files of coefficients.

use std::path::Path;

use mbsbench_input::{Document, read};
use mbsbench_problem::{DoubleDouble, Exact, Parameters, Scalar, parameters};

use crate::formula::{Continuous, Formula};
use crate::from_file::RungeKutta;

/// A Runge–Kutta formula, explicit or diagonally implicit, with its name and source.
#[derive(Debug, Clone, PartialEq)]
pub struct Tableau<S = DoubleDouble> {
    /// Name of the formula, such as "MSSTC(4)"; empty if unknown.
    pub name: String,
    /// Source of the coefficients; empty if unknown.
    pub source: String,
    /// Order, coefficients, error estimates and continuous output.
    pub formula: Formula<S>,
}

parameters! {
    /// The keys of a tableau's file: those of a user's file, and those that only built-in methods use.
    #[derive(Default)]
    struct File {
        /// Name of the formula.
        pub label: String,
        /// Source of the coefficients.
        pub source: String,
        /// The formula.
        pub runge_kutta: RungeKutta,
        /// Two estimates of the error in place of one from `embedded` weights.
        pub combined_estimate: Option<CombinedEstimate>,
        /// Continuous output.
        pub continuous: Option<ContinuousOutput>,
    }

    /// The estimates of DOP853, whose combination is `err = err₁ · err₁ / √(err₁² + 0.01 err₂²)`.
    #[derive(Default)]
    struct CombinedEstimate {
        /// `b − b̂` of the first one.
        pub difference: Vec<Exact>,
        /// Weights `b̂` of the second one.
        pub second: Vec<Exact>,
    }

    /// Continuous output; see [`Continuous`].
    #[derive(Default)]
    struct ContinuousOutput {
        /// Order of the interpolant.
        pub order: u32,
        /// Index, from 0, of the stage `f(t₁, y₁)`.
        pub end_stage: usize,
        /// Nodes of the stages that only the interpolant needs.
        #[serde(default)]
        pub nodes: Vec<Exact>,
        /// Rows of `a` for these stages.
        #[serde(default)]
        pub rows: Vec<Vec<Exact>>,
        /// The rows `d`, over all stages.
        #[serde(default)]
        pub coefficients: Vec<Vec<Exact>>,
    }
}

impl Tableau {
    /// Reads the text of a file with the keys of a user's file, and checks its coefficients as those of users.
    ///
    /// # Errors
    /// Returns a description of the first fault, with its place in `file`.
    pub fn read(file: &str, text: &str) -> Result<Self, String> {
        let File { label, source, runge_kutta, combined_estimate, continuous } = checked(file, text)?;
        let mut formula = runge_kutta.formula();
        if let Some(CombinedEstimate { difference, second }) = combined_estimate {
            let second = formula.weights.iter().zip(values(&second)).map(|(&b, second)| b - second).collect();
            formula.estimates = [values(&difference), second].map(|it| runge_kutta.estimate(it)).into();
            formula.error_order = 2 * formula.estimates[0].order + 1 - formula.estimates[1].order;
        }
        formula.dense = continuous.map(|continuous| Continuous {
            order: continuous.order,
            end_stage: continuous.end_stage,
            extra_nodes: values(&continuous.nodes),
            extra_rows: continuous.rows.iter().map(|row| values(row)).collect(),
            rows: continuous.coefficients.iter().map(|row| values(row)).collect(),
        });
        Ok(Self { name: label, source, formula })
    }

    /// The same tableau with numbers rounded to the scalar type.
    pub fn rounded<S: Scalar>(&self) -> Tableau<S> {
        Tableau { name: self.name.clone(), source: self.source.clone(), formula: self.formula.rounded() }
    }
}

/// Reads parameters from the text of a file and checks them.
pub(crate) fn checked<T: Parameters>(file: &str, text: &str) -> Result<T, String> {
    let document = Document::parse(Path::new(file), text.as_bytes()).map_err(|bad| bad.to_string())?;
    let value: T = read(&document.root).map_err(|problem| document.bad(vec![problem]).to_string())?;
    value.check().map_err(|fault| format!("{file}: {fault}"))?;
    Ok(value)
}

/// The numbers in double-double precision.
pub(crate) fn values(numbers: &[Exact]) -> Vec<DoubleDouble> {
    numbers.iter().map(Exact::value).collect()
}
