//! Streams of rows, on one thread.

use ::live::{CohortKey, Joined, Wake};
use bytes::Bytes;
use dialects::Stream;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json_bytes::Value;
use tokio::sync::{Notify, mpsc};

use super::Worker;
use super::subscribe::{FIRST_RETRY, LAST_RETRY, is_transient};
use crate::caller::Caller;
use crate::events::set_position;
use crate::live::stream::{batch, start};
use crate::live::{
    Batch, Begun, Driver, Execution, LiveWork, Responses, StreamExecution, StreamResponses, Work,
};
use crate::operands::operands_of;
use crate::prepare::Prepared;
use crate::repeated_errors::KnownErrors;

impl Worker {
    /// Begins a stream, or continues a former one at a position.
    pub(super) fn begin_stream(
        &self,
        stream: &Stream,
        (prepared, variables): (&Prepared, &Variables),
        (request, caller): (&Request, &Caller),
        former: Option<Value>,
    ) -> Result<Begun, GraphQLError> {
        let hub = &self.engine.live.hub;
        let claims = caller.session.claims.as_deref();
        let variables = source::Variables { claims, ..operands_of(variables) };
        let begins = former.is_none();
        let position = match former {
            Some(position) => position,
            None => {
                let value = source::operand::resolve(&stream.start, variables);
                let position = start(&value.map_err(|error| self.engine.map_error(&error))?);
                if position.is_null() {
                    let message = "A cursor needs an initial value that is not null.";
                    return Err(GraphQLError::new(ErrorCode::BadUserInput, message));
                }
                position
            }
        };
        let name = request.operation_name.as_deref();
        let key = CohortKey::new(&request.query, name, &request.variables, &caller.session)
            .with_numbers(&request.numbers);
        let dependencies = || prepared.dependencies(&self.engine.catalog, variables);
        let Joined { query, cohort, feed } = hub.join(key.alone(hub.number()), dependencies);
        // The next batch is read when the last one is taken.
        let (batches, receiver) = mpsc::channel(1);
        let responses = StreamResponses::new(receiver, position.clone(), query);
        let response_name = stream.response_name.clone();
        let execution = cohort.map(|cohort| Execution {
            cohort,
            request: request.clone(),
            caller: caller.clone(),
            directive: None,
            stream: Some(StreamExecution { batches, position, begins, response_name }),
            polled: None,
        });
        let work = LiveWork { hub: hub.clone(), execution, feed };
        let driver = Some(Driver(Work::Live(Box::new(work))));
        Ok(Begun { responses: Responses::Rows(responses), driver })
    }

    /// Sends the rows beyond the position, batch by batch, whenever rows may have changed, until the
    /// subscriber leaves.
    pub(super) async fn execute_stream(
        &self,
        execution: &Execution,
        stream: &StreamExecution,
        wakes_feed: &Notify,
    ) {
        let Execution { cohort, request, caller, .. } = execution;
        let mut request = request.clone();
        let mut position = stream.position.clone();
        let mut sends_nothing = stream.begins;
        let mut again = FIRST_RETRY;
        let mut known = KnownErrors::default();
        // The last response, if it was an error.
        let mut failure: Option<Bytes> = None;
        while cohort.wait().await == Wake::Execute {
            if self.engine.live.hub.is_feed_lost() {
                wakes_feed.notify_one();
            }
            loop {
                self.engine.live.hub.count_execution();
                set_position(&mut request.variables, position.clone());
                let (response, codes) = self.response(&request, caller, false, &mut known).await;
                // No change of rows makes a value of the request valid.
                let is_invalid = sends_nothing && codes.contains(&ErrorCode::BadUserInput);
                let is_transient = codes.into_iter().any(is_transient);
                let mut sent = batch(&response, &stream.response_name).unwrap_or(Batch {
                    response,
                    position: None,
                    is_last: false,
                });
                let next = sent.position.clone();
                let is_error = next.is_none() && is_failure(&sent.response);
                sent.is_last = is_error && is_invalid;
                let is_last = sent.is_last;
                let is_new = failure.as_ref() != Some(&sent.response);
                failure = is_error.then(|| sent.response.clone());
                if next.is_some() || (is_error && is_new) || sends_nothing {
                    sends_nothing = false;
                    if stream.batches.send(sent).await.is_err() || is_last {
                        return;
                    }
                }
                if is_transient {
                    // No change would tell that the source answers again.
                    cohort.mark_after(again).await;
                    again = (again * 2).min(LAST_RETRY);
                    break;
                }
                again = FIRST_RETRY;
                match next {
                    Some(next) => position = next,
                    None => break,
                }
            }
        }
    }
}

/// Returns true if a response has no data.
fn is_failure(response: &[u8]) -> bool {
    !response.starts_with(b"{\"data\":{")
}
