//! Runge–Kutta formulas.

use mbsbench_problem::{DoubleDouble, Exact, Method, OutOfRange, Scalar, parameters};
use nalgebra::Complex;

use crate::Tableau;
use crate::conditions;
use crate::control::Control;
use crate::details::{ROUNDING, property, tableau};
use crate::explicit::{Advance, ExplicitRungeKutta};
use crate::formula::{Estimate, Formula};
use crate::tableau::values;

/// Maximum number of stages.
const STAGES: usize = 40;
/// The highest order whose conditions are tested: 1205 trees.
const HIGHEST: u32 = 10;
/// Largest accepted residual of row sums and weights, which decimals of twelve digits leave.
const FITS: f64 = 1e-11;

parameters! {
    /// Nodes, rows and weights as in a printed table. Missing entries at the end of a row are zero.
    ///
    /// Without diagonal entries the formula is explicit, and controls its error if `embedded` weights are given.
    /// Otherwise it is diagonally implicit: diagonal entries are above zero, except that the first stage may be
    /// explicit, and the last row equals the weights. It is solved with constant steps like the built-in implicit
    /// formulas, also for constrained mechanics of index 3.
    #[derive(Default)]
    pub struct RungeKutta where fits, is_solved, has_order {
        /// Rows of `a`, one for each stage; the row of an explicit first stage is empty.
        pub rows: Vec<Vec<Exact>>,
        /// Weights `b`, one for each stage, which sum to 1.
        pub weights: Vec<Exact>,
        /// Nodes `c`, one for each stage; the row sums if not given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub nodes: Vec<Exact>,
        /// Second weights on the same stages, for the error estimate of an explicit formula.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub embedded: Vec<Exact>,
        /// The order claimed by the source; the file is refused if the order conditions give another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub order: Option<u32> [from 1, to 10],
    }
}

fn sum(numbers: &[DoubleDouble]) -> DoubleDouble {
    numbers.iter().copied().sum()
}

/// Tolerance of a sum of `terms`.
fn rounding(terms: &[DoubleDouble]) -> f64 {
    FITS * terms.iter().map(|term| term.value().abs()).fold(1.0, f64::max)
}

impl RungeKutta {
    /// Heun's formula of order two.
    pub(super) fn heun() -> Self {
        let half = || Exact::parse("1/2").expect("it is a number");
        Self { rows: vec![vec![], vec![Exact::from(1)]], weights: vec![half(), half()], ..Self::default() }
    }

    fn stages(&self) -> usize {
        self.weights.len()
    }

    /// The rows, filled up to the length of their stage: `i` entries, or `i + 1` if the formula is implicit.
    fn full_rows(&self) -> Vec<Vec<DoubleDouble>> {
        let diagonal = usize::from(!self.is_explicit());
        let full = |(i, row): (usize, &Vec<Exact>)| {
            let mut row = values(row);
            row.resize(i + diagonal, DoubleDouble::from(0.0));
            row
        };
        self.rows.iter().enumerate().map(full).collect()
    }

    pub(super) fn is_explicit(&self) -> bool {
        self.rows.iter().enumerate().all(|(i, row)| row.iter().skip(i).all(|a| a.rounded() == 0.0))
    }

    fn all_nodes(&self) -> Vec<DoubleDouble> {
        if self.nodes.is_empty() { self.full_rows().iter().map(|row| sum(row)).collect() } else { values(&self.nodes) }
    }

    /// Checks lengths, row sums, and that weights sum to one.
    fn fits(&self) -> Result<(), OutOfRange> {
        let stages = self.stages();
        let length = |length: usize| format!("a list of length {length}");
        let accepted = format!("1 to {STAGES} numbers, one per stage");
        OutOfRange::unless((1..=STAGES).contains(&stages), "weights", length(stages), accepted)?;
        let lists = [("rows", self.rows.len()), ("nodes", self.nodes.len()), ("embedded", self.embedded.len())];
        for (name, count) in lists {
            let fits = count == stages || (count == 0 && name != "rows");
            let accepted = format!("a list of length {stages}, since there are {stages} weights (zeros included)");
            OutOfRange::unless(fits, name, length(count), accepted)?;
        }
        for (i, row) in self.rows.iter().enumerate() {
            if let Some(j) = row.iter().rposition(|a| a.rounded() != 0.0).filter(|&j| j > i) {
                let accepted = "zero or no entry right of the diagonal, since fully implicit stages are not supported";
                return Err(OutOfRange::new(format!("rows.{i}.{j}"), &row[j], accepted));
            }
        }
        for (i, (row, node)) in self.full_rows().iter().zip(self.all_nodes()).enumerate() {
            let is_off = (sum(row) - node).value().abs() > rounding(row);
            let found = format!("a row with the sum {} and the node {}", sum(row).value(), node.value());
            let accepted = "a row that sums to its node, with quotients such as `2/9` instead of rounded decimals";
            OutOfRange::unless(!is_off, format!("rows.{i}"), found, accepted)?;
        }
        for (name, weights) in [("weights", &self.weights), ("embedded", &self.embedded)] {
            let weights = values(weights);
            let is_off = (sum(&weights) - DoubleDouble::from(1.0)).value().abs() > rounding(&weights);
            let found = format!("a list with the sum {}", sum(&weights).value());
            OutOfRange::unless(weights.is_empty() || !is_off, name, found, "weights that sum to 1")?;
        }
        Ok(())
    }

