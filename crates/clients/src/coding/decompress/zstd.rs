//! Zstandard: <https://www.rfc-editor.org/rfc/rfc8878>.

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use super::Fault;
use super::limited::Limited;

/// 8 MiB, the largest window of HTTP: <https://www.rfc-editor.org/rfc/rfc9659>.
const WINDOW_BITS: u32 = 23;

const BUFFER: usize = 16 * 1024;

pub(crate) struct Zstd {
    decoder: Decoder<'static>,
    buffer: Vec<u8>,
    /// Whether what has come ends with the end of a frame.
    has_ended: bool,
    output: Limited,
}

impl Zstd {
    pub(super) fn new(output: Limited) -> Result<Self, Fault> {
        let mut decoder = Decoder::new().map_err(|_| Fault::Malformed)?;
        let window = DParameter::WindowLogMax(WINDOW_BITS);
        decoder.set_parameter(window).map_err(|_| Fault::Malformed)?;
        Ok(Self { decoder, buffer: vec![0; BUFFER], has_ended: false, output })
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let mut input = InBuffer::around(bytes);
        let mut is_full = false;
        // What did not fit into the buffer comes without further input.
        while input.pos() < bytes.len() || is_full {
            let mut output = OutBuffer::around(self.buffer.as_mut_slice());
            let wanted = self.decoder.run(&mut input, &mut output);
            // None wanted: a frame has ended.
            self.has_ended = wanted.map_err(|_| Fault::Malformed)? == 0;
            let filled = output.pos();
            is_full = filled == BUFFER && !self.has_ended;
            self.output.push(self.buffer.get(..filled).unwrap_or_default())?;
        }
        Ok(())
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

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}
