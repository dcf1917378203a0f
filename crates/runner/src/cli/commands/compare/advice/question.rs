//! A model whose best methods are sought, and the experiments that are written for it.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, Registry, is_safe_name};
use mbsbench_input::{Document, Node, Place};
use mbsbench_problem::{Class, Form, Formulated};
use mbsbench_runs::FileError;
use serde_json::{Value, json};

use super::Compare;
use crate::cli::{CommandError, FileKind, Result, read};

/// Span of a model whose file has none, s.
const SPAN: f64 = 1.0;

/// Number of intervals between the times at which errors are measured.
const INTERVALS: usize = 20;

/// Largest number of bodies that are observed.
const MOST_BODIES: usize = 12;

/// A model in a formulation, with its observed components and the methods that suit it.
pub(super) struct Question {
    /// The experiment file to be written.
    pub(super) place: PathBuf,
    /// The name of the model's file.
    pub(super) title: String,
    pub(super) model: Value,
    /// The coordinates of a mechanism.
    pub(super) formulation: Option<&'static str>,
    /// The same model in the other coordinates, with their name, if it has both.
    pub(super) other: Option<(Value, &'static str)>,
    pub(super) span: [f64; 2],
    settings: Option<Value>,
    accuracies: Vec<f64>,
    /// The observables whose errors count, each with a class and unit that share a scale.
    pub(super) observed: Vec<(String, Option<(Class, &'static str)>)>,
    /// All methods with a tolerance, and all with steps; `None` if no method suits.
    pub(super) every: [Option<Plan>; 2],
}

/// Two methods that solve for the reference, their tolerances, and the scales of errors.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) methods: [&'static str; 2],
    /// Negative decimal exponent of the relative tolerance.
    pub(super) exponent: i32,
    pub(super) digits: u32,
    /// The scale of each observable.
    pub(super) scales: Vec<f64>,
}

impl Reference {
    /// Returns the tolerance `1e-exponent`; the absolute one is smaller if scales are.
    pub(super) fn tolerance(&self, exponent: i32) -> Value {
        let least = self.scales.iter().copied().fold(1.0, f64::min).log10().floor() as i32;
        let power = |exponent: i32| -> f64 { format!("1e{exponent}").parse().expect("a number") };
        match least {
            0 => json!(power(-exponent)),
            _ => json!({ "rel": power(-exponent), "abs": power(least - exponent) }),
        }
    }
}

impl Question {
    /// Reads the model of a file.
    pub(super) fn read(compare: &Compare, kind: FileKind, registry: &Registry) -> Result<Self> {
        let path = Path::new(&compare.name);
        // A missing file is reported as an error of the command line.
        read(path)?;
        let document = || -> Result<Document> { Ok(Document::parse(path, &read(path)?)?) };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase().replace(['_', ' '], "-");
        let stem = if is_safe_name(&stem) { stem } else { "model".to_owned() };
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut span, mut settings, mut is_fixed) = ([0.0, SPAN], None, true);
        let mut model = match kind {
            FileKind::Experiment => {
                let plan = Plan::read(path, &read(path)?, registry, false)?;
                let run =
                    plan.runs.first().ok_or_else(|| CommandError::refused(&title, "the experiment has no run"))?;
                span = run.span;
                let (root, case) = (document()?.root, plan.experiment.cases.first());
                settings = case.map(|case| case.settings.to_json()).filter(|settings| *settings != json!({}));
                let own = root.get("model").cloned().or_else(|| case.and_then(|case| case.model.clone()));
                own.map_or_else(|| json!({ run.model.name(): run.model.parameters }), |node| node.to_json())
            }
            FileKind::Equations => json!({ "equations": title }),
            _ => {
                is_fixed = kind == FileKind::Mechanism && document()?.root.get("formulation").is_some();
                json!({ "mechanism": title })
            }
        };
        if let Some(end) = compare.span {
            span[1] = span[0] + end;
        }
        if let Some(out) = &compare.out {
            std::fs::create_dir_all(out).map_err(FileError::of(out))?;
        }
        let place = compare.out.as_deref().unwrap_or(folder).join(format!("{stem}-methods.yaml"));
        if let Some((_, value)) = model.as_object_mut().and_then(|model| model.iter_mut().next()) {
            if let Some(file) = value.as_str() {
                *value = json!({ "file": file });
            }
            if let Some((file, out)) = value.get_mut("file").zip(compare.out.as_deref()) {
                *file = json!(relative(&folder.join(file.as_str().unwrap_or_default()), out));
            }
        }
        let mut question = Self {
            place,
            title,
            model,
            formulation: None,
            other: None,
            span,
            settings,
            accuracies: compare.accuracy.clone(),
            observed: Vec::new(),
            every: [None, None],
        };
        question.choose_formulation(is_fixed, registry);
        question.find_methods(registry)?;
        question.observe(registry)?;
        Ok(question)
    }

    /// Chooses joint coordinates for trees and absolute coordinates for other mechanisms.
    fn choose_formulation(&mut self, is_fixed: bool, registry: &Registry) {
        if is_fixed {
            return;
        }
        let forms = [("acceleration-level", "absolute coordinates"), ("minimal", "joint coordinates")];
        let mut made = forms.map(|(formulation, name)| {
            let mut model = self.model.clone();
            model["mechanism"]["formulation"] = json!(formulation);
            let plan = self.every_of(&model, 0, registry).or_else(|_| self.every_of(&model, 1, registry)).ok()?;
            let object = plan.runs.first()?.model.object.model();
            let is_tree = match Formulated::<f64>::ode(&*object).form() {
                Form::Mechanics(mechanics) => mechanics.dimensions().constraints() == 0,
                _ => true,
            };
            Some((model, name, is_tree))
        });
        if made[0].is_none() || made[1].as_ref().is_some_and(|(.., is_tree)| *is_tree) {
            made.swap(0, 1);
        }
        let [one, other] = made;
        if let Some((model, name, _)) = one {
            (self.model, self.formulation) = (model, Some(name));
            self.other = other.map(|(model, name, _)| (model, name));
        }
    }

    /// Plans `every` method with a tolerance (0) or a step (1) on a model.
    pub(super) fn every_of(&self, model: &Value, kind: usize, registry: &Registry) -> Result<Plan> {
        let (control, value) = [("tolerance", 1e-3), ("step", (self.span[1] - self.span[0]) / 16.0)][kind];
        let settings = self.settings.clone().unwrap_or_else(|| json!({}));
        let experiment = json!({
            "id": "compare/methods", "model": model, "span": self.span, "method": "every", "measures": ["rhs_cost"],
            (control): value, "settings": settings,
        });
        Ok(Plan::read(&self.place, experiment.to_string().as_bytes(), registry, false)?)
    }

    fn find_methods(&mut self, registry: &Registry) -> Result<()> {
        let [adaptive, fixed] = [0, 1].map(|kind| self.every_of(&self.model, kind, registry));
        self.every = match (adaptive, fixed) {
            (Err(error), Err(_)) => return Err(error),
            (adaptive, fixed) => [adaptive.ok(), fixed.ok()],
        };
        Ok(())
    }

    /// Finds the components whose errors count: positions and velocities of bodies, or states.
    fn observe(&mut self, registry: &Registry) -> Result<()> {
        for is_second in [false, true] {
            let Some(run) = self.every.iter().flatten().find_map(|plan| plan.runs.first()) else { break };
            let is_mechanism = run.model.name() == "mechanism";
            let counts = |class: &Option<Class>| matches!(class, Some(Class::Position | Class::Velocity));
            let all = run.model.object.model().observables().into_iter();
            let group = |class: Option<Class>, unit| class.filter(|_| is_mechanism).map(|class| (class, unit));
            self.observed =
                all.filter(|each| counts(&each.class)).map(|each| (each.name, group(each.class, each.unit))).collect();
            if !self.observed.is_empty() {
                return Ok(());
            }
            let bodies = run.model.parameter("bodies").and_then(Value::as_object).filter(|_| !is_second);
            let Some(bodies) = bodies.filter(|_| is_mechanism) else { break };
            let names: Vec<&String> = bodies.keys().rev().take(MOST_BODIES).collect();
            let models = [Some(&mut self.model), self.other.as_mut().map(|(other, _)| other)];
            models.into_iter().flatten().for_each(|model| model["mechanism"]["observe"] = json!(names));
            self.find_methods(registry)?;
        }
        Err(CommandError::refused(
            &format!("{}: the model observes no position, velocity or state", self.title),
            "accepted: a mechanism with `observe:`, a URDF, equations, or an experiment with one of them",
        ))
    }

    /// Returns the text of the experiment with these cases.
    pub(super) fn text(&self, reference: &Reference, cases: &[Value]) -> String {
        let Reference { methods: [main, check], exponent, digits, scales } = reference;
        let names: Vec<&str> = self.observed.iter().map(|(name, _)| name.as_str()).collect();
        let mut solved = json!({
            "method": main, "tolerance": reference.tolerance(*exponent), "precision": "double",
            "check": { "method": check, "tolerance": reference.tolerance(exponent - 1) }, "digits": digits,
        });
        if self.other.is_some() {
            solved["model"] = json!({ "formulation": self.model["mechanism"]["formulation"] });
        }
        let lines = [
            ("id", json!(format!("compare/{}", self.place.file_stem().unwrap_or_default().to_string_lossy()))),
            ("title", json!(format!("Methods for {}", self.title))),
            ("model", self.model.clone()),
            ("span", json!(self.span)),
            ("settings", self.settings.clone().unwrap_or(Value::Null)),
            (
                "measures",
                json!([
                    { "scaled_error": { "of": names, "sizes": scales, "intervals": INTERVALS } }, "rhs_cost",
                ]),
            ),
            ("reference", solved),
            ("timing", json!({ "repeat": 3 })),
            (
                "rankings",
                json!([{
                    "title": self.title, "error": "scaled_error", "scale": (names.len() as f64).sqrt(),
                    "meaning": format!(
                        "root mean squares over {INTERVALS} times and {} components, relative to the largest of each \
                         kind",
                        names.len()
                    ),
                    "accuracies": self.accuracies,
                    "work": { "right-hand sides": "rhs_cost", "time (s)": "timing.median_s" },
                }]),
            ),
        ];
        let mut text = format!(
            "# The methods that suit {}, as `mbsbench compare` tried them. With `method: every`, a case has all.\n\
             schema: 2\n",
            self.title
        );
        let flow = |value: &Value| Node::from_json(value, Place::default()).flow(plain);
        for (key, value) in lines.iter().filter(|(_, value)| !value.is_null()) {
            text += &format!("{key}: {}\n", flow(value));
        }
        let cases = cases.iter().map(|case| format!("  - {}\n", flow(case)));
        [text, "cases:\n".to_owned()].into_iter().chain(cases).collect()
    }
}

/// Returns a path that leads from a folder to a file.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let [file, folder] = [file, folder].map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let common = file.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| std::path::Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

/// A text as YAML, in quotes unless it is a plain name.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-/.".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text);
    let is_name = begins && is_word && text.chars().all(is_plain);
    if is_name { text.to_owned() } else { Value::from(text).to_string() }
}

impl Question {
    /// Returns the scale of each observed component, from values at the times of the reference: for mechanisms, the
    /// largest magnitude among the components of its class and unit; for equations, its own largest magnitude unless
    /// that is zero apart from rounding. The start does not count.
    pub(super) fn scales(&self, names: &[String], values: &[Vec<f64>]) -> Vec<f64> {
        let largest = |name: &String| {
            let index = names.iter().position(|known| known == name).unwrap_or_default();
            values[1..].iter().map(|row| row[index].abs()).fold(0.0, f64::max)
        };
        let own: Vec<f64> = self.observed.iter().map(|(name, _)| largest(name)).collect();
        let all = own.iter().copied().fold(0.0, f64::max);
        let scale = |((_, group), own_scale): (&(String, Option<_>), &f64)| {
            let alike = self.observed.iter().zip(&own).filter(|((_, other), _)| group.is_some() && other == group);
            let scale = alike.map(|(_, scale)| *scale).fold(*own_scale, f64::max);
            let scale = if scale > 1e-14 * all { scale } else { all };
            if scale > 0.0 { format!("{scale:.1e}").parse().unwrap_or(scale) } else { 1.0 }
        };
        self.observed.iter().zip(&own).map(scale).collect()
    }
}
