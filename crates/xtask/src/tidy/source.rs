//! A parsed Rust file: code, comments and string literals of each line, and which lines are tests.
//!
//! A small scanner instead of a parser: the rules need words, literals and lines only, and a parser
//! would take most of the time of compiling `cargo xtask`.

use crate::workspaces::BENCH;

/// A Rust file.
#[derive(Debug)]
pub(crate) struct Source {
    /// From the workspace, with slashes.
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) literals: Vec<Literal>,
}

/// One line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Without comments; literals are empty.
    pub(crate) code: String,
    /// With its slashes.
    pub(crate) comment: String,
    /// Part of a `#[cfg(test)]` item.
    pub(crate) is_test: bool,
}

/// A string literal, escapes not resolved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The index of the line where it begins.
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Source {
    /// Parses a file.
    pub(crate) fn parse(path: &str, text: &str) -> Source {
        let mut scanner = Scanner { chars: text.chars().collect(), ..Scanner::default() };
        scanner.lines.push(Line::default());
        scanner.scan();
        let Scanner { mut lines, literals, .. } = scanner;
        mark_tests(&mut lines);
        Source { path: path.to_owned(), lines, literals }
    }

    /// The folder below `crates`, or that of the benchmark's own workspace.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        let path = self.path.as_str();
        let mut names = path.strip_prefix("crates/").unwrap_or(path).split('/');
        names.next().filter(|name| path.starts_with("crates/") || *name == BENCH)
    }

    /// A whole file of tests, benchmarks or fuzzing.
    pub(crate) fn is_test_file(&self) -> bool {
        let mut names = self.path.split('/');
        names.any(|name| matches!(name, "tests" | "benches" | "fuzz" | "tests.rs"))
    }

    /// Lines that are part of the product, with their index.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        let lines = if self.is_test_file() { &[][..] } else { &self.lines };
        lines.iter().enumerate().filter(|(_, line)| !line.is_test)
    }

    /// Literals that are part of the product.
    pub(crate) fn product_literals(&self) -> impl Iterator<Item = &Literal> {
        let literals = if self.is_test_file() { &[][..] } else { &self.literals };
        literals
            .iter()
            .filter(|literal| self.lines.get(literal.line).is_some_and(|line| !line.is_test))
    }
}

#[derive(Debug, Default)]
struct Scanner {
    chars: Vec<char>,
    position: usize,
    lines: Vec<Line>,
    literals: Vec<Literal>,
}

impl Scanner {
    fn scan(&mut self) {
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('/')) => self.line_comment(),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(),
                ('r', Some('"' | '#')) if self.is_raw_string() => self.raw_string(),
                ('\'', _) => self.character_or_lifetime(),
                _ => self.take_code(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.position + ahead).copied()
    }

    fn line(&mut self) -> Option<&mut Line> {
        self.lines.last_mut()
    }

    fn next_line(&mut self) {
        self.lines.push(Line::default());
    }

    fn take_code(&mut self) {
        match self.peek(0) {
            Some('\n') => self.next_line(),
            Some(c) => {
                if let Some(line) = self.line() {
                    line.code.push(c);
                }
            }
            None => {}
        }
        self.position += 1;
    }

    fn take_comment(&mut self) {
        match self.peek(0) {
            Some('\n') => self.next_line(),
            Some(c) => {
                if let Some(line) = self.line() {
                    line.comment.push(c);
                }
            }
            None => {}
        }
        self.position += 1;
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.take_comment();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (None, _) => return,
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.take_comment();
                }
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.take_comment();
                }
                _ => {}
            }
            self.take_comment();
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.take_code();
        let mut text = String::new();
        let line = self.lines.len() - 1;
        while let Some(c) = self.peek(0) {
            if c == '"' {
                break;
            }
            text.push(c);
            self.take_text();
            if c == '\\'
                && let Some(escaped) = self.peek(0)
            {
                text.push(escaped);
                self.take_text();
            }
        }
        self.take_code();
        self.literals.push(Literal { line, text });
    }

    /// `r"`, `r#"` and so on, but not the `r` at the end of a name nor `r#name`.
    fn is_raw_string(&self) -> bool {
        let before = self.position.checked_sub(1).and_then(|idx| self.chars.get(idx));
        // `br"` is a literal too.
        let in_name = before.is_some_and(|c| (c.is_alphanumeric() && *c != 'b') || *c == '_');
        let hashes = self.hashes(1);
        !in_name && self.peek(1 + hashes) == Some('"')
    }

    fn hashes(&self, ahead: usize) -> usize {
        (ahead..).take_while(|idx| self.peek(*idx) == Some('#')).count()
    }

    fn raw_string(&mut self) {
        let hashes = self.hashes(1);
        for _ in 0..hashes + 2 {
            self.take_code();
        }
        let mut text = String::new();
        let line = self.lines.len() - 1;
        while let Some(c) = self.peek(0) {
            if c == '"' && self.hashes(1) >= hashes {
                break;
            }
            text.push(c);
            self.take_text();
        }
        for _ in 0..=hashes {
            self.take_code();
        }
        self.literals.push(Literal { line, text });
    }

    fn take_text(&mut self) {
        if self.peek(0) == Some('\n') {
            self.next_line();
        }
        self.position += 1;
    }

    /// `'x'` and `'\n'` are characters, `'name` is a lifetime.
    fn character_or_lifetime(&mut self) {
        let is_character = self.peek(1) == Some('\\') || self.peek(2) == Some('\'');
        self.take_code();
        if !is_character {
            return;
        }
        if self.peek(0) == Some('\\') {
            self.take_text();
        }
        self.take_text();
        while self.peek(0).is_some_and(|c| c != '\'') {
            self.take_text();
        }
        self.take_code();
    }
}

