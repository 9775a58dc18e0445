//! Runs work of a request under admission control and the request timeout.

use std::time::Instant;

use tokio::time::timeout_at;

use super::refusal::Refusal;
use super::service::Service;

/// Runs the work of a request that began at a time. After the request timeout its future is dropped,
/// which cancels its statements in the database.
pub(super) async fn run_limited<T>(
    service: &Service,
    began: Instant,
    work: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let most = service.settings.request_timeout;
    let executed = async {
        let queue_timeout = service.settings.load.queue_timeout;
        let _slot = service.process.admission.acquire(queue_timeout).await?;
        Ok(work.await)
    };
    let Some(deadline) = began.checked_add(most) else { return executed.await };
    timeout_at(deadline.into(), executed).await.unwrap_or(Err(Refusal::RequestTimeout { most }))
}
