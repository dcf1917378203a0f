//! Cost of steps compared with the required limits: `docs/performance.md`, written by `make performance`.
//!
//! If `MBSBENCH_EXUDYN=.../python` names the interpreter of a Python with Exudyn, chains and linkages are timed
//! alternately with our methods and with Exudyn's generalized-α method. `MBSBENCH_PINOCCHIO` is the program that
//! `scripts/peers.sh` builds from `examples/peers/cpp/articulated.cpp`.
#![expect(clippy::print_stdout, reason = "the table is what the example is for")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use mbsbench_experiment::Registry;
use mbsbench_experiment::registry::{MethodKind, ModelKind, choose};
use mbsbench_input::Document;
use mbsbench_problem::{Formulated, Method, Model, Settings};
use mbsbench_runs::execute::timing::{TimedSolve, machine, time};

/// Number of rounds, of which the fastest counts.
const ROUNDS: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Parses a model or method as a file names it.
fn named(text: &str) -> Outcome<Document> {
    Ok(Document::parse(Path::new("performance.yaml"), text.as_bytes())?)
}

fn model(text: &str) -> Outcome<Arc<dyn Model>> {
    let choice = choose::<ModelKind>(Registry::builtin().models(), &named(text)?.root)?;
    Ok(choice.object.model())
}

fn method(text: &str) -> Outcome<Box<dyn Method>> {
    let choice = choose::<MethodKind>(Registry::builtin().methods(), &named(text)?.root)?;
    Ok(choice.object.method())
}

/// The shortest solve and the shortest set-up of several rounds.
fn fastest(rounds: usize, mut solve: impl FnMut() -> TimedSolve) -> Outcome<TimedSolve> {
    let mut best = solve();
    for _ in 1..rounds {
        let next = solve();
        best.set_up = best.set_up.min(next.set_up);
        best.seconds = best.seconds.min(next.seconds);
    }
    match &best.failure {
        None => Ok(best),
        Some(failure) => Err(failure.to_string().into()),
    }
}

/// The part of the page that has been written.
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        println!("{text}");
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Writes the heading of a table; columns are separated by bars.
    fn head(&mut self, columns: &str) {
        self.line(&format!("| {columns} |"));
        let rule = columns.split('|').map(|_| "---").collect::<Vec<_>>().join("|");
        self.line(&format!("|{rule}|"));
    }

    /// Writes a line of a table that ends with the measured value, its limit, and whether it holds.
    fn judged(&mut self, cells: &str, measured: f64, bar: f64) {
        let verdict = if measured <= bar { "holds" } else { "**does not hold**" };
        let bar = (1e3 * bar).round() / 1e3;
        self.line(&format!("| {cells} | {measured:.3} | {bar} | {verdict} |"));
    }
}

/// Microseconds per step of a solve, and iterations per step.
fn of_a_step(solve: &TimedSolve) -> (f64, f64) {
    let steps = solve.statistics.steps_accepted as f64;
    (1e6 * solve.seconds / steps, solve.statistics.newton_iterations as f64 / steps)
}

/// Microseconds per step, and iterations per step.
fn step(kind: &str, name: &str, span: [f64; 2], settings: Settings) -> Outcome<(f64, f64)> {
    let (model, method) = (model(kind)?, method(name)?);
    let solve = fastest(ROUNDS, || time(&*model, &*method, (span, &[]), settings))?;
    Ok(of_a_step(&solve))
}

