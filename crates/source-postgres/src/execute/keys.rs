//! Arrays of keys of earlier rows, as parameters of statements.

use std::ops::Deref;

use ahash::AHashSet;
use relational::{KeyResults, Level, ParameterSource};
use response::{BudgetExceeded, LevelId, MemoryReservation};

use super::super::bind::Bound;
use super::super::cursor::{composite, is_repeated};
use super::super::wire::{Row, Rows};
use source::SourceError;
use source::session::write_quoted;

/// Arrays of keys, with their memory reservation. The connection reserves that of the messages.
#[derive(Debug, Default)]
pub(in super::super) struct KeyArrays {
    arrays: Vec<Vec<u8>>,
    _held: MemoryReservation,
}

impl Deref for KeyArrays {
    type Target = [Vec<u8>];

    fn deref(&self) -> &[Vec<u8>] {
        &self.arrays
    }
}

/// The keys of so few rows are not counted.
const FEW_ROWS: usize = 128;

/// Most bytes for a row beside its values: its entry in the growing set of keys, and the delimiters
/// of a value in an array.
const EACH_ROW: usize = 80;

/// Most copies of the values: as seen keys, with their lengths, and in a growing array.
const COPIES: usize = 3;

/// Reserves the memory for arrays of some columns of these rows, before they are made.
fn reserve(rows: &Rows, columns: &[u16]) -> Result<MemoryReservation, BudgetExceeded> {
    if rows.len() <= FEW_ROWS {
        return Ok(MemoryReservation::default());
    }
    let mut held = rows.another_held();
    let value = |row: Row<'_>, column: &u16| row.value(usize::from(*column)).map_or(0, <[u8]>::len);
    let of_row = |row: Row<'_>| columns.iter().map(|column| value(row, column)).sum::<usize>();
    let values: usize = rows.iter().map(of_row).sum();
    let all = values * COPIES + rows.len() * columns.len() * EACH_ROW;
    held.grow_to(all as u64)?;
    Ok(held)
}

/// The key arrays of a level's statement, in the order of its parameters; `None` where there are no
/// earlier rows, and so nothing to read.
pub(in super::super) fn key_arrays(
    levels: &[Level],
    level: &Level,
    bound: &Bound,
    rows: &[Rows],
) -> Result<Option<KeyArrays>, BudgetExceeded> {
    let mut held = MemoryReservation::default();
    let arrays = arrays(levels, (level, bound), rows, &mut held)?;
    Ok(arrays.map(|arrays| KeyArrays { arrays, _held: held }))
}

fn arrays(
    levels: &[Level],
    (level, bound): (&Level, &Bound),
    rows: &[Rows],
    held: &mut MemoryReservation,
) -> Result<Option<Vec<Vec<u8>>>, BudgetExceeded> {
    let mut creators = bound.creators(usize::from(level.id.0));
    let Some(keys) = distinct_keys(levels, level, rows, held)? else { return Ok(None) };
    let mut keys = keys.into_iter();
    let mut arrays = Vec::new();
    for parameter in &level.parameters {
        match &parameter.source {
            ParameterSource::Keys { .. } => arrays.extend(keys.next()),
            // Other lists of the same statement may have values.
            ParameterSource::Results { level, column } => {
                let Some(rows) = rows.get(usize::from(level.0)) else { return Ok(None) };
                held.join(reserve(rows, &[*column])?);
                arrays.push(all_values(rows, *column).unwrap_or_else(|| b"{}".to_vec()));
            }
            ParameterSource::Rows { level, column } => {
                let Some(rows) = rows.get(usize::from(level.0)) else { return Ok(None) };
                held.join(reserve(rows, &[*column])?);
                let Some(values) = all_values(rows, *column) else { return Ok(None) };
                arrays.push(values);
            }
            ParameterSource::WholeRows { level, columns } => {
                let Some(rows) = rows.get(usize::from(level.0)) else { return Ok(None) };
                held.join(reserve(rows, columns)?);
                let Some(values) = whole_rows(rows, columns) else { return Ok(None) };
                arrays.push(values);
            }
            ParameterSource::Result { level, row, column } => {
                let Some(value) = result(rows, *level, *row, *column) else { return Ok(None) };
                arrays.push(value.to_vec());
            }
            ParameterSource::Objects(list) => {
                let keys = creators.next().map(|creators| list.keys(creators, &Results(rows)));
                // `object_error` has found an error before.
                let Some(Ok(keys)) = keys else { return Ok(None) };
                arrays.push(key_list(&keys));
            }
            // `relational` makes them for databases without arrays only.
            ParameterSource::Columns(_) => return Ok(None),
            ParameterSource::Operand(_) | ParameterSource::Parent { .. } => {}
        }
    }
    Ok(Some(arrays))
}

/// The value of a row that an earlier level returned.
pub(in super::super) fn result(
    rows: &[Rows],
    level: LevelId,
    row: u32,
    column: u16,
) -> Option<&[u8]> {
    rows.get(usize::from(level.0))?.value(row as usize, usize::from(column))
}

/// Whether all values of earlier rows that a level needs exist.
pub(in super::super) fn has_results(level: &Level, rows: &[Rows]) -> bool {
    level.parameters.iter().all(|parameter| match &parameter.source {
        ParameterSource::Result { level, row, column } => {
            result(rows, *level, *row, *column).is_some()
        }
        ParameterSource::Keys { .. }
        | ParameterSource::Rows { .. }
        | ParameterSource::WholeRows { .. }
        | ParameterSource::Results { .. }
        | ParameterSource::Objects(_)
        | ParameterSource::Columns(_)
        | ParameterSource::Operand(_)
        | ParameterSource::Parent { .. } => true,
    })
}

