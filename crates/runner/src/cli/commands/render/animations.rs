//! Animations of experiments: those in the file, else of the first run of a model that has a view.

use std::path::{Path, PathBuf};

use mbsbench_experiment::spec::{MOST_FRAMES, MOST_OVERLAID};
use mbsbench_experiment::{AnimationSpec, Plan, Registry, RunSpec};
use mbsbench_render::animation::{apng, gif, svg};
use mbsbench_runs::{Cache, seal};

use super::Form;
use crate::artefacts::{WriteError, animation};
use crate::cli::{CommandError, Result, sorted};

/// Choice and style of animations.
#[derive(Debug, clap::Args)]
pub(super) struct AnimationOptions {
    /// Methods to overlay in an animation [default: first run only].
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(super) method: Vec<String>,
    /// View of the model in an animation [default: its first].
    #[arg(long)]
    view: Option<String>,
    /// Number of frames.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=MOST_FRAMES as i64))]
    frames: Option<u16>,
}

impl AnimationOptions {
    /// True if any option is given.
    pub(super) fn is_given(&self) -> bool {
        !self.method.is_empty() || self.view.is_some() || self.frames.is_some()
    }

    /// Writes the animations of an experiment, and returns their paths, each with the time of its last frame, s, if the
    /// runs end early.
    pub(super) fn write(
        &self,
        plan: &Plan,
        form: Form,
        out: &Path,
        cache: &Cache,
        registry: &Registry,
    ) -> Result<Vec<(PathBuf, Option<f64>)>> {
        let folder = out.join(&plan.experiment.id);
        let mut paths = Vec::new();
        for spec in self.wanted(plan)? {
            let runs = self.runs(plan, &spec)?;
            let shown = animation(plan, &runs, &spec, registry, cache);
            let shown = shown.ok_or_else(|| {
                let what = format!("{}: no run reaches any of the drawn times", plan.experiment.id);
                CommandError::refused(&what, "`mbsbench run` shows how its runs end")
            })?;
            let (ending, bytes) = match form {
                Form::Gif => ("gif", gif(&shown)),
                Form::Apng => ("png", apng(&shown)),
                _ => ("svg", Ok(svg(&shown).into_bytes())),
            };
            let name = format!("{}.{ending}", spec.id);
            let path = folder.join(&name);
            let bytes = bytes.map_err(|error| WriteError::Picture { path: path.clone(), error })?;
            if form == Form::Svg {
                seal::write(&folder, &[(name, bytes)])?;
            } else {
                seal::put(&path, &bytes)?;
            }
            let frames = shown.frames.len();
            let end = (frames < spec.frames).then(|| shown.start + (frames - 1) as f64 * shown.step);
            paths.push((path, end));
        }
        Ok(paths)
    }

    /// The animations of a plan, modified by the command line. If the file has none, one of its first run that has a
    /// view.
    fn wanted(&self, plan: &Plan) -> Result<Vec<AnimationSpec>> {
        let own = plan.experiment.animations.iter().map(|animation| animation.value.clone());
        let mut specs: Vec<AnimationSpec> = own.collect();
        if specs.is_empty() {
            specs.push(of_model(plan)?);
        }
        for spec in &mut specs {
            spec.frames = self.frames.map_or(spec.frames, usize::from);
            if let Some(name) = &self.view {
                let run = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter) && !run.views().is_empty());
                let known: Vec<String> =
                    run.into_iter().flat_map(RunSpec::views).map(|view| view.name.to_owned()).collect();
                if !known.contains(name) {
                    return Err(CommandError::unknown("view", name, known));
                }
                spec.view = Some(name.clone());
            }
        }
        Ok(specs)
    }

    /// The runs that are overlaid: the runs selected by the file, or, for each method named on the command line, the
    /// first run that otherwise matches.
    fn runs<'p>(&self, plan: &'p Plan, spec: &AnimationSpec) -> Result<Vec<&'p RunSpec>> {
        let methods = &self.method;
        let seen = || plan.runs.iter().filter(|run| !run.views().is_empty());
        if methods.is_empty() {
            let most = if plan.experiment.animations.is_empty() { 1 } else { MOST_OVERLAID };
            return Ok(seen().filter(|run| plan.is_meant(run, &spec.filter)).take(most).collect());
        }
        if methods.len() > MOST_OVERLAID {
            let what = "`--method` names too many methods to overlay";
            return Err(CommandError::refused(what, "accepted: one to eight names"));
        }
        let mut filter = spec.filter.clone();
        filter.remove("method");
        let meant: Vec<&RunSpec> = seen().filter(|run| plan.is_meant(run, &filter)).collect();
        let of = |name: &String| {
            let is_so_called = |run: &&&RunSpec| run.method_label == *name || run.method.name() == name;
            meant.iter().find(is_so_called).copied().ok_or_else(|| {
                let known = sorted(meant.iter().map(|run| run.method_label.clone()));
                CommandError::unknown("method of the file", name, known)
            })
        };
        methods.iter().map(of).collect()
    }
}

/// Returns the animation of an experiment that defines none.
fn of_model(plan: &Plan) -> Result<AnimationSpec> {
    let Some(run) = plan.runs.iter().find(|run| !run.views().is_empty()) else {
        let mut models: Vec<String> = plan.runs.iter().map(|run| run.model.name().to_owned()).collect();
        models.dedup();
        let what = format!("`{}` cannot be drawn", models.join("`, `"));
        let help =
            "accepted: experiments with a mechanism, bodies or points; the `views` of a model define how it is drawn";
        return Err(CommandError::refused(&what, help));
    };
    Ok(AnimationSpec { title: plan.experiment.title.clone(), ..AnimationSpec::of(run.model.name()) })
}
