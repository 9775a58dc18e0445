//! Regular expressions in the syntax of RE2, which Go's package `regexp` has: read for the crate
//! `regex`, whose time is linear in the text, and translated for PostgreSQL.
//! <https://github.com/google/re2/wiki/Syntax>

mod postgres;
mod syntax;

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use source::SourceError;

/// The most bytes of a compiled expression.
const SIZE: usize = 1 << 18;

/// The most groups inside each other.
const DEPTH: u32 = 50;

/// A regular expression.
#[derive(Debug)]
pub struct Re2 {
    /// In the syntax of the crate `regex`.
    pattern: String,
    ignores_case: bool,
    regex: Regex,
}

impl Re2 {
    /// Reads an expression between slashes, with its flags behind them: `/^ab+$/i`.
    ///
    /// # Errors
    ///
    /// It is invalid, or too large.
    pub fn read(text: &str) -> Result<Self, SourceError> {
        let (pattern, flags) = split(text)?;
        let ignores_case = match flags {
            "" => false,
            "i" => true,
            _ => return Err(SourceError::input(format!("the only flag is `i`, not `{flags}`"))),
        };
        let pattern = syntax::translated(pattern)?;
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(ignores_case)
            .size_limit(SIZE)
            .nest_limit(DEPTH)
            .build()
            .map_err(|error| SourceError::input(reason(&error)))?;
        Ok(Self { pattern, ignores_case, regex })
    }

    #[must_use]
    pub fn into_regex(self) -> Regex {
        self.regex
    }

    /// The expression in PostgreSQL's syntax, for its operator `~`.
    ///
    /// # Errors
    ///
    /// PostgreSQL has no such expression.
    pub fn to_postgres(&self) -> Result<String, SourceError> {
        postgres::print(&self.hir()?)
    }

    pub(super) fn hir(&self) -> Result<Hir, SourceError> {
        ParserBuilder::new()
            .case_insensitive(self.ignores_case)
            .nest_limit(DEPTH)
            .build()
            .parse(&self.pattern)
            .map_err(|error| SourceError::input(last_line(&error.to_string())))
    }
}

/// The expression between the slashes, and its flags.
fn split(text: &str) -> Result<(&str, &str), SourceError> {
    static FORM: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?s)\A/((?:[^/\\]|\\.)*)/([a-zA-Z]*)\z").ok());
    let found = FORM.as_ref().and_then(|form| form.captures(text));
    let parts = found.and_then(|found| Some((found.get(1)?.as_str(), found.get(2)?.as_str())));
    parts.ok_or_else(|| {
        SourceError::input("it must stand between slashes, as `/^ab+$/` or `/^ab+$/i`")
    })
}

fn reason(error: &regex::Error) -> Box<str> {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large".into(),
        error => last_line(&error.to_string()),
    }
}

/// The message without the picture of the expression.
fn last_line(text: &str) -> Box<str> {
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).into()
}

#[cfg(test)]
mod tests {
    use super::Re2;

    #[track_caller]
    fn check(pattern: &str, text: &str, expect: bool) {
        let regex = Re2::read(pattern).unwrap().into_regex();
        assert_eq!(regex.is_match(text), expect, "{pattern} in {text:?}");
    }

    #[test]
    fn expressions_mean_what_they_mean_to_go() {
        check("/^ab+$/", "abb", true);
        check("/^ab+$/", "ABB", false);
        check("/^ab+$/i", "ABB", true);
        check(r"/a\/b/", "a/b", true);
        // Classes are those of ASCII.
        check(r"/^\d\w\s$/", "1a ", true);
        check(r"/\d/", "\u{664}", false);
        check(r"/^[\d.]+$/", "1.5", true);
        check(r"/^[^\d]$/", "5", false);
        check(r"/\bcat\b/", "a cat.", true);
        check(r"/\bcat\b/", "concatenate", false);
        check(r"/^\Qa.b\E$/", "a.b", true);
        check(r"/^\Qa.b\E$/", "axb", false);
        check("/a{b/", "a{b", true);
        check("/^a{2,3}$/", "aaa", true);
        check("/^[[a]$/", "[", true);
        check("/^[a&&b]$/", "&", true);
        check(r"/^\<x\>$/", "<x>", true);
        check(r"/^\101$/", "A", true);
        check(r"/^\x{e9}\pL$/", "éa", true);
        check("/^[[:alpha:]]+$/", "abc", true);
        check("/(?i)abc/", "ABC", true);
        check("/^.$/", "\n", false);
        check("/(?s)^.$/", "\n", true);
    }

    #[test]
    fn invalid_expressions_are_refused() {
        let check = |pattern: &str, expect: &str| {
            let error = Re2::read(pattern).unwrap_err().to_string();
            assert!(error.contains(expect), "{pattern}: {error}");
        };
        check("abc", "between slashes");
        check("/a/b/", "between slashes");
        check("/a/x", "the only flag");
        check("/a(/", "unclosed group");
        check("/a**b(/", "unclosed group");
        check(r"/\1/", "`\\1`");
        check(r"/\y/", "`\\y`");
        check("/(?x)a/", "flag");
        check("/a{1001}/", "1000");
        check("/(a{1000}){1000}/", "too large");
        check("/(?=a)/", "look-around");
    }

    /// Its own text is its picture, and PostgreSQL reads it in the tests of `sources`.
    #[test]
    fn expressions_are_translated_for_postgres() {
        let check = |pattern: &str, expect: &str| {
            assert_eq!(Re2::read(pattern).unwrap().to_postgres().unwrap(), expect, "{pattern}");
        };
        check("/^ab+$/", r"\Aa(?:b)+\Z");
        check(
            "/a.c|x/i",
            r"(?:[\u0041\u0061][\u0001-\u0009\u000b-\U0010ffff][\u0043\u0063]|[\u0058\u0078])",
        );
        check(r"/[*?]\./", r"[\u002a\u003f]\u002e");
        check("/(?:ab){2,}c{0,3}/", r"(?:ab){2,}(?:c){0,3}");
        assert!(Re2::read("/a{300}/").unwrap().to_postgres().is_err());
    }
}
