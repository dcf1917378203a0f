//! Animations, from the file to the motion: numbers in an SVG against exact motions, bitmaps that can be decoded,
//! overlaid runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mbsbench::plan::Plan;
use mbsbench_problem::ModelDefinition;
use roxmltree::{Document, Node};
use serde_json::Value;
use tempfile::TempDir;

/// A pendulum with one method whose error is far too small to be visible, and one with a visible error.
const EXPERIMENT: &str = "\
id: films/pendulum
title: Two pendulums
model: { pendulum: { angle: 60.0 } }
span: [0.0, 3.0]
step: 0.25
cases:
  - { case: good, method: rk8, step: 0.01 }
  - { case: bad, method: rk3 }
measures: [steps_accepted]
";

/// The motion of that pendulum, a rod of 1 m with an initial angular velocity of 1 rad/s: returns angle and angular
/// velocity at time `t`, from 10 000 steps of the leapfrog formula.
fn swing(t: f64) -> [f64; 2] {
    let h = t / 1e4;
    (0..10_000).fold([60.0_f64.to_radians(), 1.0], |[theta, omega], _| {
        let half = omega - 0.5 * h * 1.5 * 9.81 * theta.sin();
        let theta = theta + h * half;
        [theta, half - 0.5 * h * 1.5 * 9.81 * theta.sin()]
    })
}

struct Place(TempDir);

