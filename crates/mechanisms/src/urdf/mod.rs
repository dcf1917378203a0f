//! Reads robots in the Unified Robot Description Format as mechanisms.
//!
//! The reader takes `link`s with their `inertial` and the first `visual` or `collision` of a simple shape, and
//! `joint`s with origin, axis, `dynamics` and `mimic`. Links that `fixed` joints connect become one body, with a marker
//! for each link but the first. The root link with the links fixed to it is the ground unless the base floats. All
//! differences from the file are noted.

mod lump;
mod names;
mod notes;
mod tree;
mod xml;

use std::collections::HashMap;

use mbsbench_problem::{parameters, rotation};
use nalgebra::Vector3;
use roxmltree::{Document, Node};
use serde_json::{Map, Value, json};

use crate::space::is_possible;
use lump::Lump;
use names::Names;
pub use notes::Notes;
use tree::{Joint, Tree};
pub use xml::NoRobot;
use xml::{Inertial, Origin, attribute, child, children, needed, number, numbers, refused};

/// Largest number of moving links: a chain of this length takes the time and memory that `check` may use.
const MOST_BODIES: usize = 1000;

/// Largest number of links of a file in which merged links become markers.
const MOST_MARKED: usize = 2000;

/// Name of the ground in a mechanism.
const GROUND: &str = "ground";

/// Types of joints with one coordinate.
const SINGLE: [&str; 3] = ["revolute", "continuous", "prismatic"];

parameters! {
    /// The connection of a robot's root link to the ground.
    #[derive(Copy, Default, Eq)]
    pub enum Base {
        /// The root link is the ground.
        #[default]
        Fixed,
        /// The root link is a body that moves freely and starts at the origin.
        Floating,
    }

    /// Keys beside the file of a robot that determine how it is read.
    #[derive(Copy)]
    pub struct Options {
        /// The connection of the root link to the ground.
        pub base: Base = Base::Fixed,
        /// Rate or speed at which the friction of a joint reaches three quarters of its full size.
        pub friction_width: f64 [above 0.0, unit "rad/s or m/s"] = 1e-3,
    }
}

/// A robot that was read from a file.
#[derive(Debug, Clone)]
pub struct Robot {
    /// The parameters of the robot's mechanism.
    pub mechanism: Value,
    /// First byte of the element from which a part of the mechanism was made, by the path of the part: `bodies.arm`.
    pub places: HashMap<String, usize>,
    /// Differences from the file.
    pub notes: Notes,
}

/// The beginning of a name, which may be as long as the file.
fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Reads a robot from the text of its file.
///
/// # Errors
/// Fails if the text is not a supported robot, with the place of the error.
pub fn read(text: &str, options: &Options) -> Result<Robot, NoRobot> {
    made(&xml::parse(&xml::readable(text)?)?, options)
}

fn made(document: &Document<'_>, options: &Options) -> Result<Robot, NoRobot> {
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        return Err(refused(robot, format!("the root element is `<{}>`", robot.tag_name().name()), "`<robot>`"));
    }
    let tree = Tree::of(robot)?;
    let mut making = Making::new(&tree, options);
    making.notes.below(robot);
    let mut lumps = vec![making.lump(tree.root, tree.links[tree.root], Origin::frame())?];
    // the lump of each link, and the link's pose on it
    let mut placed = HashMap::from([(tree.root, (0, Origin::frame()))]);
    let mut moving = Vec::new();
    for joint in tree.walk() {
        let Joint { node, link, .. } = *joint;
        let (lump, origin) = placed[attribute(needed(node, "parent")?, "link")?];
        let (origin, kind) = (origin.then(&Origin::of(node)?), attribute(node, "type")?);
        if kind == "fixed" {
            lumps[lump].merged.push((link, tree.links[link], origin));
            making.gather(&mut lumps[lump], tree.links[link], &origin)?;
            making.notes.add("kept", format!("joint `{}`, fixed", short(joint.name)), node.range().start);
            for unused in node.children().filter(|node| ["dynamics", "mimic"].contains(&node.tag_name().name())) {
                let kind = format!("`<{}>` of a `fixed` joint", unused.tag_name().name());
                making.notes.count("ignored", &kind, unused.range().start);
            }
            placed.insert(link, (lump, origin));
        } else {
            if moving.len() == MOST_BODIES {
                let accepted = format!("at most {MOST_BODIES}; a mechanism file with `repeat` may have more bodies");
                let found = format!("the robot has more than {MOST_BODIES} moving links");
                return Err(refused(tree.links[link], found, accepted));
            }
            placed.insert(link, (lumps.len(), Origin::frame()));
            moving.push((joint, kind, lump, lumps.len(), origin));
            let place = lumps[lump].place.then(&origin);
            lumps.push(making.lump(link, tree.links[link], place)?);
        }
    }
    lumps.iter().for_each(|lump| making.put(lump, tree.links.len() <= MOST_MARKED));
    for (joint, kind, parent, own, origin) in moving {
        making.join(joint, kind, [&lumps[parent], &lumps[own]], &origin)?;
        making.follow(joint, kind, &tree)?;
    }
    if making.mechanism["bodies"].as_object().is_none_or(Map::is_empty) {
        let accepted = "a joint other than `fixed`, or `base: floating` beside the file's name";
        return Err(refused(robot, "the robot has no moving link", accepted));
    }
    Ok(Robot { mechanism: making.mechanism, places: making.places, notes: making.notes })
}

