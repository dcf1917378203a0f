//! Reading a YAML document into a [`Node`].

use std::fmt;
use std::iter;
use std::path::Path;
use std::sync::Arc;

use mbsbench_numbers::is_active;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};
use serde_yaml::{Location, MessageFormatter, Options, Spanned, UserMessageFormatter};

use super::{BadInput, Entry, Key, LARGEST_TEXT, Node, Number, Place, Problem, Source, Value, refuse};

/// Largest number of values in a file, after aliases are replaced.
const MOST_NODES: usize = 100_000;
/// Largest depth of nesting.
const DEEPEST: usize = 32;

/// A file that has been read.
#[derive(Debug, Clone)]
pub struct Document {
    /// The text of the file.
    pub source: Arc<Source>,
    /// The content of the file.
    pub root: Node,
}

impl Document {
    /// Reads the bytes of the file at `path`.
    ///
    /// # Errors
    /// Returns [`BadInput`] if the bytes are not a single YAML document, or if the document is too large.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, BadInput> {
        let source = source(path, bytes)?;
        let root = parse(&source).map_err(|problem| BadInput::new(Arc::clone(&source), vec![problem]))?;
        Ok(Self { source, root })
    }

    /// An error for this file with the given problems.
    pub fn bad(&self, problems: Vec<Problem>) -> BadInput {
        BadInput::new(Arc::clone(&self.source), problems)
    }
}

/// Returns the text of the file at `path`.
///
/// # Errors
/// Returns [`BadInput`] if the bytes are not UTF-8.
pub fn source(path: &Path, bytes: &[u8]) -> Result<Arc<Source>, BadInput> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Arc::new(Source::new(path, text))),
        Err(error) => {
            let valid = error.valid_up_to();
            let message = format!("byte {:#04x} is not UTF-8", bytes[valid]);
            let source = Source::new(path, String::from_utf8_lossy(bytes));
            let problem = Problem::new(Place::new(valid, valid + 1), message).help("save the file as UTF-8");
            Err(BadInput::new(Arc::new(source), vec![problem]))
        }
    }
}

fn parse(source: &Source) -> Result<Node, Problem> {
    let text = source.text();
    if text.len() > LARGEST_TEXT {
        let message = format!("the file has {} bytes", text.len());
        return refuse(Place::default(), message, format!("accepted: at most {LARGEST_TEXT} bytes"));
    }
    let raw: Spanned<Raw> =
        serde_yaml::from_str_with_options(text, options()).map_err(|error| problem(&error, text))?;
    let node = node(raw, source);
    if node.value == Value::Null {
        return refuse(Place::default(), "the file is empty", "an experiment begins with `id: paper/name`");
    }
    match active(&node) {
        Some((place, c)) => {
            let message =
                format!("the text contains {}, which changes how the text around it is displayed", c.escape_unicode());
            refuse(place, message, "accepted: printable characters, line breaks and tabs")
        }
        None => Ok(node),
    }
}

