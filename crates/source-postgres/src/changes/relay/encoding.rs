//! Changes as bytes, without what followers need not know.

use std::sync::Arc;

use bytes::Bytes;
use source::changes::{Cell, ChangedRows, ChangedTable, RowChange, TableChange, TableName};

/// Bytes of the listed rows of a table, and of all tables: beyond them only the table is named.
const MOST_OF_TABLE: usize = 1 << 20;
const MOST: usize = 4 << 20;

/// The longest text that is relayed.
const LONGEST: usize = 128;

const NONE: u8 = 0;
const SOME: u8 = 1;

const NULL: u8 = 0;
const TEXT: u8 = 1;
const UNKNOWN: u8 = 2;
const CHANGED: u8 = 3;

pub(super) fn encode(changes: &[TableChange]) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, changes.len());
    for TableChange { table, rows } in changes {
        let ChangedTable { name, columns } = &**table;
        match &name.namespace {
            None => out.push(NONE),
            Some(namespace) => {
                out.push(SOME);
                put_bytes(&mut out, namespace.as_bytes());
            }
        }
        put_bytes(&mut out, name.name.as_bytes());
        put_number(&mut out, columns.len());
        columns.iter().for_each(|column| put_bytes(&mut out, column.as_bytes()));
        put_rows(&mut out, rows);
    }
    out
}

/// `None` if the bytes are no changes.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<TableChange>> {
    let mut reader = Reader(bytes);
    let tables = reader.number()?;
    let changes = (0..tables).map(|_| reader.table()).collect::<Option<_>>()?;
    reader.0.is_empty().then_some(changes)
}

/// Replaces long texts, so that the readers of a value are found all the same: where a value is
/// unknown, all readers of its field are.
fn shortened(row: &RowChange) -> RowChange {
    let is_long = |cell: &Cell| matches!(cell, Cell::Text(text) if text.len() > LONGEST);
    let unless_long = |cell: &Cell| match is_long(cell) {
        true => Cell::Unknown,
        false => cell.clone(),
    };
    match (&row.before, &row.after) {
        (Some(before), Some(after)) => {
            let cells = before.iter().zip(after).map(|(before, after)| {
                match (is_long(before) || is_long(after), before == after) {
                    (false, _) => (before.clone(), after.clone()),
                    // An unknown value after an update is the one before it.
                    (true, true) => (Cell::Unknown, Cell::Unknown),
                    (true, false) => (Cell::Unknown, changed(after)),
                }
            });
            let (before, after) = cells.unzip();
            RowChange { before: Some(before), after: Some(after) }
        }
        (before, after) => {
            let cells = |cells: &Option<Vec<Cell>>| {
                cells.as_ref().map(|cells| cells.iter().map(unless_long).collect())
            };
            RowChange { before: cells(before), after: cells(after) }
        }
    }
}

/// A value that an update has written, without its text.
fn changed(after: &Cell) -> Cell {
    match after {
        // Left out by the database, so it is not changed.
        Cell::Unknown => Cell::Unknown,
        Cell::Null | Cell::Text(_) | Cell::Changed => Cell::Changed,
    }
}

fn put_rows(out: &mut Vec<u8>, rows: &ChangedRows) {
    let start = out.len();
    if let ChangedRows::Rows(rows) = rows {
        out.push(SOME);
        put_number(out, rows.len());
        let is_listed = rows.iter().all(|row| {
            let RowChange { before, after } = shortened(row);
            put_cells(out, before.as_deref());
            put_cells(out, after.as_deref());
            out.len() - start <= MOST_OF_TABLE && out.len() <= MOST
        });
        if is_listed {
            return;
        }
    }
    out.truncate(start);
    out.push(NONE);
}

