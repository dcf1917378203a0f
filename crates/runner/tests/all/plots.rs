//! Plots of an experiment file, from the file to the pictures: slopes of convergence, and bars.

use std::fs;
use std::path::Path;
use std::process::Command;

use roxmltree::Document;
use tempfile::TempDir;

const EXPERIMENT: &str = "\
id: plots/pendulum
model: { pendulum: { angle: 35.0 } }
span: [0.0, 2.0]
matrix:
  method: [rk3, rk4, rk8]
  step: [0.04, 0.02, 0.01, 0.005]
measures: [{ error: { of: theta } }, energy_variation, rhs_evaluations]
settings: { max_rhs_evaluations: 5000 }
reference: { method: rk8, step: 2^-8, precision: double-double, \
  check: { method: { gbs: { order: 16 } }, step: 2^-6 }, digits: 15 }
plots:
";

/// The files of a plot called `figure-1`, over the runs of [`EXPERIMENT`].
struct Plot {
    folder: TempDir,
}

impl Plot {
    fn new(keys: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("{EXPERIMENT}  - {{ id: figure-1, {keys} }}\n");
        fs::write(folder.path().join("experiment.yaml"), text).unwrap();
        fs::write(folder.path().join("paper.csv"), "# figure 1\nmethod,evaluations\nrk3,1.2e3\nrk8,\n").unwrap();
        fs::write(folder.path().join("other.csv"), trajectory()).unwrap();
        fs::write(folder.path().join("errors.csv"), "step,rk3,rk4\n0.08,1.5e-3,2e-5\n0.04,2e-4,\n").unwrap();
        let methods = "t [s],rk8 [rad],rk3 [rad]\n0.5,0.5,0.25\n1,-1,0.125\n";
        fs::write(folder.path().join("methods.csv"), methods).unwrap();
        run(&folder);
        Self { folder }
    }

    fn file(&self, ending: &str) -> Vec<u8> {
        let folder = Path::new("results/plots/pendulum");
        fs::read(self.folder.path().join(folder).join(format!("figure-1.{ending}"))).unwrap()
    }

    fn text(&self, ending: &str) -> String {
        String::from_utf8(self.file(ending)).unwrap()
    }

    /// The rows of the data; each gives its cells by heading.
    fn data(&self) -> Vec<impl Fn(&str) -> String + use<>> {
        let text = self.text("csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let row = |row: csv::StringRecord| {
            let heads = heads.clone();
            move |head: &str| row[heads.iter().position(|own| own == head).unwrap()].to_owned()
        };
        rows.into_iter().map(row).collect()
    }
}

/// Possible results of another code for the pendulum of [`EXPERIMENT`]: 181 times to 1.8 s, and an angle in degrees on
/// a straight line.
fn trajectory() -> String {
    let row = |k: u32| format!("{},{}\n", f64::from(k) * 10.0, 35.0 - f64::from(k) / 10.0);
    format!("# another code\nt [ms],theta [deg]\n{}", (0..=180).map(row).collect::<String>())
}

/// Runs `experiment.yaml` in a folder.
fn run(folder: &TempDir) {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder.path())
        .args(["run", "experiment.yaml", "--out", "results", "--cache", "cache"])
        .output()
        .unwrap();
    // Failed runs are results.
    let code = output.status.code();
    assert!(code.is_some_and(|code| code != 2), "{code:?} {}", String::from_utf8_lossy(&output.stderr));
}

fn texts(svg: &Document<'_>) -> Vec<String> {
    let texts = svg.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.descendants().filter_map(|part| part.text().filter(|_| part.is_text())).collect()).collect()
}

fn names(svg: &Document<'_>, attribute: &str) -> Vec<String> {
    let mut names: Vec<String> =
        svg.descendants().filter_map(|node| node.attribute(attribute)).map(str::to_owned).collect();
    names.dedup();
    names
}

#[test]
fn slopes_are_in_the_legend_and_in_the_data() {
    let plot = Plot::new("x: step, y: error(theta), series: method, scale: log-log, slopes: 3");
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    let shown = texts(&svg);
    let slope = |method: &str| {
        let entry = shown.iter().find(|text| text.starts_with(&format!("{method} (slope "))).unwrap();
        entry[method.len() + 8..entry.len() - 1].to_owned()
    };
    for (method, order) in [("rk3", 3.0), ("rk4", 4.0)] {
        let printed = slope(method);
        assert_eq!(printed.len(), 4, "two decimals: {printed}");
        assert!((printed.parse::<f64>().unwrap() - order).abs() < 0.1, "{method}: {printed}");
        let rows = plot.data();
        let own: Vec<String> = rows.iter().filter(|row| row("series") == method).map(|row| row("slope")).collect();
        assert_eq!(format!("{:.2}", own[0].parse::<f64>().unwrap()), printed);
    }
    assert!(shown.iter().any(|text| text == "rk8"), "without slope, since no three points are resolved: {shown:?}");
    assert!(names(&svg, "data-series").contains(&"rk3".to_owned()), "series keep their names");
    let without = Plot::new("x: step, y: error(theta), series: method, scale: log-log");
    assert!(!without.text("csv").contains("slope"));
}

