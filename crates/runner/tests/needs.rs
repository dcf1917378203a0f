//! The program's prediction of the memory of a run compared with the actual use, and the memory that `check` uses.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use mbsbench::Registry;
use mbsbench::memory::of_run;
use mbsbench::plan::Plan;
use wait4::{ResourceUsage, Wait4};

/// Held while the program runs, because the memory of this process counts as used by its children.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs the program in a folder; returns its resource usage, whether it succeeded, and its output.
fn taken(folder: &Path, arguments: &[&str]) -> (ResourceUsage, bool, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let ended = child.wait4().unwrap();
    (ended.rusage, ended.status.success(), said)
}

/// A model with a method and its step control. If the actual use is above 300 MB, the prediction must be within a
/// factor of two.
const RUNS: [(&str, &str, &str); 7] = [
    ("{ bouncing-balls: { count: 2000 } }", "ode15s", "tolerance: 1e-6"),
    ("{ bouncing-balls: { count: 1500 } }", "radau5", "step: 1e-3"),
    ("{ bouncing-balls: { count: 2500 } }", "radau5", "step: 1e-3"),
    ("{ rod-chain: { rods: 500 } }", "{ hht-i3: {} }", "step: 1e-3\nDENSE"),
    ("{ rod-chain: { rods: 30000 } }", "generalized-alpha", "step: 1e-3"),
    ("{ four-bar-windows: { windows: 15000 } }", "dopri5", "step: 1e-3"),
    ("{ marble-jar: { count: 4000, jar-radius: 1000 } }", "rk3", "step: 1e-3"),
];

#[test]
fn memory_of_large_runs_is_known_within_a_factor_of_two() {
    let _alone = ALONE.lock();
    for (model, method, control) in RUNS {
        let matrices = if control.contains("DENSE") { ", matrices: dense" } else { "" };
        let control = control.replace("\nDENSE", "");
        let text = format!(
            "id: large/run\nmodel: {model}\nspan: [0.0, 1e-3]\nmethod: {method}\n\
             {control}\nsettings: {{ max_steps: 1{matrices} }}\n\
             measures: [steps_accepted]\n"
        );
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.yaml"), &text).unwrap();
        let plan = Plan::read(Path::new("run.yaml"), text.as_bytes(), &Registry::builtin(), false).unwrap();
        let predicted = of_run(&plan.runs[0]) as f64;
        let (usage, _, said) = taken(folder.path(), &["run", "run.yaml", "--jobs", "1"]);
        let measured = usage.maxrss as f64;
        eprintln!("{model} {method}: {:.0} MB predicted, {:.0} MB measured; {said}", predicted / 1e6, measured / 1e6);
        assert!(measured > 3e8, "{model} {method}: {measured} bytes is too small for a large run");
        assert!((0.5..2.0).contains(&(predicted / measured)), "{model} {method}: {predicted} for {measured} bytes");
    }
}

const HEAD: &str = "id: large/file\nspan: [0.0, 1.0]\nmeasures: [steps_accepted]\n";

