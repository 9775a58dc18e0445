//! Rows that the database has, by their unique values and ids.
//!
//! Values and targets come sorted from disk. A second reader of the same entries is ahead of the
//! check that needs them, and collects as many as one statement finds.

use std::collections::HashMap;
use std::path::Path;

use ahash::RandomState;

use super::assemble::{Node, broken};
use super::facts::NEW;
use super::keys::{KeyQuery, read_key};
use super::resolve::Nodes;
use super::{Existing, StageError};
use crate::spill::{Entries, Sorted};
use crate::value::Row;

/// Values and ids that are looked up at once.
pub(super) const LOOKED_UP: usize = 1_000;

/// The rows with the values of the next entries of keys.
pub(super) struct StoredKeys<'k> {
    entries: Entries<'k>,
    /// The first entry of the next batch.
    pending: Option<(u64, Key)>,
    /// The hash of the last values that were looked up.
    until: Option<u64>,
    /// By the space.
    found: Vec<HashMap<Box<[u8]>, u64, RandomState>>,
}

/// A value in its space.
type Key = (usize, Box<[u8]>);

/// The tables of the objects of the database to which the next links refer.
pub(super) struct StoredTargets<'t> {
    entries: Entries<'t>,
    nodes: Nodes,
    node: Option<Node>,
    /// The last target that was looked up.
    until: Option<u64>,
    /// Sorted by the ids.
    found: Vec<(u64, Option<usize>)>,
}

impl<'k> StoredKeys<'k> {
    pub(super) fn new(keys: &'k Sorted, spaces: usize) -> Result<Self, StageError> {
        let found = (0..spaces).map(|_| HashMap::default()).collect();
        Ok(Self { entries: keys.entries()?, pending: None, until: None, found })
    }

    /// Looks the values of a hash up, and those of the next ones. Hashes come in their order.
    pub(super) fn cover(
        &mut self,
        hash: u64,
        spaces: &[(usize, usize)],
        existing: &mut dyn Existing,
    ) -> Result<(), StageError> {
        if existing.is_empty() {
            return Ok(());
        }
        while self.until.is_none_or(|until| until < hash) {
            self.look_up(spaces, existing)?;
        }
        Ok(())
    }

    /// The id of the row with a value, whose hash is covered.
    pub(super) fn find(&self, space: usize, value: &[u8]) -> Option<u64> {
        self.found[space].get(value).copied()
    }

    fn look_up(
        &mut self,
        spaces: &[(usize, usize)],
        existing: &mut dyn Existing,
    ) -> Result<(), StageError> {
        let mut keys: Vec<Key> = Vec::with_capacity(LOOKED_UP);
        if let Some((hash, key)) = self.pending.take() {
            self.until = Some(hash);
            keys.push(key);
        }
        // Of the values with the newest hash.
        let mut first = 0;
        loop {
            let Some(((hash, kind), payload)) = self.entries.next_entry()? else {
                self.until = Some(u64::MAX);
                break;
            };
            let (space, value) = read_key(kind, payload).ok_or_else(broken)?;
            if self.until != Some(hash) {
                if keys.len() >= LOOKED_UP {
                    self.pending = Some((hash, (space, value.into())));
                    break;
                }
                (self.until, first) = (Some(hash), keys.len());
            }
            if !keys[first..].iter().any(|key| key.0 == space && *key.1 == *value) {
                keys.push((space, value.into()));
            }
        }
        let queries = keys.iter().map(|(space, value)| {
            let (table, column) = spaces[*space];
            let value = Row::new(value).next().ok_or_else(broken)?;
            Ok(KeyQuery { table, column, value })
        });
        let ids = existing.find_by_key(&queries.collect::<Result<Vec<_>, StageError>>()?)?;
        self.found.iter_mut().for_each(HashMap::clear);
        for ((space, value), id) in keys.into_iter().zip(ids) {
            if let Some(id) = id {
                self.found[space].insert(value, id);
            }
        }
        Ok(())
    }
}

impl<'t> StoredTargets<'t> {
    pub(super) fn new(links: &'t Sorted, nodes: &Path) -> Result<Self, StageError> {
        let mut nodes = Nodes::open(nodes)?;
        let node = nodes.next()?;
        Ok(Self { entries: links.entries()?, nodes, node, until: None, found: Vec::new() })
    }

    /// The table of a target that is no object of the files. Targets come in their order.
    pub(super) fn table_of(
        &mut self,
        id: u64,
        is_gone: impl Fn(u64) -> bool,
        existing: &mut dyn Existing,
    ) -> Result<Option<usize>, StageError> {
        if id >= NEW || existing.is_empty() {
            return Ok(None);
        }
        while self.until.is_none_or(|until| until < id) {
            self.look_up(&is_gone, existing)?;
        }
        // An object of the files that was rejected meanwhile is none of the database.
        let place = self.found.binary_search_by_key(&id, |(id, _)| *id);
        Ok(place.ok().and_then(|place| self.found[place].1))
    }

    fn look_up(
        &mut self,
        is_gone: impl Fn(u64) -> bool,
        existing: &mut dyn Existing,
    ) -> Result<(), StageError> {
        let mut ids = Vec::with_capacity(LOOKED_UP);
        while ids.len() < LOOKED_UP {
            let target = self.entries.next_entry()?.map(|((to, _), _)| to);
            let Some(to) = target.filter(|to| *to < NEW) else {
                self.until = Some(NEW);
                break;
            };
            if self.until == Some(to) {
                continue;
            }
            self.until = Some(to);
            while self.node.is_some_and(|node| node.id < to) {
                self.node = self.nodes.next()?;
            }
            if self.node.is_none_or(|node| node.id != to) || is_gone(to) {
                ids.push(to);
            }
        }
        let tables = existing.tables_of(&ids)?;
        self.found = ids.into_iter().zip(tables).collect();
        Ok(())
    }
}
