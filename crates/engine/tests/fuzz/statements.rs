//! Whether the databases accept a statement, and how many parameters it has.

use ::source_sqlite::connection::{Cache, OpenFile};
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use engine::SourceAddress;
use engine::explain::ExplainedStatement;
use source_postgres::wire::{Config, connect_simple};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// What keys of the databases under attack are.
const ARRAYS: [Type; 4] = [Type::INT4_ARRAY, Type::TEXT_ARRAY, Type::INT8_ARRAY, Type::UUID_ARRAY];

/// Prepares each statement once, without running it.
pub(crate) struct Statements {
    database: Connection,
    accepted: RefCell<HashSet<(String, usize)>>,
}

enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Client),
}

impl Statements {
    pub(crate) async fn connect(address: &SourceAddress) -> Result<Self, String> {
        let database = match address {
            SourceAddress::Sqlite(file) => {
                // As the source opens it: with the functions that statements may call.
                let opened = OpenFile::open(file, Duration::ZERO, Cache::Little);
                Connection::Sqlite(opened.map_err(|error| error.to_string())?.connection)
            }
            SourceAddress::Postgres(url) => {
                let config = Config::from_url(url).map_err(|error| error.to_string())?;
                let client = connect_simple(&config).await;
                Connection::Postgres(client.map_err(|error| error.to_string())?)
            }
            SourceAddress::Neo4j(url) => return Err(["nothing is tried on ", url].concat()),
        };
        Ok(Self { database, accepted: RefCell::default() })
    }

    /// An error if the database refuses the statement or counts other parameters.
    pub(crate) async fn check(&self, statement: &ExplainedStatement) -> Result<(), String> {
        let text = statement.text.as_str();
        let parameters = statement.parameters.len();
        let key = (text.to_owned(), parameters);
        if self.accepted.borrow().contains(&key) {
            return Ok(());
        }
        let counted = match &self.database {
            Connection::Sqlite(connection) => {
                let statement = connection.prepare(text);
                statement.map(|one| one.parameter_count()).map_err(|error| error.to_string())
            }
            Connection::Postgres(client) => prepare(client, statement).await,
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

/// The parameters that PostgreSQL counts. It has to be told the types of keys' arrays, which the
/// statement's explanation does not say, so that the usual ones are tried.
async fn prepare(client: &Client, statement: &ExplainedStatement) -> Result<usize, String> {
    let is_array = |parameter: &String| parameter.starts_with("the distinct values of column");
    let arrays = statement.parameters.iter().filter(|parameter| is_array(parameter)).count();
    let attempts = ARRAYS.len().pow(u32::try_from(arrays).unwrap_or(u32::MAX));
    let mut refusal = String::new();
    for attempt in 0..attempts {
        let mut number = attempt;
        let types: Vec<Type> = statement
            .parameters
            .iter()
            .map(|parameter| {
                if !is_array(parameter) {
                    return Type::UNKNOWN;
                }
                let array = ARRAYS[number % ARRAYS.len()].clone();
                number /= ARRAYS.len();
                array
            })
            .collect();
        match client.prepare_typed(&statement.text, &types).await {
            Ok(prepared) => return Ok(prepared.params().len()),
            Err(error) => {
                refusal = match error.as_db_error() {
                    Some(refusal) => refusal.to_string(),
                    None => error.to_string(),
                };
            }
        }
    }
    Err(refusal)
}
