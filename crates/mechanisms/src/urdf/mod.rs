//! Reads robots in the Unified Robot Description Format as mechanisms.
//!
//! The reader takes `link`s with their `inertial` and the first `visual` or `collision` of a simple shape, and
//! `joint`s with origin, axis and `dynamics`. The root link is the ground. A link without mass on a `fixed` joint
//! becomes a marker of its parent link, which also takes its inertia, if any. Unused parts of the file are listed.
//! `mimic` and joints with several degrees of freedom other than `floating` and `planar` are refused.

mod names;
mod unused;
mod xml;

use std::collections::HashMap;

use indexmap::IndexMap;
use mbsbench_problem::rotation;
use nalgebra::{Matrix3, Rotation3, Vector3};
use roxmltree::Node;
use serde_json::{Map, Value, json};

use crate::placement::across;
use names::Names;
use unused::Unused;
pub use xml::NoRobot;
use xml::{Inertial, Origin, attribute, child, children, needed, number, numbers, refused};

/// Largest number of links with mass: a chain of this length takes the time and memory that `check` may use.
const MOST_BODIES: usize = 1000;

/// Name of the ground in a mechanism.
const GROUND: &str = "ground";

/// A robot that was read from a file.
#[derive(Debug, Clone)]
pub struct Robot {
    /// The parameters of the robot's mechanism.
    pub mechanism: Value,
    /// First byte of the element from which a part of the mechanism was made, by the path of the part: `bodies.arm`.
    pub places: HashMap<String, usize>,
    /// Differences from the file and unused parts, one line each.
    pub notes: Vec<String>,
}

/// A joint with its child link.
struct Joint<'a, 'i> {
    node: Node<'a, 'i>,
    name: &'a str,
    link: &'a str,
}

/// The links of a file, connected to a tree.
struct Tree<'a, 'i> {
    links: IndexMap<&'a str, Node<'a, 'i>>,
    /// Joints by parent link.
    joints: HashMap<&'a str, Vec<Joint<'a, 'i>>>,
    names: Vec<&'a str>,
    root: &'a str,
}

/// The beginning of a name, which may be as long as the file.
fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Elements of a kind by name.
fn named<'a, 'i>(robot: Node<'a, 'i>, kind: &str) -> Result<IndexMap<&'a str, Node<'a, 'i>>, NoRobot> {
    let mut named = IndexMap::new();
    for node in children(robot, kind) {
        let name = attribute(node, "name")?;
        if named.insert(name, node).is_some() {
            let accepted = format!("a different name for each {kind}");
            return Err(refused(node, format!("two {kind}s are called `{name}`"), accepted));
        }
    }
    Ok(named)
}

impl<'a, 'i> Tree<'a, 'i> {
    fn of(robot: Node<'a, 'i>) -> Result<Self, NoRobot> {
        let (links, all) = (named(robot, "link")?, named(robot, "joint")?);
        let link_of = |joint, end| -> Result<&'a str, NoRobot> {
            let node = needed(joint, end)?;
            let name = attribute(node, "link")?;
            let known = links.get_key_value(name).map(|(known, _)| *known);
            known.ok_or_else(|| NoRobot {
                name: name.to_owned(),
                known: links.keys().map(|link| (*link).to_owned()).collect(),
                ..refused(node, format!("unknown link `{name}`"), "the name of a link")
            })
        };
        let mut joints: HashMap<&str, Vec<Joint<'_, '_>>> = HashMap::new();
        let mut before = HashMap::new();
        for (&name, &node) in &all {
            let (parent, link) = (link_of(node, "parent")?, link_of(node, "child")?);
            if before.insert(link, node).is_some() {
                let accepted = "at most one parent joint for each link";
                return Err(refused(node, format!("link `{link}` has two parent joints"), accepted));
            }
            joints.entry(parent).or_default().push(Joint { node, name, link });
        }
        let names = all.keys().copied().collect();
        let mut roots = links.keys().copied().filter(|name| !before.contains_key(name));
        let accepted = "exactly one link without a parent joint, which is the ground";
        let Some(root) = roots.next() else {
            return Err(refused(robot, "all links have parent joints", accepted));
        };
        if let Some(other) = roots.next() {
            let rest = roots.count();
            let found = if rest > 0 {
                format!("links `{root}`, `{other}` and {rest} more have no parent joint")
            } else {
                format!("links `{root}` and `{other}` have no parent joint")
            };
            return Err(refused(links[other], found, accepted));
        }
        let tree = Self { root, links, joints, names };
        let reached: std::collections::HashSet<&str> = tree.walk().map(|joint| joint.link).collect();
        match before.iter().filter(|(link, _)| !reached.contains(*link)).min_by_key(|(_, node)| node.range().start) {
            Some((link, &node)) => {
                let found = format!("link `{link}` is not connected to `{root}`: its joints form a cycle");
                Err(refused(node, found, "a tree of links"))
            }
            None => Ok(tree),
        }
    }

    /// All joints that can be reached from the root, each after the joint of its parent link.
    fn walk(&self) -> impl Iterator<Item = &Joint<'a, 'i>> {
        let mut waiting = vec![self.root];
        let mut of_link: std::slice::Iter<'_, Joint<'_, '_>> = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(joint) = of_link.next() {
                    waiting.push(joint.link);
                    return Some(joint);
                }
                of_link = self.joints.get(waiting.pop()?).map_or([].iter(), |joints| joints.iter());
            }
        })
    }
}

