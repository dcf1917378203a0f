//! From an experiment to its runs.

mod checks;
mod exclusions;
mod expand;
mod gather;
mod key;
mod left_out;
mod observables;
mod outputs;
mod shard;
mod solve_settings;
pub mod stored;
mod vary;
mod warnings;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use mbsbench_problem::{Formulated, Settings, View};

pub use key::RunKey;
pub use key::canonical;
pub use left_out::LeftOut;
pub use shard::{NoShard, Shard};
pub use stored::{Stored, StoredReference};

use crate::Recording;
use crate::axis::LabelIndex;
use crate::included::included;
use crate::registry::{Choice, MeasureKind, MethodKind, ModelKind, Registry};
use crate::spec::AxisValue;
use crate::{Experiment, Given, Label, Mark, Origin, Precision, Problems, Rule, SolverSpec};
use mbsbench_input::{BadInput, Document};

/// Most runs of an experiment.
pub const MOST_RUNS: usize = 300_000;

/// An experiment with its runs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The file.
    pub experiment: Experiment,
    /// Columns of the axes: `case` where there are cases, then those of all cases.
    pub axes: Vec<String>,
    /// Columns of the measures of all cases.
    pub columns: Vec<String>,
    /// The runs: case by case, the last axis varying fastest.
    pub runs: Vec<RunSpec>,
    /// What is not used of the files that the experiment names, a line each.
    pub notes: Vec<String>,
}

/// One cell of the matrix.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// A value for each of [`Plan::axes`]; none where its case has no such axis.
    pub cells: Vec<Option<Arc<Label>>>,
    /// The model with its parameters.
    pub model: Arc<Choice<ModelKind>>,
    /// The method with its parameters.
    pub method: Arc<Choice<MethodKind>>,
    /// What the method is called: its cell in the column `method`.
    pub method_label: String,
    /// Step, clock and budgets.
    pub settings: Settings,
    /// Start and end, s.
    pub span: [f64; 2],
    /// What is measured; [`Self::columns`] in this order.
    pub measures: Arc<[Choice<MeasureKind>]>,
    /// How its reference is made, if it has one.
    pub reference: Option<Arc<ReferencePlan>>,
    /// Rules that it must not break.
    pub rules: Arc<[Rule]>,
    /// What is drawn of it over time.
    pub recording: Recording,
    /// Its name, once somebody has asked.
    key: OnceLock<RunKey>,
    /// The name of what is solved and how, the same way.
    set_up: OnceLock<RunKey>,
}

impl RunSpec {
    /// Whether its key says all that can change its numbers, so that they may be kept; see [`Choice::is_kept`].
    pub fn is_kept(&self) -> bool {
        let own = self.model.is_kept() && self.method.is_kept();
        own && self.reference.as_ref().is_none_or(|reference| reference.is_kept())
    }
}

/// How the reference of a run is made.
#[derive(Debug, Clone)]
pub struct ReferencePlan {
    /// The model, in the reference's formulation.
    pub model: Arc<Choice<ModelKind>>,
    /// Start and end, s.
    pub span: [f64; 2],
    /// Where it comes from; a file that makes no sense is told when the plan is checked.
    pub origin: Origin<Solved, Result<Arc<Given>, BadInput>>,
    /// Where it is kept beside the experiments, if it is.
    pub stored: Option<Arc<Stored>>,
    /// Its name.
    pub key: RunKey,
}

impl ReferencePlan {
    /// The same as [`RunSpec::is_kept`] of the reference.
    pub fn is_kept(&self) -> bool {
        let methods = match &self.origin {
            Origin::Solved(solved) => {
                let check = solved.check.as_ref().map(|(check, _)| check);
                [Some(&solved.solver), check].into_iter().flatten().all(|solver| solver.method.is_kept())
            }
            Origin::Given(_) => true,
        };
        methods && self.model.is_kept()
    }
}

/// How a reference is solved for.
#[derive(Debug, Clone)]
pub struct Solved {
    /// In which arithmetic.
    pub precision: Precision,
    /// What gives the reference.
    pub solver: SolverSpec,
    /// Its step, clock and budgets.
    pub settings: Settings,
    /// What it is checked against.
    pub check: Option<(SolverSpec, Settings)>,
    /// Digits that have to agree.
    pub digits: Option<u32>,
}

