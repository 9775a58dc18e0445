//! Cache of subgraph responses: of each entity by itself, and of the root fields of a request together.
//!
//! * `split`: a request as its entities, and the request for some of them
//! * `join`: a response of kept and of fetched entities
//! * `tags`: what invalidates an entry
//! * [`invalidation`]: requests to invalidate entries
//!
//! A key has everything that a response depends on: the subgraph and its address, the document, the
//! variables, the headers of the request, and the representation. A private response has the user as
//! well. Mutations, and responses with errors, are not kept.

pub mod invalidation;
mod join;
mod split;
mod tags;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::byte_cache::{ByteCache, CacheKey, Cached, Moment, NewEntry};
use clients::subgraph::ResponseCaching;
use gateway::execute::{FetchCaching, FetchError, FetchRequest, FetchResponse, ResponseBody};
use gateway::plan::Fetch;
use graphql::operation::OperationKind;
use http::HeaderMap;
use response::MemoryReservation;

use self::join::{FetchedValues, read_values};
use self::split::SplitRequest;
use super::headers::{REQUEST_ID, TRACEPARENT, TRACESTATE};
use super::transport::{RemoteClient, RequestTransport};
use crate::answer_cache::CacheUse;

/// Caching of the responses of a subgraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CachePolicy {
    /// The time for which a response stays fresh that has no header about it; without one such a
    /// response is not kept.
    pub default_ttl: Option<Duration>,
    /// The claim that distinguishes users, for private responses; without one they are not kept.
    pub user_claim: Option<Box<str>>,
}

/// The cache with the policy of a subgraph.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubgraphCache<'g> {
    pub(super) store: &'g Arc<ByteCache>,
    pub(super) policy: &'g CachePolicy,
    /// The address, since subgraphs of two servers may have one name.
    pub(super) address: &'g str,
}

/// The two keys of an entity, or of a whole response.
struct Keys {
    public: CacheKey,
    /// For a known user.
    private: Option<CacheKey>,
}

/// Values that were found.
struct StoredValues {
    values: Vec<Option<Cached>>,
    /// Whether one of them is private.
    is_private: bool,
    moment: Option<Moment>,
}

