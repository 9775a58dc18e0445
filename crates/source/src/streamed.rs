//! Streamed answers: another thread writes them, and the request takes their bytes from a bounded
//! channel. So a slow reader blocks the thread (backpressure), and one that disconnects ends it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use response::{Outlet, Refused, SentPiece, Written};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::error::{ExecuteError, SourceError, SourceErrorKind};
use crate::statistics::{Counter, Gauge};

/// Most pieces of an answer in the channel from the thread to the request.
const PIECES: usize = 2;

/// The delivery of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As a whole.
    Whole,
    /// In parts if it is long.
    Streamed(Sizes),
}

/// From which size on answers are long, and in which portions they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Largest answer that is built as a whole before anything of it is sent: it has a length, its
    /// errors are known, and a slow reader holds nothing in the database. With zero bytes, every
    /// answer is streamed.
    pub whole: usize,
    /// Most rows of a root field that are read at once.
    pub rows: u32,
}

impl Delivery {
    /// Whether even the shortest answer is streamed.
    #[must_use]
    pub fn is_always_streamed(&self) -> bool {
        matches!(self, Self::Streamed(Sizes { whole: 0, .. }))
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self { whole: 1 << 20, rows: 8_192 }
    }
}

/// The result of an executed plan.
#[derive(Debug)]
pub enum Executed {
    Whole(Written<SourceError>),
    Streamed(Streamed),
}

/// An answer with its first bytes.
#[derive(Debug)]
pub struct Streamed {
    pub first: SentPiece,
    pub rest: Rest,
}

/// The rest of an answer that is sent while it is made. Dropping it ends the statement.
#[derive(Debug)]
pub struct Rest {
    pieces: mpsc::Receiver<SentPiece>,
    end: End,
}

/// The thread that makes an answer.
#[derive(Debug)]
pub struct End {
    ended: oneshot::Receiver<Result<Written<SourceError>, ExecuteError>>,
    _abandoner: Box<dyn fmt::Debug + Send>,
}

/// Sets the flag of an abandoned request. Has no effect on a run that has ended.
#[derive(Debug, Default)]
pub struct Abandoner(Arc<Abandoned>);

/// The flag of an abandoned request.
#[derive(Debug, Default)]
pub struct Abandoned {
    flag: AtomicBool,
    notify: Notify,
}

/// A part of an answer.
#[derive(Debug)]
pub enum Part {
    Piece(SentPiece),
    End(Result<Written<SourceError>, ExecuteError>),
}

/// Places of streamed answers: half of a thread's connections, so that slow readers leave the
/// others to short requests.
#[derive(Debug)]
pub struct Places {
    permits: Arc<Semaphore>,
    acquire_timeout: Duration,
    /// Whether there is no place: the thread has too few connections.
    are_none: bool,
}

/// Sends an answer's bytes to its request, if it has a place.
#[derive(Debug)]
struct Pieces {
    sender: mpsc::Sender<SentPiece>,
    place: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub fn new(connections: usize, acquire_timeout: Duration) -> Self {
        let most = (connections / 2).min(Semaphore::MAX_PERMITS);
        Self { permits: Arc::new(Semaphore::new(most)), acquire_timeout, are_none: most == 0 }
    }

    pub fn are_none(&self) -> bool {
        self.are_none
    }

    /// A place, if there is a free one.
    pub fn try_enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    /// Waits for a place.
    pub async fn enter(&self, counter: &Counter) -> Result<OwnedSemaphorePermit, SourceError> {
        let _waiting = counter.hold(Gauge::Waiting);
        let started = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        match timeout(self.acquire_timeout, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            // The semaphore is never closed; if it were, no place would become free.
            Ok(Err(_)) | Err(_) => {
                counter.acquired(false, started.elapsed());
                let milliseconds = self.acquire_timeout.as_millis();
                let message = format!("no long answer ended within {milliseconds} ms");
                Err(SourceError::new(SourceErrorKind::Busy, message))
            }
        }
    }
}

/// A channel for an answer. Without a place nothing is sent: an answer that proves long begins
/// again with one, in small pieces, as do those that are known to be long.
pub fn channel(
    place: Option<OwnedSemaphorePermit>,
) -> (Box<dyn Outlet>, mpsc::Receiver<SentPiece>) {
    let (sender, receiver) = mpsc::channel(PIECES);
    (Box::new(Pieces { sender, place }), receiver)
}

impl Outlet for Pieces {
    fn send(&mut self, piece: SentPiece) -> Result<(), Refused> {
        if self.place.is_none() {
            return Err(Refused::NoPlace);
        }
        self.sender.blocking_send(piece).map_err(|_| Refused::Unread)
    }
}

impl Abandoned {
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Ends when the request has gone away.
    pub async fn wait(&self) {
        self.notify.notified().await;
    }
}

impl Abandoner {
    /// The flag for the other thread.
    pub fn flag(&self) -> Arc<Abandoned> {
        Arc::clone(&self.0)
    }
}

impl Drop for Abandoner {
    fn drop(&mut self) {
        self.0.flag.store(true, Ordering::Relaxed);
        // One task waits at most; a later one finds the stored permit.
        self.0.notify.notify_one();
    }
}

impl End {
    /// Dropping `abandoner` sets the flag of an abandoned request.
    pub fn new(
        ended: oneshot::Receiver<Result<Written<SourceError>, ExecuteError>>,
        abandoner: impl fmt::Debug + Send + 'static,
    ) -> Self {
        Self { ended, _abandoner: Box::new(abandoner) }
    }

    /// Waits until the answer is complete, or begins to be streamed.
    pub async fn begin(
        self,
        mut pieces: mpsc::Receiver<SentPiece>,
    ) -> Result<Executed, ExecuteError> {
        let first = pieces.recv().await;
        self.begun(first, pieces).await
    }

    /// Waits until it is known whether the answer is streamed.
    pub async fn begun(
        mut self,
        first: Option<SentPiece>,
        pieces: mpsc::Receiver<SentPiece>,
    ) -> Result<Executed, ExecuteError> {
        match first {
            Some(first) => {
                Ok(Executed::Streamed(Streamed { first, rest: Rest { pieces, end: self } }))
            }
            None => {
                let ended = (&mut self.ended).await;
                ended.unwrap_or_else(|_| Err(died().into())).map(Executed::Whole)
            }
        }
    }
}

impl Rest {
    /// The next part; none follows the end.
    pub fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Part> {
        if let Some(piece) = ready!(self.pieces.poll_recv(context)) {
            return Poll::Ready(Part::Piece(piece));
        }
        let ended = std::pin::Pin::new(&mut self.end.ended);
        let ended = ready!(ended.poll(context));
        Poll::Ready(Part::End(ended.unwrap_or_else(|_| Err(died().into()))))
    }
}

/// The error of a thread that ended without a result: it has panicked.
pub fn died() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "the thread that made the answer has died")
}