    /// Checks that an implicit formula can be solved, and that embedded weights differ from the weights.
    fn is_solved(&self) -> Result<(), OutOfRange> {
        let rounding = rounding(&values(&self.weights));
        let same = |(a, b): (&Exact, &Exact)| (a.value() - b.value()).value().abs() <= rounding;
        let differ = self.embedded.is_empty() || !self.embedded.iter().zip(&self.weights).all(same);
        let accepted = "weights that differ from `weights`, since the error estimate is their difference";
        OutOfRange::unless(differ, "embedded", "equal to `weights` up to rounding", accepted)?;
        if self.is_explicit() {
            return Ok(());
        }
        let rows = self.full_rows();
        let diagonal = |i: usize| rows[i][i].value();
        // An entry in an explicit formula is a mistake; a missing one in an implicit formula has no place of its own.
        let entry = (1..rows.len()).find(|&i| diagonal(i) != 0.0).unwrap_or(0);
        if let Some(i) = (1..rows.len()).find(|&i| diagonal(i) == 0.0) {
            let row = i + 1;
            let accepted = format!("no entry here, as in row {row}, or a number above zero in row {row} too");
            return Err(OutOfRange::new(format!("rows.{entry}.{entry}"), diagonal(entry), accepted));
        }
        if let Some(i) = (0..rows.len()).find(|&i| diagonal(i) < 0.0) {
            return Err(OutOfRange::new(format!("rows.{i}.{i}"), diagonal(i), "a number above zero"));
        }
        let last = rows.last().map_or(&[][..], Vec::as_slice);
        let is_last = last.iter().zip(&self.weights).all(|(a, b)| (*a - b.value()).value() == 0.0);
        let ends = self.all_nodes().last().is_some_and(|node| (node.value() - 1.0).abs() <= FITS);
        let found = "different from the last row, or the last node is not 1";
        let accepted = "weights equal to the last row, with the node 1 (stiffly accurate)";
        OutOfRange::unless(is_last && ends, "weights", found, accepted)
    }

    fn has_order(&self) -> Result<(), OutOfRange> {
        let found = self.found_order(&values(&self.weights));
        match self.order {
            Some(claimed) if claimed != found => {
                let sum = conditions::dot(&values(&self.weights), &self.all_nodes()).value();
                let why = if found == 1 { format!(": Σ b c is {sum}, not 1/2") } else { String::new() };
                Err(OutOfRange::new("order", claimed, format!("{found} by the order conditions{why}")))
            }
            _ => Ok(()),
        }
    }

    /// The order of the weights by the order conditions.
    fn found_order(&self, weights: &[DoubleDouble]) -> u32 {
        // One condition more than the stages could satisfy shows where the order ends.
        let bound = self.stages() as u32 + u32::from(!self.is_explicit());
        conditions::order(&self.full_rows(), weights, bound.min(HIGHEST), rounding(weights).max(ROUNDING))
    }

    /// The formula with its order and that of its embedded weights by the order conditions.
    pub(crate) fn formula(&self) -> Formula<DoubleDouble> {
        let (order, weights) = (self.found_order(&values(&self.weights)), values(&self.weights));
        let difference = weights.iter().zip(&self.embedded).map(|(&b, embedded)| b - embedded.value()).collect();
        let embedded = (!self.embedded.is_empty()).then(|| self.estimate(difference));
        Formula {
            order,
            nodes: self.all_nodes(),
            rows: self.full_rows(),
            weights,
            error_order: embedded.as_ref().map_or(0, |embedded| order.min(embedded.order) + 1),
            estimates: embedded.into_iter().collect(),
            dense: None,
        }
    }

    /// The error estimate with the given difference from the weights.
    pub(crate) fn estimate(&self, difference: Vec<DoubleDouble>) -> Estimate<DoubleDouble> {
        let embedded: Vec<_> = self.weights.iter().zip(&difference).map(|(b, &d)| b.value() - d).collect();
        Estimate { order: self.found_order(&embedded), difference }
    }

    /// The method of an explicit formula.
    pub(super) fn explicit(&self, advance: Advance, control: Control) -> impl Method + Method<DoubleDouble> + use<> {
        let method = ExplicitRungeKutta::of(self.formula(), control.into()).advancing(advance);
        ExplicitRungeKutta { details, ..method }
    }

    /// The rule of an implicit formula.
    pub(super) fn rule(&self) -> Tableau {
        Tableau { name: String::new(), source: String::new(), formula: self.formula() }
    }
}

