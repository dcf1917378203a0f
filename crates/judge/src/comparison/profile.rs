//! Performance profiles, Pareto fronts, and digits per decade of work.

use mbsbench_experiment::RunSpec;

use super::Ranked;
use super::curve::{Curve, Point};

impl Curve<'_> {
    /// Completed runs as `[work, error]`, by one kind of work. The error includes the bound on the error of the
    /// reference. Runs without work or error are left out.
    pub fn measured(&self, work: usize) -> Vec<[f64; 2]> {
        let done = self.points.iter().filter_map(|point| point.candidate.as_ref());
        let pairs = done.filter_map(|candidate| Some([candidate.work[work]?, candidate.error + candidate.bound]));
        pairs.filter(|[work, error]| *work > 0.0 && *error > 0.0 && error.is_finite()).collect()
    }

    /// The number of its runs that did not complete.
    pub fn failed(&self) -> usize {
        self.points.iter().filter(|point| point.candidate.is_none()).count()
    }

    /// Returns the largest number of digits per decade of work, with the run that attains it: −log₁₀ of the error,
    /// which includes the bound on the error of the reference, over log₁₀ of the work. Returns `None` if no run has an
    /// error below one.
    pub fn digits(&self, work: usize) -> Option<(f64, &RunSpec)> {
        let digits = |point: &Point<'_>| {
            let candidate = point.candidate.as_ref()?;
            let (work, error) = (candidate.work[work]?, candidate.error + candidate.bound);
            (work > 1.0 && error > 0.0 && error < 1.0).then(|| -error.log10() / work.log10())
        };
        let found = self.points.iter().filter_map(|point| Some((digits(point)?, point.run)));
        found.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Returns the Pareto front of `[work, error]`: the points that no other point beats in both, by increasing work.
pub fn front(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut least = f64::INFINITY;
    points.retain(|&[_, error]| {
        let is_better = error < least;
        least = least.min(error);
        is_better
    });
    points
}

/// A performance profile (Dolan and Moré 2002): for each method, its costs relative to the least cost on each model.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile<'p> {
    /// The accuracy.
    pub accuracy: f64,
    /// The kind of work.
    pub work: String,
    /// The number of models on which some method reaches the accuracy by this kind of work.
    pub models: usize,
    /// Methods that reach it on at least one model, ordered by the area below their profiles.
    pub methods: Vec<Profiled<'p>>,
}

/// A method in a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled<'p> {
    /// The name of the method.
    pub name: &'p str,
    /// Its family.
    pub family: &'static str,
    /// True for a method from outside that is compared with all others.
    pub is_contender: bool,
    /// Its cost relative to the least cost, on the models where it reaches the accuracy, in increasing order.
    pub ratios: Vec<f64>,
}

impl Profiled<'_> {
    /// The area below its profile, in decades, up to `most` times the least cost.
    fn area(&self, most: f64) -> f64 {
        self.ratios.iter().map(|ratio| (most / ratio).log10().max(0.0)).sum()
    }
}

/// Ratios beyond this do not affect the order of a profile.
pub const MOST_RATIO: f64 = 100.0;

impl<'p> Profile<'p> {
    /// The first `most` methods, and all contenders among the others.
    pub fn named(&self, most: usize) -> Vec<&Profiled<'p>> {
        let methods = self.methods.iter().enumerate();
        methods.filter(|(index, method)| *index < most || method.is_contender).map(|(_, method)| method).collect()
    }

    /// Computes the profile over all models at an accuracy, by a kind of work.
    pub fn of(fields: &[&Ranked<'p>], accuracy: f64, work: &str) -> Self {
        let mut profile = Self { accuracy, work: work.to_owned(), models: 0, methods: Vec::new() };
        for field in fields {
            let Some(work) = field.work(work) else { continue };
            let costs: Vec<(&Curve<'p>, f64)> =
                field.curves.iter().filter_map(|method| Some((method, method.cost(work, accuracy)?.value))).collect();
            let Some(least) = costs.iter().map(|(_, cost)| *cost).min_by(f64::total_cmp) else { continue };
            profile.models += 1;
            for (method, cost) in costs {
                let Curve { method: name, family, is_contender, .. } = *method;
                match profile.methods.iter_mut().find(|known| known.name == name) {
                    Some(known) => known.ratios.push(cost / least),
                    None => profile.methods.push(Profiled { name, family, is_contender, ratios: vec![cost / least] }),
                }
            }
        }
        for method in &mut profile.methods {
            method.ratios.sort_by(f64::total_cmp);
        }
        let area = |method: &Profiled<'_>| method.area(MOST_RATIO);
        profile.methods.sort_by(|a, b| area(b).total_cmp(&area(a)).then_with(|| a.name.cmp(b.name)));
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_falls_and_has_no_dominated_runs() {
        let points = vec![[30.0, 1e-3], [10.0, 1e-1], [20.0, 1e-1], [30.0, 1e-4], [40.0, 1e-5], [50.0, 1e-4]];
        assert_eq!(front(points), [[10.0, 1e-1], [30.0, 1e-4], [40.0, 1e-5]]);
    }

    #[test]
    fn the_cheapest_method_comes_first() {
        let method =
            |name, ratios: &[f64]| Profiled { name, family: "f", is_contender: false, ratios: ratios.to_vec() };
        let [best, slow, rare] = [method("a", &[1.0, 1.0]), method("b", &[2.0, 50.0]), method("c", &[1.0])];
        assert!(best.area(MOST_RATIO) > slow.area(MOST_RATIO));
        assert!((best.area(MOST_RATIO) - 4.0).abs() < 1e-12 && (rare.area(MOST_RATIO) - 2.0).abs() < 1e-12);
        assert_eq!(method("d", &[1e3]).area(MOST_RATIO), 0.0);
    }
}
