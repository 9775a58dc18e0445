//! A bounded queue of requests, and the thread that sends reports of them.
//!
//! A request is never delayed: if the queue is full, because Hive is slow or cannot be reached, it is
//! not reported, but counted. A report that Hive refuses is not sent again; one that did not arrive
//! is, with growing pauses.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc as std_mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::GetError;
use clients::http::{Client, DownloadLimits};
use engine::Api;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use hyper::{StatusCode, Uri};
use tokio::runtime;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::report::{QueuedRequest, Report};
use crate::failure::Failure;
use crate::usage::request::RecordedRequest;

/// Requests that wait for the thread; more are dropped.
const QUEUE: usize = 8_192;

/// Length of the documents of these requests, each of which may be another one; more are dropped.
const MOST_QUEUED_BYTES: u64 = 16 << 20;

/// Time between two reports, if there are fewer requests.
const INTERVAL: Duration = Duration::from_secs(5);

/// Limits of one attempt.
const LIMITS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(10), most_bytes: 1 << 20 };

/// Pauses before the attempts to send a report again.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(15)];

/// Time for the last report when the server stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Minimum interval between two log lines about failures.
const LOG_PAUSE: Duration = Duration::from_secs(60);

const API_VERSION: HeaderName = HeaderName::from_static("x-usage-api-version");

/// The address of Hive with its token, and the share of requests that is reported.
#[derive(Clone, Debug)]
pub(crate) struct ReporterSettings {
    pub(crate) url: Uri,
    /// Marked as sensitive: it is not printed.
    pub(crate) authorization: HeaderValue,
    pub(crate) sample_rate: f64,
}

/// Sends reports of requests.
#[derive(Debug)]
pub(crate) struct Reporter {
    queue: Sender<QueuedRequest>,
    /// Length of the documents in the queue.
    queued_bytes: Arc<AtomicU64>,
    sample_rate: f64,
    statistics: Arc<Statistics>,
    stop: Arc<Notify>,
    /// Disconnected when the thread has ended.
    ended: Mutex<std_mpsc::Receiver<()>>,
}

/// Counters of requests by their reports.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// Requests in reports that Hive accepted.
    pub(crate) reported: AtomicU64,
    /// Requests that did not fit into the queue.
    pub(crate) dropped: AtomicU64,
    /// Requests in reports that were refused, or did not arrive.
    pub(crate) failed: AtomicU64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReporterError {
    #[error("usage reports cannot be sent: {0}")]
    Client(GetError),
    #[error("usage reports cannot be sent: {0}")]
    Thread(io::Error),
}

impl From<ReporterError> for Failure {
    fn from(error: ReporterError) -> Self {
        Self::other(error)
    }
}

/// The thread of a reporter.
struct Task {
    client: Client,
    url: Uri,
    headers: [(HeaderName, HeaderValue); 2],
    queue: Receiver<QueuedRequest>,
    queued_bytes: Arc<AtomicU64>,
    statistics: Arc<Statistics>,
    stop: Arc<Notify>,
    logged: Option<Instant>,
}

/// Outcome of the attempts to send a report.
enum Sent {
    Accepted,
    Failed(GetError),
    /// The server stops before the next attempt.
    Stopped,
}

