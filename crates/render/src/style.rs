//! The look of a series: the same for a method in all figures.
//!
//! The family gives the colour, the member of the family the marker, and the spectral radius at infinity
//! ρ∞ the dashes. All of it depends on names and registry order alone, never on the order of runs.

/// Colour, marker and dashes of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Style {
    /// Colour of line and marker.
    pub hue: Hue,
    /// Marker.
    pub mark: Mark,
    /// Dashes of the line.
    pub dash: Dash,
}

/// Series colours. Neighbours in this list differ in lightness by at least six units of CIE L*, so that a grey print keeps
/// them apart; the hues are those of Okabe and Ito (2008), darkened, which stay apart in the common forms of colour blindness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

impl Hue {
    /// All, from dark to light.
    pub const ALL: [Self; 8] =
        [Self::Navy, Self::Wine, Self::Blue, Self::Purple, Self::Green, Self::Vermilion, Self::Sky, Self::Orange];

    /// Name, as in the custom property `--figure-NAME` of a style sheet.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Navy => "navy",
            Self::Wine => "wine",
            Self::Blue => "blue",
            Self::Purple => "purple",
            Self::Green => "green",
            Self::Vermilion => "vermilion",
            Self::Sky => "sky",
            Self::Orange => "orange",
        }
    }

    /// The colour on white, as red, green, blue.
    #[must_use]
    pub fn on_light(self) -> [u8; 3] {
        match self {
            Self::Navy => [0x1c, 0x1c, 0x78],
            Self::Wine => [0x80, 0x12, 0x2c],
            Self::Blue => [0x00, 0x5e, 0xa8],
            Self::Purple => [0xa4, 0x4c, 0x8c],
            Self::Green => [0x00, 0x8e, 0x68],
            Self::Vermilion => [0xe8, 0x6a, 0x14],
            Self::Sky => [0x44, 0xa8, 0xe6],
            Self::Orange => [0xe8, 0xa6, 0x0c],
        }
    }

    /// The colour on a dark page.
    #[must_use]
    pub fn on_dark(self) -> [u8; 3] {
        match self {
            Self::Navy => [0x8c, 0x8c, 0xf0],
            Self::Wine => [0xe8, 0x70, 0x84],
            Self::Blue => [0x4c, 0x9c, 0xe0],
            Self::Purple => [0xdc, 0x94, 0xc6],
            Self::Green => [0x34, 0xc4, 0x9a],
            Self::Vermilion => [0xff, 0x8a, 0x4a],
            Self::Sky => [0x96, 0xd4, 0xfa],
            Self::Orange => [0xf6, 0xca, 0x5a],
        }
    }
}

/// Markers, told apart by outline alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Mark {
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
    /// A circle that covers nothing, about the marker of another series.
    Ring,
}

impl Mark {
    /// All that stand for series of their own, in the order in which members of a family take them.
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

    /// Corners about the origin for a marker of radius 1, `y` downwards; `None` for circle and ring. Markers that are strokes
    /// ([`is_stroke`](Self::is_stroke)) list the two ends of each stroke in turn.
    #[must_use]
    pub fn corners(self) -> Option<Vec<[f64; 2]>> {
        let polygon = |n: u32, radius: f64, start: f64| {
            let corner = |k: u32| (start + f64::from(k) * 360.0 / f64::from(n)).to_radians();
            Some((0..n).map(|k| [radius * corner(k).cos(), radius * corner(k).sin()]).collect())
        };
        // Radii such that all have about the area of the circle.
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

    /// Whether it has no inside and so cannot be drawn hollow; hollow, it is drawn in a ring.
    #[must_use]
    pub fn is_stroke(self) -> bool {
        matches!(self, Self::Cross | Self::Plus)
    }
}

/// Dash patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Dash {
    Solid,
    Long,
    Short,
    DashDot,
    Dotted,
}

impl Dash {
    /// All, in the order of falling ρ∞.
    pub const ALL: [Self; 5] = [Self::Solid, Self::Long, Self::Short, Self::DashDot, Self::Dotted];

    /// Lengths drawn and left out in turn, px of the drawing; empty for a solid line.
    #[must_use]
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Long => &[9.0, 3.0],
            Self::Short => &[4.5, 2.7],
            Self::DashDot => &[6.5, 2.2, 1.6, 2.2],
            Self::Dotted => &[1.6, 2.2],
        }
    }

    /// Dashes for a spectral radius at infinity, in 0…1; solid for a method that has none.
    #[must_use]
    pub fn of_spectral_radius(rho_inf: Option<f64>) -> Self {
        match rho_inf {
            None => Self::Solid,
            Some(rho) if rho >= 0.95 => Self::Solid,
            Some(rho) if rho >= 0.7 => Self::Long,
            Some(rho) if rho >= 0.4 => Self::Short,
            Some(rho) if rho >= 0.1 => Self::DashDot,
            Some(_) => Self::Dotted,
        }
    }
}

/// Colours of the families known here. Families that meet in one figure of the papers are far apart in lightness.
const FAMILIES: &[(&str, Hue)] = &[
    ("explicit-runge-kutta", Hue::Blue),
    ("extrapolation", Hue::Orange),
    ("sliding-mode", Hue::Wine),
    ("newmark", Hue::Vermilion),
    ("hht", Hue::Vermilion),
    ("stiffly-stable", Hue::Green),
    ("bdf", Hue::Navy),
    ("ndf", Hue::Wine),
    ("sundials", Hue::Navy),
    ("linear-multistep", Hue::Blue),
    ("single-step", Hue::Orange),
    ("composite", Hue::Green),
    ("esdirk", Hue::Wine),
    ("implicit-runge-kutta", Hue::Purple),
    ("rosenbrock", Hue::Orange),
    ("verlet", Hue::Vermilion),
    ("contact-power", Hue::Green),
    ("exponential", Hue::Green),
    ("half-explicit", Hue::Sky),
];

