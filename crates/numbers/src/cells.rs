//! Texts in table cells, escaped so that programs that read the table treat them as text.

use std::borrow::Cow;

use super::printable::{is_active, printable};

/// Returns a text as a CSV cell, with `'` in front if a spreadsheet would run it as a formula: `=…`, `@…`, `+…`,
/// `-…`, or a text that begins with a tab or a line end. Numbers are left unchanged. [`unguarded`] restores the text,
/// whatever it is.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if is_run(text.trim_start_matches('\'')) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Returns the text of a CSV cell that was written by [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_run(text.trim_start_matches('\''))).unwrap_or(cell)
}

/// True if a spreadsheet would run a text instead of showing it. False for numbers and for a sign alone.
fn is_run(text: &str) -> bool {
    match text.as_bytes() {
        [b'=' | b'@' | b'\t' | b'\r', ..] => true,
        [b'+' | b'-', _, ..] => text.parse::<f64>().is_err(),
        _ => false,
    }
}

/// Writes records of equal length as CSV, with [`printable`], [`guarded`] cells.
pub fn csv<R: IntoIterator<Item: AsRef<str>>>(records: impl IntoIterator<Item = R>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for record in records {
        let mut cells = record.into_iter();
        cells
            .try_for_each(|cell| writer.write_field(guarded(&printable(cell.as_ref())).as_bytes()))
            .expect("writing to memory cannot fail");
        writer.write_record(None::<&[u8]>).expect("records are of equal length");
    }
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

/// Returns a text as a cell of a Markdown table: characters that could start a link, end the cell or change how the
/// text around them is displayed are escaped.
pub fn markdown(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '<' | '`' => written.extend(['\\', letter]),
            // brackets alone do not make a link
            '(' if before == Some(']') => written.extend(['\\', letter]),
            '\n' | '\r' => written.push(' '),
            _ if is_active(letter) => written.extend(letter.escape_unicode()),
            _ => written.push(letter),
        }
        before = Some(letter);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formula_cells_are_escaped_and_read_back() {
        for text in ["=cmd|' /C calc'!A0", "@SUM(A1)", "+1-2", "-x", "+cmd", "\t=1", "\r", "'=1", "''+x", "-2+3", "--"]
        {
            let cell = guarded(text);
            assert!(cell.starts_with('\''), "{text}");
            assert_eq!(cell.len(), text.len() + 1, "{text}");
            assert_eq!(unguarded(&cell), text);
        }
        for text in ["", "-", "+", "rk3", "-0.3", "+1e-3", "-inf", "'", "'rk3", "''", "1=2", "a@b", "−2", "'-0.3"] {
            assert_eq!(guarded(text), text);
            assert_eq!(unguarded(text), text);
        }
    }

    #[test]
    fn markup_in_cells_is_escaped() {
        assert_eq!(markdown("<script>"), "\\<script>");
        assert_eq!(markdown("a|b\nc"), "a\\|b c");
        assert_eq!(markdown("[x](javascript:1)"), "[x]\\(javascript:1)");
        assert_eq!(markdown("`x`"), "\\`x\\`");
        assert_eq!(markdown("\\<b"), "\\\\\\<b", "a backslash and a bracket are escaped separately");
        assert_eq!(markdown("ESDIRK3(2)4L[2]SA"), "ESDIRK3(2)4L[2]SA");
    }

    #[test]
    fn no_cell_acts_on_a_terminal() {
        for c in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}', '\u{2066}', '\u{8}'] {
            let text = format!("a{c}[31m");
            let shown = format!("a{}[31m", c.escape_unicode());
            assert_eq!(csv([[&text, "b"]]), format!("{shown},b\n"));
            assert_eq!(markdown(&text), shown);
        }
        assert_eq!(csv([["two\nlines", "\t"]]), "\"two\nlines\",'\t\n");
    }
}
