//! Writes the artefacts of an experiment, each file whole or not at all.

use std::path::{Path, PathBuf};

use mbsbench_experiment::PublishedError;
use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::write_atomically;
use mbsbench_numbers::decimal;
use mbsbench_render::figure::Figure;
use mbsbench_render::png::PngError;
use mbsbench_render::{RENDERER, csv, lay_out, png, svg};
use mbsbench_runs::pipeline::Outcome;
use mbsbench_runs::store::Store;
use rayon::prelude::*;

use super::{drawing, figure, table};

/// Why the artefacts of an experiment could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system refused.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file of published values cannot be read.
    #[error("published values {0}")]
    Published(#[from] PublishedError),
    /// A picture cannot be made.
    #[error("picture: {0}")]
    Png(#[from] PngError),
    /// A table of results cannot be made.
    #[error("table: {0}")]
    Csv(#[from] ::csv::Error),
}

/// What was written for a reader to be told.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Where it is.
    pub folder: PathBuf,
    /// Tables as they look on a terminal.
    pub tables: Vec<String>,
    /// Names of all files.
    pub files: Vec<String>,
}

/// Writes everything but `timings.csv` under `out/<id>/`; pictures that `store` has are not drawn again.
///
/// # Errors
/// The first file that could not be written; the others are whole.
pub fn write(
    out: &Path,
    plan: &Plan,
    outcome: &Outcome,
    registry: &Registry,
    store: &Store,
) -> Result<Written, WriteError> {
    let folder = out.join(&plan.experiment.id);
    let results = &outcome.results;
    let mut files: Vec<(String, Vec<u8>)> = vec![("runs.csv".to_owned(), results.to_csv()?)];
    if !outcome.certificates.is_empty() {
        files.push(("references.csv".to_owned(), certificates(outcome)?));
    }
    let mut written = Written { folder: folder.clone(), ..Written::default() };
    for spec in &plan.experiment.tables {
        let table = table(plan, &spec.value, results)?;
        files.push((format!("{}.csv", table.id), table.csv().into_bytes()));
        files.push((format!("{}.md", table.id), table.markdown().into_bytes()));
        written.tables.push(table.terminal());
    }
    let figures: Vec<(Figure, bool)> = plan
        .experiment
        .plots
        .iter()
        .map(|spec| Ok((figure(plan, &spec.value, results, registry)?, spec.value.separate)))
        .chain(plan.experiment.drawings.iter().map(|spec| Ok((drawing(plan, &spec.value, store), true))))
        .collect::<Result<Vec<_>, WriteError>>()?;
    let pictures: Vec<Vec<(String, Vec<u8>)>> =
        figures.par_iter().map(|(figure, separate)| pictures_of(figure, *separate, store)).collect::<Result<_, _>>()?;
    files.extend(pictures.into_iter().flatten());
    for (name, content) in &files {
        let path = folder.join(name);
        write_atomically(&path, content).map_err(|error| WriteError::Io { path, error })?;
    }
    written.files = files.into_iter().map(|(name, _)| name).collect();
    Ok(written)
}

/// The pictures of a figure and the data it shows. Where it has several panels, each is there by itself with `separate`: its
/// data, which are those of the figure, and the SVG of one that a paper has a number for.
fn pictures_of(figure: &Figure, separate: bool, store: &Store) -> Result<Vec<(String, Vec<u8>)>, WriteError> {
    let mut files = pictures(figure, store)?.to_vec();
    let data = |figure: &Figure| (format!("{}.csv", figure.id), csv::write(figure).into_bytes());
    if figure.panels.len() < 2 {
        files.push(data(figure));
        return Ok(files);
    }
    for (panel, letter) in figure.panels.iter().zip('a'..='z').filter(|_| separate) {
        let panel = Figure {
            id: format!("{}{letter}", figure.id),
            title: format!("{}, panel {letter}", figure.title),
            columns: 1,
            panels: vec![panel.clone()],
        };
        if figure.id.starts_with("figure-") {
            files.push((format!("{}.svg", panel.id), svg::write(&lay_out(&panel)).into_bytes()));
        }
        files.push(data(&panel));
    }
    Ok(files)
}

/// A figure as SVG and PNG, each with the name of its file.
fn pictures(figure: &Figure, store: &Store) -> Result<[(String, Vec<u8>); 2], PngError> {
    let drawing = lay_out(figure);
    // Not the SVG: its numbers are rounded.
    let pixels = store.picture(&format!("{drawing:?}"), RENDERER, || png::encode(&drawing))?;
    Ok([(format!("{}.svg", figure.id), svg::write(&drawing).into_bytes()), (format!("{}.png", figure.id), pixels)])
}

/// One line a reference: how it was made, and to how many digits its two methods agree.
fn certificates(outcome: &Outcome) -> Result<Vec<u8>, ::csv::Error> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(["reference", "model", "method", "check", "digits_asked", "digits_agreed", "failure"])?;
    for certificate in &outcome.certificates {
        let plan = &certificate.plan;
        let (agreed, failure) = match &certificate.outcome {
            Ok(reference) => (format!("{:.1}", reference.digits), String::new()),
            Err(failure) => (String::new(), failure.clone()),
        };
        writer.write_record([
            plan.key.to_string(),
            plan.model.identity().to_string(),
            plan.solver.method.label(),
            plan.check.as_ref().map_or_else(String::new, |(check, _)| check.method.label()),
            plan.digits.map_or_else(String::new, |digits| decimal(f64::from(digits))),
            agreed,
            failure,
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
