//! Makes text from other sources safe to print on a terminal.

use std::borrow::Cow;

/// True for characters that change how the text around them is displayed: control characters except line ends and
/// tabs, and characters that change the direction of writing.
pub fn is_active(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Returns the text with such characters escaped, as `\u{1b}`, so that no file can move the cursor, change colours or
/// hide parts of a message.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c, shown| shown.extend(c.escape_unicode()))
}

/// Like [`printable`], but keeps all offsets: each such character is replaced by as many bytes of `?` or of the
/// replacement character.
pub fn in_place(text: &str) -> Cow<'_, str> {
    replaced(text, |c, shown| match c.len_utf8() {
        _ if c == '\r' => shown.push(c),
        3 => shown.push(char::REPLACEMENT_CHARACTER),
        length => shown.extend(std::iter::repeat_n('?', length)),
    })
}

/// Returns the text with what `write` writes for each such character.
fn replaced(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| if is_active(c) { write(c, &mut shown) } else { shown.push(c) });
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("ψ\tm/s²\nnext"), "ψ\tm/s²\nnext");
        assert_eq!(printable("\u{1b}[31mred\u{7}\u{9b}x\u{202e}y\r"), "\\u{1b}[31mred\\u{7}\\u{9b}x\\u{202e}y\\u{d}");
    }

    #[test]
    fn escaping_keeps_positions() {
        let text = "a\u{1b}b\u{9b}c\u{202e}d\r\n";
        let shown = in_place(text);
        assert_eq!(shown, "a?b??c\u{fffd}d\r\n");
        assert_eq!(shown.len(), text.len());
    }
}
