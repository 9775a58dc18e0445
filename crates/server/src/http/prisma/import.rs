//! `/import`: nodes, lists or relations, stored in one transaction.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use dialects::prisma::model::Model;
use dialects::prisma::normalized::import::{self, Change, ChangeKind, Import, POSITION_STEP};
use engine::{Caller, SourceAddress};
use serde_json::Value;
use sources::transfer::{RefusedRow, Transfer, TransferError};
use storage::tables::Table;
use storage::{Database, ExtensionSupport};
use tokio::runtime;
use tokio::task::spawn_blocking;
use transfer::Value as Stored;
use transfer::value::RowBuffer;

use super::settings::ServiceDatabase;
use super::{malformed, unavailable};
use crate::http::refusal::Refusal;
use crate::http::service::Service;

/// The columns of tables of lists.
const HOLDER: &str = "nodeId";
const POSITION: &str = "position";

/// Stores the values of a request. The answer has an error for each node that is none of its type; if
/// the database refuses a row, nothing is stored.
pub(super) async fn answer(
    service: &Service,
    (at, model): (&Arc<ServiceDatabase>, &Model),
    caller: &Caller,
    request: &Value,
) -> Result<Value, Refusal> {
    let has_role =
        matches!(at.source, SourceAddress::Postgres(_)) && caller.session.settings.is_some();
    if has_role || at.has_policies {
        return Err(Refusal::ImportRole);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_micros()).unwrap_or(i64::MAX);
    let import = import::read(model, request, now, source::new_cuid);
    let import = import.map_err(|error| malformed(error.0))?;
    let queue_timeout = service.settings.load.queue_timeout;
    let _slot = service.process.admission.acquire(queue_timeout).await?;
    let at = Arc::clone(at);
    // Statements of SQLite would block the other requests of the thread.
    let stored = spawn_blocking(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let stored = runtime.block_on(store(&import, &at));
        stored.map_err(|error| error.to_string())
    });
    match stored.await.map_err(|error| error.to_string()).flatten() {
        Ok(errors) => Ok(Value::from(errors)),
        Err(error) => {
            tracing::error!(error, "an import has failed");
            Err(unavailable())
        }
    }
}

/// Stores all changes, and returns the errors of the answer.
async fn store(import: &Import, at: &ServiceDatabase) -> Result<Vec<String>, TransferError> {
    let missing = ExtensionSupport::Missing;
    let database = match &at.source {
        SourceAddress::Postgres(_) => Database::postgres(&at.tables.schema, missing, missing),
        SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => Database::sqlite(),
    };
    let transfer = Transfer::begin_changes(&at.source, &database, at.tables.timeouts).await?;
    for change in &import.changes {
        let table = &import.tables.tables[change.table];
        if let Err(refused) = apply(&transfer, change, table).await? {
            transfer.roll_back_changes().await?;
            let text = change.failures.text(refused.place, &refused.cause);
            return Ok([text].into_iter().chain(import.errors.iter().cloned()).collect());
        }
    }
    transfer.commit_changes().await?;
    Ok(import.errors.clone())
}

async fn apply(
    transfer: &Transfer,
    change: &Change,
    table: &Table,
) -> Result<Result<(), RefusedRow>, TransferError> {
    Ok(match &change.kind {
        ChangeKind::Insert(rows) => transfer.insert_rows(table, rows).await,
        ChangeKind::SetColumn { key, column, pairs } => {
            transfer.set_column(table, (key, column), pairs).await
        }
        ChangeKind::Append(lists) => {
            let holders: Vec<_> = lists.iter().map(|(_, holder, _)| holder.clone()).collect();
            let last = transfer.greatest(table, (HOLDER, POSITION), &holders).await?;
            let mut rows = RowBuffer::default();
            for (key, holder, elements) in lists {
                let mut position = last.get(holder).copied().unwrap_or_default();
                for element in elements {
                    position += POSITION_STEP;
                    rows.push(key);
                    rows.push(&Stored::Integer(position));
                    rows.push(element);
                    rows.end_row();
                }
            }
            transfer.insert_rows(table, &rows).await
        }
    })
}
