//! Mutates inputs many times and checks that nothing panics and that each input keeps within its limits: 2 s of CPU,
//! 400 MB of memory and, in an optimised build, 1 MB of stack. Each test is one kind of input. Mechanisms, robots and
//! equations are evaluated once, methods make one step, and derivatives of formulas are compared with differences.
//!
//! The default is 300 inputs for each test; `make fuzz` runs for ten minutes. `FUZZ_INPUTS` or `FUZZ_SECONDS` sets the
//! number of inputs or the duration, `FUZZ_SEED` the mutations. Each test runs in a process of its own, which writes
//! an input to `target/fuzz/` before it tries it, so that an input that ends the process can be found.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use mbsbench::Registry;
use mbsbench::cache::{Cache, consistency};
use mbsbench::claims::{Book, Evidence, Ledger};
use mbsbench::cli;
use mbsbench::execute::panics::catch_panic;
use mbsbench::execute::run::{Record, Trajectory, execute};
use mbsbench::experiment::{Bound, ExternalReference, ExternalReferenceSpec, Published};
use mbsbench::input::{Document, Place};
use mbsbench::plan::{Plan, StoredReference};
use mbsbench_mechanisms::Equations;
use mbsbench_mechanisms::equations::EquationsModel;
use mbsbench_mechanisms::formula::{Formula, Of2, Tree};
use mbsbench_problem::{Findings, Formulated, Observable, Status};
use nalgebra::DMatrix;
use num_dual::Dual64;
use serde_json::json;
use wait4::Wait4;

/// Largest CPU time for an input.
const CPU: Duration = Duration::from_secs(2);

/// Time after which an input counts as endless, on a loaded machine as well.
const ENDLESS: u64 = 100;

/// Largest address space of the process of a test, in kB. The program itself, its stacks and the corpus are part of it.
const MEMORY: u64 = 400_000;

/// Stack of the thread that tries inputs, in bytes. Without optimisation, functions need several times as much.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 20 };

/// Set in the process of a test.
const ALONE: &str = "FUZZ_ALONE";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of the repository below a folder whose paths `ends` accepts, except large ones.
fn corpus(folder: &str, ends: impl Fn(&str) -> bool) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|file| ends(&file.path().to_string_lossy().replace('\\', "/")));
    let read = files.map(|file| (file.path().to_owned(), fs::read(file.path()).unwrap()));
    let found: Vec<_> = read.filter(|(_, bytes)| bytes.len() < 130_000).collect();
    assert!(!found.is_empty(), "{folder}");
    found
}

/// Words that break careless parsers.
const WORDS: [&str; 34] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "5e-324",
    "1e999",
    ".inf",
    "-.inf",
    ".nan",
    "2^-1074",
    "2^99999",
    "9007199254740993",
    "18446744073709551616",
    "''",
    "\"\\u0000\"",
    "~",
    "true",
    "[]",
    "{}",
    "[[[[",
    "}}",
    "&a [*a, *a]",
    "*a",
    "!!binary x",
    "|",
    "- -",
    "? :",
    "\t",
    "\r\n",
    "\u{202e}",
    "\u{feff}",
    "../../x",
    "con",
    "every",
];

