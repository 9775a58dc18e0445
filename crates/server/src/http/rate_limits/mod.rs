//! Rate limits: how many operations, or how much estimated cost, a client may ask for in a time.
//!
//! * `bucket`: the algorithm
//! * `counters`: the buckets of clients in this process; `store`: those in a Redis that several servers
//!   share
//! * `headers`: what responses tell of them
//!
//! An operation counts when its caller and its document are known, however it came: alone, in a batch,
//! over a WebSocket or in a stream. Each rule has a bucket for each combination of what it counts by.

mod bucket;
mod counters;
mod headers;
mod store;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use engine::{ApiWorker, Caller};
use futures_util::future::LocalBoxFuture;
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json::Value;
use serde_json_bytes::Value as Json;

use self::bucket::{Decision, Level, Rate};
pub(super) use self::counters::RateCounters;
pub(super) use self::headers::add_rates;
pub(super) use self::store::{RateStore, RateStoreSettings};
use super::client_address::ClientAddress;
use crate::options::{CountedBy, RateLimitFailure, RateLimitOptions, RateLimitRule, RateUnit};

/// The rules of the options.
#[derive(Debug, Default)]
pub(super) struct RateLimits {
    limits: Box<[Arc<Limit>]>,
    failure: RateLimitFailure,
}

#[derive(Debug)]
struct Limit {
    rule: RateLimitRule,
    rate: Rate,
}

/// The state of the bucket that an operation was counted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// What the rule counts by, such as `address`.
    pub(super) name: Box<str>,
    /// The units that the rule allows in its window.
    pub(super) amount: u64,
    pub(super) window: Duration,
    pub(super) level: Level,
}

/// A limit that an operation exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exceeded {
    /// As the option has it.
    pub(super) rule: Box<str>,
    /// The time after which the operation may be sent again; `None` if it costs more than the rule
    /// ever allows.
    pub(super) retry: Option<Duration>,
    pub(super) counted: Vec<Counted>,
}

impl Exceeded {
    /// The seconds after which the operation may be sent again; `None` if that never helps.
    pub(super) fn retry_after(&self) -> Option<u64> {
        self.retry.map(|time| headers::seconds(time).max(1))
    }

    pub(super) fn error(&self) -> GraphQLError {
        let message = match self.retry_after() {
            Some(seconds) => format!(
                "The rate limit {} is reached; try again in {seconds} s (--rate-limit).",
                self.rule
            ),
            None => format!(
                "The operation costs more than the rate limit {} ever allows at once \
                 (--rate-limit): ask for less.",
                self.rule
            ),
        };
        let mut error = GraphQLError::new(ErrorCode::RateLimited, message);
        if let Some(seconds) = self.retry_after() {
            error.extensions.push(("retryAfter".into(), seconds.to_string().into()));
        }
        error
    }
}

/// The reason why an operation is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotCounted {
    Exceeded(Box<Exceeded>),
    /// The store is not available, and operations are refused meanwhile.
    NoStore,
}

