//! Statements, tables and figures as LaTeX. Greek letters and signs stay as they are, which LuaLaTeX and XeLaTeX set.

use std::fmt::Write as _;

use mbsbench_experiment::spec::{PanelSpec, Scale};
use mbsbench_judge::claims::Judged;
use mbsbench_numbers::unguarded;

use super::export::Picture;
use crate::artefacts::WriteError;
use crate::cli::CommandError;

/// Text with LaTeX's own characters escaped.
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

/// What a statement says, its outcome, and its checks as a table.
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

/// A table, with what is published in parentheses.
pub(super) fn table(picture: &Picture<'_>, csv: &str) -> Result<String, CommandError> {
    let Sheet { heads, records } = &Sheet::read(csv)?;
    let of = |record: &[String], name: &str| cell(heads, record, name);
    let cells = |column: usize| distinct(records.iter().filter_map(move |record| record.get(column)));
    let (rows, columns) = (cells(0), cells(1));
    let text_of = |row: &str, column: &str| {
        let is_own = |record: &&Vec<String>| matches!(record.as_slice(), [r, c, ..] if r == row && c == column);
        let record = records.iter().find(is_own);
        record.map_or_else(String::new, |record| {
            let measured = of(record, "measured");
            let measured = measured.parse::<f64>().map_or_else(|_| of(record, "failure"), mbsbench_numbers::short);
            match of(record, "published") {
                published if published.is_empty() => measured,
                published => format!("{measured} ({published})"),
            }
        })
    };
    let mut text = format!("% {}/{}: measured (published)\n", picture.plan.experiment.id, picture.id);
    let _ = writeln!(
        text,
        "\\begin{{table}}\n  \\caption{{{}}}\n  \\begin{{tabular}}{{l{}}}",
        escaped(picture.title),
        "r".repeat(columns.len())
    );
    let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let head = heads.first().map(|head| escaped(head)).into_iter().chain(columns.iter().map(|column| escaped(column)));
    let _ = write!(text, "    \\hline\n{}    \\hline\n", line(head.collect()));
    for row in rows {
        let cells = std::iter::once(escaped(row)).chain(columns.iter().map(|column| escaped(&text_of(row, column))));
        text.push_str(&line(cells.collect()));
    }
    text.push_str("    \\hline\n  \\end{tabular}\n\\end{table}\n");
    Ok(text)
}

/// A figure with its caption.
pub(super) fn figure(picture: &Picture<'_>, files: &[String]) -> Result<String, CommandError> {
    let plot = plot(picture, files)?;
    Ok(format!("\\begin{{figure}}\n{plot}  \\caption{{{}}}\n\\end{{figure}}\n", escaped(picture.title)))
}

/// The axes of a figure with its curves, a panel after the other.
pub(super) fn plot(picture: &Picture<'_>, files: &[String]) -> Result<String, CommandError> {
    let mut text = format!("% {}/{}; needs \\usepackage{{pgfplots}}\n", picture.plan.experiment.id, picture.id);
    for (number, file) in files.iter().enumerate() {
        let panel = picture.panels.get(number).copied();
        let Sheet { heads, records } = &Sheet::read(file)?;
        let of = |record: &[String], name: &str| cell(heads, record, name);
        let mut series: Vec<(String, bool, Vec<[String; 2]>)> = Vec::new();
        for record in records {
            let (name, is_published) = (of(record, "series"), of(record, "published") == "true");
            if series.last().is_none_or(|(last, published, _)| (last, *published) != (&name, is_published)) {
                series.push((name, is_published, Vec::new()));
            }
            let point = [of(record, "x"), of(record, "y")];
            // A failed run has no value; what is not finite has no place.
            if let (Some((_, _, points)), Ok(y)) = (series.last_mut(), point[1].parse::<f64>())
                && y.is_finite()
            {
                points.push(point);
            }
        }
        let names: Vec<&String> = series.iter().flat_map(|(_, _, points)| points).map(|[x, _]| x).collect();
        let _ = write!(text, "\\begin{{tikzpicture}}\n  \\begin{{axis}}[{}]\n", options(panel, &names));
        for (name, is_published, points) in &series {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("({x},{y})")).collect();
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

/// What an axis is told: labels, scales, and names where there are no numbers.
fn options(panel: Option<&PanelSpec>, xs: &[&String]) -> String {
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
    if xs.iter().any(|x| x.parse::<f64>().is_err()) {
        options.push(format!("ybar, symbolic x coords={{{}}}, xtick=data", distinct(xs.iter().copied()).join(",")));
    }
    options.join(", ")
}

/// Texts in their first order, each once.
fn distinct<'t>(texts: impl Iterator<Item = &'t String>) -> Vec<&'t str> {
    let mut distinct: Vec<&str> = Vec::new();
    for text in texts {
        if !distinct.contains(&text.as_str()) {
            distinct.push(text);
        }
    }
    distinct
}

/// The heads and lines of a CSV file.
struct Sheet {
    heads: Vec<String>,
    records: Vec<Vec<String>>,
}

impl Sheet {
    fn read(csv: &str) -> Result<Self, CommandError> {
        let plain = |record: &csv::StringRecord| record.iter().map(|cell| unguarded(cell).to_owned()).collect();
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let heads = plain(reader.headers().map_err(WriteError::from)?);
        let records = reader.records().map(|record| record.map(|record| plain(&record)));
        Ok(Self { heads, records: records.collect::<Result<_, _>>().map_err(WriteError::from)? })
    }
}

/// The cell of a record under a head.
fn cell(heads: &[String], record: &[String], name: &str) -> String {
    let place = heads.iter().position(|head| head == name);
    place.and_then(|index| record.get(index).cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_latex_is_left_by_itself() {
        assert_eq!(escaped("a_b & 5 % of ρ∞^2 {x}"), "a\\_b \\& 5 \\% of ρ∞\\textasciicircum{}2 \\{x\\}");
        assert_eq!(escaped("\\~"), "\\textbackslash{}\\textasciitilde{}");
    }

    #[test]
    fn names_along_an_axis_stand_once_and_in_order() {
        let names = ["b", "a", "b"].map(str::to_owned);
        let told = options(None, &names.iter().collect::<Vec<_>>());
        assert_eq!(told, "ybar, symbolic x coords={b,a}, xtick=data");
    }
}
