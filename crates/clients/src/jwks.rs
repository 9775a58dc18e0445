//! JSON Web Key Set (JWKS) of a token issuer, with a background refresh.
//!
//! A separate thread downloads the keys: at the start, when the keys are no longer fresh, and when
//! a token names an unknown key. Concurrent requests share one download, and requests whose key is
//! known never wait. While the issuer is unavailable the last keys stay in use, up to a maximum
//! age.
//!
//! This module does not parse keys: a function of the caller converts the document.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use hyper::Uri;
use tokio::runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::http::{Client, Fetched, GetError};

/// Minimum and maximum of the freshness lifetime, whatever the issuer says.
const FRESHNESS: [Duration; 2] = [Duration::from_secs(5 * 60), Duration::from_secs(24 * 60 * 60)];

/// Freshness lifetime if the issuer sends none.
const DEFAULT_FRESHNESS: Duration = Duration::from_secs(10 * 60);

/// Minimum and maximum of the exponential backoff after failures.
const BACKOFF: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5 * 60)];

/// Rate limit: minimum pause between two downloads, however many tokens name unknown keys.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

/// Minimum pause while there are no keys yet, and every token is refused.
const MIN_INTERVAL_WITHOUT_KEYS: Duration = Duration::from_secs(1);

/// Timeout of a request that waits for a download of keys.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);

/// A document with a background refresh, in its converted form.
pub struct RefreshedDocument<T> {
    url: Uri,
    max_stale: Duration,
    read: Read<T>,
    refresh: OnceLock<BackgroundRefresh<T>>,
}

/// Several refreshed documents.
#[derive(Debug)]
pub struct RefreshedDocuments<T>(Vec<Arc<RefreshedDocument<T>>>);

type Read<T> = Arc<dyn Fn(&[u8]) -> Result<T, String> + Send + Sync>;

#[derive(Debug)]
struct BackgroundRefresh<T> {
    /// Wakes the thread, which ends when the sender is dropped.
    wake: mpsc::Sender<()>,
    state: watch::Receiver<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    stored: Option<StoredDocument<T>>,
    /// Time of the last attempt.
    last_attempt: Option<Instant>,
    /// Number of attempts.
    attempts: u64,
}

#[derive(Debug)]
struct StoredDocument<T> {
    value: Arc<T>,
    /// Time of the last successful download or revalidation.
    since: Instant,
    /// Incremented when the document changes.
    version: u64,
}

impl<T> fmt::Debug for RefreshedDocument<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefreshedDocument").field("url", &self.url).finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> RefreshedDocument<T> {
    /// Downloads nothing before [`RefreshedDocument::begin`].
    pub fn new(
        url: Uri,
        max_stale: Duration,
        read: impl Fn(&[u8]) -> Result<T, String> + Send + Sync + 'static,
    ) -> Self {
        Self { url, max_stale, read: Arc::new(read), refresh: OnceLock::new() }
    }

    /// Starts the background refresh; further calls have no effect.
    pub fn begin(&self) {
        self.refresh.get_or_init(|| {
            let (wake, wake_ups) = mpsc::channel(1);
            let (sender, state) =
                watch::channel(State { stored: None, last_attempt: None, attempts: 0 });
            let (url, read) = (self.url.clone(), Arc::clone(&self.read));
            let work = move || refresh_loop(&url, &*read, wake_ups, &sender);
            if let Err(error) = thread::Builder::new().name("keys".into()).spawn(work) {
                tracing::error!(%error, "no thread can be made that fetches keys");
            }
            BackgroundRefresh { wake, state }
        });
    }

    /// Returns the last document with its version; `None` if it is older than the maximum age.
    fn current(&self) -> Option<(Arc<T>, u64)> {
        let state = self.refresh.get()?.state.borrow();
        let stored =
            state.stored.as_ref().filter(|stored| stored.since.elapsed() <= self.max_stale)?;
        Some((Arc::clone(&stored.value), stored.version))
    }

    /// Requests a new download, subject to the rate limit, and waits for it up to a timeout.
    async fn renew(&self) {
        let Some(BackgroundRefresh { wake, state }) = self.refresh.get() else { return };
        let mut state = state.clone();
        let attempts = {
            let state = state.borrow_and_update();
            // The first attempt is in progress.
            if let Some(last_attempt) = state.last_attempt
                && last_attempt.elapsed() < min_interval(state.stored.is_some())
            {
                return;
            }
            state.attempts
        };
        // If the queue is full, a wake-up is pending already.
        let _ = wake.try_send(());
        let renewed = state.wait_for(|state| state.attempts > attempts);
        // After the timeout the request uses the current keys.
        drop(timeout(REFRESH_TIMEOUT, renewed).await);
    }
}

