//! `/import`: nodes, lists or relations, stored in one transaction.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use dialects::prisma::model::Model;
use dialects::prisma::normalized::import::{self, Change, ChangeKind, Import, POSITION_STEP};
use engine::Caller;
use serde_json::Value;
use sources::transfer::{RefusedRow, RowChanges, Schemas, TransferError};
use storage::tables::Table;
use transfer::Value as Stored;
use transfer::value::RowBuffer;

use super::settings::ServiceDatabase;
use super::{changes, malformed};
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
    changes::check_rights(at, caller)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_micros()).unwrap_or(i64::MAX);
    let import = import::read(model, request, now, source::new_cuid);
    let import = import.map_err(|error| malformed(error.0))?;
    let schemas = changes::schemas(service, &import.tables);
    let store = async move |at: Arc<ServiceDatabase>| store(&import, schemas, &at).await;
    changes::run(service, at, store).await.map(Value::from)
}

/// Stores all changes, and returns the errors of the answer.
async fn store(
    import: &Import,
    schemas: Schemas,
    at: &ServiceDatabase,
) -> Result<Vec<String>, TransferError> {
    let transfer = changes::begin(at, schemas).await?;
    for change in &import.changes {
        let table = &import.tables.tables[change.table];
        if let Err(refused) = apply(&transfer, change, table).await? {
            transfer.roll_back().await?;
            let text = change.failures.text(refused.place, &refused.cause);
            return Ok([text].into_iter().chain(import.errors.iter().cloned()).collect());
        }
    }
    transfer.commit().await?;
    Ok(import.errors.clone())
}

async fn apply(
    transfer: &RowChanges,
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