/// Changes a text in some places: bytes, words, lines, indentation, parts of other files.
fn mutated(rng: &mut Rng, text: &[u8], others: &[(PathBuf, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=rng.usize(..4) {
        let at = rng.usize(..=bytes.len());
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+^".contains(byte);
        let end = at + bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        let start = at - bytes[..at].iter().rev().take_while(|byte| is_word(byte)).count();
        let line = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
        let next = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |place| at + place + 1);
        let other = &rng.choice(others).expect("a corpus").1;
        let lines: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
        match rng.u8(..10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(..8),
            1 => drop(bytes.splice(start..end, rng.choice(WORDS).unwrap_or_default().bytes())),
            2 => drop(bytes.splice(start..end, rng.f64().to_string().bytes())),
            3 => drop(bytes.drain(line..next)),
            4 => {
                let copy = bytes[line..next].to_vec();
                drop(bytes.splice(next..next, copy));
            }
            5 => drop(bytes.splice(line..line, rng.choice(&lines).copied().unwrap_or_default().to_vec())),
            6 => drop(bytes.splice(line..line, vec![b' '; rng.usize(..5)])),
            7 => bytes.truncate(at),
            8 => drop(bytes.splice(at..at, rng.choice(WORDS).unwrap_or_default().bytes())),
            _ => {
                let words: Vec<&[u8]> = other.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect();
                drop(bytes.splice(start..end, rng.choice(&words).copied().unwrap_or_default().to_vec()));
            }
        }
    }
    bytes
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

/// The CPU time of this thread; none if the system does not tell.
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Runs the test of this name in a process with limits, whose memory and last input it reports.
fn in_a_process(name: &str, last: &Path) {
    let limited = "ulimit -v $0; exec \"$@\"";
    let ended = Command::new("sh")
        .args(["-c", limited, &MEMORY.to_string()])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=2"])
        .envs([(ALONE, "1"), ("RUST_MIN_STACK", &STACK.to_string()), ("MALLOC_ARENA_MAX", "1")])
        .stdout(Stdio::null())
        .spawn()
        .and_then(|child| child.wait4())
        .unwrap();
    eprintln!("{name}: at most {} MB in use", ended.rusage.maxrss / 1_000_000);
    assert!(ended.status.success(), "{name}: {:?}; the input is kept in {}", ended.status, last.display());
    fs::remove_file(last).unwrap();
}

/// Tries mutations of a corpus; each is either read or refused.
fn fuzz(name: &str, corpus: &[(PathBuf, Vec<u8>)], mut read: impl FnMut(&Path, &[u8]) -> bool) {
    let draw = |rng: &mut Rng| {
        let (path, text) = rng.choice(corpus).expect("a corpus");
        (path, mutated(rng, text, corpus))
    };
    fuzz_drawn(name, draw, |path, bytes| read(path, bytes));
}

/// Tries inputs that `draw` makes.
fn fuzz_drawn<T: Copy>(
    name: &str,
    mut draw: impl FnMut(&mut Rng) -> (T, Vec<u8>),
    mut read: impl FnMut(T, &[u8]) -> bool,
) {
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let last = root().join(format!("target/fuzz/{name}-{seed}"));
    fs::create_dir_all(last.parent().unwrap()).unwrap();
    if cfg!(unix) && std::env::var_os(ALONE).is_none() {
        return in_a_process(name, &last);
    }
    let (limit, seconds) = (number("FUZZ_INPUTS"), number("FUZZ_SECONDS"));
    let (mut rng, begin, mut file) = (Rng::with_seed(seed), Instant::now(), File::create(&last).unwrap());
    let (mut inputs, mut accepted, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    std::thread::spawn(move || {
        while begin.elapsed().as_secs() < BEGUN.load(Ordering::Relaxed) + ENDLESS {
            std::thread::sleep(Duration::from_secs(1));
        }
        eprintln!("an input takes more than {ENDLESS} s");
        std::process::abort();
    });
    while limit
        .map_or(seconds.map_or(inputs < 300, |seconds| begin.elapsed().as_secs() < seconds), |limit| inputs < limit)
    {
        let (what, bytes) = draw(&mut rng);
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&bytes)).unwrap();
        let one = Instant::now();
        BEGUN.store(begin.elapsed().as_secs(), Ordering::Relaxed);
        let outcome = catch_panic(|| read(what, &bytes));
        let mut took = one.elapsed();
        if let (true, Some(before)) = (took > CPU, cpu_time()) {
            let _ = catch_panic(|| read(what, &bytes));
            took = cpu_time().unwrap() - before;
        }
        slowest = slowest.max(took);
        inputs += 1;
        accepted += u64::from(outcome == Ok(true));
        assert!(outcome.is_ok() && took <= CPU, "{name}: input {inputs} of seed {seed}: {outcome:?} in {took:?}");
    }
    assert!(
        accepted > 0,
        "{name}: nothing of {inputs} inputs was read, so that nothing behind the first refusal was tried"
    );
    eprintln!("{name}: {inputs} inputs, {accepted} of them read, slowest {slowest:?}, seed {seed}");
}

/// Evaluates the equations of the first run, their derivatives and their observables at the initial state.
fn evaluate(plan: &Plan) {
    let Some(run) = plan.runs.first() else { return };
    let model = run.model.object.model();
    let y = Formulated::<f64>::initial_state(&*model);
    let mut ode = Formulated::<f64>::ode(&*model);
    let _ = ode.rhs(run.span[0], &y, &mut vec![0.0; y.len()]);
    if y.len() < 200 && ode.properties().has_jacobian {
        let _ = ode.jacobian(run.span[0], &y, &mut DMatrix::zeros(y.len(), y.len()));
    }
    model.observation().observe(run.span[0], &y, &mut vec![0.0; model.observables().len()]);
}

/// Fuzzes a file that an experiment names; what it describes is evaluated.
fn fuzz_named(name: &str, runs: &[&str], file: &str, corpus: &[(PathBuf, Vec<u8>)], evaluate: impl Fn(&Plan)) {
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    fuzz(name, corpus, |_, bytes| {
        fs::write(folder.path().join(file), bytes).unwrap();
        let plan = |run: &&str| {
            let text = format!("id: a/b\nspan: [0, 0.01]\n{run}\n");
            Plan::read(&folder.path().join("run.yaml"), text.as_bytes(), &registry, false).ok()
        };
        runs.iter().filter_map(plan).inspect(&evaluate).count() > 0
    });
}

#[test]
fn experiments() {
    let registry = Registry::builtin();
    let corpus = corpus("experiments", |path| {
        path.ends_with(".yaml") && path.split("experiments/").last().is_some_and(|path| path.matches('/').count() == 1)
    });
    fuzz("experiments", &corpus, |path, bytes| Plan::read(path, bytes, &registry, false).is_ok());
}

#[test]
fn robots() {
    let corpus = corpus("crates", |path| path.ends_with(".urdf"));
    let run =
        |base| format!("model: {{ mechanism: {{ file: r.urdf, base: {base} }} }}\nmethod: dopri5\ntolerance: 1e-6");
    fuzz_named("robots", &[&run("fixed"), &run("floating")], "r.urdf", &corpus, evaluate);
}

#[test]
fn mechanisms() {
    let corpus = corpus("examples/mechanisms", |path| {
        path.ends_with(".yaml") && path.split("mechanisms/").last().is_some_and(|path| !path.contains('/'))
    });
    let run = "model: { mechanism: m.yaml }\nmethod: dopri5\ntolerance: 1e-6";
    fuzz_named("mechanisms", &[run], "m.yaml", &corpus, evaluate);
}

/// The sections `equations:` of files, as files of their own.
fn equation_files() -> Vec<(PathBuf, Vec<u8>)> {
    let files = [
        corpus("experiments/ivptestset", |path| path.ends_with(".yaml")),
        corpus("docs", |path| path.ends_with("/equations.md")),
    ];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let sections = files.into_iter().flatten().flat_map(|(path, bytes)| {
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let heads = (0..lines.len()).filter(|&k| lines[k].trim() == "equations:").collect::<Vec<_>>();
        let section = |head: usize| {
            let is_inside = |line: &&&str| line.trim().is_empty() || indent(line) > indent(lines[head]);
            let inside = lines[head + 1..].iter().take_while(is_inside);
            inside
                .map(|line| format!("{}\n", line.get(indent(lines[head]) + 2..).unwrap_or_default()))
                .collect::<String>()
        };
        heads.into_iter().map(|head| (path.clone(), section(head).into_bytes())).collect::<Vec<_>>()
    });
    sections.collect()
}

#[test]
fn equations() {
    let run = "model: { equations: e.yaml }\nmethod: dopri5\ntolerance: 1e-6";
    fuzz_named("equations", &[run], "e.yaml", &equation_files(), evaluate);
}

#[test]
fn tableaux() {
    let corpus = corpus("examples/methods", |path| path.ends_with(".yaml"));
    let run = "model: slider-crank\nmethod: { tableau: t.yaml }\nstep: 0.01\nsettings: { max_steps: 1 }\n\
               measures: [steps_accepted]";
    fuzz_named("tableaux", &[run], "t.yaml", &corpus, |plan| {
        plan.runs.first().map(|run| execute(run, None));
    });
}

#[test]
fn csv_references() {
    let spec = ExternalReferenceSpec {
        file: "other.csv".to_owned(),
        place: Place::default(),
        by: "another code".to_owned(),
        bound: Bound::All(1e-6),
    };
    let observables = [Observable::new("theta", "rad", "an angle"), Observable::new("x", "m", "a place")];
    let texts = [
        "# by another code\nt [ms], x [mm], theta [deg]\n0, 1000, 180\n\n500, -2000, 90\n",
        "t [s],x [m]\n0.0,1.5\n1e-3,2.25\n0.5,-3e2\n",
    ];
    let corpus = texts.map(|text| (PathBuf::from("other.csv"), text.as_bytes().to_vec()));
    fuzz("csv_references", &corpus, |path, bytes| {
        let read = ExternalReference::read(path, bytes, &spec, &observables);
        read.is_ok_and(|reference| {
            let times = reference.trajectory.times.clone();
            assert_eq!(reference.at(&times).map(|found| found.values), Ok(reference.trajectory.values));
            true
        })
    });
}

/// A random formula of `x`, `t`, `p` and numbers.
fn formula(rng: &mut Rng, depth: u32) -> String {
    const NAMES: [&str; 14] =
        ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "ln", "sqrt", "abs", "sign"];
    const LEAVES: [&str; 14] = ["x", "x", "x", "t", "p", "pi", "0", "1", "2", "3", "0.5", "1e-3", "250", "-1"];
    let kind = if depth == 0 { 0 } else { rng.u8(..12) };
    let part = |rng: &mut Rng| formula(rng, depth.saturating_sub(1));
    match kind {
        0 => rng.choice(LEAVES).unwrap().to_owned(),
        1 => format!("{:.3}", 10.0 * rng.f64() - 5.0),
        2 => format!("-{}", part(rng)),
        3..=5 => format!("{}({})", rng.choice(NAMES).unwrap(), part(rng)),
        6 => format!("{}({}, {})", rng.choice(["min", "max", "atan2"]).unwrap(), part(rng), part(rng)),
        7 => format!("sum(i, {}, {}, {}*i)", rng.u8(..3), rng.u8(..4), part(rng)),
        8 => format!("({})^{}", part(rng), rng.choice(["2", "3", "-1", "0.5", "1.5", "(x)", "0", "(1/3)"]).unwrap()),
        _ => {
            let (a, b) = (part(rng), part(rng));
            let operator = rng.choice(["+", "-", "*", "/"]).unwrap();
            if rng.bool() { format!("({a}){operator}({b})") } else { format!("{a} {operator} {b}") }
        }
    }
}

