//! Animations as GIF and APNG on white. Only the changed part of each drawing is written.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Animation;
use crate::png::{BitmapError, Pixels, pixels};

/// Bitmap pixels per pixel of the drawings.
const SCALE: f64 = 1.0;
/// The number of colours in a GIF.
const COLOURS: usize = 256;

type Colour = [u8; 3];

/// Left edge, upper edge, width and height of a part of a bitmap, in pixels.
type Part = [usize; 4];

/// Writes a GIF that repeats forever.
///
/// # Errors
/// Fails if a drawing is empty or too large.
pub fn gif(animation: &Animation) -> Result<Vec<u8>, BitmapError> {
    let frames = bitmaps(animation)?;
    let palette = Palette::of(&frames);
    let mut bytes = Vec::new();
    let (width, height) = (frames[0].width as u16, frames[0].height as u16);
    let mut encoder = ::gif::Encoder::new(&mut bytes, width, height, palette.colours.as_flattened())?;
    encoder.set_repeat(::gif::Repeat::Infinite)?;
    for (k, part) in parts(&frames).into_iter().enumerate() {
        let [left, top, width, height] = part.map(|size| size as u16);
        let buffer = frames[k].within(part).map(|colour| palette.places[&colour]).collect();
        let delay = delay(animation, k, 100.0);
        let frame = ::gif::Frame { delay, left, top, width, height, buffer: Cow::Owned(buffer), ..Default::default() };
        encoder.write_frame(&frame)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// Writes a PNG with additional images that animate it in viewers with support for APNG.
///
/// # Errors
/// Fails if a drawing is empty or too large.
pub fn apng(animation: &Animation) -> Result<Vec<u8>, BitmapError> {
    let frames = bitmaps(animation)?;
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, frames[0].width as u32, frames[0].height as u32);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_compression(::png::Compression::Best);
    encoder.set_animated(frames.len() as u32, 0)?;
    let mut writer = encoder.write_header()?;
    for (k, part) in parts(&frames).into_iter().enumerate() {
        let [left, top, width, height] = part.map(|size| size as u32);
        let data: Vec<u8> = frames[k].within(part).flatten().collect();
        writer.set_frame_delay(delay(animation, k, 1000.0), 1000)?;
        // The position is reset first, because the encoder refuses a size that does not fit at the previous position.
        writer.set_frame_position(0, 0)?;
        writer.set_frame_dimension(width, height)?;
        writer.set_frame_position(left, top)?;
        writer.write_image_data(&data)?;
    }
    writer.finish()?;
    Ok(bytes)
}

fn bitmaps(animation: &Animation) -> Result<Vec<Pixels>, BitmapError> {
    animation.frames.iter().map(|drawing| pixels(drawing, SCALE)).collect()
}

/// Returns the duration of drawing `k` in units of 1/`unit` second, rounded such that errors do not accumulate.
fn delay(animation: &Animation, k: usize, unit: f64) -> u16 {
    let until = |k: usize| (k as f64 * animation.delay() * unit).round();
    (until(k + 1) - until(k)).clamp(1.0, f64::from(u16::MAX)) as u16
}

/// Returns the whole first bitmap and the changed part of each further one, or a single pixel if nothing has changed.
fn parts(frames: &[Pixels]) -> Vec<Part> {
    let all = [0, 0, frames[0].width, frames[0].height];
    std::iter::once(all).chain(frames.windows(2).map(|pair| changed(&pair[0], &pair[1]))).collect()
}

fn changed(before: &Pixels, after: &Pixels) -> Part {
    let width = after.width;
    let [mut left, mut right, mut top, mut bottom] = [width, 0, after.height, 0];
    for (k, (one, other)) in before.rgb.iter().zip(&after.rgb).enumerate() {
        if one != other {
            let (x, y) = (k % width, k / width);
            (left, right) = (left.min(x), right.max(x + 1));
            (top, bottom) = (top.min(y), bottom.max(y + 1));
        }
    }
    if left < right { [left, top, right - left, bottom - top] } else { [0, 0, 1, 1] }
}

impl Pixels {
    /// Returns the colours of a part, row by row.
    fn within(&self, [left, top, width, height]: Part) -> impl Iterator<Item = Colour> + '_ {
        (top..top + height).flat_map(move |row| self.rgb[row * self.width + left..][..width].iter().copied())
    }
}

/// The colours of a GIF: all colours, or those of most pixels if there are too many.
struct Palette {
    colours: Vec<Colour>,
    /// The index in the palette of each colour in the bitmaps, or of the nearest colour.
    places: HashMap<Colour, u8>,
}

impl Palette {
    fn of(frames: &[Pixels]) -> Self {
        let mut counts: HashMap<Colour, usize> = HashMap::new();
        for run in frames.iter().flat_map(|frame| frame.rgb.chunk_by(|a, b| a == b)) {
            *counts.entry(run[0]).or_default() += run.len();
        }
        let mut found: Vec<(Colour, usize)> = counts.into_iter().collect();
        found.sort_unstable_by_key(|&(colour, count)| (std::cmp::Reverse(count), colour));
        let colours: Vec<Colour> = found.iter().take(COLOURS).map(|&(colour, _)| colour).collect();
        let nearest = |colour: Colour| {
            let distance =
                |other: &Colour| colour.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum::<u32>();
            (0..colours.len()).min_by_key(|&k| distance(&colours[k])).unwrap_or(0) as u8
        };
        let places = found.iter().map(|&(colour, _)| (colour, nearest(colour))).collect();
        Self { colours, places }
    }
}
