//! Cursors: the interface by which the writer reads rows of a source.

use std::marker::PhantomData;

use crate::ids::{OutputId, RowsId};
use crate::packed::Packed;

/// The rows of one level that belong to one row of the level above, one at a time.
///
/// The top cursor has no row of its own: only [`Cursor::open`] is valid there.
pub trait Cursor {
    type Error;
    type Child<'a>: Cursor<Error = Self::Error>
    where
        Self: 'a;

    /// Moves to the next row; `false` after the last one of the page.
    fn next(&mut self) -> Result<bool, Self::Error>;

    /// A column of the current row.
    fn value(&self, column: u16) -> Value<'_>;

    /// True if a column of the current row is null.
    fn is_null(&self, column: u16) -> bool {
        matches!(self.value(column), Value::Null)
    }

    /// The rows of `level` that belong to the current row. May be called again for the same level:
    /// it returns the same rows.
    fn open(&mut self, level: LevelId) -> Result<Self::Child<'_>, Self::Error>;

    /// The number of the current row, counted from the first row of all pages as 1.
    fn row_number(&self) -> u64;

    /// The page of the rows that this cursor reads.
    fn bounds(&self) -> Bounds;

    /// True if there are rows beyond the page; known once [`Cursor::next`] returned `false`.
    fn has_more(&self) -> bool;

    /// A number for the parent of these rows, for deduplication: where two cursors of a level have
    /// the same, their rows are the same.
    fn parent(&self) -> Option<u64> {
        None
    }
}

/// An absent row: every value is null, and no rows belong to it.
#[derive(Debug)]
pub(crate) struct NoRow<E>(PhantomData<E>);

impl<E> Default for NoRow<E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E> Cursor for NoRow<E> {
    type Error = E;
    type Child<'a>
        = Self
    where
        Self: 'a;

    fn next(&mut self) -> Result<bool, E> {
        Ok(false)
    }

    fn value(&self, _: u16) -> Value<'_> {
        Value::Null
    }

    fn open(&mut self, _: LevelId) -> Result<Self, E> {
        Ok(Self::default())
    }

    fn row_number(&self) -> u64 {
        0
    }

    fn bounds(&self) -> Bounds {
        Bounds::default()
    }

    fn has_more(&self) -> bool {
        false
    }
}

/// The page of a cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub limit: Option<u64>,
    pub offset: u64,
}

/// A value in the representation of the source's driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    /// UTF-8 is validated when it is written: a file may hold any bytes.
    Text(&'a [u8]),
    Blob(&'a [u8]),
    /// A boolean, a list, a map or a structure in PackStream's form. More bytes may follow it.
    Packed(&'a [u8]),
}

impl<'a> Value<'a> {
    /// A value in PackStream's form that begins the bytes.
    #[must_use]
    #[inline]
    pub fn of_packed(packed: Packed<'a>, bytes: &'a [u8]) -> Self {
        match packed {
            Packed::Null => Value::Null,
            Packed::Integer(integer) => Value::Integer(integer),
            Packed::Float(float) => Value::Real(float),
            Packed::Bytes(bytes) => Value::Blob(bytes),
            Packed::Text(text) => Value::Text(text),
            Packed::Boolean(_) | Packed::List(_) | Packed::Map(_) | Packed::Structure { .. } => {
                Value::Packed(bytes)
            }
        }
    }
}

/// A statement's rows within a program: the root fields' levels first, each followed by the
/// levels below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LevelId(pub u16);

/// Locations of a request's outputs and rows in the program that reads them.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// By [`OutputId`].
    pub outputs: Vec<ColumnRef>,
    /// By [`RowsId`]; `None` where no statement is needed.
    pub rows: Vec<Option<LevelId>>,
    /// The levels whose rows a change touched, for the outputs that are their number.
    pub affected: Vec<(OutputId, Box<[LevelId]>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRef {
    /// A column of the level whose row is current.
    Column(u16),
    /// The only column of the only row of a level of its own: a count. No row means zero.
    Level(LevelId),
    /// Not read.
    Unused,
}

impl Layout {
    /// The location of an output.
    #[must_use]
    #[inline]
    pub fn place(&self, output: OutputId) -> ColumnRef {
        self.outputs.get(output.0 as usize).copied().unwrap_or(ColumnRef::Unused)
    }

    /// The level of a set of rows.
    #[must_use]
    #[inline]
    pub fn level(&self, rows: RowsId) -> Option<LevelId> {
        self.rows.get(rows.0 as usize).copied().flatten()
    }
}
