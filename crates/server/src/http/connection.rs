//! One connection, from its first byte to its last.
//!
//! Each is a task of its own: what goes wrong in one, a panic included, ends only that one. A
//! client that goes away ends its task, and with it the request.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

use super::clients::Seat;
use super::door::Door;
use super::farewell;
use super::progress::{Phase, Progress, Verdict, supervise};
use super::respond::Refusal;
use super::route;
use super::service::Current;
use super::tls::{HandshakeError, agree};
use super::transport::{Peer, Transport};
use super::watched::Watched;
use crate::options::LoggedRequests;

/// The buffer of the HTTP library unless heads may be larger. It takes pieces of a long answer until
/// it has so much of them, which a slow reader makes it keep.
const USUAL_BUFFER: usize = 64 * 1024;

/// The body of an answer, until all of it is on its way.
#[derive(Debug)]
struct Sent<B> {
    body: B,
    progress: Rc<Progress>,
}

/// Answers the requests of one client.
pub(super) async fn attend(door: Rc<Door>, transport: Transport, peer: Peer, seat: Seat) {
    let entry = door.connections.enter();
    let progress = Rc::clone(&entry.progress);
    let current = door.current.clone();
    let patience = || current.get().settings.patience;
    let transport = match (transport, door.tls()) {
        (Transport::Tcp(stream), Some(tls)) => {
            let mut handshake = pin!(agree(tls, stream));
            match supervise(&progress, patience, &mut handshake).await {
                Ok(Ok(stream)) => Transport::Tls(stream),
                Ok(Err(error)) => return end_handshake(&current, error, peer).await,
                Err(_) => return,
            }
        }
        (transport, _) => transport,
    };
    // The time of the first request begins with the first moment in which it can be sent.
    progress.enter(Phase::New);
    let service = service_fn(|request| {
        progress.enter(Phase::Working);
        let service = current.get();
        let progress = Rc::clone(&progress);
        async move {
            let mut response = route::answer(&service, request, peer, &progress).await;
            if progress.is_stopping() || progress.is_evicted() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Sent { body, progress }))
        }
    });
    let max_header_size = current.get().settings.max_header_size;
    let watched = Watched::new(transport, Rc::clone(&progress));
    let mut connection = http1::Builder::new()
        .header_read_timeout(None)
        .max_header_size(max_header_size)
        .max_buf_size(max_header_size.max(USUAL_BUFFER))
        // The parts of an answer are never copied together, whatever carries them.
        .writev(true)
        .serve_connection(TokioIo::new(watched), service);
    let ended = supervise(&progress, patience, &mut connection).await;
    if progress.is_evicted() {
        // Somebody waits for the place: last words are said without one.
        drop(seat);
    }

    let mut watched = connection.into_parts().io.into_inner();
    let refusal = match &ended {
        Ok(Err(error)) if error.is_parse() && !watched.is_at_end => {
            Some(match watched.refusal.as_ref() {
                Some(b"431") => Refusal::HeadTooLarge { most_bytes: max_header_size },
                Some(b"414") => Refusal::TargetTooLong,
                Some(_) | None => Refusal::NoHttp,
            })
        }
        Err(Verdict::HeadTimeout) => Some(Refusal::HeadTimeout),
        Ok(_) | Err(Verdict::Unused | Verdict::Stalled) => None,
    };
    if let Some(refusal) = refusal {
        log_refusal(&current, peer, &refusal);
        current.get().count_refused(&refusal);
        return farewell::say(&mut watched.transport, &farewell::answer(&refusal)).await;
    }
    match ended {
        Ok(Ok(())) if !watched.is_at_end => farewell::part(&mut watched.transport).await,
        Ok(Ok(())) => {}
        // Clients come and go as they like.
        Ok(Err(error)) => tracing::debug!(%error, %peer, "a connection ended early"),
        Err(Verdict::Stalled) => {
            let patience = patience().stall;
            tracing::info!(%peer, ?patience, "a client that does not read its answer is let go");
            watched.transport.reset();
        }
        Err(Verdict::Unused | Verdict::HeadTimeout) => {
            farewell::leave(&mut watched.transport).await
        }
    }
}

/// What comes before there is a request has a line where requests that fail have one.
fn log_refusal(current: &Current, peer: Peer, refusal: &Refusal) {
    if current.get().settings.watch.requests != LoggedRequests::None {
        tracing::info!(%peer, status = refusal.status().as_u16(), ?refusal, "request refused");
    }
}

async fn end_handshake(current: &Current, error: HandshakeError, peer: Peer) {
    match error {
        HandshakeError::PlainHttp(stream) => {
            let refusal = Refusal::NoTls;
            log_refusal(current, peer, &refusal);
            current.get().count_refused(&refusal);
            farewell::say(&mut Transport::Tcp(stream), &farewell::answer(&refusal)).await;
        }
        HandshakeError::Failed(error) => {
            tracing::debug!(%error, %peer, "no TLS connection was agreed upon");
        }
    }
}

impl<B: Body + Unpin> Body for Sent<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The HTTP library drops a body when it has all of it.
impl<B> Drop for Sent<B> {
    fn drop(&mut self) {
        self.progress.enter(Phase::Answering);
    }
}
