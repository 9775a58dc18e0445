//! One connection, from its first byte to its last.
//!
//! Each connection is a task: a failure in it, a panic included, ends only that connection. When the
//! client disconnects, its task ends, and with it the request.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1::{self, Parts};
use hyper::service::service_fn;
use hyper::{StatusCode, Version};
use hyper_util::rt::TokioIo;
use tokio::task::spawn_local;

use super::acceptor::Client;
use super::clients::ConnectionPermit;
use super::closing;
use super::connection_context::ConnectionContext;
use super::connections::Connections;
use super::http2;
use super::monitored_transport::MonitoredTransport;
use super::open_connection::OpenConnection;
use super::refusal::Refusal;
use super::route;
use super::service::Current;
use super::sockets;
use super::timeouts::{CloseReason, ConnectionState, Phase, run_with_timeouts};
use super::tls::{self, HandshakeError, accept_tls};
use super::transport::{Peer, Transport};
use crate::options::LoggedRequests;

/// The buffer of the HTTP library unless heads may be larger. Up to this size it buffers chunks of a
/// long response, for as long as a slow reader takes.
const USUAL_BUFFER: usize = 64 * 1024;

/// The body of a response, until all of it was handed over for writing.
#[derive(Debug)]
struct Sent<B> {
    body: B,
    state: Rc<ConnectionState>,
}

/// Answers the requests of one client.
pub(super) async fn serve(
    current: Current,
    connections: Rc<Connections>,
    Client { transport, peer, purpose }: Client,
    permit: ConnectionPermit,
) {
    let entry = connections.enter();
    let state = Rc::clone(&entry.state);
    let timeouts = || current.get().settings.timeouts;
    let http2 = current.get().settings.http2;
    let mut transport = match (transport, current.tls()) {
        (Transport::Tcp(stream), Some(tls)) => {
            let mut handshake = pin!(accept_tls(tls, stream));
            match run_with_timeouts(&state, timeouts, &mut handshake).await {
                Ok(Ok(stream)) => Transport::Tls(stream),
                Ok(Err(error)) => return end_handshake(&current, error, peer).await,
                Err(_) => return,
            }
        }
        (transport, _) => transport,
    };
    // The header timeout of the first request begins when it can be sent.
    state.enter(Phase::New);
    let context = Rc::new(ConnectionContext {
        peer,
        version: Version::HTTP_11,
        purpose,
        state: Rc::clone(&state),
        current: current.clone(),
        handshake: RefCell::default(),
        client_address: Cell::default(),
    });
    let (version, received) = match (&transport, http2) {
        (Transport::Tls(stream), Some(_)) => match stream.get_ref().1.alpn_protocol() {
            Some(tls::HTTP_2) => (http2::Version::Http2, Vec::new()),
            Some(_) | None => (http2::Version::Http1, Vec::new()),
        },
        (Transport::Tcp(_) | Transport::Unix(_), Some(_)) => {
            let detected = {
                let mut detecting = pin!(http2::detect(&mut transport, &state));
                run_with_timeouts(&state, timeouts, &mut detecting).await
            };
            match detected {
                Ok(Ok(detected)) => detected,
                Ok(Err(error)) => return tracing::debug!(%error, %peer, "a connection ended early"),
                Err(reason) => return close_early(&current, transport, peer, reason).await,
            }
        }
        (_, None) => (http2::Version::Http1, Vec::new()),
    };
    if let (http2::Version::Http2, Some(settings)) = (version, http2) {
        let open = OpenConnection { entry, permit, context };
        // A task of its own, without the space of an HTTP/1 connection.
        spawn_local(http2::serve(open, transport, received, settings));
        return;
    }
    let service = service_fn(|request| {
        state.enter(Phase::Working);
        let service = current.get();
        let context = Rc::clone(&context);
        async move {
            let mut response = route::answer(&service, request, &context).await;
            let state = Rc::clone(&context.state);
            let is_last = state.is_stopping() || state.is_evicted();
            if is_last && response.status() != StatusCode::SWITCHING_PROTOCOLS {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Sent { body, state }))
        }
    });
    let max_header_size = current.get().settings.max_header_size;
    let watched = MonitoredTransport::new(transport, received, Rc::clone(&state));
    let mut connection = http1::Builder::new()
        .header_read_timeout(None)
        .max_header_size(max_header_size)
        .max_buf_size(max_header_size.max(USUAL_BUFFER))
        // Vectored writes: the parts of a response are never copied together.
        .writev(true)
        .serve_connection(TokioIo::new(watched), service);
    let ended = run_with_timeouts(&state, timeouts, &mut connection).await;
    // Another client waits for the permit of an evicted connection, which is released before the last
    // response is sent.
    let permit = (!state.is_evicted()).then_some(permit);

    let Parts { io, read_buf, .. } = connection.into_parts();
    let mut watched = io.into_inner();
    if let (Ok(Ok(())), Some(headers)) = (&ended, context.handshake.take()) {
        // A task of its own, without the space and the buffers of an HTTP connection.
        let received = read_buf.to_vec();
        let socket = async move {
            let _open = (entry, permit);
            sockets::serve(&context, *headers, watched, received).await;
        };
        spawn_local(socket);
        return;
    }
    let refusal = match &ended {
        Ok(Err(error)) if error.is_parse() && !watched.is_at_end => {
            Some(match watched.refusal.as_ref() {
                Some(b"431") => Refusal::HeadTooLarge { most_bytes: max_header_size },
                Some(b"414") => Refusal::TargetTooLong,
                Some(_) | None => Refusal::NoHttp,
            })
        }
        Err(CloseReason::HeadTimeout) => Some(Refusal::HeadTimeout),
        Ok(_) | Err(CloseReason::Idle | CloseReason::Stalled) => None,
    };
    if let Some(refusal) = refusal {
        return refuse(&current, &mut watched.transport, peer, &refusal).await;
    }
    match ended {
        Ok(Ok(())) if !watched.is_at_end => closing::close(&mut watched.transport).await,
        Ok(Ok(())) => {}
        // Clients disconnect at any time.
        Ok(Err(error)) => tracing::debug!(%error, %peer, "a connection ended early"),
        Err(CloseReason::Stalled) => context.reset_stalled(&watched.transport),
        Err(CloseReason::Idle | CloseReason::HeadTimeout) => {
            closing::close_idle(&mut watched.transport).await
        }
    }
}

