//! The publication that is reproduced, with its citation and main claims: `experiments/<id>/paper.yaml`.

mod main_claim;

use std::cmp::Ordering;

use mbsbench_input::{BadInput, Document, Problem, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use main_claim::{Erratum, MainClaim};

/// Name of the file, which lies beside the experiments.
pub const FILE: &str = "paper.yaml";

/// Version of the file format.
const SCHEMA: u32 = 1;

/// The largest number of main claims that a paper may have.
const MOST_CLAIMS: usize = 6;

/// The kind of publication: one paper, or a set of problems that a community uses as benchmarks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PublicationKind {
    /// A paper.
    #[default]
    Paper,
    /// A set of benchmark problems. It has many runs, which are computed on demand.
    Set,
}

/// A paper or a set of benchmark problems, with its citation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A paper, or a set of benchmark problems")]
pub struct Publication {
    /// Version of the file format.
    pub schema: u32,
    /// A paper, or a set of benchmark problems.
    #[serde(default)]
    pub kind: PublicationKind,
    /// Title, as published.
    pub title: String,
    /// Authors, in the order of the title page; for a set, its maintainers.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: u16,
    /// The subject, in one line.
    pub about: String,
    /// The place of publication: journal, volume and pages, proceedings, or web page.
    pub source: Option<String>,
    /// DOI (`10.…/…`) or address (`https://…`).
    pub link: Option<String>,
    /// The licence of the data and numbers reproduced here.
    pub licence: Option<String>,
    /// The citation requested by the authors, if it is not composed of authors, title, source and year.
    pub cite: Option<String>,
    /// Its main claims, at most six.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 6))]
    pub claims: Vec<MainClaim>,
    /// Errors in print, which affect no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errata: Vec<Erratum>,
}

impl Publication {
    /// Reads `paper.yaml`.
    ///
    /// # Errors
    /// Fails with the first problem found in the file.
    pub fn read(document: &Document) -> Result<Self, BadInput> {
        let root = &document.root;
        let found: Self = read(root).map_err(|problem| document.bad(vec![problem]))?;
        let at = |key: &str, message: &str, help: &str| {
            document.bad(vec![Problem::new(root.place_of(key), message).help(help)])
        };
        if found.schema != SCHEMA {
            let message = "this version of the file format is not supported";
            return Err(at("schema", message, &format!("accepted: {SCHEMA}")));
        }
        for (key, text) in [("title", &found.title), ("about", &found.about)] {
            if text.trim().is_empty() {
                return Err(at(key, "the text is empty", "accepted: a text"));
            }
        }
        if found.authors.is_empty() || found.authors.iter().any(|author| author.trim().is_empty()) {
            return Err(at("authors", "an author has no name", "accepted: a list of names"));
        }
        if found.link.as_deref().is_some_and(|link| address(link).is_none()) {
            let help = "accepted: a DOI (`10.1007/s11044-021-09806-9`) or an address that begins with `https://`";
            return Err(at("link", "the link is not a valid address", help));
        }
        if found.claims.len() > MOST_CLAIMS {
            let message = format!("the paper has {} main claims", found.claims.len());
            return Err(at("claims", &message, &format!("accepted: at most {MOST_CLAIMS}")));
        }
        Ok(found)
    }

    /// A placeholder for a publication without `paper.yaml`; its title is the id.
    pub fn untold(id: &str) -> Self {
        Self { schema: SCHEMA, title: id.to_owned(), ..Self::default() }
    }

    /// Orders papers before sets, each by year; publications without `paper.yaml` come last.
    pub fn order(&self, other: &Self) -> Ordering {
        let rank = |one: &Self| (one.kind, one.authors.is_empty(), one.year);
        rank(self).cmp(&rank(other))
    }

    /// The authors in one line; `None` if they are not given.
    pub fn by(&self) -> Option<String> {
        (!self.authors.is_empty()).then(|| self.authors.join(", "))
    }

