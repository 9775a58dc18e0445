//! The same connection as a `tokio_postgres::Client`: for catalog queries and loading of data,
//! where its conveniences matter more than speed.

use std::future::{Ready, poll_fn, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use source::wire::socket::Socket;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::UnboundedSender;
use tokio_postgres::config::{SslMode, SslNegotiation, TargetSessionAttrs};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{AsyncMessage, Notification, SimpleQueryMessage};

use super::certificate;
use super::config::Config;
use super::connection::other_session;
use super::error::{DatabaseError, WireError};
use super::pipeline::SHOW_READ_ONLY_TEXT;
use super::startup;

/// Connects as [`super::Connection::connect`] does, with the same TLS. The connection's own task is
/// spawned on the current runtime, and ends with the client.
pub async fn connect_simple(config: &Config) -> Result<tokio_postgres::Client, WireError> {
    connect_notified(config, None).await
}

/// Connects like [`connect_simple`], and sends on the notifications of channels that the session
/// listens to. The sender is dropped when the connection ends.
pub async fn connect_notified(
    config: &Config,
    notify: Option<UnboundedSender<Notification>>,
) -> Result<tokio_postgres::Client, WireError> {
    let shared = config.to_tokio_postgres();
    startup::try_endpoints(config, |socket, origin| {
        let mut inner = shared.clone();
        // The stream is ready to use, encrypted or not. In this mode `tokio_postgres` negotiates no
        // TLS and calls `Established`, which returns the stream and its channel binding for SCRAM.
        inner.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
        if let Some(password) = &origin.endpoint.password {
            inner.password(password.as_bytes());
        }
        let notify = notify.clone();
        async move {
            let connected = inner.connect_raw(socket, Established).await;
            let (client, connection) = connected.map_err(|error| wire_error(&error))?;
            tokio::spawn(drive(connection, notify));
            require_session(&client, config.session).await?;
            Ok(client)
        }
    })
    .await
}

/// Refuses a server whose sessions are not those that `target_session_attrs` asks for.
async fn require_session(
    client: &tokio_postgres::Client,
    wanted: TargetSessionAttrs,
) -> Result<(), WireError> {
    let wanted = match wanted {
        TargetSessionAttrs::ReadWrite => "off",
        TargetSessionAttrs::ReadOnly => "on",
        _ => return Ok(()),
    };
    let shown = client.simple_query(SHOW_READ_ONLY_TEXT).await;
    let shown = shown.map_err(|error| wire_error(&error))?;
    let is_wanted = shown.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some(wanted),
        _ => false,
    });
    match is_wanted {
        true => Ok(()),
        false => Err(other_session()),
    }
}

/// Carries the messages of a connection until it ends.
async fn drive(
    mut connection: tokio_postgres::Connection<Socket, EstablishedStream>,
    notify: Option<UnboundedSender<Notification>>,
) {
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match (message, &notify) {
            // The receiver may be gone.
            (Ok(AsyncMessage::Notification(notification)), Some(notify)) => {
                drop(notify.send(notification));
            }
            (Ok(_), _) => {}
            (Err(error), _) => {
                tracing::debug!(%error, "a simple connection has ended");
                return;
            }
        }
    }
}

#[derive(Debug)]
struct Established;

#[derive(Debug)]
struct EstablishedStream(Socket);

impl TlsConnect<Socket> for Established {
    type Stream = EstablishedStream;
    type Error = io::Error;
    type Future = Ready<io::Result<EstablishedStream>>;

    fn connect(self, socket: Socket) -> Self::Future {
        ready(Ok(EstablishedStream(socket)))
    }
}

impl TlsStream for EstablishedStream {
    fn channel_binding(&self) -> ChannelBinding {
        match certificate::server_end_point(&self.0) {
            Some(hash) => ChannelBinding::tls_server_end_point(hash),
            None => ChannelBinding::none(),
        }
    }
}

impl AsyncRead for EstablishedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for EstablishedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// The driver describes the problem in the source of its error only.
fn configuration_error(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error).map(ToString::to_string) {
        Some(source) if source == "password missing" => {
            "the server asks for a password, and none is given: it may stand in the address, in \
             PGPASSWORD or in a password file"
                .to_owned()
        }
        Some(source) => [&error.to_string(), ": ", &source].concat(),
        None => error.to_string(),
    }
}

pub(super) fn wire_error(error: &tokio_postgres::Error) -> WireError {
    let Some(database) = error.as_db_error() else {
        let source = std::error::Error::source(error);
        return match source.and_then(|source| source.downcast_ref::<io::Error>()) {
            Some(source) => WireError::from(io::Error::new(source.kind(), source.to_string())),
            None => WireError::Configuration(configuration_error(error)),
        };
    };
    let error = Box::new(DatabaseError {
        severity: database.severity().to_owned(),
        code: database.code().code().to_owned(),
        message: database.message().to_owned(),
        detail: database.detail().map(str::to_owned),
        hint: database.hint().map(str::to_owned),
        routine: database.routine().map(str::to_owned),
        ..DatabaseError::default()
    });
    match error.code.starts_with("28") {
        true => WireError::Authentication(error),
        false => WireError::Database { error, execution: None },
    }
}
