//! Draining: reading a connection's outstanding answers before it is closed, and discarding them.
//!
//! An abandoned server goes on with its statement, and counts as a session until that ends. A
//! pooler may do worse: PgBouncer 1.18 gives the server session of a disconnected client to the
//! next one as soon as one of several answers was sent, and that one receives the rest. So a
//! connection is read to its end first. The end is marked by a random value: the session has
//! answered everything else once it returns that.
//!
//! All bytes that are read are discarded.

use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::pin::{Pin, pin};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio_postgres::types::Type;

use super::connection::{Connection, State, unsendable};
use super::error::WireError;
use super::message::{self, Kind};

/// Most bytes of one read.
const READ_SIZE: usize = 8 << 10;

/// The type of a message and its length.
const HEADER: usize = 5;

/// The type of the message that ends a batch.
const SYNC: u8 = b'S';

/// A longer message is no mark.
const MOST_KEPT: usize = 64;

/// The progress of draining a connection. Cancel safe.
#[derive(Debug, Default)]
pub(in super::super) struct Drain {
    is_begun: bool,
    header: Vec<u8>,
    /// The beginning of the body of the message that comes.
    body: Vec<u8>,
    /// Number of bytes of that body that are missing.
    missing: usize,
    /// The row that the last mark is answered with.
    mark: Vec<u8>,
    /// The mark has come back.
    is_marked: bool,
    /// Whether the end of the batch was received, after which nothing was sent.
    is_done: bool,
}

impl Connection {
    /// Reads and discards all outstanding answers. May be called again after it was cancelled.
    pub(in super::super) async fn drain(&mut self, drain: &mut Drain) -> Result<(), WireError> {
        if !drain.is_begun {
            drain.is_begun = true;
            self.end_what_was_begun()?;
            drain.take(&self.receiver.take_rest(), &mut self.syncs);
        }
        let mut buffer = [0; READ_SIZE];
        while !drain.is_done {
            if self.syncs == 0 {
                self.mark(drain)?;
            }
            match self.write_and_read(&mut buffer).await? {
                0 => return Err(WireError::Closed { reason: None }),
                count => drain.take(buffer.get(..count).unwrap_or_default(), &mut self.syncs),
            }
        }
        Ok(())
    }

    /// Ends a session that owes nothing, and waits until the server has: its process is gone then.
    pub(in super::super) async fn end(&mut self) -> Result<(), WireError> {
        self.state = State::Lost;
        frontend::terminate(&mut self.out);
        let mut buffer = [0; READ_SIZE];
        while self.write_and_read(&mut buffer).await? > 0 {}
        Ok(())
    }

