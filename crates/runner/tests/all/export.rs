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
