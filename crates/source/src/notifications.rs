//! Notifications that programs send over channels of the database.

use crate::error::SourceError;

/// A notification of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub channel: Box<str>,
    pub payload: Box<str>,
}

/// Channels of a database.
pub trait Channels {
    type Session: ChannelSession;

    /// Connects a session, which listens to no channel yet.
    fn connect(&self) -> impl Future<Output = Result<Self::Session, SourceError>>;
}

/// A session that listens to channels. After an error it is over.
pub trait ChannelSession {
    /// Notifications of transactions that commit from now on are received.
    fn listen(&mut self, channel: &str) -> impl Future<Output = Result<(), SourceError>>;

    fn unlisten(&mut self, channel: &str) -> impl Future<Output = Result<(), SourceError>>;

    /// Waits for the next notification. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Result<Notification, SourceError>>;
}
