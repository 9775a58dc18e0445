//! Rate limits: how many operations, or how much estimated cost, a client may ask for in a time.
//!
//! * `bucket`: the algorithm
//! * `counters`: the buckets of clients
//! * `headers`: what responses tell of them
//!
//! An operation counts when its caller and its document are known, however it came: alone, in a batch,
//! over a WebSocket or in a stream. Each rule has a bucket for each combination of what it counts by.

mod bucket;
mod counters;
mod headers;

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use engine::{ApiWorker, Caller};
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json::Value;
use serde_json_bytes::Value as Json;

use self::bucket::{Decision, Level, Rate};
pub(super) use self::counters::RateCounters;
pub(super) use self::headers::add_rates;
use super::client_address::ClientAddress;
use crate::options::{CountedBy, RateLimitRule, RateUnit};

/// The rules of the options.
#[derive(Debug, Default)]
pub(super) struct RateLimits(Box<[Limit]>);

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

impl RateLimits {
    pub(super) fn new(rules: &[RateLimitRule]) -> Self {
        let limits = rules.iter().map(|rule| {
            let window = u64::try_from(rule.window.as_nanos()).unwrap_or(u64::MAX);
            Limit { rule: rule.clone(), rate: Rate::new(rule.amount, window, rule.burst) }
        });
        Self(limits.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Counts an operation, unless it exceeds a rule: then no rule counts it.
pub(super) fn count(
    limits: &RateLimits,
    counters: &RateCounters,
    worker: &ApiWorker,
    operation: (&Request, &Caller, ClientAddress),
) -> Result<Vec<Counted>, Box<Exceeded>> {
    if limits.is_empty() {
        return Ok(Vec::new());
    }
    let (request, caller, _) = operation;
    let now = counters.now();
    let mut cost = None;
    let asked: Vec<(&Limit, String, u64)> = limits
        .0
        .iter()
        .map(|limit| {
            let units = match limit.rule.unit {
                RateUnit::Operations => 1,
                RateUnit::Cost => *cost.get_or_insert_with(|| worker.estimate(request, caller)),
            };
            (limit, bucket_name(worker, limit, operation), units)
        })
        .collect();
    let exceeded = |(limit, _, _): &(&Limit, String, u64), retry: Option<u64>, level: Level| {
        let counted = vec![limit.counted(level)];
        let retry = retry.map(Duration::from_nanos);
        Box::new(Exceeded { rule: limit.rule.text.clone(), retry, counted })
    };
    for one in &asked {
        let (limit, name, units) = one;
        if let Decision::Refused { retry, level } = counters.peek(name, limit.rate, *units, now) {
            return Err(exceeded(one, retry, level));
        }
    }
    let mut counted = Vec::with_capacity(asked.len());
    for one in &asked {
        let (limit, name, units) = one;
        match counters.take(name, limit.rate, *units, now) {
            Decision::Allowed { level, .. } => counted.push(limit.counted(level)),
            // Another thread was faster.
            Decision::Refused { retry, level } => return Err(exceeded(one, retry, level)),
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
