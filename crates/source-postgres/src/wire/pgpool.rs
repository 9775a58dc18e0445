//! Detection of pgpool-II, which passes on the start of a session as the server answered it, so that the
//! session alone does not show it.

use std::net::IpAddr;

use tokio::net::lookup_host;
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;

use super::config::{Config, Host};
use super::connection::Connection;
use super::error::WireError;
use super::simple::{connect_simple, wire_error};

/// The setting of its mode, and the number that it prints for `raw`.
const MODE: &str = "backend_clustering_mode";
const RAW: &str = "5";

/// Whether the server has another address than the one that this configuration connects to: something
/// is between them, as a pooler, a load balancer or a container's network.
pub(in super::super) async fn is_relayed(
    connection: &mut Connection,
    config: &Config,
) -> Result<bool, WireError> {
    let (address, port) = connection.server_address().await?;
    for endpoint in config.endpoints() {
        let reached: Vec<IpAddr> = match (&endpoint.host, endpoint.address) {
            // The server tells no address of a socket of its own.
            (Host::Unix(_), _) if address.is_none() => return Ok(false),
            (Host::Unix(_), _) => continue,
            (Host::Tcp(_), Some(known)) => vec![known],
            (Host::Tcp(name), None) => match lookup_host((name.as_str(), endpoint.port)).await {
                Ok(found) => found.map(|address| address.ip()).collect(),
                Err(_) => continue,
            },
        };
        if port == Some(endpoint.port) && address.is_some_and(|address| reached.contains(&address))
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks whether the address leads to pgpool-II. In its mode `raw` changes are refused: it opens a
/// transaction of its own before a change that is prepared, and does not end it within the pipeline.
pub(in super::super) async fn leads_to_pgpool(config: &Config) -> Result<bool, WireError> {
    let client = connect_simple(config).await?;
    // It answers these itself, in the simple protocol alone; PostgreSQL has no such settings.
    match client.simple_query("SHOW pool_version").await {
        Ok(_) => {}
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_OBJECT) => return Ok(false),
        Err(error) => return Err(wire_error(&error)),
    }
    let settings =
        client.simple_query("SHOW pool_status").await.map_err(|error| wire_error(&error))?;
    let is_raw = settings.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some(MODE) && row.get(1) == Some(RAW),
        _ => false,
    });
    if is_raw {
        return Err(WireError::Configuration(
            "the address leads to pgpool-II in the mode `raw`, which leaves changes in a transaction of \
             its own; set backend_clustering_mode = 'streaming_replication' in pgpool.conf"
                .to_owned(),
        ));
    }
    Ok(true)
}