/// Passes files that need as much of `check` as is allowed to `put`, one after the other.
fn files(put: &mut dyn FnMut(String)) {
    let numbers = |count: usize, from: f64, by: f64| {
        (0..count).map(|k| format!("{:e}", from + by * k as f64)).collect::<Vec<_>>().join(", ")
    };
    let one = |model: &str, method: &str| format!("{HEAD}model: {model}\nmethod: {method}\nstep: 1e-3\n");
    let simple = one("pendulum", "rk3");
    let many = |what: &str, of: &dyn Fn(usize) -> String| {
        format!("{simple}{what}:\n{}", (0..12_000).map(of).collect::<Vec<_>>().concat())
    };
    put(one("{ rod-chain: { rods: 30000 } }", "hht-i3"));
    put(one("{ four-bar-windows: { windows: 15000 } }", "radau5"));
    put(one("{ marble-jar: { count: 4000, jar-radius: 1e6 } }", "dode"));
    put(one("{ marble-jar: { count: 1000000, jar-radius: 1e6, candidates: near } }", "rk3"));
    put(one("{ lateral-buckling: { elements: 400, link-elements: 400, crank-elements: 400 } }", "lms2"));
    put(format!(
        "{HEAD}model: pendulum\nmatrix: {{ method: [rk3, rk5, rk8], step: [{}], model.mass: [{}] }}\n",
        numbers(99, 1e-3, 1e-6),
        numbers(1000, 1.0, 1e-3)
    ));
    put(format!("{simple}title: {}\n", "x".repeat(3_900_000)));
    put("\n".repeat(3_900_000) + &simple);
    put(format!("a: {}", "[".repeat(3_900_000)));
    put(many("tables", &|k| format!("  - {{ id: t{k}, rows: method, columns: step, value: steps_accepted }}\n")));
    put(many("plots", &|k| format!("  - {{ id: P{k}, x: t, y: q }}\n")));
    put(format!(
        "{HEAD}model: pendulum\nmethod: rk3\nstep: 1e-3\nmatrix: {{ model.length: [{}], model.mass: [{}] }}\n",
        numbers(40, 1e-2, 1e-3),
        numbers(999, 1.0, 1e-3)
    ));
    let mechanism = |parts: &str| one(&format!("{{ mechanism: {{ {parts}, gravity: [0, -9.81] }} }}"), "rk4");
    let rod = "bodies: { rod: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.5, 0] } } }";
    let motor = |law: &str| {
        mechanism(&format!("{rod}, forces: {{ drive: {{ motor: {{ between: [ground, rod], torque: '{law}' }} }} }}"))
    };
    for law in ["-".repeat(3990), "1+".repeat(1990), "1+".repeat(1_900_000)] {
        put(motor(&(law + "1")));
    }
    let repeated = |times: usize, parts: &str| format!("{{ for: {{ i: {times} }}, {parts} }}");
    let repeats = |blocks: &[String]| mechanism(&format!("{rod}, repeat: [{}]", blocks.join(", ")));
    let ball = "bodies: { 'ball{i}': { mass: 1, inertia: [1] } }";
    let again = "joints: { 'again{i}': { revolute: { between: [ground, rod.a] } } }";
    let torque = "forces: { 'torque{i}': { torque: { on: rod, torque: [1] } } }";
    let link =
        "bodies: { 'link{i}': { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.5, 0] } } }";
    let chained = "joints: { 'pin{i}': { revolute: { between: ['link{i}.a', 'link{i-1}.b'] } } }";
    for times in [6000, 10_000, 12_000, 14_000, 16_000, 100_000] {
        let named = |k: usize| repeated(times, &torque.replace("torque{", &format!("torque{k}_{{")));
        put(repeats(&[repeated(times, ball)]));
        put(repeats(&[0, 1, 2, 3].map(named)));
    }
    put(repeats(&vec![repeated(100_000, ball); 10]));
    put(repeats(&vec![repeated(100_000, "bodies: {}"); 50_000]));
    for links in [5000, 6000, 7000] {
        put(repeats(&[repeated(links, link), format!("{{ for: {{ i: [2, {links}] }}, {chained} }}")]));
    }
    let chain = |links: usize| [repeated(links, link), format!("{{ for: {{ i: [2, {links}] }}, {chained} }}")];
    for times in [2, 90, 400, 10_000] {
        put(repeats(&[repeated(times, again)]));
        put(repeats(&[repeated(times, again), repeated(6000, ball)]));
        put(repeats(&[vec![repeated(times, again)], chain(6000).to_vec()].concat()));
    }
    // a loop of 6000 links, and a joint that is defined twice
    let closed = "joints: { 'closing{i}': { revolute: { between: [ground, 'link1.a'] } } }";
    put(repeats(&[chain(6000).to_vec(), vec![repeated(2, closed)]].concat()));
    put(repeats(&[chain(3000).to_vec(), vec![repeated(2, closed), repeated(20, again)]].concat()));
    let ring = "bodies: { 'crank{i}': { mass: 1, shape: { rod: { length: 1 } }, position: [0.5, 0], \
                                        markers: { a: [-0.5, 0], b: [0.5, 0] } } }, \
                joints: { 'foot{i}': { revolute: { between: [ground, 'crank{i}.a'] } }, \
                          'head{i}': { distance: { between: [ground, 'crank{i}.b'] } } }";
    for times in [100, 1000, 4000] {
        put(repeats(&[repeated(times, ring)]));
    }
    let balls: Vec<String> = (0..110_000).map(|k| format!("b{k}: {{mass: 1, inertia: [1]}}")).collect();
    put(mechanism(&format!("bodies: {{{}}}", balls.join(", "))));
    let axes: Vec<String> = (0..15).map(|k| format!("model.x{k}: [1, 2]")).collect();
    put(format!("{HEAD}model: pendulum\nmethod: rk3\nstep: 1e-3\nmatrix: {{ {} }}\n", axes.join(", ")));
}

