//! Loads and reads in bulk of a database.

use std::borrow::Cow;
use std::pin::pin;

use bytes::Bytes;
use futures_util::SinkExt;
use source::Timeouts;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, SimpleQueryMessage};
use transfer::ValueRef;
use transfer::stage::TableRows;
use transfer::value::{DatabaseValue, RowBuffer, StoredColumn, stored, text};

use super::own::{DefinitionsSchema, SchemaNameError};
use super::wire::{Config, WireError, connect_simple};

/// The reason why a load or a read ended early.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    Schema(#[from] SchemaNameError),
    #[error("cannot connect to PostgreSQL: {}{}", .0, .0.remedy())]
    Connect(WireError),
    #[error("{}\n{statement}", super::migrate::cause(.source))]
    Statement { statement: Box<str>, source: tokio_postgres::Error },
    #[error("cannot read a file of the import: {0}")]
    Rows(std::io::Error),
    #[error("the column {column} has a value that is none of its type")]
    Value { column: Box<str> },
}

impl TransferError {
    /// The database's own message, with its detail.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::Statement { source, .. } => match source.as_db_error() {
                Some(error) => match error.detail() {
                    Some(detail) => format!("{}\n  Detail: {detail}", error.message()),
                    None => error.message().to_owned(),
                },
                None => source.to_string(),
            },
            Self::Schema(_) | Self::Connect(_) | Self::Rows(_) | Self::Value { .. } => {
                self.to_string()
            }
        }
    }

    /// The line of COPY's input that is refused: PostgreSQL tells it as `COPY name, line 3`, in every
    /// language with a comma before the number's word.
    fn line(&self) -> Option<usize> {
        let Self::Statement { source, .. } = self else { return None };
        let context = source.as_db_error()?.where_()?;
        line_of(context)
    }
}

