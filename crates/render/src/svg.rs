//! A drawing as SVG.
//!
//! A file by itself has the colours for a white page. Groups and open markers carry the name of their ink as a class, so that a
//! page that inlines the figure sets its theme with [`rules`] and [`theme`]. No font is needed: text is set in whatever
//! sans-serif there is.
//!
//! The unit of the picture is a tenth of a pixel, which makes all numbers whole and the file short.

use std::fmt::Write as _;

use mbsbench_numbers::decimal;

use super::drawing::{Anchor, Area, Drawing, EdgeScale, Group, Ink, Part, Shape};
use super::style::{Hue, Mark};
use super::text::{Level, Text};

/// Fonts, of which the last is always there.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Units of the picture in a pixel.
const UNITS: f64 = 10.0;
/// Font size of the root, px; other sizes stand where they are used.
const FONT_SIZE: f64 = 12.0;
/// Width of the outline of a marker, px.
const OUTLINE: f64 = 1.2;
/// Attributes of what is filled with the page.
const PAGE: &str = " class=\"page\" fill=\"#fff\"";

/// Writes `drawing` as an SVG document.
#[must_use]
pub fn write(drawing: &Drawing) -> String {
    let mut out = String::new();
    let (width, height, id) = (decimal(drawing.width), decimal(drawing.height), escape(&drawing.id));
    let [right, bottom] = [drawing.width, drawing.height].map(units);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right} {bottom}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\" \
         font-size=\"{}\" fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n\
         <rect{PAGE} width=\"{right}\" height=\"{bottom}\"/>\n",
        units(FONT_SIZE),
        units(1.0),
        escape(&drawing.title),
        escape(&drawing.description)
    );
    for group in drawing.groups.iter().filter(|group| !group.shapes.is_empty()) {
        write_group(&mut out, group);
    }
    for (area, scales) in drawing.frames.iter().zip(&drawing.scales) {
        write_frame(&mut out, *area, scales);
    }
    out.push_str("</svg>\n");
    out
}

/// All inks.
fn inks() -> impl Iterator<Item = Ink> {
    [Ink::Foreground, Ink::Published, Ink::Grid].into_iter().chain(Hue::ALL.into_iter().map(Ink::Hue))
}

/// CSS rules of a page that inlines figures: the custom properties of a [`theme`] for what has their names as classes.
#[must_use]
pub fn rules() -> String {
    let mut css = "svg .page{fill:var(--figure-background)}".to_owned();
    for ink in inks() {
        let _ = write!(css, "svg .{0}{{color:var(--figure-{0})}}", ink.name());
    }
    css
}

/// Custom properties for figures on a light or dark page, as declarations for any CSS rule.
///
/// `background` is the page's colour; open markers are filled with it.
#[must_use]
pub fn theme(dark: bool, background: &str) -> String {
    let mut css = format!("--figure-background:{background};");
    for ink in inks() {
        let colour = if dark { ink.on_dark() } else { ink.on_light() };
        let _ = write!(css, "--figure-{}:{};", ink.name(), hex(colour));
    }
    css
}

fn write_group(out: &mut String, group: &Group) {
    let series = match &group.part {
        Part::Scaffold => String::new(),
        Part::Series(label) => format!(" data-series=\"{}\"", escape(label)),
        Part::Legend(label) => format!(" data-legend=\"{}\"", escape(label)),
    };
    let (name, colour) = (group.ink.name(), hex(group.ink.on_light()));
    let _ = writeln!(out, "<g{series} class=\"{name}\" color=\"{colour}\" stroke=\"currentColor\">");
    let mut pieces = group.shapes.iter().flat_map(pieces).peekable();
    while let Some(mut piece) = pieces.next() {
        // What looks the same stands in one element.
        while let Some(next) = pieces.next_if(|next| piece.takes(next)) {
            piece.join(next);
        }
        piece.write(out);
    }
    out.push_str("</g>\n");
}

/// An unseen rectangle over a frame that says what its edges measure, for scripts.
fn write_frame(out: &mut String, area: Area, scales: &[EdgeScale; 2]) {
    let [x, y] = scales.each_ref().map(|EdgeScale { name, range: [low, high], logarithmic }| {
        let (low, high) = (decimal(*low), decimal(*high));
        format!("{low} {high} {} {}", if *logarithmic { "log" } else { "linear" }, escape(name))
    });
    let _ = writeln!(
        out,
        "<rect class=\"frame\"{} stroke=\"none\" pointer-events=\"all\" data-x=\"{x}\" data-y=\"{y}\"/>",
        rectangle(area)
    );
}

