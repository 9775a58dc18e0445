//! The text of a native query: SQL with arguments in double braces. Quoted texts, quoted names and
//! comments are known as such, so that braces, parentheses and semicolons within them count for
//! nothing.
//! <https://www.postgresql.org/docs/current/sql-syntax-lexical.html>

use std::iter::Peekable;
use std::str::CharIndices;

use catalog::StatementPart;

/// Parses a query. `find` returns the index of an argument.
pub(super) fn parse(
    text: &str,
    find: impl Fn(&str) -> Option<u16>,
) -> Result<Vec<StatementPart>, String> {
    let mut template = Template {
        text,
        rest: text.char_indices().peekable(),
        parts: Vec::new(),
        begin: 0,
        depth: 0,
        end: None,
    };
    template.parse(find)?;
    Ok(template.parts)
}

struct Template<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    parts: Vec<StatementPart>,
    /// The begin of the text that is in no part yet.
    begin: usize,
    /// The number of parentheses that are open.
    depth: usize,
    /// The place of a semicolon, after which nothing may come.
    end: Option<usize>,
}

impl Template<'_> {
    fn parse(&mut self, find: impl Fn(&str) -> Option<u16>) -> Result<(), String> {
        while let Some((place, char)) = self.rest.next() {
            match char {
                '\'' => {
                    self.require_open()?;
                    self.quoted(place, '\'', self.has_escapes(place))?;
                }
                '"' => {
                    self.require_open()?;
                    self.quoted(place, '"', false)?;
                }
                '-' if self.follows('-') => self.line_comment(),
                '/' if self.follows('*') => self.block_comment()?,
                '$' if !self.is_in_word(place) => {
                    self.require_open()?;
                    self.dollar_quoted(place)?;
                }
                '{' if self.follows('{') => {
                    self.require_open()?;
                    self.argument(place, &find)?;
                }
                ';' => {
                    self.end.get_or_insert(place);
                }
                _ if char.is_whitespace() => {}
                _ => {
                    self.require_open()?;
                    match char {
                        '(' => self.depth += 1,
                        ')' if self.depth == 0 => {
                            return Err("A parenthesis is closed that was not opened.".into());
                        }
                        ')' => self.depth -= 1,
                        _ => {}
                    }
                }
            }
        }
        if self.depth > 0 {
            return Err("A parenthesis is not closed.".into());
        }
        self.flush(self.end.unwrap_or(self.text.len()));
        match self.parts.is_empty() {
            true => Err("The query is empty.".into()),
            false => Ok(()),
        }
    }

    /// Refuses everything but comments after the end of the query.
    fn require_open(&self) -> Result<(), String> {
        match self.end {
            None => Ok(()),
            Some(_) => Err("There is more after `;`, and a native query is one query.".into()),
        }
    }

    /// Makes a part of the text up to a place.
    fn flush(&mut self, to: usize) {
        let text = self.text.get(self.begin..to).unwrap_or_default();
        if !text.trim().is_empty() || (!text.is_empty() && !self.parts.is_empty()) {
            self.parts.push(StatementPart::Text(text.into()));
        }
        self.begin = to;
    }

    /// Takes the next character if it is this one.
    fn follows(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, char)| *char == wanted).is_some()
    }

    /// True if the place is within a word: `$` is a letter there.
    fn is_in_word(&self, place: usize) -> bool {
        let before = self.text[..place].chars().next_back();
        before.is_some_and(|char| char.is_alphanumeric() || char == '_' || char == '$')
    }

    /// True for a text with backslashes: `E'…'`.
    fn has_escapes(&self, place: usize) -> bool {
        let before = &self.text[..place];
        before.ends_with(['e', 'E']) && !self.is_in_word(place - 1)
    }

    /// Skips a quoted text or name. A doubled quote is a quote within it.
    fn quoted(&mut self, from: usize, quote: char, has_escapes: bool) -> Result<(), String> {
        while let Some((place, char)) = self.rest.next() {
            if char == '\\' && has_escapes {
                self.rest.next();
            } else if char == quote && !self.follows(quote) {
                return refuse_arguments(&self.text[from..place]);
            }
        }
        Err(format!("A quotation mark ({quote}) is not closed."))
    }

    /// Skips a text between two equal tags: `$$…$$`, `$tag$…$tag$`. A single `$` is a letter.
    fn dollar_quoted(&mut self, from: usize) -> Result<(), String> {
        let rest = &self.text[from + 1..];
        let length = rest.find(|char: char| !char.is_alphanumeric() && char != '_');
        let Some(length) = length.filter(|length| rest[*length..].starts_with('$')) else {
            return Ok(());
        };
        let begin = from + length + 2;
        let tag = &self.text[from..begin];
        let Some(content) = self.text[begin..].find(tag) else {
            return Err(format!("The quotation {tag} is not closed."));
        };
        let end = begin + content;
        while self.rest.next_if(|(place, _)| *place < end + tag.len()).is_some() {}
        refuse_arguments(&self.text[begin..end])
    }

    fn line_comment(&mut self) {
        while self.rest.next_if(|(_, char)| *char != '\n').is_some() {}
    }

    /// Skips a comment, which may have others within it.
    fn block_comment(&mut self) -> Result<(), String> {
        let mut depth = 1;
        while let Some((_, char)) = self.rest.next() {
            match char {
                '/' if self.follows('*') => depth += 1,
                '*' if self.follows('/') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err("A comment (/*) is not closed.".into())
    }

    fn argument(&mut self, from: usize, find: impl Fn(&str) -> Option<u16>) -> Result<(), String> {
        let begin = from + 2;
        let Some(length) = self.text[begin..].find("}}") else {
            return Err("Found '{{' without a matching closing '}}'".into());
        };
        let name = self.text[begin..begin + length].trim();
        let place = find(name).ok_or_else(|| {
            format!("The query has the argument `{name}`, which is not declared in `arguments`.")
        })?;
        self.flush(from);
        self.parts.push(StatementPart::Argument(place));
        self.begin = begin + length + 2;
        while self.rest.next_if(|(place, _)| *place < self.begin).is_some() {}
        Ok(())
    }
}

/// Refuses arguments within quotes, where they would be text.
fn refuse_arguments(quoted: &str) -> Result<(), String> {
    let is_argument = quoted.split_once("{{").is_some_and(|(_, rest)| rest.contains("}}"));
    match is_argument {
        true => Err("An argument is within quotes, where it would be text: write \
                     '…' || {{argument}} || '…' instead."
            .into()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let names = ["a", "b"];
        let find = |name: &str| names.iter().zip(0_u16..).find(|(one, _)| **one == name);
        let printed = match parse(text, |name| find(name).map(|(_, place)| place)) {
            Err(error) => format!("error: {error}"),
            Ok(parts) => parts
                .iter()
                .map(|part| match part {
                    StatementPart::Text(text) => text.to_string(),
                    StatementPart::Argument(place) => format!("<{place}>"),
                    _ => panic!("no part of SQL"),
                })
                .collect(),
        };
        assert_eq!(printed, expected, "{text}");
    }

    #[test]
    fn arguments_are_found_outside_of_quotes_and_comments() {
        check("select {{a}} + {{ b }}, {{a}}", "select <0> + <1>, <0>");
        check("{{a}}", "<0>");
        check("select '{' || {{a}}", "select '{' || <0>");
        check("select '''' || {{a}}", "select '''' || <0>");
        check(r"select E'\'' || {{a}}", r"select E'\'' || <0>");
        check(r"select 'C:\' || {{a}}", r"select 'C:\' || <0>");
        check(r"select name'\', {{a}}", r"select name'\', <0>");
        check("select 1 as \"x\"\"'y\", {{a}}", "select 1 as \"x\"\"'y\", <0>");
        check("select 1 -- it's {{x}}\n, {{a}}", "select 1 -- it's {{x}}\n, <0>");
        check("select /* ' /* {{x}} */ ) */ {{a}}", "select /* ' /* {{x}} */ ) */ <0>");
        check("select $$ ' $$ || {{a}}", "select $$ ' $$ || <0>");
        check("select $x$ $$ ' $x$ || {{a}}", "select $x$ $$ ' $x$ || <0>");
        check("select a$b$ , {{a}} b$b", "select a$b$ , <0> b$b");
        check("select '{1,2}'::int[], {{a}}", "select '{1,2}'::int[], <0>");
        check("select '{\"x\":{\"y\":1}}'::json", "select '{\"x\":{\"y\":1}}'::json");
    }

    #[test]
    fn a_query_ends_with_its_first_semicolon() {
        check("select 1; \n", "select 1");
        check("select 1 ;; -- done", "select 1 ");
        check("select ';' ; /* ; */", "select ';' ");
        let more = "error: There is more after `;`, and a native query is one query.";
        check("select 1; drop table t", more);
        check("select 1; ''", more);
        check("select 1; {{a}}", more);
    }

    #[test]
    fn broken_queries_are_refused() {
        check(" -- nothing", " -- nothing");
        check(" \n", "error: The query is empty.");
        check(" ;", "error: The query is empty.");
        check("select {{a", "error: Found '{{' without a matching closing '}}'");
        let unknown =
            "error: The query has the argument `c`, which is not declared in `arguments`.";
        check("select {{c}}", unknown);
        let quoted = "error: An argument is within quotes, where it would be text: write \
                      '…' || {{argument}} || '…' instead.";
        check("select '%{{a}}%'", quoted);
        check("select $$%{{a}}%$$", quoted);
        check("select \"{{a}}\"", quoted);
        check("select 'a", "error: A quotation mark (') is not closed.");
        check("select \"a", "error: A quotation mark (\") is not closed.");
        check("select $x$ a $y$", "error: The quotation $x$ is not closed.");
        check("select /* a /* b */", "error: A comment (/*) is not closed.");
        check("select 1) as t, (select 2", "error: A parenthesis is closed that was not opened.");
        check("select (1", "error: A parenthesis is not closed.");
    }
}
