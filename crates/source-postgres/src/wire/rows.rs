//! The rows of one execution: an index over the bytes received.

use std::fmt::Display;
use std::sync::Arc;

use response::MemoryReservation;
use source::wire::buffers::Received;

use super::error::WireError;
use super::message;
use super::receive::Frame;
use super::statement::ResultSignature;

/// The result of one execution. Values are in PostgreSQL's text format and stay in the receive
/// buffer. Can be cleared and filled again, which keeps the index's memory; until then it holds the
/// receive buffer of its round, which the connection would use again.
#[derive(Debug, Default)]
pub struct Rows {
    received: Arc<Received>,
    /// The memory of the bytes received.
    lent: Option<Arc<MemoryReservation>>,
    /// The position of each value, row by row; its length is in the four bytes before it.
    starts: Vec<u32>,
    /// The memory of `starts`.
    held: MemoryReservation,
    columns: usize,
    rows: usize,
    affected: u64,
    has_more: bool,
    /// Bytes of these rows, if they are a part of those received.
    part: Option<usize>,
}

/// An index over so few values is not counted.
const FEW_VALUES: usize = 1024;

/// One row, for sequential readers.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    received: &'a [u8],
    starts: &'a [u32],
}

impl Rows {
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Zero without rows: the statement's maker knows its columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A value, or none if it is NULL (or if there is no such row or column).
    #[inline]
    pub fn value(&self, row: usize, column: usize) -> Option<&[u8]> {
        if column >= self.columns {
            return None;
        }
        let start = *self.starts.get(row * self.columns + column)?;
        value_at(&self.received, start)
    }

    /// A row; one that does not exist has no values.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        let first = row * self.columns;
        let starts = self.starts.get(first..first + self.columns).unwrap_or_default();
        Row { received: &self.received, starts }
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// The shared memory reservation, for values made of these bytes.
    pub fn another_held(&self) -> MemoryReservation {
        self.received.another_held()
    }

    /// Bytes that it holds, those of its round included; of a part, those of its rows.
    pub fn bytes(&self) -> usize {
        self.part.unwrap_or(self.received.len())
    }

    /// Splits the rows by the number in their last column, from 1 up to `count`, which the parts do
    /// not have. The rows of each part keep their order.
    pub fn parts(&self, count: usize) -> Result<Vec<Rows>, WireError> {
        let columns = self.columns.saturating_sub(1);
        let numbers = self.iter().map(|row| part_number(row.value(columns)));
        let numbers: Vec<usize> = numbers.collect();
        let mut lengths = vec![0; count];
        for number in &numbers {
            let length = number.checked_sub(1).and_then(|place| lengths.get_mut(place));
            *length.ok_or_else(|| WireError::OutOfSync("a row is of no part".to_owned()))? += 1;
        }
        let part = |rows: usize| self.part(columns, rows);
        let mut parts = lengths.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
        for (row, number) in self.iter().zip(numbers) {
            let Some(part) = number.checked_sub(1).and_then(|place| parts.get_mut(place)) else {
                continue;
            };
            part.add(row, columns);
        }
        Ok(parts)
    }

    /// Some of the rows, by their numbers from 0, with the same bytes.
    pub fn chosen(&self, numbers: impl ExactSizeIterator<Item = usize>) -> Result<Rows, WireError> {
        let mut chosen = self.part(self.columns, numbers.len())?;
        numbers.for_each(|number| chosen.add(self.row(number), self.columns));
        Ok(chosen)
    }

    /// No rows of the same bytes, with room for so many.
    fn part(&self, columns: usize, rows: usize) -> Result<Rows, WireError> {
        let mut part = Rows { columns, part: Some(0), ..Rows::default() };
        if rows > 0 {
            part.received = Arc::clone(&self.received);
            part.lent = self.lent.as_ref().map(Arc::clone);
        }
        let values = columns * rows;
        if values > FEW_VALUES {
            part.held = self.received.another_held();
        }
        part.held.grow_to((values * size_of::<u32>()) as u64)?;
        part.starts.reserve_exact(values);
        Ok(part)
    }

