//! Robots in the Unified Robot Description Format, as mechanisms.
//!
//! Read are `link`s with their `inertial` and the first `visual` or `collision` of a simple shape, and `joint`s with origin, axis and
//! `dynamics`. The root link is the ground. A link without mass on a `fixed` joint is a marker of the link before. Limits of joints, meshes,
//! materials and what programs add (`transmission`, `gazebo`) are left out; `mimic` and joints of several degrees but `floating` are refused.

use std::collections::{HashMap, HashSet};
use std::fmt;

use nalgebra::{Matrix3, Rotation3, Vector3};
use roxmltree::{Document, Node};
use serde_json::{Map, Value, json};

/// Why a text is no robot, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRobot {
    /// First byte of the place.
    pub start: usize,
    /// What is wrong there.
    pub message: String,
    /// What would be accepted.
    pub accepted: String,
}

impl fmt::Display for NoRobot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, accepted is {}", self.message, self.accepted)
    }
}

fn refused(node: Node<'_, '_>, message: impl Into<String>, accepted: impl Into<String>) -> NoRobot {
    NoRobot { start: node.range().start, message: message.into(), accepted: accepted.into() }
}

/// A place in the frame of a link.
#[derive(Clone, Copy)]
struct Origin {
    at: Vector3<f64>,
    turn: Rotation3<f64>,
}

impl Origin {
    const HERE: [f64; 3] = [0.0; 3];

    /// Of the child `origin` of an element; where there is none, its frame.
    fn of(node: Node<'_, '_>) -> Result<Self, NoRobot> {
        let Some(origin) = child(node, "origin") else {
            return Ok(Self { at: Vector3::zeros(), turn: Rotation3::identity() });
        };
        let [roll, pitch, yaw] = numbers(origin, "rpy")?.unwrap_or(Self::HERE);
        let at = numbers(origin, "xyz")?.unwrap_or(Self::HERE).into();
        Ok(Self { at, turn: Rotation3::from_euler_angles(roll, pitch, yaw) })
    }

    /// What is there in the frame of another origin.
    fn then(&self, next: &Self) -> Self {
        Self { at: self.at + self.turn * next.at, turn: self.turn * next.turn }
    }

    fn marker(&self) -> Value {
        json!({ "at": self.at.as_slice(), "rotation": self.turn.scaled_axis().as_slice() })
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn needed<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, NoRobot> {
    let own = node.tag_name().name();
    child(node, name).ok_or_else(|| refused(node, format!("`<{own}>` without `<{name}>`"), format!("`<{name}>` in it")))
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, NoRobot> {
    let own = node.tag_name().name();
    node.attribute(name)
        .ok_or_else(|| refused(node, format!("`<{own}>` without `{name}`"), format!("an attribute `{name}`")))
}

fn number(node: Node<'_, '_>, name: &str) -> Result<Option<f64>, NoRobot> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(refused(node, format!("`{name}` is `{text}`"), "a finite number")),
    }
}

fn numbers(node: Node<'_, '_>, name: &str) -> Result<Option<[f64; 3]>, NoRobot> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    let found: Vec<f64> = text.split_whitespace().filter_map(|part| part.parse().ok()).collect();
    match <[f64; 3]>::try_from(found) {
        Ok(numbers) if text.split_whitespace().count() == 3 && numbers.iter().all(|x| x.is_finite()) => {
            Ok(Some(numbers))
        }
        _ => Err(refused(node, format!("`{name}` is `{text}`"), "three finite numbers")),
    }
}

/// A name with letters, digits and `_` only.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("link_{plain}") }
}

