//! Elements and attributes of a robot's file, and their errors.

use std::borrow::Cow;
use std::fmt;

use nalgebra::{Matrix3, Rotation3, Vector3};
use roxmltree::{Document, Error, Node, ParsingOptions};

/// Largest number of attributes of one element: the parser compares them in pairs.
const MOST_ATTRIBUTES: usize = 256;
/// Largest number of namespace declarations: the parser copies and searches them for each element.
const MOST_NAMESPACES: usize = 200;
/// Largest number of undeclared prefixes.
const MOST_PREFIXES: usize = 20;
/// Largest number of elements, texts and comments.
const MOST_NODES: u32 = 400_000;

/// The reason why a text is not a robot, and the place of the error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoRobot {
    /// First byte of the place.
    pub start: usize,
    /// Message for the user.
    pub message: String,
    /// Accepted alternatives.
    pub accepted: String,
    /// An unknown name; empty if there is none.
    pub name: String,
    /// Known names, for suggestions.
    pub known: Vec<String>,
}

impl fmt::Display for NoRobot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; accepted: {}", self.message, self.accepted)
    }
}

/// The error for an element.
pub(super) fn refused(node: Node<'_, '_>, message: impl Into<String>, accepted: impl Into<String>) -> NoRobot {
    refused_at(node.range().start, message, accepted)
}

fn refused_at(start: usize, message: impl Into<String>, accepted: impl Into<String>) -> NoRobot {
    NoRobot { start, message: message.into(), accepted: accepted.into(), ..NoRobot::default() }
}

/// Parsing options with the limit of nodes.
fn options<'o>() -> ParsingOptions<'o> {
    ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() }
}

/// Checks limits, and replaces the colon of undeclared prefixes by a dot in names of elements and attributes, because
/// `xmlns` is often forgotten: `<drake:joint>` becomes `<drake.joint>`.
pub(super) fn readable(text: &str) -> Result<Cow<'_, str>, NoRobot> {
    within_limits(text)?;
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_PREFIXES {
        let Err(Error::UnknownNamespace(prefix, _)) = Document::parse_with_options(&text, options()) else { break };
        let begins_name = |at: &usize| text[..*at].ends_with(|c: char| c == '<' || c == '/' || c.is_ascii_whitespace());
        let with_colon = format!("{prefix}:");
        let names = text.match_indices(&with_colon).map(|(at, _)| at).filter(begins_name);
        let colons: Vec<usize> = names.map(|at| at + prefix.len()).collect();
        let mut bytes = text.into_owned().into_bytes();
        colons.into_iter().for_each(|at| bytes[at] = b'.');
        text = Cow::Owned(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(text)
}

/// Parses a readable text, which must have no unresolved xacro.
pub(super) fn parse(text: &str) -> Result<Document<'_>, NoRobot> {
    let document = Document::parse_with_options(text, options()).map_err(|error| {
        let place = error.pos();
        let line: usize = text.split_inclusive('\n').take(place.row as usize - 1).map(str::len).sum();
        let column =
            text[line..].char_indices().nth(place.col as usize - 1).map_or(text.len() - line, |(byte, _)| byte);
        let accepted = match error {
            Error::NodesLimitReached => format!("a file of at most {MOST_NODES} elements, texts and comments"),
            _ => "well-formed XML".to_owned(),
        };
        refused_at(line + column, error.to_string(), accepted)
    })?;
    without_xacro(&document)?;
    Ok(document)
}

/// Counts attributes and namespaces before the parser reads them.
fn within_limits(text: &str) -> Result<(), NoRobot> {
    if let Some((start, _)) = text.match_indices("xmlns").nth(MOST_NAMESPACES) {
        let message = format!("the file has more than {MOST_NAMESPACES} `xmlns`");
        let accepted = format!("at most {MOST_NAMESPACES} namespaces");
        return Err(refused_at(start, message, accepted));
    }
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        let rest = &text[start..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter();
        if let Some((open, close)) = skipped.into_iter().find(|(open, _)| rest.starts_with(open)) {
            from = rest[open.len()..].find(close).map_or(text.len(), |at| start + open.len() + at + close.len());
            continue;
        }
        let (mut quote, mut attributes, mut end) = (None, 0, text.len());
        for (at, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    end = start + at + 1;
                    break;
                }
                (None, _) => {}
            }
        }
        if attributes > MOST_ATTRIBUTES {
            let message = format!("an element has {attributes} attributes");
            let accepted = format!("at most {MOST_ATTRIBUTES} attributes");
            return Err(refused_at(start, message, accepted));
        }
        from = end;
    }
    Ok(())
}

/// Refuses files that need `xacro`: parts of the robot would be missing.
fn without_xacro(document: &Document<'_>) -> Result<(), NoRobot> {
    let accepted = "plain URDF, as written by `xacro FILE > robot.urdf`";
    for node in document.descendants().filter(Node::is_element) {
        let (name, namespace) = (node.tag_name().name(), node.tag_name().namespace().unwrap_or_default());
        let undeclared = name.strip_prefix("xacro.");
        if undeclared.is_some() || namespace.contains("xacro") {
            let name = undeclared.unwrap_or(name);
            return Err(refused(node, format!("`<xacro:{name}>` is not resolved"), accepted));
        }
        if let Some(raw) = node.attributes().find(|own| own.value().contains("${") || own.value().contains("$(")) {
            return Err(refused_at(raw.range().start, format!("`{}` is not resolved", raw.value()), accepted));
        }
    }
    Ok(())
}

