//! Compression at the levels that cost little: measured on nested rows of a megabyte, zstd makes a
//! tenth of it in 2 ms, Brotli an eighth and gzip a seventh in 7 ms, and each higher level takes
//! longer than it saves on a fast line.

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

/// Brotli hands on what it has in pieces of this size.
const BROTLI_BUFFER: usize = 16 * 1024;

/// Of a larger text no more is expected at once.
const LARGE: usize = 64 * 1024;

/// How much memory a compressor takes at most from its beginning to its end, for a text of any length:
/// its tables and windows, and its output where no more than some hundred kilobytes are written
/// before that is taken. The test `compressor_memory` compares these with what is allocated.
#[must_use]
pub fn state_bytes(coding: Coding) -> u64 {
    let kibibytes = match coding {
        Coding::Zstd => 1_536,
        Coding::Brotli | Coding::Gzip | Coding::Deflate => 640,
    };
    kibibytes << 10
}

/// Compresses a text given in parts.
pub enum Compressor {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
}

impl Compressor {
    /// For a text of this length, if it is known.
    pub fn new(coding: Coding, length: Option<usize>) -> io::Result<Self> {
        let output = Vec::with_capacity(length.unwrap_or(LARGE).min(LARGE) / 4);
        Ok(match coding {
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(output, ZSTD_LEVEL)?;
                // Its tables are as large as the text needs.
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

    /// Lets [`Compressor::take`] give all that was written.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.flush(),
            Self::Brotli(encoder) => encoder.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Deflate(encoder) => encoder.flush(),
        }
    }

    /// What is compressed so far and was not taken yet.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Zstd(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Deflate(encoder) => encoder.get_mut(),
        })
    }

    /// The rest, with the end mark.
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
