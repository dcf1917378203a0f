//! Statements, tables and figures as LaTeX. Greek letters and symbols are not escaped; LuaLaTeX and XeLaTeX typeset
//! them.

use std::fmt::Write as _;

use mbsbench_experiment::PanelSpec;
use mbsbench_experiment::spec::Scale;
use mbsbench_judge::claims::Judged;

use crate::artefacts::WriteError;
use crate::cli::Result;
use crate::report::artefact::Artefact;
use crate::report::results_table::{Cell, Table};
use crate::sheet::Sheet;
use mbsbench_experiment::lists::unique;

/// Escapes the special characters of LaTeX.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Formats a statement with its outcome and a table of its checks.
pub(super) fn statement(paper: &str, judged: &Judged) -> String {
    let statement = &judged.statement;
    let mut text = format!("% {paper}/{}\n\\begin{{quote}}\n", statement.id);
    let _ = writeln!(text, "  {} (\\cite{{{paper}}}, {})", escaped(&statement.says), escaped(&statement.place));
    let _ = writeln!(text, "\\end{{quote}}\n\\noindent Outcome: \\emph{{{}}}.", escaped(&judged.outcome.to_string()));
    if !statement.because.is_empty() {
        let _ = writeln!(text, "{}", escaped(&statement.because));
    }
    text.push_str(
        "\n\\noindent\\begin{tabular}{lrrl}\n  \\hline\n  check & required & measured & outcome \\\\\n  \\hline\n",
    );
    for each in &judged.checks {
        let cells = [each.check.id.as_str(), &each.required(), &each.measured(), each.verdict().words()].map(escaped);
        let _ = writeln!(text, "  {} \\\\", cells.join(" & "));
    }
    text.push_str("  \\hline\n\\end{tabular}\n");
    text
}

/// Formats a table, with published values in parentheses.
pub(super) fn table(artefact: &Artefact<'_>, csv: &str) -> Result<String> {
    let Table { axis, rows, columns, .. } = Table::parse(artefact.id, csv).map_err(WriteError::from)?;
    let text_of = |cell: &Cell| {
        let failure = || cell.failure.as_ref().map_or(String::new(), |[name, _]| name.clone());
        let measured = cell.measured.map_or_else(failure, mbsbench_numbers::short);
        if cell.published.is_empty() { measured } else { format!("{measured} ({})", cell.published) }
    };
    let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let heads = std::iter::once(&axis).chain(columns.iter().map(|column| &column.head));
    let mut text = format!(
        "% {}/{}: measured (published)\n\\begin{{table}}\n  \\caption{{{}}}\n  \
         \\begin{{tabular}}{{l{}}}\n    \\hline\n{}    \\hline\n",
        artefact.plan.experiment.id,
        artefact.id,
        escaped(artefact.title),
        "r".repeat(columns.len()),
        line(heads.map(|head| escaped(head)).collect()),
    );
    for (number, row) in rows.iter().enumerate() {
        let cells = columns.iter().map(|column| column.cells[number].as_ref().map_or(String::new(), text_of));
        text.push_str(&line(std::iter::once(row.clone()).chain(cells).map(|cell| escaped(&cell)).collect()));
    }
    text.push_str("    \\hline\n  \\end{tabular}\n\\end{table}\n");
    Ok(text)
}

/// Formats a figure with its caption.
pub(super) fn figure(artefact: &Artefact<'_>, files: &[String]) -> Result<String> {
    let plot = plot(artefact, files)?;
    Ok(format!("\\begin{{figure}}\n{plot}  \\caption{{{}}}\n\\end{{figure}}\n", escaped(artefact.title)))
}

