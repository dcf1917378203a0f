//! Coefficients and properties as text, for `mbsbench list`. The properties are computed from the coefficients.

use mbsbench_problem::Scalar;
use nalgebra::Complex;

use super::{LinearMultistep, SingleStep};
use crate::Tableau;
use crate::conditions;
use crate::details::{GROWTH, ROUNDING, complex, imaginary_axis, is_bounded, property, rounded, tableau, yes};
use crate::formula::{Estimate, Formula};
use mbsbench_problem::linear::{eigenvalues, spectral_radius};

/// Roots of a characteristic polynomial that are closer together than this count as one multiple root: rounding moves
/// a triple root by 1e-5.
const MULTIPLE: f64 = 1e-3;

impl<S: Scalar> Tableau<S> {
    /// Source, tableau, orders, stability: see [`Method::details`](mbsbench_problem::Method::details).
    pub fn details(&self) -> Vec<String> {
        let Formula { order, nodes, rows, weights, estimates, .. } = &self.formula;
        let found = |weights: &[S], claimed: u32| conditions::order(rows, weights, claimed + 1, ROUNDING);
        let names = [("formula", &self.name), ("from", &self.source)];
        let mut lines: Vec<String> =
            names.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| property(name, text)).collect();
        let first = if self.starts_explicitly() { "the first explicit" } else { "all implicit" };
        let diagonal = rows.iter().map(|row| row[row.len() - 1].value()).skip_while(|&a| a == 0.0);
        let mut gamma: Vec<String> = diagonal.map(|a| a.to_string()).collect();
        gamma.dedup();
        lines.extend([
            property("stages", format!("{}, {first}, the last at the end of the step", self.stages())),
            property("gamma", gamma.join(", ")),
            property("order", format!("{} by the order conditions", found(weights, *order))),
        ]);
        let of_embedded = |estimate: &Estimate<S>| -> Vec<S> {
            weights.iter().zip(&estimate.difference).map(|(&b, &difference)| b - difference).collect()
        };
        let embedded = estimates.first().map(of_embedded);
        if let (Some(weights), Some(estimate)) = (&embedded, estimates.first()) {
            lines.push(property("embedded", format!("order {}", found(weights, estimate.order))));
        }
        let stage_order = conditions::stage_order(rows, nodes, *order, ROUNDING);
        let largest = imaginary_axis().map(|z| self.stability(z).norm()).fold(0.0, f64::max);
        lines.extend([
            property("stage order", stage_order),
            property("A-stable", yes(largest <= 1.0 + GROWTH)),
            property("R(infinity)", rounded(self.stability_at_infinity().value())),
            "tableau".to_owned(),
        ]);
        let embedded = embedded.as_deref().map(|weights| ("embedded", weights));
        lines.extend(tableau(nodes, rows.iter().map(Vec::as_slice), embedded));
        lines
    }
}

impl LinearMultistep {
    /// Coefficients, order, stability: see [`Method::details`](mbsbench_problem::Method::details).
    pub fn details(&self) -> Vec<String> {
        let mut lines = vec![
            property("steps", self.steps()),
            property("order", format!("{} by its conditions", self.order(2 * self.steps() as i32))),
            property("zero-stable", yes(self.is_zero_stable())),
            property("A-stable", yes(self.is_zero_stable() && is_bounded(|z| self.amplification(z)))),
            property("at infinity", self.at_infinity()),
            "coefficients".to_owned(),
        ];
        lines.extend(self.alpha.iter().zip(1..).map(|(alpha, j)| format!("  alpha_{j} = {alpha}")));
        lines.extend(self.beta.iter().zip(0..).map(|(beta, j)| format!("  beta_{j} = {beta}")));
        lines
    }

    /// The order for equal steps, from the conditions on powers of time; at most `highest`.
    pub(crate) fn order(&self, highest: i32) -> i32 {
        let holds = |q: i32| {
            let past = self.alpha.iter().zip(&self.beta[1..]).zip(1..);
            let terms = past.flat_map(|((alpha, beta), j)| {
                let t = -f64::from(j);
                [alpha * t.powi(q), beta * if q == 0 { 0.0 } else { f64::from(q) * t.powi(q - 1) }]
            });
            let end = [1.0, -self.beta[0]].get(q as usize).copied().unwrap_or(0.0);
            let (sum, size) = terms.fold((-end, 1.0f64), |(sum, size), term| (sum + term, size.max(term.abs())));
            sum.abs() <= ROUNDING * size
        };
        (0..=highest).take_while(|&q| holds(q)).last().unwrap_or(-1)
    }

    /// True if errors of the start stay bounded as the step goes to zero: the roots of `ρ` lie in the unit circle,
    /// and those on it are simple.
    pub(crate) fn is_zero_stable(&self) -> bool {
        let roots = eigenvalues(&self.amplification(Complex::new(0.0, 0.0)));
        let outer: Vec<_> = roots.iter().filter(|root| root.norm() > 1.0 - MULTIPLE).collect();
        let is_simple = |i: usize| outer[..i].iter().all(|root| (*root - outer[i]).norm() > MULTIPLE);
        outer.iter().all(|root| root.norm() <= 1.0 + MULTIPLE) && (0..outer.len()).all(is_simple)
    }

