//! From a configuration to a session: addresses, TLS, start-up message, authentication.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use response::MemoryReservation;
use rustls::pki_types::ServerName;
use source::wire::socket::{Address, Socket};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_postgres::config::SslNegotiation;

use super::authenticate::authenticate;
use super::config::{Config, Endpoint, Host, TlsMode};
use super::error::{DatabaseError, WireError};
use super::message;
use super::receive::Receiver;

/// Parameters of every session, because values are read in these forms. The time zone is not among
/// them: it is the database's. They are sent as start-up parameters, which costs no round trip.
const SESSION_PARAMETERS: [(&str, &str); 2] =
    [("client_encoding", "UTF8"), ("DateStyle", "ISO, MDY")];

/// Parameters which PgBouncer passes on only in new versions, and refuses unless it is configured
/// to ignore them; then the database's own settings must be these ([`super::pooled`]).
pub(super) const FORMS_UNKNOWN_TO_POOLERS: [(&str, &str); 3] =
    [("extra_float_digits", "1"), ("bytea_output", "hex"), ("IntervalStyle", "postgres")];

/// The text of a pooler's error about a start-up parameter.
const UNSUPPORTED_PARAMETER: &str = "unsupported startup parameter";

/// Kinds of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Statements,
    /// Logical replication of the database, and statements.
    Replication,
}

/// Whether the stream of an attempt is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    Plain,
    IfOffered,
    Demanded,
}

/// The parts of a session that is ready.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) socket: Socket,
    pub(super) receiver: Receiver,
    pub(super) origin: Origin,
    pub(super) process_id: i32,
    pub(super) secret_key: i32,
    pub(super) server_version: String,
}

/// The origin of a session, for reaching the very same server again.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) address: Address,
    pub(super) endpoint: Endpoint,
    pub(super) encryption: Encryption,
}

/// A stream on which the server speaks only when it was spoken to.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) socket: Socket,
    pub(super) receiver: Receiver,
}

