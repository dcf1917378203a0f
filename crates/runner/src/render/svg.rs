//! A drawing as SVG.
//!
//! Every colour is a CSS custom property with the colour for a white page as its fallback, so that a page that
//! inlines the figure sets its theme ([`theme`]) and a file by itself looks right on white. No font is needed: text is
//! set in whatever sans-serif there is.

use std::fmt::Write as _;

use super::drawing::{Anchor, Area, Drawing, EdgeScale, Group, Ink, Part, Shape};
use super::style::{Dash, Hue, Mark};
use super::text::{Level, Text};
use crate::results::decimal;

/// Fonts, of which the last is always there.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Attributes of what is filled with the page, and with ink.
const PAGE: &str = " fill=\"#fff\" style=\"fill:var(--figure-background,#fff)\"";
/// Radius, px, below which a circle is a dot of a cloud.
const SMALL: f64 = 2.0;
const FILLED: &str = " fill=\"currentColor\"";

/// Writes `drawing` as an SVG document.
#[must_use]
pub fn write(drawing: &Drawing) -> String {
    let mut out = String::new();
    let (width, height, id) = (number(drawing.width), number(drawing.height), escape(&drawing.id));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\" fill=\"none\" \
         stroke-linejoin=\"round\">\n<title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
        escape(&drawing.title),
        escape(&drawing.description)
    );
    let _ = writeln!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\" style=\"fill:var(--figure-background,#fff)\"/>"
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

/// Custom properties for figures on a dark page, as declarations for any CSS rule.
///
/// `background` is the page's colour; open markers are filled with it.
#[must_use]
pub fn theme(dark: bool, background: &str) -> String {
    let hues = Hue::ALL.into_iter().map(Ink::Hue);
    let inks = [Ink::Foreground, Ink::Published, Ink::Grid].into_iter().chain(hues);
    let mut css = format!("--figure-background:{background};");
    for ink in inks {
        let colour = if dark { ink.on_dark() } else { ink.on_light() };
        let _ = write!(css, "--figure-{}:{};", ink.name(), hex(colour));
    }
    css
}

fn write_group(out: &mut String, group: &Group) {
    let colour = hex(group.ink.on_light());
    let series = match &group.part {
        Part::Scaffold => String::new(),
        Part::Series(label) => format!(" data-series=\"{}\"", escape(label)),
        Part::Legend(label) => format!(" data-legend=\"{}\"", escape(label)),
    };
    // Viewers that do not know custom properties take the attribute.
    let _ = writeln!(
        out,
        "<g{series} color=\"{colour}\" style=\"color:var(--figure-{},{colour})\" stroke=\"currentColor\">",
        group.ink.name()
    );
    // Grid and ticks are many short lines, which one path says as well.
    let mut path = String::new();
    let mut dots = String::new();
    for shape in &group.shapes {
        match shape {
            Shape::Line { points, width: 1.0, dash: Dash::Solid } => {
                let _ = write!(path, "M{}", point_list(points).replace(' ', "L"));
            }
            // The outline of other markers is half as wide again.
            Shape::Marker { mark: Mark::Circle, at: [x, y], radius, hollow: false } if *radius < SMALL => {
                let (x, y, radius) = (tenths(*x), tenths(*y), number(radius + 0.6));
                let _ = write!(dots, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
            }
            _ => {
                write_shape(out, shape);
                out.push('\n');
            }
        }
    }
    if !dots.is_empty() {
        let _ = writeln!(out, "<g fill=\"currentColor\" stroke=\"none\">{dots}</g>");
    }
    if !path.is_empty() {
        let _ = writeln!(out, "<path d=\"{path}\"/>");
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
        "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" stroke=\"none\" pointer-events=\"all\" \
         data-x=\"{x}\" data-y=\"{y}\"/>",
        number(area.left),
        number(area.top),
        number(area.width()),
        number(area.height()),
    );
}

fn write_shape(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Line { points, width, dash } => {
            let lengths: Vec<String> = dash.lengths().iter().map(|&length| number(length)).collect();
            let dashes =
                if lengths.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", lengths.join(" ")) };
            let pairs: Vec<String> = points.iter().map(|[x, y]| format!("{},{}", tenths(*x), tenths(*y))).collect();
            let (points, width) = (pairs.join(" "), number(*width));
            let _ = write!(out, "<polyline points=\"{points}\" stroke-width=\"{width}\"{dashes}/>");
        }
        Shape::Frame(Area { left, top, right, bottom }) => {
            let (width, height) = (number(right - left), number(bottom - top));
            let _ = write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/>",
                number(*left),
                number(*top)
            );
        }
        Shape::Fill { area, hollow } => {
            let fill = if *hollow { PAGE } else { FILLED };
            let [x, y] = [area.left, area.top].map(number);
            let [width, height] = [area.width(), area.height()].map(number);
            let _ =
                write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" stroke=\"none\"{fill}/>");
        }
        Shape::Marker { mark, at, radius, hollow } => write_marker(out, *mark, *at, *radius, *hollow),
        Shape::Text { text, at: [x, y], size, anchor, upwards } => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let (x, y) = (number(*x), number(*y));
            let turn = if *upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{anchor}{turn} fill=\"currentColor\" stroke=\"none\">{}</text>",
                number(*size),
                spans(text, *size)
            );
        }
    }
}

