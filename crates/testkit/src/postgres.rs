//! A private PostgreSQL for tests.
//!
//! In the order of use: `installation` finds the servers of this machine, `account` chooses the
//! account that they run as, `folder` creates the folder of their data, `server` starts and stops
//! them, `client` sends statements. `restartable` and `standby` are servers for outages, `pgbouncer` and
//! `pgpool` put a pooler in front of one. The one invariant:
//! no server outlives the process that started it, however that process ends.

mod account;
mod client;
mod folder;
mod installation;
mod pgbouncer;
mod pgpool;
mod pooler;
mod restartable;
mod server;
mod standby;

pub use client::{ClientError, query};
pub(crate) use folder::create_own_folder;
pub use installation::{
    Installation, MissingInstallation, Origin, REQUIRED, RequiredVersion, Version, installations,
    required_installations,
};
pub use pgbouncer::{KEEPING, PINNED, PgBouncer, PoolMode};
pub use pgpool::{Clustering, Pgpool};
pub use restartable::{Restartable, Stop};
pub use server::{Server, StartError, shared};
pub use standby::Standby;

/// Parts of a server with a watcher, also for other servers.
pub(crate) mod watched {
    pub(crate) use super::server::{
        WATCHER, exited_file, free_port, log_file, read_log, remove_folder, stop,
    };
}
