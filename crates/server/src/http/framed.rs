//! Frames of event streams, with the memory of their results.

use bytes::Bytes;

/// A frame with its result, whose memory is reserved until the frame is written.
struct Framed {
    text: Vec<u8>,
    _result: Bytes,
}

impl AsRef<[u8]> for Framed {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

/// The text of a frame with a result.
pub(super) fn framed(text: Vec<u8>, result: Bytes) -> Bytes {
    Bytes::from_owner(Framed { text, _result: result })
}
