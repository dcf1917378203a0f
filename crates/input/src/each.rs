//! `each:` in an item of a list. The item is repeated for every combination of the given values; `{method}` and the
//! like are replaced by the value of the axis of that name.

use super::{Entry, Key, Node, Problem, Value, refuse};

/// Expands list items with `each:`, using the `sets:` of their file.
#[derive(Debug, Clone, Copy)]
pub struct Each<'n> {
    sets: &'n [Entry],
    later: &'static [&'static str],
}

/// A combination: the name and the value of each axis.
type Bound = Vec<(String, Node)>;

impl<'n> Each<'n> {
    /// Reads the block `sets:`, which defines named lists of values. Names in braces that are listed in `later` are
    /// left unchanged.
    pub fn read(root: &'n Node, later: &'static [&'static str]) -> Result<Self, Problem> {
        let Some(node) = root.get("sets") else { return Ok(Self { sets: &[], later }) };
        if !matches!(node.value, Value::Map(_)) {
            return Err(Problem::found(node).help("accepted: a map of lists, `{ explicit: [rk3, rk5] }`"));
        }
        node.entries().iter().try_for_each(|entry| values(&entry.value).map(drop))?;
        Ok(Self { sets: node.entries(), later })
    }

    /// Returns the node with the items of all its lists expanded.
    pub fn written_out(&self, node: &Node) -> Result<Node, Problem> {
        self.fill(node, &Bound::new())
    }

    /// Expands an item of a list: into one item for each combination, or into itself if it has no `each:`.
    pub fn items(&self, item: &Node) -> Result<Vec<Node>, Problem> {
        self.items_within(item, &Bound::new())
    }

    fn items_within(&self, item: &Node, outer: &Bound) -> Result<Vec<Node>, Problem> {
        let Some(each) = item.get("each") else {
            return match item.entry("except") {
                Some(except) => refuse(
                    except.key.place,
                    "`except` requires `each`",
                    "accepted: `except` together with `each`, whose combinations it changes or drops",
                ),
                None => Ok(vec![self.fill(item, outer)?]),
            };
        };
        let exceptions = item.get("except").map_or(Ok(&[][..]), values)?;
        let mut combinations = vec![Bound::new()];
        for Entry { key, value } in each.entries() {
            let values = self.set(value)?.iter().map(|value| self.fill(value, outer)).collect::<Result<Vec<_>, _>>()?;
            let extended = |bound: Bound| {
                let with = |value: &Node| [bound.as_slice(), &[(key.name.clone(), value.clone())]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.into_iter().flat_map(extended).collect();
        }
        if each.entries().is_empty() {
            return Err(Problem::found(each).help("accepted: axes with their values, `{ method: [rk3, rk5] }`"));
        }
        let template = item.without("each").without("except");
        let mut used = vec![false; exceptions.len()];
        let mut written = Vec::new();
        for bound in combinations {
            let exception = exceptions.iter().position(|exception| fits(exception, &bound));
            let template = match exception {
                Some(index) => {
                    used[index] = true;
                    let over = bound.iter().fold(exceptions[index].clone(), |node, (axis, _)| node.without(axis));
                    if over.get("drop").is_some() {
                        continue;
                    }
                    template.merged(&over)
                }
                None => template.clone(),
            };
            // An inner axis hides an outer one of the same name.
            written.push(self.fill(&template, &[bound, outer.clone()].concat())?);
        }
        if let Some((exception, _)) = exceptions.iter().zip(used).find(|(_, used)| !used) {
            let problem = Problem::new(exception.place, "the exception matches no combination of `each`");
            return Err(problem.help("accepted: values of the axes; the first exception that matches applies"));
        }
        Ok(written)
    }

    fn set<'a>(&self, node: &'a Node) -> Result<&'a [Node], Problem>
    where
        'n: 'a,
    {
        let Some(name) = node.text() else { return values(node) };
        let known = self.sets.iter().map(|entry| entry.key.name.as_str());
        let unknown = || Problem::unknown(node.place, "set", name, known);
        values(&self.sets.iter().find(|entry| entry.key.name == name).ok_or_else(unknown)?.value)
    }

    /// Returns the node with the names of axes replaced by the values of a combination.
    fn fill(&self, node: &Node, bound: &Bound) -> Result<Node, Problem> {
        let value = match &node.value {
            Value::Text(text) if !bound.is_empty() => return self.fill_text(node, text, bound),
            Value::List(items) => {
                let items = items.iter().map(|item| self.items_within(item, bound)).collect::<Result<Vec<_>, _>>()?;
                Value::List(items.concat())
            }
            Value::Map(entries) => {
                let entry = |Entry { key, value }: &Entry| {
                    let name = Node::new(Value::Text(key.name.clone()), key.place);
                    let name = self.fill(&name, bound)?.spelling().unwrap_or_else(|| key.name.clone());
                    Ok(Entry { key: Key { name, ..*key }, value: self.fill(value, bound)? })
                };
                Value::Map(entries.iter().map(entry).collect::<Result<_, Problem>>()?)
            }
            other => other.clone(),
        };
        Ok(Node::new(value, node.place))
    }

    fn fill_text(&self, node: &Node, text: &str, bound: &Bound) -> Result<Node, Problem> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                let message = "`{` has no closing `}`";
                return refuse(node.place, message, "accepted: the name of an axis of `each` in braces");
            };
            rest = after;
            match value_of(name, bound) {
                // If the text consists of the name alone, the value keeps its type.
                Some(value) if name.len() + 2 == text.len() => return Ok(Node::new(value.value.clone(), node.place)),
                Some(value) => filled.push_str(&value.spelling().ok_or_else(|| {
                    let message = format!("`{{{name}}}` is {}, which cannot be part of a text", value.describe());
                    Problem::new(node.place, message)
                        .help("accepted: a number or a text; for a map, name one of its fields: `{axis.field}`")
                })?),
                None if self.later.contains(&name) => filled.push_str(&format!("{{{name}}}")),
                None => {
                    let known: Vec<&str> = bound.iter().map(|(axis, _)| axis.as_str()).collect();
                    return Err(Problem::unknown(node.place, "axis of `each`", name, known));
                }
            }
        }
        filled.push_str(rest);
        Ok(Node::new(Value::Text(filled), node.place))
    }
}

