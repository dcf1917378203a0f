//! Reading a ledger and checking it against the experiments that it speaks of.

use super::claim::{Claim, Kind, Tested};
use super::spec::{ClaimSpec, KINDS, Measurement, Operand, Order, Tolerance, Weaker};
use super::{Test, Verdict, checks};
use crate::experiment::{Placed, Problems, check_schema, is_safe_name};
use crate::input::{BadInput, Document, Node, Problem, Value, one_of, read};
use crate::plan::Plan;

/// The claims of a paper.
#[derive(Debug, Clone)]
pub struct Ledger {
    /// The paper.
    pub paper: String,
    /// The claims, tables expanded into their cells.
    pub claims: Vec<Claim>,
}

/// Which list of a file is read: claims of a paper, or values of our own that guard against regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Book {
    /// `claims:`.
    Claims,
    /// `anchors:`.
    Anchors,
}

impl Book {
    fn key(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Anchors => "anchors",
        }
    }
}

impl Ledger {
    /// Reads a ledger and checks it against the plans of the paper's experiments.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn read(document: &Document, book: Book, plans: &[Plan]) -> Result<Self, BadInput> {
        let root = &document.root;
        let mut problems = Problems::default();
        let known = ["schema", "paper", book.key()];
        for entry in root.entries() {
            if !known.contains(&entry.key.name.as_str()) {
                problems.add(Problem::unknown(entry.key.place, "key", &entry.key.name, known));
            }
        }
        problems.keep(check_schema(root));
        let paper: Option<String> = problems.keep(required(root, "paper").and_then(read));
        let nodes = problems.keep(required(root, book.key()).and_then(|node| match &node.value {
            Value::List(items) => Ok(items.as_slice()),
            _ => Err(Problem::new(node.place, format!("found {}", node.describe())).help("accepted: a list of claims")),
        }));
        let mut claims: Vec<Placed<Claim>> = Vec::new();
        for node in nodes.unwrap_or_default() {
            let Some(spec) = problems.keep(read::<ClaimSpec>(node)) else { continue };
            let reader = Reader { node, plans, paper: paper.as_deref().unwrap_or_default() };
            let Some(read) = problems.keep(reader.claims(spec)) else { continue };
            for claim in read {
                match claims.iter().find(|earlier| earlier.value.id == claim.id) {
                    Some(_) => {
                        let problem = Problem::new(node.place_of("id"), format!("a second claim `{}`", claim.id));
                        problems.add(problem.help("give one of the two another id"));
                    }
                    None => claims.push(Placed { value: claim, node: node.clone() }),
                }
            }
        }
        for Placed { value: claim, node } in &claims {
            checks::check(claim, node, paper.as_deref().unwrap_or_default(), plans, &mut problems);
        }
        problems.into_result(document)?;
        let claims = claims.into_iter().map(|claim| claim.value).collect();
        Ok(Self { paper: paper.unwrap_or_default(), claims })
    }
}

fn required<'n>(root: &'n Node, key: &str) -> Result<&'n Node, Problem> {
    root.get(key)
        .ok_or_else(|| Problem::new(root.place, format!("the key `{key}` is missing")).help(format!("add `{key}:`")))
}

/// The plan of an experiment named with or without its paper.
pub(super) fn plan_of<'p>(plans: &'p [Plan], paper: &str, name: &str) -> Option<&'p Plan> {
    plans.iter().find(|plan| plan.experiment.is_called(name, paper))
}

/// Makes claims of one entry of the file.
pub(super) struct Reader<'n> {
    pub(super) node: &'n Node,
    pub(super) plans: &'n [Plan],
    pub(super) paper: &'n str,
}

