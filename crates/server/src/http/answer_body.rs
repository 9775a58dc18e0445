//! Response bodies: in memory, compressed chunk by chunk while they are sent, or streamed while they
//! are made.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};

use super::compress::ReservedCompressor;
use super::event_body::EventBody;
use super::streamed_body::StreamedBody;

/// Bytes that are compressed before the task yields: some tenths of a millisecond.
const PIECE: usize = 64 * 1024;

/// The largest write of a body in memory: the kernel would copy megabytes in one call.
const MOST_AT_ONCE: usize = 256 * 1024;

#[derive(Debug)]
pub(super) enum AnswerBody {
    Whole(Bytes),
    Compressed(Box<Pieces>),
    Streamed(Box<StreamedBody>),
    /// The responses of a subscription.
    Events(Box<EventBody>),
}

/// A body whose rest is still to be compressed.
#[derive(Debug)]
pub(super) struct Pieces {
    /// None when all is compressed.
    compressor: Option<ReservedCompressor>,
    rest: Bytes,
    /// Whether the task has yielded since the last chunk.
    rested: bool,
}

impl AnswerBody {
    pub(super) fn pieces(compressor: ReservedCompressor, bytes: Bytes) -> Self {
        Self::Compressed(Box::new(Pieces {
            compressor: Some(compressor),
            rest: bytes,
            rested: true,
        }))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => {
                let piece = bytes.split_to(bytes.len().min(MOST_AT_ONCE));
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Self::Compressed(pieces) => pieces.poll(context),
            Self::Streamed(streamed) => streamed.poll(context),
            Self::Events(stream) => stream.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Compressed(pieces) => pieces.compressor.is_none(),
            Self::Streamed(streamed) => streamed.is_ended(),
            Self::Events(stream) => stream.is_ended(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Compressed(_) | Self::Streamed(_) | Self::Events(_) => SizeHint::default(),
        }
    }
}

impl Pieces {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        while let Some(mut used) = self.compressor.take() {
            if !self.rested {
                self.rested = true;
                self.compressor = Some(used);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.rested = false;
            let piece = self.rest.slice(..self.rest.len().min(PIECE));
            self.rest.advance(piece.len());
            let written = used.compressor.write(&piece);
            let compressed = match self.rest.is_empty() {
                true => written.and_then(|()| used.compressor.finish()),
                false => written.map(|()| {
                    let compressed = used.compressor.take();
                    self.compressor = Some(used);
                    compressed
                }),
            };
            match compressed {
                // The compressor has buffered the chunk and produced no output yet.
                Ok(compressed) if compressed.is_empty() => {}
                Ok(compressed) => return Poll::Ready(Some(Ok(Frame::data(compressed.into())))),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn a_large_answer_is_sent_in_pieces_and_whole() {
        let mut context = Context::from_waker(Waker::noop());
        for length in [0, 1, MOST_AT_ONCE, MOST_AT_ONCE + 1, 5 << 20] {
            let bytes: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
            let mut body = AnswerBody::Whole(bytes.clone().into());
            let mut sent = Vec::new();
            while !body.is_end_stream() {
                assert_eq!(body.size_hint().exact(), Some((length - sent.len()) as u64));
                let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context)
                else {
                    panic!("nothing is waited for");
                };
                let piece = frame.into_data().unwrap();
                assert!(!piece.is_empty() && piece.len() <= MOST_AT_ONCE);
                sent.extend_from_slice(&piece);
            }
            assert!(sent == bytes);
        }
    }
}
