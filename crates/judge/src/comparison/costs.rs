//! The cost of every method on every model as a file: the numbers behind profiles and matrix.

use mbsbench_numbers::{csv, shortest};

use super::{COMPARISON, Ranked};

/// Accuracies of the performance profiles.
pub const ACCURACIES: [f64; 3] = [1e-3, 1e-6, 1e-9];

/// Returns one line for each model, method and kind of work. It has the least work for each of [`ACCURACIES`] (empty if
/// no run reaches it), the largest number of digits per decade of work with the run that attains it, and the number of
/// failed runs. Numbers have five digits. A method without this kind of work has no line.
pub fn costs_csv(fields: &[&Ranked<'_>]) -> String {
    let mut head: Vec<String> = ["model", "method", "family", "work"].map(str::to_owned).to_vec();
    head.extend(ACCURACIES.map(|accuracy| format!("cost for {accuracy:e}")));
    head.extend(["digits per decade", "run", "failed", "runs"].map(str::to_owned));
    let mut lines = vec![head];
    let number = |value: Option<f64>| {
        value.map_or_else(String::new, |value| shortest(format!("{value:.4e}").parse().unwrap_or(value)))
    };
    for field in fields {
        for method in &field.curves {
            for (work, (name, _)) in field.spec.work.0.iter().enumerate() {
                let id = &field.plan.experiment.id;
                let mut line = vec![
                    id.strip_prefix(COMPARISON).and_then(|id| id.strip_prefix('/')).unwrap_or(id).to_owned(),
                    method.method.to_owned(),
                    method.family.to_owned(),
                    name.clone(),
                ];
                let costs = ACCURACIES.map(|accuracy| method.cost(work, accuracy).map(|cost| cost.value));
                let digits = method.digits(work);
                if digits.is_none() && costs.iter().all(Option::is_none) {
                    continue;
                }
                line.extend(costs.map(number));
                line.push(number(digits.map(|(digits, _)| digits)));
                line.push(digits.map_or_else(String::new, |(_, run)| run.key().to_string()));
                line.extend([method.failed(), method.points.len()].map(|count| count.to_string()));
                lines.push(line);
            }
        }
    }
    csv(lines)
}
