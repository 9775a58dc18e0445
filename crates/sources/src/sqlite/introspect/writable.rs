//! Which changes SQLite takes of which rows: those of every table that is served, and of a view those
//! for which it has a trigger that does them instead.

use catalog::{Builder, Offered};

use super::fill::Tables;
use super::read::TriggerRow;

/// A change that a trigger does instead of SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Insert,
    Update,
    Delete,
}

/// The words of a statement, quoted names without their quotation marks.
struct Words<'t> {
    rest: &'t str,
}

/// Says what the views take; tables take everything.
pub(super) fn add(builder: &mut Builder, tables: &Tables, triggers: &[TriggerRow]) {
    for of_one in triggers.chunk_by(|left, right| left.table == right.table) {
        let Some(first) = of_one.first() else { continue };
        let Some(view) = tables.find(&first.table).filter(|table| table.is_view()) else {
            continue;
        };
        let mut offered = Offered::NONE;
        for trigger in of_one {
            match change_instead(&trigger.text) {
                Some(Change::Insert) => offered.insert = true,
                Some(Change::Update) => offered.update = true,
                Some(Change::Delete) => offered.delete = true,
                None => {}
            }
        }
        builder.offer(view.entity, offered);
    }
}

/// What a trigger does instead of SQLite. One for some columns only (`UPDATE OF`) is none: SQLite
/// refuses a change of the others.
fn change_instead(text: &str) -> Option<Change> {
    let mut words = Words { rest: text };
    // SQLite begins the text that it keeps with these two, whatever was written.
    let (create, trigger) = (words.next()?, words.next()?);
    if !is(&create, "CREATE") || !is(&trigger, "TRIGGER") {
        return None;
    }
    let mut name = words.next()?;
    if is(&name, "IF") {
        // IF NOT EXISTS; no trigger has that name without quotation marks.
        (_, _) = (words.next()?, words.next()?);
        name = words.next()?;
    }
    let mut next = words.next()?;
    if next == Word::Sign('.') {
        (_, next) = (words.next()?, words.next()?);
    }
    if matches!(name, Word::Sign(_)) || !is(&next, "INSTEAD") || !is(&words.next()?, "OF") {
        return None;
    }
    let change = words.next()?;
    let is_of_some = is(&words.next()?, "OF");
    match change {
        Word::Plain(word) if word.eq_ignore_ascii_case("INSERT") => Some(Change::Insert),
        Word::Plain(word) if word.eq_ignore_ascii_case("DELETE") => Some(Change::Delete),
        Word::Plain(word) if word.eq_ignore_ascii_case("UPDATE") && !is_of_some => {
            Some(Change::Update)
        }
        Word::Plain(_) | Word::Quoted | Word::Sign(_) => None,
    }
}

/// A word of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word<'t> {
    Plain(&'t str),
    /// A name that could not be mistaken for a keyword.
    Quoted,
    Sign(char),
}

fn is(word: &Word<'_>, keyword: &str) -> bool {
    matches!(word, Word::Plain(word) if word.eq_ignore_ascii_case(keyword))
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<Word<'t>> {
        self.skip_space();
        let first = self.rest.chars().next()?;
        let close = match first {
            '"' | '`' | '\'' => first,
            '[' => ']',
            _ if is_of_word(first) => {
                let end = self.rest.find(|letter| !is_of_word(letter)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(Word::Plain(word));
            }
            _ => {
                self.rest = &self.rest[first.len_utf8()..];
                return Some(Word::Sign(first));
            }
        };
        self.rest = self.rest.get(1..)?;
        loop {
            let end = self.rest.find(close)?;
            self.rest = self.rest.get(end + 1..)?;
            // Two of them stand for one within a name.
            match self.rest.strip_prefix(close) {
                Some(rest) if close != ']' => self.rest = rest,
                _ => return Some(Word::Quoted),
            }
        }
    }

    fn skip_space(&mut self) {
        loop {
            self.rest = self.rest.trim_ascii_start();
            let end = match self.rest.get(..2) {
                Some("--") => self.rest.find('\n').map(|end| end + 1),
                Some("/*") => self.rest[2..].find("*/").map(|end| end + 4),
                _ => return,
            };
            // A comment that is not closed goes on to the end.
            self.rest = end.and_then(|end| self.rest.get(end..)).unwrap_or_default();
        }
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_stands_behind_the_name() {
        let check = |text: &str, expect: Option<Change>| {
            assert_eq!(change_instead(text), expect, "{text}");
        };
        check("CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN SELECT 1; END", Some(Change::Insert));
        check("CREATE TRIGGER t instead of delete on v begin select 1; end", Some(Change::Delete));
        check("CREATE TRIGGER t INSTEAD OF UPDATE ON v BEGIN", Some(Change::Update));
        check("CREATE TRIGGER t INSTEAD OF UPDATE OF a ON v BEGIN", None);
        check("CREATE TRIGGER t INSTEAD OF UPDATE /* OF a */ ON of BEGIN", Some(Change::Update));
        check("CREATE TRIGGER main.t INSTEAD OF INSERT ON v", Some(Change::Insert));
        check("CREATE TRIGGER IF NOT EXISTS t INSTEAD OF INSERT ON v", Some(Change::Insert));
        check("CREATE TRIGGER -- INSTEAD OF\n \"a \"\" b\" INSTEAD OF INSERT ON v", Some(Change::Insert));
        check("CREATE TRIGGER [IF] INSTEAD/**/OF INSERT ON v", Some(Change::Insert));
        check("CREATE TRIGGER 'INSTEAD OF DELETE' AFTER INSERT ON t", None);
        check("CREATE TRIGGER \"instead\" BEFORE DELETE ON t", None);
        check("CREATE TRIGGER t INSERT ON t BEGIN", None);
        check("CREATE TRIGGER t /* INSTEAD OF INSERT", None);
        check("CREATE VIEW t AS SELECT 1", None);
        check("", None);
    }
}
