//! From an address to a session: stream, TLS, version, HELLO and LOGON.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use response::MemoryReservation;
use response::packed::Entries;
use rustls::pki_types::ServerName;
use source::wire::socket::{Address, Socket};
use tokio::io::AsyncWriteExt;

use super::config::{Config, Endpoint};
use super::error::{DatabaseError, WireError};
use super::handshake::{self, Protocol};
use super::hello;
use super::message::{self, Reply, integer, map_in, text};
use super::outbox::Outbox;
use super::receive::Receiver;
use super::version::ServerVersion;

/// The parts of a session that is ready.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) socket: Socket,
    pub(super) receiver: Receiver,
    pub(super) protocol: Protocol,
    pub(super) greeting: Greeting,
}

/// The server's answer to HELLO.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) agent: Box<str>,
    pub(super) version: ServerVersion,
    pub(super) connection_id: Box<str>,
    /// The longest time between two of its messages while it is waited for.
    pub(super) silence: Option<Duration>,
}

/// Connects to the first address of a server that answers; the last failure is reported.
pub(super) async fn start(config: &Config, endpoint: &Endpoint) -> Result<Session, WireError> {
    let limit = config.connect_timeout();
    let named = |error| name_endpoint(error, endpoint);
    let looked_up = async {
        let found = tokio::net::lookup_host((endpoint.host.as_str(), endpoint.port)).await?;
        Ok::<_, WireError>(found.collect::<Vec<_>>())
    };
    let mut last = WireError::Configuration("the host has no address".to_owned());
    for address in in_time(limit, looked_up).await.map_err(named)? {
        match in_time(limit, start_at(config, endpoint, address)).await {
            Ok(session) => return Ok(session),
            Err(error) => last = error,
        }
        tracing::debug!(%endpoint, %address, error = %last, "not connected");
    }
    Err(named(last))
}

async fn start_at(
    config: &Config,
    endpoint: &Endpoint,
    address: SocketAddr,
) -> Result<Session, WireError> {
    let tls = config.tls_client()?;
    let mut socket = Socket::connect(&Address::Tcp(address), config.silence).await?;
    if let Some(client) = tls {
        let name = ServerName::try_from(endpoint.host.clone())
            .unwrap_or_else(|_| ServerName::IpAddress(address.ip().into()));
        socket = socket.encrypt(client, name).await?;
    }
    let protocol = handshake::agree(&mut socket).await?;
    let held = config.memory.as_ref().map(MemoryReservation::of).unwrap_or_default();
    let mut receiver = Receiver::new(config.answer_limit, held);

    let mut out = Outbox::default();
    let answers = hello::write(config, protocol, &mut out)?;
    socket.write_all(out.unsent()).await?;
    socket.flush().await?;
    let mut greeting = Greeting::default();
    for answer in 0..answers {
        let frame = loop {
            match receiver.next_message()? {
                Some(frame) => break frame,
                None if receiver.read(&mut socket).await? == 0 => return Err(WireError::Closed),
                None => {}
            }
        };
        match message::read(receiver.message(frame))? {
            Reply::Success(metadata) if answer == 0 => {
                greeting = Greeting::from_metadata(&metadata)?;
                hello::require_known_datetimes(protocol, &metadata)?;
            }
            Reply::Success(_) => {}
            Reply::Failure(metadata) => {
                return Err(refusal(DatabaseError::from_metadata(metadata)?));
            }
            Reply::Record | Reply::Ignored => {
                return Err(WireError::Protocol(
                    "the server sent an unexpected message at the start of a session".to_owned(),
                ));
            }
        }
    }
    Ok(Session { socket, receiver, protocol, greeting })
}

impl Greeting {
    fn from_metadata(metadata: &Entries<'_>) -> Result<Greeting, WireError> {
        let agent = text(metadata, b"server")?.unwrap_or_default();
        let seconds = match map_in(metadata, b"hints")? {
            Some(hints) => integer(&hints, b"connection.recv_timeout_seconds")?,
            None => None,
        };
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        Ok(Greeting {
            version: ServerVersion::from_agent(agent),
            agent: agent.into(),
            connection_id: text(metadata, b"connection_id")?.unwrap_or_default().into(),
            silence: seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
        })
    }
}

/// Applies the timeout of connecting to a step of it.
async fn in_time<T>(
    limit: Option<Duration>,
    part: impl Future<Output = Result<T, WireError>>,
) -> Result<T, WireError> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, part).await.unwrap_or(Err(WireError::Timeout)),
        None => part.await,
    }
}

/// Distinguishes a refused user from a server that starts, stops or is full.
fn refusal(error: DatabaseError) -> WireError {
    let error = Box::new(error);
    match error.code.starts_with("Neo.ClientError.Security.") && !error.is_transient() {
        true => WireError::Authentication(error),
        false => WireError::Database { error, result: None },
    }
}

/// An operating system's error does not include the address.
fn name_endpoint(error: WireError, endpoint: &Endpoint) -> WireError {
    let named = |kind, error: &dyn ToString| {
        WireError::Io(io::Error::new(
            kind,
            [&endpoint.to_string(), ": ", &error.to_string()].concat(),
        ))
    };
    match error {
        WireError::Io(error) => named(error.kind(), &error),
        WireError::Timeout => named(io::ErrorKind::TimedOut, &WireError::Timeout),
        WireError::Closed => named(io::ErrorKind::ConnectionAborted, &WireError::Closed),
        other => other,
    }
}
