//! Compression of answers, at the levels that cost little: measured on nested rows of a megabyte,
//! zstd makes a tenth of it in 2 ms, Brotli an eighth and gzip a seventh in 7 ms, and each higher
//! level takes longer than it saves on a fast line.

use std::fmt;
use std::io::{self, Write};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::write::GzEncoder;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::respond::Response;
use crate::options::Coding;

const ZSTD_LEVEL: i32 = 1;
const BROTLI_QUALITY: i32 = 1;
const GZIP_LEVEL: u32 = 2;

/// 256 KiB: a larger window costs memory and finds little more at this quality.
const BROTLI_WINDOW_BITS: i32 = 18;

/// Brotli hands on what it has in pieces of this size.
const BROTLI_BUFFER: usize = 16 * 1024;

/// From this size on an answer is compressed piece by piece while it is sent: nobody else of the
/// thread waits for all of it.
const LARGE: usize = 64 * 1024;

/// Compresses a text given in parts.
pub(super) enum Compressor {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(GzEncoder<Vec<u8>>),
}

/// The answer in the form that the client reads; from `min_size` on it is compressed.
pub(super) fn compress(response: Response, readable: Readable, min_size: usize) -> Response {
    let (coding, min_size) = match readable {
        Readable::Either(coding) => (coding, min_size),
        Readable::Compressed(coding) => (coding, 1),
        Readable::Plain | Readable::Nothing => return response,
    };
    let (mut head, body) = response.into_parts();
    let body = match body {
        AnswerBody::Streamed(mut streamed) => {
            match Compressor::new(coding, None) {
                Ok(compressor) => {
                    streamed.compress(compressor);
                    let name = HeaderValue::from_static(coding.name());
                    head.headers.insert(CONTENT_ENCODING, name);
                }
                Err(error) => {
                    tracing::warn!(%error, ?coding, "an answer is sent without compression");
                }
            }
            return Response::from_parts(head, AnswerBody::Streamed(streamed));
        }
        AnswerBody::Whole(bytes)
            if bytes.len() >= min_size && !head.headers.contains_key(CONTENT_ENCODING) =>
        {
            bytes
        }
        body @ (AnswerBody::Whole(_) | AnswerBody::Compressed(_)) => {
            return Response::from_parts(head, body);
        }
    };
    let compressed = match compressed(coding, &body) {
        Ok(compressed) => compressed,
        Err(error) => {
            tracing::warn!(%error, ?coding, "an answer is sent without compression");
            return Response::from_parts(head, AnswerBody::Whole(body));
        }
    };
    let name = HeaderValue::from_static(coding.name());
    head.headers.insert(CONTENT_ENCODING, name);
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, compressed)
}

fn compressed(coding: Coding, bytes: &Bytes) -> io::Result<AnswerBody> {
    let mut compressor = Compressor::new(coding, Some(bytes.len()))?;
    if bytes.len() > LARGE {
        return Ok(AnswerBody::pieces(compressor, bytes.clone()));
    }
    compressor.write(bytes)?;
    Ok(AnswerBody::Whole(compressor.finish()?.into()))
}

impl Compressor {
    /// For a text of this length, if it is known.
    pub(super) fn new(coding: Coding, length: Option<usize>) -> io::Result<Self> {
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
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    /// Lets [`Compressor::take`] give all that was written.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.flush(),
            Self::Brotli(encoder) => encoder.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }

    /// What is compressed so far and was not taken yet.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Zstd(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Gzip(encoder) => encoder.get_mut(),
        })
    }

    /// The rest, with the end mark.
    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Zstd(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zstd(_) => "Compressor::Zstd",
            Self::Brotli(_) => "Compressor::Brotli",
            Self::Gzip(_) => "Compressor::Gzip",
        })
    }
}