/// Formats the axes and curves of a figure, one panel after the other.
pub(super) fn plot(artefact: &Artefact<'_>, files: &[String]) -> Result<String> {
    let mut text = format!("% {}/{}; needs \\usepackage{{pgfplots}}\n", artefact.plan.experiment.id, artefact.id);
    let plot = artefact.plan.experiment.plots.iter().map(|plot| &plot.value).find(|plot| plot.id == artefact.id);
    for (number, file) in files.iter().enumerate() {
        let panel = plot.and_then(|plot| plot.panels.get(number));
        let sheet = Sheet::parse(file).map_err(WriteError::from)?;
        let mut series: Vec<(String, bool, Vec<[String; 2]>)> = Vec::new();
        for record in &sheet.records {
            let of = |head: &str| sheet.cell(record, head).to_owned();
            let (name, is_published) = (of("series"), of("published") == "true");
            if series.last().is_none_or(|(last, published, _)| (last, *published) != (&name, is_published)) {
                series.push((name, is_published, Vec::new()));
            }
            let point = [of("x"), of("y")];
            // A failed run has no value, and a value that is not finite has no place.
            if let (Some((_, _, points)), Ok(y)) = (series.last_mut(), point[1].parse::<f64>())
                && y.is_finite()
            {
                points.push(point);
            }
        }
        let mut names = unique(series.iter().flat_map(|(_, _, points)| points).map(|[x, _]| x.as_str()));
        if names.iter().all(|x| x.parse::<f64>().is_ok()) {
            names.clear();
        }
        let _ = write!(text, "\\begin{{tikzpicture}}\n  \\begin{{axis}}[{}]\n", options(panel, &names));
        for (name, is_published, points) in &series {
            // a name is replaced by its number
            let x_of = |x: &str| names.iter().position(|name| *name == x).map_or(x.to_owned(), |x| x.to_string());
            let points: Vec<String> = points.iter().map(|[x, y]| format!("({},{y})", x_of(x))).collect();
            let marks = if *is_published { "[only marks, mark=o, gray]" } else { "" };
            let _ = writeln!(text, "    \\addplot+{marks} coordinates {{{}}};", points.join(" "));
            if !name.is_empty() {
                let _ = writeln!(text, "    \\addlegendentry{{{}}}", escaped(name));
            }
        }
        text.push_str("  \\end{axis}\n\\end{tikzpicture}\n");
    }
    Ok(text)
}

/// Returns the options of an axis: labels, scales, and names in place of the numbers from zero.
fn options(panel: Option<&PanelSpec>, names: &[&str]) -> String {
    let mut options = Vec::new();
    if let Some(panel) = panel {
        let first = panel.y.iter().next().unwrap_or_default();
        let label = |label: &Option<String>, name: &str| escaped(label.as_deref().unwrap_or(name));
        options.push(format!("xlabel={{{}}}", label(&panel.x_label, &panel.x)));
        options.push(format!("ylabel={{{}}}", label(&panel.y_label, first)));
        options.extend(panel.title.as_ref().map(|title| format!("title={{{}}}", escaped(title))));
        if matches!(panel.scale, Scale::LogLog | Scale::LogX) {
            options.push("xmode=log".to_owned());
        }
        if matches!(panel.scale, Scale::LogLog | Scale::LogY) {
            options.push("ymode=log".to_owned());
        }
    }
    if !names.is_empty() {
        let ticks: Vec<String> = (0..names.len()).map(|x| x.to_string()).collect();
        let names: Vec<String> = names.iter().map(|name| format!("{{{}}}", escaped(name))).collect();
        options.push(format!("ybar, xtick={{{}}}, xticklabels={{{}}}", ticks.join(","), names.join(",")));
    }
    options.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latex_special_characters_are_escaped() {
        assert_eq!(escaped("a_b & 5 % of ρ∞^2 {x}"), "a\\_b \\& 5 \\% of ρ∞\\textasciicircum{}2 \\{x\\}");
        assert_eq!(escaped("\\~"), "\\textbackslash{}\\textasciitilde{}");
    }

    #[test]
    fn names_along_an_axis_are_escaped() {
        let told = options(None, &["b", "a},\\input{x}"]);
        assert_eq!(told, "ybar, xtick={0,1}, xticklabels={{b},{a\\},\\textbackslash{}input\\{x\\}}}");
    }
}