#[test]
fn local_slopes_are_drawn_between_the_steps() {
    let plot = Plot::new("x: step, y: error(theta), series: method, scale: log-x, derive: slope");
    let rows = plot.data();
    let number = |row: &dyn Fn(&str) -> String, head: &str| row(head).parse::<f64>().unwrap();
    let own: Vec<_> = rows.iter().filter(|row| row("series") == "rk4").collect();
    assert_eq!(own.len(), 3, "one fewer than steps");
    for (row, between) in own.iter().zip([[0.005, 0.01], [0.01, 0.02], [0.02, 0.04_f64]]) {
        // The file has the nearest number of six digits exactly.
        let exact: f64 = format!("{:.5e}", (between[0] * between[1]).sqrt()).parse().unwrap();
        assert!((number(row, "x") - exact).abs() < 1e-15);
        assert!((number(row, "y") - 4.0).abs() < 0.2, "{}", row("y"));
    }
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert!(texts(&svg).contains(&"slope of error(theta)".to_owned()), "no unit: {:?}", texts(&svg));
    let frame = svg.descendants().find(|node| node.attribute("class") == Some("frame")).unwrap();
    assert!(frame.attribute("data-x").unwrap().contains(" log "));
    assert!(frame.attribute("data-y").unwrap().contains(" linear slope of error(theta)"));
}

#[test]
fn bars_are_drawn_beside_published_ones() {
    let plot = Plot::new("x: method, y: rhs_evaluations, where: { step: 0.005 }, kind: bars, published: paper.csv");
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert_eq!(names(&svg, "data-legend"), ["published", "measured"]);
    let groups = |series: &str| -> Vec<_> {
        svg.descendants().filter(|node| node.attribute("data-series") == Some(series)).collect()
    };
    let filled = |series: &str| {
        let shapes = groups(series).into_iter().flat_map(|group| group.children());
        shapes.filter(|shape| shape.has_tag_name("rect") && shape.attribute("fill") == Some("currentColor")).count()
    };
    assert_eq!((filled("published"), filled("measured")), (1, 2));
    assert!(groups("measured").iter().any(|group| group.descendants().any(|node| node.has_tag_name("path"))
        || group.descendants().any(|node| node.has_tag_name("polygon") || node.has_tag_name("circle"))));
    let shown = texts(&svg);
    for text in ["rk3", "rk4", "rk8", "failed", "0"] {
        assert!(shown.iter().any(|own| own == text), "{text} in {shown:?}");
    }
    let frame = svg.descendants().find(|node| node.attribute("class") == Some("frame")).unwrap();
    assert!(frame.attribute("data-y").unwrap().starts_with("0 "), "{:?}", frame.attribute("data-y"));
    let rows: Vec<String> =
        plot.data().iter().map(|row| ["series", "published", "x", "y", "failure"].map(row).join(",")).collect();
    assert_eq!(
        rows,
        ["published,true,rk3,1200,", "measured,,rk3,1200,", "measured,,rk4,1600,", "measured,,rk8,,budget-exhausted",]
    );
}

/// `render` makes the files that `run` leaves out, from the cache, and names the file that it cannot write.
#[test]
fn bitmaps_are_drawn_on_demand() {
    let plot = Plot::new("x: step, y: rhs_evaluations, series: method, scale: log-log");
    let render = |arguments: &[&str]| {
        let always = ["render", "experiment.yaml", "--cache", "cache"];
        let mut program = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        let output = program.current_dir(plot.folder.path()).args(always).args(arguments).output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()))
    };
    assert!(!plot.folder.path().join("results/plots/pendulum/figure-1.png").exists());
    let (code, [told, _]) = render(&["--to", "png"]);
    assert_eq!(code, Some(0));
    assert!(told.starts_with("results/plots/pendulum/figure-1.png\n12 runs, 12 from the cache"), "{told}");
    assert!(plot.file("png").starts_with(b"\x89PNG"));
    assert_eq!(render(&["--out", "elsewhere"]).0, Some(0));
    assert_eq!(
        fs::read(plot.folder.path().join("elsewhere/plots/pendulum/figure-1.svg")).unwrap(),
        plot.file("svg"),
        "the same picture as that of `run`"
    );
    let (code, [_, told]) = render(&["--to", "png", "--out", "experiment.yaml"]);
    assert_eq!(code, Some(3));
    assert!(told.contains("experiment.yaml/plots/pendulum/figure-1.png"), "{told}");
}

