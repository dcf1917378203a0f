//! Methods from files of coefficients have the options of the built-in methods, and give bitwise identical runs. A
//! comparison reports settings, other than formulas, in which methods differ.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mbsbench::registry::{Entry, MethodKind};
use mbsbench::{Registry, cli};
use mbsbench_integrators::Tableau;
use mbsbench_integrators::implicit::LinearMultistep;
use mbsbench_integrators::low_order::GeneralizedAlphaWeights;
use mbsbench_problem::{Counted, DoubleDouble, Formulated, Method, Settings, Silent, Task};
use tempfile::TempDir;

const HEAVY_TOP: &str = include_str!("../../../../experiments/iftomm/mechanisms/heavy-top.yaml");

/// Families whose methods are defined by coefficients, except [`MORE`]. Others are [`generalized-alpha`](alpha) and
/// `sdirk4`.
const FAMILIES: [&str; 4] = ["explicit-runge-kutta", "composite", "esdirk", "linear-multistep"];

/// Methods of these families that have more than a formula: a controller, a projection, or events.
const MORE: [&str; 3] = ["ode45", "dop853-projected", "dode"];

/// A built-in method with parameters, and the equivalent file.
struct Twin {
    name: String,
    /// Parameters of the built-in method.
    parameters: String,
    file: String,
    is_explicit: bool,
    /// True if the file has the estimate of the error, with the same controller.
    adapts: bool,
    /// True if the method starts with formulas of fewer steps.
    starts: bool,
}

fn list(numbers: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", numbers.into_iter().collect::<Vec<_>>().join(", "))
}

fn shortest(numbers: &[f64]) -> String {
    list(numbers.iter().map(|x| format!("{x:e}")))
}

/// The coefficients of a built-in formula, as the keys of a user's file. A file has one error estimate, while DOP853
/// combines two.
fn built_in(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrators/src/tableaux");
    let text = fs::read_to_string(folder.join(format!("{name}.yaml"))).unwrap();
    let text = &text[text.find("runge-kutta:").unwrap()..];
    let end = text.find("combined-estimate:").or(text.find("continuous:"));
    text[..end.unwrap_or(text.len())].to_owned()
}

fn dirk(formula: &Tableau) -> String {
    let formula = formula.formula.rounded::<f64>();
    let rows = list(formula.rows.iter().map(|row| shortest(row)));
    let (nodes, weights) = (shortest(&formula.nodes), shortest(&formula.weights));
    format!("runge-kutta:\n  nodes: {nodes}\n  rows: {rows}\n  weights: {weights}\n")
}

fn multistep(LinearMultistep { alpha, beta }: &LinearMultistep, rho: f64) -> String {
    let rho = if alpha.len() == 1 { String::new() } else { format!("  rho-inf: {rho:?}\n") };
    format!("multistep:\n  alpha: {}\n  beta: {}\n{rho}", shortest(alpha), shortest(beta))
}

fn alpha(rho: f64) -> String {
    let GeneralizedAlphaWeights { alpha_m, alpha_f, beta, gamma } = GeneralizedAlphaWeights::with_spectral_radius(rho);
    format!("generalized-alpha: {{ alpha-m: {alpha_m:e}, alpha-f: {alpha_f:e}, beta: {beta:e}, gamma: {gamma:e} }}\n")
}