/// Passes files of robots that are demanding for the parser, for the tree of links, or for the compiled mechanism to
/// `put`.
fn robots(put: &mut dyn FnMut(String)) {
    let many = |each: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for part in (0..).map(each) {
            if text.len() + part.len() > 3_900_000 {
                break;
            }
            text.push_str(&part);
        }
        text
    };
    let mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    let arm = format!(
        "<link name='base'/><link name='arm'>{mass}</link>\
         <joint name='j' type='revolute'><parent link='base'/><child link='arm'/></joint>"
    );
    let link = |k: usize, kind: &str, parent: usize, inside: &str| {
        format!(
            "<link name='l{k}'>{inside}</link><joint name='j{k}' type='{kind}'>\
             <parent link='l{parent}'/><child link='l{k}'/></joint>"
        )
    };
    let mut put = |inside: String| put(format!("<robot name='r'>{arm}{inside}</robot>"));
    put(many(&|k| format!("<g a{k}=''/>")));
    put(format!("<g {}/>", many(&|k| format!("a{k}='' "))));
    put(many(&|_| format!("<g {}/>", (0..250).map(|k| format!("a{k}='' ")).collect::<String>())));
    put(many(&|_| "<g/>".to_owned()));
    put(many(&|k| format!("<g{k}/>")));
    put(many(&|k| format!("<g xmlns:a{k}='u{k}'/>")));
    put(format!(
        "<g {}>{}</g>",
        (0..190).map(|k| format!("xmlns:a{k}='u{k}' ")).collect::<String>(),
        many(&|_| "<a189:b/>".to_owned())
    ));
    put("<g>".repeat(500_000) + &"</g>".repeat(500_000));
    put("<g>".repeat(190_000) + &"</g>".repeat(190_000));
    put("<".repeat(3_900_000));
    put("<!--".repeat(970_000));
    put(format!("<g a='{}'/>", "&lt;".repeat(970_000)));
    put(format!("<link name='{}'/>", "肩".repeat(1_200_000)));
    put(format!("<joint name='k' type='fixed'><parent link='arm'/><child link='{}'/></joint>", "x".repeat(3_900_000)));
    put(many(&|k| format!("<link name='{}'/>", format!("{k:022b}").replace('0', "-").replace('1', "."))));
    put(many(&|k| link(k, "fixed", k.saturating_sub(1), "")).replacen(
        "<parent link='l0'/>",
        "<parent link='arm'/>",
        1,
    ));
    put(many(&|k| link(k, "fixed", 0, "")).replacen("<parent link='l0'/>", "<parent link='arm'/>", 1));
    put(many(&|k| link(k, "continuous", k.saturating_sub(1), mass)).replacen(
        "<parent link='l0'/>",
        "<parent link='arm'/>",
        1,
    ));
    put(many(&|k| link(k, "continuous", 0, mass)).replacen("<parent link='l0'/>", "<parent link='arm'/>", 1));
    put((0..999).map(|k| link(k, "continuous", k.saturating_sub(1), mass)).collect::<String>().replacen(
        "<parent link='l0'/>",
        "<parent link='arm'/>",
        1,
    ));
}

#[test]
fn check_of_robots_takes_two_seconds_and_210_mb_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = 0;
    let _alone = ALONE.lock();
    robots(&mut |text| {
        assert!(text.len() < 4_000_000);
        fs::write(folder.path().join(format!("{files}.urdf")), text).unwrap();
        files += 1;
    });
    for formulation in ["acceleration-level", "minimal"] {
        let run = format!(
            "{HEAD}model: {{ mechanism: {{ file: r.urdf, formulation: {formulation} }} }}\nmethod: rk4\nstep: 1e-3\n"
        );
        fs::write(folder.path().join("file.yaml"), run).unwrap();
        for number in 0..files {
            let file = folder.path().join(format!("{number}.urdf"));
            fs::copy(&file, folder.path().join("r.urdf")).unwrap();
            let (usage, _, said) = taken(folder.path(), &["check", "file.yaml"]);
            let seconds = usage.utime + usage.stime;
            let mut what = String::new();
            fs::File::open(file).unwrap().take(600).read_to_string(&mut what).unwrap_or_default();
            let told: String = said.lines().take(2).flat_map(|line| line.chars().take(160)).collect();
            eprintln!("{number}: {:.0} MB, {seconds:?}, {} bytes said: {told}", usage.maxrss as f64 / 1e6, said.len());
            assert!(said.len() < 100_000, "{} bytes said: {what}", said.len());
            assert!(usage.maxrss < 210_000_000, "{} bytes: {what}", usage.maxrss);
            assert!(seconds.as_secs_f64() < 2.0, "{seconds:?}: {what}");
        }
    }
}

#[test]
fn check_takes_two_seconds_and_210_mb_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let _alone = ALONE.lock();
    let mut number = 0;
    files(&mut |text| {
        assert!(text.len() < 4_000_000);
        fs::write(folder.path().join("file.yaml"), &text).unwrap();
        let what = text[..text.len().min(300)].to_owned();
        drop(text);
        let (usage, _, said) = taken(folder.path(), &["check", "file.yaml"]);
        let seconds = usage.utime + usage.stime;
        let first: String = said.lines().next().unwrap_or_default().chars().take(200).collect();
        eprintln!("{number}: {:.0} MB, {seconds:?}, {} bytes said: {first}", usage.maxrss as f64 / 1e6, said.len());
        assert!(usage.maxrss < 210_000_000, "{} bytes: {what}", usage.maxrss);
        assert!(seconds.as_secs_f64() < 2.0, "{seconds:?}: {what}");
        number += 1;
    });
}
