//! The messages of an exchange, in chunks as they are sent, in one buffer.

use super::error::WireError;
use super::message::Request;
use super::pack::Pack;

/// A buffer that grew beyond this is given back to the system.
const KEPT_CAPACITY: usize = 1 << 20;
/// The most bytes of a chunk.
const CHUNK: usize = 0xffff;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    pack: Pack,
    /// Number of its bytes that are sent.
    sent: usize,
}

impl Outbox {
    /// Adds a message whose fields `write` writes. If it cannot be written, nothing is added.
    pub(super) fn add<E: From<WireError>>(
        &mut self,
        request: Request,
        fields: u8,
        write: impl FnOnce(&mut Pack) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.len();
        // The length of the first chunk, and as a rule of the message.
        self.pack.buffer().extend_from_slice(&[0; 2]);
        self.pack.structure(request as u8, fields);
        let mut written = write(&mut self.pack);
        if written.is_ok() && self.pack.is_too_long() {
            written = Err(WireError::Protocol("a value is too long to be sent".to_owned()).into());
        }
        match &written {
            Ok(()) => self.end_message(start),
            Err(_) => self.pack.truncate(start),
        }
        written
    }

    pub(super) fn len(&self) -> usize {
        self.pack.as_bytes().len()
    }

    /// Removes messages that were not sent.
    pub(super) fn truncate(&mut self, length: usize) {
        self.pack.truncate(length.max(self.sent));
    }

    pub(super) fn unsent(&self) -> &[u8] {
        self.pack.as_bytes().get(self.sent..).unwrap_or_default()
    }

    pub(super) fn has_sent(&self) -> bool {
        self.sent > 0
    }

    pub(super) fn count_sent(&mut self, bytes: usize) {
        self.sent += bytes;
    }

    /// All was sent.
    pub(super) fn clear(&mut self) {
        self.pack.clear();
        self.sent = 0;
        if self.pack.buffer().capacity() > KEPT_CAPACITY {
            *self = Outbox::default();
        }
    }

    /// Fills in the length of the message's first chunk, and cuts it into more where it is longer.
    fn end_message(&mut self, start: usize) {
        let out = self.pack.buffer();
        let body = start + 2;
        if out.len() - body > CHUNK {
            let message = out.split_off(body);
            out.truncate(start);
            out.reserve(message.len() + message.len() / CHUNK * 2 + 4);
            for chunk in message.chunks(CHUNK) {
                out.extend_from_slice(&length_of(chunk));
                out.extend_from_slice(chunk);
            }
        } else if let Some((length, message)) =
            out.get_mut(start..).and_then(|rest| rest.split_first_chunk_mut::<2>())
        {
            *length = length_of(message);
        }
        out.extend_from_slice(&[0; 2]);
    }
}

/// Chunks are never longer than 16 bits can express.
fn length_of(chunk: &[u8]) -> [u8; 2] {
    u16::try_from(chunk.len()).unwrap_or(u16::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(outbox: &mut Outbox, text: &str) {
        outbox
            .add(Request::Run, 1, |pack| {
                pack.text(text);
                Ok::<_, WireError>(())
            })
            .unwrap();
    }

    #[test]
    fn a_message_is_a_chunk_and_its_end() {
        let mut outbox = Outbox::default();
        add(&mut outbox, "a");
        add(&mut outbox, "");
        assert_eq!(outbox.unsent(), b"\x00\x04\xb1\x10\x81a\x00\x00\x00\x03\xb1\x10\x80\x00\x00");
    }

    #[test]
    fn a_long_message_is_cut_into_chunks() {
        for length in [65_530, 65_531, 65_532, 131_065, 131_066, 200_000] {
            let mut outbox = Outbox::default();
            add(&mut outbox, "before");
            let before = outbox.len();
            add(&mut outbox, &"x".repeat(length));
            let mut rest = &outbox.unsent()[before..];
            let mut message = Vec::new();
            loop {
                let (size, after) = rest.split_first_chunk::<2>().unwrap();
                let (chunk, after) = after.split_at(usize::from(u16::from_be_bytes(*size)));
                rest = after;
                if chunk.is_empty() {
                    break;
                }
                message.extend_from_slice(chunk);
            }
            assert!(rest.is_empty());
            let head = if length > 0xffff { 5 } else { 3 };
            assert_eq!(message.len(), 2 + head + length);
            assert!(message.ends_with(b"x"));
        }
    }

    #[test]
    fn what_cannot_be_written_is_taken_back() {
        let mut outbox = Outbox::default();
        add(&mut outbox, "a");
        let before = outbox.unsent().to_vec();
        let refused = outbox.add(Request::Run, 1, |pack| {
            pack.text("half");
            Err(WireError::Closed)
        });
        assert!(matches!(refused, Err(WireError::Closed)));
        let refused = outbox.add(Request::Run, 1, |pack| {
            pack.list(usize::MAX);
            Ok::<_, WireError>(())
        });
        assert!(matches!(refused, Err(WireError::Protocol(_))));
        assert_eq!(outbox.unsent(), before);
    }

    #[test]
    fn what_was_sent_is_not_taken_back() {
        let mut outbox = Outbox::default();
        add(&mut outbox, "a");
        outbox.count_sent(3);
        outbox.truncate(0);
        assert_eq!((outbox.len(), outbox.unsent()), (3, &b""[..]));
        outbox.clear();
        assert!(!outbox.has_sent());
    }
}
