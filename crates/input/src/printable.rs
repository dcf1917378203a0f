//! Text of others on a terminal.

use std::borrow::Cow;

/// Whether a character does something to what is printed around it: control characters but for ends of lines and tabs, and those that turn the
/// direction of writing.
pub(super) fn is_active(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The text with such characters written out, `\u{1b}`: no file moves the cursor, colours or hides what is said of it.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_active(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// The same without a change of places: such characters become as many bytes of `?`, or the replacement character.
pub(super) fn in_place(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            _ if !is_active(c) || c == '\r' => shown.push(c),
            3 => shown.push(char::REPLACEMENT_CHARACTER),
            length => shown.extend(std::iter::repeat_n('?', length)),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_written_out() {
        assert_eq!(printable("ψ\tm/s²\nnext"), "ψ\tm/s²\nnext");
        assert_eq!(printable("\u{1b}[31mred\u{7}\u{9b}x\u{202e}y\r"), "\\u{1b}[31mred\\u{7}\\u{9b}x\\u{202e}y\\u{d}");
    }

    #[test]
    fn places_stay_where_they_are() {
        let text = "a\u{1b}b\u{9b}c\u{202e}d\r\n";
        let shown = in_place(text);
        assert_eq!(shown, "a?b??c\u{fffd}d\r\n");
        assert_eq!(shown.len(), text.len());
    }
}