/// Returns the files equivalent to a registered method, for several of its parameters.
fn twins(name: &str) -> Vec<Twin> {
    let twin = |parameters: String, file: String| Twin {
        name: name.to_owned(),
        parameters,
        file,
        is_explicit: false,
        adapts: false,
        starts: false,
    };
    let explicit = |parameters: &str, more: &str| {
        let file = built_in(name);
        let adapts = file.contains("embedded:");
        Twin { is_explicit: true, adapts, ..twin(parameters.to_owned(), format!("{file}{more}\n")) }
    };
    let pair = || vec![explicit("", ""), explicit("advance: lower, ", "advance: lower")];
    let damped = |rhos: &[f64], file: &dyn Fn(f64) -> String| {
        rhos.iter().map(|&rho| twin(format!("rho-inf: {rho:?}, "), file(rho))).collect::<Vec<_>>()
    };
    let fixed = |file: String| vec![twin(String::new(), file)];
    let starting = |formula: fn(f64) -> LinearMultistep| {
        let twins = damped(&[0.0, 0.6], &|rho| multistep(&formula(rho), rho)).into_iter();
        twins.map(|twin| Twin { starts: true, ..twin }).collect::<Vec<_>>()
    };
    let mssth = |n| damped(&Tableau::RHOS_OF_MSSTH, &|rho| dirk(&Tableau::mssth(n, rho).unwrap()));
    let msstc = |n| damped(&[0.0, 0.6, 1.0], &|rho| dirk(&Tableau::msstc(n, rho)));
    match name {
        "rk3" | "rk4" | "dop853" => vec![explicit("", "")],
        "bs32" | "rk5" | "rk8" => pair(),
        "dopri5" => vec![explicit("", "control: dopri5")],
        "trapezoidal" => fixed(multistep(&LinearMultistep::trapezoidal(), 1.0)),
        "lms2" => starting(LinearMultistep::lms2),
        "lms3" => starting(LinearMultistep::lms3),
        "lms4" => starting(LinearMultistep::lms4),
        "bathe" => damped(&[0.0, 0.6, 1.0], &|rho| dirk(&Tableau::bathe(rho))),
        "msstc3" => msstc(3),
        "msstc4" => msstc(4),
        "msstc5" => msstc(5),
        "mssth3" => mssth(3),
        "mssth4" => mssth(4),
        "mssth5" => mssth(5),
        "esdirk324l2sa" | "esdirk325l2sa" | "esdirk436l2sa2" | "esdirk547l2sa2" | "ark436l2sa-implicit" | "sdirk4" => {
            fixed(built_in(name))
        }
        "generalized-alpha" => damped(&[0.0, 0.8, 1.0], &alpha),
        // a formula whose coefficients are not available here
        _ => Vec::new(),
    }
}

/// The registered methods that are defined by coefficients.
fn all_twins() -> Vec<Twin> {
    let registry = Registry::builtin();
    let is_formula = |entry: &&Entry<MethodKind>| {
        let name = entry.name;
        (FAMILIES.contains(&entry.family) || ["generalized-alpha", "sdirk4"].contains(&name)) && !MORE.contains(&name)
    };
    registry.methods().iter().filter(is_formula).flat_map(|entry| twins(entry.name)).collect()
}

/// Options of a kind that change its runs if they have an effect.
fn options(twin: &Twin) -> String {
    match twin {
        Twin { name, .. } if name == "generalized-alpha" => {
            "newton: { tolerance: 1e-6, jacobian: kept, first-guess: zero }".to_owned()
        }
        Twin { is_explicit: true, .. } => String::new(),
        Twin { starts, .. } => {
            let start = if *starts { "start: ladder, " } else { "" };
            format!(
                "{start}charts: moving, prediction: second-order, jacobian: modified, newton-tolerance: 1e-9, \
                 max-iterations: 30, initial-derivatives: zero"
            )
        }
    }
}

/// An experiment that solves an ordinary differential equation, an index-3 mechanism and a rotating body with both
/// methods. The span is not a multiple of the step, so the last step is shorter.
fn experiment(index: usize, twin: &Twin) -> String {
    let Twin { name, parameters, .. } = twin;
    let both = |options: &str| {
        format!(
            "method: [{{ {name}: {{ label: built-in, {parameters}{options} }} }}, \
             {{ tableau: {{ file: {index}.yaml, label: own, {options} }} }}]"
        )
    };
    let (usual, other) = (both(""), both(&options(twin)));
    let mut text = format!(
        "schema: 2\nid: mine/e{index}\ntitle: twins\nmodel: pendulum\nspan: [0, 0.1053]\n\
         measures: [rhs_evaluations, newton_iterations]\ncases:\n"
    );
    let mut case = |title: &str, model: &str, method: &str, control: &str, of: &[&str]| {
        let finals: Vec<String> = of.iter().map(|of| format!("{{ final: {{ of: {of} }} }}")).collect();
        let measures = format!(
            "[{}, rhs_evaluations, jacobian_evaluations, factorizations, newton_iterations, steps_rejected]",
            finals.join(", ")
        );
        let _ = writeln!(text, "  - {{ case: {title}, model: {model}, {method}, {control}, measures: {measures} }}");
    };
    let (plane, slider) = (["theta", "omega", "energy"], ["theta1", "x2", "theta2_rate", "multiplier_4"]);
    let top = ["top_x", "top_e1", "top_e3", "energy"];
    let mechanism = "{ mechanism: heavy-top.yaml }";
    // Explicit formulas without an embedded pair have no options.
    let ways = if twin.is_explicit { 1 } else { 2 };
    for (title, method) in [("", &usual), (" otherwise", &other)].into_iter().take(ways) {
        // Generalized-α formulas only solve constrained equations of motion.
        if name != "generalized-alpha" {
            case(&format!("equation{title}"), "pendulum", method, "step: 0.01", &plane);
        }
        case(&format!("index 3{title}"), "slider-crank", method, "step: 0.01", &slider);
        case(&format!("rotations{title}"), mechanism, method, "step: 0.001", &top);
    }
    if twin.adapts {
        case("to a tolerance", "slider-crank", &usual, "tolerance: [1e-5, 1e-9]", &slider);
    }
    text
}

