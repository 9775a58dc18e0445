//! One server of several reads the changes of a database, and relays them to the others.
//!
//! The leader is the session with an advisory lock, which ends with its session whatever becomes of
//! the server. It reads the changes over its slot, as a single server does, and sends them to the
//! followers by NOTIFY, or over a broker, once new statements see them. Without followers it sends
//! nothing.
//!
//! A follower announces itself. The leader answers with the key of its messages and the number of the
//! last one: all changes that are not in later messages are visible by then. Whatever goes wrong ends
//! the stream of a follower, which then begins as any other one does: with a new attempt to lead, and
//! with an execution of all cohorts.
//!
//! * no session of the leader: the next follower that looks leads;
//! * no statement of the leader for some seconds: a follower ends its session;
//! * a missing message: the stream ends.
//!
//! Over a broker, the leader and a follower agree by NOTIFY as well: sessions prove their roles there. The
//! topic follows from the key. A follower subscribes to it, and then receives the number of the last
//! message once more. Messages of the leader follow each second, so that a missing one is found.
//!
//! A server that may neither lead nor follow reads the changes over a slot of its own.
//!
//! * `leader`: the task of a leader
//! * `follower`: the stream of a follower
//! * `message`, `encoding`, `secret`: what they send

mod encoding;
mod follower;
mod leader;
mod message;
mod secret;

use std::sync::{Arc, LazyLock};

use source::message_bus::{BusMessages, MessageBus};
use source::{SourceError, SourceErrorKind};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Duration, Instant, sleep, timeout};
use tokio_postgres::types::{FromSqlOwned, ToSql, Type};
use tokio_postgres::{Client, Notification};

pub(super) use follower::FollowedStream;
pub(super) use leader::Leader;
use message::Message;
use secret::{Agreement, Key};

use super::relations::Covered;
use super::snapshot::Snapshot;

/// Interval in which a follower checks the leader's session.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Interval of the leader's statements while there are followers, and the time without one after
/// which its server hangs.
const HEARTBEAT: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_secs(5);

/// Time limit of a statement.
const STATEMENT_LIMIT: Duration = Duration::from_secs(5);

/// Pause before the next attempt to find the leader.
const PAUSE: Duration = Duration::from_millis(50);

/// Time for which a server waits for an engine of its own process to end its session, as after a
/// reload, instead of following it.
const RELOAD: Duration = Duration::from_secs(1);

/// Time after which a server that could not join reads the changes for itself. The leader may wait
/// for the end of running transactions.
const LONGEST: Duration = Duration::from_secs(120);

/// A random number of this process.
static PROCESS: LazyLock<u64> = LazyLock::new(|| {
    let mut bytes = [0; 8];
    // Without a random number no other process is recognized as this one.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    u64::from_le_bytes(bytes)
});

/// A session of a server that streams changes, beside the stream.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Arc<Client>,
    /// Those of the channels to which the session listens.
    pub(super) notifications: UnboundedReceiver<Notification>,
    pub(super) covered: Arc<Covered>,
    /// The broker over which changes are relayed, instead of NOTIFY.
    pub(super) bus: Option<Arc<dyn MessageBus>>,
}

/// The part of a server in the distribution of changes.
#[derive(Debug)]
pub(super) enum Role {
    /// It reads the changes, and relays them.
    Leader(Session),
    Follower(Box<FollowedStream>),
    /// It reads the changes for itself.
    Single(Session),
}

