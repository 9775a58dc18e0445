//! Subgraph client: one request, with its retries, within its timeout.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::{HeaderMap, Response};
use tokio::time::{Instant, sleep, timeout_at};

use super::ask::{Answer, Ask, AskError};
use super::body::{self, Frames, Limits};
use super::bulkhead::{Bulkhead, Full, Permit};
use super::circuit::Turn;
use super::flight::{Key, Part};
use super::head::Head;
use super::media::{self, Media};
use super::pool::{Lent, Pool, Wanted};
use super::settings::Settings;
use super::shared::Shared;
use super::statistics::Counts;
use crate::coding::{Coding, Compressor};
use crate::connect::whole;

/// Backoff before the first retry; it doubles with each.
const PAUSE: Duration = Duration::from_millis(25);

/// Maximum backoff, unless the server demands a longer one by `Retry-After`.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Client of one subgraph on one thread, whose tasks must run in a `LocalSet`.
pub struct Client {
    settings: Arc<Settings>,
    shared: Arc<Shared>,
    head: Head,
    pool: Pool,
}

/// Request body and headers as they are sent.
struct Parcel<'a> {
    headers: &'a HeaderMap,
    body: Bytes,
    coding: Option<Coding>,
    hold: &'a dyn Fn(usize) -> bool,
}

/// Outcome of one attempt.
struct Attempt {
    result: Result<Answer, AskError>,
    again: Again,
}

/// Whether and when a retry can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    No,
    /// A kept-alive connection was closed before a response began; `is_unsent` says whether the
    /// request certainly did not arrive.
    AtOnce {
        is_unsent: bool,
    },
    /// After a backoff, whose length the server may have set.
    Later {
        after: Option<Duration>,
    },
}

impl Client {
    #[must_use]
    pub fn new(settings: Arc<Settings>, shared: Arc<Shared>) -> Self {
        Self {
            head: Head::new(&settings),
            pool: Pool::new(Arc::clone(&settings), Arc::clone(&shared)),
            settings,
            shared,
        }
    }

    /// Sends a request and waits for its response. Dropping the future cancels the request.
    pub async fn ask(&self, ask: Ask<'_>) -> Result<Answer, AskError> {
        let began = Instant::now();
        self.shared.begin();
        let result = match &self.shared.bulkhead {
            None => self.ask_or_join(&ask, began).await,
            Some(bulkhead) => match bulkhead.try_enter() {
                Some(place) => self.ask_from(&place, &ask, began).await,
                None => Box::pin(self.ask_in_turn(bulkhead, &ask, began)).await,
            },
        };
        self.shared.end(began.elapsed(), result.as_ref().err().map(AskError::kind));
        result
    }

    /// Closes connections that were idle for too long; to be called periodically.
    pub fn close_old(&self) {
        self.pool.close_old();
    }

    /// Waits for a slot of the bulkhead, then sends the request.
    async fn ask_in_turn(
        &self,
        bulkhead: &Bulkhead,
        ask: &Ask<'_>,
        began: Instant,
    ) -> Result<Answer, AskError> {
        // Requests that hold the slots are about to fail, and those that wait would be refused by
        // the circuit breaker.
        let open = self.shared.circuit.as_ref().and_then(|circuit| circuit.closed_until(began));
        if let Some(until) = open {
            return Err(AskError::BreakerOpen { until: until.into_std() });
        }
        match timeout_at(self.deadline(ask, began), bulkhead.enter()).await {
            Ok(Ok(place)) => self.ask_from(&place, ask, began).await,
            Ok(Err(Full)) => Err(AskError::Overloaded),
            Err(_) => Err(AskError::Timeout),
        }
    }

    async fn ask_from(
        &self,
        place: &Permit<'_>,
        ask: &Ask<'_>,
        began: Instant,
    ) -> Result<Answer, AskError> {
        let result = self.ask_or_join(ask, began).await;
        if result.is_ok() {
            place.answered();
        }
        result
    }

    async fn ask_or_join(&self, ask: &Ask<'_>, began: Instant) -> Result<Answer, AskError> {
        match self.settings.deduplicate && ask.is_query {
            false => self.ask_in_time(ask, began).await,
            true => Box::pin(self.ask_together(ask, began)).await,
        }
    }

    /// Sends the request, or waits for the response of an identical query in flight.
    async fn ask_together(&self, ask: &Ask<'_>, began: Instant) -> Result<Answer, AskError> {
        let key = Key::new(&ask.body, ask.headers);
        let joined = timeout_at(self.deadline(ask, began), self.shared.flights.join(key)).await;
        match joined {
            Err(_) => Err(AskError::Timeout),
            Ok(Part::Lead(lead)) => {
                let result = self.ask_in_time(ask, began).await;
                lead.tell(&result);
                result
            }
            Ok(Part::Followed(result)) => {
                Counts::add(&self.shared.counts.deduplicated, 1);
                let answer = result?;
                match (ask.hold)(answer.body.len()) {
                    true => Ok(answer),
                    false => Err(AskError::MemoryExhausted),
                }
            }
        }
    }

