//! From evidence to verdicts.

use std::collections::HashSet;
use std::iter::successors;

use mbsbench_numbers::short;
use mbsbench_problem::Status;

use super::{
    Agreement, Check, Detail, Evidence, Failure, Identity, Judgement, Kind, Landmark, Measurement, Number, Operand,
    Order, Ordering, Reason, Reduce, Selection, Shape, Test, Verdict, Weaker, difference, finest_of, paired, ratio,
    reduce, sized, unmade,
};
use crate::statistics::exponent;

/// Applies the test of a check to the evidence, regardless of how the parameters of its runs are known.
pub fn judge(paper: &str, check: &Check, evidence: &Evidence<'_>) -> Judgement {
    let judge = Judge { paper, evidence };
    let mut judgement = judge.kind(&check.kind).unwrap_or_else(|lacking| *lacking);
    judgement.evidence = judge.runs(&check.kind);
    if judgement.verdict == Verdict::Open && check.kind.is_of_time() && judgement.open.is_none() {
        // On a busy machine an open verdict on times is no surprise.
        judgement.excused = true;
        judgement.open = Some(Reason::Timing);
    } else if judgement.verdict == Verdict::Open && judgement.open.is_none() {
        judgement.open = Some(Reason::OwnChecks(std::mem::take(&mut judgement.note)));
    }
    if check.kind.is_of_time() && (judgement.measured.is_some() || !judgement.details.is_empty()) {
        let separator = if judgement.note.is_empty() { "" } else { "; " };
        judgement.note = format!("{}{separator}{}", judgement.note, paired::BASIS);
    }
    judgement
}

/// Differences from no effect up to this size count as no effect.
const NO_EFFECT: f64 = 1e-9;

struct Judge<'j> {
    paper: &'j str,
    evidence: &'j Evidence<'j>,
}

/// A result, or the judgement on a check for which it could not be obtained.
type Found<T> = Result<T, Box<Judgement>>;

