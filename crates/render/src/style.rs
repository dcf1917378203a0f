//! Styles of series: a method has the same style in all figures.
//!
//! The family determines the colour, and the index within the family the marker. Dashes follow from the spectral radius
//! at infinity ρ∞ or, for methods without one, from that index. Everything depends only on names and registry order,
//! never on the other contents of a figure, and no two methods of the families known here share both colour and marker.

/// Colour, marker and dashes of a series.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The colour of line and marker.
    pub hue: Hue,
    /// The marker.
    pub mark: Mark,
    /// The dashes of the line.
    pub dash: Dash,
}

/// The colours of series. Neighbours in this list differ in lightness by at least six units of CIE L*, so that they can
/// be distinguished in grey. The hues are from Okabe and Ito (2008), darkened, and remain distinct in the common
/// forms of colour blindness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Hue {
    /// Darkest.
    Navy,
    /// Dark red.
    Wine,
    /// Blue.
    Blue,
    /// Reddish purple.
    Purple,
    /// Bluish green.
    Green,
    /// Vermilion.
    Vermilion,
    /// Sky blue.
    Sky,
    /// Lightest.
    Orange,
    /// The ink of axes and text, for methods from outside and for series that are not methods.
    #[default]
    Ink,
}

impl Hue {
    /// All colours except the ink of text, from dark to light.
    pub const ALL: [Self; 8] =
        [Self::Navy, Self::Wine, Self::Blue, Self::Purple, Self::Green, Self::Vermilion, Self::Sky, Self::Orange];

    /// Returns the name used in the custom property `--figure-NAME` of a style sheet, and the colours on a white and on
    /// a dark page as red, green, blue.
    pub fn look(self) -> (&'static str, [u8; 3], [u8; 3]) {
        match self {
            Self::Navy => ("navy", [0x1c, 0x1c, 0x78], [0x8c, 0x8c, 0xf0]),
            Self::Wine => ("wine", [0x80, 0x12, 0x2c], [0xe8, 0x70, 0x84]),
            Self::Blue => ("blue", [0x00, 0x5e, 0xa8], [0x4c, 0x9c, 0xe0]),
            Self::Purple => ("purple", [0xa4, 0x4c, 0x8c], [0xdc, 0x94, 0xc6]),
            Self::Green => ("green", [0x00, 0x8e, 0x68], [0x34, 0xc4, 0x9a]),
            Self::Vermilion => ("vermilion", [0xe8, 0x6a, 0x14], [0xff, 0x8a, 0x4a]),
            Self::Sky => ("sky", [0x44, 0xa8, 0xe6], [0x96, 0xd4, 0xfa]),
            Self::Orange => ("orange", [0xe8, 0xa6, 0x0c], [0xf6, 0xca, 0x5a]),
            Self::Ink => ("ink", [0x1a, 0x1a, 0x1a], [0xe4, 0xe4, 0xe4]),
        }
    }
}

/// Markers that differ in outline alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Mark {
    #[default]
    Circle,
    Square,
    TriangleUp,
    Diamond,
    TriangleDown,
    Cross,
    Plus,
    Pentagon,
    TriangleLeft,
    TriangleRight,
    /// A circle around the marker of another series, which it does not cover.
    Ring,
}

impl Mark {
    /// All markers of single series, in the order in which members of a family use them.
    pub const ALL: [Self; 10] = [
        Self::Circle,
        Self::Square,
        Self::TriangleUp,
        Self::Diamond,
        Self::TriangleDown,
        Self::Cross,
        Self::Plus,
        Self::Pentagon,
        Self::TriangleLeft,
        Self::TriangleRight,
    ];

    /// Returns the corners of a marker of radius 1 about the origin, `y` downwards; `None` for circle and ring. Markers
    /// made of strokes ([`is_stroke`](Self::is_stroke)) list the two ends of each stroke in turn.
    pub fn corners(self) -> Option<Vec<[f64; 2]>> {
        let polygon = |n: u32, radius: f64, start: f64| {
            let corner = |k: u32| (start + f64::from(k) * 360.0 / f64::from(n)).to_radians();
            Some((0..n).map(|k| [radius * corner(k).cos(), radius * corner(k).sin()]).collect())
        };
        // The radii give all markers about the area of the circle.
        match self {
            Self::Circle | Self::Ring => None,
            Self::Square => polygon(4, 1.25, 45.0),
            Self::Diamond => polygon(4, 1.3, 0.0),
            Self::TriangleUp => polygon(3, 1.45, -90.0),
            Self::TriangleDown => polygon(3, 1.45, 90.0),
            Self::TriangleLeft => polygon(3, 1.45, 180.0),
            Self::TriangleRight => polygon(3, 1.45, 0.0),
            Self::Pentagon => polygon(5, 1.15, -90.0),
            Self::Cross => Some(vec![[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]),
            Self::Plus => Some(vec![[-1.3, 0.0], [1.3, 0.0], [0.0, -1.3], [0.0, 1.3]]),
        }
    }

    /// True if the marker has no inside and cannot be hollow; a ring is drawn around it instead.
    pub fn is_stroke(self) -> bool {
        matches!(self, Self::Cross | Self::Plus)
    }
}

/// Dash patterns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Dash {
    #[default]
    Solid,
    Long,
    Short,
    DashDot,
    Dotted,
}

