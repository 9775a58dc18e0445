//! The connections of one thread.
//!
//! Each is a task of its own: what goes wrong in one, a panic included, ends only that one. A
//! client that goes away ends its task, and with it the request.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use futures_util::future::join_all;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::listen::Socket;
use super::route;
use super::service::{Current, Generation};
use super::transport::{Listener, Peer, Transport};

/// After a failed accept: most often there are no file descriptors left, and some come back when
/// requests end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Takes connections until the server stops, then waits for the requests that have begun.
pub(super) async fn serve(
    generations: watch::Receiver<Generation>,
    sockets: Vec<Socket>,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let listeners: Vec<Listener> =
        sockets.into_iter().map(Listener::new).collect::<io::Result<_>>()?;
    let current = Current::new(&generations.borrow());
    spawn_local(current.clone().follow(generations));
    let open_connections = GracefulShutdown::new();
    join_all(
        listeners
            .into_iter()
            .map(|listener| accept(&current, listener, stopping.clone(), &open_connections)),
    )
    .await;
    let drain_timeout = current.get().settings.drain_timeout;
    if timeout(drain_timeout, open_connections.shutdown()).await.is_err() {
        tracing::warn!("connections were closed before their requests were answered");
    }
    Ok(())
}

async fn accept(
    current: &Current,
    listener: Listener,
    mut stopping: watch::Receiver<bool>,
    open_connections: &GracefulShutdown,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // An error means that nobody could stop this thread any more.
            _ = stopping.wait_for(|stopping| *stopping) => break,
        };
        match accepted {
            Ok((transport, peer)) => start(current, transport, peer, open_connections),
            Err(error) if is_of_one_connection(&error) => {
                tracing::debug!(%error, "a connection was gone before it was accepted");
            }
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn start(current: &Current, transport: Transport, peer: Peer, open: &GracefulShutdown) {
    if let Err(error) = transport.hurry() {
        tracing::debug!(%error, "a connection was closed at once");
        return;
    }
    let header_timeout = current.get().settings.header_timeout;
    let current = current.clone();
    let service = service_fn(move |request| {
        let service = current.get();
        async move { Ok::<_, Infallible>(route::answer(&service, request, peer).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .serve_connection(TokioIo::new(transport), service);
    let connection = open.watch(connection);
    spawn_local(async move {
        if let Err(error) = connection.await {
            // Clients come and go as they like.
            tracing::debug!(%error, %peer, "a connection ended early");
        }
    });
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
