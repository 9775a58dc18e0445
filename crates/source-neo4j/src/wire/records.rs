//! The records of one statement: an index over the bytes received.

use std::sync::Arc;

use response::packed::{Entries, Packed};
use source::wire::buffers::Received;

use super::error::WireError;
use super::message::{self, RECORD_HEAD, Reply, of_another_type};
use super::receive::Frame;
use super::summary::Summary;

/// The result of one RUN, PULL or DISCARD. Values are in PackStream's form and stay in the receive
/// buffer. Can be cleared and filled again, which keeps the index's memory; until then it holds the
/// receive buffer of its exchange, which the connection would use again.
#[derive(Debug, Default)]
pub struct Records {
    received: Arc<Received>,
    /// Start and end of each record's list of fields.
    lists: Vec<(u32, u32)>,
    /// The answer to RUN; empty for further pulls.
    header: Frame,
    /// The answer at the end of the records.
    footer: Frame,
    has_more: bool,
    /// That of its transaction, once this is committed.
    bookmark: Option<Box<str>>,
}

impl Records {
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The list of a record's fields, as it was sent; empty for a record that does not exist. The
    /// reader checks whether the bytes are a list.
    #[inline]
    pub fn record(&self, index: usize) -> &[u8] {
        self.lists.get(index).map_or(&[], |list| self.list(*list))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.lists.iter().map(|list| self.list(*list))
    }

    /// The names of the columns.
    pub fn fields(&self) -> Result<Vec<&str>, WireError> {
        let Some(metadata) = self.metadata(self.header)? else { return Ok(Vec::new()) };
        let names = match metadata.find(b"fields")? {
            Some(Packed::List(names)) => names,
            Some(other) => return Err(of_another_type(b"fields", other)),
            None => return Ok(Vec::new()),
        };
        let name = |name| match name {
            Packed::Text(name) => std::str::from_utf8(name)
                .map_err(|_| WireError::Protocol("the name of a column is not UTF-8".to_owned())),
            other => Err(of_another_type(b"fields", other)),
        };
        names.map(|field| name(field?)).collect()
    }

    /// The summary of the statement, after its last record.
    pub fn summary(&self) -> Result<Summary, WireError> {
        match self.footer()? {
            Some(metadata) => Summary::from_metadata(&metadata),
            None => Ok(Summary::default()),
        }
    }

