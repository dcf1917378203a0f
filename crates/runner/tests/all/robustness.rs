//! Studies of undetermined parameters through the program: what is planted is found, what cannot be judged is said, and a
//! study that is enlarged is the one that would have been made at once.

use std::fs;
use std::path::Path;
use std::process::Command;

use mbsbench::robustness::Finding;
use mbsbench::robustness::explain::Side;
use tempfile::TempDir;

/// `weight` decides the check `light` at 200 J m; mass and length do so only together. Lengths below zero are refused, and
/// runs above 300 J in magnitude fail by a rule.
const EXPERIMENT: &str = "\
id: mine/pendulum
span: [0.0, 0.2]
step: 0.01
method: [rk3, rk5]
cases:
  - { case: free, model: { pendulum: { mass: 10.0, length: 1.0 } } }
  - case: ruled
    model: { pendulum: { mass: 10.0, length: 1.0 } }
    fails_when: [{ observable: energy, above: 300.0 }, { observable: energy, below: -300.0 }]
  - { case: other, model: { pendulum: { mass: 10.0, length: 1.0 } } }
measures: [{ initial: { of: energy } }, rhs_evaluations]
timing: { repeat: 3 }
known: { defaults: printed }
undetermined:
  model.mass: { range: [1.0, 100.0], why: not printed }
  model.length: { range: [-0.5, 2.0], why: not printed and wrong below zero }
study:
  cases: [free, ruled]
  features:
    - name: weight
      why: the energy times the length
      column: initial(energy)
      where: { case: free, method: rk5 }
      times: model.length
";

const CLAIMS: &str = "\
schema: 2
paper: mine
statements:
  - id: light
    place: Section 1
    says: The energy times the length is no more than 200 J m.
    bound:
      of: { experiment: pendulum, where: { case: free, method: rk3 }, column: initial(energy), times: model.length, magnitude: true }
      below: 200.0
    why: nothing but a test
    bound_from: ours
  - id: completes
    place: Section 1
    says: The pendulum swings to the end.
    failure: { experiment: pendulum, where: { case: ruled }, completes: true }
  - id: cheap
    place: Section 1
    says: The formula of the higher order costs more.
    ordering:
      smallest_first:
        - { experiment: pendulum, where: { case: free, method: rk3 }, column: rhs_evaluations }
        - { experiment: pendulum, where: { case: ruled, method: rk5 }, column: rhs_evaluations }
  - id: fast
    place: Section 1
    says: It is fast.
    bound: { of: { experiment: pendulum, where: { case: free, method: rk3 }, column: timing.median_s }, below: 1.0 }
    why: nothing but a test
    bound_from: ours
  - id: elsewhere
    place: Section 1
    says: The other case has an energy too.
    bound: { of: { experiment: pendulum, where: { case: other }, column: initial(energy), reduce: max }, below: 1.0e9 }
    why: nothing but a test
    bound_from: ours
  - id: never
    place: Section 1
    says: It was measured.
    untestable: { needs: the pendulum }
";

fn place(claims: &str) -> TempDir {
    place_as("mine", claims)
}

/// The experiment and its ledger as those of `paper`.
fn place_as(paper: &str, claims: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let experiments = folder.path().join("experiments").join(paper);
    fs::create_dir_all(&experiments).unwrap();
    fs::write(experiments.join("pendulum.yaml"), EXPERIMENT.replace("id: mine/", &format!("id: {paper}/"))).unwrap();
    fs::write(experiments.join("claims.yaml"), claims.replace("paper: mine", &format!("paper: {paper}"))).unwrap();
    folder
}

