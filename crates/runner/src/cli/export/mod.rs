//! `mbsbench export`: a statement, figure or table in a form that a paper or slides take.

mod bibtex;
mod tex;

use clap::ValueEnum;
use mbsbench_experiment::panel_id;
use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::spec::PanelSpec;
use mbsbench_judge::claims::{Judged, Ledger};
use mbsbench_judge::folders::Folders;
use mbsbench_numbers::{decimal, guarded};

use super::CommandError;
use super::files::Library;
use super::sealed::ensure_sealed;
use super::verify::{judged, rests_on};
use crate::output::Output;

/// A form in which something is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// LaTeX: a statement with its checks, a table, or a figure with its caption.
    Tex,
    /// The axes and curves of a figure for the LaTeX package pgfplots.
    Pgfplots,
    /// The numbers.
    Csv,
    /// How the paper is cited.
    Bibtex,
}

/// What is called so.
enum Found<'p> {
    Statement(Box<Judged>),
    Table(Picture<'p>),
    Figure(Picture<'p>),
}

/// A table or figure with its files.
struct Picture<'p> {
    id: &'p str,
    title: &'p str,
    plan: &'p Plan,
    /// Panels of a figure; none of a table, and of a drawing of a model.
    panels: Vec<&'p PanelSpec>,
}

/// Prints what is called `name` in the form that is wanted, from the results in a folder.
pub(super) fn export(
    library: Library<'_>,
    name: &str,
    form: Form,
    results: &impl Folders,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let mut known = Vec::new();
    for paper in library.papers()? {
        let within = name.strip_prefix(paper.as_str());
        let Some(own) = within.and_then(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }) else {
            continue;
        };
        if own.is_empty() && form == Form::Bibtex {
            return Ok(output.line(bibtex::entry(&paper, &library.publication(&paper)?).trim_end())?);
        }
        let plans = library.plans_of(&paper)?;
        let ledger = library.ledger(&paper, &plans)?;
        let Some(found) = find(&paper, own, &plans, ledger.as_ref(), results, &mut known)? else { continue };
        if form != Form::Bibtex {
            let is_shown = |plan: &&Plan| match &found {
                Found::Statement(_) => ledger.as_ref().is_some_and(|ledger| rests_on(ledger, plan)),
                Found::Table(picture) | Found::Figure(picture) => std::ptr::eq(*plan, picture.plan),
            };
            ensure_sealed(results, plans.iter().filter(is_shown), output)?;
        }
        let text = match (form, &found) {
            (Form::Bibtex, _) => bibtex::entry(&paper, &library.publication(&paper)?),
            (Form::Csv, Found::Statement(judged)) => checks(judged)?,
            (Form::Csv, Found::Table(picture) | Found::Figure(picture)) => numbers(picture, results)?,
            (Form::Tex, Found::Statement(judged)) => tex::statement(&paper, judged),
            (Form::Tex, Found::Table(picture)) => tex::table(picture, &numbers(picture, results)?)?,
            (Form::Tex, Found::Figure(picture)) => tex::figure(picture, &curves(picture, results)?)?,
            (Form::Pgfplots, Found::Figure(picture)) => tex::plot(picture, &curves(picture, results)?)?,
            (Form::Pgfplots, Found::Statement(_) | Found::Table(_)) => {
                return Err(CommandError::NoForm {
                    name: name.to_owned(),
                    lacks: "curves",
                    accepted: "`tex`, `csv` or `bibtex`",
                });
            }
        };
        return Ok(output.line(text.trim_end())?);
    }
    if known.is_empty() {
        let paper = name.split('/').next().unwrap_or(name).to_owned();
        return Err(CommandError::UnknownName { kind: "paper", found: paper, known: library.papers()? });
    }
    Err(CommandError::UnknownName { kind: "statement, figure or table", found: name.to_owned(), known })
}

