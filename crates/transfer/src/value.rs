//! Values of rows, and their form in files of rows.
//!
//! * `convert`: texts and JSON → values of columns
//! * `moment`: moments as texts
//! * `place`: places as GeoJSON
//! * `stored`: values of databases → values of columns
//! * `text`: values → texts of JSON, and of PostgreSQL's COPY

mod convert;
pub mod moment;
mod place;
mod stored;
pub mod text;

pub use convert::{Raw, Refused, convert};
pub use stored::{DatabaseValue, RowBuffer, StoredColumn, stored};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    /// Microseconds since 1970, in UTC.
    Moment(i64),
    Json(String),
    List(Vec<Value>),
}

/// A value of a row in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'v> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(&'v str),
    Moment(i64),
    Json(&'v str),
    List(Row<'v>),
}

/// Values in a buffer, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'v>(&'v [u8]);

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const TEXT: u8 = 5;
const MOMENT: u8 = 6;
const JSON: u8 = 7;
const LIST: u8 = 8;

impl Value {
    /// A number without the sign of zero, which SQLite does not store.
    #[must_use]
    pub fn float(number: f64) -> Self {
        Self::Float(number + 0.0)
    }

    /// Appends the value to a buffer, from which [`Row`] reads it.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.borrowed(&mut Vec::new()).write(out);
    }

    /// The value as one of a row. A list is written into a buffer.
    fn borrowed<'v>(&'v self, list: &'v mut Vec<u8>) -> ValueRef<'v> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Boolean(value) => ValueRef::Boolean(*value),
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Float(number) => ValueRef::Float(*number),
            Self::Moment(micros) => ValueRef::Moment(*micros),
            Self::Text(text) => ValueRef::Text(text),
            Self::Json(text) => ValueRef::Json(text),
            Self::List(items) => {
                for item in items {
                    item.write(list);
                }
                ValueRef::List(Row(list))
            }
        }
    }
}

impl ValueRef<'_> {
    /// Appends the value to a buffer, from which [`Row`] reads it.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.push(NULL),
            Self::Boolean(false) => out.push(FALSE),
            Self::Boolean(true) => out.push(TRUE),
            Self::Integer(number) => write_number(INTEGER, number.to_le_bytes(), out),
            Self::Float(number) => write_number(FLOAT, number.to_le_bytes(), out),
            Self::Moment(micros) => write_number(MOMENT, micros.to_le_bytes(), out),
            Self::Text(text) => write_text(TEXT, text.as_bytes(), out),
            Self::Json(text) => write_text(JSON, text.as_bytes(), out),
            Self::List(row) => write_text(LIST, row.0, out),
        }
    }
}

impl<'v> Row<'v> {
    #[must_use]
    pub fn new(bytes: &'v [u8]) -> Self {
        Self(bytes)
    }
}

impl<'v> Iterator for Row<'v> {
    type Item = ValueRef<'v>;

    /// The next value; `None` at the end, and where the bytes are no value.
    fn next(&mut self) -> Option<ValueRef<'v>> {
        let (tag, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(match *tag {
            NULL => ValueRef::Null,
            FALSE => ValueRef::Boolean(false),
            TRUE => ValueRef::Boolean(true),
            INTEGER => ValueRef::Integer(i64::from_le_bytes(*self.take()?)),
            FLOAT => ValueRef::Float(f64::from_le_bytes(*self.take()?)),
            MOMENT => ValueRef::Moment(i64::from_le_bytes(*self.take()?)),
            TEXT => ValueRef::Text(self.text()?),
            JSON => ValueRef::Json(self.text()?),
            LIST => ValueRef::List(Row(self.bytes()?)),
            _ => return None,
        })
    }
}

impl<'v> Row<'v> {
    fn take<const N: usize>(&mut self) -> Option<&'v [u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(taken)
    }

    fn bytes(&mut self) -> Option<&'v [u8]> {
        let length = usize::try_from(u32::from_le_bytes(*self.take()?)).ok()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<&'v str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

fn write_number(tag: u8, bytes: [u8; 8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&bytes);
}

/// Texts are shorter than a line of a file, whose length is limited.
fn write_text(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_row_is_read_back() {
        let values = [
            Value::Null,
            Value::Boolean(true),
            Value::Integer(-5),
            Value::Float(2.5),
            Value::Text("ä\0b".into()),
            Value::Moment(7),
            Value::Json("{}".into()),
            Value::List(vec![Value::Text("x".into()), Value::Null]),
        ];
        let mut bytes = Vec::new();
        for value in &values {
            value.write(&mut bytes);
        }
        let mut again = Vec::new();
        for value in Row::new(&bytes) {
            value.write(&mut again);
        }
        assert_eq!(Row::new(&bytes).count(), values.len());
        assert_eq!(bytes, again);
    }

    #[test]
    fn bytes_that_are_no_row_end_it() {
        for bytes in
            [&[9_u8][..], &[INTEGER, 1], &[TEXT, 200, 0, 0, 0, b'a'], &[TEXT, 1, 0, 0, 0, 0xff]]
        {
            assert_eq!(Row::new(bytes).next(), None);
        }
    }
}
