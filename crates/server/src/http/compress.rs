//! Compression of responses.
//!
//! A large response is compressed chunk by chunk, and its compressor lives for as long as the client
//! reads. There may be many, so each reserves its memory from the budget of all responses first. If
//! the budget is exhausted, the response is sent uncompressed, even to clients that refuse `identity`:
//! no other response is better for them. A small response is compressed at once, one at a time per
//! thread.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use clients::coding::{Compressor, state_bytes};
use engine::{MemoryBudget, MemoryReservation};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::respond::Response;
use crate::options::Coding;

/// Responses from this size on are compressed chunk by chunk while they are sent, so that they do
/// not block the thread.
const LARGE: usize = 64 * 1024;

/// A compressor with its memory reservation.
#[derive(Debug)]
pub(super) struct ReservedCompressor {
    pub(super) compressor: Compressor,
    _held: MemoryReservation,
}

/// The reason why a response is sent uncompressed.
#[derive(Debug, thiserror::Error)]
enum Uncompressed {
    #[error(transparent)]
    Failed(#[from] io::Error),
    #[error("{0}")]
    BudgetExceeded(#[from] engine::BudgetExceeded),
}

impl ReservedCompressor {
    /// A compressor for a body of this length, if it is known.
    fn new(
        coding: Coding,
        length: Option<usize>,
        memory: &Arc<MemoryBudget>,
    ) -> Result<Self, Uncompressed> {
        let coding = coding.into();
        let mut held = MemoryReservation::of(memory);
        held.grow_to(state_bytes(coding))?;
        Ok(Self { compressor: Compressor::new(coding, length)?, _held: held })
    }
}

/// Compresses a response of at least `min_size` bytes if the client accepts it.
pub(super) fn compress(
    response: Response,
    readable: Readable,
    min_size: usize,
    memory: &Arc<MemoryBudget>,
) -> Response {
    let (coding, min_size) = match readable {
        Readable::Either(coding) => (coding, min_size),
        Readable::Compressed(coding) => (coding, 1),
        Readable::Plain | Readable::Nothing => return response,
    };
    let (mut head, body) = response.into_parts();
    let (body, is_compressed) = match body {
        AnswerBody::Streamed(mut streamed) => {
            let compressor = ReservedCompressor::new(coding, None, memory);
            let is_compressed = match compressor {
                Ok(compressor) => {
                    streamed.compress(compressor);
                    true
                }
                Err(error) => {
                    log_uncompressed(&error, coding);
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
                    log_uncompressed(&error, coding);
                    (AnswerBody::Whole(bytes), false)
                }
            }
        }
        // An event would wait in the compressor for those behind it.
        body @ (AnswerBody::Whole(_) | AnswerBody::Compressed(_) | AnswerBody::Events(_)) => {
            (body, false)
        }
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
    memory: &Arc<MemoryBudget>,
) -> Result<AnswerBody, Uncompressed> {
    if bytes.len() > LARGE {
        let compressor = ReservedCompressor::new(coding, Some(bytes.len()), memory)?;
        return Ok(AnswerBody::pieces(compressor, bytes.clone()));
    }
    let mut compressor = Compressor::new(coding.into(), Some(bytes.len()))?;
    compressor.write(bytes)?;
    Ok(AnswerBody::Whole(compressor.finish()?.into()))
}

fn log_uncompressed(error: &Uncompressed, coding: Coding) {
    match error {
        Uncompressed::Failed(error) => {
            tracing::warn!(%error, ?coding, "an answer is sent without compression");
        }
        // The metrics have the memory of responses.
        Uncompressed::BudgetExceeded(error) => {
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

    fn finished(readable: Readable, memory: &Arc<MemoryBudget>) -> Response {
        let bytes = Bytes::from(vec![b' '; LENGTH]);
        compress(Response::new(AnswerBody::Whole(bytes)), readable, 1, memory)
    }

    /// Sends a body, and returns the number of bytes.
    fn send(mut body: AnswerBody) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut sent = 0;
        loop {
            match Pin::new(&mut body).poll_frame(&mut context) {
                Poll::Ready(Some(frame)) => sent += frame.unwrap().into_data().unwrap().len(),
                Poll::Ready(None) => return sent,
                // The body has yielded.
                Poll::Pending => {}
            }
        }
    }

    #[test]
    fn a_compressor_holds_its_memory_until_its_answer_is_sent() {
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            let memory = MemoryBudget::new(16 << 20);
            let responses = [(); 3].map(|()| finished(Readable::Either(coding), &memory));
            assert_eq!(memory.held(), 3 * state_bytes(coding.into()));
            for (sent, response) in responses.into_iter().enumerate() {
                assert_eq!(response.headers()[CONTENT_ENCODING], coding.name());
                let left = 2 - sent as u64;
                match sent {
                    // A client that disconnects.
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
            let memory = MemoryBudget::new(state_bytes(coding.into()));
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
