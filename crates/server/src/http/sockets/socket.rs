//! The state machine of a socket.

use std::mem;
use std::pin::{Pin, pin};

use bytes::Bytes;
use engine::Caller;
use graphql::{ErrorCode, GraphQLError, Parameters};
use hyper::header::HeaderMap;
use serde_json_bytes::{ByteString, Map, Value as Json};
use tokio::time::{Instant, Sleep, sleep_until};

use super::close_code::CloseCode;
use super::init::{SocketCaller, initialize};
use super::message::{ClientMessage, ServerMessage, next};
use super::subprotocol::Subprotocol;
use super::wire::{Step, Wire};
use crate::http::body::parsed_size;
use crate::http::connection_context::ConnectionContext;
use crate::http::drain::drained;
use crate::http::exchange::Exchange;
use crate::http::operations::{Operations, Outcome, Panicked, Work, begin};
use crate::http::refusal::Refusal;
use crate::http::settings::SubscriptionSettings;
use crate::http::subscription::Event;
use crate::jitter::random_part;

/// A socket with a known subprotocol.
pub(super) struct Socket<'s> {
    context: &'s ConnectionContext,
    wire: &'s mut Wire,
    subprotocol: Subprotocol,
    stage: Stage,
    operations: Operations,
    settings: SubscriptionSettings,
    next_ping: Instant,
    /// Whether the client has still to answer a ping.
    awaits_pong: bool,
    /// The code with which the socket closes as soon as no operation runs; it begins no more of them.
    ending: Option<CloseCode>,
}

/// The progress of a connection.
enum Stage {
    /// The client has until then to initialize it.
    Uninitialized { headers: HeaderMap, until: Instant },
    /// The token of the caller expires at a time, if it does.
    Acknowledged { caller: Caller, until: Option<Instant> },
}

/// The end of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The connection has ended.
    Ended,
    /// It has to be closed with a code.
    Close(CloseCode),
    /// The client answers no pings.
    Dead,
}

/// An event in the loop of a socket.
enum Occurrence {
    Alarm,
    Drained,
    Step(Step),
    Outcome(Result<Outcome, Panicked>),
}

impl<'s> Socket<'s> {
    pub(super) fn new(
        context: &'s ConnectionContext,
        wire: &'s mut Wire,
        subprotocol: Subprotocol,
        headers: HeaderMap,
    ) -> Self {
        let settings = context.current.get().settings.subscriptions;
        let now = Instant::now();
        Self {
            context,
            wire,
            subprotocol,
            stage: Stage::Uninitialized { headers, until: now + settings.init_timeout },
            operations: Operations::default(),
            settings,
            // Sockets that were opened together are not pinged together.
            next_ping: now + settings.ping_interval - random_part(settings.ping_interval / 2),
            awaits_pong: false,
            ending: None,
        }
    }

    /// Serves the socket to its end.
    pub(super) async fn run(&mut self) -> End {
        let drain_timeout = self.context.current.get().settings.drain_timeout;
        let mut drained = pin!(drained(&self.context.state, drain_timeout));
        let mut is_drained = false;
        let mut alarm = pin!(sleep_until(self.deadline()));
        loop {
            self.set(alarm.as_mut());
            let is_flushed = self.wire.is_flushed();
            let occurrence = tokio::select! {
                biased;
                () = &mut alarm => Occurrence::Alarm,
                () = &mut drained, if !is_drained => Occurrence::Drained,
                step = self.wire.step() => Occurrence::Step(step),
                outcome = self.operations.next(is_flushed) => Occurrence::Outcome(outcome),
            };
            let end = match occurrence {
                Occurrence::Alarm => self.on_alarm(),
                Occurrence::Drained => {
                    is_drained = true;
                    self.operations.end_subscriptions();
                    self.end_with(CloseCode::GoingAway)
                }
                Occurrence::Step(step) => self.on_step(step).await,
                Occurrence::Outcome(outcome) => self.on_outcome(outcome),
            };
            if let Err(end) = end {
                return end;
            }
        }
    }

    /// Sets the timer to the next deadline.
    fn set(&self, alarm: Pin<&mut Sleep>) {
        let deadline = self.deadline();
        if alarm.deadline() != deadline {
            alarm.reset(deadline);
        }
    }

