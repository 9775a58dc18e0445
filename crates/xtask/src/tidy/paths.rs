//! The paths that a file names: those of its `use` declarations, one by one, and those in its code.

use super::source::Source;

/// A path and the index of the line that it stands on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) line: usize,
    pub(crate) path: String,
    /// The name that a `use` declaration gives to the path.
    pub(crate) import: Option<String>,
}

/// Every path of the product's code that has more than one part.
pub(crate) fn named(source: &Source) -> Vec<Named> {
    let mut found = Vec::new();
    let mut declaration: Option<(usize, String)> = None;
    for (idx, line) in source.product_lines() {
        let code = line.code.trim();
        if declaration.is_none() && is_use(code) {
            declaration = Some((idx, String::new()));
        }
        match &mut declaration {
            None => found.extend(inline(code).map(|path| Named { line: idx, path, import: None })),
            Some((start, text)) => {
                text.push_str(code);
                if code.ends_with(';') {
                    let tree = text.split_once("use ").map_or("", |(_, tree)| tree);
                    flatten("", tree.trim_end_matches(';'), &mut |path, import| {
                        found.push(Named { line: *start, path, import: Some(import) });
                    });
                    declaration = None;
                }
            }
        }
    }
    found
}

/// Whether a path is another, or is below it.
pub(crate) fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn is_use(code: &str) -> bool {
    let code = match code.strip_prefix("pub") {
        Some(rest) => rest.trim_start().trim_start_matches("(crate)").trim_start_matches("(super)"),
        None => code,
    };
    code.trim_start().starts_with("use ")
}

fn inline(code: &str) -> impl Iterator<Item = String> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .map(|path| path.trim_matches(':'))
        .filter(|path| path.contains("::"))
        .map(str::to_owned)
}

/// `a::{b, c::{self, d as e}}` is `a::b`, `a::c`, `a::c::d`, with the names `b`, `c`, `e`.
fn flatten(prefix: &str, tree: &str, add: &mut impl FnMut(String, String)) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let prefix = format!("{prefix}{}", head.trim().trim_start_matches("::"));
        let group = group.trim().strip_suffix('}').unwrap_or(group);
        for part in split_group(group) {
            flatten(&prefix, part, add);
        }
        return;
    }
    let (name, alias) = match tree.split_once(" as ") {
        Some((name, alias)) => (name.trim(), Some(alias.trim())),
        None => (tree, None),
    };
    let path = match name {
        "" => return,
        "self" => prefix.trim_end_matches("::").to_owned(),
        _ => format!("{prefix}{name}"),
    };
    let import = alias.or_else(|| path.rsplit("::").next()).unwrap_or_default().to_owned();
    add(path, import);
}

/// Parts between the commas that are in no inner group.
fn split_group(group: &str) -> Vec<&str> {
    let mut depth = 0;
    group
        .split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = named(&Source::parse("crates/ir/src/a.rs", text));
        let found: Vec<_> = found.iter().map(|found| (found.line, found.path.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn groups_are_taken_apart() {
        check(
            "use std::{\n    fs::{self, File},\n    io as other,\n};\npub(crate) use a::b;",
            &[(0, "std::fs"), (0, "std::fs::File"), (0, "std::io"), (4, "a::b")],
        );
    }

    #[test]
    fn an_import_has_its_name_or_its_alias() {
        let text = "use a::{b::{self, c as d}, e};\nlet f = g::h;";
        let imports: Vec<_> = named(&Source::parse("crates/ir/src/a.rs", text))
            .into_iter()
            .map(|one| one.import)
            .collect();
        let expected = [Some("b"), Some("d"), Some("e"), None].map(|name| name.map(str::to_owned));
        assert_eq!(imports, expected);
    }

    #[test]
    fn paths_in_code_are_found_and_those_in_comments_and_literals_not() {
        check("let a = std::fs::read(b)?; // std::net\n\"std::process\";", &[(0, "std::fs::read")]);
        check("let b: Vec<crate::c::D> = e;", &[(0, "crate::c::D")]);
    }

    #[test]
    fn a_longer_name_is_not_below_a_shorter_one() {
        assert!(is_below("std::fs::File", "std::fs"));
        assert!(is_below("std::fs", "std::fs"));
        assert!(!is_below("std::fsync", "std::fs"));
    }
}