impl Judge<'_> {
    /// Judges by the kind of the check.
    fn kind(&self, kind: &Kind) -> Found<Judgement> {
        match kind {
            Kind::Value(of) | Kind::Bound(of) => {
                Ok(tested_number(self.single(&of.of)?, &of.test(), of.partly.as_ref()))
            }
            Kind::Ratio(of) => self.directed(of, false),
            Kind::Difference(of) => self.directed(of, true),
            Kind::Order(order) => self.order(order),
            Kind::Ordering(ordering) => self.ordering(ordering),
            Kind::Failure(failure) => self.failure(failure),
            Kind::Identity(identity) => self.identity(identity),
            Kind::Agreement(agreement) => self.agreement(agreement),
            Kind::Shape(shape) => Ok(self.shape(shape)),
            Kind::Cells(cells) => Ok(Judgement::open(Reason::NotTestable(format!("all of the table {}", cells.table)))),
            Kind::Open(open) => Ok(Judgement::open(open.reason())),
        }
    }

    /// Keys of the runs that a check uses, each once, operand by operand.
    fn runs(&self, kind: &Kind) -> Vec<String> {
        let operands = kind.operands().into_iter();
        let chains = operands.flat_map(|operand| successors(Some(operand), |each| Some(&each.at.as_ref()?.equals)));
        let mut selections: Vec<_> = chains.map(|operand| (operand.experiment.as_str(), &operand.filter)).collect();
        if selections.is_empty() {
            selections = kind.selections();
        }
        let runs = selections.into_iter().flat_map(|(name, filter)| self.evidence.runs(self.paper, name, filter));
        let mut seen = HashSet::new();
        runs.map(|(run, _)| run.key().to_string()).filter(|key| seen.insert(key.clone())).collect()
    }

    /// The numbers of an operand, or their magnitudes if it asks for them; with `completed_only`, without failed runs.
    fn numbers(&self, of: &Operand, completed_only: bool) -> Found<Vec<Number>> {
        let Selection { numbers, lacking } = match completed_only {
            true => self.evidence.selected(self.paper, of, true),
            false => self.evidence.select(self.paper, of),
        };
        let numbers = numbers.into_iter().map(|number| sized(number, of)).collect();
        lacking.map_or(Ok(numbers), |lacking| Err(Box::new(lacking)))
    }

    /// The one number that an operand is reduced to.
    fn single(&self, operand: &Operand) -> Found<Number> {
        reduced(&self.numbers(operand, false)?, operand.reduce)
    }

    /// Combines two operands into one number: pairwise, or each number of `of` with the only number of `to`, and then
    /// reduced as `of` requires. If `to` has a reduction of its own, both operands are reduced first.
    fn pair(&self, of: &Operand, to: &Operand, of_difference: bool) -> Found<Number> {
        let make = if of_difference { difference } else { ratio };
        if to.reduce != Reduce::Only {
            return Ok(make(self.single(of)?, self.single(to)?));
        }
        if let Some(quotients) = self.evidence.paired(self.paper, of, to).filter(|_| !of_difference) {
            return reduced(&quotients, of.reduce);
        }
        // The magnitude of a difference is wanted, not the difference of the magnitudes.
        let first = self.numbers(&Operand { magnitude: of.magnitude && !of_difference, ..of.clone() }, false)?;
        let second = self.numbers(to, false)?;
        let made = first.iter().zip(second.iter().cycle()).map(|(&a, &b)| make(a, b));
        let numbers: Vec<Number> = made.map(|made| if of_difference { sized(made, of) } else { made }).collect();
        reduced(&numbers, of.reduce)
    }

    /// Tests a ratio or difference like a single number, with one exception: for `partly` the direction has to hold,
    /// and no effect has no direction.
    fn directed(&self, measurement: &Measurement, of_difference: bool) -> Found<Judgement> {
        let Measurement { of, to, partly, .. } = measurement;
        let (to, test) = (to.as_ref().unwrap_or(of), measurement.test());
        let no_effect = if of_difference { 0.0 } else { 1.0 };
        let mut judgement = tested_number(self.pair(of, to, of_difference)?, &test, partly.as_ref());
        let wanted = test.side_of(no_effect);
        let is_astray = |value: f64| wanted.is_some_and(|side| side * (value - no_effect) <= NO_EFFECT);
        if judgement.verdict == Verdict::Partly && judgement.measured.is_some_and(is_astray) {
            judgement.verdict = Verdict::NotReproduced;
        }
        Ok(judgement)
    }

    /// Tests the slope through all runs, or through the finest usable runs; failed runs are then ignored.
    fn order(&self, order: &Order) -> Found<Judgement> {
        let Order { of, x, finest, above, partly, .. } = order;
        let ordinates = self.numbers(of, finest.is_some())?;
        let of_x = Operand { column: Some(x.clone()), unit: None, magnitude: false, ..of.clone() };
        let abscissas = self.numbers(&of_x, finest.is_some())?;
        let mut points: Vec<(f64, Number)> = abscissas.iter().map(|x| x.value).zip(ordinates).collect();
        if let &Some(count) = finest {
            points = finest_of(points, count, above.unwrap_or(0.0));
            if points.len() < count {
                let what = format!("fewer than {count} runs completed with errors above rounding");
                return Ok(Judgement::open(Reason::OwnChecks(what)));
            }
        }
        let line: Vec<[f64; 2]> = points.iter().map(|&(x, number)| [x, number.value]).collect();
        let slope = exponent(&line).unwrap_or(f64::NAN);
        let mut judgement = tested_number(Number::exact(slope), &order.test(), partly.as_ref());
        if !points.iter().all(|(_, number)| number.is_certain()) {
            judgement.verdict = Verdict::Open;
            "an error is less than ten times the bound on the reference's own error".clone_into(&mut judgement.note);
        }
        Ok(judgement)
    }

    fn ordering(&self, ordering: &Ordering) -> Found<Judgement> {
        let (operands, by_factor) = (&ordering.smallest_first, ordering.by_factor.unwrap_or(1.0));
        let numbers = operands.iter().map(|operand| self.single(operand)).collect::<Found<Vec<Number>>>()?;
        let mut details = vec![detail(&operands[0], String::new(), numbers[0].value, true)];
        let (mut verdict, mut margin) = (Verdict::Reproduced, f64::INFINITY);
        for (pair_of, pair) in operands.windows(2).zip(numbers.windows(2)) {
            let [before, operand] = pair_of else { continue };
            if let Some(&[number]) = self.evidence.paired(self.paper, operand, before).as_deref() {
                let value = number.value;
                let test = Test::Within { above: Some(by_factor), below: None };
                let judged = tested_number(number, &test, None);
                let name = format!("{} over the previous one", detail(operand, String::new(), value, true).name);
                let holds = test.holds(value);
                details.push(Detail { name, ..detail(operand, format!("at least {by_factor}"), value, holds) });
                margin = margin.min(test.margin(value));
                if judged.verdict != Verdict::Reproduced && verdict != Verdict::NotReproduced {
                    verdict = judged.verdict;
                }
                continue;
            }
            let least = pair[0].value * by_factor;
            let holds = pair[1].value >= least;
            let unsure = (pair[1].value - least).abs() <= pair[1].uncertainty + pair[0].uncertainty * by_factor
                && pair[0].uncertainty + pair[1].uncertainty > 0.0;
            details.push(detail(operand, format!("at least {}", short(least)), pair[1].value, holds));
            margin = margin.min(Test::Within { above: Some(least), below: None }.margin(pair[1].value));
            if unsure && verdict == Verdict::Reproduced {
                verdict = Verdict::Open;
            } else if !holds && !unsure {
                verdict = Verdict::NotReproduced;
            }
        }
        Ok(Judgement { details, margin: Some(margin), ..Judgement::without_number(verdict, "") })
    }

    fn failure(&self, failure: &Failure) -> Found<Judgement> {
        let runs = self.evidence.runs(self.paper, &failure.experiment, &failure.filter);
        if let Some(lacking) = runs.iter().find_map(|(run, row)| unmade(run, row)) {
            return Ok(lacking);
        }
        let as_said = |status: Status| match failure.status {
            _ if failure.completes => status == Status::Ok,
            Some(wanted) => status == wanted,
            None => status != Status::Ok,
        };
        let in_time = |t: f64| failure.between.is_none_or(|[from, to]| (from..=to).contains(&t));
        let other = runs.iter().find(|(_, row)| !as_said(row.status) || !in_time(row.t_reached));
        let verdict = if other.is_some() { Verdict::NotReproduced } else { Verdict::Reproduced };
        let note = other.map_or_else(String::new, |(run, row)| {
            format!("the run {} has the status `{}` at t = {} s", run.key(), row.status, row.t_reached)
        });
        Ok(Judgement::without_number(verdict, note))
    }

    /// Tests the largest defect of the identity among the runs.
    fn identity(&self, identity: &Identity) -> Found<Judgement> {
        let Identity { experiment, filter, column, terms, plus } = identity;
        let numbers = |name: &str| self.numbers(&Operand::column_of(experiment, filter, name, Reduce::Max), false);
        let mut defects: Vec<f64> = numbers(column)?.iter().map(|number| number.value - plus).collect();
        for (name, factor) in terms {
            for (defect, number) in defects.iter_mut().zip(numbers(name)?) {
                *defect -= factor * number.value;
            }
        }
        let worst = defects.iter().fold(0.0, |worst: f64, defect| worst.max(defect.abs()));
        let exact = Test::Within { above: None, below: Some(0.0) };
        Ok(tested_number(Number::exact(worst), &exact, None))
    }

    /// Tests the smallest distance that covers the required share of the cells; the details are the cells beyond the
    /// allowed distance.
    fn agreement(&self, agreement: &Agreement) -> Found<Judgement> {
        let Agreement { cells, share, .. } = agreement;
        let test = agreement.test();
        let (mut distances, mut details) = (Vec::new(), Vec::new());
        for (published, operand) in cells {
            let Number { value, uncertainty } = self.single(operand)?;
            let distance = (value / published - 1.0).abs();
            if !test.holds(distance) {
                let detail = detail(operand, short(*published), value, false);
                details.push(Detail { name: format!("{} {}", operand.experiment, detail.name), ..detail });
            }
            distances.push(Number { value: distance, uncertainty: (uncertainty / published).abs() });
        }
        distances.sort_by(|a, b| a.value.total_cmp(&b.value));
        let rank = (share * distances.len() as f64).ceil() as usize;
        Ok(match distances.get(rank.saturating_sub(1)) {
            Some(&distance) => Judgement { details, ..tested_number(distance, &test, None) },
            None => Judgement::without_number(Verdict::NotReproduced, "no cell has a published value"),
        })
    }

    fn shape(&self, Shape { landmarks }: &Shape) -> Judgement {
        let judge = |landmark: &Landmark| match self.single(&landmark.of) {
            Ok(number) => tested_number(number, &landmark.measurement().test(), None),
            Err(lacking) => *lacking,
        };
        let judged: Vec<Judgement> = landmarks.iter().map(judge).collect();
        let verdicts: Vec<Verdict> = judged.iter().map(|judgement| judgement.verdict).collect();
        let any = |wanted: Verdict| verdicts.contains(&wanted);
        let unmade = judged.iter().find(|judgement| judgement.excused);
        let lacking = unmade.and_then(|judgement| judgement.open.clone());
        let verdict = match (any(Verdict::NotReproduced), any(Verdict::Reproduced)) {
            _ if verdicts.iter().all(|&verdict| verdict == Verdict::Reproduced) => Verdict::Reproduced,
            (true, true) if lacking.is_none() => Verdict::Partly,
            (true, false) if lacking.is_none() => Verdict::NotReproduced,
            _ => Verdict::Open,
        };
        let margin = judged.iter().filter_map(|judgement| judgement.margin).fold(f64::INFINITY, f64::min);
        let mut notes: Vec<&str> =
            judged.iter().map(|each| each.note.as_str()).filter(|note| !note.is_empty()).collect();
        notes.dedup();
        let detail = |(landmark, judgement): (&Landmark, &Judgement)| Detail {
            name: landmark.name.clone(),
            published: match landmark.measurement().test() {
                Test::Near { published, .. } => published.text,
                bound @ Test::Within { .. } => bound.to_string(),
            },
            measured: judgement.measured,
            holds: judgement.verdict == Verdict::Reproduced,
        };
        Judgement {
            open: lacking,
            margin: margin.is_finite().then_some(margin),
            excused: judged.iter().any(|judgement| judgement.excused),
            details: landmarks.iter().zip(&judged).map(detail).collect(),
            ..Judgement::without_number(verdict, notes.join("; "))
        }
    }
}

