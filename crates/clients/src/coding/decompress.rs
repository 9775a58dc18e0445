//! Streaming decompression with a size limit: a decompression bomb takes no more memory than a body
//! of the maximum size.

mod brotli;
mod buffered;
mod deflate;
mod limited;
mod zstd;

use std::io::Write;

use flate2::write::MultiGzDecoder;

use self::brotli::Brotli;
use self::buffered::Buffered;
use self::deflate::Deflate;
use self::limited::Limited;
use self::zstd::Zstd;
use super::Coding;

/// Failure of a decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The decompressed body is larger than the limit.
    TooLarge,
    /// The body is not in the announced coding, is truncated, or has data after its end.
    Malformed,
}

/// A streaming decompressor.
#[derive(Debug)]
pub struct Decompressor(Decoder);

/// Decoders by their output interface: a buffer that they fill, or a writer.
#[derive(Debug)]
enum Decoder {
    Gzip(MultiGzDecoder<Limited>),
    Stepwise(Stepwise, Buffered),
}

/// Decoders that fill a buffer step by step.
#[derive(Debug)]
enum Stepwise {
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    Zstd(Zstd),
}

impl Decompressor {
    /// Creates a decompressor for a body of at most `most_bytes` decompressed bytes.
    pub fn new(coding: Coding, most_bytes: usize) -> Result<Self, Fault> {
        let output = Limited::new(most_bytes);
        let stepwise = match coding {
            Coding::Gzip => return Ok(Self(Decoder::Gzip(MultiGzDecoder::new(output)))),
            Coding::Deflate => Stepwise::Deflate(Deflate::new()),
            Coding::Brotli => Stepwise::Brotli(Box::new(Brotli::new())),
            Coding::Zstd => Stepwise::Zstd(Zstd::new()?),
        };
        Ok(Self(Decoder::Stepwise(stepwise, Buffered::new(output))))
    }

    /// Decompresses the next part of the body.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match &mut self.0 {
            Decoder::Gzip(decoder) => {
                decoder.write_all(bytes).map_err(|_| decoder.get_ref().fault())
            }
            Decoder::Stepwise(Stepwise::Deflate(decoder), output) => decoder.push(bytes, output),
            Decoder::Stepwise(Stepwise::Brotli(decoder), output) => decoder.push(bytes, output),
            Decoder::Stepwise(Stepwise::Zstd(decoder), output) => decoder.push(bytes, output),
        }
    }

    /// Number of decompressed bytes so far.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Decoder::Gzip(decoder) => decoder.get_ref().bytes.len(),
            Decoder::Stepwise(_, output) => output.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the whole body, or an error if it is truncated.
    pub fn finish(self) -> Result<Vec<u8>, Fault> {
        match self.0 {
            Decoder::Gzip(mut decoder) => match decoder.try_finish() {
                Ok(()) => Ok(std::mem::take(&mut decoder.get_mut().bytes)),
                Err(_) => Err(decoder.get_ref().fault()),
            },
            Decoder::Stepwise(_, output) => output.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::Compressor;

    const CODINGS: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

    fn compress(coding: Coding, bytes: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new(coding, Some(bytes.len())).unwrap();
        compressor.write(bytes).unwrap();
        compressor.finish().unwrap()
    }

    fn decompress(coding: Coding, parts: &[&[u8]], most: usize) -> Result<Vec<u8>, Fault> {
        let mut decompressor = Decompressor::new(coding, most)?;
        for part in parts {
            decompressor.push(part)?;
        }
        decompressor.finish()
    }

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|index| b"{\"query\": 0123456789}"[index * index % 19]).collect()
    }

    #[test]
    fn what_was_compressed_comes_back_however_it_is_cut() {
        for coding in CODINGS {
            for length in [0, 1, 100, 20_000] {
                let text = text(length);
                let compressed = compress(coding, &text);
                let bytes: Vec<&[u8]> = compressed.chunks(1).collect();
                for parts in [vec![compressed.as_slice()], bytes] {
                    assert!(decompress(coding, &parts, length).as_ref() == Ok(&text), "{coding:?}");
                }
            }
        }
    }

    #[test]
    fn a_byte_beyond_the_limit_is_too_much() {
        for coding in CODINGS {
            let compressed = compress(coding, &text(5000));
            assert_eq!(
                decompress(coding, &[&compressed], 4999),
                Err(Fault::TooLarge),
                "{coding:?}"
            );
        }
    }

    #[test]
    fn a_bomb_is_refused_at_the_limit() {
        for coding in CODINGS {
            let bomb = compress(coding, &vec![b' '; 2 << 20]);
            let mut decompressor = Decompressor::new(coding, 1000).unwrap();
            assert_eq!(decompressor.push(&bomb), Err(Fault::TooLarge), "{coding:?}");
        }
    }

    #[test]
    fn no_beginning_is_taken_for_the_whole() {
        for coding in CODINGS {
            let compressed = compress(coding, &text(300));
            for end in 0..compressed.len() {
                let beginning = &compressed[..end];
                let decompressed = decompress(coding, &[beginning], 1000);
                assert_eq!(decompressed, Err(Fault::Malformed), "{coding:?} {end}");
            }
        }
    }

    #[test]
    fn what_follows_the_end_and_what_is_something_else_is_refused() {
        for coding in CODINGS {
            let mut longer = compress(coding, &text(300));
            longer.extend_from_slice(b"more");
            for bytes in [longer.as_slice(), b"{\"query\":\"{ __typename }\"}", &[0; 64]] {
                let decompressed = decompress(coding, &[bytes], 1000);
                assert_eq!(decompressed, Err(Fault::Malformed), "{coding:?} {bytes:?}");
            }
        }
    }

    #[test]
    fn changed_bytes_give_an_error_or_a_text_within_the_limit_and_no_panic() {
        for coding in CODINGS {
            let compressed = compress(coding, &text(300));
            for place in 0..compressed.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut changed = compressed.clone();
                    changed[place] ^= flip;
                    if let Ok(text) = decompress(coding, &[&changed], 400) {
                        assert!(text.len() <= 400);
                    }
                }
            }
        }
    }

    #[test]
    fn parts_that_are_compressed_one_by_one_are_one_body() {
        let (one, two) = (text(40), text(50));
        for coding in [Coding::Gzip, Coding::Zstd] {
            let both = [compress(coding, &one), compress(coding, &two)].concat();
            let whole = [one.as_slice(), two.as_slice()].concat();
            assert_eq!(decompress(coding, &[&both], 90), Ok(whole), "{coding:?}");
            assert_eq!(decompress(coding, &[&both], 89), Err(Fault::TooLarge), "{coding:?}");
        }
    }

    #[test]
    fn windows_beyond_those_of_http_are_refused() {
        // Header of a Brotli stream with a window of 2^30 bytes.
        let large_window = [0x11, 0x1e, 0, 0, 0, 0];
        assert_eq!(decompress(Coding::Brotli, &[&large_window], 1000), Err(Fault::Malformed));
        let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(24).unwrap();
        encoder.write_all(&text(100)).unwrap();
        let large_window = encoder.finish().unwrap();
        assert_eq!(decompress(Coding::Zstd, &[&large_window], 1000), Err(Fault::Malformed));
    }
}
