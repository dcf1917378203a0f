//! The files below `experiments/`.

use std::io;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::{BadInput, Document, write_atomically};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::comparison::COMPARISON;
use mbsbench_judge::publication::{self, Publication, PublicationKind};
use mbsbench_runs::costs::RECORDED;
use mbsbench_runs::{seal, timings};
use rayon::prelude::*;

use super::check::other_kind;
use super::contenders::is_contenders;
use super::recognition::{FileKind, file_kind};
use super::results::Results;
use super::source::Builtin;
use super::{CommandError, load};

/// Where experiments are, seen from the folder of the project.
pub(super) const EXPERIMENTS: &str = "experiments";
/// Where results are, seen from there.
pub(super) const RESULTS: &str = "results";
/// What the reconstruction of an experiment found.
const STUDY: &str = "reconstruction.csv";

/// Ledgers lie beside the experiments of their paper.
const LEDGERS: [(&str, Book); 2] = [("claims", Book::Claims), ("anchors", Book::Anchors)];

/// Folders of papers with their experiments and ledgers, and what these can name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Library<'l> {
    pub(super) registry: &'l Registry,
    /// The folder that has a folder for each paper.
    pub(super) experiments: &'l Path,
    /// Whether these are the built-in ones, unpacked in the user's folder for caches.
    pub(super) is_builtin: bool,
    /// Built-in papers that can be named, among these or beside them.
    pub(super) builtin: &'l Builtin,
}

impl<'l> Library<'l> {
    /// The folder for new results: beside the folder of the experiments, or in the current one if these are built in.
    pub(super) fn results(&self) -> PathBuf {
        if self.is_builtin { PathBuf::from(RESULTS) } else { self.beside() }
    }

