//! The files below `experiments/`.

use std::io;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::{BadInput, Document};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::comparison::{COMPARISON, is_comparison};
use mbsbench_judge::publication::{self, Publication, PublicationKind};
use mbsbench_runs::seal;
use rayon::prelude::*;

use super::contenders::is_contenders;
use super::{CommandError, load};

/// Where experiments are, seen from the folder of the project.
pub(super) const EXPERIMENTS: &str = "experiments";
/// Where results are, seen from there.
const RESULTS: &str = "results";
/// What is found of an experiment by sampling what its paper leaves out.
const STUDY: &str = "robustness.csv";

/// Ledgers lie beside the experiments of their paper.
const LEDGERS: [(&str, Book); 2] = [("claims", Book::Claims), ("anchors", Book::Anchors)];

/// Folders of papers with their experiments and ledgers, and what these can name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Library<'l> {
    pub(super) registry: &'l Registry,
    /// The folder that has a folder for each paper.
    pub(super) experiments: &'l Path,
    /// Whether these are the ones that are built in, unpacked where nobody keeps anything.
    pub(super) is_builtin: bool,
}

impl Library<'_> {
    /// Where results of its experiments are kept: beside their folder, or in this one where they are built in.
    pub(super) fn results(&self) -> PathBuf {
        if self.is_builtin { PathBuf::from(RESULTS) } else { self.beside() }
    }

    /// Where the results of all methods are that others are compared with: among its results, or built in where nobody has made them.
    pub(super) fn compared(&self) -> PathBuf {
        let own = self.results();
        if self.is_builtin && !own.join("comparison").exists() { self.beside() } else { own }
    }

    /// Where it is recorded what runs take.
    pub(super) fn recorded(&self) -> PathBuf {
        self.beside()
    }

    /// Takes over the built-in studies of experiments whose results have none: verdicts rest on them.
    pub(super) fn bring_studies(&self, plans: &[Plan]) -> Result<(), CommandError> {
        let results = self.results();
        for id in plans.iter().filter(|_| self.is_builtin).map(|plan| &plan.experiment.id) {
            let [from, to] = [&self.beside(), &results].map(|results| results.join(id));
            if from.join(STUDY).exists() && !to.join(STUDY).exists() {
                let content = mbsbench_input::read_file(&from.join(STUDY), mbsbench_input::LARGEST_DATA)
                    .map_err(|error| CommandError::Unreadable { path: from.join(STUDY), error })?;
                seal::write(&to, &[(STUDY.to_owned(), content)])?;
            }
        }
        Ok(())
    }

    /// Whether results are the built-in ones, which are compared with the program before each use.
    pub(super) fn are_builtin(&self, results: &Path) -> bool {
        self.is_builtin && results == self.beside()
    }

    fn beside(&self) -> PathBuf {
        self.experiments.with_file_name(RESULTS)
    }

    /// Plans of all experiments.
    pub(super) fn plans(&self, quick: bool) -> Result<Vec<Plan>, CommandError> {
        load(self.registry, &experiment_files(self.experiments)?, quick)
    }

    /// Plans of the papers or experiments (`compere2001/pendulum-ode`) of that name; all of the papers where none is named. Other files
    /// are not read.
    pub(super) fn named(&self, names: &[String], quick: bool) -> Result<Vec<Plan>, CommandError> {
        if names.is_empty() {
            let papers = self.papers_alone()?;
            return self.plans_where(quick, |id| papers.iter().any(|paper| paper == paper_of(id)));
        }
        let is_called = |id: &str, name: &String| id == name || paper_of(id) == name;
        let plans = self.plans_where(quick, |id| names.iter().any(|name| is_called(id, name)))?;
        if let Some(name) = names.iter().find(|name| !plans.iter().any(|plan| is_called(&plan.experiment.id, name))) {
            let ids = self.ids()?;
            let mut known: Vec<String> = ids.iter().flat_map(|id| [paper_of(id).to_owned(), id.clone()]).collect();
            known.sort();
            known.dedup();
            return Err(CommandError::UnknownName { kind: "paper or experiment", found: name.clone(), known });
        }
        Ok(plans)
    }

    /// The same, and all other plans where these are of all papers: read together, both cores have work to the end.
    pub(super) fn named_and_others(
        &self,
        names: &[String],
        quick: bool,
    ) -> Result<(Vec<Plan>, Vec<Plan>), CommandError> {
        if quick || !names.is_empty() {
            return Ok((self.named(names, quick)?, Vec::new()));
        }
        let papers = self.papers_alone()?;
        Ok(self.plans(false)?.into_iter().partition(|plan| papers.contains(&plan.experiment.paper)))
    }

    /// Plans of the experiments of one paper.
    ///
    /// # Errors
    /// Where it has none, or as [`load`].
    pub(super) fn plans_of(&self, paper: &str) -> Result<Vec<Plan>, CommandError> {
        let plans = self.plans_where(false, |id| paper_of(id) == paper)?;
        if plans.is_empty() {
            return Err(CommandError::UnknownName { kind: "paper", found: paper.to_owned(), known: self.papers()? });
        }
        Ok(plans)
    }

    /// Some plans with those of all other files, in the order of their paths.
    pub(super) fn completed(&self, mut plans: Vec<Plan>) -> Result<Vec<Plan>, CommandError> {
        let mut rest = experiment_files(self.experiments)?;
        rest.retain(|path| !plans.iter().any(|plan| file_of(plan) == path));
        plans.extend(load(self.registry, &rest, false)?);
        plans.sort_by(|one, other| file_of(one).cmp(file_of(other)));
        Ok(plans)
    }

    /// Plans of the experiments whose id is wanted. Of other files no more is read than the line with their id.
    fn plans_where(&self, quick: bool, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Plan>, CommandError> {
        let mut files = experiment_files(self.experiments)?;
        files.retain(|path| id_in(path).is_none_or(|id| is_wanted(&id)));
        let mut plans = load(self.registry, &files, quick)?;
        plans.retain(|plan| is_wanted(&plan.experiment.id));
        Ok(plans)
    }

    /// The ids of all experiments, as far as they can be known without reading whole files.
    fn ids(&self) -> Result<Vec<String>, CommandError> {
        Ok(experiment_files(self.experiments)?.iter().filter_map(|path| id_in(path)).collect())
    }

    /// The papers, sets and the comparison that have experiments, in order.
    pub(super) fn papers(&self) -> Result<Vec<String>, CommandError> {
        let mut papers: Vec<String> = self.ids()?.iter().map(|id| paper_of(id).to_owned()).collect();
        papers.sort();
        papers.dedup();
        Ok(papers)
    }

    /// Plans of experiment files, or of papers and experiments by their names; all of the papers where nothing is wanted.
    pub(super) fn selected(&self, wanted: &[PathBuf], quick: bool) -> Result<Vec<Plan>, CommandError> {
        if are_files(wanted) {
            return load(self.registry, wanted, quick);
        }
        let names: Vec<String> = wanted.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        self.named(&names, quick)
    }

    /// The papers that have experiments. Sets of problems and the comparison across the papers are none: they take long, and are named
    /// by who wants them.
    pub(super) fn papers_alone(&self) -> Result<Vec<String>, CommandError> {
        let mut alone = Vec::new();
        for paper in self.papers()?.into_iter().filter(|paper| paper != COMPARISON) {
            if self.publication(&paper)?.kind == PublicationKind::Paper {
                alone.push(paper);
            }
        }
        Ok(alone)
    }

    /// How a paper or set is cited; of one without `paper.yaml` its id is all that is known.
    pub(super) fn publication(&self, paper: &str) -> Result<Publication, CommandError> {
        let path = self.experiments.join(paper).join(publication::FILE);
        if path.exists() { read_with(&path, Publication::read) } else { Ok(Publication::untold(paper)) }
    }

    /// All papers and sets, in the order of the report: those with a `paper.yaml`, and those of some plans.
    pub(super) fn publications(&self, plans: &[Plan]) -> Result<Vec<(String, Publication)>, CommandError> {
        let mut ids = papers(plans.iter().filter(|plan| !is_comparison(&plan.experiment)));
        for folder in entries(self.experiments)?.iter().filter(|folder| folder.join(publication::FILE).exists()) {
            ids.extend(folder.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        ids.sort();
        ids.dedup();
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let publication = self.publication(&id)?;
            found.push((id, publication));
        }
        found.sort_by(|(_, one), (_, other)| one.order(other));
        Ok(found)
    }

    /// The ledger of a paper; none where it has no ledger.
    pub(super) fn ledger(&self, paper: &str, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
        self.book(paper, Book::Claims, plans)
    }

    /// The ledgers of papers, of those that have one.
    pub(super) fn ledgers(&self, papers: &[String], plans: &[Plan]) -> Result<Vec<Ledger>, CommandError> {
        papers.par_iter().filter_map(|paper| self.ledger(paper, plans).transpose()).collect()
    }

    /// The anchors of a paper; none where it has none.
    pub(super) fn anchors(&self, paper: &str, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
        self.book(paper, Book::Anchors, plans)
    }

    /// Where the ledger of a paper is, if it has one.
    pub(super) fn ledger_file(&self, paper: &str, book: Book) -> Option<PathBuf> {
        let (name, _) = LEDGERS.into_iter().find(|(_, one)| *one == book)?;
        let path = self.experiments.join(paper).join(format!("{name}.yaml"));
        path.exists().then_some(path)
    }

    fn book(&self, paper: &str, book: Book, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
        self.ledger_file(paper, book).map(|path| read_ledger(&path, book, plans)).transpose()
    }
}

/// Whether what is wanted are files and no names.
pub(super) fn are_files(wanted: &[PathBuf]) -> bool {
    !wanted.is_empty() && wanted.iter().all(|path| path.is_file() || is_yaml(path))
}

/// The book that a file is, by its name; none for an experiment.
pub(super) fn book(path: &Path) -> Option<Book> {
    let stem = path.file_stem()?;
    LEDGERS.into_iter().find(|(name, _)| stem == *name).map(|(_, book)| book)
}

/// Whether a name is that of a file of YAML.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "yaml" || end == "yml")
}

