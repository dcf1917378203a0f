//! Growth of the cost of a step with the number of bodies, for every method: `make growth`.
//!
//! The exponent is that of the CPU time of a step between 100 and 400 bodies, `ln(t₄₀₀/t₁₀₀)/ln 4`. Solves of few and
//! of many steps are repeated, because other processes disturb them; the least time of each counts. They are repeated
//! more often while an exponent is too large. The exit code is 1 if one stays above its limit. Other numbers of bodies
//! are arguments: `cargo run --release -p mbsbench-runs --example growth -- 100 800`.
//!
//! `MBSBENCH_KLU` is the program that `scripts/peers.sh` builds from `examples/peers/cpp/klu.cpp`; our factorization is
//! then compared with KLU's. This crate is optimised, as the one of the program is not.
#![expect(clippy::print_stdout, reason = "the table is what the example is for")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ThreadTime;
use mbsbench_experiment::Registry;
use mbsbench_experiment::registry::{MethodKind, ModelKind, choose};
use mbsbench_input::Document;
use mbsbench_problem::linalg::{Pattern, SparseLu};
use mbsbench_problem::{Events, Failure, Formulated, Method, Model, Settings};
use mbsbench_runs::execute::timing::{machine, time};
use nalgebra::DMatrix;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The largest exponent. That of a grid is printed only: its loops fill the factors of the matrix.
const MOST: f64 = 1.3;
/// The text above the table.
const PREFACE: &str = "## Growth with the number of bodies

CPU times of a step for few and for many bodies in absolute coordinates, µs, and the exponent of the number of bodies.
A step takes 1 ms for the few, and less in proportion to the square root of the number for the many, because the parts
of a mechanism move faster the more there are. An exponent above 1.3 fails, but for the grid, whose loops fill the
factors of the matrix. The families are a chain of rods in the plane, one of hinges in space, a spine with arms, a comb,
a ring, and a grid of squares.

On the chain in space, a step of `hht-i3` takes 21.8 million instructions for 100 bodies and 98.0 million for 400 by
callgrind (28 November 2026), an exponent of 1.08, and one of `generalized-alpha-i2` 24.5 and 97.9 million, an exponent
of 1.00. Times grow faster, probably because terms and factors no longer fit the caches; they also scatter: between 100
and 800 bodies other methods are above the limit than between 100 and 400. The other methods were not counted.

With a tolerance, a step of `hht-i3` on the plane chain takes more iterations for more bodies only because it is longer:
at a tolerance of 1e-4 and 10, 30, 100 and 300 rods in the first half second, 4.2, 4.3, 5.3 and 6.0 iterations with mean
steps of 28, 29, 36 and 50 ms; at 1e-6, 3.0 to 3.1 with steps of 5.5 to 5.7 ms. Constant steps of 10 ms take 2.9, 3.0,
3.2 and 3.3 iterations.";
/// The least and the largest number of rounds.
const ROUNDS: [usize; 2] = [3, 20];
/// Steps of a short solve and of a long one.
const STEPS: [f64; 2] = [2.0, 8.0];

/// A rod of length one.
const ROD: &str = "mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.5, 0] }";

