//! Commands to a Redis that several servers share: one connection of the process, with a time limit
//! for each command.
//!
//! * `url`: addresses
//! * [`buckets`]: rate limits; [`script`]: scripts of Redis
//!
//! Redis holds what a server can do without, so nobody waits for it: during an outage a command fails at
//! once, while a task of the thread of the brokers connects again. A late reply is not an outage yet: the
//! task asks over the same connection whether Redis replies in time again, since with another connection
//! users would have to forget what they have read and written before.

pub mod buckets;
pub(crate) mod script;
mod url;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::broker::thread;
use crate::log_throttle::LogThrottle;
pub use url::{RedisUrl, RedisUrlError};

/// The time limit of an attempt to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Pauses between attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A connection that was lost sooner was of no use: the next one waits.
const SHORT_LIFE: Duration = Duration::from_secs(1);

/// The time between log lines about refused commands.
const REFUSED_INTERVAL: Duration = Duration::from_secs(10);

/// A Redis, its connection and the counts of its commands.
#[derive(Debug)]
pub struct RedisClient {
    url: RedisUrl,
    /// The use of the connection, which the log names.
    purpose: &'static str,
    /// The time limit of a command.
    time_limit: Duration,
    state: Mutex<State>,
    /// Notified when the connection is lost, or slow.
    failing: Notify,
    /// True from the log line about an outage until a command succeeds.
    is_logged: AtomicBool,
    refused: LogThrottle,
    succeeded: AtomicU64,
    failed: AtomicU64,
}

#[derive(Default)]
struct State {
    /// `None` in an outage.
    connection: Option<MultiplexedConnection>,
    /// The number of connections that were opened, which distinguishes them.
    opened: u64,
    /// True from a late reply until Redis replies in time: meanwhile nobody waits for it.
    is_slow: bool,
}

/// Counts of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedisCounts {
    pub succeeded: u64,
    pub failed: u64,
    pub is_connected: bool,
}

/// Redis did not reply in time, or not with what was wanted. The log has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Redis is not available")]
pub struct RedisUnavailable;

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("is_connected", &self.connection.is_some())
            .finish_non_exhaustive()
    }
}

impl RedisClient {
    /// Opens a connection, and waits for the first attempt. If that fails, the client is in an outage
    /// and connects later.
    #[must_use]
    pub fn open(url: RedisUrl, purpose: &'static str, time_limit: Duration) -> Arc<Self> {
        let client = Arc::new(Self {
            url,
            purpose,
            time_limit,
            state: Mutex::default(),
            failing: Notify::new(),
            is_logged: AtomicBool::default(),
            refused: LogThrottle::new(REFUSED_INTERVAL),
            succeeded: AtomicU64::default(),
            failed: AtomicU64::default(),
        });
        let (attempted, first) = mpsc::channel();
        if thread::spawn(keep_connected(Arc::downgrade(&client), attempted)).is_some() {
            let _ = first.recv_timeout(CONNECT_TIMEOUT);
        }
        client
    }

    /// The address, without credentials.
    #[must_use]
    pub fn url(&self) -> &RedisUrl {
        &self.url
    }

    #[must_use]
    pub fn counts(&self) -> RedisCounts {
        RedisCounts {
            succeeded: self.succeeded.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            is_connected: self.state().connection.is_some(),
        }
    }

