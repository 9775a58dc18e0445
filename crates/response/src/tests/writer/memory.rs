//! A source of rows in memory.

use std::cell::Cell as Counted;

use response::{Bounds, Cursor, LevelId, Value};

/// A stored value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Text(&'static str),
    Packed(&'static [u8]),
}

/// The rows of a level, each with the first column of the row it belongs to.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) rows: Vec<(i64, Vec<Cell>)>,
    pub(super) bounds: Bounds,
    pub(super) has_more: bool,
    /// The index of the unreadable row in its page.
    pub(super) broken_at: Option<usize>,
    /// The number of rows read of it.
    pub(super) read: Counted<usize>,
}

/// The unreadable level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Broken(pub(super) u16);

/// The rows of one level that belong to one row.
pub(super) struct Memory<'a> {
    levels: &'a [Level],
    level: Option<LevelId>,
    rows: Vec<&'a [Cell]>,
    /// The number of rows read.
    read: usize,
    parent: Option<u64>,
}

impl<'a> Memory<'a> {
    pub(super) fn top(levels: &'a [Level]) -> Self {
        Self { levels, level: None, rows: Vec::new(), read: 0, parent: None }
    }

    fn own_level(&self) -> Option<&'a Level> {
        self.level.and_then(|level| self.levels.get(usize::from(level.0)))
    }

    fn row(&self) -> &'a [Cell] {
        self.read.checked_sub(1).and_then(|row| self.rows.get(row)).copied().unwrap_or_default()
    }
}

impl Cursor for Memory<'_> {
    type Error = Broken;
    type Child<'b>
        = Memory<'b>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, Broken> {
        if let (Some(id), Some(level)) = (self.level, self.own_level())
            && level.broken_at == Some(self.read)
        {
            return Err(Broken(id.0));
        }
        self.read += 1;
        let is_there = self.read <= self.rows.len();
        if let (Some(level), true) = (self.own_level(), is_there) {
            level.read.update(|read| read + 1);
        }
        Ok(is_there)
    }

    fn value(&self, column: u16) -> Value<'_> {
        match self.row()[usize::from(column)] {
            Cell::Null => Value::Null,
            Cell::Integer(integer) => Value::Integer(integer),
            Cell::Text(text) => Value::Text(text.as_bytes()),
            Cell::Packed(bytes) => Value::Packed(bytes),
        }
    }

    fn open(&mut self, level: LevelId) -> Result<Memory<'_>, Broken> {
        let parent = match self.row().first() {
            Some(Cell::Integer(key)) => *key,
            _ => 0,
        };
        let opened = self.levels.get(usize::from(level.0)).ok_or(Broken(level.0))?;
        let rows = opened.rows.iter().filter(|(key, _)| *key == parent);
        let rows = rows.map(|(_, cells)| cells.as_slice()).collect();
        let parent = Some(parent.cast_unsigned());
        Ok(Memory { levels: self.levels, level: Some(level), rows, read: 0, parent })
    }

    fn row_number(&self) -> u64 {
        self.bounds().offset + self.read as u64
    }

    fn bounds(&self) -> Bounds {
        self.own_level().map(|level| level.bounds).unwrap_or_default()
    }

    fn has_more(&self) -> bool {
        self.own_level().is_some_and(|level| level.has_more)
    }

    fn parent(&self) -> Option<u64> {
        self.parent
    }
}
