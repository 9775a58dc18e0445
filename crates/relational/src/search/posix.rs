//! Patterns of PostgreSQL's operators `~`, `~*` and SIMILAR TO, for databases without these: as
//! expressions of [`Re2`](super::Re2), between slashes.
//! <https://www.postgresql.org/docs/current/functions-matching.html>
//!
//! What RE2 has no expression for, such as references to groups, is refused when the expression is
//! read.

use std::str::Chars;

use source::SourceError;

/// The expression of a regular expression. Its dot matches the end of a line, and `^` and `$` the
/// ends of the text alone.
#[must_use]
pub fn regex(pattern: &str, ignores_case: bool) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    out.push_str("/(?s)");
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                // A word's boundary, the end of the text, a backspace.
                Some('y') => out.push_str(r"\b"),
                Some('Z') => out.push_str(r"\z"),
                Some('b') => out.push_str(r"\x08"),
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            '/' => out.push_str(r"\/"),
            _ => out.push(letter),
        }
    }
    out.push('/');
    if ignores_case {
        out.push('i');
    }
    out
}

/// The expression of a pattern of SIMILAR TO, which the whole text matches. Its escape is `\`.
///
/// # Errors
///
/// The pattern ends in its escape.
pub fn similar(pattern: &str) -> Result<String, SourceError> {
    let mut out = String::with_capacity(pattern.len() + 16);
    out.push_str("/(?s)^(?:");
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped) => push_literal(escaped, &mut out),
                None => {
                    let message = "SIMILAR TO pattern must not end with escape character";
                    return Err(SourceError::input(message));
                }
            },
            '%' => out.push_str(".*"),
            '_' => out.push('.'),
            '(' => out.push_str("(?:"),
            ')' | '|' | '*' | '+' | '?' | '{' | '}' => out.push(letter),
            '[' => push_class(&mut letters, &mut out),
            _ => push_literal(letter, &mut out),
        }
    }
    out.push_str(")$/");
    Ok(out)
}

/// Adds the rest of a bracket expression. One without an end is refused when it is read.
fn push_class(letters: &mut Chars<'_>, out: &mut String) {
    out.push('[');
    if letters.as_str().starts_with('^') {
        out.extend(letters.next());
    }
    let mut is_first = true;
    while let Some(letter) = letters.next() {
        match letter {
            ']' if !is_first => {
                out.push(']');
                return;
            }
            '[' if letters.as_str().starts_with(':') => {
                out.push('[');
                let length = letters.as_str().find(":]").map_or(0, |start| start + 2);
                out.extend(letters.by_ref().take(length));
            }
            '-' => out.push('-'),
            _ => push_literal(letter, out),
        }
        is_first = false;
    }
}

/// Adds a letter that means itself.
fn push_literal(letter: char, out: &mut String) {
    if letter.is_ascii() && !letter.is_ascii_alphanumeric() && !letter.is_ascii_whitespace() {
        out.push('\\');
    }
    out.push(letter);
}

#[cfg(test)]
mod tests {
    use super::{regex, similar};
    use crate::search::Re2;

    fn is_match(expression: &str, text: &str) -> bool {
        Re2::read(expression).unwrap().into_regex().is_match(text)
    }

    #[test]
    fn regular_expressions_match_parts_of_a_text() {
        let check = |pattern: &str, text: &str, expect: bool| {
            assert_eq!(is_match(&regex(pattern, false), text), expect, "{pattern} in {text:?}");
        };
        check("b+", "abc", true);
        check("^b", "abc", false);
        check("a.c$", "a\nc", true);
        check("^b", "a\nb", false);
        check(r"\ycat\y", "a cat.", true);
        check(r"\ycat\y", "concatenate", false);
        check("a/[/]", "a//", true);
        check(r"^\d{2}\Z", "12", true);
        check(r"a\bc", "abc", false);
        check("(?i)ABC", "abc", true);
        assert!(is_match(&regex("ABC", true), "abc"));
        assert!(!is_match(&regex("ABC", false), "abc"));
    }

    #[test]
    fn expressions_beyond_re2_are_refused() {
        for pattern in [r"(a)\1", "(?=a)", "a(", "***:a", r"\m", "a\\"] {
            assert!(Re2::read(&regex(pattern, false)).is_err(), "{pattern}");
        }
        assert!(similar("abc\\").is_err());
        assert!(Re2::read(&similar("(a").unwrap()).is_err());
        assert!(Re2::read(&similar("[a").unwrap()).is_err());
    }

    /// The first rows are those of PostgreSQL's manual.
    #[test]
    fn patterns_match_whole_texts() {
        let check = |pattern: &str, text: &str, expect: bool| {
            assert_eq!(is_match(&similar(pattern).unwrap(), text), expect, "{pattern}: {text:?}");
        };
        check("abc", "abc", true);
        check("a", "abc", false);
        check("%(b|d)%", "abc", true);
        check("(b|c)%", "abc", false);
        check("a|b", "b", true);
        check("a|b", "bc", false);
        check("a_c", "a\nc", true);
        check("a.c", "abc", false);
        check("^a$", "a", false);
        check("[a-c]{2}", "ac", true);
        check("[^a-c]+", "xyz", true);
        check("[[:digit:]]+", "42", true);
        check("[.&/]", "&", true);
        check(r"100\%", "100%", true);
        check(r"100\%", "1000", false);
        check("a/b", "a/b", true);
        check("(ab)*c?", "ababc", true);
    }
}
