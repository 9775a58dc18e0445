//! The task of a leader: it answers followers, and relays changes to them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use source::SourceError;
use source::changes::{ChangedRows, TableChange};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_postgres::Notification;

use super::encoding::encode;
use super::message::{MOST_BYTES, Message};
use super::secret::{Agreement, Key};
use super::{HEARTBEAT, PROCESS, Session, lost};

/// Changed rows of a table that wait to be relayed: beyond them, only the table is named.
const MOST_ROWS: usize = 10_000;

/// A leader. Its task ends when it is dropped.
#[derive(Debug)]
pub(in super::super) struct Leader {
    queue: Arc<Queue>,
    task: JoinHandle<SourceError>,
}

/// The changes that are not relayed yet: those of several transactions while messages are sent.
#[derive(Debug, Default)]
struct Queue {
    changes: Mutex<Vec<TableChange>>,
    /// Wakes the task.
    has_changes: Notify,
    has_followers: AtomicBool,
    /// The stream of changes has begun.
    has_begun: Notify,
}

/// The state of the task.
struct Relay {
    session: Session,
    queue: Arc<Queue>,
    heartbeat: Interval,
    key: Key,
    /// The number of the last message with changes.
    number: u64,
}

impl Leader {
    /// Starts the task, which answers nobody before [`Self::begin`].
    pub(in super::super) fn start(session: Session) -> Result<Self, SourceError> {
        let queue = Arc::<Queue>::default();
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let key = Key::random()?;
        let relay = Relay { session, queue: Arc::clone(&queue), heartbeat, key, number: 0 };
        Ok(Self { queue, task: tokio::spawn(relay.run()) })
    }

    /// Answers followers from now on: the stream of changes has begun.
    pub(in super::super) fn begin(&self) {
        self.queue.has_begun.notify_one();
    }

    /// Relays changes, which new statements see already, if there are followers.
    pub(in super::super) fn relay(&self, changes: &[TableChange]) {
        // A follower that is welcomed later sees these changes in its first executions.
        if self.queue.has_followers.load(Ordering::Acquire) && !changes.is_empty() {
            self.queue.push(changes);
        }
    }

    /// Waits for the end of the task, which is that of its session. Cancel safe.
    pub(in super::super) async fn ended(&mut self) -> SourceError {
        match (&mut self.task).await {
            Ok(error) => error,
            Err(error) => lost(&error),
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Queue {
    fn push(&self, changes: &[TableChange]) {
        let mut known = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        for TableChange { table, rows } in changes {
            match known.iter_mut().find(|known| Arc::ptr_eq(&known.table, table)) {
                Some(known) => append(&mut known.rows, rows),
                None => known.push(TableChange { table: Arc::clone(table), rows: rows.clone() }),
            }
        }
        self.has_changes.notify_one();
    }

    fn take(&self) -> Vec<TableChange> {
        std::mem::take(&mut *self.changes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn append(known: &mut ChangedRows, rows: &ChangedRows) {
    match (&mut *known, rows) {
        (ChangedRows::Rows(own), ChangedRows::Rows(rows))
            if own.len() + rows.len() <= MOST_ROWS =>
        {
            own.extend_from_slice(rows);
        }
        (ChangedRows::Any | ChangedRows::Rows(_), _) => *known = ChangedRows::Any,
    }
}

impl Relay {
    /// Returns the reason of its end.
    async fn run(mut self) -> SourceError {
        match self.serve().await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn serve(&mut self) -> Result<std::convert::Infallible, SourceError> {
        // Followers wait as long as there are heartbeats.
        loop {
            tokio::select! {
                () = self.queue.has_begun.notified() => break,
                _ = self.heartbeat.tick() => {
                    self.session.execute(include_str!("heartbeat.sql")).await?;
                }
            }
        }
        loop {
            let has_followers = self.queue.has_followers.load(Ordering::Acquire);
            tokio::select! {
                received = self.session.notifications.recv() => {
                    let received = received.ok_or_else(|| lost(&"the connection has ended"))?;
                    self.answer(&received).await?;
                }
                () = self.queue.has_changes.notified() => {
                    let changes = self.queue.take();
                    if !changes.is_empty() {
                        self.send(&changes).await?;
                    }
                }

                _ = self.heartbeat.tick(), if has_followers => {
                    let query = include_str!("has_followers.sql");
                    let has_followers: Option<bool> = self.session.value(query, &[]).await?;
                    if has_followers != Some(true) {
                        self.queue.has_followers.store(false, Ordering::Release);
                    } else if self.session.bus.is_some() {
                        // A follower finds by its number whether the broker has lost another one.
                        self.send(&[]).await?;
                    }
                }
            }
        }
    }

    /// Answers a follower, if this message is of one.
    async fn answer(&mut self, received: &Notification) -> Result<(), SourceError> {
        let Some(Message::Hello { public, is_over_bus }) = Message::parse(received.payload())
        else {
            return Ok(());
        };
        let to = received.process_id();
        if is_over_bus != self.session.bus.is_some() || !self.session.may_read(to).await? {
            return self.session.notify(&[Message::Refusal { to }]).await;
        }
        self.queue.has_followers.store(true, Ordering::Release);
        let agreement = Agreement::new()?;
        let own = agreement.public.clone();
        let Ok(key) = agreement.encrypt_key(&public, &self.key) else {
            return self.session.notify(&[Message::Refusal { to }]).await;
        };
        let (number, process) = (self.number, *PROCESS);
        self.session.notify(&[Message::Welcome { to, number, process, public: own, key }]).await
    }

    /// Sends changes, in one or more messages.
    async fn send(&mut self, changes: &[TableChange]) -> Result<(), SourceError> {
        let encoded = encode(changes);
        let parts = encoded.chunks(MOST_BYTES);
        let mut messages = Vec::with_capacity(parts.len());
        for (place, part) in parts.clone().enumerate() {
            let is_last = place + 1 == parts.len();
            self.number += 1;
            let message = [&[u8::from(is_last)], part].concat();
            let encrypted = self.key.encrypt(self.number, message)?;
            messages.push(Message::Changes { number: self.number, encrypted });
        }
        let Some(bus) = &self.session.bus else { return self.session.notify(&messages).await };
        for message in &messages {
            bus.publish(self.key.topic(), message.to_string().into()).await?;
        }
        Ok(())
    }
}