/// The count of an operation, by the buckets of this process or by those in Redis.
pub(super) enum Counting {
    Done(Vec<Counted>),
    Asking(LocalBoxFuture<'static, Result<Vec<Counted>, NotCounted>>),
}

impl Counting {
    /// Waits for Redis.
    pub(super) async fn finish(self) -> Result<Vec<Counted>, NotCounted> {
        match self {
            Self::Done(counted) => Ok(counted),
            Self::Asking(counting) => counting.await,
        }
    }
}

impl RateLimits {
    pub(super) fn new(options: &RateLimitOptions) -> Self {
        let limits = options.rate_limit.iter().map(|rule| {
            let window = u64::try_from(rule.window.as_nanos()).unwrap_or(u64::MAX);
            let rate = Rate::new(rule.amount, window, rule.burst);
            Arc::new(Limit { rule: rule.clone(), rate })
        });
        Self { limits: limits.collect(), failure: options.rate_limit_failure }
    }
}

/// What an operation takes from the bucket of a limit.
#[derive(Clone, Debug)]
struct Charge {
    limit: Arc<Limit>,
    bucket: String,
    units: u64,
}

impl Charge {
    fn exceeded(&self, retry: Option<u64>, level: Level) -> NotCounted {
        NotCounted::Exceeded(Box::new(Exceeded {
            rule: self.limit.rule.text.clone(),
            retry: retry.map(Duration::from_nanos),
            counted: vec![self.limit.counted(level)],
        }))
    }
}

/// Counts an operation, unless it exceeds a rule: then no rule counts it.
pub(super) fn count(
    RateLimits { limits, failure }: &RateLimits,
    (counters, store): (&Arc<RateCounters>, Option<&RateStore>),
    worker: &ApiWorker,
    operation: (&Request, &Caller, ClientAddress),
) -> Result<Counting, NotCounted> {
    if limits.is_empty() {
        return Ok(Counting::Done(Vec::new()));
    }
    let (request, caller, _) = operation;
    let mut cost = None;
    let charges = limits.iter().map(|limit| {
        let units = match limit.rule.unit {
            RateUnit::Operations => 1,
            RateUnit::Cost => *cost.get_or_insert_with(|| worker.estimate(request, caller)),
        };
        Charge { limit: Arc::clone(limit), bucket: bucket_name(worker, limit, operation), units }
    });
    let charges: Vec<Charge> = charges.collect();
    let Some(store) = store else {
        return count_here(counters, &charges).map(Counting::Done);
    };
    let (store, counters, failure) = (store.clone(), Arc::clone(counters), *failure);
    Ok(Counting::Asking(Box::pin(async move {
        match (store.count(&charges).await, failure) {
            (Some(counted), _) => counted,
            (None, RateLimitFailure::Open) => Ok(Vec::new()),
            (None, RateLimitFailure::Local) => count_here(&counters, &charges),
            (None, RateLimitFailure::Closed) => Err(NotCounted::NoStore),
        }
    })))
}

/// Counts an operation by the buckets of this process.
fn count_here(counters: &RateCounters, charges: &[Charge]) -> Result<Vec<Counted>, NotCounted> {
    let now = counters.now();
    for charge in charges {
        let Charge { limit, bucket, units } = charge;
        if let Decision::Refused { retry, level } = counters.peek(bucket, limit.rate, *units, now) {
            return Err(charge.exceeded(retry, level));
        }
    }
    let mut counted = Vec::with_capacity(charges.len());
    for charge in charges {
        let Charge { limit, bucket, units } = charge;
        match counters.take(bucket, limit.rate, *units, now) {
            Decision::Allowed { level, .. } => counted.push(limit.counted(level)),
            // Another thread was faster.
            Decision::Refused { retry, level } => return Err(charge.exceeded(retry, level)),
        }
    }
    Ok(counted)
}

impl Limit {
    fn counted(&self, level: Level) -> Counted {
        let RateLimitRule { amount, window, .. } = self.rule;
        Counted { name: self.rule.name(), amount, window, level }
    }
}

/// The rule, and the value of each thing that it counts by. A text of JSON has an end of its own.
fn bucket_name(
    worker: &ApiWorker,
    limit: &Limit,
    (request, caller, client): (&Request, &Caller, ClientAddress),
) -> String {
    let mut name = String::from(&*limit.rule.text);
    let mut add = |value: &Value| {
        name.push(' ');
        name.push_str(&value.to_string());
    };
    let address = || client.address().map(|address| network(address).to_string());
    for by in &limit.rule.by {
        match by {
            CountedBy::Address => add(&Value::from(address())),
            CountedBy::Operation => {
                let document = worker.document(request, caller).ok();
                let named = document.and_then(|document| document.operation.name.clone());
                add(&Value::from(named.as_deref()));
            }
            CountedBy::Claim(claim) => {
                let claims = caller.session.claims.as_deref();
                match claims.and_then(|claims| claims.get(claim)) {
                    Some(value) if *value != Json::Null => add(&Value::from(value.to_string())),
                    // Sessions without the claim are different clients all the same.
                    Some(_) | None => add(&serde_json::json!({ "address": address() })),
                }
            }
        }
    }
    name
}

/// The network of a client: a customer of a provider has at least 2^64 addresses of version 6.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}