impl Reporter {
    /// Starts the thread.
    pub(crate) fn start(settings: ReporterSettings) -> Result<Self, ReporterError> {
        let ReporterSettings { url, authorization, sample_rate } = settings;
        let (queue, receiver) = mpsc::channel(QUEUE);
        let queued_bytes = Arc::<AtomicU64>::default();
        let (statistics, stop) = (Arc::<Statistics>::default(), Arc::<Notify>::default());
        let (ending, ended) = std_mpsc::channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ReporterError::Thread)?;
        let mut task = Task {
            client: Client::new(&url).map_err(ReporterError::Client)?,
            url,
            headers: [(AUTHORIZATION, authorization), (API_VERSION, HeaderValue::from_static("2"))],
            queue: receiver,
            queued_bytes: Arc::clone(&queued_bytes),
            statistics: Arc::clone(&statistics),
            stop: Arc::clone(&stop),
            logged: None,
        };
        let thread = thread::Builder::new().name("usage-reports".to_owned());
        let run = move || {
            runtime.block_on(task.run());
            drop(ending);
        };
        thread.spawn(run).map_err(ReporterError::Thread)?;
        let ended = Mutex::new(ended);
        Ok(Self { queue, queued_bytes, sample_rate, statistics, stop, ended })
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Queues a request of an API that began at a time since 1970, if it is of the reported share.
    pub(crate) fn report(&self, api: &Api, request: &RecordedRequest<'_>, begun: Duration) {
        if !is_sampled(self.sample_rate) {
            return;
        }
        let RecordedRequest { document, client, elapsed, errors, is_answered } = *request;
        let queued = QueuedRequest {
            api: api.clone(),
            document: Arc::clone(document),
            client: client.map(|text| text.map(Into::into)),
            begun,
            elapsed,
            errors,
            is_ok: is_answered,
        };
        let bytes = queued.bytes();
        let before = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_QUEUED_BYTES || self.queue.try_send(queued).is_err()
        {
            self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.statistics.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends the requests of the queue. Blocks the thread for a few seconds at most.
    pub(crate) fn flush(&self) {
        self.stop.notify_one();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(std_mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(FLUSH_TIMEOUT) {
            tracing::warn!("the last usage report did not reach Hive");
        }
    }
}

/// True for a random share of the calls.
fn is_sampled(rate: f64) -> bool {
    thread_local! {
        // The hasher has a random seed; xorshift must not begin with 0.
        static RANDOM: Cell<u64> = Cell::new(RandomState::new().hash_one(()) | 1);
    }
    if rate >= 1.0 {
        return true;
    }
    let mut random = RANDOM.get();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    RANDOM.set(random);
    ((random >> 11) as f64) < rate * (1_u64 << 53) as f64
}

impl Task {
    async fn run(&mut self) {
        let mut report = Report::default();
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let stop = Arc::clone(&self.stop);
        loop {
            tokio::select! {
                request = self.queue.recv() => match request {
                    Some(request) => self.add(&mut report, request),
                    None => break,
                },
                _ = ticks.tick() => {
                    if !self.send(std::mem::take(&mut report), &PAUSES).await {
                        break;
                    }
                }
                () = stop.notified() => break,
            }
            if report.is_full() && !self.send(std::mem::take(&mut report), &PAUSES).await {
                break;
            }
        }
        // No pauses: the server waits for the rest.
        self.queue.close();
        while let Ok(request) = self.queue.try_recv() {
            self.add(&mut report, request);
            if report.is_full() {
                self.send(std::mem::take(&mut report), &[]).await;
            }
        }
        self.send(report, &[]).await;
    }

    fn add(&self, report: &mut Report, request: QueuedRequest) {
        self.queued_bytes.fetch_sub(request.bytes(), Ordering::Relaxed);
        report.add(request);
    }

    /// Sends a report, again after these pauses. False if the server stops.
    async fn send(&mut self, report: Report, pauses: &[Duration]) -> bool {
        let requests = report.len() as u64;
        if requests == 0 {
            return true;
        }
        let body = Bytes::from(report.into_body());
        let sent = self.attempt(&body, pauses).await;
        match sent {
            Sent::Accepted => {
                self.statistics.reported.fetch_add(requests, Ordering::Relaxed);
                true
            }
            Sent::Failed(error) => {
                self.statistics.failed.fetch_add(requests, Ordering::Relaxed);
                self.log_failure(&error);
                true
            }
            Sent::Stopped => {
                // The last attempt, without a pause before it.
                let outcome = match self.attempt(&body, &[]).await {
                    Sent::Accepted => &self.statistics.reported,
                    Sent::Failed(_) | Sent::Stopped => &self.statistics.failed,
                };
                outcome.fetch_add(requests, Ordering::Relaxed);
                false
            }
        }
    }

    async fn attempt(&self, body: &Bytes, pauses: &[Duration]) -> Sent {
        let mut pauses = pauses.iter();
        loop {
            let sent = self.client.post_json(&self.url, &self.headers, body.clone(), LIMITS);
            let error = match sent.await {
                Ok(_) => return Sent::Accepted,
                Err(GetError::Status(status)) if status.is_success() => return Sent::Accepted,
                Err(error) => error,
            };
            let Some(pause) = pauses.next().filter(|_| is_temporary(&error)) else {
                return Sent::Failed(error);
            };
            tokio::select! {
                () = sleep(*pause) => {}
                () = self.stop.notified() => return Sent::Stopped,
            }
        }
    }

    fn log_failure(&mut self, error: &GetError) {
        if self.logged.is_some_and(|logged| logged.elapsed() < LOG_PAUSE) {
            return;
        }
        self.logged = Some(Instant::now());
        let Statistics { failed, dropped, .. } = &*self.statistics;
        tracing::warn!(
            %error,
            failed = failed.load(Ordering::Relaxed),
            dropped = dropped.load(Ordering::Relaxed),
            "usage reports do not reach Hive; requests are not affected"
        );
    }
}

/// Whether a report may be accepted later.
fn is_temporary(error: &GetError) -> bool {
    match error {
        GetError::Status(status) => {
            status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
        }
        GetError::Unreached(_) | GetError::BrokenOff(_) | GetError::TooLate { .. } => true,
        GetError::Connect(_) | GetError::TooLarge { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_requests_is_sampled() {
        let share = |rate| (0..10_000).filter(|_| is_sampled(rate)).count();
        assert_eq!((share(0.0), share(1.0)), (0, 10_000));
        let quarter = share(0.25);
        assert!((2_200..2_800).contains(&quarter), "{quarter}");
    }
}