/// The number in the first line of a context of COPY, behind the name of the table.
fn line_of(context: &str) -> Option<usize> {
    let context = context.strip_prefix("COPY ")?.lines().next()?;
    let (_, place) = context.split_once(", ")?;
    let digits = place.find(|c: char| c.is_ascii_digit())?;
    let number = &place[digits..];
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

/// A connection for loads or reads.
#[derive(Debug)]
pub struct PostgresTransfer {
    client: Client,
    schema: DefinitionsSchema,
}

/// The values of a unique column, as an array of one type.
#[derive(Debug, PartialEq, Eq)]
enum Keys<'v> {
    Numbers(Vec<i64>),
    Texts(Vec<&'v str>),
}

/// Bytes of rows that are sent at once.
const CHUNK: usize = 256 << 10;

impl PostgresTransfer {
    /// Connects for a load, which other migrations and imports wait for.
    pub async fn open_for_load(
        url: &str,
        schema: &str,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        let transfer = Self::connect(url, schema, timeouts).await?;
        transfer.run(include_str!("transfer/settings.sql")).await?;
        transfer.run(&transfer.named(include_str!("transfer/lock.sql"))).await?;
        Ok(transfer)
    }

    /// Connects for changes beside those of other programs.
    pub async fn open_for_changes(
        url: &str,
        schema: &str,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        let transfer = Self::connect(url, schema, timeouts).await?;
        transfer.run(include_str!("transfer/change_settings.sql")).await?;
        Ok(transfer)
    }

    /// Connects and begins to read the present state.
    pub async fn open_for_read(
        url: &str,
        schema: &str,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        let transfer = Self::connect(url, schema, timeouts).await?;
        transfer.run(include_str!("transfer/begin_reading.sql")).await?;
        Ok(transfer)
    }

    async fn connect(url: &str, schema: &str, timeouts: Timeouts) -> Result<Self, TransferError> {
        let schema = DefinitionsSchema::new(schema)?;
        let config = Config::from_url(url).map_err(TransferError::Connect)?;
        let config = config.with_default_connect_timeout(timeouts.connect);
        let client = connect_simple(&config).await.map_err(TransferError::Connect)?;
        Ok(Self { client, schema })
    }

    fn named(&self, statement: &'static str) -> Cow<'static, str> {
        self.schema.statement(statement)
    }

    /// Runs a statement.
    pub async fn run(&self, statement: &str) -> Result<(), TransferError> {
        self.client.batch_execute(statement).await.map_err(|source| failed(statement, source))
    }

    pub async fn begin(&self) -> Result<(), TransferError> {
        self.run("begin").await
    }

    pub async fn roll_back(&self) -> Result<(), TransferError> {
        self.run("rollback").await
    }

    pub async fn commit(&self) -> Result<(), TransferError> {
        self.run("commit").await
    }

    /// The progress of an import that is not finished.
    pub async fn state(&self) -> Result<Option<String>, TransferError> {
        if self.text(&self.named(include_str!("transfer/is_there.sql"))).await?.as_deref()
            != Some("t")
        {
            return Ok(None);
        }
        self.text(&self.named(include_str!("transfer/state.sql"))).await
    }

    /// Saves the progress, in the current transaction.
    pub async fn save(&self, state: &str) -> Result<(), TransferError> {
        self.run(&self.named(include_str!("transfer/create.sql"))).await?;
        self.run(&self.named(include_str!("transfer/forget.sql"))).await?;
        let statement = &*self.named(include_str!("transfer/save.sql"));
        let saved = self.client.query_typed(statement, &[(&state, Type::TEXT)]).await;
        saved.map(drop).map_err(|source| failed(statement, source))
    }

    /// Removes the progress, in the current transaction.
    pub async fn forget(&self) -> Result<(), TransferError> {
        self.run(&self.named(include_str!("transfer/drop.sql"))).await
    }

    /// The last id of the sequence.
    pub async fn last_id(&self) -> Result<u64, TransferError> {
        let last = self.text(&self.named(include_str!("transfer/last.sql"))).await?;
        Ok(last.and_then(|last| last.parse().ok()).unwrap_or_default())
    }

    /// Moves the sequence beyond an id.
    pub async fn reserve(&self, last: i64) -> Result<(), TransferError> {
        let statement = &*self.named(include_str!("transfer/reserve.sql"));
        let done = self.client.query_typed(statement, &[(&last, Type::INT8)]).await;
        done.map(drop).map_err(|source| failed(statement, source))
    }

    /// The only value of a query that returns whether there are rows.
    pub async fn has_rows(&self, query: &str) -> Result<bool, TransferError> {
        Ok(self.text(query).await?.as_deref() == Some("t"))
    }

    /// Reads the rows that a query with an array of values returns: numbers or texts, as the column
    /// has them.
    pub async fn find(
        &self,
        query: &str,
        values: &[ValueRef<'_>],
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        match Keys::of(values) {
            Some(Keys::Numbers(numbers)) => {
                self.read_rows(query, &[(&numbers, Type::INT8_ARRAY)], columns, out).await
            }
            Some(Keys::Texts(texts)) => {
                self.read_rows(query, &[(&texts, Type::TEXT_ARRAY)], columns, out).await
            }
            None => {
                let column = columns.first().map(|column| column.name.clone());
                Err(TransferError::Value { column: column.unwrap_or_default() })
            }
        }
    }

    /// The text of the first value that a query returns.
    async fn text(&self, query: &str) -> Result<Option<String>, TransferError> {
        let messages = self.client.simple_query(query).await;
        let messages = messages.map_err(|source| failed(query, source))?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(Into::into),
            _ => None,
        }))
    }

    /// Inserts at most so many rows by COPY, and returns their number.
    pub async fn insert(
        &self,
        statement: &str,
        rows: &mut TableRows,
        most: u64,
    ) -> Result<u64, TransferError> {
        let failed = |source| failed(statement, source);
        let mut sink = pin!(self.client.copy_in(statement).await.map_err(failed)?);
        let mut chunk = Vec::with_capacity(CHUNK + 4_096);
        let mut inserted = 0;
        while inserted < most
            && let Some(row) = rows.next_row().map_err(TransferError::Rows)?
        {
            text::write_copy_row(row, &mut chunk);
            inserted += 1;
            if chunk.len() >= CHUNK {
                let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK + 4_096));
                sink.send(Bytes::from(full)).await.map_err(failed)?;
            }
        }
        sink.send(Bytes::from(chunk)).await.map_err(failed)?;
        sink.finish().await.map_err(failed)?;
        Ok(inserted)
    }

    /// Inserts rows by COPY.
    pub async fn insert_buffer(
        &self,
        statement: &str,
        rows: &RowBuffer,
    ) -> Result<(), TransferError> {
        let failed = |source| failed(statement, source);
        let mut sink = pin!(self.client.copy_in(statement).await.map_err(failed)?);
        let mut chunk = Vec::new();
        for row in rows.rows() {
            text::write_copy_row(row, &mut chunk);
        }
        sink.send(Bytes::from(chunk)).await.map_err(failed)?;
        sink.finish().await.map(drop).map_err(failed)
    }

    /// Inserts rows by COPY, and returns the place of one that is refused, if the database tells it.
    pub async fn copy_each(
        &self,
        statement: &str,
        rows: &RowBuffer,
    ) -> Result<(), (Option<usize>, TransferError)> {
        let inserted = self.insert_buffer(statement, rows).await;
        inserted.map_err(|error| (error.line().and_then(|line| line.checked_sub(1)), error))
    }

    /// Runs a statement with two arrays of texts.
    pub async fn run_with(
        &self,
        statement: &str,
        keys: &[Option<String>],
        values: &[Option<String>],
    ) -> Result<(), TransferError> {
        let parameters: [(&(dyn ToSql + Sync), Type); 2] =
            [(&keys, Type::TEXT_ARRAY), (&values, Type::TEXT_ARRAY)];
        let done = self.client.query_typed(statement, &parameters).await;
        done.map(drop).map_err(|source| failed(statement, source))
    }

    /// The texts and the numbers that a query with an array of texts returns.
    pub async fn numbers(
        &self,
        query: &str,
        values: &[String],
    ) -> Result<Vec<(String, i64)>, TransferError> {
        let failed = |source| failed(query, source);
        let rows = self.client.query_typed(query, &[(&values, Type::TEXT_ARRAY)]).await;
        let read = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.map_err(failed)?.iter().map(read).collect::<Result<_, _>>().map_err(failed)
    }

    /// Reads rows of a statement, such as the next ones of a cursor.
    pub async fn read(
        &self,
        statement: &str,
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        self.read_rows(statement, &[], columns, out).await
    }

    async fn read_rows(
        &self,
        statement: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        let failed = |source| failed(statement, source);
        for row in self.client.query_typed(statement, parameters).await.map_err(failed)? {
            for (place, column) in columns.iter().enumerate() {
                let found = found(&row, place).map_err(failed)?;
                let wrong = || TransferError::Value { column: column.name.clone() };
                out.push(&stored(found, column).ok_or_else(wrong)?);
            }
            out.end_row();
        }
        Ok(())
    }
}

