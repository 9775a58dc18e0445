//! The body of an answer: whole, compressed piece by piece while it is sent, or made while it is
//! sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use clients::coding::Compressor;
use hyper::body::{Body, Frame, SizeHint};

use super::streamed_body::StreamedBody;

/// So much of a body is compressed before others have their turn: some tenths of a millisecond.
const PIECE: usize = 64 * 1024;

#[derive(Debug)]
pub(super) enum AnswerBody {
    Whole(Bytes),
    Compressed(Box<Pieces>),
    Streamed(Box<StreamedBody>),
}

/// A body of which a part is still to be compressed.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Gone when all is compressed.
    compressor: Option<Compressor>,
    rest: Bytes,
    /// Whether others had their turn since the last piece.
    rested: bool,
}

impl AnswerBody {
    pub(super) fn pieces(compressor: Compressor, bytes: Bytes) -> Self {
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
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Compressed(pieces) => pieces.poll(context),
            Self::Streamed(streamed) => streamed.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Compressed(pieces) => pieces.compressor.is_none(),
            Self::Streamed(streamed) => streamed.is_ended(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Compressed(_) | Self::Streamed(_) => SizeHint::default(),
        }
    }
}

impl Pieces {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        while let Some(mut compressor) = self.compressor.take() {
            if !self.rested {
                self.rested = true;
                self.compressor = Some(compressor);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.rested = false;
            let piece = self.rest.slice(..self.rest.len().min(PIECE));
            self.rest.advance(piece.len());
            let compressed = match self.rest.is_empty() {
                true => compressor.write(&piece).and_then(|()| compressor.finish()),
                false => compressor.write(&piece).map(|()| {
                    let compressed = compressor.take();
                    self.compressor = Some(compressor);
                    compressed
                }),
            };
            match compressed {
                // The compressor keeps some of it until it has more.
                Ok(compressed) if compressed.is_empty() => {}
                Ok(compressed) => return Poll::Ready(Some(Ok(Frame::data(compressed.into())))),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        Poll::Ready(None)
    }
}
