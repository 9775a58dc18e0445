//! Long requests of a supergraph, on threads of their own.
//!
//! What subgraphs answer is read, joined and asked for further in stretches between which nobody else
//! has a turn, and with some megabytes these take tens of milliseconds each. On a serving thread all
//! other clients of it would wait, behind as many stretches as there are such requests. So a serving
//! thread reads no answer beyond [`LONG`]: a query that gets one begins again on a thread apart, where
//! the system shares the processors among all threads, and the next time this is known of its plan.
//! What changes something is never asked for twice, and stays where it is.
//!
//! Two ways were weighed. Turns between the stretches, of one long request of a thread at a time, need
//! no second thread, and a short request waits for the longest stretch all the same, which grows with
//! the answer. Threads apart cost that a long query is asked twice at its first time.
//!
//! Where a subgraph is a source in this process, requests stay, too: threads apart would want as many
//! connections to its database again, and its own long answers are written elsewhere already.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use gateway::execute::{ExecutionError, Observed};
use graphql::variables::Variables;
use response::sink::Full;
use response::{Memory, Sink};
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;

use super::worker::GatewayWorker;
use super::{Caller, Gateway, Prepared};
use crate::documents::Document;

/// A longer answer of a subgraph is read elsewhere. So much is read, joined and written in about two
/// milliseconds.
pub(super) const LONG: usize = 128 << 10;

/// After this time without a request a thread lets its connections and its gateway go, which may be
/// one that was replaced.
const IDLE: Duration = Duration::from_secs(10);

/// What became of a request: its data, unless that has no room.
pub(super) type Written = Result<(Sink, Vec<ExecutionError>), Full>;

/// A request that is planned, and all that it needs.
pub(super) struct Work {
    pub(super) gateway: Arc<Gateway>,
    pub(super) memory: Arc<Memory>,
    pub(super) time_limit: Option<Duration>,
    pub(super) document: Arc<Document>,
    pub(super) prepared: Arc<Prepared>,
    pub(super) variables: Variables,
    pub(super) caller: Caller,
    pub(super) started: Instant,
    pub(super) observed: Observed,
}

/// What is told of it.
pub(super) struct Done {
    pub(super) written: Written,
    pub(super) observed: Observed,
    /// Whether it was long.
    pub(super) is_long: bool,
}

struct Job {
    work: Box<Work>,
    reply: oneshot::Sender<Done>,
}

/// As many threads as there are processors; none before the first long request.
static THREADS: LazyLock<Vec<mpsc::UnboundedSender<Job>>> = LazyLock::new(|| {
    let most = thread::available_parallelism().map_or(1, usize::from);
    let begin = |number: usize| {
        let (jobs, received) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name(format!("long-{number}"));
        // One that cannot be begun takes nothing.
        thread.spawn(move || run(received)).ok().map(|_| jobs)
    };
    (0..most).filter_map(begin).collect()
});

/// Which thread takes the next request.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Has a request executed apart; it is given back where no thread takes it. Dropping the future ends
/// the request.
pub(super) async fn execute_apart(work: Work) -> Result<Done, Box<Work>> {
    let work = Box::new(work);
    let count = THREADS.len().max(1);
    let Some(thread) = THREADS.get(NEXT.fetch_add(1, Ordering::Relaxed) % count) else {
        return Err(work);
    };
    let (reply, done) = oneshot::channel();
    if let Err(mpsc::error::SendError(Job { work, .. })) = thread.send(Job { work, reply }) {
        return Err(work);
    }
    // A thread that ended in the middle is a defect of ours: nobody knows what became of the request.
    Ok(done.await.unwrap_or_else(|_| Done {
        written: Err(Full::Refused(response::Refused::Unread)),
        observed: Observed::default(),
        is_long: true,
    }))
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
        let Job { work, mut reply } = job;
        let worker = kept.take().filter(|kept| kept.is_for(&work));
        let worker = worker.unwrap_or_else(|| Rc::new(GatewayWorker::apart_for(&work)));
        kept.replace(Some(Rc::clone(&worker)));
        spawn_local(async move {
            tokio::select! {
                biased;
                // Nobody waits for it any more.
                () = reply.closed() => (),
                done = worker.execute_long(*work) => {
                    // Or does not wait since just now.
                    let _ = reply.send(done);
                }
            }
        });
    }
}
