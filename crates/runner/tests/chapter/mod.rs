//! compere2001 through the library: experiments and ledgers of a folder, with any registry.
#![allow(dead_code, reason = "each test uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};

use mbsbench::Registry;

use mbsbench::cache::Cache;
use mbsbench::claims::{Book, Evidence, Grounds, Judged, Ledger, Studies, judge_all};
use mbsbench::cli::load;
use mbsbench::input::Document;
use mbsbench::memory::Memory;
use mbsbench::pipeline::{Outcome, Resources, results_of};
use mbsbench::plan::Plan;
use mbsbench::progress::Progress;
use mbsbench::reconstruction::studies;

/// The experiments of the paper in the repository.
pub fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/compere2001")
}

/// Plans of a folder, and the results of some of them.
pub struct Chapter {
    folder: PathBuf,
    all: Vec<Plan>,
    plans: Vec<Plan>,
    outcomes: Vec<Outcome>,
}

/// True if an experiment belongs to chapter 3.
pub fn is_of_chapter_3(plan: &Plan) -> bool {
    plan.experiment.id.contains("/pendulum-") || plan.experiment.id.contains("/rolling-spheres")
}

impl Chapter {
    /// Runs the selected experiments of `folder` with the entries of `registry`.
    pub fn run(folder: &Path, registry: &Registry, wanted: impl Fn(&Plan) -> bool) -> Self {
        let all = plans(folder, registry);
        let plans: Vec<Plan> = all.iter().filter(|plan| wanted(plan)).cloned().collect();
        let cache = tempfile::tempdir().unwrap();
        let cache = Cache::new(cache.path(), mbsbench::fingerprint(registry));
        let (memory, progress) = (Memory::new(u64::MAX), Progress::silent());
        let resources = Resources { cache: &cache, memory: &memory, progress: &progress, costs: None, fresh: true };
        let outcomes = results_of(&plans, resources).unwrap();
        Self { folder: folder.to_owned(), all, plans, outcomes }
    }

    /// Judges the statements and findings, or anchors, that use the experiments that were run, with the committed
    /// studies.
    pub fn judged(&self, book: Book) -> Vec<Judged> {
        self.judged_with(book, true)
    }

    /// Judges them with or without studies. Studies belong to the unchanged experiments, so changed ones are judged
    /// without.
    pub fn judged_with(&self, book: Book, with_studies: bool) -> Vec<Judged> {
        let name = if book == Book::Claims { "claims.yaml" } else { "anchors.yaml" };
        let mut ledger = ledger(&self.folder.join(name), book, &self.all);
        let was_run = |name: &&str| self.plans.iter().any(|plan| plan.experiment.id.ends_with(&format!("/{name}")));
        let rests_on_these = |statement: &mbsbench::claims::Statement| {
            statement.checks.iter().flat_map(|check| check.kind.experiments()).all(|name| was_run(&name))
        };
        ledger.statements.retain(rests_on_these);
        ledger.findings.retain(rests_on_these);
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
        let studies = match with_studies && book == Book::Claims {
            true => studies(&ledger, &self.plans, &results).unwrap_or_else(|error| panic!("{error}")),
            false => Studies::new(),
        };
        judge_all(&ledger, &Evidence::of(&self.plans, &self.outcomes), &Grounds::new(&self.plans), &studies)
    }
}

/// Plans of the experiments in a folder.
pub fn plans(folder: &Path, registry: &Registry) -> Vec<Plan> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".yaml") && !["claims.yaml", "anchors.yaml", "paper.yaml"].contains(&&*name)
    });
    files.sort();
    load(registry, &files, false).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

/// A ledger.
pub fn ledger(path: &Path, book: Book, plans: &[Plan]) -> Ledger {
    let document = Document::parse(path, &fs::read(path).unwrap()).unwrap();
    Ledger::read(&document, book, plans).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)))
}

/// Copies a folder with its contents.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
