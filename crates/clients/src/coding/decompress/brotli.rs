//! Brotli: <https://www.rfc-editor.org/rfc/rfc7932>.

use std::fmt;

use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use super::Fault;
use super::limited::Limited;

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

const BUFFER: usize = 16 * 1024;

pub(crate) struct Brotli {
    state: State,
    buffer: Vec<u8>,
    total: usize,
    has_ended: bool,
    output: Limited,
}

impl Brotli {
    pub(super) fn new(output: Limited) -> Self {
        // Strict: the windows of the RFC, of 16 MiB at most, of which only what is written takes
        // memory. The library's own writer would give a gibibyte to whoever asks for it.
        let [bytes, words, codes] = [(); 3].map(|()| StandardAlloc::default());
        let state = State::new_strict(bytes, words, codes);
        Self { state, buffer: vec![0; BUFFER], total: 0, has_ended: false, output }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let (mut available, mut offset) = (bytes.len(), 0);
        while !self.has_ended {
            let (mut room, mut filled) = (self.buffer.len(), 0);
            let result = BrotliDecompressStream(
                &mut available,
                &mut offset,
                bytes,
                &mut room,
                &mut filled,
                &mut self.buffer,
                &mut self.total,
                &mut self.state,
            );
            self.output.push(self.buffer.get(..filled).unwrap_or_default())?;
            match result {
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultSuccess => self.has_ended = true,
                BrotliResult::ResultFailure => return Err(Fault::Malformed),
            }
        }
        match available {
            0 => Ok(()),
            _ => Err(Fault::Malformed),
        }
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

impl fmt::Debug for Brotli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brotli").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}
