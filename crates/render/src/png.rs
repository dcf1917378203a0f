//! A drawing as PNG, on white, set in the bundled font.
//!
//! Outlines of lines, markers and glyphs are filled by area coverage in a few levels; the pixels are those of a
//! plotters bitmap. The bytes are the same on every machine.

use std::cmp::Reverse;
use std::collections::HashMap;

use ab_glyph::{Font, Point, PxScale, ScaleFont, point};
use ab_glyph_rasterizer::Rasterizer;
use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::{Color, RGBColor};

use super::drawing::{Area, Drawing, Group, Shape};
use super::style::{Dash, Mark};
use super::text::{FONT, Text};

/// Why a bitmap could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The drawing has no area, or more pixels than memory is sensible for.
    #[error("a bitmap of {width} × {height} pixels cannot be drawn")]
    Size {
        /// Pixels across.
        width: f64,
        /// Pixels down.
        height: f64,
    },
    /// The surface refused a pixel.
    #[error("the bitmap could not be drawn: {0}")]
    Draw(String),
    /// The encoder failed.
    #[error("the bitmap could not be encoded")]
    Encode(#[from] ::png::EncodingError),
}

/// Pixels of the bitmap for a pixel of the drawing: 190 pixels an inch where it is 16 cm wide.
pub const SCALE: f64 = 2.0;

/// Steps from paper to ink across an edge: more are not seen at this scale, and cost bytes.
const EDGE_LEVELS: f64 = 3.0;

/// Colours of the palette.
const COLOURS: usize = 32;

/// Most pixels across or down.
const LARGEST: f64 = 20_000.0;

/// Encodes `drawing` with [`SCALE`].
///
/// # Errors
/// [`PngError::Size`] for a drawing that is empty or huge.
pub fn encode(drawing: &Drawing) -> Result<Vec<u8>, PngError> {
    let (width, height) = ((drawing.width * SCALE).ceil(), (drawing.height * SCALE).ceil());
    if !((1.0..=LARGEST).contains(&width) && (1.0..=LARGEST).contains(&height)) {
        return Err(PngError::Size { width, height });
    }
    let (width, height) = (width as u32, height as u32);
    let mut pixels = vec![0xff; width as usize * height as usize * 3];
    {
        let surface = BitMapBackend::with_buffer(&mut pixels, (width, height));
        let mut canvas = Canvas { surface, size: (width, height), ink: RGBColor(0, 0, 0) };
        for group in &drawing.groups {
            canvas.draw(group)?;
        }
    }
    compress(&pixels, width, height)
}

/// PNG of the pixels, which are indexed.
fn compress(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, PngError> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_compression(::png::Compression::Best);
    // Differences of indices into a palette mean nothing.
    encoder.set_filter(::png::FilterType::NoFilter);
    encoder.set_depth(::png::BitDepth::Eight);
    // Pixels per metre, so that a word processor shows the drawing's own size.
    let density = (SCALE * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(::png::PixelDimensions { xppu: density, yppu: density, unit: ::png::Unit::Meter }));
    let (palette, indices) = indexed(pixels);
    encoder.set_color(::png::ColorType::Indexed);
    encoder.set_palette(palette);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(bytes)
}

/// Palette and indices. Inks and paper are exact, being the most frequent colours; of the mixed ones at edges those that are
/// rare take the nearest of the others.
fn indexed(pixels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    let colours = || pixels.as_chunks::<3>().0.iter();
    for &colour in colours() {
        *counts.entry(colour).or_default() += 1;
    }
    let mut by_count: Vec<[u8; 3]> = counts.keys().copied().collect();
    by_count.sort_unstable_by_key(|colour| (Reverse(counts[colour]), *colour));
    let palette = &by_count[..by_count.len().min(COLOURS)];
    let distance = |a: &[u8; 3], b: &[u8; 3]| a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum();
    let nearest =
        |colour: &[u8; 3]| (0..palette.len()).min_by_key(|&index| -> u32 { distance(&palette[index], colour) });
    let index_of: HashMap<[u8; 3], u8> =
        by_count.iter().map(|colour| (*colour, nearest(colour).unwrap_or_default() as u8)).collect();
    (palette.concat(), colours().map(|colour| index_of[colour]).collect())
}

/// The level of an edge that is nearest to the part of a pixel that is covered.
fn level(coverage: f32) -> f64 {
    (f64::from(coverage.min(1.0)) * EDGE_LEVELS).round() / EDGE_LEVELS
}

struct Canvas<'b> {
    surface: BitMapBackend<'b>,
    size: (u32, u32),
    ink: RGBColor,
}