/// The value of a formula, and a bound on the error of rounding: each operation is repeated with its operands changed
/// by their errors. There is no bound (it is infinite) if the formula is not smooth at these operands or has numbers
/// beyond 1e60, which overflow in the derivatives of powers. Zeros are changed a little, because their sign may differ.
fn with_error(tree: &Tree<usize>, at: [f64; 3]) -> (f64, f64) {
    const UNKNOWN: (f64, f64) = (f64::NAN, f64::INFINITY);
    let plain = |tree: &Tree<usize>| tree.evaluate(&mut |_: &usize| f64::NAN);
    let of = |[(a, a_error), (b, b_error)]: [(f64, f64); 2], digits: f64, value: &dyn Fn(f64, f64) -> f64| {
        if a_error.max(b_error) > 1e-6 {
            return UNKNOWN;
        }
        let exact = value(a, b);
        let ends = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(of_a, of_b)| {
            value(a + of_a * a_error.max(f64::MIN_POSITIVE), b + of_b * b_error.max(f64::MIN_POSITIVE))
        });
        let is_usual = exact == 0.0 || (1e-60..1e60).contains(&exact.abs());
        if !is_usual || !ends.iter().all(|end| end.is_finite()) {
            return UNKNOWN;
        }
        let spread = ends.iter().map(|end| (end - exact).abs()).fold(0.0, f64::max);
        (exact, spread + digits * f64::EPSILON * exact.abs())
    };
    match tree {
        Tree::Number(number) => (*number, 0.0),
        Tree::Pi => (std::f64::consts::PI, f64::EPSILON),
        Tree::Variable(variable) => (at[*variable], 0.0),
        Tree::Negative(a) => {
            let (a, error) = with_error(a, at);
            (-a, error)
        }
        Tree::One(function, a) => {
            let value = |a, _| plain(&Tree::One(*function, Box::new(Tree::Number(a))));
            of([with_error(a, at), (0.0, 0.0)], 4.0, &value)
        }
        Tree::Chain(first, rest) => rest.iter().fold(with_error(first, at), |a, (function, b)| {
            let b = with_error(b, at);
            let value = |a, b| plain(&Tree::Chain(Box::new(Tree::Number(a)), vec![(*function, Tree::Number(b))]));
            let of_power = 4.0 * b.0.abs() * (1.0 + a.0.abs().ln().abs().min(700.0));
            of([a, b], if *function == Of2::Power { 4.0 + of_power } else { 4.0 }, &value)
        }),
    }
}

