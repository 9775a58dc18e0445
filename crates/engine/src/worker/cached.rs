//! Queries whose answers are cached.

use std::sync::Arc;

use ::live::CohortKey;
use ::live::Dependencies;
use bytes::Bytes;
use graphql::operation::OperationKind;
use graphql::{GraphQLError, Request};
use response::MemoryReservation;
use source::{Freshness, Session};
use tokio::task::spawn_local;

use super::{Allowed, Delivery, Ready, Worker};
use crate::answer_cache::{
    AnswerCache, CacheLookup, CacheUse, CacheUsed, CacheWish, CachedAnswer, FlightEnd, HeldBody,
    Leading, SharedAnswers, SharedLookup, Ticket, publish_changes,
};
use crate::caller::Caller;
use crate::report::Report;
use crate::respond::{JsonBody, Kind, Response};

impl Worker {
    /// The cache, and the wish of a request for an answer of it; `None` if it is executed as if there
    /// were no cache.
    pub(super) fn wish(
        &self,
        ready: &Ready,
        request: &Request,
        caller: &Caller,
        (allowed, delivery): (Allowed, Delivery),
    ) -> Result<Option<(&Arc<AnswerCache>, CacheWish)>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let Some(cache) = &engine.cache else { return Ok(None) };
        if ready.kind != OperationKind::Query || allowed == Allowed::Subscriptions {
            return Ok(None);
        }
        let document = &ready.known.document;
        let wish = cache.policy.wish(&engine.api.schema, &document.operation, &request.variables);
        let Some(wish) = wish.map_err(|error| vec![error])? else { return Ok(None) };
        // The state that a position names may be newer than an answer.
        let needs_position = caller.freshness != Freshness::Any && engine.reads().is_some();
        if caller.cache == CacheUse::Bypass || needs_position || delivery == Delivery::Traced {
            return Ok(None);
        }
        let facts = ready.prepared.facts(engine, ready.variables(&caller.session));
        let obstacle = ready.prepared.cache_obstacle(document, wish, facts.is_volatile);
        Ok(obstacle.is_none().then_some((cache, wish)))
    }

    /// Answers a request by the cache, or executes it for the cache.
    pub(super) async fn run_cached(
        &self,
        ready: &Ready,
        request: &Request,
        (caller, delivery): (&Caller, Delivery),
        (cache, wish): (&Arc<AnswerCache>, CacheWish),
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let key = self.answer_key(ready, request, &caller.session);
        if let Some(shared) = cache.shared() {
            let delivered = (caller, delivery);
            return self
                .run_shared(ready, request, delivered, (cache, shared, wish, key), report)
                .await;
        }
        loop {
            let dependencies = || self.answer_dependencies(ready, &caller.session);
            match cache.find(&key, wish, caller.cache, dependencies) {
                CacheLookup::Answer(answer) => return Ok(kept(answer, wish, true, report)),
                CacheLookup::Lead(leading) => {
                    return self.lead(ready, request, caller, (leading, wish, None), report).await;
                }
                CacheLookup::Running(flight) => match flight.wait().await {
                    FlightEnd::Answer(answer) => {
                        cache.count_hit();
                        return Ok(kept(answer, wish, true, report));
                    }
                    FlightEnd::NotShared => break,
                    FlightEnd::Abandoned => {}
                },
                CacheLookup::TooLarge | CacheLookup::Unfollowed => break,
            }
        }
        self.run_ready(ready, request, (caller, delivery), report).await
    }

    /// Answers a request by the store that servers share, or executes it for the store. Each request
    /// looks there by itself: another server may have changed something since an equal one did so.
    async fn run_shared(
        &self,
        ready: &Ready,
        request: &Request,
        (caller, delivery): (&Caller, Delivery),
        (cache, shared, wish, key): (&Arc<AnswerCache>, &SharedAnswers, CacheWish, CohortKey),
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        if let Some(publisher) = shared.claim_publisher() {
            spawn_local(publish_changes(Arc::downgrade(cache), publisher));
        }
        let plan = ready.prepared.fingerprint(&self.engine.catalog);
        let mut allowed = caller.cache;
        loop {
            let dependencies = self.answer_dependencies(ready, &caller.session);
            let wanted = (&key, cache.most_bytes());
            let ticket = match shared.look_up(plan, wanted, wish, &dependencies).await {
                SharedLookup::Answer(answer, ticket) => {
                    if answer.is_allowed(wish, caller.cache) {
                        // It is a copy for this request alone.
                        let mut held = MemoryReservation::of(&self.memory);
                        let body = answer.body().cloned().unwrap_or_default();
                        if held.grow_to(body.len() as u64).is_err() {
                            break;
                        }
                        cache.count_hit();
                        let body = Bytes::from_owner(HeldBody { body, _held: held });
                        let kept = kept(Arc::new(answer), wish, true, report);
                        return Ok(Response { body: JsonBody::Cached(body), ..kept });
                    }
                    ticket
                }
                SharedLookup::Missing(ticket) => ticket,
                SharedLookup::Unfollowed => {
                    cache.want_feed();
                    break;
                }
                SharedLookup::Unavailable => break,
            };
            match cache.find(&key, wish, allowed, || dependencies) {
                CacheLookup::Lead(leading) => {
                    let leading = (leading, wish, Some(ticket));
                    return self.lead(ready, request, caller, leading, report).await;
                }
                CacheLookup::Running(flight) => match flight.wait().await {
                    // It is in the store now, unless a change has come. The next time nobody waits.
                    FlightEnd::Answer(_) | FlightEnd::Abandoned => allowed = CacheUse::Refresh,
                    FlightEnd::NotShared => break,
                },
                CacheLookup::Answer(_) | CacheLookup::TooLarge | CacheLookup::Unfollowed => break,
            }
        }
        self.run_ready(ready, request, (caller, delivery), report).await
    }

    /// Executes a request for the cache. It reads the primary: what the feed reports is not older than
    /// an answer from there.
    async fn lead(
        &self,
        ready: &Ready,
        request: &Request,
        caller: &Caller,
        (leading, wish, ticket): (Leading, CacheWish, Option<Ticket>),
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let caller = &Caller { freshness: Freshness::Newest, ..caller.clone() };
        let executed = self.run_ready(ready, request, (caller, Delivery::Whole), report);
        let response = match executed.await {
            Ok(response) => response,
            Err(errors) => {
                leading.end(FlightEnd::NotShared);
                return Err(errors);
            }
        };
        let is_complete = response.kind == Kind::Executed && report.codes.is_empty();
        let Response { body: JsonBody::Own(body), held, rest: None, payloads: None, .. } = response
        else {
            leading.end(FlightEnd::NotShared);
            return Ok(response);
        };
        if !is_complete {
            leading.end(FlightEnd::NotShared);
            return Ok(Response { body: JsonBody::Own(body), held, ..response });
        }
        let shared = ticket.map(|ticket| (ticket, MemoryReservation::of(&self.memory)));
        Ok(match leading.answer(wish.ttl, (body, held), shared) {
            Ok(answer) => kept(answer, wish, false, report),
            Err((body, held)) => Response::complete(body, held),
        })
    }

    /// The key of an answer: the document, the variables, the rules by which it was planned, and of the
    /// session what the plan reads and what the database receives.
    pub(super) fn answer_key(
        &self,
        ready: &Ready,
        request: &Request,
        session: &Session,
    ) -> CohortKey {
        let engine = &*self.engine;
        let facts = ready.prepared.facts(engine, ready.variables(session));
        let claims = facts.claims.of(session.claims.as_ref());
        let settings = session.settings.as_ref().filter(|_| engine.has_roles());
        let document = &ready.known.document;
        let rules = [ready.prepared.key.rules(), document.view_number()];
        let name = request.operation_name.as_deref();
        let text = document.shared_text();
        CohortKey::of_answer(text, name, &request.variables, (settings, claims), rules)
            .with_numbers(&request.numbers)
    }

    fn answer_dependencies(&self, ready: &Ready, session: &Session) -> Dependencies {
        ready.prepared.dependencies(&self.engine.catalog, ready.variables(session))
    }
}

/// The response with a cached answer.
fn kept(answer: Arc<CachedAnswer>, wish: CacheWish, is_hit: bool, report: &mut Report) -> Response {
    let body = answer.body().cloned().unwrap_or_default();
    report.cache = Some(CacheUsed { answer, is_hit, by_directive: wish.by_directive });
    Response { body: JsonBody::Cached(body), ..Response::complete(Vec::new(), Default::default()) }
}