/// Cost of single steps and iterations.
fn single(page: &mut Page) -> Outcome<()> {
    page.head("work | measured | bar | ");
    let chain = "rod-chain: { rods: 200 }";
    for (name, settings, bar) in [
        ("lms2", Settings::fixed(5e-4), 0.4),
        ("hht-i3", Settings::fixed(5e-4), 0.8),
        ("radau5", Settings::tolerance(1e-5, 1e-5), 3.0),
    ] {
        let (micros, _) = step(chain, name, [0.0, 0.02], settings)?;
        page.judged(&format!("chain of 200 rods, `{name}`, a step, ms"), 1e-3 * micros, bar);
    }
    let shaft = "rotating-shaft: { elements: 16 }";
    for (options, what, bar) in [("", "", 0.7 * 71.4), (", jacobian: kept", ", kept matrix", 0.4 * 71.4)] {
        let name =
            format!("lms2: {{ rho-inf: 0.0, newton-tolerance: 1e-4, max-iterations: 50, charts: moving{options} }}");
        let (micros, iterations) = step(shaft, &name, [0.0, 0.2], Settings::fixed(1e-3))?;
        page.judged(&format!("shaft of 16 elements, `lms2`{what}, an iteration, µs"), micros / iterations, bar);
    }
    for (count, peer) in [(1_000, 105.0), (10_000, 118.0)] {
        let radius = 0.01 * (1.0 + 1.3 * f64::cbrt(f64::from(count)));
        let jar = format!(
            "marble-jar: {{ count: {count}, jar-radius: {radius}, damping: 5.0, candidates: near, \
             arrangement: {{ packed: {{ spacing: 0.9995, displacement: 0.001 }} }} }}"
        );
        let (micros, _) = step(&jar, "stormer-verlet", [0.0, 2e-5], Settings::fixed(2e-7))?;
        let nanos = 1e3 * micros / f64::from(count);
        page.judged(&format!("jar, {count} marbles, `stormer-verlet`, a marble and step, ns"), nanos, 0.45 * peer);
    }
    let bearing = "ball-bearing: { power-scale: 1e7, race-compliance: 0.3, race-damping: 0.6, \
                   pocket-stiffness: 1.5e10, \
                   start-load: 500 }";
    let (model, llm) = (model(bearing)?, method("llm")?);
    let solve = fastest(1, || time(&*model, &*llm, ([0.0, 1e-3], &[]), Settings::fixed(1e-6)))?;
    page.judged("bearing, 156 states, `llm` at 1 µs to 1 ms, s", solve.seconds, 20.0);
    Ok(())
}

/// Runs a mechanism in Exudyn; returns microseconds per step, and iterations per step.
fn exudyn(python: &str, mechanism: &str) -> Outcome<(f64, f64)> {
    let output = Command::new(python).args(["scripts/exudyn_steps.py", mechanism]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().rev().map(str::parse::<f64>);
    let (Some(Ok(iterations)), Some(Ok(micros))) = (numbers.next(), numbers.next()) else {
        return Err(format!("{mechanism}: {text}{}", String::from_utf8_lossy(&output.stderr)).into());
    };
    Ok((micros, iterations))
}

/// A mechanism of Exudyn's, our model with the method and its step, and true if steps are compared instead of
/// iterations.
type Pair<'k> = (&'static str, &'k str, &'static str, f64, bool);

/// A chain as a mechanism file, with the given number of rods and the total length of the other chains in [`pairs`], or
/// a ring of rods held in the middle of the first one.
fn written(rods: usize, is_ring: bool) -> String {
    let (length, mass) = if is_ring { (0.1, 0.1) } else { (1.0 / rods as f64, 1.0 / rods as f64) };
    let half = 0.5 * length;
    let radius = half / (std::f64::consts::PI / rods as f64).tan();
    let place = if is_ring {
        format!(
            "position: ['{radius}*cos(2*pi*{{i}}/{rods})', '{radius}*sin(2*pi*{{i}}/{rods})'], \
             angle: '2*pi*{{i}}/{rods} + pi/2', "
        )
    } else {
        String::new()
    };
    let first = if is_ring {
        format!(
            "closing: {{ revolute: {{ between: [rod_{rods}.end, rod_1.start] }} }}, \
             hook: {{ revolute: {{ between: [ground.hook, rod_1] }} }}"
        )
    } else {
        "hook: { revolute: { between: [ground, rod_1.start] } }".to_owned()
    };
    let (sin, cos) = (2.0 * std::f64::consts::PI / rods as f64).sin_cos();
    format!(
        "mechanism: {{ gravity: [0, -9.81], ground: {{ hook: [{}, {}] }}, observe: [rod_1], \
         joints: {{ {first} }}, repeat: [ \
         {{ for: {{ i: {rods} }}, bodies: {{ 'rod_{{i}}': {{ mass: {mass}, {place}\
         shape: {{ rod: {{ length: {length} }} }}, \
         markers: {{ start: [-{half}, 0], end: [{half}, 0] }} }} }} }}, \
         {{ for: {{ i: [2, {rods}] }}, joints: {{ 'pin_{{i}}': {{ \
         revolute: {{ between: ['rod_{{i-1}}.end', 'rod_{{i}}.start'] }} }} }} }} ] }}",
        radius * cos,
        radius * sin,
    )
}

