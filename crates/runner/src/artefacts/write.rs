//! Writing of the artefacts of an experiment; each file is written completely or not at all.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Solved;
use mbsbench_experiment::{Origin, Plan, PublishedError, Registry, RunSpec, panel_id};
use mbsbench_numbers::decimal;
use mbsbench_render::png::{self, BitmapError};
use mbsbench_render::{Figure, csv, lay_out, svg};
use mbsbench_runs::pipeline::Certificate;
use mbsbench_runs::seal::{self, FileError};
use mbsbench_runs::{Cache, Outcome};
use rayon::prelude::*;

use super::figures::{Look, figure};
use super::{animation, drawing, table};

/// The reason why the artefacts of an experiment could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of published values cannot be read.
    #[error("published values {0}")]
    Published(#[from] PublishedError),
    /// A picture or an animation cannot be rendered.
    #[error("{path}: {error}", path = path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: BitmapError,
    },
    /// A table of results cannot be written.
    #[error("table: {0}")]
    Csv(#[from] ::csv::Error),
}

/// A summary of the written files for the user.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The folder.
    pub folder: PathBuf,
    /// Tables formatted for a terminal.
    pub tables: Vec<String>,
    /// Names of all files.
    pub files: Vec<String>,
}

/// An experiment with its results, and what else its artefacts are drawn from.
pub struct Artefacts<'a> {
    /// The experiment.
    pub plan: &'a Plan,
    /// Its results.
    pub outcome: &'a Outcome,
    /// All methods, which determine the colours of curves.
    pub registry: &'a Registry,
    /// Keeps the states that drawings and animations show.
    pub cache: &'a Cache,
}

impl Artefacts<'_> {
    /// Writes everything except times under `out/<id>/`, with pictures and animations as SVG, and seals it.
    ///
    /// # Errors
    /// Fails with the first file that could not be written; all files before it are complete.
    pub fn write(&self, out: &Path) -> Result<Written, WriteError> {
        let Self { plan, outcome, registry, cache } = self;
        let folder = out.join(&plan.experiment.id);
        let results = &outcome.results;
        let mut files: Vec<(String, Vec<u8>)> = vec![("runs.csv".to_owned(), results.to_csv().into_bytes())];
        if !outcome.certificates.is_empty() {
            files.push(("references.csv".to_owned(), certificates(outcome).into_bytes()));
        }
        let mut written = Written { folder: folder.clone(), ..Written::default() };
        for spec in &plan.experiment.tables {
            let table = table(plan, &spec.value, results)?;
            files.push((format!("{}.csv", table.id), table.csv().into_bytes()));
            files.push((format!("{}.md", table.id), table.markdown().into_bytes()));
            written.tables.push(table.terminal());
        }
        let figures = self.figures()?;
        files.par_extend(figures.par_iter().flat_map_iter(|(figure, separate)| pictures_of(figure, *separate)));
        let animations = plan.experiment.animations.iter().map(|spec| &spec.value);
        files.extend(animations.filter_map(|spec| {
            let runs: Vec<&RunSpec> = plan.meant(&spec.filter).map(|(_, run)| run).collect();
            let shown = animation(plan, &runs, spec, registry, cache)?;
            Some((format!("{}.svg", spec.id), mbsbench_render::animation::svg(&shown).into_bytes()))
        }));
        seal::write(&folder, &files)?;
        written.files = files.into_iter().map(|(name, _)| name).collect();
        Ok(written)
    }

    /// Writes only the figures under `out/<id>/`, as PNG or as SVG, and returns their paths.
    ///
    /// # Errors
    /// Fails with the first picture that could not be rendered or written; the others are complete.
    pub fn write_pictures(&self, out: &Path, as_png: bool) -> Result<Vec<PathBuf>, WriteError> {
        let folder = out.join(&self.plan.experiment.id);
        let picture = |(figure, _): &(Figure, bool)| {
            let drawing = lay_out(figure);
            let name = format!("{}.{}", figure.id, if as_png { "png" } else { "svg" });
            let bytes = if as_png { png::encode(&drawing) } else { Ok(svg::write(&drawing).into_bytes()) };
            let bytes = bytes.map_err(|error| WriteError::Picture { path: folder.join(&name), error })?;
            Ok((name, bytes))
        };
        let files = self.figures()?.par_iter().map(picture).collect::<Result<Vec<_>, WriteError>>()?;
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
        if as_png {
            // These files are never read back as results, so they are not sealed.
            paths.iter().zip(&files).try_for_each(|(path, (_, content))| seal::put(path, content))?;
        } else {
            seal::write(&folder, &files)?;
        }
        Ok(paths)
    }

    /// Figures and drawings; the flag is true if their panels are also written separately.
    fn figures(&self) -> Result<Vec<(Figure, bool)>, WriteError> {
        let Self { plan, outcome, registry, cache } = self;
        let look = Look::new(plan, registry);
        let plots = plan.experiment.plots.iter();
        let plots = plots.map(|spec| Ok((figure(plan, &spec.value, &outcome.results, &look)?, spec.value.separate)));
        let drawings = plan.experiment.drawings.iter();
        plots.chain(drawings.map(|spec| Ok((drawing(plan, &spec.value, cache), true)))).collect()
    }
}

/// Writes a figure as an SVG and a file with its data. With `separate`, a figure of several panels has one data file
/// for each panel instead, and an SVG for a panel that has a number in the paper.
fn pictures_of(figure: &Figure, separate: bool) -> Vec<(String, Vec<u8>)> {
    let picture = |figure: &Figure| (format!("{}.svg", figure.id), svg::write(&lay_out(figure)).into_bytes());
    let data = |figure: &Figure| (format!("{}.csv", figure.id), csv::write(figure).into_bytes());
    let mut files = vec![picture(figure)];
    if figure.panels.len() < 2 || !separate {
        files.push(data(figure));
        return files;
    }
    for (index, panel) in figure.panels.iter().enumerate() {
        let id = panel_id(&figure.id, index).expect("more panels than letters are refused when the file is read");
        let panel = Figure {
            title: format!("{}, panel {}", figure.title, &id[figure.id.len()..]),
            id,
            columns: 1,
            panels: vec![panel.clone()],
        };
        if figure.id.starts_with("figure-") {
            files.push(picture(&panel));
        }
        files.push(data(&panel));
    }
    files
}

/// Describes each reference in a line: its method, and the digits to which its two methods agree.
fn certificates(outcome: &Outcome) -> String {
    let heads = ["reference", "model", "method", "check", "digits_asked", "digits_agreed", "failure"];
    let line = |Certificate { plan, outcome, .. }: &Certificate| {
        let (agreed, failure) = match outcome {
            Ok(reference) => (format!("{:.1}", reference.digits), String::new()),
            Err(failure) => (String::new(), failure.clone()),
        };
        let (method, check, asked) = match &plan.origin {
            Origin::Solved(Solved { solver, check, digits, .. }) => (
                solver.method.label(),
                check.as_ref().map_or_else(String::new, |(check, _)| check.method.label()),
                digits.map_or_else(String::new, |digits| decimal(f64::from(digits))),
            ),
            Origin::File(given) => {
                let by = given.as_ref().map_or_else(|_| String::new(), |given| given.by.clone());
                (by, "stated".to_owned(), String::new())
            }
        };
        [plan.key.to_string(), plan.model.identity().to_string(), method, check, asked, agreed, failure]
    };
    mbsbench_numbers::csv([heads.map(str::to_owned)].into_iter().chain(outcome.certificates.iter().map(line)))
}
