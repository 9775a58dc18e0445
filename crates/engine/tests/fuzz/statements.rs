//! Whether the databases accept a statement, and how many parameters it has.

use std::cell::RefCell;
use std::collections::HashSet;

use engine::SourceAddress;
use sources::postgres::wire::{Config, connect_simple};

/// Prepares each statement once, without running it.
pub(crate) struct Statements {
    database: Connection,
    accepted: RefCell<HashSet<(String, usize)>>,
}

enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Statements {
    pub(crate) async fn connect(address: &SourceAddress) -> Result<Self, String> {
        let database = match address {
            SourceAddress::Sqlite(file) => {
                let connection = rusqlite::Connection::open(file);
                Connection::Sqlite(connection.map_err(|error| error.to_string())?)
            }
            SourceAddress::Postgres(url) => {
                let config = Config::from_url(url).map_err(|error| error.to_string())?;
                let client = connect_simple(&config).await;
                Connection::Postgres(client.map_err(|error| error.to_string())?)
            }
        };
        Ok(Self { database, accepted: RefCell::default() })
    }

    /// An error if the database refuses the statement or counts other parameters.
    pub(crate) async fn check(&self, text: &str, parameters: usize) -> Result<(), String> {
        let key = (text.to_owned(), parameters);
        if self.accepted.borrow().contains(&key) {
            return Ok(());
        }
        let counted = match &self.database {
            Connection::Sqlite(connection) => {
                let statement = connection.prepare(text);
                statement.map(|one| one.parameter_count()).map_err(|error| error.to_string())
            }
            Connection::Postgres(client) => {
                let statement = client.prepare(text).await;
                statement.map(|one| one.params().len()).map_err(|error| match error.as_db_error() {
                    Some(refusal) => refusal.to_string(),
                    None => error.to_string(),
                })
            }
        };
        match counted {
            Err(error) => Err(format!("the database refuses a statement: {error}\n{text}")),
            Ok(counted) if counted != parameters => Err(format!(
                "{parameters} parameters for {counted} places in the statement\n{text}"
            )),
            Ok(_) => {
                self.accepted.borrow_mut().insert(key);
                Ok(())
            }
        }
    }
}
