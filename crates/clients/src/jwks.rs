//! The keys of an issuer of tokens, kept up to date.
//!
//! A thread of its own fetches them: when the server begins, when those that it has have become old,
//! and when a token names one that it has not. So they are fetched once however many ask, and nobody
//! waits who has keys. While the issuer is away the last ones are used, up to an age.
//!
//! What they are made of is for others to know: here they are what a function makes of a document.

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

/// However long or short an issuer says that its keys are fresh.
const FRESH: [Duration; 2] = [Duration::from_secs(5 * 60), Duration::from_secs(24 * 60 * 60)];

/// For how long keys are fresh where the issuer does not say.
const USUALLY_FRESH: Duration = Duration::from_secs(10 * 60);

/// Between a failure and the next try: twice as long after each.
const REST: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5 * 60)];

/// However many tokens name unknown keys, the issuer is not asked more often.
const LEAST_PAUSE: Duration = Duration::from_secs(10);

/// The same where there are no keys yet, and nobody can be let in.
const LEAST_PAUSE_WITHOUT: Duration = Duration::from_secs(1);

/// How long a request waits for keys that are being fetched.
const PATIENCE: Duration = Duration::from_secs(2);

/// A document that is kept up to date, as what it means.
pub struct Followed<T> {
    url: Uri,
    max_stale: Duration,
    read: Read<T>,
    following: OnceLock<Following<T>>,
}

/// Several of them.
#[derive(Debug)]
pub struct Followings<T>(Vec<Arc<Followed<T>>>);

type Read<T> = Arc<dyn Fn(&[u8]) -> Result<T, String> + Send + Sync>;

#[derive(Debug)]
struct Following<T> {
    /// Wakes the thread, which ends when this is dropped.
    asks: mpsc::Sender<()>,
    state: watch::Receiver<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    kept: Option<Kept<T>>,
    /// When it was last tried.
    tried: Option<Instant>,
    /// How often it was tried.
    tries: u64,
}

#[derive(Debug)]
struct Kept<T> {
    value: Arc<T>,
    /// When it came; it may have come again since.
    since: Instant,
    /// Changes with the document.
    version: u64,
}

impl<T> fmt::Debug for Followed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Followed").field("url", &self.url).finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> Followed<T> {
    /// Nothing is asked before [`Followed::begin`].
    pub fn new(
        url: Uri,
        max_stale: Duration,
        read: impl Fn(&[u8]) -> Result<T, String> + Send + Sync + 'static,
    ) -> Self {
        Self { url, max_stale, read: Arc::new(read), following: OnceLock::new() }
    }

    /// Fetches from now on; once is enough.
    pub fn begin(&self) {
        self.following.get_or_init(|| {
            let (asks, asked) = mpsc::channel(1);
            let (sender, state) = watch::channel(State { kept: None, tried: None, tries: 0 });
            let (url, read) = (self.url.clone(), Arc::clone(&self.read));
            let work = move || follow(&url, &*read, asked, &sender);
            if let Err(error) = thread::Builder::new().name("keys".into()).spawn(work) {
                tracing::error!(%error, "no thread can be made that fetches keys");
            }
            Following { asks, state }
        });
    }

    /// What was fetched last, with a number that changes with it; none if that is too old.
    fn current(&self) -> Option<(Arc<T>, u64)> {
        let state = self.following.get()?.state.borrow();
        let kept = state.kept.as_ref().filter(|kept| kept.since.elapsed() <= self.max_stale)?;
        Some((Arc::clone(&kept.value), kept.version))
    }

    /// Asks for something newer, unless that was done a moment ago, and waits for it for a while.
    async fn renew(&self) {
        let Some(Following { asks, state }) = self.following.get() else { return };
        let mut state = state.clone();
        let tries = {
            let state = state.borrow_and_update();
            // The first try is under way.
            if let Some(tried) = state.tried
                && tried.elapsed() < least_pause(state.kept.is_some())
            {
                return;
            }
            state.tries
        };
        // If it cannot be said, somebody else has said it.
        let _ = asks.try_send(());
        let renewed = state.wait_for(|state| state.tries > tries);
        // Whoever waits no longer is answered by what there is.
        drop(timeout(PATIENCE, renewed).await);
    }
}