/// Finds the first text or key with a character that controls terminals or pages: labels enter tables and file names
/// unchanged.
fn active(node: &Node) -> Option<(Place, char)> {
    let of = |text: &str, place| text.replace("\r\n", "\n").chars().find(|&c| is_active(c)).map(|c| (place, c));
    match &node.value {
        Value::Text(text) => of(text, node.place),
        Value::List(items) => items.iter().find_map(active),
        Value::Map(entries) => {
            entries.iter().find_map(|entry| of(&entry.key.name, entry.key.place).or_else(|| active(&entry.value)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn options() -> Options {
    let limits = serde_yaml::alias_limits! {
        max_total_replayed_events: MOST_NODES,
        max_replay_stack_depth: DEEPEST,
    };
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: DEEPEST,
            // The outermost map counts as a level.
            flow_nesting_limit: DEEPEST - 1,
            max_nodes: MOST_NODES,
            max_events: 4 * MOST_NODES,
            max_total_scalar_bytes: LARGEST_TEXT,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Merge,
        alias_limits: limits,
        // `no`, `on` and `y` are ordinary words in a table of methods.
        strict_booleans: true,
        reject_unsupported_tags: true,
        // The reader of the node decides if a number must be finite.
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

fn problem(error: &serde_yaml::Error, text: &str) -> Problem {
    use serde_yaml::Error;
    let outer = error.without_snippet();
    // The place of a problem behind an alias is that of the alias.
    let place = outer.location().map_or(Place::default(), |location| place(location, text));
    let mut error = outer;
    while let Error::AliasError { error: inner, .. } = error {
        error = inner;
    }
    let message = UserMessageFormatter.format_message(error).into_owned();
    let limits = format!("accepted: at most {MOST_NODES} values, nested {DEEPEST} deep, after aliases are expanded");
    let help = match error {
        Error::DuplicateMappingKey { .. } => "a key may occur only once in a map; remove or rename one of the two",
        Error::MultipleDocuments { .. } => "one file holds one document; split it at `---`",
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => &limits,
        // The parser has its own limit on brackets, and no error variant for it.
        _ if message.contains("recursion limit") => &limits,
        _ => "the file must be YAML 1.2",
    };
    Problem::new(place, message).help(help)
}

/// The byte range of a location. If the parser gives none, line and column are converted.
fn place(location: Location, text: &str) -> Place {
    let span = location.span();
    if let (Some(start), Some(length)) = (span.byte_offset(), span.byte_len()) {
        let start = usize::try_from(start).unwrap_or(text.len()).min(text.len());
        let length = usize::try_from(length).unwrap_or(0);
        return Place::new(start, (start + length).min(text.len()));
    }
    let line = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(location.column()).unwrap_or(1).saturating_sub(1);
    let line_start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let start = line_start + text[line_start..].chars().take(column).map(char::len_utf8).sum::<usize>();
    Place::new(start, start)
}

/// A document as the YAML crate returns it.
#[derive(Debug, Clone)]
enum Raw {
    Plain(Value),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Plain(Value::Null))
    }
    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Plain(Value::Null))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Plain(Value::Bool(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Plain(number(value as f64, Some(value.into()), "")))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Plain(number(value as f64, Some(value.into()), "")))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Plain(number(value, None, "")))
    }
    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Plain(Value::Text(value.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        iter::from_fn(|| items.next_element().transpose()).collect::<Result<_, _>>().map(Raw::List)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        iter::from_fn(|| entries.next_entry().transpose()).collect::<Result<_, _>>().map(Raw::Map)
    }
}

fn node(raw: Spanned<Raw>, source: &Source) -> Node {
    let mut place = place(raw.defined, source.text());
    let value = match raw.value {
        // A whole number has at most 64 bits here; digits beyond 53 bits are lost, as for any f64.
        Raw::Plain(Value::Number(found)) => number(found.value, found.whole, source.at(place)),
        Raw::Plain(Value::Text(text)) => match power(&text) {
            // Quoted text is text.
            Some(value) if source.at(place).trim() == text => number(value, None, &text),
            _ => Value::Text(text),
        },
        Raw::Plain(plain) => plain,
        Raw::List(items) => {
            let items: Vec<Node> = items.into_iter().map(|item| node(item, source)).collect();
            place = items.last().map_or(place, |last| place.to(last.place));
            Value::List(items)
        }
        Raw::Map(entries) => {
            let entry = |(key, value): (Spanned<String>, Spanned<Raw>)| Entry {
                key: Key { place: self::place(key.defined, source.text()), name: key.value },
                value: node(value, source),
            };
            let entries: Vec<Entry> = entries.into_iter().map(entry).collect();
            place = entries.last().map_or(place, |last| place.to(last.value.place));
            Value::Map(entries)
        }
    };
    Node::new(value, place)
}

fn number(value: f64, whole: Option<i128>, text: &str) -> Value {
    Value::Number(Number { value, whole, text: text.trim().to_owned() })
}

/// Reads `base^exponent` with a whole exponent, such as `2^-10`.
fn power(text: &str) -> Option<f64> {
    let (base, exponent) = text.split_once('^')?;
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
    if base.is_empty() || !plain(base) {
        return None;
    }
    Some(base.parse::<f64>().ok()?.powi(exponent.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Document {
        Document::parse(Path::new("t.yaml"), text.as_bytes()).unwrap_or_else(|bad| panic!("{bad}"))
    }

    #[test]
    fn keys_and_values_have_positions() {
        let document = parsed("a: θθ\nb:\n  - 2^-10 # a power\n  - { c: 1e-3, d: 'x y' }\n");
        let at = |place| document.source.at(place);
        let b = document.root.entry("b").unwrap();
        assert_eq!(at(b.key.place), "b");
        let Value::List(items) = &b.value.value else { panic!("a list") };
        assert_eq!(at(items[0].place), "2^-10");
        assert_eq!(items[0].value, number(2f64.powi(-10), None, "2^-10"));
        let map = &items[1];
        assert_eq!(at(map.entry("d").unwrap().key.place), "d");
        assert_eq!(at(map.get("c").unwrap().place), "1e-3");
        assert_eq!(map.get("c").unwrap().value, number(1e-3, None, "1e-3"));
        assert_eq!(at(map.get("d").unwrap().place), "'x y'");
        assert_eq!(document.source.line_and_column(map.place), (4, 5));
    }

    #[test]
    fn quoted_numbers_are_text_and_words_are_not_booleans() {
        let document = parsed("a: '2^-10'\nb: \"1\"\nc: no\nd: true\ne:\n");
        for (key, value) in [
            ("a", Value::Text("2^-10".into())),
            ("b", Value::Text("1".into())),
            ("c", Value::Text("no".into())),
            ("d", Value::Bool(true)),
            ("e", Value::Null),
        ] {
            assert_eq!(document.root.get(key).unwrap().value, value, "{key}");
        }
    }

    #[test]
    fn control_characters_are_refused_with_their_position() {
        for (text, position) in [
            ("a: b\nlabel: \"red \\e[31m\"\n", "t.yaml:2:8"),
            ("a: [b, \"\\u202Ex\"]\n", "t.yaml:1:8"),
            ("a: { \"\\u009b\": 1 }\n", "t.yaml:1:6"),
            ("a: \"x\\ry\"\n", "t.yaml:1:4"),
        ] {
            let bad = Document::parse(Path::new("t.yaml"), text.as_bytes()).expect_err(text).to_string();
            assert!(bad.contains(position) && bad.contains("how the text around it is displayed"), "{text}: {bad}");
        }
        parsed("a: |\r\n  one\r\n  two\r\nb: \"ψ\\t肩\\n\"\r\n");
    }

    #[test]
    fn aliases_and_merge_keys_point_to_the_original_value() {
        let document = parsed("base: &base { x: 1 }\nuse: { <<: *base, y: 2 }\nagain: *base\n");
        let place = document.root.get("again").unwrap().get("x").unwrap().place;
        assert_eq!(document.source.line_and_column(place), (1, 18));
        assert_eq!(document.root.get("use").unwrap().entries().len(), 2);
    }
}
