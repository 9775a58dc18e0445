//! What a statement calls what it gives, where its author does not say: then it is the first column
//! of its rows. Here a statement is a subquery, and all columns of a subquery have names, so that
//! those which have none are given one.

use std::borrow::Cow;
use std::sync::Arc;

use super::statement_text;

/// What the rows of a statement are called.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// The first of them.
    pub(super) first: Arc<str>,
    /// Behind which bytes of the text a column has no name, and the one that it gets.
    pub(super) unnamed: Vec<(usize, Arc<str>)>,
    /// Where the text ends, if a semicolon ends it before its end.
    pub(super) end: usize,
}

/// Why no column can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untold {
    /// Nothing is returned.
    Nothing,
    /// `RETURN *`: the names are those of variables, wherever they come from.
    All,
}

/// A word or a sign of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'t> {
    kind: Kind,
    text: &'t str,
    begin: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    /// A name in backticks.
    Quoted,
    /// A text or a number.
    Value,
    Sign,
}

/// The columns that the last clause of a statement says, in each part of a union.
pub(super) fn columns(text: &str) -> Result<Columns, Untold> {
    let tokens = outer(text);
    let mut named: Vec<Arc<str>> = Vec::new();
    let mut unnamed = Vec::new();
    let mut end = text.len();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.is_sign(";") {
            end = token.begin;
            break;
        }
        let before = tokens.get(..at).unwrap_or_default();
        at += 1;
        if !token.is_word("RETURN") || !begins_clause(before) {
            continue;
        }
        let items = items(tokens.get(at..).unwrap_or_default());
        at += items.iter().map(|item| item.len() + 1).sum::<usize>().saturating_sub(1);
        for (place, item) in items.iter().enumerate() {
            let item = without_distinct(item, place);
            let Some(last) = item.last() else { continue };
            if last.is_sign("*") && item.len() == 1 {
                return Err(Untold::All);
            }
            // Parts of a union call their columns alike.
            let known = named.get(place).cloned();
            match name(item) {
                Some(name) if known.is_none() => named.push(name.into()),
                Some(_) => {}
                None => {
                    let name = known.unwrap_or_else(|| made(place));
                    if named.get(place).is_none() {
                        named.push(name.clone());
                    }
                    unnamed.push((last.begin + last.text.len(), name));
                }
            }
        }
    }
    let first = named.first().cloned().ok_or(Untold::Nothing)?;
    Ok(Columns { first, unnamed, end })
}

/// A name that no author gives a column, which other clauses would mean then.
pub(super) fn made(place: usize) -> Arc<str> {
    match place {
        0 => "the value".into(),
        place => format!("the value {}", place + 1).into(),
    }
}

impl<'t> Token<'t> {
    fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    fn is_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(word))
    }

    /// Whether it can be the end of an expression.
    fn is_operand(&self) -> bool {
        const OPERATORS: [&str; 15] = [
            "AND", "AS", "CASE", "CONTAINS", "DISTINCT", "ELSE", "ENDS", "IN", "IS", "NOT", "OR",
            "STARTS", "THEN", "WHEN", "WITH",
        ];
        match self.kind {
            Kind::Word => !self.is_any_word(&OPERATORS) && !self.is_word("XOR"),
            Kind::Quoted | Kind::Value => true,
            Kind::Sign => matches!(self.text, ")" | "]" | "}"),
        }
    }
}

/// Whether a word behind these is a clause, and not the name of something.
fn begins_clause(before: &[Token<'_>]) -> bool {
    let Some(last) = before.last() else { return true };
    let is_name = last.is_word("AS")
        || (last.kind == Kind::Sign && matches!(last.text, "." | ":" | "$" | "|" | "&" | "!"));
    !is_name
}

/// What a RETURN gives: what stands between its commas, up to what is no part of it.
fn items<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let mut items = Vec::new();
    let mut begin = 0;
    for (at, token) in tokens.iter().enumerate() {
        let item = tokens.get(begin..at).unwrap_or_default();
        if token.is_sign(",") {
            items.push(item);
            begin = at + 1;
        } else if ends(item, token, tokens.get(at + 1)) {
            items.push(item);
            return items;
        }
    }
    items.push(tokens.get(begin..).unwrap_or_default());
    items
}

/// Whether an expression ends before a token. The words that follow one are names elsewhere.
fn ends(item: &[Token<'_>], token: &Token<'_>, next: Option<&Token<'_>>) -> bool {
    if token.is_sign(";") {
        return true;
    }
    let is_all = item.len() == 1 && item.iter().any(|one| one.is_sign("*"));
    let is_whole = is_all || item.last().is_some_and(Token::is_operand);
    let by = next.is_some_and(|next| next.is_word("BY"));
    let ends = token.is_any_word(&["LIMIT", "OFFSET", "SKIP", "UNION"]);
    is_whole && (ends || (token.is_word("ORDER") && by))
}

fn without_distinct<'a, 't>(item: &'a [Token<'t>], place: usize) -> &'a [Token<'t>] {
    match item {
        [first, rest @ ..] if place == 0 && first.is_word("DISTINCT") && !rest.is_empty() => rest,
        item => item,
    }
}