impl Place {
    fn with(further: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("film.yaml"), format!("{EXPERIMENT}{further}")).unwrap();
        Self(folder)
    }

    fn mbsbench(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mbsbench")).args(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Returns a file that a command wrote.
    fn made(&self, arguments: &[&str], file: &str) -> Vec<u8> {
        let output = self.mbsbench(arguments);
        // Failed runs are results.
        assert!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(self.0.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn svg(&self, name: &str) -> String {
        String::from_utf8(self.made(&["run", "film.yaml"], &format!("results/films/pendulum/{name}.svg"))).unwrap()
    }
}

/// The data that the script of an animation uses.
fn film(svg: &str) -> Value {
    let (_, rest) = svg.split_once("const film = ").unwrap();
    serde_json::from_str(rest.split_once(";\n").unwrap().0).unwrap()
}

/// Decodes a row of numbers, which is written as differences.
fn row(text: &Value, count: usize) -> Vec<f64> {
    let text = text.as_str().unwrap().replace('-', " -");
    let steps: Vec<f64> = text.split_whitespace().map(|step| step.parse().unwrap()).collect();
    let mut sum = 0.0;
    (0..count)
        .map(|k| {
            sum += steps.get(k).copied().unwrap_or(0.0);
            sum
        })
        .collect()
}

/// Corners of a path of one piece, in tenths of a pixel.
fn corners(data: &str) -> Vec<[f64; 2]> {
    let text = data.trim_start_matches('m').trim_end_matches('z').replace('-', " -");
    let numbers: Vec<f64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let mut here = [0.0; 2];
    numbers
        .chunks(2)
        .map(|step| {
            here = [here[0] + step[0], here[1] + step[1]];
            here
        })
        .collect()
}

fn attributed<'n>(svg: &'n Document<'_>, key: &str, value: &str) -> Vec<Node<'n, 'n>> {
    svg.descendants().filter(|node| node.attribute(key) == Some(value)).collect()
}

/// Converts tenths of pixels to metres.
fn metres(svg: &Document<'_>) -> impl Fn([f64; 2]) -> [f64; 2] + use<> {
    let frame = attributed(svg, "class", "frame")[0];
    let number = |key: &str| frame.attribute(key).unwrap().parse::<f64>().unwrap();
    let range = |key: &str| -> Vec<f64> {
        frame.attribute(key).unwrap().split(' ').take(2).map(|end| end.parse().unwrap()).collect()
    };
    let (left, top, width, height) = (number("x"), number("y"), number("width"), number("height"));
    let (x, y) = (range("data-x"), range("data-y"));
    move |[px, py]| [x[0] + (px - left) / width * (x[1] - x[0]), y[1] - (py - top) / height * (y[1] - y[0])]
}

/// In every frame, every corner of the rod is on the outline given by the exact motion.
#[test]
fn frames_are_the_positions_at_their_times() {
    let place = Place::with("animations: [{ id: swing, frames: 31, still: 1.0, where: { case: good } }]\n");
    let text = place.svg("swing");
    let svg = Document::parse(&text).unwrap();
    let film = film(&text);
    assert_eq!((film["count"].as_u64(), film["still"].as_u64()), (Some(31), Some(10)));
    assert!((film["speed"].as_f64().unwrap() - 0.3).abs() < 1e-12, "three seconds in ten");
    let [group] = attributed(&svg, "data-series", "rod")[..] else { panic!("one rod") };
    let track = &film["moving"][group.attribute("data-moving").unwrap().parse::<usize>().unwrap()];
    let path = group.descendants().find_map(|node| node.attribute("d")).unwrap();
    let (still, to_metres) = (corners(path), metres(&svg));
    let pose: Vec<Vec<f64>> = (0..3).map(|k| row(&track["pose"][k], 31)).collect();
    let about = [0, 1].map(|k| track["about"][k].as_f64().unwrap());
    let pixel = to_metres([10.0, 0.0])[0] - to_metres([0.0, 0.0])[0];
    let model = mbsbench_models::compound_pendulum::Pendulum::default().model();
    let mut farthest = 0.0_f64;
    let mut moved = 0.0_f64;
    for k in 0..31 {
        let view = &model.views(&swing(k as f64 * 0.1))[0];
        let (_, rod) = view.parts.iter().find(|(part, _)| *part == "rod").unwrap();
        let outline = rod.points(720);
        let (sin, cos) = (pose[2][k] / 100.0).to_radians().sin_cos();
        for corner in &still {
            let [x, y] = [corner[0] - about[0], corner[1] - about[1]];
            let seen = to_metres([pose[0][k] + x * cos - y * sin, pose[1][k] + x * sin + y * cos]);
            let distance = |pair: &[[f64; 2]]| distance_to_segment(seen, pair[0], pair[1]);
            farthest = farthest.max(outline.windows(2).map(distance).fold(f64::INFINITY, f64::min));
        }
        moved = moved.max((pose[0][k] - pose[0][0]).abs());
    }
    assert!(farthest < 0.35 * pixel, "{} px", farthest / pixel);
    assert!(moved > 1000.0, "it swings by {moved} tenths of a pixel");
    let said: String = attributed(&svg, "data-time", "")[0].descendants().filter_map(|node| node.text()).collect();
    assert!(text.contains("<title id=\"swing-title\">") && said.contains("1.00"), "{said}");
    assert!(text.len() < 16_000, "{} bytes", text.len());
}

fn distance_to_segment(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let (along, off) = ([to[0] - from[0], to[1] - from[1]], [point[0] - from[0], point[1] - from[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 { ((off[0] * along[0] + off[1] * along[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (off[0] - share * along[0]).hypot(off[1] - share * along[1])
}

#[test]
fn overlaid_runs_are_named() {
    let place = Place::with("animations: [{ id: swing, frames: 40 }]\n");
    let text = place.svg("swing");
    let svg = Document::parse(&text).unwrap();
    let moving = film(&text)["moving"].clone();
    let ends: Vec<Vec<f64>> = ["rk8", "rk3"]
        .iter()
        .map(|label| {
            assert_eq!(attributed(&svg, "data-legend", label).len(), 2, "sample and name of {label}");
            let all: Vec<usize> = moving
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .filter(|(_, track)| track["pose"].is_array())
                .map(|(k, _)| k)
                .collect();
            all.iter().map(|&k| row(&moving[k]["pose"][2], 40)[39]).collect()
        })
        .collect();
    // Both rods turn, and end in different positions.
    assert_eq!(ends[0].len(), 2);
    assert!((ends[0][0] - ends[0][1]).abs() > 100.0, "{ends:?}");
    let inks: Vec<_> = svg
        .descendants()
        .filter(|node| node.has_attribute("data-moving"))
        .map(|node| node.attribute("class"))
        .collect();
    assert_eq!(inks.len(), 2);
}

/// A run is not shown after its end.
#[test]
fn ended_runs_disappear() {
    let place = Place::with(
        "settings: { max_steps: 100 }\nanimations: [{ id: swing, frames: 31, where: { case: [bad, good] } }]\n",
    );
    let text = place.svg("swing");
    let there: Vec<u64> =
        film(&text)["moving"].as_array().unwrap().iter().filter_map(|track| track["there"].as_u64()).collect();
    assert!(there.contains(&31) && there.contains(&11), "{there:?}");
    assert!(text.contains("data-legend=\"rk8, to 1 s\""), "{text}");
}

#[test]
fn bitmaps_decode_with_their_frames_and_delays() {
    let place = Place::with("animations: [{ id: swing, frames: 7, speed: 1.5, where: { case: good } }]\n");
    let bytes = place.made(&["render", "film.yaml", "--to", "gif"], "target/animations/films/pendulum/swing.gif");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes.as_slice()).unwrap();
    let (mut delays, mut colours) = (Vec::new(), 0);
    assert_eq!(decoder.width(), 640);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
        colours += frame.buffer.chunks(4).filter(|pixel| **pixel != [255; 4]).count();
    }
    // A frame covers 0.5 s of the model, and a second of the animation covers 1.5 s: each frame takes a third of a
    // second, in hundredths.
    assert_eq!(delays, [33, 34, 33, 33, 34, 33, 33]);
    assert!(colours > 2000, "{colours} pixels are not white");

    let arguments = ["render", "film.yaml", "--to", "apng", "--out", "slides"];
    let bytes = place.made(&arguments, "slides/films/pendulum/swing.png");
    let mut reader = png::Decoder::new(bytes.as_slice()).read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (7, 0));
    let mut pixels = vec![0; reader.output_buffer_size()];
    for k in 0..7 {
        let info = reader.next_frame(&mut pixels).unwrap();
        let frame = reader.info().frame_control().unwrap();
        let delay = f64::from(frame.delay_num) / f64::from(frame.delay_den);
        assert!((delay - 1.0 / 3.0).abs() < 1e-3, "{delay}");
        assert!(k == 0 || info.width < 640, "only what changes is written");
    }
}

#[test]
fn mechanisms_are_animated_by_default_equations_are_not() {
    let place = Place::with("");
    let bytes = place.made(
        &["render", "film.yaml", "--to", "svg", "--frames", "5", "--method", "rk3,rk8"],
        "results/films/pendulum/pendulum.svg",
    );
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(film(&text)["count"], 5);
    assert!(text.contains("data-legend=\"rk8\"") && text.contains("data-legend=\"rk3\""));

    for (arguments, said) in [
        (vec!["--method", "rk9"], "unknown method `rk9` of the file"),
        (vec!["--view", "plan"], "did you mean `plane`"),
        (vec!["--frames", "1"], "1 is not in 2..=1000"),
    ] {
        let output = place.mbsbench(&[vec!["render", "film.yaml", "--to", "gif"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(said), "{error}");
    }
    let equations = EXPERIMENT.replace("{ pendulum: { angle: 60.0 } }", "linear-oscillator");
    fs::write(place.0.path().join("film.yaml"), equations).unwrap();
    let output = place.mbsbench(&["render", "film.yaml", "--to", "gif"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("`linear-oscillator` cannot be drawn"), "{error}");
}

/// Every model with bodies or points has a picture at its start, with finite coordinates.
#[test]
fn models_with_bodies_have_a_picture() {
    let registry = mbsbench::Registry::builtin();
    let without = [
        "diode-branches",
        "damped-cosine-threshold",
        "driven-relaxation",
        "linear-oscillator",
        "linear-test",
        "oscillation-in-time",
        "rectified-sine",
        "thermostat",
    ];
    let mut seen = 0;
    for entry in registry.models() {
        let name = entry.name;
        let plan = |how: &str| {
            let text = format!("id: films/model\nmodel: {name}\nspan: [0.0, 1.0]\n{how}\nmeasures: [steps_accepted]\n");
            Plan::read(Path::new("film.yaml"), text.as_bytes(), &registry, false).ok()
        };
        let how = [
            "method: rk4\nstep: 0.1",
            "method: rk4\nstep: 0.1\nsettings: { events: ignored }",
            "method: radau5\ntolerance: 1e-5",
            "method: { lms2: { rho-inf: 0.0 } }\nstep: 0.1",
        ];
        let Some(plan) = how.into_iter().find_map(plan) else {
            assert!(["mechanism", "equations"].contains(&name), "{name}: models of files are completed there");
            continue;
        };
        let views = plan.runs[0].views();
        assert_eq!(views.is_empty(), without.contains(&name), "{name}");
        for view in &views {
            let points: Vec<[f64; 2]> = view.parts.iter().flat_map(|(_, shape)| shape.points(12)).collect();
            assert!(points.len() > 2 && points.as_flattened().iter().all(|x| x.is_finite()), "{name}: {}", view.name);
        }
        seen += views.len();
    }
    assert!(seen > 20, "{seen}");
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

/// Each animation of the papers exists, is small, and is well-formed.
#[test]
fn committed_animations_are_small() {
    let mut found = 0;
    for entry in walkdir::WalkDir::new(committed()).into_iter().map(Result::unwrap) {
        if entry.path().extension().is_none_or(|end| end != "svg") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        if text.contains("const film = ") {
            found += 1;
            assert!(text.len() < 60_000, "{}: {} bytes", entry.path().display(), text.len());
            Document::parse(&text).unwrap();
        }
    }
    assert!(found >= 8, "{found}");
}
