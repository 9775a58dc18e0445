//! Timeouts of connections to the database.

use clap::Args;

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseOptions {
    /// Timeout for connecting to one address of the database
    ///
    /// For PostgreSQL, `connect_timeout` in the address and PGCONNECT_TIMEOUT take precedence.
    #[arg(long, env = "THALWEG_CONNECT_TIMEOUT", value_name = "TIME", default_value = "5s")]
    connect_timeout: Time,
    /// Timeout for a free connection of the pool, or for the writer of an SQLite file
    #[arg(long, env = "THALWEG_ACQUIRE_TIMEOUT", value_name = "TIME", default_value = "5s")]
    acquire_timeout: Time,
    /// Time after which an idle connection to the database is closed
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
