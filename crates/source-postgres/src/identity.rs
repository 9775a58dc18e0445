//! Identity of the database, for answers that several servers share.

use source::{SourceError, SourceErrorKind};

use crate::database::PostgresSource;
use crate::wire::connect_simple;

impl PostgresSource {
    /// The identity of the database and of the connections to it, as far as answers depend on it.
    pub async fn identity(&self) -> Result<String, SourceError> {
        let client = connect_simple(self.config()).await?;
        let asked = client.query_typed_one(include_str!("identity.sql"), &[]).await;
        let found = asked.and_then(|row| row.try_get(0));
        found.map_err(|error| {
            let message = match error.as_db_error() {
                Some(error) => error.message().to_owned(),
                None => error.to_string(),
            };
            SourceError::new(SourceErrorKind::Unavailable, message)
        })
    }
}