/// Reads a robot from the text of its file.
///
/// # Errors
/// Fails if the text is not a supported robot, with the place of the error.
pub fn read(text: &str) -> Result<Robot, NoRobot> {
    let document = xml::parse(text)?;
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        return Err(refused(robot, format!("the root element is `<{}>`", robot.tag_name().name()), "`<robot>`"));
    }
    let tree = Tree::of(robot)?;
    let mut making = Making::new(&tree);
    making.unused.below(robot);
    let root = tree.links[tree.root];
    if let Some(inertial) = Inertial::of(root)?.filter(|inertial| inertial.mass > 0.0) {
        let (link, mass) = (short(tree.root), inertial.mass);
        making.unused.note(format!("ignored: mass of the root link `{link}` ({mass} kg), which is the ground"));
    }
    making.shape(root, false)?;
    // the body of each link, and the link's pose on it
    let mut placed = HashMap::from([(tree.root, (GROUND.to_owned(), Origin::frame()))]);
    for joint in tree.walk() {
        let parent = needed(joint.node, "parent")?;
        let (body, origin) = &placed[attribute(parent, "link")?];
        let next = making.add(joint, tree.links[joint.link], body, origin)?;
        placed.insert(joint.link, next);
    }
    if making.bodies() == 0 {
        return Err(refused(robot, "the robot has no moving link", "a joint whose child link has a mass"));
    }
    Ok(Robot { mechanism: making.mechanism, places: making.places, notes: making.unused.lines() })
}

/// A mechanism under construction.
struct Making<'a> {
    /// Parts by name: `ground`, `bodies`, `joints`, `forces`.
    mechanism: Value,
    places: HashMap<String, usize>,
    unused: Unused,
    link_names: HashMap<&'a str, String>,
    joint_names: HashMap<&'a str, String>,
    /// Names of bodies and their markers as observables use them: `body`, `body_marker`.
    seen: Names,
}

impl<'a> Making<'a> {
    fn new(tree: &Tree<'a, '_>) -> Self {
        let mut bodies = Names::default();
        bodies.take(GROUND);
        let moving: Vec<&str> = tree.links.keys().copied().filter(|link| *link != tree.root).collect();
        let link_names = bodies.derive("link", &moving);
        let joint_names = Names::default().derive("joint", &tree.names);
        let mut seen = Names::default();
        for name in link_names.values() {
            seen.take(name);
        }
        let mut unused = Unused::default();
        let changed = |kind: &str, written: &[&str], names: &HashMap<&str, String>| {
            let changed = written.iter().filter(|name| names[*name] != **name);
            let all: Vec<&str> = changed.copied().collect();
            let one = |name: &&str| format!("{kind} `{}` to `{}`", short(name), short(&names[*name]));
            let each: Vec<String> = all.iter().take(5).map(one).collect();
            let rest = all.len() - each.len();
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            (!each.is_empty()).then(|| format!("renamed: {}{more}", each.join(", ")))
        };
        let lines = [changed("link", &moving, &link_names), changed("joint", &tree.names, &joint_names)];
        lines.into_iter().flatten().for_each(|line| unused.note(line));
        let mechanism = json!({
            "motion": "spatial", "gravity": [0, 0, -9.81], "ground": {}, "bodies": {}, "joints": {}, "forces": {},
        });
        Self { mechanism, places: HashMap::new(), unused, link_names, joint_names, seen }
    }

    /// Adds a part of the mechanism that was made from an element.
    fn insert(&mut self, kind: &str, name: &str, part: Value, node: Node<'_, '_>) {
        self.places.insert(format!("{kind}.{name}"), node.range().start);
        self.mechanism[kind][name] = part;
    }

    /// Number of bodies so far.
    fn bodies(&self) -> usize {
        self.mechanism["bodies"].as_object().map_or(0, Map::len)
    }

