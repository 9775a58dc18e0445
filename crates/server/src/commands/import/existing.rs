//! Rows that the database has before an import.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io;

use sources::transfer::{Transfer, TransferError};
use tokio::runtime::Runtime;
use transfer::stage::{Existing, KeyQuery};
use transfer::{Mapping, ValueRef};

use crate::failure::Failure;

/// The database, as the stage asks for its rows.
pub(super) struct DatabaseRows<'d> {
    runtime: &'d Runtime,
    transfer: &'d Transfer,
    mapping: &'d Mapping,
    is_empty: bool,
    last_id: u64,
}

impl<'d> DatabaseRows<'d> {
    pub(super) fn new(
        runtime: &'d Runtime,
        transfer: &'d Transfer,
        mapping: &'d Mapping,
        is_empty: bool,
    ) -> Result<Self, Failure> {
        let last_id = runtime.block_on(transfer.last_id()).map_err(Failure::other)?;
        // Without rows, the sequence may begin anew.
        let last_id = if is_empty { 0 } else { last_id };
        Ok(Self { runtime, transfer, mapping, is_empty, last_id })
    }
}

/// The order of the values of a unique column.
fn order(one: ValueRef<'_>, other: ValueRef<'_>) -> Ordering {
    match (one, other) {
        (ValueRef::Integer(one), ValueRef::Integer(other)) => one.cmp(&other),
        (ValueRef::Text(one), ValueRef::Text(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

fn other(error: TransferError) -> io::Error {
    io::Error::other(error)
}

impl Existing for DatabaseRows<'_> {
    fn is_empty(&self) -> bool {
        self.is_empty
    }

    fn last_id(&self) -> u64 {
        self.last_id
    }

    fn tables_of(&mut self, ids: &[u64]) -> io::Result<Vec<Option<usize>>> {
        let tables = &self.mapping.tables;
        let find = async {
            let mut found = vec![None; ids.len()];
            let mut left: Vec<usize> = (0..ids.len()).collect();
            for object in &self.mapping.objects {
                let values = left
                    .iter()
                    .map(|place| ValueRef::Integer(i64::try_from(ids[*place]).unwrap_or(i64::MAX)));
                let values: Vec<ValueRef<'_>> = values.collect();
                let (table, key) = (object.table, object.key);
                let keys = self.transfer.find_keys(tables, table, key, &values).await?;
                for (place, key) in left.iter().zip(&keys) {
                    found[*place] = key.map(|_| table);
                }
                left.retain(|place| found[*place].is_none());
            }
            Ok(found)
        };
        self.runtime.block_on(find).map_err(other)
    }

    fn find_by_key(&mut self, queries: &[KeyQuery<'_>]) -> io::Result<Vec<Option<u64>>> {
        let tables = &self.mapping.tables;
        let mut by_column: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (place, KeyQuery { table, column, .. }) in queries.iter().enumerate() {
            by_column.entry((*table, *column)).or_default().push(place);
        }
        let find = async {
            let mut found = vec![None; queries.len()];
            for ((table, column), mut places) in by_column {
                // Neighbours in an index are on the same pages.
                places.sort_by(|one, other| order(queries[*one].value, queries[*other].value));
                let values: Vec<ValueRef<'_>> =
                    places.iter().map(|place| queries[*place].value).collect();
                let keys = self.transfer.find_keys(tables, table, column, &values).await?;
                for (place, key) in places.iter().zip(keys) {
                    found[*place] = key.and_then(|key| u64::try_from(key).ok());
                }
            }
            Ok(found)
        };
        self.runtime.block_on(find).map_err(other)
    }
}