/// A `#[cfg(test)]` item ends with its closing brace, or with a semicolon before any brace.
fn mark_tests(lines: &mut [Line]) {
    let mut depth: Option<usize> = None;
    for line in lines {
        let mut code = line.code.as_str();
        if depth.is_none() {
            let Some((_, rest)) = code.split_once("#[cfg(test)]") else { continue };
            code = rest;
            depth = Some(0);
        }
        line.is_test = true;
        for c in code.chars() {
            match (c, depth) {
                ('{', Some(open)) => depth = Some(open + 1),
                ('}', Some(open)) if open > 1 => depth = Some(open - 1),
                ('}', Some(_)) | (';', Some(0)) => depth = None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<String> {
        Source::parse("a.rs", text).lines.into_iter().map(|line| line.code).collect()
    }

    fn literals(text: &str) -> Vec<(usize, String)> {
        let source = Source::parse("a.rs", text);
        source.literals.into_iter().map(|literal| (literal.line, literal.text)).collect()
    }

    #[test]
    fn comments_are_not_code() {
        assert_eq!(code("a // b\n/* c /* d */ e */ f"), ["a ", " f"]);
        assert_eq!(Source::parse("a.rs", "a // b").lines[0].comment, "// b");
        assert_eq!(code("/* one\ntwo */ b"), ["", " b"]);
    }

    #[test]
    fn literals_are_not_code() {
        let text = "f(\"a // b\", r#\"c \" d\"#, br\"e\");\ng(\"two\nlines \\\" more\")";
        assert_eq!(code(text), ["f(\"\", r#\"\"#, br\"\");", "g(\"", "\")"]);
        let expected = [(0, "a // b"), (0, "c \" d"), (0, "e"), (1, "two\nlines \\\" more")];
        assert_eq!(literals(text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn characters_are_no_lifetimes() {
        assert_eq!(code("f::<'a>('\"', '\\'', '\\u{1F}', 'x')"), ["f::<'a>('', '', '', '')"]);
        assert_eq!(code("r#type: &'static str"), ["r#type: &'static str"]);
    }

    #[test]
    fn test_items_end_where_they_end() {
        let text =
            "a();\n#[cfg(test)]\nmod tests {\n fn f() {}\n}\nb();\n#[cfg(test)]\nmod c;\nd();";
        let source = Source::parse("a.rs", text);
        let product: Vec<_> = source.product_lines().map(|(_, line)| line.code.as_str()).collect();
        assert_eq!(product, ["a();", "b();", "d();"]);
    }

    #[test]
    fn files_of_tests_have_no_product_lines() {
        for path in ["crates/a/tests/b.rs", "crates/a/src/b/tests.rs", "crates/a/fuzz/c.rs"] {
            assert_eq!(Source::parse(path, "a();").product_lines().count(), 0, "{path}");
        }
    }
}