impl RequestTransport<'_> {
    /// Returns the cache for a fetch, if its responses may be kept.
    ///
    /// Plans have queries below a mutation and below an event, too. Those read what the mutation has just
    /// written, or what the event is about, and nothing has invalidated that yet.
    pub(super) fn cache_for(&self, fetch: &FetchRequest<'_>) -> Option<SubgraphCache<'_>> {
        let store = self.gateway.options.cache.as_ref()?;
        if self.events.operation.kind != OperationKind::Query
            || self.caller.cache == CacheUse::Bypass
        {
            return None;
        }
        let transport = self.gateway.transports.get(usize::from(fetch.subgraph.0))?;
        let remote = transport.remote()?;
        let policy = remote.cache.as_ref().filter(|_| fetch.kind == OperationKind::Query)?;
        Some(SubgraphCache { store, policy, address: &remote.address })
    }

    /// Answers a fetch from the cache, as far as possible.
    pub(super) async fn fetch_cached(
        &self,
        remote: &RemoteClient,
        headers: &HeaderMap,
        fetch: &FetchRequest<'_>,
        cache: SubgraphCache<'_>,
    ) -> Result<FetchResponse, FetchError> {
        let Some(planned) = self.events.prepared.plan.fetches.get(fetch.fetch.index()) else {
            return self.send(remote, headers, fetch, fetch.body.clone()).await.map(|sent| sent.0);
        };
        let split = SplitRequest::new(&fetch.document.head, &fetch.body, planned.root.is_some());
        let Some(split) = split else {
            return self.send(remote, headers, fetch, fetch.body.clone()).await.map(|sent| sent.0);
        };
        let keys = self.keys(&split, headers, fetch, cache);
        let StoredValues { values: found, is_private: has_private, moment } =
            look_up(cache.store, &keys).await;
        let missing: Vec<bool> = found.iter().map(Option::is_none).collect();
        let misses = missing.iter().filter(|is_missing| **is_missing).count();
        let hits = keys.len() - misses;
        cache.store.count_found(hits as u64, misses as u64);
        if misses == 0 {
            let caching = kept(&found, hits, has_private);
            return self.join(&split, &found, FetchedValues::default(), caching).await;
        }
        let body = if hits == 0 { fetch.body.clone() } else { split.body(&missing).into() };
        let (response, headers_say) = self.send(remote, headers, fetch, body).await?;
        let ResponseBody::Json(bytes) = &response.body else { return Ok(response) };
        let Some(values) = read_values(&split, &missing, bytes) else {
            if hits == 0 {
                return Ok(response);
            }
            // Errors name places of the smaller request, so the whole one is sent.
            return self.send(remote, headers, fetch, fetch.body.clone()).await.map(|sent| sent.0);
        };
        let fresh = cache.policy.fresh(headers_say);
        let is_private = headers_say.is_private;
        // A shared response may be older than the look-up, and than an invalidation before it. The
        // request that has sent for it puts it.
        let moment = moment.filter(|_| !headers_say.is_shared);
        if let (Some(ttl), Some(moment)) = (fresh, moment) {
            let new = NewValues { split: &split, values: &values, keys: &keys, ttl, is_private };
            self.put(new, (fetch, planned), cache, moment).await;
        }
        let caching = FetchCaching { hits, misses, fresh, is_private };
        if hits == 0 {
            return Ok(FetchResponse { caching, ..response });
        }
        let caching = FetchCaching { misses, ..caching.and(kept(&found, 0, has_private)) };
        self.join(&split, &found, values, caching).await
    }

    /// The keys of the entities of a request, or of the whole.
    fn keys(
        &self,
        split: &SplitRequest<'_>,
        headers: &HeaderMap,
        fetch: &FetchRequest<'_>,
        cache: SubgraphCache<'_>,
    ) -> Vec<Keys> {
        let supergraph = &self.gateway.supergraph;
        let mut sent: Vec<(&str, &[u8])> = headers
            .iter()
            .filter(|(name, _)| ![REQUEST_ID, TRACEPARENT, TRACESTATE].contains(name))
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        // A stable sort: several values of one name stay in their order.
        sent.sort_by_key(|(name, _)| *name);
        let mut common: Vec<&[u8]> = vec![
            b"1",
            supergraph.subgraph(fetch.subgraph).name.as_bytes(),
            cache.address.as_bytes(),
            without_name(&fetch.document.text).as_bytes(),
            &split.others,
        ];
        let count = sent.len().to_be_bytes();
        common.push(&count);
        common.extend(sent.iter().flat_map(|(name, value)| [name.as_bytes(), value]));
        let common = CacheKey::of(&common);
        let user = cache.policy.user_claim.as_deref().and_then(|claim| {
            let claims = self.caller.session.claims.as_deref()?;
            let value = claims.get(claim).filter(|value| !value.is_null())?.to_string();
            // With the name: another claim may have the same value for another user.
            Some(CacheKey::of(&[claim.as_bytes(), value.as_bytes()]))
        });
        let key = |list: usize, text: &str, user: &[u8]| {
            CacheKey::of(&[common.as_bytes(), &list.to_be_bytes(), text.as_bytes(), user])
        };
        let items = split.items();
        items
            .map(|(list, text)| Keys {
                public: key(list, text, b""),
                private: user.map(|user| key(list, text, user.as_bytes())),
            })
            .collect()
    }

    async fn put(
        &self,
        new: NewValues<'_>,
        (fetch, planned): (&FetchRequest<'_>, &Fetch),
        cache: SubgraphCache<'_>,
        moment: Moment,
    ) {
        let NewValues { split, values, keys, ttl, is_private } = new;
        let tags = tags::Tags::new(&self.gateway.supergraph, &self.events.prepared.plan, planned);
        let mut entries = Vec::with_capacity(values.len());
        for (place, (key, (_, representation))) in keys.iter().zip(split.items()).enumerate() {
            let key = match is_private {
                false => Some(key.public),
                true => key.private,
            };
            let (Some(key), Some(value)) = (key, values.get(place)) else { continue };
            // An entity that is not there may come, and nothing invalidates it.
            if value == "null" {
                continue;
            }
            let tags = match split.is_whole() {
                true => tags.of_root(),
                false => tags.of_entity(fetch.subgraph, representation),
            };
            entries.push(NewEntry {
                key,
                value: Bytes::copy_from_slice(value.as_bytes()),
                ttl,
                tags,
            });
        }
        if !entries.is_empty() {
            cache.store.put(entries, moment).await;
        }
    }

    /// The response of kept and fetched values.
    async fn join(
        &self,
        split: &SplitRequest<'_>,
        found: &[Option<Cached>],
        fetched: FetchedValues<'_>,
        caching: FetchCaching,
    ) -> Result<FetchResponse, FetchError> {
        let body = join::response(split, found, &fetched);
        let mut held = MemoryReservation::of(self.memory);
        held.grow_to(body.len() as u64).map_err(|_| FetchError::MemoryExhausted)?;
        self.leave_if_long(body.len()).await;
        Ok(FetchResponse { body: ResponseBody::Json(body.into()), held, caching })
    }
}

/// Values to keep.
struct NewValues<'v> {
    split: &'v SplitRequest<'v>,
    values: &'v FetchedValues<'v>,
    keys: &'v [Keys],
    ttl: Duration,
    is_private: bool,
}

impl CachePolicy {
    /// The time for which a response may be kept.
    fn fresh(&self, headers: ResponseCaching) -> Option<Duration> {
        if headers.is_forbidden || (headers.is_private && self.user_claim.is_none()) {
            return None;
        }
        headers.fresh.or(self.default_ttl).filter(|fresh| !fresh.is_zero())
    }
}

/// Looks all keys up at once; a private value is found by the key of its user.
async fn look_up(store: &ByteCache, keys: &[Keys]) -> StoredValues {
    let all = keys.iter().flat_map(|keys| [Some(keys.public), keys.private]).flatten();
    let all: Vec<CacheKey> = all.collect();
    let (found, moment) = store.get_many(&all).await;
    let mut found = found.into_iter();
    let mut is_private = false;
    let values = keys.iter().map(|keys| {
        let public = found.next().flatten();
        let private = keys.private.and_then(|_| found.next().flatten());
        is_private |= private.is_some();
        private.or(public)
    });
    StoredValues { values: values.collect(), is_private, moment }
}

/// What values of the cache have in common.
fn kept(found: &[Option<Cached>], hits: usize, is_private: bool) -> FetchCaching {
    let fresh = found.iter().flatten().map(|cached| cached.left).min();
    FetchCaching { hits, misses: 0, fresh, is_private }
}

/// The document without its name, which differs in equal requests of different operations.
fn without_name(document: &str) -> &str {
    match document.strip_prefix("query") {
        Some(rest) => {
            let rest = rest.trim_start_matches(' ');
            rest.trim_start_matches(|one: char| one.is_ascii_alphanumeric() || one == '_')
        }
        None => document,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_equal_without_their_names() {
        assert_eq!(without_name("query A__b__0($a:Int){b}"), "($a:Int){b}");
        assert_eq!(without_name("query A__b__0{b}"), "{b}");
        assert_eq!(without_name("query($a:Int){b}"), "($a:Int){b}");
        assert_eq!(without_name("{b}"), "{b}");
    }
}