    /// Adds a marker to a body and returns its path. The name does not clash with the observables of any other body or
    /// marker.
    fn mark(&mut self, body: &str, name: &str, origin: &Origin) -> String {
        let marker = oriented(origin);
        let before = format!("{body}_");
        let name = self.seen.give(&format!("{before}{name}")).split_off(before.len());
        match self.mechanism["bodies"].get_mut(body) {
            Some(body) => body["markers"][&name] = marker,
            None => self.mechanism["ground"][&name] = marker,
        }
        format!("{body}.{name}")
    }

    /// The first simple shape, with a size, of a link that is a body, with its origin; nothing else is drawn.
    fn shape(&mut self, link: Node<'_, '_>, is_body: bool) -> Result<Option<(Value, Origin)>, NoRobot> {
        let mut drawn = None;
        let is_drawing =
            |node: &Node<'_, '_>| node.is_element() && ["visual", "collision"].contains(&node.tag_name().name());
        for seen in link.children().filter(is_drawing) {
            let geometry = child(seen, "geometry")?;
            let form = geometry.and_then(|geometry| geometry.children().find(Node::is_element));
            match form.filter(|_| is_body && drawn.is_none()).map(simple).transpose()?.flatten() {
                Some(shape) => drawn = Some((shape, Origin::of(seen)?)),
                None => self.unused.count(&format!("`<{}>` of `<link>`", seen.tag_name().name())),
            }
        }
        Ok(drawn)
    }

    /// Adds a joint with its child link; returns the body of the link, and the link's pose on it.
    fn add(
        &mut self,
        joint: &Joint<'_, '_>,
        link: Node<'_, '_>,
        parent: &str,
        place: &Origin,
    ) -> Result<(String, Origin), NoRobot> {
        let Joint { node, name: written, link: link_name } = *joint;
        let origin = place.then(&Origin::of(node)?);
        let kind = attribute(node, "type")?;
        if let Some(mimic) = child(node, "mimic")? {
            return Err(refused(mimic, "a joint mimics another joint", "joints without `<mimic>`"));
        }
        let inertial = Inertial::of(link)?;
        let shape = self.shape(link, inertial.as_ref().is_some_and(|inertial| inertial.mass > 0.0))?;
        let inertial = match inertial {
            Some(inertial) if inertial.mass > 0.0 => inertial,
            rotor if kind == "fixed" => {
                if let Some(rotor) = rotor {
                    self.turn_along(parent, &(origin.turn.matrix() * rotor.inertia * origin.turn.matrix().transpose()));
                }
                return Ok((parent.to_owned(), origin));
            }
            _ => {
                let found = format!("link `{link_name}` has no mass, but its parent joint is `{kind}`");
                return Err(refused(link, found, "an `<inertial>` with a mass above zero"));
            }
        };
        if self.bodies() == MOST_BODIES {
            let accepted =
                format!("at most {MOST_BODIES} links with mass; a mechanism file with `repeat` may have more");
            return Err(refused(link, format!("the robot has more than {MOST_BODIES} links with mass"), accepted));
        }
        let (name, body) = (self.joint_names[written].clone(), self.link_names[link_name].clone());
        let of = inertial.inertia;
        let six = [of.m11, of.m22, of.m33, of.m12, of.m13, of.m23];
        let mut made = json!({ "mass": inertial.mass, "inertia": six, "centre": inertial.centre.as_slice() });
        if let Some((shape, origin)) = shape {
            made["shape"] = shape;
            made["drawn-at"] = oriented(&origin);
        }
        if kind == "floating" {
            if parent != GROUND {
                let accepted = "a floating joint at the root link or at a massless link that is fixed to it";
                return Err(refused(node, "the parent link of a floating joint has a mass", accepted));
            }
            made["position"] = json!(origin.at.as_slice());
            made["rotation"] = json!(rotation::vector(&origin.turn).as_slice());
        }
        self.insert("bodies", &body, made, link);
        let first = self.mark(parent, &name, &origin);
        let between = json!([first, body]);
        let axis = match child(node, "axis")? {
            Some(axis) => match numbers(axis, "xyz")?.unwrap_or([1.0, 0.0, 0.0]) {
                xyz if Vector3::from(xyz).norm() <= 1e-12 => {
                    return Err(refused(axis, "the axis is zero", "three numbers, not all of them zero"));
                }
                xyz => xyz,
            },
            None => [1.0, 0.0, 0.0],
        };
        let whole = match kind {
            "revolute" | "continuous" => json!({ "revolute": { "between": between, "axis": axis } }),
            "prismatic" | "planar" => json!({ kind: { "between": between, "axis": axis } }),
            "fixed" => json!({ "fixed": { "between": between } }),
            "floating" => Value::Null,
            other => {
                let accepted = "`revolute`, `continuous`, `prismatic`, `planar`, `fixed` or `floating`";
                return Err(refused(node, format!("the type of the joint is `{other}`"), accepted));
            }
        };
        if !whole.is_null() {
            self.insert("joints", &name, whole, node);
        }
        if let Some(dynamics) = child(node, "dynamics")? {
            let ends = Ends { name: &name, between: &between, bodies: [parent, &body], origin: &origin, axis };
            self.resist(dynamics, kind, &ends)?;
        }
        Ok((body, Origin::frame()))
    }

