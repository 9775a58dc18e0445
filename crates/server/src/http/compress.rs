//! Compression of answers.

use std::io;

use bytes::Bytes;
use clients::coding::Compressor;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::respond::Response;
use crate::options::Coding;

/// From this size on an answer is compressed piece by piece while it is sent: nobody else of the
/// thread waits for all of it.
const LARGE: usize = 64 * 1024;

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
            match Compressor::new(coding.into(), None) {
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
    let mut compressor = Compressor::new(coding.into(), Some(bytes.len()))?;
    if bytes.len() > LARGE {
        return Ok(AnswerBody::pieces(compressor, bytes.clone()));
    }
    compressor.write(bytes)?;
    Ok(AnswerBody::Whole(compressor.finish()?.into()))
}
