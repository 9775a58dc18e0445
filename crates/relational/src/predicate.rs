//! Conditions of partial indexes: of which columns they say that there is something in them.

/// The columns of a condition that says nothing but that columns are not null: `a IS NOT NULL`,
/// `(("b" NOTNULL) AND (c is not null))`. `None` of every other condition.
pub fn not_null_columns(condition: &str) -> Option<Vec<String>> {
    let mut words = Words { rest: condition };
    let columns = conjunction(&mut words)?;
    (words.next()? == Word::End).then_some(columns)
}

/// What stands behind WHERE in the statement that made an index.
pub fn of_index(statement: &str) -> Option<&str> {
    let mut words = Words { rest: statement };
    loop {
        match words.next()? {
            Word::Plain(word) if word.eq_ignore_ascii_case("where") => return Some(words.rest),
            Word::End => return None,
            _ => {}
        }
    }
}

fn conjunction(words: &mut Words<'_>) -> Option<Vec<String>> {
    let mut columns = term(words)?;
    while words.take("and") {
        columns.extend(term(words)?);
    }
    Some(columns)
}

fn term(words: &mut Words<'_>) -> Option<Vec<String>> {
    match words.next()? {
        Word::Sign('(') => {
            let mut ahead = *words;
            // `(a) is not null`: the column alone in brackets.
            if let (Some(Word::Plain(_) | Word::Quoted(_)), Some(Word::Sign(')'))) =
                (ahead.next(), ahead.next())
            {
                let Some(Word::Plain(name)) = words.next().map(Word::into_name) else {
                    return None;
                };
                words.next()?;
                return is_not_null(words).then(|| vec![name]);
            }
            let columns = conjunction(words)?;
            (words.next()? == Word::Sign(')')).then_some(columns)
        }
        Word::Plain(name) | Word::Quoted(name) => is_not_null(words).then(|| vec![name]),
        Word::Sign(_) | Word::End => None,
    }
}

fn is_not_null(words: &mut Words<'_>) -> bool {
    if words.take("notnull") {
        return true;
    }
    (words.take("is") && words.take("not") && words.take("null"))
        || (words.take("not") && words.take("null"))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Plain(String),
    /// A name in quotes, without them.
    Quoted(String),
    Sign(char),
    End,
}

impl Word {
    fn into_name(self) -> Self {
        match self {
            Self::Quoted(name) => Self::Plain(name),
            other => other,
        }
    }
}

#[derive(Clone, Copy)]
struct Words<'a> {
    rest: &'a str,
}

impl Words<'_> {
    /// The next word; `None` of a text that cannot be read.
    fn next(&mut self) -> Option<Word> {
        self.skip_blanks()?;
        let Some(first) = self.rest.chars().next() else { return Some(Word::End) };
        match first {
            '"' | '`' => self.quoted(first, first),
            '[' => self.quoted(first, ']'),
            '\'' => {
                self.quoted(first, first)?;
                Some(Word::Sign(first))
            }
            _ if is_of_word(first) => {
                let end = self.rest.find(|letter| !is_of_word(letter)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                Some(Word::Plain(word.into()))
            }
            _ => {
                self.rest = self.rest.get(first.len_utf8()..)?;
                Some(Word::Sign(first))
            }
        }
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            self.rest = if let Some(comment) = self.rest.strip_prefix("--") {
                comment.split_once('\n').map_or("", |(_, rest)| rest)
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                comment.split_once("*/")?.1
            } else {
                return Some(());
            };
        }
    }

    /// A text up to its closing quote, which stands twice where it is meant itself.
    fn quoted(&mut self, open: char, close: char) -> Option<Word> {
        let mut name = String::new();
        let mut letters = self.rest.char_indices().skip(1).peekable();
        while let Some((place, letter)) = letters.next() {
            if letter != close {
                name.push(letter);
            } else if open == close && letters.next_if(|(_, next)| *next == close).is_some() {
                name.push(close);
            } else {
                self.rest = self.rest.get(place + close.len_utf8()..)?;
                return Some(Word::Quoted(name));
            }
        }
        None
    }

    /// Whether the next word is this one, which is then taken.
    fn take(&mut self, wanted: &str) -> bool {
        let mut ahead = *self;
        let found =
            matches!(ahead.next(), Some(Word::Plain(word)) if word.eq_ignore_ascii_case(wanted));
        if found {
            *self = ahead;
        }
        found
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$') || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_that_columns_are_not_null_have_columns() {
        let check = |condition: &str, expected: Option<&[&str]>| {
            let columns = not_null_columns(condition);
            let columns = columns
                .as_ref()
                .map(|columns| columns.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(columns.as_deref(), expected, "{condition}");
        };
        check("(author_id IS NOT NULL)", Some(&["author_id"]));
        check("a is not null", Some(&["a"]));
        check("a NOTNULL", Some(&["a"]));
        check("(a) NOT NULL", Some(&["a"]));
        check("((a IS NOT NULL) AND (\"B \"\"x\" IS NOT NULL))", Some(&["a", "B \"x"]));
        check("[a b] is not null and `c` is not null -- all", Some(&["a b", "c"]));
        check("größe IS NOT NULL /* said */", Some(&["größe"]));
        for other in [
            "",
            "a",
            "a = 1",
            "a IS NULL",
            "NOT a IS NOT NULL",
            "a IS NOT NULL OR b IS NOT NULL",
            "a IS NOT NULL AND b = 'x'",
            "lower(a) IS NOT NULL",
            "(a, b) IS NOT NULL",
            "a.b IS NOT NULL",
            "(a IS NOT NULL",
            "a IS NOT NULL)",
            "\"a IS NOT NULL",
            "a IS NOT NULL /* b",
        ] {
            check(other, None);
        }
    }

    #[test]
    fn the_condition_of_an_index_stands_behind_its_columns() {
        let check = |statement, expected| {
            assert_eq!(of_index(statement).map(str::trim), expected, "{statement}");
        };
        check("CREATE INDEX i ON t(a) WHERE a IS NOT NULL", Some("a IS NOT NULL"));
        check("create index \"where\" on [where](`where`)\nwhere(b) notnull", Some("(b) notnull"));
        check("CREATE INDEX i ON t(a /* where */) -- where", None);
        check("CREATE INDEX i ON t(substr(a, ' where ')) where a", Some("a"));
    }
}
