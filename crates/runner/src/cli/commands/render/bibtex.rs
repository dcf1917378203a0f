//! Citation of a paper as a BibTeX entry.

use std::fmt::Write as _;

use mbsbench_judge::publication::Publication;

use super::tex;

/// Escapes text for a field. BibTeX counts escaped braces, too, so braces in the text are written by name.
fn escaped(text: &str) -> String {
    tex::escaped(text).replace("\\{", "\\textbraceleft{}").replace("\\}", "\\textbraceright{}")
}

/// Returns the entry, under the paper's id.
pub(super) fn entry(paper: &str, publication: &Publication) -> String {
    let mut text = format!("@misc{{{paper},\n");
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name} = {{{value}}},");
    };
    // Names of institutions have commas and words that are not surnames; braces protect them.
    let author = |name: &String| {
        if name.split_whitespace().count() > 3 { format!("{{{}}}", escaped(name)) } else { escaped(name) }
    };
    if !publication.authors.is_empty() {
        field("author", &publication.authors.iter().map(author).collect::<Vec<_>>().join(" and "));
    }
    field("title", &format!("{{{}}}", escaped(&publication.title)));
    if let Some(source) = &publication.source {
        field("howpublished", &escaped(source));
    }
    if publication.year > 0 {
        field("year", &publication.year.to_string());
    }
    if let Some(link) = &publication.link {
        // In addresses only braces are escaped.
        let link = link.replace('{', "%7B").replace('}', "%7D");
        field(if link.starts_with("10.") { "doi" } else { "url" }, &link);
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_contain_known_fields_and_escape_characters() {
        let publication = Publication {
            authors: vec!["A. One".to_owned(), "Institute for Work & Play".to_owned()],
            title: "100 % of β_1".to_owned(),
            year: 2020,
            link: Some("10.1/x_y".to_owned()),
            ..Publication::untold("one2020")
        };
        assert_eq!(
            entry("one2020", &publication),
            "@misc{one2020,\n  author = {A. One and {Institute for Work \\& Play}},\n  \
             title = {{100 \\% of β\\_1}},\n  year = {2020},\n  doi = {10.1/x_y},\n}"
        );
    }

    #[test]
    fn braces_in_names_and_addresses_are_balanced() {
        let publication = Publication {
            authors: vec!["A. {One".to_owned()],
            title: "}} @misc{x,".to_owned(),
            link: Some("https://a/}{".to_owned()),
            ..Publication::untold("one2020")
        };
        let entry = entry("one2020", &publication);
        let depths = entry.chars().scan(0, |depth, c| {
            *depth += i32::from(c == '{') - i32::from(c == '}');
            Some(*depth)
        });
        let depths: Vec<i32> = depths.collect();
        let (last, inside) = depths.split_last().unwrap();
        assert!(*last == 0 && inside[6..].iter().all(|depth| *depth > 0), "{entry}");
    }
}