/// Whether a file says how a paper is cited.
pub(super) fn is_publication(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == publication::FILE)
}

/// Experiment files in a folder and in the folders of papers in it, in the order of their paths. What is deeper belongs to them:
/// mechanisms, references, published values.
pub(super) fn experiment_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = files_below(folder, 2)?;
    files.retain(|path| is_experiment(path));
    Ok(files)
}

fn is_experiment(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
        && book(path).is_none()
        && !is_publication(path)
        && !is_contenders(path)
}

/// The paper of the experiment with an id.
fn paper_of(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

/// The file that a plan was read from.
fn file_of(plan: &Plan) -> &Path {
    plan.experiment.document.source.path()
}

/// The id of an experiment file, where it stands on a line of its own as it is; none where only reading the whole file tells.
fn id_in(path: &Path) -> Option<String> {
    let text = mbsbench_input::read_text(path, mbsbench_input::LARGEST_TEXT).ok()?;
    let id = text.lines().find_map(|line| line.strip_prefix("id:"))?.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
    (!id.is_empty() && id.chars().all(is_plain)).then(|| id.to_owned())
}

/// All files below a folder, in the order of their paths.
pub(super) fn all_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    files_below(folder, usize::MAX)
}

/// The files that are at most so deep in a folder, in the order of their paths. Links are followed; one that leads to nothing is left
/// out, as editors make them, and one that leads in a circle is an error.
fn files_below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).follow_links(true).max_depth(depth).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => files.push(entry.into_path()),
            Err(wrong) => {
                let path = wrong.path().unwrap_or(folder).to_owned();
                let is_missing = wrong.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
                if is_missing && wrong.depth() > 0 {
                    continue;
                }
                let error = match wrong.loop_ancestor() {
                    Some(above) => {
                        let what = format!("a link in a circle, to `{}` above it; remove it", above.display());
                        io::Error::new(io::ErrorKind::InvalidInput, what)
                    }
                    None => wrong.into(),
                };
                return Err(CommandError::Unreadable { path, error });
            }
        }
    }
    Ok(files)
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let unreadable = |error| CommandError::Unreadable { path: folder.to_owned(), error };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unreadable)?;
    paths.sort();
    Ok(paths)
}

