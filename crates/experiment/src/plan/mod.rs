//! Plans: the runs of an experiment.

mod checks;
mod exclusions;
mod expand;
mod gather;
mod guest;
mod key;
mod left_out;
mod observables;
mod outputs;
mod shard;
pub mod stored;
mod vary;
mod warnings;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use mbsbench_problem::{Deviation, Formulated, Settings, View};

pub use guest::{Guest, REFERENCE};
pub use key::{RunKey, canonical};
pub use left_out::LeftOut;
pub use shard::Shard;
pub use stored::{Stored, StoredReference};

use crate::axis::LabelIndex;
use crate::includes::included;
use crate::registry::{Choice, MeasureKind, MethodKind, ModelKind, Registry};
use crate::spec::{AxisValue, Filter};
use crate::{
    Experiment, ExternalReference, Label, Origin, Precision, Problems, Provenance, Recording, Rule, SolverSpec,
};
use mbsbench_input::{BadInput, Document};

/// The largest number of runs of an experiment.
pub const MOST_RUNS: usize = 300_000;

/// An experiment with its runs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The experiment.
    pub experiment: Experiment,
    /// The columns of the axes: `case` if there are cases, then the axes of all cases.
    pub axes: Vec<String>,
    /// The columns of the measures of all cases.
    pub columns: Vec<String>,
    /// The runs: case by case, the last axis varying fastest.
    pub runs: Vec<RunSpec>,
    /// One line for each part of the named files that is not used.
    pub notes: Vec<String>,
    /// The method of the user beside those of the experiment.
    pub guest: Guest,
}

/// One run: a combination of axis values.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// A value for each of [`Plan::axes`]; `None` if the case has no such axis.
    pub cells: Vec<Option<Arc<Label>>>,
    /// The model with its parameters.
    pub model: Arc<Choice<ModelKind>>,
    /// The method with its parameters.
    pub method: Arc<Choice<MethodKind>>,
    /// The label of the method, shown in the column `method`.
    pub method_label: String,
    /// The step, clock and budgets.
    pub settings: Settings,
    /// The start and end times, s.
    pub span: [f64; 2],
    /// The break points, s.
    pub breaks: Arc<[f64]>,
    /// The measures, in the order of [`Self::columns`].
    pub measures: Arc<[Choice<MeasureKind>]>,
    /// The plan of the reference, if the run has one.
    pub reference: Option<Arc<ReferencePlan>>,
    /// Rules that the run must not break.
    pub rules: Arc<[Rule]>,
    /// The properties of its method that do not leave the run unvouched; not part of its key.
    pub expected: Arc<[Deviation]>,
    /// The observables to record over time.
    pub recording: Recording,
    /// The key, computed on first use.
    key: OnceLock<RunKey>,
    /// The key of the problem and its solver, computed on first use.
    set_up: OnceLock<RunKey>,
}

/// The plan of a reference.
#[derive(Debug, Clone)]
pub struct ReferencePlan {
    /// The model, in the reference's formulation.
    pub model: Arc<Choice<ModelKind>>,
    /// The start and end times, s.
    pub span: [f64; 2],
    /// The break points, s.
    pub breaks: Arc<[f64]>,
    /// The origin of the reference. An invalid file is reported when the plan is checked.
    pub origin: Origin<Solved, Result<Arc<ExternalReference>, BadInput>>,
    /// The file beside the experiments in which the reference is kept, if any.
    pub stored: Option<Arc<Stored>>,
    /// The key.
    pub key: RunKey,
}

impl ReferencePlan {
    /// True if the key covers everything that can change the reference's numbers; see [`RunSpec::is_kept`].
    pub fn is_kept(&self) -> bool {
        let methods = match &self.origin {
            Origin::Solved(solved) => {
                let check = solved.check.as_ref().map(|(check, _)| check);
                [Some(&solved.solver), check].into_iter().flatten().all(|solver| solver.method.is_kept())
            }
            Origin::File(_) => true,
        };
        methods && self.model.is_kept()
    }
}

