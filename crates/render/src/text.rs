//! Text with superscripts and subscripts, and its width.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef};

/// The size of superscripts and subscripts, relative to the line.
const SMALL: f64 = 0.72;
/// The height of a superscript's baseline above that of the line, relative to the font size.
const RAISED: f64 = 0.38;
/// The depth of a subscript's baseline below that of the line, relative to the font size.
const LOWERED: f64 = 0.16;

/// DejaVu Sans, with which all text is measured and bitmaps are set. It is wider than the usual sans-serif fonts: text
/// that does not overlap in it does not overlap in an SVG with another font.
pub static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(include_bytes!("../assets/DejaVuSans.ttf")).expect("the bundled font is a font")
});

/// The position of a piece of text relative to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// On the line.
    Base,
    /// Superscript.
    Raised,
    /// Subscript.
    Lowered,
}

impl Level {
    /// Returns the size relative to the line.
    pub fn size(self) -> f64 {
        if self == Self::Base { 1.0 } else { SMALL }
    }

    /// Returns the height of the baseline above that of the line, relative to the font size.
    pub fn rise(self) -> f64 {
        match self {
            Self::Base => 0.0,
            Self::Raised => RAISED,
            Self::Lowered => -LOWERED,
        }
    }
}

/// A line of text in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(pub Vec<(Level, String)>);

impl Text {
    /// Creates text without markup.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![(Level::Base, text.into())])
    }

    /// Creates text in which `^{…}` and `_{…}` produce superscripts and subscripts, as does a number directly after
    /// `^`. All other underscores and carets are printed as they are.
    pub fn markup(text: &str) -> Self {
        let mut pieces: Vec<(Level, String)> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            let level = if first == '^' { Level::Raised } else { Level::Lowered };
            let found = script(first, after);
            match (found, pieces.last_mut()) {
                (Some((inner, _)), _) => pieces.push((level, inner.replace('-', "−"))),
                (None, Some((Level::Base, base))) => base.push(first),
                (None, _) => pieces.push((Level::Base, first.to_string())),
            }
            rest = &after[found.map_or(0, |(_, length)| length)..];
        }
        Self(pieces)
    }

    /// Returns the text followed by `10` to the power `exponent`.
    pub fn times_power_of_ten(prefix: &str, exponent: i32) -> Self {
        let exponent = if exponent < 0 { format!("−{}", exponent.unsigned_abs()) } else { exponent.to_string() };
        Self(vec![(Level::Base, format!("{prefix}10")), (Level::Raised, exponent)])
    }

    /// Returns the text as one string, with superscripts after `^`.
    pub fn flat(&self) -> String {
        let piece = |(level, text): &(Level, String)| match level {
            Level::Base => text.clone(),
            Level::Raised => format!("^{text}"),
            Level::Lowered => format!("_{text}"),
        };
        self.0.iter().map(piece).collect()
    }

    /// Returns the width at the given size, in the same unit.
    pub fn width(&self, size: f64) -> f64 {
        self.0.iter().map(|(level, text)| advance(text) * level.size()).sum::<f64>() * size
    }
}

/// Returns the script after `^` or `_`, and the number of bytes of `after` that it occupies.
fn script(first: char, after: &str) -> Option<(&str, usize)> {
    if !matches!(first, '^' | '_') {
        return None;
    }
    if let Some(inner) = after.strip_prefix('{') {
        return inner.find('}').map(|end| (&inner[..end], end + 2));
    }
    let sign = usize::from(after.starts_with('-'));
    let digits = after[sign..].bytes().take_while(u8::is_ascii_digit).count();
    (first == '^' && digits > 0).then(|| (&after[..sign + digits], sign + digits))
}

/// Returns the advance width of `text` at size 1.
fn advance(text: &str) -> f64 {
    let font = &*FONT;
    let per_em = f64::from(font.units_per_em().unwrap_or(2048.0));
    text.chars().map(|c| f64::from(font.h_advance_unscaled(font.glyph_id(c)))).sum::<f64>() / per_em
}

/// Advance widths of `!` to `~`, in thousandths of the size, in the preferred fonts of an SVG: Helvetica and fonts with
/// the same widths.
const SANS: [u16; 94] = [
    278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // ! to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];
/// The width of other letters in these fonts, relative to that in [`FONT`].
const NARROWER: f64 = 0.88;

/// Returns the width of `text` at size 1 in the preferred fonts of an SVG, which determines the positions of the pieces
/// of a line.
pub fn sans_width(text: &str) -> f64 {
    let of = |c: char| match (c, u32::from(c).checked_sub(33).and_then(|place| SANS.get(place as usize))) {
        (' ' | '\u{a0}', _) => 0.278,
        ('−' | '×', _) => 0.584,
        (_, Some(&width)) => f64::from(width) / 1000.0,
        (_, None) => NARROWER * advance(c.encode_utf8(&mut [0; 4])),
    };
    text.chars().map(of).sum()
}

/// Breaks `text` into lines no wider than `width` at the given size: after a space or a comma if possible, otherwise
/// anywhere.
pub fn wrap(text: &str, size: f64, width: f64) -> Vec<Text> {
    let fits = |line: &str| Text::markup(line.trim_end()).width(size) <= width;
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive([' ', ',']) {
        if line.is_empty() || fits(&format!("{line}{word}")) {
            line.push_str(word);
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
        }
        while !fits(&line) && line.chars().count() > 1 {
            let mut head = line.clone();
            while !fits(&head) && head.chars().count() > 1 {
                head.pop();
            }
            line = line.split_off(head.len());
            lines.push(head);
        }
    }
    lines.push(line);
    lines.iter().map(|line| Text::markup(line.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_recognised_and_names_left_alone() {
        let raised = |text: &str| (Level::Raised, text.to_owned());
        let base = |text: &str| (Level::Base, text.to_owned());
        assert_eq!(Text::markup("m/s^2").0, [base("m/s"), raised("2")]);
        assert_eq!(Text::markup("2^-10 s").0, [base("2"), raised("−10"), base(" s")]);
        assert_eq!(Text::markup("energy_variation ^").0, [base("energy_variation ^")]);
        assert_eq!(Text::markup("ρ_{∞}").0, [base("ρ"), (Level::Lowered, "∞".into())]);
        assert_eq!(Text::markup("a^{b").0, [base("a^{b")]);
    }

    #[test]
    fn the_font_has_all_needed_glyphs() {
        for c in "0123456789−×·°±≤≥∞√∂∫ΔΦΓΩαβγδεζηθκλμνξπρσςτφχψω′″‖⟨⟩₀₁₂⁰¹²⁻→×⊗ẋẍéüöäß–—…".chars()
        {
            assert_ne!(FONT.glyph_id(c).0, 0, "no glyph for {c}");
        }
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing() {
        let text = "hht-i3(alpha=-0.3, rho_inf=0.5) with a rather long explanation, andoneverylongwordwithoutanybreak";
        let lines = wrap(text, 12.0, 90.0);
        assert!(lines.iter().all(|line| line.width(12.0) <= 90.0));
        let joined: String = lines.iter().map(Text::flat).collect();
        assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
    }
}
