//! Reading a ledger and checking it against the experiments that it speaks of.

use std::collections::HashSet;

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::{Placed, Problems, is_safe_name};
use mbsbench_input::{BadInput, Document, Each, Node, Problem, Value, keys_of, read};
use rayon::prelude::*;

use super::check::{Check, Finest, Kind, Tested};
use super::definition::Definitions;
use super::schema::FRAME;
use super::spec::{
    BoundFrom, CheckSpec, KindSpec, Landmark, Measurement, Open, OpenReason, Operand, Order, Ordering, Shape,
    StatementSpec, Tolerance, Weaker,
};
use super::statement::Statement;
use super::{Reason, Test, Verdict, lock, runs, written};

/// What a paper says, and what we found besides.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// The paper.
    pub paper: String,
    /// The paper's statements; of a book of anchors, these.
    pub statements: Vec<Statement>,
    /// What nobody published.
    pub findings: Vec<Statement>,
}

/// Which book a file is: the ledger of a paper, or values of our own that guard against regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Book {
    /// `statements:` and `findings:`.
    Claims,
    /// `anchors:`.
    Anchors,
}

/// Version of the file format.
pub(super) const SCHEMA: u32 = 2;

impl Book {
    /// The keys that hold its statements.
    pub(super) fn lists(self) -> &'static [&'static str] {
        match self {
            Self::Claims => &["statements", "findings"],
            Self::Anchors => &["anchors"],
        }
    }
}

impl Ledger {
    /// Its checks, those of statements before those of findings.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.statements.iter().chain(&self.findings).flat_map(|statement| &statement.checks)
    }

    /// Reads a ledger and checks it against the plans of the paper's experiments, and against its lock where there is one beside it.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn read(document: &Document, book: Book, plans: &[Plan]) -> Result<Self, BadInput> {
        Self::read_with(document, book, plans, true)
    }

    /// The same, whatever the lock says: to write it.
    ///
    /// # Errors
    /// Everything else that is wrong with the file.
    pub fn read_unlocked(document: &Document, book: Book, plans: &[Plan]) -> Result<Self, BadInput> {
        Self::read_with(document, book, plans, false)
    }

    fn read_with(document: &Document, book: Book, plans: &[Plan], is_locked: bool) -> Result<Self, BadInput> {
        let root = &document.root;
        let mut problems = Problems::default();
        let known: Vec<&str> = FRAME.iter().map(|(key, _)| *key).chain(book.lists().iter().copied()).collect();
        for entry in root.entries() {
            if !known.contains(&entry.key.name.as_str()) {
                problems.add(Problem::unknown(entry.key.place, "key", &entry.key.name, known.clone()));
            }
        }
        problems.keep(check_schema(root));
        let paper: String = problems.keep(required(root, "paper").and_then(read)).unwrap_or_default();
        if book == Book::Claims {
            check_marks(root, &paper, plans, &mut problems);
        }
        let each = problems.keep(Each::read(root, written::OF_CELLS));
        let each = problems.into_value(document, each)?;
        let mut problems = Problems::default();
        let reading = Reading { paper: &paper, book, plans, definitions: Definitions::new(plans), each };
        let [mut statements, mut findings] = [0, 1].map(|index| match book.lists().get(index) {
            Some(key) => reading.statements(root, key, &mut problems),
            None => Vec::new(),
        });
        unique(&statements, &findings, &mut problems);
        problems.into_result(document)?;
        let mut problems = Problems::default();
        if is_locked && book == Book::Claims {
            lock::compare(document, statements.iter_mut().chain(&mut findings), &mut problems);
        }
        problems.into_result(document)?;
        let values = |placed: Vec<ReadStatement>| placed.into_iter().map(|read| read.statement).collect();
        Ok(Self { paper: paper.clone(), statements: values(statements), findings: values(findings) })
    }
}

/// A statement with the nodes that it and its checks were read from.
pub(super) struct ReadStatement {
    pub(super) statement: Statement,
    pub(super) node: Node,
    /// For each of its checks, the node that it was written out to.
    pub(super) checks: Vec<Node>,
}

fn check_schema(root: &Node) -> Result<(), Problem> {
    let node = required(root, "schema")?;
    let found: u32 = read(node)?;
    if found == SCHEMA {
        return Ok(());
    }
    let message = format!("the form {found} of ledgers is not known to this program");
    Err(Problem::new(node.place, message).help(format!("accepted: {SCHEMA}")))
}

/// Experiments of a paper that has a ledger say how their parameters are known.
fn check_marks(root: &Node, paper: &str, plans: &[Plan], problems: &mut Problems) {
    let is_silent = |plan: &&Plan| plan.experiment.known.is_none() && plan.experiment.gathers.is_empty();
    for plan in plans.iter().filter(|plan| plan.experiment.paper == paper).filter(is_silent) {
        let message = format!("`{}` does not say how its parameters are known", plan.experiment.id);
        let problem = Problem::new(root.place_of("paper"), message);
        problems.add(problem.help("add `known: { defaults: …, … }` to the experiment file"));
    }
}