    /// Sends a mark. A cancel request that comes late may hit it, and then there must be another.
    pub(in super::super) fn mark(&mut self, drain: &mut Drain) -> Result<(), WireError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = [number, SECRET.hash_one(number)].map(|part| part.to_string()).join("-");
        // The outstanding statements may have left a transaction open.
        self.compose_unnamed("ROLLBACK", None)?;
        self.compose_unnamed(include_str!("mark.sql"), Some(&mark))?;
        self.compose_sync();
        let length = u32::try_from(mark.len()).unwrap_or_default().to_be_bytes();
        drain.mark = [&1_u16.to_be_bytes()[..], &length, mark.as_bytes()].concat();
        drain.is_marked = false;
        Ok(())
    }

    /// Drops messages that were not sent; one that was sent in part is completed. Statements sent
    /// without a Sync are rolled back, since the next Sync would commit them.
    fn end_what_was_begun(&mut self) -> Result<(), WireError> {
        let (mut end, mut last) = (0, None);
        let mut place = 0;
        while let Some((tag, length)) = message::header(self.out.get(place..).unwrap_or_default()) {
            let is_sent = place < self.written;
            place += length;
            if is_sent {
                (end, last) = (place, Some(tag));
            } else if tag == SYNC {
                self.syncs = self.syncs.saturating_sub(1);
            }
        }
        self.out.truncate(end);
        let is_ended = match last {
            Some(tag) => tag == SYNC,
            None => self.syncs > 0,
        };
        if !is_ended {
            self.compose_unnamed("ROLLBACK", None)?;
            self.compose_sync();
        }
        Ok(())
    }

    /// Writes the messages of an unnamed statement, whether names are supported or not.
    pub(super) fn compose_unnamed(
        &mut self,
        text: &str,
        parameter: Option<&str>,
    ) -> Result<(), WireError> {
        let out = &mut self.out;
        let types = parameter.map(|_| Type::TEXT.oid());
        frontend::parse("", text, types, out).map_err(|error| unsendable(&error))?;
        let write = |parameter: &str, out: &mut BytesMut| {
            out.extend_from_slice(parameter.as_bytes());
            Ok(IsNull::No)
        };
        frontend::bind("", "", [], parameter, write, [], out)
            .map_err(|_| WireError::Protocol("a mark cannot be sent".to_owned()))?;
        frontend::execute("", 0, out).map_err(|error| unsendable(&error))
    }

    /// Writes composed messages, and reads once. Both concurrently: a server that waits until its
    /// answer is read reads nothing.
    async fn write_and_read(&mut self, buffer: &mut [u8]) -> Result<usize, WireError> {
        let Self { socket, out, written, .. } = self;
        poll_fn(|context| {
            loop {
                let rest = out.get(*written..).unwrap_or_default();
                if rest.is_empty() {
                    *written = 0;
                    out.clear();
                    if let Poll::Ready(Err(error)) = pin!(socket.flush()).poll(context) {
                        return Poll::Ready(Err(error.into()));
                    }
                    break;
                }
                match pin!(socket.write(rest)).poll(context) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Ok(0)),
                    Poll::Ready(Ok(count)) => *written += count,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                    Poll::Pending => break,
                }
            }
            let mut read = ReadBuf::new(buffer);
            match Pin::new(&mut *socket).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) => Poll::Ready(Ok(read.filled().len())),
                Poll::Ready(Err(error)) => Poll::Ready(Err(error.into())),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}

impl Drain {
    /// Scans received bytes for marks and for ends of batches.
    fn take(&mut self, mut bytes: &[u8], syncs: &mut usize) {
        while !bytes.is_empty() {
            if self.header.len() < HEADER {
                let count = bytes.len().min(HEADER - self.header.len());
                self.header.extend_from_slice(&bytes[..count]);
                bytes = &bytes[count..];
                let Some((_, length)) = message::header(&self.header) else { continue };
                self.missing = length - HEADER;
            }
            let count = bytes.len().min(self.missing);
            let kept = count.min(MOST_KEPT - self.body.len());
            self.body.extend_from_slice(&bytes[..kept]);
            self.missing -= count;
            bytes = &bytes[count..];
            if self.missing == 0 {
                self.end_message(syncs);
                self.header.clear();
                self.body.clear();
            }
        }
    }

    fn end_message(&mut self, syncs: &mut usize) {
        match self.header.first().copied().map(Kind::of) {
            Some(Kind::DataRow) if !self.mark.is_empty() => {
                self.is_marked |= self.body == self.mark;
            }
            Some(Kind::ReadyForQuery) => {
                *syncs = syncs.saturating_sub(1);
                self.is_done |= self.is_marked;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[tag][..], &length, body].concat()
    }

    #[test]
    fn the_end_is_found_however_the_bytes_come() {
        let mark = [&1_u16.to_be_bytes()[..], &3_u32.to_be_bytes(), b"7-9"].concat();
        let bytes = [
            message(b'D', &[0; 300]),
            message(b'Z', b"T"),
            message(b'2', b""),
            message(b'D', &mark),
            message(b'C', b"SELECT 1\0"),
            message(b'Z', b"I"),
        ]
        .concat();
        for step in 1..bytes.len() {
            let mut drain = Drain { mark: mark.clone(), ..Drain::default() };
            let mut syncs = 2;
            for (number, part) in bytes.chunks(step).enumerate() {
                assert!(!drain.is_done, "{number} {step}");
                drain.take(part, &mut syncs);
            }
            assert!(drain.is_done && syncs == 0, "{step}");
        }
    }
}
