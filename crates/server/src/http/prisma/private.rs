//! `/private`: deletes all rows of the service, and validates subscriptions.

use std::sync::Arc;

use dialects::prisma::management::{PRIVATE_API, RESET};
use dialects::prisma::model::Model;
use dialects::prisma::stored::stored;
use engine::Caller;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json::{Map, Value, json};
use sources::transfer::{Schemas, TransferError};
use storage::Layout;
use storage::tables::{Stored, Tables};

use super::settings::ServiceDatabase;
use super::{Answered, changes};
use crate::http::persisted::Missing;
use crate::http::refusal::Refusal;
use crate::http::service::Service;

pub(super) async fn answer(
    service: &Service,
    (at, model): (&Arc<ServiceDatabase>, &Model),
    caller: &Caller,
    request: &Request,
) -> Answered {
    let begun = PRIVATE_API.begin(request, &service.worker.limits().document);
    let begun = match begun {
        Ok(begun) => begun,
        Err(errors) => return Ok(Err(errors)),
    };
    let mut values = Vec::new();
    for wanted in begun.wanted() {
        values.push(match wanted.name {
            RESET => reset(service, (at, model), caller).await?,
            _ => Ok(validated(service, caller, wanted.arguments)),
        });
    }
    Ok(begun.data(values).map_err(|error| vec![error]))
}

/// Deletes all rows, in one transaction. The error is what the database refuses.
async fn reset(
    service: &Service,
    (at, model): (&Arc<ServiceDatabase>, &Model),
    caller: &Caller,
) -> Result<Result<Value, GraphQLError>, Refusal> {
    if service.settings.persisted.only_trusted {
        return Err(Refusal::Document(Missing::NotTrusted));
    }
    changes::check_rights(at, caller)?;
    let Layout::Tables { tables, .. } = stored(model) else { return Ok(Ok(true.into())) };
    let schemas = changes::schemas(service, &tables);
    let delete = async move |at: Arc<ServiceDatabase>| delete_all(&at, schemas, &tables).await;
    let deleted = changes::run(service, at, delete).await?;
    Ok(deleted.map(|()| Value::from(true)).map_err(|cause| {
        GraphQLError::new(
            ErrorCode::StatementRefused,
            format!("The database refuses to delete all rows, and none is deleted. Cause: {cause}"),
        )
    }))
}

async fn delete_all(
    at: &ServiceDatabase,
    schemas: Schemas,
    tables: &Tables,
) -> Result<Result<(), String>, TransferError> {
    let transfer = changes::begin(at, schemas).await?;
    // Pairs and elements of lists refer to the rows of types.
    let is_entity = |stored: &Stored| matches!(stored, Stored::Entity(_));
    let mut tables: Vec<_> = tables.tables.iter().collect();
    tables.sort_by_key(|table| is_entity(&table.stores));
    for table in tables {
        if let Err(refused) = transfer.delete_rows(table).await {
            transfer.roll_back().await?;
            return Ok(Err(refused.cause));
        }
    }
    transfer.commit().await?;
    Ok(Ok(()))
}

/// The mistakes of a subscription.
fn validated(service: &Service, caller: &Caller, arguments: &Map<String, Value>) -> Value {
    let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
    let request = Request { query: query.to_owned(), ..Request::default() };
    let errors: Vec<Value> = match service.worker.document(&request, caller) {
        Ok(document) if document.operation.kind == OperationKind::Subscription => Vec::new(),
        Ok(_) => vec!["The document has no subscription.".into()],
        Err(response) => {
            let told: Value = serde_json::from_slice(&response.body).unwrap_or_default();
            let errors = told["errors"].as_array().cloned().unwrap_or_default();
            errors.iter().map(|error| error["message"].clone()).collect()
        }
    };
    json!({ "errors": errors })
}
