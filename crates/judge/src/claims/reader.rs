//! Reads the checks of a ledger, each from its own node.

use mbsbench_experiment::{Plan, is_safe_name};
use mbsbench_input::{Node, Problem, read, refuse};

use super::{
    Agreement, Book, BoundFrom, Check, Definitions, Failure, Kind, Measurement, Order, Ordering, Shape, Tolerance,
    Verdict, Weaker, expand,
};

/// Converts one expanded node into checks, and verifies them against the plans.
#[derive(Clone, Copy)]
pub(super) struct Reader<'n> {
    pub(super) node: &'n Node,
    pub(super) plans: &'n [Plan],
    pub(super) definitions: &'n Definitions<'n>,
    pub(super) paper: &'n str,
    pub(super) book: Book,
}

impl Reader<'_> {
    /// Returns the check, or one check for each cell of a table.
    pub(super) fn checks(&self) -> Result<Vec<Check>, Problem> {
        let (own, node) = expand::parts(self.node)?;
        let mut check = Check { place_of_id: self.node.place_of("id"), ..read(&own)? };
        self.check_id(&check.id)?;
        let forms = "add `tolerance: printed`, or `{ relative: … }`, `{ absolute: … }` or `{ factor: … }`";
        let is_of_tolerance = |problem: &Problem| problem.message == "the key `tolerance` is missing";
        check.kind =
            read(&node).map_err(|problem| if is_of_tolerance(&problem) { problem.help(forms) } else { problem })?;
        let mut test = node.to_json()[check.kind.name()].take();
        if let Kind::Cells(cells) = &check.kind {
            return self.cells(&check, cells);
        }
        self.check_kind(&check.kind)?;
        if let Kind::Agreement(agreement) = &mut check.kind {
            agreement.cells = self.published(agreement)?;
            test["published"] = agreement.cells.iter().map(|&(number, _)| number).collect();
        }
        Ok(vec![self.finish(check, &test)?])
    }

    pub(super) fn check_id(&self, id: &str) -> Result<(), Problem> {
        if !id.is_empty() && id.split('/').all(is_safe_name) {
            return Ok(());
        }
        let accepted = "accepted: lower-case letters, digits, `-` and `.`, in parts divided by `/`";
        Err(self.wrong("id", format!("`{id}` is not a name"), accepted))
    }

    /// Completes the check with the origin of its bound and its hash; `test` is the test as written.
    pub(super) fn finish(&self, mut check: Check, test: &serde_json::Value) -> Result<Check, Problem> {
        let is_empty = |text: &str| text.trim().is_empty();
        let natural = if check.kind.is_testable() { Verdict::Reproduced } else { Verdict::Open };
        if let Some(expected) = check.expected.filter(|&expected| expected != natural && is_empty(&check.because)) {
            let message = format!("`expected: {}` needs an explanation", expected.name());
            return Err(self.wrong("expected", message, "add `because:`"));
        }
        check.bound_from = check.bound_from.or_else(|| check.kind.natural_bound());
        if self.book == Book::Claims && check.bound_from.is_none() && check.kind.is_testable() {
            let message = format!("the check `{}` does not state the origin of its bound", check.id);
            let known = BoundFrom::ALL.map(BoundFrom::name).join(", ");
            return refuse(self.node.place, message, format!("add `bound_from:`, one of {known}"));
        }
        // Printed digits and plain words need no further reason.
        let is_plain = self.book == Book::Claims
            && matches!(check.bound_from, None | Some(BoundFrom::Printed | BoundFrom::Wording));
        let has_tolerance = check.kind.test().is_some() || matches!(check.kind, Kind::Shape(_));
        if has_tolerance && !is_plain && is_empty(&check.why) {
            let message = format!("the check `{}` has a tolerance without a reason", check.id);
            return refuse(self.node.place, message, "add `why:`");
        }
        check.definition = self.definitions.of(test, &check.kind, self.paper);
        self.check_runs(&check)?;
        Ok(check)
    }

    /// Reports a test that makes no sense.
    fn check_kind(&self, kind: &Kind) -> Result<(), Problem> {
        let name = kind.name();
        match kind {
            Kind::Value(of) | Kind::Bound(of) if of.to.is_some() => {
                let accepted = "accepted: `of` alone; with `to`, the kind is `ratio` or `difference`";
                Err(self.wrong(&format!("{name}.to"), format!("`{name}` has only one operand"), accepted))
            }
            Kind::Ratio(of) | Kind::Difference(of) if of.to.is_none() => {
                Err(self.wrong(name, format!("a {name} needs two operands"), "add `to:`"))
            }
            Kind::Value(of) => self.check_test(name, of, true),
            Kind::Bound(of) => self.check_test(name, of, false),
            Kind::Ratio(of) | Kind::Difference(of) => self.check_test(name, of, of.tolerance.is_some()),
            Kind::Order(Order { finest, above, tolerance, partly, .. }) => {
                let count = finest.unwrap_or(3);
                let accepted = "accepted: 3 or more, since an order needs two pairs of steps";
                let message = format!("a slope cannot be fitted through {count} runs");
                self.ensure(count > 2, "order.finest", message, accepted)?;
                let message = "`above` does not apply to a slope through all runs";
                let is_of_some = above.is_none() || finest.is_some();
                self.ensure(is_of_some, "order.above", message, "accepted: `above` only together with `finest`")?;
                self.check_tolerance(name, Some(*tolerance), partly.as_ref())
            }
            Kind::Ordering(Ordering { smallest_first, by_factor }) => {
                let (message, accepted) = ("an ordering needs two operands", "accepted: at least two operands");
                self.ensure(smallest_first.len() > 1, "ordering.smallest_first", message, accepted)?;
                self.above("ordering.by_factor", by_factor.unwrap_or(1.0), 0.0)
            }
            Kind::Failure(Failure { completes, status, between, .. }) => {
                let message = "runs that complete have no status or time of failure";
                let accepted = "accepted: `status` and `between`, or `completes: true`";
                let is_one = !completes || (status.is_none() && between.is_none());
                self.ensure(is_one, "failure.status", message, accepted)?;
                let [from, to] = between.unwrap_or_default();
                let message = format!("`between` is from {from} to {to}");
                self.ensure(from <= to, "failure.between", message, "accepted: two times in s, the earlier one first")
            }
            Kind::Shape(Shape { landmarks }) => {
                let (is_so, message) = (!landmarks.is_empty(), "`landmarks` is empty");
                self.ensure(is_so, "shape.landmarks", message, "accepted: at least one landmark")?;
                landmarks.iter().try_for_each(|landmark| {
                    self.check_test("shape.landmarks", &landmark.measurement(), landmark.tolerance.is_some())
                })
            }
            Kind::Agreement(Agreement { share, within, .. }) => {
                let (message, accepted) = (format!("`share` is {share}"), "accepted: a number above 0, at most 1");
                self.ensure(*share > 0.0 && *share <= 1.0, "agreement.share", message, accepted)?;
                self.above("agreement.within", *within, 0.0)
            }
            Kind::Cells(_) | Kind::Identity(_) | Kind::Open(_) => Ok(()),
        }
    }

    /// Reports an incomplete test: it needs either a published number with a tolerance, or bounds.
    fn check_test(&self, kind: &str, measurement: &Measurement, near: bool) -> Result<(), Problem> {
        let Measurement { published, tolerance, below, above, partly, .. } = measurement;
        let is_bounded = below.is_some() || above.is_some();
        let (is_complete, accepted) = if near {
            (published.is_some() && tolerance.is_some() && !is_bounded, "accepted: `published` with `tolerance`")
        } else {
            (tolerance.is_none() && is_bounded, "accepted: `below`, `above` or both, or `published` with `tolerance`")
        };
        self.ensure(is_complete, kind, format!("the test of `{kind}` is incomplete"), accepted)?;
        if let (Some(low), Some(high)) = (above, below) {
            let message = format!("no number is above {low} and below {high}");
            self.ensure(low < high, &format!("{kind}.above"), message, "accepted: `above` less than `below`")?;
        }
        self.check_tolerance(kind, *tolerance, partly.as_ref())
    }

    /// Reports tolerances that are not positive, factors up to one, and a weaker test that does not fit the test.
    pub(super) fn check_tolerance(
        &self,
        kind: &str,
        tolerance: Option<Tolerance>,
        partly: Option<&Weaker>,
    ) -> Result<(), Problem> {
        let lowest = |found: f64, low: f64, key: &str| self.above(&format!("{kind}.{key}"), found, low);
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
        let (fits, accepted) = match tolerance {
            Some(_) => (near == 1 && bounds == 0, "accepted: one of `relative`, `absolute` and `factor`"),
            None => (near == 0 && bounds > 0, "accepted: `below`, `above` or both"),
        };
        self.ensure(fits, &format!("{kind}.partly"), "`partly` does not fit the test", accepted)
    }

    /// Reports a number that is not above `low`.
    fn above(&self, path: &str, found: f64, low: f64) -> Result<(), Problem> {
        let key = path.rsplit('.').next().unwrap_or(path);
        self.ensure(found > low, path, format!("`{key}` is {found}"), &format!("accepted: a number above {low}"))
    }

    /// Reports a problem at a path of the check unless `is_so`.
    pub(super) fn ensure(
        &self,
        is_so: bool,
        path: &str,
        message: impl Into<String>,
        accepted: &str,
    ) -> Result<(), Problem> {
        if is_so { Ok(()) } else { refuse(self.place(path), message, accepted) }
    }

    pub(super) fn wrong(&self, path: &str, message: impl Into<String>, accepted: &str) -> Problem {
        Problem::new(self.node.place_of(path), message).help(accepted)
    }
}