    fn deadline(&self) -> Instant {
        let until = match &self.stage {
            Stage::Uninitialized { until, .. } => Some(*until),
            Stage::Acknowledged { until, .. } => *until,
        };
        until.map_or(self.next_ping, |until| until.min(self.next_ping))
    }

    fn on_alarm(&mut self) -> Result<(), End> {
        let now = Instant::now();
        match &mut self.stage {
            Stage::Uninitialized { until, .. } if *until <= now => {
                return Err(End::Close(CloseCode::InitTimeout));
            }
            Stage::Acknowledged { until, .. } if until.is_some_and(|until| until <= now) => {
                *until = None;
                self.expire()?;
            }
            Stage::Uninitialized { .. } | Stage::Acknowledged { .. } => {}
        }
        match self.next_ping <= now {
            true => self.ping(now),
            false => Ok(()),
        }
    }

    /// Ends the subscriptions: the token has expired.
    fn expire(&mut self) -> Result<(), End> {
        let service = self.context.current.get();
        let expired = service.settings.credentials.expired();
        let error = expired.body_in(service.worker.error_form());
        for id in self.operations.end_subscriptions() {
            self.send_errors(&id, &error);
        }
        self.end_with(CloseCode::Forbidden)
    }

    /// Closes the socket as soon as no operation runs.
    fn end_with(&mut self, code: CloseCode) -> Result<(), End> {
        match self.operations.is_empty() {
            true => Err(End::Close(code)),
            false => {
                self.ending.get_or_insert(code);
                Ok(())
            }
        }
    }

    fn ping(&mut self, now: Instant) -> Result<(), End> {
        self.next_ping = now + self.settings.ping_interval;
        // A ping would wait behind what the client does not read, for which there is another limit.
        if !self.wire.is_flushed() {
            return Ok(());
        }
        if self.awaits_pong {
            return Err(End::Dead);
        }
        self.awaits_pong = true;
        self.wire.ping();
        match self.subprotocol {
            Subprotocol::Legacy | Subprotocol::Oldest if self.is_acknowledged() => {
                self.send(ServerMessage::KeepAlive);
            }
            Subprotocol::TransportWs | Subprotocol::Legacy | Subprotocol::Oldest => {}
        }
        Ok(())
    }

    fn is_acknowledged(&self) -> bool {
        matches!(self.stage, Stage::Acknowledged { .. })
    }

    async fn on_step(&mut self, step: Step) -> Result<(), End> {
        match step {
            Step::Text(text) => self.on_text(text.as_ref()).await,
            Step::Pong => {
                self.awaits_pong = false;
                Ok(())
            }
            Step::Flushed | Step::Ignored => Ok(()),
            Step::Violation(code) => Err(End::Close(code)),
            Step::Ended => Err(End::Ended),
        }
    }

    async fn on_text(&mut self, text: &[u8]) -> Result<(), End> {
        let limits = self.context.current.get().settings.body.json;
        match (ClientMessage::parse(self.subprotocol, text, limits), self.subprotocol) {
            (Ok(ClientMessage::Init(payload)), _) => self.on_init(&payload).await,
            (Ok(ClientMessage::Ping(payload)), _) => {
                self.send(ServerMessage::Pong(payload.as_ref()));
                Ok(())
            }
            (Ok(ClientMessage::Pong), _) => Ok(()),
            (Ok(ClientMessage::Begin { id, parameters }), _) => {
                self.on_begin(&id, *parameters, parsed_size(text))
            }
            (Ok(ClientMessage::End { id: Some(id) }), _) => {
                self.on_end(&id);
                Ok(())
            }
            (Ok(ClientMessage::End { id: None }), _) => Ok(()),
            (Ok(ClientMessage::Terminate), _) => Err(End::Close(CloseCode::Normal)),
            (Err(reason), Subprotocol::TransportWs) => Err(End::Close(CloseCode::Invalid(reason))),
            (Err(reason), Subprotocol::Legacy | Subprotocol::Oldest) => {
                let error = GraphQLError::new(ErrorCode::BadUserInput, reason);
                self.send(ServerMessage::MessageError(&error));
                Ok(())
            }
        }
    }

