//! Words that are forbidden in the names of a crate's code.

use super::rules::FOREIGN_WORDS;
use super::source::Source;
use super::{Finding, Rule};

/// Finds names in a crate's code that contain a forbidden word; comments may use any word.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in FOREIGN_WORDS.iter().filter(|rule| source.crate_name() == Some(rule.within)) {
        for (idx, line) in source.product_lines() {
            for name in names(&line.code) {
                let words = split_words(name);
                if let Some(word) = words.iter().find(|word| is_foreign(word, rule.words)) {
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

/// The plural counts as the same word.
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
        super::check(&Source::parse(path, text)).iter().map(Finding::to_string).collect()
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
    fn prose_other_crates_and_longer_words_are_allowed() {
        let none: [&str; 0] = [];
        assert_eq!(check("crates/ir/src/lib.rs", "// a table\n\"a table\""), none);
        assert_eq!(check("crates/sql/src/lib.rs", "Table"), none);
        assert_eq!(check("crates/ir/src/lib.rs", "mutable tablet"), none);
    }
}