impl<T: Send + Sync + 'static> Followings<T> {
    #[must_use]
    pub fn new(followed: Vec<Followed<T>>) -> Self {
        Self(followed.into_iter().map(Arc::new).collect())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over what another has fetched of the same addresses.
    pub fn inherit(&mut self, before: &Self) {
        for followed in &mut self.0 {
            let same = |other: &&Arc<Followed<T>>| {
                other.url == followed.url && other.max_stale == followed.max_stale
            };
            if let Some(other) = before.0.iter().find(same) {
                *followed = Arc::clone(other);
            }
        }
    }

    /// Fetches from now on; once is enough.
    pub fn begin(&self) {
        self.0.iter().for_each(|followed| followed.begin());
    }

    /// What there is, a number that changes with it, and whether all of it is there.
    #[must_use]
    pub fn current(&self) -> (Vec<Arc<T>>, u64, bool) {
        let mut version: u64 = 0;
        let mut found = Vec::with_capacity(self.0.len());
        for followed in &self.0 {
            let current = followed.current();
            // What is not there is a state of its own.
            let own = current.as_ref().map_or(0, |(_, version)| version + 1);
            version = version.wrapping_mul(0x0100_0000_01b3).wrapping_add(own);
            found.extend(current.map(|(value, _)| value));
        }
        let is_all = found.len() == self.0.len();
        (found, version, is_all)
    }

    /// Asks for something newer, and waits for it for a while.
    pub async fn renew(&self) {
        for followed in &self.0 {
            followed.renew().await;
        }
    }
}

fn least_pause(has_keys: bool) -> Duration {
    if has_keys { LEAST_PAUSE } else { LEAST_PAUSE_WITHOUT }
}

/// Fetches until nobody is left to fetch for.
fn follow<T>(
    url: &Uri,
    read: &(dyn Fn(&[u8]) -> Result<T, String> + Send + Sync),
    mut asked: mpsc::Receiver<()>,
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
            let tried = Instant::now();
            let next = match fetched {
                Ok(Fetched { body, max_age, .. }) => match keep(state, read, &body, &mut last) {
                    Ok(()) => {
                        if failures > 0 {
                            let url = redact::address(&url.to_string()).into_owned();
                            tracing::info!(url, failures, "the keys can be fetched again");
                        }
                        failures = 0;
                        tried + max_age.unwrap_or(USUALLY_FRESH).clamp(FRESH[0], FRESH[1])
                    }
                    Err(error) => tried + failed(url, &error, &mut failures),
                },
                Err(error) => tried + failed(url, &error.to_string(), &mut failures),
            };
            state.send_modify(|state| {
                state.tried = Some(tried);
                state.tries += 1;
            });
            let soonest = tried + least_pause(state.borrow().kept.is_some());
            // What was asked while this was fetched is answered by it.
            while asked.try_recv().is_ok() {}
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(()) => sleep_until(soonest.min(next)).await,
                    None => return,
                },
                () = sleep_until(next) => {}
            }
            if asked.is_closed() && asked.is_empty() {
                return;
            }
        }
    });
}

async fn fetch(url: &Uri) -> Result<Fetched, GetError> {
    // The certificates that the system trusts are read again: they may have changed.
    Client::new(url)?.get(url).await
}

/// Keeps what a document means, if it means something.
fn keep<T>(
    state: &watch::Sender<State<T>>,
    read: &(dyn Fn(&[u8]) -> Result<T, String> + Send + Sync),
    body: &Bytes,
    last: &mut Option<Bytes>,
) -> Result<(), String> {
    let since = Instant::now();
    let is_same = last.as_ref() == Some(body);
    let value = if is_same { None } else { Some(Arc::new(read(body)?)) };
    state.send_modify(|state| match (value, &mut state.kept) {
        (Some(value), kept) => {
            let version = kept.as_ref().map_or(0, |kept| kept.version + 1);
            *kept = Some(Kept { value, since, version });
        }
        (None, Some(kept)) => kept.since = since,
        (None, None) => {}
    });
    *last = Some(body.clone());
    Ok(())
}

/// How long to rest after a failure. Servers that failed together do not come back together.
fn failed(url: &Uri, error: &str, failures: &mut u32) -> Duration {
    let url = redact::address(&url.to_string()).into_owned();
    tracing::warn!(url, error, "the keys of tokens cannot be fetched");
    let doubled = REST[0].saturating_mul(1 << (*failures).min(16)).min(REST[1]);
    *failures = failures.saturating_add(1);
    let chance = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), *failures);
    doubled + doubled.mul_f64((chance % 256) as f64 / 1_024.0)
}