    /// The results that are read: those in a folder that is named, or else those made here and the built-in ones.
    pub(super) fn seen(&self, named: Option<&PathBuf>) -> Results<'l> {
        match named {
            Some(folder) => Results::only(folder.clone()),
            None => Results::or_builtin(self.results(), self.builtin),
        }
    }

    /// The folder that records how long runs take.
    pub(super) fn recorded(&self) -> PathBuf {
        let own = self.beside();
        let built_in = self.builtin.unpacked().filter(|_| !own.join(RECORDED).exists());
        built_in.map_or(own, |root| root.join(RESULTS))
    }

    /// Copies the recorded studies and times of built-in experiments into results that have none: verdicts depend on them.
    pub(super) fn bring_recorded(&self, plans: &[Plan]) -> Result<(), CommandError> {
        let results = self.results();
        let experiments = plans.iter().map(|plan| &plan.experiment).filter(|experiment| !experiment.quick);
        for id in experiments.map(|experiment| &experiment.id).filter(|id| self.builtin.has(paper_of(id))) {
            let built_in = self.builtin.root()?.join(RESULTS);
            if let Some(content) = lacking(&built_in.join(id).join(STUDY), &results.join(id).join(STUDY))? {
                seal::write(&results.join(id), &[(STUDY.to_owned(), content)])?;
            }
            let path = timings::path(&results, id);
            if let Some(content) = lacking(&timings::path(&built_in, id), &path)? {
                write_atomically(&path, &content).map_err(|error| CommandError::Store { path, error })?;
            }
        }
        return Ok(());

        /// The content of a file that exists and has no counterpart.
        fn lacking(from: &Path, counterpart: &Path) -> Result<Option<Vec<u8>>, CommandError> {
            if !from.exists() || counterpart.exists() {
                return Ok(None);
            }
            let content = mbsbench_input::read_file(from, mbsbench_input::LARGEST_DATA);
            content.map(Some).map_err(|error| CommandError::Unreadable { path: from.to_owned(), error })
        }
    }

    fn beside(&self) -> PathBuf {
        self.experiments.with_file_name(RESULTS)
    }

    /// Built-in papers beside the folder of the experiments.
    fn others(&self) -> impl Iterator<Item = &'static str> {
        self.builtin.papers().filter(|_| !self.is_builtin)
    }

    /// Whether a paper is built in and beside those of the user.
    pub(super) fn is_beside(&self, paper: &str) -> bool {
        !self.is_builtin && self.builtin.has(paper)
    }

    /// The folder of a paper.
    pub(super) fn folder_of(&self, paper: &str) -> Result<PathBuf, CommandError> {
        if self.is_beside(paper) {
            return Ok(self.builtin.root()?.join(EXPERIMENTS).join(paper));
        }
        Ok(self.experiments.join(paper))
    }

    /// Experiment files of the folder, and of those built-in papers beside it that are wanted.
    pub(super) fn files(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, CommandError> {
        let mut files = experiment_files(self.experiments)?;
        for paper in self.others().filter(|paper| is_wanted(paper)) {
            files.extend(experiment_files(&self.folder_of(paper)?)?);
        }
        Ok(files)
    }

    /// Plans of all experiments.
    pub(super) fn plans(&self, quick: bool) -> Result<Vec<Plan>, CommandError> {
        load(self.registry, &self.files(|_| true)?, quick)
    }

    /// Plans of the papers or experiments (`compere2001/pendulum-ode`) with these names; without names, of all papers of the user, or of all
    /// built-in papers if there are no others. Other files are not read.
    pub(super) fn named(&self, names: &[String], quick: bool) -> Result<Vec<Plan>, CommandError> {
        if names.is_empty() {
            return self.of_papers(&self.papers_alone()?, quick);
        }
        let is_called = |id: &str, name: &String| id == name || paper_of(id) == name;
        let plans = self.plans_where(
            quick,
            |paper| names.iter().any(|name| paper_of(name) == paper),
            |id| names.iter().any(|name| is_called(id, name)),
        )?;
        if let Some(name) = names.iter().find(|name| !plans.iter().any(|plan| is_called(&plan.experiment.id, name))) {
            if let Some(other) = other_kind(Path::new(name), FileKind::Experiment) {
                return Err(other);
            }
            let ids = self.ids(|_| true)?;
            let known = sorted(ids.iter().flat_map(|id| [paper_of(id).to_owned(), id.clone()]));
            return Err(CommandError::UnknownName { kind: "paper or experiment", found: name.clone(), known });
        }
        Ok(plans)
    }

    /// Plans of all papers of the user, and all other plans that a report shows: read together, both cores have work to the end.
    pub(super) fn papers_and_others(&self) -> Result<(Vec<Plan>, Vec<Plan>), CommandError> {
        let papers = self.papers_alone()?;
        Ok(self.completed(Vec::new())?.into_iter().partition(|plan| papers.contains(&plan.experiment.paper)))
    }

    /// Plans of the experiments of one paper.
    ///
    /// # Errors
    /// Where it has none, or as [`load`].
    pub(super) fn plans_of(&self, paper: &str) -> Result<Vec<Plan>, CommandError> {
        let plans = self.of_papers(&[paper.to_owned()], false)?;
        if plans.is_empty() {
            return Err(CommandError::UnknownName { kind: "paper", found: paper.to_owned(), known: self.papers()? });
        }
        Ok(plans)
    }

    /// Plans of the experiments of some papers, which may have none.
    pub(super) fn of_papers(&self, papers: &[String], quick: bool) -> Result<Vec<Plan>, CommandError> {
        let is_wanted = |paper: &str| papers.iter().any(|wanted| wanted == paper);
        self.plans_where(quick, is_wanted, |id| is_wanted(paper_of(id)))
    }

    /// Some plans with those of all other files that a report shows, in the order of their paths: of built-in papers beside the user's own,
    /// those that have results here.
    pub(super) fn completed(&self, mut plans: Vec<Plan>) -> Result<Vec<Plan>, CommandError> {
        let results = self.results();
        let has_results = |paper: &str| {
            // Verdicts on built-in results are written beside the folders of experiments.
            entries(&results.join(paper)).is_ok_and(|entries| entries.iter().any(|entry| entry.is_dir()))
        };
        let mut rest = self.files(has_results)?;
        rest.retain(|path| !plans.iter().any(|plan| file_of(plan) == path));
        plans.extend(load(self.registry, &rest, false)?);
        plans.sort_by(|one, other| file_of(one).cmp(file_of(other)));
        Ok(plans)
    }

    /// Plans of the experiments whose id is wanted, which only some papers have. Of other files no more is read than the line with their id.
    fn plans_where(
        &self,
        quick: bool,
        may_have: impl Fn(&str) -> bool,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Plan>, CommandError> {
        let mut files = self.files(may_have)?;
        files.retain(|path| id_in(path).is_none_or(|id| is_wanted(&id)));
        let mut plans = load(self.registry, &files, quick)?;
        plans.retain(|plan| is_wanted(&plan.experiment.id));
        Ok(plans)
    }

    /// The ids of all experiments of the folder and of some built-in papers beside it, as far as they can be known without reading whole
    /// files.
    fn ids(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, CommandError> {
        Ok(self.files(is_wanted)?.iter().filter_map(|path| id_in(path)).collect())
    }

    /// The papers, sets and the comparison that have experiments: those of the folder before the built-in ones beside it.
    pub(super) fn papers(&self) -> Result<Vec<String>, CommandError> {
        let own = self.own_papers()?;
        let others: Vec<String> = self.others().map(str::to_owned).filter(|paper| !own.contains(paper)).collect();
        Ok([own, others].concat())
    }

    /// Those of the folder.
    pub(super) fn own_papers(&self) -> Result<Vec<String>, CommandError> {
        Ok(sorted(self.ids(|_| false)?.iter().map(|id| paper_of(id).to_owned())))
    }

    /// Plans of experiment files, or of papers and experiments by their names; as [`Self::named`] if nothing is wanted.
    pub(super) fn selected(&self, wanted: &[PathBuf], quick: bool) -> Result<Vec<Plan>, CommandError> {
        if are_files(wanted) {
            return load(self.registry, wanted, quick);
        }
        let names: Vec<String> = wanted.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        self.named(&names, quick)
    }

    /// The papers of the folder that have experiments. Sets of problems and the comparison across the papers are left out: they take long,
    /// and are named by those who want them.
    ///
    /// # Errors
    /// [`CommandError::NoExperiment`] if the folder has papers and none of them has an experiment.
    pub(super) fn papers_alone(&self) -> Result<Vec<String>, CommandError> {
        let papers = self.own_papers()?;
        if papers.is_empty()
            && let Some(paper) = self.cited()?.into_iter().next()
        {
            return Err(CommandError::NoExperiment { paper });
        }
        let mut alone = Vec::new();
        for paper in papers.into_iter().filter(|paper| paper != COMPARISON) {
            if self.publication(&paper)?.kind == PublicationKind::Paper {
                alone.push(paper);
            }
        }
        Ok(alone)
    }

    /// Papers with a `paper.yaml` in the folder.
    fn cited(&self) -> Result<Vec<String>, CommandError> {
        let folders = entries(self.experiments)?.into_iter().filter(|folder| folder.join(publication::FILE).exists());
        Ok(folders.filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned())).collect())
    }

    /// How a paper or set is cited; of one without `paper.yaml` its id is all that is known.
    pub(super) fn publication(&self, paper: &str) -> Result<Publication, CommandError> {
        let path = self.folder_of(paper)?.join(publication::FILE);
        if path.exists() { read_with(&path, Publication::read) } else { Ok(Publication::untold(paper)) }
    }

    /// Some papers and sets and all that have a `paper.yaml` in the folder, in the order of the report. The comparison is not one of them.
    pub(super) fn publications(&self, papers: Vec<String>) -> Result<Vec<(String, Publication)>, CommandError> {
        let mut found = Vec::new();
        let ids = sorted(papers.into_iter().chain(self.cited()?));
        for id in ids.into_iter().filter(|id| id != COMPARISON) {
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
    pub(super) fn ledger_file(&self, paper: &str, book: Book) -> Result<Option<PathBuf>, CommandError> {
        let folder = self.folder_of(paper)?;
        let name = LEDGERS.into_iter().find(|(_, one)| *one == book).map(|(name, _)| name);
        Ok(name.map(|name| folder.join(format!("{name}.yaml"))).filter(|path| path.exists()))
    }

    fn book(&self, paper: &str, book: Book, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
        self.ledger_file(paper, book)?.map(|path| read_ledger(&path, book, plans)).transpose()
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

/// Experiment files in a folder and in the folders of papers in it, in the order of their paths. Mechanisms and methods that lie beside
/// them are left out, and so are all files in deeper folders: mechanisms, references, published values.
pub(super) fn experiment_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = files_below(folder, 2)?;
    files.retain(|path| is_experiment(path));
    Ok(files)
}

fn is_experiment(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
        && !is_contenders(path)
        && matches!(file_kind(path), None | Some(FileKind::Experiment))
}

/// Whether a folder is that of a paper: it has a `paper.yaml` or an experiment.
pub(super) fn is_paper(folder: &Path) -> bool {
    folder.join(publication::FILE).exists()
        || entries(folder).is_ok_and(|entries| entries.iter().any(|path| is_experiment(path)))
}

/// The paper of the experiment with an id.
pub(super) fn paper_of(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

/// The file that a plan was read from.
fn file_of(plan: &Plan) -> &Path {
    plan.experiment.document.source.path()
}

/// The id of an experiment file, where it stands on a line of its own as it is; none where only reading the whole file tells.
pub(super) fn id_in(path: &Path) -> Option<String> {
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
    sorted(plans.into_iter().map(|plan| plan.experiment.paper.clone()))
}

/// Names in order, each once.
pub(super) fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
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

/// Reads `paper.yaml`, and checks its main claims against the ledger beside it.
pub(super) fn read_publication(registry: &Registry, path: &Path) -> Result<Publication, CommandError> {
    let publication = read_with(path, Publication::read)?;
    if publication.claims.is_empty() && publication.errata.is_empty() {
        return Ok(publication);
    }
    let plans = plans_beside(registry, path)?;
    let ledger = path.with_file_name("claims.yaml");
    let ledger = ledger.exists().then(|| read_ledger(&ledger, Book::Claims, &plans)).transpose()?;
    read_with(path, |document| publication.agrees(document, ledger.as_ref()))?;
    Ok(publication)
}

/// Plans of the experiments that lie beside a ledger.
pub(super) fn plans_beside(registry: &Registry, ledger: &Path) -> Result<Vec<Plan>, CommandError> {
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut files = entries(folder)?;
    files.retain(|path| path.is_file() && is_experiment(path));
    load(registry, &files, false)
}