/// Families of mechanisms with the exponent of the number `S` of repetitions in the number of bodies, bodies for one
/// repetition, and the parts that are repeated. The first rod of each is hinged to the ground.
const FAMILIES: [(&str, i32, f64, &str); 6] = [
    (
        "chain",
        1,
        1.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, position: ['{i}-0.5', 0] } }, \
         joints: { 'pin_{i}': { revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'] } } } }",
    ),
    (
        "spatial chain",
        1,
        1.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, position: ['{i}-0.5', 0, 0] } }, joints: { 'pin_{i}': { \
         revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'], axis: [0, 0.6, 0.8] } } } }",
    ),
    (
        "tree",
        2,
        1.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, position: ['{i}-0.5', 0] } }, \
         joints: { 'pin_{i}': { revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'] } } } }, \
         { for: { i: [1, S] }, bodies: { 'arm_{i}x1': { ROD, position: ['{i}', -0.5], angle: -pi/2 } }, \
         joints: { 'arm_{i}x1': { revolute: { between: ['rod_{i}.b', 'arm_{i}x1.a'] } } } }, \
         { for: { i: [1, S], j: [2, S] }, \
         bodies: { 'arm_{i}x{j}': { ROD, position: ['{i}', '0.5-{j}'], angle: -pi/2 } }, \
         joints: { 'arm_{i}x{j}': { revolute: { between: ['arm_{i}x{j-1}.b', 'arm_{i}x{j}.a'] } } } }",
    ),
    (
        "comb",
        1,
        2.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, position: ['{i}-0.5', 0] } }, \
         joints: { 'pin_{i}': { revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'] } } } }, \
         { for: { i: [1, S] }, bodies: { 'tooth_{i}': { ROD, position: ['{i}', -0.5], angle: -pi/2 } }, \
         joints: { 'tooth_{i}': { revolute: { between: ['rod_{i}.b', 'tooth_{i}.a'] } } } }",
    ),
    (
        "ring",
        1,
        1.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, angle: '2*pi*({i}-1)/S', \
         position: ['sin(2*pi*({i}-1)/S)/(2*tan(pi/S)) + 0.5', '(1 - cos(2*pi*({i}-1)/S))/(2*tan(pi/S))'] } }, \
         joints: { 'pin_{i}': { revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'] } } } }, \
         { for: { i: [S, S] }, joints: { closing: { revolute: { between: ['rod_{i}.b', rod_1.a] } } } }",
    ),
    (
        "grid",
        2,
        2.0,
        "{ for: { i: [2, S] }, bodies: { 'rod_{i}': { ROD, position: ['{i}-0.5', 0] } }, \
         joints: { 'pin_{i}': { revolute: { between: ['rod_{i-1}.b', 'rod_{i}.a'] } } } }, \
         { for: { i: [1, S], j: [1, S] }, \
         bodies: { 'down_{i}x{j}': { ROD, position: ['{i}', '0.5-{j}'], angle: -pi/2 } } }, \
         { for: { i: [1, S] }, joints: { 'hang_{i}': { revolute: { between: ['rod_{i}.b', 'down_{i}x1.a'] } } } }, \
         { for: { i: [1, S], j: [2, S] }, \
         bodies: { 'across_{i}x{j}': { ROD, position: ['{i}-0.5', '1-{j}'] } }, \
         joints: { 'hang_{i}x{j}': { revolute: { between: ['down_{i}x{j-1}.b', 'down_{i}x{j}.a'] } }, \
         'right_{i}x{j}': { revolute: { between: ['across_{i}x{j}.b', 'down_{i}x{j}.a'] } } } }, \
         { for: { i: [2, S], j: [2, S] }, joints: { 'left_{i}x{j}': { \
         revolute: { between: ['down_{i-1}x{j}.a', 'across_{i}x{j}.a'] } } } }",
    ),
];

/// A mechanism of a family with about `count` bodies, as a file describes it.
fn mechanism(&(family, power, bodies, repeated): &(&str, i32, f64, &str), count: usize) -> String {
    let repetitions = (count as f64 / bodies).powf(1.0 / f64::from(power)).round();
    let (motion, gravity, axis, zero) = match family {
        "spatial chain" => ("spatial", "[0, 0, -9.81]", ", axis: [0, 1, 0]", ", 0"),
        _ => ("planar", "[0, -9.81]", "", ""),
    };
    let rod = if zero.is_empty() {
        ROD.to_owned()
    } else {
        ROD.replace(", 0]", ", 0, 0]").replace("shape: { rod: { length: 1 } }", "inertia: [0.01, 0.1, 0.1]")
    };
    let repeated = repeated.replace("ROD", &rod).replace('S', &repetitions.to_string());
    format!(
        "mechanism: {{ motion: {motion}, gravity: {gravity}, observe: [rod_1], \
         bodies: {{ rod_1: {{ {rod}, position: [0.5, 0{zero}] }} }}, \
         joints: {{ hook: {{ revolute: {{ between: [ground, rod_1.a]{axis} }} }} }}, repeat: [ {repeated} ] }}"
    )
}

