//! `mbsbench verify`: judges all statements.

mod audit;
mod recompute;
mod signature;

use std::io;

use mbsbench_judge::claims::record::ground_of;
use mbsbench_judge::claims::{Judged, Verdict};
use tabled::settings::object::Columns;
use tabled::settings::{Modify, Width};

use super::Command;
use crate::cli::{
    BY_TIMES, Exit, NOT_AS_EXPECTED, Need, Result, Seen, Session, Strict, Verdicts, judge_papers, outcome_of, surprise,
    table, tally,
};
use crate::output::Output;
use recompute::Recompute;
use signature::Signature;

/// Check every statement against existing results and write `claims.json`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench verify gil2013 --brief\n  mbsbench verify gil2013 --recompute 5%\n  \
                  mbsbench verify --audit=10% --seed 1")]
pub(super) struct Verify {
    /// Paper or set of problems [default: all papers].
    paper: Option<String>,
    /// Hide statements that are reproduced.
    #[arg(long)]
    brief: bool,
    /// Treatment of warnings.
    #[command(flatten)]
    strict: Strict,
    /// Runs to recompute or audit.
    #[command(flatten)]
    recompute: Recompute,
    /// Signature of the results.
    #[command(flatten)]
    signature: Signature,
    /// Results.
    #[command(flatten)]
    seen: Seen,
}

impl Command for Verify {
    fn need(&self) -> Need {
        if self.paper.is_some() { Need::Results } else { Need::AllResults }
    }

    /// Judges all statements of a paper, or of all papers if none is named, and writes `claims.json`.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let library = session.library;
        let results = library.seen(&self.seen);
        let (wanted, plans) = match &self.paper {
            Some(paper) => (vec![paper.clone()], library.plans_of(paper)?),
            None => (library.papers_alone()?, library.named(&[], false)?),
        };
        session.report_warnings(&plans, self.strict)?;
        let ledgers = library.ledgers(&wanted, &plans)?;
        let mut exit = Exit::Done;
        for verdicts in judge_papers(&ledgers, &plans, &results, session)? {
            self.print(&verdicts, &mut session.output)?;
            exit = exit.max(verdicts.exit());
        }
        exit = exit.max(self.signature.check(&plans, &results, &mut session.output)?);
        exit = exit.max(self.recompute.make(&plans, &results, session)?);
        self.recompute.audit(&plans, session)?;
        Ok(exit)
    }
}

impl Verify {
    /// Prints statements as tables, followed by the number of statements with each verdict and the unexpected ones.
    fn print(&self, verdicts: &Verdicts, output: &mut Output<'_>) -> io::Result<()> {
        let Verdicts { paper, judged, anchors, loose, .. } = verdicts;
        loose.iter().try_for_each(|line| output.println(line))?;
        if *anchors > 0 {
            output.println(format!("{paper}: {} of {} anchors hold", anchors - loose.len(), anchors))?;
        }
        for (is_finding, head) in [(false, "statement"), (true, "finding of ours")] {
            let rows = judged.iter().filter(|each| each.is_finding == is_finding);
            let rows: Vec<&Judged> =
                rows.filter(|each| !self.brief || each.verdict() != Verdict::Reproduced || each.differs()).collect();
            if rows.is_empty() {
                continue;
            }
            let heads = [head, "place", "set-up", "checks", "outcome"].map(str::to_owned);
            let row = |each: &Judged| {
                let (id, place) = (each.statement.id.clone(), each.statement.place.clone());
                [id, place, ground_of(each.rests_on()).to_owned(), each.tally(), outcome_of(each)]
            };
            let mut table = table([heads].into_iter().chain(rows.into_iter().map(row)));
            table.with(Modify::new(Columns::first()).with(Width::wrap(64).keep_words(true)));
            table.with(Modify::new(Columns::one(1)).with(Width::wrap(24).keep_words(true)));
            output.println(table.to_string())?;
        }
        for tally in [false, true].into_iter().filter_map(|is_finding| tally(judged, is_finding, true)) {
            output.println(format!("{paper}: {tally}"))?;
        }
        let listed = |is_meant: fn(&Judged) -> bool| {
            judged.iter().filter(|each| is_meant(each)).map(surprise).collect::<Vec<_>>().join(", ")
        };
        for (what, names) in
            [(NOT_AS_EXPECTED, listed(Judged::is_surprise)), (BY_TIMES, listed(Judged::differs_by_times))]
        {
            if !names.is_empty() {
                output.println(format!("{what}: {names}"))?;
            }
        }
        let more = verdicts.lost.iter().chain(&verdicts.assured).chain(&verdicts.claims);
        more.into_iter().try_for_each(|line| output.println(line))
    }
}