    /// Adds the first columns of a row of the same bytes.
    fn add(&mut self, row: Row<'_>, columns: usize) {
        let length = |column| row.value(column).map_or(0, <[u8]>::len);
        let bytes = (0..columns).map(length).sum::<usize>() + 4 * columns;
        self.starts.extend_from_slice(row.starts.get(..columns).unwrap_or_default());
        self.rows += 1;
        self.part = self.part.map(|part| part + bytes);
    }

    /// Adds the rows of another execution of the same round behind these. Rows of another round take the
    /// place of these.
    pub fn append(&mut self, other: Rows) {
        if other.rows == 0 {
            self.affected += other.affected;
            return;
        }
        if self.columns == 0 || !Arc::ptr_eq(&self.received, &other.received) {
            let affected = if self.columns == 0 { self.affected } else { 0 };
            *self = other;
            self.affected += affected;
            return;
        }
        self.held.join(other.held);
        self.starts.extend_from_slice(&other.starts);
        self.rows += other.rows;
        self.affected += other.affected;
    }

    /// The number that the command reported: rows inserted, updated, deleted or selected.
    pub fn affected(&self) -> u64 {
        self.affected
    }

    /// The execution stopped at its row limit.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Frees the received bytes.
    pub fn clear(&mut self) {
        if !self.received.is_empty() {
            self.received = Arc::default();
            self.lent = None;
        }
        self.starts.clear();
        self.columns = 0;
        self.rows = 0;
        self.affected = 0;
        self.has_more = false;
        self.part = None;
    }

    /// Frees the received bytes, and keeps the numbers of rows.
    pub(super) fn forget_values(&mut self) {
        let Self { rows, affected, has_more, .. } = *self;
        self.clear();
        (self.rows, self.affected, self.has_more) = (rows, affected, has_more);
    }

    /// Adds a DataRow message, which must be of the result that is expected.
    pub(super) fn push(
        &mut self,
        received: &Received,
        frame: Frame,
        result: ResultSignature,
    ) -> Result<(), WireError> {
        let malformed = || WireError::OutOfSync("a row is not well formed".to_owned());
        let body = received.get(..frame.end).ok_or_else(malformed)?;
        // Int16: the number of columns.
        let columns = body.get(frame.start..).and_then(|body| body.first_chunk::<2>());
        let columns = u16::from_be_bytes(*columns.ok_or_else(malformed)?);
        if result.columns.is_some_and(|expected| expected != columns) {
            return Err(mismatch("columns", result.columns.unwrap_or_default(), columns));
        }
        let columns = usize::from(columns);
        if columns > self.starts.capacity() - self.starts.len() {
            if self.starts.len() + columns > FEW_VALUES && !self.held.is_counted() {
                self.held = received.another_held();
            }
            self.held.make_room_for(&mut self.starts, columns)?;
        }
        self.push_values(body, frame.start + 2, columns).ok_or_else(malformed)
    }

    /// Takes the command tag, which must be of the sent command and have the number of received
    /// rows.
    pub(super) fn complete(
        &mut self,
        tag: &[u8],
        result: ResultSignature,
    ) -> Result<(), WireError> {
        require_tag(tag, result.tag)?;
        self.affected = message::affected_rows(tag);
        // Of the command tags only `SELECT` begins so.
        if tag.starts_with(b"SEL") && self.affected != self.rows as u64 {
            return Err(mismatch("rows", self.affected, self.rows));
        }
        Ok(())
    }

    /// Takes the end of a portion, which has as many rows as the execution's limit.
    pub(super) fn suspend(&mut self, result: ResultSignature) -> Result<(), WireError> {
        let limit = usize::try_from(result.max_rows).unwrap_or_default();
        if self.rows != limit {
            return Err(mismatch("rows of a portion", limit, self.rows));
        }
        self.has_more = true;
        Ok(())
    }

    /// Shares the buffer with the bytes of the rows, at the end of the round.
    pub(super) fn hold(&mut self, received: &Arc<Received>, lent: Option<&Arc<MemoryReservation>>) {
        if self.rows > 0 {
            self.received = Arc::clone(received);
            self.lent = lent.map(Arc::clone);
        }
    }