impl Dash {
    /// All patterns, in the order of decreasing ρ∞.
    pub const ALL: [Self; 5] = [Self::Solid, Self::Long, Self::Short, Self::DashDot, Self::Dotted];

    /// Returns the lengths drawn and omitted in turn, px of the drawing; empty for a solid line.
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Long => &[9.0, 3.0],
            Self::Short => &[4.5, 2.7],
            Self::DashDot => &[6.5, 2.2, 1.6, 2.2],
            Self::Dotted => &[1.6, 2.2],
        }
    }

    /// Returns the dashes for a spectral radius at infinity between 0 and 1.
    pub fn of_spectral_radius(rho_inf: f64) -> Self {
        Self::ALL[[0.95, 0.7, 0.4, 0.1].into_iter().filter(|&least| rho_inf < least).count()]
    }
}

/// The families known here, each with its colour and the index in [`Mark::ALL`] of its first member's marker. Families
/// that share a colour are unlikely to appear together among the best methods of a model, and use markers from
/// different parts of the list. Families that do appear together begin with different markers, so that they can be
/// distinguished in grey.
const FAMILIES: &[(&str, Hue, usize)] = &[
    ("explicit-runge-kutta", Hue::Blue, 0),
    ("sundials", Hue::Navy, 1),
    ("linear-multistep", Hue::Navy, 4),
    ("ndf", Hue::Wine, 2),
    ("verlet", Hue::Wine, 3),
    ("implicit-runge-kutta", Hue::Purple, 3),
    ("esdirk", Hue::Purple, 5),
    ("composite", Hue::Green, 0),
    ("extended-bdf", Hue::Green, 4),
    ("exponential", Hue::Green, 5),
    ("contact-power", Hue::Green, 7),
    ("low-order", Hue::Vermilion, 0),
    ("rosenbrock", Hue::Vermilion, 8),
    ("single-step", Hue::Orange, 0),
    ("extrapolation", Hue::Orange, 9),
    ("half-explicit", Hue::Sky, 7),
    ("index-2", Hue::Sky, 0),
    ("lie-group", Hue::Sky, 2),
    ("linearly-implicit", Hue::Sky, 3),
    ("sub-step", Hue::Wine, 7),
];

impl Style {
    /// Returns the style of a method from its `family`, the index `member` in the family's registry order, and ρ∞ if
    /// the method has one.
    ///
    /// Families that are not in the table are drawn in the ink of text, which no known family has. Their first marker
    /// is computed from the letters of the name.
    pub fn of_method(family: &str, member: usize, rho_inf: Option<f64>) -> Self {
        let letters = || family.bytes().fold(0_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 9973);
        let known = FAMILIES.iter().find(|(name, ..)| *name == family).map(|&(_, hue, first)| (hue, first));
        let (hue, first) = known.unwrap_or_else(|| (Hue::Ink, letters()));
        Self {
            hue,
            mark: Mark::ALL[(first + member) % Mark::ALL.len()],
            dash: rho_inf.map_or(Dash::ALL[member % Dash::ALL.len()], Dash::of_spectral_radius),
        }
    }

    /// Returns the style of a family as a whole: that of its first member, with a solid line.
    pub fn of_family(family: &str) -> Self {
        Self::of_method(family, 0, None)
    }

    /// Returns the style of a series that does not belong to one method, such as the best of several: a dashed line in
    /// the ink of text.
    pub fn of_all() -> Self {
        Self { hue: Hue::Ink, mark: Mark::Circle, dash: Dash::Short }
    }

    /// Returns the style of the `index`-th series of a panel whose series are not methods (several observables, several
    /// step sizes). Colours and dashes of successive series differ in lightness.
    pub fn of_index(index: usize) -> Self {
        const HUES: [Hue; 8] =
            [Hue::Blue, Hue::Vermilion, Hue::Green, Hue::Navy, Hue::Orange, Hue::Purple, Hue::Sky, Hue::Wine];
        const DASHES: [Dash; 5] = [Dash::Solid, Dash::Short, Dash::DashDot, Dash::Dotted, Dash::Long];
        Self {
            hue: HUES[index % HUES.len()],
            mark: Mark::ALL[index % Mark::ALL.len()],
            dash: DASHES[index % DASHES.len()],
        }
    }