    async fn on_init(&mut self, payload: &Map<ByteString, Json>) -> Result<(), End> {
        let Stage::Uninitialized { headers, .. } = &mut self.stage else {
            return Err(End::Close(CloseCode::SecondInit));
        };
        let headers = mem::take(headers);
        let service = self.context.current.get();
        match initialize(&service, headers, payload).await {
            Ok(SocketCaller { caller, until }) => {
                self.stage = Stage::Acknowledged { caller, until };
                self.send(ServerMessage::Ack);
                if self.subprotocol == Subprotocol::Legacy {
                    self.send(ServerMessage::KeepAlive);
                }
                Ok(())
            }
            Err(refusal) => {
                match self.subprotocol {
                    Subprotocol::TransportWs => {}
                    Subprotocol::Legacy | Subprotocol::Oldest => {
                        let error = refusal.socket_error_in(service.worker.error_form());
                        self.send(ServerMessage::ConnectionError(&error));
                    }
                }
                let mut exchange = Exchange::of_socket(&service, self.context);
                let status = refusal.status();
                exchange.refusal = Some(refusal);
                exchange.end(status);
                Err(End::Close(CloseCode::Forbidden))
            }
        }
    }

    fn on_begin(&mut self, id: &str, parameters: Parameters, bytes: u64) -> Result<(), End> {
        let Stage::Acknowledged { caller, .. } = &self.stage else {
            return Err(End::Close(CloseCode::Unauthorized));
        };
        // The client sent it before it saw that the socket closes, and sends it again elsewhere.
        if self.ending.is_some() {
            return Ok(());
        }
        if self.operations.contains(id) {
            match self.subprotocol {
                Subprotocol::TransportWs => {
                    let id = serde_json::from_str(id).unwrap_or_else(|_| id.to_owned());
                    return Err(End::Close(CloseCode::IdInUse(id)));
                }
                Subprotocol::Legacy | Subprotocol::Oldest => self.operations.end(id),
            };
        }
        if self.operations.len() >= self.settings.most_operations {
            let refusal = Refusal::TooManyOperations { most: self.settings.most_operations };
            let service = self.context.current.get();
            service.count_refused(&refusal);
            self.send_errors(id, &refusal.body_in(service.worker.error_form()));
            return Ok(());
        }
        let accepts = self.subprotocol.accepts();
        let work = begin(self.context, caller.clone(), parameters, bytes, accepts);
        let is_subscription = matches!(work, Work::Subscription(_) | Work::Counting(..));
        if self.subprotocol == Subprotocol::Oldest && is_subscription {
            self.send(ServerMessage::Started { id });
        }
        self.operations.run(id.into(), work);
        Ok(())
    }

    /// Ends an operation for the client. Unknown ids are those of operations that have just ended.
    fn on_end(&mut self, id: &str) {
        let is_known = self.operations.end(id);
        if is_known && self.subprotocol == Subprotocol::Legacy {
            self.send(ServerMessage::Complete { id });
        }
    }

    fn on_outcome(&mut self, outcome: Result<Outcome, Panicked>) -> Result<(), End> {
        let Outcome { id, event, rest } =
            outcome.map_err(|Panicked| End::Close(CloseCode::Internal))?;
        match event {
            Event::Result(result) => {
                self.wire.queue(next(self.subprotocol, &id, result));
                match rest {
                    Some(rest) => self.operations.go_on(id, rest),
                    None => self.send(ServerMessage::Complete { id: &id }),
                }
            }
            Event::Errors(body) => self.send_errors(&id, &body),
            Event::End => self.send(ServerMessage::Complete { id: &id }),
        }
        match self.ending.take() {
            Some(code) => self.end_with(code),
            None => Ok(()),
        }
    }

    /// Sends the errors of a response without data.
    fn send_errors(&mut self, id: &str, body: &[u8]) {
        let response = serde_json::from_slice(body);
        let errors = match response {
            Ok(Json::Object(mut response)) => match response.remove("errors") {
                Some(Json::Array(errors)) => errors,
                Some(_) | None => Vec::new(),
            },
            Ok(_) | Err(_) => Vec::new(),
        };
        self.send(ServerMessage::Errors { id, errors: &errors });
    }

    fn send(&mut self, message: ServerMessage<'_>) {
        let text = Bytes::from(message.write(self.subprotocol));
        self.wire.queue([text, Bytes::new(), Bytes::new()]);
    }
}
