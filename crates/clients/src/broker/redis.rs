//! Connections to Redis. <https://redis.io/docs/latest/develop/pubsub/>

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo, RedisResult};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::settings::BrokerSettings;
use super::unavailable;
use crate::subgraph::{OwnCertificate, SubgraphError};

/// A connection that was idle for longer is checked before a command, since events are published once.
const CHECKED_AFTER: Duration = Duration::from_millis(500);

/// Connection for commands, opened by the first one.
#[derive(Debug, Default)]
pub(super) struct Redis(Mutex<Option<Idle>>);

#[derive(Clone)]
struct Idle {
    connection: MultiplexedConnection,
    since: Instant,
}

impl std::fmt::Debug for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Idle").field("since", &self.since).finish_non_exhaustive()
    }
}

impl Redis {
    pub(super) async fn publish(
        &self,
        settings: &BrokerSettings,
        channel: &str,
        event: &[u8],
    ) -> Result<(), SubgraphError> {
        let mut connection = self.connection(settings).await?;
        let mut command = redis::cmd("PUBLISH");
        let published = command.arg(channel).arg(event).query_async::<i64>(&mut connection).await;
        match published {
            Ok(_) => Ok(()),
            Err(error) => {
                if error.is_unrecoverable_error() {
                    self.0.lock().await.take();
                }
                Err(failed(&error))
            }
        }
    }

    async fn connection(
        &self,
        settings: &BrokerSettings,
    ) -> Result<MultiplexedConnection, SubgraphError> {
        let mut idle = self.0.lock().await;
        if let Some(Idle { connection, since }) = &mut *idle {
            let is_fresh = since.elapsed() < CHECKED_AFTER;
            *since = Instant::now();
            let mut checked = connection.clone();
            let ping = redis::cmd("PING");
            if is_fresh || ping.exec_async(&mut checked).await.is_ok() {
                return Ok(checked);
            }
            *idle = None;
        }
        let client = client(settings).map_err(|error| failed(&error))?;
        // The caller limits the time of a command.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(settings.connect_timeout))
            .set_response_timeout(None);
        let connected = client.get_multiplexed_async_connection_with_config(&config).await;
        let connection = connected.map_err(|error| failed(&error))?;
        *idle = Some(Idle { connection: connection.clone(), since: Instant::now() });
        Ok(connection)
    }
}

/// Opens a connection for subscriptions.
pub(super) async fn open_subscriber(
    settings: &BrokerSettings,
) -> Result<redis::aio::PubSub, SubgraphError> {
    let client = client(settings).map_err(|error| failed(&error))?;
    match timeout(settings.connect_timeout, client.get_async_pubsub()).await {
        Ok(opened) => opened.map_err(|error| failed(&error)),
        Err(_) => Err(SubgraphError::Timeout),
    }
}

/// Subscribes to one channel, over a connection of its own.
pub(super) async fn subscribe(
    settings: &BrokerSettings,
    channel: &str,
) -> Result<redis::aio::PubSubStream, SubgraphError> {
    let mut opened = open_subscriber(settings).await?;
    opened.subscribe(channel).await.map_err(|error| failed(&error))?;
    Ok(opened.into_on_message())
}

fn client(settings: &BrokerSettings) -> RedisResult<Client> {
    let mut address = settings.url.text.as_str().into_connection_info()?;
    let mut login = address.redis_settings().clone();
    if let Some(user) = &settings.user {
        login = login.set_username(user);
    }
    if let Some(password) = &settings.password {
        login = login.set_password(password);
    }
    address = address.set_redis_settings(login);
    if !matches!(address.addr(), ConnectionAddr::TcpTls { .. }) {
        return Client::open(address);
    }
    // The library uses the default of the process, which other crates do not need.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let read = |file: &std::path::PathBuf| std::fs::read(file);
    let root_cert = settings.files.authorities.as_ref().map(read).transpose()?;
    let client_tls = match &settings.files.own {
        None => None,
        Some(OwnCertificate { certificate, key }) => {
            Some(redis::ClientTlsConfig { client_cert: read(certificate)?, client_key: read(key)? })
        }
    };
    Client::build_with_tls(address, redis::TlsCertificates { client_tls, root_cert })
}

/// The library's texts contain no credentials.
pub(super) fn failed(error: &redis::RedisError) -> SubgraphError {
    unavailable(&error.to_string())
}