/// Closes a connection before the version of HTTP is known.
async fn close_early(current: &Current, mut transport: Transport, peer: Peer, reason: CloseReason) {
    match reason {
        CloseReason::HeadTimeout => {
            refuse(current, &mut transport, peer, &Refusal::HeadTimeout).await;
        }
        CloseReason::Idle | CloseReason::Stalled => closing::close_idle(&mut transport).await,
    }
}

/// Refuses a request before there is one, and closes.
async fn refuse(current: &Current, transport: &mut Transport, peer: Peer, refusal: &Refusal) {
    log_refusal(current, peer, refusal);
    current.get().count_refused(refusal);
    closing::send_and_close(transport, &closing::response(refusal)).await;
}

/// Logs a refusal that came before there was a request, if failed requests are logged.
fn log_refusal(current: &Current, peer: Peer, refusal: &Refusal) {
    if current.get().settings.logging.requests != LoggedRequests::None {
        tracing::info!(%peer, status = refusal.status().as_u16(), ?refusal, "request refused");
    }
}

async fn end_handshake(current: &Current, error: HandshakeError, peer: Peer) {
    match error {
        HandshakeError::PlainHttp(stream) => {
            refuse(current, &mut Transport::Tcp(stream), peer, &Refusal::NoTls).await;
        }
        HandshakeError::Failed(error) => {
            tracing::debug!(%error, %peer, "the TLS handshake failed");
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

/// The HTTP library drops a body when it has written all of it to its buffer.
impl<B> Drop for Sent<B> {
    fn drop(&mut self) {
        self.state.enter(Phase::Answering);
    }
}