    /// Makes the styles of one panel distinct if two series look alike (for example one method with several values of a
    /// parameter). The second and later of equal styles keep their colour and marker and get the next unused dashes.
    /// When these are exhausted, they get the next marker or, for lines without markers, the next colour. Distinct
    /// styles are not changed.
    ///
    /// `marked` is true if the series are drawn with markers.
    pub fn distinguish(styles: &mut [Self], marked: bool) {
        let alike = |a: &Self, b: &Self| a.hue == b.hue && a.dash == b.dash && (!marked || a.mark == b.mark);
        for i in 1..styles.len() {
            let (done, rest) = styles.split_at_mut(i);
            let original = rest[0];
            let next = |shift: usize| {
                let (round, dash) = (shift / Dash::ALL.len(), shift % Dash::ALL.len());
                let (marks, hues) = if marked { (round, round / Mark::ALL.len()) } else { (0, round) };
                // The first round keeps the colour.
                let hue =
                    if hues == 0 { original.hue } else { Hue::ALL[(original.hue as usize + hues) % Hue::ALL.len()] };
                Self {
                    hue,
                    mark: Mark::ALL[(original.mark as usize + marks) % Mark::ALL.len()],
                    dash: Dash::ALL[(original.dash as usize + dash) % Dash::ALL.len()],
                }
            };
            let most = Hue::ALL.len() * Mark::ALL.len() * Dash::ALL.len();
            if let Some(free) = (0..most).map(next).find(|new| !done.iter().any(|b| alike(new, b))) {
                rest[0] = free;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance([r, g, b]: [u8; 3]) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    /// Returns the CIE lightness L* from a relative luminance above 0.0089.
    fn lightness(colour: [u8; 3]) -> f64 {
        116.0 * luminance(colour).cbrt() - 16.0
    }

    #[test]
    fn colours_stay_apart_in_grey() {
        for pair in Hue::ALL.windows(2) {
            let step = lightness(pair[1].look().1) - lightness(pair[0].look().1);
            assert!(step >= 6.0, "{pair:?} differ by {step:.1} in lightness");
        }
    }

    #[test]
    fn colours_stand_out_from_their_page() {
        // WCAG requires a contrast of 3:1 for graphical objects. The lightest colours on white have less, but never
        // below 2:1, and always have a distinct marker or dashes.
        for hue in Hue::ALL {
            let (_, light, dark) = hue.look();
            let on_white = 1.05 / (luminance(light) + 0.05);
            let on_dark = (luminance(dark) + 0.05) / (luminance([0x16, 0x18, 0x1c]) + 0.05);
            assert!(on_white >= 2.0, "{hue:?} on white {on_white:.1}");
            assert!(on_dark >= 4.5, "{hue:?} on dark {on_dark:.1}");
        }
    }

    #[test]
    fn a_method_always_has_the_same_style() {
        let style = Style::of_method("explicit-runge-kutta", 2, None);
        assert_eq!(style, Style { hue: Hue::Blue, mark: Mark::TriangleUp, dash: Dash::Short });
        assert_eq!(Style::of_method("my-own-family", 0, Some(0.5)), Style::of_method("my-own-family", 0, Some(0.5)));
        assert_eq!(
            Style::of_method("my-own-family", 0, None).hue,
            Hue::Ink,
            "no method that is known here looks like it"
        );
        assert_ne!(Style::of_method("low-order", 0, Some(0.0)), Style::of_method("low-order", 0, Some(1.0)));
    }

    #[test]
    fn series_that_look_alike_become_different() {
        let alone = Style::of_method("low-order", 1, Some(0.54));
        for marked in [true, false] {
            let mut styles = vec![alone; 9];
            Style::distinguish(&mut styles, marked);
            for (i, style) in styles.iter().enumerate() {
                let differs = |other: &Style| {
                    other.hue != style.hue || other.dash != style.dash || (marked && other.mark != style.mark)
                };
                assert!(styles[..i].iter().all(differs), "series {i} repeats {style:?}");
            }
            assert_eq!(styles[0], alone);
            let same = |style: &&Style| style.hue == alone.hue && style.mark == alone.mark;
            assert_eq!(styles.iter().take_while(same).count(), Dash::ALL.len(), "one method has one colour and marker");
        }
        let members: Vec<Style> = (0..8).map(|member| Style::of_method("low-order", member, None)).collect();
        let mut with_markers = members.clone();
        Style::distinguish(&mut with_markers, true);
        assert_eq!(with_markers, members, "markers tell them apart");
    }

    #[test]
    fn nine_series_without_methods_all_differ() {
        let styles: Vec<_> = (0..40).map(Style::of_index).collect();
        for (i, style) in styles.iter().enumerate() {
            assert!(!styles[..i].contains(style), "series {i} repeats {style:?}");
        }
    }
}