fn values(node: &Node) -> Result<&[Node], Problem> {
    match &node.value {
        Value::List(items) if !items.is_empty() => Ok(items),
        _ => Err(Problem::found(node).help("accepted: a list of values, or the name of one of the `sets:`")),
    }
}

/// True if an exception applies to a combination: each axis that it names has one of its values.
fn fits(exception: &Node, bound: &Bound) -> bool {
    bound.iter().all(|(axis, value)| {
        exception.get(axis).is_none_or(|wanted| wanted.one_or_many().iter().any(|wanted| is_value(value, wanted)))
    })
}

fn is_value(value: &Node, wanted: &Node) -> bool {
    let same = |node: &Node| node.spelling().is_some() && node.spelling() == wanted.spelling();
    same(value) || value.entries().iter().any(|field| same(&field.value))
}

/// The value of an axis, or of a field of it (`m.label`).
fn value_of<'b>(name: &str, bound: &'b Bound) -> Option<&'b Node> {
    let find = |axis: &str| bound.iter().find(|(known, _)| known == axis).map(|(_, value)| value);
    find(name).or_else(|| {
        let (axis, field) = name.split_once('.')?;
        find(axis)?.get(field)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Document;

    fn written_out(text: &str) -> Result<String, String> {
        let document = Document::parse(Path::new("a.yaml"), text.as_bytes()).expect("YAML");
        let each = Each::read(&document.root, &["row"]).map_err(|problem| problem.message)?;
        let node = each.written_out(document.root.get("list").expect("a list"));
        node.map(|node| node.to_json().to_string()).map_err(|problem| problem.message)
    }

    #[test]
    fn items_are_written_once_for_each_combination() {
        let plain = "list: [{ each: { m: [rk3, rk5], h: [0.1, 1e-3] }, id: '{m}-{h}', step: '{h}' }, x]";
        assert_eq!(
            written_out(plain).unwrap(),
            concat!(
                r#"[{"id":"rk3-0.1","step":0.1},{"id":"rk3-1e-3","step":0.001},"#,
                r#"{"id":"rk5-0.1","step":0.1},{"id":"rk5-1e-3","step":0.001},"x"]"#
            )
        );
        let fields = "sets: { s: [{ key: lms2, label: 'LMS 2' }] }\n\
                      list: [{ each: { m: s }, '{m.key}': { label: '{m.label}, {row}' } }]";
        assert_eq!(written_out(fields).unwrap(), r#"[{"lms2":{"label":"LMS 2, {row}"}}]"#);
    }

    #[test]
    fn an_inner_each_sees_the_outer_axes() {
        let nested = "list: [{ each: { m: [a, b] }, of: [{ each: { q: ['x{m}', y] }, '{q}': '{m}' }] }]";
        assert_eq!(written_out(nested).unwrap(), r#"[{"of":[{"xa":"a"},{"y":"a"}]},{"of":[{"xb":"b"},{"y":"b"}]}]"#);
    }

    #[test]
    fn mistakes_are_rejected() {
        for (text, message) in [
            ("list: [{ each: { m: [1] }, id: '{n}' }]", "unknown axis `n` of `each`"),
            ("list: [{ each: { m: [1] }, id: '{m' }]", "`{` has no closing `}`"),
            ("list: [{ each: { m: s } }]", "unknown set `s`"),
            ("list: [{ each: {} }]", "found an empty map"),
            ("list: [{ each: { m: [{ a: 1 }] }, id: 'x{m}' }]", "`{m}` is a map, which cannot be part of a text"),
            ("list: [{ each: { m: [1] }, except: [{ m: 2, drop: true }] }]", "matches no combination"),
            ("list: [{ except: [{ m: 2 }] }]", "`except` requires `each`"),
            ("sets: []\nlist: []", "found an empty list"),
        ] {
            let refused = written_out(text).unwrap_err();
            assert!(refused.contains(message), "{text}: {refused}");
        }
    }
}
