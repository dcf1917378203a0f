//! `mbsbench animate`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::spec::{AnimationSpec, MOST_FRAMES, MOST_OVERLAID};
use mbsbench_render::animation::{self, Animation};
use mbsbench_runs::fingerprint;
use mbsbench_runs::store::Store;

use super::files::Library;
use super::recognition::{is_mechanism, motion};
use super::run::STORE;
use super::{CommandError, load};
use crate::artefacts::{WriteError, animation_of, put};
use crate::output::Output;

/// How long a mechanism moves that no experiment moves, s.
const SHOWN: f64 = 10.0;
/// The method that solves it: implicit, since nothing is known of its stiffness.
const METHOD: &str = "radau5";

/// What is animated, and as what.
#[derive(Debug, Clone, clap::Args)]
pub struct AnimateOptions {
    /// Animation with this id [default: all of the file].
    #[arg(long)]
    pub id: Option<String>,
    /// Format; an SVG has controls to play it.
    #[arg(long, value_enum, value_name = "gif|apng|svg", default_value_t = Moving::Gif)]
    pub format: Moving,
    /// Labels of the methods to overlay [default: first run only].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub method: Vec<String>,
    /// View of the model [default: its first].
    #[arg(long)]
    pub view: Option<String>,
    /// Number of frames.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=MOST_FRAMES as i64))]
    pub frames: Option<u16>,
    /// Animations go to `DIR/<id>/`.
    #[arg(long, value_name = "DIR", default_value = "target/animations")]
    pub out: PathBuf,
    /// Run cache.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    pub cache: PathBuf,
}

/// What moves in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Moving {
    /// Images for slides and whatever shows pictures.
    Gif,
    /// Images in all colours, as PNG.
    Apng,
    /// A picture with a script that plays it, with a slider and a choice of speeds.
    Svg,
}

impl Moving {
    fn ending(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "png",
            Self::Svg => "svg",
        }
    }

    fn encode(self, shown: &Animation) -> Result<Vec<u8>, animation::AnimationError> {
        match self {
            Self::Gif => animation::gif(shown),
            Self::Apng => animation::apng(shown),
            Self::Svg => Ok(animation::svg(shown).into_bytes()),
        }
    }
}

/// Animates the experiments of a file, or those of these names: as they say, or else the first run of a model that has a view.
pub(super) fn animate(
    library: Library<'_>,
    file: &Path,
    options: &AnimateOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = if is_mechanism(file) {
        vec![motion(library.registry, file, SHOWN, METHOD)?]
    } else if file.is_file() {
        load(library.registry, &[file.to_owned()], false)?
    } else {
        library.selected(&[file.to_owned()], false)?
    };
    let store = Store::new(&options.cache, fingerprint(library.registry));
    for plan in &plans {
        for spec in wanted(plan, options)? {
            let runs = runs(plan, &spec, &options.method)?;
            let shown = animation_of(plan, &runs, &spec, library.registry, &store);
            let shown = shown.ok_or_else(|| CommandError::NothingMoves { experiment: plan.experiment.id.clone() })?;
            let path = options.out.join(&plan.experiment.id).join(format!("{}.{}", spec.id, options.format.ending()));
            let bytes = options.format.encode(&shown);
            let bytes = bytes.map_err(|error| WriteError::Animation { path: path.clone(), error })?;
            put(&path, &bytes)?;
            output.line(path.display().to_string())?;
        }
    }
    Ok(())
}

/// The animations of a plan with what is said on the command line; where the file has none, one of its first run that can be seen.
fn wanted(plan: &Plan, options: &AnimateOptions) -> Result<Vec<AnimationSpec>, CommandError> {
    let own = plan.experiment.animations.iter().map(|animation| animation.value.clone());
    let mut specs: Vec<AnimationSpec> = own.collect();
    if let Some(id) = &options.id {
        let known: Vec<String> = specs.iter().map(|spec| spec.id.clone()).collect();
        specs.retain(|spec| spec.id == *id);
        if specs.is_empty() {
            return Err(CommandError::UnknownName { kind: "animation", found: id.clone(), known });
        }
    }
    if specs.is_empty() {
        specs.push(of_model(plan)?);
    }
    for spec in &mut specs {
        spec.frames = options.frames.map_or(spec.frames, usize::from);
        if let Some(name) = &options.view {
            let run = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter) && !run.views().is_empty());
            let known: Vec<String> =
                run.into_iter().flat_map(RunSpec::views).map(|view| view.name.to_owned()).collect();
            if !known.contains(name) {
                return Err(CommandError::UnknownName { kind: "view", found: name.clone(), known });
            }
            spec.view = Some(name.clone());
        }
    }
    Ok(specs)
}

/// The animation of an experiment that has none.
fn of_model(plan: &Plan) -> Result<AnimationSpec, CommandError> {
    let Some(run) = plan.runs.iter().find(|run| !run.views().is_empty()) else {
        let mut models: Vec<String> = plan.runs.iter().map(|run| run.model.name().to_owned()).collect();
        models.dedup();
        return Err(CommandError::NoView { models });
    };
    Ok(AnimationSpec { title: plan.experiment.title.clone(), ..AnimationSpec::of(run.model.name()) })
}

/// The runs that are drawn over one another: those meant by the file, or of each method that is named the first that is meant otherwise.
fn runs<'p>(plan: &'p Plan, spec: &AnimationSpec, methods: &[String]) -> Result<Vec<&'p RunSpec>, CommandError> {
    let seen = || plan.runs.iter().filter(|run| !run.views().is_empty());
    if methods.is_empty() {
        let most = if plan.experiment.animations.is_empty() { 1 } else { MOST_OVERLAID };
        return Ok(seen().filter(|run| plan.is_meant(run, &spec.filter)).take(most).collect());
    }
    if methods.len() > MOST_OVERLAID {
        let lacks = "room for so many runs over one another";
        return Err(CommandError::NoForm { name: "--method".to_owned(), lacks, accepted: "one to eight names" });
    }
    let mut filter = spec.filter.clone();
    filter.remove("method");
    let meant: Vec<&RunSpec> = seen().filter(|run| plan.is_meant(run, &filter)).collect();
    let of = |name: &String| {
        let is_so_called = |run: &&&RunSpec| run.method_label == *name || run.method.name() == name;
        meant.iter().find(is_so_called).copied().ok_or_else(|| {
            let mut known: Vec<String> = meant.iter().map(|run| run.method_label.clone()).collect();
            known.sort();
            known.dedup();
            CommandError::UnknownName { kind: "method of the file", found: name.clone(), known }
        })
    };
    methods.iter().map(of).collect()
}
