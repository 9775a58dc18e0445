//! HTTP/2: <https://www.rfc-editor.org/rfc/rfc9113>.
//!
//! A client chooses it in the TLS handshake (ALPN), or sends its preface without TLS (prior knowledge).
//! Each stream is a task with a state of its own; the connection has one timer for all.
//!
//! * `preface`: which version of HTTP a client speaks without TLS
//! * `transport`: the byte stream, which counts frames that serve no request
//! * `overhead`: the limit on such frames and on abandoned requests
//! * `tasks`: the tasks of the streams
//! * `stream_body`: bodies of responses, which know what the client has not read

mod overhead;
mod preface;
mod stream_body;
mod tasks;
mod transport;

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::rc::Rc;

use bytes::Bytes;
use hyper::Method;
use hyper::body::Body;
use hyper::header::{CONTENT_LENGTH, COOKIE, HeaderMap, HeaderValue};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};

use self::overhead::{Excess, Overhead};
pub(super) use self::preface::{Version, detect};
use self::stream_body::StreamBody;
use self::tasks::Tasks;
use self::transport::SharedTransport;
use super::answer_body::AnswerBody;
use super::closing;
use super::connection_context::ConnectionContext;
use super::exchange::HttpRequest;
use super::media_type::MediaType;
use super::open_connection::OpenConnection;
use super::refusal::Refusal;
use super::respond::{Response, refuse};
use super::route;
use super::settings::Http2Settings;
use super::timeouts::{CloseReason, Phase, run_with_timeouts};
use super::transport::Transport;

/// Bytes of a request body that a client may send before the server has read them.
const STREAM_WINDOW: u32 = 64 * 1024;

/// The same of all streams of a connection. The HTTP library keeps them in memory.
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Bytes of a response that the HTTP library keeps for a slow reader, besides the last part.
const SEND_BUFFER: usize = 64 * 1024;

/// Requests that a client may take back before the server has seen them (rapid reset, CVE-2023-44487).
const PENDING_RESETS: usize = 20;

/// Errors of a client in its streams after which its connection ends.
const ERROR_RESETS: usize = 256;

/// Most fields of a head, as the HTTP library has it for HTTP/1: a field may be one byte that refers to a
/// long one.
const MOST_FIELDS: usize = 100;

/// Open streams of the process for each client that it may have: each takes memory before its body has
/// come.
const STREAMS: usize = 4;

/// Bytes that a field takes beside its name and its value
/// (<https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2>), and the pseudo-header fields together.
const FIELD: usize = 32;
const PSEUDO_FIELDS: usize = 1024;

