//! Queries with long subgraph responses, on separate threads.
//!
//! A response is parsed, joined and fetched for in steps that do not yield, and with some megabytes
//! each step takes tens of milliseconds. On a serving thread all its other requests would wait for
//! as many steps as there are such queries. So a serving thread reads no response beyond [`LONG`]:
//! the query is restarted on a separate thread, where the operating system schedules it fairly, and
//! the plan remembers this for the next time. Mutations are never restarted and stay on the serving
//! thread.
//!
//! An alternative is to yield between the steps and to allow one long query of a thread at a time.
//! It needs no second thread, but short requests still wait for the longest step, which grows with
//! the response. Separate threads have the disadvantage that a long query is fetched twice the
//! first time.
//!
//! Operations with deferred fragments are executed here from the start: their response has begun when
//! a long response comes.
//!
//! Queries also stay if a subgraph is a source in this process: separate threads would need as many
//! connections to its database again, and its own long responses are written on other threads
//! already.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use gateway::execute::{ExecutionError, ExecutionStatistics};
use graphql::variables::Variables;
use response::sink::Full;
use response::{MemoryBudget, Sink};
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;

use super::incremental::IncrementalQuery;
use super::worker::GatewayWorker;
use super::{Caller, Gateway, Prepared};
use crate::documents::Document;

/// Maximum length of a subgraph response on a serving thread: it is read, joined and written in
/// about 2 ms.
pub(super) const LONG: usize = 128 << 10;

/// Idle time after which a thread drops its connections and its gateway, which may have been
/// replaced by a reload.
const IDLE: Duration = Duration::from_secs(10);

/// Data of a response, unless the sink is full.
pub(super) type Written = Result<(Sink, Vec<ExecutionError>), Full>;

/// A planned query with everything that its execution needs.
pub(super) struct LongQuery {
    pub(super) gateway: Arc<Gateway>,
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) time_limit: Option<Duration>,
    pub(super) document: Arc<Document>,
    pub(super) prepared: Arc<Prepared>,
    pub(super) variables: Variables,
    pub(super) caller: Caller,
    pub(super) started: Instant,
    pub(super) observed: ExecutionStatistics,
}

/// Result of a query.
pub(super) struct LongQueryResult {
    pub(super) written: Written,
    pub(super) observed: ExecutionStatistics,
    /// Whether a subgraph response was long.
    pub(super) is_long: bool,
}

enum Job {
    Query {
        query: Box<LongQuery>,
        reply: oneshot::Sender<LongQueryResult>,
    },
    /// Its payloads are sent by channels of its own.
    Incremental(Box<IncrementalQuery>),
}

impl Job {
    fn query(&self) -> &LongQuery {
        match self {
            Self::Query { query, .. } => query,
            Self::Incremental(incremental) => &incremental.query,
        }
    }

    /// Executes it, until nothing waits for its result.
    async fn run(self, worker: Rc<GatewayWorker>) {
        match self {
            Self::Query { query, mut reply } => {
                tokio::select! {
                    biased;
                    // The query was cancelled.
                    () = reply.closed() => (),
                    done = worker.execute_long(*query) => {
                        // The query may have been cancelled just now.
                        let _ = reply.send(done);
                    }
                }
            }
            Self::Incremental(incremental) => incremental.run(&worker).await,
        }
    }
}

/// One thread for each processor, started by the first long query.
static THREADS: LazyLock<Vec<mpsc::UnboundedSender<Job>>> = LazyLock::new(|| {
    let most = thread::available_parallelism().map_or(1, usize::from);
    let begin = |number: usize| {
        let (jobs, received) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name(format!("long-{number}"));
        // A thread that cannot be started is left out.
        thread.spawn(move || run(received)).ok().map(|_| jobs)
    };
    (0..most).filter_map(begin).collect()
});

/// Index of the thread for the next query (round robin).
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Executes a query on a separate thread; returns it if no thread accepts it. Dropping the future
/// cancels the query.
pub(super) async fn execute_on_long_thread(
    query: LongQuery,
) -> Result<LongQueryResult, Box<LongQuery>> {
    let query = Box::new(query);
    let (reply, done) = oneshot::channel();
    if let Some(Job::Query { query, .. }) = send(Job::Query { query, reply }) {
        return Err(query);
    }
    // A thread that ended during the query is a bug; the outcome is unknown.
    Ok(done.await.unwrap_or_else(|_| LongQueryResult {
        written: Err(Full::Refused(response::Refused::Unread)),
        observed: ExecutionStatistics::default(),
        is_long: true,
    }))
}

/// Executes a query with deferred fragments on a separate thread; returns it if no thread accepts it.
pub(super) fn run_on_long_thread(
    query: Box<IncrementalQuery>,
) -> Result<(), Box<IncrementalQuery>> {
    match send(Job::Incremental(query)) {
        Some(Job::Incremental(query)) => Err(query),
        Some(Job::Query { .. }) | None => Ok(()),
    }
}

/// Sends a job to the next thread; returns it if no thread accepts it.
fn send(job: Job) -> Option<Job> {
    let count = THREADS.len().max(1);
    match THREADS.get(NEXT.fetch_add(1, Ordering::Relaxed) % count) {
        Some(thread) => thread.send(job).err().map(|mpsc::error::SendError(job)| job),
        None => Some(job),
    }
}

fn run(jobs: mpsc::UnboundedReceiver<Job>) {
    let served = runtime::Builder::new_current_thread().enable_all().build();
    match served {
        Ok(runtime) => LocalSet::new().block_on(&runtime, take(jobs)),
        Err(error) => tracing::error!(%error, "a thread for long requests cannot run"),
    }
}

async fn take(mut jobs: mpsc::UnboundedReceiver<Job>) {
    let kept: RefCell<Option<Rc<GatewayWorker>>> = RefCell::new(None);
    loop {
        let job = match timeout(IDLE, jobs.recv()).await {
            Ok(Some(job)) => job,
            Ok(None) => return,
            Err(_) => {
                kept.take();
                match jobs.recv().await {
                    Some(job) => job,
                    None => return,
                }
            }
        };
        let worker = kept.take().filter(|kept| kept.is_for(job.query()));
        let worker = worker.unwrap_or_else(|| Rc::new(GatewayWorker::for_long_query(job.query())));
        kept.replace(Some(Rc::clone(&worker)));
        spawn_local(job.run(worker));
    }
}
