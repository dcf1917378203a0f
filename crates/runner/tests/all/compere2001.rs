//! compere2001 from end to end: the committed experiment files give the verdicts that the ledger expects, and the
//! values of another implementation.

use std::sync::OnceLock;

use crate::chapter::{Chapter, experiments};
use mbsbench::Registry;
use mbsbench::claims::{Book, Judged, JudgedCheck, Verdict};

fn chapter() -> &'static Chapter {
    static CHAPTER: OnceLock<Chapter> = OnceLock::new();
    CHAPTER.get_or_init(|| Chapter::run(&experiments(), &Registry::builtin(), |_| true))
}

fn tell(judged: &Judged) -> String {
    let checks = judged.checks.iter().filter(|each| each.verdict() != Verdict::Reproduced).map(|each| {
        let measured = each.judgement.measured;
        format!("{}: {} {measured:?} {}", each.check.id, each.outcome, each.note())
    });
    format!("{}: {}; {}", judged.statement.id, judged.outcome, checks.collect::<Vec<_>>().join("; "))
}

#[test]
fn anchors_hold() {
    let judged = chapter().judged(Book::Anchors);
    assert!(judged.len() >= 6);
    let is_broken = |each: &&Judged| each.checks.iter().any(|check| check.judgement.verdict != Verdict::Reproduced);
    let broken: Vec<String> = judged.iter().filter(is_broken).map(tell).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn verdicts_match_the_expected_ones() {
    let judged = chapter().judged(Book::Claims);
    let surprising: Vec<String> = judged.iter().filter(|each| each.is_surprise()).map(tell).collect();
    assert!(surprising.is_empty(), "{surprising:#?}");
}

/// 24 cells agree with the two published digits. Cells that roundoff dominates can only be required to agree within a
/// factor.
#[test]
fn every_cell_of_the_tables_is_reproduced() {
    let judged = chapter().judged(Book::Claims);
    let is_cell = |each: &&JudgedCheck| each.check.id.starts_with("table-3.") && each.check.id.split('/').count() == 3;
    let cells: Vec<&JudgedCheck> = judged.iter().flat_map(|each| &each.checks).filter(is_cell).collect();
    assert_eq!(cells.len(), 36);
    assert!(cells.iter().all(|each| each.judgement.verdict == Verdict::Reproduced));
    let printed = |each: &&&JudgedCheck| each.check.kind.test().is_some_and(|test| test.to_string().contains("digits"));
    assert_eq!(cells.iter().filter(printed).count(), 24);
}
