//! Reconstructions through the program: planted effects are found, checks that cannot be judged are reported, and a
//! search gives the same result for any number of threads and after a kill.

use std::fs;
use std::path::Path;
use std::process::Command;

use mbsbench::claims::Verdict;
use mbsbench::reconstruction::Findings;
use mbsbench::reconstruction::explain::Side;
use mbsbench::statistics::wilson;
use tempfile::TempDir;

/// The case `weight` decides the check `light` at 200 J; mass and length decide it only together. Lengths below zero
/// are refused, and runs above 300 J in magnitude fail by a rule.
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
      why: the product of mass and length
      column: initial(energy)
      where: { case: free, method: rk5 }
";

const CLAIMS: &str = "\
schema: 2
paper: mine
statements:
  - id: light
    place: Section 1
    says: The energy is no more than 200 J.
    bound:
      of: { experiment: pendulum, where: { case: free, method: rk3 }, column: initial(energy), magnitude: true }
      below: 200.0
    why: only a test
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
    why: only a test
    bound_from: ours
  - id: elsewhere
    place: Section 1
    says: The other case has an energy too.
    bound: { of: { experiment: pendulum, where: { case: other }, column: initial(energy), reduce: max }, below: 1.0e9 }
    why: only a test
    bound_from: ours
  - id: never
    place: Section 1
    says: It was measured.
    open: { needs: the pendulum }
";

fn place(claims: &str) -> TempDir {
    place_as("mine", claims)
}

/// Writes the experiment and its ledger as those of `paper`.
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
    let (code, said) = mbsbench(folder, &format!("reconstruct experiments/mine/pendulum.yaml {options}"));
    assert_eq!(code, Some(0), "{said}");
    said
}

