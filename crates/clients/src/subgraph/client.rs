//! Subgraph client: one request, with its retries, within its timeout.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::{HeaderMap, Response};
use tokio::time::{Instant, sleep, timeout_at};

use super::body::{self, Frames, Limits};
use super::bulkhead::{Bulkhead, BulkheadFull, Permit};
use super::caching::ResponseCaching;
use super::circuit_breaker::Transition;
use super::deduplication::{Key, Role};
use super::head::Head;
use super::media::{self, Media};
use super::pool::{ConnectionChoice, Pool, PooledConnection};
use super::request::{SubgraphError, SubgraphRequest, SubgraphResponse};
use super::settings::Settings;
use super::shared::Shared;
use super::statistics::Counts;
use crate::coding::{Coding, Compressor};
use crate::connect::error_chain;

/// Backoff before the first retry; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);

/// Maximum backoff, unless the server demands a longer one by `Retry-After`.
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// Client of one subgraph on one thread, whose tasks must run in a `LocalSet`.
pub struct Client {
    settings: Arc<Settings>,
    shared: Arc<Shared>,
    head: Head,
    pool: Pool,
}

/// Request body and headers as they are sent.
struct EncodedRequest<'a> {
    headers: &'a HeaderMap,
    body: Bytes,
    coding: Option<Coding>,
    reserve: &'a dyn Fn(usize) -> bool,
}

/// Outcome of one attempt.
struct Attempt {
    result: Result<SubgraphResponse, SubgraphError>,
    retry: Retry,
}