/// A part of a group: what looks alike.
enum Piece {
    /// Subpaths, each a start, its corners and whether it is closed, with the attributes of the path; and whether others may
    /// join.
    Path { attributes: String, subpaths: Vec<(Vec<[i64; 2]>, bool)>, joins: bool },
    /// Texts, with the attributes of the group that they stand in.
    Texts { attributes: String, texts: String },
    /// An element.
    Element(String),
}

impl Piece {
    /// Whether `next` can stand in the same element.
    fn takes(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Path { attributes, joins: true, .. }, Self::Path { attributes: others, joins: true, .. })
            | (Self::Texts { attributes, .. }, Self::Texts { attributes: others, .. }) => attributes == others,
            _ => false,
        }
    }

    fn join(&mut self, next: Self) {
        match (self, next) {
            (Self::Path { subpaths, .. }, Self::Path { subpaths: others, .. }) => subpaths.extend(others),
            (Self::Texts { texts, .. }, Self::Texts { texts: others, .. }) => texts.push_str(&others),
            _ => unreachable!("only what takes the next is joined with it"),
        }
    }

    fn write(self, out: &mut String) {
        let _ = match self {
            Self::Path { attributes, subpaths, .. } => writeln!(out, "<path{attributes} d=\"{}\"/>", data(&subpaths)),
            Self::Texts { attributes, texts } => writeln!(out, "<g{attributes}>\n{texts}</g>"),
            Self::Element(text) => writeln!(out, "{text}"),
        };
    }
}

/// The data of a path: its start, and from there everything relative to the point before.
fn data(subpaths: &[(Vec<[i64; 2]>, bool)]) -> String {
    let mut out = String::new();
    let mut here = [0, 0];
    for (corners, is_closed) in subpaths {
        let start = here;
        for (number, &corner) in corners.iter().enumerate() {
            let [dx, dy] = [corner[0] - here[0], corner[1] - here[1]];
            let _ = match (number, dx, dy) {
                (0, ..) => write!(out, "m{dx}{}{dy}", if dy < 0 { "" } else { " " }),
                // Alone it is shorter; in a longer row pairs go on without a letter.
                (1, _, 0) if corners.len() == 2 => write!(out, "h{dx}"),
                (1, 0, _) if corners.len() == 2 => write!(out, "v{dy}"),
                _ => write!(out, "{}{dx}{}{dy}", if dx < 0 { "" } else { " " }, if dy < 0 { "" } else { " " }),
            };
            here = corner;
        }
        if *is_closed {
            out.push('z');
            here = corners.first().copied().unwrap_or(start);
        }
    }
    out
}

/// What a shape is made of.
fn pieces(shape: &Shape) -> Vec<Piece> {
    match shape {
        Shape::Line { points, width, dash } => {
            let lengths: Vec<String> = dash.lengths().iter().map(|&length| units(length).to_string()).collect();
            let dashes =
                if lengths.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", lengths.join(" ")) };
            let attributes = format!("{}{dashes}", stroke_width(*width));
            vec![Piece::Path { attributes, subpaths: vec![(whole(points), false)], joins: true }]
        }
        Shape::Frame(area) => vec![Piece::Element(format!("<rect{}/>", rectangle(*area)))],
        Shape::Fill { area, hollow } => {
            let fill = if *hollow { PAGE } else { " fill=\"currentColor\"" };
            vec![Piece::Element(format!("<rect{} stroke=\"none\"{fill}/>", rectangle(*area)))]
        }
        Shape::Marker { mark, at, radius, hollow } => marker(*mark, *at, *radius, *hollow),
        Shape::Text { text, at, size, anchor, upwards } => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let own_size = if *size == FONT_SIZE { String::new() } else { format!(" font-size=\"{}\"", units(*size)) };
            let [x, y] = at.map(units);
            let turn = if *upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            vec![Piece::Texts {
                attributes: format!(" fill=\"currentColor\" stroke=\"none\"{own_size}{anchor}"),
                texts: format!("<text x=\"{x}\" y=\"{y}\"{turn}>{}</text>\n", spans(text, *size)),
            }]
        }
    }
}

