//! Frames of the WebSocket protocol (RFC 6455), as far as this client needs them.

use std::ops::Range;

const TEXT: u8 = 0x1;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;
/// The bit of a message's last frame.
const FINAL: u8 = 0x80;
/// The bit of a masked frame; a mask of zeros leaves the bytes as they are.
const MASKED: u8 = 0x80;
const MASK: [u8; 4] = [0; 4];

/// The kind of a frame from the server, all of which are whole messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Ping,
    Pong,
    Close,
}

/// A frame at the beginning of received bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    /// Its payload, which ends where the frame ends.
    pub(crate) payload: Range<usize>,
}

/// The bytes are no frame that the server of this benchmark sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invalid;

/// The first frame of received bytes; `None` until all of it is there.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Frame>, Invalid> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    let kind = match first ^ FINAL {
        TEXT => Kind::Text,
        PING => Kind::Ping,
        PONG => Kind::Pong,
        CLOSE => Kind::Close,
        _ => return Err(Invalid),
    };
    let (header, length) = match second {
        126 => match rest.first_chunk::<2>() {
            Some(length) => (4, u16::from_be_bytes(*length).into()),
            None => return Ok(None),
        },
        length @ 0..126 => (2, usize::from(*length)),
        // Masked, or longer than any message of the benchmark.
        _ => return Err(Invalid),
    };
    let end = header + length;
    Ok((end <= bytes.len()).then_some(Frame { kind, payload: header..end }))
}

/// A text of at most 65,535 bytes as a frame of a client.
pub(crate) fn text(payload: &str) -> Vec<u8> {
    frame(TEXT, payload.as_bytes())
}

/// The answer to a ping.
pub(crate) fn pong(payload: &[u8]) -> Vec<u8> {
    frame(PONG, payload)
}

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![FINAL | kind];
    match u8::try_from(payload.len()) {
        Ok(length @ 0..126) => frame.push(MASKED | length),
        Ok(_) | Err(_) => {
            frame.push(MASKED | 126);
            let length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
            frame.extend(length.to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(payload);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_server_are_read_when_they_are_whole() {
        let bytes = [&[0x81, 3][..], b"abc", &[0x89, 0]].concat();
        for end in 0..5 {
            assert_eq!(read(&bytes[..end]), Ok(None), "{end}");
        }
        assert_eq!(read(&bytes), Ok(Some(Frame { kind: Kind::Text, payload: 2..5 })));
        assert_eq!(read(&bytes[5..]), Ok(Some(Frame { kind: Kind::Ping, payload: 2..2 })));
        let long = [&[0x81, 126, 1, 0][..], &[b'a'; 256]].concat();
        assert_eq!(read(&long[..3]), Ok(None));
        assert_eq!(read(&long), Ok(Some(Frame { kind: Kind::Text, payload: 4..260 })));
    }

    #[test]
    fn parts_of_messages_and_masked_frames_are_invalid() {
        assert_eq!(read(&[0x01, 0]), Err(Invalid));
        assert_eq!(read(&[0x81, 0x80]), Err(Invalid));
        assert_eq!(read(&[0x81, 127]), Err(Invalid));
    }

    #[test]
    fn frames_of_the_client_are_masked() {
        assert_eq!(text("ab"), [0x81, 0x82, 0, 0, 0, 0, b'a', b'b']);
        assert_eq!(pong(b""), [0x8A, 0x80, 0, 0, 0, 0]);
        assert_eq!(text(&"a".repeat(200))[..4], [0x81, 0xFE, 0, 200]);
    }
}
