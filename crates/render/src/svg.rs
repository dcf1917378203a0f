//! Drawings as SVG.
//!
//! A single file has the colours for a white page. Groups and open markers have the name of their ink as a class, so
//! that a page with the figure inline sets its theme with [`rules`] and [`theme`]. No font is needed: text is set in
//! any available sans-serif font.
//!
//! The unit of the picture is that of every canvas, a tenth of a pixel, so that all numbers are whole and the
//! file is short.

use std::collections::HashSet;
use std::fmt::Write as _;

use mbsbench_numbers::{decimal, is_active};

use super::canvas::{Canvas, Look, OUTLINE, Place, UNITS, corners, draw, place, units};
use super::drawing::{Anchor, Area, Drawing, EdgeScale, Group, Ink, Part};
use super::style::{Dash, Hue};
use super::text::{Level, Text, sans_width};

/// The fonts; the last one is always available.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// The font size of the root, px; other sizes are given where they are used.
const FONT_SIZE: f64 = 12.0;
/// The attributes of areas in the colour of the page.
const PAGE_FILL: &str = " class=\"page\" fill=\"#fff\"";

/// Writes `drawing` as an SVG document.
pub fn write(drawing: &Drawing) -> String {
    write_with(drawing, 0.0, "")
}

/// Writes `drawing` with additional height below it, px, and further elements.
pub(crate) fn write_with(drawing: &Drawing, space: f64, further: &str) -> String {
    let mut out = String::new();
    let (width, height, id) = (decimal(drawing.width), decimal(drawing.height + space), escape(&drawing.id));
    let [right, bottom] = [drawing.width, drawing.height + space].map(units);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right} {bottom}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\" \
         font-size=\"{}\" fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n\
         <rect{PAGE_FILL} width=\"{right}\" height=\"{bottom}\"/>\n",
        units(FONT_SIZE),
        units(1.0),
        escape(&drawing.title),
        escape(&drawing.description)
    );
    let mut picture = Picture { out, piece: None, open: None };
    draw(drawing, &mut picture);
    picture.end_group();
    let mut out = picture.out;
    for (area, scales) in drawing.frames.iter().zip(&drawing.scales) {
        write_frame(&mut out, *area, scales);
    }
    out.push_str(further);
    out.push_str("</svg>\n");
    out
}

/// Returns all inks.
fn inks() -> impl Iterator<Item = Ink> {
    [Ink::Foreground, Ink::Published, Ink::Grid].into_iter().chain(Hue::ALL.into_iter().map(Ink::Hue))
}

/// Returns the CSS rules of a page with inline figures: they apply the custom properties of a [`theme`] to elements
/// with the corresponding classes.
pub fn rules() -> String {
    let mut css = "svg .page{fill:var(--figure-background)}".to_owned();
    for ink in inks() {
        let _ = write!(css, "svg .{0}{{color:var(--figure-{0})}}", ink.look().0);
    }
    css
}

/// Returns the custom properties of figures on a light or dark page, as declarations for any CSS rule. Open markers are
/// filled with the colour of the page.
pub fn theme(dark: bool) -> String {
    let mut css = format!("--figure-background:{};", if dark { "#16181d" } else { "#ffffff" });
    for ink in inks() {
        let (name, on_light, on_dark) = ink.look();
        let _ = write!(css, "--figure-{name}:{};", hex(if dark { on_dark } else { on_light }));
    }
    css
}

/// Writes an invisible rectangle over a frame with the scales of its edges, for scripts.
fn write_frame(out: &mut String, area: Area, scales: &[EdgeScale; 2]) {
    let [x, y] = scales.each_ref().map(|EdgeScale { name, range: [low, high], logarithmic }| {
        let (low, high) = (decimal(*low), decimal(*high));
        format!("{low} {high} {} {}", if *logarithmic { "log" } else { "linear" }, escape(name))
    });
    let _ = writeln!(
        out,
        "<rect class=\"frame\"{} stroke=\"none\" pointer-events=\"all\" data-x=\"{x}\" data-y=\"{y}\"/>",
        rectangle(place([area.left, area.top]), place([area.right, area.bottom]))
    );
}

/// Shapes of a group with the same attributes.
struct Piece {
    /// The attributes of the element, or the element itself.
    attributes: String,
    content: Content,
}

enum Content {
    /// Subpaths: for each its corners, and true if it is closed.
    Path(Vec<(Vec<Place>, bool)>),
    /// Open circles of one radius.
    Rings(i32, Vec<Place>),
    /// Texts in a group.
    Texts(String),
    /// No further content.
    Element,
}