    async fn ask_in_time(&self, ask: &Ask<'_>, began: Instant) -> Result<Answer, AskError> {
        let deadline = self.deadline(ask, began);
        let permit = match &self.shared.circuit {
            None => None,
            Some(circuit) => {
                let open = |until: Instant| AskError::BreakerOpen { until: until.into_std() };
                Some(circuit.admit(began).map_err(open)?)
            }
        };
        let result = timeout_at(deadline, self.ask_patiently(ask, deadline)).await;
        let result = result.unwrap_or(Err(AskError::Timeout));
        if let Some(permit) = permit {
            let now = Instant::now();
            // A timeout of a request with little time left says nothing about the subgraph.
            let had_time = now - began >= self.settings.timeout / 2;
            match has_failed(&result, had_time) {
                Some(has_failed) => self.log(permit.end(has_failed, now)),
                None => drop(permit),
            }
        }
        result
    }

    /// Logs transitions of the circuit breaker, so that operators can date missing responses.
    fn log(&self, turn: Option<Turn>) {
        let Settings { name, endpoint, breaker, .. } = &*self.settings;
        let pause = breaker.map(|breaker| breaker.pause).unwrap_or_default();
        let subgraph = &**name;
        match turn {
            None => {}
            Some(Turn::Opened) => tracing::warn!(
                subgraph,
                %endpoint,
                ?pause,
                "the circuit breaker of a subgraph opened after too many failures"
            ),
            Some(Turn::StaysOpen) => {
                tracing::warn!(subgraph, %endpoint, ?pause, "the circuit breaker of a subgraph stays open: the trial request failed");
            }
            Some(Turn::Closed) => {
                tracing::info!(subgraph, %endpoint, "the circuit breaker of a subgraph closed: the trial request succeeded");
            }
        }
    }

    fn deadline(&self, ask: &Ask<'_>, began: Instant) -> Instant {
        let own = began + self.settings.timeout;
        ask.deadline.map_or(own, |deadline| own.min(Instant::from_std(deadline)))
    }

    /// Retries until there is a response, or no retry can help.
    async fn ask_patiently(&self, ask: &Ask<'_>, deadline: Instant) -> Result<Answer, AskError> {
        let parcel = self.parcel(ask);
        let mut wanted = Wanted::Any;
        let mut retries = 0;
        loop {
            let Attempt { result, again } = self.send(&parcel, wanted).await;
            match again {
                Again::No => return result,
                Again::AtOnce { is_unsent } if wanted == Wanted::Any => {
                    if !(ask.is_query || is_unsent) {
                        return result;
                    }
                    wanted = Wanted::New;
                }
                Again::AtOnce { .. } | Again::Later { .. } => {
                    if !ask.is_query || retries >= self.settings.retries {
                        return result;
                    }
                    let pause = pause(retries, again);
                    if Instant::now() + pause >= deadline || !self.shared.may_retry() {
                        return result;
                    }
                    retries += 1;
                    sleep(pause).await;
                }
            }
            Counts::add(&self.shared.counts.retries, 1);
            if let Err(error) = &result {
                let subgraph = &*self.settings.name;
                tracing::debug!(subgraph, %error, "a request to a subgraph is retried");
            }
        }
    }