/// Checks value and derivative of a formula, by its tree and compiled as an equation. If the formula is smooth, which
/// shows in differences of three sizes and in those to both sides, a finite derivative by dual numbers differs from
/// them by at most 1e-6 of its size, four times their spread, and four times the bound on rounding.
fn check_formula(text: &str, at: [f64; 3]) -> bool {
    let meaning = &mut |name: &str| ["x", "t", "p"].iter().position(|known| *known == name).map(Tree::Variable);
    let Ok(tree) = Formula::Text(text.to_owned()).read().and_then(|tree| tree.resolve(meaning)) else { return false };
    let [x, t, p] = at;
    let value = tree.evaluate(&mut |&variable| at[variable]);
    let dual = tree.evaluate(&mut |&variable| Dual64::new(at[variable], if variable == 0 { 1.0 } else { 0.0 }));
    let given = json!({ "parameters": { "p": p }, "states": { "x": x }, "rates": { "x": text } });
    let model = EquationsModel::new(&serde_json::from_value::<Equations>(given).unwrap()).unwrap();
    let mut ode = Formulated::<f64>::ode(&model);
    let (mut rate, mut jacobian) = ([0.0], DMatrix::zeros(1, 1));
    ode.rhs(t, &[x], &mut rate).unwrap();
    ode.jacobian(t, &[x], &mut jacobian).unwrap();
    let (_, error) = with_error(&tree, at);
    if !(value.is_finite() && error.is_finite()) {
        return true;
    }
    assert!((rate[0] - value).abs() <= 4.0 * error, "compiled, {text} at {at:?} is {}, not {value}", rate[0]);
    assert!((dual.re - value).abs() <= 4.0 * error, "with derivatives, {text} at {at:?} is {}, not {value}", dual.re);
    let h = 1e-4;
    let points = [-1.0, 1.0, -0.5, 0.5, -0.3, 0.3].map(|part: f64| with_error(&tree, [x + part * h, t, p]));
    let slope = |k: usize, part: f64| (points[2 * k + 1].0 - points[2 * k].0) / (2.0 * part * h);
    let slopes = [slope(0, 1.0), slope(1, 0.5), slope(2, 0.3)];
    let [left, right] = [(value - points[4].0) / (0.3 * h), (points[5].0 - value) / (0.3 * h)];
    let noise = 4.0 * points.iter().fold(error, |most, &(_, error)| most.max(error)) / (0.3 * h);
    let spread = (slopes[0] - slopes[1]).abs() + (slopes[0] - slopes[2]).abs();
    let size = slopes[1].abs();
    let is_smooth = points.iter().all(|(value, error)| value.is_finite() && error.is_finite())
        && spread <= 1e-3 * size + noise
        && (left - right).abs() <= 0.1 * (left.abs() + right.abs()) + noise
        && noise <= 1e-3 * size.max(1e-3);
    for (derivative, how) in [(dual.eps, "its tree"), (jacobian[(0, 0)], "its equation")] {
        let off = (derivative - slopes[1]).abs();
        let limit = 1e-6 * size + 4.0 * spread + noise;
        let is_compared = is_smooth && derivative.is_finite();
        assert!(!is_compared || off <= limit, "∂/∂x of {text} at {at:?} is {derivative} by {how}, not {}", slopes[1]);
    }
    true
}

