//! The rows of each member of a batch.

use ahash::{AHashMap, AHashSet};
use relational::{Level, Link, Parameter};
use response::MemoryReservation;
use source::SourceError;

use super::super::cursor::composite;
use super::super::wire::{Row, Rows};

/// The keys of so few rows are not counted.
const FEW_ROWS: usize = 128;

/// Bytes for a row beside the values of its key: its entry in the table, and its number.
const EACH_ROW: usize = 80;

/// The rows of a level by the keys of their parents.
struct RowsByKey<'r> {
    rows: &'r Rows,
    numbers: AHashMap<Box<[u8]>, Vec<usize>>,
    _held: MemoryReservation,
}

/// Splits the rows of all levels by members: first by level, then by member.
pub(super) fn split(
    rows: &[Rows],
    levels: &[Level],
    members: usize,
) -> Result<Vec<Vec<Rows>>, SourceError> {
    let mut parts: Vec<Vec<Rows>> = Vec::with_capacity(rows.len());
    for (rows, level) in rows.iter().zip(levels) {
        let above = level.parent.and_then(|parent| parts.get(usize::from(parent.0)));
        let own = match (&level.link, above) {
            _ if level.parameters.iter().any(Parameter::is_batched) => rows.parts(members)?,
            (Some(link), Some(above)) => {
                let rows = RowsByKey::new(rows, link)?;
                above.iter().map(|above| rows.below(above, link)).collect::<Result<_, _>>()?
            }
            // They are the same for all.
            _ => {
                let all = || rows.chosen(0..rows.len());
                (0..members).map(|_| all()).collect::<Result<_, _>>()?
            }
        };
        parts.push(own);
    }
    Ok(parts)
}

impl<'r> RowsByKey<'r> {
    fn new(rows: &'r Rows, link: &Link) -> Result<Self, SourceError> {
        let mut held = MemoryReservation::default();
        if rows.len() > FEW_ROWS {
            held = rows.another_held();
            let length = |row: Row<'_>| key_length(row, &link.columns) + EACH_ROW;
            held.grow_to(rows.iter().map(length).sum::<usize>() as u64)?;
        }
        let mut numbers: AHashMap<_, Vec<usize>> = AHashMap::default();
        for (row, number) in rows.iter().zip(0..) {
            if let Some(key) = key(row, &link.columns) {
                numbers.entry(key).or_default().push(number);
            }
        }
        Ok(Self { rows, numbers, _held: held })
    }

    /// The rows of some parents.
    fn below(&self, parents: &Rows, link: &Link) -> Result<Rows, SourceError> {
        let mut known = AHashSet::new();
        let mut numbers = Vec::new();
        for parent in parents.iter() {
            let Some(key) = key(parent, &link.parent_columns) else { continue };
            let Some(found) = self.numbers.get(&key) else { continue };
            if known.insert(key) {
                numbers.extend_from_slice(found);
            }
        }
        Ok(self.rows.chosen(numbers.into_iter())?)
    }
}

/// The key in some columns; `None` if a part of it is null.
fn key(row: Row<'_>, columns: &[u16]) -> Option<Box<[u8]>> {
    composite(columns.iter().map(|column| row.value(usize::from(*column))))
}

fn key_length(row: Row<'_>, columns: &[u16]) -> usize {
    let length = |column: &u16| row.value(usize::from(*column)).map_or(0, <[u8]>::len);
    columns.iter().map(|column| length(column) + size_of::<usize>()).sum()
}