/// Ids of statements differ from each other, and so do ids of checks.
fn unique(statements: &[ReadStatement], findings: &[ReadStatement], problems: &mut Problems) {
    let mut seen = HashSet::new();
    for read in statements.iter().chain(findings) {
        if !seen.insert(("statement", read.statement.id.clone())) {
            let message = format!("a second statement `{}`", read.statement.id);
            problems.add(Problem::new(read.node.place_of("id"), message).help("give one of the two another id"));
        }
        for (check, node) in read.statement.checks.iter().zip(&read.checks) {
            if !seen.insert(("check", check.id.clone())) {
                let message = format!("a second check `{}`", check.id);
                problems.add(Problem::new(node.place_of("id"), message).help("give one of the two another id"));
            }
        }
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

/// What is the same for all statements of a file.
struct Reading<'n> {
    paper: &'n str,
    book: Book,
    plans: &'n [Plan],
    definitions: Definitions<'n>,
    each: Each<'n>,
}

impl Reading<'_> {
    fn statements(&self, root: &Node, key: &str, problems: &mut Problems) -> Vec<ReadStatement> {
        let nodes = match root.get(key) {
            Some(Node { value: Value::List(items), .. }) => items.as_slice(),
            Some(node) => {
                let problem = Problem::new(node.place, format!("found {}", node.describe()));
                problems.add(problem.help("accepted: a list of statements"));
                &[]
            }
            None if key == "findings" => &[],
            None => {
                problems.keep(required(root, key));
                &[]
            }
        };
        let read = nodes.par_iter().map(|node| {
            let mut problems = Problems::default();
            (self.statement(node, &mut problems), problems)
        });
        let mut statements = Vec::with_capacity(nodes.len());
        for (statement, found) in read.collect::<Vec<_>>() {
            statements.extend(statement);
            problems.append(found);
        }
        statements
    }

    fn statement(&self, node: &Node, problems: &mut Problems) -> Option<ReadStatement> {
        let keys = keys_of::<StatementSpec>();
        let own: Vec<_> =
            node.entries().iter().filter(|entry| keys.contains(&entry.key.name.as_str())).cloned().collect();
        let spec: StatementSpec = problems.keep(read(&Node::new(Value::Map(own), node.place)))?;
        let written = problems.keep(written::checks(node, &self.each))?;
        let mut checks: Vec<Placed<Check>> = Vec::new();
        for check in &written {
            let reader = Reader {
                node: check,
                plans: self.plans,
                definitions: &self.definitions,
                paper: self.paper,
                book: self.book,
            };
            for check in problems.keep(reader.checks())? {
                runs::check(&check.value, &check.node, self.paper, self.plans, problems);
                checks.push(check);
            }
        }
        let (checks, nodes): (Vec<Check>, Vec<Node>) =
            checks.into_iter().map(|Placed { value, node }| (value, node)).unzip();
        let statement = problems.keep(Statement::new(spec, checks, node))?;
        Some(ReadStatement { statement, node: node.clone(), checks: nodes })
    }
}

/// Makes checks of one that is written out.
pub(super) struct Reader<'n> {
    pub(super) node: &'n Node,
    pub(super) plans: &'n [Plan],
    pub(super) definitions: &'n Definitions<'n>,
    pub(super) paper: &'n str,
    pub(super) book: Book,
}

