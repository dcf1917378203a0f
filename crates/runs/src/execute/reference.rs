//! Certified reference solutions: two unrelated methods, and the number of digits to which they agree.

use mbsbench_measures::ReferenceTrajectory;
use mbsbench_problem::{Class, Failure, Formulated, Method, Model, Scalar, Settings};

use super::collect::Collection;

/// Solves with both methods and compares their states at `times` (s, increasing, within `span`).
///
/// `span` comes with its break points, s. The bound on an observable is the difference between the two methods' values,
/// but at least the rounding error of the value in double precision, since observables are doubles.
///
/// # Errors
/// Fails if one of the solves or an observation fails.
pub fn certify<S: Scalar>(
    model: &dyn Model,
    formulated: &dyn Formulated<S>,
    solvers: [(&dyn Method<S>, Settings); 2],
    (span, breaks): ([f64; 2], &[f64]),
    times: &[f64],
    digits_asked: f64,
) -> Result<ReferenceTrajectory, Failure> {
    let solve = |(method, settings)| {
        let collection = Collection { formulated, method, settings, span, breaks, may_be_stopped: true };
        let found = match collection.states(times) {
            (_, Some(failure)) => return Err(failure),
            (states, None) => states.into_iter().zip(times),
        };
        found.map(|(state, &time)| state.ok_or(Failure::NonFinite { time })).collect::<Result<Vec<_>, _>>()
    };
    let [main, check] = solvers;
    let (first, second) = (solve(main)?, solve(check)?);
    let observables: Vec<String> = model.observables().into_iter().map(|o| o.name).collect();
    let mut reference = ReferenceTrajectory {
        observables,
        times: times.to_vec(),
        digits: f64::INFINITY,
        digits_asked,
        ..Default::default()
    };
    let scale = scales(&first, &model.classes());
    let (mut one, mut other) = (model.observation(), model.observation());
    for ((&t, a), b) in times.iter().zip(&first).zip(&second) {
        for ((a, b), scale) in a.iter().zip(b).zip(&scale) {
            let difference = (*a - *b).value().abs();
            let relative = if *scale > 0.0 { difference / scale } else { difference };
            reference.digits = reference.digits.min(-relative.max(1e-33).log10());
        }
        let double = |state: &[S]| -> Vec<f64> { state.iter().map(|x| x.value()).collect() };
        let (mut values, mut others) = (vec![0.0; reference.observables.len()], vec![0.0; reference.observables.len()]);
        one.observe(t, &double(a), &mut values);
        other.observe(t, &double(b), &mut others);
        if let Some(failure) = one.failure().or_else(|| other.failure()) {
            return Err(failure);
        }
        let bounds = values.iter().zip(&others).map(|(a, b)| (a - b).abs().max(f64::EPSILON * a.abs())).collect();
        reference.values.push(values);
        reference.bounds.push(bounds);
    }
    Ok(reference)
}

/// Returns the scale of differences in each component: its largest magnitude over all `states`. If that is less than a
/// billionth of the largest of its class, the component is zero apart from rounding and its growth over the span (for
/// example a coordinate that joints hold at zero) and has no significant digits. Its scale is then the largest of its
/// class.
pub(super) fn scales<S: Scalar>(states: &[Vec<S>], classes: &[Class]) -> Vec<f64> {
    const BILLIONTH: f64 = 1e-9;
    let largest = |i: usize| states.iter().map(|state| state[i].value().abs()).fold(0.0, f64::max);
    let own: Vec<f64> = (0..classes.len()).map(largest).collect();
    let of_class = |class: Class| {
        own.iter().zip(classes).filter(|(_, other)| **other == class).map(|(scale, _)| *scale).fold(0.0, f64::max)
    };
    let scale = |(&own, &class): (&f64, &Class)| if own < BILLIONTH * of_class(class) { of_class(class) } else { own };
    own.iter().zip(classes).map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_level_components_are_scaled_by_class() {
        let states = [vec![2.0, 1e-16, 0.0, 1e-16], vec![-3.0, -2e-16, 0.0, 0.0]];
        let classes = [Class::Position, Class::Position, Class::Position, Class::Velocity];
        assert_eq!(scales(&states, &classes), [3.0, 3.0, 3.0, 1e-16]);
    }
}
