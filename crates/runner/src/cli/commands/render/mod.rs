//! `mbsbench render`: figures, animations and the report, and parts of results for LaTeX and other programs.

mod animations;
mod bibtex;
mod export;
mod tex;

use std::path::PathBuf;

use clap::ValueEnum;
use mbsbench_experiment::Plan;
use mbsbench_runs::{Store, fingerprint};

use super::Command;
use crate::artefacts::{recorded_times, write_pictures};
use crate::cli::{
    CommandError, Exit, FileKind, Judgements, Need, RunOptions, Seen, Session, Wanted, file_kind, motion, none_lost,
    write_report,
};
use animations::AnimationOptions;

/// Time span over which a mechanism is animated if no experiment defines one, s.
const SHOWN: f64 = 10.0;
/// The method for such an animation: implicit, because the stiffness of the mechanism is unknown.
const METHOD: &str = "radau5";

/// Render figures, animations or the report; export parts of it as LaTeX or CSV.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Formats:\n  svg, png                     figures; svg also animations, with controls to play them\n  \
                  gif, apng                    animations of experiments and mechanisms\n  \
                  html                         the report of all papers that have results\n  \
                  tex, pgfplots, csv, bibtex   print a statement, figure or table PAPER/NAME, or a citation\n\n\
                  Examples:\n  mbsbench render gil2013/linear-exactness --to png --out pictures\n  \
                  mbsbench render zhang2022/squeezer-coarse --to gif\n  mbsbench render gil2013/figure-6 --to pgfplots",
    mut_arg("wanted", |wanted| wanted.help("Experiments, a mechanism, or one PAPER/NAME [default: all papers]"))
)]
pub(super) struct Render {
    /// Subjects.
    #[command(flatten)]
    wanted: Wanted,
    /// svg|png|gif|apng|html|tex|pgfplots|csv|bibtex, see below.
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
    /// The citation of the paper.
    Bibtex,
}

impl Command for Render {
    fn need(&self) -> Need {
        match self.to {
            Form::Svg | Form::Png | Form::Gif | Form::Apng => self.wanted.need(),
            Form::Html | Form::Tex | Form::Pgfplots | Form::Csv | Form::Bibtex => Need::Results,
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit, CommandError> {
        match self.to {
            Form::Svg | Form::Png | Form::Gif | Form::Apng => self.pictures(session)?,
            Form::Html => {
                let library = session.library;
                let (plans, results) = (library.completed(Vec::new())?, self.seen.folder(library));
                let page = write_report(&plans, &Judgements::new(), &results, &self.options, session)?;
                session.output.line(format!("report: {}", page.display()))?;
            }
            Form::Tex | Form::Pgfplots | Form::Csv | Form::Bibtex => {
                let [name] = self.wanted.wanted.as_slice() else {
                    let accepted = "one statement, figure or table, like `gil2013/figure-6`";
                    return Err(CommandError::no_name("", accepted));
                };
                let text = export::text(&name.to_string_lossy(), self.to, &self.seen, session)?;
                session.output.line(text.trim_end())?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Render {
    /// Writes figures and animations and prints their paths. The times shown are those recorded in `results/`.
    fn pictures(&self, session: &mut Session<'_>) -> Result<(), CommandError> {
        let library = session.library;
        let is_figures = matches!(self.to, Form::Svg | Form::Png);
        let out = if is_figures { "results" } else { "target/animations" };
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(out));
        let mechanism = match self.wanted.wanted.as_slice() {
            [file] if file_kind(file).is_some_and(FileKind::is_mechanism) => Some(file),
            _ => None,
        };
        let plans = match mechanism {
            Some(file) => vec![motion(library.registry, file, SHOWN, METHOD)?],
            None => self.wanted.plans(library, self.options.quick)?,
        };
        if is_figures && mechanism.is_none() {
            let (workshop, outcomes) = session.make(&plans, &self.options)?;
            for (plan, mut outcome) in plans.iter().zip(outcomes) {
                outcome.results.show(recorded_times(&library.results(), plan)?);
                let as_png = self.to == Form::Png;
                let write = || write_pictures(&out, plan, &outcome, library.registry, &workshop.store, as_png);
                for path in workshop.pool.install(write)? {
                    session.output.line(path.display().to_string())?;
                }
            }
            workshop.tell_refused(&mut session.output);
            session.output.line(workshop.progress.summary())?;
            none_lost(&workshop.progress)?;
        }
        let store = Store::new(&self.options.machine.cache, fingerprint(library.registry));
        let is_animated = |plan: &&Plan| match self.to {
            Form::Png => false,
            Form::Svg => mechanism.is_some() || self.animation.is_given() || !plan.experiment.animations.is_empty(),
            _ => true,
        };
        for plan in plans.iter().filter(is_animated) {
            for path in self.animation.write(plan, self.to, &out, &store, library.registry)? {
                session.output.line(path.display().to_string())?;
            }
        }
        Ok(())
    }
}