fn file(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join("results/mine/pendulum").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn findings(folder: &Path) -> Findings {
    Findings::read_csv(std::str::from_utf8(&file(folder, "reconstruction.csv")).unwrap()).unwrap()
}

/// The energy at the start, −m g l / 2 of a rod that hangs at rest, is printed: 100 J within 10 J. Lengths are at most
/// 2 m, so that masses are at least 9.2 kg.
const GIVEN: &str = "  scale: { readings: [{ name: a toy, set: { model.mass: 0.5 } }], why: 'the text says \"small\"' }
given:
  - id: energy
    place: Table 1
    of: { where: { case: free, method: rk3 }, column: initial(energy) }
    published: -100
    tolerance: { absolute: 10 }
    why: only a test
";

/// The mass is at most 20 kg, as `t_reached` is 0.2 s; the energy is the given one.
const OF_SET_UPS: &str = "  - id: light-weight
    place: Figure 1
    says: The mass is at most 20 kg.
    bound: { of: { experiment: pendulum, where: { case: free, method: rk3 }, \
      column: t_reached, times: model.mass }, below: 4.0 }
    why: only a test
    bound_from: ours
  - id: circular
    place: Figure 1
    says: The energy is 100 J.
    bound: { of: { experiment: pendulum, where: { case: free, method: rk3 }, \
      column: initial(energy), reduce: max }, above: -250.0 }
    why: only a test
    bound_from: ours
";

fn place_with_given(given: &str) -> TempDir {
    let folder = place(&CLAIMS.replace("  - id: fast\n", &format!("{OF_SET_UPS}  - id: fast\n")));
    let path = folder.path().join("experiments/mine/pendulum.yaml");
    let text = EXPERIMENT.replace("study:\n", &format!("{given}study:\n  figure: Figure 1\n"));
    let text = text.replace("length: 1.0 }", "length: 1.0, angle: 0.0, angular-velocity: 0.0 }");
    fs::write(path, text).unwrap();
    folder
}

/// The accepted region is known: lengths between 180 and 220 J over m g, up to 2 m, and masses uniformly in the
/// logarithm.
#[test]
fn shares_count_set_ups_that_meet_the_givens() {
    let folder = place_with_given(GIVEN);
    let said = study(folder.path(), "--budget 6000");
    let found = findings(folder.path());
    assert!(found.is_conditioned() && found.is_even && found.set_ups >= 96, "{said}");
    assert!(found.tried[0] <= 6000 && found.givens[0].met < found.givens[0].tried, "{said}");
    let reading = |name: &str| found.readings.iter().find(|reading| reading.name == name).unwrap();
    assert!(reading("a toy").met == 0 && reading("a toy").tried > 100, "{said}");
    assert!(reading("scale as in the file").met > 0);
    assert!(said.contains("excluded: a toy, in all "), "{said}");

    let rows = file(folder.path(), "set-ups.csv");
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(rows.as_slice()).records().map(Result::unwrap).collect();
    let numbers: Vec<[f64; 2]> = rows.iter().map(|row| [0, 1].map(|column| row[column].parse().unwrap())).collect();
    assert!(numbers.iter().all(|[m, l]| (179.9..220.1).contains(&(m * 9.81 * l))), "{numbers:?}");
    let light = numbers.iter().filter(|[mass, _]| *mass <= 20.0).count();
    let finding = |id: &str| found.checks.iter().find(|finding| finding.check == id).unwrap();
    let share = finding("light-weight");
    assert_eq!((share.count().holds, share.count().samples), (light, numbers.len()));
    // The area of the region up to 20 kg relative to the whole region, both computed by hand. Neighbouring draws are
    // correlated: the interval assumes that every third one is independent.
    let [low, high] = wilson(light / 3, numbers.len() / 3);
    assert!((low..high).contains(&0.547), "{light} of {}", numbers.len());
    let first = share.explanation.first.as_ref().unwrap();
    assert_eq!((first.variable.as_str(), first.distance, first.holds), ("model.mass", 1.0, Side::Below));
    assert_eq!(finding("circular").left_out.as_deref(), Some("givens alone"), "accepted by the same number");
    assert_eq!(share.readings, [("a toy".to_owned(), None)]);

    // The witness is an experiment that can be run, and meets the given.
    let witness = String::from_utf8(file(folder.path(), "witness.yaml")).unwrap();
    assert!(witness.starts_with("# The given and the sentence hold together in this set-up.\n"), "{witness}");
    let (code, text) = mbsbench(folder.path(), "run results/mine/pendulum/witness.yaml --out of-witness");
    assert_eq!(code, Some(0), "{text}");
    let runs = fs::read(folder.path().join("of-witness/mine/pendulum-witness/runs.csv")).unwrap();
    let mut runs = csv::Reader::from_reader(runs.as_slice());
    let column = runs.headers().unwrap().iter().position(|name| name == "initial(energy)").unwrap();
    let energy: f64 = runs.records().next().unwrap().unwrap()[column].parse().unwrap();
    assert!((-110.0..=-90.0).contains(&energy), "{energy}");
}

#[test]
fn a_search_does_not_depend_on_threads_or_interruption() {
    let (one, other) = (place_with_given(GIVEN), place_with_given(GIVEN));
    study(one.path(), "--budget 600 --jobs 1 --cache one");
    study(other.path(), "--budget 600 --jobs 2 --cache two");
    let same = || {
        for name in ["reconstruction.csv", "set-ups.csv", "reconstruction.svg", "witness.yaml"] {
            assert!(file(one.path(), name) == file(other.path(), name), "{name} differs");
        }
    };
    same();
    // After a kill, the cache has some of the runs.
    let kept: Vec<_> = walkdir::WalkDir::new(other.path().join("two")).into_iter().map(Result::unwrap).collect();
    let files = kept.iter().filter(|entry| entry.file_type().is_file()).step_by(2);
    files.for_each(|entry| fs::remove_file(entry.path()).unwrap());
    fs::remove_dir_all(other.path().join("results")).unwrap();
    let said = study(other.path(), "--budget 600 --jobs 2 --cache two");
    assert!(!said.contains(" 0 from the cache"), "{said}");
    same();
}

#[test]
fn contradictory_givens_are_named() {
    let second = GIVEN.split_once("given:\n").unwrap().1.replace("id: energy", "id: more").replace("-100", "-150");
    let folder = place_with_given(&format!("{GIVEN}{second}"));
    let said = study(folder.path(), "--budget 2000");
    assert!(said.contains("never met together: energy, more") && said.contains("none meets all givens"), "{said}");
    let witness = String::from_utf8(file(folder.path(), "witness.yaml")).unwrap();
    assert!(witness.contains("misses 2 of 2") && witness.contains(" tolerances off"), "{witness}");
    assert_eq!(findings(folder.path()).checks[0].count().samples, 0);
}

#[test]
fn mistakes_in_given_are_located() {
    for (from, to, wanted) in [
        ("    place: Table 1\n", "", "the given has no `place`"),
        ("initial(energy)", "initial(enegy)", "unknown column `initial(enegy)`"),
        ("    why: only a test\n", "", "the given `energy` has a tolerance without a reason"),
        ("    why: only a test", "    partly: { absolute: 30 }\n    why: only a test", "a given cannot be met partly"),
        ("    why: only a test", "    twice: 2\n    why: only a test", "twice"),
        ("column: initial(energy)", "column: timing.median_s", "the given `energy` is a wall time"),
        ("case: free", "case: other", "the given `energy` depends on other cases"),
        ("case: free, method: rk3", "case: free", "2 numbers are selected, but only one is needed"),
        ("-100", "many", "many"),
    ] {
        assert!(GIVEN.contains(from), "{from}");
        let folder = place_with_given(&GIVEN.replacen(from, to, 1));
        for command in ["reconstruct experiments/mine/pendulum.yaml", "check experiments/mine/pendulum.yaml"] {
            let (code, said) = mbsbench(folder.path(), command);
            assert!(code == Some(2) && said.contains(wanted), "{command}: {wanted}: {said}");
            assert!(said.contains("pendulum.yaml:"), "{said}");
        }
    }
}

#[test]
fn deciding_parameters_and_unjudged_checks_are_reported() {
    let folder = place(CLAIMS);
    let said = study(folder.path(), "--samples 128");
    let findings = findings(folder.path()).checks;
    let of = |id: &str| findings.iter().find(|finding| finding.check == id).unwrap_or_else(|| panic!("{id}: {said}"));

    let light = of("light").explanation.first.as_ref().unwrap();
    // The energy of the hanging pendulum is negative.
    assert_eq!((light.variable.as_str(), light.distance, light.holds), ("weight", 1.0, Side::Above));
    // The threshold is midway between the two samples next to 200 J.
    assert!((light.threshold.unwrap() + 200.0).abs() < 30.0, "{light:?}");
    // Lengths below zero, a fifth of the range, are refused; they count as evidence but have no feature.
    let refused = of("light").count().samples - light.counts[0].samples - light.counts[1].samples;
    assert!((refused as f64 / 128.0 - 0.2).abs() < 0.02, "{refused} samples are refused");
    assert_eq!(of("light").verdicts.of(Verdict::Open), 0);

    let completes = of("completes");
    assert!(completes.is_divided() && completes.explanation.first.is_some());
    assert!(of("cheap").is_divided(), "a check on two cases is judged, and a failed run counts against it");
    assert_eq!(of("cheap").count(), completes.count());

    let left_out: Vec<_> =
        findings.iter().filter_map(|each| Some((each.check.as_str(), each.left_out.as_deref()?))).collect();
    assert_eq!(left_out, [("fast", "times"), ("elsewhere", "other cases")]);
    assert!(said.contains("1 check rests on times and is not judged"), "{said}");
    assert!(findings.iter().all(|finding| finding.check != "never"));

    let samples = file(folder.path(), "set-ups.csv");
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
            row[2].parse::<f64>().map_or("not-reproduced", |w| if w >= -200.0 {
                "reproduced"
            } else {
                "not-reproduced"
            }),
            &row[4]
        );
    }
    assert!(file(folder.path(), "reconstruction.svg").len() > 1000);
    assert!(!folder.path().join("results/mine/pendulum/witness.yaml").exists(), "nothing is given");
}

