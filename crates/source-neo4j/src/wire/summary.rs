//! The summary of a statement, with the server's counters.

use std::ops::AddAssign;

use response::packed::{Entries, Packed};

use super::error::WireError;
use super::message::{map_in, of_another_type, text};

/// The metadata at the end of a statement's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    pub counters: Counters,
    /// The bookmark of an auto-commit statement.
    pub bookmark: Option<Box<str>>,
    /// The database in which it ran.
    pub database: Option<Box<str>>,
}

/// Numbers of changes in the graph and its schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    pub nodes_created: u64,
    pub nodes_deleted: u64,
    pub relationships_created: u64,
    pub relationships_deleted: u64,
    pub properties_set: u64,
    pub labels_added: u64,
    pub labels_removed: u64,
    pub indexes_added: u64,
    pub indexes_removed: u64,
    pub constraints_added: u64,
    pub constraints_removed: u64,
    pub system_updates: u64,
}

impl Summary {
    pub(super) fn from_metadata(metadata: &Entries<'_>) -> Result<Summary, WireError> {
        let counters = match map_in(metadata, b"stats")? {
            Some(stats) => Counters::from_stats(stats)?,
            None => Counters::default(),
        };
        Ok(Summary {
            counters,
            bookmark: text(metadata, b"bookmark")?.map(Box::from),
            database: text(metadata, b"db")?.map(Box::from),
        })
    }
}

impl Counters {
    fn from_stats(stats: Entries<'_>) -> Result<Counters, WireError> {
        let mut counters = Counters::default();
        for entry in stats {
            let (name, value) = entry?;
            let counter = match name {
                b"nodes-created" => &mut counters.nodes_created,
                b"nodes-deleted" => &mut counters.nodes_deleted,
                b"relationships-created" => &mut counters.relationships_created,
                b"relationships-deleted" => &mut counters.relationships_deleted,
                b"properties-set" => &mut counters.properties_set,
                b"labels-added" => &mut counters.labels_added,
                b"labels-removed" => &mut counters.labels_removed,
                b"indexes-added" => &mut counters.indexes_added,
                b"indexes-removed" => &mut counters.indexes_removed,
                b"constraints-added" => &mut counters.constraints_added,
                b"constraints-removed" => &mut counters.constraints_removed,
                b"system-updates" => &mut counters.system_updates,
                // Whether there are any follows from the numbers.
                _ => continue,
            };
            *counter = match value {
                Packed::Integer(count) => u64::try_from(count).unwrap_or_default(),
                other => return Err(of_another_type(name, other)),
            };
        }
        Ok(counters)
    }
}

/// Several statements together.
impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        let Counters {
            nodes_created,
            nodes_deleted,
            relationships_created,
            relationships_deleted,
            properties_set,
            labels_added,
            labels_removed,
            indexes_added,
            indexes_removed,
            constraints_added,
            constraints_removed,
            system_updates,
        } = other;
        for (sum, count) in [
            (&mut self.nodes_created, nodes_created),
            (&mut self.nodes_deleted, nodes_deleted),
            (&mut self.relationships_created, relationships_created),
            (&mut self.relationships_deleted, relationships_deleted),
            (&mut self.properties_set, properties_set),
            (&mut self.labels_added, labels_added),
            (&mut self.labels_removed, labels_removed),
            (&mut self.indexes_added, indexes_added),
            (&mut self.indexes_removed, indexes_removed),
            (&mut self.constraints_added, constraints_added),
            (&mut self.constraints_removed, constraints_removed),
            (&mut self.system_updates, system_updates),
        ] {
            *sum = sum.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use response::packed::begin;

    use super::*;
    use crate::wire::pack::Pack;

    fn summary(pack: &Pack) -> Result<Summary, WireError> {
        match begin(pack.as_bytes()) {
            Ok(Packed::Map(entries)) => Summary::from_metadata(&entries),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_servers_counts_are_read_by_their_names() {
        let mut pack = Pack::new();
        pack.map(3);
        pack.text("stats");
        pack.map(3);
        pack.text("contains-updates");
        pack.boolean(true);
        pack.text("nodes-created");
        pack.integer(2);
        pack.text("relationships-deleted");
        pack.integer(300);
        pack.text("bookmark");
        pack.text("FB:1");
        pack.text("t_last");
        pack.integer(5);
        let summary = summary(&pack).unwrap();
        let expected =
            Counters { nodes_created: 2, relationships_deleted: 300, ..Counters::default() };
        assert_eq!((summary.counters, summary.bookmark.as_deref()), (expected, Some("FB:1")));
        let mut sum = expected;
        sum += expected;
        assert_eq!((sum.nodes_created, sum.relationships_deleted, sum.labels_added), (4, 600, 0));
    }

    #[test]
    fn a_read_counts_nothing_and_nonsense_is_refused() {
        let mut pack = Pack::new();
        pack.map(0);
        assert_eq!(summary(&pack).unwrap(), Summary::default());
        pack.clear();
        pack.map(1);
        pack.text("stats");
        pack.map(1);
        pack.text("nodes-created");
        pack.text("2");
        assert!(matches!(summary(&pack), Err(WireError::Protocol(_))));
    }
}
