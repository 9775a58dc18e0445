//! The log and the triggers of a database: what is missing, and the statements that create it.

use serde_json::{Value, json};
use source::event_log::{InstallPlan, PlannedStatement, RowTrigger};
use tokio_postgres::types::Type;

use super::{EventLogError, PostgresEventLog, column};

/// The schema of tables that are named without one.
const PUBLIC: &str = "public";

impl PostgresEventLog {
    /// Whether the log is there, with all that delivery needs.
    pub async fn is_complete(&self) -> Result<bool, EventLogError> {
        let client = self.connect().await?;
        let rows = client.query_typed(include_str!("is_complete.sql"), &[]).await?;
        rows.first().map_or(Ok(false), |row| column(row, 0))
    }

    /// Plans the log and these triggers. Other triggers of events are removed.
    pub async fn plan(&self, triggers: &[RowTrigger]) -> Result<InstallPlan, EventLogError> {
        let client = self.connect().await?;
        let wanted = wanted(triggers).to_string();
        let parameters: [_; 1] = [(&wanted as _, Type::TEXT)];
        let problems = client.query_typed(include_str!("problems.sql"), &parameters).await?;
        let problems = problems.iter().map(|row| column(row, 0)).collect::<Result<_, _>>()?;
        let mut statements = Vec::new();
        let complete = client.query_typed(include_str!("is_complete.sql"), &[]).await?;
        if !complete.first().map_or(Ok(false), |row| column(row, 0))? {
            statements.push(PlannedStatement {
                reason: "the log of events is missing, or is of an older version".into(),
                sql: include_str!("create.sql").trim_end().into(),
            });
        }
        for row in client.query_typed(include_str!("plan.sql"), &parameters).await? {
            statements.push(PlannedStatement { reason: column(&row, 0)?, sql: column(&row, 1)? });
        }
        Ok(InstallPlan { statements, problems })
    }

    /// Runs the statements of a plan in one transaction.
    pub async fn install(&self, plan: &InstallPlan) -> Result<(), EventLogError> {
        let mut client = self.connect().await?;
        let transaction = client.transaction().await?;
        for statement in &plan.statements {
            transaction.batch_execute(&statement.sql).await?;
        }
        Ok(transaction.commit().await?)
    }
}

/// A row of the statements' JSON for each trigger and kind of change.
fn wanted(triggers: &[RowTrigger]) -> Value {
    let rows = triggers.iter().flat_map(|trigger| {
        trigger.operations.iter().map(move |recorded| {
            json!({
                "name": trigger.name,
                "schema": trigger.schema.as_deref().unwrap_or(PUBLIC),
                "table": trigger.table,
                "op": recorded.operation.as_str().to_ascii_uppercase(),
                "compared": recorded.compared.listed(),
                "payload": recorded.payload.listed(),
                "always": trigger.records_replication,
            })
        })
    });
    Value::Array(rows.collect())
}
