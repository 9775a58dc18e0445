//! Streamed response bodies: sent while they are made.
//!
//! The HTTP library polls for the next part when it has written the previous ones, so the database is read
//! at the pace of the client (backpressure).

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::{Rest, SentPiece};
use graphql::ErrorCode;
use hyper::StatusCode;
use hyper::body::Frame;
use tokio::time::{Sleep, sleep};

use super::compress::ReservedCompressor;
use super::exchange::{Exchange, Outcome};
use super::timeouts::ConnectionState;
use crate::memory;
use crate::request_id::RequestScope;

/// A response of which only the first part is written.
///
/// The status is sent with the first bytes. An error that cannot be reported at the end of the
/// response breaks the connection, so that no client takes a part of a response for the whole.
#[derive(Debug)]
pub(super) struct StreamedBody {
    /// The first part, until it is sent.
    first: Option<Bytes>,
    rest: Box<Rest>,
    compressor: Option<ReservedCompressor>,
    recorded: Option<Recorded>,
    is_ended: bool,
    /// Sent bytes before compression.
    bytes: u64,
}

/// The record of the request, with the timeouts of the stream.
#[derive(Debug)]
struct Recorded {
    exchange: Box<Exchange>,
    status: StatusCode,
    scope: Option<RequestScope>,
    /// The timer of waiting for the database.
    alarm: Pin<Box<Sleep>>,
    /// The longest wait for the database.
    patience: Duration,
    connection: Rc<ConnectionState>,
}

impl StreamedBody {
    pub(super) fn new(first: Bytes, rest: Box<Rest>) -> Self {
        // Returns memory of the first part, which has grown large.
        memory::give_back();
        let (first, compressor, recorded) = (Some(first), None, None);
        Self { first, rest, compressor, recorded, is_ended: false, bytes: 0 }
    }

    /// Compresses the body while it is sent.
    pub(super) fn compress(&mut self, compressor: ReservedCompressor) {
        self.compressor = Some(compressor);
    }

    /// Records the end of the response in the exchange.
    pub(super) fn record(
        &mut self,
        exchange: Exchange,
        status: StatusCode,
        patience: Duration,
        connection: Rc<ConnectionState>,
    ) {
        self.recorded = Some(Recorded {
            exchange: Box::new(exchange),
            status,
            scope: RequestScope::current(),
            alarm: Box::pin(sleep(patience)),
            patience,
            connection,
        });
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.recorded.as_ref().and_then(|recorded| recorded.scope) {
            Some(scope) => scope.run(|| self.poll_scoped(context)),
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

    /// The next bytes of the body; none at its end.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        let mut unrecorded = Vec::new();
        let recorded = self.recorded.as_mut();
        let codes =
            recorded.map_or(&mut unrecorded, |recorded| &mut recorded.exchange.report.codes);
        let polled = self.rest.poll_next(context, codes);
        let Some(recorded) = &mut self.recorded else {
            return polled.map(|next| next.transpose().map_err(io::Error::other).map(piece));
        };
        match polled {
            Poll::Ready(next) => {
                recorded.alarm.as_mut().reset((Instant::now() + recorded.patience).into());
                Poll::Ready(next.transpose().map_err(io::Error::other).map(piece))
            }
            Poll::Pending => {
                ready!(recorded.alarm.as_mut().poll(context));
                recorded.exchange.report.codes.push(ErrorCode::Timeout);
                let most = recorded.patience;
                tracing::warn!(?most, "an answer breaks off: the data source gave no more of it");
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn end(&mut self, outcome: Outcome) {
        self.is_ended = true;
        if let Some(Recorded { mut exchange, status, .. }) = self.recorded.take() {
            exchange.response_bytes = self.bytes;
            exchange.record_outcome(outcome);
            exchange.end(status);
        }
    }
}

fn piece(next: Option<SentPiece>) -> Option<Bytes> {
    next.map(|SentPiece { bytes, held }| memory::answer(bytes, held))
}

/// Compresses a chunk, or the end of the body.
fn compressed(held: &mut Option<ReservedCompressor>, piece: Option<Bytes>) -> io::Result<Bytes> {
    match (held.take(), piece) {
        (None, piece) => Ok(piece.unwrap_or_default()),
        (Some(mut used), Some(piece)) => {
            used.compressor.write(&piece)?;
            // The client gets all that is available so far.
            used.compressor.flush()?;
            let compressed = used.compressor.take();
            *held = Some(used);
            Ok(compressed.into())
        }
        (Some(used), None) => used.compressor.finish().map(Bytes::from),
    }
}

/// Records a client that disconnected before the end of its response.
impl Drop for StreamedBody {
    fn drop(&mut self) {
        let Some(Recorded { mut exchange, scope, connection, .. }) = self.recorded.take() else {
            return;
        };
        exchange.response_bytes = self.bytes;
        let outcome = if connection.has_stalled() { Outcome::Stalled } else { Outcome::Left };
        exchange.record_outcome(outcome);
        match scope {
            Some(scope) => scope.run(|| drop(exchange)),
            None => drop(exchange),
        }
    }
}
