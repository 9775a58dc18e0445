//! The statement cache of a connection: prepared statements by text, with eviction of the least
//! recently used.
//!
//! A name is a hash of the statement's text and parameter types, and a counter. The counter makes
//! it unique on a connection, so that a name that was given up in a round that failed can be closed
//! at any later time. The hash makes it the name of this statement alone: where a pooler gives one
//! server session to several clients, a name that another client has prepared means the very same
//! statement, or there is none of that name, which is an error. Another statement never runs.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::statement::{Digest128, Statement};

/// The most statements that a connection keeps. Each costs PostgreSQL the memory of a plan.
pub(super) const CAPACITY: usize = 256;

/// Most bytes of the entries: a statement outlives its plan, and large ones cost PostgreSQL many
/// times their text. The last one is kept whatever its size.
const CAPACITY_BYTES: usize = 4 << 20;

/// A prepared statement's name. With 55 bytes at most it is shorter than the 63 that PostgreSQL
/// compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    digest: Digest128,
    number: u64,
}

#[derive(Debug, Default)]
pub(super) struct PreparedStatements {
    entries: HashMap<Arc<Statement>, Entry, FxBuildHasher>,
    /// Bytes of the entries.
    bytes: usize,
    /// Given up here, but not yet closed on the server.
    to_close: Vec<Name>,
    last_number: u64,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    name: Name,
    text: Box<str>,
    last_used: u64,
}

impl Entry {
    /// Bytes of an entry, its statement included.
    fn bytes(&self, statement: &Statement) -> usize {
        size_of::<(Arc<Statement>, Self)>() + self.text.len() + statement.bytes()
    }
}

/// The messages that must precede the binding of a statement.
#[derive(Debug)]
pub(super) enum Found<'p> {
    Prepared(&'p str),
    New(&'p str, Name),
}

/// The name of the first statement that a connection prepares.
pub(super) fn first_name(statement: &Statement) -> Name {
    Name { digest: statement.digest(), number: 1 }
}

impl Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("t")?;
        for byte in self.digest {
            write!(formatter, "{byte:02x}")?;
        }
        write!(formatter, "_{}", self.number)
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
            let most = CAPACITY_BYTES.saturating_sub(statement.bytes());
            while self.entries.len() >= CAPACITY || self.bytes > most {
                if !self.evict() {
                    break;
                }
            }
            self.last_number += 1;
        }
        let number = self.last_number;
        let bytes = &mut self.bytes;
        let entry = self.entries.entry(Arc::clone(statement)).or_insert_with(|| {
            let name = Name { digest: statement.digest(), number };
            let entry = Entry { name, text: name.to_string().into(), last_used };
            *bytes += entry.bytes(statement);
            entry
        });
        entry.last_used = last_used;
        if known { Found::Prepared(&entry.text) } else { Found::New(&entry.text, entry.name) }
    }

    /// The server has not prepared it: an earlier message of its round failed, or it did itself.
    pub(super) fn forget(&mut self, name: Name) {
        let bytes = &mut self.bytes;
        self.entries.retain(|statement, entry| {
            let stays = entry.name != name;
            if !stays {
                *bytes = bytes.saturating_sub(entry.bytes(statement));
            }
            stays
        });
    }

    /// Forgets all prepared statements. Those that the server may still have are closed later.
    pub(super) fn forget_all(&mut self) {
        self.to_close.extend(self.entries.drain().map(|(_, entry)| entry.name));
        self.bytes = 0;
    }

    pub(super) fn close_later(&mut self, name: Name) {
        self.to_close.push(name);
    }

    pub(super) fn next_to_close(&mut self) -> Option<Name> {
        self.to_close.pop()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Gives up the least recently used statement, if there is one. A search through all of them is
    /// rare, and next to preparing a statement it costs nothing.
    fn evict(&mut self) -> bool {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_used);
        let Some(statement) = oldest.map(|(statement, _)| Arc::clone(statement)) else {
            return false;
        };
        if let Some(entry) = self.entries.remove(&statement) {
            self.bytes = self.bytes.saturating_sub(entry.bytes(&statement));
            self.to_close.push(entry.name);
        }
        true
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
        assert_eq!(prepared.next_to_close().map(|name| name.number), Some(2));
        assert_eq!(prepared.next_to_close(), None);
        assert!(!is_new(&mut prepared, &all[0]));
        assert!(is_new(&mut prepared, &all[1]));
    }

    #[test]
    fn large_statements_are_closed_before_they_take_too_much() {
        let mut prepared = PreparedStatements::default();
        let large =
            |number: usize| statement(&format!("{number} {}", " ".repeat(CAPACITY_BYTES / 4)));
        for number in 0..100 {
            assert!(is_new(&mut prepared, &large(number)));
            let entries = prepared.entries.iter();
            let bytes: usize = entries.map(|(statement, entry)| entry.bytes(statement)).sum();
            assert_eq!(prepared.bytes, bytes);
            assert!(bytes <= CAPACITY_BYTES, "{bytes}");
        }
        assert_eq!(prepared.len(), 3);
        assert!(!is_new(&mut prepared, &large(99)));
        // The only one is kept, so that it is not prepared again and again.
        let huge = statement(&" ".repeat(2 * CAPACITY_BYTES));
        assert!(is_new(&mut prepared, &huge) && !is_new(&mut prepared, &huge));
        assert_eq!(prepared.len(), 1);
        assert!(is_new(&mut prepared, &statement("SELECT 1")));
        assert_eq!((prepared.len(), prepared.to_close.len()), (1, 101));
        prepared.forget_all();
        assert_eq!(prepared.bytes, 0);
    }

    #[test]
    fn a_forgotten_statement_gets_another_name() {
        let mut prepared = PreparedStatements::default();
        is_new(&mut prepared, &statement("a"));
        prepared.forget_all();
        let statement = statement("a");
        let Found::New(text, name) = prepared.find_or_add(&statement) else {
            panic!("it was forgotten");
        };
        assert_eq!((text, name.number), (&*name.to_string(), 2));
        assert_eq!(prepared.next_to_close().map(|name| name.number), Some(1));
    }

    #[test]
    fn a_name_says_the_text_and_the_types_and_is_short_enough() {
        let digest = |text: &str, types: &[u32]| Statement::new(text, types).digest();
        let one = digest("SELECT 1", &[]);
        assert_eq!(one, digest("SELECT 1", &[]));
        let others = [digest("SELECT 2", &[]), digest("SELECT 1", &[23]), digest("", &[23, 23])];
        assert!(!others.contains(&one));
        // PostgreSQL compares no more than 63 bytes of a name.
        assert!(Name { digest: one, number: u64::MAX }.to_string().len() <= 63);
    }
}
