//! The report: a front page and one page for each paper, generated from the results folder.
//!
//! Each page is one file. It contains its figures, style and script, and loads nothing. Without the script, only
//! search, hiding of series and reading of values are missing. Experiment files and studies of a paper are in an
//! appendix, which keeps pages small.

mod appendix;
pub(crate) mod artefact;
mod comparison;
mod front;
mod methods;
mod page;
mod paper;
mod places;
mod policy;
pub(crate) mod results_table;
mod sensitivity;
mod statement;

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, Registry};
use mbsbench_judge::claims::Judged;
use mbsbench_judge::claims::record::Scores;
use mbsbench_judge::comparison::Summary;
use mbsbench_judge::publication::Publication;
use mbsbench_runs::FileError;
use mbsbench_runs::seal::put;
use rayon::prelude::*;

pub(crate) use comparison::{drawn, of_best};
use methods::Methods;
pub(crate) use page::{figure_named, page};
use statement::Found;

/// A paper with the contents of its page.
pub struct PaperReport<'r> {
    /// The id of the paper.
    pub paper: String,
    /// Its citation.
    pub publication: Publication,
    /// Plans of its experiments.
    pub plans: Vec<&'r Plan>,
    /// Its statements and our findings, judged; empty if it has no ledger.
    pub judged: Vec<Judged>,
}

impl PaperReport<'_> {
    /// The outcomes of its statements.
    fn scores(&self) -> Scores {
        Scores::of(&self.judged, false)
    }
}

/// The comparison of methods across papers with the contents of its page.
pub struct ComparisonReport<'r> {
    /// Plans of its experiments.
    pub plans: Vec<&'r Plan>,
    /// The cheapest methods.
    pub summary: Summary<'r>,
}

/// The contents of a report.
pub struct Report<'r> {
    /// Folder with the results.
    pub results: &'r Path,
    /// The papers with results.
    pub papers: Vec<PaperReport<'r>>,
    /// The papers that lack results.
    pub lacking: Vec<(String, Publication)>,
    /// The comparison of methods, if it has results.
    pub compared: Option<ComparisonReport<'r>>,
    /// All methods and models.
    pub registry: &'r Registry,
}

/// Pages by the names of their files.
type Pages = Vec<(String, String)>;

/// The result of writing a part of the report.
type Result<T, E = FileError> = std::result::Result<T, E>;

/// Writes `results/report/index.html`, a page for each paper and, if there is a comparison, its pages, from the files
/// under `results`.
///
/// # Errors
/// Fails with the first file that cannot be read or written.
pub fn write(report: &Report<'_>) -> Result<PathBuf> {
    let Report { results, papers, compared, registry, .. } = report;
    let folder = results.join("report");
    let plans =
        papers.iter().flat_map(|paper| &paper.plans).chain(compared.iter().flat_map(|compared| &compared.plans));
    let methods = &Methods::new(plans.copied(), registry);
    let save = |name: &str, text: String| put(&folder.join(name), text.as_bytes());
    let found: Vec<Found<'_>> =
        papers.par_iter().map(|paper| Found::new(results, &paper.plans, methods)).collect::<Result<_>>()?;
    let of_papers = || {
        papers.par_iter().zip(&found).try_for_each(|(paper, found)| {
            let studies = sensitivity::Study::all(results, paper)?;
            save(&format!("{}.html", paper.paper), paper::page_of(paper, &studies, found)?)?;
            save(&page::file_of_appendix(&paper.paper), appendix::page_of(paper, &studies, found)?)
        })
    };
    let of_comparison = || {
        let Some(compared) = compared else { return Ok(()) };
        let pages = comparison::pages(report, compared, methods)?;
        pages.into_par_iter().try_for_each(|(file, text)| save(&file, text))
    };
    let front = || {
        let pages = methods::pages(report, methods, &found);
        pages.into_par_iter().try_for_each(|(file, text)| save(&file, text))?;
        save("index.html", front::page_of(report, methods)?)
    };
    let (papers, (compared, front)) = rayon::join(of_papers, || rayon::join(of_comparison, front));
    papers.and(compared).and(front)?;
    Ok(folder.join("index.html"))
}

/// Reads the text of a file.
fn read(path: &Path) -> Result<String> {
    mbsbench_input::read_text(path, mbsbench_input::LARGEST_DATA).map_err(FileError::of(path))
}
