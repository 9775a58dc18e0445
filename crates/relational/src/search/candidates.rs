//! Queries of SQLite's indexes of texts, FTS5, which return at least the rows that a search finds.
//!
//! FTS5 splits words at more characters, and folds more letters. A word becomes a phrase of the words
//! that it is to FTS5. Words whose letters FTS5 may fold in another way are left out of a query. A
//! stored text is found by its words as they are written: not by those that only the compatibility
//! forms of Unicode make of it, such as those of letters of full width.

use catalog::TextIndexKind;
use ir::TextMatch;
use regex_syntax::hir::{Class, Hir, HirKind};
use unicode_normalization::char::decompose_canonical;

use super::Re2;
use super::stop_words::is_stop_word;
use super::words::words;

/// The most words or parts of a query.
const MOST: usize = 32;

/// The fewest characters of a part that an index of trigrams finds.
const TRIGRAM: usize = 3;

/// Whether an index returns candidates of a search.
#[must_use]
pub fn serves(index: TextIndexKind, r#match: TextMatch) -> bool {
    match r#match {
        TextMatch::AllTerms | TextMatch::AnyTerm => index == TextIndexKind::Terms,
        TextMatch::AllStems | TextMatch::AnyStem | TextMatch::AnyStemSequence => {
            index == TextIndexKind::Stems
        }
        TextMatch::Re2 => index == TextIndexKind::Trigrams,
        TextMatch::Like
        | TextMatch::Includes
        | TextMatch::StartsWith
        | TextMatch::EndsWith
        | TextMatch::Regex
        | TextMatch::Similar => false,
    }
}

/// The query of an index for a search; `None` if all rows are candidates.
#[must_use]
pub fn query(r#match: TextMatch, operand: &str) -> Option<String> {
    match r#match {
        TextMatch::AllTerms => all(words(operand).filter(|word| is_folded_alike(word))),
        TextMatch::AnyTerm => {
            let words: Vec<Box<str>> = words(operand).collect();
            any(&words, |word| is_folded_alike(word).then(|| quoted(word)))
        }
        TextMatch::AllStems => all(stemmed(operand).filter(|word| is_stemmed_alike(word))),
        TextMatch::AnyStem => {
            let words: Vec<Box<str>> = stemmed(operand).collect();
            any(&words, |word| is_stemmed_alike(word).then(|| quoted(word)))
        }
        TextMatch::AnyStemSequence => {
            let words: Vec<Box<str>> = stemmed(operand).collect();
            let length = words.len().clamp(1, super::SEQUENCE);
            let sequences: Vec<&[Box<str>]> = words.windows(length).collect();
            any(&sequences, |sequence| {
                all(sequence.iter().filter(|word| is_stemmed_alike(word)).cloned())
            })
        }
        TextMatch::Re2 => {
            let parts = required(&Re2::read(operand).ok()?.hir().ok()?)?;
            any(&parts, |part| Some(quoted(part)))
        }
        TextMatch::Like
        | TextMatch::Includes
        | TextMatch::StartsWith
        | TextMatch::EndsWith
        | TextMatch::Regex
        | TextMatch::Similar => None,
    }
}

fn stemmed(operand: &str) -> impl Iterator<Item = Box<str>> {
    words(operand).filter(|word| !is_stop_word(word))
}

fn all(words: impl Iterator<Item = Box<str>>) -> Option<String> {
    let words: Vec<String> = words.take(MOST).map(|word| quoted(&word)).collect();
    (!words.is_empty()).then(|| words.join(" AND "))
}

