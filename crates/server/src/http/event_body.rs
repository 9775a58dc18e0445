//! The body of a response that is sent for as long as a subscription runs.

use std::fmt;
use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::{LocalBoxStream, Stream, StreamExt};
use hyper::body::Frame;

pub(super) struct EventBody {
    frames: LocalBoxStream<'static, Bytes>,
    is_ended: bool,
}

impl EventBody {
    pub(super) fn new(frames: impl Stream<Item = Bytes> + 'static) -> Self {
        Self { frames: frames.boxed_local(), is_ended: false }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.frames.as_mut().poll_next(context).map(|frame| {
            self.is_ended = frame.is_none();
            frame.map(|bytes| Ok(Frame::data(bytes)))
        })
    }
}

impl fmt::Debug for EventBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBody").field("is_ended", &self.is_ended).finish_non_exhaustive()
    }
}
