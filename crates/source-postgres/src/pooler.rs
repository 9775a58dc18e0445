//! Poolers between here and the server, as PgBouncer and pgpool-II: they are noticed when a source is opened, and
//! served in the way that is safe with them.
//!
//! * In each mode a short read has its connection alone: some poolers lose count of the answers of
//!   several pipelined requests.
//! * With a pooler that gives each transaction another server session and does not support prepared
//!   statements, statements have no names. The same holds for one that is detected later: each new
//!   connection checks whether a pooler has answered it, and learns from errors
//!   ([`Connection::is_behind_pooler`]).

use super::wire::{Config, Connection, WireError, is_relayed, leads_to_pgpool};

/// Number of rounds in which two connections compare their server sessions. A transaction pooler
/// gives the second the session that the first had a moment ago; under load by other clients, the
/// first one's changes.
const ROUNDS: usize = 4;

/// The mode of a pooler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooler {
    None,
    /// Each client has a server session for itself.
    Sessions,
    /// Each transaction has one, and prepared statements are known on each.
    TransactionsWithStatements,
    /// Each transaction has one, and prepared statements are left behind on it.
    Transactions,
}

impl Pooler {
    /// Whether settings, prepared statements and LISTEN outlive a transaction.
    pub(super) fn keeps_sessions(self) -> bool {
        matches!(self, Self::None | Self::Sessions)
    }
}

/// Detects a pooler.
pub(super) async fn find(config: &Config) -> Result<Pooler, WireError> {
    let config = config.clone().probing();
    let unnamed = config.clone().with_prepared(false);
    let mut first = Connection::connect(&unnamed).await?;
    if is_relayed(&mut first, &config).await? {
        first.end().await?;
        if leads_to_pgpool(&config).await? {
            return Ok(Pooler::Sessions);
        }
        first = Connection::connect(&unnamed).await?;
    }
    if !first.is_behind_pooler() {
        // There may be room for one session only.
        first.end().await?;
        return Ok(Pooler::None);
    }
    let process = first.serving_process().await?;
    let behind = config.behind_pooler();
    let mut named = match Connection::connect(&behind.clone().with_prepared(true)).await {
        Ok(connection) => connection,
        // The first has the only session that there is.
        Err(WireError::Database { .. }) => return Ok(Pooler::Sessions),
        Err(error) => return Err(error),
    };
    match named.names_reach_the_server().await {
        Ok(true) => {}
        Ok(false) => return Ok(Pooler::TransactionsWithStatements),
        // Another client has left it behind.
        Err(WireError::StalePlan(_)) => return Ok(Pooler::Transactions),
        Err(error) => return Err(error),
    }
    drop(named);
    let mut second = match Connection::connect(&behind.with_prepared(false)).await {
        Ok(connection) => connection,
        Err(WireError::Database { .. }) => return Ok(Pooler::Sessions),
        Err(error) => return Err(error),
    };
    for _ in 0..ROUNDS {
        let other = second.serving_process().await?;
        if other == process || first.serving_process().await? != process {
            return Ok(Pooler::Transactions);
        }
    }
    Ok(Pooler::Sessions)
}

/// The configuration with which a source is served where this pooler is.
pub(super) fn serve_through(config: Config, pooler: Pooler) -> Config {
    match pooler {
        Pooler::None => config,
        Pooler::Sessions | Pooler::TransactionsWithStatements => {
            tracing::info!(?pooler, "a pooler is in front of PostgreSQL: no connection is shared");
            config.behind_pooler()
        }
        Pooler::Transactions => {
            tracing::warn!(
                "a pooler gives each transaction another session and does not keep prepared \
                 statements: they are sent without names, and planned each time; PgBouncer 1.21 \
                 and newer keeps them with max_prepared_statements above zero"
            );
            config.behind_pooler().with_prepared(false)
        }
    }
}
