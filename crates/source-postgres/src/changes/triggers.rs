//! The notifications of triggers, where the log is not available. The command `thalweg triggers` creates
//! the triggers.

use std::sync::Arc;

use ahash::AHashSet;
use serde_json::{Map, Value};
use source::SourceError;
use source::changes::{
    Cell, ChangeStream, ChangedRows, ChangedTable, Coverage, NoStream, RowChange, StreamOrigin,
    TableChange, TableName,
};
use source::notifications::{ChannelSession as _, Channels as _};
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

use super::relations::{Relations, Reporting};
use super::relay::lost;
use super::stream::failed;
use crate::channels::{PostgresChannelSession, PostgresChannels};
use crate::pooler;
use crate::product::Product;
use crate::wire::Config;

/// The channel of the notifications.
const CHANNEL: &str = "thalweg_live";

/// A session that receives the notifications of triggers.
#[derive(Debug)]
pub struct TriggerStream {
    session: PostgresChannelSession,
    /// The relations of the database on which the coverage depends.
    definitions: Relations,
    coverage: Coverage,
}

impl TriggerStream {
    /// Listens to the changes of those of these tables and views whose tables have triggers.
    pub(super) async fn begin(config: &Config, relations: &[TableName]) -> Result<Self, NoStream> {
        let not_allowed = |reason: &str| Err(NoStream::NotAllowed(reason.into()));
        let pooler = pooler::find(config).await.map_err(|error| failed(&error))?;
        if !pooler.keeps_sessions() {
            return not_allowed(
                "a connection pooler that shares sessions passes no notifications on",
            );
        }
        // Others have no such triggers.
        let channels = PostgresChannels::new(config.clone(), Product::PostgreSql);
        let mut session = channels.connect().await.map_err(NoStream::Failed)?;
        if is_standby(session.client()).await.map_err(|error| failed(&error))? {
            return not_allowed("the server is a standby");
        }
        let quick = session.client().batch_execute(include_str!("without_jit.sql")).await;
        quick.map_err(|error| failed(&error))?;
        // Before the triggers are read: later ones are a change of definitions.
        session.listen(CHANNEL).await.map_err(NoStream::Failed)?;
        let definitions = Relations::read(session.client(), relations).await;
        let definitions = definitions.map_err(|error| failed(&error))?;
        let coverage = coverage(session.client(), &definitions).await;
        let coverage = coverage.map_err(|error| failed(&error))?;
        if coverage.relations.is_empty() {
            return not_allowed(
                "no table has the triggers that `thalweg triggers install` creates",
            );
        }
        Ok(Self { session, definitions, coverage })
    }
}

impl ChangeStream for TriggerStream {
    fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    fn origin(&self) -> StreamOrigin {
        StreamOrigin::Triggers
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        loop {
            let notification = self.session.next().await?;
            // Any role may send notifications, which then tell of no change.
            if let Some(change) = change(&notification.payload) {
                return Ok(vec![change]);
            }
        }
    }

    async fn is_current(&mut self) -> Result<bool, SourceError> {
        self.definitions.is_current(self.session.client()).await.map_err(|error| lost(&error))
    }
}

/// The relations whose tables have triggers.
async fn coverage(
    client: &Client,
    definitions: &Relations,
) -> Result<Coverage, tokio_postgres::Error> {
    let tables = definitions.needed(Reporting::Named);
    let reporting = reporting(client, &tables).await?;
    Ok(definitions.coverage(Reporting::Named, |table| reporting.contains(&table)))
}

/// The relations that notifications of triggers would cover; none on a standby.
pub(super) async fn possible_coverage(
    client: &Client,
    definitions: &Relations,
) -> Result<Coverage, tokio_postgres::Error> {
    match is_standby(client).await? {
        true => Ok(Coverage::default()),
        false => coverage(client, definitions).await,
    }
}

async fn is_standby(client: &Client) -> Result<bool, tokio_postgres::Error> {
    let rows = client.query_typed(include_str!("triggers/is_standby.sql"), &[]).await?;
    Ok(rows.first().is_some_and(|row| row.try_get(0).unwrap_or_default()))
}

/// The tables that have triggers for all changes.
async fn reporting(
    client: &Client,
    tables: &[u32],
) -> Result<AHashSet<u32>, tokio_postgres::Error> {
    let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&tables, Type::OID_ARRAY)];
    let rows = client.query_typed(include_str!("triggers/reporting.sql"), &parameters).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The change that a trigger reports; `None` for another payload.
