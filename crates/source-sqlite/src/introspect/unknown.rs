//! Collations and functions of other programs that a file refers to: SQLite keeps their names only, and
//! fails when they are needed.

use std::collections::{BTreeSet, HashSet};

use super::read::TextRow;
use super::writable::{Word, Words};

/// The collations and functions that there are, in small letters.
#[derive(Default)]
pub(super) struct KnownNames {
    pub(super) collations: HashSet<String>,
    pub(super) functions: HashSet<String>,
}

/// A name that a statement of the file uses and this process does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    Collation(String),
    Function(String),
}

/// Keywords after which a function may be called, beside operators.
const BEFORE_VALUES: [&str; 22] = [
    "select",
    "DISTINCT",
    "ALL",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "WHEN",
    "THEN",
    "ELSE",
    "CASE",
    "BETWEEN",
    "LIKE",
    "GLOB",
    "IS",
    "BY",
    "HAVING",
    "RETURNING",
    "LIMIT",
    "OFFSET",
    "COLLATE",
    "ESCAPE",
];

/// Keywords before brackets that are no functions.
const NO_FUNCTIONS: [&str; 22] = [
    "CAST", "RAISE", "EXISTS", "CHECK", "UNIQUE", "KEY", "VALUES", "IN", "NOT", "AND", "OR",
    "CASE", "WHEN", "THEN", "ELSE", "select", "WHERE", "FILTER", "OVER", "PRIMARY", "FOREIGN",
    "AS",
];

/// The names in a statement that are not known, each once.
pub(super) fn unknown_names(row: &TextRow, known: &KnownNames) -> BTreeSet<Unknown> {
    let mut unknown = BTreeSet::new();
    // SQLite itself reports missing functions of a view, and the definition of a virtual table has
    // a syntax of its own.
    let with_functions = matches!(&*row.kind, "table" | "index" | "trigger");
    let mut words = Words { rest: &row.text };
    let (mut before, mut word) = (None, words.next());
    if row.kind.as_ref() == "table" && is_virtual(&row.text) {
        return unknown;
    }
    while let Some(current) = word {
        let next = words.next();
        if current.is("COLLATE")
            && let Some(Word::Plain(name) | Word::Quoted(name)) = next
            && !known.collations.contains(&name.to_ascii_lowercase())
        {
            unknown.insert(Unknown::Collation(name.into()));
        }
        if with_functions
            && next == Some(Word::Sign('('))
            && let Word::Plain(name) = current
            && before.is_some_and(calls)
            && !is_one_of(current, &NO_FUNCTIONS)
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && !known.functions.contains(&name.to_ascii_lowercase())
        {
            unknown.insert(Unknown::Function(name.into()));
        }
        (before, word) = (word, next);
    }
    unknown
}

fn is_virtual(text: &str) -> bool {
    let mut words = Words { rest: text };
    words.next();
    words.next().is_some_and(|word| word.is("VIRTUAL"))
}

/// Whether a function call may follow.
fn calls(before: Word<'_>) -> bool {
    match before {
        Word::Sign(sign) => !matches!(sign, '.' | ')' | ';'),
        word @ Word::Plain(_) => is_one_of(word, &BEFORE_VALUES),
        Word::Quoted(_) => false,
    }
}

fn is_one_of(word: Word<'_>, words: &[&str]) -> bool {
    words.iter().any(|keyword| word.is(keyword))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_found_in_statements() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
        let known = KnownNames {
            collations: names(&["binary", "nocase"]),
            functions: names(&["lower", "json_each"]),
        };
        let check = |kind: &str, text: &str, expect: &[Unknown]| {
            let row = TextRow {
                kind: kind.into(),
                name: "x".into(),
                table: "t".into(),
                text: text.into(),
            };
            let found: Vec<Unknown> = unknown_names(&row, &known).into_iter().collect();
            assert_eq!(found, expect, "{text}");
        };
        let collation = |name: &str| Unknown::Collation(name.into());
        let function = |name: &str| Unknown::Function(name.into());
        let unicase = "CREATE TABLE t (name TEXT COLLATE unicase, tag VARCHAR(9) collate NoCase)";
        check("table", unicase, &[collation("unicase")]);
        check("index", "CREATE INDEX i ON t (name COLLATE \"icu root\")", &[collation("icu root")]);
        check("view", "CREATE VIEW v AS SELECT f(1) ORDER BY a COLLATE [de]", &[collation("de")]);
        check("index", "CREATE INDEX i ON t(a) WHERE keep(a)", &[function("keep")]);
        check(
            "table",
            "CREATE TABLE t (a INT CHECK(ok(a)), b AS (lower(a)), UNIQUE (a))",
            &[function("ok")],
        );
        check(
            "table",
            "CREATE TABLE t (a DECIMAL (1, 2) REFERENCES u(b), PRIMARY KEY(a), CHECK (a IN (1)))",
            &[],
        );
        check(
            "trigger",
            "CREATE TRIGGER g AFTER INSERT ON t BEGIN \
             INSERT INTO u(a) VALUES (title_sort(NEW.a)); -- gone(1)\n \
             SELECT RAISE(ABORT, 'no(1)') FROM u, json_each(a); END",
            &[function("title_sort")],
        );
        check("table", "CREATE VIRTUAL TABLE f USING fts5(a, tokenize(x))", &[]);
    }
}
