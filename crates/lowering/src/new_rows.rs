//! New rows in the form of an insert.

use std::collections::BTreeSet;

use catalog::FieldId;
use ir::{Insert, InsertedRows, Operand};

/// New rows, each with its own values.
pub(super) fn rows_to_insert(rows: Vec<Vec<(FieldId, Operand)>>) -> Insert {
    // The order of fields in a request is irrelevant.
    let fields: BTreeSet<FieldId> = rows.iter().flatten().map(|(field, _)| *field).collect();
    let fields: Vec<FieldId> = fields.into_iter().collect();
    let cells = |mut row: Vec<(FieldId, Operand)>| {
        let mut cell = |field: &FieldId| {
            let place = row.iter().position(|(own, _)| own == field)?;
            Some(row.swap_remove(place).1)
        };
        fields.iter().map(&mut cell).collect()
    };
    let rows = rows.into_iter().map(cells).collect();
    Insert { fields, rows: InsertedRows::Each(rows) }
}
