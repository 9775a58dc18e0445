//! The monitor: a thread that asks the primary and each replica for their states, over a connection of
//! its own to each.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use tokio::runtime::Builder;
use tokio::select;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use super::server_state::{CHECK_TIMEOUT, ServerState};
use super::standing::Standing;
use super::{Replica, Shared};
use crate::open_error::OpenError;
use crate::wire::{Config, connect_simple};

/// The interval of checks.
const INTERVAL: Duration = Duration::from_millis(500);

/// The interval while requests wait for a replica to replay their changes.
const HURRY: Duration = Duration::from_millis(2);

/// A server that is watched.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) config: Config,
    /// The host and the port.
    pub(super) name: Arc<str>,
}

impl Watched {
    pub(super) fn new(config: Config) -> Self {
        let name = config.endpoints().first().map(|endpoint| endpoint.describe().into());
        Self { config, name: name.unwrap_or_default() }
    }

    /// Asks for the state, over the connection or a new one. After an error there is no connection.
    async fn ask(&self, asking: &mut Asking) -> Result<ServerState, String> {
        let connected = match asking.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => match timeout(CHECK_TIMEOUT, connect_simple(&self.config)).await {
                Ok(connected) => connected.map_err(|error| error.to_string())?,
                Err(_) => return Err("it does not answer".to_owned()),
            },
        };
        let mut state = ServerState::read(&connected).await?;
        if let Some(before) = &asking.state {
            state.keep_timeline(before);
        }
        asking.client = Some(connected);
        asking.state = Some(state.clone());
        Ok(state)
    }
}

/// The connection to a server that is watched, and the last state that it told.
#[derive(Debug, Default)]
struct Asking {
    client: Option<Client>,
    state: Option<ServerState>,
}

impl Shared {
    /// Checks all replicas once, over connections that end then. What no time can mend is an error.
    pub(super) async fn check_first(&self) -> Result<(), OpenError> {
        let checks = self.replicas.iter().map(|replica| async move {
            let (mut asking, mut other) = (Asking::default(), Asking::default());
            self.check(replica, &mut asking).await;
            let standing = replica.known().standing.clone();
            let refused = |reason: &str| {
                let name = replica.watched.name.clone();
                Err(OpenError::Replica { name: (*name).into(), reason: reason.into() })
            };
            if matches!(standing, Standing::OtherCluster | Standing::OtherDatabase) {
                return refused(standing.reason().unwrap_or_default());
            }
            // A balancer gives each connection another server, and the state of one says nothing about
            // the others.
            let asked =
                [replica.watched.ask(&mut asking).await, replica.watched.ask(&mut other).await];
            if let [Ok(one), Ok(other)] = asked
                && one.identity != other.identity
            {
                return refused(
                    "it leads to several servers: give each server a `--read-url` of its own",
                );
            }
            Ok(())
        });
        join_all(checks).await.into_iter().collect()
    }

    /// Checks a replica.
    async fn check(&self, replica: &Replica, asking: &mut Asking) {
        match replica.watched.ask(asking).await {
            Ok(state) => {
                let (standing, lag) = Standing::of(&state, &self.known(), &replica.options);
                if standing == Standing::Ready {
                    replica.replayed.store(state.offset, Ordering::Release);
                }
                replica.stand(standing, lag);
            }
            Err(reason) => replica.stand(Standing::Unreachable(reason.into()), None),
        }
        self.progress.send_modify(|checks| *checks = checks.wrapping_add(1));
    }

    async fn watch_primary(&self) {
        let mut asking = Asking::default();
        loop {
            let asked = Instant::now();
            match self.primary.ask(&mut asking).await {
                // The address may lead to a standby for a moment; the position of one says nothing.
                Ok(state) if !state.is_standby => {
                    let mut known = self.known();
                    known.log.add(asked, &state);
                    known.identity = state.identity;
                }
                Ok(_) => {
                    self.known().log.lose();
                    // The next connection may lead to the primary.
                    asking.client = None;
                }
                Err(error) => {
                    tracing::debug!(%error, "the primary does not tell its position");
                    self.known().log.lose();
                }
            }
            sleep(INTERVAL).await;
        }
    }

    async fn watch_replica(&self, replica: &Replica) {
        let mut asking = Asking::default();
        let mut waiting = self.waiting.subscribe();
        loop {
            self.check(replica, &mut asking).await;
            let is_awaited = *waiting.borrow_and_update() > 0;
            if is_awaited && replica.is_ready() {
                sleep(HURRY).await;
                continue;
            }
            select! {
                () = sleep(INTERVAL) => {}
                Ok(_) = waiting.wait_for(|count| *count > 0), if !is_awaited => {}
            }
        }
    }
}

/// Begins to watch all servers, on a thread of its own, which ends with the sender of `stop`.
pub(super) fn spawn(shared: &Arc<Shared>, mut stop: watch::Receiver<()>) {
    // States of the first check are not true for long.
    fn give_up(shared: &Shared, error: &std::io::Error) {
        tracing::error!(%error, "replicas cannot be watched, and get no reads");
        for replica in &shared.replicas {
            replica.stand(Standing::Unreachable("it is not watched".into()), None);
        }
    }
    let watched = Arc::clone(shared);
    let watch = move || {
        let shared = watched;
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return give_up(&shared, &error),
        };
        runtime.block_on(async {
            let replicas = join_all(shared.replicas.iter().map(|one| shared.watch_replica(one)));
            select! {
                _ = join(shared.watch_primary(), replicas) => {}
                // An error: the sender is gone.
                _ = stop.changed() => {}
            }
        });
    };
    if let Err(error) = thread::Builder::new().name("replicas".to_owned()).spawn(watch) {
        give_up(shared, &error);
    }
}