/// Answers the requests of one client, of whose connection these bytes have been read.
pub(super) async fn serve(
    open: OpenConnection,
    transport: Transport,
    received: Vec<u8>,
    settings: Http2Settings,
) {
    let OpenConnection { entry, permit, context } = open;
    let state = &entry.state;
    // The beginning of the preface may have been the beginning of a head.
    state.enter(Phase::New);
    let current = context.current.clone();
    let overhead = Rc::new(Overhead::default());
    let transport = SharedTransport::new(transport, received, Rc::clone(state), &overhead);
    let tasks = Tasks::new(context.peer);
    let max_header_size = current.get().settings.max_header_size;
    let max_streams = usize::try_from(settings.max_streams).unwrap_or(usize::MAX);
    let service = service_fn(|mut request: HttpRequest| {
        let service = current.get();
        let most_streams = (STREAMS * service.settings.max_clients).max(max_streams);
        let permit = service.process.clients.acquire_stream(most_streams);
        let refusal = if request.headers().len() > MOST_FIELDS {
            Some(Refusal::HeadTooLarge { most_bytes: max_header_size })
        } else if permit.is_none() {
            Some(Refusal::Overloaded)
        } else {
            None
        };
        let stream = state.begin_stream(permit);
        tasks.prepare(&stream);
        overhead.begin_request(head_bytes(&request).min(max_header_size));
        join_cookies(request.headers_mut());
        let context = Rc::new(ConnectionContext {
            peer: context.peer,
            version: hyper::Version::HTTP_2,
            purpose: context.purpose,
            state: Rc::clone(&stream),
            current: current.clone(),
            handshake: RefCell::default(),
            client_address: Cell::default(),
        });
        let pending = overhead.begin_answer();
        let is_head = request.method() == Method::HEAD;
        // The HTTP library moves the future three times until it is a task of its own, and it is large.
        Box::pin(async move {
            let mut response = match refusal {
                None => route::answer(&service, request, &context).await,
                Some(refusal) => {
                    drop(request);
                    service.count_refused(&refusal);
                    refuse(MediaType::Json, &refusal)
                }
            };
            if is_head {
                remove_body(&mut response);
            }
            Ok::<_, Infallible>(response.map(|body| StreamBody::new(body, stream, pending)))
        })
    });
    let ping_interval = current.get().settings.subscriptions.ping_interval;
    let mut connection = http2::Builder::new(tasks.clone())
        .timer(TokioTimer::new())
        .max_concurrent_streams(settings.max_streams)
        .max_header_list_size(u32::try_from(max_header_size).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(ERROR_RESETS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(ping_interval)
        .keep_alive_timeout(ping_interval)
        .serve_connection(TokioIo::new(transport.clone()), service);
    let mut is_draining = false;
    let mut serving = poll_fn(|cx| {
        let mut connection = Pin::new(&mut connection);
        if !is_draining && (state.is_stopping() || state.is_evicted()) {
            // Refuses further streams; those that have begun end.
            is_draining = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.poll(cx)
    });
    let timeouts = || current.get().settings.timeouts;
    let ended = loop {
        match run_with_timeouts(state, timeouts, &mut serving).await {
            // A request may be on its way: the connection closes when the client has heard of it.
            Err(CloseReason::Idle) if !state.is_stopping() && !state.is_evicted() => {
                state.stop();
                // Its time begins again, so that the client receives GOAWAY.
                state.enter(Phase::Idle);
            }
            ended => break ended,
        }
    };
    // Another client waits for the permit of an evicted connection.
    let permit = (!state.is_evicted()).then_some(permit);
    // Resets the streams, and thereby ends their tasks.
    drop(connection);
    let peer = context.peer;
    let excess = overhead.excess().or(match &ended {
        Ok(Err(error)) => excess_of(error),
        Ok(Ok(())) | Err(_) => None,
    });
    if let Some(excess) = excess {
        tracing::info!(%peer, ?excess, "connection closed: the client floods it");
    }
    if overhead.excess().is_some() {
        transport.send_calm_down();
    }
    let is_at_end = transport.is_at_end();
    let Some(mut transport) = transport.into_inner() else { return };
    match ended {
        Err(CloseReason::Stalled) => context.reset_stalled(&transport),
        Err(CloseReason::Idle | CloseReason::HeadTimeout) => {
            closing::close_idle(&mut transport).await;
        }
        Ok(_) if is_at_end => {}
        Ok(ended) => {
            // Clients disconnect at any time; a protocol error was answered by the HTTP library.
            if let Err(error) = ended {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
            closing::close(&mut transport).await;
        }
    }
    drop(permit);
}

/// The excess for which the HTTP library has ended a connection.
fn excess_of(error: &hyper::Error) -> Option<Excess> {
    let error = error.source()?.downcast_ref::<h2::Error>()?;
    (error.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM)).then_some(Excess::Protocol)
}

/// The size of a head, at least.
fn head_bytes(request: &HttpRequest) -> usize {
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| FIELD + name.as_str().len() + value.len());
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    PSEUDO_FIELDS + target + fields.sum::<usize>()
}

/// Leaves only the head of a response to HEAD, with the length of its body. The HTTP library does this
/// for HTTP/1 only.
fn remove_body(response: &mut Response) {
    let body = mem::replace(response.body_mut(), AnswerBody::Whole(Bytes::new()));
    if let Some(length) = body.size_hint().exact() {
        response.headers_mut().entry(CONTENT_LENGTH).or_insert(length.into());
    }
}

/// Joins cookies that came in several fields, which compress better:
/// <https://www.rfc-editor.org/rfc/rfc9113#section-8.2.3>.
fn join_cookies(headers: &mut HeaderMap) {
    let mut values = headers.get_all(COOKIE).iter();
    if let (Some(first), Some(second)) = (values.next(), values.next()) {
        let all = [first, second].into_iter().chain(values).map(HeaderValue::as_bytes);
        let joined = all.collect::<Vec<_>>().join(&b"; "[..]);
        // Values that are valid alone are valid together.
        if let Ok(joined) = HeaderValue::from_bytes(&joined) {
            headers.insert(COOKIE, joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_in_several_fields_become_one_header() {
        let check = |given: &[&'static str], expected: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(COOKIE, HeaderValue::from_static(value));
            }
            join_cookies(&mut headers);
            assert!(headers.get_all(COOKIE).iter().eq(expected), "{headers:?}");
        };
        check(&[], &[]);
        check(&["a=1; b=2"], &["a=1; b=2"]);
        check(&["a=1", "b=2", "c=3"], &["a=1; b=2; c=3"]);
    }
}