/// How a reference is solved for.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The arithmetic.
    pub precision: Precision,
    /// The solver that computes the reference.
    pub solver: SolverSpec,
    /// The step, clock and budgets of this solver.
    pub settings: Settings,
    /// The solver and settings of the solution that it is checked against.
    pub check: Option<(SolverSpec, Settings)>,
    /// The number of digits to which the two have to agree.
    pub digits: Option<u32>,
}

/// Joins the labels of several axes; a single label is returned unchanged.
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
    /// True if the key covers everything that can change the run's numbers, so that they may be cached; see
    /// [`Choice::is_kept`].
    pub fn is_kept(&self) -> bool {
        let own = self.model.is_kept() && self.method.is_kept();
        own && self.reference.as_ref().is_none_or(|reference| reference.is_kept())
    }

    /// Returns the key, which is computed on first use, since a run that is only planned does not need one.
    pub fn key(&self) -> &RunKey {
        self.key.get_or_init(|| key::of_run(self))
    }

    /// Returns the number at a path, `model.mass`, `method.order`, `step`, `span.end`; `None` if there is none.
    pub fn number_at(&self, path: &str) -> Option<f64> {
        checks::value_at(self, path)
    }

    /// Returns the paths of the parameters: of model, method, span, step or tolerance, and settings.
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

    /// Returns the views of the model at the start.
    pub fn views(&self) -> Vec<View> {
        let model = self.model.object.model();
        model.views(&Formulated::<f64>::initial_state(&*model))
    }

    /// Returns a hash of the problem and its solver, without the measures.
    pub fn set_up(&self) -> &RunKey {
        self.set_up.get_or_init(|| key::of_set_up(self))
    }

    /// Returns the columns that the measures fill.
    pub fn columns(&self) -> Vec<String> {
        self.measures.iter().flat_map(|measure| measure.object.columns()).collect()
    }
}

/// True if a run has these values on axes; an axis without a column has none.
fn has_cells<'v>(run: &RunSpec, mut wanted: impl Iterator<Item = (Option<usize>, &'v AxisValue)>) -> bool {
    wanted.all(|(axis, value)| {
        let cell = axis.and_then(|axis| run.cells[axis].as_ref());
        cell.is_some_and(|label| value.matches(label))
    })
}

impl Plan {
    /// Expands an experiment into its runs and checks everything that depends on them: parameters within their ranges,
    /// observables that the models have, tables and plots.
    ///
    /// # Errors
    /// Fails if any of this is not valid, with all problems.
    pub fn new(experiment: Experiment, registry: &Registry) -> Result<Self, BadInput> {
        if !experiment.gathers.is_empty() {
            return gather::gather(experiment, None, registry);
        }
        let plan = Self::expanded(experiment, registry)?;
        stored::check(&plan)?;
        outputs::with_drawings(plan)
    }

