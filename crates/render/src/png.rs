//! Drawings as PNG on white, with text in the bundled font. The bytes are the same on every machine.

use ab_glyph::{Font, OutlineCurve};
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Shader, Stroke, StrokeDash, Transform};

use super::canvas::{Canvas, Look, OUTLINE, Place, UNITS, corners, draw, units};
use super::drawing::{Anchor, Drawing, Group};
use super::style::Dash;
use super::text::{FONT, Text};

/// The reason for which a bitmap cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum BitmapError {
    /// The drawing is empty or has too many pixels.
    #[error("cannot draw a bitmap of {0} × {1} pixels")]
    Size(f64, f64),
    /// The encoder of PNG fails.
    #[error("cannot encode the bitmap")]
    Png(#[from] ::png::EncodingError),
    /// The encoder of GIF fails.
    #[error("cannot encode the GIF: {0}")]
    Gif(#[from] ::gif::EncodingError),
}

/// Bitmap pixels per pixel of the drawing: 190 pixels per inch if it is 16 cm wide.
pub const SCALE: f64 = 2.0;

/// The largest width or height in pixels.
const LARGEST: f64 = 20_000.0;

/// Encodes `drawing` with [`SCALE`].
///
/// # Errors
/// Returns [`BitmapError::Size`] if the drawing is empty or too large.
pub fn encode(drawing: &Drawing) -> Result<Vec<u8>, BitmapError> {
    let Pixels { width, height, rgb } = pixels(drawing, SCALE)?;
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_compression(::png::Compression::Best);
    // Pixels per metre, so that word processors show the drawing in its own size.
    let density = (SCALE * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(::png::PixelDimensions { xppu: density, yppu: density, unit: ::png::Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb.as_flattened())?;
    writer.finish()?;
    Ok(bytes)
}

/// A bitmap without transparency.
pub(crate) struct Pixels {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue, row by row from the top.
    pub rgb: Vec<[u8; 3]>,
}

/// Renders `drawing` on white with `scale` bitmap pixels per pixel.
pub(crate) fn pixels(drawing: &Drawing, scale: f64) -> Result<Pixels, BitmapError> {
    let (width, height) = ((drawing.width * scale).ceil(), (drawing.height * scale).ceil());
    let is_sensible = [width, height].iter().all(|size| (1.0..=LARGEST).contains(size));
    let pixmap = is_sensible.then(|| Pixmap::new(width as u32, height as u32)).flatten();
    let mut bitmap = Bitmap { pixmap: pixmap.ok_or(BitmapError::Size(width, height))?, ink: Color::BLACK, scale };
    bitmap.pixmap.fill(Color::WHITE);
    draw(drawing, &mut bitmap);
    let rgb = bitmap.pixmap.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]).collect();
    Ok(Pixels { width: width as usize, height: height as usize, rgb })
}

/// The pixels, and the colour of the group.
struct Bitmap {
    pixmap: Pixmap,
    ink: Color,
    /// Bitmap pixels per pixel of the drawing.
    scale: f64,
}

impl Bitmap {
    /// Draws an area; `width` is that of its outline.
    fn area(&mut self, path: Option<Path>, width: i32, look: Look) {
        match look {
            Look::Outline => self.stroke(path, width, Dash::Solid),
            Look::Ink => self.fill(path, self.ink, Transform::identity()),
            Look::Page => self.fill(path, Color::WHITE, Transform::identity()),
        }
    }

    /// Fills a path in canvas units after the transform `placed`.
    fn fill(&mut self, path: Option<Path>, color: Color, placed: Transform) {
        if let Some(path) = path {
            let placed = placed.post_concat(self.to_pixels());
            self.pixmap.fill_path(&path, &paint(color), FillRule::Winding, placed, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, width: i32, dash: Dash) {
        let lengths = dash.lengths().iter().map(|length| (length * UNITS) as f32).collect();
        let dash = StrokeDash::new(lengths, 0.0);
        let stroke = Stroke { width: width as f32, line_join: LineJoin::Round, dash, ..Stroke::default() };
        if let Some(path) = path {
            let to_pixels = self.to_pixels();
            self.pixmap.stroke_path(&path, &paint(self.ink), &stroke, to_pixels, None);
        }
    }

    /// Returns the transform from canvas units to pixels.
    fn to_pixels(&self) -> Transform {
        let scale = (self.scale / UNITS) as f32;
        Transform::from_scale(scale, scale)
    }
}

impl Canvas for Bitmap {
    fn begin(&mut self, group: &Group) {
        let (_, [r, g, b], _) = group.ink.look();
        self.ink = Color::from_rgba8(r, g, b, 255);
    }

    fn line(&mut self, points: Vec<Place>, width: i32, dash: Dash, _: bool) {
        let (points, is_closed) = corners(points);
        self.stroke(path(&points, is_closed), width, dash);
    }

    fn rectangle(&mut self, from: Place, to: Place, look: Look) {
        self.area(path(&[from, (to.0, from.1), to, (from.0, to.1)], true), units(1.0), look);
    }

    fn circle(&mut self, (x, y): Place, radius: i32, look: Look) {
        self.area(PathBuilder::from_circle(x as f32, y as f32, radius as f32), units(OUTLINE), look);
    }

    fn polygon(&mut self, corners: Vec<Place>, look: Look) {
        self.area(path(&corners, true), units(OUTLINE), look);
    }

    fn text(&mut self, text: &Text, (x, y): Place, size: f64, anchor: Anchor, upwards: bool) {
        let start = -anchor.share() * text.width(size);
        let turned = Transform::from_rotate(if upwards { -90.0 } else { 0.0 });
        self.fill(outlines(text, start, size), self.ink, turned.post_translate(x as f32, y as f32));
    }
}

/// Returns the outlines of a line of text whose baseline begins at `start` on the x axis.
fn outlines(text: &Text, start: f64, size: f64) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let mut along = start;
    for (level, piece) in &text.0 {
        let em = size * level.size() / f64::from(FONT.units_per_em().unwrap_or(2048.0));
        for glyph in piece.chars().map(|c| FONT.glyph_id(c)) {
            let place = |p: ab_glyph::Point| {
                ((along + em * f64::from(p.x)) as f32, (-size * level.rise() - em * f64::from(p.y)) as f32)
            };
            let mut end = None;
            for curve in FONT.outline(glyph).map(|outline| outline.curves).unwrap_or_default() {
                let (OutlineCurve::Line(from, to)
                | OutlineCurve::Quad(from, _, to)
                | OutlineCurve::Cubic(from, _, _, to)) = curve;
                if end.replace(to) != Some(from) {
                    let (x, y) = place(from);
                    builder.move_to(x, y);
                }
                let (x, y) = place(to);
                match curve {
                    OutlineCurve::Line(..) => builder.line_to(x, y),
                    OutlineCurve::Quad(_, c, _) => builder.quad_to(place(c).0, place(c).1, x, y),
                    OutlineCurve::Cubic(_, c, d, _) => {
                        builder.cubic_to(place(c).0, place(c).1, place(d).0, place(d).1, x, y);
                    }
                }
            }
            along += em * f64::from(FONT.h_advance_unscaled(glyph));
        }
    }
    builder.finish()
}

fn path(points: &[Place], is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for &(x, y) in points {
        // The first point begins the path.
        let (x, y) = (x as f32, y as f32);
        if builder.is_empty() { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    if is_closed {
        builder.close();
    }
    builder.finish()
}

fn paint(color: Color) -> Paint<'static> {
    Paint { shader: Shader::SolidColor(color), ..Paint::default() }
}