#[test]
fn bars_are_grouped_by_series_or_column() {
    let grouped = Plot::new("x: step, y: rhs_evaluations, series: method, kind: bars");
    let text = grouped.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert_eq!(names(&svg, "data-legend"), ["rk3", "rk4", "rk8"]);
    let shown = texts(&svg);
    let steps: Vec<&String> = shown.iter().filter(|text| text.starts_with("0.0")).collect();
    assert_eq!(steps, ["0.04", "0.02", "0.01", "0.005"], "in the order of the runs");
    let columns = Plot::new("x: method, y: [energy_variation, error(theta)], where: { step: 0.04 }, kind: bars");
    let text = columns.text("svg");
    assert_eq!(names(&Document::parse(&text).unwrap(), "data-legend"), ["energy_variation", "error(theta)"]);
}

#[test]
fn published_points_are_rings_in_the_colours_of_their_series() {
    let keys = "x: step, y: error(theta), series: method, scale: log-log, published: errors.csv";
    let plot = Plot::new(&format!("{keys}, published_label: authors' code"));
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert_eq!(names(&svg, "data-legend"), ["rk3", "rk4", "rk8", "authors' code"]);
    let groups = |series: &str| -> Vec<_> {
        svg.descendants().filter(|node| node.attribute("data-series") == Some(series)).collect()
    };
    let rings: Vec<_> = groups("authors' code");
    let rings_of = |path: &str| path.matches('z').count();
    let count = |group: &roxmltree::Node<'_, '_>| {
        group.children().filter_map(|shape| shape.attribute("d")).map(rings_of).sum::<usize>()
    };
    assert_eq!(rings.iter().map(count).sum::<usize>(), 3);
    for (ring, own) in rings.iter().zip(["rk3", "rk4"]) {
        assert_eq!(ring.attribute("color"), groups(own)[0].attribute("color"));
    }
    let published: Vec<String> = plot
        .data()
        .iter()
        .filter(|row| row("published") == "true")
        .map(|row| ["series", "x", "y"].map(row).join(" "))
        .collect();
    assert_eq!(
        published,
        ["rk3, authors' code 0.08 0.0015", "rk3, authors' code 0.04 0.0002", "rk4, authors' code 0.08 2e-5"]
    );
}

#[test]
fn a_trajectory_of_another_code_is_overlaid() {
    let keys =
        "x: t, y: theta, where: { method: rk8, step: 0.005 }, published: other.csv, published_label: another code";
    let plot = Plot::new(&format!("{keys}, y_unit: deg, x_range: [0, 1.2]"));
    let rings: Vec<[f64; 2]> = plot
        .data()
        .iter()
        .filter(|row| row("published") == "true")
        .map(|row| ["x", "y"].map(|head| row(head).parse().unwrap()))
        .collect();
    // Every third of the 121 values to 1.2 s, which leaves 41.
    assert_eq!(rings.len(), 41);
    for (k, [t, theta]) in rings.iter().enumerate() {
        assert!((t - 0.03 * k as f64).abs() < 1e-12 && (theta - (35.0 - 0.3 * k as f64)).abs() < 1e-12, "{t} {theta}");
    }
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert!(names(&svg, "data-legend").contains(&"another code (1 of 3 values)".to_owned()));
}

#[test]
fn each_curve_has_its_own_published_points() {
    let keys = "x: t, y: theta, series: method, where: { step: 0.005 }, published: methods.csv";
    let plot = Plot::new(&format!("{keys}, published_label: another code"));
    let rings: Vec<String> = plot
        .data()
        .iter()
        .filter(|row| row("published") == "true")
        .map(|row| ["series", "x", "y"].map(row).join(" "))
        .collect();
    assert_eq!(
        rings,
        [
            "rk3, another code 0.5 0.25",
            "rk3, another code 1 0.125",
            "rk8, another code 0.5 0.5",
            "rk8, another code 1 -1"
        ]
    );
    let text = plot.text("svg");
    let svg = Document::parse(&text).unwrap();
    assert_eq!(names(&svg, "data-legend"), ["rk3", "rk4", "rk8", "another code"]);
}

#[test]
fn a_mechanism_is_drawn_at_times_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
id: plots/squeezer
model: { squeezer: { formulation: angles, start: paper } }
span: [0.0, 0.03]
tolerance: 1e-8
method: dop853
measures: [constraint_max]
drawings:
  - { id: start, views: [plane], unit: mm }
  - { id: shapes, views: [plane], at: [0.0, 0.0125, 0.03], columns: 3, unit: mm }
