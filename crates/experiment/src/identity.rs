//! Ids that become names of folders and files.

use mbsbench_input::{Node, Problem, read, refuse};

/// Names of files and folders that the program itself writes among results or expects beside experiments.
const OWN_NAMES: [&str; 15] = [
    "anchors.json",
    "anchors.yaml",
    "bounds.lock",
    "claims.json",
    "claims.yaml",
    "manifest.json",
    "paper.yaml",
    "ranking.csv",
    "reconstruction.csv",
    "references.csv",
    "report",
    "runs.csv",
    "set-ups.csv",
    "times",
    "witness.yaml",
];

/// Reads the id of an experiment, `paper/name`.
///
/// # Errors
/// Fails if the id is missing or does not consist of two safe folder names.
pub fn read_id(root: &Node) -> Result<String, Problem> {
    const ACCEPTED: &str =
        "accepted: `paper/name`, two names of lower-case letters, digits, `.` and `-`, no device like `con`";
    let Some(node) = root.get("id") else {
        return refuse(root.place, "the key `id` is missing", ACCEPTED);
    };
    let id: String = read(node)?;
    let names: Vec<&str> = id.split('/').collect();
    if names.len() != 2 || !names.iter().all(|name| is_safe_name(name)) {
        return refuse(node.place, format!("`{}` is not an id", id.escape_debug()), ACCEPTED);
    }
    if let Some(own) = names.iter().find(|name| OWN_NAMES.contains(name)) {
        let message = format!("`{own}` is reserved for the program's own results");
        return refuse(node.place, message, "accepted: any other name, which also names the folder of the results");
    }
    if let Some(paper_node) = root.get("paper") {
        let paper: String = read(paper_node)?;
        if paper != names[0] {
            let message = format!("the paper is `{paper}`, but the id begins with `{}`", names[0]);
            return refuse(paper_node.place, message, format!("accepted: `{}`", names[0]));
        }
    }
    Ok(id)
}

/// True if the name is valid as a file name on every system: lower-case letters, digits, `.` and `-`, beginning with a
/// letter or digit, and not a device name.
pub fn is_safe_name(name: &str) -> bool {
    const LONGEST: usize = 100;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= LONGEST
        && name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || byte == b'.' || byte == b'-')
        && !name.ends_with('.')
        && !is_device(name)
}

/// True if some system reserves the name for a device, with any extension: Windows cannot create a file `con.csv`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    ["con", "prn", "aux", "nul"].contains(&stem)
        || port.is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
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

    #[test]
    fn device_names_are_refused_with_any_extension() {
        for name in ["con", "nul", "aux.yaml", "prn.a.b", "com1", "lpt9.txt", "com0"] {
            assert!(!is_safe_name(name), "{name}");
        }
        for name in ["cone", "null", "com10", "com", "lptx", "a.con"] {
            assert!(is_safe_name(name), "{name}");
        }
    }
}
