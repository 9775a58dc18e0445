//! How long the database is waited for.

use clap::Args;

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseOptions {
    /// How long connecting to one address of the database may take
    ///
    /// For PostgreSQL, unless `connect_timeout` of the address or PGCONNECT_TIMEOUT says it.
    #[arg(long, env = "THALWEG_CONNECT_TIMEOUT", value_name = "TIME", default_value = "5s")]
    connect_timeout: Time,
    /// How long a request waits for a free connection, or for the writer of a SQLite file
    #[arg(long, env = "THALWEG_ACQUIRE_TIMEOUT", value_name = "TIME", default_value = "5s")]
    acquire_timeout: Time,
    /// How long a connection to PostgreSQL is kept that no request needs
    #[arg(long, env = "THALWEG_DATABASE_IDLE_TIMEOUT", value_name = "TIME", default_value = "10m")]
    database_idle_timeout: Time,
}

impl DatabaseOptions {
    pub(crate) fn timeouts(&self) -> engine::Timeouts {
        engine::Timeouts {
            connect: self.connect_timeout.0,
            acquire: self.acquire_timeout.0,
            idle: self.database_idle_timeout.0,
        }
    }
}