/// The name of a column: what it is said to be called, or that of a variable.
fn name<'t>(item: &[Token<'t>]) -> Option<Cow<'t, str>> {
    let named = match item {
        [only] => only,
        [_, .., r#as, last] if r#as.is_word("AS") => last,
        _ => return None,
    };
    match named.kind {
        Kind::Word if item.len() == 1 && named.is_any_word(&["TRUE", "FALSE", "NULL"]) => None,
        Kind::Word => Some(Cow::Borrowed(named.text)),
        Kind::Quoted => {
            let inner = named.text.strip_prefix('`').unwrap_or(named.text);
            let inner = inner.strip_suffix('`').unwrap_or(inner);
            Some(Cow::Owned(inner.replace("``", "`")))
        }
        Kind::Value | Kind::Sign => None,
    }
}

/// The tokens of a text that stand in no brackets, and the brackets.
fn outer(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut depth: usize = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let begin = text.len() - rest.len();
        let is_letter = |one: char| one == '_' || one.is_alphanumeric();
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let (kind, length) = match first {
            first if is_letter(first) => {
                let end = rest.find(|one| !is_letter(one)).unwrap_or(rest.len());
                let is_number = first.is_ascii_digit();
                (if is_number { Kind::Value } else { Kind::Word }, end)
            }
            '`' => (Kind::Quoted, quoted(rest)),
            '\'' | '"' => (Kind::Value, statement_text::token(rest)),
            _ => (Kind::Sign, statement_text::token(rest)),
        };
        let (token, behind) = rest.split_at_checked(length.max(1)).unwrap_or((rest, ""));
        rest = behind;
        if first.is_whitespace() || is_comment {
            continue;
        }
        if kind == Kind::Sign && matches!(token, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            tokens.push(Token { kind, text: token, begin });
        }
        if kind == Kind::Sign && matches!(token, "(" | "[" | "{") {
            depth += 1;
        }
    }
    tokens
}

/// How long a name in backticks is: two of them stand for one.
fn quoted(text: &str) -> usize {
    let mut length = 0;
    while text.get(length..).is_some_and(|rest| rest.starts_with('`')) {
        length += statement_text::token(text.get(length..).unwrap_or_default());
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the first column, and the text with the names that columns get.
    fn check(text: &str, expected: &str) {
        let said = match columns(text) {
            Ok(Columns { first, unnamed, end }) => {
                let mut named = text[..end].to_owned();
                for (place, name) in unnamed.iter().rev() {
                    named.insert_str(*place, &format!(" AS `{name}`"));
                }
                format!("{first}: {named}")
            }
            Err(Untold::Nothing) => "nothing".to_owned(),
            Err(Untold::All) => "all".to_owned(),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn a_column_has_the_name_that_it_is_given() {
        for (text, name) in [
            ("MATCH (m) RETURN m", "m"),
            ("MATCH (m) return m.title as title, m AS x", "title"),
            ("RETURN DISTINCT p AS result ORDER BY result.d DESC", "result"),
            ("RETURN `a``b`", "a`b"),
            ("RETURN 1 AS `x y` // AS z", "x y"),
            ("MATCH (order) RETURN order ORDER BY order.at", "order"),
            ("WITH 1 AS limit RETURN limit LIMIT limit", "limit"),
            ("RETURN CASE WHEN a THEN b END AS c UNION RETURN 2 AS c", "c"),
            ("MATCH (m:Return {RETURN: 1}) WHERE m.return > 1 RETURN m SKIP 1", "m"),
            ("WITH 1 AS return RETURN return AS x", "x"),
            ("CALL { MATCH (a) RETURN a.b AS y } RETURN y", "y"),
            ("RETURN a IN [1, 2] AND b AS both, count(*) AS c", "both"),
        ] {
            check(text, &format!("{name}: {text}"));
        }
    }

    #[test]
    fn a_column_without_a_name_gets_one() {
        check("RETURN count(m)", "the value: RETURN count(m) AS `the value`");
        check(
            "MATCH (m) RETURN m.n ORDER BY m.n LIMIT 1",
            "the value: MATCH (m) RETURN m.n AS `the value` ORDER BY m.n LIMIT 1",
        );
        check("RETURN m, count(*) // all", "m: RETURN m, count(*) AS `the value 2` // all");
        check("RETURN 'a, b'", "the value: RETURN 'a, b' AS `the value`");
        check("RETURN [1, 2][0]\n", "the value: RETURN [1, 2][0] AS `the value`\n");
        check("RETURN $skip", "the value: RETURN $skip AS `the value`");
        check("RETURN true", "the value: RETURN true AS `the value`");
        check("RETURN 12.5", "the value: RETURN 12.5 AS `the value`");
        check("RETURN {a: 1, b: [2]};", "the value: RETURN {a: 1, b: [2]} AS `the value`");
        check("RETURN a + limit", "the value: RETURN a + limit AS `the value`");
        check("RETURN a * limit", "the value: RETURN a * limit AS `the value`");
        check(
            "RETURN a.b UNION ALL RETURN c.d",
            "the value: RETURN a.b AS `the value` UNION ALL RETURN c.d AS `the value`",
        );
    }

    #[test]
    fn what_returns_nothing_or_all_is_told() {
        for text in ["MATCH (n) DETACH DELETE n", "CALL db.labels()", "RETURN", "'RETURN x'", ""] {
            check(text, "nothing");
        }
        check("MATCH (n) RETURN *", "all");
        check("MATCH (n) RETURN * LIMIT 1", "all");
        check("MATCH (n) RETURN DISTINCT *, 1 AS x", "all");
    }
}
