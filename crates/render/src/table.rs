//! Tables of published and measured values, side by side.

use mbsbench_numbers::{csv, shortest};
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

/// A table of the paper with our values.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of the file without extension: `table-3.2`.
    pub id: String,
    /// The title.
    pub title: String,
    /// The quantity of the rows: `step (s)`.
    pub row_axis: String,
    /// The quantity of the columns: `method`.
    pub column_axis: String,
    /// The labels of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Row>,
    /// True if measured ÷ published is printed as well.
    pub ratio: bool,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The label of the row.
    pub label: String,
    /// A cell for each column; missing cells are empty.
    pub cells: Vec<Cell>,
}

/// A published value and ours.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// The value as printed in the paper, if there is one.
    pub published: Option<String>,
    /// The value measured here.
    pub measured: Measured,
}

/// The value measured here.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Measured {
    /// A value.
    Value(f64),
    /// The run failed.
    Failed {
        /// The name of the failure.
        name: String,
        /// The time that the run reached, s.
        t_reached: f64,
    },
    /// There is no such run.
    #[default]
    Missing,
}

/// The text of an empty cell.
const NOTHING: &str = "—";

impl Table {
    /// Formats the table for a terminal.
    pub fn terminal(&self) -> String {
        let mut table = self.builder(|text| text.to_owned()).build();
        table.with(Style::rounded());
        table.modify(Columns::new(1..), Alignment::right());
        table.modify(Rows::first(), Alignment::center());
        format!("{}\n{table}\n", self.title)
    }

    /// Formats the table in Markdown, without its title.
    pub fn markdown(&self) -> String {
        let mut table = self.builder(mbsbench_numbers::markdown).build();
        table.with(Style::markdown());
        table.modify(Columns::new(1..), Alignment::right());
        format!("{table}\n")
    }

    /// Formats the table as CSV in long form with measured values in full precision. The first columns are named by the
    /// axes; the others are `published`, `measured`, `failure`, `t_reached`.
    pub fn csv(&self) -> String {
        let heads = [self.row_axis.as_str(), &self.column_axis, "published", "measured", "failure", "t_reached"];
        let mut lines = vec![heads.map(str::to_owned)];
        for row in &self.rows {
            for (column, cell) in self.columns.iter().zip(&row.cells) {
                let (value, failure, time) = match &cell.measured {
                    Measured::Value(value) => (shortest(*value), String::new(), String::new()),
                    Measured::Failed { name, t_reached } => (String::new(), name.clone(), shortest(*t_reached)),
                    Measured::Missing => Default::default(),
                };
                let published = cell.published.clone().unwrap_or_default();
                lines.push([row.label.clone(), column.clone(), published, value, failure, time]);
            }
        }
        csv(lines)
    }

    /// True if the paper has a value in a column.
    fn is_published(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row.cells.get(column).is_some_and(|cell| cell.published.is_some()))
    }

    fn builder(&self, escape: impl Fn(&str) -> String) -> Builder {
        let mut builder = Builder::new();
        let mut header = vec![escape(&self.row_axis)];
        for (index, column) in self.columns.iter().enumerate() {
            let column = escape(column);
            if self.is_published(index) {
                header.extend([format!("{column} published"), format!("{column} here")]);
                header.extend(self.ratio.then(|| format!("{column} ratio")));
            } else {
                header.push(column);
            }
        }
        builder.push_record(header);
        let empty = Cell::default();
        for row in &self.rows {
            let mut record = vec![escape(&row.label)];
            for index in 0..self.columns.len() {
                let cell = row.cells.get(index).unwrap_or(&empty);
                let is_published = self.is_published(index);
                let published = || cell.published.as_deref().map_or_else(|| NOTHING.to_owned(), &escape);
                record.extend(is_published.then(published));
                record.push(escape(&cell.text()));
                record.extend((is_published && self.ratio).then(|| cell.ratio()));
            }
            builder.push_record(record);
        }
        builder
    }
}

impl Cell {
    /// Returns the measured value as printed: in the notation of the published one, with one more digit.
    pub fn text(&self) -> String {
        match &self.measured {
            Measured::Value(value) => {
                let published = self.published.as_deref();
                published.and_then(|text| with_one_digit_more(text, *value)).unwrap_or_else(|| significant(*value, 4))
            }
            Measured::Failed { name, t_reached } => format!("{name} at {} s", time(*t_reached)),
            Measured::Missing => NOTHING.to_owned(),
        }
    }