/// The child elements with a name, in the namespace of the parent.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    let namespace = node.tag_name().namespace();
    node.children().filter(move |child| {
        child.is_element() && child.tag_name().name() == name && child.tag_name().namespace() == namespace
    })
}

/// The child element with a name, if present; fails if there are several.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Option<Node<'a, 'i>>, NoRobot> {
    let mut named = children(node, name);
    let first = named.next();
    match named.next() {
        Some(second) => {
            let own = node.tag_name().name();
            Err(refused(second, format!("`<{own}>` has more than one `<{name}>`"), "at most one"))
        }
        None => Ok(first),
    }
}

pub(super) fn needed<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, NoRobot> {
    let own = node.tag_name().name();
    child(node, name)?
        .ok_or_else(|| refused(node, format!("`<{own}>` has no `<{name}>`"), format!("an element `<{name}>`")))
}

pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, NoRobot> {
    let own = node.tag_name().name();
    node.attribute(name)
        .ok_or_else(|| refused(node, format!("`<{own}>` has no `{name}`"), format!("an attribute `{name}`")))
}

pub(super) fn number(node: Node<'_, '_>, name: &str) -> Result<Option<f64>, NoRobot> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(refused(node, format!("`{name}` is `{text}`"), "a finite number")),
    }
}

pub(super) fn numbers(node: Node<'_, '_>, name: &str) -> Result<Option<[f64; 3]>, NoRobot> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    let found: Option<Vec<f64>> = text.split_whitespace().take(4).map(|part| part.parse().ok()).collect();
    match found.map(<[f64; 3]>::try_from) {
        Some(Ok(numbers)) if numbers.iter().all(|x| x.is_finite()) => Ok(Some(numbers)),
        _ => Err(refused(node, format!("`{name}` is `{text}`"), "three finite numbers")),
    }
}

/// A point with axes in the frame of a link.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) at: Vector3<f64>,
    pub(super) turn: Rotation3<f64>,
}

impl Origin {
    /// The frame of the link itself.
    pub(super) fn frame() -> Self {
        Self { at: Vector3::zeros(), turn: Rotation3::identity() }
    }

    /// The child `origin` of an element, or the frame of the element if it has none.
    pub(super) fn of(node: Node<'_, '_>) -> Result<Self, NoRobot> {
        let Some(origin) = child(node, "origin")? else { return Ok(Self::frame()) };
        if let Some(other) = origin.attributes().find(|own| !["xyz", "rpy"].contains(&own.name())) {
            return Err(refused(origin, format!("`<origin>` has the attribute `{}`", other.name()), "`xyz` and `rpy`"));
        }
        let [roll, pitch, yaw] = numbers(origin, "rpy")?.unwrap_or_default();
        let at = numbers(origin, "xyz")?.unwrap_or_default().into();
        Ok(Self { at, turn: Rotation3::from_euler_angles(roll, pitch, yaw) })
    }

    /// Another origin that is given in the frame of this one, in the frame of the link.
    pub(super) fn then(&self, next: &Self) -> Self {
        Self { at: self.at + self.turn * next.at, turn: self.turn * next.turn }
    }
}

/// Mass and inertia of a link.
#[derive(Clone)]
pub(super) struct Inertial {
    /// Mass, kg.
    pub(super) mass: f64,
    /// Centre of mass in the frame of the link, m.
    pub(super) centre: Vector3<f64>,
    /// Inertia about the centre of mass in the axes of the link, kg m².
    pub(super) inertia: Matrix3<f64>,
}

impl Inertial {
    /// The same in a frame in which the link has this origin.
    pub(super) fn seen_from(&self, origin: &Origin) -> Self {
        let turn = origin.turn.matrix();
        let inertia = turn * self.inertia * turn.transpose();
        Self { mass: self.mass, centre: origin.at + origin.turn * self.centre, inertia }
    }

    /// The child `inertial` of a link; missing moments of inertia are zero.
    pub(super) fn of(link: Node<'_, '_>) -> Result<Option<Self>, NoRobot> {
        let Some(inertial) = child(link, "inertial")? else { return Ok(None) };
        let node = needed(inertial, "mass")?;
        attribute(node, "value")?;
        let mass = number(node, "value")?.unwrap_or_default();
        if mass < 0.0 {
            return Err(refused(node, format!("the mass is {mass} kg"), "a mass of zero or above"));
        }
        let origin = Origin::of(inertial)?;
        let moments = child(inertial, "inertia")?;
        let entry = |name| moments.map_or(Ok(None), |moments| number(moments, name)).map(Option::unwrap_or_default);
        let (xx, yy, zz, xy, xz, yz) =
            (entry("ixx")?, entry("iyy")?, entry("izz")?, entry("ixy")?, entry("ixz")?, entry("iyz")?);
        let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let inertia = origin.turn.matrix() * own * origin.turn.matrix().transpose();
        Ok(Some(Self { mass, centre: origin.at, inertia }))
    }
}
