//! Choice of a server: the one of the address, or a member of a cluster (client-side routing).
//!
//! With a `neo4j` address, its server returns a routing table of servers that read and those that
//! write, which is requested again when it has expired or turned out wrong. A `bolt` address means
//! its server and no other. No cluster is available for tests: a cluster's answers are taken from
//! the protocol's documentation, and replayed.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use tokio::sync::Mutex;
use tokio::time::timeout;

use super::bookmarks::Bookmarks;
use super::config::{Config, Endpoint};
use super::connection::Connection;
use super::error::WireError;
use super::hello;
use super::records::Records;
use super::table::Table;
use super::transaction::write_bookmarks;
use crate::program::Access;

/// The servers behind an address, shared by all connections to them.
#[derive(Debug)]
pub struct Cluster {
    config: Config,
    /// None where the address means one server.
    routing: Option<Routing>,
}

#[derive(Debug, Default)]
struct Routing {
    table: RwLock<Option<Arc<Table>>>,
    /// Locked while a table is requested.
    requesting: Mutex<()>,
    /// Number of requests for it, failed ones included.
    requests: AtomicU64,
    turn: AtomicUsize,
    bookmarks: RwLock<Bookmarks>,
}

impl Cluster {
    #[must_use]
    pub fn new(config: Config) -> Arc<Cluster> {
        let routing = config.is_routed().then(Routing::default);
        Arc::new(Cluster { config, routing })
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A server for this access; the routing table is requested if it is missing or expired.
    pub async fn choose(&self, access: Access) -> Result<Arc<Endpoint>, WireError> {
        let Some(routing) = &self.routing else { return Ok(Arc::clone(self.config.endpoint())) };
        if let Some(endpoint) = routing.choose(access) {
            return Ok(endpoint);
        }
        let requests = routing.requests.load(Ordering::Acquire);
        let _asking = routing.requesting.lock().await;
        // A concurrent request had the result that another one would have, a table without such a
        // server or an error.
        if routing.requests.load(Ordering::Acquire) == requests {
            let table = self.request_table(routing).await;
            routing.requests.fetch_add(1, Ordering::Release);
            routing.set(table?);
        }
        routing.choose(access).ok_or(WireError::NoServer(access))
    }

    /// Connects to a chosen server. One that cannot be reached is not chosen again until the table
    /// is renewed.
    pub async fn connect(&self, endpoint: &Arc<Endpoint>) -> Result<Connection, WireError> {
        let connected = Connection::connect(&self.config, endpoint).await;
        if let Err(error) = &connected {
            self.note(endpoint, error);
        }
        connected
    }

    /// Corrects the table after a failure.
    pub fn note(&self, endpoint: &Endpoint, error: &WireError) {
        let Some(routing) = &self.routing else { return };
        let without: fn(&Table, &Endpoint) -> Table = match error {
            WireError::Database { error, .. } if error.is_of_leader() => Table::without_writer,
            WireError::Database { error, .. } if error.is_of_routing() => Table::without,
            error if error.is_of_connection() => Table::without,
            _ => return,
        };
        let mut table = routing.table.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*table {
            tracing::debug!(%endpoint, %error, "a server is taken out of the routing table");
            *table = Some(Arc::new(without(known, endpoint)));
        }
    }

    /// The bookmarks for a transaction; none with a single server.
    pub fn bookmarks(&self) -> Bookmarks {
        match &self.routing {
            Some(routing) => {
                routing.bookmarks.read().unwrap_or_else(PoisonError::into_inner).clone()
            }
            None => Bookmarks::default(),
        }
    }

    /// Records the bookmark of a transaction that was given `sent`.
    pub fn bookmark(&self, sent: &Bookmarks, new: &str) {
        if let Some(routing) = &self.routing {
            let mut bookmarks = routing.bookmarks.write().unwrap_or_else(PoisonError::into_inner);
            *bookmarks = bookmarks.after(sent, new);
        }
    }

    /// Requests a table from the routers, and then from the server of the address; returns the last
    /// error.
    async fn request_table(&self, routing: &Routing) -> Result<Table, WireError> {
        let seed = self.config.endpoint();
        let known = routing.table();
        let known = known.as_ref().map_or(&[][..], |table| table.routers());
        let others = known.iter().filter(|router| *router != seed);
        let mut last = WireError::NoServer(Access::Read);
        for router in others.chain([seed]) {
            match self.request_table_in_time(router).await {
                Ok(table) if table.is_usable() => return Ok(table),
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(endpoint = %router, %error, "no routing table");
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// Requests a table from a server, with the timeout of connecting.
    async fn request_table_in_time(&self, router: &Arc<Endpoint>) -> Result<Table, WireError> {
        match self.config.connect_timeout() {
            // Connecting has the time for itself.
            Some(limit) => match timeout(limit * 2, self.request_table_from(router)).await {
                Ok(table) => table,
                Err(_) => Err(WireError::Timeout),
            },
            None => self.request_table_from(router).await,
        }
    }

    async fn request_table_from(&self, router: &Arc<Endpoint>) -> Result<Table, WireError> {
        let mut connection = Connection::connect(&self.config, router).await?;
        let bookmarks = self.bookmarks();
        let mut results = Vec::new();
        let mut batch = connection.batch();
        batch.route(|pack| {
            hello::write_routing_context(&self.config, pack);
            write_bookmarks(&bookmarks, pack);
            match self.config.database() {
                Some(database) => {
                    pack.map(1);
                    pack.text("db");
                    pack.text(database);
                }
                None => pack.map(0),
            }
        })?;
        let answered = batch.exchange(&mut results).await;
        connection.close().await;
        let now = Instant::now();
        match answered {
            Ok(()) => {}
            Err(WireError::Database { error, .. }) if error.is_of_a_single_server() => {
                return Ok(Table::alone(router, now));
            }
            Err(error) => return Err(error),
        }
        match results.first().map(Records::footer).transpose()?.flatten() {
            Some(metadata) => Table::from_metadata(&metadata, router, now),
            None => Err(WireError::Protocol("there is no routing table".to_owned())),
        }
    }
}

impl Routing {
    fn table(&self) -> Option<Arc<Table>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, table: Table) {
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(table));
    }

    fn choose(&self, access: Access) -> Option<Arc<Endpoint>> {
        let table = self.table().filter(|table| table.is_fresh(Instant::now()))?;
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        table.choose(access, turn).map(Arc::clone)
    }
}