";
    fs::write(folder.path().join("experiment.yaml"), text).unwrap();
    run(&folder);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/plots/squeezer").join(name)).unwrap();
    assert_eq!(read("shapesa.csv"), read("start.csv"));
    let points = |name: &str| -> Vec<[f64; 2]> {
        let text = read(name);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers().unwrap().clone();
        let number = |row: &csv::StringRecord, head: &str| -> f64 {
            row[heads.iter().position(|own| own == head).unwrap()].parse().unwrap()
        };
        reader.records().map(Result::unwrap).map(|row| [number(&row, "x"), number(&row, "y")]).collect()
    };
    let [a, b, c] = ["shapesa.csv", "shapesb.csv", "shapesc.csv"].map(points);
    let farthest = |a: &[[f64; 2]], b: &[[f64; 2]]| {
        a.iter().zip(b).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
    };
    assert!(farthest(&a, &b) > 1.0 && farthest(&b, &c) > 1.0, "it moves by millimetres");
    let document = read("shapes.svg");
    let svg = Document::parse(&document).unwrap();
    let frames: Vec<_> = svg.descendants().filter(|node| node.attribute("class") == Some("frame")).collect();
    assert_eq!(frames.len(), 3);
    for edge in ["data-x", "data-y"] {
        assert!(frames.iter().all(|frame| frame.attribute(edge) == frames[0].attribute(edge)), "one scale for all");
    }
    for title in ["(a) t = 0 s", "(b) t = 0.0125 s", "(c) t = 0.03 s"] {
        assert!(texts(&svg).contains(&title.to_owned()), "{title} in {:?}", texts(&svg));
    }
}

#[test]
fn units_match_each_mechanism() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
id: plots/two
cases:
  - { case: a, model: { mechanism: { bodies: { rod: { mass: 1, inertia: 1 } } } } }
  - { case: b, model: { mechanism: { bodies: { arm: { mass: 1, inertia: 1, \
    position: [0.5, 2], velocity: [0, 1] } } } } }
span: [0.0, 1.0]
method: rk4
step: 0.1
measures: [steps_accepted]
plots:
  - { id: path, where: { case: b }, x: t, y: arm_x, y_unit: mm }
  - { id: phase, where: { case: b }, x: arm_y, y: arm_x }
";
    fs::write(folder.path().join("experiment.yaml"), text).unwrap();
    run(&folder);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/plots/two").join(name)).unwrap();
    let path = read("path.csv");
    assert!(path.lines().skip(1).all(|line| line.ends_with(",500") || line.ends_with(",500.0")), "{path}");
    assert!(read("phase.csv").lines().count() > 2, "{}", read("phase.csv"));
}

#[test]
fn a_figure_gathers_runs_of_several_experiments() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, method: &str| {
        let text = EXPERIMENT.replace("pendulum\nmodel", &format!("{name}\nmodel"));
        let text = text.replace("[rk3, rk4, rk8]", method).replace("plots:\n", "");
        fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
    };
    part("low", "[rk3]");
    part("high", "[rk4, rk8]");
    let both = "\
id: plots/both
gathers:
  - { experiment: low }
  - { experiment: high, where: { method: rk4 } }
plots:
  - { id: figure-1, x: step, y: error(theta), series: method, scale: log-log }
";
    fs::write(folder.path().join("both.yaml"), both).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder.path())
        .args(["run", "both.yaml", "low.yaml", "high.yaml", "--out", "results", "--cache", "cache"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = |name: &str| {
        let bytes = fs::read(folder.path().join(format!("results/plots/{name}/runs.csv"))).unwrap();
        csv::Reader::from_reader(bytes.as_slice()).records().map(Result::unwrap).collect::<Vec<_>>()
    };
    let [gathered, low, high] = ["both", "low", "high"].map(rows);
    let own = |row: &csv::StringRecord| row.iter().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>();
    let of_parts: Vec<_> = low.iter().chain(high.iter().filter(|row| &row[0] == "rk4")).collect();
    assert_eq!(gathered.len(), of_parts.len());
    for (row, part) in gathered.iter().zip(&of_parts) {
        assert_eq!(&row[0], if &row[1] == "rk3" { "low" } else { "high" });
        let found = own(row);
        let expected: Vec<_> = part.iter().take(4).map(str::to_owned).collect();
        assert_eq!(found, expected, "axes and status of the same run");
        let errors =
            |row: &csv::StringRecord, from: usize| row.iter().skip(from).take(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(errors(row, 5), errors(part, 4), "its error and the bound on it, and no other measure");
    }
    let entries = walk(&folder.path().join("cache"));
    assert_eq!(entries, 12 + 1, "each run once, and the reference");
    let svg = fs::read_to_string(folder.path().join("results/plots/both/figure-1.svg")).unwrap();
    let svg = Document::parse(&svg).unwrap();
    assert_eq!(names(&svg, "data-legend"), ["rk3", "rk4"]);
}

/// Number of entries of runs and references below a folder of the cache.
fn walk(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(
            |path| {
                if path.is_dir() { walk(&path) } else { usize::from(path.extension().is_some_and(|end| end == "json")) }
            },
        )
        .sum()
}
