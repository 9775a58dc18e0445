//! Bodies of responses over HTTP/2.
//!
//! The HTTP library keeps the parts of a response until the client lets it send them. Each part tells
//! the state of its stream when it was written, so that the timeouts notice a client that does not read.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};

use super::overhead::PendingAnswer;
use crate::http::answer_body::AnswerBody;
use crate::http::timeouts::ConnectionState;

#[derive(Debug)]
pub(super) struct StreamBody {
    body: AnswerBody,
    stream: Rc<ConnectionState>,
    pending: PendingAnswer,
}

/// A part of a response.
#[derive(Debug)]
pub(super) struct Part {
    bytes: Bytes,
    stream: Rc<ConnectionState>,
}

impl StreamBody {
    pub(super) fn new(
        body: AnswerBody,
        stream: Rc<ConnectionState>,
        mut pending: PendingAnswer,
    ) -> Self {
        if body.is_end_stream() {
            pending.complete();
        }
        Self { body, stream, pending }
    }
}

impl Part {
    fn new(bytes: Bytes, stream: &Rc<ConnectionState>) -> Self {
        stream.hand_over(bytes.len());
        Self { bytes, stream: Rc::clone(stream) }
    }
}

impl Body for StreamBody {
    type Data = Part;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Part>>>> {
        let Self { body, stream, pending } = self.get_mut();
        let polled = Pin::new(&mut *body).poll_frame(cx);
        if polled.is_ready() && body.is_end_stream() {
            pending.complete();
        }
        polled.map_ok(|frame| frame.map_data(|bytes| Part::new(bytes, stream)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Buf for Part {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.stream.sent(count);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.bytes.is_empty() {
            self.stream.sent(self.bytes.len());
        }
    }
}