/// The alternatives, if each has a query.
fn any<T>(alternatives: &[T], query: impl Fn(&T) -> Option<String>) -> Option<String> {
    if alternatives.is_empty() || alternatives.len() > MOST {
        return None;
    }
    let queries = alternatives.iter().map(|own| Some(format!("({})", query(own)?)));
    Some(queries.collect::<Option<Vec<String>>>()?.join(" OR "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// FTS5 folds these letters as words are folded here, whether or not their accents are characters of
/// their own: those of ASCII, and those of Latin, Greek and Cyrillic.
fn is_folded_alike(word: &str) -> bool {
    word.chars().any(|letter| letter.is_alphanumeric())
        && word.chars().all(|letter| match letter {
            '\u{c0}'..='\u{17f}' => letter.is_alphabetic(),
            '\u{370}'..='\u{4ff}' => letter.is_alphabetic() && !is_composed(letter),
            letter => letter.is_ascii(),
        })
}

fn is_composed(letter: char) -> bool {
    let mut parts = 0;
    decompose_canonical(letter, |_| parts += 1);
    parts > 1
}

/// FTS5 has the same stems of these words.
fn is_stemmed_alike(word: &str) -> bool {
    // It has no stems of longer words.
    word.len() <= 64 && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Parts of texts of which one is in every text that matches, letters of ASCII without regard to
/// case.
fn required(hir: &Hir) -> Option<Vec<Box<str>>> {
    let mut best = None;
    let mut run = String::new();
    collect(hir, &mut run, &mut best);
    end_run(&mut run, &mut best);
    best
}

/// Reads parts that follow each other. A run is the text that all matches have up to here.
fn collect(hir: &Hir, run: &mut String, best: &mut Option<Vec<Box<str>>>) {
    match hir.kind() {
        HirKind::Literal(literal) => {
            for letter in std::str::from_utf8(&literal.0).unwrap_or("\0").chars() {
                match letter.is_ascii() && letter != '\0' {
                    true => run.push(letter),
                    false => end_run(run, best),
                }
            }
        }
        HirKind::Class(class) => match letter_of_both_cases(class) {
            Some(letter) => run.push(letter),
            None => end_run(run, best),
        },
        HirKind::Concat(parts) => parts.iter().for_each(|part| collect(part, run, best)),
        HirKind::Capture(capture) => collect(&capture.sub, run, best),
        HirKind::Repetition(repetition) => {
            end_run(run, best);
            if repetition.min > 0 {
                choose(required(&repetition.sub), best);
            }
        }
        HirKind::Alternation(parts) => {
            end_run(run, best);
            let parts = parts.iter().map(required).collect::<Option<Vec<_>>>();
            choose(parts.map(|parts| parts.into_iter().flatten().collect()), best);
        }
        // Nothing is between the texts before and behind it.
        HirKind::Empty | HirKind::Look(_) => {}
    }
}

fn end_run(run: &mut String, best: &mut Option<Vec<Box<str>>>) {
    let part = std::mem::take(run);
    if part.chars().count() >= TRIGRAM {
        choose(Some(vec![part.into()]), best);
    }
}

/// Keeps the fewest parts, of these the longest.
fn choose(parts: Option<Vec<Box<str>>>, best: &mut Option<Vec<Box<str>>>) {
    let Some(parts) = parts else { return };
    let rank = |parts: &[Box<str>]| {
        let shortest = parts.iter().map(|part| part.len()).min().unwrap_or_default();
        (std::cmp::Reverse(parts.len()), shortest)
    };
    if best.as_ref().is_none_or(|best| rank(&parts) > rank(best)) {
        *best = Some(parts);
    }
}

/// The small letter of a class that has one letter of ASCII in both cases.
fn letter_of_both_cases(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    match class.ranges() {
        [large, small] if large.start() == large.end() && small.start() == small.end() => {
            let (large, small) = (large.start(), small.start());
            (small.is_ascii_lowercase() && large == small.to_ascii_uppercase()).then_some(small)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ir::TextMatch;

    use super::query;

    #[test]
    fn queries_have_the_words_that_fts5_folds_alike() {
        let check = |r#match, operand: &str, expect: Option<&str>| {
            assert_eq!(query(r#match, operand).as_deref(), expect, "{match:?} {operand}");
        };
        check(TextMatch::AllTerms, "Maps, can't", Some("\"maps\" AND \"can't\""));
        check(TextMatch::AllTerms, "日 maps", Some("\"maps\""));
        check(TextMatch::AnyTerm, "日 maps", None);
        check(TextMatch::AnyTerm, "maps bio", Some("(\"maps\") OR (\"bio\")"));
        check(TextMatch::AllTerms, "_ ?", None);
        check(TextMatch::AllStems, "the running", Some("\"running\""));
        check(
            TextMatch::AnyStemSequence,
            "a b c d e",
            Some("(\"b\" AND \"c\" AND \"d\") OR (\"c\" AND \"d\" AND \"e\")"),
        );
        check(TextMatch::Re2, "/^ab.*cdef$/", Some("(\"cdef\")"));
        check(TextMatch::Re2, "/abc|x(def)+/i", Some("(\"abc\") OR (\"def\")"));
        check(TextMatch::Re2, "/ab.*/", None);
        check(TextMatch::Re2, "/(abc)?/", None);
    }
}