/// What is called so within a paper, with all that there is by name: of a table and a statement of one name it is the table.
fn find<'p>(
    paper: &str,
    own: &str,
    plans: &'p [Plan],
    ledger: Option<&Ledger>,
    results: &impl Folders,
    known: &mut Vec<String>,
) -> Result<Option<Found<'p>>, CommandError> {
    for plan in plans.iter().filter(|plan| plan.experiment.paper == paper) {
        let experiment = &plan.experiment;
        let folder = experiment.id.strip_prefix(&format!("{paper}/")).unwrap_or(&experiment.id);
        let mut is_called = |id: &str| {
            known.push(format!("{paper}/{id}"));
            own == id || own == format!("{folder}/{id}")
        };
        let picture = |id: &'p str, title: &'p Option<String>, panels: &'p [PanelSpec]| Picture {
            id,
            title: title.as_deref().unwrap_or(id),
            plan,
            panels: panels.iter().collect(),
        };
        let tables = experiment.tables.iter().map(|table| &table.value);
        let tables = tables.map(|spec| Found::Table(picture(&spec.id, &spec.title, &[])));
        let plots = experiment.plots.iter().map(|plot| &plot.value);
        let plots = plots.map(|spec| Found::Figure(picture(&spec.id, &spec.title, &spec.panels)));
        let drawings = experiment.drawings.iter().map(|drawing| &drawing.value);
        let drawings = drawings.map(|spec| Found::Figure(picture(&spec.id, &spec.title, &[])));
        for found in tables.chain(plots).chain(drawings) {
            if let Found::Table(Picture { id, .. }) | Found::Figure(Picture { id, .. }) = &found
                && is_called(id)
            {
                return Ok(Some(found));
            }
        }
    }
    if let Some(ledger) = ledger {
        let of = |all: &[mbsbench_judge::claims::Statement]| -> Vec<_> {
            all.iter().filter(|statement| statement.id == own).cloned().collect()
        };
        let all = ledger.statements.iter().chain(&ledger.findings);
        known.extend(all.map(|statement| format!("{paper}/{}", statement.id)));
        let only =
            Ledger { paper: paper.to_owned(), statements: of(&ledger.statements), findings: of(&ledger.findings) };
        if let Some(judged) = judged(&only, plans, results)?.pop() {
            return Ok(Some(Found::Statement(Box::new(judged))));
        }
    }
    Ok(None)
}

/// The files with the data of a figure, one for each panel that has one by itself.
fn curves(picture: &Picture<'_>, results: &impl Folders) -> Result<Vec<String>, CommandError> {
    let folder = results.of(&picture.plan.experiment.id);
    let of = |id: &str| folder.join(format!("{id}.csv"));
    let whole = of(picture.id);
    let files = match whole.exists() {
        true => vec![whole],
        false => (0..)
            .map_while(|panel| panel_id(picture.id, panel))
            .map(|id| of(&id))
            .take_while(|path| path.exists())
            .collect(),
    };
    if files.is_empty() {
        let (name, lacks) = (picture.id.to_owned(), "file with its numbers in these results");
        return Err(CommandError::NoForm { name, lacks, accepted: "`bibtex`" });
    }
    let read = |path: std::path::PathBuf| {
        mbsbench_input::read_text(&path, mbsbench_input::LARGEST_DATA)
            .map_err(|error| CommandError::Unreadable { path, error })
    };
    files.into_iter().map(read).collect()
}

/// The numbers of a table or figure as they lie in the results, of a figure of several panels with the number of each.
fn numbers(picture: &Picture<'_>, results: &impl Folders) -> Result<String, CommandError> {
    let files = curves(picture, results)?;
    if let [one] = &files[..] {
        return Ok(one.clone());
    }
    let mut text = String::new();
    for (number, file) in files.iter().enumerate() {
        text += &format!("# panel {}\n{file}", number + 1);
    }
    Ok(text)
}

/// The checks of a statement with what was measured.
fn checks(judged: &Judged) -> Result<String, CommandError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |line: [&str; 6]| writer.write_record(line.map(|cell| guarded(cell).into_owned()));
    write(["check", "about", "required", "measured", "verdict", "rests_on"])
        .map_err(crate::artefacts::WriteError::from)?;
    for each in &judged.checks {
        let measured = each.judgement.measured.map(decimal).unwrap_or_default();
        let rests_on = each.rests_on.map_or("", mbsbench_experiment::Mark::name);
        let line = [&each.check.id, &each.check.about, &each.required(), &measured, each.verdict().name(), rests_on];
        write(line).map_err(crate::artefacts::WriteError::from)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| crate::artefacts::WriteError::from(csv::Error::from(error.into_error())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