fn mbsbench(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn study(folder: &Path, options: &str) -> String {
    let (code, said) = mbsbench(folder, &format!("robustness experiments/mine/pendulum.yaml {options}"));
    assert_eq!(code, Some(0), "{said}");
    said
}

fn file(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join("results/mine/pendulum").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn what_decides_is_found_and_what_cannot_be_judged_is_said() {
    let folder = place(CLAIMS);
    let said = study(folder.path(), "--samples 128");
    let findings = Finding::read_csv(std::str::from_utf8(&file(folder.path(), "robustness.csv")).unwrap()).unwrap();
    let of = |id: &str| findings.iter().find(|finding| finding.check == id).unwrap_or_else(|| panic!("{id}: {said}"));

    let light = of("light").explanation.first.as_ref().unwrap();
    // The energy is negative where the pendulum hangs.
    assert_eq!((light.variable.as_str(), light.distance, light.holds), ("weight", 1.0, Side::Above));
    // Midway between the two samples next to 200 J m.
    assert!((light.threshold + 200.0).abs() < 30.0, "{light:?}");
    // Lengths below zero, a fifth of the range, are refused: evidence without a feature.
    let refused = of("light").count().samples - light.counts[0].samples - light.counts[1].samples;
    assert!((refused as f64 / 128.0 - 0.2).abs() < 0.02, "{refused} samples are refused");
    assert_eq!(of("light").verdicts.open, 0);

    let completes = of("completes");
    assert!(completes.is_divided() && completes.explanation.first.is_some());
    assert!(of("cheap").is_divided(), "a check on two cases is judged, and a failed run counts against it");
    assert_eq!(of("cheap").count(), completes.count());

    let left_out: Vec<_> =
        findings.iter().filter_map(|each| Some((each.check.as_str(), each.left_out.as_deref()?))).collect();
    assert_eq!(left_out, [("fast", "times"), ("elsewhere", "cases outside of the study")]);
    assert!(said.contains("1 check rests on times and is not part of the study"), "{said}");
    assert!(findings.iter().all(|finding| finding.check != "never"));

    let samples = file(folder.path(), "robustness-samples.csv");
    let mut samples = csv::Reader::from_reader(samples.as_slice());
    assert_eq!(
        samples.headers().unwrap(),
        vec!["model.mass", "model.length", "weight", "failed_runs", "light", "light measured", "completes", "cheap"]
    );
    let rows: Vec<csv::StringRecord> = samples.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 128);
    for row in rows {
        let is_refused = row[1].parse::<f64>().unwrap() <= 0.0;
        assert_eq!(is_refused, &row[3] == "4" && row[2].is_empty() && row[5].is_empty(), "{row:?}");
        assert_eq!(
            row[2].parse::<f64>().map_or("contradicted", |w| if w >= -200.0 { "reproduced" } else { "contradicted" }),
            &row[4]
        );
    }
    for picture in ["robustness.svg", "robustness-samples.svg"] {
        assert!(file(folder.path(), picture).len() > 1000, "{picture}");
    }
}

/// An end of the span that is sampled is that of the reference, too, or errors could not be measured there.
#[test]
fn references_follow_what_is_varied() {
    use mbsbench::input::{Key, Node, Place};
    use mbsbench::plan::Plan;
    use mbsbench::registry::Registry;
    let reference = "reference: { method: rk8, step: 0.01, check: { method: { gbs: { order: 12 } }, step: 0.01 } }\n";
    let (registry, text) = (Registry::builtin(), format!("{EXPERIMENT}{reference}"));
    let plan = Plan::read(Path::new("pendulum.yaml"), text.as_bytes(), &registry, false).unwrap();
    let place = Place::default();
    let value = |path: &str, number: f64| {
        (Key { name: path.to_owned(), place }, Node::from_json(&serde_json::json!(number), place))
    };
    for run in plan.runs_with(&[value("span.end", 0.7), value("model.mass", 3.0)], &registry) {
        let run = run.unwrap();
        let reference = run.reference.as_ref().unwrap();
        assert_eq!((run.span, reference.span), ([0.0, 0.7], [0.0, 0.7]));
        assert_eq!(reference.model.parameter("mass").unwrap(), 3.0);
        assert_ne!(reference.key, plan.runs[0].reference.as_ref().unwrap().key);
    }
}

#[test]
fn an_enlarged_study_is_the_one_made_at_once() {
    let (one, other) = (place(CLAIMS), place(CLAIMS));
    study(one.path(), "--samples 20 --jobs 1");
    let samples = file(one.path(), "robustness-samples.csv");
    study(one.path(), "--samples 70 --jobs 2");
    study(other.path(), "--samples 70 --jobs 1");
    for name in ["robustness.csv", "robustness-samples.csv", "robustness.svg", "robustness-samples.svg"] {
        assert!(file(one.path(), name) == file(other.path(), name), "{name} differs");
    }
    assert!(file(one.path(), "robustness-samples.csv").starts_with(&samples), "the first samples stay");
}

#[test]
fn the_report_shows_the_study() {
    // Claims on times need times, which are no matter here.
    let folder = place(&CLAIMS.replace("timing.median_s", "t_reached"));
    study(folder.path(), "--samples 64");
    let (code, said) = mbsbench(folder.path(), "reproduce");
    assert!(code == Some(0) || code == Some(1), "{said}");
    let page = fs::read_to_string(folder.path().join("results/report/mine-behind.html")).unwrap();
    for part in [
        "How much depends on what is left out",
        "evenly in the logarithm",
        "the energy times the length",
        "weight above",
        "1 check rests on cases outside of the study",
        "id=\"mine-pendulum-robustness-title\"",
        "id=\"mine-pendulum-robustness-samples-title\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// The front page counts statements by what they rest on, and leads to those of each verdict on the pages of papers; there has to
/// be something where its links point.
#[test]
fn the_front_page_counts_by_ground_and_its_links_lead_somewhere() {
    let folder = place_as("gil2013", &CLAIMS.replace("timing.median_s", "t_reached"));
    let (code, said) = mbsbench(folder.path(), "robustness experiments/gil2013/pendulum.yaml --samples 128");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = mbsbench(folder.path(), "reproduce");
    assert!(code == Some(0) || code == Some(1), "{said}");
    let page = |name: &str| fs::read_to_string(folder.path().join("results/report").join(name)).unwrap();
    let (front, paper) = (page("index.html"), page("gil2013.html"));
    let targets: Vec<&str> =
        front.split("href=\"gil2013.html#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    // `light`, `completes` and `cheap` turn within the ranges, `elsewhere` is in no study, `fast` holds wherever runs are made.
    assert!(targets.contains(&"verdict-depends") && targets.contains(&"verdict-untestable"), "{targets:?}");
    assert!(front.contains("6 statements, tested by 6 checks"), "{front}");
    for target in targets {
        assert!(paper.contains(&format!("id=\"{target}\"")), "nothing at {target}");
    }
}

/// A mark, a range or a bound that goes away does not go in silence.
#[test]
fn what_is_left_out_of_an_account_shows() {
    let folder = place(&CLAIMS.replace("timing.median_s", "t_reached"));
    study(folder.path(), "--samples 128");
    let at = |name: &str| folder.path().join("experiments/mine").join(name);
    let verify = || mbsbench(folder.path(), "verify mine");
    assert_eq!(mbsbench(folder.path(), "run experiments/mine/pendulum.yaml").0, Some(0));
    let (_, said) = verify();
    assert!(said.contains("depends"), "{said}");
    let experiment = fs::read_to_string(at("pendulum.yaml")).unwrap();
    let ledger = fs::read_to_string(at("claims.yaml")).unwrap();

    // A range that is left out makes the study that of something else.
    let without = experiment.replace("  model.mass: { range: [1.0, 100.0], why: not printed }\n", "");
    assert_ne!(without, experiment);
    fs::write(at("pendulum.yaml"), without).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("have changed since"), "{said}");

    // Without marks the file is refused.
    fs::write(at("pendulum.yaml"), experiment.replace("known: { defaults: printed }\n", "")).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("does not say how its parameters are known"), "{said}");
    fs::write(at("pendulum.yaml"), &experiment).unwrap();

    // A bound that is moved is told from the lock, and after its result it has to say so.
    assert_eq!(mbsbench(folder.path(), "lock mine --trust").0, Some(0));
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0", "below: 250.0")).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("tests something else than its entry"), "{said}");
    let (code, said) = mbsbench(folder.path(), "lock mine");
    assert!(code == Some(0) && said.contains("light is changed, when its result was known"), "{said}");
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("add `bound_set: after`"), "{said}");
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0\n", "below: 200.0\n    bound_set: after\n")).unwrap();
    assert_eq!(mbsbench(folder.path(), "lock mine").0, Some(0));
    assert_ne!(verify().0, Some(2), "as it was, and said to be after");
}

/// How many samples there are is said by the command, else by the file.
#[test]
fn the_file_says_how_many_samples_where_the_command_does_not() {
    let folder = place(CLAIMS);
    let path = folder.path().join("experiments/mine/pendulum.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("study:\n", "study:\n  samples: 24\n")).unwrap();
    assert!(study(folder.path(), "").contains(": 24 samples and 0 readings, "));
    assert!(study(folder.path(), "--samples 16").contains(": 16 samples and 0 readings, "));
}

#[test]
fn a_range_that_no_model_accepts_is_refused() {
    let folder = place(CLAIMS);
    let path = folder.path().join("experiments/mine/pendulum.yaml");
    let text = fs::read_to_string(&path).unwrap();
    // The nominal value lies on the upper end, where no sample is.
    fs::write(&path, text.replace("length: 1.0", "length: 1.0e-9").replace("[-0.5, 2.0]", "[-1.0, 1.0e-9]")).unwrap();
    let (code, said) = mbsbench(folder.path(), "robustness experiments/mine/pendulum.yaml --samples 8");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no sample is accepted; at model.mass = "), "{said}");
    assert!(!folder.path().join("results").exists());
}

/// A lock over results that exist does not say that bounds were set before them, not even the first one.
#[test]
fn the_first_lock_looks_at_results_and_store() {
    let folder = place(&CLAIMS.replace("timing.median_s", "t_reached"));
    let at = |name: &str| folder.path().join("experiments/mine").join(name);
    fs::write(at("pendulum.yaml"), EXPERIMENT.replace("timing: { repeat: 3 }\n", "")).unwrap();
    let stamps = |arguments: &str| {
        let (code, said) = mbsbench(folder.path(), arguments);
        assert_eq!(code, Some(0), "{said}");
        let lock = fs::read_to_string(at("bounds.lock")).unwrap();
        let mut stamps: Vec<String> = lock.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
        assert_eq!(stamps.len(), 5, "{lock}");
        stamps.dedup();
        stamps
    };
    assert_eq!(stamps("lock mine"), ["before"], "nothing has run");
    assert_eq!(mbsbench(folder.path(), "run experiments/mine/pendulum.yaml").0, Some(0));
    let bound = || mbsbench(folder.path(), "explain mine/light").1;
    assert!(bound().contains("ours: the paper has none; set before the result was known"), "{}", bound());

    // Without a lock nothing shows when a bound was set.
    fs::remove_file(at("bounds.lock")).unwrap();
    assert!(bound().contains("stated to be set before the result was known, which no lock verifies"), "{}", bound());
    assert_eq!(stamps("lock mine"), ["after"]);
    let (code, said) = mbsbench(folder.path(), "verify mine");
    assert!(code == Some(2) && said.contains("add `bound_set: after`"), "{said}");

    // The store has the runs as well; results of another version of the experiment are results.
    fs::remove_file(at("bounds.lock")).unwrap();
    let runs = folder.path().join("results/mine/pendulum/runs.csv");
    let kept = fs::read_to_string(&runs).unwrap();
    fs::remove_file(&runs).unwrap();
    assert_eq!(stamps("lock mine"), ["after"]);
    fs::remove_file(at("bounds.lock")).unwrap();
    assert_eq!(stamps("lock mine --cache nowhere"), ["before"]);
    fs::remove_file(at("bounds.lock")).unwrap();
    fs::write(&runs, &kept).unwrap();
    let experiment = fs::read_to_string(at("pendulum.yaml")).unwrap();
    fs::write(at("pendulum.yaml"), experiment.replace("step: 0.01", "step: 0.02")).unwrap();
    assert_eq!(stamps("lock mine --cache nowhere"), ["after"]);
    fs::write(at("pendulum.yaml"), experiment).unwrap();

    // What the user states is shown as stated, and not for a bound that is moved.
    fs::remove_file(at("bounds.lock")).unwrap();
    assert_eq!(stamps("lock mine --trust"), ["stated"]);
    assert_eq!(stamps("lock mine"), ["stated"], "a later lock verifies nothing either");
    assert!(bound().contains("which no lock verifies"), "{}", bound());
    let ledger = fs::read_to_string(at("claims.yaml")).unwrap();
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0", "below: 250.0")).unwrap();
    let (_, said) = mbsbench(folder.path(), "lock mine --trust");
    assert!(said.contains("light is changed, when its result was known"), "{said}");
}
