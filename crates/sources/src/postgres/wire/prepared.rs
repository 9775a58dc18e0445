//! What a connection has prepared: statements by text, the least recently used one given up.
//!
//! Names are a counter and never used twice on a connection, so that a name that was given up in a
//! round that failed can be closed at any later time.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::statement::Statement;

/// The most statements that a connection keeps. Each costs PostgreSQL the memory of a plan.
pub(super) const CAPACITY: usize = 256;

/// The number in a prepared statement's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u64);

#[derive(Debug, Default)]
pub(super) struct PreparedStatements {
    entries: HashMap<Arc<Statement>, Entry, FxBuildHasher>,
    /// Given up here, but not yet closed on the server.
    to_close: Vec<Number>,
    last_number: u64,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    number: Number,
    name: Box<str>,
    last_used: u64,
}

/// What must be sent before a statement can be bound.
#[derive(Debug)]
pub(super) enum Found<'p> {
    Prepared(&'p str),
    New(&'p str, Number),
}

impl Number {
    pub(super) fn name(self) -> String {
        ["s", &self.0.to_string()].concat()
    }
}

impl PreparedStatements {
    /// The statement's name, which is new if it is not prepared yet. A new one may displace the
    /// one that was not used for the longest time.
    pub(super) fn find_or_add(&mut self, statement: &Arc<Statement>) -> Found<'_> {
        self.clock += 1;
        let last_used = self.clock;
        let known = self.entries.contains_key(&**statement);
        if !known {
            if self.entries.len() >= CAPACITY {
                self.evict();
            }
            self.last_number += 1;
        }
        let new_number = Number(self.last_number);
        let entry = self.entries.entry(Arc::clone(statement)).or_insert_with(|| Entry {
            number: new_number,
            name: new_number.name().into(),
            last_used,
        });
        entry.last_used = last_used;
        if known { Found::Prepared(&entry.name) } else { Found::New(&entry.name, entry.number) }
    }

    /// The server has not prepared it: an earlier message of its round failed, or it did itself.
    pub(super) fn forget(&mut self, number: Number) {
        self.entries.retain(|_, entry| entry.number != number);
    }

    /// Nothing counts as prepared any more. What the server may still have is closed later.
    pub(super) fn forget_all(&mut self) {
        self.to_close.extend(self.entries.drain().map(|(_, entry)| entry.number));
    }

    pub(super) fn close_later(&mut self, number: Number) {
        self.to_close.push(number);
    }

    pub(super) fn next_to_close(&mut self) -> Option<Number> {
        self.to_close.pop()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A search through all of them: rare, and next to preparing a statement it costs nothing.
    fn evict(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_used);
        if let Some(statement) = oldest.map(|(statement, _)| Arc::clone(statement))
            && let Some(entry) = self.entries.remove(&statement)
        {
            self.to_close.push(entry.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> Arc<Statement> {
        Arc::new(Statement::new(text, []))
    }

    fn is_new(prepared: &mut PreparedStatements, statement: &Arc<Statement>) -> bool {
        matches!(prepared.find_or_add(statement), Found::New(..))
    }

    #[test]
    fn equal_texts_share_one_prepared_statement() {
        let mut prepared = PreparedStatements::default();
        assert!(is_new(&mut prepared, &statement("SELECT 1")));
        assert!(!is_new(&mut prepared, &statement("SELECT 1")));
        assert!(is_new(&mut prepared, &Arc::new(Statement::new("SELECT 1", [23]))));
    }

    #[test]
    fn the_least_recently_used_statement_is_closed() {
        let mut prepared = PreparedStatements::default();
        let all: Vec<_> = (0..CAPACITY).map(|i| statement(&i.to_string())).collect();
        for one in &all {
            is_new(&mut prepared, one);
        }
        is_new(&mut prepared, &all[0]);
        assert!(is_new(&mut prepared, &statement("one more")));
        assert_eq!(prepared.len(), CAPACITY);
        assert_eq!(prepared.next_to_close(), Some(Number(2)));
        assert_eq!(prepared.next_to_close(), None);
        assert!(!is_new(&mut prepared, &all[0]));
        assert!(is_new(&mut prepared, &all[1]));
    }

    #[test]
    fn a_forgotten_statement_gets_another_name() {
        let mut prepared = PreparedStatements::default();
        is_new(&mut prepared, &statement("a"));
        prepared.forget_all();
        let statement = statement("a");
        let Found::New(name, number) = prepared.find_or_add(&statement) else {
            panic!("it was forgotten");
        };
        assert_eq!((name, number), ("s2", Number(2)));
        assert_eq!(prepared.next_to_close(), Some(Number(1)));
    }
}