    /// Reads the bytes of the file at `path` and plans its runs in order to solve its stored references, which need not
    /// exist. Returns `None` for an experiment that gathers runs of others.
    ///
    /// # Errors
    /// Fails if anything else in the file is not valid.
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
        // The columns of outputs follow from the measures.
        if problems.is_empty() {
            outputs::check(&plan, &observables, &mut problems);
        }
        problems.into_result(&plan.experiment.document)?;
        Ok(plan)
    }

    /// Reads the bytes of the file at `path` and plans its runs.
    ///
    /// # Errors
    /// Fails if the file is not valid, with all problems.
    pub fn read(path: &Path, bytes: &[u8], registry: &Registry, quick: bool) -> Result<Self, BadInput> {
        let (document, notes) = included(Document::parse(path, bytes)?, registry)?;
        let plan = Self::new(Experiment::read(&document, registry, quick)?, registry)?;
        Ok(Self { notes, ..plan })
    }

    /// Plans the runs of the registry's [contender](Registry::contender) wherever this experiment says `every`, without
    /// tables, figures, rankings and times. Returns `None` if there are no such runs: the experiment names its methods,
    /// or the contender suits none of its models.
    ///
    /// # Errors
    /// Fails if these runs are not valid.
    pub fn of_contender(&self, registry: &Registry) -> Result<Option<Self>, BadInput> {
        const SHOWN: [&str; 6] = ["tables", "plots", "drawings", "animations", "rankings", "timing"];
        let document = &self.experiment.document;
        let root = SHOWN.iter().fold(document.root.clone(), |root, key| root.without(key));
        let document = Document { root, source: Arc::clone(&document.source) };
        let experiment = Experiment::read(&document, registry, self.experiment.quick)?;
        if experiment.cases.is_empty() { Ok(None) } else { Self::new(experiment, registry).map(Some) }
    }

    /// True if the runs are timed, which requires a machine without other work.
    pub fn is_timed(&self) -> bool {
        self.experiment.timing.is_some()
    }

    /// Returns the index of an axis among the cells of a run.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis == name)
    }

    /// True if a run has these axis values.
    pub fn is_meant(&self, run: &RunSpec, filter: &Filter) -> bool {
        has_cells(run, filter.iter().map(|(axis, value)| (self.axis(axis), value)))
    }

    /// Returns the runs that have these axis values, with their indices.
    pub fn meant(&self, filter: &Filter) -> impl Iterator<Item = (usize, &RunSpec)> {
        let wanted: Vec<_> = filter.iter().map(|(axis, value)| (self.axis(axis), value)).collect();
        self.runs.iter().enumerate().filter(move |(_, run)| has_cells(run, wanted.iter().copied()))
    }

    /// True if a reconstruction computes this run in every set-up.
    pub fn is_studied(&self, run: &RunSpec) -> bool {
        let cases = &self.experiment.study.cases;
        let case = self.axis("case").and_then(|axis| run.cells[axis].as_ref());
        let is_case = cases.is_empty() || case.is_some_and(|label| cases.contains(&label.text));
        is_case && self.is_meant(run, &self.experiment.study.filter)
    }

    /// Returns how a parameter of a run is known; `None` if the file does not say. Undetermined parameters are our
    /// choice, unless the file states that the nominal reading is printed or the authors'.
    pub fn mark(&self, run: &RunSpec, path: &str) -> Option<Provenance> {
        let known = self.experiment.known.as_ref()?;
        let stated = known.stated(path, |filter| self.is_meant(run, filter));
        match self.experiment.undetermined.iter().find(|(key, varied)| varied.covers(&key.name, path)) {
            Some((_, varied)) => {
                let least = if varied.calibrated.is_some() { Provenance::Calibrated } else { Provenance::Chosen };
                let firm = stated.filter(|mark| !mark.is_ours() && varied.range().is_none());
                Some(firm.unwrap_or_else(|| stated.map_or(least, |stated| stated.max(least))))
            }
            None => stated.or(known.defaults),
        }
    }

    /// Returns the joint label of a run on several axes: `damped, rk5`; `None` if it does not have one of them.
    pub fn label_on<'n>(&self, run: &RunSpec, axes: impl Iterator<Item = &'n str>) -> Option<Label> {
        let labels = axes.map(|axis| run.cells[self.axis(axis)?].as_deref());
        joined(&labels.collect::<Option<Vec<_>>>()?)
    }

    /// Returns the distinct numbers that the runs of a reconstruction have at a path, such as `model.mass` or `step`;
    /// empty if no run has it. If `study:` names no cases, all runs count.
    pub fn numbers_at(&self, path: &str) -> Vec<f64> {
        let mut seen = HashSet::new();
        let studied = self.runs.iter().filter(|run| self.is_studied(run));
        // Adding zero gives -0 and 0 the same bits.
        studied.filter_map(|run| run.number_at(path)).filter(|number| seen.insert((number + 0.0).to_bits())).collect()
    }

    /// True if the runs have different values on an axis.
    pub fn varies(&self, axis: usize) -> bool {
        let mut labels = self.runs.iter().filter_map(|run| run.cells[axis].as_ref());
        labels.next().is_some_and(|first| labels.any(|label| !label.same(first)))
    }

    /// Returns the distinct values on an axis, in the order of the runs.
    pub fn values(&self, axis: usize) -> Vec<&Label> {
        let mut seen = LabelIndex::default();
        self.runs.iter().filter_map(|run| run.cells[axis].as_deref()).filter(|label| seen.is_new(label)).collect()
    }
}
