//! Work for a request, in its turn and in its time.

use std::time::Instant;

use tokio::time::timeout_at;

use super::respond::Refusal;
use super::service::Service;

/// Does the work for a request that began at a time. If that takes too long, its future is dropped,
/// which ends its statements in the database.
pub(super) async fn in_turn<T>(
    service: &Service,
    began: Instant,
    work: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let most = service.settings.request_timeout;
    let executed = async {
        let patience = service.settings.load.queue_timeout;
        let _place = service.process.admission.enter(patience).await?;
        Ok(work.await)
    };
    let Some(deadline) = began.checked_add(most) else { return executed.await };
    timeout_at(deadline.into(), executed).await.unwrap_or(Err(Refusal::RequestTimeout { most }))
}
