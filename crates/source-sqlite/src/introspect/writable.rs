//! Writable tables and views: all served tables, and for a view the changes with an INSTEAD OF
//! trigger. Side effects of triggers after a change of a table are not part of SQLite's metadata.

use catalog::{Builder, WriteAccess};

use super::fill::{Table, Tables};
use super::read::TriggerRow;

/// The time of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trigger {
    when: When,
    change: Change,
    /// `UPDATE OF`: only for some columns.
    of_some: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Before,
    After,
    Instead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Insert,
    Update,
    Delete,
}

/// The tokens of a statement.
pub(super) struct Words<'t> {
    pub(super) rest: &'t str,
}

/// Applies the triggers to their tables and views.
pub(super) fn add(builder: &mut Builder, tables: &Tables, triggers: &[TriggerRow]) {
    for of_one in triggers.chunk_by(|left, right| left.table == right.table) {
        let Some(table) = of_one.first().and_then(|first| tables.find(&first.table)) else {
            continue;
        };
        let triggers = of_one.iter().filter_map(|row| Trigger::read(&row.text));
        if table.is_view() {
            offer(builder, table, triggers);
            continue;
        }
        let triggers: Vec<Trigger> = triggers.filter(|own| own.change != Change::Delete).collect();
        if !triggers.is_empty() {
            builder.trigger(table.entity);
        }
        // Without a key the row cannot be found again.
        if !table.primary_key.is_empty() && triggers.iter().any(|own| own.when == When::After) {
            builder.rewrite(table.entity);
        }
    }
}

/// Offers the changes of a view that INSTEAD OF triggers do. A trigger for some columns only is not
/// enough: SQLite refuses a change of the others.
fn offer(builder: &mut Builder, view: &Table, triggers: impl Iterator<Item = Trigger>) {
    let mut offered = WriteAccess::NONE;
    for trigger in triggers.filter(|trigger| trigger.when == When::Instead && !trigger.of_some) {
        match trigger.change {
            Change::Insert => offered.insert = true,
            Change::Update => offered.update = true,
            Change::Delete => offered.delete = true,
        }
    }
    builder.set_write_access(view.entity, offered);
}

impl Trigger {
    /// Reads the statement that made a trigger.
    fn read(text: &str) -> Option<Self> {
        let mut words = Words { rest: text };
        // SQLite begins the text that it keeps with these two, whatever was written.
        if !words.next()?.is("CREATE") || !words.next()?.is("TRIGGER") {
            return None;
        }
        let mut name = words.next()?;
        if name.is("IF") {
            // IF NOT EXISTS; no trigger has that name without quotation marks.
            words.next()?;
            words.next()?;
            name = words.next()?;
        }
        if let Word::Sign(_) = name {
            return None;
        }
        let mut next = words.next()?;
        if next == Word::Sign('.') {
            words.next()?;
            next = words.next()?;
        }
        let when = match next {
            word if word.is("INSTEAD") => {
                words.next()?;
                When::Instead
            }
            word if word.is("AFTER") => When::After,
            _ => When::Before,
        };
        if when != When::Before || next.is("BEFORE") {
            next = words.next()?;
        }
        let change = match next {
            word if word.is("insert") => Change::Insert,
            word if word.is("update") => Change::Update,
            word if word.is("delete") => Change::Delete,
            _ => return None,
        };
        let of_some = words.next()?.is("OF");
        Some(Self { when, change, of_some })
    }
}

/// A token of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'t> {
    Plain(&'t str),
    /// A name that could not be mistaken for a keyword, without its quotation marks.
    Quoted(&'t str),
    Sign(char),
}

impl Word<'_> {
    pub(super) fn is(self, keyword: &str) -> bool {
        matches!(self, Self::Plain(word) if word.eq_ignore_ascii_case(keyword))
    }
}

impl<'t> Words<'t> {
    pub(super) fn next(&mut self) -> Option<Word<'t>> {
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
        let name = self.rest;
        loop {
            let end = self.rest.find(close)?;
            self.rest = self.rest.get(end + 1..)?;
            // Two of them stand for one within a name.
            match self.rest.strip_prefix(close) {
                Some(rest) if close != ']' => self.rest = rest,
                _ => {
                    let length = name.len() - self.rest.len() - 1;
                    return name.get(..length).map(Word::Quoted);
                }
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
            // An unclosed comment extends to the end.
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
    fn when_a_trigger_runs_stands_behind_its_name() {
        let check = |text: &str, expect: Option<(When, Change, bool)>| {
            let trigger = Trigger::read(text);
            let read = trigger.map(|trigger| (trigger.when, trigger.change, trigger.of_some));
            assert_eq!(read, expect, "{text}");
        };
        let instead = |change| Some((When::Instead, change, false));
        let insert = instead(Change::Insert);
        check("CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN SELECT 1; END", insert);
        check("CREATE TRIGGER t instead of delete on v begin", instead(Change::Delete));
        check("CREATE TRIGGER t INSTEAD OF UPDATE ON v BEGIN", instead(Change::Update));
        let of_some = Some((When::Instead, Change::Update, true));
        check("CREATE TRIGGER t INSTEAD OF UPDATE OF a ON v BEGIN", of_some);
        check("CREATE TRIGGER t INSTEAD OF UPDATE /* OF a */ ON v", instead(Change::Update));
        check("CREATE TRIGGER main.t INSTEAD OF INSERT ON v", insert);
        check("CREATE TRIGGER IF NOT EXISTS t INSTEAD OF INSERT ON v", insert);
        check("CREATE TRIGGER -- AFTER\n \"a \"\" b\" INSTEAD OF INSERT ON v", insert);
        check("CREATE TRIGGER [IF] INSTEAD/**/OF INSERT ON v", insert);
        let after = Some((When::After, Change::Insert, false));
        check("CREATE TRIGGER 'INSTEAD OF DELETE' AFTER INSERT ON t", after);
        let before = Some((When::Before, Change::Delete, false));
        check("CREATE TRIGGER \"instead\" BEFORE DELETE ON t", before);
        check("CREATE TRIGGER t DELETE ON t BEGIN", before);
        check("CREATE TRIGGER t /* INSTEAD OF INSERT", None);
        check("CREATE TRIGGER . INSTEAD OF INSERT ON v", None);
        check("CREATE VIEW t AS SELECT 1", None);
        check("", None);
    }
}