/// Mass, centre and the matrix of inertia along the directions of a link.
fn inertial(link: Node<'_, '_>) -> Result<Option<Value>, NoRobot> {
    let Some(inertial) = child(link, "inertial") else { return Ok(None) };
    let mass = needed(inertial, "mass")?;
    let value = number(mass, "value")?.unwrap_or(0.0);
    if value < 0.0 {
        return Err(refused(mass, format!("a mass of {value} kg"), "a mass above zero"));
    }
    if value == 0.0 {
        return Ok(None);
    }
    let origin = Origin::of(inertial)?;
    let moments = needed(inertial, "inertia")?;
    let entry = |name| number(moments, name).map(|entry| entry.unwrap_or(0.0));
    let (xx, yy, zz, xy, xz, yz) =
        (entry("ixx")?, entry("iyy")?, entry("izz")?, entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let turn = origin.turn.matrix();
    let along = turn * own * turn.transpose();
    let six = [along.m11, along.m22, along.m33, along.m12, along.m13, along.m23];
    Ok(Some(json!({ "mass": value, "inertia": six, "centre": origin.at.as_slice() })))
}

/// The first simple shape of a link.
fn shape(link: Node<'_, '_>) -> Result<Option<Value>, NoRobot> {
    for seen in link.children().filter(|child| child.has_tag_name("visual") || child.has_tag_name("collision")) {
        let Some(geometry) = child(seen, "geometry") else { continue };
        for form in geometry.children().filter(Node::is_element) {
            return Ok(Some(match form.tag_name().name() {
                "box" => json!({ "box": numbers(form, "size")?.unwrap_or([1.0; 3]) }),
                "sphere" => json!({ "ball": { "radius": number(form, "radius")?.unwrap_or(1.0) } }),
                "cylinder" => json!({ "disk": {
                    "radius": number(form, "radius")?.unwrap_or(1.0), "thickness": number(form, "length")?.unwrap_or(1.0),
                } }),
                _ => continue,
            }));
        }
    }
    Ok(None)
}

/// A robot as the parameters of a mechanism.
///
/// # Errors
/// What is wrong with it, and where.
pub fn mechanism(text: &str) -> Result<Value, NoRobot> {
    let document = Document::parse(text).map_err(|error| {
        let place = error.pos();
        let line: usize = text.split_inclusive('\n').take(place.row as usize - 1).map(str::len).sum();
        let column =
            text[line..].char_indices().nth(place.col as usize - 1).map_or(text.len() - line, |(byte, _)| byte);
        let start = line + column;
        NoRobot { start, message: error.to_string(), accepted: "XML".into() }
    })?;
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        return Err(refused(robot, format!("`<{}>`", robot.tag_name().name()), "`<robot>` around links and joints"));
    }
    let elements = |name: &'static str| robot.children().filter(move |child| child.has_tag_name(name));
    let mut links: HashMap<&str, Node<'_, '_>> = HashMap::new();
    let mut names = HashSet::new();
    for link in elements("link") {
        let name = attribute(link, "name")?;
        if links.insert(name, link).is_some() || !names.insert(plain(name)) {
            return Err(refused(link, format!("a second link `{name}`"), "names that differ in letters and digits"));
        }
    }
    let link_of = |joint, end| -> Result<&str, NoRobot> {
        let node = needed(joint, end)?;
        let name = attribute(node, "link")?;
        let known = links.get_key_value(name).map(|(known, _)| *known);
        known.ok_or_else(|| refused(node, format!("a link `{name}`"), "the name of a link"))
    };
    // joints by the link before
    let mut joints: HashMap<&str, Vec<Node<'_, '_>>> = HashMap::new();
    let mut children = HashSet::new();
    for joint in elements("joint") {
        let (parent, child) = (link_of(joint, "parent")?, link_of(joint, "child")?);
        if !children.insert(child) {
            return Err(refused(
                joint,
                format!("a second joint before link `{child}`"),
                "one joint before each link: a tree",
            ));
        }
        joints.entry(parent).or_default().push(joint);
    }
    let roots: Vec<&str> =
        elements("link").filter_map(|link| link.attribute("name")).filter(|name| !children.contains(name)).collect();
    let [root] = roots[..] else {
        let accepted = "one link that no joint leads to, which is the ground";
        return Err(refused(robot, format!("{} such links", roots.len()), accepted));
    };
    let mut made = Robot::default();
    // each link with the body it is on, and where on it
    let mut waiting = vec![(root, "ground".to_owned(), Origin { at: Vector3::zeros(), turn: Rotation3::identity() })];
    while let Some((link, body, place)) = waiting.pop() {
        for &joint in joints.get(link).into_iter().flatten() {
            let child = link_of(joint, "child")?;
            waiting.push(made.add(joint, links[child], child, &body, &place)?);
        }
    }
    if made.bodies.is_empty() {
        return Err(refused(robot, "no link that moves", "a link with a mass behind a joint"));
    }
    Ok(made.mechanism())
}

#[derive(Default)]
struct Robot {
    bodies: Map<String, Value>,
    ground: Map<String, Value>,
    joints: Map<String, Value>,
    forces: Map<String, Value>,
}

impl Robot {
    fn mechanism(self) -> Value {
        json!({
            "motion": "spatial", "gravity": [0, 0, -9.81],
            "ground": self.ground, "bodies": self.bodies, "joints": self.joints, "forces": self.forces,
        })
    }

    /// Adds a marker to a body; what it is called.
    fn mark(&mut self, body: &str, name: &str, origin: &Origin) -> String {
        let markers = match self.bodies.get_mut(body) {
            Some(Value::Object(body)) => body.entry("markers").or_insert(json!({})).as_object_mut(),
            _ => Some(&mut self.ground),
        };
        if let Some(markers) = markers {
            markers.insert(name.to_owned(), origin.marker());
        }
        format!("{body}.{name}")
    }

