//! Parameters of a transaction: of BEGIN, and of RUN in auto-commit.

use std::time::Duration;

use super::bookmarks::Bookmarks;
use super::pack::Pack;
use crate::program::Access;

/// Parameters of the beginning of a transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction<'a> {
    /// A server of a cluster that only follows accepts nothing but reads. On a single server a
    /// statement that writes fails in a transaction that reads.
    pub access: Access,
    /// None is the connection's database.
    pub database: Option<&'a str>,
    pub bookmarks: &'a Bookmarks,
    /// Timeout after which the server ends it; none is the server's own.
    pub timeout: Option<Duration>,
    /// The impersonated user (Enterprise Edition).
    pub impersonated: Option<&'a str>,
    /// Metadata for `SHOW TRANSACTIONS` and the query log.
    pub metadata: &'a [(&'a str, &'a str)],
}

/// The scope of a statement.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// In the transaction that was begun before.
    InTransaction,
    /// In one of its own, which is committed at the end of its records.
    Alone(&'a Transaction<'a>),
}

impl<'a> Transaction<'a> {
    #[must_use]
    pub fn new(access: Access, bookmarks: &'a Bookmarks) -> Transaction<'a> {
        Transaction {
            access,
            database: None,
            bookmarks,
            timeout: None,
            impersonated: None,
            metadata: &[],
        }
    }

    /// The map that BEGIN and RUN take.
    pub(super) fn write(&self, usual_database: Option<&str>, pack: &mut Pack) {
        let Transaction { access, database, bookmarks, timeout, impersonated, metadata } = *self;
        let database = database.or(usual_database);
        let timeout = timeout.map(milliseconds);
        let entries = [
            access == Access::Read,
            database.is_some(),
            !bookmarks.is_empty(),
            timeout.is_some(),
            impersonated.is_some(),
            !metadata.is_empty(),
        ];
        pack.map(entries.into_iter().filter(|given| *given).count());
        match access {
            Access::Read => {
                pack.text("mode");
                pack.text("r");
            }
            // The default.
            Access::Write => {}
        }
        if let Some(database) = database {
            pack.text("db");
            pack.text(database);
        }
        if !bookmarks.is_empty() {
            pack.text("bookmarks");
            write_bookmarks(bookmarks, pack);
        }
        if let Some(timeout) = timeout {
            pack.text("tx_timeout");
            pack.integer(timeout);
        }
        if let Some(user) = impersonated {
            pack.text("imp_user");
            pack.text(user);
        }
        if !metadata.is_empty() {
            pack.text("tx_metadata");
            pack.map(metadata.len());
            for (name, value) in metadata {
                pack.text(name);
                pack.text(value);
            }
        }
    }
}

pub(super) fn write_bookmarks(bookmarks: &Bookmarks, pack: &mut Pack) {
    let bookmarks = bookmarks.iter();
    pack.list(bookmarks.len());
    bookmarks.for_each(|bookmark| pack.text(bookmark));
}

/// Zero would be no limit, and not the shortest one.
fn milliseconds(timeout: Duration) -> i64 {
    i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(transaction: &Transaction<'_>, usual_database: Option<&str>, expected: &[u8]) {
        let mut pack = Pack::new();
        transaction.write(usual_database, &mut pack);
        assert_eq!(String::from_utf8_lossy(pack.as_bytes()), String::from_utf8_lossy(expected));
    }

    #[test]
    fn only_what_was_asked_for_is_said() {
        let none = Bookmarks::default();
        check(&Transaction::new(Access::Write, &none), None, b"\xa0");
        check(&Transaction::new(Access::Read, &none), None, b"\xa1\x84mode\x81r");
        check(&Transaction::new(Access::Write, &none), Some("x"), b"\xa1\x82db\x81x");
        let seen = ["a", "b"].into_iter().collect();
        let all = Transaction {
            access: Access::Read,
            database: Some("y"),
            bookmarks: &seen,
            timeout: Some(Duration::from_micros(1)),
            impersonated: Some("u"),
            metadata: &[("k", "v")],
        };
        check(
            &all,
            Some("x"),
            b"\xa6\x84mode\x81r\x82db\x81y\x89bookmarks\x92\x81a\x81b\x8atx_timeout\x01\
              \x88imp_user\x81u\x8btx_metadata\xa1\x81k\x81v",
        );
    }
}