/// The part that a session finds.
enum Part {
    Leader,
    Follower {
        leader: i32,
        number: u64,
        key: Key,
        /// The messages of a broker.
        messages: Option<Box<dyn BusMessages>>,
    },
    /// With the reason.
    Single(&'static str),
}

/// Answer of a leader.
enum Answer {
    Welcome {
        number: u64,
        process: u64,
        key: Key,
    },
    /// The leader has another role of the database, and does not send changes to this one.
    Refusal,
    /// Its session has ended.
    Ended,
    /// Its server hangs.
    Silent,
}

/// Finds the part of a server: the first one leads.
pub(super) async fn join(mut session: Session) -> Result<Role, SourceError> {
    session.execute(include_str!("relay/listen.sql")).await?;
    match session.find_part().await? {
        Part::Leader => {
            session.execute(include_str!("relay/begin_leading.sql")).await?;
            Ok(Role::Leader(session))
        }
        Part::Follower { leader, number, key, messages } => {
            tracing::info!("another server reads the changes of rows, and relays them");
            session.execute(include_str!("relay/begin_following.sql")).await?;
            let followed = FollowedStream::new(session, (leader, number), key, messages);
            Ok(Role::Follower(Box::new(followed)))
        }
        Part::Single(reason) => {
            tracing::warn!(reason, "changes of rows are read by this server separately");
            session.execute(include_str!("relay/leave.sql")).await?;
            Ok(Role::Single(session))
        }
    }
}

impl Session {
    async fn find_part(&mut self) -> Result<Part, SourceError> {
        let begun = Instant::now();
        let mut own_process = None;
        loop {
            if self.value(include_str!("relay/lead.sql"), &[]).await? == Some(true) {
                return Ok(Part::Leader);
            }
            if begun.elapsed() > LONGEST {
                return Ok(Part::Single("the server that leads does not answer"));
            }
            let leader: Option<i32> = self.value(include_str!("relay/leader.sql"), &[]).await?;
            let Some(leader) = leader else {
                sleep(PAUSE).await;
                continue;
            };
            if !self.may_read(leader).await? {
                return Ok(Part::Single("the server that leads has another role"));
            }
            if own_process.is_none() && !self.outlasts_transactions().await? {
                return Ok(Part::Single("a transaction runs long"));
            }
            let own = match own_process {
                Some(own) => own,
                None => self.announce().await?,
            };
            own_process = Some(own);
            match self.ask(own, leader, begun).await? {
                Answer::Welcome { process, .. }
                    if process == *PROCESS && begun.elapsed() < RELOAD =>
                {
                    sleep(PAUSE).await;
                }
                Answer::Welcome { number, key, .. } => {
                    let Some(bus) = self.bus.clone() else {
                        return Ok(Part::Follower { leader, number, key, messages: None });
                    };
                    let messages = Some(subscribe(&*bus, &key.topic()).await?);
                    let answer = self.ask(own, leader, begun).await?;
                    // Another leader may have begun meanwhile.
                    if let Answer::Welcome { number, key: now, .. } = answer
                        && now.is_same(&key)
                    {
                        return Ok(Part::Follower { leader, number, key, messages });
                    }
                }
                Answer::Refusal => {
                    return Ok(Part::Single(
                        "the server that leads sends no changes to this role, or relays by other means",
                    ));
                }
                Answer::Ended => {}
                Answer::Silent => {
                    if !self.terminate(leader).await {
                        return Ok(Part::Single("the server that leads hangs"));
                    }
                }
            }
        }
    }

    /// Waits until all transactions have ended that run now: the stream of the leader may leave out
    /// what they have changed in tables that were published while they ran. A slot of this server
    /// would wait, too. Returns false if they take too long.
    async fn outlasts_transactions(&self) -> Result<bool, SourceError> {
        let begun = Instant::now();
        let first = limited(Snapshot::read(&self.client)).await?;
        while !limited(Snapshot::read(&self.client)).await?.is_after(&first) {
            if begun.elapsed() > LONGEST {
                return Ok(false);
            }
            sleep(PAUSE).await;
        }
        Ok(true)
    }

    /// Takes the lock of followers. Returns the process of the session.
    async fn announce(&self) -> Result<i32, SourceError> {
        let row = self.row(include_str!("relay/follow.sql"), &[]).await?;
        row.and_then(|row| row.try_get(1).ok()).ok_or_else(|| lost(&"the session has no process"))
    }