/// CPU times, s, of solves with few and with more steps, and the steps made; why there are none, if the method is not
/// for the mechanism. `bodies` is their number over that of the smaller mechanism.
fn solves(model: &dyn Model, method: &dyn Method, bodies: f64) -> Result<[(f64, f64); 2], String> {
    method
        .applies_to(Formulated::<f64>::ode(model).as_mut(), Events::Ignored)
        .map_err(|unsuitable| unsuitable.to_string())?;
    let size = 1e-3 / bodies.sqrt();
    let solve = |steps: f64, settings: Settings| {
        let begin = ThreadTime::now();
        let solve = time(model, method, ([0.0, steps * size], &[]), settings);
        (begin.elapsed().as_secs_f64(), solve)
    };
    let made = STEPS.map(|steps| {
        let (seconds, made) = solve(steps, Settings::fixed(size));
        let chooses_order = matches!(made.failure, Some(Failure::NotApplicable { .. }));
        // Steps with error control grow, and few more may span all of a short time.
        if chooses_order { solve(20.0 * steps, Settings::tolerance(1e-5, 1e-5)) } else { (seconds, made) }
    });
    if let Some(failure) = &made[1].1.failure {
        return Err(failure.to_string());
    }
    Ok(made.map(|(seconds, solve)| (seconds, solve.statistics.steps_accepted as f64)))
}

/// The matrix of accelerations and multipliers at the start: the rows of each column in ascending order, and values.
fn matrix(model: &dyn Model) -> Outcome<(Pattern, Vec<f64>)> {
    let y: Vec<f64> = Formulated::initial_state(model);
    let mut ode = Formulated::<f64>::ode(model);
    let mechanics = ode.form().mechanics().map_err(|unsuitable| unsuitable.to_string())?;
    let (velocities, constraints) = (mechanics.dimensions().velocities, mechanics.dimensions().constraints());
    let (q, v) = y.split_at(y.len() - velocities);
    let mut mass = DMatrix::zeros(velocities, velocities);
    let mut jacobian = DMatrix::zeros(constraints, velocities);
    mechanics.mass(q, &mut mass);
    mechanics.constraint_jacobian(0.0, q, v, &mut jacobian);
    let mut whole = DMatrix::zeros(velocities + constraints, velocities + constraints);
    whole.view_mut((0, 0), mass.shape()).copy_from(&mass);
    whole.view_mut((velocities, 0), jacobian.shape()).copy_from(&jacobian);
    whole.view_mut((0, velocities), (velocities, constraints)).copy_from(&-jacobian.transpose());
    let n = whole.nrows();
    let entries = (0..n * n).map(|k| (k % n, k / n)).filter(|&at| whole[at] != 0.0);
    let pattern = Pattern::new((n, n), entries);
    let values = pattern.iter().map(|at| whole[at]).collect();
    Ok((pattern, values))
}

/// Compares the factorization with known pivots, and the solution, with KLU's.
fn factors(klu: &str, models: &[Vec<Arc<dyn Model>>], sizes: [usize; 2]) -> Outcome<()> {
    println!("\n## Comparison with KLU\n\nFactorization with the pivots of an earlier one, and solution, µs. The");
    println!("matrix is that of accelerations and multipliers.\n");
    println!("| family, bodies | ours | KLU | ratio | bar | | solution | KLU |\n|---|---|---|---|---|---|---|---|");
    for ((family, ..), models) in FAMILIES.iter().zip(models) {
        for (model, count) in models.iter().zip(sizes) {
            let (pattern, values) = matrix(&**model)?;
            let path = std::env::temp_dir().join(format!("mbsbench-{}.txt", std::process::id()));
            let mut text = format!("{} {}\n", pattern.rows(), values.len());
            for ((i, j), value) in pattern.iter().zip(&values) {
                writeln!(text, "{i} {j} {value:?}")?;
            }
            std::fs::write(&path, text)?;
            let output = String::from_utf8(Command::new(klu).arg(&path).output()?.stdout)?;
            std::fs::remove_file(&path)?;
            let theirs: Vec<f64> = output.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            let n = pattern.rows();
            let mut lu = SparseLu::new(pattern.into());
            let fastest = |work: &mut dyn FnMut()| {
                let times = (0..200).map(|_| {
                    let begin = Instant::now();
                    work();
                    1e6 * begin.elapsed().as_secs_f64()
                });
                times.fold(f64::INFINITY, f64::min)
            };
            lu.factorize(&values).map_err(|_| "the matrix is singular")?;
            let ours = fastest(&mut || lu.factorize(&values).unwrap_or_default());
            let mut x = vec![1.0; n];
            let solution = fastest(&mut || {
                x.fill(1.0);
                lu.solve(&mut x);
            });
            let ratio = ours / theirs[0];
            let verdict = if ratio <= 1.2 { "holds" } else { "**does not hold**" };
            println!(
                "| {family}, {count} | {ours:.1} | {:.1} | {ratio:.2} | 1.2 | {verdict} | {solution:.1} | {:.1} |",
                theirs[0], theirs[1]
            );
        }
    }
    Ok(())
}