#[test]
fn formulas() {
    let draw = |rng: &mut Rng| {
        let depth = rng.u32(1..6);
        let text = formula(rng, depth);
        let other = [(PathBuf::new(), formula(rng, 4).into_bytes())];
        let bytes = if rng.u8(..3) == 0 { mutated(rng, text.as_bytes(), &other) } else { text.into_bytes() };
        let mut number = || (6.0 * rng.f64() - 3.0) * if rng.u8(..20) == 0 { 100.0 } else { 1.0 };
        ([number(), number(), number()], bytes)
    };
    fuzz_drawn("formulas", draw, |at, bytes| std::str::from_utf8(bytes).is_ok_and(|text| check_formula(text, at)));
}

#[test]
fn ledgers() {
    let registry = Registry::builtin();
    let book = |path: &str| match path.rsplit('/').next() {
        Some("claims.yaml") => Some(Book::Claims),
        Some("anchors.yaml") => Some(Book::Anchors),
        _ => None,
    };
    let corpus = corpus("experiments", |path| book(path).is_some());
    let plans_beside = |ledger: &Path| -> Vec<Plan> {
        let files = fs::read_dir(ledger.parent().unwrap()).unwrap().map(|file| file.unwrap().path());
        let experiments = files.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
        experiments.filter_map(|path| Plan::read(&path, &fs::read(&path).ok()?, &registry, false).ok()).collect()
    };
    let plans: HashMap<&PathBuf, Vec<Plan>> = corpus.iter().map(|(path, _)| (path, plans_beside(path))).collect();
    fuzz("ledgers", &corpus, |path, bytes| {
        let book = book(&path.to_string_lossy().replace('\\', "/")).unwrap();
        let plans = plans.iter().find(|(own, _)| own.as_path() == path).unwrap().1;
        Document::parse(path, bytes).and_then(|document| Ledger::read_unlocked(&document, book, plans)).is_ok()
    });
}

