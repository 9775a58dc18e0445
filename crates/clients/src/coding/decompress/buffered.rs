//! Output of decoders that write into a buffer.

use super::Fault;
use super::limited::Limited;

const LENGTH: usize = 16 * 1024;

/// Collects the output of a decoder, buffer by buffer, up to the limit.
#[derive(Debug)]
pub(crate) struct Buffered {
    pub(super) buffer: Vec<u8>,
    /// Whether the end of the compressed body was reached.
    pub(super) has_ended: bool,
    output: Limited,
}

impl Buffered {
    pub(super) fn new(output: Limited) -> Self {
        Self { buffer: vec![0; LENGTH], has_ended: false, output }
    }

    /// Appends the first `filled` bytes of the buffer to the body.
    pub(super) fn keep(&mut self, filled: usize) -> Result<(), Fault> {
        self.output.push(self.buffer.get(..filled).unwrap_or_default())
    }

    /// Whether the decoder filled the buffer, and so may have more output.
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