/// Labels of several axes as one; the only one as it is.
pub fn joined(labels: &[&Label]) -> Option<Label> {
    match labels {
        [] => None,
        [only] => Some((*only).clone()),
        _ => {
            let texts: Vec<&str> = labels.iter().map(|label| label.text.as_str()).collect();
            Some(Label { text: texts.join(", "), number: None })
        }
    }
}

impl RunSpec {
    /// Its name, found where it is first asked for: of a run that is only planned nobody asks.
    pub fn key(&self) -> &RunKey {
        self.key.get_or_init(|| key::of_run(self))
    }

    /// The number at a path, `model.mass`, `method.order`, `step`, `span.end`; none where it has none.
    pub fn number_at(&self, path: &str) -> Option<f64> {
        checks::value_at(self, path)
    }

    /// The paths of its parameters: of model, method, span, step or tolerance, and settings.
    pub fn paths(&self) -> Vec<String> {
        use mbsbench_problem::StepControl;
        let own = ["model".to_owned(), "method".to_owned()].into_iter();
        let model = self.model.paths().into_iter().map(|path| format!("model.{path}"));
        let method = self.method.paths().into_iter().map(|path| format!("method.{path}"));
        let rest: &[&str] = match self.settings.control {
            StepControl::Fixed { .. } => &["step", "settings.clock"],
            StepControl::Tolerance { initial_step: None, max_step: None, .. } => &["tolerance.rel", "tolerance.abs"],
            StepControl::Tolerance { .. } => {
                &["tolerance.rel", "tolerance.abs", "settings.initial_step", "settings.max_step"]
            }
        };
        let rest = ["span.start", "span.end"].iter().chain(rest).map(|&path| path.to_owned());
        own.chain(model).chain(method).chain(rest).collect()
    }

    /// The views of its model at the start.
    pub fn views(&self) -> Vec<View> {
        let model = self.model.object().model();
        model.views(&Formulated::<f64>::initial_state(&*model))
    }

    /// A hash of what is solved and how, without what is measured of it.
    pub fn set_up(&self) -> &RunKey {
        self.set_up.get_or_init(|| key::of_set_up(self))
    }

    /// The columns that its measures fill.
    pub fn columns(&self) -> Vec<String> {
        self.measures.iter().flat_map(|measure| measure.object().columns()).collect()
    }
}