fn run(arguments: &[&str]) -> (cli::Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = cli::run(&Registry::builtin(), arguments.iter().copied(), &mut out, &mut err, false);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Rows of `runs.csv` by method, without the names of runs.
fn rows(path: &Path, method: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let place = heads.iter().position(|head| head == "method").unwrap();
    let records = reader.records().map(Result::unwrap).filter(|record| &record[place] == method);
    let cells = |record: csv::StringRecord| {
        let named = heads.iter().zip(&record).filter(|(head, _)| !["method", "run"].contains(&head.as_str()));
        named.map(|(head, cell)| format!("{head}={cell}")).collect()
    };
    records.map(cells).collect()
}

#[test]
fn formulas_from_files_give_bitwise_equal_runs() {
    let (twins, folder) = (all_twins(), folder_with(&[("heavy-top.yaml", HEAVY_TOP)]));
    assert!(twins.len() > 40, "{}", twins.len());
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut files = Vec::new();
    for (index, twin) in twins.iter().enumerate() {
        fs::write(at(&format!("{index}.yaml")), &twin.file).unwrap();
        files.push(at(&format!("e{index}.yaml")));
        fs::write(files.last().unwrap(), experiment(index, twin)).unwrap();
    }
    let (out, cache) = (at("results"), at("cache"));
    let arguments = ["mbsbench", "run", "--out", &out, "--cache", &cache];
    let arguments: Vec<&str> = arguments.into_iter().chain(files.iter().map(String::as_str)).collect();
    let (exit, _, err) = run(&arguments);
    assert_eq!(exit, cli::Exit::Done, "{err}");
    for (index, twin) in twins.iter().enumerate() {
        let path = PathBuf::from(&out).join(format!("mine/e{index}/runs.csv"));
        let [theirs, own] = ["built-in", "own"].map(|method| rows(&path, method));
        let about = format!("{} {{ {}}}\n{}", twin.name, twin.parameters, twin.file);
        assert_eq!(own, theirs, "{about}");
        let done = own.iter().filter(|row| row.contains(&"status=ok".to_owned())).count();
        let solved = match twin.name.as_str() {
            "generalized-alpha" => 2,
            _ if twin.is_explicit => 3,
            // Without damping, multipliers alternate, and Newton's iteration may fail.
            _ => 4,
        };
        assert!(done >= solved, "{about}{own:#?}");
        // Otherwise the options would not be tested.
        let of = |case: &str| own.iter().find(|row| row[0] == format!("case={case}")).unwrap()[1..].to_vec();
        if !twin.is_explicit {
            assert_ne!(of("index 3"), of("index 3 otherwise"), "{about}");
        }
    }
}

/// Checks the precision in which references are computed.
#[test]
fn explicit_formulas_are_the_same_in_double_double_precision() {
    let registry = Registry::builtin();
    let model = registry.models().iter().find(|entry| entry.name == "pendulum").unwrap().default_choice();
    let model = model.object.model();
    let solve = |method: &dyn Method<DoubleDouble>| {
        let mut ode = Formulated::<DoubleDouble>::ode(&*model);
        let initial = Formulated::<DoubleDouble>::initial_state(&*model);
        let [t_start, t_end] = [0.0, 1.0].map(DoubleDouble::from);
        let task = Task { t_start, t_end, initial: &initial, settings: Settings::fixed(0.0625) };
        let solution = method.solve(Counted::new(ode.as_mut()), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        solution.state
    };
    for twin in all_twins().into_iter().filter(|twin| twin.is_explicit && twin.parameters.is_empty()) {
        let folder = folder_with(&[("own.yaml", &twin.file)]);
        let path = folder.path().join("own.yaml");
        let own = mbsbench::experiment::read_method(&path, twin.file.as_bytes(), &registry).unwrap();
        let theirs = registry.methods().iter().find(|entry| entry.name == twin.name).unwrap().default_choice();
        let [own, theirs] = [own, theirs].map(|choice| solve(&*choice.object.precise().unwrap()));
        assert_eq!(own, theirs, "{}", twin.name);
    }
}

const TRAPEZOIDAL: &str = "multistep: { alpha: [1], beta: [1/2, 1/2] }\n";
const HEUN: &str = "runge-kutta: { rows: [[], [1]], weights: [1/2, 1/2] }\n";
const HEAD: &str = "schema: 2\nid: mine/a\ntitle: a\nspan: [0, 0.5]\nmodel: slider-crank\nstep: [2^-6, 2^-8, 2^-10]\n";

#[test]
fn options_of_other_kinds_are_refused() {
    let cases = [
        (
            HEUN,
            "charts: moving",
            "`charts` is an option that does not apply to explicit Runge–Kutta formulas",
            "`advance`, `control`",
        ),
        (HEUN, "advance: lower", "`advance` is given without `embedded` weights", "`embedded` weights"),
        (
            TRAPEZOIDAL,
            "newton: { tolerance: 1e-8 }",
            "`newton` is an option that does not apply to multistep formulas",
            "`charts`",
        ),
        (TRAPEZOIDAL, "max-iterations: 0", "`max-iterations` is 0", "1 or above"),
    ];
    for (method, option, message, accepted) in cases {
        let method_line = format!("method: {{ tableau: {{ file: own.yaml, {option} }} }}\n");
        let text = format!("{HEAD}{method_line}measures: [rhs_evaluations]\n");
        let folder = folder_with(&[("own.yaml", method), ("a.yaml", &text)]);
        let path = folder.path().join("a.yaml");
        let (exit, _, err) = run(&["mbsbench", "check", path.to_str().unwrap()]);
        assert_eq!(exit, cli::Exit::BadInput, "{err}");
        assert!(err.contains(message) && err.contains(accepted) && err.contains("a.yaml:7:"), "{err}");
        // The same mistake inside the file.
        let folder = folder_with(&[("own.yaml", &format!("{method}{option}\n"))]);
        let path = folder.path().join("own.yaml");
        let (exit, _, err) = run(&["mbsbench", "list", path.to_str().unwrap()]);
        assert_eq!(exit, cli::Exit::BadInput, "{err}");
        assert!(err.contains(message) && err.contains("own.yaml:2:"), "{err}");
    }
}

/// Ranks a formula among methods selected by `every`.
fn ranked(method: &str) -> (String, String) {
    let text = format!(
        "{HEAD}method: [{{ every: {{ families: [esdirk, composite], with: {{ charts: moving }} }} }}, \
  {method}, {{ tableau: heun.yaml }}]
measures: [position_error, all_rhs_evaluations]
reference: {{ model: {{ formulation: minimal }}, method: rk8, step: 2^-11, precision: double, \
  check: {{ method: {{ gbs: {{ order: 12 }} }}, step: 2^-9 }}, digits: 9 }}
rankings: [{{ title: crank, error: position_error, meaning: m, work: {{ evaluations: all_rhs_evaluations }} }}]
"
    );
    let folder = folder_with(&[("own.yaml", TRAPEZOIDAL), ("heun.yaml", HEUN), ("a.yaml", &text)]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (exit, out, err) = run(&["mbsbench", "run", &at("a.yaml"), "--out", &at("out"), "--cache", &at("cache")]);
    assert_eq!(exit, cli::Exit::Done, "{err}");
    (fs::read_to_string(folder.path().join("out/mine/a/ranking.md")).unwrap(), out)
}

#[test]
fn every_sets_parameters_of_files_listed_next_to_it() {
    let (ranking, said) = ranked("{ tableau: own.yaml }");
    assert!(!ranking.contains("Methods differ"), "{ranking}");
    assert!(said.contains("`every` selects 12 methods and leaves out "), "{said}");
    assert!(said.contains("of other families"), "{said}");
    assert!(said.contains("`charts` of `every` is not set in methods that do not have it: heun"), "{said}");
    let (ranking, said) = ranked("{ tableau: { file: own.yaml, charts: stage } }");
    assert!(said.contains("`charts` of `every` is not set in methods that set it themselves: own"), "{said}");
    for part in ["budget. Methods differ in charts.", "\n- charts stage in own, moving in the other 12\n"] {
        assert!(ranking.contains(part), "{ranking}");
    }
}
