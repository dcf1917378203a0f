//! From the file of a model to the methods that suit it best.

mod page;
mod question;
mod search;

use std::time::Instant;

use mbsbench_experiment::Plan;
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::comparison::{Ranked, near, rank, words};
use mbsbench_numbers::short;
use serde_json::{Value, json};
use tabled::settings::{Modify, Width, object::Columns};

use super::Compare;
use crate::cli::{FileKind, Format, Result, Session, table, write};
use question::Question;
use search::{END, FIRST_END, Found, Search};

/// Answers which methods suit the model of a file; writes an experiment to refine and a page.
pub(super) fn advise(compare: &Compare, kind: FileKind, session: &mut Session<'_>) -> Result<()> {
    let start = Instant::now();
    let registry = session.library.registry;
    let question = Question::read(compare, kind, registry)?;
    let until = if question.other.is_some() { FIRST_END } else { END };
    let search = Search { question: &question, compare, session, start, longest: 0.0, until, unfit: Vec::new() };
    let found = search.run()?;
    let evidence = Evidence::of(&found.plans, &found.outcomes);
    let rankings = rank(&found.plans[0], &evidence, &[]);
    let answer = Answer::new(&question, &found, &rankings[0]);
    write(&question.place, &found.text)?;
    let html = compare.html.clone().unwrap_or_else(|| question.place.with_extension("html"));
    write(&html, page::page_of(&answer, &found, &rankings[0], compare, session)?)?;
    let seconds = start.elapsed().as_secs_f64();
    match compare.format {
        Format::Json => {
            let left_out =
                answer.left_out.iter().map(|[reason, methods]| json!({ "reason": reason, "methods": methods }));
            let json = json!({
                "model": question.title, "about": answer.about, "rows": answer.rows,
                "left_out": left_out.collect::<Vec<_>>(), "experiment": question.place, "page": html,
                "seconds": seconds,
            });
            session.output.println(format!("{json:#}"))?;
        }
        Format::Text => {
            let output = &mut session.output;
            answer.about.iter().try_for_each(|line| output.println(line))?;
            for (heading, lines) in answer.tables {
                output.println(format!("\n{heading}\n{}", table(lines)))?;
            }
            let mut left_out = table(answer.left_out);
            left_out.with(Modify::new(Columns::first()).with(Width::wrap(30).keep_words(true)));
            left_out.with(Modify::new(Columns::one(1)).with(Width::wrap(60).keep_words(true)));
            output.println(format!("\nleft out or ended early\n{left_out}\n"))?;
            let [experiment, page] = [&question.place, &html].map(|path| path.display());
            output.println(format!("{experiment}: `mbsbench run` repeats and refines this\n{page}: figures"))?;
            output.println(format!("{seconds:.0} s"))?;
        }
    }
    Ok(())
}

/// Describes the runs behind a cost: their coordinates if there are several, and their steps or tolerances.
fn setting(question: &Question, setting: &str) -> String {
    let (case, control) = setting.split_once(": ").unwrap_or(("", setting));
    match (&question.other, question.formulation) {
        (Some((_, other)), _) if case.starts_with(other) => format!("{control}, {other}"),
        (Some(_), Some(own)) => format!("{control}, {own}"),
        _ => control.to_owned(),
    }
}

/// The answer, for a terminal, a browser and other programs.
struct Answer {
    title: String,
    /// The model, the reference, and the meaning of errors.
    about: Vec<String>,
    /// The methods that reach an accuracy with at most twice the least work.
    rows: Vec<Value>,
    /// The same as a table for each kind of work, with its heading.
    tables: Vec<(String, Vec<[String; 5]>)>,
    /// Reasons, each with methods.
    left_out: Vec<[String; 2]>,
}

impl Answer {
    fn new(question: &Question, found: &Found, ranked: &Ranked<'_>) -> Self {
        let (spec, counts) = (ranked.spec, ranked.counts);
        let (mut rows, mut tables) = (Vec::new(), Vec::new());
        for (index, (work, _)) in spec.work.0.iter().enumerate() {
            let mut lines = vec![["accuracy", "method", "cost", "× the best", "setting"].map(str::to_owned)];
            for (accuracy, places) in spec.accuracies.iter().zip(&ranked.places) {
                let places = near(&places[index]);
                for place in places {
                    let (method, cost) = (place.method.to_owned(), place.cost.value);
                    let (ratio, setting) = (cost / places[0].cost.value, setting(question, &place.setting));
                    rows.push(json!({
                        "accuracy": accuracy, "work": work, "method": method, "cost": cost, "ratio": ratio,
                        "setting": setting,
                    }));
                    lines.push([format!("{accuracy:e}"), method, words::cost_of(&place.cost), short(ratio), setting]);
                }
            }
            tables.push((format!("best by {work}"), lines));
        }
        let [main, check] = found.reference.methods;
        let formulation = question.formulation.map_or_else(String::new, |name| format!(", in {name}"));
        let [start, end] = question.span.map(short);
        let about = vec![
            format!("{}, {start} s to {end} s{formulation}", question.title),
            format!("reference: {main} and {check}, which agree to {:.1} digits", found.digits),
            format!("errors: {}", spec.meaning),
            format!("{} methods and {} runs, of which {} failed", counts.methods, counts.runs, counts.failed),
        ];
        let ended = found.ended.iter().map(|(reason, methods)| {
            [reason.clone(), methods.iter().map(String::as_str).collect::<Vec<_>>().join(", ")]
        });
        let mut left_out: Vec<[String; 2]> = ended.collect();
        for (plan, control) in question.every.iter().zip(["tolerances", "steps"]) {
            let named = plan.iter().flat_map(Plan::left_out).map(|left| [left.reason, left.methods.join(", ")]);
            left_out.extend(named);
            let told = plan.as_ref().map_or_else(|| vec!["no method suits".to_owned()], Plan::accounts);
            left_out.extend(told.into_iter().map(|line| [format!("with {control}"), line]));
        }
        Self { title: question.title.clone(), about, rows, tables, left_out }
    }
}