impl Style {
    /// The style of a method: `family` and `member`, its place in the family's registry order from 0, and ρ∞
    /// where it has one.
    ///
    /// A family that is not in the table here takes a colour computed from the letters of its name.
    #[must_use]
    pub fn of_method(family: &str, member: usize, rho_inf: Option<f64>) -> Self {
        let known = FAMILIES.iter().find(|(name, _)| *name == family).map(|&(_, hue)| hue);
        let letters = family.bytes().fold(0_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 9973);
        Self {
            hue: known.unwrap_or(Hue::ALL[letters % Hue::ALL.len()]),
            mark: Mark::ALL[member % Mark::ALL.len()],
            dash: Dash::of_spectral_radius(rho_inf),
        }
    }

    /// The style of the `index`-th series of a panel whose series are not methods (several observables, several step sizes):
    /// colours and dashes that differ in lightness from one to the next.
    #[must_use]
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

    /// Makes styles of one panel differ where readers could not tell two series apart (one method with several values of a
    /// parameter; members of one family drawn as lines without markers): the second and later of equal ones take the next
    /// dashes and markers that are free. Styles that can be told apart are left alone.
    ///
    /// `marked` says whether the series are drawn with markers.
    pub fn distinguish(styles: &mut [Self], marked: bool) {
        let alike = |a: &Self, b: &Self| a.hue == b.hue && a.dash == b.dash && (!marked || a.mark == b.mark);
        for i in 1..styles.len() {
            let (done, rest) = styles.split_at_mut(i);
            let original = rest[0];
            let next = |shift: usize| Self {
                hue: Hue::ALL[(original.hue as usize + shift / Dash::ALL.len()) % Hue::ALL.len()],
                mark: Mark::ALL[(original.mark as usize + if marked { shift } else { 0 }) % Mark::ALL.len()],
                dash: Dash::ALL[(original.dash as usize + shift) % Dash::ALL.len()],
            };
            let free = (0..Hue::ALL.len() * Dash::ALL.len()).map(next).find(|new| !done.iter().any(|b| alike(new, b)));
            rest[0] = free.unwrap_or(original);
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

    /// CIE lightness L* from relative luminance above 0.0089.
    fn lightness(colour: [u8; 3]) -> f64 {
        116.0 * luminance(colour).cbrt() - 16.0
    }

    #[test]
    fn colours_stay_apart_in_grey() {
        for pair in Hue::ALL.windows(2) {
            let step = lightness(pair[1].on_light()) - lightness(pair[0].on_light());
            assert!(step >= 6.0, "{pair:?} differ by {step:.1} in lightness");
        }
    }

    #[test]
    fn colours_stand_out_from_their_page() {
        // WCAG asks 3:1 of graphical objects; the lightest colours on white are below it, never below 2:1, and always
        // come with a marker or dashes of their own.
        for hue in Hue::ALL {
            let on_white = 1.05 / (luminance(hue.on_light()) + 0.05);
            let on_dark = (luminance(hue.on_dark()) + 0.05) / (luminance([0x16, 0x18, 0x1c]) + 0.05);
            assert!(on_white >= 2.0, "{hue:?} on white {on_white:.1}");
            assert!(on_dark >= 4.5, "{hue:?} on dark {on_dark:.1}");
        }
    }

    #[test]
    fn a_method_looks_the_same_whatever_else_is_shown() {
        let style = Style::of_method("explicit-runge-kutta", 2, None);
        assert_eq!(style, Style { hue: Hue::Blue, mark: Mark::TriangleUp, dash: Dash::Solid });
        assert_eq!(Style::of_method("my-own-family", 0, Some(0.5)), Style::of_method("my-own-family", 0, Some(0.5)));
        assert_ne!(Style::of_method("bdf", 0, Some(0.0)), Style::of_method("bdf", 0, Some(1.0)));
    }

    #[test]
    fn series_that_look_alike_become_different() {
        let mut styles = vec![Style::of_method("hht", 0, None); 9];
        Style::distinguish(&mut styles, true);
        for (i, style) in styles.iter().enumerate() {
            assert!(!styles[..i].contains(style), "series {i} repeats {style:?}");
        }
        assert_eq!(styles[0], Style::of_method("hht", 0, None));

        let members: Vec<Style> = (0..9).map(|member| Style::of_method("hht", member, None)).collect();
        let mut with_markers = members.clone();
        Style::distinguish(&mut with_markers, true);
        assert_eq!(with_markers, members, "markers tell them apart");
        let mut lines = members;
        Style::distinguish(&mut lines, false);
        for (i, style) in lines.iter().enumerate() {
            let alike = |other: &Style| other.hue == style.hue && other.dash == style.dash;
            assert!(!lines[..i].iter().any(alike), "line {i} repeats {style:?}");
        }
    }

    #[test]
    fn nine_series_without_methods_all_differ() {
        let styles: Vec<_> = (0..40).map(Style::of_index).collect();
        for (i, style) in styles.iter().enumerate() {
            assert!(!styles[..i].contains(style), "series {i} repeats {style:?}");
        }
    }
}