/// Our methods and Exudyn, alternately.
fn pairs(page: &mut Page, python: &str) -> Outcome<()> {
    page.head("work | ours | Exudyn | iterations per step | Exudyn's | ratio | bar | ");
    let crank = "slider-crank: { crank-mass: 1, crank-length: 1, rod-mass: 1, rod-length: 2, stiffness: 0, damping: 0, \
                 crank-angle: 1.0 }";
    let (chain, ring) = (written(1000, false), written(200, true));
    let all: [Pair<'_>; 10] = [
        ("chain 32", "rod-chain: { rods: 32 }", "generalized-alpha", 0.5, false),
        ("chain 128", "rod-chain: { rods: 128 }", "generalized-alpha", 0.5, false),
        ("chain 32", "rod-chain: { rods: 32 }", "hht-i3", 0.5, false),
        ("chain 128", "rod-chain: { rods: 128 }", "hht-i3", 0.5, false),
        ("chain 2", "rod-chain: { rods: 2, length: 2.0, mass: 2.0 }", "generalized-alpha", 0.25, true),
        ("chain 2", "rod-chain: { rods: 2, length: 2.0, mass: 2.0 }", "hht-add: { linear-algebra: shared }", 0.6, true),
        ("slider-crank", crank, "generalized-alpha", 0.25, true),
        ("slider-crank", crank, "hht-add: { linear-algebra: shared }", 0.6, true),
        ("chain 1000", &chain, "generalized-alpha", 0.7, true),
        ("ring 200", &ring, "generalized-alpha", 0.7, true),
    ];
    for (peer, kind, name, bar, of_steps) in all {
        let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
        let (mut made, mut peer_made) = (0.0, 0.0);
        for _ in 0..3 {
            let is_small = matches!(peer, "chain 2" | "slider-crank");
            let span = if is_small { [0.0, 1.0] } else { [0.0, 0.05] };
            let settings = Settings::fixed(if is_small { 1e-3 } else { 5e-4 });
            let (micros, iterations) = step(kind, name, span, settings)?;
            let (peer_micros, peer_iterations) = exudyn(python, peer)?;
            (made, peer_made) = (iterations, peer_iterations);
            ours = ours.min(if of_steps { micros } else { micros / iterations });
            theirs = theirs.min(if of_steps { peer_micros } else { peer_micros / peer_iterations });
        }
        let what = if of_steps { "a step" } else { "an iteration" };
        let what = if kind.starts_with("mechanism") { format!("from a file, {what}") } else { what.to_owned() };
        let cells = format!("{peer}, `{name}`, {what}, µs | {ours:.2} | {theirs:.2} | {made:.1} | {peer_made:.1}");
        page.judged(&cells, ours / theirs, bar);
    }
    Ok(())
}

/// A chain of hinges in space, as `examples/peers/cpp/articulated.cpp` has it.
fn hinges(count: usize) -> String {
    let (mut bodies, mut joints) = (String::new(), String::new());
    for i in 0..count {
        let to = if i == 0 { "ground".to_owned() } else { format!("rod_{}.b", i - 1) };
        let axis = if i % 2 == 0 { "[0, 1, 0]" } else { "[0, 0, 1]" };
        bodies += &format!(
            "rod_{i}: {{ mass: 1, inertia: [0.01, 0.1, 0.1], position: [{}, 0, 0], \
             markers: {{ a: [-0.5, 0, 0], b: [0.5, 0, 0] }} }}, ",
            i as f64 + 0.5
        );
        joints += &format!("hinge_{i}: {{ revolute: {{ between: [{to}, rod_{i}.a], axis: {axis} }} }}, ");
    }
    format!(
        "mechanism: {{ motion: spatial, formulation: minimal, gravity: [0, 0, -9.81], observe: [rod_0], \
         bodies: {{ {bodies} }}, joints: {{ {joints} }} }}"
    )
}