fn failed(statement: &str, source: tokio_postgres::Error) -> TransferError {
    TransferError::Statement { statement: statement.into(), source }
}

/// A value of a row, whose statement has few types.
fn found(row: &Row, place: usize) -> Result<DatabaseValue<'_>, tokio_postgres::Error> {
    Ok(match *row.columns()[place].type_() {
        Type::BOOL => row
            .try_get::<_, Option<bool>>(place)?
            .map_or(DatabaseValue::Null, DatabaseValue::Boolean),
        Type::INT8 => row
            .try_get::<_, Option<i64>>(place)?
            .map_or(DatabaseValue::Null, DatabaseValue::Integer),
        Type::FLOAT8 => {
            row.try_get::<_, Option<f64>>(place)?.map_or(DatabaseValue::Null, DatabaseValue::Float)
        }
        _ => {
            row.try_get::<_, Option<&str>>(place)?.map_or(DatabaseValue::Null, DatabaseValue::Text)
        }
    })
}

impl<'v> Keys<'v> {
    /// Returns `None` for values of other types, or of both.
    fn of(values: &[ValueRef<'v>]) -> Option<Self> {
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                ValueRef::Integer(number) => numbers.push(*number),
                ValueRef::Text(text) => texts.push(*text),
                ValueRef::Null
                | ValueRef::Boolean(_)
                | ValueRef::Float(_)
                | ValueRef::Moment(_)
                | ValueRef::Json(_)
                | ValueRef::List(_) => return None,
            }
        }
        match (numbers.is_empty(), texts.is_empty()) {
            (false, true) => Some(Self::Numbers(numbers)),
            (true, _) => Some(Self::Texts(texts)),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_of_copy_has_the_line() {
        let check = |context: &str, line| assert_eq!(line_of(context), line, "{context}");
        check("COPY User, line 3", Some(3));
        check("COPY User, line 12: \"a\tb\"", Some(12));
        check("COPY User, line 2, column age: \"x1\"", Some(2));
        check("SQL statement \"COPY\"", None);
        check("", None);
    }

    #[test]
    fn keys_are_numbers_or_texts() {
        let (one, two, text) = (ValueRef::Integer(1), ValueRef::Integer(2), ValueRef::Text("a"));
        assert_eq!(Keys::of(&[one, two]), Some(Keys::Numbers(vec![1, 2])));
        assert_eq!(Keys::of(&[text]), Some(Keys::Texts(vec!["a"])));
        for other in [ValueRef::Float(0.5), ValueRef::Boolean(true), ValueRef::Moment(7), text] {
            assert_eq!(Keys::of(&[one, other]), None);
        }
    }
}
