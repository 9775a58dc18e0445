//! The stream of a follower: the changes that the leader relays.

use source::SourceError;
use source::changes::{ChangeStream, Coverage, TableChange};
use tokio::time::{Interval, MissedTickBehavior, interval};
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
}

impl FollowedStream {
    pub(super) fn new(session: Session, leader: i32, number: u64, key: Key) -> Self {
        let mut check = interval(CHECK_INTERVAL);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { session, leader, key, number, parts: Vec::new(), check }
    }

    /// `None`: the message has no changes, or is not the last part of them.
    fn receive(
        &mut self,
        received: &Notification,
    ) -> Result<Option<Vec<TableChange>>, SourceError> {
        let message = Message::parse(received.payload());
        let Some(Message::Changes { number, encrypted }) =
            message.filter(|_| received.process_id() == self.leader)
        else {
            return Ok(None);
        };
        if number != self.number.wrapping_add(1) {
            return Err(lost(&"a message of the leader is missing"));
        }
        self.number = number;
        let message = self.key.decrypt(number, encrypted)?;
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

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        // Messages that were received are not lost where the future is dropped.
        loop {
            tokio::select! {
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
