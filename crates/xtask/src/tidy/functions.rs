//! Free functions of the same name in two crates: often the same function written twice.
//!
//! A report and not a rule: many such pairs are right.

use std::collections::BTreeMap;

use super::source::Source;

/// One sentence for each name, in the order of names.
pub(crate) fn equal_names(sources: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for source in sources {
        let Some(crate_name) = source.crate_name() else { continue };
        for (line, name) in free_functions(source) {
            // A single word is a verb of the project (`parse`, `read`), which every module may
            // have.
            if name.contains('_') {
                let place = format!("{}:{}", source.path, line + 1);
                places.entry(name).or_default().push((crate_name, place));
            }
        }
    }
    places
        .into_iter()
        .filter(|(_, places)| {
            let mut crates = places.iter().map(|(crate_name, _)| crate_name);
            let first = crates.next();
            crates.any(|other| Some(other) != first)
        })
        .map(|(name, places)| {
            let places: Vec<_> = places.into_iter().map(|(_, place)| place).collect();
            format!("`fn {name}` is in several crates: {}", places.join(", "))
        })
        .collect()
}

/// A free function of a formatted file begins at the line's first column.
fn free_functions(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    source.product_lines().filter_map(|(idx, line)| {
        let (before, after) = line.code.split_once("fn ")?;
        let is_free = before.is_empty() || before.starts_with("pub") || before.ends_with("sync ");
        if !is_free || before.starts_with(' ') {
            return None;
        }
        let name = after.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        (!name.is_empty()).then_some((idx, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_free_functions_of_different_crates_are_named() {
        let sources = [
            Source::parse("crates/a/src/lib.rs", "fn parse() {}\npub(crate) fn quote_name() {}\n"),
            Source::parse("crates/a/src/b.rs", "fn set_twice() {}\nfn in_both() {}\n"),
            Source::parse("crates/a/src/c.rs", "fn set_twice() {}\n"),
            Source::parse(
                "crates/d/src/lib.rs",
                "fn parse() {}\nimpl E {\n    fn in_both() {}\n}\nasync fn quote_name() {}\n",
            ),
        ];
        assert_eq!(
            equal_names(&sources),
            ["`fn quote_name` is in several crates: crates/a/src/lib.rs:2, crates/d/src/lib.rs:5"]
        );
    }
}