impl Canvas<'_> {
    fn draw(&mut self, group: &Group) -> Result<(), PngError> {
        let [r, g, b] = group.ink.on_light();
        self.ink = RGBColor(r, g, b);
        for shape in &group.shapes {
            match shape {
                Shape::Line { points, width, dash } => self.line(points, *width, *dash)?,
                Shape::Frame(Area { left, top, right, bottom }) => {
                    let corners = [[*left, *top], [*right, *top], [*right, *bottom], [*left, *bottom], [*left, *top]];
                    self.line(&corners, 1.0, Dash::Solid)?;
                }
                Shape::Fill { area: Area { left, top, right, bottom }, hollow } => {
                    let corners = vec![[*left, *top], [*right, *top], [*right, *bottom], [*left, *bottom]];
                    self.fill(&[corners], if *hollow { RGBColor(255, 255, 255) } else { self.ink })?;
                }
                Shape::Marker { mark, at, radius, hollow } => self.marker(*mark, *at, *radius, *hollow)?,
                Shape::Text { text, at, size, anchor, upwards } => {
                    let before = text.width(*size) * anchor.share();
                    let start = if *upwards { [at[0], at[1] + before] } else { [at[0] - before, at[1]] };
                    self.text(text, start, *size, *upwards)?;
                }
            }
        }
        Ok(())
    }

    /// Fills outlines, of which overlapping ones count once as long as all turn the same way.
    fn fill(&mut self, outlines: &[Vec<[f64; 2]>], colour: RGBColor) -> Result<(), PngError> {
        let points = || outlines.iter().flatten().map(|[x, y]| [x * SCALE, y * SCALE]);
        let low = points().fold([f64::MAX; 2], |low, p| [low[0].min(p[0]), low[1].min(p[1])]);
        let high = points().fold([f64::MIN; 2], |high, p| [high[0].max(p[0]), high[1].max(p[1])]);
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            return Ok(());
        }
        let origin = [low[0].floor(), low[1].floor()];
        let size = [(high[0] - origin[0]).ceil() as usize + 1, (high[1] - origin[1]).ceil() as usize + 1];
        let mut rasterizer = Rasterizer::new(size[0], size[1]);
        let place = |[x, y]: [f64; 2]| point((x * SCALE - origin[0]) as f32, (y * SCALE - origin[1]) as f32);
        for outline in outlines {
            let area: f64 = (0..outline.len())
                .map(|i| (outline[i], outline[(i + 1) % outline.len()]))
                .map(|(a, b)| a[0] * b[1] - b[0] * a[1])
                .sum();
            for i in 0..outline.len() {
                let (a, b) = (place(outline[i]), place(outline[(i + 1) % outline.len()]));
                if area < 0.0 { rasterizer.draw_line(b, a) } else { rasterizer.draw_line(a, b) }
            }
        }
        self.blend(&rasterizer, origin, colour)
    }

    fn blend(&mut self, rasterizer: &Rasterizer, origin: [f64; 2], colour: RGBColor) -> Result<(), PngError> {
        let (mut result, size) = (Ok(()), self.size);
        let surface = &mut self.surface;
        rasterizer.for_each_pixel_2d(|x, y, coverage| {
            let (x, y) = (i64::from(x) + origin[0] as i64, i64::from(y) + origin[1] as i64);
            let inside = (0..i64::from(size.0)).contains(&x) && (0..i64::from(size.1)).contains(&y);
            let coverage = level(coverage);
            if coverage > 0.0 && inside && result.is_ok() {
                let colour = colour.mix(coverage).to_backend_color();
                result =
                    surface.draw_pixel((x as i32, y as i32), colour).map_err(|error| PngError::Draw(error.to_string()));
            }
        });
        result
    }

    fn line(&mut self, points: &[[f64; 2]], width: f64, dash: Dash) -> Result<(), PngError> {
        let mut outlines = Vec::new();
        for piece in dashed(points, dash.lengths()) {
            stroke(&piece, width, &mut outlines);
        }
        self.fill(&outlines, self.ink)
    }

    fn marker(&mut self, mark: Mark, at: [f64; 2], radius: f64, hollow: bool) -> Result<(), PngError> {
        // On whole pixels of the bitmap markers of one form are equal, and compress as such.
        let [x, y] = at.map(|place| (place * SCALE).round() / SCALE);
        let white = RGBColor(255, 255, 255);
        let corners = mark.corners().unwrap_or_else(|| circle([0.0, 0.0], 1.0));
        let corners: Vec<[f64; 2]> = corners.iter().map(|[dx, dy]| [x + dx * radius, y + dy * radius]).collect();
        let closed = |mut corners: Vec<[f64; 2]>| {
            corners.push(corners[0]);
            corners
        };
        let mut outlines = Vec::new();
        if mark == Mark::Ring {
            stroke(&closed(corners), 1.2, &mut outlines);
        } else if mark.is_stroke() {
            if hollow {
                let ring = circle([x, y], 1.5 * radius);
                self.fill(std::slice::from_ref(&ring), white)?;
                stroke(&closed(ring), 1.2, &mut outlines);
            }
            for ends in corners.chunks(2) {
                stroke(ends, 1.6, &mut outlines);
            }
        } else {
            self.fill(std::slice::from_ref(&corners), if hollow { white } else { self.ink })?;
            stroke(&closed(corners), 1.2, &mut outlines);
        }
        self.fill(&outlines, self.ink)
    }

    fn text(&mut self, text: &Text, [x, y]: [f64; 2], size: f64, upwards: bool) -> Result<(), PngError> {
        let mut along = 0.0;
        for (level, piece) in &text.0 {
            let size = size * level.size();
            let rise = level.rise() * size / level.size();
            // ab_glyph scales by the font's height, sizes are those of the em square.
            let height = FONT.height_unscaled() / FONT.units_per_em().unwrap_or(2048.0);
            let font = FONT.as_scaled(PxScale::from((size * SCALE) as f32 * height));
            for c in piece.chars() {
                let glyph = font.scaled_glyph(c);
                let id = glyph.id;
                if let Some(outlined) = font.outline_glyph(glyph) {
                    let bounds = outlined.px_bounds();
                    let at = if upwards { [x - rise, y - along] } else { [x + along, y - rise] };
                    self.glyph(&outlined, bounds.min, at, upwards)?;
                }
                along += f64::from(font.h_advance(id)) / SCALE;
            }
        }
        Ok(())
    }

    /// Blends a glyph whose origin is at `at`; its own coverage is turned where the text runs upwards.
    fn glyph(
        &mut self,
        glyph: &ab_glyph::OutlinedGlyph,
        corner: Point,
        at: [f64; 2],
        upwards: bool,
    ) -> Result<(), PngError> {
        let (mut result, size, ink) = (Ok(()), self.size, self.ink);
        let surface = &mut self.surface;
        let origin = [(at[0] * SCALE).round() as i64, (at[1] * SCALE).round() as i64];
        glyph.draw(|dx, dy, coverage| {
            let (dx, dy) = (i64::from(dx) + corner.x as i64, i64::from(dy) + corner.y as i64);
            let (x, y) = if upwards { (origin[0] + dy, origin[1] - dx - 1) } else { (origin[0] + dx, origin[1] + dy) };
            let inside = (0..i64::from(size.0)).contains(&x) && (0..i64::from(size.1)).contains(&y);
            let coverage = level(coverage);
            if coverage > 0.0 && inside && result.is_ok() {
                let colour = ink.mix(coverage).to_backend_color();
                result =
                    surface.draw_pixel((x as i32, y as i32), colour).map_err(|error| PngError::Draw(error.to_string()));
            }
        });
        result
    }
}

