//! The bytes received in one exchange, cut into messages.
//!
//! A message comes in chunks of up to 65,535 bytes, each behind its length, and ends with a length
//! of zero. One that came in a single chunk stays where it is; the chunks of a longer one are moved
//! together, over the lengths between them, so that each message is one piece of the buffer.
//!
//! <https://neo4j.com/docs/bolt/current/bolt/message/#chunking>

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use response::MemoryReservation;
use source::wire::buffers::{Buffers, Received};
use source::wire::socket::Socket;

use super::error::WireError;

/// The position of a message in the buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) struct Receiver {
    buffers: Buffers,
    /// The position of the next chunk's length.
    position: usize,
    /// The chunks of a message that has not ended.
    begun: Option<Frame>,
}

impl Receiver {
    pub(super) fn new(limit: usize, held: MemoryReservation) -> Receiver {
        Receiver { buffers: Buffers::new(limit, held), position: 0, begun: None }
    }

    /// Refuses larger answers, up to the usual limit.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.buffers.allow(bytes);
    }

    /// Makes room for a new exchange. Bytes that belong to none yet are kept.
    pub(super) fn start_round(&mut self) {
        let read = self.read_to();
        self.buffers.start_round(read);
        self.move_back(read);
    }

    /// Frees a large buffer with the results that point into it: an idle connection holds no
    /// answer.
    pub(super) fn end_round(&mut self) {
        let read = self.read_to();
        if self.buffers.end_round(read) {
            self.move_back(read);
        }
    }

    /// The next message, if it has arrived as a whole. Signs of life between messages, which are
    /// empty, are passed over.
    pub(super) fn next_message(&mut self) -> Result<Option<Frame>, WireError> {
        loop {
            let rest = self.bytes().get(self.position..).unwrap_or_default();
            let Some((&[high, low], after)) = rest.split_first_chunk::<2>() else {
                return Ok(None);
            };
            let length = usize::from(u16::from_be_bytes([high, low]));
            if after.len() < length {
                return Ok(None);
            }
            let start = self.position + 2;
            let end = start + length;
            self.position = end;
            match (&mut self.begun, length) {
                (begun, 0) => {
                    if let Some(frame) = begun.take() {
                        return Ok(Some(frame));
                    }
                }
                (None, _) => self.begun = Some(Frame { start, end }),
                (Some(frame), _) => {
                    let to = frame.end;
                    frame.end += length;
                    self.buffers.current_mut()?.copy_within(start..end, to);
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> &Arc<Received> {
        self.buffers.current()
    }

    /// A message, from its first byte on.
    pub(super) fn message(&self, frame: Frame) -> &[u8] {
        self.bytes().get(frame.start..frame.end).unwrap_or_default()
    }

    /// Reads once. No bytes means that the peer has closed the stream.
    pub(super) async fn read(&mut self, socket: &mut Socket) -> Result<usize, WireError> {
        Ok(self.buffers.read(socket).await?)
    }

    /// Reads for a task that waits for other events, too. Cancel safe: nothing is lost between two
    /// calls.
    pub(super) fn poll_read(
        &mut self,
        socket: &mut Socket,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, WireError>> {
        pin!(self.read(socket)).poll(context)
    }

    /// The position before which all messages are complete.
    fn read_to(&self) -> usize {
        self.begun.map_or(self.position, |begun| begun.start)
    }

    fn move_back(&mut self, by: usize) {
        self.position -= by;
        if let Some(begun) = &mut self.begun {
            begun.start -= by;
            begun.end -= by;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use source::wire::socket::{Address, Silence};

    /// A stream to be read, and its other end.
    async fn streams() -> (Socket, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap());
        let (socket, accepted) =
            tokio::join!(Socket::connect(&address, Silence::DEFAULT), listener.accept());
        (socket.unwrap(), accepted.unwrap().0)
    }

    /// Sends the bytes in pieces of each size, and shows the messages found.
    async fn check(bytes: &[u8], expected: &[&[u8]]) {
        for size in [1, 2, 3, 7, bytes.len()] {
            let (mut socket, mut other) = streams().await;
            let mut receiver = Receiver::new(1 << 20, MemoryReservation::default());
            let mut found = Vec::new();
            for piece in bytes.chunks(size) {
                other.write_all(piece).await.unwrap();
                let mut left = piece.len();
                while left > 0 {
                    left -= receiver.read(&mut socket).await.unwrap();
                }
                while let Some(frame) = receiver.next_message().unwrap() {
                    found.push(receiver.message(frame).to_vec());
                }
                // A round may end anywhere.
                receiver.start_round();
            }
            assert_eq!(found, expected, "in pieces of {size}");
            assert_eq!((receiver.position, receiver.begun), (0, None));
        }
    }

    #[tokio::test]
    async fn messages_are_put_together_from_their_chunks() {
        check(b"\0\x03abc\0\0", &[b"abc"]).await;
        check(b"\0\x01a\0\x02bc\0\x03def\0\0\0\x01g\0\0", &[b"abcdef", b"g"]).await;
    }

    #[tokio::test]
    async fn signs_of_life_are_no_messages() {
        check(b"\0\0\0\0\0\x01a\0\0\0\0\0\x01b\0\0\0\0", &[b"a", b"b"]).await;
    }

    #[tokio::test]
    async fn a_message_that_does_not_end_is_refused_at_the_limit() {
        let (mut socket, mut other) = streams().await;
        let mut receiver = Receiver::new(100_000, MemoryReservation::default());
        let writing = tokio::spawn(async move {
            let chunk = [&b"\xff\xff"[..], &[7; 65_535]].concat();
            while other.write_all(&chunk).await.is_ok() {}
        });
        let error = loop {
            if let Err(error) = receiver.read(&mut socket).await {
                break error;
            }
            assert_eq!(receiver.next_message().unwrap(), None);
        };
        assert!(matches!(error, WireError::TooLarge { limit: 100_000 }), "{error:?}");
        drop(socket);
        writing.await.unwrap();
    }
}
