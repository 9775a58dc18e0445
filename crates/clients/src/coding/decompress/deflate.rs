//! Deflate in the zlib format, which is the meaning of `deflate` in HTTP:
//! <https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2>.

use flate2::{Decompress, FlushDecompress, Status};

use super::Fault;
use super::buffered::Buffered;

/// Not the library's own writer, which accepts a truncated stream as complete.
#[derive(Debug)]
pub(crate) struct Deflate(Decompress);

impl Deflate {
    pub(super) fn new() -> Self {
        Self(Decompress::new(true))
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], output: &mut Buffered) -> Result<(), Fault> {
        let Self(decoder) = self;
        while !output.has_ended {
            let (read, written) = (decoder.total_in(), decoder.total_out());
            let status = decoder
                .decompress(bytes, &mut output.buffer, FlushDecompress::None)
                .map_err(|_| Fault::Malformed)?;
            let progress = |before: u64, now: u64| usize::try_from(now - before);
            let read = progress(read, decoder.total_in()).map_err(|_| Fault::Malformed)?;
            let written = progress(written, decoder.total_out()).map_err(|_| Fault::Malformed)?;
            bytes = bytes.get(read..).unwrap_or_default();
            output.keep(written)?;
            output.has_ended = status == Status::StreamEnd;
            // If the buffer is full the decoder may hold more output.
            if bytes.is_empty() && !output.is_full(written) || read == 0 && written == 0 {
                break;
            }
        }
        match bytes {
            [] => Ok(()),
            _ => Err(Fault::Malformed),
        }
    }
}
