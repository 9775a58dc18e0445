//! The engine of an API, which a reload replaces, and its opening on a thread of its own.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use dialects::Dialect;
use engine::{Api, Engine};
use tokio::runtime::Builder;
use tokio::sync::{oneshot, watch};
use tokio::task::LocalSet;

use crate::options::{Options, Triggers};

/// How long the closing of a source may take.
const CLOSING: Duration = Duration::from_secs(5);

/// The newest engine.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    pub(crate) engine: Arc<Engine>,
}

/// Closes the source when the last thread has ended.
#[derive(Debug)]
pub(crate) struct Closing(pub(crate) watch::Receiver<Generation>);

/// An API cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database, its schema, the policies or the definitions.
    #[error(transparent)]
    Engine(#[from] engine::OpenError),
    /// The metadata has what the library does not deliver.
    #[error(
        "the metadata has event triggers, cron triggers or asynchronous actions, which the library \
         does not deliver: let `thalweg serve` deliver them and set `triggers` to `DeliveredElsewhere`, \
         or remove them"
    )]
    Triggers,
    /// The system starts no thread.
    #[error("a thread cannot be started: {0}")]
    Thread(io::Error),
    /// The API was closed before the reload.
    #[error("the API is closed: open it again")]
    Closed,
    /// A panic, which the log has.
    #[error("the thread that opened the API has ended by a panic")]
    Lost,
}

impl Drop for Closing {
    fn drop(&mut self) {
        let engine = Arc::clone(&self.0.borrow().engine);
        engine.close(CLOSING);
    }
}

impl Generation {
    /// Opens the source. It runs on a thread of its own: what is read then is not for other threads.
    pub(crate) async fn open(options: Arc<Options>) -> Result<Self, OpenError> {
        let (sender, opened) = oneshot::channel();
        let open = move || {
            let opened = Builder::new_current_thread().enable_all().build();
            let opened = opened.map_err(OpenError::Thread).and_then(|runtime| {
                LocalSet::new().block_on(&runtime, async { Self::read(&options).await })
            });
            // The caller may not wait any more.
            let _ = sender.send(opened);
        };
        let thread = thread::Builder::new().name("thalweg-open".into());
        thread.spawn(open).map_err(OpenError::Thread)?;
        opened.await.unwrap_or(Err(OpenError::Lost))
    }

    async fn read(options: &Options) -> Result<Self, OpenError> {
        let engine = Engine::open(&options.source, &options.engine).await?;
        let is_refused = options.triggers == Triggers::Refused;
        if is_refused && (engine.has_async_actions() || has_triggers(&options.engine.dialect)) {
            return Err(OpenError::Triggers);
        }
        Ok(Self { engine })
    }

    /// The engine for a thread.
    pub(crate) fn api(&self) -> Api {
        Api::Source(Arc::clone(&self.engine))
    }
}

/// Whether metadata has event triggers or cron triggers.
fn has_triggers(dialect: &Dialect) -> bool {
    let Dialect::Hasura(options) = dialect else { return false };
    let Some(served) = options.metadata.served() else { return false };
    let mut tables = served.source().tables.iter();
    tables.any(|table| !table.event_triggers.is_empty())
        || !served.metadata().cron_triggers.is_empty()
}