/// Order, stability and tableau of an explicit formula, for `mbsbench list NAME`.
fn details(formula: &Formula<DoubleDouble>) -> Vec<String> {
    let Formula { order, nodes, rows, weights, estimates, .. } = formula;
    let mut lines =
        vec![property("stages", weights.len()), property("order", format!("{order} by the order conditions"))];
    lines.extend(estimates.iter().map(|estimate| {
        let higher = if estimate.order > *order { ", higher than that of `weights`: are they exchanged?" } else { "" };
        property("embedded", format!("order {}{higher}", estimate.order))
    }));
    let stage_order = conditions::stage_order(&rows[1..], &nodes[1..], *order, ROUNDING);
    let (real, imaginary) = (stable_on_real_axis(formula), stable_on_imaginary_axis(formula));
    let imaginary = if imaginary == 0.0 { "unstable".to_owned() } else { format!("to {imaginary:.3}i") };
    lines.extend([
        property("stage order", stage_order),
        property("stable", format!("to -{real:.3} on the real axis; {imaginary} on the imaginary axis")),
        "tableau".to_owned(),
    ]);
    let rows = rows.iter().map(Vec::as_slice);
    let row = |estimate: &Estimate<_>| weights.iter().zip(&estimate.difference).map(|(b, d)| *b - *d).collect();
    let embedded: Option<Vec<DoubleDouble>> = estimates.first().map(row);
    let embedded = embedded.iter().map(|row| ("embedded", row.as_slice()));
    lines.extend(tableau(nodes, rows, [("weights", weights.as_slice())].into_iter().chain(embedded)));
    lines
}

/// The distance from the origin along the negative real axis within which `|R| ≤ 1`, to three decimals.
fn stable_on_real_axis(formula: &Formula<DoubleDouble>) -> f64 {
    first_growth(|x| formula.stability(Complex::from(-x)).norm() > 1.0 + 1e-9)
}

/// The same distance along the imaginary axis; zero if `|R|` exceeds one immediately.
///
/// Near the origin `|R|² − 1` is far smaller than the rounding error of `|R|`. Its sign is therefore taken from its
/// polynomial in `y`, whose coefficients vanish up to the order of the formula.
fn stable_on_imaginary_axis(formula: &Formula<DoubleDouble>) -> f64 {
    let Formula { rows, weights, .. } = formula;
    // R(z) = 1 + Σ zᵏ bᵀ Aᵏ⁻¹ 1
    let mut powers = vec![DoubleDouble::from(1.0); weights.len()];
    let mut coefficients = vec![1.0];
    for _ in weights {
        coefficients.push(conditions::dot(weights, &powers).value());
        powers = rows.iter().map(|row| conditions::dot(row, &powers)).collect();
    }
    let stages = weights.len();
    // |R(i y)|² − 1 = Σ y²ᵐ Σ_{j + k = 2m} i^{j − k} r_j r_k, m ≥ 1
    let excess: Vec<f64> = (1..=stages)
        .map(|m| {
            let pairs = (0..=2 * m).filter(|j| *j <= stages && 2 * m - j <= stages);
            let sum: f64 = pairs
                .map(|j| if (m + j) % 2 == 0 { 1.0 } else { -1.0 } * coefficients[j] * coefficients[2 * m - j])
                .sum();
            if sum.abs() > ROUNDING { sum } else { 0.0 }
        })
        .collect();
    match excess.iter().find(|&&coefficient| coefficient != 0.0) {
        Some(&leading) if leading > 0.0 => 0.0,
        _ => first_growth(|y| excess.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * y * y) > 0.0),
    }
}

/// The last multiple of 1/1000 before the first at which `grows` holds.
fn first_growth(grows: impl Fn(f64) -> bool) -> f64 {
    let first = (1..200_000).map(|k| f64::from(k) * 1e-3).find(|&x| grows(x));
    first.map_or(f64::INFINITY, |x| x - 1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tableaux;

    #[test]
    fn rounding_is_not_growth_on_the_imaginary_axis() {
        let stable = |tableau: &Tableau| stable_on_imaginary_axis(&tableau.formula);
        // For Kutta's rule of order three and the classical one of order four it is √3 and 2 √2.
        assert!((stable(&tableaux::RK3) - 3f64.sqrt()).abs() < 2e-3);
        assert!((stable(&tableaux::RK4) - 8f64.sqrt()).abs() < 2e-3);
        // |R(i y)|² − 1 begins with a positive power: y⁴/4 for Heun's rule, y⁶ for Fehlberg's of order five.
        let heun = Formula {
            rows: vec![vec![], vec![1.0.into()]],
            weights: vec![0.5.into(); 2],
            ..tableaux::RK3.formula.clone()
        };
        assert_eq!(stable_on_imaginary_axis(&heun), 0.0);
        assert_eq!(stable(&tableaux::RK5), 0.0);
    }
}