fn main() -> Outcome<ExitCode> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let [few, many] = if let [few, many] = sizes[..] { [few, many] } else { [100, 400] };
    let mut failed = Vec::new();
    println!("{PREFACE}\n\nMade by `make growth` on {}.\n", machine());
    println!("| method | {} |", FAMILIES.map(|(family, ..)| family).join(" | "));
    println!("|---|{}", "---|".repeat(FAMILIES.len()));
    let mut models = Vec::new();
    for family in &FAMILIES {
        let mut of_family = Vec::new();
        for count in [few, many] {
            let text = mechanism(family, count);
            let document = Document::parse(Path::new("growth.yaml"), text.as_bytes())?;
            of_family.push(choose::<ModelKind>(Registry::builtin().models(), &document.root)?.object.model());
        }
        models.push(of_family);
    }
    for entry in Registry::builtin().methods() {
        let name = entry.name;
        let document = Document::parse(Path::new("growth.yaml"), name.as_bytes())?;
        // A method with coefficients from a file has none here.
        let Ok(method) = choose::<MethodKind>(Registry::builtin().methods(), &document.root) else { continue };
        let method = method.object.method();
        if method.properties().keeps_all_entries {
            println!("| `{name}` | dense by definition |");
            continue;
        }
        let (mut cells, mut reasons) = (String::new(), Vec::new());
        for ((family, ..), models) in FAMILIES.iter().zip(&models) {
            let most = if *family == "grid" { f64::INFINITY } else { MOST };
            let mut least = [[f64::INFINITY; 2]; 2];
            let (mut of_step, mut exponent) = ([f64::NAN; 2], f64::INFINITY);
            let mut why = None;
            for round in 0..ROUNDS[1] {
                if round >= ROUNDS[0] && exponent <= most || why.is_some() {
                    break;
                }
                for (i, (model, count)) in models.iter().zip([few, many]).enumerate() {
                    match solves(&**model, &*method, count as f64 / few as f64) {
                        Ok(made) => {
                            least[i] = [0, 1].map(|k| made[k].0.min(least[i][k]));
                            of_step[i] = (least[i][1] - least[i][0]) / (made[1].1 - made[0].1);
                        }
                        Err(reason) => why = Some(reason),
                    }
                }
                exponent = (of_step[1] / of_step[0]).ln() / (many as f64 / few as f64).ln();
            }
            if let Some(why) = why {
                write!(cells, " – |")?;
                if !reasons.contains(&why) {
                    reasons.push(why);
                }
                continue;
            }
            let mark = if exponent <= most { "" } else { "**" };
            write!(cells, " {:.0}, {:.0} µs, {mark}{exponent:.2}{mark} |", 1e6 * of_step[0], 1e6 * of_step[1])?;
            if !mark.is_empty() {
                failed.push(format!("{name} on {family}: {exponent:.2}"));
            }
        }
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        println!("| `{name}`{reasons} |{cells}");
    }
    if let Ok(klu) = std::env::var("MBSBENCH_KLU") {
        factors(&klu, &models, [few, many])?;
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nAbove the limit of {MOST}: {}", failed.join("; "));
    Ok(ExitCode::FAILURE)
}
