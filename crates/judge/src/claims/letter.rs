//! Questions to the authors of a paper whose answers would settle its open statements.

use mbsbench_experiment::Plan;
use mbsbench_experiment::lists::{grouped, unique};

use super::{Counts, Judged, JudgedCheck, Reason, Statement, Verdict};
use crate::publication::Publication;

/// A detail that a paper leaves out or does not publish, with the statements that it would settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question, without a full stop.
    pub asks: String,
    /// Ids of the open statements.
    pub settles: Vec<String>,
    /// The places of these statements in the paper, each once.
    pub places: Vec<String>,
}

/// Returns the questions behind the open statements, starting with the ones that would settle most.
pub fn questions(judged: &[Judged], plans: &[&Plan]) -> Vec<Question> {
    let statements = judged.iter().filter(|each| !each.is_finding);
    let asked = statements.filter_map(|each| Some((asked(each, plans)?, &each.statement)));
    let question = |(asks, statements): (String, Vec<&Statement>)| Question {
        asks,
        settles: statements.iter().map(|statement| statement.id.clone()).collect(),
        places: unique(statements.iter().map(|statement| statement.place.clone())),
    };
    let mut questions: Vec<Question> = grouped(asked).into_iter().map(question).collect();
    questions.sort_by_key(|question| std::cmp::Reverse(question.settles.len()));
    questions
}

/// Returns the question that would settle an open statement, or `None` if no answer would.
fn asked(judged: &Judged, plans: &[&Plan]) -> Option<String> {
    let check = judged.deciding()?;
    let title = || {
        let name = check.check.kind.experiments().into_iter().next()?;
        let plan = plans.iter().find(|plan| plan.experiment.is_called(name, &plan.experiment.paper))?;
        Some(plan.experiment.title.clone().unwrap_or_else(|| plan.experiment.id.clone()))
    };
    match judged.outcome.reason()? {
        Reason::LeftOut(what) => Some(left_out(check, plans).unwrap_or_else(|| what.clone())),
        Reason::NotPublic(what) => Some(title().map_or_else(|| what.clone(), |title| format!("{what} (“{title}”)"))),
        Reason::Timing | Reason::NotTestable(_) | Reason::OwnChecks(_) | Reason::NotInstalled(_) => None,
    }
}

/// Returns the parameter that changes a verdict, with the reason that its experiment file gives for leaving it
/// undetermined.
fn left_out(check: &JudgedCheck, plans: &[&Plan]) -> Option<String> {
    let share = check.share.as_ref()?;
    let names = check.check.kind.experiments();
    let is_of = |plan: &&&Plan| names.iter().any(|name| plan.experiment.is_called(name, &plan.experiment.paper));
    let undetermined = || plans.iter().filter(is_of).flat_map(|plan| &plan.experiment.undetermined);
    let by_reading = share.turned().find_map(|(reading, _)| {
        undetermined().find(|(_, varied)| varied.readings().iter().any(|known| known.name == reading))
    });
    let is_word =
        |name: &str| share.decided.split([' ', ':', ',']).any(|word| !word.is_empty() && name.ends_with(word));
    let by_range = || undetermined().find(|(key, _)| is_word(&key.name));
    let (key, varied) = if share.is_conditioned { by_range() } else { by_reading }?;
    let why = varied.why.split(';').next().unwrap_or_default().trim();
    Some(format!("{} ({why})", key.name))
}

/// Writes a letter to the authors with these questions, in paragraphs; `None` if there is nothing to ask.
pub fn letter(publication: &Publication, judged: &[Judged], questions: &[Question]) -> Option<Vec<String>> {
    let open: usize = questions.iter().map(|question| question.settles.len()).sum();
    let statements = || judged.iter().filter(|each| !each.is_finding);
    let counts: Counts = statements().map(Judged::verdict).collect();
    let counted = |(one, count): (Verdict, usize)| format!("{count} {} {one}", if count == 1 { "is" } else { "are" });
    let counts: Vec<String> = counts.each().map(counted).collect();
    let greeting = format!("Dear {},", publication.by()?);
    let start = format!(
        "we reran the numerical experiments of “{}” ({}) and tested {} of its statements: {}. {open} of the open ones \
         need information that the text leaves out or that is not public. An answer to any of these questions would \
         settle the statements at the places named with it:",
        publication.title.trim(),
        publication.year,
        statements().count(),
        counts.join(", "),
    );
    let numbered = questions.iter().zip(1..).map(|(question, k)| {
        let Question { asks, settles, places } = question;
        let plural = if settles.len() == 1 { "" } else { "s" };
        let asks = asks.trim_end_matches('.');
        let (count, places) = (settles.len(), places.join("; "));
        format!("{k}. Missing: {asks}. This would settle {count} statement{plural}: {places}.")
    });
    let end = "We will enter your answer into the experiment files, marked as yours, and judge the statements again.";
    (open > 0).then(|| [greeting, start].into_iter().chain(numbered).chain([end.to_owned()]).collect())
}