fn put_cells(out: &mut Vec<u8>, cells: Option<&[Cell]>) {
    let Some(cells) = cells else { return out.push(NONE) };
    out.push(SOME);
    put_number(out, cells.len());
    for cell in cells {
        match cell {
            Cell::Null => out.push(NULL),
            Cell::Unknown => out.push(UNKNOWN),
            Cell::Changed => out.push(CHANGED),
            Cell::Text(text) => {
                out.push(TEXT);
                put_bytes(out, text);
            }
        }
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Seven bits in a byte, the lowest first; the highest bit tells that others follow.
fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The bytes that are not decoded yet.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    fn text(&mut self) -> Option<Box<str>> {
        std::str::from_utf8(self.bytes()?).ok().map(Into::into)
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            NONE => Some(None),
            SOME => read(self).map(Some),
            _ => None,
        }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| read(self)).collect()
    }

    fn table(&mut self) -> Option<TableChange> {
        let namespace = self.option(Self::text)?;
        let name = TableName { namespace, name: self.text()? };
        let columns = self.list(Self::text)?;
        let table = Arc::new(ChangedTable { name, columns });
        let rows = match self.option(|reader| reader.list(Self::row))? {
            None => ChangedRows::Any,
            Some(rows) => ChangedRows::Rows(rows),
        };
        Some(TableChange { table, rows })
    }

    fn row(&mut self) -> Option<RowChange> {
        let mut cells = || self.option(|reader| reader.list(Self::cell));
        Some(RowChange { before: cells()?, after: cells()? })
    }

    fn cell(&mut self) -> Option<Cell> {
        match self.byte()? {
            NULL => Some(Cell::Null),
            TEXT => self.bytes().map(|text| Cell::Text(Bytes::copy_from_slice(text))),
            UNKNOWN => Some(Cell::Unknown),
            CHANGED => Some(Cell::Changed),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Cell {
        Cell::Text(Bytes::copy_from_slice(text.as_bytes()))
    }

    fn change(rows: ChangedRows) -> TableChange {
        let name = TableName { namespace: Some("public".into()), name: "naïve".into() };
        let columns = vec!["id".into(), "text".into()];
        TableChange { table: Arc::new(ChangedTable { name, columns }), rows }
    }

    fn row<const N: usize>(before: Option<[Cell; N]>, after: Option<[Cell; N]>) -> RowChange {
        RowChange { before: before.map(Vec::from), after: after.map(Vec::from) }
    }

    #[test]
    fn changes_are_decoded_as_they_were_encoded() {
        let rows = vec![
            row(None, Some([text("1"), Cell::Null])),
            row(Some([text("1"), Cell::Unknown]), Some([text("2"), text(&"x".repeat(LONGEST))])),
            row(Some([text("2"), Cell::Unknown]), Some([Cell::Unknown, Cell::Changed])),
            row(Some([text("2"), Cell::Unknown]), None),
        ];
        let name = TableName { namespace: None, name: "".into() };
        let nameless = ChangedTable { name, columns: Vec::new() };
        let changes = vec![
            change(ChangedRows::Rows(rows)),
            change(ChangedRows::Any),
            TableChange { table: Arc::new(nameless), rows: ChangedRows::Rows(Vec::new()) },
        ];
        let encoded = encode(&changes);
        assert_eq!(decode(&encoded), Some(changes));
        for length in 0..encoded.len() {
            assert_eq!(decode(&encoded[..length]), None, "{length}");
        }
        assert_eq!(decode(&[&encoded[..], &[0]].concat()), None);
    }

    #[test]
    fn long_texts_are_unknown() {
        let (long, other) = (text(&"x".repeat(LONGEST + 1)), text(&"y".repeat(LONGEST + 1)));
        let check = |before: Option<Cell>, after: Option<Cell>, expected: [Option<Cell>; 2]| {
            let [before, after] = [before, after].map(|cell| cell.map(|cell| [cell]));
            let [expected_before, expected_after] = expected.map(|cell| cell.map(|cell| [cell]));
            assert_eq!(shortened(&row(before, after)), row(expected_before, expected_after));
        };
        let unknown = || Some(Cell::Unknown);
        check(None, Some(long.clone()), [None, unknown()]);
        check(Some(long.clone()), None, [unknown(), None]);
        check(Some(long.clone()), Some(long.clone()), [unknown(), unknown()]);
        check(Some(long.clone()), Some(other), [unknown(), Some(Cell::Changed)]);
        check(Some(text("a")), Some(long.clone()), [unknown(), Some(Cell::Changed)]);
        check(Some(long.clone()), Some(text("a")), [unknown(), Some(Cell::Changed)]);
        check(Some(long.clone()), Some(Cell::Null), [unknown(), Some(Cell::Changed)]);
        // A large value that was not changed.
        check(Some(long.clone()), Some(Cell::Unknown), [unknown(), unknown()]);
        check(Some(Cell::Unknown), Some(long.clone()), [unknown(), Some(Cell::Changed)]);
        check(Some(long), Some(Cell::Changed), [unknown(), Some(Cell::Changed)]);
    }

    #[test]
    fn too_many_rows_are_a_table() {
        let wide = || row(None, Some([text(&"x".repeat(100)), Cell::Null]));
        let rows = |count: usize| ChangedRows::Rows((0..count).map(|_| wide()).collect());
        let few = vec![change(rows(5_000))];
        assert_eq!(decode(&encode(&few)), Some(few));
        assert_eq!(decode(&encode(&[change(rows(20_000))])), Some(vec![change(ChangedRows::Any)]));
    }
}
