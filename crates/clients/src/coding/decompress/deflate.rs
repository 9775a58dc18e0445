//! Deflate in the zlib format, which is what HTTP means by the word:
//! <https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2>.

use flate2::{Decompress, FlushDecompress, Status};

use super::Fault;
use super::limited::Limited;

const BUFFER: usize = 16 * 1024;

/// The library's own writer takes a beginning for the whole.
#[derive(Debug)]
pub(crate) struct Deflate {
    decoder: Decompress,
    buffer: Vec<u8>,
    has_ended: bool,
    output: Limited,
}

impl Deflate {
    pub(super) fn new(output: Limited) -> Self {
        let decoder = Decompress::new(true);
        Self { decoder, buffer: vec![0; BUFFER], has_ended: false, output }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Result<(), Fault> {
        while !self.has_ended {
            let (read, written) = (self.decoder.total_in(), self.decoder.total_out());
            let status = self
                .decoder
                .decompress(bytes, &mut self.buffer, FlushDecompress::None)
                .map_err(|_| Fault::Malformed)?;
            let progress = |before: u64, now: u64| usize::try_from(now - before);
            let read = progress(read, self.decoder.total_in()).map_err(|_| Fault::Malformed)?;
            let written = progress(written, self.decoder.total_out());
            let written = written.map_err(|_| Fault::Malformed)?;
            bytes = bytes.get(read..).unwrap_or_default();
            self.output.push(self.buffer.get(..written).unwrap_or_default())?;
            self.has_ended = status == Status::StreamEnd;
            // A full buffer may leave some behind.
            if bytes.is_empty() && written < BUFFER || read == 0 && written == 0 {
                break;
            }
        }
        match bytes {
            [] => Ok(()),
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
