//! Compression at levels that cost little CPU. Measured on nested rows of 1 MB: zstd compresses
//! them to a tenth in 2 ms, Brotli to an eighth and gzip to a seventh in 7 ms; each higher level
//! takes longer than it saves on a fast network.

use std::fmt;
use std::io::{self, Write};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::Coding;

const ZSTD_LEVEL: i32 = 1;
const BROTLI_QUALITY: i32 = 1;
const GZIP_LEVEL: u32 = 2;

/// 256 KiB: a larger window costs memory and finds little more at this quality.
const BROTLI_WINDOW_BITS: i32 = 18;

/// Size of the pieces in which Brotli emits its output.
const BROTLI_BUFFER: usize = 16 * 1024;

/// Maximum length that a new compressor allocates output for at once.
const LARGE: usize = 64 * 1024;

/// Upper bound of the memory of a compressor over its whole life, for a text of any length: tables,
/// windows, and the output buffer where at most some hundred kilobytes are written between two
/// calls of [`Compressor::take`]. The test `compressor_memory` compares these figures with the
/// allocator's.
#[must_use]
pub fn state_bytes(coding: Coding) -> u64 {
    let kibibytes = match coding {
        Coding::Zstd => 1_536,
        Coding::Brotli | Coding::Gzip | Coding::Deflate => 640,
    };
    kibibytes << 10
}

/// A streaming compressor.
pub enum Compressor {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
}

impl Compressor {
    /// Creates a compressor for a text of this length, if the length is known.
    pub fn new(coding: Coding, length: Option<usize>) -> io::Result<Self> {
        let output = Vec::with_capacity(length.unwrap_or(LARGE).min(LARGE) / 4);
        Ok(match coding {
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(output, ZSTD_LEVEL)?;
                // Tables are allocated as large as the text needs.
                encoder.set_pledged_src_size(length.map(|length| length as u64))?;
                Self::Zstd(encoder)
            }
            Coding::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    lgwin: BROTLI_WINDOW_BITS,
                    size_hint: length.unwrap_or(0),
                    ..BrotliEncoderParams::default()
                };
                let writer = CompressorWriter::with_params(output, BROTLI_BUFFER, &parameters);
                Self::Brotli(Box::new(writer))
            }
            Coding::Gzip => {
                let level = flate2::Compression::new(GZIP_LEVEL);
                Self::Gzip(GzEncoder::new(output, level))
            }
            Coding::Deflate => {
                let level = flate2::Compression::new(GZIP_LEVEL);
                Self::Deflate(ZlibEncoder::new(output, level))
            }
        })
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Deflate(encoder) => encoder.write_all(bytes),
        }
    }

    /// Makes all input written so far available to [`Compressor::take`].
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.flush(),
            Self::Brotli(encoder) => encoder.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Deflate(encoder) => encoder.flush(),
        }
    }

    /// Returns the compressed output since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Zstd(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Deflate(encoder) => encoder.get_mut(),
        })
    }

    /// Returns the remaining output, with the end marker.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Zstd(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Deflate(encoder) => encoder.finish(),
        }
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zstd(_) => "Compressor::Zstd",
            Self::Brotli(_) => "Compressor::Brotli",
            Self::Gzip(_) => "Compressor::Gzip",
            Self::Deflate(_) => "Compressor::Deflate",
        })
    }
}