/// Whether and when a retry can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retry {
    No,
    /// A kept-alive connection was closed before a response began; `is_unsent` says whether the
    /// request certainly did not arrive.
    Immediately {
        is_unsent: bool,
    },
    /// After a backoff, whose length the server may have set.
    AfterBackoff {
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
    pub async fn send(
        &self,
        request: SubgraphRequest<'_>,
    ) -> Result<SubgraphResponse, SubgraphError> {
        let began = Instant::now();
        self.shared.begin();
        let result = match &self.shared.bulkhead {
            None => self.send_or_join(&request, began).await,
            Some(bulkhead) => match bulkhead.try_acquire() {
                Some(permit) => self.send_with_permit(&permit, &request, began).await,
                None => Box::pin(self.send_when_admitted(bulkhead, &request, began)).await,
            },
        };
        self.shared.end(began.elapsed(), result.as_ref().err().map(SubgraphError::kind));
        result
    }

    /// Closes connections that were idle for too long; to be called periodically.
    pub fn close_idle(&self) {
        self.pool.close_idle();
    }

    /// Waits for a slot of the bulkhead, then sends the request.
    async fn send_when_admitted(
        &self,
        bulkhead: &Bulkhead,
        request: &SubgraphRequest<'_>,
        began: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        // Requests that hold the slots are about to fail, and those that wait would be refused by
        // the circuit breaker.
        let open = self
            .shared
            .circuit_breaker
            .as_ref()
            .and_then(|circuit_breaker| circuit_breaker.open_until(began));
        if let Some(until) = open {
            return Err(SubgraphError::BreakerOpen { until: until.into_std() });
        }
        match timeout_at(self.deadline(request, began), bulkhead.acquire()).await {
            Ok(Ok(permit)) => self.send_with_permit(&permit, request, began).await,
            Ok(Err(BulkheadFull)) => Err(SubgraphError::Overloaded),
            Err(_) => Err(SubgraphError::Timeout),
        }
    }

    async fn send_with_permit(
        &self,
        permit: &Permit<'_>,
        request: &SubgraphRequest<'_>,
        began: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        let result = self.send_or_join(request, began).await;
        if result.is_ok() {
            permit.record_response();
        }
        result
    }

    async fn send_or_join(
        &self,
        request: &SubgraphRequest<'_>,
        began: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        match self.settings.deduplicate && request.is_query {
            false => self.send_within_deadline(request, began).await,
            true => Box::pin(self.send_deduplicated(request, began)).await,
        }
    }

    /// Sends the request, or waits for the response of an identical query in flight.
    async fn send_deduplicated(
        &self,
        request: &SubgraphRequest<'_>,
        began: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        let key = Key::new(&request.body, request.headers);
        let joined =
            timeout_at(self.deadline(request, began), self.shared.in_flight.join(key)).await;
        match joined {
            Err(_) => Err(SubgraphError::Timeout),
            Ok(Role::Leader(leader)) => {
                let result = self.send_within_deadline(request, began).await;
                leader.publish(&result);
                result
            }
            Ok(Role::Follower(result)) => {
                Counts::add(&self.shared.counts.deduplicated, 1);
                let mut answer = result?;
                answer.caching.is_shared = true;
                match (request.reserve)(answer.body.len()) {
                    true => Ok(answer),
                    false => Err(SubgraphError::MemoryExhausted),
                }
            }
        }
    }

    async fn send_within_deadline(
        &self,
        request: &SubgraphRequest<'_>,
        began: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        let deadline = self.deadline(request, began);
        let permit = match &self.shared.circuit_breaker {
            None => None,
            Some(circuit_breaker) => {
                let open = |until: Instant| SubgraphError::BreakerOpen { until: until.into_std() };
                Some(circuit_breaker.admit(began).map_err(open)?)
            }
        };
        let result = timeout_at(deadline, self.send_with_retries(request, deadline)).await;
        let result = result.unwrap_or(Err(SubgraphError::Timeout));
        if let Some(permit) = permit {
            let now = Instant::now();
            // A timeout of a request with little time left says nothing about the subgraph.
            let had_time = now - began >= self.settings.timeout / 2;
            match counts_as_failure(&result, had_time) {
                Some(counts_as_failure) => {
                    log_transition(&self.settings, permit.end(counts_as_failure, now))
                }
                None => drop(permit),
            }
        }
        result
    }

    fn deadline(&self, request: &SubgraphRequest<'_>, began: Instant) -> Instant {
        let own = began + self.settings.timeout;
        request.deadline.map_or(own, |deadline| own.min(Instant::from_std(deadline)))
    }

    /// Retries until there is a response, or no retry can help.
    async fn send_with_retries(
        &self,
        request: &SubgraphRequest<'_>,
        deadline: Instant,
    ) -> Result<SubgraphResponse, SubgraphError> {
        let encoded = self.encode(request);
        let mut choice = ConnectionChoice::Any;
        let mut retries = 0;
        loop {
            let Attempt { result, retry } = self.attempt(&encoded, choice).await;
            match retry {
                Retry::No => return result,
                Retry::Immediately { is_unsent } if choice == ConnectionChoice::Any => {
                    if !(request.is_query || is_unsent) {
                        return result;
                    }
                    choice = ConnectionChoice::New;
                }
                Retry::Immediately { .. } | Retry::AfterBackoff { .. } => {
                    if !request.is_query || retries >= self.settings.retries {
                        return result;
                    }
                    let backoff = backoff(retries, retry);
                    if Instant::now() + backoff >= deadline || !self.shared.may_retry() {
                        return result;
                    }
                    retries += 1;
                    sleep(backoff).await;
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
    fn encode<'a>(&self, request: &SubgraphRequest<'a>) -> EncodedRequest<'a> {
        let plain = EncodedRequest {
            headers: request.headers,
            body: request.body.clone(),
            coding: None,
            reserve: request.reserve,
        };
        let Some(compression) = self.settings.compression else { return plain };
        let Some(coding) = compression.requests else { return plain };
        if request.body.len() < compression.min_size {
            return plain;
        }
        let compressed =
            Compressor::new(coding, Some(request.body.len())).and_then(|mut compressor| {
                compressor.write(&request.body)?;
                compressor.finish()
            });
        match compressed {
            Ok(body) => EncodedRequest { body: body.into(), coding: Some(coding), ..plain },
            Err(error) => {
                tracing::warn!(%error, ?coding, "a request is sent without compression");
                plain
            }
        }
    }

    async fn attempt(&self, encoded: &EncodedRequest<'_>, choice: ConnectionChoice) -> Attempt {
        let pooled = match self.pool.acquire(choice).await {
            Ok(pooled) => pooled,
            Err(error) => {
                return Attempt {
                    result: Err(SubgraphError::Unavailable(error)),
                    retry: Retry::AfterBackoff { after: None },
                };
            }
        };
        Counts::add(&self.shared.counts.bytes_out, encoded.body.len() as u64);
        let EncodedRequest { headers, body, coding, reserve: _ } = encoded;
        match pooled {
            PooledConnection::Http1(mut pooled) => {
                let request = self.head.http1(headers, body.clone(), *coding);
                match pooled.connection.send(request).await {
                    Err(error) => Attempt::unanswered(error, pooled.is_kept),
                    Ok(response) => {
                        let connection = &mut pooled.connection;
                        let (attempt, is_whole) = self
                            .receive(response, encoded, |body| Frames::Http1(connection, body))
                            .await;
                        if is_whole {
                            pooled.release();
                        }
                        attempt
                    }
                }
            }
            PooledConnection::Http2(mut pooled) => {
                let request = self.head.http2(headers, body.clone(), *coding);
                match pooled.connection.send(request).await {
                    Err(error) => {
                        if !is_reset(error.error()) {
                            pooled.exclude();
                        }
                        Attempt::unanswered(error, pooled.is_kept)
                    }
                    Ok(response) => self.receive(response, encoded, Frames::Http2).await.0,
                }
            }
        }
    }

    /// Reads a response; also returns whether its body was read to the end.
    async fn receive<'c>(
        &self,
        response: Response<Incoming>,
        encoded: &EncodedRequest<'_>,
        frames: impl FnOnce(Incoming) -> Frames<'c>,
    ) -> (Attempt, bool) {
        let (head, body) = response.into_parts();
        let status = head.status.as_u16();
        let retry = match status {
            502..=504 => Retry::AfterBackoff { after: media::retry_after(&head.headers) },
            _ => Retry::No,
        };
        let read = media::media(head.status, &head.headers)
            .and_then(|media| Ok((media, media::coding(&head.headers)?)));
        let frames = frames(body);
        let (media, coding) = match read {
            Ok(read) => read,
            Err(error) => {
                let is_whole = body::discard(frames).await.is_ok();
                return (Attempt { result: Err(error), retry }, is_whole);
            }
        };
        let limits = Limits {
            most: self.settings.most_bytes,
            reserve: encoded.reserve,
            received: &self.shared.counts.bytes_in,
        };
        match body::read(frames, coding, limits).await {
            Err(error) => (Attempt { result: Err(error), retry: Retry::No }, false),
            Ok(body) => {
                let is_answer = match media {
                    Media::GraphQl => true,
                    Media::Json => media::may_be_graphql(&body),
                };
                let result = match is_answer {
                    true => {
                        let caching = ResponseCaching::of(&head.headers);
                        Ok(SubgraphResponse { status, body, caching })
                    }
                    false => Err(SubgraphError::Status(status)),
                };
                (Attempt { result, retry }, true)
            }
        }
    }
}

impl Attempt {
    /// The connection was closed before the response headers.
    fn unanswered<R>(mut error: TrySendError<R>, is_kept: bool) -> Self {
        let is_unsent = error.take_message().is_some() || is_refused(error.error());
        let error = error.into_error();
        let retry = match is_kept {
            // The response was not HTTP.
            _ if error.is_parse() => Retry::No,
            true => Retry::Immediately { is_unsent },
            false => Retry::AfterBackoff { after: None },
        };
        let why = error_chain(&error).into();
        let result = match error.is_parse() {
            true => SubgraphError::Broken(why),
            false => SubgraphError::Closed(why),
        };
        Self { result: Err(result), retry }
    }
}

/// Logs transitions of the circuit breaker, so that operators can date missing responses.
pub(super) fn log_transition(settings: &Settings, transition: Option<Transition>) {
    let Settings { name, endpoint, breaker, .. } = settings;
    let pause = breaker.map(|breaker| breaker.pause).unwrap_or_default();
    let subgraph = &**name;
    match transition {
        None => {}
        Some(Transition::Opened) => tracing::warn!(
            subgraph,
            %endpoint,
            ?pause,
            "circuit breaker opened after too many failures"
        ),
        Some(Transition::StaysOpen) => {
            tracing::warn!(subgraph, %endpoint, ?pause, "circuit breaker stays open: the trial request failed");
        }
        Some(Transition::Closed) => {
            tracing::info!(subgraph, %endpoint, "circuit breaker closed: the trial request succeeded");
        }
    }
}

/// Whether the outcome counts as a failure of the subgraph; `None` if it says nothing about it.
fn counts_as_failure(
    result: &Result<SubgraphResponse, SubgraphError>,
    had_time: bool,
) -> Option<bool> {
    match result {
        Ok(answer) => Some(matches!(answer.status, 502..=504)),
        Err(SubgraphError::Status(status)) => Some(*status >= 500),
        Err(
            SubgraphError::Unavailable(_)
            | SubgraphError::Broken(_)
            | SubgraphError::Closed(_)
            | SubgraphError::NotGraphQl(_),
        ) => Some(true),
        Err(SubgraphError::Timeout) => had_time.then_some(true),
        Err(SubgraphError::TooLarge { .. }) => Some(false),
        Err(
            SubgraphError::MemoryExhausted
            | SubgraphError::BreakerOpen { .. }
            | SubgraphError::Overloaded,
        ) => None,
    }
}

/// Backoff with jitter, or the pause that the server demands.
fn backoff(retries: u32, retry: Retry) -> Duration {
    let most = INITIAL_BACKOFF.saturating_mul(1 << retries.min(10)).min(MAX_BACKOFF);
    // Between half of it and all of it.
    let random = RandomState::new().hash_one(retries) % 512;
    let backoff = most.mul_f64((512 + random) as f64 / 1024.0);
    match retry {
        Retry::AfterBackoff { after: Some(after) } => backoff.max(after),
        Retry::AfterBackoff { after: None } | Retry::Immediately { .. } | Retry::No => backoff,
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