    /// Compresses the body, if it is large enough.
    fn parcel<'a>(&self, ask: &Ask<'a>) -> Parcel<'a> {
        let plain =
            Parcel { headers: ask.headers, body: ask.body.clone(), coding: None, hold: ask.hold };
        let Some(compression) = self.settings.compression else { return plain };
        let Some(coding) = compression.requests else { return plain };
        if ask.body.len() < compression.min_size {
            return plain;
        }
        let compressed =
            Compressor::new(coding, Some(ask.body.len())).and_then(|mut compressor| {
                compressor.write(&ask.body)?;
                compressor.finish()
            });
        match compressed {
            Ok(body) => Parcel { body: body.into(), coding: Some(coding), ..plain },
            Err(error) => {
                tracing::warn!(%error, ?coding, "a request is sent without compression");
                plain
            }
        }
    }

    async fn send(&self, parcel: &Parcel<'_>, wanted: Wanted) -> Attempt {
        let lent = match self.pool.lend(wanted).await {
            Ok(lent) => lent,
            Err(error) => {
                return Attempt {
                    result: Err(AskError::Unavailable(error)),
                    again: Again::Later { after: None },
                };
            }
        };
        Counts::add(&self.shared.counts.bytes_out, parcel.body.len() as u64);
        let Parcel { headers, body, coding, hold: _ } = parcel;
        match lent {
            Lent::Http1(mut lent) => {
                let request = self.head.http1(headers, body.clone(), *coding);
                match lent.connection.send(request).await {
                    Err(error) => Attempt::unanswered(error, lent.is_kept),
                    Ok(response) => {
                        let connection = &mut lent.connection;
                        let (attempt, is_whole) = self
                            .receive(response, parcel, |body| Frames::Http1(connection, body))
                            .await;
                        if is_whole {
                            lent.give_back();
                        }
                        attempt
                    }
                }
            }
            Lent::Http2(mut lent) => {
                let request = self.head.http2(headers, body.clone(), *coding);
                match lent.connection.send(request).await {
                    Err(error) => {
                        if !is_reset(error.error()) {
                            lent.avoid();
                        }
                        Attempt::unanswered(error, lent.is_kept)
                    }
                    Ok(response) => self.receive(response, parcel, Frames::Http2).await.0,
                }
            }
        }
    }

    /// Reads a response; also returns whether its body was read to the end.
    async fn receive<'c>(
        &self,
        response: Response<Incoming>,
        parcel: &Parcel<'_>,
        frames: impl FnOnce(Incoming) -> Frames<'c>,
    ) -> (Attempt, bool) {
        let (head, body) = response.into_parts();
        let status = head.status.as_u16();
        let again = match status {
            502..=504 => Again::Later { after: media::retry_after(&head.headers) },
            _ => Again::No,
        };
        let read = media::media(head.status, &head.headers)
            .and_then(|media| Ok((media, media::coding(&head.headers)?)));
        let frames = frames(body);
        let (media, coding) = match read {
            Ok(read) => read,
            Err(error) => {
                let is_whole = body::forget(frames).await.is_ok();
                return (Attempt { result: Err(error), again }, is_whole);
            }
        };
        let limits = Limits {
            most: self.settings.most_bytes,
            hold: parcel.hold,
            received: &self.shared.counts.bytes_in,
        };
        match body::read(frames, coding, limits).await {
            Err(error) => (Attempt { result: Err(error), again: Again::No }, false),
            Ok(body) => {
                let is_answer = match media {
                    Media::GraphQl => true,
                    Media::Json => media::may_be_answer(&body),
                };
                let result = match is_answer {
                    true => Ok(Answer { status, body }),
                    false => Err(AskError::Status(status)),
                };
                (Attempt { result, again }, true)
            }
        }
    }
}

impl Attempt {
    /// The connection was closed before the response headers.
    fn unanswered<R>(mut error: TrySendError<R>, is_kept: bool) -> Self {
        let is_unsent = error.take_message().is_some() || is_refused(error.error());
        let error = error.into_error();
        let again = match is_kept {
            // The response was not HTTP.
            _ if error.is_parse() => Again::No,
            true => Again::AtOnce { is_unsent },
            false => Again::Later { after: None },
        };
        let why = whole(&error).into();
        let result = match error.is_parse() {
            true => AskError::Broken(why),
            false => AskError::Closed(why),
        };
        Self { result: Err(result), again }
    }
}

/// Whether the outcome counts as a failure of the subgraph; `None` if it says nothing about it.
fn has_failed(result: &Result<Answer, AskError>, had_time: bool) -> Option<bool> {
    match result {
        Ok(answer) => Some(matches!(answer.status, 502..=504)),
        Err(AskError::Status(status)) => Some(*status >= 500),
        Err(
            AskError::Unavailable(_)
            | AskError::Broken(_)
            | AskError::Closed(_)
            | AskError::NotGraphQl(_),
        ) => Some(true),
        Err(AskError::Timeout) => had_time.then_some(true),
        Err(AskError::TooLarge { .. }) => Some(false),
        Err(AskError::MemoryExhausted | AskError::BreakerOpen { .. } | AskError::Overloaded) => {
            None
        }
    }
}

/// Backoff with jitter, or the pause that the server demands.
fn pause(retries: u32, again: Again) -> Duration {
    let most = PAUSE.saturating_mul(1 << retries.min(10)).min(LONGEST_PAUSE);
    // Between half of it and all of it.
    let random = RandomState::new().hash_one(retries) % 512;
    let pause = most.mul_f64((512 + random) as f64 / 1024.0);
    match again {
        Again::Later { after: Some(after) } => pause.max(after),
        Again::Later { after: None } | Again::AtOnce { .. } | Again::No => pause,
    }
}

/// Whether a single stream of an HTTP/2 connection was reset.
fn is_reset(error: &hyper::Error) -> bool {
    h2_error(error).is_some_and(h2::Error::is_reset)
}

/// Whether the server guarantees that it did not process the request:
/// <https://www.rfc-editor.org/rfc/rfc9113#section-8.7>.
fn is_refused(error: &hyper::Error) -> bool {
    h2_error(error).is_some_and(|error| error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

fn h2_error(error: &hyper::Error) -> Option<&h2::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.settings.endpoint).finish_non_exhaustive()
    }
}