    /// Adds the values of a row, the first of which begins at `position` with its length. They end
    /// where `body` ends.
    fn push_values(&mut self, body: &[u8], mut position: usize, columns: usize) -> Option<()> {
        if self.rows == 0 {
            self.columns = columns;
        } else if self.columns != columns {
            return None;
        }
        for _ in 0..columns {
            let (length, _) = body.get(position..)?.split_first_chunk::<4>()?;
            position += 4;
            self.starts.push(u32::try_from(position).ok()?);
            // -1 is NULL, which has no bytes.
            position += usize::try_from(i32::from_be_bytes(*length)).unwrap_or(0);
        }
        self.rows += 1;
        (position == body.len()).then_some(())
    }
}

/// Refuses the end of another command.
pub(super) fn require_tag(tag: &[u8], expected: &str) -> Result<(), WireError> {
    if tag.starts_with(expected.as_bytes()) {
        return Ok(());
    }
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag).escape_ascii();
    Err(WireError::OutOfSync(format!("the end of {tag} came instead of that of {expected}")))
}

#[cold]
fn mismatch(of: &str, expected: impl Display, came: impl Display) -> WireError {
    WireError::OutOfSync(format!("{expected} {of} were expected, and {came} came"))
}

impl<'a> Row<'a> {
    pub fn columns(&self) -> usize {
        self.starts.len()
    }

    /// A value, or none if it is NULL (or if there is no such column).
    #[inline]
    pub fn value(&self, column: usize) -> Option<&'a [u8]> {
        value_at(self.received, *self.starts.get(column)?)
    }
}