    /// True if errors grow even as the step goes to zero, because of a root of `ρ` outside the unit circle.
    pub(super) fn has_growing_root(&self) -> bool {
        spectral_radius(&self.amplification(Complex::new(0.0, 0.0))) > 1.0 + MULTIPLE
    }

    /// Describes the roots of `σ`.
    fn at_infinity(&self) -> String {
        let r = self.steps();
        // −β₁/(r β₀) is the mean of the roots
        let mean = -self.beta[1] / (self.beta[0] * r as f64);
        let equal = Self::with_equal_roots(self.alpha.clone(), self.beta[0], -mean);
        if equal.beta.iter().zip(&self.beta).all(|(equal, beta)| (equal - beta).abs() <= ROUNDING) {
            return format!("{r} equal roots {}", rounded(mean));
        }
        format!("spectral radius {:.3}", spectral_radius(&self.amplification(Complex::new(0.0, 1e6))))
    }
}

impl SingleStep {
    /// Coefficients and stability: see [`Method::details`](mbsbench_problem::Method::details).
    pub fn details(&self) -> Vec<String> {
        let mut lines = vec![
            property("auxiliary", format!("{} derivatives, same spectrum as LMS{}", self.levels.len(), self.steps())),
            property("A-stable", yes(is_bounded(|z| self.amplification(z)))),
            "coefficients".to_owned(),
        ];
        lines.extend(self.gamma.iter().zip(0..).map(|(gamma, i)| format!("  gamma_{i} = {}", complex(*gamma))));
        lines.push(format!("  b_0 = {}", self.b_0));
        lines.push(format!("  b_-1 = {}", self.b_minus_1));
        lines.extend(self.b_auxiliary.iter().zip(1..).map(|(b, p)| format!("  b_I,{p} = {}", complex(*b))));
        for (level, p) in self.levels.iter().zip(1..) {
            let [same, lower, lower_before] = [level.same, level.lower, level.lower_before].map(complex);
            lines.push(format!("  C_{p} = {same}, D_{p} = {lower}, E_{p} = {lower_before}"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tableaux;

    fn value<'l>(lines: &'l [String], name: &str) -> &'l str {
        lines.iter().find_map(|line| line.strip_prefix(&format!("{name:<16}"))).expect("there is such a line")
    }

    #[test]
    fn runge_kutta() {
        let lines = Tableau::msstc(4, 0.6).details();
        let values = ["formula", "order", "stage order", "A-stable", "R(infinity)"].map(|name| value(&lines, name));
        assert_eq!(values, ["MSSTC(4)", "2 by the order conditions", "2", "yes", "0.6"]);
        assert!(value(&lines, "gamma").starts_with("0.127139265902083"));
        let tableau = lines.iter().position(|line| line == "tableau").expect("it is listed");
        assert_eq!(lines.len() - tableau - 1, 5);
        let row: Vec<&str> = lines[tableau + 2].split_whitespace().collect();
        assert_eq!((row.len(), row[2], row[3]), (4, value(&lines, "gamma"), value(&lines, "gamma")));
    }

    #[test]
    fn embedded_weights_have_their_own_line() {
        let lines = tableaux::ESDIRK436L2SA2.rounded::<f64>().details();
        assert_eq!(["order", "embedded"].map(|name| value(&lines, name)), ["4 by the order conditions", "order 3"]);
        assert!(lines.last().expect("lines").starts_with("  embedded "));
    }

    /// The description of a formula depends on its coefficients alone, even if its declared order is wrong.
    #[test]
    fn properties_are_computed() {
        let mut formula = Tableau::bathe(0.0).rounded::<f64>();
        let gamma = formula.formula.weights[2];
        formula.formula.rows[2] = vec![0.5, 0.5 - gamma, gamma];
        formula.formula.weights = formula.formula.rows[2].clone();
        let lines = formula.details();
        assert_eq!(value(&lines, "order"), "1 by the order conditions");
        assert_eq!(value(&lines, "stage order"), "1");
        assert_ne!(value(&lines, "R(infinity)"), "0");
        let explicit = LinearMultistep { alpha: vec![1.0], beta: vec![0.0, 1.0] };
        let values = ["order", "zero-stable", "A-stable"].map(|name| value(&explicit.details(), name).to_owned());
        assert_eq!(values, ["1 by its conditions", "yes", "no"]);
    }

    #[test]
    fn multistep() {
        let lines = LinearMultistep::lms3(0.6).details();
        let values = ["steps", "order", "zero-stable", "A-stable", "at infinity"].map(|name| value(&lines, name));
        assert_eq!(values, ["3", "2 by its conditions", "yes", "yes", "3 equal roots -0.6"]);
        assert_eq!(lines.iter().filter(|line| line.starts_with("  ")).count(), 7);
        assert_eq!(value(&LinearMultistep::lms3(1.0).details(), "zero-stable"), "no");
        assert_eq!(value(&LinearMultistep::lms2(1.0).details(), "zero-stable"), "yes");
    }

    #[test]
    fn single_step() {
        let lines = SingleStep::ss4(0.0).details();
        assert_eq!(value(&lines, "A-stable"), "yes");
        assert_eq!(lines.iter().filter(|line| line.starts_with("  ")).count(), 7 + 2 + 3 + 3);
        assert!(lines.contains(&"  gamma_0 = 1".to_owned()));
    }
}