/// Right-hand sides in joint coordinates, and Pinocchio's.
fn articulated(page: &mut Page, peer: &str) -> Outcome<()> {
    page.head("hinges in space | ours, ns | Pinocchio, ns | difference of accelerations | ratio | bar | ");
    for count in [6, 24, 100] {
        let output = String::from_utf8(Command::new(peer).arg(count.to_string()).output()?.stdout)?;
        let mut numbers = output.split_whitespace().map(str::parse::<f64>);
        let (Some(Ok(theirs)), Some(Ok(expected))) = (numbers.next(), numbers.next()) else {
            return Err(format!("{peer} {count}: {output}").into());
        };
        let model = model(&hinges(count))?;
        let mut ode = Formulated::<f64>::ode(&*model);
        let mut y: Vec<f64> = (0..count).map(|i| (1.0 + i as f64).sin()).collect();
        y.extend((0..count).map(|i| (2.0 * i as f64).cos()));
        let (mut rates, mut fastest) = (y.clone(), f64::INFINITY);
        let calls = 200_000 / count;
        for _ in 0..30 {
            let begin = Instant::now();
            for _ in 0..calls {
                ode.rhs(0.0, black_box(&y), &mut rates)?;
            }
            fastest = fastest.min(1e9 * begin.elapsed().as_secs_f64() / calls as f64);
        }
        let difference = (rates[2 * count - 1] / expected - 1.0).abs();
        page.judged(&format!("{count} | {fastest:.0} | {theirs:.0} | {difference:.0e}"), fastest / theirs, 0.5);
    }
    Ok(())
}

/// Steps of a chain in joint coordinates and in those of its bodies, alternately.
fn coordinates(page: &mut Page) -> Outcome<()> {
    page.head("rods in the plane | joint coordinates, a step, µs | absolute | ratio | bar | ");
    for count in [100, 400] {
        for name in ["lms2", "esdirk436l2sa2", "hht-i3", "generalized-alpha", "half-implicit-euler"] {
            let absolute = written(count, false);
            let joints = absolute.replacen('{', "{ formulation: minimal,", 1);
            let mut fastest = [f64::INFINITY; 2];
            for _ in 0..3 {
                for (micros, kind) in fastest.iter_mut().zip([&joints, &absolute]) {
                    *micros = micros.min(step(kind, name, [0.0, 0.02], Settings::fixed(5e-4))?.0);
                }
            }
            let [ours, other] = fastest;
            page.judged(&format!("{count}, `{name}` | {ours:.0} | {other:.0}"), ours / other, 2.0);
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let mut page = Page(String::new());
    page.line("# Performance\n");
    page.line("Costs of steps, compared with bars (upper limits) that were set in advance. Times are the");
    page.line("fastest of five solves, without set-up.");
    page.line(&format!("\nMade by `make performance` on {}.\n", machine()));
    page.line("## Single steps and iterations\n");
    page.line("The bars of the jar are 0.45 of the times of LAMMPS (2025.7.22) for the same packing on the same");
    page.line("kind of machine. Those of the shaft are 0.7 and 0.4 of the time of an iteration before matrices");
    page.line("were assembled by node. By samples of `perf`, an iteration of the shaft with a full matrix");
    page.line("spends two fifths of its time on the factors of the banded matrix, one fifth on the stiffness of");
    page.line("the elements, and the rest on residual, solution and rotations. Keeping the matrix saves the");
    page.line("first two.\n");
    single(&mut page)?;
    page.line("\n## Joint and absolute coordinates\n");
    page.line("Trees are solved joint by joint in joint coordinates, and with sparse matrices in absolute ones.\n");
    coordinates(&mut page)?;
    page.line("\n## Comparison with Exudyn\n");
    match std::env::var("MBSBENCH_EXUDYN") {
        Ok(python) => {
            page.line(
                "Exudyn's generalized-α method has the same damping, full Newton iterations, and sparse matrices",
            );
            page.line("for long chains.\n");
            pairs(&mut page, &python)?;
        }
        Err(_) => page.line("Not measured: `MBSBENCH_EXUDYN` does not name a Python with Exudyn."),
    }
    page.line("\n## Comparison with Pinocchio\n");
    match std::env::var("MBSBENCH_PINOCCHIO") {
        Ok(program) => {
            page.line("Right-hand sides of a chain in joint coordinates by the articulated-body algorithm; the");
            page.line(
                "faster of Pinocchio's two conventions, compiled for AVX2. By samples of `perf`, the recursion takes",
            );
            page.line("two fifths of our time, placing the bodies one fifth, and sines, rotated inertias and copies a");
            page.line("tenth each. Adding six numbers at once in the recursion gained nothing.\n");
            articulated(&mut page, &program)?;
        }
        Err(_) => page.line("Not measured: `MBSBENCH_PINOCCHIO` does not name a program."),
    }
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, page.0)?;
    }
    Ok(())
}
