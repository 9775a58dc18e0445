//! The tables whose changes can be recorded, and the texts of their values.

use catalog::{Catalog, EntityKind, Scalar, Storage, Type};
use rusqlite::types::ValueRef;
use source::changes::Cell;

/// Length of a text that is copied; a longer one counts as unknown.
const LONGEST: usize = 256;

/// A table whose changes can be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedTable {
    pub(crate) name: Box<str>,
    pub(crate) columns: Vec<RecordedColumn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedColumn {
    pub(crate) name: Box<str>,
    pub(crate) form: CellForm,
}

/// The values of a column that have one text each, by which conditions find their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellForm {
    /// 0 and 1.
    Boolean,
    Integer,
    Text,
    /// None: equal values may have different texts.
    None,
}

/// The stored tables of a catalog.
pub(crate) fn recorded_tables(catalog: &Catalog) -> Vec<RecordedTable> {
    let stored = catalog.entities().filter(|entity| entity.kind == EntityKind::Table);
    let tables = stored.map(|entity| {
        let columns = catalog.fields_of(entity.id).map(|field| {
            let form = CellForm::of(&field.r#type, field.storage);
            RecordedColumn { name: field.name.clone(), form }
        });
        RecordedTable { name: entity.name.clone(), columns: columns.collect() }
    });
    tables.collect()
}

impl CellForm {
    fn of(r#type: &Type, storage: Storage) -> Self {
        match (r#type, storage) {
            (Type::Scalar(Scalar::Boolean), _) => Self::Boolean,
            (Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64), _) => Self::Integer,
            (Type::Scalar(Scalar::Text) | Type::Enum(_), Storage::AsGiven | Storage::Text) => {
                Self::Text
            }
            _ => Self::None,
        }
    }

    /// The value of a new or deleted row.
    pub(crate) fn cell(self, value: ValueRef<'_>) -> Cell {
        match (self, value) {
            (_, ValueRef::Null) => Cell::Null,
            (Self::Boolean, ValueRef::Integer(0)) => Cell::Text("f".into()),
            (Self::Boolean, ValueRef::Integer(1)) => Cell::Text("t".into()),
            (Self::Integer, ValueRef::Integer(number)) => Cell::Text(number.to_string().into()),
            (Self::Text, ValueRef::Text(text)) if text.len() <= LONGEST => {
                Cell::Text(text.to_vec().into())
            }
            _ => Cell::Unknown,
        }
    }

    /// The values before and after an update: the same cells if nothing has changed.
    pub(crate) fn cells(self, before: ValueRef<'_>, after: ValueRef<'_>) -> (Cell, Cell) {
        let cells = (self.cell(before), self.cell(after));
        match cells.1 {
            Cell::Unknown if !is_same(before, after) => (cells.0, Cell::Changed),
            _ => cells,
        }
    }
}

fn is_same(before: ValueRef<'_>, after: ValueRef<'_>) -> bool {
    match (before, after) {
        (ValueRef::Real(before), ValueRef::Real(after)) => before.to_bits() == after.to_bits(),
        (before, after) => before == after,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn text(text: &str) -> Cell {
        Cell::Text(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn values_with_one_text_are_known() {
        let check = |form: CellForm, value: ValueRef<'_>, expected: Cell| {
            assert_eq!(form.cell(value), expected, "{form:?} {value:?}");
        };
        check(CellForm::Boolean, ValueRef::Integer(0), text("f"));
        check(CellForm::Boolean, ValueRef::Integer(1), text("t"));
        check(CellForm::Boolean, ValueRef::Integer(2), Cell::Unknown);
        check(CellForm::Boolean, ValueRef::Text(b"true"), Cell::Unknown);
        check(CellForm::Integer, ValueRef::Integer(-12), text("-12"));
        check(CellForm::Integer, ValueRef::Real(1.0), Cell::Unknown);
        check(CellForm::Text, ValueRef::Text(b"a"), text("a"));
        check(CellForm::Text, ValueRef::Text(&[b'a'; LONGEST + 1]), Cell::Unknown);
        check(CellForm::Text, ValueRef::Integer(1), Cell::Unknown);
        check(CellForm::Text, ValueRef::Null, Cell::Null);
        check(CellForm::None, ValueRef::Text(b"a"), Cell::Unknown);
        check(CellForm::None, ValueRef::Null, Cell::Null);
    }

    #[test]
    fn changed_values_differ() {
        let check = |form: CellForm, before: ValueRef<'_>, after: ValueRef<'_>, expected| {
            assert_eq!(form.cells(before, after), expected, "{form:?} {before:?} {after:?}");
        };
        let [one, two] = [1, 2].map(ValueRef::Integer);
        let long: [Vec<u8>; 2] = [b'a', b'b'].map(|letter| vec![letter; LONGEST + 1]);
        let [first, second] = [&long[0], &long[1]].map(|long| ValueRef::Text(long));
        let changed = (Cell::Unknown, Cell::Changed);
        let same = (Cell::Unknown, Cell::Unknown);
        check(CellForm::Integer, one, two, (text("1"), text("2")));
        check(CellForm::Integer, one, one, (text("1"), text("1")));
        check(CellForm::Integer, one, ValueRef::Real(1.5), (text("1"), Cell::Changed));
        check(CellForm::Integer, ValueRef::Real(1.5), one, (Cell::Unknown, text("1")));
        check(CellForm::Text, first, second, changed.clone());
        check(CellForm::Text, first, first, same.clone());
        check(CellForm::None, ValueRef::Real(0.0), ValueRef::Real(-0.0), changed);
        check(CellForm::None, ValueRef::Real(0.5), ValueRef::Real(0.5), same);
        check(CellForm::None, ValueRef::Null, ValueRef::Null, (Cell::Null, Cell::Null));
    }
}
