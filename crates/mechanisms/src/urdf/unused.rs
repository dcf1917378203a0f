//! Parts of a robot's file that its mechanism does not use.

use indexmap::IndexMap;
use roxmltree::Node;

/// Largest number of kinds that are listed one by one.
const MOST_KINDS: usize = 20;

/// Elements that are read, by their parent element, with the attributes that are read.
const READ: [(&str, &str, &[&str]); 13] = [
    ("robot", "link", &["name"]),
    ("robot", "joint", &["name", "type"]),
    ("link", "inertial", &[]),
    ("inertial", "origin", &["xyz", "rpy"]),
    ("inertial", "mass", &["value"]),
    ("inertial", "inertia", &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]),
    ("joint", "origin", &["xyz", "rpy"]),
    ("joint", "parent", &["link"]),
    ("joint", "child", &["link"]),
    ("joint", "axis", &["xyz"]),
    ("joint", "dynamics", &["damping", "friction"]),
    ("link", "visual", &[]),
    ("link", "collision", &[]),
];

/// Counts of unused parts, by kind.
#[derive(Debug, Default)]
pub(super) struct Unused {
    lines: Vec<String>,
    counts: IndexMap<String, usize>,
}

impl Unused {
    /// Adds a separate line.
    pub(super) fn note(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Counts one part of a kind.
    pub(super) fn count(&mut self, kind: &str) {
        *self.counts.entry(kind.chars().take(100).collect()).or_default() += 1;
    }

    /// Counts all unread elements and attributes below an element. Drawings are counted when links are read.
    pub(super) fn below(&mut self, node: Node<'_, '_>) {
        let own = node.tag_name();
        for child in node.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            let is_own = child.tag_name().namespace() == own.namespace();
            let read = READ.iter().find(|(parent, read, _)| is_own && *parent == own.name() && *read == name);
            let Some((_, _, attributes)) = read else {
                self.count(&format!("`<{name}>` of `<{}>`", own.name()));
                continue;
            };
            if ["visual", "collision"].contains(&name) {
                continue;
            }
            for other in child.attributes().filter(|other| !attributes.contains(&other.name())) {
                self.count(&format!("`{}` of `<{name}>`", other.name()));
            }
            self.below(child);
        }
    }

    /// Returns one line for each kind.
    pub(super) fn lines(self) -> Vec<String> {
        let Self { mut lines, counts } = self;
        let others = counts.len().saturating_sub(MOST_KINDS);
        lines.extend(counts.into_iter().take(MOST_KINDS).map(|(kind, count)| format!("ignored: {count} {kind}")));
        if others > 0 {
            lines.push(format!("ignored: {others} other kinds of elements and attributes"));
        }
        lines
    }
}
