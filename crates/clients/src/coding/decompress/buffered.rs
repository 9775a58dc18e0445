//! What becomes of a body whose decoder writes into a buffer.

use super::Fault;
use super::limited::Limited;

const LENGTH: usize = 16 * 1024;

/// Takes what the decoder has written, part by part.
#[derive(Debug)]
pub(crate) struct Buffered {
    pub(super) buffer: Vec<u8>,
    /// Whether the end of the body has come.
    pub(super) has_ended: bool,
    output: Limited,
}

impl Buffered {
    pub(super) fn new(output: Limited) -> Self {
        Self { buffer: vec![0; LENGTH], has_ended: false, output }
    }

    /// So many bytes of the buffer belong to the body.
    pub(super) fn keep(&mut self, filled: usize) -> Result<(), Fault> {
        self.output.push(self.buffer.get(..filled).unwrap_or_default())
    }

    /// Whether a decoder may have had more to write than there was room.
    pub(super) fn is_full(&self, filled: usize) -> bool {
        filled == self.buffer.len()
    }

    pub(super) fn len(&self) -> usize {
        self.output.bytes.len()
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, Fault> {
        match self.has_ended {
            true => Ok(self.output.bytes),
            false => Err(Fault::Malformed),
        }
    }
}
