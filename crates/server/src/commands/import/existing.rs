//! Rows that the database has before an import.

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
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                let value = ValueRef::Integer(i64::try_from(*id).unwrap_or(i64::MAX));
                let mut table = None;
                for object in &self.mapping.objects {
                    let at = (object.table, object.key);
                    if self.transfer.find(tables, at.0, at.1, value).await?.is_some() {
                        table = Some(object.table);
                        break;
                    }
                }
                found.push(table);
            }
            Ok(found)
        };
        self.runtime.block_on(find).map_err(other)
    }

    fn find_by_key(&mut self, queries: &[KeyQuery<'_>]) -> io::Result<Vec<Option<u64>>> {
        let tables = &self.mapping.tables;
        let find = async {
            let mut found = Vec::with_capacity(queries.len());
            for KeyQuery { table, column, value } in queries {
                let id = self.transfer.find(tables, *table, *column, *value).await?;
                found.push(id.and_then(|id| u64::try_from(id).ok()));
            }
            Ok(found)
        };
        self.runtime.block_on(find).map_err(other)
    }
}