#[test]
fn publications() {
    let corpus = corpus("experiments", |path| path.ends_with("/paper.yaml"));
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paper.yaml");
    fuzz("publications", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        let all = ["mbsbench", "check", path.to_str().unwrap()];
        cli::run(&registry, all, &mut Vec::new(), &mut Vec::new(), false) == cli::Exit::Done
    });
}

#[test]
fn entries() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path(), "code");
    let curves = Trajectory {
        observables: vec!["x".to_owned(), "y".to_owned()],
        units: vec!["m".to_owned(); 2],
        times: vec![0.0, 0.5, 1.0],
        columns: vec![vec![0.5, f64::NEG_INFINITY, 1e-300]; 2],
    };
    let record = Record {
        status: Status::Ok,
        message: Some("a word".to_owned()),
        t_reached: 1.0,
        columns: vec!["a".to_owned(), "b".to_owned()],
        values: vec![Some(0.1), None],
        findings: Some(Findings::doubt("nobody looked")),
        trajectory: Some(curves),
    };
    cache.save("run", &record).unwrap();
    let file = walkdir::WalkDir::new(folder.path()).into_iter().filter_map(Result::ok);
    let path = file.map(walkdir::DirEntry::into_path).find(|path| path.is_file()).unwrap();
    let corpus = [(path.clone(), fs::read(&path).unwrap())];
    fuzz("entries", &corpus, |_, bytes| {
        // A correct checksum is needed to reach the code behind its check.
        let text = String::from_utf8_lossy(bytes);
        let sum = text.split_once('\n').map(|(_, record)| blake3::hash(record.as_bytes()).to_hex().to_string());
        let own = text.split_once("\"sum\":\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
        let sealed =
            sum.filter(|_| own.len() == 64).map_or_else(|| text.to_string(), |sum| text.replacen(own, &sum, 1));
        fs::write(&path, sealed).unwrap();
        let loaded = cache.load("run", consistency::of_record);
        let _ = cache.refused();
        loaded.is_some()
    });
}