impl Reader<'_> {
    fn claims(&self, spec: ClaimSpec) -> Result<Vec<Claim>, Problem> {
        self.check_id(&spec.id)?;
        for (key, text) in [("place", &spec.place), ("statement", &spec.statement)] {
            if text.trim().is_empty() {
                return Err(self.wrong(key, format!("an empty `{key}`"), "accepted: a text"));
            }
        }
        let given: Vec<&str> = KINDS.into_iter().filter(|kind| self.node.get(kind).is_some()).collect();
        let [kind] = given.as_slice() else {
            let found = if given.is_empty() { "no kind".to_owned() } else { format!("{} kinds", given.len()) };
            let accepted = format!("accepted: one of {}", one_of(KINDS));
            return Err(Problem::new(self.node.place, format!("the claim `{}` has {found}", spec.id)).help(accepted));
        };
        if *kind == "cells" {
            return self.cells(spec);
        }
        let kind = self.kind(kind, &spec)?;
        self.finish(spec, kind).map(|claim| vec![claim])
    }

    pub(super) fn check_id(&self, id: &str) -> Result<(), Problem> {
        if !id.is_empty() && id.split('/').all(is_safe_name) {
            return Ok(());
        }
        let accepted = "accepted: lower-case letters, digits, `-` and `.`, in parts divided by `/`";
        Err(self.wrong("id", format!("`{id}` is no name"), accepted))
    }

    pub(super) fn finish(&self, spec: ClaimSpec, kind: Kind) -> Result<Claim, Problem> {
        let natural = if matches!(kind, Kind::Untestable(_)) { Verdict::Untestable } else { Verdict::Reproduced };
        let expected = spec.expected.unwrap_or(natural);
        if expected != natural && spec.because.as_deref().is_none_or(|because| because.trim().is_empty()) {
            let message = format!("`expected: {expected}` without explanation");
            return Err(self.wrong("expected", message, "add `because:`"));
        }
        let has_tolerance = kind.test().is_some() || matches!(kind, Kind::Shape(_));
        if has_tolerance && spec.why.as_deref().is_none_or(|why| why.trim().is_empty()) {
            let message = format!("the claim `{}` has a tolerance without reason", spec.id);
            return Err(Problem::new(self.node.place, message).help("add `why:`"));
        }
        Ok(Claim {
            id: spec.id,
            place: spec.place,
            statement: spec.statement,
            kind,
            why: spec.why.unwrap_or_default(),
            expected,
            because: spec.because.unwrap_or_default(),
            calibrated: spec.calibrated,
        })
    }

    fn kind(&self, name: &str, spec: &ClaimSpec) -> Result<Kind, Problem> {
        let given = "the kind that is given was read";
        Ok(match name {
            "value" => Kind::Value(self.single(name, spec.value.as_ref().expect(given), true)?),
            "bound" => Kind::Bound(self.single(name, spec.bound.as_ref().expect(given), false)?),
            "ratio" => Kind::Ratio(self.double(name, spec.ratio.as_ref().expect(given))?),
            "difference" => Kind::Difference(self.double(name, spec.difference.as_ref().expect(given))?),
            "order" => {
                let Order { of, x, published, tolerance, partly } = spec.order.clone().expect(given);
                let test = Test::Near { published, tolerance };
                self.check_tolerance("order", Some(tolerance), partly.as_ref())?;
                Kind::Order { of, x, partly: partly.map(|weaker| test.weakened(&weaker)), test }
            }
            "ordering" => {
                let ordering = spec.ordering.as_ref().expect(given);
                let by_factor = ordering.by_factor.unwrap_or(1.0);
                if ordering.smallest_first.len() < 2 {
                    let accepted = "accepted: at least two operands";
                    return Err(self.wrong("ordering.smallest_first", "nothing to put in order", accepted));
                }
                if by_factor <= 0.0 {
                    let message = format!("a factor of {by_factor}");
                    return Err(self.wrong("ordering.by_factor", message, "accepted: a number above zero"));
                }
                Kind::Ordering { smallest_first: ordering.smallest_first.clone(), by_factor }
            }
            "failure" => {
                let failure = spec.failure.clone().expect(given);
                if failure.completes && (failure.status.is_some() || failure.between.is_some()) {
                    let accepted = "accepted: `status` and `between`, or `completes: true`";
                    return Err(self.wrong("failure.status", "runs that complete have no failure", accepted));
                }
                if let Some([from, to]) = failure.between.filter(|[from, to]| from > to) {
                    let message = format!("from {from} to {to}");
                    return Err(self.wrong("failure.between", message, "accepted: two times, s, the earlier first"));
                }
                Kind::Failure(failure)
            }
            "shape" => self.shape(spec)?,
            "identity" => Kind::Identity(spec.identity.clone().expect(given)),
            _ => Kind::Untestable(spec.untestable.as_ref().expect(given).needs.clone()),
        })
    }

    fn shape(&self, spec: &ClaimSpec) -> Result<Kind, Problem> {
        let shape = spec.shape.as_ref().expect("the kind that is given was read");
        if shape.landmarks.is_empty() {
            return Err(self.wrong("shape.landmarks", "no landmark", "accepted: at least one"));
        }
        let tested = shape.landmarks.iter().map(|landmark| {
            let measurement = Measurement {
                of: landmark.of.clone(),
                to: None,
                published: landmark.published.clone(),
                tolerance: landmark.tolerance,
                below: landmark.below,
                above: landmark.above,
                partly: None,
            };
            let near = landmark.tolerance.is_some();
            Ok((landmark.name.clone(), self.single("shape.landmarks", &measurement, near)?))
        });
        tested.collect::<Result<_, Problem>>().map(Kind::Shape)
    }

    fn single(&self, kind: &str, measurement: &Measurement, near: bool) -> Result<Tested<Operand>, Problem> {
        if measurement.to.is_some() {
            let accepted = "accepted: `of` alone; with `to`, the kind is `ratio` or `difference`";
            return Err(self.wrong(&format!("{kind}.to"), "a second operand", accepted));
        }
        self.tested(kind, measurement, near, measurement.of.clone())
    }

    fn double(&self, kind: &str, measurement: &Measurement) -> Result<Tested<[Operand; 2]>, Problem> {
        let Some(to) = &measurement.to else {
            return Err(self.wrong(kind, format!("a {kind} of one operand"), "add `to:`"));
        };
        let near = measurement.tolerance.is_some();
        self.tested(kind, measurement, near, [measurement.of.clone(), to.clone()])
    }

    fn tested<O>(&self, kind: &str, measurement: &Measurement, near: bool, of: O) -> Result<Tested<O>, Problem> {
        let Measurement { published, tolerance, below, above, partly, .. } = measurement;
        let bounded = below.is_some() || above.is_some();
        let test = match (near, published, tolerance) {
            (true, Some(published), Some(tolerance)) if !bounded => {
                Test::Near { published: published.clone(), tolerance: *tolerance }
            }
            (false, _, None) if bounded => Test::Within { above: *above, below: *below },
            (true, ..) => {
                let accepted = "accepted: `published` with `tolerance`";
                return Err(self.wrong(kind, format!("no complete test of `{kind}`"), accepted));
            }
            (false, ..) => {
                let accepted = "accepted: `below`, `above` or both, or `published` with `tolerance`";
                return Err(self.wrong(kind, format!("no complete test of `{kind}`"), accepted));
            }
        };
        if let (Some(low), Some(high)) = (above, below)
            && low >= high
        {
            let message = format!("no number is above {low} and below {high}");
            return Err(self.wrong(&format!("{kind}.above"), message, "accepted: `above` less than `below`"));
        }
        self.check_tolerance(kind, *tolerance, partly.as_ref())?;
        let partly = partly.map(|weaker| test.weakened(&weaker));
        let printed = published.as_ref().map(|published| published.text.clone());
        Ok(Tested { of, test, partly, printed })
    }

    /// Tolerances are positive, factors above one, and a weaker test fits the test.
    pub(super) fn check_tolerance(
        &self,
        kind: &str,
        tolerance: Option<Tolerance>,
        partly: Option<&Weaker>,
    ) -> Result<(), Problem> {
        let lowest = |found: f64, low: f64, key: &str| {
            if found > low {
                return Ok(());
            }
            let message = format!("a tolerance of {found}");
            Err(self.wrong(&format!("{kind}.{key}"), message, &format!("accepted: a number above {low}")))
        };
        match tolerance {
            Some(Tolerance::Relative(found) | Tolerance::Absolute(found)) => lowest(found, 0.0, "tolerance")?,
            Some(Tolerance::Factor(found)) => lowest(found, 1.0, "tolerance")?,
            Some(Tolerance::Printed) | None => {}
        }
        let Some(&Weaker { relative, absolute, factor, below, above }) = partly else { return Ok(()) };
        for (found, low) in [(relative, 0.0), (absolute, 0.0), (factor, 1.0)] {
            found.map_or(Ok(()), |found| lowest(found, low, "partly"))?;
        }
        let near = [relative, absolute, factor].iter().flatten().count();
        let bounds = [below, above].iter().flatten().count();
        let fits = if tolerance.is_some() { near == 1 && bounds == 0 } else { near == 0 && bounds >= 1 };
        if fits {
            return Ok(());
        }
        let accepted = match tolerance {
            Some(_) => "accepted: one of `relative`, `absolute` and `factor`",
            None => "accepted: `below`, `above` or both",
        };
        Err(self.wrong(&format!("{kind}.partly"), "a weaker test that does not fit the test", accepted))
    }

    pub(super) fn wrong(&self, path: &str, message: impl Into<String>, accepted: &str) -> Problem {
        Problem::new(self.node.place_of(path), message).help(accepted)
    }
}