fn detail(operand: &Operand, published: String, measured: f64, holds: bool) -> Detail {
    let values: Vec<String> = operand.filter.iter().map(|(axis, value)| format!("{axis} {value}")).collect();
    let columns: Vec<&str> = operand.columns().collect();
    Detail {
        name: format!("{} ({})", columns.join(", "), values.join(", ")),
        published,
        measured: Some(measured),
        holds,
    }
}

/// Reduces several numbers to one.
fn reduced(numbers: &[Number], how: Reduce) -> Found<Number> {
    let nothing = || Box::new(Judgement::without_number(Verdict::NotReproduced, "no run is selected"));
    reduce(numbers, how).ok_or_else(nothing)
}

/// Number of points at which a verdict is evaluated on either side of an uncertain number.
const PROBES: i32 = 64;

/// Returns the verdict on a number. The verdict is open if the uncertainty could change it.
fn tested_number(number: Number, test: &Test, partly: Option<&Weaker>) -> Judgement {
    let partly = partly.map(|weaker| test.weakened(weaker));
    let verdict_at = |value: f64| {
        if test.holds(value) {
            Verdict::Reproduced
        } else if partly.as_ref().is_some_and(|weaker| weaker.holds(value)) {
            Verdict::Partly
        } else {
            Verdict::NotReproduced
        }
    };
    let Number { value, uncertainty } = number;
    let verdict = verdict_at(value);
    // Testing both ends is not enough: a verdict may change inside the interval and change back.
    let around = (-PROBES..=PROBES).map(|k| value + uncertainty * f64::from(k) / f64::from(PROBES));
    let unsure = uncertainty > 0.0 && around.into_iter().any(|v| verdict_at(v) != verdict);
    let note =
        if unsure { format!("an uncertainty of {uncertainty:.1e} could change the verdict") } else { String::new() };
    Judgement {
        measured: Some(value),
        margin: Some(test.margin(value)),
        ..Judgement::without_number(if unsure { Verdict::Open } else { verdict }, note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncertainty_that_could_change_a_verdict_leaves_it_open() {
        let test = Test::Within { above: None, below: Some(1.0) };
        let verdict = |value, uncertainty| tested_number(Number { value, uncertainty }, &test, None).verdict;
        assert_eq!(verdict(0.9, 0.05), Verdict::Reproduced);
        assert_eq!(verdict(0.9, 0.2), Verdict::Open);
        assert_eq!(verdict(1.1, 0.2), Verdict::Open);
        assert_eq!(verdict(1.1, 0.05), Verdict::NotReproduced);
        assert_eq!(verdict(1.1, f64::INFINITY), Verdict::Open);
        let narrow = Test::Within { above: Some(0.9), below: Some(1.0) };
        let between = tested_number(Number { value: 1.2, uncertainty: 0.5 }, &narrow, None);
        assert_eq!(between.verdict, Verdict::Open, "0.7 and 1.7 do not hold, but 0.95 does");
    }

    #[test]
    fn the_weaker_test_gives_partly() {
        let test = Test::Within { above: None, below: Some(1.0) };
        let weaker = Weaker { relative: None, absolute: None, factor: None, below: Some(2.0), above: None };
        let verdict = |value| tested_number(Number { value, uncertainty: 0.0 }, &test, Some(&weaker)).verdict;
        assert_eq!(
            [verdict(1.0), verdict(2.0), verdict(2.1), verdict(f64::NAN)].map(Verdict::name),
            ["reproduced", "partly", "not-reproduced", "not-reproduced"]
        );
    }
}
