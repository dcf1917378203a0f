//! What plots of an experiment file say, from the file to the pictures: slopes of convergence, and bars.

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
reference: { method: rk8, step: 2^-8, precision: double-double, check: { method: { gbs: { order: 16 } }, step: 2^-6 }, digits: 15 }
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
        let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
            .current_dir(folder.path())
            .args(["run", "experiment.yaml", "--out", "results", "--cache", "cache"])
            .output()
            .unwrap();
        // Runs that fail are results.
        let code = output.status.code();
        assert!(code.is_some_and(|code| code != 2), "{code:?} {}", String::from_utf8_lossy(&output.stderr));
        Self { folder }
    }

    fn file(&self, ending: &str) -> Vec<u8> {
        let folder = Path::new("results/plots/pendulum");
        fs::read(self.folder.path().join(folder).join(format!("figure-1.{ending}"))).unwrap()
    }

    fn text(&self, ending: &str) -> String {
        String::from_utf8(self.file(ending)).unwrap()
    }

    /// The rows of the data, by head.
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
fn slopes_stand_in_the_legend_and_in_the_data() {
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
        // To the bit: the file has the nearest number of six digits.
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
fn bars_stand_beside_those_of_the_paper() {
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
        [
            "published,true,rk3,1200,",
            "measured,false,rk3,1200,",
            "measured,false,rk4,1600,",
            "measured,false,rk8,,budget-exhausted",
        ]
    );
    assert!(plot.file("png").starts_with(b"\x89PNG"));
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
