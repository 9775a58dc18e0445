//! Compression of answers.
//!
//! What is compressed piece by piece has a compressor for as long as the client takes to read it, so
//! that there may be many: each reserves its memory of that of all answers before it is made. An
//! answer for whose compressor there is none left is sent as it is, to those who refuse that too:
//! there is no better answer for them. A small answer is compressed at once, and a thread does that
//! for one at a time.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use clients::coding::{Compressor, state_bytes};
use engine::{Held, Memory};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::respond::Response;
use crate::options::Coding;

/// From this size on an answer is compressed piece by piece while it is sent: nobody else of the
/// thread waits for all of it.
const LARGE: usize = 64 * 1024;

/// A compressor with the memory that it takes.
#[derive(Debug)]
pub(super) struct HeldCompressor {
    pub(super) compressor: Compressor,
    _held: Held,
}

/// Why an answer is sent as it is.
#[derive(Debug, thiserror::Error)]
enum Uncompressed {
    #[error(transparent)]
    Failed(#[from] io::Error),
    #[error("{0}")]
    NoMemory(#[from] engine::NoMemory),
}

impl HeldCompressor {
    /// For a text of this length, if it is known.
    fn new(
        coding: Coding,
        length: Option<usize>,
        memory: &Arc<Memory>,
    ) -> Result<Self, Uncompressed> {
        let coding = coding.into();
        let mut held = Held::of(memory);
        held.grow_to(state_bytes(coding))?;
        Ok(Self { compressor: Compressor::new(coding, length)?, _held: held })
    }
}

/// The answer in the form that the client reads; from `min_size` on it is compressed.
pub(super) fn compress(
    response: Response,
    readable: Readable,
    min_size: usize,
    memory: &Arc<Memory>,
) -> Response {
    let (coding, min_size) = match readable {
        Readable::Either(coding) => (coding, min_size),
        Readable::Compressed(coding) => (coding, 1),
        Readable::Plain | Readable::Nothing => return response,
    };
    let (mut head, body) = response.into_parts();
    let (body, is_compressed) = match body {
        AnswerBody::Streamed(mut streamed) => {
            let compressor = HeldCompressor::new(coding, None, memory);
            let is_compressed = match compressor {
                Ok(compressor) => {
                    streamed.compress(compressor);
                    true
                }
                Err(error) => {
                    tell(&error, coding);
                    false
                }
            };
            (AnswerBody::Streamed(streamed), is_compressed)
        }
        AnswerBody::Whole(bytes)
            if bytes.len() >= min_size && !head.headers.contains_key(CONTENT_ENCODING) =>
        {
            match compressed(coding, &bytes, memory) {
                Ok(compressed) => {
                    head.headers.remove(CONTENT_LENGTH);
                    (compressed, true)
                }
                Err(error) => {
                    tell(&error, coding);
                    (AnswerBody::Whole(bytes), false)
                }
            }
        }
        body @ (AnswerBody::Whole(_) | AnswerBody::Compressed(_)) => (body, false),
    };
    if is_compressed {
        let name = HeaderValue::from_static(coding.name());
        head.headers.insert(CONTENT_ENCODING, name);
    }
    Response::from_parts(head, body)
}

fn compressed(
    coding: Coding,
    bytes: &Bytes,
    memory: &Arc<Memory>,
) -> Result<AnswerBody, Uncompressed> {
    if bytes.len() > LARGE {
        let compressor = HeldCompressor::new(coding, Some(bytes.len()), memory)?;
        return Ok(AnswerBody::pieces(compressor, bytes.clone()));
    }
    let mut compressor = Compressor::new(coding.into(), Some(bytes.len()))?;
    compressor.write(bytes)?;
    Ok(AnswerBody::Whole(compressor.finish()?.into()))
}

fn tell(error: &Uncompressed, coding: Coding) {
    match error {
        Uncompressed::Failed(error) => {
            tracing::warn!(%error, ?coding, "an answer is sent without compression");
        }
        // The metrics tell how much answers hold.
        Uncompressed::NoMemory(error) => {
            tracing::debug!(%error, ?coding, "an answer is sent without compression");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use hyper::body::Body;

    use super::*;

    const LENGTH: usize = 1 << 20;

    fn finished(readable: Readable, memory: &Arc<Memory>) -> Response {
        let bytes = Bytes::from(vec![b' '; LENGTH]);
        compress(Response::new(AnswerBody::Whole(bytes)), readable, 1, memory)
    }

    /// How many bytes are sent.
    fn send(mut body: AnswerBody) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut sent = 0;
        loop {
            match Pin::new(&mut body).poll_frame(&mut context) {
                Poll::Ready(Some(frame)) => sent += frame.unwrap().into_data().unwrap().len(),
                Poll::Ready(None) => return sent,
                // Others have their turn.
                Poll::Pending => {}
            }
        }
    }

    #[test]
    fn a_compressor_holds_its_memory_until_its_answer_is_sent() {
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            let memory = Memory::new(16 << 20);
            let responses = [(); 3].map(|()| finished(Readable::Either(coding), &memory));
            assert_eq!(memory.held(), 3 * state_bytes(coding.into()));
            for (sent, response) in responses.into_iter().enumerate() {
                assert_eq!(response.headers()[CONTENT_ENCODING], coding.name());
                let left = 2 - sent as u64;
                match sent {
                    // A client that goes away.
                    1 => drop(response),
                    _ => assert!(send(response.into_body()) < LENGTH / 100),
                }
                assert_eq!(memory.held(), left * state_bytes(coding.into()));
            }
        }
    }

    #[test]
    fn without_memory_for_a_compressor_an_answer_is_sent_as_it_is() {
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            let memory = Memory::new(state_bytes(coding.into()));
            let one = finished(Readable::Either(coding), &memory);
            for readable in [Readable::Either(coding), Readable::Compressed(coding)] {
                let other = finished(readable, &memory);
                assert_eq!(other.headers().get(CONTENT_ENCODING), None);
                assert_eq!(send(other.into_body()), LENGTH);
            }
            drop(one);
            assert_eq!(memory.held(), 0);
        }
    }
}