fn write_marker(out: &mut String, mark: Mark, [x, y]: [f64; 2], radius: f64, hollow: bool) {
    let fill = if hollow {
        PAGE
    } else if mark.is_stroke() {
        ""
    } else {
        FILLED
    };
    let ring = |fill: &str, radius: f64| {
        format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" stroke-width=\"1.2\"{fill}/>",
            number(x),
            number(y),
            number(radius)
        )
    };
    let Some(corners) = mark.corners() else {
        out.push_str(&ring(fill, radius));
        return;
    };
    let corners: Vec<[f64; 2]> = corners.iter().map(|[dx, dy]| [x + dx * radius, y + dy * radius]).collect();
    if mark.is_stroke() {
        if hollow {
            out.push_str(&ring(fill, 1.5 * radius));
        }
        let strokes = corners.chunks(2).map(|ends| format!("M{}", point_list(ends).replace(' ', "L")));
        let _ = write!(out, "<path d=\"{}\" stroke-width=\"1.6\"/>", strokes.collect::<String>());
    } else {
        let _ = write!(out, "<polygon points=\"{}\" stroke-width=\"1.2\"{fill}/>", point_list(&corners));
    }
}

/// The pieces of a text; a shift of the baseline holds until the next one.
fn spans(text: &Text, size: f64) -> String {
    let mut out = String::new();
    let mut rise = 0.0;
    for (level, piece) in &text.0 {
        let shift = (rise - level.rise()) * size;
        rise = level.rise();
        // A space at the start of a piece would be dropped by some viewers.
        let piece = escape(piece);
        let piece = piece.strip_prefix(' ').map_or_else(|| piece.clone(), |rest| format!("\u{a0}{rest}"));
        if *level == Level::Base && shift == 0.0 {
            out.push_str(&piece);
        } else {
            let font_size = if *level == Level::Base {
                String::new()
            } else {
                format!(" font-size=\"{}\"", number(level.size() * size))
            };
            let _ = write!(out, "<tspan dy=\"{}\"{font_size}>{piece}</tspan>", number(shift));
        }
    }
    out
}

fn point_list(points: &[[f64; 2]]) -> String {
    let pairs: Vec<String> = points.iter().map(|[x, y]| format!("{},{}", number(*x), number(*y))).collect();
    pairs.join(" ")
}

/// Two decimals, without trailing zeros and without `-0`.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The same with one decimal, for curves and clouds of many points.
fn tenths(value: f64) -> String {
    number((value * 10.0).round() / 10.0)
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
    fn numbers_are_short() {
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(12.5), "12.5");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(0.126), "0.13");
    }

    #[test]
    fn a_superscript_returns_to_the_line() {
        let text = Text::markup("10^{-3} m");
        assert_eq!(
            spans(&text, 10.0),
            "10<tspan dy=\"-3.8\" font-size=\"7.2\">−3</tspan><tspan dy=\"3.8\">\u{a0}m</tspan>"
        );
    }
}