/// The error of an object that a level's statement needs, or that must not exist.
pub(in super::super) fn object_error(
    level: &Level,
    bound: &Bound,
    rows: &[Rows],
) -> Option<SourceError> {
    let lists = level.parameters.iter().filter_map(|parameter| match &parameter.source {
        ParameterSource::Objects(list) => Some(list),
        _ => None,
    });
    let mut lists = lists.zip(bound.creators(usize::from(level.id.0)));
    lists.find_map(|(list, creators)| list.keys(creators, &Results(rows)).err())
}

/// Rows of earlier levels, by which keys of objects are resolved.
struct Results<'r>(&'r [Rows]);

impl KeyResults for Results<'_> {
    fn rows(&self, level: LevelId) -> usize {
        self.0.get(usize::from(level.0)).map_or(0, Rows::len)
    }

    fn integer(&self, level: LevelId, row: usize, column: u16) -> Option<i64> {
        let value = self.0.get(usize::from(level.0))?.value(row, usize::from(column))?;
        std::str::from_utf8(value).ok()?.parse().ok()
    }
}

/// Keys as an array.
fn key_list(keys: &[Option<i64>]) -> Vec<u8> {
    let mut array = vec![b'{'];
    for (place, key) in keys.iter().enumerate() {
        if place > 0 {
            array.push(b',');
        }
        match key {
            Some(key) => array.extend_from_slice(itoa::Buffer::new().format(*key).as_bytes()),
            None => array.extend_from_slice(b"NULL"),
        }
    }
    array.push(b'}');
    array
}

/// All values of a column as an array, in their order; `None` without a row.
fn all_values(rows: &Rows, column: u16) -> Option<Vec<u8>> {
    if rows.is_empty() {
        return None;
    }
    let mut array = vec![b'{'];
    for row in rows.iter() {
        if array.len() > 1 {
            array.push(b',');
        }
        match row.value(usize::from(column)) {
            Some(value) => write_quoted(value, &mut array),
            None => array.extend_from_slice(b"NULL"),
        }
    }
    array.push(b'}');
    Some(array)
}

/// All rows as an array of composites, in their order; `None` without a row. The values of a
/// composite stand between commas, and nothing is null.
fn whole_rows(rows: &Rows, columns: &[u16]) -> Option<Vec<u8>> {
    if rows.is_empty() {
        return None;
    }
    let mut array = vec![b'{'];
    let mut text = Vec::new();
    for row in rows.iter() {
        if array.len() > 1 {
            array.push(b',');
        }
        text.clear();
        text.push(b'(');
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            if let Some(value) = row.value(usize::from(*column)) {
                write_quoted(value, &mut text);
            }
        }
        text.push(b')');
        write_quoted(&text, &mut array);
    }
    array.push(b'}');
    Some(array)
}

/// The keys that were seen.
enum Seen<'r> {
    /// Keys of one column, as they came.
    Single(AHashSet<&'r [u8]>),
    Composite(AHashSet<Box<[u8]>>),
}

impl<'r> Seen<'r> {
    fn new(columns: &[u16]) -> Self {
        match columns.len() {
            1 => Self::Single(AHashSet::default()),
            _ => Self::Composite(AHashSet::default()),
        }
    }

    /// Whether a row has a key that no row before it has (deduplication).
    fn is_new(&mut self, row: Row<'r>, columns: &[u16]) -> bool {
        let mut values = columns.iter().map(|column| row.value(usize::from(*column)));
        match self {
            Self::Single(seen) => values.next().flatten().is_some_and(|key| seen.insert(key)),
            Self::Composite(seen) => composite(values).is_some_and(|key| seen.insert(key)),
        }
    }
}

/// The arrays of the distinct keys of a level's statement, in the order of its parameters; `None`
/// where there are no parents.
fn distinct_keys(
    levels: &[Level],
    level: &Level,
    rows: &[Rows],
    held: &mut MemoryReservation,
) -> Result<Option<Vec<Vec<u8>>>, BudgetExceeded> {
    let mut source = None;
    let mut columns: Vec<u16> = Vec::new();
    for parameter in &level.parameters {
        if let ParameterSource::Keys { level, column } = &parameter.source {
            source = Some(*level);
            columns.push(*column);
        }
    }
    let Some(source) = source else { return Ok(Some(Vec::new())) };
    let source = levels.get(usize::from(source.0)).map(Level::read_by);
    let Some(parents) = source.and_then(|source| rows.get(usize::from(source.0))) else {
        return Ok(None);
    };
    *held = reserve(parents, &columns)?;
    let mut seen = Seen::new(&columns);
    let mut arrays = vec![Vec::from(*b"{"); columns.len()];
    for (row, number) in parents.iter().zip(0..) {
        // Repeated keys mostly follow each other.
        if is_repeated(parents, number, &columns) || !seen.is_new(row, &columns) {
            continue;
        }
        let values = || columns.iter().map(|column| row.value(usize::from(*column)));
        for (array, value) in arrays.iter_mut().zip(values()) {
            if array.len() > 1 {
                array.push(b',');
            }
            write_quoted(value.unwrap_or_default(), array);
        }
    }
    if arrays.first().is_none_or(|array| array.len() == 1) {
        return Ok(None);
    }
    for array in &mut arrays {
        array.push(b'}');
    }
    Ok(Some(arrays))
}