/// A marker. Filled ones that look alike may stand in one path, open ones cover what is below.
fn marker(mark: Mark, [x, y]: [f64; 2], radius: f64, hollow: bool) -> Vec<Piece> {
    let at = [units(x), units(y)];
    let ring = |radius: f64| {
        let (radius, width) = (units(radius), stroke_width(OUTLINE));
        let page = if mark == Mark::Ring { "" } else { PAGE };
        Piece::Element(format!("<circle{page} cx=\"{}\" cy=\"{}\" r=\"{radius}\"{width}/>", at[0], at[1]))
    };
    let Some(corners) = mark.corners() else {
        if hollow || mark == Mark::Ring {
            return vec![ring(radius)];
        }
        // The round end of a line without length.
        let attributes = format!(" class=\"marks\"{} stroke-linecap=\"round\"", stroke_width(2.0 * radius + OUTLINE));
        return vec![Piece::Path { attributes, subpaths: vec![(vec![at, at], false)], joins: true }];
    };
    // About the centre as it was rounded, so that markers of one form are equal.
    let corners: Vec<[i64; 2]> =
        corners.iter().map(|[dx, dy]| [at[0] + units(dx * radius), at[1] + units(dy * radius)]).collect();
    if mark.is_stroke() {
        let subpaths = corners.chunks(2).map(|ends| (ends.to_vec(), false)).collect();
        let attributes = format!(" class=\"marks\"{}", stroke_width(1.6));
        let strokes = Piece::Path { attributes, subpaths, joins: true };
        return if hollow { vec![ring(1.5 * radius), strokes] } else { vec![strokes] };
    }
    let fill = if hollow { " class=\"marks page\" fill=\"#fff\"" } else { " class=\"marks\" fill=\"currentColor\"" };
    let attributes = format!("{fill}{}", stroke_width(OUTLINE));
    vec![Piece::Path { attributes, subpaths: vec![(corners, true)], joins: !hollow }]
}

/// The pieces of a text; a shift of the baseline holds until the next one.
fn spans(text: &Text, size: f64) -> String {
    let mut out = String::new();
    let mut rise = 0;
    for (level, piece) in &text.0 {
        let own = units(level.rise() * size);
        let shift = rise - own;
        rise = own;
        // A space at the start of a piece would be dropped by some viewers.
        let piece = escape(piece);
        let piece = piece.strip_prefix(' ').map_or_else(|| piece.clone(), |rest| format!("\u{a0}{rest}"));
        if *level == Level::Base && shift == 0 {
            out.push_str(&piece);
        } else {
            let font_size = if *level == Level::Base {
                String::new()
            } else {
                format!(" font-size=\"{}\"", units(level.size() * size))
            };
            let _ = write!(out, "<tspan dy=\"{shift}\"{font_size}>{piece}</tspan>");
        }
    }
    out
}

/// Place and size of a rectangle as attributes.
fn rectangle(Area { left, top, right, bottom }: Area) -> String {
    let [left, top, right, bottom] = [left, top, right, bottom].map(units);
    format!(" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"", right - left, bottom - top)
}

/// The width of a line as an attribute; none for the usual one.
fn stroke_width(width: f64) -> String {
    if width == 1.0 { String::new() } else { format!(" stroke-width=\"{}\"", units(width)) }
}

fn whole(points: &[[f64; 2]]) -> Vec<[i64; 2]> {
    points.iter().map(|point| point.map(units)).collect()
}

/// Pixels in units of the picture.
fn units(pixels: f64) -> i64 {
    (pixels * UNITS).round() as i64
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text for an element or attribute; characters that XML forbids are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_on_from_the_point_before() {
        let subpaths = [
            (vec![[10, 20], [10, 25]], false),
            (vec![[0, 0], [5, -5], [5, 5]], true),
            (vec![[1, 1], [4, 1]], false),
            (vec![[7, 7], [7, 7]], false),
        ];
        assert_eq!(data(&subpaths), "m10 20v5m-10-25 5-5 0 10zm1 1h3m3 6h0");
    }

    #[test]
    fn what_looks_alike_is_one_element() {
        let marker = |mark, x, hollow| Shape::Marker { mark, at: [x, 1.0], radius: 2.0, hollow };
        let shapes = vec![
            marker(Mark::Circle, 1.0, false),
            marker(Mark::Circle, 2.0, false),
            marker(Mark::Diamond, 3.0, false),
            marker(Mark::Diamond, 4.0, true),
            marker(Mark::Diamond, 5.0, true),
        ];
        let mut out = String::new();
        write_group(&mut out, &Group { ink: Ink::Grid, part: Part::Scaffold, shapes });
        assert_eq!(out.matches("<path").count(), 4, "{out}");
        assert!(out.contains("stroke-width=\"52\" stroke-linecap=\"round\" d=\"m10 10h0m10 0h0\""), "{out}");
    }

    #[test]
    fn a_superscript_returns_to_the_line() {
        let text = Text::markup("10^{-3} m");
        assert_eq!(
            spans(&text, 10.0),
            "10<tspan dy=\"-38\" font-size=\"72\">−3</tspan><tspan dy=\"38\">\u{a0}m</tspan>"
        );
    }
}