/// Pieces of a line that are drawn, for lengths drawn and left out in turn.
fn dashed(points: &[[f64; 2]], lengths: &[f64]) -> Vec<Vec<[f64; 2]>> {
    if lengths.is_empty() || points.is_empty() {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut piece = vec![points[0]];
    let (mut number, mut left) = (0, lengths[0]);
    for ends in points.windows(2) {
        let length = (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let share = done / length;
            let here = [0, 1].map(|k| ends[0][k] + share * (ends[1][k] - ends[0][k]));
            if number % 2 == 0 {
                piece.push(here);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![here];
            }
            number += 1;
            left = lengths[number % lengths.len()];
        }
        left -= length - done;
        if number % 2 == 0 {
            piece.push(ends[1]);
        }
    }
    if number % 2 == 0 && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// Outlines that together are a line of the given width: a rectangle for each segment, a disc at each corner.
fn stroke(points: &[[f64; 2]], width: f64, outlines: &mut Vec<Vec<[f64; 2]>>) {
    let half = width / 2.0;
    for (number, ends) in points.windows(2).enumerate() {
        let [dx, dy] = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
        let length = dx.hypot(dy);
        if length == 0.0 {
            continue;
        }
        let [nx, ny] = [-dy / length * half, dx / length * half];
        let corner = |end: [f64; 2], side: f64| [end[0] + side * nx, end[1] + side * ny];
        outlines.push(vec![corner(ends[0], 1.0), corner(ends[0], -1.0), corner(ends[1], -1.0), corner(ends[1], 1.0)]);
        if number > 0 {
            outlines.push(circle(ends[0], half));
        }
    }
}

/// A circle as a polygon that a reader cannot tell from one.
fn circle([x, y]: [f64; 2], radius: f64) -> Vec<[f64; 2]> {
    let corners = if radius < 1.0 { 8 } else { 40 };
    (0..corners)
        .map(|k| (f64::from(k) * std::f64::consts::TAU / f64::from(corners)).sin_cos())
        .map(|(sin, cos)| [x + radius * cos, y + radius * sin])
        .collect()
}
