//! The tasks of streams.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use hyper::rt::Executor;
use tokio::task::spawn_local;

use crate::http::timeouts::ConnectionState;
use crate::http::transport::Peer;

/// Runs the futures of the HTTP library: one for each stream of a connection, which makes and sends the
/// response.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    peer: Peer,
    /// The stream whose future comes next: the HTTP library first calls the service with a request, and
    /// then executes the future of its stream.
    prepared: Rc<RefCell<Option<Rc<ConnectionState>>>>,
}

impl Tasks {
    pub(super) fn new(peer: Peer) -> Self {
        Self { peer, prepared: Rc::default() }
    }

    pub(super) fn prepare(&self, stream: &Rc<ConnectionState>) {
        self.prepared.replace(Some(Rc::clone(stream)));
    }
}

impl<F: Future<Output = ()> + 'static> Executor<F> for Tasks {
    fn execute(&self, future: F) {
        let prepared = self.prepared.take();
        match prepared {
            Some(stream) => drop(spawn_local(run(stream, self.peer, future))),
            None => drop(spawn_local(future)),
        }
    }
}

/// Runs the future of a stream. The client does not read its response if it is dropped before its end,
/// which resets the stream.
async fn run(stream: Rc<ConnectionState>, peer: Peer, future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    let has_stalled = poll_fn(|cx| {
        if stream.is_cut() {
            return Poll::Ready(true);
        }
        stream.keep_waker(cx.waker());
        future.as_mut().poll(cx).map(|()| false)
    });
    if has_stalled.await {
        tracing::info!(%peer, "stream reset: the client does not read its response");
    }
    stream.end_task();
}
