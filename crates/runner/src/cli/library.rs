//! The experiments available to a command, from a folder, built in, or both, with the files beside them.

use std::io;
use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, Registry};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::comparison::COMPARISON;
use mbsbench_judge::publication::{self, Publication, PublicationKind};
use mbsbench_runs::costs::RECORDED;
use mbsbench_runs::{seal, timings};
use rayon::prelude::*;

use super::{
    Builtin, CommandError, EXPERIMENTS, FileKind, LEDGERS, RESULTS, Result, Results, Seen, entries, experiment_files,
    id_in, is_paper, is_yaml, load, other_kind, paper_of, read_data, read_ledger, read_with, sorted, write,
};
use crate::output::Output;

/// The findings of the reconstruction of an experiment.
const STUDY: &str = "reconstruction.csv";

/// The experiments of papers to which a command needs access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// None: the command uses named files only, or no experiment.
    Nothing,
    /// Reading the named experiments.
    Read,
    /// Reading the experiments of all papers.
    ReadAll,
    /// Reading the results of the named experiments.
    Results,
    /// Reading the results of all papers.
    AllResults,
    /// Writing into the folder of experiments.
    Change,
}

/// Folders of papers with their experiments and ledgers, and the registry with the names that these can use.
#[derive(Debug)]
pub(super) struct Library<'l> {
    pub(super) registry: &'l Registry,
    /// The folder with a folder for each paper: the user's own, or the built-in one if there is none.
    pub(super) experiments: PathBuf,
    /// True if this is the built-in folder, unpacked in the user's cache folder.
    is_builtin: bool,
    /// Built-in papers that can be named, in this folder or beside it.
    builtin: Builtin,
}

impl<'l> Library<'l> {
    /// A library with only the experiments in a folder.
    pub(super) fn only(registry: &'l Registry, experiments: PathBuf) -> Self {
        Self { registry, experiments, is_builtin: false, builtin: Builtin::default() }
    }

    /// Returns the experiments in the named folder, or else those of the project and, beside them, the built-in papers.
    /// It is reported if there are only built-in papers.
    pub(super) fn find(
        registry: &'l Registry,
        named: Option<&Path>,
        need: Need,
        output: &mut Output<'_>,
    ) -> Result<Self> {
        let mut library = Self::only(registry, named.unwrap_or(Path::new(EXPERIMENTS)).to_owned());
        if named.is_some() || need == Need::Nothing {
            return Ok(library);
        }
        library.builtin = Builtin::beside(&library.experiments);
        if !is_empty(&library.experiments) {
            if matches!(need, Need::ReadAll | Need::AllResults) && !library.builtin.papers.is_empty() {
                output.eprintln(format!(
                    "no paper was named: using those in `{EXPERIMENTS}`; name a built-in paper to include it, \
                     for example `gil2013`"
                ));
            }
            return Ok(library);
        }
        if need == Need::Change {
            return Err(CommandError::Unchangeable);
        }
        library.is_builtin = true;
        library.experiments = library.builtin.root()?.join(EXPERIMENTS);
        if matches!(need, Need::Read | Need::ReadAll) {
            let folder = library.experiments.display();
            output.eprintln(format!("no folder `{EXPERIMENTS}` here: using the built-in experiments in {folder}"));
        }
        Ok(library)
    }

    /// The folder for new results: beside the folder of experiments, or in the current folder if the experiments are
    /// built in.
    pub(super) fn results(&self) -> PathBuf {
        if self.is_builtin { PathBuf::from(RESULTS) } else { self.results_folder() }
    }