    /// Adds the inertia of a massless link to a body, in whose axes it is given.
    fn turn_along(&mut self, body: &str, inertia: &Matrix3<f64>) {
        let moments = self.mechanism["bodies"].get_mut(body).and_then(|body| body.get_mut("inertia"));
        let Some(Value::Array(six)) = moments else {
            return self.unused.count("inertia of a massless link that is fixed to the ground");
        };
        let more = [inertia.m11, inertia.m22, inertia.m33, inertia.m12, inertia.m13, inertia.m23];
        for (sum, more) in six.iter_mut().zip(more) {
            *sum = json!(sum.as_f64().unwrap_or(f64::NAN) + more);
        }
    }

    /// Adds damping and friction of a joint.
    fn resist(&mut self, dynamics: Node<'_, '_>, kind: &str, ends: &Ends<'_>) -> Result<(), NoRobot> {
        let of = |what| number(dynamics, what).map(Option::unwrap_or_default);
        let (damping, friction) = (of("damping")?, of("friction")?);
        let Ends { name, between, bodies: [parent, child], origin, axis } = *ends;
        let force = match kind {
            _ if damping == 0.0 && friction == 0.0 => return Ok(()),
            "fixed" => {
                self.unused.count("`<dynamics>` of a `fixed` joint");
                return Ok(());
            }
            "revolute" | "continuous" => {
                let dry = if friction == 0.0 { String::new() } else { format!(" - ({friction})*tanh(rate/0.001)") };
                let law = format!("-({damping})*rate{dry}");
                json!({ "motor": { "between": between, "axis": axis, "torque": law } })
            }
            "prismatic" if friction == 0.0 => {
                // along z of markers whose z is the axis
                let axis = Vector3::from(axis).normalize();
                let [x, y] = across(&axis);
                let turn = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, axis]));
                let along = Origin { at: Vector3::zeros(), turn };
                let first = self.mark(parent, &format!("{name}_axis"), &origin.then(&along));
                let second = self.mark(child, &format!("{name}_axis"), &along);
                let (stiffness, damping) = ([0; 6], [0.0, 0.0, damping, 0.0, 0.0, 0.0]);
                json!({ "bushing": { "between": [first, second], "stiffness": stiffness, "damping": damping } })
            }
            _ => {
                let found = format!("a `{kind}` joint has damping {damping} and friction {friction}");
                return Err(refused(
                    dynamics,
                    found,
                    "damping and friction in revolute joints, and damping in prismatic joints",
                ));
            }
        };
        self.insert("forces", &format!("{name}_resistance"), force, dynamics);
        Ok(())
    }
}

/// A joint with its ends, as parameters of the mechanism.
struct Ends<'e> {
    name: &'e str,
    between: &'e Value,
    bodies: [&'e str; 2],
    origin: &'e Origin,
    axis: [f64; 3],
}

/// A point with axes, as parameters of the mechanism.
fn oriented(origin: &Origin) -> Value {
    json!({ "at": origin.at.as_slice(), "rotation": rotation::vector(&origin.turn).as_slice() })
}

/// A box, sphere or cylinder, if its size is not zero.
fn simple(form: Node<'_, '_>) -> Result<Option<Value>, NoRobot> {
    let size = |name| number(form, name).map(|number| number.unwrap_or(1.0));
    let (shape, extent) = match form.tag_name().name() {
        "box" => {
            let lengths = numbers(form, "size")?.unwrap_or([1.0; 3]);
            (json!({ "box": lengths }), lengths.into_iter().fold(f64::INFINITY, f64::min))
        }
        "sphere" => {
            let radius = size("radius")?;
            (json!({ "ball": { "radius": radius } }), radius)
        }
        "cylinder" => {
            let (radius, length) = (size("radius")?, size("length")?);
            (json!({ "disk": { "radius": radius, "thickness": length } }), radius.min(length))
        }
        _ => return Ok(None),
    };
    Ok((extent > 0.0).then_some(shape))
}
