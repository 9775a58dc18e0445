//! RowChanges of rows beside GraphQL: in one transaction, on a connection of their own.

use std::future::Future;
use std::sync::Arc;

use engine::{ApiWorker, Caller, SourceAddress};
use sources::transfer::{RowChanges, Schemas, TransferError};
use storage::tables::Tables;
use storage::{Database, ExtensionSupport};
use tokio::runtime;
use tokio::task::spawn_blocking;

use super::settings::ServiceDatabase;
use super::unavailable;
use crate::http::refusal::Refusal;
use crate::http::service::Service;

/// Refuses callers that have other rights than the user of the connection.
pub(super) fn check_rights(at: &ServiceDatabase, caller: &Caller) -> Result<(), Refusal> {
    let has_role =
        matches!(at.source, SourceAddress::Postgres(_)) && caller.session.settings.is_some();
    match has_role || at.has_policies {
        true => Err(Refusal::ImportRole),
        false => Ok(()),
    }
}

/// Runs changes when there is a place for them. The log has the error of a database that fails.
pub(super) async fn run<T, W>(
    service: &Service,
    at: &Arc<ServiceDatabase>,
    work: impl FnOnce(Arc<ServiceDatabase>) -> W + Send + 'static,
) -> Result<T, Refusal>
where
    T: Send + 'static,
    W: Future<Output = Result<T, TransferError>>,
{
    let queue_timeout = service.settings.load.queue_timeout;
    let _slot = service.process.admission.acquire(queue_timeout).await?;
    let at = Arc::clone(at);
    // Statements of SQLite would block the other requests of the thread.
    let changed = spawn_blocking(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        runtime.block_on(work(at)).map_err(|error| error.to_string())
    });
    changed.await.map_err(|error| error.to_string()).flatten().map_err(|error| {
        tracing::error!(error, "changes beside GraphQL have failed");
        unavailable()
    })
}

/// Begins a transaction.
pub(super) async fn begin(
    at: &ServiceDatabase,
    schemas: Schemas,
) -> Result<RowChanges, TransferError> {
    let missing = ExtensionSupport::Missing;
    let database = match &at.source {
        SourceAddress::Postgres(_) => Database::postgres(&at.tables.schema, missing, missing),
        SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => Database::sqlite(),
    };
    RowChanges::begin(&at.source, &database, schemas, at.tables.timeouts).await
}

/// The schemas of tables, as the API finds the tables: several schemas may be served.
pub(super) fn schemas(service: &Service, tables: &Tables) -> Schemas {
    let ApiWorker::Source(worker) = &service.worker else { return Schemas::new() };
    let found = tables.tables.iter().filter_map(|table| {
        let (schema, _) = worker.engine().tables().find(|(_, name)| *name == &*table.name)?;
        Some((table.name.clone(), schema?.into()))
    });
    found.collect()
}
