//! Zstandard: <https://www.rfc-editor.org/rfc/rfc8878>.

use std::fmt;

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use super::Fault;
use super::buffered::Buffered;

/// 8 MiB, the maximum window in HTTP: <https://www.rfc-editor.org/rfc/rfc9659>.
const WINDOW_BITS: u32 = 23;

pub(crate) struct Zstd(Decoder<'static>);

impl Zstd {
    pub(super) fn new() -> Result<Self, Fault> {
        let mut decoder = Decoder::new().map_err(|_| Fault::Malformed)?;
        let window = DParameter::WindowLogMax(WINDOW_BITS);
        decoder.set_parameter(window).map_err(|_| Fault::Malformed)?;
        Ok(Self(decoder))
    }

    pub(super) fn push(&mut self, bytes: &[u8], output: &mut Buffered) -> Result<(), Fault> {
        let mut input = InBuffer::around(bytes);
        let mut is_full = false;
        // Output that did not fit into the buffer is returned without further input.
        while input.pos() < bytes.len() || is_full {
            let mut room = OutBuffer::around(output.buffer.as_mut_slice());
            let wanted = self.0.run(&mut input, &mut room).map_err(|_| Fault::Malformed)?;
            let filled = room.pos();
            // No input wanted: a frame has ended. Another frame may follow.
            output.has_ended = wanted == 0;
            is_full = output.is_full(filled) && !output.has_ended;
            output.keep(filled)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Zstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zstd").finish_non_exhaustive()
    }
}
