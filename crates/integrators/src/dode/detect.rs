//! The detection phase: which functions may cross zero in a step, and at what time (compere2001, section 5.2.1).

use mbsbench_problem::{CountedEvents, EventKind, Failure, Scalar};

use super::rules::{Detection, Rules};
use super::{Cel, ErrorProne};
use crate::events::State;

/// A function that is expected to cross zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Index of the function.
    pub index: usize,
    /// Estimated time of its root after the start of the step, s.
    pub after: f64,
}

/// The event functions over a step: sides, offsets, and the set `Nr` of functions that may cross zero.
#[derive(Debug, Clone)]
pub struct Detector {
    rules: Rules,
    kinds: Vec<EventKind>,
    /// The locked configuration L of the step.
    pub locked: Vec<bool>,
    /// The set `Nr`, ordered by time after [`refine`](Detector::refine).
    pub candidates: Vec<Candidate>,
}

impl Detector {
    /// A detector for a solve with these rules.
    pub fn new(rules: &Rules) -> Self {
        Self { rules: *rules, kinds: Vec::new(), locked: Vec::new(), candidates: Vec::new() }
    }

    /// Reads the functions at the start of a step: their kinds, and the configuration (5.3).
    pub fn begin<S: Scalar>(
        &mut self,
        functions: &mut CountedEvents<'_, S>,
        start: &mut State<S>,
    ) -> Result<(), Failure> {
        let count = start.values.len();
        self.candidates.reserve(count.saturating_sub(self.candidates.len()));
        self.kinds.clear();
        self.kinds.extend((0..count).map(|index| functions.kind(index)));
        if count > 0 {
            functions.values(start.t, &start.y, &mut start.values)?;
        }
        self.locked.clear();
        self.locked.extend((0..count).map(|index| start.side(index)));
        Ok(())
    }

    /// True if zeros of the function make the state jump.
    pub fn is_unilateral(&self, index: usize) -> bool {
        self.kinds[index] == EventKind::Unilateral
    }

    /// The direction in which the function crosses zero when it leaves its side.
    pub fn direction(&self, index: usize) -> f64 {
        if self.locked[index] { -1.0 } else { 1.0 }
    }

    /// The offset function ĝ of (5.4) or (5.5), with the sign with which it rises through zero at the located time.
    pub fn offset_value<S: Scalar>(&self, index: usize, at: &State<S>) -> f64 {
        let offset = match self.rules.settings.cel {
            Cel::Off => 0.0,
            _ => self.rules.settings.event_tolerance + 0.5 * f64::EPSILON,
        };
        self.direction(index) * at.values[index].value() - if self.is_located_past(index) { offset } else { -offset }
    }

    /// True if events of the function are located just past its zero (CEL⁺), false if never past it (CEL⁻).
    pub fn is_located_past(&self, index: usize) -> bool {
        match self.rules.settings.cel {
            Cel::ByKind => !self.is_unilateral(index),
            Cel::Plus | Cel::Off => true,
            Cel::Minus => false,
        }
    }

    /// True if the function has crossed its own offset surface at a state by more than `tolerance`.
    pub fn has_passed<S: Scalar>(&self, index: usize, at: &State<S>, tolerance: f64) -> bool {
        let direction = self.direction(index);
        // A unilateral function that starts within the offset and moves away from zero has not passed anything.
        let goes_on = direction * at.value_rates[index].value() > 0.0 || at.side(index) != self.locked[index];
        goes_on && self.offset_value(index, at) > tolerance
    }

    /// Collects the set `Nr` for the step from `start` to `end` and returns the earliest estimate, s after the start,
    /// or `None` if the set is empty. The set contains the functions that change sides, those whose interpolant has a
    /// root, and the error-prone ones: their slopes at the ends differ in sign and their extremum points towards
    /// zero.
    pub fn collect<S: Scalar>(&mut self, start: &State<S>, end: &State<S>) -> Option<f64> {
        self.candidates.clear();
        let length = end.h.value();
        let mut first: Option<f64> = None;
        for index in 0..self.locked.len() {
            let (g0, g1) = (start.values[index].value(), end.values[index].value());
            let (rate0, rate1) = (start.value_rates[index].value(), end.value_rates[index].value());
            let changes = end.side(index) != self.locked[index];
            if !changes && self.rules.detection != Detection::Interpolants {
                continue;
            }
            let turns = rate0 * rate1 < 0.0 && g0 * g1 > 0.0 && g0 * rate0 < 0.0;
            let error_prone = turns && self.rules.settings.error_prone != ErrorProne::Ignored;
            let cubic = start.cubic(end, index);
            let is_kept = error_prone && self.rules.settings.error_prone == ErrorProne::All;
            if !changes && !is_kept && cubic.excludes_zero() {
                continue;
            }
            let root = cubic.first_root().or_else(|| changes.then_some(1.0));
            if let Some(share) = root.or_else(|| error_prone.then(|| cubic.extrema()[0])) {
                let after = share * length;
                self.candidates.push(Candidate { index, after });
                first = Some(first.map_or(after, |first| first.min(after)));
            }
        }
        first
    }

    /// Refines the estimates with the state `middle`, at the earliest estimate: two cubics for each function of the
    /// set, and for each function that has changed sides there. Drops functions without a root and sorts the others
    /// by time.
    pub fn refine<S: Scalar>(&mut self, start: &State<S>, middle: &State<S>, end: &State<S>) {
        let (before, length) = (middle.h.value(), end.h.value());
        let (locked, candidates) = (&self.locked, &mut self.candidates);
        candidates.retain_mut(|candidate| {
            let index = candidate.index;
            let has_left = |state: &State<S>| state.side(index) != locked[index];
            let first = start.cubic(middle, index).first_root().or_else(|| has_left(middle).then_some(1.0));
            let root = first.map(|share| share * before).or_else(|| {
                let second = middle.cubic(end, index).first_root();
                second.map(|share| before + share * (length - before)).or_else(|| has_left(end).then_some(length))
            });
            candidate.after = root.unwrap_or(candidate.after);
            root.is_some()
        });
        for index in 0..locked.len() {
            let is_new = middle.side(index) != locked[index] && candidates.iter().all(|c| c.index != index);
            if is_new {
                let share = start.cubic(middle, index).first_root().unwrap_or(1.0);
                candidates.push(Candidate { index, after: share * before });
            }
        }
        self.sort();
    }

    /// Collects the functions other than `found` that have passed their offset surfaces at the located state by more
    /// than `allowed` returns for each. Returns true if there are any.
    pub fn collect_earlier<S: Scalar>(
        &mut self,
        start: &State<S>,
        located: &State<S>,
        found: usize,
        allowed: impl Fn(&Self, usize) -> f64,
    ) -> bool {
        let mut candidates = std::mem::take(&mut self.candidates);
        let earlier = |index: &usize| *index != found && self.has_passed(*index, located, allowed(self, *index));
        let any = (0..self.locked.len()).any(|index| earlier(&index));
        if any {
            candidates.clear();
            candidates.extend((0..self.locked.len()).filter(earlier).map(|index| {
                let share = start.cubic(located, index).first_root().unwrap_or(1.0);
                Candidate { index, after: share * located.h.value() }
            }));
        }
        self.candidates = candidates;
        self.sort();
        any
    }

    fn sort(&mut self) {
        self.candidates.sort_unstable_by(|a, b| a.after.total_cmp(&b.after).then(a.index.cmp(&b.index)));
    }
}
