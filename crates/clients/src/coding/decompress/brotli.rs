//! Brotli: <https://www.rfc-editor.org/rfc/rfc7932>.

use std::fmt;

use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use super::Fault;
use super::buffered::Buffered;

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(crate) struct Brotli {
    state: State,
    total: usize,
}

impl Brotli {
    pub(super) fn new() -> Self {
        // Windows of the RFC only, 16 MiB at most, allocated as they are filled. The library's own
        // writer would allocate a gibibyte if a stream announces such a window.
        let [bytes, words, codes] = [(); 3].map(|()| StandardAlloc::default());
        Self { state: State::new_strict(bytes, words, codes), total: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8], output: &mut Buffered) -> Result<(), Fault> {
        let (mut available, mut offset) = (bytes.len(), 0);
        while !output.has_ended {
            let (mut room, mut filled) = (output.buffer.len(), 0);
            let result = BrotliDecompressStream(
                &mut available,
                &mut offset,
                bytes,
                &mut room,
                &mut filled,
                &mut output.buffer,
                &mut self.total,
                &mut self.state,
            );
            output.keep(filled)?;
            match result {
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultSuccess => output.has_ended = true,
                BrotliResult::ResultFailure => return Err(Fault::Malformed),
            }
        }
        match available {
            0 => Ok(()),
            _ => Err(Fault::Malformed),
        }
    }
}

impl fmt::Debug for Brotli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brotli").field("total", &self.total).finish_non_exhaustive()
    }
}
