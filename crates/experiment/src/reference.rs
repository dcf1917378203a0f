//! The definition of a reference solution, and the step control of any solve.

use mbsbench_input::{Node, Place, Problem, Value, one_of, read, refuse};
use mbsbench_problem::StepControl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::external_reference::ExternalReferenceSpec;
use super::includes::FILE;
use super::keys::{self, FileKey, REFERENCE, SOLVER};
use super::spec::Tolerance;
use crate::registry::{CONTROLS, Choice, MethodKind, Registry, choose};

/// The largest number of digits to which two solutions can be required to agree.
const MOST_DIGITS: u32 = 32;

/// `step`, `step_per_stage` or `tolerance` as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// Constant step, s.
    Step(f64),
    /// Constant step divided by the number of implicit stages, s.
    StepPerStage(f64),
    /// Error control.
    Tolerance(Tolerance),
}

impl Control {
    /// Reads the value of the key `name`.
    pub fn read(name: &str, node: &Node) -> Result<Self, Problem> {
        if name == "tolerance" {
            return read_tolerance(node).map(Self::Tolerance);
        }
        let step: f64 = read(node)?;
        if step <= 0.0 {
            return refuse(node.place, format!("`{name}` is {step}"), "accepted: a number above zero, in seconds");
        }
        Ok(if name == "step" { Self::Step(step) } else { Self::StepPerStage(step) })
    }

    /// Returns the step control of a method over `span`; `place` is where it is written.
    pub fn for_method(
        self,
        method: &Choice<MethodKind>,
        span: [f64; 2],
        settings: &super::spec::Settings,
        place: Place,
    ) -> Result<StepControl, Problem> {
        let step = match self {
            Self::Step(step) => step,
            Self::StepPerStage(step) => step * f64::from(method.object.method().implicit_stages()),
            Self::Tolerance(Tolerance { rel, abs }) => {
                if !method.object.method().properties().adapts {
                    let message = format!("`{}` has no error control", method.name());
                    let help =
                        "accepted for this method: `step` or `step_per_stage`, in a separate case under `cases:`";
                    return refuse(method.place.unwrap_or(place), message, help);
                }
                let (initial_step, max_step) = (settings.initial_step, settings.max_step);
                return Ok(StepControl::Tolerance { rel, abs, initial_step, max_step });
            }
        };
        let length = (span[1] - span[0]).abs();
        if step > length {
            let message = format!("the step {step} is larger than the span of {length}");
            return refuse(place, message, format!("accepted: a number above zero, at most {length}"));
        }
        Ok(StepControl::Fixed { step })
    }
}

/// `{ rel, abs }`, or one number for both.
fn read_tolerance(node: &Node) -> Result<Tolerance, Problem> {
    let tolerance = match &node.value {
        Value::Number(_) => {
            let both: f64 = read(node)?;
            Tolerance { rel: both, abs: both }
        }
        Value::Map(_) => read(node)?,
        _ => {
            return Err(Problem::found(node).help("accepted: `{ rel: 1e-6, abs: 1e-8 }`, or one number for both"));
        }
    };
    for (key, value) in [("rel", tolerance.rel), ("abs", tolerance.abs)] {
        if value < 0.0 || tolerance.rel + tolerance.abs == 0.0 {
            let message = format!("the tolerance `{key}` is {value:?}");
            return refuse(node.place_of(key), message, "accepted: numbers from 0, but not both 0");
        }
    }
    Ok(tolerance)
}

/// The arithmetic of a reference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Double precision: 53 bits.
    Double,
    /// Double-double: about 106 bits.
    #[default]
    DoubleDouble,
}

/// A method with its step.
#[derive(Debug, Clone)]
pub struct SolverSpec {
    /// The method.
    pub method: Choice<MethodKind>,
    /// The step control.
    pub control: Control,
    /// The place of the step control in the file.
    pub control_place: Place,
}

/// A reference, as written.
#[derive(Debug, Clone)]
pub struct ReferenceSpec {
    /// The origin.
    pub origin: Origin<SolvedSpec, ExternalReferenceSpec>,
    /// A map of the parameters in which the reference's model differs, for example another formulation.
    pub model: Option<Node>,
}

/// The origin of a reference.
#[derive(Debug, Clone)]
pub enum Origin<S, G> {
    /// The reference is solved for here.
    Solved(S),
    /// A file contains the reference.
    File(G),
}

