//! The stream of a follower: the changes that the leader relays.

use std::future::pending;

use source::SourceError;
use source::changes::{ChangeStream, Coverage, StreamOrigin, TableChange};
use source::message_bus::BusMessages;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use tokio_postgres::Notification;

use super::encoding::decode;
use super::message::Message;
use super::secret::Key;
use super::{CHECK_INTERVAL, SILENCE, Session, limited, lost};

/// Most bytes of changes that belong together.
const MOST_BYTES: usize = 16 << 20;

/// A running stream.
#[derive(Debug)]
pub struct FollowedStream {
    session: Session,
    /// The process of the leader's session.
    leader: i32,
    key: Key,
    /// The number of the last message.
    number: u64,
    /// The parts of changes whose last part is still to come.
    parts: Vec<u8>,
    check: Interval,
    /// The messages of a broker, instead of notifications.
    messages: Option<Box<dyn BusMessages>>,
    /// Time of the last message of the broker.
    received: Instant,
}

impl FollowedStream {
    /// `number` is that of the last message of the leader.
    pub(super) fn new(
        session: Session,
        (leader, number): (i32, u64),
        key: Key,
        messages: Option<Box<dyn BusMessages>>,
    ) -> Self {
        let mut check = interval(CHECK_INTERVAL);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (parts, received) = (Vec::new(), Instant::now());
        Self { session, leader, key, number, parts, check, messages, received }
    }

    /// `None`: the message has no changes, or is not the last part of them.
    fn receive(
        &mut self,
        received: &Notification,
    ) -> Result<Option<Vec<TableChange>>, SourceError> {
        let message = Message::parse(received.payload());
        match message.filter(|_| received.process_id() == self.leader) {
            Some(Message::Changes { number, encrypted }) if self.messages.is_none() => {
                let message = self.key.decrypt(number, encrypted)?;
                self.append(number, &message)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Like [`Self::receive`]. Any client of the broker may send messages to its topics: those with
    /// another key are skipped, and those before the agreement with the leader.
    fn receive_of_bus(&mut self, text: &[u8]) -> Result<Option<Vec<TableChange>>, SourceError> {
        let message = std::str::from_utf8(text).ok().and_then(Message::parse);
        let Some(Message::Changes { number, encrypted }) = message else { return Ok(None) };
        let Ok(message) = self.key.decrypt(number, encrypted) else { return Ok(None) };
        if number <= self.number {
            return Ok(None);
        }
        self.received = Instant::now();
        let changes = self.append(number, &message)?;
        // A message without changes is a sign of life.
        Ok(changes.filter(|changes| !changes.is_empty()))
    }

    fn append(
        &mut self,
        number: u64,
        message: &[u8],
    ) -> Result<Option<Vec<TableChange>>, SourceError> {
        if number != self.number.wrapping_add(1) {
            return Err(lost(&"a message of the leader is missing"));
        }
        self.number = number;
        let Some((is_last, part)) = message.split_first() else {
            return Err(lost(&"a message of the leader is empty"));
        };
        if self.parts.len() + part.len() > MOST_BYTES {
            return Err(lost(&"the changes of the leader are too large"));
        }
        self.parts.extend_from_slice(part);
        if *is_last == 0 {
            return Ok(None);
        }
        let changes = decode(&std::mem::take(&mut self.parts));
        changes.map(Some).ok_or_else(|| lost(&"the changes of the leader have an unknown form"))
    }

    async fn check_leader(&self) -> Result<(), SourceError> {
        if self.messages.is_some() && self.received.elapsed() > SILENCE {
            return Err(lost(&"the broker passes on no messages of the leader"));
        }
        match self.session.silence(self.leader).await? {
            None => Err(lost(&"the server that reads the changes has ended")),
            Some(silence) if silence > SILENCE => {
                self.session.terminate(self.leader).await;
                Err(lost(&"the server that reads the changes hangs"))
            }
            Some(_) => Ok(()),
        }
    }
}

impl ChangeStream for FollowedStream {
    fn coverage(&self) -> &Coverage {
        &self.session.covered.coverage
    }

    fn origin(&self) -> StreamOrigin {
        StreamOrigin::Relayed
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        // Messages that were received are not lost where the future is dropped.
        loop {
            let message = async {
                match &mut self.messages {
                    Some(messages) => messages.next().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                message = message => {
                    if let Some(changes) = self.receive_of_bus(&message?)? {
                        return Ok(changes);
                    }
                }
                received = self.session.notifications.recv() => {
                    let received = received.ok_or_else(|| lost(&"the connection has ended"))?;
                    if let Some(changes) = self.receive(&received)? {
                        return Ok(changes);
                    }
                }
                _ = self.check.tick() => self.check_leader().await?,
            }
        }
    }

    async fn is_current(&mut self) -> Result<bool, SourceError> {
        let Session { client, covered, .. } = &self.session;
        limited(covered.definitions.is_current(client)).await
    }
}