/// If the end of the span is sampled, the reference extends to it as well; otherwise errors could not be measured
/// there.
#[test]
fn references_use_the_varied_parameters() {
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
fn enlarging_a_sample_gives_the_same_sample() {
    let (one, other) = (place(CLAIMS), place(CLAIMS));
    study(one.path(), "--samples 20 --jobs 1");
    let samples = file(one.path(), "set-ups.csv");
    study(one.path(), "--samples 70 --jobs 2");
    study(other.path(), "--samples 70 --jobs 1");
    for name in ["reconstruction.csv", "set-ups.csv", "reconstruction.svg"] {
        assert!(file(one.path(), name) == file(other.path(), name), "{name} differs");
    }
    assert!(file(one.path(), "set-ups.csv").starts_with(&samples), "the first samples stay");
}

#[test]
fn the_report_shows_the_study() {
    // Claims on times need times, which are irrelevant here.
    let folder = place(&CLAIMS.replace("timing.median_s", "t_reached"));
    study(folder.path(), "--samples 64");
    let (code, said) = mbsbench(folder.path(), "reproduce");
    assert!(code == Some(0) || code == Some(1), "{said}");
    let page = fs::read_to_string(folder.path().join("results/report/mine-appendix.html")).unwrap();
    for part in [
        "<h2>Sensitivity</h2>",
        "uniform in the logarithm",
        "weight above",
        "1 check rests on other cases",
        "64 samples of the ranges",
        "id=\"mine-pendulum-reconstruction-title\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// The front page counts statements by verdict and links to those of each verdict on the pages of papers; every target
/// of its links exists.
#[test]
fn the_front_page_counts_by_basis_with_valid_links() {
    let folder = place_as("gil2013", &CLAIMS.replace("timing.median_s", "t_reached"));
    let (code, said) = mbsbench(folder.path(), "reconstruct experiments/gil2013/pendulum.yaml --samples 128");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = mbsbench(folder.path(), "reproduce");
    assert!(code == Some(0) || code == Some(1), "{said}");
    let page = |name: &str| fs::read_to_string(folder.path().join("results/report").join(name)).unwrap();
    let (front, paper) = (page("index.html"), page("gil2013.html"));
    let targets: Vec<&str> =
        front.split("href=\"gil2013.html#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    // Our ranges change no outcome; `never` has nothing to run.
    assert!(targets.contains(&"outcome-reproduced") && targets.contains(&"outcome-open"), "{targets:?}");
    assert!(front.contains("6 statements, tested by 6 checks"), "{front}");
    for target in targets {
        assert!(paper.contains(&format!("id=\"{target}\"")), "nothing at {target}");
    }
}

/// Removing a mark, a range or a bound is always reported.
#[test]
fn omissions_from_an_account_are_detected() {
    let folder = place(&CLAIMS.replace("timing.median_s", "t_reached"));
    study(folder.path(), "--samples 128");
    let at = |name: &str| folder.path().join("experiments/mine").join(name);
    let verify = || mbsbench(folder.path(), "verify mine");
    assert_eq!(mbsbench(folder.path(), "run experiments/mine/pendulum.yaml").0, Some(0));
    let (_, said) = verify();
    assert!(said.contains("set-up partly ours"), "{said}");
    let experiment = fs::read_to_string(at("pendulum.yaml")).unwrap();
    let ledger = fs::read_to_string(at("claims.yaml")).unwrap();

    // Without a range, the study belongs to another experiment.
    let without = experiment.replace("  model.mass: { range: [1.0, 100.0], why: not printed }\n", "");
    assert_ne!(without, experiment);
    fs::write(at("pendulum.yaml"), without).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("or its runs have changed"), "{said}");

    // A file without marks is refused.
    fs::write(at("pendulum.yaml"), experiment.replace("known: { defaults: printed }\n", "")).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("does not state the origin of its parameters"), "{said}");
    fs::write(at("pendulum.yaml"), &experiment).unwrap();

    // A changed bound differs from the lock, and after its result is known the ledger has to say so.
    assert_eq!(mbsbench(folder.path(), "ledger lock mine --trust").0, Some(0));
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0", "below: 250.0")).unwrap();
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("differs from its entry"), "{said}");
    let (code, said) = mbsbench(folder.path(), "ledger lock mine");
    assert!(code == Some(0) && said.contains("light is changed, after its result was known"), "{said}");
    assert!(said.ends_with("next: add `bound_set: after` to light\n"), "{said}");
    let (code, said) = verify();
    assert!(code == Some(2) && said.contains("add `bound_set: after`"), "{said}");
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0\n", "below: 200.0\n    bound_set: after\n")).unwrap();
    assert_eq!(mbsbench(folder.path(), "ledger lock mine").0, Some(0));
    assert_ne!(verify().0, Some(2), "the original check, marked as set after");
}

/// The command determines the number of samples, or else the file.
#[test]
fn the_file_sets_the_default_number_of_samples() {
    let folder = place(CLAIMS);
    let path = folder.path().join("experiments/mine/pendulum.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("study:\n", "study:\n  samples: 24\n")).unwrap();
    assert!(study(folder.path(), "").contains("  24 samples of the ranges, "));
    assert!(study(folder.path(), "--samples 16").contains("  16 samples of the ranges, "));
}

#[test]
fn a_range_that_no_model_accepts_is_refused() {
    let folder = place(CLAIMS);
    let path = folder.path().join("experiments/mine/pendulum.yaml");
    let text = fs::read_to_string(&path).unwrap();
    // The nominal value is at the upper end of the range, where there is no sample.
    fs::write(&path, text.replace("length: 1.0", "length: 1.0e-9").replace("[-0.5, 2.0]", "[-1.0, 1.0e-9]")).unwrap();
    let (code, said) = mbsbench(folder.path(), "reconstruct experiments/mine/pendulum.yaml --samples 8");
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("no set-up has parameters that its model and method accept; for example, model.mass = "),
        "{said}"
    );
    assert!(!folder.path().join("results").exists());
}

/// If results exist, even a first lock does not record that bounds were set before them.
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
    assert_eq!(stamps("ledger lock mine"), ["before"], "nothing has run");
    assert_eq!(mbsbench(folder.path(), "run experiments/mine/pendulum.yaml").0, Some(0));
    let bound = || mbsbench(folder.path(), "explain mine/light").1;
    assert!(bound().contains("ours; set before the result was known"), "{}", bound());

    // Without a lock, the time at which a bound was set is not verified.
    fs::remove_file(at("bounds.lock")).unwrap();
    assert!(
        bound().contains("stated to be set before the result was known; the lock does not confirm this"),
        "{}",
        bound()
    );
    assert_eq!(stamps("ledger lock mine"), ["after"]);
    let (code, said) = mbsbench(folder.path(), "verify mine");
    assert!(code == Some(2) && said.contains("add `bound_set: after`"), "{said}");

    // The cache contains the runs as well, and results of another version of the experiment count.
    fs::remove_file(at("bounds.lock")).unwrap();
    let runs = folder.path().join("results/mine/pendulum/runs.csv");
    let kept = fs::read_to_string(&runs).unwrap();
    fs::remove_file(&runs).unwrap();
    assert_eq!(stamps("ledger lock mine"), ["after"]);
    fs::remove_file(at("bounds.lock")).unwrap();
    assert_eq!(stamps("ledger lock mine --cache nowhere"), ["before"]);
    fs::remove_file(at("bounds.lock")).unwrap();
    fs::write(&runs, &kept).unwrap();
    let experiment = fs::read_to_string(at("pendulum.yaml")).unwrap();
    fs::write(at("pendulum.yaml"), experiment.replace("step: 0.01", "step: 0.02")).unwrap();
    assert_eq!(stamps("ledger lock mine --cache nowhere"), ["after"]);
    fs::write(at("pendulum.yaml"), experiment).unwrap();

    // A statement of the user is shown as such, but is not accepted for a changed bound.
    fs::remove_file(at("bounds.lock")).unwrap();
    assert_eq!(stamps("ledger lock mine --trust"), ["stated"]);
    assert_eq!(stamps("ledger lock mine"), ["stated"], "a later lock verifies nothing either");
    assert!(bound().contains("the lock does not confirm this"), "{}", bound());
    let ledger = fs::read_to_string(at("claims.yaml")).unwrap();
    fs::write(at("claims.yaml"), ledger.replace("below: 200.0", "below: 250.0")).unwrap();
    let (_, said) = mbsbench(folder.path(), "ledger lock mine --trust");
    assert!(said.contains("light is changed, after its result was known"), "{said}");
}
