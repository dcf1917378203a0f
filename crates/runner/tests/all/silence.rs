//! Parts of a file that have no effect cause an error or a warning, and names must be valid file names.

use std::fs;

use mbsbench::Registry;
use mbsbench::cli::{self, Exit};
use mbsbench_problem::{Counted, Method, MethodDefinition, Observer, Parameters, Solution, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn check(text: &str, further: &[&str]) -> (Exit, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.yaml");
    fs::write(&path, text).unwrap();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let all = [&["mbsbench", "check", path.to_str().unwrap()], further].concat();
    let exit = cli::run(&Registry::builtin(), all, &mut stdout, &mut stderr, false);
    (exit, String::from_utf8(stderr).unwrap())
}

const HEAD: &str = "id: mine/file\nspan: [0.0, 1.0]\n";

/// Files with their warnings.
const WARNED: [(&str, &str); 5] = [
    (
        "model: penalty-ball\nmethod: contact-power\ntolerance: [1e-4, 1e-6]\nmeasures: [steps_accepted]\n",
        "file.yaml:5:13: `contact-power` ignores the tolerance: its runs are the same for all of these values; give it",
    ),
    (
        "model: pendulum\nmethod: rk5\nstep: 0.1\n\
         matrix: { settings.initial_step: [0.1, 0.2] }\nmeasures: [steps_accepted]\n",
        "runs with different `settings.initial_step` are identical; the axis has no effect there",
    ),
    (
        "model: pendulum\nmethod: [rk5, { rk5: { label: again } }]\nstep: 0.1\nmeasures: [steps_accepted]\n",
        "runs with different `method` are identical; the axis has no effect there",
    ),
    (
        "model: pendulum\nmethod: rk5\nmeasures: [steps_accepted]\ncases:\n  \
         - { case: one, step: [0.1, 0.2] }\n  - { case: other, step: 0.1 }\n",
        "file.yaml:8:5: all runs of the case `other` occur in `one` or other cases before it; \
         its settings have no effect",
    ),
    (
        "model: pendulum\nmethod: rk5\nstep: [0.1, 0.2]\nmeasures: [energy_variation, rhs_evaluations]\n\
         rankings:\n  - { title: one, \
         error: energy_variation, meaning: J, work: { evaluations: rhs_evaluations } }\n",
        "`rk5` is the only ranked method; a ranking compares methods",
    ),
];

#[test]
fn ineffective_settings_are_warnings_or_strict_errors() {
    for (text, said) in WARNED {
        let text = format!("{HEAD}{text}");
        let (exit, warned) = check(&text, &[]);
        assert_eq!(exit, Exit::Done, "{warned}");
        assert!(warned.contains("warning: ") && warned.contains(said), "{warned}");
        assert!(warned.ends_with("\n1 warning\n"), "{warned}");
        let (exit, warned) = check(&text, &["--strict"]);
        assert_eq!(exit, Exit::BadInput, "{warned}");
        assert!(
            warned.contains(said) && warned.contains("1 warning; `--strict` treats warnings as errors"),
            "{warned}"
        );
    }
    let quiet = format!("{HEAD}model: pendulum\nmethod: rk5\nstep: [0.1, 0.2]\nmeasures: [rhs_evaluations]\n");
    assert_eq!(check(&quiet, &["--strict"]), (Exit::Done, String::new()));
}

/// A baseline in several cases is one run with a row for each case, without a warning.
#[test]
fn a_run_may_occur_in_several_cases() {
    let cases = "cases:\n  - { case: one, method: [rk3, rk5] }\n  - { case: other, method: [rk5, rk8] }\n";
    let text = format!("{HEAD}model: pendulum\nstep: 0.1\nmeasures: [rhs_evaluations]\n{cases}");
    assert_eq!(check(&text, &["--strict"]), (Exit::Done, String::new()));
}

/// No row can be listed twice: the values of an axis and the cases differ, however they are spelled.
#[test]
fn no_row_is_listed_twice() {
    let listed = [
        ("method: rk5\nstep: [0.125, 2^-3]\n", "the axis `step` has `2^-3` twice: `0.125` is the same"),
        ("method: [rk5, rk5]\nstep: 0.1\n", "two methods have the label `rk5`"),
        ("method: rk5\nstep: 0.1\ncases: [{ case: one }, { case: one }]\n", "duplicate case `one`"),
    ];
    for (text, refused) in listed {
        let (exit, said) = check(&format!("{HEAD}model: pendulum\nmeasures: [rhs_evaluations]\n{text}"), &[]);
        assert!(exit == Exit::BadInput && said.contains(refused), "{said}");
    }
}

#[test]
fn an_error_without_a_reference_is_refused() {
    let text = format!("{HEAD}model: pendulum\nmethod: rk5\nstep: 0.1\nmeasures: [{{ error: {{ of: theta }} }}]\n");
    let (exit, said) = check(&text, &[]);
    assert_eq!(exit, Exit::BadInput);
    assert!(said.contains("file.yaml:6:12: `error` has no reference to compare with"), "{said}");
}

#[test]
fn a_name_of_the_same_words_is_suggested() {
    let text = format!("{HEAD}model: pendulum\nmethod: rk5\nstep: 0.1\nmeasures: [rejected_steps]\n");
    let (_, said) = check(&text, &[]);
    assert!(said.contains("did you mean `steps_rejected`?"), "{said}");
}

/// A method from outside with a name that files cannot use.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Named {}

impl Parameters for Named {}

impl MethodDefinition for Named {
    const NAME: &'static str = "Bad Name";
    const SUMMARY: &'static str = "";
    const SOURCE: &'static str = "";
    const FAMILY: &'static str = "explicit-runge-kutta";

    fn method(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

impl Method for Named {
    fn order(&self) -> u32 {
        1
    }

    fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
        unreachable!("it is never registered")
    }
}

#[test]
#[should_panic(expected = "`Bad Name` cannot be the name of a method: use lower-case letters, digits and `-`")]
fn a_name_that_no_file_can_have_is_refused() {
    let _ = Registry::builtin().method::<Named>();
}
