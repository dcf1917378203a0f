//! Ids that become names of folders and files.

use mbsbench_input::{Node, Problem, read};

use super::Problems;

/// The id of an experiment, `paper/name`.
///
/// # Errors
/// Where it is missing, or no two names that are safe as folders.
pub fn read_id(root: &Node) -> Result<String, Problem> {
    const ACCEPTED: &str = "accepted: `paper/name`, two names of small letters, digits, `.` and `-`";
    let Some(node) = root.get("id") else {
        return Err(Problem::new(root.place, "the key `id` is missing").help(ACCEPTED));
    };
    let id: String = read(node)?;
    let names: Vec<&str> = id.split('/').collect();
    if names.len() != 2 || !names.iter().all(|name| is_safe_name(name)) {
        return Err(Problem::new(node.place, format!("`{}` is no id", id.escape_debug())).help(ACCEPTED));
    }
    if let Some(paper_node) = root.get("paper") {
        let paper: String = read(paper_node)?;
        if paper != names[0] {
            let message = format!("the paper is `{paper}`, but the id begins with `{}`", names[0]);
            return Err(Problem::new(paper_node.place, message).help(format!("accepted: `{}`", names[0])));
        }
    }
    Ok(id)
}

/// Whether a name can be that of a file everywhere: small letters, digits, `.` and `-`, beginning with a letter
/// or digit.
#[must_use]
pub fn is_safe_name(name: &str) -> bool {
    const LONGEST: usize = 100;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= LONGEST
        && name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || byte == b'.' || byte == b'-')
        && !name.ends_with('.')
}

/// Files that are there besides those of tables and figures.
const RESERVED: [&str; 5] = ["runs", "references", "timings", "robustness", "robustness-samples"];

/// Ids of tables, figures and drawings are names of files, and no two are the same.
pub(super) fn check_file_names<'e>(ids: impl Iterator<Item = (&'e String, &'e Node)>, problems: &mut Problems) {
    let mut seen = std::collections::BTreeSet::new();
    for (id, node) in ids {
        let place = node.place_of("id");
        if !is_safe_name(id) {
            let problem = Problem::new(place, format!("`{}` is no name of a file", id.escape_debug()));
            problems.add(problem.help("accepted: small letters, digits, `.` and `-`, such as `table-3.2`"));
        } else if RESERVED.contains(&id.as_str()) {
            let problem = Problem::new(place, format!("`{id}.csv` is a file of every experiment"));
            problems.add(problem.help("accepted: any other id"));
        } else if !seen.insert(id) {
            problems.add(Problem::new(place, format!("a second table or figure `{id}`")).help("ids have to differ"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_safe_name;

    #[test]
    fn names_cannot_leave_their_folder() {
        for name in ["compere2001", "table-3.2", "figure-14a"] {
            assert!(is_safe_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "A", "-x", "a\0", "ä", "a.", " a", "con\\x", &"a".repeat(101)] {
            assert!(!is_safe_name(name), "{name}");
        }
    }
}
