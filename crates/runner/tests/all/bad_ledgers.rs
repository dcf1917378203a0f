//! Broken ledgers: each mistake is reported at its line and column, with the accepted input.

use std::path::Path;

use crate::chapter::{experiments, plans};
use mbsbench::Registry;
use mbsbench::claims::{Book, Ledger};
use mbsbench::input::{BadInput, Document};
use mbsbench::plan::Plan;

const GOOD: &str = "\
schema: 2
paper: compere2001
statements:
  - id: start-energy
    place: Section 3.5.3
    says: The energy is 159.93 J in magnitude.
    value:
      of: { experiment: pendulum-motion, where: { case: ode, method: rk8 }, column: initial(energy), magnitude: true }
      published: \"159.93\"
      tolerance: printed
    why: five printed digits
";

/// The test in the good ledger.
const VALUE: &str = "    value:
      of: { experiment: pendulum-motion, where: { case: ode, method: rk8 }, column: initial(energy), magnitude: true }
      published: \"159.93\"
      tolerance: printed
";

fn read(text: &str, plans: &[Plan]) -> Result<Ledger, BadInput> {
    let document = Document::parse(Path::new("claims.yaml"), text.as_bytes())?;
    Ledger::read(&document, Book::Claims, plans)
}

/// The replaced text in the good ledger, its replacement, the place of the mistake (line, column), and parts of the
/// message.
type Mistake = (&'static str, &'static str, (usize, usize), [&'static str; 2]);

const MISTAKES: [Mistake; 51] = [
    ("schema: 2", "schema: 1", (1, 9), ["ledger format 1", "accepted: 2"]),
    ("statements:", "statement:", (3, 1), ["unknown key `statement`", "did you mean `statements`?"]),
    ("paper: compere2001\n", "", (1, 1), ["the key `paper` is missing", "add `paper:`"]),
    ("id: start-energy", "id: Start Energy", (4, 9), ["`Start Energy` is not a name", "lower-case letters"]),
    ("id: start-energy", "id: ../energy", (4, 9), ["`../energy` is not a name", "lower-case letters"]),
    ("    place: Section 3.5.3\n", "", (4, 5), ["the key `place` is missing", "add `place:`"]),
    ("says: The energy is 159.93 J in magnitude.", "says: ''", (6, 11), ["`says` is empty", "a text"]),
    ("why:", "checks: [1]\n    why:", (7, 5), ["of a statement with `checks`", "`says`"]),
    ("why:", "bound_from: somewhere\n    why:", (11, 17), ["`somewhere`", "`figure`"]),
    ("why:", "each: { of: angles }\n    why:", (11, 17), ["unknown set `angles`", "accepted"]),
    ("why:", "except: [{ of: 1 }]\n    why:", (11, 5), ["`except` requires `each`", "`each`"]),
    ("why:", "each: { of: [1] }\n    about: '{off}'\n    why:", (12, 12), ["unknown axis `off` of `each`", "`of`"]),
    ("why:", "each: { of: [1] }\n    except: [{ of: 2 }]\n    why:", (12, 14), ["matches no combination", "first"]),
    ("tolerance: printed", "tolerance: { relative: 0.1 }", (4, 5), ["the origin of its bound", "`bound_from:`"]),
    ("    value:", "    valeu:", (7, 5), ["unknown key `valeu`", "did you mean `value`?"]),
    ("place: Section", "plaice: Section", (5, 5), ["unknown key `plaice`", "did you mean `place`?"]),
    (VALUE, "", (4, 5), ["has no kind", "one of `value`"]),
    (
        VALUE,
        "    order: { of: { experiment: pendulum-motion, column: constraint_max }, x: step, published: '1' }\n",
        (7, 12),
        ["the key `tolerance` is missing", "`{ factor: … }`"],
    ),
    (
        VALUE,
        "    order: { of: { experiment: pendulum-motion, where: { case: ode, method: rk8 }, column: constraint_max }, \
         x: step, published: '1', tolerance: { absolute: 0.1 }, finest: 2 }\n",
        (7, 173),
        ["a slope cannot be fitted through 2 runs", "3 or more"],
    ),
    (
        VALUE,
        "    order: { of: { experiment: pendulum-motion, where: { case: ode, method: rk8 }, column: constraint_max }, \
         x: step, published: '1', tolerance: { absolute: 0.1 }, above: 1 }\n",
        (7, 172),
        ["`above` does not apply to a slope through all runs", "together with `finest`"],
    ),
    (
        VALUE,
        "    failure: { experiment: pendulum-motion, status: diverged }\n",
        (7, 53),
        ["`diverged`", "`newton-diverged`"],
    ),
    (
        VALUE,
        "    agreement: { tables: [{ experiment: pendulum-ode, table: table-3.2 }], \
         column: rk3, share: 1, within: 0.1 }\n",
        (7, 62),
        ["unknown table `table-3.2`", "did you mean `table-3.1`?"],
    ),
    (
        VALUE,
        "    agreement: { tables: [{ experiment: pendulum-ode, table: table-3.1 }], \
         column: rk4, share: 1, within: 0.1 }\n",
        (7, 84),
        ["unknown column `rk4`", "`rk3`"],
    ),
    (
        VALUE,
        "    agreement: { tables: [{ experiment: pendulum-ode, table: table-3.1 }], \
         column: rk3, share: 90, within: 0.1 }\n",
        (7, 96),
        ["`share` is 90", "at most 1"],
    ),
    (
        VALUE,
        "    agreement: { tables: [{ experiment: pendulum-ode, table: table-3.1 }], \
         column: rk3, share: 1, within: 0 }\n",
        (7, 107),
        ["`within` is 0", "a number above 0"],
    ),
    (
        "    why: five printed digits\n",
        "    bound_from: ours\n",
        (4, 5),
        ["a tolerance without a reason", "add `why:`"],
    ),
    ("why:", "expected: reproducd\n    why:", (11, 15), ["`reproducd`", "did you mean `reproduced`?"]),
    ("why:", "expected: partly\n    why:", (11, 15), ["needs an explanation", "add `because:`"]),
    ("why:", "bound: {}\n    why:", (4, 5), ["`start-energy` has 2 kinds", "one of `value`"]),
    ("why:", "open: { needs: the author's files }\n    why:", (4, 5), ["`start-energy` has 2 kinds", "one of `value`"]),
    ("experiment: pendulum-motion", "experiment: pendulum-moton", (8, 25), ["unknown experiment", "did you mean"]),
    ("case: ode", "case: odd", (8, 57), ["unknown value `odd` of `case`", "did you mean `ode`?"]),
    ("case: ode", "cases: ode", (8, 58), ["unknown axis `cases`", "did you mean `case`?"]),
    ("method: rk8 }", "method: rk8, step: 7 }", (8, 81), ["unknown value `7` of `step`", "`0.01`"]),
    ("method: rk8", "method: 8", (8, 70), ["unknown value `8` of `method`", "`rk8`"]),
    (", method: rk8", "", (8, 11), ["3 numbers are selected, but only one is needed", "`reduce: max`"]),
    (
        "column: initial(energy)",
        "column: initial(enrgy)",
        (8, 85),
        ["unknown column", "did you mean `initial(energy)`?"],
    ),
    ("column: initial(energy), ", "", (8, 11), ["needs either `column` or `columns`", "`column: NAME`"]),
    ("magnitude: true", "magnitude: maybe", (8, 113), ["maybe", "true"]),
    ("magnitude: true", "magnitud: true", (8, 102), ["unknown key `magnitud`", "did you mean `magnitude`?"]),
    ("magnitude: true", "unit: grad", (8, 108), ["`grad`", "`deg`"]),
    ("\"159.93\"", "about", (9, 18), ["about", "a number in quotes"]),
    ("\"159.93\"", "159.93", (9, 18), ["`159.93`", "a number in quotes"]),
    ("column: initial(energy)", "column: stepp", (8, 85), ["unknown column `stepp`", "did you mean `step`?"]),
    (
        "      published: \"159.93\"\n",
        "",
        (8, 7),
        ["the test of `value` is incomplete", "`published` with `tolerance`"],
    ),
    ("      tolerance: printed\n", "", (8, 7), ["the test of `value` is incomplete", "`published` with `tolerance`"]),
    ("tolerance: printed", "tolerance: exact", (10, 18), ["`exact`", "`printed`"]),
    ("tolerance: printed", "tolerance: { factor: 0.5 }", (10, 18), ["`tolerance` is 0.5", "a number above 1"]),
    ("tolerance: printed", "tolerance: { relative: -1 }", (10, 18), ["`tolerance` is -1", "a number above 0"]),
    (
        "tolerance: printed",
        "tolerance: printed\n      partly: { below: 1 }",
        (11, 15),
        ["`partly` does not fit the test", "`factor`"],
    ),
    (
        "tolerance: printed",
        "tolerance: printed\n      to: { experiment: pendulum-ode, column: energy_variation, reduce: max }",
        (11, 11),
        ["`value` has only one operand", "`ratio` or `difference`"],
    ),
];

#[test]
fn the_valid_ledger_is_accepted() {
    let plans = plans(&experiments(), &Registry::builtin());
    let ledger = read(GOOD, &plans).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    assert_eq!(ledger.checks().count(), 1);
}

#[test]
fn every_mistake_is_located() {
    let plans = plans(&experiments(), &Registry::builtin());
    let mut wrong = Vec::new();
    for (from, to, place, parts) in MISTAKES {
        assert_eq!(GOOD.matches(from).count(), 1, "`{from}` is there once");
        let text = GOOD.replace(from, to);
        let Err(bad) = read(&text, &plans) else {
            wrong.push(format!("`{to}` is accepted"));
            continue;
        };
        let problems = bad.problems().iter().map(|problem| {
            let said = format!("{} {}", problem.message, problem.help.as_deref().unwrap_or_default());
            (bad.source().line_and_column(problem.place), said)
        });
        let problems: Vec<((usize, usize), String)> = problems.collect();
        if !problems.iter().any(|(found, said)| *found == place && parts.iter().all(|part| said.contains(part))) {
            wrong.push(format!("`{to}`: expected {parts:?} at {place:?}: {problems:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn duplicate_statement_ids_are_refused() {
    let plans = plans(&experiments(), &Registry::builtin());
    let (_, statement) = GOOD.split_once("statements:\n").unwrap();
    let bad = read(&format!("{GOOD}{statement}"), &plans).unwrap_err();
    assert_eq!(bad.problems().len(), 1);
    assert_eq!(bad.source().line_and_column(bad.problems()[0].place), (12, 9));
    assert!(bad.problems()[0].message.contains("duplicate statement `start-energy`; first used at claims.yaml:4:9"));
    let bad = read(&GOOD.replace("    why:", "    each: { n: [1, 2] }\n    why:"), &plans).unwrap_err();
    assert!(bad.problems()[0].message.contains("duplicate check `start-energy`"), "{bad}");
}