fn change(payload: &str) -> Option<TableChange> {
    let payload: Value = serde_json::from_str(payload).ok()?;
    let [namespace, name] = payload.get("table")?.as_array()?.as_slice() else { return None };
    let name =
        TableName { namespace: Some(namespace.as_str()?.into()), name: name.as_str()?.into() };
    let rows = match payload.get("rows") {
        None | Some(Value::Null) => None,
        Some(rows) => Some(rows.as_array()?),
    };
    let columns = columns(rows.into_iter().flatten());
    let rows = match rows {
        Some(rows) => ChangedRows::Rows(rows.iter().map(|row| row_change(row, &columns)).collect()),
        None => ChangedRows::Any,
    };
    Some(TableChange { table: Arc::new(ChangedTable { name, columns }), rows })
}

/// The names of the columns that rows mention.
fn columns<'r>(rows: impl Iterator<Item = &'r Value>) -> Vec<Box<str>> {
    let mut columns: Vec<Box<str>> = Vec::new();
    for row in rows {
        let values =
            ["before", "after"].into_iter().filter_map(|state| row.get(state)?.as_object());
        let names = values.flat_map(Map::keys).map(String::as_str).chain(changed(row));
        for name in names {
            if !columns.iter().any(|known| **known == *name) {
                columns.push(name.into());
            }
        }
    }
    columns
}

/// The names of the columns that an update has changed.
fn changed(row: &Value) -> impl Iterator<Item = &str> {
    let names = row.get("changed").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn row_change(row: &Value, columns: &[Box<str>]) -> RowChange {
    let state = |state: &str| {
        row.get(state).map(|values| columns.iter().map(|column| cell(values.get(&**column))))
    };
    let before: Option<Vec<Cell>> = state("before").map(Iterator::collect);
    let mut after: Option<Vec<Cell>> = state("after").map(Iterator::collect);
    if let Some(after) = &mut after {
        for (cell, column) in after.iter_mut().zip(columns) {
            if *cell == Cell::Unknown && changed(row).any(|name| *name == **column) {
                *cell = Cell::Changed;
            }
        }
    }
    RowChange { before, after }
}

/// A value as PostgreSQL prints it.
fn cell(value: Option<&Value>) -> Cell {
    let text = match value {
        Some(Value::Null) => return Cell::Null,
        Some(Value::Bool(value)) => if *value { "t" } else { "f" }.to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Array(_) | Value::Object(_)) => return Cell::Unknown,
    };
    Cell::Text(text.into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &'static str) -> Cell {
        Cell::Text(text.as_bytes().into())
    }

    /// The columns, and the rows before and after the change.
    fn check(rows: &str, columns: &[&str], expected: &[RowChange]) {
        let payload = [r#"{"table": ["public", "song"], "rows": "#, rows, "}"].concat();
        let change = change(&payload).unwrap();
        assert_eq!(&*change.table.name.name, "song");
        let names: Vec<&str> = change.table.columns.iter().map(|name| &**name).collect();
        assert_eq!(names, columns);
        assert_eq!(change.rows, ChangedRows::Rows(expected.to_vec()));
    }

    #[test]
    fn a_notification_tells_the_rows_before_and_after_a_change() {
        let inserted = RowChange { before: None, after: Some(vec![text("1")]) };
        check(r#"[{"after": {"id": 1}}]"#, &["id"], &[inserted]);
        let deleted = RowChange { before: Some(vec![text("f"), Cell::Null]), after: None };
        check(r#"[{"before": {"is_on": false, "of": null}}]"#, &["is_on", "of"], &[deleted]);
        let updated = RowChange {
            before: Some(vec![text("1"), Cell::Unknown]),
            after: Some(vec![text("1"), Cell::Changed]),
        };
        let row = r#"[{"before": {"id": 1}, "after": {"id": 1}, "changed": ["title"]}]"#;
        check(row, &["id", "title"], &[updated]);
        // A table without keys.
        check(r#"[{"after": null}]"#, &[], &[RowChange { before: None, after: Some(Vec::new()) }]);
    }

    #[test]
    fn a_change_of_many_rows_tells_the_table_alone() {
        for payload in
            [r#"{"table": ["public", "a"]}"#, r#"{"table": ["public", "a"], "rows": null}"#]
        {
            assert_eq!(change(payload).unwrap().rows, ChangedRows::Any);
        }
        for payload in ["", "[]", r#"{"table": "a"}"#, r#"{"table": ["a"], "rows": []}"#] {
            assert_eq!(change(payload), None);
        }
    }
}
