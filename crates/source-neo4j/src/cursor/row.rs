//! A row: a list of columns, found on demand.

use std::cell::{Cell, OnceCell};

use response::Value;
use response::packed::{Malformed, Packed, begin, skip};

/// Number of columns whose positions are kept within the row.
const KEPT: u32 = 16;

/// The columns of a row.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// Begins with the first column, and may end after the last one.
    bytes: &'a [u8],
    width: u32,
    /// Number of known positions. The first column's always is.
    known: Cell<u32>,
    /// Positions of the columns, and after the last one the end of the row.
    places: [Cell<u32>; KEPT as usize],
    /// Positions of the columns behind them, in a wide row. Such rows are rare, and are mostly read
    /// as a whole: the rest is scanned once, and not from the last kept position each time.
    far: OnceCell<Box<[u32]>>,
    /// Number of columns that were skipped.
    #[cfg(test)]
    passed: Cell<u32>,
}

impl<'a> Row<'a> {
    /// The row that the bytes begin with; none if they begin with anything but a list.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let Ok(Packed::List(columns)) = begin(bytes) else { return None };
        Some(Self {
            bytes: columns.bytes(),
            width: columns.len(),
            known: Cell::new(1),
            places: [const { Cell::new(0) }; KEPT as usize],
            far: OnceCell::new(),
            #[cfg(test)]
            passed: Cell::new(0),
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
        match column < KEPT || self.width <= KEPT {
            true => self.find(column, known - 1),
            false => self.find_far(column),
        }
    }

    /// Skips columns from one whose position is known.
    fn find(&self, column: u32, from: u32) -> Option<&'a [u8]> {
        let mut bytes = self.bytes.get(self.places.get(from as usize)?.get() as usize..)?;
        for passed in from..column {
            bytes = self.pass(bytes).ok()?;
            let next = passed + 1;
            if let Some(place) = self.places.get(next as usize) {
                place.set(self.place(bytes)?);
                self.known.set(next + 1);
            }
        }
        Some(bytes)
    }

    /// The bytes from a column on whose position is not kept within the row.
    #[cold]
    fn find_far(&self, column: u32) -> Option<&'a [u8]> {
        let far = self.far.get_or_init(|| self.pass_far());
        let place = *far.get((column - KEPT) as usize)?;
        self.bytes.get(place as usize..)
    }

    /// Positions of the columns behind the kept ones, and the end of the row; fewer in a truncated
    /// one.
    fn pass_far(&self) -> Box<[u32]> {
        // The row's own width is not trusted before its columns are there.
        let mut places = Vec::new();
        let Some(mut bytes) = self.from(KEPT - 1) else { return Box::default() };
        for _ in KEPT..=self.width {
            let Ok(rest) = self.pass(bytes) else { break };
            let Some(place) = self.place(rest) else { break };
            places.push(place);
            bytes = rest;
        }
        places.into()
    }

    /// The bytes after a column.
    fn pass(&self, bytes: &'a [u8]) -> Result<&'a [u8], Malformed> {
        #[cfg(test)]
        self.passed.set(self.passed.get() + 1);
        skip(bytes)
    }

    fn place(&self, bytes: &[u8]) -> Option<u32> {
        u32::try_from(self.bytes.len() - bytes.len()).ok()
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
    fn no_column_is_passed_over_twice() {
        let check = |width: u8, columns: &mut dyn Iterator<Item = u16>| {
            let mut bytes = vec![0xd4, width];
            bytes.extend((0..width).map(|_| 7));
            let row = Row::new(&bytes).unwrap();
            for column in columns {
                assert_eq!(row.value(column), Value::Integer(7), "{column} of {width}");
            }
            assert_eq!(row.end(), Some(&b""[..]));
            assert_eq!(row.passed.get(), u32::from(width), "of {width}");
        };
        for width in [1, 15, 16, 17, 18, 100, 255] {
            check(width, &mut (0..u16::from(width)));
            check(width, &mut (0..u16::from(width)).rev());
            check(width, &mut std::iter::empty());
        }
    }

    #[test]
    fn a_row_that_says_it_is_wider_than_it_is_ends() {
        let mut bytes = vec![0xd6, 0xff, 0xff, 0xff, 0xff];
        bytes.extend([7; 20]);
        let row = Row::new(&bytes).unwrap();
        assert_eq!((row.value(19), row.value(20)), (Value::Integer(7), Value::Null));
        assert_eq!((row.end(), row.passed.get()), (None, 21));
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
