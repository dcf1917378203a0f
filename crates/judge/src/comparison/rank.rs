//! The cheapest runs that are accurate enough, one of each method.

use std::collections::BTreeMap;

/// A run that went to its end, with what it gave and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What the method is called.
    pub method: String,
    /// Step or tolerance, as in the experiment file: `step 2^-8`.
    pub setting: String,
    /// Its error, over the scale of the ranking.
    pub error: f64,
    /// Bound on the reference's own error, over the same scale.
    pub bound: f64,
    /// What it cost, by each kind of work; none where that was not measured.
    pub work: Vec<Option<f64>>,
    /// Key of the run.
    pub run: String,
}

impl Candidate {
    /// Whether its error is surely at most `accuracy`, whatever the reference's own error.
    #[must_use]
    pub fn reaches(&self, accuracy: f64) -> bool {
        self.error + self.bound <= accuracy
    }
}

/// A method among the cheapest.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The run.
    pub candidate: Candidate,
    /// What it cost.
    pub cost: f64,
}

/// For each method its cheapest run that reaches the accuracy, the cheapest method first; methods at the same cost by name.
/// Runs that cost nothing by this kind of work are passed over: an explicit method is not the one with the fewest
/// factorizations, but has none.
#[must_use]
pub fn cheapest(candidates: &[Candidate], work: usize, accuracy: f64) -> Vec<Place> {
    let mut best: BTreeMap<&str, Place> = BTreeMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.reaches(accuracy)) {
        let Some(cost) = candidate.work[work].filter(|&cost| cost > 0.0) else { continue };
        let is_better = best.get(candidate.method.as_str()).is_none_or(|known| cost < known.cost);
        if is_better {
            best.insert(&candidate.method, Place { candidate: candidate.clone(), cost });
        }
    }
    let mut places: Vec<Place> = best.into_values().collect();
    places.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(method: &str, error: f64, work: [Option<f64>; 2]) -> Candidate {
        Candidate {
            method: method.to_owned(),
            setting: String::new(),
            error,
            bound: 1e-8,
            work: work.to_vec(),
            run: format!("{method} {error}"),
        }
    }

    fn names(places: &[Place]) -> Vec<&str> {
        places.iter().map(|place| place.candidate.run.as_str()).collect()
    }

    #[test]
    fn each_method_stands_with_its_cheapest_run_that_is_accurate_enough() {
        let runs = [
            candidate("slow", 1e-7, [Some(900.0), None]),
            candidate("fast", 1e-2, [Some(10.0), None]),
            candidate("fast", 1e-5, [Some(300.0), None]),
            candidate("fast", 1e-4, [Some(100.0), None]),
        ];
        assert_eq!(names(&cheapest(&runs, 0, 1e-3)), ["fast 0.0001", "slow 0.0000001"]);
        assert_eq!(names(&cheapest(&runs, 0, 1e-6)), ["slow 0.0000001"]);
        assert_eq!(names(&cheapest(&runs, 1, 1e-3)), Vec::<&str>::new(), "nobody measured that");
    }

    #[test]
    fn an_error_near_the_accuracy_needs_a_reference_that_tells() {
        let run = candidate("a", 1e-8, [Some(1.0), None]);
        assert!(run.reaches(2e-8) && !run.reaches(1.5e-8));
        let lost = candidate("a", f64::NAN, [Some(1.0), None]);
        assert!(!lost.reaches(1.0));
    }

    #[test]
    fn what_costs_nothing_is_not_the_cheapest() {
        let runs =
            [candidate("explicit", 1e-5, [Some(9.0), Some(0.0)]), candidate("implicit", 1e-5, [Some(7.0), Some(4.0)])];
        assert_eq!(names(&cheapest(&runs, 1, 1e-3)), ["implicit 0.00001"]);
    }
}
