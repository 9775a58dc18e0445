//! The body of an answer that is sent while it is made.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::{Rest, SentPiece};
use graphql::ErrorCode;
use hyper::StatusCode;
use hyper::body::Frame;
use tokio::time::{Sleep, sleep};

use super::compress::HeldCompressor;
use super::exchange::{Exchange, Outcome};
use crate::memory;
use crate::request_id::RequestId;

/// What was written of an answer, and what writes the rest.
///
/// The status is sent with the first bytes. What goes wrong later and cannot be told at the
/// answer's end ends the connection, so that nobody takes a part of an answer for the whole.
#[derive(Debug)]
pub(super) struct StreamedBody {
    /// Not sent yet.
    first: Option<Bytes>,
    rest: Box<Rest>,
    compressor: Option<HeldCompressor>,
    watched: Option<Watched>,
    is_ended: bool,
    /// Of the answer before it is compressed.
    bytes: u64,
}

/// Who is told how it ends.
#[derive(Debug)]
struct Watched {
    exchange: Box<Exchange>,
    status: StatusCode,
    id: Option<RequestId>,
    /// Rings when the database was waited for for too long.
    alarm: Pin<Box<Sleep>>,
    patience: StreamPatience,
    /// When the client last took something; none while the database is waited for.
    taken: Option<Instant>,
}

/// How long is waited for more of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamPatience {
    pub(super) database: Duration,
    pub(super) client: Duration,
}

impl StreamedBody {
    pub(super) fn new(first: Bytes, rest: Box<Rest>) -> Self {
        // What was made of it before it proved long.
        memory::give_back();
        let (first, compressor, watched) = (Some(first), None, None);
        Self { first, rest, compressor, watched, is_ended: false, bytes: 0 }
    }

    /// Compresses the answer while it is sent.
    pub(super) fn compress(&mut self, compressor: HeldCompressor) {
        self.compressor = Some(compressor);
    }

    /// Tells the exchange how the answer ends.
    pub(super) fn watch(
        &mut self,
        exchange: Exchange,
        status: StatusCode,
        patience: StreamPatience,
    ) {
        self.watched = Some(Watched {
            exchange: Box::new(exchange),
            status,
            id: RequestId::current(),
            alarm: Box::pin(sleep(patience.database)),
            patience,
            taken: Some(Instant::now()),
        });
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.watched.as_ref().and_then(|watched| watched.id) {
            Some(id) => id.run(|| self.poll_scoped(context)),
            None => self.poll_scoped(context),
        }
    }

    fn poll_scoped(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        loop {
            if self.is_ended {
                return Poll::Ready(None);
            }
            let piece = match self.first.take() {
                Some(first) => Ok(Some(first)),
                None => ready!(self.poll_rest(context)),
            };
            if let Ok(Some(piece)) = &piece {
                self.bytes += piece.len() as u64;
            }
            let is_last = !matches!(piece, Ok(Some(_)));
            let sent = piece.and_then(|piece| compressed(&mut self.compressor, piece));
            if is_last || sent.is_err() {
                self.end(if sent.is_ok() { Outcome::Sent } else { Outcome::Broken });
            }
            match sent {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    /// The next bytes of the answer; none at its end.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        let mut unwatched = Vec::new();
        let watched = self.watched.as_mut();
        let codes = watched.map_or(&mut unwatched, |watched| &mut watched.exchange.report.codes);
        let polled = self.rest.poll_next(context, codes);
        let Some(watched) = &mut self.watched else {
            return polled.map(|next| next.transpose().map_err(io::Error::other).map(piece));
        };
        match polled {
            Poll::Ready(next) => {
                let now = Instant::now();
                watched.taken = Some(now);
                watched.alarm.as_mut().reset((now + watched.patience.database).into());
                Poll::Ready(next.transpose().map_err(io::Error::other).map(piece))
            }
            Poll::Pending => {
                watched.taken = None;
                ready!(watched.alarm.as_mut().poll(context));
                watched.exchange.report.codes.push(ErrorCode::Timeout);
                let most = watched.patience.database;
                tracing::warn!(?most, "an answer breaks off: the data source gave no more of it");
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn end(&mut self, outcome: Outcome) {
        self.is_ended = true;
        if let Some(Watched { mut exchange, status, .. }) = self.watched.take() {
            exchange.response_bytes = self.bytes;
            exchange.streamed(outcome);
            exchange.end(status);
        }
    }
}

fn piece(next: Option<SentPiece>) -> Option<Bytes> {
    next.map(|SentPiece { bytes, held }| memory::answer(bytes, held))
}

/// What is sent for a piece, or for the end of all pieces.
fn compressed(held: &mut Option<HeldCompressor>, piece: Option<Bytes>) -> io::Result<Bytes> {
    match (held.take(), piece) {
        (None, piece) => Ok(piece.unwrap_or_default()),
        (Some(mut used), Some(piece)) => {
            used.compressor.write(&piece)?;
            // The client has all that there is so far.
            used.compressor.flush()?;
            let compressed = used.compressor.take();
            *held = Some(used);
            Ok(compressed.into())
        }
        (Some(used), None) => used.compressor.finish().map(Bytes::from),
    }
}

/// A client that does not wait for the end of its answer ends it here.
impl Drop for StreamedBody {
    fn drop(&mut self) {
        let Some(Watched { mut exchange, id, patience, taken, .. }) = self.watched.take() else {
            return;
        };
        exchange.response_bytes = self.bytes;
        // The buffers on the way go on to be filled for a while after it has taken its last bytes.
        let has_stalled = taken.is_some_and(|taken| taken.elapsed() >= patience.client / 2);
        exchange.streamed(if has_stalled { Outcome::Stalled } else { Outcome::Left });
        match id {
            Some(id) => id.run(|| drop(exchange)),
            None => drop(exchange),
        }
    }
}