/// A mechanism under construction.
struct Making<'a> {
    /// Parts by name: `ground`, `bodies`, `joints`, `forces`.
    mechanism: Value,
    places: HashMap<String, usize>,
    notes: Notes,
    options: Options,
    link_names: HashMap<&'a str, String>,
    joint_names: HashMap<&'a str, String>,
    /// Names of joints that are taken.
    joints: Names,
    /// Names of bodies and their markers as observables use them: `body`, `body_marker`.
    seen: Names,
}

impl<'a> Making<'a> {
    fn new(tree: &Tree<'a, '_>, options: &Options) -> Self {
        let (mut bodies, mut joints, mut seen) = (Names::default(), Names::default(), Names::default());
        bodies.take(GROUND);
        let is_body = |link: &&str| *link != tree.root || options.base == Base::Floating;
        let links: Vec<&str> = tree.links.keys().copied().filter(is_body).collect();
        let mut link_names = bodies.derive("link", &links);
        let written: Vec<&str> = tree.all.keys().copied().collect();
        let joint_names = joints.derive("joint", &written);
        link_names.values().for_each(|name| _ = seen.take(name));
        let mut notes = Notes::default();
        for (kind, nodes, names) in [("link", &tree.links, &link_names), ("joint", &tree.all, &joint_names)] {
            let changed = |(name, _): &(&&str, &Node<'_, '_>)| names.get(**name).is_some_and(|new| new != **name);
            for (&name, node) in nodes.iter().filter(changed) {
                let text = format!("{kind} `{}` to `{}`", short(name), short(&names[name]));
                notes.add("renamed", text, node.range().start);
            }
        }
        if options.base == Base::Fixed {
            link_names.insert(tree.root, GROUND.to_owned());
        }
        let mechanism = json!({
            "motion": "spatial", "formulation": "minimal", "gravity": [0, 0, -9.81],
            "ground": {}, "bodies": {}, "joints": {}, "forces": {},
        });
        Self { mechanism, places: HashMap::new(), notes, options: *options, link_names, joint_names, joints, seen }
    }

    /// Adds a part of the mechanism that was made from an element.
    fn insert(&mut self, kind: &str, name: &str, part: Value, node: Node<'_, '_>) {
        self.places.insert(format!("{kind}.{name}"), node.range().start);
        self.mechanism[kind][name] = part;
    }

    /// Adds a marker to a body and returns its path. The name is one that observables of no other body or marker use.
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

