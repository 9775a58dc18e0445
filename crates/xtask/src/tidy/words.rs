//! Words that are forbidden in the names of a crate's code.

use super::pattern::matches;
use super::rules::{EACH_DIALECT, EACH_SOURCE, FOREIGN_WORDS};
use super::source::Source;
use super::{Finding, Rule};

/// Finds names in a crate's code that contain a word foreign to it; prose may use any word. `crates`
/// are all of the project.
pub(crate) fn check(source: &Source, crates: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(own) = source.crate_name() else { return findings };
    for rule in FOREIGN_WORDS.iter().filter(|rule| matches(rule.within, own)) {
        let foreign = expand(rule.words, own, crates);
        for (idx, line) in source.product_lines() {
            for name in names(&line.code) {
                let words = split_words(name);
                if let Some(word) = words.iter().find(|word| is_foreign(word, &foreign)) {
                    findings.push(Finding {
                        path: source.path.clone(),
                        line: idx + 1,
                        rule: Rule::Word,
                        sentence: format!("`{name}` contains `{word}`: {}.", rule.reason),
                    });
                }
            }
        }
    }
    findings
}

/// The words of a rule, with the names of dialects and sources, but for that of the crate itself.
fn expand<'w>(words: &[&'w str], own: &str, crates: &[&'w str]) -> Vec<&'w str> {
    let named =
        |prefix: &'static str| crates.iter().filter_map(move |name| name.strip_prefix(prefix));
    let mut all = Vec::new();
    for word in words {
        match *word {
            EACH_DIALECT => {
                all.extend(named("dialect-").filter(|one| !named("source-").any(|it| it == *one)));
            }
            EACH_SOURCE => {
                all.extend(named("source-").filter(|one| !named("dialect-").any(|it| it == *one)));
            }
            word => all.push(word),
        }
    }
    let own = own.strip_prefix("source-").unwrap_or_default();
    all.retain(|word| *word != own);
    all
}

/// The plural is the same word.
fn is_foreign(word: &str, foreign: &[&str]) -> bool {
    foreign.contains(&word) || word.strip_suffix('s').is_some_and(|one| foreign.contains(&one))
}

fn names(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty())
}

/// `table_id`, `TableId` and `TABLE_ID` are two words each.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        after_lower = c.is_lowercase();
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        let crates = ["dialect-neo4j", "dialect-toy", "ir", "source-box", "source-neo4j", "sql"];
        super::check(&Source::parse(path, text), &crates).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_foreign_word_is_found_in_every_case_and_number() {
        for name in ["table", "TableId", "find_tables", "TABLE_NAME"] {
            let expected = format!(
                "crates/ir/src/lib.rs:1: word: `{name}` contains `table{}`: \
                 the IR knows no dialect, no permission, no table, no label.",
                if name == "find_tables" { "s" } else { "" }
            );
            assert_eq!(check("crates/ir/src/lib.rs", &format!("x({name})")), [expected]);
        }
    }

    #[test]
    fn the_names_of_other_sources_and_of_dialects_are_foreign_to_a_source() {
        let found = |name: &str| check("crates/source-neo4j/src/lib.rs", name).len();
        assert_eq!((found("ToyRow"), found("Neo4jRow"), found("BoxRow")), (1, 0, 1));
        assert_eq!(check("crates/source-box/src/lib.rs", "BoxRow"), [] as [&str; 0]);
        assert_eq!(check("crates/source-box/src/lib.rs", "neo4j").len(), 1);
        assert_eq!(check("crates/sql/src/lib.rs", "neo4j"), [] as [&str; 0]);
    }

    #[test]
    fn prose_other_crates_and_longer_words_are_allowed() {
        let none: [&str; 0] = [];
        assert_eq!(check("crates/ir/src/lib.rs", "// a table\n\"a table\""), none);
        assert_eq!(check("crates/sql/src/lib.rs", "Table"), none);
        assert_eq!(check("crates/ir/src/lib.rs", "mutable tablet"), none);
    }
}
