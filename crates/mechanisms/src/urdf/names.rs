//! Valid names of a mechanism for the names in a robot's file.

use std::collections::{HashMap, HashSet};

/// A set of unique names.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The last number tried for each name.
    last: HashMap<String, usize>,
}

impl Names {
    /// Reserves a name; returns false if it is taken.
    pub(super) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// Reserves and returns the name itself if it is free, or else the first free one of `name_2`, `name_3`, … .
    pub(super) fn give(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while !self.taken.insert(free.clone()) {
            let last = self.last.entry(name.to_owned()).or_insert(1);
            *last += 1;
            free = format!("{name}_{last}");
        }
        free
    }

    /// Derives distinct names for the distinct names of a file. Valid names are kept, regardless of their order.
    pub(super) fn derive<'f>(&mut self, kind: &str, written: &[&'f str]) -> HashMap<&'f str, String> {
        let mut derived = HashMap::new();
        for &name in written {
            if plain(kind, name) == name && self.take(name) {
                derived.insert(name, name.to_owned());
            }
        }
        for &name in written {
            if !derived.contains_key(name) {
                derived.insert(name, self.give(&plain(kind, name)));
            }
        }
        derived
    }
}

/// Converts a name to ASCII letters, digits and `_`, starting with a letter: other letters become their code points,
/// so that `肩` becomes `u80a9_`.
fn plain(kind: &str, name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            _ if c.is_ascii_alphanumeric() => plain.push(c),
            _ if c.is_ascii() => plain.push('_'),
            _ => plain.push_str(&format!("u{:x}_", u32::from(c))),
        }
    }
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("{kind}_{plain}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(taken: &str, written: &[&str]) -> Vec<String> {
        let mut names = Names::default();
        names.take(taken);
        let derived = names.derive("joint", written);
        written.iter().map(|name| derived[name].clone()).collect()
    }

    #[test]
    fn distinct_names_stay_distinct() {
        assert_eq!(derived("ground", &["j-1", "j_1", "j.1", "j_1_2"]), ["j_1_3", "j_1", "j_1_4", "j_1_2"]);
        assert_eq!(
            derived("ground", &["肩部", "肘部", "1", "joint_1"]),
            ["u80a9_u90e8_", "u8098_u90e8_", "joint_1_2", "joint_1"]
        );
        assert_eq!(derived("ground", &["ground", "ground-2", "arm"]), ["ground_2", "ground_2_2", "arm"]);
    }

    #[test]
    fn names_that_need_no_change_do_not_depend_on_their_order() {
        assert_eq!(derived("", &["b", "a-b", "a_b"]), ["b", "a_b_2", "a_b"]);
        assert_eq!(derived("", &["a_b", "b", "a-b"]), ["a_b", "b", "a_b_2"]);
    }
}