    /// Begins a lump with a link.
    fn lump<'i>(&mut self, link: &'a str, node: Node<'a, 'i>, place: Origin) -> Result<Lump<'a, 'i>, NoRobot> {
        let (body, merged, inertials) = (self.link_names[link].clone(), Vec::new(), Vec::new());
        let mut lump = Lump { link, node, body, place, merged, inertials, shape: None };
        self.gather(&mut lump, node, &Origin::frame())?;
        Ok(lump)
    }

    /// Adds inertia and shape of a link with this origin to a lump. Only the first simple shape of a body, with a size,
    /// is drawn.
    fn gather(&mut self, lump: &mut Lump<'_, '_>, link: Node<'_, '_>, origin: &Origin) -> Result<(), NoRobot> {
        lump.inertials.extend(Inertial::of(link)?.map(|inertial| inertial.seen_from(origin)));
        if let Some(inertial) = child(link, "inertial")?.filter(|inertial| children(*inertial, "inertia").count() == 0)
        {
            self.notes.count("taken as zero", "missing `<inertia>` of `<inertial>`", inertial.range().start);
        }
        for seen in link.children().filter(|node| ["visual", "collision"].contains(&node.tag_name().name())) {
            let geometry = child(seen, "geometry")?;
            let form = geometry.and_then(|geometry| geometry.children().find(Node::is_element));
            let has_place = lump.body != GROUND && lump.shape.is_none();
            let kind = format!("`<{}>`", seen.tag_name().name());
            let of = form.map_or(String::new(), |form| format!(" with `<{}>`", form.tag_name().name()));
            let start = seen.range().start;
            match form.filter(|_| has_place).map(simple).transpose()?.flatten() {
                Some(Some(shape)) => {
                    lump.shape = Some((shape, origin.then(&Origin::of(seen)?)));
                    self.notes.add("kept", format!("{kind}{of} as the drawing of `{}`", short(&lump.body)), start);
                }
                Some(None) => self.notes.count("left out", &format!("{kind}{of} of size zero"), start),
                None => self.notes.count("ignored", &format!("{kind}{of} of `<link>`"), start),
            }
        }
        Ok(())
    }

    /// Adds the body of a lump, with a marker for each merged link if these are marked.
    fn put(&mut self, lump: &Lump<'a, '_>, is_marked: bool) {
        let Lump { link, node, body, place, merged, .. } = lump;
        let Inertial { mass, centre, inertia: of } = lump.inertial();
        let (start, name) = (node.range().start, short(link));
        if body == GROUND {
            self.notes.add("kept", format!("link `{name}` as the ground"), start);
            if mass > 0.0 {
                let text = format!("mass of the root link `{name}` ({mass} kg), which is the ground");
                self.notes.add("ignored", text, start);
            }
        } else {
            let six = [of.m11, of.m22, of.m33, of.m12, of.m13, of.m23];
            let mut made = json!({ "mass": mass, "inertia": six, "centre": centre.as_slice() });
            if six.into_iter().all(f64::is_finite) && !is_possible(&of.symmetric_eigenvalues(), mass) {
                made["any-inertia"] = json!(true);
                let text = format!("moments of inertia of the body `{}`, which no mass has: {six:?}", short(body));
                self.notes.add("accepted", text, start);
            }
            if let Some((shape, origin)) = &lump.shape {
                made["shape"] = shape.clone();
                made["drawn-at"] = oriented(origin);
            }
            if self.mechanism["bodies"].as_object().is_some_and(Map::is_empty) && self.options.base == Base::Floating {
                made["position"] = json!(place.at.as_slice());
            }
            self.insert("bodies", body, made, *node);
            self.notes.add("kept", format!("link `{name}` as the body `{}`, {mass} kg", short(body)), start);
        }
        for (link, node, origin) in merged {
            let name = self.link_names[link].clone();
            let into = if is_marked { self.mark(body, &name, origin) } else { body.clone() };
            let text = format!("link `{}` into `{}`", short(link), short(&into));
            self.notes.add("merged", text, node.range().start);
        }
    }

    /// Adds a joint that moves between the bodies of two lumps; its origin is in the frame of the first.
    fn join(
        &mut self,
        joint: &Joint<'_, '_>,
        kind: &str,
        [parent, own]: [&Lump<'_, '_>; 2],
        origin: &Origin,
    ) -> Result<(), NoRobot> {
        let (node, name) = (joint.node, self.joint_names[joint.name].clone());
        let first = self.mark(&parent.body, &name, origin);
        let between = json!([first, own.body]);
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
            "revolute" | "continuous" => json!({ "revolute": { "between": &between, "axis": axis } }),
            "prismatic" | "planar" => json!({ kind: { "between": &between, "axis": axis } }),
            "floating" => {
                let body = &mut self.mechanism["bodies"][&own.body];
                body["position"] = json!(own.place.at.as_slice());
                body["rotation"] = json!(rotation::vector(&own.place.turn).as_slice());
                Value::Null
            }
            other => {
                let accepted = "`revolute`, `continuous`, `prismatic`, `planar`, `fixed` or `floating`";
                return Err(refused(node, format!("the type of the joint is `{other}`"), accepted));
            }
        };
        if !whole.is_null() {
            self.insert("joints", &name, whole, node);
        }
        self.notes.add("kept", format!("joint `{}`, {kind}", short(joint.name)), node.range().start);
        if let Some(dynamics) = child(node, "dynamics")? {
            self.resist(dynamics, kind, joint.name, between)?;
        }
        Ok(())
    }

    /// Adds a gear for a joint that mimics another.
    fn follow(&mut self, joint: &Joint<'_, '_>, kind: &str, tree: &Tree<'_, '_>) -> Result<(), NoRobot> {
        let Some(mimic) = child(joint.node, "mimic")? else { return Ok(()) };
        let first = attribute(mimic, "joint")?;
        let Some(other) = tree.all.get(first) else {
            let known = tree.all.keys().map(|name| (*name).to_owned()).collect();
            let error = refused(mimic, format!("unknown joint `{first}`"), "the name of a joint");
            return Err(NoRobot { name: first.to_owned(), known, ..error });
        };
        let kinds = [kind, attribute(*other, "type")?];
        if let Some(other) = kinds.into_iter().find(|kind| !SINGLE.contains(kind)) {
            let accepted = "`<mimic>` between `revolute`, `continuous` and `prismatic` joints";
            return Err(refused(mimic, format!("one of the joints is `{other}`"), accepted));
        }
        let (first, second) = (self.joint_names[first].clone(), self.joint_names[joint.name].clone());
        let (ratio, offset) = (number(mimic, "multiplier")?.unwrap_or(1.0), number(mimic, "offset")?.unwrap_or(0.0));
        let name = self.joints.give(&format!("{second}_mimic"));
        let text =
            format!("`<mimic>` of joint `{}`, {ratio} times `{}` plus {offset}", short(joint.name), short(&first));
        self.notes.add("kept", text, mimic.range().start);
        let gear = json!({ "gear": { "joints": [first, second], "ratio": ratio, "offset": offset } });
        self.insert("joints", &name, gear, mimic);
        Ok(())
    }

    /// Adds damping and friction of a joint: against each rate if it has several.
    fn resist(&mut self, dynamics: Node<'_, '_>, kind: &str, joint: &str, between: Value) -> Result<(), NoRobot> {
        let of = |what| number(dynamics, what).map(Option::unwrap_or_default);
        let (damping, friction, width) = (of("damping")?, of("friction")?, self.options.friction_width);
        let text = format!("damping {damping} and friction {friction} of `{}`", short(joint));
        self.notes.add("kept", text, dynamics.range().start);
        let name = &self.joint_names[joint];
        let force = match kind {
            _ if damping == 0.0 && friction == 0.0 => return Ok(()),
            "revolute" | "continuous" => {
                let dry = if friction == 0.0 { String::new() } else { format!(" - ({friction})*tanh(rate/{width})") };
                json!({ "motor": { "joint": name, "torque": format!("-({damping})*rate{dry}") } })
            }
            _ => {
                let mut law = json!({ "between": between, "stiffness": ([0; 6]), "damping": ([damping; 6]) });
                if friction != 0.0 {
                    law["friction"] = json!({ "force": friction, "torque": friction, "slip-speed": width });
                }
                json!({ "bushing": law })
            }
        };
        self.insert("forces", &format!("{name}_resistance"), force, dynamics);
        Ok(())
    }
}

/// A point with directions, in the form of the mechanism's parameters.
fn oriented(origin: &Origin) -> Value {
    json!({ "at": origin.at.as_slice(), "rotation": rotation::vector(&origin.turn).as_slice() })
}

/// A box, sphere or cylinder; the inner option is `None` if its size is zero.
fn simple(form: Node<'_, '_>) -> Result<Option<Option<Value>>, NoRobot> {
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
    Ok(Some((extent > 0.0).then_some(shape)))
}