/// Opens streams until `then` is content with one; the last failure is reported.
pub(super) async fn try_endpoints<T, F>(
    config: &Config,
    then: impl Fn(Socket, Origin) -> F,
) -> Result<T, WireError>
where
    F: Future<Output = Result<T, WireError>>,
{
    let mut last = WireError::Configuration("there is no host to connect to".to_owned());
    let mut put_off = Vec::new();
    for endpoint in &config.endpoints {
        let found = in_time(config.connect_timeout(), addresses(endpoint)).await;
        let addresses = match found {
            Ok(addresses) => addresses,
            Err(error) => {
                last = name_endpoint(error, endpoint);
                tracing::debug!(host = endpoint.describe(), error = %last, "not connected");
                continue;
            }
        };
        for address in addresses {
            if config.silent.contains(&address) {
                put_off.push((endpoint, address));
                continue;
            }
            match try_address(config, endpoint, &address, &then).await {
                Ok(done) => return Ok(done),
                Err(error) => last = error,
            }
        }
    }
    for (endpoint, address) in put_off {
        match try_address(config, endpoint, &address, &then).await {
            Ok(done) => return Ok(done),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Opens a stream to one address, with the configured encryption.
pub(super) async fn open(config: &Config, origin: &Origin) -> Result<Socket, WireError> {
    let socket = Socket::connect(&origin.address, config.silence).await?;
    match origin.encryption {
        Encryption::Plain => Ok(socket),
        Encryption::IfOffered | Encryption::Demanded => encrypt(config, origin, socket).await,
    }
}

/// Starts a session on a stream.
pub(super) async fn start(
    config: &Config,
    socket: Socket,
    origin: Origin,
    mode: Mode,
) -> Result<Session, WireError> {
    let held = config.memory.as_ref().map(MemoryReservation::of).unwrap_or_default();
    let receiver = Receiver::new(config.answer_limit, held);
    let mut conversation = Conversation { socket, receiver };
    let mut startup = BytesMut::new();
    let names = [
        ("user", config.user.as_str()),
        ("database", config.database.as_str()),
        ("application_name", config.application_name.as_str()),
    ];
    let options = config.options.iter().map(|options| ("options", options.as_str()));
    let parameters = names.into_iter().chain(options);
    let parameters = parameters.chain(SESSION_PARAMETERS).chain(FORMS_UNKNOWN_TO_POOLERS);
    let replication = match mode {
        Mode::Statements => None,
        Mode::Replication => Some(("replication", "database")),
    };
    let parameters = parameters.chain(replication);
    frontend::startup_message(parameters, &mut startup)
        .map_err(|error| WireError::Configuration(error.to_string()))?;
    conversation.write(&startup).await?;
    authenticate(&mut conversation, config, &origin.endpoint).await?;

    let (mut process_id, mut secret_key) = (0, 0);
    let mut server_version = String::new();
    loop {
        match conversation.read().await? {
            Message::BackendKeyData(body) => {
                process_id = body.process_id();
                secret_key = body.secret_key();
            }
            Message::ParameterStatus(body) => {
                if let (Ok("server_version"), Ok(value)) = (body.name(), body.value()) {
                    value.clone_into(&mut server_version);
                }
            }
            Message::ReadyForQuery(_) => break,
            _ => {
                return Err(WireError::Protocol(
                    "the server sent an unexpected message at the start of a session".to_owned(),
                ));
            }
        }
    }
    let Conversation { socket, receiver } = conversation;
    Ok(Session { socket, receiver, origin, process_id, secret_key, server_version })
}

/// Applies the timeout of connecting to a step of it.
pub(super) async fn in_time<T>(
    timeout: Option<Duration>,
    part: impl Future<Output = Result<T, WireError>>,
) -> Result<T, WireError> {
    match timeout {
        Some(timeout) => {
            tokio::time::timeout(timeout, part).await.unwrap_or(Err(WireError::Timeout))
        }
        None => part.await,
    }
}

impl Conversation {
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.socket.write_all(bytes).await?;
        Ok(self.socket.flush().await?)
    }

    /// The next message; an error is an `Err`, notices are passed over.
    pub(super) async fn read(&mut self) -> Result<Message, WireError> {
        loop {
            while let Some(frame) = self.receiver.next_frame()? {
                // NegotiateProtocolVersion: the server does not support the newest version.
                if frame.tag == b'v' {
                    continue;
                }
                match message::parse(self.receiver.whole(frame))? {
                    Message::ErrorResponse(body) => {
                        return Err(refusal(DatabaseError::from_fields(body.fields())));
                    }
                    Message::NoticeResponse(_) => {}
                    message => return Ok(message),
                }
            }
            if self.receiver.read(&mut self.socket).await? == 0 {
                return Err(WireError::Closed { reason: None });
            }
        }
    }
}

async fn try_address<T, F>(
    config: &Config,
    endpoint: &Endpoint,
    address: &Address,
    then: &impl Fn(Socket, Origin) -> F,
) -> Result<T, WireError>
where
    F: Future<Output = Result<T, WireError>>,
{
    let (first, second) = match (address, config.tls) {
        (Address::Unix(_), _) | (_, TlsMode::Disable) => (Encryption::Plain, None),
        (_, TlsMode::Allow) => (Encryption::Plain, Some(Encryption::Demanded)),
        (_, TlsMode::Prefer) => (Encryption::IfOffered, Some(Encryption::Plain)),
        (_, TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull) => {
            (Encryption::Demanded, None)
        }
    };
    let origin =
        |encryption| Origin { address: address.clone(), endpoint: endpoint.clone(), encryption };
    let tried = match (try_origin(config, origin(first), then).await, second) {
        (Err(error), Some(second)) if may_differ_with_other_encryption(&error) => {
            // The first failure is the one to report if the second try fails too.
            try_origin(config, origin(second), then).await.map_err(|_| error)
        }
        (result, _) => result,
    };
    let Err(error) = tried else { return tried };
    if matches!(error, WireError::Timeout) {
        config.silent.add(address.clone());
    }
    let error = name_endpoint(error, endpoint);
    tracing::debug!(host = endpoint.describe(), %error, "not connected");
    Err(error)
}

async fn try_origin<T, F>(
    config: &Config,
    mut origin: Origin,
    then: &impl Fn(Socket, Origin) -> F,
) -> Result<T, WireError>
where
    F: Future<Output = Result<T, WireError>>,
{
    in_time(config.connect_timeout(), async {
        let socket = open(config, &origin).await?;
        // A second connection must be like the first one.
        origin.encryption = match socket.is_encrypted() {
            true => Encryption::Demanded,
            false => Encryption::Plain,
        };
        then(socket, origin).await
    })
    .await
}

/// `pg_hba.conf` may refuse a host for its encryption or the lack of it (28000), which a wrong
/// password (28P01) is not.
fn may_differ_with_other_encryption(error: &WireError) -> bool {
    match error {
        WireError::Tls(_) => true,
        WireError::Authentication(error) => error.code == "28000",
        _ => false,
    }
}

async fn addresses(endpoint: &Endpoint) -> Result<Vec<Address>, WireError> {
    match (&endpoint.host, endpoint.address) {
        (Host::Unix(folder), _) => {
            let socket = [".s.PGSQL.", &endpoint.port.to_string()].concat();
            Ok(vec![Address::Unix(folder.join(socket))])
        }
        (Host::Tcp(_), Some(address)) => Ok(vec![Address::Tcp((address, endpoint.port).into())]),
        (Host::Tcp(name), None) => {
            let found = tokio::net::lookup_host((name.as_str(), endpoint.port)).await?;
            Ok(found.map(Address::Tcp).collect())
        }
    }
}

async fn encrypt(
    config: &Config,
    origin: &Origin,
    mut socket: Socket,
) -> Result<Socket, WireError> {
    if config.tls_negotiation == SslNegotiation::Postgres {
        let mut request = BytesMut::new();
        frontend::ssl_request(&mut request);
        socket.write_all(&request).await?;
        // One byte and not more: further ones would be unencrypted, and not from the server.
        match (socket.read_u8().await?, origin.encryption) {
            (b'S', _) => {}
            (b'N', Encryption::IfOffered) => return Ok(socket),
            _ => return Err(WireError::Tls("the server does not offer TLS".to_owned())),
        }
    }
    let client = config.tls_client()?;
    let name = server_name(origin)?;
    Ok(socket.encrypt(client, name).await?)
}

fn server_name(origin: &Origin) -> Result<ServerName<'static>, WireError> {
    let name = match &origin.endpoint.host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(_) => String::new(),
    };
    // A name that is invalid in a certificate is replaced by the address; verification then
    // compares the address, and without verification it does not matter.
    let address: Option<IpAddr> = match &origin.address {
        Address::Tcp(address) => Some(address.ip()),
        Address::Unix(_) => None,
    };
    match (ServerName::try_from(name), address) {
        (Ok(name), _) => Ok(name),
        (Err(_), Some(address)) => Ok(ServerName::IpAddress(address.into())),
        (Err(error), None) => Err(WireError::Tls(error.to_string())),
    }
}

/// Class 28 is the refusal of a user; other errors of the start are a missing database, too many
/// clients, a server that starts or stops.
fn refusal(error: DatabaseError) -> WireError {
    if error.message.starts_with(UNSUPPORTED_PARAMETER) {
        let names = FORMS_UNKNOWN_TO_POOLERS.map(|(name, _)| name).join(",");
        let remedy = ["; add ignore_startup_parameters = ", &names, " to pgbouncer.ini"].concat();
        WireError::Configuration(["the pooler says: ", &error.message, &remedy].concat())
    } else if error.code.starts_with("28") {
        WireError::Authentication(Box::new(error))
    } else {
        WireError::Database { error: Box::new(error), execution: None }
    }
}

/// An operating system's error does not include the address.
fn name_endpoint(error: WireError, endpoint: &Endpoint) -> WireError {
    match error {
        WireError::Io(error) => {
            let text = [&endpoint.describe(), ": ", &error.to_string()].concat();
            WireError::Io(io::Error::new(error.kind(), text))
        }
        WireError::Timeout => {
            let text = [&endpoint.describe(), ": ", &error.to_string()].concat();
            WireError::Io(io::Error::new(io::ErrorKind::TimedOut, text))
        }
        other => other,
    }
}
