//! Operations on tables, columns and functions that the rights of roles allow.

use catalog::{FieldAccess, WriteAccess};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio_postgres::{Error, Row};

const SELECT: i32 = 1;
const INSERT: i32 = 2;
const UPDATE: i32 = 4;
const DELETE: i32 = 8;

/// A row of `privileges.sql`.
pub(super) struct Privilege {
    of_function: bool,
    oid: u32,
    /// 0 for a relation as a whole, which is for each of its columns.
    column: i16,
    bits: i32,
}

/// Privileges of the user of the connection and of roles that it can become.
#[derive(Debug, Default)]
pub(super) struct Privileges {
    /// By relation.
    relations: FxHashMap<u32, OfRelation>,
    functions: FxHashSet<u32>,
}

#[derive(Debug, Default)]
struct OfRelation {
    /// Privileges on the whole relation.
    whole: i32,
    /// Privileges on the whole relation, or on some column.
    any: i32,
    columns: FxHashMap<i16, i32>,
}

impl Privilege {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            of_function: row.try_get("of_function")?,
            oid: row.try_get("oid")?,
            column: row.try_get("attnum")?,
            bits: row.try_get("bits")?,
        })
    }
}

impl FromIterator<Privilege> for Privileges {
    fn from_iter<T: IntoIterator<Item = Privilege>>(found: T) -> Self {
        let mut privileges = Self::default();
        for Privilege { of_function, oid, column, bits } in found {
            if of_function {
                if bits != 0 {
                    privileges.functions.insert(oid);
                }
                continue;
            }
            let relation = privileges.relations.entry(oid).or_default();
            relation.any |= bits;
            match column {
                0 => relation.whole |= bits,
                _ => *relation.columns.entry(column).or_default() |= bits,
            }
        }
        privileges
    }
}

impl Privileges {
    /// The possible changes of a relation's rows that are permitted, at least in some column.
    pub(super) fn entity(&self, relation: u32, possible: WriteAccess) -> WriteAccess {
        let bits = self.relations.get(&relation).map_or(0, |relation| relation.any);
        WriteAccess {
            insert: possible.insert && bits & INSERT != 0,
            update: possible.update && bits & UPDATE != 0,
            delete: possible.delete && bits & DELETE != 0,
        }
    }

    pub(super) fn field(&self, relation: u32, column: i16) -> FieldAccess {
        let bits = self.relations.get(&relation).map_or(0, |relation| {
            relation.whole | relation.columns.get(&column).copied().unwrap_or_default()
        });
        FieldAccess {
            read: bits & SELECT != 0,
            insert: bits & INSERT != 0,
            update: bits & UPDATE != 0,
        }
    }

    pub(super) fn may_call(&self, function: u32) -> bool {
        self.functions.contains(&function)
    }
}
