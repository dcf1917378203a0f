//! Links and joints of a robot's file as a tree.

use std::collections::HashMap;

use indexmap::IndexMap;
use roxmltree::Node;

use super::xml::{NoRobot, attribute, children, needed, refused};

/// A joint with its child link.
pub(super) struct Joint<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) name: &'a str,
    pub(super) link: &'a str,
}

/// The links of a file, connected to a tree.
pub(super) struct Tree<'a, 'i> {
    pub(super) links: IndexMap<&'a str, Node<'a, 'i>>,
    /// Joints by parent link.
    pub(super) joints: HashMap<&'a str, Vec<Joint<'a, 'i>>>,
    /// All joints by name.
    pub(super) all: IndexMap<&'a str, Node<'a, 'i>>,
    pub(super) root: &'a str,
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
    pub(super) fn of(robot: Node<'a, 'i>) -> Result<Self, NoRobot> {
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
        let mut roots = links.keys().copied().filter(|name| !before.contains_key(name));
        let accepted = "exactly one link without a parent joint, which is the ground";
        let Some(root) = roots.next() else {
            let found = if links.is_empty() { "the robot has no links" } else { "all links have parent joints" };
            return Err(refused(robot, found, accepted));
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
        let tree = Self { root, links, joints, all };
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
    pub(super) fn walk(&self) -> impl Iterator<Item = &Joint<'a, 'i>> {
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
