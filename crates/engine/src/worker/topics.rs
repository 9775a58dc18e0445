//! Calls of the function that authorizes subscriptions to notifications.

use graphql::{ErrorCode, GraphQLError};
use response::{Failure, MemoryReservation, Sink};
use source::{ExecuteParams, Freshness, Observed, Session, Variables};

use super::Worker;
use crate::enum_tables::member;
use crate::events::check_channel;
use crate::topics::TopicAuthorization;

/// The most bytes of an answer, which is the name of a channel.
const BYTES: u64 = 4 << 10;

impl Worker {
    /// Calls the function as the session. Returns the channel whose notification ends the
    /// subscription.
    pub(super) async fn authorize_topic(
        &self,
        authorization: &TopicAuthorization,
        channel: &str,
        session: &Session,
    ) -> Result<Box<str>, GraphQLError> {
        let values = [Some(channel.into())];
        let variables = Variables { claims: session.claims.as_deref(), ..Variables::of(&values) };
        let sink = Sink::new(Vec::new(), BYTES, MemoryReservation::default());
        let params = ExecuteParams {
            variables,
            session,
            freshness: Freshness::Newest,
            echoes: &[],
            cost: 0,
            time_limit: self.time_limit,
            recorders: None,
        };
        let plan = &authorization.plan;
        let written = self.connections.answer(plan, params, sink, &mut Observed::default()).await;
        let unavailable = |_| {
            GraphQLError::new(ErrorCode::Unavailable, "The subscription cannot be authorized now.")
        };
        let written = written.map_err(unavailable)?;
        if let Some(error) = written.errors.into_iter().next() {
            return Err(match error.failure {
                Failure::Source(error) => self.engine.map_error(&error),
                Failure::Leaf(_)
                | Failure::Null
                | Failure::TooDeep(_)
                | Failure::Refused(_)
                | Failure::NotRead(_) => refused(),
            });
        }
        let answer: serde_json::Value = serde_json::from_slice(&written.data).unwrap_or_default();
        let value = answer.pointer(&["/rows/0/", &member(0)].concat());
        let ending = value.and_then(|value| value.as_str()).filter(|name| !name.is_empty());
        let ending = ending.ok_or_else(refused)?;
        check_channel(ending)?;
        Ok(ending.into())
    }
}

/// The error of a topic for which the function returns nothing: PostGraphile's message.
fn refused() -> GraphQLError {
    GraphQLError::new(ErrorCode::PermissionDenied, "You may not subscribe to this topic")
}