    /// Waits for the answer of a leader.
    async fn ask(&mut self, own: i32, leader: i32, begun: Instant) -> Result<Answer, SourceError> {
        let agreement = Agreement::new()?;
        let (public, is_over_bus) = (agreement.public.clone(), self.bus.is_some());
        let hello = Message::Hello { public, is_over_bus }.to_string();
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&hello, Type::TEXT)];
        limited(self.client.query_typed(include_str!("relay/hello.sql"), &parameters)).await?;
        let asked = Instant::now();
        loop {
            if let Ok(received) = timeout(CHECK_INTERVAL, self.notifications.recv()).await {
                let received = received.ok_or_else(|| lost(&"the connection has ended"))?;
                let message = Message::parse(received.payload());
                match message.filter(|_| received.process_id() == leader) {
                    Some(Message::Welcome { to, number, process, public, key }) if to == own => {
                        let key = agreement.decrypt_key(&public, key)?;
                        return Ok(Answer::Welcome { number, process, key });
                    }
                    Some(Message::Refusal { to }) if to == own => return Ok(Answer::Refusal),
                    Some(_) | None => {}
                }
            } else {
                match self.silence(leader).await? {
                    None => return Ok(Answer::Ended),
                    Some(silence) if silence.min(asked.elapsed()) > SILENCE => {
                        return Ok(Answer::Silent);
                    }
                    Some(_) => {}
                }
            }
            if begun.elapsed() > LONGEST {
                return Ok(Answer::Ended);
            }
        }
    }

    /// Returns true if the role of another session may read what this one's may.
    async fn may_read(&self, process: i32) -> Result<bool, SourceError> {
        let may_read = self.value(include_str!("relay/may_read.sql"), &[&process]).await?;
        Ok(may_read.unwrap_or_default())
    }

    /// The time since the last statement of a leader. `None`: its session has ended.
    async fn silence(&self, leader: i32) -> Result<Option<Duration>, SourceError> {
        let seconds: Option<f64> =
            self.value(include_str!("relay/silence.sql"), &[&leader]).await?;
        Ok(seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()))
    }

    /// Ends the session of a leader whose server hangs. Returns false if the role may not.
    async fn terminate(&self, leader: i32) -> bool {
        tracing::warn!("the leader of the servers hangs: its session is ended");
        let ended = self.row(include_str!("relay/terminate.sql"), &[&leader]).await;
        if let Err(error) = &ended {
            tracing::warn!(%error, "the session of the leader cannot be ended");
        }
        ended.is_ok()
    }

    /// Sends messages to followers in their order, by one transaction.
    async fn notify(&self, messages: &[Message]) -> Result<(), SourceError> {
        let texts: Vec<String> = messages.iter().map(ToString::to_string).collect();
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&texts, Type::TEXT_ARRAY)];
        let rows = self.client.query_typed(include_str!("relay/notify.sql"), &parameters);
        limited(rows).await.map(|_| ())
    }

    async fn execute(&self, statements: &str) -> Result<(), SourceError> {
        limited(self.client.batch_execute(statements)).await
    }

    /// The first value of the first row.
    async fn value<T: FromSqlOwned>(
        &self,
        query: &str,
        processes: &[&i32],
    ) -> Result<Option<T>, SourceError> {
        let row = self.row(query, processes).await?;
        match row.map(|row| row.try_get::<_, Option<T>>(0)) {
            Some(value) => value.map_err(|error| lost(&error)),
            None => Ok(None),
        }
    }

    async fn row(
        &self,
        query: &str,
        processes: &[&i32],
    ) -> Result<Option<tokio_postgres::Row>, SourceError> {
        let parameters: Vec<(&(dyn ToSql + Sync), Type)> =
            processes.iter().map(|process| (*process as &(dyn ToSql + Sync), Type::INT4)).collect();
        let rows = limited(self.client.query_typed(query, &parameters)).await?;
        Ok(rows.into_iter().next())
    }
}

/// Subscribes to a topic, and waits until a message of this server has arrived: from then on no message
/// is missing.
async fn subscribe(bus: &dyn MessageBus, topic: &str) -> Result<Box<dyn BusMessages>, SourceError> {
    let mut random = [0; 16];
    aws_lc_rs::rand::fill(&mut random).map_err(|_| lost(&"there is no random number"))?;
    let mut probe = b"probe ".to_vec();
    probe.extend(random.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()));
    let probe = bytes::Bytes::from(probe);
    let begun = async {
        let mut messages = bus.subscribe(topic.to_owned()).await?;
        bus.publish(topic.to_owned(), probe.clone()).await?;
        while messages.next().await? != probe {}
        Ok(messages)
    };
    match timeout(STATEMENT_LIMIT, begun).await {
        Ok(messages) => messages,
        Err(_) => Err(lost(&"the broker does not answer")),
    }
}

/// Runs a statement within a time limit: the connection may be lost without a message.
pub(super) async fn limited<T>(
    statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, SourceError> {
    match timeout(STATEMENT_LIMIT, statement).await {
        Ok(result) => result.map_err(|error| lost(&error)),
        Err(_) => Err(lost(&"the server does not answer")),
    }
}

pub(super) fn lost(error: &dyn std::fmt::Display) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, error.to_string())
}