/// The papers of some plans, in order, each once.
pub(super) fn papers<'p>(plans: impl IntoIterator<Item = &'p Plan>) -> Vec<String> {
    let mut papers: Vec<String> = plans.into_iter().map(|plan| plan.experiment.paper.clone()).collect();
    papers.sort();
    papers.dedup();
    papers
}

/// Reads a ledger.
pub(super) fn read_ledger(path: &Path, book: Book, plans: &[Plan]) -> Result<Ledger, CommandError> {
    read_with(path, |document| Ledger::read(document, book, plans))
}

/// Reads the ledger of a paper whatever its lock says.
pub(super) fn read_unlocked(path: &Path, plans: &[Plan]) -> Result<Ledger, CommandError> {
    read_with(path, |document| Ledger::read_unlocked(document, Book::Claims, plans))
}

/// Reads a file of YAML as what it is.
pub(super) fn read_with<T>(path: &Path, read: impl Fn(&Document) -> Result<T, BadInput>) -> Result<T, CommandError> {
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
        .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let found = Document::parse(path, &bytes).and_then(|document| read(&document));
    found.map_err(|wrong| CommandError::BadInput(vec![wrong]))
}

/// Reads `paper.yaml`, and holds what is to be taken away of the paper against the ledger and the experiments beside it.
pub(super) fn read_publication(registry: &Registry, path: &Path) -> Result<Publication, CommandError> {
    let publication = read_with(path, Publication::read)?;
    if publication.takeaways().next().is_none() {
        return Ok(publication);
    }
    let plans = plans_beside(registry, path)?;
    let ledger = path.with_file_name("claims.yaml");
    let ledger = ledger.exists().then(|| read_ledger(&ledger, Book::Claims, &plans)).transpose()?;
    read_with(path, |document| publication.agrees(document, ledger.as_ref(), &plans.iter().collect::<Vec<_>>()))?;
    Ok(publication)
}

/// Plans of the experiments that lie beside a ledger.
pub(super) fn plans_beside(registry: &Registry, ledger: &Path) -> Result<Vec<Plan>, CommandError> {
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut files = entries(folder)?;
    files.retain(|path| path.is_file() && is_experiment(path));
    load(registry, &files, false)
}