/// The number of a part; 0 if it is none.
fn part_number(text: Option<&[u8]>) -> usize {
    let text = text.and_then(|text| str::from_utf8(text).ok());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[inline]
fn value_at(received: &[u8], start: u32) -> Option<&[u8]> {
    let start = start as usize;
    let (before, value) = received.split_at_checked(start)?;
    let length = i32::from_be_bytes(*before.last_chunk::<4>()?);
    value.get(..usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: ResultSignature = ResultSignature { tag: "", columns: None, max_rows: 0 };

    fn data_row(values: &[Option<&[u8]>]) -> Vec<u8> {
        let mut body = (values.len() as u16).to_be_bytes().to_vec();
        for value in values {
            match value {
                Some(value) => {
                    body.extend_from_slice(&(value.len() as i32).to_be_bytes());
                    body.extend_from_slice(value);
                }
                None => body.extend_from_slice(&(-1i32).to_be_bytes()),
            }
        }
        body
    }

    #[test]
    fn values_are_found_by_row_and_column() {
        let mut received = data_row(&[Some(b"a"), None, Some(b"")]);
        let middle = received.len();
        received.extend(data_row(&[None, Some(b"bc"), Some(b"d")]));
        let end = received.len();
        let mut rows = Rows::default();
        let received = Arc::new(Received::from(received));
        rows.push(&received, Frame { tag: b'D', start: 0, end: middle }, ANY).unwrap();
        rows.push(&received, Frame { tag: b'D', start: middle, end }, ANY).unwrap();
        rows.hold(&received, None);
        let values: Vec<_> =
            (0..2).flat_map(|row| (0..4).map(move |column| (row, column))).collect();
        let values: Vec<_> =
            values.into_iter().map(|(row, column)| rows.value(row, column)).collect();
        let expected: [Option<&[u8]>; 8] =
            [Some(b"a"), None, Some(b""), None, None, Some(b"bc"), Some(b"d"), None];
        assert_eq!(values, expected);
        assert_eq!(rows.row(1).value(1), Some(&b"bc"[..]));
        assert_eq!(rows.row(2).value(0), None);
    }

    #[test]
    fn parts_have_the_rows_of_their_numbers() {
        let rows = [(Some(&b"a"[..]), "2"), (None, "1"), (Some(b"bc"), "2")];
        let mut received = Vec::new();
        let mut frames = Vec::new();
        for (value, number) in rows {
            let start = received.len();
            received.extend(data_row(&[value, Some(number.as_bytes())]));
            frames.push(Frame { tag: b'D', start, end: received.len() });
        }
        let received = Arc::new(Received::from(received));
        let mut rows = Rows::default();
        for frame in frames {
            rows.push(&received, frame, ANY).unwrap();
        }
        rows.hold(&received, None);
        let parts = rows.parts(3).unwrap();
        let values = |rows: &Rows| {
            let value = |row: Row<'_>| (row.columns(), row.value(0).map(<[u8]>::to_vec));
            rows.iter().map(value).collect::<Vec<_>>()
        };
        let expected = [
            vec![(1, None)],
            vec![(1, Some(b"a".to_vec())), (1, Some(b"bc".to_vec()))],
            Vec::new(),
        ];
        assert_eq!(parts.iter().map(values).collect::<Vec<_>>(), expected);
        assert_eq!(parts.iter().map(Rows::bytes).collect::<Vec<_>>(), [4, 11, 0]);
        assert_eq!(rows.chosen([2, 0].into_iter()).unwrap().value(1, 0), Some(&b"a"[..]));
        // The number of no part.
        assert!(matches!(rows.parts(1), Err(WireError::OutOfSync(_))));
    }

    #[test]
    fn a_row_that_is_cut_off_or_too_long_is_refused() {
        let whole = data_row(&[Some(b"abc")]);
        let received = Received::from(whole.clone());
        for end in 0..whole.len() {
            assert!(
                Rows::default().push(&received, Frame { tag: b'D', start: 0, end }, ANY).is_err()
            );
        }
        let mut long = whole;
        long.push(0);
        let end = long.len();
        let long = Received::from(long);
        assert!(Rows::default().push(&long, Frame { tag: b'D', start: 0, end }, ANY).is_err());
    }

    #[test]
    fn the_end_of_a_selection_says_how_many_rows_came() {
        let received = Received::from(data_row(&[Some(b"a")]));
        let mut rows = Rows::default();
        rows.push(&received, Frame { tag: b'D', start: 0, end: received.len() }, ANY).unwrap();
        assert!(rows.complete(b"SELECT 1\0", ANY).is_ok());
        for tag in [&b"SELECT 0\0"[..], b"SELECT 2\0"] {
            assert!(matches!(rows.complete(tag, ANY), Err(WireError::OutOfSync(_))));
        }
        // The number of rows returned is not the number of rows changed.
        assert!(rows.complete(b"UPDATE 3\0", ANY).is_ok());
    }

    #[test]
    fn a_result_of_another_statement_is_refused() {
        let of = |tag, columns| ResultSignature { tag, columns, max_rows: 2 };
        let received = Received::from(data_row(&[Some(b"a"), None]));
        let frame = Frame { tag: b'D', start: 0, end: received.len() };
        let is_foreign = |result| matches!(result, Err(WireError::OutOfSync(_)));
        let push = |columns| Rows::default().push(&received, frame, of("SELECT", columns));
        assert!(push(Some(2)).is_ok() && push(None).is_ok());
        for columns in [0, 1, 3, u16::MAX] {
            assert!(is_foreign(push(Some(columns))), "{columns}");
        }
        let complete = |sent, tag: &[u8]| Rows::default().complete(tag, of(sent, None));
        assert!(complete("INSERT", b"INSERT 0 1\0").is_ok());
        assert!(complete("", b"INSERT 0 1\0").is_ok());
        for tag in [&b"SELECT 0\0"[..], b"UPDATE 1\0", b"BEGIN\0", b"\0", b""] {
            assert!(is_foreign(complete("INSERT", tag)), "{}", tag.escape_ascii());
        }
        let mut rows = Rows::default();
        assert!(is_foreign(rows.suspend(of("SELECT", None))));
        rows.push(&received, frame, of("SELECT", Some(2))).unwrap();
        rows.push(&received, frame, of("SELECT", Some(2))).unwrap();
        assert!(rows.suspend(of("SELECT", None)).is_ok());
        let unlimited = ResultSignature { max_rows: 0, ..of("SELECT", None) };
        assert!(is_foreign(rows.suspend(unlimited)));
    }

    #[test]
    fn rows_of_different_widths_are_refused() {
        let mut received = data_row(&[Some(b"a")]);
        let middle = received.len();
        received.extend(data_row(&[None, None]));
        let end = received.len();
        let received = Received::from(received);
        let mut rows = Rows::default();
        rows.push(&received, Frame { tag: b'D', start: 0, end: middle }, ANY).unwrap();
        assert!(rows.push(&received, Frame { tag: b'D', start: middle, end }, ANY).is_err());
    }
}
