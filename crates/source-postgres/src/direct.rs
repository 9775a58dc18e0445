//! The address of the server itself, beside that of a pooler: for sessions that outlive a transaction, as
//! those that listen, that hold locks, or that read the log.

use source::Timeouts;
use tokio_postgres::Client;

use super::open_error::OpenError;
use super::pooler;
use super::replicas::State;
use super::wire::{Config, connect_simple};

/// The configuration of the direct address, if it leads to the database that `served` is connected to,
/// and keeps sessions.
pub(super) async fn open(
    url: &str,
    served: &Client,
    timeouts: Timeouts,
) -> Result<Config, OpenError> {
    let refused = |reason: &dyn std::fmt::Display| OpenError::Direct(reason.to_string().into());
    let config = Config::from_url(url).map_err(|error| refused(&error))?;
    let config = config.with_default_connect_timeout(timeouts.connect);
    let pooler = pooler::find(&config).await.map_err(|error| refused(&error))?;
    if !pooler.keeps_sessions() {
        return Err(refused(
            &"it leads to a pooler that shares sessions: give the address of the server",
        ));
    }
    let client = connect_simple(&config).await.map_err(|error| refused(&error))?;
    let [direct, served] = [State::read(&client).await, State::read(served).await];
    let (direct, served) =
        (direct.map_err(|error| refused(&error))?, served.map_err(|error| refused(&error))?);
    let (own, others) = (&direct.identity, &served.identity);
    if own.system != others.system {
        return Err(refused(&"it leads to another database cluster than the source"));
    }
    if own.database != others.database {
        let (own, others) = (&own.database, &others.database);
        let reason = format!("it leads to the database `{own}`, and the source to `{others}`");
        return Err(refused(&reason));
    }
    if own.started != others.started {
        let what = if direct.is_standby { "a standby" } else { "a server" };
        let reason =
            format!("it leads to {what} of the cluster that is not the server of the source");
        return Err(refused(&reason));
    }
    Ok(config)
}