impl Piece {
    /// Merges `next` into the same element, or returns it.
    fn join(&mut self, next: Self) -> Option<Self> {
        if self.attributes != next.attributes {
            return Some(next);
        }
        match (&mut self.content, next.content) {
            (Content::Path(own), Content::Path(others)) => own.extend(others),
            (Content::Rings(radius, own), Content::Rings(other, others)) if *radius == other => own.extend(others),
            (Content::Texts(own), Content::Texts(others)) => own.push_str(&others),
            (_, content) => return Some(Self { attributes: next.attributes, content }),
        }
        None
    }

    fn write(self, out: &mut String) {
        let Self { attributes, content } = self;
        let _ = match content {
            Content::Path(subpaths) => writeln!(out, "<path{attributes} d=\"{}\"/>", data(&subpaths)),
            Content::Rings(radius, centres) => writeln!(out, "<path{attributes} d=\"{}\"/>", rings(radius, &centres)),
            Content::Texts(texts) => writeln!(out, "<g{attributes}>\n{texts}</g>"),
            Content::Element => writeln!(out, "{attributes}"),
        };
    }
}

/// Writes the data of a path: its start, followed by coordinates relative to the previous point.
pub(crate) fn data(subpaths: &[(Vec<Place>, bool)]) -> String {
    let mut out = String::new();
    let mut here = (0, 0);
    for (corners, is_closed) in subpaths {
        let start = here;
        for (number, &corner) in corners.iter().enumerate() {
            let (dx, dy) = (corner.0 - here.0, corner.1 - here.1);
            let _ = match (number, dx, dy) {
                (0, ..) => write!(out, "m{dx}{}{dy}", if dy < 0 { "" } else { " " }),
                // For a single step this is shorter; in a longer sequence, pairs continue without a letter.
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

/// Writes the data of a path of circles. Each is an arc from its left end almost all the way round, closed by a line of
/// one unit. Circles that coinciding published curves share are drawn once.
fn rings(radius: i32, centres: &[Place]) -> String {
    let mut out = String::new();
    let mut here = (0, 0);
    let mut drawn = HashSet::new();
    for &(x, y) in centres.iter().filter(|&&centre| drawn.insert(centre)) {
        let start = (x - radius, y);
        let (dx, dy) = (start.0 - here.0, start.1 - here.1);
        let _ = write!(out, "m{dx}{}{dy}a{radius} {radius} 0 1 1 0 1z", if dy < 0 { "" } else { " " });
        here = start;
    }
    out
}

/// A picture that is written group by group.
struct Picture {
    out: String,
    /// The piece that is written when no further shape joins it.
    piece: Option<Piece>,
    /// The opening tag of the group that is not closed yet.
    open: Option<String>,
}

impl Picture {
    /// Shapes with the same attributes are merged into one element.
    fn push(&mut self, attributes: String, content: Content) {
        let next = Piece { attributes, content };
        let next = match &mut self.piece {
            Some(piece) => piece.join(next),
            None => Some(next),
        };
        if let Some(next) = next
            && let Some(done) = self.piece.replace(next)
        {
            done.write(&mut self.out);
        }
    }

    fn end_group(&mut self) {
        if let Some(piece) = self.piece.take() {
            piece.write(&mut self.out);
        }
        if self.open.take().is_some() {
            self.out.push_str("</g>\n");
        }
    }
}

impl Canvas for Picture {
    fn begin(&mut self, group: &Group) {
        let series = match &group.part {
            Part::Scaffold => String::new(),
            Part::Series(label) => format!(" data-series=\"{}\"", escape(label)),
            Part::Legend(label) => format!(" data-legend=\"{}\"", escape(label)),
            Part::Moving { series, number } => format!(" data-series=\"{}\" data-moving=\"{number}\"", escape(series)),
            Part::Time => " data-time=\"\"".to_owned(),
        };
        let (name, colour, _) = group.ink.look();
        let colour = hex(colour);
        let group = format!("<g{series} class=\"{name}\" color=\"{colour}\" stroke=\"currentColor\">\n");
        // Shapes of the same ink and series continue the same group.
        if self.open.as_ref() == Some(&group) {
            return;
        }
        self.end_group();
        self.out.push_str(&group);
        self.open = Some(group);
    }

    fn line(&mut self, points: Vec<Place>, width: i32, dash: Dash, is_mark: bool) {
        let class = if is_mark { " class=\"marks\"" } else { "" };
        let lengths: Vec<String> = dash.lengths().iter().map(|&length| units(length).to_string()).collect();
        let dashes =
            if lengths.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", lengths.join(" ")) };
        self.push(format!("{class}{}{dashes}", stroke_width(width)), Content::Path(vec![corners(points)]));
    }

    fn rectangle(&mut self, from: Place, to: Place, look: Look) {
        let look = match look {
            Look::Outline => String::new(),
            Look::Ink => " stroke=\"none\" fill=\"currentColor\"".to_owned(),
            Look::Page => format!(" stroke=\"none\"{PAGE_FILL}"),
        };
        self.push(format!("<rect{}{look}/>", rectangle(from, to)), Content::Element);
    }

    fn circle(&mut self, centre: Place, radius: i32, look: Look) {
        let (x, y) = centre;
        match look {
            Look::Outline => self.push(marks(look), Content::Rings(radius, vec![centre])),
            // A dot is the round cap of a line of zero length; many of them form one path.
            Look::Ink => self.push(
                format!(" class=\"marks\"{} stroke-linecap=\"round\"", stroke_width(2 * radius)),
                Content::Path(vec![(vec![centre; 2], false)]),
            ),
            Look::Page => self.push(
                format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" stroke=\"none\"{PAGE_FILL}/>"),
                Content::Element,
            ),
        }
    }

    fn polygon(&mut self, corners: Vec<Place>, look: Look) {
        self.push(marks(look), Content::Path(vec![(corners, true)]));
    }

    fn text(&mut self, text: &Text, (x, y): Place, size: f64, anchor: Anchor, upwards: bool) {
        let own_anchor =
            if anchor == Anchor::Start { String::new() } else { format!(" text-anchor=\"{}\"", name(anchor)) };
        let own_size = if size == FONT_SIZE * UNITS { String::new() } else { format!(" font-size=\"{size}\"") };
        let turn = if upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let attributes = format!(" fill=\"currentColor\" stroke=\"none\"{own_size}{own_anchor}");
        self.push(attributes, Content::Texts(texts(text, size, anchor, (x, y), &turn)));
    }
}

/// Returns the attributes of a path of markers.
fn marks(look: Look) -> String {
    match look {
        Look::Outline => format!(" class=\"marks\"{}", stroke_width(units(OUTLINE))),
        Look::Ink => " class=\"marks\" fill=\"currentColor\" stroke=\"none\"".to_owned(),
        Look::Page => " class=\"marks page\" fill=\"#fff\" stroke=\"none\"".to_owned(),
    }
}

/// Returns the name of an anchor as a value of `text-anchor`.
fn name(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// Writes the elements of a text of a size in units, in a group with its anchor.
///
/// Each piece is an element of its own, since renderers place several pieces of one element differently. The piece
/// before a script ends, and the script begins, at a common position, so that they are adjacent in any font.
fn texts(text: &Text, size: f64, anchor: Anchor, (x, y): Place, turn: &str) -> String {
    if let [(Level::Base, plain)] = &*text.0 {
        return format!("<text x=\"{x}\" y=\"{y}\"{turn}>{}</text>\n", escape(plain));
    }
    let width = |(level, piece): &(Level, String)| sans_width(piece) * level.size() * size;
    let total: f64 = text.0.iter().map(width).sum();
    let mut place = f64::from(x) - total * anchor.share();
    let mut out = String::new();
    for (number, piece) in text.0.iter().enumerate() {
        let (level, words) = piece;
        let is_before_script =
            *level == Level::Base && text.0.get(number + 1).is_some_and(|(next, _)| *next != Level::Base);
        // Spaces at the ends of an element are ignored.
        let [leading, trailing] =
            [words.trim_start(), words.trim_end()].map(|left| sans_width(words) - sans_width(left));
        let (at, own_anchor) = match is_before_script {
            true => (place + width(piece) - trailing * size, "end"),
            false => (place + leading * level.size() * size, "start"),
        };
        place += width(piece);
        let own_anchor =
            if own_anchor == name(anchor) { String::new() } else { format!(" text-anchor=\"{own_anchor}\"") };
        let (at, y) = (at.round(), f64::from(y) - (level.rise() * size).round());
        let script = match level {
            Level::Base => String::new(),
            _ => format!(" class=\"script\" font-size=\"{}\"", (level.size() * size).round()),
        };
        let _ = writeln!(out, "<text x=\"{at}\" y=\"{y}\"{own_anchor}{script}{turn}>{}</text>", escape(words.trim()));
    }
    out
}

/// Returns the position and size of a rectangle as attributes.
fn rectangle((left, top): Place, (right, bottom): Place) -> String {
    format!(" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"", right - left, bottom - top)
}

/// Returns the width of a line as an attribute; empty for the usual width.
fn stroke_width(width: i32) -> String {
    if width == units(1.0) { String::new() } else { format!(" stroke-width=\"{width}\"") }
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Escapes text for an element or attribute; characters that XML forbids, or that change how the text around them is
/// displayed, are omitted.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if is_active(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Shape;
    use crate::style::Mark;

    #[test]
    fn paths_continue_from_the_previous_point() {
        let subpaths = [
            (vec![(10, 20), (10, 25)], false),
            (vec![(0, 0), (5, -5), (5, 5)], true),
            (vec![(1, 1), (4, 1)], false),
            (vec![(7, 7), (7, 7)], false),
        ];
        assert_eq!(data(&subpaths), "m10 20v5m-10-25 5-5 0 10zm1 1h3m3 6h0");
    }

    #[test]
    fn shapes_of_one_style_share_an_element() {
        let marker = |mark, x, hollow| Shape::Marker { mark, at: [x, 1.0], radius: 2.0, hollow };
        let shapes = vec![
            marker(Mark::Circle, 1.0, false),
            marker(Mark::Circle, 2.0, false),
            marker(Mark::Diamond, 3.0, false),
            marker(Mark::Diamond, 4.0, true),
            marker(Mark::Diamond, 5.0, true),
        ];
        let group = Group { ink: Ink::Grid, part: Part::Scaffold, shapes };
        let out = write(&Drawing { groups: vec![group], ..Drawing::default() });
        // Each open marker consists of a page-coloured area and an outline.
        assert_eq!(out.matches("<path").count(), 2 + 2 * 2, "{out}");
        assert!(out.contains("stroke-width=\"52\" stroke-linecap=\"round\" d=\"m10 10h0m10 0h0\""), "{out}");
    }

    #[test]
    fn open_circles_share_one_path() {
        let ring = |x| Shape::Marker { mark: Mark::Ring, at: [x, 3.0], radius: 2.0, hollow: false };
        let group = Group { ink: Ink::Grid, part: Part::Scaffold, shapes: vec![ring(4.0), ring(5.0), ring(4.0)] };
        let out = write(&Drawing { groups: vec![group], ..Drawing::default() });
        assert!(out.contains("d=\"m20 30a20 20 0 1 1 0 1zm10 0a20 20 0 1 1 0 1z\""), "{out}");
    }

    /// Returns the attributes and the content of each text.
    fn written(svg: &str) -> Vec<(Vec<(&str, &str)>, &str)> {
        svg.split("<text")
            .skip(1)
            .map(|rest| {
                let (head, rest) = rest.split_once('>').unwrap();
                let pairs = head.split('"').collect::<Vec<_>>();
                let pairs = pairs.chunks_exact(2).map(|pair| (pair[0].trim().trim_end_matches('='), pair[1])).collect();
                (pairs, rest.split_once("</text>").unwrap().0)
            })
            .collect()
    }

    #[test]
    fn a_script_starts_at_the_end_of_the_preceding_text() {
        let text = Text::markup("10^{-3} m_{1}");
        for (anchor, of_group) in [(Anchor::Start, "start"), (Anchor::Middle, "middle"), (Anchor::End, "end")] {
            let out = texts(&text, 100.0, anchor, (1000, 500), "");
            assert!(!out.contains("tspan"), "{out}");
            let all = written(&out);
            let get = |k: usize, key: &str| all[k].0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
            let words: Vec<&str> = all.iter().map(|(_, words)| *words).collect();
            assert_eq!(words, ["10", "−3", "m", "1"]);
            for (base, script) in [(0, 1), (2, 3)] {
                assert_eq!(get(base, "x"), get(script, "x"), "{out}");
                assert_eq!(get(base, "text-anchor").unwrap_or(of_group), "end", "{out}");
                assert_eq!(get(script, "text-anchor").unwrap_or(of_group), "start", "{out}");
                assert_eq!(get(base, "y"), Some("500"));
                assert_eq!(get(script, "y"), Some(if script == 1 { "462" } else { "516" }), "{out}");
                assert_eq!(get(script, "font-size"), Some("72"));
            }
            let at = |k: usize| get(k, "x").unwrap().parse::<f64>().unwrap();
            // "10" is 1.112 wide, "−3" 0.72 × 1.14, a space and "m" 1.111, "1" 0.4.
            let total = 100.0 * (1.112 + 0.72 * 1.14 + 1.111 + 0.72 * 0.556);
            let start = 1000.0 - total * anchor.share();
            assert!((at(0) - start - 111.2).abs() <= 0.5, "{out}");
            assert!((at(2) - start - 111.2 - 82.08 - 111.1).abs() <= 0.5, "{out}");
        }
    }
}
