//! Statements, figures and tables exported for papers and slides, from the committed results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The output or the error message, and the exit code.
fn export(name: &str, form: &str) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let output =
        command.current_dir(root()).args(["render", name, "--to", form]).env("NO_COLOR", "1").output().unwrap();
    let said = if output.status.success() { output.stdout } else { output.stderr };
    (String::from_utf8(said).unwrap(), output.status.code())
}

#[test]
fn a_figure_has_all_its_points() {
    let data = fs::read_to_string(root().join("results/gil2013/eq35-local-error/figure-6.csv")).unwrap();
    let (text, code) = export("gil2013/figure-6", "pgfplots");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("xmode=log, ymode=log"), "{text}");
    // The curves are in the order of the file, each with its own points.
    let mut curves = text.split("\\addplot+").skip(1);
    let (mut curve, mut points, mut series) = ("", 0, String::new());
    for line in data.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] != series {
            series = cells[0].to_owned();
            curve = curves.next().unwrap();
            assert!(curve.contains(&format!("\\addlegendentry{{{series}}}")), "{series}: {curve}");
        }
        assert!(curve.contains(&format!("({},{})", cells[1], cells[2])), "{line}");
        points += 1;
    }
    assert!(curves.next().is_none() && points > 0, "{text}");
    assert_eq!(text.matches(") (").count() + text.matches("{(").count(), points, "and no others");
    assert_eq!(export("gil2013/eq35-local-error/figure-6", "csv"), (data, Some(0)), "by its whole name as well");
}

#[test]
fn a_table_has_its_published_cells() {
    let published = fs::read_to_string(root().join("experiments/compere2001/published/table-3.1.csv")).unwrap();
    let (text, code) = export("compere2001/table-3.1", "tex");
    assert_eq!(code, Some(0), "{text}");
    let cells = published.lines().skip(1).flat_map(|line| line.split(',').skip(1));
    for cell in cells {
        assert!(text.contains(&format!("({})", cell.trim())), "{cell} is not in {text}");
    }
    assert_eq!(text.matches("\\begin{").count(), text.matches("\\end{").count());
}

#[test]
fn statements_are_exported() {
    let (text, _) = export("gil2013/linear/exact", "tex");
    assert!(text.contains("\\cite{gil2013}") && text.contains("\\emph{reproduced}"), "{text}");
    let (text, _) = export("gil2013/linear/exact", "csv");
    assert_eq!(text.lines().count(), 1 + 4, "{text}");
}

#[test]
fn a_figure_of_derived_panels_exports_its_numbers() {
    let (text, code) = export("zhang2022/figure-28", "csv");
    let bars = text.lines().filter(|line| line.starts_with("12,")).count();
    assert!(code == Some(0) && text.starts_with("panel,series,") && bars > 4, "{text}");
}

#[test]
fn missing_items_are_reported() {
    for (name, form, said) in [
        ("gil2013/linear/exact", "pgfplots", "has no curves"),
        ("gil2013/figure-66", "tex", "did you mean `gil2013/figure-6`?"),
    ] {
        let (text, code) = export(name, form);
        assert!(code == Some(2) && text.contains(said), "{name}: {text}");
    }
}

/// Labels and published cells that would act on a terminal, a page or TeX.
#[test]
fn foreign_text_is_harmless_in_all_files() {
    const LABEL: &str = "a},\\input{x},(b|<i>";
    const TABLES: &str = "[{ id: e, rows: step, columns: method, value: energy_variation, published: p.csv }]";
    const PLOTS: &str =
        "[{ id: bar, panels: [{ kind: bars, x: method, y: energy_variation, where: { step: 1e-2 } }] }]";
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("experiments/mine");
    fs::create_dir_all(&place).unwrap();
    let experiment = format!(
        "id: mine/text\nmodel: pendulum\nspan: [0, 0.5]\nmethod: [{{ rk4: {{ label: '{LABEL}' }} }}, rk3]\n\
         step: [1e-2, 2e-2]\nmeasures: [energy_variation]\ntables: {TABLES}\nplots: {PLOTS}\n"
    );
    fs::write(place.join("text.yaml"), experiment).unwrap();
    fs::write(place.join("p.csv"), "step,rk3\n1e-2,\"a\u{1b}[31m\u{9b}\u{202e}x\"\n2e-2,3\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        let output = command.current_dir(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let is_harmless = |name: &str, text: &str| {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{name}: {text:?}");
    };
    is_harmless("run", &run(&["run", "experiments/mine/text.yaml"]));
    for file in fs::read_dir(folder.path().join("results/mine/text")).unwrap() {
        let path = file.unwrap().path();
        is_harmless(&path.display().to_string(), &fs::read_to_string(path).unwrap());
    }
    for form in ["csv", "tex"] {
        is_harmless(form, &run(&["render", "mine/e", "--to", form]));
    }
    // Braces that TeX counts are paired, and no command of the label is left.
    let text = run(&["render", "mine/bar", "--to", "pgfplots"]);
    let own = text.replace("\\{", "").replace("\\}", "");
    let mut depth = 0;
    for c in own.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        assert!(depth >= 0, "{text}");
    }
    assert!(depth == 0 && !text.contains("\\input"), "{text}");
    assert!(text.contains("xticklabels={{a\\},\\textbackslash{}input\\{x\\},(b|<i>},{rk3}}"), "{text}");
    assert!(text.contains("coordinates {(0,") && text.contains(") (1,"), "{text}");
}