#[test]
fn references() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reference.csv");
    let file = root().join("experiments/zhang2022/references/rotating-shaft.csv");
    let text: Vec<u8> =
        fs::read(&file).unwrap().split_inclusive(|&byte| byte == b'\n').take(12).collect::<Vec<_>>().concat();
    fuzz("references", &[(file, text)], |_, bytes| {
        // As with entries, the checksum has to be correct.
        let own = |line: &&str| line.starts_with("# checksum: ");
        let text = String::from_utf8_lossy(bytes);
        let lines: String = text.lines().filter(|line| !own(line)).flat_map(|line| [line, "\n"]).collect();
        let sealed = format!("# checksum: {}\n{lines}", blake3::hash(lines.as_bytes()).to_hex());
        fs::write(&path, sealed).unwrap();
        StoredReference::read(&path).is_ok()
    });
}

#[test]
fn published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let corpus = corpus("experiments", |path| path.contains("/published/") && path.ends_with(".csv"));
    fuzz("published", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        Published::read(&path).is_ok()
    });
}

#[test]
fn results() {
    let registry = Registry::builtin();
    let file = root().join("experiments/compere2001/pendulum-dae.yaml");
    let plan = Plan::read(&file, &fs::read(&file).unwrap(), &registry, false).unwrap();
    let results = tempfile::tempdir().unwrap();
    let path = results.path().join("compere2001/pendulum-dae/runs.csv");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let corpus = corpus("results/compere2001/pendulum-dae", |path| path.ends_with("/runs.csv"));
    let plans = [plan];
    fuzz("results", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        Evidence::read(&results.path(), &plans, |_| true).is_ok()
    });
}

#[test]
fn diff() {
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let corpus = corpus("results/compere2001", |path| {
        path.ends_with("/runs.csv") || path.ends_with("pendulum-dae/table-3.1.csv")
    });
    for folder in [&one, &other] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(one.join("runs.csv"), &corpus[0].1).unwrap();
    fuzz("diff", &corpus, |_, bytes| {
        fs::write(other.join("runs.csv"), bytes).unwrap();
        let all = ["mbsbench", "diff", one.to_str().unwrap(), other.to_str().unwrap()];
        let (mut said, mut beside) = (Vec::new(), Vec::new());
        let exit = cli::run(&registry, all, &mut said, &mut beside, false);
        assert!(!said.is_empty() || !beside.is_empty(), "it ends without a word");
        matches!(exit, cli::Exit::Done | cli::Exit::Differs)
    });
}