impl<T: Send + Sync + 'static> RefreshedDocuments<T> {
    #[must_use]
    pub fn new(documents: Vec<RefreshedDocument<T>>) -> Self {
        Self(documents.into_iter().map(Arc::new).collect())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over the documents that another instance has downloaded from the same URLs.
    pub fn inherit(&mut self, before: &Self) {
        for document in &mut self.0 {
            let same = |other: &&Arc<RefreshedDocument<T>>| {
                other.url == document.url && other.max_stale == document.max_stale
            };
            if let Some(other) = before.0.iter().find(same) {
                *document = Arc::clone(other);
            }
        }
    }

    /// Starts the background refresh; further calls have no effect.
    pub fn begin(&self) {
        self.0.iter().for_each(|document| document.begin());
    }

    /// Returns the available documents, a version that changes with them, and whether all are
    /// available.
    #[must_use]
    pub fn current(&self) -> (Vec<Arc<T>>, u64, bool) {
        let mut version: u64 = 0;
        let mut found = Vec::with_capacity(self.0.len());
        for document in &self.0 {
            let current = document.current();
            // A missing document counts as a version of its own.
            let own = current.as_ref().map_or(0, |(_, version)| version + 1);
            version = version.wrapping_mul(0x0100_0000_01b3).wrapping_add(own);
            found.extend(current.map(|(value, _)| value));
        }
        let is_all = found.len() == self.0.len();
        (found, version, is_all)
    }

    /// Requests new downloads and waits for them up to a timeout.
    pub async fn renew(&self) {
        for document in &self.0 {
            document.renew().await;
        }
    }
}

fn min_interval(has_keys: bool) -> Duration {
    if has_keys { MIN_INTERVAL } else { MIN_INTERVAL_WITHOUT_KEYS }
}

/// Refresh loop of the background thread; ends when the owner is dropped.
fn refresh_loop<T>(
    url: &Uri,
    read: &(dyn Fn(&[u8]) -> Result<T, String> + Send + Sync),
    mut wake_ups: mpsc::Receiver<()>,
    state: &watch::Sender<State<T>>,
) {
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "keys cannot be fetched");
            return;
        }
    };
    runtime.block_on(async {
        let mut last: Option<Bytes> = None;
        let mut failures: u32 = 0;
        loop {
            let fetched = fetch(url).await;
            let last_attempt = Instant::now();
            let next = match fetched {
                Ok(Fetched { body, max_age, .. }) => match store(state, read, &body, &mut last) {
                    Ok(()) => {
                        if failures > 0 {
                            let url = redact::address(&url.to_string()).into_owned();
                            tracing::info!(url, failures, "the keys can be fetched again");
                        }
                        failures = 0;
                        last_attempt
                            + max_age.unwrap_or(DEFAULT_FRESHNESS).clamp(FRESHNESS[0], FRESHNESS[1])
                    }
                    Err(error) => last_attempt + backoff_after(url, &error, &mut failures),
                },
                Err(error) => last_attempt + backoff_after(url, &error.to_string(), &mut failures),
            };
            state.send_modify(|state| {
                state.last_attempt = Some(last_attempt);
                state.attempts += 1;
            });
            let soonest = last_attempt + min_interval(state.borrow().stored.is_some());
            // This download serves all wake-ups that were sent in the meantime.
            while wake_ups.try_recv().is_ok() {}
            tokio::select! {
                wake_up = wake_ups.recv() => match wake_up {
                    Some(()) => sleep_until(soonest.min(next)).await,
                    None => return,
                },
                () = sleep_until(next) => {}
            }
            if wake_ups.is_closed() && wake_ups.is_empty() {
                return;
            }
        }
    });
}

async fn fetch(url: &Uri) -> Result<Fetched, GetError> {
    // Trusted certificates are read again for each download: they may have changed.
    Client::new(url)?.get(url).await
}

/// Stores a document if it can be converted.
fn store<T>(
    state: &watch::Sender<State<T>>,
    read: &(dyn Fn(&[u8]) -> Result<T, String> + Send + Sync),
    body: &Bytes,
    last: &mut Option<Bytes>,
) -> Result<(), String> {
    let since = Instant::now();
    let is_same = last.as_ref() == Some(body);
    let value = if is_same { None } else { Some(Arc::new(read(body)?)) };
    state.send_modify(|state| match (value, &mut state.stored) {
        (Some(value), stored) => {
            let version = stored.as_ref().map_or(0, |stored| stored.version + 1);
            *stored = Some(StoredDocument { value, since, version });
        }
        (None, Some(stored)) => stored.since = since,
        (None, None) => {}
    });
    *last = Some(body.clone());
    Ok(())
}

/// Backoff after a failure, with jitter: servers that failed together must not be retried in step.
fn backoff_after(url: &Uri, error: &str, failures: &mut u32) -> Duration {
    let url = redact::address(&url.to_string()).into_owned();
    tracing::warn!(url, error, "the keys of tokens cannot be fetched");
    let doubled = BACKOFF[0].saturating_mul(1 << (*failures).min(16)).min(BACKOFF[1]);
    *failures = failures.saturating_add(1);
    let chance = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), *failures);
    doubled + doubled.mul_f64((chance % 256) as f64 / 1_024.0)
}