    /// The results that are read: those in a named folder, or else the local and the built-in ones.
    pub(super) fn seen(&self, seen: &Seen) -> Results<'_> {
        Results { own: seen.folder(self), builtin: seen.results.is_none().then_some(&self.builtin) }
    }

    /// The folder with the recorded durations of runs.
    pub(super) fn recorded(&self) -> PathBuf {
        let own = self.results_folder();
        let built_in = self.builtin.unpacked().filter(|_| !own.join(RECORDED).exists());
        built_in.map_or(own, |root| root.join(RESULTS))
    }

    /// Copies the recorded studies and times of built-in experiments into results that lack them, because verdicts
    /// depend on them.
    pub(super) fn bring_recorded(&self, plans: &[Plan]) -> Result<()> {
        let results = self.results();
        let experiments = plans.iter().map(|plan| &plan.experiment).filter(|experiment| !experiment.quick);
        for id in experiments.map(|experiment| &experiment.id).filter(|id| self.builtin.papers.contains(paper_of(id))) {
            let built_in = self.builtin.root()?.join(RESULTS);
            if let Some(content) = lacking(&built_in.join(id).join(STUDY), &results.join(id).join(STUDY))? {
                seal::write(&results.join(id), &[(STUDY.to_owned(), content)])?;
            }
            let path = timings::path(&results, id);
            if let Some(content) = lacking(&timings::path(&built_in, id), &path)? {
                write(&path, content)?;
            }
        }
        Ok(())
    }

    fn results_folder(&self) -> PathBuf {
        self.experiments.with_file_name(RESULTS)
    }

    /// Built-in papers beside the folder of the experiments.
    fn others(&self) -> impl Iterator<Item = &'static str> {
        self.builtin.papers.iter().copied().filter(|_| !self.is_builtin)
    }

    /// True if a paper is built in and not in the user's folder.
    pub(super) fn is_beside(&self, paper: &str) -> bool {
        !self.is_builtin && self.builtin.papers.contains(paper)
    }

    /// The folder of a paper.
    pub(super) fn folder_of(&self, paper: &str) -> Result<PathBuf> {
        if self.is_beside(paper) {
            return Ok(self.builtin.root()?.join(EXPERIMENTS).join(paper));
        }
        Ok(self.experiments.join(paper))
    }

    /// Experiment files of the folder, and of the requested built-in papers beside it.
    pub(super) fn files(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
        let mut files = experiment_files(&self.experiments)?;
        for paper in self.others().filter(|paper| is_wanted(paper)) {
            files.extend(experiment_files(&self.folder_of(paper)?)?);
        }
        Ok(files)
    }

    /// Plans of the papers or experiments (`compere2001/pendulum-ode`) with these names; without names, of all papers
    /// of the user, or of all built-in papers if there are no others. Other files are not read.
    pub(super) fn named(&self, names: &[String], quick: bool) -> Result<Vec<Plan>> {
        if names.is_empty() {
            return self.called(&self.papers_alone()?, quick);
        }
        let plans = self.called(names, quick)?;
        if let Some(name) = names.iter().find(|name| !plans.iter().any(|plan| is_called(&plan.experiment.id, name))) {
            if let Some(other) = other_kind(Path::new(name), FileKind::Experiment) {
                return Err(other);
            }
            let ids = self.ids(|_| true)?;
            let known = sorted(ids.iter().flat_map(|id| [paper_of(id).to_owned(), id.clone()]));
            return Err(CommandError::unknown("paper or experiment", name, known));
        }
        Ok(plans)
    }

    /// Plans of all papers of the user, and all other plans that a report shows. They are read together, so that all
    /// cores are busy until the end.
    pub(super) fn papers_and_others(&self) -> Result<(Vec<Plan>, Vec<Plan>)> {
        let papers = self.papers_alone()?;
        Ok(self.completed(Vec::new())?.into_iter().partition(|plan| papers.contains(&plan.experiment.paper)))
    }

    /// Plans of the experiments of one paper.
    ///
    /// # Errors
    /// Fails if the paper has no experiments, and like [`load`].
    pub(super) fn plans_of(&self, paper: &str) -> Result<Vec<Plan>> {
        let plans = self.called(&[paper.to_owned()], false)?;
        if plans.is_empty() {
            return Err(CommandError::unknown("paper", paper, self.papers()?));
        }
        Ok(plans)
    }

    /// Plans of the papers or experiments with these names, which may have none. In other files, only the line with the
    /// id is read.
    pub(super) fn called(&self, names: &[String], quick: bool) -> Result<Vec<Plan>> {
        let is_wanted = |id: &str| names.iter().any(|name| is_called(id, name));
        let mut files = self.files(|paper| names.iter().any(|name| paper_of(name) == paper))?;
        files.retain(|path| id_in(path).is_none_or(|id| is_wanted(&id)));
        let mut plans = load(self.registry, &files, quick)?;
        plans.retain(|plan| is_wanted(&plan.experiment.id));
        Ok(plans)
    }

    /// Completes plans by those of all other files that a report shows, ordered by path. Built-in papers beside the
    /// user's own are included if they have results here.
    pub(super) fn completed(&self, mut plans: Vec<Plan>) -> Result<Vec<Plan>> {
        let results = self.results();
        let has_results = |paper: &str| {
            // Verdicts on built-in results are stored beside the folders of experiments.
            entries(&results.join(paper)).is_ok_and(|entries| entries.iter().any(|entry| entry.is_dir()))
        };
        let mut rest = self.files(has_results)?;
        rest.retain(|path| !plans.iter().any(|plan| file_of(plan) == path));
        plans.extend(load(self.registry, &rest, false)?);
        plans.sort_by(|one, other| file_of(one).cmp(file_of(other)));
        Ok(plans)
    }

    /// The ids of all experiments of the folder and of some built-in papers beside it, as far as they are known without
    /// reading whole files.
    fn ids(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        Ok(self.files(is_wanted)?.iter().filter_map(|path| id_in(path)).collect())
    }

    /// The papers, sets and the comparison with experiments: first those of the folder, then the built-in ones beside
    /// it.
    pub(super) fn papers(&self) -> Result<Vec<String>> {
        let own = self.own_papers()?;
        let others: Vec<String> = self.others().map(str::to_owned).filter(|paper| !own.contains(paper)).collect();
        Ok([own, others].concat())
    }

    /// The papers of the folder.
    pub(super) fn own_papers(&self) -> Result<Vec<String>> {
        Ok(sorted(self.ids(|_| false)?.iter().map(|id| paper_of(id).to_owned())))
    }

    /// The papers of the folder that have experiments. Sets of problems and the comparison across papers are left out:
    /// they take long, and are run only if they are named.
    ///
    /// # Errors
    /// Fails if the folder has papers and none of them has an experiment.
    pub(super) fn papers_alone(&self) -> Result<Vec<String>> {
        let papers = self.own_papers()?;
        if papers.is_empty()
            && let Some(paper) = self.cited()?.into_iter().next()
        {
            return Err(CommandError::no_experiment(&paper));
        }
        let mut alone = Vec::new();
        for paper in papers.into_iter().filter(|paper| paper != COMPARISON) {
            if self.publication(&paper)?.kind == PublicationKind::Paper {
                alone.push(paper);
            }
        }
        Ok(alone)
    }

    /// The papers in the folder that have a `paper.yaml`.
    fn cited(&self) -> Result<Vec<String>> {
        let folders = entries(&self.experiments)?.into_iter().filter(|folder| folder.join(publication::FILE).exists());
        Ok(folders.filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned())).collect())
    }

    /// The citation of a paper or set. Without `paper.yaml`, it consists of the id.
    pub(super) fn publication(&self, paper: &str) -> Result<Publication> {
        let path = self.folder_of(paper)?.join(publication::FILE);
        if path.exists() { read_with(&path, Publication::read) } else { Ok(Publication::untold(paper)) }
    }

    /// The citations of some papers and sets and of all in the folder with a `paper.yaml`, in the order of the report,
    /// without the comparison.
    pub(super) fn publications(&self, papers: Vec<String>) -> Result<Vec<(String, Publication)>> {
        let ids = sorted(papers.into_iter().chain(self.cited()?)).into_iter().filter(|id| id != COMPARISON);
        let mut found = ids.map(|id| Ok((id.clone(), self.publication(&id)?))).collect::<Result<Vec<_>>>()?;
        found.sort_by(|(_, one), (_, other)| one.order(other));
        Ok(found)
    }

    /// The ledger of a paper, after a check of the main claims against it; `None` if the paper has none.
    pub(super) fn ledger(&self, paper: &str, plans: &[Plan]) -> Result<Option<Ledger>> {
        let ledger = self.book(paper, Book::Claims, plans)?;
        let path = self.folder_of(paper)?.join(publication::FILE);
        if path.exists() {
            read_with(&path, |document| Publication::read(document)?.agrees(document, ledger.as_ref()))?;
        }
        Ok(ledger)
    }

    /// The ledgers of those papers that have one.
    pub(super) fn ledgers(&self, papers: &[String], plans: &[Plan]) -> Result<Vec<Ledger>> {
        papers.par_iter().filter_map(|paper| self.ledger(paper, plans).transpose()).collect()
    }

    /// The path of the ledger of a paper, if it has one.
    pub(super) fn ledger_file(&self, paper: &str, book: Book) -> Result<Option<PathBuf>> {
        let folder = self.folder_of(paper)?;
        let mut ledgers = LEDGERS.into_iter().filter(|(_, one)| *one == book).map(|(name, _)| folder.join(name));
        Ok(ledgers.find(|path| path.exists()))
    }

    /// A book of a paper; `None` if the paper does not have it.
    pub(super) fn book(&self, paper: &str, book: Book, plans: &[Plan]) -> Result<Option<Ledger>> {
        self.ledger_file(paper, book)?.map(|path| read_ledger(&path, book, plans)).transpose()
    }
}

/// Reads a file that exists and whose counterpart does not.
fn lacking(from: &Path, counterpart: &Path) -> Result<Option<Vec<u8>>> {
    if from.exists() && !counterpart.exists() { read_data(from).map(Some) } else { Ok(None) }
}

/// True if `name` is the id of an experiment or of its paper.
fn is_called(id: &str, name: &str) -> bool {
    id == name || paper_of(id) == name
}

/// The file that a plan was read from.
fn file_of(plan: &Plan) -> &Path {
    plan.experiment.document.source.path()
}

/// True if a folder is missing, or contains neither papers nor experiments.
fn is_empty(folder: &Path) -> bool {
    match folder.read_dir() {
        Ok(mut entries) => {
            entries.all(|entry| entry.is_ok_and(|entry| !is_paper(&entry.path()) && !is_yaml(&entry.path())))
        }
        Err(error) => error.kind() == io::ErrorKind::NotFound && folder.symlink_metadata().is_err(),
    }
}