    /// A value of the metadata that ended the records, as `plan`.
    pub fn metadata_of(&self, name: &[u8]) -> Result<Option<Packed<'_>>, WireError> {
        match self.footer()? {
            Some(metadata) => Ok(metadata.find(name)?),
            None => Ok(None),
        }
    }

    /// Whether the server has more records than were pulled.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Bytes that it holds, those of its exchange included.
    pub fn bytes(&self) -> usize {
        self.received.len()
    }

    /// Frees the received bytes.
    pub fn clear(&mut self) {
        if !self.received.is_empty() {
            self.received = Arc::default();
        }
        self.lists.clear();
        self.header = Frame::default();
        self.footer = Frame::default();
        self.has_more = false;
        self.bookmark = None;
    }

    /// The bookmark by which others see the transaction.
    pub fn bookmark(&self) -> Option<&str> {
        self.bookmark.as_deref()
    }

    pub fn set_bookmark(&mut self, bookmark: &str) {
        self.bookmark = Some(bookmark.into());
    }

    pub(super) fn push(&mut self, frame: Frame) -> Result<(), WireError> {
        let too_far = || WireError::Protocol("a record lies behind 4 GiB".to_owned());
        let start = u32::try_from(frame.start + RECORD_HEAD).map_err(|_| too_far())?;
        let end = u32::try_from(frame.end).map_err(|_| too_far())?;
        self.lists.push((start, end));
        Ok(())
    }

    pub(super) fn begin(&mut self, header: Frame) {
        self.header = header;
    }

    pub(super) fn end(&mut self, footer: Frame, has_more: bool) {
        self.footer = footer;
        self.has_more = has_more;
    }

    /// Shares the buffer with its bytes, at the end of the exchange.
    pub(super) fn hold(&mut self, received: &Arc<Received>) {
        self.received = Arc::clone(received);
    }

    /// The metadata that ended it.
    pub(super) fn footer(&self) -> Result<Option<Entries<'_>>, WireError> {
        self.metadata(self.footer)
    }

    /// Records as if they had been received: lists of fields.
    #[cfg(test)]
    pub(crate) fn of_packed(lists: &[&[u8]]) -> Records {
        let (mut records, mut received) = (Records::default(), Vec::new());
        for list in lists {
            let start = received.len();
            received.extend_from_slice(b"\xb1\x71");
            received.extend_from_slice(list);
            records.push(Frame { start, end: received.len() }).unwrap();
        }
        records.hold(&Arc::new(Received::from(received)));
        records
    }

    /// The end of a statement with these counters.
    #[cfg(test)]
    pub(crate) fn of_stats(stats: &[(&str, i64)]) -> Records {
        let mut pack = super::pack::Pack::new();
        pack.structure(0x70, 1);
        pack.map(1);
        pack.text("stats");
        pack.map(stats.len());
        for (name, count) in stats {
            pack.text(name);
            pack.integer(*count);
        }
        let received = pack.as_bytes().to_vec();
        let mut records = Records::default();
        records.end(Frame { start: 0, end: received.len() }, false);
        records.hold(&Arc::new(Received::from(received)));
        records
    }

    fn metadata(&self, frame: Frame) -> Result<Option<Entries<'_>>, WireError> {
        let Some(message) = self.received.get(frame.start..frame.end) else { return Ok(None) };
        if message.is_empty() {
            return Ok(None);
        }
        match message::read(message)? {
            Reply::Success(metadata) => Ok(Some(metadata)),
            Reply::Record | Reply::Ignored | Reply::Failure(_) => Ok(None),
        }
    }

    #[inline]
    fn list(&self, (start, end): (u32, u32)) -> &[u8] {
        self.received.get(start as usize..end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_for_tests_are_like_those_received() {
        let records = Records::of_packed(&[b"\x91\x01", b"\x90"]);
        assert_eq!(records.iter().collect::<Vec<_>>(), [&b"\x91\x01"[..], b"\x90"]);
        let records = Records::of_stats(&[("labels-added", 3)]);
        assert_eq!(records.summary().unwrap().counters.labels_added, 3);
    }

    #[test]
    fn records_and_metadata_are_found_where_they_were_received() {
        let messages: [&[u8]; 4] = [
            b"\xb1\x70\xa1\x86fields\x92\x81a\x82bc",
            b"\xb1\x71\x92\x01\x02",
            b"\xb1\x71\x92\xc0\xc3",
            b"\xb1\x70\xa1\x88bookmark\x81B",
        ];
        let mut received = Vec::new();
        let frames = messages.map(|message| {
            let start = received.len();
            received.extend_from_slice(message);
            Frame { start, end: received.len() }
        });
        let mut records = Records::default();
        records.begin(frames[0]);
        records.push(frames[1]).unwrap();
        records.push(frames[2]).unwrap();
        records.end(frames[3], false);
        records.hold(&Arc::new(Received::from(received)));
        assert_eq!(records.fields().unwrap(), ["a", "bc"]);
        assert_eq!(records.iter().collect::<Vec<_>>(), [b"\x92\x01\x02", b"\x92\xc0\xc3"]);
        assert_eq!((records.record(1), records.record(2)), (&b"\x92\xc0\xc3"[..], &b""[..]));
        assert_eq!(records.summary().unwrap().bookmark.as_deref(), Some("B"));
        assert_eq!(records.metadata_of(b"bookmark").unwrap(), Some(Packed::Text(b"B")));
        assert_eq!(records.metadata_of(b"plan").unwrap(), None);
        records.clear();
        assert_eq!((records.len(), records.bytes()), (0, 0));
        assert!(records.fields().unwrap().is_empty());
        assert_eq!(records.summary().unwrap(), Summary::default());
    }
}
