//! Export of a statement, figure or table for papers and slides.

use mbsbench_experiment::{Plan, Provenance, panel_id};
use mbsbench_judge::claims::{Judged, JudgedCheck, Ledger};
use mbsbench_judge::folders::Folders;
use mbsbench_numbers::{csv, decimal};

use super::{Form, tex};
use crate::cli::{CommandError, Result, Seen, Session, ensure_sealed, judged, paper_of, read_data, rests_on};
use crate::report::artefact::{Artefact, Kind};

/// The item that a name refers to.
enum Found<'p> {
    Statement(Box<Judged>),
    Artefact(Artefact<'p>),
}

/// Returns the item called `name` from results, in the requested form.
pub(super) fn text(name: &str, form: Form, seen: &Seen, session: &mut Session<'_>) -> Result<String> {
    let library = session.library;
    let results = &library.seen(seen);
    let mut known = Vec::new();
    for paper in library.papers()? {
        let within = name.strip_prefix(paper.as_str());
        let own = within.and_then(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix('/') });
        let Some(own) = own else { continue };
        let plans = library.plans_of(&paper)?;
        let ledger = library.ledger(&paper, &plans)?;
        let Some(found) = find(&paper, own, &plans, ledger.as_ref(), results, &mut known)? else { continue };
        let rests_on = ledger.as_ref().map(rests_on);
        let is_shown = |plan: &&Plan| match &found {
            Found::Statement(_) => rests_on.as_ref().is_some_and(|rests_on| rests_on(plan)),
            Found::Artefact(artefact) => std::ptr::eq(*plan, artefact.plan),
        };
        ensure_sealed(results, plans.iter().filter(is_shown), &mut session.output)?;
        return Ok(match (form, &found) {
            (Form::Csv, Found::Statement(judged)) => checks(judged),
            (Form::Csv, Found::Artefact(artefact)) => numbers(artefact, results)?,
            (Form::Tex, Found::Statement(judged)) => tex::statement(&paper, judged),
            (Form::Tex, Found::Artefact(artefact)) if artefact.kind == Kind::Table => {
                tex::table(artefact, &numbers(artefact, results)?)?
            }
            (Form::Tex, Found::Artefact(artefact)) => tex::figure(artefact, &curves(artefact, results)?)?,
            (Form::Pgfplots, Found::Artefact(artefact)) if artefact.kind == Kind::Figure => {
                tex::plot(artefact, &curves(artefact, results)?)?
            }
            _ => {
                let what = format!("`{name}` has no curves");
                return Err(CommandError::refused(&what, "accepted: `tex` or `csv`"));
            }
        });
    }
    if known.is_empty() {
        return Err(CommandError::unknown("paper", paper_of(name), library.papers()?));
    }
    Err(CommandError::unknown("statement, figure or table", name, known))
}

/// Finds an item by name within a paper, and collects all known names. If a table and a statement have the same name,
/// it is the table.
fn find<'p>(
    paper: &str,
    own: &str,
    plans: &'p [Plan],
    ledger: Option<&Ledger>,
    results: &dyn Folders,
    known: &mut Vec<String>,
) -> Result<Option<Found<'p>>> {
    for plan in plans.iter().filter(|plan| plan.experiment.paper == paper) {
        let experiment = &plan.experiment;
        let folder = experiment.id.strip_prefix(&format!("{paper}/")).unwrap_or(&experiment.id);
        for artefact in Artefact::all(&[plan]).into_iter().filter(|artefact| artefact.kind != Kind::Animation) {
            known.push(format!("{paper}/{}", artefact.id));
            if own == artefact.id || own == format!("{folder}/{}", artefact.id) {
                return Ok(Some(Found::Artefact(artefact)));
            }
        }
    }
    if let Some(ledger) = ledger {
        let all = ledger.statements.iter().chain(&ledger.findings);
        known.extend(all.map(|statement| format!("{paper}/{}", statement.id)));
        if let Some(judged) = judged(&ledger.only(own), plans, results)?.pop() {
            return Ok(Some(Found::Statement(Box::new(judged))));
        }
    }
    Ok(None)
}

/// Reads the files with the data of a figure, one for each panel that has its own file.
fn curves(artefact: &Artefact<'_>, results: &dyn Folders) -> Result<Vec<String>> {
    let folder = results.of(&artefact.plan.experiment.id);
    let of = |id: &str| folder.join(format!("{id}.csv"));
    let whole = of(artefact.id);
    let panels = (0..).map_while(|panel| panel_id(artefact.id, panel)).map(|id| of(&id));
    let files = if whole.exists() { vec![whole] } else { panels.take_while(|path| path.exists()).collect() };
    if files.is_empty() {
        let what = format!("these results have no data file for `{}`", artefact.id);
        return Err(CommandError::refused(&what, "`mbsbench reproduce` writes it"));
    }
    files.iter().map(|path| Ok(String::from_utf8_lossy(&read_data(path)?).into_owned())).collect()
}

/// Returns the numbers of a table or figure as stored in the results. For a figure of several panels, each part starts
/// with the number of its panel.
fn numbers(artefact: &Artefact<'_>, results: &dyn Folders) -> Result<String> {
    let files = curves(artefact, results)?;
    if let [one] = &files[..] {
        return Ok(one.clone());
    }
    Ok((1..).zip(&files).map(|(number, file)| format!("# panel {number}\n{file}")).collect())
}

/// The checks of a statement with their measured numbers.
fn checks(judged: &Judged) -> String {
    let heads = ["check", "about", "required", "measured", "verdict", "rests_on"];
    let line = |each: &JudgedCheck| {
        let measured = each.judgement.measured.map(decimal).unwrap_or_default();
        let (verdict, rests_on) = (each.verdict().name(), each.rests_on.map_or("", Provenance::name));
        let (id, about) = (each.check.id.clone(), each.check.about.clone());
        [id, about, each.required(), measured, verdict.to_owned(), rests_on.to_owned()]
    };
    csv([heads.map(str::to_owned)].into_iter().chain(judged.checks.iter().map(line)))
}
