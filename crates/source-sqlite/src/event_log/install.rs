//! The log and the triggers of a file: what is missing, and the statements that create it.

use rusqlite::Connection;
use serde_json::{Value, json};
use source::event_log::{InstallPlan, PlannedStatement, RowTrigger};

use super::{EventLogError, SqliteEventLog, change, flag};

impl SqliteEventLog {
    /// Whether the log is there, with all that delivery needs.
    pub async fn is_complete(&self) -> Result<bool, EventLogError> {
        self.run(|connection| flag(connection, include_str!("is_complete.sql"), [])).await
    }

    /// Plans the log and these triggers. Other triggers of events are removed.
    pub async fn plan(&self, triggers: &[RowTrigger]) -> Result<InstallPlan, EventLogError> {
        let wanted = wanted(triggers).to_string();
        self.run(move |connection| plan(connection, &wanted)).await
    }

    /// Runs the statements of a plan in one transaction.
    pub async fn install(&self, plan: &InstallPlan) -> Result<(), EventLogError> {
        let statements = plan.statements.clone();
        self.run(move |connection| {
            change(connection, |connection| {
                for statement in statements {
                    connection.execute_batch(&statement.sql)?;
                }
                Ok(())
            })
        })
        .await
    }
}

fn plan(connection: &Connection, wanted: &str) -> Result<InstallPlan, EventLogError> {
    let mut problems = connection.prepare(include_str!("problems.sql"))?;
    let problems = problems.query_map([wanted], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut statements = Vec::new();
    if !flag(connection, include_str!("is_complete.sql"), [])? {
        statements.push(PlannedStatement {
            reason: "the log of events is missing, or is of an older version".into(),
            sql: include_str!("create.sql").trim_end().into(),
        });
    }
    let mut planned = connection.prepare(include_str!("plan.sql"))?;
    let planned = planned.query_map([wanted], |row| {
        Ok(PlannedStatement { reason: row.get(0)?, sql: row.get(1)? })
    })?;
    for statement in planned {
        statements.push(statement?);
    }
    Ok(InstallPlan { statements, problems })
}

/// A row of the statements' JSON for each trigger and kind of change.
fn wanted(triggers: &[RowTrigger]) -> Value {
    let rows = triggers.iter().flat_map(|trigger| {
        trigger.operations.iter().map(move |recorded| {
            json!({
                "name": trigger.name,
                "schema": trigger.schema,
                "table": trigger.table,
                "op": recorded.operation.as_str().to_ascii_uppercase(),
                "compared": recorded.compared.listed(),
                "payload": recorded.payload.listed(),
            })
        })
    });
    Value::Array(rows.collect())
}
