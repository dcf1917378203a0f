//! Differences between a robot's file and its mechanism.

use indexmap::IndexMap;
use roxmltree::Node;

/// Largest number of kinds, or of names after one verb, that a summary lists one by one.
const MOST: [usize; 2] = [20, 5];

/// Elements that are read, by their parent element, with the attributes that are read.
const READ: [(&str, &str, &[&str]); 14] = [
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
    ("joint", "mimic", &["joint", "multiplier", "offset"]),
    ("link", "visual", &[]),
    ("link", "collision", &[]),
];

/// Notes on parts that were kept, merged, renamed, ignored or left out.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// First bytes of the elements by verb and kind, or by verb and the only element.
    groups: IndexMap<(&'static str, String), Vec<usize>>,
    /// Notes on single elements: verb, text, first byte.
    single: Vec<(&'static str, String, usize)>,
}

impl Notes {
    /// Adds a note on an element that has a text of its own.
    pub(super) fn add(&mut self, verb: &'static str, text: String, start: usize) {
        self.single.push((verb, text, start));
    }

    /// Counts an element of a kind.
    pub(super) fn count(&mut self, verb: &'static str, kind: &str, start: usize) {
        self.groups.entry((verb, kind.chars().take(100).collect())).or_default().push(start);
    }

    /// Counts all unread elements and attributes below an element. Drawings are counted when links are read.
    pub(super) fn below(&mut self, node: Node<'_, '_>) {
        let own = node.tag_name();
        for child in node.children().filter(Node::is_element) {
            let (name, start) = (child.tag_name().name(), child.range().start);
            let is_own = child.tag_name().namespace() == own.namespace();
            let read = READ.iter().find(|(parent, read, _)| is_own && *parent == own.name() && *read == name);
            let Some((_, _, attributes)) = read else {
                self.count("ignored", &format!("`<{name}>` of `<{}>`", own.name()), start);
                continue;
            };
            if ["visual", "collision"].contains(&name) {
                continue;
            }
            for other in child.attributes().filter(|other| !attributes.contains(&other.name())) {
                self.count("ignored", &format!("`{}` of `<{name}>`", other.name()), start);
            }
            self.below(child);
        }
    }

    /// All notes with the first bytes of their elements, in the order of the file.
    pub fn all(&self) -> Vec<(usize, String)> {
        let counted = self
            .groups
            .iter()
            .flat_map(|((verb, kind), starts)| starts.iter().map(move |&start| (start, format!("{verb}: {kind}"))));
        let single = self.single.iter().map(|(verb, text, start)| (*start, format!("{verb}: {text}")));
        let mut all: Vec<_> = single.chain(counted).collect();
        all.sort_by_key(|(start, _)| *start);
        all
    }

    /// A few lines on everything that was not kept as it is in the file.
    pub fn summary(&self) -> Vec<String> {
        let mut by_verb: IndexMap<&str, Vec<&str>> = IndexMap::new();
        for (verb, text, _) in self.single.iter().filter(|(verb, ..)| *verb != "kept") {
            by_verb.entry(verb).or_default().push(text);
        }
        let [kinds, names] = MOST;
        let line = |(verb, texts): (&str, Vec<&str>)| match texts.len() {
            count if count <= names => format!("{verb}: {}", texts.join(", ")),
            count => format!("{verb}: {} and {} more", texts[..names].join(", "), count - names),
        };
        let mut lines: Vec<String> = by_verb.into_iter().map(line).collect();
        let counted = self.groups.iter().take(kinds);
        lines.extend(counted.map(|((verb, kind), starts)| format!("{verb}: {} {kind}", starts.len())));
        let others = self.groups.len().saturating_sub(kinds);
        if others > 0 {
            lines.push(format!("ignored: {others} other kinds of elements and attributes"));
        }
        lines
    }
}