    /// Runs commands over the connection, within the time limit; over that of a number, if one is
    /// wanted: another one may lead to a Redis with another clock and without the last writes. Returns
    /// the number, too.
    pub(crate) async fn run<T>(
        &self,
        wanted: Option<u64>,
        commands: impl AsyncFnOnce(&mut MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Result<(T, u64), RedisUnavailable> {
        let (connection, number) = {
            let state = self.state();
            (state.connection.clone().filter(|_| !state.is_slow), state.opened)
        };
        let is_wanted = wanted.is_none_or(|wanted| wanted == number);
        let Some(mut connection) = connection.filter(|_| is_wanted) else {
            self.failed.fetch_add(1, Ordering::Relaxed);
            return Err(RedisUnavailable);
        };
        let replied = timeout(self.time_limit, commands(&mut connection)).await;
        match replied {
            Ok(Ok(reply)) => {
                self.succeeded.fetch_add(1, Ordering::Relaxed);
                self.log_success();
                return Ok((reply, number));
            }
            Ok(Err(error)) if is_reply(&error) => {
                if let Some(count) = self.refused.record() {
                    let (purpose, url) = (self.purpose, &self.url);
                    tracing::warn!(purpose, ?url, %error, count, "Redis has refused a command");
                }
            }
            Ok(Err(error)) => self.lose(number, &error.to_string()),
            Err(_) => self.doubt(number),
        }
        self.failed.fetch_add(1, Ordering::Relaxed);
        Err(RedisUnavailable)
    }

    /// Gives a connection up, unless another one was opened since.
    fn lose(&self, number: u64, error: &str) {
        let mut state = self.state();
        if state.opened == number && state.connection.take().is_some() {
            self.log_outage(error);
            self.failing.notify_one();
        }
    }

    /// Has the task examine a connection on which a reply is late.
    fn doubt(&self, number: u64) {
        let mut state = self.state();
        if state.opened == number && state.connection.is_some() && !state.is_slow {
            state.is_slow = true;
            self.failing.notify_one();
        }
    }

    /// Waits until Redis replies in time over a slow connection, and gives it up otherwise. Returns
    /// false if it is lost.
    async fn recovers(&self, number: u64) -> bool {
        let connection = self.state().connection.clone();
        let Some(mut connection) = connection else { return false };
        let replying = async {
            loop {
                let asked = Instant::now();
                match redis::cmd("PING").exec_async(&mut connection).await {
                    Ok(()) if asked.elapsed() <= self.time_limit => return Ok(()),
                    Ok(()) => {}
                    // It is busy.
                    Err(error) if is_reply(&error) => {}
                    Err(error) => return Err(error),
                }
                sleep(FIRST_PAUSE).await;
            }
        };
        match timeout(CONNECT_TIMEOUT, replying).await {
            Ok(Ok(())) => {
                self.state().is_slow = false;
                return true;
            }
            Ok(Err(error)) => self.lose(number, &error.to_string()),
            Err(_) => self.lose(number, &format!("no reply within {:?}", self.time_limit)),
        }
        false
    }

    /// Logs the beginning of an outage.
    fn log_outage(&self, error: &str) {
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            let (purpose, url) = (self.purpose, &self.url);
            tracing::warn!(purpose, ?url, error, "Redis is not available");
        }
    }

    /// Logs the end of an outage. A connection is not enough: a replica opens one and executes nothing.
    fn log_success(&self) {
        let is_logged = self.is_logged.load(Ordering::Relaxed);
        if is_logged && self.is_logged.swap(false, Ordering::Relaxed) {
            let (purpose, url) = (self.purpose, &self.url);
            tracing::info!(purpose, ?url, "Redis is available again");
        }
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        if self.url.is_encrypted() {
            // The library uses the default of the process, which other crates do not need.
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        }
        let client = Client::open(self.url.text())?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None);
        let opened = async {
            let mut connection =
                client.get_multiplexed_async_connection_with_config(&config).await?;
            // A server that loads its data accepts connections, and a stopped one, too.
            let ping = redis::cmd("PING");
            let replied = timeout(self.time_limit, ping.exec_async(&mut connection)).await;
            replied.unwrap_or_else(|_| Err(timed_out()))?;
            Ok(connection)
        };
        timeout(CONNECT_TIMEOUT, opened).await.unwrap_or_else(|_| Err(timed_out()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn timed_out() -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

/// Returns true for an error that Redis has replied: the connection can be used again.
fn is_reply(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    match error.kind() {
        ErrorKind::Server(
            // A server that is not ready, or no longer the one that accepts writes.
            ServerErrorKind::BusyLoading | ServerErrorKind::MasterDown | ServerErrorKind::ReadOnly,
        ) => false,
        _ => !error.is_unrecoverable_error() && !error.is_io_error(),
    }
}

/// Opens a connection whenever there is none, as long as the client is used.
async fn keep_connected(client: Weak<RedisClient>, attempted: mpsc::Sender<()>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let Some(this) = client.upgrade() else { return };
        match this.connect().await {
            Ok(connection) => {
                let opened = Instant::now();
                let number = {
                    let mut state = this.state();
                    let number = state.opened + 1;
                    *state = State { connection: Some(connection), opened: number, is_slow: false };
                    number
                };
                let _ = attempted.send(());
                // Ends now and then, so that a client that nobody uses is dropped.
                loop {
                    match timeout(LONGEST_PAUSE, this.failing.notified()).await {
                        Ok(()) if this.recovers(number).await => {}
                        Ok(()) => break,
                        Err(_) if Arc::strong_count(&this) == 1 => return,
                        Err(_) => {}
                    }
                }
                if opened.elapsed() >= SHORT_LIFE {
                    pause = FIRST_PAUSE;
                    continue;
                }
            }
            Err(error) => {
                this.log_outage(&error.to_string());
                let _ = attempted.send(());
            }
        }
        drop(this);
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