    fn ratio(&self) -> String {
        match (&self.measured, self.published.as_deref().and_then(number)) {
            (Measured::Value(value), Some(published)) if published != 0.0 => significant(value / published, 3),
            _ => NOTHING.to_owned(),
        }
    }
}

/// Formats `value` like a published number, with one more digit; `None` if the text is not a number.
fn with_one_digit_more(published: &str, value: f64) -> Option<String> {
    number(published).filter(|number| number.is_finite())?;
    let (mantissa, exponent) = published.split_once(['e', 'E']).unzip();
    let fraction = mantissa.unwrap_or(published.trim()).split_once('.');
    let digits = fraction.map_or(0, |(_, digits)| digits.len());
    // Counts are printed as counts.
    let is_count = digits == 0 && exponent.is_none() && value.fract() == 0.0;
    let decimals = digits + usize::from(!is_count);
    if exponent.is_some() {
        return Some(no_minus_zero(format!("{value:.decimals$e}")));
    }
    let fixed = format!("{value:.decimals$}");
    // In this notation, a value far below the published one would print as zero, and one far above as a long row of
    // digits.
    let lost = value != 0.0 && fixed.bytes().filter(u8::is_ascii_digit).all(|digit| digit == b'0');
    let is_beyond = value.is_finite() && (lost || value.abs() >= 1e9);
    Some(if is_beyond { significant(value, 3) } else { no_minus_zero(fixed) })
}

/// Reads a published number.
fn number(text: &str) -> Option<f64> {
    text.trim().replace('−', "-").parse().ok()
}

/// Formats `value` with this number of significant digits, and with an exponent if it is very small or large. Counts
/// are printed as they are.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() || (value.fract() == 0.0 && value.abs() < 1e9) {
        return format!("{value}");
    }
    let rounded = format!("{value:.precision$e}", precision = digits - 1);
    let exponent = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()).unwrap_or(0);
    if (-3..6).contains(&exponent) {
        let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        no_minus_zero(format!("{value:.decimals$}"))
    } else {
        rounded
    }
}

/// Formats a time with four digits, without trailing zeros.
fn time(t: f64) -> String {
    let text = significant(t, 4);
    match text.contains(['e', 'N', 'i']) || !text.contains('.') {
        true => text,
        false => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

/// Removes the sign of a number whose digits are all zero.
fn no_minus_zero(text: String) -> String {
    let mantissa = text.split('e').next().unwrap_or_default();
    let zero = mantissa.bytes().filter(u8::is_ascii_digit).all(|digit| digit == b'0');
    if zero && text.starts_with('-') { text[1..].to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(published: &str, value: f64) -> String {
        Cell { published: Some(published.into()), measured: Measured::Value(value) }.text()
    }

    #[test]
    fn measured_values_are_written_like_the_published_ones() {
        assert_eq!(text("1.8e-1", 0.177_4), "1.77e-1");
        assert_eq!(text("0.53", 0.530_9), "0.531");
        assert_eq!(text("1234", 1250.0), "1250", "a count");
        assert_eq!(text("34", 34.12), "34.1");
        assert_eq!(text("0.53", 1.23e-9), "1.23e-9", "not 0.000");
        assert_eq!(text("−2.0", -2.04), "-2.04");
        assert_eq!(text("0.0", -1e-300 * 1e-300), "0.00");
        assert_eq!(text("fails", 0.5), "0.5000");
        assert_eq!(text("1.8e-1", f64::NAN), "NaN");
    }

    #[test]
    fn values_without_a_published_one_have_four_digits() {
        assert_eq!(significant(0.123_456, 4), "0.1235");
        assert_eq!(significant(9.999_96e-5, 4), "1.000e-4");
        assert_eq!(significant(99_999.7, 4), "100000");
        assert_eq!(significant(1.5e8, 4), "150000000");
        assert_eq!(significant(-1.234_56e12, 4), "-1.235e12");
    }

    #[test]
    fn header_cells_are_marked_as_headers() {
        let row = Row {
            label: "=cmd|x".to_owned(),
            cells: vec![Cell { published: Some("-x".to_owned()), ..Cell::default() }],
        };
        let table = Table {
            id: "table-1".to_owned(),
            title: "Table".to_owned(),
            row_axis: "step".to_owned(),
            column_axis: "method".to_owned(),
            columns: vec!["<b>@".to_owned()],
            rows: vec![row],
            ratio: false,
        };
        assert_eq!(table.csv().lines().nth(1), Some("'=cmd|x,<b>@,'-x,,,"));
        let page = table.markdown();
        assert!(page.contains("\\<b>@ published") && page.contains("=cmd\\|x"), "{page}");
    }
}