    /// Adds a joint with the link behind it; that link, the body that it is on, and where.
    fn add<'l>(
        &mut self,
        joint: Node<'_, '_>,
        link: Node<'_, '_>,
        child_name: &'l str,
        parent: &str,
        place: &Origin,
    ) -> Result<(&'l str, String, Origin), NoRobot> {
        let name = plain(attribute(joint, "name")?);
        let origin = place.then(&Origin::of(joint)?);
        let kind = attribute(joint, "type")?;
        if let Some(mimic) = child(joint, "mimic") {
            return Err(refused(mimic, "a joint that mimics another", "joints that move by themselves"));
        }
        let Some(mut body) = inertial(link)? else {
            if kind == "fixed" {
                return Ok((child_name, parent.to_owned(), origin));
            }
            let found = format!("link `{child_name}` without a mass behind a joint `{kind}`");
            return Err(refused(link, found, "an `<inertial>` with a mass above zero"));
        };
        if let (Some(shape), Some(body)) = (shape(link)?, body.as_object_mut()) {
            body.insert("shape".to_owned(), shape);
        }
        let child_body = plain(child_name);
        if kind == "floating" {
            body["position"] = json!(origin.at.as_slice());
            body["rotation"] = json!(origin.turn.scaled_axis().as_slice());
        }
        self.bodies.insert(child_body.clone(), body);
        let first = self.mark(parent, &name, &origin);
        let between = json!([first, child_body]);
        let axis = match child(joint, "axis") {
            Some(axis) => numbers(axis, "xyz")?.unwrap_or([1.0, 0.0, 0.0]),
            None => [1.0, 0.0, 0.0],
        };
        let whole = match kind {
            "revolute" | "continuous" => json!({ "revolute": { "between": between, "axis": axis } }),
            "prismatic" => json!({ "prismatic": { "between": between, "axis": axis } }),
            "planar" => json!({ "planar": { "between": between, "axis": axis } }),
            "fixed" => json!({ "fixed": { "between": between } }),
            "floating" => Value::Null,
            other => {
                let accepted = "`revolute`, `continuous`, `prismatic`, `planar`, `fixed` or `floating`";
                return Err(refused(joint, format!("a joint `{other}`"), accepted));
            }
        };
        if !whole.is_null() {
            self.joints.insert(name.clone(), whole);
        }
        if let Some(dynamics) = child(joint, "dynamics") {
            self.resist(dynamics, kind, &name, &between, axis, [parent, &child_body], &origin)?;
        }
        Ok((child_name, child_body, Origin { at: Vector3::zeros(), turn: Rotation3::identity() }))
    }

    /// Damping and friction of a joint.
    fn resist(
        &mut self,
        dynamics: Node<'_, '_>,
        kind: &str,
        name: &str,
        between: &Value,
        axis: [f64; 3],
        [parent, child]: [&str; 2],
        origin: &Origin,
    ) -> Result<(), NoRobot> {
        let of = |what| number(dynamics, what).map(|number| number.unwrap_or(0.0));
        let (damping, friction) = (of("damping")?, of("friction")?);
        match kind {
            _ if damping == 0.0 && friction == 0.0 => {}
            "revolute" | "continuous" => {
                let dry = if friction == 0.0 { String::new() } else { format!(" - ({friction})*tanh(rate/0.001)") };
                let law = format!("-({damping})*rate{dry}");
                self.forces.insert(
                    format!("{name}_resistance"),
                    json!({ "motor": { "between": between, "axis": axis, "torque": law } }),
                );
            }
            "prismatic" if friction == 0.0 => {
                // along z of markers whose z is the axis
                let turn = Rotation3::rotation_between(&Vector3::z(), &Vector3::from(axis))
                    .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
                let along = Origin { at: Vector3::zeros(), turn };
                let first = self.mark(parent, &format!("{name}_axis"), &origin.then(&along));
                let second = self.mark(child, &format!("{name}_axis"), &along);
                let bushing = json!({ "between": [first, second], "stiffness": [0, 0, 0, 0, 0, 0], "damping": [0, 0, damping, 0, 0, 0] });
                self.forces.insert(format!("{name}_resistance"), json!({ "bushing": bushing }));
            }
            _ => {
                let found = format!("damping {damping} and friction {friction} of a joint `{kind}`");
                return Err(refused(dynamics, found, "both of revolute joints, and damping of prismatic ones"));
            }
        }
        Ok(())
    }
}
