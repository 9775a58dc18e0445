//! Searches in texts: words as the tokenizers of Dgraph split them, their stems, and regular
//! expressions in the syntax of RE2.
//!
//! A search has the same outcome on every database. SQLite calls [`Search::is_match`] for each row;
//! PostgreSQL compares the arrays of its functions `thalweg.terms` and `thalweg.stems` with
//! [`wanted`]. The functions split texts by the same expression, [`words::WORD`], and end words alike.
//! An index that splits words otherwise returns [`candidates`] only.
//!
//! * [`words`]: texts → words
//! * `porter`: words → stems
//! * `stop_words`: words that no search finds
//! * [`re2`]: regular expressions
//! * [`posix`]: patterns of PostgreSQL as expressions of RE2
//! * [`candidates`]: queries of SQLite's indexes

pub mod candidates;
mod porter;
pub mod posix;
pub mod re2;
mod stop_words;
pub mod words;

use std::collections::HashSet;

use ir::TextMatch;
use regex::Regex;
use source::SourceError;

pub use re2::Re2;
pub use stop_words::STOP_WORDS;
use words::{sequences, stems, terms};

/// The operand of a search, parsed once for all rows.
#[derive(Debug)]
pub enum Search {
    /// Any of these terms is in the text, or all of them. Without terms nothing is found.
    Terms {
        wanted: HashSet<Box<str>>,
        all: bool,
    },
    Stems {
        wanted: HashSet<Box<str>>,
        all: bool,
    },
    Sequences(HashSet<Box<str>>),
    Pattern(Regex),
}

impl Search {
    /// Parses an operand.
    ///
    /// # Errors
    ///
    /// The operand is an invalid regular expression, or one that is too large.
    pub fn read(r#match: TextMatch, operand: &str) -> Result<Option<Self>, SourceError> {
        let all = matches!(r#match, TextMatch::AllTerms | TextMatch::AllStems);
        Ok(Some(match r#match {
            TextMatch::AllTerms | TextMatch::AnyTerm => {
                Self::Terms { wanted: terms(operand).into_iter().collect(), all }
            }
            TextMatch::AllStems | TextMatch::AnyStem => {
                Self::Stems { wanted: stems(operand).into_iter().collect(), all }
            }
            TextMatch::AnyStemSequence => Self::Sequences(wanted_sequences(operand).collect()),
            TextMatch::Re2 => Self::Pattern(Re2::read(operand)?.into_regex()),
            TextMatch::Like
            | TextMatch::Includes
            | TextMatch::StartsWith
            | TextMatch::EndsWith
            | TextMatch::Regex
            | TextMatch::Similar => return Ok(None),
        }))
    }

    /// Tests a text, in time linear in its length.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Terms { wanted, all } => are_found(wanted, *all, &terms(text)),
            Self::Stems { wanted, all } => are_found(wanted, *all, &stems(text)),
            Self::Sequences(wanted) => {
                let stems = stems(text);
                let mut lengths = 1..=SEQUENCE;
                lengths.any(|length| {
                    sequences(&stems, length).any(|sequence| wanted.contains(&*sequence))
                })
            }
            Self::Pattern(pattern) => pattern.is_match(text),
        }
    }
}

/// The most stems of a sequence.
const SEQUENCE: usize = 3;

/// The words, stems or sequences that a search for words wants.
#[must_use]
pub fn wanted(r#match: TextMatch, operand: &str) -> Vec<Box<str>> {
    match r#match {
        TextMatch::AllTerms | TextMatch::AnyTerm => terms(operand),
        TextMatch::AllStems | TextMatch::AnyStem => stems(operand),
        TextMatch::AnyStemSequence => wanted_sequences(operand).collect(),
        TextMatch::Like
        | TextMatch::Includes
        | TextMatch::StartsWith
        | TextMatch::EndsWith
        | TextMatch::Regex
        | TextMatch::Similar
        | TextMatch::Re2 => Vec::new(),
    }
}

fn wanted_sequences(operand: &str) -> impl Iterator<Item = Box<str>> {
    let stems = stems(operand);
    let length = stems.len().min(SEQUENCE);
    sequences(&stems, length).collect::<Vec<_>>().into_iter()
}

fn are_found(wanted: &HashSet<Box<str>>, all: bool, words: &[Box<str>]) -> bool {
    if !all {
        return words.iter().any(|word| wanted.contains(word));
    }
    let found: HashSet<&Box<str>> = words.iter().filter(|word| wanted.contains(*word)).collect();
    !wanted.is_empty() && found.len() == wanted.len()
}

#[cfg(test)]
mod tests {
    use ir::TextMatch;

    use super::Search;

    #[track_caller]
    fn check(r#match: TextMatch, operand: &str, text: &str, expect: bool) {
        let search = Search::read(r#match, operand).unwrap().unwrap();
        assert_eq!(search.is_match(text), expect, "{match:?} {operand:?} in {text:?}");
    }

    #[test]
    fn words_are_found_without_regard_to_case() {
        check(TextMatch::AllTerms, "Maps bio", "A bio about MAPS.", true);
        check(TextMatch::AllTerms, "maps bio", "Only maps.", false);
        check(TextMatch::AnyTerm, "maps bio", "Only maps.", true);
        check(TextMatch::AnyTerm, "map", "Only maps.", false);
        check(TextMatch::AnyTerm, "ÉCOLE", "Une e\u{301}cole", true);
        check(TextMatch::AnyTerm, "ecole", "Une école", false);
    }

    #[test]
    fn nothing_is_found_without_words() {
        for r#match in [TextMatch::AllTerms, TextMatch::AnyTerm, TextMatch::AllStems] {
            check(r#match, "?!", "?!", false);
        }
        check(TextMatch::AllStems, "the and", "the and", false);
        check(TextMatch::AllTerms, "", "", true);
        check(TextMatch::AllTerms, "", "a", false);
    }

    #[test]
    fn words_are_found_by_their_stems() {
        check(TextMatch::AllStems, "run quickly", "She was running so quick", false);
        check(TextMatch::AllStems, "runs the quick", "Running, quick", true);
        check(TextMatch::AnyStem, "possible", "possibly", true);
        check(TextMatch::AnyStem, "the", "the", false);
    }

    #[test]
    fn sequences_of_stems_are_found_in_their_order() {
        let check = |operand: &str, text: &str, expect: bool| {
            check(TextMatch::AnyStemSequence, operand, text, expect);
        };
        check("brown fox", "The quick brown foxes", true);
        check("fox brown", "The quick brown foxes", false);
        check("quick fox", "quick brown fox", false);
        check("a quick brown fox jumps", "brown foxes jumped", true);
        check("quick brown fox", "quick the brown fox", true);
        check("quick brown fox jumps", "quick brown jumps", false);
        check("", "a", false);
    }
}
