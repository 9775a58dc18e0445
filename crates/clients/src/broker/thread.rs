//! The thread of all brokers and of shared stores. Connections of the client libraries have tasks that must outlive the
//! thread of a request.

use std::sync::OnceLock;
use std::thread::Builder;

use tokio::runtime::{self, Handle};
use tokio::task::JoinHandle;

/// Runs a task on the thread, which the first task starts; `None` if it does not start.
pub(crate) fn spawn<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> Option<JoinHandle<T>> {
    static THREAD: OnceLock<Option<Handle>> = OnceLock::new();
    Some(THREAD.get_or_init(start).as_ref()?.spawn(task))
}

fn start() -> Option<Handle> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .inspect_err(|error| tracing::error!(%error, "the thread of the brokers does not start"))
        .ok()?;
    let handle = runtime.handle().clone();
    let started = Builder::new()
        .name("brokers".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()));
    match started {
        Ok(_) => Some(handle),
        Err(error) => {
            tracing::error!(%error, "the thread of the brokers does not start");
            None
        }
    }
}
