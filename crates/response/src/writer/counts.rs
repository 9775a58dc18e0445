//! Counts of lists and their page information.

use super::{Failure, Halt, Writer};
use crate::cursor::{ColumnRef, Cursor, LevelId, Value};
use crate::ids::OutputId;
use crate::leaf::Leaf;
use crate::output::Output;
use crate::shape::RowsId;

impl<E, O: Output> Writer<'_, E, O> {
    pub(super) fn write_count<C: Cursor<Error = E>>(
        &mut self,
        place: ColumnRef,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        self.with_count(place, cursor, Self::write_counted)
    }

    /// Writes one of two texts by whether a count is zero.
    pub(super) fn write_if_any<C: Cursor<Error = E>>(
        &mut self,
        place: ColumnRef,
        (some, none): (&[u8], &[u8]),
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        self.with_count(place, cursor, |writer, value| {
            let is_none = matches!(value, Value::Integer(0) | Value::Text(b"0"));
            writer.write_text(if is_none { none } else { some });
            Ok(true)
        })
    }

    fn with_count<C: Cursor<Error = E>>(
        &mut self,
        place: ColumnRef,
        cursor: &mut C,
        write: impl FnOnce(&mut Self, Value<'_>) -> Result<bool, Halt>,
    ) -> Result<bool, Halt> {
        match place {
            ColumnRef::Level(level) => {
                let mut child =
                    cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
                match child.next() {
                    Ok(true) => write(self, child.value(0)),
                    Ok(false) => write(self, Value::Integer(0)),
                    Err(error) => Err(self.fail(Failure::Source(error))),
                }
            }
            ColumnRef::Column(column) => write(self, cursor.value(column)),
            ColumnRef::Unused => Ok(false),
        }
    }

    pub(super) fn write_counted(&mut self, value: Value<'_>) -> Result<bool, Halt> {
        let out = self.output.text();
        let start = out.len();
        let written = Leaf::Int.write(value, out);
        self.output.end_text(start);
        match written {
            Ok(()) => Ok(value != Value::Null),
            Err(error) => Err(self.fail(Failure::Leaf(error))),
        }
    }

    pub(super) fn write_length<C: Cursor<Error = E>>(
        &mut self,
        rows: RowsId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let Some(level) = self.layout.level(rows) else { return Ok(false) };
        let length = self.length(level, cursor)?;
        self.write_text(length.to_string().as_bytes());
        Ok(true)
    }

    /// The number of rows that a change touched.
    pub(super) fn write_affected<C: Cursor<Error = E>>(
        &mut self,
        output: OutputId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let layout = self.layout;
        let Some((_, levels)) = layout.affected.iter().find(|(own, _)| *own == output) else {
            return Ok(false);
        };
        let mut affected: u64 = 0;
        for level in levels {
            affected += self.length(*level, cursor)?;
        }
        self.write_text(affected.to_string().as_bytes());
        Ok(true)
    }

    fn length<C: Cursor<Error = E>>(
        &mut self,
        level: LevelId,
        cursor: &mut C,
    ) -> Result<u64, Halt> {
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        let mut length: u64 = 0;
        loop {
            match child.next() {
                Ok(true) => length += 1,
                Ok(false) => return Ok(length),
                Err(error) => return Err(self.fail(Failure::Source(error))),
            }
        }
    }

    pub(super) fn write_has_more<C: Cursor<Error = E>>(
        &mut self,
        rows: RowsId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let Some(level) = self.layout.level(rows) else { return Ok(false) };
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        loop {
            match child.next() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Err(self.fail(Failure::Source(error))),
            }
        }
        self.write_boolean(child.has_more())
    }

    pub(super) fn write_has_outside<C: Cursor<Error = E>>(
        &mut self,
        rows: RowsId,
        beyond_cursor: bool,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let Some(level) = self.layout.level(rows) else { return Ok(false) };
        let bounds = match cursor.open(level) {
            Ok(child) => child.bounds(),
            Err(error) => return Err(self.fail(Failure::Source(error))),
        };
        // An empty page has nothing outside it.
        self.write_boolean((beyond_cursor || bounds.offset > 0) && bounds.limit != Some(0))
    }

    pub(super) fn write_boolean(&mut self, value: bool) -> Result<bool, Halt> {
        self.write_text(if value { b"true" } else { b"false" });
        Ok(true)
    }
}