/// How a reference solution is computed.
#[derive(Debug, Clone)]
pub struct SolvedSpec {
    /// The solver that computes the reference.
    pub solver: SolverSpec,
    /// The arithmetic.
    pub precision: Precision,
    /// The solver of the solution that it is checked against, with another method.
    pub check: Option<SolverSpec>,
    /// The number of digits to which the two have to agree. With fewer, results that depend on the reference are
    /// inconclusive.
    pub digits: Option<u32>,
    /// The file beside the experiment that keeps the reference, and the place of its name.
    pub stored: Option<(String, Place)>,
}

impl ReferenceSpec {
    pub(super) fn read(node: &Node, registry: &Registry) -> Result<Self, Problem> {
        if node.get(FILE).is_some() {
            return Ok(Self { origin: Origin::File(ExternalReferenceSpec::read(node)?), model: None });
        }
        let solved = SolvedSpec::read(node, registry)?;
        let model = node.get("model").cloned();
        if let Some(model) = model.as_ref().filter(|model| !matches!(model.value, Value::Map(_))) {
            return Err(
                Problem::found(model).help("accepted: a map of the parameters in which the reference's model differs")
            );
        }
        Ok(Self { origin: Origin::Solved(solved), model })
    }
}

impl SolvedSpec {
    fn read(node: &Node, registry: &Registry) -> Result<Self, Problem> {
        let solver = SolverSpec::read(node, &[SOLVER, REFERENCE], registry)?;
        let precision = node.get("precision").map(read).transpose()?.unwrap_or_default();
        let check = node.get("check").map(|check| SolverSpec::read(check, &[SOLVER], registry)).transpose()?;
        let solvers = std::iter::once((&solver, node)).chain(check.as_ref().zip(node.get("check")));
        for (solver, node) in solvers {
            if precision == Precision::DoubleDouble && solver.method.object.precise().is_none() {
                let message = format!("`{}` does not work in double-double arithmetic", solver.method.name());
                return refuse(node.place_of("method"), message, "accepted: another method, or `precision: double`");
            }
        }
        if let Some(check) = check.as_ref().filter(|check| check.method.name() == solver.method.name()) {
            let message = format!("`{}` cannot check itself", check.method.name());
            return refuse(node.place_of("check.method"), message, "accepted: an unrelated method");
        }
        let digits: Option<u32> = node.get("digits").map(read).transpose()?;
        if let Some(digits) = digits.filter(|digits| !(1..=MOST_DIGITS).contains(digits)) {
            let message = format!("`digits` is {digits}");
            let accepted = format!("accepted: a whole number from 1 to {MOST_DIGITS}, the digits of double-double");
            return refuse(node.place_of("digits"), message, accepted);
        }
        let csv = |file: &Node| match file.text() {
            Some(name) if name.ends_with(".csv") => Ok((name.to_owned(), file.place)),
            _ => Err(Problem::found(file).help("accepted: a CSV file beside the experiment, `references/name.csv`")),
        };
        let stored = node.get("stored").map(csv).transpose()?;
        Ok(Self { solver, precision, check, digits, stored })
    }
}

impl SolverSpec {
    fn read(node: &Node, keys: &[&[FileKey]], registry: &Registry) -> Result<Self, Problem> {
        let known = keys::names(keys);
        if !matches!(node.value, Value::Map(_)) {
            return Err(Problem::found(node).help(format!("accepted: a map with the keys {}", one_of(known))));
        }
        keys::unknown(node, "key", &known).next().map_or(Ok(()), Err)?;
        let method = node.required("method")?;
        let controls: Vec<_> = CONTROLS.iter().filter_map(|name| node.entry(name)).collect();
        let control = match controls.as_slice() {
            [one] => one,
            others => {
                let problem = match others.get(1) {
                    Some(second) => {
                        let message = format!("both `{}` and `{}` are given", others[0].key.name, second.key.name);
                        Problem::new(second.key.place, message)
                    }
                    None => Problem::new(node.place, "the step is missing"),
                };
                return Err(problem.help(format!("accepted: one of {}", one_of(CONTROLS))));
            }
        };
        Ok(Self {
            method: choose::<MethodKind>(registry.methods(), method)?,
            control: Control::read(&control.key.name, &control.value)?,
            control_place: control.value.place,
        })
    }
}
