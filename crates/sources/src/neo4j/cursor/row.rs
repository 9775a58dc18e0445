//! A row: a list of columns, found when they are asked for.

use std::cell::Cell;

use response::Value;
use response::packed::{Packed, begin, skip};

/// Of how many columns it is kept where they begin.
const KEPT: usize = 16;

/// The columns of a row.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// Begins with the first column. What follows the last one follows.
    bytes: &'a [u8],
    width: u32,
    /// How many of the places are known. The first column's always is.
    known: Cell<u32>,
    /// Where the columns begin, and after the last one where the row ends.
    places: [Cell<u32>; KEPT],
}

impl<'a> Row<'a> {
    /// The row that the bytes begin with; none if they begin with anything but a list.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let Ok(Packed::List(columns)) = begin(bytes) else { return None };
        Some(Self {
            bytes: columns.bytes(),
            width: columns.len(),
            known: Cell::new(1),
            places: [const { Cell::new(0) }; KEPT],
        })
    }

    /// A column, null if there is none.
    #[inline]
    pub(super) fn value(&self, column: u16) -> Value<'a> {
        let Some(bytes) = self.column(column) else { return Value::Null };
        begin(bytes).map_or(Value::Null, |packed| Value::of_packed(packed, bytes))
    }

    /// The bytes that begin with a column.
    #[inline]
    pub(super) fn column(&self, column: u16) -> Option<&'a [u8]> {
        let column = u32::from(column);
        (column < self.width).then(|| self.from(column)).flatten()
    }

    /// The bytes that follow the row.
    pub(super) fn end(&self) -> Option<&'a [u8]> {
        self.from(self.width)
    }

    /// The bytes from a column on, or from the end if it is the width.
    #[inline]
    fn from(&self, column: u32) -> Option<&'a [u8]> {
        let known = self.known.get();
        if column < known {
            let place = self.places.get(column as usize)?.get();
            return self.bytes.get(place as usize..);
        }
        self.find(column, known - 1)
    }

    /// Passes over columns from one whose place is known.
    fn find(&self, column: u32, from: u32) -> Option<&'a [u8]> {
        let mut bytes = self.bytes.get(self.places.get(from as usize)?.get() as usize..)?;
        for passed in from..column {
            bytes = skip(bytes).ok()?;
            let next = passed + 1;
            if let Some(place) = self.places.get(next as usize) {
                place.set(u32::try_from(self.bytes.len() - bytes.len()).ok()?);
                self.known.set(next + 1);
            }
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order() {
        let bytes = b"\x94\x01\x92\x81a\x02\xc0\x81brest";
        let columns =
            [Value::Integer(1), Value::Packed(&bytes[2..]), Value::Null, Value::Text(b"b")];
        for order in [[0_u16, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let row = Row::new(bytes).unwrap();
            for column in order {
                assert_eq!(row.value(column), columns[usize::from(column)], "{column}");
            }
            assert_eq!((row.value(4), row.column(4)), (Value::Null, None));
            assert_eq!(row.end(), Some(&b"rest"[..]));
        }
        assert_eq!(Row::new(bytes).unwrap().end(), Some(&b"rest"[..]));
    }

    #[test]
    fn there_may_be_more_columns_than_are_kept() {
        let mut bytes = vec![0xd4, 100];
        bytes.extend(0..100);
        bytes.extend(b"rest");
        for column in [99_u16, 15, 16, 17, 0, 50] {
            let row = Row::new(&bytes).unwrap();
            assert_eq!(row.value(column), Value::Integer(column.into()));
            assert_eq!(row.value(40), Value::Integer(40));
            assert_eq!(row.end(), Some(&b"rest"[..]));
            assert_eq!(row.value(column), Value::Integer(column.into()));
        }
        for width in [15_u8, 16, 17] {
            let mut bytes = vec![0xd4, width];
            bytes.extend(0..width);
            assert_eq!(Row::new(&bytes).unwrap().end(), Some(&b""[..]));
        }
    }

    #[test]
    fn what_is_no_list_is_no_row_and_what_is_cut_off_ends() {
        assert!(Row::new(b"").is_none());
        assert!(Row::new(b"\xa0").is_none());
        let row = Row::new(b"\x93\x01\x82a").unwrap();
        assert_eq!((row.value(0), row.value(1)), (Value::Integer(1), Value::Null));
        assert_eq!((row.value(2), row.end()), (Value::Null, None));
        assert_eq!(Row::new(b"\x90").unwrap().end(), Some(&b""[..]));
    }
}