    /// The address to which `link` leads.
    pub fn address(&self) -> Option<String> {
        self.link.as_deref().and_then(address)
    }

    /// The citation in one line.
    pub fn citation(&self) -> String {
        let on_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(cite) = &self.cite {
            return on_one_line(cite);
        }
        let year = (self.year > 0).then(|| self.year.to_string());
        let parts = [self.by(), Some(self.title.clone()), self.source.clone(), year, self.link.clone()];
        parts.into_iter().flatten().map(|part| on_one_line(&part)).collect::<Vec<_>>().join(". ") + "."
    }

    /// The JSON form.
    pub fn to_json(&self, id: &str) -> Value {
        let mut value = json!(self);
        if let Some(fields) = value.as_object_mut() {
            for own in ["schema", "claims", "errata"] {
                fields.remove(own);
            }
            fields.retain(|_, value| !value.is_null());
            fields.insert("id".to_owned(), json!(id));
            fields.insert("citation".to_owned(), json!(self.citation()));
        }
        value
    }
}

/// Returns the address of a DOI or an `https` link, and `None` for any other text.
fn address(link: &str) -> Option<String> {
    let is_plain = !link.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    if link.starts_with("10.") && link.contains('/') && is_plain {
        return Some(format!("https://doi.org/{link}"));
    }
    (link.starts_with("https://") && link.len() > "https://".len() && is_plain).then(|| link.to_owned())
}

/// The JSON Schema of the file.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Publication).to_value();
    schema["properties"]["schema"] = json!({ "const": SCHEMA, "description": "Version of the file format." });
    schema["properties"]["authors"]["minItems"] = json!(1);
    schema
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read_text(text: &str) -> Result<Publication, String> {
        let document = Document::parse(Path::new("paper.yaml"), text.as_bytes()).map_err(|bad| bad.to_string())?;
        Publication::read(&document).map_err(|bad| bad.render(false))
    }

    const PLAIN: &str = "schema: 1\ntitle: T\nauthors: [A. One, B. Two]\nyear: 2020\nabout: steps\n";

    #[test]
    fn citations_use_the_available_fields() {
        let plain = read_text(PLAIN).unwrap();
        assert_eq!(plain.citation(), "A. One, B. Two. T. 2020.");
        let more = read_text(&format!("{PLAIN}source: |\n  J. Mech.\n  1, 2-3\nlink: 10.1/x\n")).unwrap();
        assert_eq!(more.citation(), "A. One, B. Two. T. J. Mech. 1, 2-3. 2020. 10.1/x.");
        assert_eq!(more.address().unwrap(), "https://doi.org/10.1/x");
        let own = read_text(&format!("{PLAIN}cite: |\n  as we\n  like it\n")).unwrap();
        assert_eq!(own.citation(), "as we like it");
    }

    #[test]
    fn invalid_links_and_empty_texts_are_refused() {
        for (line, said) in [
            ("link: javascript:x", "not a valid address"),
            ("link: http://x", "not a valid address"),
            ("kind: book", "accepted"),
            ("colour: red", "unknown"),
        ] {
            let error = read_text(&format!("{PLAIN}{line}\n")).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
        for (from, to) in [("schema: 1", "schema: 9"), ("[A. One, B. Two]", "[]"), ("title: T", "title: ' '")] {
            assert!(read_text(&PLAIN.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn papers_precede_sets_and_are_ordered_by_year() {
        let of = |text: &str| read_text(text).unwrap();
        let (old, new) = (of(PLAIN), of(&PLAIN.replace("2020", "2024")));
        let set = of(&format!("{}kind: set\n", PLAIN.replace("2020", "1999")));
        assert_eq!(old.order(&new), Ordering::Less);
        assert_eq!(new.order(&set), Ordering::Less);
        assert_eq!(new.order(&Publication::untold("x")), Ordering::Less);
    }
}