impl Reader<'_> {
    /// The check; of a table one for each cell.
    pub(super) fn checks(&self) -> Result<Vec<Placed<Check>>, Problem> {
        let (spec, kind) = written::parts(self.node)?;
        let spec: CheckSpec = read(&spec)?;
        self.check_id(&spec.id)?;
        let checks = self.checks_of(spec, &kind)?;
        Ok(checks.into_iter().map(|value| Placed { value, node: self.node.clone() }).collect())
    }

    pub(super) fn check_id(&self, id: &str) -> Result<(), Problem> {
        if !id.is_empty() && id.split('/').all(is_safe_name) {
            return Ok(());
        }
        let accepted = "accepted: lower-case letters, digits, `-` and `.`, in parts divided by `/`";
        Err(self.wrong("id", format!("`{id}` is not a name"), accepted))
    }

    pub(super) fn finish(&self, spec: CheckSpec, kind: Kind, definition: String) -> Result<Check, Problem> {
        let natural = if matches!(kind, Kind::Open(_)) { Verdict::Open } else { Verdict::Reproduced };
        let is_explained = spec.because.as_deref().is_some_and(|because| !because.trim().is_empty());
        if let Some(expected) = spec.expected.filter(|&expected| expected != natural && !is_explained) {
            let message = format!("`expected: {}` without explanation", expected.name());
            return Err(self.wrong("expected", message, "add `because:`"));
        }
        let bound_from = spec.bound_from.or_else(|| kind.natural_bound());
        if self.book == Book::Claims && bound_from.is_none() && !matches!(kind, Kind::Open(_)) {
            let message = format!("the check `{}` does not say where its bound comes from", spec.id);
            let known = BoundFrom::ALL.map(BoundFrom::name).join(", ");
            return Err(Problem::new(self.node.place, message).help(format!("add `bound_from:`, one of {known}")));
        }
        // Printed digits and plain words say by themselves why.
        let is_plain =
            self.book == Book::Claims && matches!(bound_from, None | Some(BoundFrom::Printed | BoundFrom::Wording));
        let has_tolerance = kind.test().is_some() || matches!(kind, Kind::Shape(_));
        if has_tolerance && !is_plain && spec.why.as_deref().is_none_or(|why| why.trim().is_empty()) {
            let message = format!("the check `{}` has a tolerance without reason", spec.id);
            return Err(Problem::new(self.node.place, message).help("add `why:`"));
        }
        Ok(Check {
            id: spec.id,
            about: spec.about.unwrap_or_default(),
            kind,
            why: spec.why.unwrap_or_default(),
            bound_from,
            bound_set: spec.bound_set,
            role: spec.role,
            expected: spec.expected,
            because: spec.because.unwrap_or_default(),
            definition,
        })
    }

    fn checks_of(&self, spec: CheckSpec, node: &Node) -> Result<Vec<Check>, Problem> {
        let kind = match read(node)? {
            KindSpec::Cells(cells) => return self.cells(&spec, &cells),
            KindSpec::Agreement(agreement) => self.agreement(&agreement)?,
            KindSpec::Value(measurement) => Kind::Value(self.single("value", &measurement, true)?),
            KindSpec::Bound(measurement) => Kind::Bound(self.single("bound", &measurement, false)?),
            KindSpec::Ratio(measurement) => Kind::Ratio(self.double("ratio", &measurement)?),
            KindSpec::Difference(measurement) => Kind::Difference(self.double("difference", &measurement)?),
            KindSpec::Order(Order { of, x, finest, above, published, tolerance, partly }) => {
                let test = Test::Near { published, tolerance };
                self.check_tolerance("order", Some(tolerance), partly.as_ref())?;
                if let Some(count @ 0..=2) = finest {
                    let accepted = "accepted: 3 or more, since an order needs two pairs of steps";
                    return Err(self.wrong("order.finest", format!("a slope through {count} runs"), accepted));
                }
                if above.is_some() && finest.is_none() {
                    let accepted = "accepted: `above` beside `finest`";
                    return Err(self.wrong("order.above", "a bound on the runs of a slope through all runs", accepted));
                }
                let finest = finest.map(|count| Finest { count, above: above.unwrap_or(0.0) });
                Kind::Order { of, x, finest, partly: partly.map(|weaker| test.weakened(&weaker)), test }
            }
            KindSpec::Ordering(Ordering { smallest_first, by_factor }) => {
                let by_factor = by_factor.unwrap_or(1.0);
                if smallest_first.len() < 2 {
                    let accepted = "accepted: at least two operands";
                    return Err(self.wrong("ordering.smallest_first", "nothing to put in order", accepted));
                }
                if by_factor <= 0.0 {
                    let message = format!("a factor of {by_factor}");
                    return Err(self.wrong("ordering.by_factor", message, "accepted: a number above zero"));
                }
                Kind::Ordering { smallest_first, by_factor }
            }
            KindSpec::Failure(failure) => {
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
            KindSpec::Shape(shape) => self.shape(shape)?,
            KindSpec::Identity(identity) => Kind::Identity(identity),
            KindSpec::Open(Open { reason, needs }) => Kind::Open(match reason {
                OpenReason::NotTestable => Reason::NotTestable(needs),
                OpenReason::NotPublic => Reason::NotPublic(needs),
                OpenReason::LeftOut => Reason::LeftOut(needs),
            }),
        };
        let mut test = node.to_json()[kind.name()].take();
        if let Kind::Agreement { cells, .. } = &kind {
            test["published"] = cells.iter().map(|&(number, _)| number).collect();
        }
        let definition = self.definitions.of(kind.name(), &test, &kind, self.paper);
        Ok(vec![self.finish(spec, kind, definition)?])
    }

    fn shape(&self, shape: Shape) -> Result<Kind, Problem> {
        if shape.landmarks.is_empty() {
            return Err(self.wrong("shape.landmarks", "no landmark", "accepted: at least one"));
        }
        let tested = shape.landmarks.into_iter().map(|landmark| {
            let Landmark { name, of, published, tolerance, below, above } = landmark;
            let measurement = Measurement { of, to: None, published, tolerance, below, above, partly: None };
            Ok((name, self.single("shape.landmarks", &measurement, tolerance.is_some())?))
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
