//! `mbsbench render`: figures, animations and the report, and parts of results for LaTeX and other programs.

mod animations;
mod export;
mod tex;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mbsbench_experiment::Plan;
use mbsbench_numbers::decimal;
use mbsbench_runs::{Cache, Row, fingerprint};

use super::Command;
use crate::artefacts::{Artefacts, recorded_times};
use crate::cli::{
    CommandError, Exit, FileKind, Judgements, Need, Result, RunOptions, Seen, Session, Wanted, file_kind, motion,
    none_lost, write_report,
};
use animations::AnimationOptions;

/// Time span over which a mechanism is animated if no experiment defines one, s.
const SHOWN: f64 = 10.0;
/// The methods for such an animation: first an implicit one, because the stiffness of the mechanism is unknown, and if
/// it does not reach the end, an explicit one.
const METHODS: [&str; 2] = ["radau5", "dop853"];

/// Render figures, animations or the report; export parts of it as LaTeX or CSV.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Formats:\n  svg, png                     figures; svg also animations, with controls to play them\n  \
                  gif, apng                    animations of experiments and mechanisms\n  \
                  html                         the report of all papers that have results\n  \
                  tex, pgfplots, csv           print a statement, figure or table PAPER/NAME\n\n\
                  Examples:\n  mbsbench render gil2013/linear-exactness --to png --out pictures\n  \
                  mbsbench render zhang2022/squeezer-coarse --to gif\n  mbsbench render gil2013/figure-6 --to pgfplots",
    mut_arg("wanted", |wanted| wanted.help("Experiments, a mechanism, or one PAPER/NAME [default: all papers]"))
)]
pub(super) struct Render {
    /// Subjects.
    #[command(flatten)]
    wanted: Wanted,
    /// svg|png|gif|apng|html|tex|pgfplots|csv, see below.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Svg)]
    to: Form,
    /// Pictures go to `DIR/<id>/` [default: results or target/animations].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Animations.
    #[command(flatten)]
    animation: AnimationOptions,
    /// The results that are reported or exported.
    #[command(flatten)]
    seen: Seen,
    /// Computation of runs that are not in the cache.
    #[command(flatten)]
    options: RunOptions,
}

/// A form in which something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Vector graphics; animations contain a script that plays them, with a slider and a choice of speeds.
    Svg,
    /// Pictures of at least 1280 pixels.
    Png,
    /// Animations for slides and image viewers.
    Gif,
    /// Animations in all colours, as PNG.
    Apng,
    /// The report of all papers that have results.
    Html,
    /// LaTeX: a statement with its checks, a table, or a figure with its caption.
    Tex,
    /// The axes and curves of a figure for the LaTeX package pgfplots.
    Pgfplots,
    /// Numbers.
    Csv,
}

impl Command for Render {
    fn need(&self) -> Need {
        match self.to {
            Form::Svg | Form::Png | Form::Gif | Form::Apng => self.wanted.need(),
            Form::Html | Form::Tex | Form::Pgfplots | Form::Csv => Need::Results,
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        match self.to {
            Form::Svg | Form::Png | Form::Gif | Form::Apng => self.pictures(session)?,
            Form::Html => {
                let library = session.library;
                let (plans, results) = (library.completed(Vec::new())?, self.seen.folder(library));
                let page = write_report(&plans, &Judgements::new(), &results, &self.options, session)?;
                session.output.println(format!("report: {}", page.display()))?;
            }
            Form::Tex | Form::Pgfplots | Form::Csv => {
                let [name] = self.wanted.wanted.as_slice() else {
                    let accepted = "one statement, figure or table, like `gil2013/figure-6`";
                    return Err(CommandError::no_name("", accepted));
                };
                let text = export::text(&name.to_string_lossy(), self.to, &self.seen, session)?;
                session.output.println(text.trim_end())?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Render {
    /// Writes figures and animations and prints their paths. The times shown are those recorded in `results/`.
    fn pictures(&self, session: &mut Session<'_>) -> Result<()> {
        let library = session.library;
        let mechanism = match self.wanted.wanted.as_slice() {
            [file] if file_kind(file).and_then(FileKind::model) == Some("mechanism") => Some(file),
            _ => None,
        };
        let is_figures = matches!(self.to, Form::Svg | Form::Png) && mechanism.is_none();
        let out = if is_figures { "results" } else { "target/animations" };
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(out));
        let plans = match mechanism {
            Some(file) => self.motion(file, session)?,
            None => self.wanted.plans(library, self.options.quick)?,
        };
        if is_figures {
            let (workshop, outcomes) = session.make(&plans, &self.options)?;
            for (plan, mut outcome) in plans.iter().zip(outcomes) {
                outcome.results.show(recorded_times(&library.results(), plan)?);
                let as_png = self.to == Form::Png;
                let (registry, cache) = (library.registry, &workshop.cache);
                let artefacts = Artefacts { plan, outcome: &outcome, registry, cache };
                for path in workshop.pool.install(|| artefacts.write_pictures(&out, as_png))? {
                    session.output.println(path.display().to_string())?;
                }
            }
            workshop.report_discarded(&mut session.output);
            session.output.println(workshop.progress.summary())?;
            none_lost(&workshop.progress)?;
        }
        let cache = Cache::new(&self.options.machine.cache, fingerprint(library.registry));
        let is_animated = |plan: &&Plan| match self.to {
            Form::Png => false,
            Form::Svg => mechanism.is_some() || self.animation.is_given() || !plan.experiment.animations.is_empty(),
            _ => true,
        };
        for plan in plans.iter().filter(is_animated) {
            for (path, end) in self.animation.write(plan, self.to, &out, &cache, library.registry)? {
                session.output.println(path.display().to_string())?;
                if let Some(end) = end {
                    let (id, end) = (&plan.experiment.id, decimal(end));
                    session.output.eprintln(format!("warning: {id}: drawn to {end} s, where the last run ends"));
                }
            }
        }
        Ok(())
    }

    /// The motion of a mechanism by the methods that are named, or by the first of [`METHODS`] that reaches the end.
    /// Failures are reported.
    fn motion(&self, file: &Path, session: &mut Session<'_>) -> Result<Vec<Plan>> {
        if self.to == Form::Png {
            let accepted = "accepted: `--to svg`, `gif` or `apng`";
            return Err(CommandError::refused("a mechanism is shown in motion", accepted));
        }
        let named: Vec<&str> = self.animation.method.iter().map(String::as_str).collect();
        let attempts = if named.is_empty() { METHODS.map(|name| vec![name]).to_vec() } else { vec![named] };
        let mut plans = Vec::new();
        for methods in attempts {
            plans = vec![motion(session.library.registry, "mechanism", file, SHOWN, &methods)?];
            let outcomes = session.made(&plans, &self.options)?;
            if outcomes.iter().flat_map(|outcome| &outcome.results.rows).all(Row::is_ok) {
                break;
            }
        }
        Ok(plans)
    }
}