impl Plan {
    /// Expands an experiment into its runs and checks what needs them: parameters in their ranges, observables
    /// that the models have, tables and plots.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn new(experiment: Experiment, registry: &Registry) -> Result<Self, BadInput> {
        if !experiment.gathers.is_empty() {
            return gather::gather(experiment, registry);
        }
        let plan = Self::expanded(experiment, registry)?;
        stored::check(&plan)?;
        outputs::with_drawings(plan)
    }

    /// Reads the bytes of the file at `path` and plans its runs, whether or not its stored references are there: to make them.
    /// An experiment that gathers those of others has none.
    ///
    /// # Errors
    /// Everything else that is wrong with the file.
    pub fn read_for_references(path: &Path, bytes: &[u8], registry: &Registry) -> Result<Option<Self>, BadInput> {
        let (document, _) = included(Document::parse(path, bytes)?, registry)?;
        let experiment = Experiment::read(&document, registry, false)?;
        if !experiment.gathers.is_empty() {
            return Ok(None);
        }
        Self::expanded(experiment, registry).map(Some)
    }

    fn expanded(experiment: Experiment, registry: &Registry) -> Result<Self, BadInput> {
        let plan = expand::expand(experiment, registry)?.set(registry)?;
        let mut problems = Problems::default();
        let observables = checks::check(&plan, &mut problems);
        outputs::check(&plan, &observables, &mut problems);
        problems.into_result(&plan.experiment.document)?;
        Ok(plan)
    }

    /// Reads the bytes of the file at `path` and plans its runs.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn read(path: &Path, bytes: &[u8], registry: &Registry, quick: bool) -> Result<Self, BadInput> {
        let (document, notes) = included(Document::parse(path, bytes)?, registry)?;
        let plan = Self::new(Experiment::read(&document, registry, quick)?, registry)?;
        Ok(Self { notes, ..plan })
    }

    /// The runs that this experiment asks of the registry's [contender](Registry::contender) where it says `every`, without tables,
    /// figures, rankings and times. None where there are none: it names its methods, or the method suits none of its models.
    ///
    /// # Errors
    /// What is wrong with these runs.
    pub fn of_contender(&self, registry: &Registry) -> Result<Option<Self>, BadInput> {
        const SHOWN: [&str; 6] = ["tables", "plots", "drawings", "animations", "rankings", "timing"];
        let document = &self.experiment.document;
        let root = SHOWN.iter().fold(document.root.clone(), |root, key| root.without(key));
        let document = Document { root, source: Arc::clone(&document.source) };
        let experiment = Experiment::read(&document, registry, self.experiment.quick)?;
        if experiment.cases.is_empty() { Ok(None) } else { Self::new(experiment, registry).map(Some) }
    }

    /// Whether times are taken of its runs, which is done alone on one machine.
    pub fn is_timed(&self) -> bool {
        self.experiment.timing.is_some()
    }

    /// The index of an axis among the cells of a run.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis == name)
    }

    /// Whether a run has these axis values.
    pub fn is_meant(&self, run: &RunSpec, filter: &BTreeMap<String, AxisValue>) -> bool {
        filter.iter().all(|(axis, value)| {
            let cell = self.axis(axis).and_then(|axis| run.cells[axis].as_ref());
            cell.is_some_and(|label| value.matches(label))
        })
    }

    /// The runs that have these axis values, with their numbers.
    pub fn meant(&self, filter: &BTreeMap<String, AxisValue>) -> impl Iterator<Item = (usize, &RunSpec)> {
        self.runs.iter().enumerate().filter(move |(_, run)| self.is_meant(run, filter))
    }

    /// Whether a run is one of those that a reconstruction makes in every set-up.
    pub fn is_studied(&self, run: &RunSpec) -> bool {
        let cases = &self.experiment.study.cases;
        let case = self.axis("case").and_then(|axis| run.cells[axis].as_ref());
        let is_case = cases.is_empty() || case.is_some_and(|label| cases.iter().any(|case| case.value == label.text));
        is_case && self.is_meant(run, &self.experiment.study.filter)
    }

    /// How a parameter of a run is known; none where the file does not say. What is undetermined is our choice, unless
    /// the file says of it that the nominal reading is printed or the authors'.
    pub fn mark(&self, run: &RunSpec, path: &str) -> Option<Mark> {
        let known = self.experiment.known.as_ref()?;
        let stated = known.stated(path, |filter| self.is_meant(run, filter));
        match self.experiment.undetermined.iter().find(|(key, varied)| varied.covers(&key.name, path)) {
            Some((_, varied)) => {
                let least = if varied.calibrated.is_some() { Mark::Calibrated } else { Mark::Chosen };
                let firm = stated.filter(|mark| !mark.is_ours() && varied.range().is_none());
                Some(firm.unwrap_or_else(|| stated.map_or(least, |stated| stated.max(least))))
            }
            None => stated.or(known.defaults),
        }
    }

    /// What a run is called on some axes together: `damped, rk5`; none where it does not have one of them.
    pub fn label_on<'n>(&self, run: &RunSpec, axes: impl Iterator<Item = &'n str>) -> Option<Label> {
        let labels = axes.map(|axis| run.cells[self.axis(axis)?].as_deref());
        joined(&labels.collect::<Option<Vec<_>>>()?)
    }

    /// The different numbers that the runs of a reconstruction have at a path, `model.mass` or `step`; empty if none has it. If `study:`
    /// names no cases, these are all runs.
    pub fn numbers_at(&self, path: &str) -> Vec<f64> {
        let mut seen = HashSet::new();
        let studied = self.runs.iter().filter(|run| self.is_studied(run));
        // adding zero makes one of the two zeros of the other
        studied.filter_map(|run| run.number_at(path)).filter(|number| seen.insert((number + 0.0).to_bits())).collect()
    }

    /// Whether the runs have different values on an axis.
    pub fn varies(&self, axis: usize) -> bool {
        let mut labels = self.runs.iter().filter_map(|run| run.cells[axis].as_ref());
        labels.next().is_some_and(|first| labels.any(|label| !label.same(first)))
    }

    /// The different values on an axis, in the order in which the runs have them.
    pub fn values(&self, axis: usize) -> Vec<&Label> {
        let mut seen = LabelIndex::default();
        self.runs.iter().filter_map(|run| run.cells[axis].as_deref()).filter(|label| seen.is_new(label)).collect()
    }
}
